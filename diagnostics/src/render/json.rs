//! One JSON object per diagnostic and line.
//!
//! Keys: `code`, `severity`, `title`, `message`, `labels`, `help`, `notes`. A label has `primary`, `message` and
//! `file`, and, as far as they are known, `start` and `end` (bytes, from 0, half-open), `line` and `column`,
//! `end_line` and `end_column` (from 1, in characters).

use super::place::Place;
use crate::{Diagnostic, Files, Label, Location};
use serde_json::{Value, json};

pub(super) fn render(diagnostics: &[Diagnostic<Location>], files: &Files) -> String {
    diagnostics
        .iter()
        .map(|diagnostic| format!("{}\n", object(diagnostic, files)))
        .collect()
}

fn object(diagnostic: &Diagnostic<Location>, files: &Files) -> Value {
    let primary = diagnostic
        .primary
        .iter()
        .map(|label| self::label(label, true, files));
    let secondary = diagnostic
        .secondary
        .iter()
        .map(|label| self::label(label, false, files));
    json!({
        "code": diagnostic.code.name(),
        "title": diagnostic.code.title(),
        "severity": diagnostic.severity.word(),
        "message": diagnostic.message,
        "labels": primary.chain(secondary).collect::<Vec<_>>(),
        "help": diagnostic.help,
        "notes": diagnostic.notes,
    })
}

fn label(label: &Label<Location>, primary: bool, files: &Files) -> Value {
    let message = &label.message;
    match Place::of(&label.at, files) {
        Place::Text { file, range } => {
            let from = files.position(file, range.start);
            let to = files.position(file, range.end);
            json!({
                "primary": primary,
                "message": message,
                "file": files.name(file),
                "start": range.start,
                "end": range.end,
                "line": from.map(|at| at.line),
                "column": from.map(|at| at.column),
                "end_line": to.map(|at| at.line),
                "end_column": to.map(|at| at.column),
            })
        }
        Place::Line { path, line, column } => json!({
            "primary": primary,
            "message": message,
            "file": path,
            "line": line,
            "column": u64::from(column) + 1,
        }),
        Place::Byte { file, offset } => json!({
            "primary": primary,
            "message": message,
            "file": files.name(file),
            "start": offset,
            "end": offset,
        }),
    }
}
