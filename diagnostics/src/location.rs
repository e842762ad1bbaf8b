//! Source locations: a file, a span of its text, a source line named by debug information.

/// Index of a file in [`Files`](crate::Files).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(pub u32);

/// A half-open range of bytes in a text file, 0-based.
///
/// A span may be invalid (reversed, past the end, inside a character): [`Files::clamp`](crate::Files::clamp) corrects
/// it before it is printed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes from `start` up to `end`. Offsets that do not fit 32 bits saturate; no such text is accepted.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let narrow = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Span {
            file,
            start: narrow(start),
            end: narrow(end),
        }
    }

    /// The smallest span that covers both; `self` if the two lie in different files.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span {
            file: self.file,
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

/// A location that the renderers can print.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Location {
    /// Bytes of a text that the compiler itself read.
    Span(Span),
    /// A line of the user's source file, from the debug information of the bytecode.
    ///
    /// The line is shown when a file of that name is registered, and `path:line:column` otherwise.
    Source {
        /// The path, as stored.
        path: String,
        /// The line, 1-based, as stored.
        line: u32,
        /// The byte offset in the line, 0-based, as stored.
        column: u32,
    },
    /// A byte of a binary file.
    Offset {
        /// The file.
        file: FileId,
        /// The offset in bytes, 0-based.
        offset: u64,
    },
}

impl Location {
    /// A line of the user's source file. See [`Location::Source`] for the units.
    pub fn source(path: impl Into<String>, line: u32, column: u32) -> Self {
        Location::Source {
            path: path.into(),
            line,
            column,
        }
    }
}

impl From<Span> for Location {
    fn from(span: Span) -> Self {
        Location::Span(span)
    }
}
