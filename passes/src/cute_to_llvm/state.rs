//! The state of the pass: above all, the continuations of the enclosing structured control flow.

use rustc_hash::FxHashSet;
use tilewright_irs::core::{Block, Successor, Value};
use tilewright_irs::isa;
use tilewright_irs::llvm::LlvmType;

use super::bank::Arrays;
use super::emit::{Cx, new_block};
use super::lower_warp::Packed;

/// The pass's state.
pub(super) struct ScalarizeFragments {
    /// Threads of the block.
    pub(super) threads: u32,
    /// The integer constants 1 of the old body, the step of most loops.
    pub(super) ones: FxHashSet<Value>,
    /// The enclosing constructs of the current op, outermost first.
    pub(super) frames: Vec<Frame>,
    /// Set after a terminator: the following code in the block is unreachable.
    pub(super) dead: bool,
    /// The GPU.
    pub(super) target: isa::Target,
    /// The arrays of the thread.
    pub(super) arrays: Arrays,
    /// Elements unpacked from wide registers.
    pub(super) packed: Packed,
}

/// The target of a terminator.
#[derive(Clone, Debug)]
pub(super) struct Target {
    /// Created by the first branch to it.
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

/// An enclosing construct of the current op.
#[derive(Clone, Debug)]
pub(super) enum Frame {
    /// A loop: the starts of its next iteration and of the code after it.
    Loop {
        /// For `scf.continue`.
        next: Target,
        /// For `scf.break`.
        exit: Target,
    },
    /// A branch: the join of its two regions.
    If {
        /// For `scf.yield`.
        join: Target,
    },
}
