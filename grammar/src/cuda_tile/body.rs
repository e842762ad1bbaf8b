//! Parses the body of an entry: names, scopes, regions, and ops.

use std::borrow::Cow;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::{Code, Diagnostic, FileId, Span};
use tilewright_irs::core::{
    Block, Body, NameUse, Operation, Origin, Part, Region, Value, ValueType, nearest_op,
};
use tilewright_irs::cuda_tile::{
    Constraint, ControlOp, CudaTile, DebugId, MAX_REGION_DEPTH, TileOp, TileOpSpec, TileType, Unknown,
};

use tilewright_irs::element::ElementType;

use super::TextOptions;
use super::completion::{Around, Recorder};
use super::cursor::{Cursor, Fail, Parse, fail, preview};
use super::lexer::{is_preview, quoted_name, quoted_op, short};
use super::locations::Locations;
use super::places::Places;
use super::tree::{Item, Statement, group_size, has_bad_token, names};

/// Limit of results in one group.
const MAX_RESULTS: usize = 1 << 16;

/// Limit of named results of an unreadable op.
pub(crate) const MAX_LOST: usize = 64;

/// What unreadable statements may define; all positions are in order.
#[derive(Debug, Default)]
pub(crate) struct LostNames<'input> {
    /// The names in the statements, with their positions.
    pub(super) names: FxHashMap<&'input str, Vec<usize>>,
    /// The positions of statements that do not begin with the name of a value.
    pub(super) nameless: Vec<usize>,
}

/// An argument of a region.
pub(crate) struct Argument<'input> {
    pub(crate) name: &'input str,
    pub(crate) at: Span,
    /// Its type, if it is known.
    pub(crate) ty: Option<TileType>,
}

/// Reads one entry.
pub(crate) struct BodyReader<'t, 'input> {
    pub(crate) file: FileId,
    pub(crate) body: Body<CudaTile>,
    /// Passed from entry to entry.
    pub(crate) locations: Locations<'t, 'input>,
    /// Values in scope.
    pub(super) values: FxHashMap<Cow<'input, str>, (Value, Span)>,
    /// Undefined names in scope, which have been reported.
    pub(crate) undefined: FxHashSet<String>,
    /// The names of values, in the order in which they were read.
    pub(super) names: Vec<NameUse<Span>>,
    /// The undefined names for which a defined one was looked for.
    pub(crate) suggested: usize,
    /// The number of parameters whose names are unreadable, and of undefined names that are taken for those of values with
    /// unreadable names.
    pub(crate) nameless: usize,
    pub(crate) renamed: usize,
    /// What unreadable lines define, and the start of the function, before which they are ignored.
    pub(crate) lost: Rc<LostNames<'input>>,
    pub(crate) start: usize,
    /// The unknown parts of the body.
    pub(crate) unknown: Unknown,
    /// The name of each value, and its definition's span.
    pub(super) defined: FxHashMap<Value, (Cow<'input, str>, Span)>,
    /// Whether the ops are outside of all functions, as in NVIDIA's tests.
    pub(crate) outside: bool,
    /// Enabled extensions of the language.
    options: TextOptions,
    /// What records what is looked for at the end of the text, for completion.
    pub(crate) recorder: Option<&'t Recorder>,
    /// The ops with hand-written text around the current place, the outermost first.
    pub(crate) around: Vec<Around>,
    /// Names in order of definition, so that those of a region can be removed at its end.
    pub(super) log: Vec<Cow<'input, str>>,
    /// Nesting depth of regions.
    depth: usize,
    /// The span of each op, by origin.
    pub(crate) spans: Vec<Span>,
    /// The current op.
    pub(crate) current: Origin,
    /// The regions of that op that have been parsed.
    pub(crate) regions: Vec<Region>,
    /// The end of the last region that has been parsed.
    pub(crate) read_to: usize,
    /// Whether the type of that op's result depends on a value of unknown type.
    pub(crate) untyped: bool,
    /// The span of each part of an op, in textual order.
    pub(crate) parts: Vec<(Origin, Part, Span)>,
    /// The location of each op, by origin.
    pub(crate) places: Vec<Option<DebugId>>,
    /// Whether one of them is unreadable.
    pub(crate) lost_place: bool,
    pub(crate) problems: Vec<Diagnostic<Span>>,
    /// Whether there was any error, reported here or by the parser.
    pub(crate) broken: bool,
}

impl<'t, 'input> BodyReader<'t, 'input> {
    pub(crate) fn new(file: FileId, locations: Locations<'t, 'input>, options: TextOptions) -> Self {
        Self {
            file,
            outside: false,
            options,
            recorder: None,
            around: Vec::new(),
            body: Body::default(),
            locations,
            values: FxHashMap::default(),
            undefined: FxHashSet::default(),
            names: Vec::new(),
            suggested: 0,
            nameless: 0,
            renamed: 0,
            lost: Rc::default(),
            start: 0,
            unknown: Unknown::default(),
            defined: FxHashMap::default(),
            log: Vec::new(),
            depth: 0,
            spans: Vec::new(),
            current: Origin::FUNCTION,
            regions: Vec::new(),
            read_to: 0,
            untyped: false,
            parts: Vec::new(),
            places: Vec::new(),
            lost_place: false,
            problems: Vec::new(),
            broken: false,
        }
    }

