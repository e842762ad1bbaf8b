//! Parts of a function that could not be read.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::core::{Func, OpId, Value};
use crate::cuda_tile::module::CudaTile;

/// The unknown parts of a function that could be read only partially.
///
/// Such a function is invalid and belongs to no module. [`verify_rest`](super::verify_rest) checks the rest of it,
/// and reports nothing that only follows from an unknown part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unknown {
    /// Values of unknown type; their type in the body is a placeholder.
    pub values: FxHashSet<Value>,
    /// Placeholders for ops that could not be read, with the regions that were found in them. Their op kind has no
    /// meaning.
    pub ops: FxHashSet<OpId>,
    /// Symbols whose definitions could not be read.
    pub symbols: Arc<FxHashSet<String>>,
    /// Whether the module may define any symbol, since a symbol's name could not be read.
    pub any_symbol: bool,
    /// Whether the function's parameters and results are unknown.
    pub signature: bool,
}

impl Unknown {
    /// Whether a name may be that of a global that could not be read.
    pub(super) fn symbol(&self, name: &str) -> bool {
        self.any_symbol || self.symbols.contains(name)
    }
}

/// A partially read function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialFunc {
    /// The readable parts.
    pub func: Func<CudaTile>,
    /// The unknown parts.
    pub unknown: Unknown,
}
