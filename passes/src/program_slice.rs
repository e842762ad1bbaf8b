//! Program slices: what of a function is needed to execute some of its ops apart from the rest, as an agent that issues
//! copies does. (Weiser, "Program Slicing".)

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{
    Block, Body, Flow, Language, OpId, Operation, Region, SideTable, Value, WholeEffects,
};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_irs::tileaa::{TileAa, TileAaOp};

/// A language with structured control flow.
pub(crate) trait Structured: Language {
    /// An op as one of control flow.
    fn scf(op: &Self::Op) -> Option<&ScfOp>;
}

impl Structured for TileAa {
    fn scf(op: &TileAaOp) -> Option<&ScfOp> {
        match op {
            TileAaOp::Scf(scf) => Some(scf),
            _ => None,
        }
    }
}

impl Structured for Scheduled {
    fn scf(op: &ScheduledOp) -> Option<&ScfOp> {
        match op {
            ScheduledOp::Scf(scf) => Some(scf),
            _ => None,
        }
    }
}

/// A body with the place of each op and value in it.
pub(crate) struct Places<'a, L: Language> {
    body: &'a Body<L>,
    definitions: SideTable<Value, OpId>,
    /// The block of an argument, and its position.
    arguments: FxHashMap<Value, (Block, usize)>,
    blocks: SideTable<OpId, Block>,
    /// The op around a block.
    around: FxHashMap<Block, OpId>,
}

impl<'a, L: Language> Places<'a, L> {
    pub(crate) fn of(body: &'a Body<L>) -> Self {
        let mut places = Self {
            body,
            definitions: body.definitions(),
            arguments: FxHashMap::default(),
            blocks: SideTable::new(body.op_count()),
            around: FxHashMap::default(),
        };
        places.region(body.root(), None);
        places
    }

    fn region(&mut self, region: Region, around: Option<OpId>) {
        let body = self.body;
        for &block in &body.region(region).blocks {
            if let Some(around) = around {
                self.around.insert(block, around);
            }
            let args = body.block(block).args.iter().enumerate();
            self.arguments.extend(args.map(|(at, &arg)| (arg, (block, at))));
            for &id in &body.block(block).ops {
                self.blocks.set(id, block);
                for inner in body.op(id).kind.region_list() {
                    self.region(inner, Some(id));
                }
            }
        }
    }

    /// The op that defines a value; `None` for an argument.
    pub(crate) fn definition(&self, value: Value) -> Option<OpId> {
        self.definitions.get(value).copied()
    }

    /// The block of an op.
    pub(crate) fn block(&self, id: OpId) -> Option<Block> {
        self.blocks.get(id).copied()
    }

    /// The op around a block; `None` for the function's.
    pub(crate) fn around(&self, block: Block) -> Option<OpId> {
        self.around.get(&block).copied()
    }

    /// Whether an op is in a loop.
    pub(crate) fn is_in_loop(&self, id: OpId) -> bool {
        let around = |id: OpId| self.around(self.block(id)?);
        std::iter::successors(around(id), |&id| around(id))
            .any(|id| self.body.op(id).kind.effects().flow == Flow::Loop)
    }

    /// The block of an argument, and its position.
    pub(crate) fn argument(&self, value: Value) -> Option<(Block, usize)> {
        self.arguments.get(&value).copied()
    }
}

impl<L: Structured> Places<'_, L> {
    /// The values one of which is a result of a counted loop or of a branch, or a value that such a loop carries; `None` for others.
    pub(crate) fn handed(&self, value: Value) -> Option<Vec<Value>> {
        let (around, position) = match self.definition(value) {
            Some(id) => (id, self.body.op(id).results().position(|result| result == value)?),
            None => {
                let (block, position) = self.argument(value)?;
                (self.around(block)?, position.checked_sub(1)?)
            }
        };
        // What the end of a block hands over.
        let last = |region: Region| {
            let last = self.body.terminator(self.body.only_block(region)?)?;
            match L::scf(&self.body.op(last).kind)? {
                ScfOp::Continue { values } | ScfOp::Yield { values } => values.get(position).copied(),
                _ => None,
            }
        };
        match L::scf(&self.body.op(around).kind)? {
            ScfOp::For { inits, body, .. } => Some(vec![*inits.get(position)?, last(*body)?]),
            ScfOp::If { then, otherwise, .. } => Some(vec![last(*then)?, last(*otherwise)?]),
            _ => None,
        }
    }
}

