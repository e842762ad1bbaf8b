//! The body of an entry: names, scopes, regions, and the ops in them.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic, FileId, Span};
use tilewright_irs::core::{Block, Body, Operation, Origin, Part, Region, Value, nearest};
use tilewright_irs::cuda_tile::{ControlOp, CudaTile, DebugId, TileOp, TileOpSpec, TileType};

use super::cursor::{Cursor, Fail, Parse, fail};
use super::lexer::{is_preview, preview, quoted_name, quoted_op, short};
use super::locations::Locations;
use super::tree::{Group, Item, Statement};

/// More results than this are not named at once.
const MAX_RESULTS: usize = 1 << 16;

/// As many results of an op that could not be read are known by their names.
const MAX_BROKEN: usize = 64;

/// An argument of a region.
pub(crate) struct Argument<'input> {
    pub(crate) name: &'input str,
    pub(crate) at: Span,
    pub(crate) ty: TileType,
}

/// Reads one entry.
pub(crate) struct BodyReader<'t, 'input> {
    pub(crate) file: FileId,
    pub(crate) body: Body<CudaTile>,
    /// Handed on from entry to entry.
    pub(crate) locations: Locations<'t, 'input>,
    /// Values in scope; `None` for one whose definition was wrong, so that its uses are not reported too.
    values: FxHashMap<String, (Option<Value>, Span)>,
    /// What each value is called, and where it is defined.
    defined: FxHashMap<Value, (String, Span)>,
    /// Whether the ops stand outside of all functions, as tests have them.
    pub(crate) outside: bool,
    /// Whether ops of other dialects are read, as tests have them.
    foreign: bool,
    /// Names in order of definition, so that leaving a region can forget its own.
    log: Vec<String>,
    /// The place of each op, by origin.
    pub(crate) spans: Vec<Span>,
    /// The op that is being read.
    pub(crate) current: Origin,
    /// The place of each part of an op that has one, in the order of the text.
    pub(crate) parts: Vec<(Origin, Part, Span)>,
    /// The location of each op, by origin.
    pub(crate) places: Vec<Option<DebugId>>,
    pub(crate) problems: Vec<Diagnostic<Span>>,
    /// Whether anything was wrong, reported here or by the parser.
    pub(crate) broken: bool,
}

impl<'t, 'input> BodyReader<'t, 'input> {
    pub(crate) fn new(file: FileId, locations: Locations<'t, 'input>, foreign: bool) -> Self {
        Self {
            file,
            outside: false,
            foreign,
            body: Body::default(),
            locations,
            values: FxHashMap::default(),
            defined: FxHashMap::default(),
            log: Vec::new(),
            spans: Vec::new(),
            current: Origin::FUNCTION,
            parts: Vec::new(),
            places: Vec::new(),
            problems: Vec::new(),
            broken: false,
        }
    }

