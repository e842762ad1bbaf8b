//! Converts positions and diagnostics between the compiler's types and those of the protocol.

use std::path::Path;

use lsp_types as lsp;
use tilewright_diagnostics::{Diagnostic, Location, Severity, Span};

use super::uri::of_file;
use crate::ide::completion::{Item, WordKind};
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

    /// The length of a part of a line, in the editor's units.
    pub(super) fn units(&self, part: &str) -> u32 {
        u32::try_from(self.encoding.units(part)).unwrap_or(u32::MAX)
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
            Location::Span(span) => Some(self.span(*span)),
            // The file is bytecode, or the place is in another file.
            Location::Source { .. } | Location::Offset { .. } => Some(lsp::Range::default()),
        };
        self.diagnostic_of(uri, problem, &place).unwrap_or_default()
    }

    /// A diagnostic of the document at `uri`, whose labels a function maps to ranges. If it has no range for the main label, that
    /// of the first label with one is taken; `None` if no label has one.
    pub(super) fn diagnostic_of(
        &self,
        uri: &lsp::Uri,
        problem: &Diagnostic<Location>,
        place: &dyn Fn(&Location) -> Option<lsp::Range>,
    ) -> Option<lsp::Diagnostic> {
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
        let related = problem.secondary.iter().filter_map(|label| {
            Some(lsp::DiagnosticRelatedInformation {
                location: match (place(&label.at), &label.at) {
                    (Some(range), _) => lsp::Location::new(uri.clone(), range),
                    (None, Location::Source { path, line, column }) => {
                        in_file(path, *line, *column).filter(|other| other.uri != *uri)?
                    }
                    (None, Location::Span(_) | Location::Offset { .. }) => return None,
                },
                message: label.message.clone(),
            })
        });
        let related: Vec<_> = related.collect();
        let mut labels = primary.into_iter().chain(&problem.secondary);
        let range = match primary {
            Some(_) => labels.find_map(|label| place(&label.at))?,
            None => lsp::Range::default(),
        };
        Some(lsp::Diagnostic {
            range,
            severity: Some(match problem.severity {
                Severity::Error => lsp::DiagnosticSeverity::ERROR,
                Severity::Warning => lsp::DiagnosticSeverity::WARNING,
                Severity::Note => lsp::DiagnosticSeverity::INFORMATION,
            }),
            code: Some(lsp::NumberOrString::String(problem.code.to_string())),
            source: Some("tilewright".to_owned()),
            message,
            related_information: (!related.is_empty()).then_some(related),
            ..lsp::Diagnostic::default()
        })
    }
}

/// A place in another file, from debug information; `None` unless that has an absolute path of the file.
fn in_file(path: &str, line: u32, column: u32) -> Option<lsp::Location> {
    if !Path::new(path).is_absolute() {
        return None;
    }
    let start = lsp::Position::new(line.checked_sub(1)?, column);
    Some(lsp::Location::new(
        of_file(Path::new(path))?,
        lsp::Range::new(start, start),
    ))
}

/// A completion that replaces a range, with its rank among all; `snippets` says whether the editor supports placeholders.
pub(super) fn completion_item(
    item: Item,
    rank: usize,
    range: lsp::Range,
    snippets: bool,
) -> lsp::CompletionItem {
    let (label, kind, detail, doc, snippet) = match item {
        Item::Value { name, ty, .. } => (name, lsp::CompletionItemKind::VARIABLE, ty, None, None),
        Item::Op(op, snippet) => {
            let kind = lsp::CompletionItemKind::FUNCTION;
            let doc = Some(op.doc.to_owned());
            (op.name.to_owned(), kind, Some(op.form.clone()), doc, snippet)
        }
        Item::Word(word, kind, snippet) => {
            let kind = match kind {
                WordKind::Keyword => lsp::CompletionItemKind::KEYWORD,
                WordKind::Case => lsp::CompletionItemKind::ENUM_MEMBER,
                WordKind::Type => lsp::CompletionItemKind::STRUCT,
            };
            (word.to_owned(), kind, None, None, snippet.map(str::to_owned))
        }
        Item::Attribute(name) => (
            name.to_owned(),
            lsp::CompletionItemKind::PROPERTY,
            None,
            None,
            None,
        ),
    };
    let snippet = snippet.filter(|_| snippets);
    lsp::CompletionItem {
        insert_text_format: snippet.is_some().then_some(lsp::InsertTextFormat::SNIPPET),
        text_edit: Some(lsp::CompletionTextEdit::Edit(lsp::TextEdit::new(
            range,
            snippet.unwrap_or_else(|| label.clone()),
        ))),
        label,
        kind: Some(kind),
        detail,
        documentation: doc.map(lsp::Documentation::String),
        sort_text: Some(format!("{rank:04}")),
        ..lsp::CompletionItem::default()
    }
}
