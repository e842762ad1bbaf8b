//! What is wrong, where, and what to do about it: plain data.

use crate::Code;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Nothing is produced.
    Error,
    /// Something is produced, and it may not be what was meant.
    Warning,
    /// Something worth knowing.
    Note,
}

impl Severity {
    /// The word that begins a printed diagnostic.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// A place, and what is to be said about it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Label<At> {
    /// The place.
    pub at: At,
    /// What is to be said about it; may be empty for a primary label whose diagnostic says it all.
    pub message: String,
}

/// One thing to tell the user. `At` is how its producer names a place.
///
/// The message must make sense alone, without any label: the short formats print nothing else.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Diagnostic<At> {
    /// The stable code.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, with the values that matter: one sentence fragment, lower case, no full stop.
    pub message: String,
    /// The place that is to blame.
    pub primary: Option<Label<At>>,
    /// Other places that matter, such as an earlier definition.
    pub secondary: Vec<Label<At>>,
    /// What the user can do, one suggestion each.
    pub help: Vec<String>,
    /// What the user may want to know.
    pub notes: Vec<String>,
}

impl<At> Diagnostic<At> {
    /// A diagnostic of the given severity, without a place.
    pub fn new(severity: Severity, code: Code, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity,
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            help: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// An error without a place.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// A warning without a place.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// A note without a place.
    pub fn remark(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, message)
    }

    /// A bug of the compiler: `message` says which invariant broke, `stage` and `pass` where it was noticed, and
    /// `reproduce` is the command that shows it again.
    pub fn bug(stage: &str, pass: &str, message: impl Into<String>, reproduce: &str) -> Self {
        Self::error(Code::Internal, message)
            .note(format!("stage: {stage}, pass: {pass}"))
            .note(format!("reproduce with: {reproduce}"))
            .help(
                "this is a bug in the compiler, not in the program; please report it with the command above",
            )
    }

    /// Sets the place that is to blame. A place set before becomes a secondary one.
    #[must_use]
    pub fn at(mut self, at: At, message: impl Into<String>) -> Self {
        let before = self.primary.replace(Label {
            at,
            message: message.into(),
        });
        self.secondary.extend(before);
        self
    }

    /// Adds another place that matters.
    #[must_use]
    pub fn also(mut self, at: At, message: impl Into<String>) -> Self {
        self.secondary.push(Label {
            at,
            message: message.into(),
        });
        self
    }

    /// Adds a suggestion.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Adds something the user may want to know.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The same diagnostic with every place translated. A label whose place has no translation becomes a note,
    /// so that nothing said is lost.
    #[must_use]
    pub fn map_location<To>(self, mut translate: impl FnMut(At) -> Option<To>) -> Diagnostic<To> {
        let Diagnostic {
            code,
            severity,
            message,
            primary,
            secondary,
            help,
            mut notes,
        } = self;
        let mut label = |Label { at, message }: Label<At>| match translate(at) {
            Some(at) => Some(Label { at, message }),
            None => {
                if !message.is_empty() {
                    notes.push(message);
                }
                None
            }
        };
        let primary = primary.and_then(&mut label);
        let secondary = secondary.into_iter().filter_map(&mut label).collect();
        Diagnostic {
            code,
            severity,
            message,
            primary,
            secondary,
            help,
            notes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_builders_fill_their_own_field() {
        let made = Diagnostic::error(Code::TypeMismatch, "m")
            .also(2, "b")
            .at(1, "a")
            .help("h")
            .note("n");
        assert!(made.is_error());
        assert_eq!(
            made.primary,
            Some(Label {
                at: 1,
                message: "a".into()
            })
        );
        assert_eq!(
            made.secondary,
            [Label {
                at: 2,
                message: "b".into()
            }]
        );
        assert_eq!(
            (made.help, made.notes),
            (vec!["h".to_owned()], vec!["n".to_owned()])
        );
    }

    #[test]
    fn a_second_primary_place_keeps_the_first() {
        let made = Diagnostic::warning(Code::TypeMismatch, "m").at(1, "a").at(2, "b");
        assert_eq!(
            made.primary,
            Some(Label {
                at: 2,
                message: "b".into()
            })
        );
        assert_eq!(
            made.secondary,
            [Label {
                at: 1,
                message: "a".into()
            }]
        );
    }

    #[test]
    fn a_label_without_a_translation_becomes_a_note() {
        let made = Diagnostic::error(Code::TypeMismatch, "m")
            .at(1, "a")
            .also(2, "b")
            .also(3, "")
            .note("n");
        let mapped = made.map_location(|at| (at == 1).then_some("one"));
        assert_eq!(
            mapped.primary,
            Some(Label {
                at: "one",
                message: "a".into()
            })
        );
        assert_eq!(mapped.secondary, []);
        assert_eq!(mapped.notes, ["n", "b"]);
    }

    #[test]
    fn a_bug_says_where_and_how_to_see_it_again() {
        let bug = Diagnostic::<()>::bug(
            "tileas",
            "assign_layouts",
            "a tile without a layout",
            "tilewright x.bc",
        );
        assert_eq!(bug.code, Code::Internal);
        assert_eq!(
            bug.notes,
            [
                "stage: tileas, pass: assign_layouts",
                "reproduce with: tilewright x.bc"
            ]
        );
    }
}