/// The ops that others need, with the loops and branches around them, and the values that those use of each other. Of a loop
/// or a branch, only the carried values and the results among `values` are needed.
#[derive(Default)]
pub(crate) struct ProgramSlice {
    pub(crate) ops: FxHashSet<OpId>,
    pub(crate) values: FxHashSet<Value>,
}

/// What may be executed a second time, for the slice of a body.
pub(crate) trait Repeats<L: Language> {
    /// Whether an op without regions may be executed a second time.
    fn may_repeat(&self, id: OpId) -> bool;
    /// Whether the slice needs a value: no token, for what is ordered after nothing.
    fn needs(&self, value: Value) -> bool;
    /// What must be executed before an op, beside what defines its operands: that fills the buffer that it reads.
    fn fills(&self, _id: OpId) -> Option<OpId> {
        None
    }
    /// The tokens that an op comes after whose own token orders nothing but loads; `None` for one that orders more.
    fn loads_after(&self, id: OpId) -> Option<Vec<Value>>;
}

/// Whether what comes after a token comes after loads at most, so that it may be executed apart.
pub(crate) fn is_after_loads<L: Structured>(
    places: &Places<'_, L>,
    rules: &impl Repeats<L>,
    token: Option<Value>,
) -> bool {
    comes_after_only(places, |id| rules.loads_after(id), token)
}

/// Whether what comes after a token comes after nothing but the ops for which `passed` gives the tokens that they come after
/// themselves.
pub(crate) fn comes_after_only<L: Structured>(
    places: &Places<'_, L>,
    passed: impl Fn(OpId) -> Option<Vec<Value>>,
    token: Option<Value>,
) -> bool {
    let mut seen = FxHashSet::default();
    let mut open: Vec<Value> = token.into_iter().collect();
    let sources = |token: Value| match places.definition(token) {
        Some(id) if L::scf(&places.body.op(id).kind).is_none() => passed(id),
        _ => places.handed(token),
    };
    while let Some(token) = open.pop() {
        if seen.insert(token) {
            match sources(token) {
                Some(sources) => open.extend(sources),
                None => return false,
            }
        }
    }
    true
}

/// The slice of a body for `roots`.
///
/// # Errors
/// The op because of which there is none.
pub(crate) fn program_slice<L: Structured>(
    places: &Places<'_, L>,
    roots: &[OpId],
    rules: &impl Repeats<L>,
) -> Result<ProgramSlice, Obstacle> {
    let mut slicing = Slicing {
        places,
        rules,
        slice: ProgramSlice::default(),
        open: Vec::new(),
        obstacle: Obstacle::Control,
    };
    match slicing.all(roots) {
        Some(()) => Ok(slicing.slice),
        None => Err(slicing.obstacle),
    }
}

/// Why ops cannot be executed apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// They need this op, which may not be executed a second time.
    Op(OpId),
    /// They are in this loop, which an iteration may leave early.
    LeavesEarly(OpId),
    /// They are in, or need values of, control flow that is neither a counted loop nor a branch.
    Control,
}

struct Slicing<'a, L: Language, R> {
    places: &'a Places<'a, L>,
    rules: &'a R,
    slice: ProgramSlice,
    /// Values whose definitions are still to be added.
    open: Vec<Value>,
    /// Why there is no slice, once a method returns `None`.
    obstacle: Obstacle,
}

