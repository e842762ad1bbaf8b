//! Unrolls loops of which the number of iterations is known.
//!
//! In and out: `llvm_like`. A loop is replaced by its iterations, one after the other, if the branch that leaves it asks for that
//! (`unroll = full`), or if it does not forbid it (`unroll = never`) and an address in the loop depends on the loop's counter and
//! points into an array of the thread: with the counter known, the array can become values. The loop has one block through which
//! it is entered, one branch back to it, and one branch that leaves it, in the block where an iteration begins or ends; the number
//! of its iterations is found by computing its condition from constants. Inner loops come first, so that nests are unrolled from
//! the inside out. A loop stays if its iterations together have more than [`MOST_OPS`] ops.
//!
//! A function in which loops are unrolled is [simplified](super::simplify()).

mod copies;
mod trips;

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Dominators, Func, OpId, Operation, Origin, SideTable, Value, reverse_postorder,
};
use tilewright_irs::llvm::{AddressSpace, Llvm, LlvmDialect, LlvmOp, LlvmType, Unrolling};

use super::simplify;
use copies::unroll;
use trips::Trips;

/// Ops that the iterations of a loop have at most when it is unrolled.
pub const MOST_OPS: usize = 1 << 14;

/// Unrolls the loops of a function; see [the module](self).
///
/// # Errors
/// None; the type is that of all passes.
pub fn unroll_thread_loops(func: &Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>> {
    let asks = |kind: &LlvmOp| {
        matches!(
            kind,
            LlvmOp::Llvm(
                LlvmDialect::Alloca { .. }
                    | LlvmDialect::CondBr {
                        unroll: Some(Unrolling::Full),
                        ..
                    }
            )
        )
    };
    if !func.body.ops().any(|(_, op)| asks(&op.kind)) {
        return Ok(func.clone());
    }
    // Counters are constants where they begin.
    let mut current = simplify(func)?;
    let mut changed = false;
    while let Some(body) = unrolled(&current.body) {
        changed = true;
        current = simplify(&Func {
            name: current.name,
            attrs: current.attrs,
            body,
        })?;
    }
    Ok(if changed { current } else { func.clone() })
}

/// The body with loops unrolled that are not in each other; `None` if there are none to be unrolled.
fn unrolled(body: &Body<Llvm>) -> Option<Body<Llvm>> {
    let definitions = body.definitions();
    let mut taken: FxHashSet<Block> = FxHashSet::default();
    let mut new: Option<Body<Llvm>> = None;
    for one in Loop::all(body) {
        let around = || one.blocks.iter().copied().chain([one.before]);
        if around().any(|block| taken.contains(&block)) {
            continue;
        }
        let Some(trips) = Trips::of(body, &definitions, &one) else {
            continue;
        };
        let wanted = match one.unrolling(body) {
            Some(Unrolling::Full) => true,
            Some(Unrolling::Never) => false,
            None => one.indexes_arrays(body, &definitions, &trips),
        };
        if wanted && one.ops(body).saturating_mul(trips.counters.len()) <= MOST_OPS {
            taken.extend(around());
            new = Some(unroll(new.unwrap_or_else(|| body.clone()), &one, &trips));
        }
    }
    new.map(Body::renumbered)
}

/// A loop that is entered through one block, has one branch back, and is left by one branch.
pub(super) struct Loop {
    /// The block where an iteration begins.
    head: Block,
    /// The block from which the loop is entered.
    before: Block,
    /// The block with the branch back.
    latch: Block,
    /// The block with the branch that leaves it: the head or the latch.
    exit: Block,
    /// The block to which that leads.
    after: Block,
    /// Its blocks, in reverse postorder.
    blocks: Vec<Block>,
}

impl Loop {
    /// The loops of a function, smaller ones first.
    fn all(body: &Body<Llvm>) -> Vec<Self> {
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
            if exit == head || exit == latch {
                loops.push(Self {
                    head,
                    before,
                    latch,
                    exit,
                    after,
                    blocks,
                });
            }
        }
        loops.sort_by_key(|one| one.blocks.len());
        loops
    }

    /// The branch that leaves it: its condition, and whether it is left where the condition holds.
    fn condition(&self, body: &Body<Llvm>) -> Option<(Value, bool)> {
        match &body.op(body.terminator(self.exit)?).kind {
            LlvmOp::Llvm(LlvmDialect::CondBr { condition, yes, .. }) => {
                Some((*condition, yes.block == self.after))
            }
            _ => None,
        }
    }

    /// What is asked of it.
    fn unrolling(&self, body: &Body<Llvm>) -> Option<Unrolling> {
        match &body.op(body.terminator(self.exit)?).kind {
            LlvmOp::Llvm(LlvmDialect::CondBr { unroll, .. }) => *unroll,
            _ => None,
        }
    }

    /// The number of its ops.
    fn ops(&self, body: &Body<Llvm>) -> usize {
        self.blocks.iter().map(|&block| body.block(block).ops.len()).sum()
    }

    /// Whether the place of an address in an array of the thread depends on the counter.
    fn indexes_arrays(&self, body: &Body<Llvm>, definitions: &SideTable<Value, OpId>, trips: &Trips) -> bool {
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
                    if trips.is_counter(value) {
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
