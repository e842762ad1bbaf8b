//! What stops an evaluation: undefined behaviour, a failed assertion, or something that cannot be evaluated.

use std::fmt::Display;

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::Origin;

/// Why an evaluation stopped. The op is added by whoever executes it.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    /// The code.
    pub(crate) code: Code,
    /// What happened, with the numbers.
    pub(crate) message: String,
    /// The op to blame, once it is known.
    pub(crate) origin: Option<Origin>,
    /// Other ops that matter, with what is to be said about them.
    pub(crate) others: Vec<(Origin, String)>,
    /// What the user can do.
    pub(crate) help: Vec<String>,
    /// What the user may want to know.
    pub(crate) notes: Vec<String>,
}

/// A result of the evaluator. Faults are boxed: they are large and end everything.
pub(crate) type Outcome<T> = Result<T, Box<Fault>>;

impl Fault {
    /// A fault that says nothing but its message.
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

    /// The module breaks a rule that the verifier checks, or the evaluator has a mistake.
    pub(crate) fn broken(what: impl Display) -> Box<Self> {
        Self::new(Code::Internal, format!("the reference evaluator met {what}"))
            .note("a verified module never has this: please report it")
    }

    /// Something of the language that has no meaning here.
    pub(crate) fn unsupported(what: impl Display) -> Box<Self> {
        Self::new(
            Code::EvaluatorUnsupported,
            format!("the reference evaluator does not execute {what}"),
        )
    }

    /// Adds something worth knowing.
    pub(crate) fn note(mut self: Box<Self>, note: impl Into<String>) -> Box<Self> {
        self.notes.push(note.into());
        self
    }

    /// Adds what can be done.
    pub(crate) fn help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help.push(help.into());
        self
    }

    /// Adds another op that matters.
    pub(crate) fn also(mut self: Box<Self>, at: Origin, message: impl Into<String>) -> Box<Self> {
        self.others.push((at, message.into()));
        self
    }

    /// Blames an op, unless one inside of it has been blamed.
    pub(crate) fn at(mut self: Box<Self>, origin: Origin) -> Box<Self> {
        self.origin.get_or_insert(origin);
        self
    }

    /// The fault as everybody else knows it.
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
