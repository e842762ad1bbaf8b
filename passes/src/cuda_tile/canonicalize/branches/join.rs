//! Merges two consecutive branches with the same condition.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Block, OpId, Operation, Region, Value, WholeEffects};
use tilewright_irs::cuda_tile::{ControlOp, TileOp};

use super::{Branch, Branches, End, Replace};
use crate::cuda_tile::behaviour::{has_result, negated};

impl Branches<'_> {
    /// Merges a branch with the one before it, which is removed.
    ///
    /// Pure ops in between that do not depend on the first one are moved before both.
    pub(super) fn merged(&mut self, block: Block, next: &Branch, written: &mut Vec<OpId>) -> Option<OpId> {
        let is_branch = |&id: &OpId| matches!(self.body.op(id).kind, TileOp::Control(ControlOp::If { .. }));
        let moves = |&id: &OpId| self.body.op(id).kind.is_pure();
        let at = written
            .iter()
            .rposition(|id| !moves(id))
            .filter(|&at| written.get(at).is_some_and(is_branch))?;
        let prev = self.branch(*written.get(at)?)?;
        let find = |value: Value| self.defined.get(value).map(|&id| &self.body.op(id).kind);
        let same = if prev.cond == next.cond {
            true
        } else if negated(&find, prev.cond) == Some(next.cond) || negated(&find, next.cond) == Some(prev.cond)
        {
            false
        } else {
            return None;
        };
        let certain = WholeEffects::of_op(self.body, prev.id).goes_on();
        let movable = written.iter().skip(at + 1).all(|&id| {
            let op = &self.body.op(id).kind;
            let mut free = certain || has_result(&find, op);
            op.operands(&mut |value| free &= !prev.results.contains(&value));
            free
        });
        if !movable {
            return None;
        }
        let (next_then, next_else) = if same {
            (Some(next.then_block), next.else_block)
        } else {
            (next.else_block, Some(next.then_block))
        };
        self.append(&prev, prev.then_region, next_then);
        self.append(&prev, prev.else_region, next_else);
        let op = ControlOp::If {
            condition: prev.cond,
            then_region: prev.then_region,
            else_region: prev.else_region,
        };
        let old: Vec<Value> = prev.results.iter().chain(&next.results).copied().collect();
        let types = self.types(&old);
        let id = self.write(block, op, types, prev.origin);
        written.remove(at);
        let new: Vec<Value> = self.body.op(id).results().collect();
        for (old, new) in old.into_iter().zip(new) {
            self.replace(old, new);
        }
        Some(id)
    }

    /// Appends a region of the second branch to that of the first.
    fn append(&mut self, prev: &Branch, region: Region, next: Option<Block>) {
        let block = self.body.only_block(region);
        let End::Yields(mut handed) = self.end(block) else {
            return;
        };
        if block.is_none() && next.is_none() {
            return;
        }
        let own = match block {
            Some(block) => block,
            None => self.body.add_block(region),
        };
        // Within this region, the results of the first branch are the values that it yields.
        let pairs = prev.results.iter().copied().zip(handed.iter().copied());
        let values: FxHashMap<Value, Value> = pairs.collect();
        if let Some(next) = next {
            self.substitute(next, &values);
        }
        let end = self.end(next);
        let mut ops = self.body.block(own).ops.clone();
        if block.is_some() {
            ops.pop();
        }
        ops.extend(next.map_or(&[][..], |next| &self.body.block(next).ops));
        if let End::Yields(more) = end {
            if next.is_some() {
                ops.pop();
            }
            handed.extend(more);
            ops.push(self.write(own, ControlOp::Yield { operands: handed }, [], prev.origin));
        }
        self.body.arrange_ops(own, ops);
    }

    /// Substitutes values in a block and its nested regions.
    fn substitute(&mut self, block: Block, values: &FxHashMap<Value, Value>) {
        if values.is_empty() {
            return;
        }
        for id in self.body.block(block).ops.clone() {
            self.body.op_mut(id).kind.remap(&mut Replace { values });
            for region in self.body.op(id).kind.region_list() {
                for block in self.body.region(region).blocks.clone() {
                    self.substitute(block, values);
                }
            }
        }
    }
}
