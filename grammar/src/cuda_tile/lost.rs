//! Recovery from unreadable statements in a function: their results are unknown values, their regions are parsed, and
//! errors that only follow from them are suppressed.

use rustc_hash::FxHashSet;
use tilewright_diagnostics::{Code, Diagnostic, Span};
use tilewright_irs::core::{Block, MAX_SUGGESTED, Origin, Region, Value, nearest_value};
use tilewright_irs::cuda_tile::{ControlOp, MemoryOp, TileOp, TileType};

use super::body::{Argument, BodyReader, MAX_LOST};
use super::tree::{Clause, Group, Region as Tree, Statement, block_label, group_size, names, regions_of};

impl<'t, 'input> BodyReader<'t, 'input> {
    /// An unknown value that is visible everywhere.
    pub(crate) fn unknown_value(&mut self) -> Value {
        let root = self.body.root();
        let entry = match self.body.entry() {
            Some(entry) => entry,
            None => self.body.add_block(root),
        };
        let value = self.body.add_arg(entry, TileType::Token);
        self.unknown.values.insert(value);
        value
    }

    pub(crate) fn is_unknown(&self, value: Value) -> bool {
        self.unknown.values.contains(&value)
    }

    /// The type of a value, if known.
    pub(crate) fn known_type(&self, value: Value) -> Option<TileType> {
        (!self.is_unknown(value)).then(|| self.body.ty(value).clone())
    }

    /// Reports an undefined name, once in its region. Its value is unknown.
    pub(crate) fn undefined_value(&mut self, name: &'input str, at: Span) -> Value {
        let group = name.split('#').next().unwrap_or(name);
        let (from, to) = (self.start, usize::try_from(at.start).unwrap_or(usize::MAX));
        let before = |places: &[usize]| {
            let count = |end| places.partition_point(|&place| place < end);
            count(to).saturating_sub(count(from))
        };
        let named = self
            .lost
            .names
            .get(group)
            .is_some_and(|places| before(places) > 0);
        let renamed = !named && self.renamed < self.nameless + before(&self.lost.nameless);
        self.renamed += usize::from(renamed);
        let lost = named || renamed;
        let mut problem = Diagnostic::error(Code::UndefinedValue, format!("`%{name}` is not defined here"))
            .at(at, "no definition before this use");
        if !lost && self.suggested < MAX_SUGGESTED {
            self.suggested += 1;
            let known = self
                .values
                .keys()
                .filter(|known| !self.undefined.contains(known.as_ref()));
            let near = nearest_value(name, known.map(AsRef::as_ref));
            if let Some(near) = near {
                problem = problem.meant(at, format!("%{near}"));
            }
        }
        self.report((!lost).then(|| Box::new(problem)));
        let value = self.unknown_value();
        self.undefined.insert(name.to_owned());
        self.name(name.into(), value, at);
        value
    }

    /// Records an unreadable op. Its regions that have not been parsed are parsed now; the results that it names are
    /// unknown.
    pub(crate) fn lost_op(
        &mut self,
        block: Block,
        statement: &'t Statement<'input>,
        origin: Origin,
    ) -> Vec<Value> {
        let mut regions = std::mem::take(&mut self.regions);
        regions.extend(self.unread_regions(statement));
        self.lost_ops(block, &regions, origin);
        let count = |group: &Group<'_>| group_size(group).unwrap_or(1).min(MAX_LOST);
        let count: usize = statement.results.iter().map(count).sum();
        (0..count.min(MAX_LOST)).map(|_| self.unknown_value()).collect()
    }

    /// Parses the regions of a statement that have not been parsed.
    pub(crate) fn unread_regions(&mut self, statement: &'t Statement<'input>) -> Vec<Region> {
        let read_to = self.read_to;
        let unread = regions_of(&statement.clauses).filter(|tree| tree.end > read_to);
        unread
            .map(|tree| self.lost_region(&statement.clauses, tree))
            .collect()
    }

    /// Adds regions to a block, in unknown ops; at least one such op.
    pub(crate) fn lost_ops(&mut self, block: Block, regions: &[Region], origin: Origin) {
        if regions.is_empty() {
            let op = self
                .body
                .add_op(block, MemoryOp::MakeToken {}.into(), [], origin, ());
            self.unknown.ops.insert(op);
        }
        for pair in regions.chunks(2) {
            let condition = self.unknown_value();
            let (Some(&then_region), second) = (pair.first(), pair.get(1).copied()) else {
                continue;
            };
            let else_region = second.unwrap_or_else(|| self.body.add_region());
            let kind = ControlOp::If {
                condition,
                then_region,
                else_region,
            };
            let op = self.body.add_op(block, kind.into(), [], origin, ());
            self.unknown.ops.insert(op);
        }
    }

    /// Appends arguments of unknown type.
    pub(crate) fn lost_arguments(&mut self, block: Block, label: &'t Statement<'input>) {
        let args = names(&label.clauses).map(|(name, start, end)| Argument {
            name,
            at: Span::new(self.file, start, end),
            ty: None,
        });
        let args = args.collect();
        self.arguments(block, Origin::FUNCTION, args);
    }

    /// Parses a region of an unreadable statement: undefined names in the statement are unknown values.
    pub(crate) fn lost_region(&mut self, around: &[Clause<'input>], tree: &'t Tree<'input>) -> Region {
        let (label, items) = block_label(tree);
        let label = label.map(|label| label.clauses.as_slice()).unwrap_or_default();
        let mut args: Vec<Argument<'input>> = Vec::new();
        let mut seen = FxHashSet::default();
        for (name, start, end) in names(around).chain(names(label)) {
            if !self.knows(name) && !name.contains('#') && seen.insert(name) {
                let at = Span::new(self.file, start, end);
                args.push(Argument { name, at, ty: None });
            }
        }
        let region = self.region_of(items, (tree.start, tree.end), args, None);
        if let Some(block) = self.body.only_block(region) {
            self.lost_end(block, (tree.start, tree.end));
        }
        region
    }

    /// Ends a block whose end is unknown, unless it has a terminator.
    pub(crate) fn lost_end(&mut self, block: Block, (start, end): (usize, usize)) {
        use tilewright_irs::core::Operation;
        let last = self.body.terminator(block);
        if last.is_some_and(|op| self.body.op(op).kind.is_terminator()) {
            return;
        }
        let origin = self.origin(Span::new(self.file, start, end));
        let kind: TileOp = ControlOp::Return { operands: Vec::new() }.into();
        let op = self.body.add_op(block, kind, [], origin, ());
        self.unknown.ops.insert(op);
    }
}
