//! Diagnostics with their source lines: ariadne draws the sources, this module prints the rest.
//!
//! ariadne panics on reversed spans, underlines line ends, repeats a file whose labels are not sorted, and miscounts
//! the column of a second file. So spans are clamped, labels sorted, and each file is a report of its own. It also
//! recognises more line separators than the rest of the compiler: those, and a file's control characters, are
//! replaced by characters of the same length, so that line numbers agree.

use super::excerpt::Excerpt;
use super::place::Place;
use super::{one_line, visible};
use crate::{Diagnostic, FileId, Files, Label, Location, Severity};
use ariadne::{Cache, Color, Config, Fmt, IndexType, Report, ReportKind, Source};
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

pub(super) fn render(
    diagnostics: &[Diagnostic<Location>],
    files: &Files,
    color: bool,
    width: usize,
) -> String {
    let mut sources = Sources {
        files,
        width,
        read: HashMap::new(),
        excerpt: None,
    };
    let mut text = String::new();
    for diagnostic in diagnostics {
        push(diagnostic, &mut sources, color, &mut text);
        text.push('\n');
    }
    text
}

/// The columns that are left to a source line on the narrowest terminal.
const LEAST: usize = 20;

/// A label with source lines.
struct Shown<'a> {
    range: Range<usize>,
    message: &'a str,
    color: Color,
}

