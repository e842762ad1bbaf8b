//! What the pass remembers on its way through a kernel: above all, where the structured control flow around the current
//! op goes on.

use rustc_hash::FxHashSet;
use tilewright_irs::core::{Block, Successor, Value};
use tilewright_irs::isa;
use tilewright_irs::llvm::LlvmType;

use super::emit::{Cx, new_block};
use super::lower_warp::Packed;

/// The pass's state.
pub(super) struct ScalarizeFragments {
    /// Threads of the block.
    pub(super) threads: u32,
    /// The integer constants 1 of the old body: steps of most loops.
    pub(super) ones: FxHashSet<Value>,
    /// What encloses the current op, outermost first.
    pub(super) frames: Vec<Frame>,
    /// Set after a terminator: what follows in the block is never reached.
    pub(super) dead: bool,
    /// The GPU.
    pub(super) target: isa::Target,
    /// Elements that came out of wide registers.
    pub(super) packed: Packed,
}

/// Where a terminator goes.
#[derive(Clone, Debug)]
pub(super) struct Target {
    /// Made by the first branch to it.
    pub(super) block: Option<Block>,
    /// The types of its arguments.
    pub(super) types: Vec<LlvmType>,
}

impl Target {
    pub(super) fn new(types: Vec<LlvmType>) -> Self {
        Self { block: None, types }
    }

    pub(super) fn go(&mut self, cx: &mut Cx<'_>, args: Vec<Value>) -> Successor {
        let block = *self.block.get_or_insert_with(|| new_block(cx, &self.types).0);
        Successor { block, args }
    }
}

/// What encloses the current op.
#[derive(Clone, Debug)]
pub(super) enum Frame {
    /// A loop: where its next iteration begins, and where it ends.
    Loop {
        /// For `scf.continue`.
        next: Target,
        /// For `scf.break`.
        exit: Target,
    },
    /// A choice: where its two sides meet.
    If {
        /// For `scf.yield`.
        join: Target,
    },
}
