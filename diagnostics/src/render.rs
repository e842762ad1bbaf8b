//! Renders diagnostics: one file for each format, one entry point.

mod client;
mod excerpt;
mod json;
mod place;
mod rich;
mod short;

pub use place::SourcePosition;

use crate::{Diagnostic, Files, Location};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// Output format of diagnostics.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Format {
    /// Source lines with labels, help and notes, for people.
    #[default]
    Rich,
    /// One line each, `file:line:column: error[CODE]: message`: for editors and logs.
    Short,
    /// One JSON object per line, for programs.
    Json,
    /// `loc("file":line:column): error: message [CODE]`, which clients of `tileiras` parse on its standard error.
    Client,
}

impl Format {
    /// Every format, in the order of their declaration.
    pub const ALL: [Format; 4] = [Format::Rich, Format::Short, Format::Json, Format::Client];

    /// The format's name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Rich => "rich",
            Format::Short => "short",
            Format::Json => "json",
            Format::Client => "client",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Format::ALL.into_iter().find(|format| format.name() == text);
        found.ok_or_else(|| format!("there is no format '{text}'; choose rich, short, json or client"))
    }
}

/// The columns of source lines where there is no terminal.
const WIDTH: usize = 100;

/// Renders diagnostics in the order given, with a line end after each.
///
/// `color` enables ANSI colour escapes, except in formats for programs. Any location is accepted: spans are clamped
/// first. Control characters of messages and sources are escaped, so that a file cannot control the terminal.
pub fn render(diagnostics: &[Diagnostic<Location>], files: &Files, format: Format, color: bool) -> String {
    render_within(diagnostics, files, format, color, WIDTH)
}

/// As [`render`], for a terminal of so many columns: longer lines of the sources are cut around what is said of them.
pub fn render_within(
    diagnostics: &[Diagnostic<Location>],
    files: &Files,
    format: Format,
    color: bool,
    width: usize,
) -> String {
    match format {
        Format::Rich => rich::render(diagnostics, files, color, width),
        Format::Short => short::render(diagnostics, files, color),
        Format::Json => json::render(diagnostics, files),
        Format::Client => client::render(diagnostics, files),
    }
}

/// Escapes control characters, except for line ends and tabs.
fn visible(text: &str) -> Cow<'_, str> {
    let hidden = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    let shown = text.chars().map(|c| {
        if hidden(c) {
            c.escape_default().to_string()
        } else {
            c.to_string()
        }
    });
    Cow::Owned(shown.collect())
}

/// Joins the lines of a text: line ends and the blanks around them become one blank.
fn one_line(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    visible(&lines.collect::<Vec<_>>().join(" ")).replace('\t', " ")
}

#[cfg(test)]
mod tests;
