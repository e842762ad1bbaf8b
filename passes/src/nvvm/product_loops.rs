//! Which instructions come behind the matrix products of a function, outside of the loops that repeat these.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Block, Body, OpId, Operation};
use tilewright_irs::nvvm::{Instruction, Nvvm, NvvmOp};

use super::pressure::is_product;

/// The matrix products of a function, by its blocks in textual order.
pub(super) struct Products<'a> {
    body: &'a Body<Nvvm>,
    /// The place of each block in the text.
    places: FxHashMap<Block, usize>,
    /// The place of the first block with products.
    first: Option<usize>,
    loops: Vec<Loop>,
    /// The loops that repeat products outside of inner loops.
    repeating: FxHashSet<Loop>,
}

/// The first and the last block of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Loop(usize, usize);

impl<'a> Products<'a> {
    pub(super) fn of(body: &'a Body<Nvvm>) -> Self {
        let blocks = &body.region(body.root()).blocks;
        let mut found = Self {
            body,
            places: blocks.iter().copied().zip(0..).collect(),
            first: None,
            loops: Vec::new(),
            repeating: FxHashSet::default(),
        };
        for (place, &block) in blocks.iter().enumerate() {
            if let Some(last) = body.terminator(block) {
                body.op(last).kind.successors(&mut |successor| {
                    let to = found.places.get(&successor.block).filter(|&&to| to <= place);
                    found.loops.extend(to.map(|&to| Loop(to, place)));
                });
            }
        }
        for (place, &block) in blocks.iter().enumerate() {
            if body
                .block(block)
                .ops
                .iter()
                .any(|&id| is_product(&body.op(id).kind))
            {
                found.first.get_or_insert(place);
                found.repeating.extend(found.innermost(place));
            }
        }
        found
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// The instructions of a block up to the products that keep their place, and those behind.
    pub(super) fn split(&self, block: Block) -> (&'a [OpId], &'a [OpId]) {
        let ops = self.body.block(block).ops.as_slice();
        let (Some(first), Some(&place)) = (self.first, self.places.get(&block)) else {
            return (&[], ops);
        };
        let is_repeated = self
            .innermost(place)
            .is_some_and(|around| self.repeating.contains(&around));
        let kept = match place < first || is_repeated {
            true => ops.len(),
            false => ops
                .iter()
                .rposition(|&id| multiplies(&self.body.op(id).kind))
                .map_or(0, |last| last + 1),
        };
        ops.split_at(kept)
    }

    /// The innermost loop around a block.
    fn innermost(&self, place: usize) -> Option<Loop> {
        let around = self
            .loops
            .iter()
            .filter(|&&Loop(first, last)| (first..=last).contains(&place));
        around.min_by_key(|&&Loop(first, last)| last - first).copied()
    }
}

/// Whether an instruction is a product, or waits for one.
fn multiplies(op: &NvvmOp) -> bool {
    is_product(op)
        || matches!(op, NvvmOp::Target(op) if matches!(op.instruction, Instruction::WgmmaWait { .. }))
}
