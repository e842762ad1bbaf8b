//! Simplifies branches.
//!
//! Visits the blocks in order, the regions of an op before the op itself, and changes branches in place:
//!
//! - on a negation: the regions are exchanged;
//! - an unused result is removed, and one that is equal in both regions, or that only one region yields, is replaced
//!   by its value; one that is computed before the branch in both cases becomes a selection;
//! - an else region without ops is removed, and so is a branch without effect;
//! - if neither region yields, the ops after the branch are removed;
//! - a branch that contains only another branch is merged with it, on the conjunction of the conditions;
//! - two branches with the same condition, with only pure ops in between, are merged.

mod join;
mod results;

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Block, Body, OpId, Operation, Origin, Region, Remap, SideTable, Value};
use tilewright_irs::cuda_tile::{ControlOp, CudaTile, IntOp, TileOp, TileType};
use tilewright_irs::element::ScalarType;

use crate::cuda_tile::behaviour::negated;

/// Simplifies the branches of a function. Returns whether anything changed; the body then needs renumbering.
pub(super) fn simplify(body: &mut Body<CudaTile>) -> bool {
    let is_branch = |op: &TileOp| matches!(op, TileOp::Control(ControlOp::If { .. }));
    let Some(entry) = body.entry() else { return false };
    if !body.ops().any(|(_, op)| is_branch(&op.kind)) {
        return false;
    }
    let mut used = body.value_table();
    for (_, op) in body.ops() {
        op.kind.operands(&mut |value| used.set(value, ()));
    }
    let mut pass = Branches {
        defined: body.definitions(),
        body,
        used,
        replaced: FxHashMap::default(),
        changed: false,
    };
    pass.block(entry);
    let (replaced, changed) = (pass.replaced, pass.changed);
    body.follow_replaced(|value| last(&replaced, value));
    changed
}

/// What replaces a value in the end: a replacement may be replaced as well.
fn last(replaced: &FxHashMap<Value, Value>, value: Value) -> Option<Value> {
    let next = |value: &Value| replaced.get(value).copied();
    std::iter::successors(next(&value), next)
        .take(replaced.len())
        .last()
}

struct Branches<'b> {
    body: &'b mut Body<CudaTile>,
    /// The op that defines each value.
    defined: SideTable<Value, OpId>,
    /// The values that have uses at the start.
    used: SideTable<Value, ()>,
    /// The replacements of values.
    replaced: FxHashMap<Value, Value>,
    changed: bool,
}

/// A branch.
struct Branch {
    id: OpId,
    origin: Origin,
    cond: Value,
    then_region: Region,
    else_region: Region,
    then_block: Block,
    else_block: Option<Block>,
    results: Vec<Value>,
}

/// The terminator of a region of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
enum End {
    /// It yields these values.
    Yields(Vec<Value>),
    /// It leaves elsewhere.
    Leaves,
}

/// The result of one rewrite of a branch.
enum Next {
    /// Unchanged.
    Stays,
    /// Removed.
    Gone,
    /// Removed, with all ops after it.
    Ended,
    /// Replaced by another branch.
    Is(OpId),
}

