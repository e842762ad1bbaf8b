//! The state of the lowering, and its errors.

use std::cell::Cell;

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Block, OpId, Operation, Origin, Region, Translation, Value};
use tilewright_irs::cute_desugared::CuteDesugared;
use tilewright_irs::cute_types::Dialect;
use tilewright_irs::isa::Target;
use tilewright_irs::mlir::Mlir;

/// The translation state of this lowering.
pub(super) type Cx<'a> = Translation<'a, Mlir, CuteDesugared>;

/// The op that a `scf.yield` belongs to.
#[derive(Clone, Debug)]
pub(super) enum Frame {
    /// A loop: the next iteration follows.
    Loop,
    /// A branch.
    If,
    /// The first region of a loop without bounds: its condition, then its second region.
    Before(Region),
}

/// The condition code of PTX: the carry, and the block where it was written. It is not known in others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carry {
    pub(super) block: Block,
    pub(super) value: Value,
}

/// The state of the pass.
pub(super) struct Desugar {
    /// Whose `cute` the kernel is of.
    pub(super) dialect: Dialect,
    /// The GPU.
    pub(super) target: Target,
    /// The threads of a block.
    pub(super) threads: u32,
    /// The values that are integer constants.
    pub(super) constants: FxHashMap<Value, i64>,
    /// The enclosing structured ops, the outermost first.
    pub(super) frames: Vec<Frame>,
    /// The carry that inline PTX has left in the condition code.
    pub(super) carry: Cell<Option<Carry>>,
}

impl Desugar {
    /// The number that a value is, if that is known.
    pub(super) fn constant(&self, value: Value) -> Option<i64> {
        self.constants.get(&value).copied()
    }
}

/// What is not supported.
pub(super) fn unsupported(origin: Origin, message: impl Into<String>) -> Diagnostic<Origin> {
    Diagnostic::error(Code::UnsupportedFeature, message).at(origin, "")
}

/// The error for an op without a lowering.
pub(super) fn not_lowered(cx: &Cx<'_>, id: OpId) -> Diagnostic<Origin> {
    let old = cx.old(id);
    let message = format!("`{}` is not lowered yet", old.kind.name());
    Diagnostic::error(Code::UnsupportedOp, message).at(old.origin, "")
}
