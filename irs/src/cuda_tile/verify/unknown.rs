//! What of a function is not known, since a reader could not make sense of it.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::core::{Func, OpId, Value};
use crate::cuda_tile::module::CudaTile;

/// What of a function could not be read.
///
/// Such a function is no program, so it belongs to no module. [`verify_rest`](super::verify_rest) checks the rest of it:
/// nothing is said of what is unknown, nor of anything only because it depends on that.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unknown {
    /// Values without a type; that which the body has for them says nothing.
    pub values: FxHashSet<Value>,
    /// Ops that stand for what could not be read, with the regions that were found there. What kind of op each of them
    /// is says nothing.
    pub ops: FxHashSet<OpId>,
    /// Symbols that the module defines in a way that could not be read.
    pub symbols: Arc<FxHashSet<String>>,
    /// Whether the module may define any symbol, since the name of one of them could not be read.
    pub any_symbol: bool,
    /// Whether the function may have any parameters and results.
    pub signature: bool,
}

impl Unknown {
    /// Whether a name may be that of a global that could not be read.
    pub(super) fn symbol(&self, name: &str) -> bool {
        self.any_symbol || self.symbols.contains(name)
    }
}

/// A function of which something is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialFunc {
    /// What could be read.
    pub func: Func<CudaTile>,
    /// What could not.
    pub unknown: Unknown,
}
