//! Faults: undefined behaviour, failed assertions, and unsupported ops.

use std::fmt::Display;

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::Origin;

/// The reason why an evaluation stopped. The caller that executes the op adds it.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    /// The code.
    pub(crate) code: Code,
    /// The fault, with the numbers.
    pub(crate) message: String,
    /// The op, once known.
    pub(crate) origin: Option<Origin>,
    /// Other relevant ops, with their labels.
    pub(crate) others: Vec<(Origin, String)>,
    /// Suggestions.
    pub(crate) help: Vec<String>,
    /// Additional information.
    pub(crate) notes: Vec<String>,
}

/// A result of the evaluator. Faults are boxed, since they are large and rare.
pub(crate) type Outcome<T> = Result<T, Box<Fault>>;

impl Fault {
    /// A fault with only a message.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            code,
            message: message.into(),
            origin: None,
            others: Vec::new(),
            help: Vec::new(),
            notes: Vec::new(),
        })
    }

    /// The module violates a rule of the verifier, or the evaluator has a bug.
    pub(crate) fn broken(what: impl Display) -> Box<Self> {
        Self::new(Code::Internal, format!("the reference evaluator met {what}"))
            .note("a verified module never has this: please report it")
    }

    /// An unsupported op.
    pub(crate) fn unsupported(what: impl Display) -> Box<Self> {
        Self::new(
            Code::EvaluatorUnsupported,
            format!("the reference evaluator does not execute {what}"),
        )
    }

    /// Adds a note.
    pub(crate) fn note(mut self: Box<Self>, note: impl Into<String>) -> Box<Self> {
        self.notes.push(note.into());
        self
    }

    /// Adds a suggestion.
    pub(crate) fn help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help.push(help.into());
        self
    }

    /// Adds another relevant op.
    pub(crate) fn also(mut self: Box<Self>, at: Origin, message: impl Into<String>) -> Box<Self> {
        self.others.push((at, message.into()));
        self
    }

    /// Sets the op, unless an inner op has been set.
    pub(crate) fn at(mut self: Box<Self>, origin: Origin) -> Box<Self> {
        self.origin.get_or_insert(origin);
        self
    }

    /// The fault as a diagnostic.
    pub(crate) fn into_diagnostic(self) -> Diagnostic<Origin> {
        let mut problem = Diagnostic::error(self.code, self.message)
            .at(self.origin.unwrap_or(Origin::FUNCTION), "while doing this");
        for (origin, message) in self.others {
            problem = problem.also(origin, message);
        }
        problem.help = self.help;
        problem.notes = self.notes;
        problem
    }
}
