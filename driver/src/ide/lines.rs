//! The lines of a text, and positions in it as editors count them.

use std::ops::Range;

/// The unit in which an editor counts the columns of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// 16-bit units of UTF-16.
    #[default]
    Utf16,
}

impl Encoding {
    /// The length of a part of a line.
    pub fn units(self, part: &str) -> usize {
        match self {
            Self::Utf16 if !part.is_ascii() => part.encode_utf16().count(),
            Self::Utf8 | Self::Utf16 => part.len(),
        }
    }
}

/// A line, from 0, and a column in it, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column, in the editor's encoding.
    pub column: u32,
}

/// Where the lines of a text begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    /// The lines of a text.
    pub fn of(text: &str) -> Self {
        let breaks = memchr::memchr_iter(b'\n', text.as_bytes());
        Self {
            starts: std::iter::once(0).chain(breaks.map(|at| at + 1)).collect(),
        }
    }

    /// The number of lines; the part after the last line end counts as one.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The bytes of a line, without its end.
    pub fn range(&self, text: &str, line: usize) -> Range<usize> {
        let start = self.starts.get(line).copied().unwrap_or(text.len());
        let end = self.starts.get(line + 1).copied().unwrap_or(text.len() + 1) - 1;
        let end = end.clamp(start, text.len());
        let content = text.get(start..end).unwrap_or_default();
        start..start + content.trim_end_matches('\r').len()
    }

    /// The line of an offset.
    pub fn line(&self, offset: usize) -> usize {
        self.starts
            .partition_point(|&start| start <= offset)
            .saturating_sub(1)
    }

    /// The position of an offset; an offset behind the end is the end.
    pub fn position(&self, text: &str, offset: usize, encoding: Encoding) -> Position {
        let offset = floor(text, offset);
        let line = self.line(offset);
        let start = self.starts.get(line).copied().unwrap_or(0);
        let before = text.get(start..offset).unwrap_or_default();
        let column = encoding.units(before);
        Position {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
        }
    }

    /// The offset of a position. One behind the end of a line is the end of that line.
    pub fn offset(&self, text: &str, position: Position, encoding: Encoding) -> usize {
        let line = usize::try_from(position.line).unwrap_or(usize::MAX);
        if line >= self.starts.len() {
            return text.len();
        }
        let range = self.range(text, line);
        let content = text.get(range.clone()).unwrap_or_default();
        let column = usize::try_from(position.column).unwrap_or(usize::MAX);
        let within = match encoding {
            Encoding::Utf8 => floor(content, column),
            Encoding::Utf16 => {
                let mut units = 0;
                let passed = content.chars().take_while(|c| {
                    units += c.len_utf16();
                    units <= column
                });
                passed.map(char::len_utf8).sum()
            }
        };
        range.start + within
    }
}

/// The last boundary of a character at or before an offset.
fn floor(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_in_the_editors_units() {
        let text = "ab\r\nß𝄞x\n";
        let lines = Lines::of(text);
        assert_eq!(lines.count(), 3);
        let x = text.find('x').expect("there is one");
        let at = |column| Position { line: 1, column };
        assert_eq!(lines.position(text, x, Encoding::Utf16), at(3));
        assert_eq!(lines.position(text, x, Encoding::Utf8), at(6));
        assert_eq!(lines.offset(text, at(3), Encoding::Utf16), x);
        assert_eq!(lines.offset(text, at(6), Encoding::Utf8), x);
    }

    #[test]
    fn positions_outside_of_a_line_are_its_end() {
        let text = "ab\r\ncd";
        let lines = Lines::of(text);
        let offset = |line, column| lines.offset(text, Position { line, column }, Encoding::Utf16);
        assert_eq!((offset(0, 99), offset(1, 99), offset(9, 0)), (2, 6, 6));
        assert_eq!(
            lines.position(text, 99, Encoding::Utf8),
            Position { line: 1, column: 2 }
        );
    }
}