    pub(crate) fn report(&mut self, failure: Fail) {
        self.broken = true;
        self.problems.extend(failure.map(|problem| *problem));
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, start, end)
    }

    /// Takes a `%name` that is defined.
    pub(crate) fn value(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<Value> {
        let Some(name) = cursor.peek().strip_prefix('%') else {
            return cursor.wrong("a value");
        };
        let at = cursor.span();
        match self.values.get(name) {
            Some((Some(value), _)) => {
                cursor.take();
                Ok(*value)
            }
            // Its definition is wrong, which was said there.
            Some((None, _)) => Err(None),
            None => fail(
                Code::UndefinedValue,
                format!("`%{name}` is not defined here"),
                at,
                "no definition before this use",
            ),
        }
    }

    fn define(&mut self, name: String, value: Option<Value>, at: Span) {
        if let Some((_, first)) = self.values.get(&name) {
            let problem = Diagnostic::error(Code::Redefinition, format!("`%{name}` is defined twice"))
                .at(at, "defined again here")
                .also(*first, "first defined here");
            return self.report(Some(Box::new(problem)));
        }
        self.values.insert(name.clone(), (value, at));
        if let Some(value) = value {
            self.defined.entry(value).or_insert_with(|| (name.clone(), at));
        }
        self.log.push(name);
    }

    /// What the text says of a value's type must be so; `field` is the operand that the value is, if it has a name.
    pub(crate) fn of_type(&self, value: Value, said: &TileType, field: &str, at: Span) -> Parse<()> {
        let actual = self.body.ty(value);
        if actual == said {
            return Ok(());
        }
        let operand = if field.is_empty() {
            String::new()
        } else {
            format!(" (operand `{field}`)")
        };
        let name = self.defined.get(&value);
        let called = name.map(|(name, _)| format!("`%{name}`")).unwrap_or_default();
        let message = format!("{called}{operand} has the type `{actual}`, not `{said}`");
        let mut problem = Diagnostic::error(Code::TypeMismatch, message).at(at, "given another type here");
        if let Some((_, place)) = name {
            problem = problem.also(*place, format!("{called} is defined here"));
        }
        Err(Some(Box::new(problem)))
    }

    /// The tokens after a statement's name.
    pub(crate) fn cursor(&self, statement: &'t Statement<'input>) -> Cursor<'t, 'input> {
        Cursor::new(&statement.clauses, self.file, statement.end)
    }

    /// Appends arguments to a block.
    pub(crate) fn arguments(&mut self, block: Block, owner: Origin, args: Vec<Argument<'input>>) {
        for (i, Argument { name, at, ty }) in (0u32..).zip(args) {
            self.parts.push((owner, Part::Argument(i), at));
            let value = self.body.add_arg(block, ty);
            self.define(name.to_owned(), Some(value), at);
        }
    }

    /// Reads a region of one block.
    pub(crate) fn region(
        &mut self,
        cursor: &mut Cursor<'t, 'input>,
        args: Vec<Argument<'input>>,
        implicit: Option<&'static str>,
    ) -> Parse<Region> {
        let tree = cursor.region()?;
        Ok(self.region_of(&tree.items, (tree.start, tree.end), args, implicit))
    }

    /// Makes a region of one block from its lines; `end` is the place of its closing brace.
    pub(crate) fn region_of(
        &mut self,
        items: &'t [Item<'input>],
        end: (usize, usize),
        args: Vec<Argument<'input>>,
        implicit: Option<&'static str>,
    ) -> Region {
        let region = self.body.add_region();
        let block = self.body.add_block(region);
        let outer = self.log.len();
        self.arguments(block, self.current, args);
        self.items(block, items, end, implicit);
        for name in self.log.drain(outer..) {
            self.values.remove(&name);
        }
        region
    }

    /// Reads the lines of a region; where the last one is no terminator, `implicit` is.
    pub(crate) fn items(
        &mut self,
        block: Block,
        items: &'t [Item<'input>],
        end: (usize, usize),
        implicit: Option<&'static str>,
    ) {
        for item in items {
            match item {
                Item::Statement(statement) => self.statement(block, statement),
                Item::Alias { start, end, .. } => {
                    let at = self.span(*start, *end);
                    let message = "an alias is defined outside of all braces";
                    self.report(Some(Box::new(
                        Diagnostic::error(Code::MisplacedOp, message).at(at, "not here"),
                    )));
                }
                Item::Broken => self.broken = true,
            }
        }
        let ends = self
            .body
            .terminator(block)
            .is_some_and(|op| self.body.op(op).kind.is_terminator());
        let operands = Vec::new();
        let op = match implicit {
            Some("yield") => ControlOp::Yield { operands },
            Some("continue") => ControlOp::Continue { operands },
            Some("return") => ControlOp::Return { operands },
            Some(_) | None => return,
        };
        if !ends {
            let origin = self.origin(self.span(end.0, end.1));
            self.body.add_op(block, op.into(), [], origin, ());
        }
    }

    /// Notes where a part of the op that is being read stands.
    pub(crate) fn place_part(&mut self, part: Part, at: Span) {
        self.parts.push((self.current, part, at));
    }

    /// Notes where a field of the op that is being read stands, or an entry of it.
    pub(crate) fn place_field(&mut self, spec: &TileOpSpec, name: &str, entry: usize, at: Span) {
        let field = spec.field(name).and_then(|field| u32::try_from(field).ok());
        if let (Some(field), Ok(entry)) = (field, u32::try_from(entry)) {
            self.place_part(Part::Field(field, entry), at);
        }
    }

    fn origin(&mut self, at: Span) -> Origin {
        let origin = Origin(u32::try_from(self.spans.len()).unwrap_or(u32::MAX - 1));
        self.spans.push(at);
        self.places.push(None);
        origin
    }

    pub(crate) fn statement(&mut self, block: Block, statement: &'t Statement<'input>) {
        let at = self.span(statement.start, statement.end);
        let foreign = self.foreign && statement.name.starts_with('"') && quoted_op(statement.name).is_none();
        let made = if foreign {
            self.read_foreign(statement)
        } else {
            let origin = self.origin(at);
            let outer = std::mem::replace(&mut self.current, origin);
            let read = self.read(statement, at, origin);
            self.current = outer;
            read.map(|(op, types)| {
                let op = self.body.add_op(block, op, types, origin, ());
                self.body.op(op).results().collect::<Vec<_>>()
            })
        };
        let results = made.unwrap_or_else(|failure| {
            self.report(failure);
            Vec::new()
        });
        // A count in the text may be any number.
        let most = results.len().max(MAX_BROKEN);
        let mut results = results.into_iter();
        for group in &statement.results {
            let at = self.span(group.start, group.end);
            let name = group.name.trim_start_matches('%');
            match group_size(group) {
                None => self.define(name.to_owned(), results.next(), at),
                Some(count) => {
                    for i in 0..count.min(most) {
                        let value = results.next();
                        if i == 0 {
                            self.define(name.to_owned(), value, at);
                        }
                        self.define(format!("{name}#{i}"), value, at);
                    }
                }
            }
        }
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
        if is_preview(statement.name) {
            return preview(name, at);
        }
        let Some(spec) = TileOp::by_name_in_text(name) else {
            let mut problem = Diagnostic::error(
                Code::UnknownOp,
                format!("unknown op `{name}` in language `cuda_tile`"),
            )
            .at(at, "not an op");
            if let Some(near) = nearest(name, TileOp::tile_specs().map(|spec| spec.name)) {
                problem = problem.help(format!("there is an op `{near}`"));
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
            self.generic(spec, &mut cursor, results, at)?
        } else {
            self.op(spec, &mut cursor, results, at)?
        };
        let place = self.locations.trailing(&mut cursor)?;
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

/// How many results a name with a count stands for; a number that is none, or out of bounds, for none.
fn group_size(group: &Group<'_>) -> Option<usize> {
    group.count.map(|count| count.parse().unwrap_or(0))
}
