//! The files that diagnostics refer to: names, texts, line starts, and clamping of spans.

use crate::{FileId, Span};
use std::ops::Range;

/// A position in a text for display: 1-based, the column in characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters (Unicode scalar values).
    pub column: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct File {
    name: String,
    /// `None` for a binary file.
    text: Option<Text>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Text {
    text: String,
    /// The byte offset of each line; never empty, begins with 0.
    starts: Vec<usize>,
}

/// Every file that a diagnostic may name. It does no I/O: the caller adds the files.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Files {
    files: Vec<File>,
}

impl Files {
    /// No files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text file.
    pub fn add_text(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let text = text.into();
        let starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        self.add(File {
            name: name.into(),
            text: Some(Text { text, starts }),
        })
    }

    /// Adds a binary file, of which only the name is shown.
    pub fn add_binary(&mut self, name: impl Into<String>) -> FileId {
        self.add(File {
            name: name.into(),
            text: None,
        })
    }

    fn add(&mut self, file: File) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        self.files.push(file);
        id
    }

    fn get(&self, file: FileId) -> Option<&File> {
        self.files.get(usize::try_from(file.0).ok()?)
    }

    fn text_of(&self, file: FileId) -> Option<&Text> {
        self.get(file)?.text.as_ref()
    }

    /// The file's name, or `<unknown file>` for an id of another [`Files`].
    pub fn name(&self, file: FileId) -> &str {
        self.get(file).map_or("<unknown file>", |file| &file.name)
    }

    /// The file's text; `None` for a binary or unknown file.
    pub fn text(&self, file: FileId) -> Option<&str> {
        self.text_of(file).map(|text| text.text.as_str())
    }

    /// The text file of that name; the latest if there are several.
    pub fn find_text(&self, name: &str) -> Option<FileId> {
        let found = self
            .files
            .iter()
            .rposition(|file| file.name == name && file.text.is_some())?;
        u32::try_from(found).ok().map(FileId)
    }

    /// The span's bytes, clamped: in order, inside the text, at character boundaries, so that the text can be sliced
    /// with it. A span that begins at the end of the text is moved to the end of its last line that is not blank,
    /// where something is missing. `None` if the file has no text.
    pub fn clamp(&self, span: Span) -> Option<Range<usize>> {
        let text = self.text(span.file)?;
        let fit = |offset: u32| usize::try_from(offset).unwrap_or(usize::MAX).min(text.len());
        let (start, end) = (fit(span.start.min(span.end)), fit(span.start.max(span.end)));
        if start == text.len() {
            let end = text.trim_end().len();
            return Some(end..end);
        }
        Some(text.floor_char_boundary(start)..text.ceil_char_boundary(end))
    }

    /// The bytes of a line (`line` from 0), without its line end.
    pub fn line_range(&self, file: FileId, line: usize) -> Option<Range<usize>> {
        let Text { text, starts } = self.text_of(file)?;
        let start = *starts.get(line)?;
        let end = starts.get(line + 1).map_or(text.len(), |next| next - 1);
        let length = text.get(start..end)?.trim_end_matches('\r').len();
        Some(start..start + length)
    }

    /// The line (from 0) that contains a byte; the last line for a byte past the end.
    pub fn line_index(&self, file: FileId, byte: usize) -> Option<usize> {
        let text = self.text_of(file)?;
        Some(
            text.starts
                .partition_point(|start| *start <= byte)
                .saturating_sub(1),
        )
    }

    /// The position of a byte for display. A byte past the end counts as the end, one inside a character as that
    /// character.
    pub fn position(&self, file: FileId, byte: usize) -> Option<Position> {
        let text = self.text_of(file)?;
        let byte = text.text.floor_char_boundary(byte.min(text.text.len()));
        let line = self.line_index(file, byte)?;
        let before = text.text.get(*text.starts.get(line)?..byte)?;
        Some(Position {
            line: line + 1,
            column: before.chars().count() + 1,
        })
    }

    /// The span of the word at a line (from 1) and column (from 0, in bytes), as debug information stores them: up to
    /// the end of the name or number that begins there, at least one character, and never beyond the line. `None` if
    /// the file has no such line.
    pub fn word_at(&self, file: FileId, line: u32, column: u32) -> Option<Span> {
        let line = self.line_range(file, usize::try_from(line).ok()?.checked_sub(1)?)?;
        let text = self.text(file)?;
        let start = line
            .start
            .saturating_add(usize::try_from(column).ok()?)
            .min(line.end);
        let start = text.floor_char_boundary(start);
        let rest = text.get(start..line.end)?;
        let word = |c: &char| c.is_alphanumeric() || *c == '_';
        let length: usize = rest.chars().take_while(word).map(char::len_utf8).sum();
        let length = length.max(rest.chars().next().map_or(0, char::len_utf8));
        Some(Span::new(file, start, start + length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> (Files, FileId) {
        let mut files = Files::new();
        files.add_binary("kernel.bc");
        let id = files.add_text("a.py", "äb = 1\r\n\nlast");
        (files, id)
    }

    #[test]
    fn spans_are_ordered_and_moved_to_character_boundaries() {
        let (files, id) = sample();
        assert_eq!(files.clamp(Span::new(id, 1, 1)), Some(0..2));
        assert_eq!(files.clamp(Span::new(id, 3, 0)), Some(0..3));
        assert_eq!(files.clamp(Span::new(id, 90, 5)), Some(5..14));
        assert_eq!(files.clamp(Span::new(id, 14, 20)), Some(14..14));
        assert_eq!(files.clamp(Span::new(FileId(0), 0, 1)), None);
        assert_eq!(files.clamp(Span::new(FileId(9), 0, 1)), None);
    }

    #[test]
    fn the_end_of_a_text_is_the_end_of_its_last_line() {
        let mut files = Files::new();
        let id = files.add_text("a", "b {\n  \n");
        assert_eq!(files.clamp(Span::new(id, 7, 7)), Some(3..3));
        assert_eq!(files.clamp(Span::new(id, 6, 7)), Some(6..7));
        let blank = files.add_text("c", "\n\n");
        assert_eq!(files.clamp(Span::new(blank, 2, 9)), Some(0..0));
    }

    #[test]
    fn lines_do_not_hold_their_ends() {
        let (files, id) = sample();
        let line = |n| {
            files
                .line_range(id, n)
                .and_then(|range| files.text(id)?.get(range))
        };
        assert_eq!(
            (line(0), line(1), line(2), line(3)),
            (Some("äb = 1"), Some(""), Some("last"), None)
        );
    }

    #[test]
    fn columns_count_characters_from_one() {
        let (files, id) = sample();
        assert_eq!(files.position(id, 0), Some(Position { line: 1, column: 1 }));
        assert_eq!(files.position(id, 1), Some(Position { line: 1, column: 1 }));
        assert_eq!(files.position(id, 2), Some(Position { line: 1, column: 2 }));
        assert_eq!(files.position(id, 9), Some(Position { line: 2, column: 1 }));
        assert_eq!(files.position(id, 999), Some(Position { line: 3, column: 5 }));
        assert_eq!(files.position(FileId(0), 0), None);
    }

    #[test]
    fn a_word_ends_with_its_line() {
        let (files, id) = sample();
        let word = |line, column| files.word_at(id, line, column).map(|span| (span.start, span.end));
        assert_eq!(word(1, 0), Some((0, 3)));
        assert_eq!(word(1, 1), Some((0, 3)));
        assert_eq!(word(1, 4), Some((4, 5)));
        assert_eq!(word(2, 7), Some((9, 9)));
        assert_eq!(word(3, 0), Some((10, 14)));
        assert_eq!((word(0, 0), word(4, 0)), (None, None));
        assert_eq!(word(3, u32::MAX), Some((14, 14)));
    }

    #[test]
    fn the_latest_text_of_a_name_is_found() {
        let (mut files, first) = sample();
        assert_eq!(files.find_text("a.py"), Some(first));
        let second = files.add_text("a.py", "");
        assert_eq!(files.find_text("a.py"), Some(second));
        assert_eq!(files.find_text("kernel.bc"), None);
    }
}
