//! What the pass remembers on its way through a kernel.

use rustc_hash::FxHashSet;
use tilewright_irs::core::{OpId, SideTable, Value};

use super::constants::Constants;

/// The pass's state.
pub(super) struct Canonicalize {
    /// Whether arithmetic is done as well.
    pub(super) computes: bool,
    /// The op of the new body that defines each value.
    pub(super) defined: SideTable<Value, OpId>,
    /// The constants of the new body.
    pub(super) constants: Constants,
    /// Conditions of the branches around, and what they are there.
    pub(super) known: Vec<(Value, bool)>,
    /// Whether the block that is being written has its terminator.
    pub(super) ended: bool,
    /// Terminators of regions whose ops are written into the block around them.
    pub(super) inlined: FxHashSet<OpId>,
}
