//! The loops of a function that can be unrolled.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Block, Body, Dominators, OpId, Operation, SideTable, Value, reverse_postorder};
use tilewright_irs::llvm::{AddressSpace, Llvm, LlvmDialect, LlvmOp, LlvmType, Unrolling};

/// A loop that is entered through one block, has one branch back, and is left by one branch.
pub(super) struct Loop {
    /// The block where an iteration begins.
    pub(super) head: Block,
    /// The block from which the loop is entered.
    pub(super) before: Block,
    /// The block with the branch back.
    pub(super) latch: Block,
    /// The block with the branch that leaves it: the head or the latch.
    pub(super) exit: Block,
    /// The block to which that leads.
    pub(super) after: Block,
    /// Its blocks, in reverse postorder: the head is the first.
    pub(super) blocks: Vec<Block>,
    /// The same blocks.
    pub(super) inside: FxHashSet<Block>,
}

impl Loop {
    /// The loops of a function of this form, outer ones first.
    pub(super) fn all(body: &Body<Llvm>) -> Vec<Self> {
        let order = reverse_postorder(body, body.root());
        let dominators = Dominators::new(body, body.root());
        let mut ways_in: FxHashMap<Block, Vec<Block>> = FxHashMap::default();
        for &block in &order {
            for next in successors(body, block) {
                ways_in.entry(next).or_default().push(block);
            }
        }
        let ways = |block: Block| ways_in.get(&block).map_or(&[][..], Vec::as_slice);
        let mut loops = Vec::new();
        for &head in &order {
            let (back, entries): (Vec<Block>, Vec<Block>) = ways(head)
                .iter()
                .partition(|&&from| dominators.dominates(head, from));
            let (&[latch], &[before]) = (back.as_slice(), entries.as_slice()) else {
                continue;
            };
            let mut inside: FxHashSet<Block> = FxHashSet::from_iter([head]);
            let mut open = vec![latch];
            while let Some(block) = open.pop() {
                if inside.insert(block) {
                    open.extend(ways(block));
                }
            }
            let blocks: Vec<Block> = order
                .iter()
                .copied()
                .filter(|block| inside.contains(block))
                .collect();
            let leaving = blocks.iter().flat_map(|&from| {
                let outside = successors(body, from)
                    .into_iter()
                    .filter(|to| !inside.contains(to));
                outside.map(move |to| (from, to))
            });
            let &[(exit, after)] = leaving.collect::<Vec<_>>().as_slice() else {
                continue;
            };
            let goes_back = match body.terminator(latch).map(|last| &body.op(last).kind) {
                Some(LlvmOp::Llvm(LlvmDialect::Br { .. })) => exit == head,
                Some(LlvmOp::Llvm(LlvmDialect::CondBr { .. })) => exit == latch,
                _ => false,
            };
            if goes_back {
                loops.push(Self {
                    head,
                    before,
                    latch,
                    exit,
                    after,
                    blocks,
                    inside,
                });
            }
        }
        loops
    }

    /// The branch that leaves it: its condition, and whether it is left where the condition holds.
    pub(super) fn condition(&self, body: &Body<Llvm>) -> Option<(Value, bool)> {
        match &body.op(body.terminator(self.exit)?).kind {
            LlvmOp::Llvm(LlvmDialect::CondBr { condition, yes, .. }) => {
                Some((*condition, yes.block == self.after))
            }
            _ => None,
        }
    }

    /// What is asked of it.
    pub(super) fn unrolling(&self, body: &Body<Llvm>) -> Option<Unrolling> {
        match &body.op(body.terminator(self.exit)?).kind {
            LlvmOp::Llvm(LlvmDialect::CondBr { unroll, .. }) => *unroll,
            _ => None,
        }
    }

    /// Whether the place of an address in an array of the thread depends on the counter.
    pub(super) fn indexes_arrays(
        &self,
        body: &Body<Llvm>,
        definitions: &SideTable<Value, OpId>,
        is_counter: impl Fn(Value) -> bool,
    ) -> bool {
        let ops = self.blocks.iter().flat_map(|&block| &body.block(block).ops);
        ops.into_iter().any(|&id| match &body.op(id).kind {
            LlvmOp::Llvm(LlvmDialect::GetElementPtr {
                base,
                index: Some(index),
                ..
            }) if *body.ty(*base) == LlvmType::Ptr(AddressSpace::Local) => {
                let mut seen = FxHashSet::default();
                let mut open = vec![*index];
                while let Some(value) = open.pop() {
                    if is_counter(value) {
                        return true;
                    }
                    if seen.insert(value)
                        && let Some(&id) = definitions.get(value)
                    {
                        body.op(id).kind.operands(&mut |operand| open.push(operand));
                    }
                }
                false
            }
            _ => false,
        })
    }
}

fn successors(body: &Body<Llvm>, block: Block) -> Vec<Block> {
    let mut list = Vec::new();
    if let Some(last) = body.terminator(block) {
        body.op(last)
            .kind
            .successors(&mut |successor| list.push(successor.block));
    }
    list
}
