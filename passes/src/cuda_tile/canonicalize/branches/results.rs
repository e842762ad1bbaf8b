//! Simplifies the results of branches.

use rustc_hash::FxHashSet;
use tilewright_irs::core::{Block, OpId, Value};
use tilewright_irs::cuda_tile::{ControlOp, ShapeOp, TileOp, TileType};
use tilewright_irs::element::ScalarType;

use super::{Branch, Branches, End, Next};

/// The simplification of a result.
enum Fate {
    Stays,
    /// It is unused.
    Unused,
    /// It equals this value.
    Is(Value),
    /// It equals a selection of these two by the condition.
    Chosen(Value, Value),
}

impl Branches<'_> {
    /// Removes redundant results from a branch.
    pub(super) fn settle(
        &mut self,
        block: Block,
        branch: &Branch,
        ends: (&End, &End),
        written: &mut Vec<OpId>,
    ) -> Option<Next> {
        if branch.results.is_empty() {
            return None;
        }
        let inside_then = self.defined_in(Some(branch.then_block));
        let inside_else = self.defined_in(branch.else_block);
        let mut kept = Vec::new();
        for (at, &result) in branch.results.iter().enumerate() {
            let before = |end: &End, inside: &FxHashSet<Value>| match end {
                End::Yields(values) => values.get(at).copied().filter(|value| !inside.contains(value)),
                End::Leaves => None,
            };
            let (yes, no) = (before(ends.0, &inside_then), before(ends.1, &inside_else));
            let fate = match (ends, yes, no) {
                _ if self.used.get(result).is_none() => Fate::Unused,
                ((End::Leaves, _), _, Some(value)) | ((_, End::Leaves), Some(value), _) => Fate::Is(value),
                (_, Some(yes), Some(no)) if yes == no => Fate::Is(yes),
                (_, Some(yes), Some(no)) if selects(self.body.ty(result)) => Fate::Chosen(yes, no),
                _ => Fate::Stays,
            };
            match fate {
                Fate::Stays => kept.push(at),
                Fate::Unused => {}
                Fate::Is(value) => self.replace(result, value),
                Fate::Chosen(yes, no) => {
                    let value = self.selected(block, branch, (yes, no), written);
                    self.replace(result, value);
                }
            }
        }
        if kept.len() == branch.results.len() {
            return None;
        }
        Some(Next::Is(self.rebuilt(block, branch, &kept)))
    }

    /// The values that the ops of a block define directly.
    fn defined_in(&self, block: Option<Block>) -> FxHashSet<Value> {
        let ops = block.map_or(&[][..], |block| &self.body.block(block).ops);
        ops.iter().flat_map(|&id| self.body.op(id).results()).collect()
    }

    /// The branch with only the results at these indices.
    pub(super) fn rebuilt(&mut self, block: Block, branch: &Branch, kept: &[usize]) -> OpId {
        for end in [Some(branch.then_block), branch.else_block] {
            let last = end.and_then(|block| self.body.terminator(block));
            let Some(last) = last else { continue };
            if let TileOp::Control(ControlOp::Yield { operands }) = &mut self.body.op_mut(last).kind {
                *operands = kept.iter().filter_map(|&at| operands.get(at).copied()).collect();
            }
        }
        let old: Vec<Value> = kept
            .iter()
            .filter_map(|&at| branch.results.get(at).copied())
            .collect();
        let op = ControlOp::If {
            condition: branch.cond,
            then_region: branch.then_region,
            else_region: branch.else_region,
        };
        let types = self.types(&old);
        let id = self.write(block, op, types, branch.origin);
        let new: Vec<Value> = self.body.op(id).results().collect();
        for (old, new) in old.into_iter().zip(new) {
            self.replace(old, new);
        }
        id
    }

    /// A selection by the condition, broadcast to the shape of the values.
    fn selected(
        &mut self,
        block: Block,
        branch: &Branch,
        (val_if_true, val_if_false): (Value, Value),
        written: &mut Vec<OpId>,
    ) -> Value {
        let ty = self.body.ty(val_if_true).clone();
        let mut cond = branch.cond;
        let shape = ty.as_tile().map_or(&[][..], |tile| &tile.shape);
        if !shape.is_empty() {
            let truths = |shape: Vec<u64>| TileType::tile(shape, ScalarType::I1);
            let one = ShapeOp::Reshape { source: cond }.into();
            let ones = truths(vec![1; shape.len()]);
            cond = self.value(written, branch, (block, one, ones.clone()));
            let all = truths(shape.to_vec());
            if all != ones {
                let spread = ShapeOp::Broadcast { source: cond }.into();
                cond = self.value(written, branch, (block, spread, all));
            }
        }
        let select = ShapeOp::Select {
            cond,
            val_if_true,
            val_if_false,
        };
        self.value(written, branch, (block, select.into(), ty))
    }
}

/// Whether values of a type can be selected.
fn selects(ty: &TileType) -> bool {
    ty.as_tile()
        .is_some_and(|tile| tile.element.scalar() != Some(ScalarType::F4E2M1FN))
}
