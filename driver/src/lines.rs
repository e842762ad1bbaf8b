//! Lines and columns of locations, in the compiled file and in the user's source files.

use tilewright_diagnostics::Location;

/// Where the lines of a text begin, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineStarts(Vec<usize>);

/// A line of a file and a column in it, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    pub(crate) path: &'a str,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl LineStarts {
    /// The lines of a text.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let breaks = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        Self(std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect())
    }

    /// The line of a location, in this text, called `own`, or in a file that debug information names. A byte offset of bytecode
    /// has none.
    pub(crate) fn line<'a>(&self, own: &'a str, location: &'a Location) -> Option<Line<'a>> {
        match location {
            Location::Span(span) => {
                let start = usize::try_from(span.start).ok()?;
                let line = self.0.partition_point(|&begin| begin <= start);
                let begin = self.0.get(line.checked_sub(1)?)?;
                Some(Line {
                    path: own,
                    line: u32::try_from(line).ok()?,
                    column: u32::try_from(start - begin).ok()?.checked_add(1)?,
                })
            }
            Location::Source { path, line, column } => Some(Line {
                path,
                line: *line,
                column: column.checked_add(1)?,
            }),
            Location::Offset { .. } => None,
        }
    }
}