fn push(diagnostic: &Diagnostic<Location>, sources: &mut Sources<'_>, color: bool, to: &mut String) {
    let files = sources.files;
    let accent = match diagnostic.severity {
        Severity::Error => Color::Red,
        Severity::Warning => Color::Yellow,
        Severity::Note => Color::Cyan,
    };
    let head = format!("{}[{}]", diagnostic.severity.word(), diagnostic.code);
    let head = if color { head.fg(accent).to_string() } else { head };
    to.push_str(&format!("{head}: {}\n", visible(&diagnostic.message)));

    // The primary label comes first, shown or named; the others follow, file by file, then those without lines.
    let mut by_file: Vec<(FileId, Vec<Shown<'_>>)> = Vec::new();
    let mut named: Vec<String> = Vec::new();
    let primary = diagnostic.primary.iter().map(|label| (label, true));
    let secondary = diagnostic.secondary.iter().map(|label| (label, false));
    for (Label { at, message }, is_primary) in primary.chain(secondary) {
        match Place::of(at, files) {
            Place::Text { file, range } if files.text(file).is_some_and(|text| !text.is_empty()) => {
                let color = if is_primary { accent } else { Color::Blue };
                let shown = Shown {
                    range: drawable(files, file, range),
                    // ariadne draws no caret without words.
                    message: match message.as_str() {
                        "" if is_primary => diagnostic.code.title(),
                        "" => "here",
                        message => message,
                    },
                    color,
                };
                match by_file.iter_mut().find(|(of, _)| *of == file) {
                    Some((_, labels)) => labels.push(shown),
                    None => by_file.push((file, vec![shown])),
                }
            }
            place => {
                let colon = if message.is_empty() { "" } else { ": " };
                let line = format!("{}{colon}{}\n", place.words(files), one_line(message));
                if is_primary {
                    to.push_str(&format!("  --> {line}"));
                } else {
                    named.push(format!("  ::: {line}"));
                }
            }
        }
    }
    for (file, labels) in by_file {
        to.push_str(&drawing(file, labels, sources, color));
    }
    to.extend(named);
    for (word, texts) in [("note", &diagnostic.notes), ("help", &diagnostic.help)] {
        for text in texts {
            let text = visible(text).replace('\n', &format!("\n{:1$}", "", word.len() + 6));
            to.push_str(&format!("  = {word}: {text}\n"));
        }
    }
}

/// The range without trailing line ends, which would be underlined as a character.
fn drawable(files: &Files, file: FileId, range: Range<usize>) -> Range<usize> {
    let covered = files
        .text(file)
        .and_then(|text| text.get(range.clone()))
        .unwrap_or_default();
    let length = covered.trim_end_matches(['\n', '\r']).len();
    range.start..range.start + length
}

/// The drawing of one file's labelled lines. The position of the first label is printed.
fn drawing(file: FileId, mut labels: Vec<Shown<'_>>, sources: &mut Sources<'_>, color: bool) -> String {
    let mut first = labels.first().map_or(0..0, |label| label.range.clone());
    let mut columns = None;
    if let Some(excerpt) = sources.excerpt(file, &labels) {
        for label in &mut labels {
            label.range = excerpt.range(label.range.clone());
        }
        let cut = excerpt.range(first.clone());
        let whole = sources.files.position(file, first.start);
        columns = whole.map(|at| (at.line, column(&excerpt.text, cut.start), at.column));
        first = cut;
        sources.excerpt = Some(Source::from(harmless(&excerpt.text)));
    }
    labels.sort_by_key(|label| (label.range.end, label.range.start));
    let config = Config::new().with_color(color).with_index_type(IndexType::Byte);
    let labels = labels.into_iter().zip(0..).map(
        |(
            Shown {
                range,
                message,
                color,
            },
            order,
        )| {
            ariadne::Label::new((file, range))
                .with_color(color)
                .with_order(order)
                .with_message(one_line(message))
        },
    );
    let report = Report::build(ReportKind::Error, (file, first))
        .with_config(config)
        .with_labels(labels);
    let mut drawn = Vec::new();
    // Writing to memory does not fail; a failure would only lose the drawing.
    let _ = report.finish().write(&mut *sources, &mut drawn);
    let drawn = String::from_utf8_lossy(&drawn);
    // ariadne's own header is the first line; it cannot be left out, nor printed without colour.
    let drawn = drawn.split_once('\n').map_or("", |(_, drawing)| drawing);
    sources.excerpt = None;
    let drawn = match columns {
        // The printed column is that in the whole line.
        Some((line, cut, whole)) => {
            let name = one_line(sources.files.name(file));
            let place = |column: usize| format!("{name}:{line}:{column} ");
            drawn.replacen(&place(cut), &place(whole), 1)
        }
        None => drawn.to_owned(),
    };
    drawn
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

/// The column of a byte, from 1, in characters.
fn column(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.chars().count() + 1
}

/// The texts that ariadne requests.
struct Sources<'a> {
    files: &'a Files,
    /// The columns of the terminal.
    width: usize,
    read: HashMap<FileId, Source<String>>,
    /// What is drawn instead of the file, if that has long lines.
    excerpt: Option<Source<String>>,
}

impl Sources<'_> {
    /// The excerpt of a file that labels are drawn on, if they are on long lines.
    fn excerpt(&self, file: FileId, labels: &[Shown<'_>]) -> Option<Excerpt> {
        let ranges: Vec<_> = labels.iter().map(|label| label.range.clone()).collect();
        let text = self.files.text(file)?;
        let last = ranges.iter().map(|range| range.end).max()?;
        let digits = (self.files.line_index(file, last)? + 1).to_string().len();
        // The number, the line beside it, and the arrows of labels on several lines.
        let of_lines =
            |range: &&Range<usize>| text.get((*range).clone()).is_some_and(|text| text.contains('\n'));
        let arrows = ranges.iter().filter(of_lines).count();
        let arrows = if arrows == 0 { 0 } else { 3 + 2 * arrows };
        let width = self.width.saturating_sub(digits + 4 + arrows).max(LEAST);
        Excerpt::of(text, &ranges, width)
    }
}

impl Cache<FileId> for Sources<'_> {
    type Storage = String;

    fn fetch(&mut self, id: &FileId) -> Result<&Source<String>, impl fmt::Debug> {
        if let Some(excerpt) = &self.excerpt {
            return Ok(excerpt);
        }
        let text = || Source::from(harmless(self.files.text(*id).unwrap_or_default()));
        Ok::<_, fmt::Error>(self.read.entry(*id).or_insert_with(text))
    }

    fn display<'a>(&self, id: &'a FileId) -> Option<impl fmt::Display + 'a> {
        Some(one_line(self.files.name(*id)))
    }
}

/// The text with every control character but line ends and tabs, and every other line separator, replaced by a
/// character of as many bytes.
fn harmless(text: &str) -> String {
    let replace = |c: char| match c {
        '\n' | '\t' => c,
        '\r' => ' ',
        '\u{2028}' | '\u{2029}' => '\u{fffd}',
        c if c.is_control() => match c.len_utf8() {
            1 => '?',
            _ => '¿',
        },
        c => c,
    };
    text.chars().map(replace).collect()
}
