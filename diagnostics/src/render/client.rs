//! The format that clients of `tileiras` parse on its standard error.
//!
//! A client parses each line by itself. `loc("path":line:column): error: message` becomes an error in the user's
//! source, `error: message` one without a location, and every other line is shown as it is. So an error is exactly
//! one line, and its notes are lines that no client parses as errors. An offset in a file is such a note: after `error:` users
//! search for the words of the message. The line counts from 1 and the column from 0 in
//! bytes, as in the debug information of the bytecode, whose numbers are printed unchanged.

use super::one_line;
use super::place::Place;
use crate::{Diagnostic, Files, Location};

pub(super) fn render(diagnostics: &[Diagnostic<Location>], files: &Files) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        let word = diagnostic.severity.word();
        let message = format!("{} [{}]", one_line(&diagnostic.message), diagnostic.code);
        let primary = diagnostic.primary.as_ref().map(|label| &label.at);
        let offset = primary.filter(|at| matches!(at, Location::Offset { .. }));
        let line = if offset.is_some() { None } else { primary };
        push(&mut text, line, word, &message, files);
        // In this format the message of a primary label with a line has no place of its own.
        let said = diagnostic.primary.iter().map(|label| (offset, &label.message));
        let also = diagnostic
            .secondary
            .iter()
            .map(|label| (Some(&label.at), &label.message));
        for (at, said) in said.chain(also) {
            if at.is_some() || !said.is_empty() {
                push(&mut text, at, "note", &one_line(said), files);
            }
        }
        for note in &diagnostic.notes {
            push(&mut text, None, "note", &one_line(note), files);
        }
        for help in &diagnostic.help {
            push(&mut text, None, "help", &one_line(help), files);
        }
    }
    text
}

fn push(text: &mut String, at: Option<&Location>, word: &str, message: &str, files: &Files) {
    let colon = if message.is_empty() { "" } else { ": " };
    let line = match at {
        None => format!("{word}: {message}\n"),
        Some(location) => match quoted(location, files) {
            Some(loc) => format!("{loc}: {word}: {message}\n"),
            None => format!(
                "{word}: {}{colon}{message}\n",
                Place::of(location, files).words(files)
            ),
        },
    };
    text.push_str(&line);
}

/// `loc("path":line:column)`; `None` for a location that has no line, or a path that cannot be quoted.
fn quoted(location: &Location, files: &Files) -> Option<String> {
    let (path, line, column) = match location {
        Location::Source { path, line, column } => (path.as_str(), usize::try_from(*line).ok()?, {
            usize::try_from(*column).ok()?
        }),
        Location::Span(span) => {
            let start = files.clamp(*span)?.start;
            let line = files.line_index(span.file, start)?;
            let column = start.saturating_sub(files.line_range(span.file, line)?.start);
            (files.name(span.file), line + 1, column)
        }
        Location::Offset { .. } => return None,
    };
    let plain = !path.is_empty() && !path.contains(|c: char| c == '"' || c.is_control());
    plain.then(|| format!("loc(\"{path}\":{line}:{column})"))
}