impl<L: Structured, R: Repeats<L>> Slicing<'_, L, R> {
    fn all(&mut self, roots: &[OpId]) -> Option<()> {
        for &root in roots {
            self.op(root)?;
        }
        while let Some(value) = self.open.pop() {
            if self.rules.needs(value) {
                self.value(value)?;
            }
        }
        Some(())
    }

    fn stop(&mut self, obstacle: Obstacle) -> Option<()> {
        self.obstacle = obstacle;
        None
    }

    fn op(&mut self, id: OpId) -> Option<()> {
        if self.slice.ops.insert(id) {
            self.places
                .body
                .op(id)
                .kind
                .operands(&mut |value| self.open.push(value));
            self.enclosing(id)?;
            if let Some(fill) = self.rules.fills(id) {
                self.op(fill)?;
            }
        }
        Some(())
    }

    /// Adds the loops and branches around an op.
    fn enclosing(&mut self, id: OpId) -> Option<()> {
        let block = self.places.block(id)?;
        let Some(around) = self.places.around(block) else {
            return Some(());
        };
        // What is around the control flow, an agent, is not part of the slice.
        let Some(control) = L::scf(&self.places.body.op(around).kind) else {
            return Some(());
        };
        if !self.slice.ops.insert(around) {
            return Some(());
        }
        match control {
            ScfOp::For {
                lower,
                upper,
                step,
                body,
                ..
            } => {
                if self.leaves_early(*body) {
                    return self.stop(Obstacle::LeavesEarly(around));
                }
                self.open.extend([*lower, *upper, *step]);
            }
            ScfOp::If { condition, .. } => self.open.push(*condition),
            _ => return None,
        }
        self.enclosing(around)
    }

    fn value(&mut self, value: Value) -> Option<()> {
        if !self.slice.values.insert(value) {
            return Some(());
        }
        let body = self.places.body;
        let Some(id) = self.places.definition(value) else {
            return self.argument(value);
        };
        let position = body.op(id).results().position(|result| result == value)?;
        match L::scf(&body.op(id).kind) {
            Some(ScfOp::For { inits, body, .. }) => {
                let block = self.places.body.only_block(*body)?;
                self.carried(block, inits, position)?;
                self.inside(block)
            }
            Some(ScfOp::If { then, otherwise, .. }) => {
                for region in [then, otherwise] {
                    let block = body.only_block(*region)?;
                    self.handed(block, position)?;
                    self.inside(block)?;
                }
                Some(())
            }
            Some(_) => None,
            None if self.rules.may_repeat(id) => self.op(id),
            None => self.stop(Obstacle::Op(id)),
        }
    }

    /// Adds the op around a block, and what is around it.
    fn inside(&mut self, block: Block) -> Option<()> {
        let last = self.places.body.terminator(block)?;
        self.enclosing(last)
    }

    fn argument(&mut self, value: Value) -> Option<()> {
        let (block, position) = self.places.argument(value)?;
        let Some(around) = self.places.around(block) else {
            return Some(());
        };
        let Some(ScfOp::For { inits, .. }) = L::scf(&self.places.body.op(around).kind) else {
            return None;
        };
        if let Some(carried) = position.checked_sub(1) {
            self.carried(block, inits, carried)?;
            self.open
                .push(self.places.body.op(around).results().nth(carried)?);
        }
        self.inside(block)
    }

    /// Adds a value that a loop carries.
    fn carried(&mut self, block: Block, inits: &[Value], position: usize) -> Option<()> {
        self.open.push(*inits.get(position)?);
        let args = &self.places.body.block(block).args;
        self.open.push(*args.get(position + 1)?);
        self.handed(block, position)
    }

    /// Adds a value that the end of a block hands over.
    fn handed(&mut self, block: Block, position: usize) -> Option<()> {
        let last = self.places.body.terminator(block)?;
        match L::scf(&self.places.body.op(last).kind)? {
            ScfOp::Continue { values } | ScfOp::Yield { values } => {
                self.open.push(*values.get(position)?);
                Some(())
            }
            _ => None,
        }
    }

    /// Whether a branch in a loop's body may end the iteration, the loop or the kernel.
    fn leaves_early(&self, region: Region) -> bool {
        let body = self.places.body;
        let blocks = &body.region(region).blocks;
        let mut ops = blocks.iter().flat_map(|&block| &body.block(block).ops);
        ops.any(|&id| WholeEffects::leaves(body, id))
    }
}

#[cfg(test)]
mod tests {
    use tilewright_diagnostics::FileId;
    use tilewright_grammar::stages::parse_stage;
    use tilewright_irs::core::verify;
    use tilewright_irs::tileaa::{TileAaDialect, TileAaKind};

