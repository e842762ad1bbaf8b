//! The assembly of the open dialect `cute`, which NVIDIA publishes with CUTLASS as `cute_ir`.
//!
//! That dialect has the tuples, layouts and layout algebra of the library's, and no memory. Its types are written alike, its ops
//! often are not: most of them say the types of their results. Where an op is in both, its declaration has both texts. Ops that only
//! the open dialect has are those of [`OpenOp`](super::dialects::OpenOp).

use super::declare::{Class, MlirOpSpec};
use crate::cute_types::Dialect;

/// The attribute of a module whose functions are of the open dialect. Functions without a module around them are, too.
pub const OPEN_MARK: &str = "cute.open";

impl MlirOpSpec {
    /// The name of the op, if it is in a dialect. Ops of other dialects than `cute` are in both.
    pub fn name_in(&self, dialect: Dialect) -> Option<&'static str> {
        match (dialect, self.open, self.class) {
            (Dialect::Library, ..) | (Dialect::Open, None, Class::Other) => Some(self.name),
            (Dialect::Open, Some(open), _) => Some(open.name),
            (Dialect::Open, None, _) => None,
        }
    }

    /// The name of the op in a dialect for messages: if it is not in it, its other one.
    pub fn shown_in(&self, dialect: Dialect) -> &'static str {
        self.name_in(dialect).unwrap_or(self.name)
    }

    /// The text of the op after its name; where it is not in the dialect, its other one.
    pub fn text_in(&self, dialect: Dialect) -> &'static str {
        match (dialect, self.open) {
            (Dialect::Open, Some(open)) => open.syntax,
            (Dialect::Library, _) | (Dialect::Open, None) => self.syntax,
        }
    }
}
