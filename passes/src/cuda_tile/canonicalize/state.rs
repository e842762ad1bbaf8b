//! What the pass remembers on its way through a kernel.

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
}