    use super::*;

    /// Pure ops may be executed again; tokens are not followed.
    struct Pure<'a>(&'a Body<TileAa>);

    impl Repeats<TileAa> for Pure<'_> {
        fn may_repeat(&self, id: OpId) -> bool {
            self.0.op(id).kind.is_pure()
        }

        fn needs(&self, value: Value) -> bool {
            self.0.ty(value).kind != TileAaKind::Token
        }

        fn loads_after(&self, _: OpId) -> Option<Vec<Value>> {
            None
        }
    }

    /// The slice for the loads of a body that begins with an array, the numbers 0 and 1 and the block's number: the names of
    /// its ops, in order, and how many values of loops and branches it has.
    fn slice_of(lines: &str) -> Option<(Vec<&'static str>, usize)> {
        let text = format!(
            "tileaa.func @f(%p: ptr<i32>, %n: i32) {{target = sm_90a}} body {{\n\
             %m = tileaa.memref %p, [%n], [] : memref<?xi32, strides = [1], align = 4, class = 0>\n\
             %zero = arith.constant {{value = i32<0>}} : i32\n%one = arith.constant {{value = i32<1>}} : i32\n\
             %x = tileaa.program_id {{axis = 0}} : i32\n{lines}scf.return\n}}\n"
        );
        let parsed = parse_stage::<TileAa>(&text, FileId(0));
        assert!(parsed.diagnostics.is_empty(), "{text}\n{:#?}", parsed.diagnostics);
        let func = parsed.module.funcs.first().expect("a function");
        assert_eq!(verify(func), Ok(()), "{text}");
        let body = &func.body;
        let is_load = |id: &OpId| {
            let op = &body.op(*id).kind;
            matches!(op, TileAaOp::TileAa(TileAaDialect::Load { .. }))
        };
        let ops = body.walk();
        let loads: Vec<OpId> = ops.iter().copied().filter(is_load).collect();
        let slice = program_slice(&Places::of(body), &loads, &Pure(body)).ok()?;
        let of_control = |value: &&Value| {
            let makes = |(_, op): (OpId, &tilewright_irs::core::OpData<TileAa>)| {
                matches!(op.kind, TileAaOp::Scf(_)) && op.results().any(|result| result == **value)
            };
            body.ops().any(makes)
        };
        let count = slice.values.iter().filter(of_control).count();
        let ops = ops.into_iter().filter(|id| slice.ops.contains(id));
        Some((ops.map(|id| body.op(id).kind.name()).collect(), count))
    }

    const LOAD: &str =
        "{dim_map = [0], steps = [4], inbounds = [false], order = weak} : tile<4xi32>, token\n";

    #[test]
    fn a_loop_is_needed_without_what_it_computes() {
        let found = slice_of(&format!(
            "%t = tileaa.create_mem_token : token\n\
             %sum = scf.for %zero, %n, %one, [%x] : i32 body {{\n^(%i: i32, %s: i32):\n\
             %at = arith.muli %i, %x {{overflow = wraps}} : i32\n%v, %k = tileaa.load %m, [%at], after %t {LOAD}\
             %more = arith.addi %s, %i {{overflow = wraps}} : i32\nscf.continue [%more]\n}}\n"
        ));
        let wanted = [
            "tileaa.memref",
            "arith.constant",
            "arith.constant",
            "tileaa.program_id",
            "scf.for",
            "arith.muli",
            "tileaa.load",
        ];
        assert_eq!(found, Some((wanted.to_vec(), 0)));
    }

    #[test]
    fn a_carried_index_is_needed_with_what_computes_it() {
        let found = slice_of(&format!(
            "%last, %sum = scf.for %zero, %n, %one, [%x, %x] : i32, i32 body {{\n^(%i: i32, %at: i32, %s: i32):\n\
             %v, %k = tileaa.load %m, [%at] {LOAD}\
             %next = arith.muli %at, %n {{overflow = wraps}} : i32\n\
             %more = arith.addi %s, %i {{overflow = wraps}} : i32\nscf.continue [%next, %more]\n}}\n"
        ));
        let (ops, values) = found.expect("a slice");
        assert!(
            ops.contains(&"arith.muli") && !ops.contains(&"arith.addi"),
            "{ops:?}"
        );
        assert_eq!(values, 1, "the result of the index, not that of the sum");
    }

    #[test]
    fn a_branch_is_needed_around_a_load_and_for_its_index() {
        let around = slice_of(&format!(
            "%c = arith.cmpi %x, %n {{predicate = lt, signedness = signed}} : i1\n\
             %sum = scf.if %c : i32 then {{\n%v, %k = tileaa.load %m, [%x] {LOAD}\
             %more = arith.addi %x, %x {{overflow = wraps}} : i32\nscf.yield [%more]\n}} otherwise {{\nscf.yield [%x]\n}}\n"
        ));
        let (ops, values) = around.expect("a slice");
        assert!(ops.contains(&"scf.if") && ops.contains(&"arith.cmpi"), "{ops:?}");
        assert!(!ops.contains(&"arith.addi") && values == 0, "{ops:?}");
        let index = slice_of(&format!(
            "%c = arith.cmpi %x, %n {{predicate = lt, signedness = signed}} : i1\n\
             %at, %other = scf.if %c : i32, i32 then {{\n%a = arith.addi %x, %x {{overflow = wraps}} : i32\n\
             scf.yield [%a, %x]\n}} otherwise {{\n%b = arith.muli %x, %x {{overflow = wraps}} : i32\n\
             %d = arith.subi %x, %n {{overflow = wraps}} : i32\nscf.yield [%b, %d]\n}}\n\
             %v, %k = tileaa.load %m, [%at] {LOAD}"
        ));
        let (ops, values) = index.expect("a slice");
        for name in ["scf.if", "arith.cmpi", "arith.addi", "arith.muli"] {
            assert!(ops.contains(&name), "{name}: {ops:?}");
        }
        assert!(!ops.contains(&"arith.subi") && values == 1, "{ops:?}");
    }

    #[test]
    fn an_index_that_may_not_be_computed_again_has_no_slice() {
        let index = "%q = tile.ptradd %p, %x : ptr<i32>\n%at, %t = tileaa.gather_load %q {order = weak} : i32, token\n";
        assert_eq!(
            slice_of(&format!("{index}%v, %k = tileaa.load %m, [%at] {LOAD}")),
            None
        );
        // The same number, which the load does not need.
        assert!(slice_of(&format!("{index}%v, %k = tileaa.load %m, [%x] {LOAD}")).is_some());
    }

    #[test]
    fn a_loop_whose_iterations_end_early_has_no_slice() {
        let looped = |branch: &str| {
            slice_of(&format!(
                "scf.for %zero, %n, %one, [] body {{\n^(%i: i32):\n\
                 %c = arith.cmpi %i, %x {{predicate = lt, signedness = signed}} : i1\n\
                 scf.if %c then {{\n{branch}\n}} otherwise {{\nscf.yield []\n}}\n\
                 %v, %k = tileaa.load %m, [%i] {LOAD}scf.continue []\n}}\n"
            ))
        };
        assert!(looped("scf.yield []").is_some());
        assert_eq!(looped("scf.continue []"), None);
        let nested = "%d = arith.cmpi %i, %n {predicate = lt, signedness = signed} : i1\n\
                      scf.if %d then {\nscf.continue []\n} otherwise {\nscf.yield []\n}\nscf.yield []";
        assert_eq!(looped(nested), None);
        // The iterations of a loop within may end early.
        let within = "scf.for %zero, %n, %one, [] body {\n^(%j: i32):\n\
                      %d = arith.cmpi %j, %x {predicate = lt, signedness = signed} : i1\n\
                      scf.if %d then {\nscf.continue []\n} otherwise {\nscf.yield []\n}\nscf.continue []\n}\nscf.yield []";
        assert!(looped(within).is_some());
        let endless = slice_of(&format!(
            "scf.loop [] body {{\n^():\n%v, %k = tileaa.load %m, [%x] {LOAD}scf.break []\n}}\n"
        ));
        assert_eq!(endless, None);
    }
}
