//! What is found wrong with a module.

use tilewright_diagnostics::Diagnostic;

use crate::core::{Origin, Part};

/// Something wrong with a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleProblem {
    /// The function by its index, unless the problem is outside of all.
    pub func: Option<usize>,
    /// The global by its index, if the problem is about one.
    pub global: Option<usize>,
    /// The function implemented outside by its index, if the problem is about one.
    pub external: Option<usize>,
    /// What of the op is to blame.
    pub part: Part,
    /// What is wrong, with the origin of the op within that function.
    pub diagnostic: Diagnostic<Origin>,
}

impl ModuleProblem {
    /// Something wrong with an op of a function as a whole, or with the module.
    pub fn new(func: Option<usize>, diagnostic: Diagnostic<Origin>) -> Self {
        Self {
            func,
            global: None,
            external: None,
            part: Part::Op,
            diagnostic,
        }
    }
}
