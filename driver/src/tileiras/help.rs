//! `--help`, in the layout of LLVM's tools, which clients read: a line of `--gpu-name`, then a line for each GPU.

use std::fmt::Write;

use super::command_line::{Spec, Takes};

/// The options under one title.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// The title.
    pub(super) title: &'static str,
    /// The options.
    pub(super) specs: &'static [Spec],
}

/// The help of a program.
pub(super) fn text(name: &str, purpose: &str, groups: &[Group]) -> String {
    let mut rows = Vec::new();
    for group in groups {
        rows.push(Row::Title(group.title));
        for spec in group.specs {
            let Some(doc) = spec.doc else { continue };
            rows.push(Row::Option(format!("  {}{}", spec.dashed(), value(spec)), doc));
            if let Takes::OneOf(words) = spec.takes {
                rows.extend(
                    words
                        .iter()
                        .map(|(word, doc)| Row::Word(format!("    ={word}"), doc)),
                );
            }
        }
    }
    let width = |row: &Row| match row {
        Row::Title(_) => 0,
        Row::Option(left, _) | Row::Word(left, _) => left.len(),
    };
    let width = rows.iter().map(width).max().unwrap_or(0);
    let mut text =
        format!("OVERVIEW: {name}: {purpose}\n\nUSAGE: {name} [options] <tile bytecode file>\n\nOPTIONS:\n");
    for row in rows {
        // Writing to a string does not fail.
        let _ = match row {
            Row::Title(title) => writeln!(text, "\n{title}:\n"),
            Row::Option(left, doc) => writeln!(text, "{left:width$} - {doc}"),
            Row::Word(left, doc) => writeln!(text, "{left:width$} -   {doc}"),
        };
    }
    text
}

/// A line of the list of options.
enum Row {
    Title(&'static str),
    Option(String, &'static str),
    Word(String, &'static str),
}

/// What follows the name of an option.
fn value(spec: &Spec) -> String {
    match spec.takes {
        Takes::Nothing | Takes::Switch | Takes::Alias(_) | Takes::JoinedAlias(_) => String::new(),
        Takes::Text(name) | Takes::Number(name) => format!("=<{name}>"),
        Takes::OneOf(_) => "=<value>".to_owned(),
    }
}
