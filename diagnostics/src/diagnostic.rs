//! The diagnostic type: message, location and help as plain data.

use crate::Code;

/// Severity of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// No output is produced.
    Error,
    /// Output is produced, but may not be what was intended.
    Warning,
    /// Information.
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

/// A location with a message.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Label<At> {
    /// The location.
    pub at: At,
    /// The message; may be empty for a primary label if the diagnostic's message suffices.
    pub message: String,
}

/// An edit that may correct what is wrong.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Fix<At> {
    /// What it does, as an order: "change to `%count`".
    pub title: String,
    /// The text to replace.
    pub at: At,
    /// The new text.
    pub replacement: String,
}

/// One diagnostic. `At` is the producer's type of locations.
///
/// The message must make sense alone, without any label: the short formats print nothing else.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Diagnostic<At> {
    /// The stable code.
    pub code: Code,
    /// The severity.
    pub severity: Severity,
    /// The error, with the relevant values: one sentence fragment, lower case, no full stop.
    pub message: String,
    /// The location of the error.
    pub primary: Option<Label<At>>,
    /// Other relevant locations, such as an earlier definition.
    pub secondary: Vec<Label<At>>,
    /// Suggested fixes, one each.
    pub help: Vec<String>,
    /// Edits that carry out a suggestion.
    pub fixes: Vec<Fix<At>>,
    /// Additional information.
    pub notes: Vec<String>,
}

impl<At> Diagnostic<At> {
    /// A diagnostic of the given severity, without a location.
    pub fn new(severity: Severity, code: Code, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity,
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            help: Vec::new(),
            fixes: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// An error without a location.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// A warning without a location.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// A note without a location.
    pub fn remark(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, message)
    }

    /// A bug of the compiler: `message` is the violated invariant, `stage` and `pass` where it was detected, and
    /// `reproduce` the command that reproduces it.
    pub fn bug(stage: &str, pass: &str, message: impl Into<String>, reproduce: &str) -> Self {
        Self::error(Code::Internal, message)
            .note(format!("stage: {stage}, pass: {pass}"))
            .note(format!("reproduce with: {reproduce}"))
            .help(
                "this is a bug in the compiler, not in the program; please report it with the command above",
            )
    }

    /// Sets the primary location. One set before becomes secondary.
    #[must_use]
    pub fn at(mut self, at: At, message: impl Into<String>) -> Self {
        let before = self.primary.replace(Label {
            at,
            message: message.into(),
        });
        self.secondary.extend(before);
        self
    }

    /// Adds a secondary location.
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

    /// Adds an edit that carries out a suggestion.
    #[must_use]
    pub fn fix(mut self, at: At, replacement: impl Into<String>, title: impl Into<String>) -> Self {
        self.fixes.push(Fix {
            title: title.into(),
            at,
            replacement: replacement.into(),
        });
        self
    }

    /// Adds the suggestion, and the edit, that the text at `at` was meant to be another one.
    #[must_use]
    pub fn meant(self, at: At, text: impl std::fmt::Display) -> Self {
        self.help(format!("did you mean `{text}`?"))
            .fix(at, text.to_string(), format!("change to `{text}`"))
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Makes an error of a warning.
    pub fn raise(&mut self) {
        if self.severity == Severity::Warning {
            self.severity = Severity::Error;
            self.notes.push("warnings are errors with --Werror".to_owned());
        }
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Every location: of the labels, and of the edits.
    pub fn locations(&self) -> impl Iterator<Item = &At> {
        let labels = self.primary.iter().chain(&self.secondary).map(|label| &label.at);
        labels.chain(self.fixes.iter().map(|fix| &fix.at))
    }

    /// The same diagnostic with every location translated. A label whose location has no translation becomes a note,
    /// so that its message is kept; an edit without one is dropped.
    #[must_use]
    pub fn map_location<To>(self, mut translate: impl FnMut(At) -> Option<To>) -> Diagnostic<To> {
        let Diagnostic {
            code,
            severity,
            message,
            primary,
            secondary,
            help,
            fixes,
            mut notes,
        } = self;
        let fixes = fixes.into_iter().filter_map(|fix| {
            Some(Fix {
                title: fix.title,
                at: translate(fix.at)?,
                replacement: fix.replacement,
            })
        });
        let fixes = fixes.collect();
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
            fixes,
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
