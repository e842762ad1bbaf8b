//! What a verifier finds.

use tilewright_diagnostics::{Code, Diagnostic};

use super::entity::Origin;

/// What of an op a problem is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The op as a whole.
    Op,
    /// A field by its position in the op's declaration; where that is a list, one of its entries.
    Field(u32, u32),
    /// One of its results.
    Result(u32),
    /// An argument of its body, or of the function's.
    Argument(u32),
}

/// Something wrong with an op.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong, with the origin of the op.
    pub diagnostic: Diagnostic<Origin>,
    /// What of the op is to blame.
    pub part: Part,
}

/// The problems found so far.
#[derive(Debug, Default)]
pub struct Problems {
    /// In the order of the function.
    pub list: Vec<Problem>,
}

impl Problems {
    /// Adds an error about the op with this origin.
    pub fn error(&mut self, origin: Origin, code: Code, message: impl Into<String>) {
        self.error_at(origin, Part::Op, code, message);
    }

    /// Adds an error about a part of the op with this origin.
    pub fn error_at(&mut self, origin: Origin, part: Part, code: Code, message: impl Into<String>) {
        let diagnostic = Diagnostic::error(code, message).at(origin, "");
        self.list.push(Problem { diagnostic, part });
    }
}