impl Branches<'_> {
    fn block(&mut self, block: Block) {
        let ops = self.body.block(block).ops.clone();
        let mut written = Vec::with_capacity(ops.len());
        for id in ops {
            self.renew(id);
            let regions = self.body.op(id).kind.region_list();
            for region in regions {
                for block in self.body.region(region).blocks.clone() {
                    self.block(block);
                }
            }
            if self.op(block, id, &mut written) {
                break;
            }
        }
        self.body.arrange_ops(block, written);
    }

    /// Adds an op, simplified; returns whether it ends the block.
    fn op(&mut self, block: Block, id: OpId, written: &mut Vec<OpId>) -> bool {
        let mut id = id;
        while let Some(branch) = self.branch(id) {
            let next = self.step(block, &branch, written);
            self.changed |= !matches!(next, Next::Stays);
            match next {
                Next::Stays => break,
                Next::Gone => return false,
                Next::Ended => return true,
                Next::Is(other) => id = other,
            }
        }
        written.push(id);
        false
    }

    fn step(&mut self, block: Block, branch: &Branch, written: &mut Vec<OpId>) -> Next {
        let (then_end, else_end) = (self.end(Some(branch.then_block)), self.end(branch.else_block));
        if self.swap(branch) {
            return Next::Is(branch.id);
        }
        if let (End::Leaves, End::Leaves, Some(otherwise)) = (&then_end, &else_end, branch.else_block) {
            let rest = self.body.block(otherwise).ops.clone();
            self.body.arrange_blocks(branch.else_region, Vec::new());
            let alone = self.rebuilt(block, branch, &[]);
            written.push(alone);
            written.extend(rest);
            return Next::Ended;
        }
        if let Some(next) = self.settle(block, branch, (&then_end, &else_end), written) {
            return next;
        }
        if branch.results.is_empty() && self.does_nothing(branch.else_block) {
            if self.does_nothing(Some(branch.then_block)) {
                return Next::Gone;
            }
            if branch.else_block.is_some() {
                self.body.arrange_blocks(branch.else_region, Vec::new());
                return Next::Is(branch.id);
            }
        }
        let next = self.nested(block, branch, written);
        next.or_else(|| self.merged(block, branch, written))
            .map_or(Next::Stays, Next::Is)
    }

    /// The op as a branch.
    fn branch(&self, id: OpId) -> Option<Branch> {
        let op = self.body.op(id);
        let TileOp::Control(ControlOp::If {
            condition,
            then_region,
            else_region,
        }) = op.kind
        else {
            return None;
        };
        Some(Branch {
            id,
            origin: op.origin,
            cond: condition,
            then_region,
            else_region,
            then_block: self.body.only_block(then_region)?,
            else_block: self.body.only_block(else_region),
            results: op.results().collect(),
        })
    }

    fn end(&self, block: Option<Block>) -> End {
        let Some(block) = block else {
            return End::Yields(Vec::new());
        };
        let last = self.body.terminator(block).map(|last| &self.body.op(last).kind);
        match last {
            Some(TileOp::Control(ControlOp::Yield { operands })) => End::Yields(operands.clone()),
            _ => End::Leaves,
        }
    }

    /// Whether a region only yields.
    fn does_nothing(&self, block: Option<Block>) -> bool {
        let Some(block) = block else { return true };
        let ops = &self.body.block(block).ops;
        ops.len() == 1 && matches!(self.end(Some(block)), End::Yields(_))
    }

    /// Exchanges the regions of a branch on a negation.
    fn swap(&mut self, branch: &Branch) -> bool {
        let find = |value: Value| self.defined.get(value).map(|&id| &self.body.op(id).kind);
        let Some(condition) = negated(&find, branch.cond) else {
            return false;
        };
        if branch.else_block.is_none() {
            return false;
        }
        self.body.op_mut(branch.id).kind = ControlOp::If {
            condition,
            then_region: branch.else_region,
            else_region: branch.then_region,
        }
        .into();
        true
    }

    /// Adds an op to a block whose ops are being arranged.
    fn write(
        &mut self,
        block: Block,
        op: impl Into<TileOp>,
        types: impl IntoIterator<Item = TileType>,
        origin: Origin,
    ) -> OpId {
        let id = self.body.add_op(block, op.into(), types, origin, ());
        for result in self.body.op(id).results() {
            self.defined.set(result, id);
        }
        id
    }

    fn value(&mut self, written: &mut Vec<OpId>, branch: &Branch, op: (Block, TileOp, TileType)) -> Value {
        let (block, op, ty) = op;
        let id = self.write(block, op, [ty], branch.origin);
        written.push(id);
        self.body.op(id).result(0)
    }

    /// Replaces the value `result` by `value`.
    fn replace(&mut self, result: Value, value: Value) {
        if self.used.get(result).is_some() {
            self.used.set(value, ());
        }
        self.replaced.insert(result, value);
    }

    /// Updates the operands of an op.
    fn renew(&mut self, id: OpId) {
        if !self.replaced.is_empty() {
            let values = &self.replaced;
            self.body.op_mut(id).kind.remap(&mut Replace { values });
        }
    }

    /// Merges a branch that contains only a branch.
    fn nested(&mut self, block: Block, branch: &Branch, written: &mut Vec<OpId>) -> Option<OpId> {
        let &[inner, _] = self.body.block(branch.then_block).ops.as_slice() else {
            return None;
        };
        let inner = self.branch(inner)?;
        if !self.does_nothing(branch.else_block) || !self.does_nothing(inner.else_block) {
            return None;
        }
        let End::Yields(handed) = self.end(Some(branch.then_block)) else {
            return None;
        };
        let (End::Yields(otherwise), End::Yields(inner_otherwise)) =
            (self.end(branch.else_block), self.end(inner.else_block))
        else {
            return None;
        };
        match self.end(Some(inner.then_block)) {
            End::Leaves if branch.results.is_empty() && inner.results.is_empty() => {}
            End::Leaves => return None,
            End::Yields(values) => {
                // Results that the inner branch does not select, or selects otherwise, do not follow from the
                // conjunction.
                let chosen = handed.iter().zip(&otherwise).map(|(value, other)| {
                    let at = inner.results.iter().position(|result| result == value)?;
                    (inner_otherwise.get(at)? == other).then_some(())?;
                    values.get(at).copied()
                });
                let operands = chosen.collect::<Option<Vec<Value>>>()?;
                let last = self.body.terminator(inner.then_block)?;
                self.body.op_mut(last).kind = ControlOp::Yield { operands }.into();
            }
        }
        let both = IntOp::AndI {
            lhs: branch.cond,
            rhs: inner.cond,
        };
        let truth = TileType::scalar(ScalarType::I1);
        let condition = self.value(written, branch, (block, both.into(), truth));
        if branch.results.is_empty() {
            self.body.arrange_blocks(branch.else_region, Vec::new());
        }
        let op = ControlOp::If {
            condition,
            then_region: inner.then_region,
            else_region: branch.else_region,
        };
        let types: Vec<TileType> = self.types(&branch.results);
        let id = self.write(block, op, types, branch.origin);
        let results: Vec<Value> = self.body.op(id).results().collect();
        for (&old, new) in branch.results.iter().zip(results) {
            self.replace(old, new);
        }
        Some(id)
    }

    fn types(&self, values: &[Value]) -> Vec<TileType> {
        values.iter().map(|&value| self.body.ty(value).clone()).collect()
    }
}

/// Replaces values, transitively.
struct Replace<'a> {
    values: &'a FxHashMap<Value, Value>,
}

impl Remap for Replace<'_> {
    fn value(&mut self, value: Value) -> Value {
        let mut value = value;
        while let Some(&next) = self.values.get(&value) {
            value = next;
        }
        value
    }
}
