//! The loops of a control-flow graph.

use rustc_hash::FxHashSet;
use tilewright_irs::core::{Block, Body, Operation, SideTable, Value, reverse_postorder};
use tilewright_irs::llvm::Llvm;

/// The loops of a function, and the places of values relative to them.
#[derive(Debug)]
pub(super) struct Loops {
    /// The innermost loop of each block.
    of: SideTable<Block, Loop>,
    /// The place, in reverse postorder, of the block that defines a value.
    defined: SideTable<Value, usize>,
}

/// A loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loop {
    /// The place of its first block in reverse postorder.
    first: usize,
    /// The only block from which the loop is entered.
    pub(super) before: Block,
}

/// The number of branches into each of these blocks; two from one op count twice.
pub(super) fn ways_in(body: &Body<Llvm>, blocks: &[Block]) -> SideTable<Block, u32> {
    let mut ways_in: SideTable<Block, u32> = SideTable::new(blocks.len());
    let last = blocks.iter().filter_map(|&block| body.terminator(block));
    for id in last {
        body.op(id).kind.successors(&mut |successor| {
            let ways = ways_in.get(successor.block).copied().unwrap_or(0);
            ways_in.set(successor.block, ways + 1);
        });
    }
    ways_in
}

impl Loops {
    /// Finds the loops. One that is entered from several blocks is left out, with its blocks.
    pub(super) fn of(body: &Body<Llvm>) -> Self {
        let order = reverse_postorder(body, body.root());
        let mut places: SideTable<Block, usize> = SideTable::new(order.len());
        for (place, &block) in order.iter().enumerate() {
            places.set(block, place);
        }
        let mut ways_in: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
        let mut defined = body.value_table();
        for (place, &block) in order.iter().enumerate() {
            let data = body.block(block);
            data.args.iter().for_each(|&arg| defined.set(arg, place));
            for &id in &data.ops {
                let op = body.op(id);
                op.results().for_each(|result| defined.set(result, place));
                op.kind.successors(&mut |successor| {
                    let to = places.get(successor.block).and_then(|&to| ways_in.get_mut(to));
                    if let Some(ways) = to {
                        ways.push(place);
                    }
                });
            }
        }
        let mut of: SideTable<Block, Loop> = SideTable::new(order.len());
        // A header after another is within its loop, or in none of it: the last one to claim a block is the innermost.
        for (first, ways) in ways_in.iter().enumerate() {
            let (mut open, entries): (Vec<usize>, Vec<usize>) = ways.iter().partition(|&&from| from >= first);
            let (false, [before]) = (open.is_empty(), entries.as_slice()) else {
                continue;
            };
            let Some(&before) = order.get(*before) else {
                continue;
            };
            let mut inside: FxHashSet<usize> = FxHashSet::from_iter([first]);
            while let Some(place) = open.pop() {
                if inside.insert(place) {
                    open.extend(ways_in.get(place).into_iter().flatten());
                }
            }
            for block in inside.iter().filter_map(|&place| order.get(place)) {
                of.set(*block, Loop { first, before });
            }
        }
        Self { of, defined }
    }

    /// The innermost loop around a block.
    pub(super) fn around(&self, block: Block) -> Option<Loop> {
        self.of.get(block).copied()
    }

    /// Whether a value that is used in a loop is defined before it.
    pub(super) fn invariant(&self, value: Value, within: Loop) -> bool {
        // The definition dominates the use, as the loop's first block does.
        self.defined.get(value).is_some_and(|&place| place < within.first)
    }
}
