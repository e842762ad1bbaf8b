//! From positions and diagnostics of the compiler to those of the protocol, and back.

use std::str::FromStr;

use lsp_types as lsp;
use tilewright_diagnostics::{Diagnostic, Location, Severity, Span};

use crate::ide::lines::{Encoding, Lines, Position};

/// A text with its lines, for conversions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'a> {
    pub(super) text: &'a str,
    pub(super) lines: &'a Lines,
    pub(super) encoding: Encoding,
}

pub(super) fn from_position(position: lsp::Position) -> Position {
    Position {
        line: position.line,
        column: position.character,
    }
}

impl Text<'_> {
    pub(super) fn offset(&self, position: lsp::Position) -> usize {
        self.lines
            .offset(self.text, from_position(position), self.encoding)
    }

    pub(super) fn position(&self, offset: usize) -> lsp::Position {
        let Position { line, column } = self.lines.position(self.text, offset, self.encoding);
        lsp::Position::new(line, column)
    }

    pub(super) fn range(&self, start: usize, end: usize) -> lsp::Range {
        lsp::Range::new(self.position(start), self.position(end))
    }

    pub(super) fn span(&self, span: Span) -> lsp::Range {
        let offset = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
        self.range(offset(span.start), offset(span.end))
    }

    /// A diagnostic of the document at `uri`.
    pub(super) fn diagnostic(&self, uri: &lsp::Uri, problem: &Diagnostic<Location>) -> lsp::Diagnostic {
        let place = |location: &Location| match location {
            Location::Span(span) => self.span(*span),
            // The file is bytecode, or the place is in another file.
            Location::Source { .. } | Location::Offset { .. } => lsp::Range::default(),
        };
        let primary = problem.primary.as_ref();
        let mut message = problem.message.clone();
        if let Some(label) = primary.filter(|label| !label.message.is_empty()) {
            message += &format!(" ({})", label.message);
        }
        for (word, texts) in [("note", &problem.notes), ("help", &problem.help)] {
            for text in texts {
                message += &format!("\n{word}: {text}");
            }
        }
        let related = problem
            .secondary
            .iter()
            .map(|label| lsp::DiagnosticRelatedInformation {
                location: lsp::Location::new(uri.clone(), place(&label.at)),
                message: label.message.clone(),
            });
        let related: Vec<_> = related.collect();
        lsp::Diagnostic {
            range: primary.map(|label| place(&label.at)).unwrap_or_default(),
            severity: Some(match problem.severity {
                Severity::Error => lsp::DiagnosticSeverity::ERROR,
                Severity::Warning => lsp::DiagnosticSeverity::WARNING,
                Severity::Note => lsp::DiagnosticSeverity::INFORMATION,
            }),
            code: Some(lsp::NumberOrString::String(problem.code.to_string())),
            code_description: lsp::Uri::from_str(&format!("tilewright:explain/{}", problem.code))
                .ok()
                .map(|href| lsp::CodeDescription { href }),
            source: Some("tilewright".to_owned()),
            message,
            related_information: (!related.is_empty()).then_some(related),
            ..lsp::Diagnostic::default()
        }
    }
}
