//! The values that are live at the start and at the end of each block.

use rustc_hash::FxHashSet;
use tilewright_irs::core::{Block, Body, Operation, SideTable, Value};
use tilewright_irs::nvvm::Nvvm;

/// The values defined before each block that are used in or after it, and those defined in or before it that are used
/// after it. Operands of its branch for the arguments of other blocks are used by the branch.
pub(crate) struct Liveness {
    before: SideTable<Block, FxHashSet<Value>>,
    after: SideTable<Block, Vec<Value>>,
}

impl Liveness {
    /// Computes the liveness of a function's values, to a fixed point.
    pub(crate) fn of(body: &Body<Nvvm>) -> Self {
        let blocks = &body.region(body.root()).blocks;
        let mut before: SideTable<Block, FxHashSet<Value>> = SideTable::new(blocks.len());
        let mut after: SideTable<Block, FxHashSet<Value>> = SideTable::new(blocks.len());
        let mut changed = true;
        while changed {
            changed = false;
            for &block in blocks.iter().rev() {
                let mut live = FxHashSet::default();
                if let Some(last) = body.terminator(block) {
                    body.op(last).kind.successors(&mut |successor| {
                        live.extend(before.get(successor.block).into_iter().flatten());
                    });
                }
                if after.get(block) == Some(&live) {
                    continue;
                }
                changed = true;
                after.set(block, live.clone());
                for &id in body.block(block).ops.iter().rev() {
                    let op = body.op(id);
                    for result in op.results() {
                        live.remove(&result);
                    }
                    op.kind.operands(&mut |value| {
                        live.insert(value);
                    });
                }
                for arg in &body.block(block).args {
                    live.remove(arg);
                }
                before.set(block, live);
            }
        }
        let mut sorted = SideTable::new(blocks.len());
        for &block in blocks {
            let mut values: Vec<Value> = after.get(block).into_iter().flatten().copied().collect();
            values.sort_unstable();
            sorted.set(block, values);
        }
        Self {
            before,
            after: sorted,
        }
    }

    /// The values that are live at the start of a block, in no order, without its arguments.
    pub(crate) fn before(&self, block: Block) -> impl Iterator<Item = Value> {
        self.before.get(block).into_iter().flatten().copied()
    }

    /// The values that are live at the end of a block, sorted.
    pub(crate) fn after(&self, block: Block) -> &[Value] {
        self.after.get(block).map_or(&[], Vec::as_slice)
    }
}