    pub(crate) fn report(&mut self, failure: Fail) {
        self.broken = true;
        self.problems.extend(failure.map(|problem| *problem));
    }

    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, start, end)
    }

    /// The tokens after a statement's name.
    pub(crate) fn cursor(&self, statement: &'t Statement<'input>) -> Cursor<'t, 'input> {
        Cursor::new(&statement.clauses, self.file, statement.end)
            .allowing(self.options.preview)
            .recording(self.recorder)
    }

    /// Parses a region of one block.
    pub(crate) fn region(
        &mut self,
        cursor: &mut Cursor<'t, 'input>,
        args: Vec<Argument<'input>>,
        implicit: Option<Implicit>,
    ) -> Parse<Region> {
        let tree = cursor.region()?;
        Ok(self.region_of(&tree.items, (tree.start, tree.end), args, implicit))
    }

    /// Builds a region of one block from its lines; `end` is the span of its closing brace.
    pub(crate) fn region_of(
        &mut self,
        items: &'t [Item<'input>],
        end: (usize, usize),
        args: Vec<Argument<'input>>,
        implicit: Option<Implicit>,
    ) -> Region {
        let region = self.body.add_region();
        let block = self.body.add_block(region);
        let outer = self.log.len();
        self.arguments(block, self.current, args);
        if self.depth < MAX_REGION_DEPTH {
            self.depth += 1;
            self.items(block, items, end, implicit);
            self.depth -= 1;
        } else {
            let message = format!("regions are nested deeper than {MAX_REGION_DEPTH}");
            let at = Span::new(self.file, end.0, end.0.saturating_add(1));
            let problem = Diagnostic::error(Code::NestingTooDeep, message)
                .at(at, "the end of the one that is too deep");
            self.report(Some(Box::new(problem)));
            self.lost_end(block, end);
        }
        for name in self.log.drain(outer..) {
            self.values.remove(&name);
            self.undefined.remove(&*name);
        }
        self.regions.push(region);
        self.read_to = end.1;
        region
    }

    /// Parses the lines of a region; if the last one is not a terminator, `implicit` is added.
    pub(crate) fn items(
        &mut self,
        block: Block,
        items: &'t [Item<'input>],
        end: (usize, usize),
        implicit: Option<Implicit>,
    ) {
        // Whether the last line was unreadable.
        let mut lost = false;
        for item in items {
            lost = false;
            match item {
                Item::Statement(statement) => lost = !self.statement(block, statement),
                Item::Alias { start, end, .. } => {
                    let at = self.span(*start, *end);
                    let message = "an alias is defined outside of all braces";
                    self.report(Some(Box::new(
                        Diagnostic::error(Code::MisplacedOp, message).at(at, "not here"),
                    )));
                }
                Item::Broken(trees) => {
                    (self.broken, lost) = (true, true);
                    let outer = std::mem::take(&mut self.regions);
                    let origin = self.origin(self.span(end.0, end.1));
                    let regions: Vec<_> = trees.iter().map(|tree| self.lost_region(&[], tree)).collect();
                    self.lost_ops(block, &regions, origin);
                    self.regions = outer;
                }
            }
        }
        if let Some(recorder) = self.recorder {
            recorder.region(end, &self.around);
        }
        if lost {
            return self.lost_end(block, end);
        }
        let ends = self
            .body
            .terminator(block)
            .is_some_and(|op| self.body.op(op).kind.is_terminator());
        let Some(implicit) = implicit.filter(|_| !ends) else {
            return;
        };
        if let Some(problem) = implicit.missing(self.span(end.0, end.1)) {
            self.report(Some(Box::new(problem)));
            return self.lost_end(block, end);
        }
        let operands = Vec::new();
        let op = match implicit {
            Implicit::Yield(_) => ControlOp::Yield { operands },
            Implicit::Continue(_) => ControlOp::Continue { operands },
            Implicit::Return => ControlOp::Return { operands },
        };
        let origin = self.origin(self.span(end.0, end.1));
        self.body.add_op(block, op.into(), [], origin, ());
    }

    /// Records the span of a part of the current op.
    pub(crate) fn place_part(&mut self, part: Part, at: Span) {
        self.parts.push((self.current, part, at));
    }

    /// Records the span of a field of the current op.
    pub(crate) fn place_field(&mut self, spec: &TileOpSpec, name: &str, at: Span) {
        if let Some(field) = spec.field(name) {
            self.place_part(Part::field(field), at);
        }
    }

    /// Records the span of an entry of a field of the current op.
    pub(crate) fn place_entry(&mut self, spec: &TileOpSpec, name: &str, entry: usize, at: Span) {
        if let Some(field) = spec.field(name) {
            self.place_part(Part::field(field).entry(entry), at);
        }
    }

    /// Records the spans of the entries of an attribute of the current op.
    pub(super) fn place_entries(&mut self, places: Places) {
        let current = self.current;
        let places = places.list.into_iter();
        self.parts.extend(places.map(|(part, at)| (current, part, at)));
    }

    /// Records the spans of attributes of the function.
    pub(super) fn place_attributes(&mut self, parts: Vec<(Part, Span)>) {
        let parts = parts.into_iter();
        self.parts
            .extend(parts.map(|(part, at)| (Origin::FUNCTION, part, at)));
    }

    /// The span of a part of the current op, if it has been read.
    pub(super) fn part_of_op(&self, part: Part) -> Option<Span> {
        let own = self.parts.iter().rev();
        let mut own = own.take_while(|(origin, ..)| *origin == self.current);
        own.find(|(_, other, _)| *other == part).map(|&(.., at)| at)
    }

    pub(crate) fn origin(&mut self, at: Span) -> Origin {
        let origin = Origin(u32::try_from(self.spans.len()).unwrap_or(u32::MAX - 1));
        self.spans.push(at);
        self.places.push(None);
        origin
    }

    /// Parses a line; returns whether it was readable.
    pub(crate) fn statement(&mut self, block: Block, statement: &'t Statement<'input>) -> bool {
        let at = self.span(statement.start, statement.end);
        let foreign =
            self.options.testing && statement.name.starts_with('"') && quoted_op(statement.name).is_none();
        let origin = if foreign { self.current } else { self.origin(at) };
        let outer = std::mem::replace(&mut self.current, origin);
        let regions = std::mem::take(&mut self.regions);
        self.untyped = false;
        let made = if foreign {
            self.read_foreign(statement)
        } else {
            self.read(statement, at, origin).map(|(op, types)| {
                let op = self.body.add_op(block, op, types, origin, ());
                self.body.op(op).results().collect::<Vec<_>>()
            })
        };
        let read = made.is_ok();
        self.record_values(statement);
        let results = match made {
            Ok(results) => {
                if self.untyped {
                    self.unknown.values.extend(&results);
                }
                results
            }
            Err(failure) => {
                self.report(failure.filter(|_| !has_bad_token(&statement.clauses)));
                self.lost_op(block, statement, origin)
            }
        };
        self.current = outer;
        self.regions = regions;
        // The count in the text may be any number.
        let most = results.len().max(MAX_LOST);
        let mut results = results.into_iter();
        for group in &statement.results {
            let at = self.span(group.start, group.end);
            let name = group.name.trim_start_matches('%');
            match group_size(group) {
                None => {
                    let value = results.next().unwrap_or_else(|| self.unknown_value());
                    self.define(Cow::Borrowed(name), value, at);
                }
                Some(count) => {
                    for i in 0..count.min(most) {
                        let value = results.next().unwrap_or_else(|| self.unknown_value());
                        if i == 0 {
                            self.define(Cow::Borrowed(name), value, at);
                        }
                        self.define(Cow::Owned(format!("{name}#{i}")), value, at);
                    }
                }
            }
        }
        read
    }

    /// Adds to a syntax error the op of the same meaning for values of the kind of the first operand, if the op is not for
    /// them: its text may differ.
    fn with_sibling(
        &self,
        failure: Fail,
        spec: &'static TileOpSpec,
        statement: &Statement<'input>,
        at: Span,
    ) -> Fail {
        let mut problem = failure?;
        let ty = names(&statement.clauses).find_map(|(name, ..)| {
            let (value, _) = self.values.get(name)?;
            self.known_type(*value)
        });
        let operand = spec
            .fields
            .iter()
            .find(|field| field.constraint != Constraint::Any);
        if problem.help.is_empty()
            && let (Some(ty), Some(operand)) = (ty, operand)
            && !operand.constraint.admits(&ty)
            && let Some(sibling) = spec.sibling(operand.name, &ty)
        {
            *problem = problem.meant(at, sibling.name);
        }
        Some(problem)
    }

    fn read_foreign(&mut self, statement: &'t Statement<'input>) -> Parse<Vec<Value>> {
        let mut cursor = self.cursor(statement);
        let made = self.foreign(&mut cursor)?;
        let at = cursor.span();
        if self.locations.trailing(&mut cursor)?.is_some() && self.outside {
            let message = "invalid operation debug info scope: outside of functions only places without one stand, as \
                           those of global variables";
            return fail(Code::MalformedDebugInfo, message, at, "in a function");
        }
        cursor.finish()?;
        Ok(made)
    }

    fn read(
        &mut self,
        statement: &'t Statement<'input>,
        at: Span,
        origin: Origin,
    ) -> Parse<(TileOp, Vec<TileType>)> {
        let mut cursor = self.cursor(statement);
        let generic = statement.name.starts_with('"');
        let name = match quoted_name(statement.name) {
            Some(name) => name,
            None => short(statement.name),
        };
        if is_preview(statement.name) && !self.options.preview.simt {
            return preview(name, at);
        }
        let Some(spec) = TileOp::by_name_in_text(name) else {
            let mut problem = Diagnostic::error(
                Code::UnknownOp,
                format!("unknown op `{name}` in language `cuda_tile`"),
            )
            .at(at, "not an op");
            let operand = names(&statement.clauses).find_map(|(name, ..)| {
                let (value, _) = self.values.get(name)?;
                self.known_type(*value)?.element()
            });
            if let Some(near) = meant_op(name, operand) {
                problem = problem.meant(at, near);
            }
            return Err(Some(Box::new(problem)));
        };
        let results = statement.results.iter().try_fold(0usize, |sum, group| {
            let count = group_size(group).unwrap_or(1);
            (count <= MAX_RESULTS).then_some(sum + count)
        });
        let Some(results) = results else {
            return fail(
                Code::ResultCount,
                format!("`{name}` has fewer results"),
                at,
                "too many are named",
            );
        };
        let made = if generic {
            self.generic(spec, &mut cursor, results, at)
        } else {
            self.op(spec, &mut cursor, results, at)
        };
        let made = made.map_err(|failure| self.with_sibling(failure, spec, statement, at))?;
        let place = match self.locations.trailing(&mut cursor) {
            Ok(place) => place,
            // The op itself is valid.
            Err(failure) => {
                self.report(failure);
                self.lost_place = true;
                return Ok(made);
            }
        };
        if let Some(entry) = usize::try_from(origin.0)
            .ok()
            .and_then(|at| self.places.get_mut(at))
        {
            *entry = place;
        }
        cursor.finish()?;
        Ok(made)
    }
}

