//! A resolved and clamped location, as printers need it.

use super::one_line;
use crate::{FileId, Files, Location, Span};
use std::ops::Range;

/// The location of a label, as far as the files are known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Place<'a> {
    /// Bytes of a known text; the range can slice it.
    Text { file: FileId, range: Range<usize> },
    /// A line of a file whose text is not known: the line from 1, the column from 0.
    Line { path: &'a str, line: u32, column: u32 },
    /// A byte of a binary file.
    Byte { file: FileId, offset: u64 },
}

impl<'a> Place<'a> {
    /// Resolves a location.
    pub(super) fn of(location: &'a Location, files: &Files) -> Self {
        match location {
            Location::Span(span) => Place::of_span(*span, files),
            Location::Offset { file, offset } => Place::Byte {
                file: *file,
                offset: *offset,
            },
            Location::Source { path, line, column } => {
                let word = files
                    .find_text(path)
                    .and_then(|file| files.word_at(file, *line, *column));
                word.map_or(
                    Place::Line {
                        path,
                        line: *line,
                        column: *column,
                    },
                    |span| Place::of_span(span, files),
                )
            }
        }
    }

    fn of_span(span: Span, files: &Files) -> Self {
        let byte = Place::Byte {
            file: span.file,
            offset: span.start.into(),
        };
        files.clamp(span).map_or(byte, |range| Place::Text {
            file: span.file,
            range,
        })
    }

    /// `path:line:column` with both numbers from 1, or `path at offset N`.
    pub(super) fn words(&self, files: &Files) -> String {
        match self {
            Place::Text { file, range } => {
                let name = one_line(files.name(*file));
                match files.position(*file, range.start) {
                    Some(at) => format!("{name}:{}:{}", at.line, at.column),
                    None => name,
                }
            }
            Place::Line { path, line, column } => {
                format!("{}:{line}:{}", one_line(path), column.saturating_add(1))
            }
            Place::Byte { file, offset } => format!("{} at offset {offset}", one_line(files.name(*file))),
        }
    }
}

/// A location as interfaces without spans have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePosition {
    /// The name of the file.
    pub file: String,
    /// The line and the column, from 1, where they are known: a byte of a binary file has none.
    pub at: Option<(u32, u32)>,
}

impl SourcePosition {
    /// The position of a location, as far as the files are known.
    pub fn of(location: &Location, files: &Files) -> Self {
        let named = |file: FileId| files.name(file).to_owned();
        match Place::of(location, files) {
            Place::Text { file, range } => Self {
                file: named(file),
                at: files.position(file, range.start).map(|at| {
                    let narrow = |number| u32::try_from(number).unwrap_or(u32::MAX);
                    (narrow(at.line), narrow(at.column))
                }),
            },
            Place::Line { path, line, column } => Self {
                file: path.to_owned(),
                at: Some((line, column.saturating_add(1))),
            },
            Place::Byte { file, .. } => Self {
                file: named(file),
                at: None,
            },
        }
    }
}
