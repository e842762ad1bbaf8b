//! The body of an entry: names, scopes, regions, and the ops in them.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic, FileId, Span};
use tilewright_irs::core::{Block, Body, Operation, Origin, Region, Value, nearest};
use tilewright_irs::cuda_tile::{ControlOp, CudaTile, DebugId, TileOp, TileType};

use super::cursor::{Cursor, Fail, Parse, fail};
use super::lexer::short;
use super::locations::Locations;
use super::tree::{Group, Item, Region as RegionTree, Statement};

/// More results than this are not named at once.
const MAX_RESULTS: usize = 1 << 16;

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
    /// Names in order of definition, so that leaving a region can forget its own.
    log: Vec<String>,
    /// The place of each op, by origin.
    pub(crate) spans: Vec<Span>,
    /// The location of each op, by origin.
    pub(crate) places: Vec<Option<DebugId>>,
    pub(crate) problems: Vec<Diagnostic<Span>>,
    /// Whether anything was wrong, reported here or by the parser.
    pub(crate) broken: bool,
}

impl<'t, 'input> BodyReader<'t, 'input> {
    pub(crate) fn new(file: FileId, locations: Locations<'t, 'input>) -> Self {
        Self {
            file,
            body: Body::default(),
            locations,
            values: FxHashMap::default(),
            log: Vec::new(),
            spans: Vec::new(),
            places: Vec::new(),
            problems: Vec::new(),
            broken: false,
        }
    }

    fn report(&mut self, failure: Fail) {
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
        self.log.push(name);
    }

    /// Appends arguments to a block.
    pub(crate) fn arguments(&mut self, block: Block, args: Vec<Argument<'input>>) {
        for Argument { name, at, ty } in args {
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
        let region = self.body.add_region();
        let block = self.body.add_block(region);
        let outer = self.log.len();
        self.arguments(block, args);
        self.items(block, tree, implicit);
        for name in self.log.drain(outer..) {
            self.values.remove(&name);
        }
        Ok(region)
    }

    /// Reads the lines of a region; where the last one is no terminator, `implicit` is.
    pub(crate) fn items(
        &mut self,
        block: Block,
        tree: &'t RegionTree<'input>,
        implicit: Option<&'static str>,
    ) {
        for item in &tree.items {
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
            let origin = self.origin(self.span(tree.start, tree.end));
            self.body.add_op(block, op.into(), [], origin, ());
        }
    }

    fn origin(&mut self, at: Span) -> Origin {
        let origin = Origin(u32::try_from(self.spans.len()).unwrap_or(u32::MAX - 1));
        self.spans.push(at);
        self.places.push(None);
        origin
    }

    fn statement(&mut self, block: Block, statement: &'t Statement<'input>) {
        let at = self.span(statement.start, statement.end);
        let origin = self.origin(at);
        let made = self.read(statement, at, origin).map(|(op, types)| {
            let op = self.body.add_op(block, op, types, origin, ());
            self.body.op(op).results().collect::<Vec<_>>()
        });
        let results = made.unwrap_or_else(|failure| {
            self.report(failure);
            Vec::new()
        });
        let mut results = results.into_iter();
        for group in &statement.results {
            let at = self.span(group.start, group.end);
            let name = group.name.trim_start_matches('%');
            match group_size(group) {
                None => self.define(name.to_owned(), results.next(), at),
                Some(count) => {
                    for i in 0..count {
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

    fn read(
        &mut self,
        statement: &'t Statement<'input>,
        at: Span,
        origin: Origin,
    ) -> Parse<(TileOp, Vec<TileType>)> {
        let mut cursor = Cursor::new(&statement.clauses, self.file, statement.end);
        let name = short(statement.name);
        let Some(spec) = TileOp::by_mnemonic(name) else {
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
        let made = self.op(spec, &mut cursor, results, at)?;
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
