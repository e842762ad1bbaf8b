//! What a verifier finds.

use tilewright_diagnostics::{Code, Diagnostic};

use super::entity::Origin;
use super::part::Part;

/// Something to say of an op.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong, with the origin of the op.
    pub diagnostic: Diagnostic<Origin>,
    /// What of the op is to blame.
    pub part: Part,
}

/// A problem with an op as a whole.
impl From<Diagnostic<Origin>> for Problem {
    fn from(diagnostic: Diagnostic<Origin>) -> Self {
        Self {
            diagnostic,
            part: Part::Op,
        }
    }
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

/// `a, b or c`.
pub(crate) fn alternatives(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}