/// The op that an unknown name was probably meant to be: the same one of another dialect, or the one closest to it.
fn meant_op(name: &str, operand: Option<ElementType>) -> Option<&'static str> {
    let name = name.rsplit('.').next().unwrap_or(name);
    match TileOp::by_name_in_text(name) {
        Some(spec) => Some(spec.name),
        None => nearest_op(
            name,
            TileOp::tile_specs().map(|spec| spec.name),
            operand.and_then(ElementType::is_float),
        ),
    }
}

/// The terminator that a region has without being written, if it hands on no values.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Implicit {
    /// `yield` of as many values as the `if` has results.
    Yield(usize),
    /// `continue` with as many values as the loop carries.
    Continue(usize),
    /// `return`.
    Return,
}

impl Implicit {
    /// The error that a region ends, with the brace at `end`, without a terminator that must be written.
    fn missing(self, end: Span) -> Option<Diagnostic<Span>> {
        let (word, what, values) = match self {
            Self::Yield(values) => ("yield", "branch of an `if`", values),
            Self::Continue(values) => ("continue", "body of a loop", values),
            Self::Return => return None,
        };
        let wanted = match values {
            0 => return None,
            1 => "one value".to_owned(),
            count => format!("{count} values"),
        };
        let message = format!("the {what} ends without `{word}`, which hands on {wanted}");
        let label = format!("expected `{word}` with {wanted} before this");
        Some(Diagnostic::error(Code::MissingTerminator, message).at(end, label))
    }
}

/// The name of a value that is defined here.
pub(crate) fn argument_name<'input>(cursor: &mut Cursor<'_, 'input>) -> Parse<&'input str> {
    let text = cursor.peek();
    match text.strip_prefix('%') {
        Some(name) if !name.contains('#') => {
            cursor.take();
            Ok(name)
        }
        _ => cursor.wrong("the name of a value"),
    }
}
