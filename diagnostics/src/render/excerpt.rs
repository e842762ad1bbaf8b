//! The lines of a text that labels are on, those that are wider than the terminal cut around the labels.

use std::ops::Range;

/// What stands for the part of a line that is left out.
const ELLIPSIS: &str = "…";

/// A text with the same lines, of which only those from the first label to the last have content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Excerpt {
    pub(super) text: String,
    kept: Vec<Kept>,
}

/// What is kept of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Kept {
    /// The bytes of the line in the whole text.
    line: Range<usize>,
    /// The bytes that are kept.
    part: Range<usize>,
    /// Where the kept bytes begin in the excerpt.
    at: usize,
}

impl Excerpt {
    /// The excerpt of a text for labels on these bytes, the most important first, with lines of at most `width` columns. `None` if
    /// no line with a label is wider.
    pub(super) fn of(text: &str, labels: &[Range<usize>], width: usize) -> Option<Self> {
        let first = labels.iter().map(|label| label.start).min()?;
        let last = labels.iter().map(|label| label.end).max()?;
        let start = line_start(text, first);
        let end = text
            .get(last..)
            .and_then(|rest| rest.find('\n'))
            .map_or(text.len(), |at| last + at);
        let before = text.get(..start)?.matches('\n').count();
        let mut excerpt = Self {
            text: "\n".repeat(before),
            kept: Vec::new(),
        };
        let mut is_cut = false;
        let mut at = start;
        for content in text.get(start..end)?.split('\n') {
            let line = at..at + content.len();
            let part = cut(content, focus(&line, labels), width);
            let part = at + part.start..at + part.end;
            is_cut |= part != line;
            excerpt.keep(text, line, part);
            at += content.len() + 1;
        }
        is_cut.then_some(excerpt)
    }

    /// Adds what is kept of a line.
    fn keep(&mut self, text: &str, line: Range<usize>, part: Range<usize>) {
        let ellipsis = |left_out: bool| if left_out { ELLIPSIS } else { "" };
        self.text += ellipsis(line.start < part.start);
        let at = self.text.len();
        self.text += text.get(part.clone()).unwrap_or_default();
        self.text += ellipsis(part.end < line.end);
        self.text.push('\n');
        self.kept.push(Kept { line, part, at });
    }

    /// Where bytes of the whole text are in the excerpt: at the ellipsis, if they are left out.
    pub(super) fn range(&self, range: Range<usize>) -> Range<usize> {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        start.start..end.end
    }

    /// The place of a byte: empty if it is there, else the ellipsis that stands for it.
    fn offset(&self, at: usize) -> Range<usize> {
        let number = self.kept.partition_point(|kept| kept.line.start <= at);
        let Some(kept) = number.checked_sub(1).and_then(|number| self.kept.get(number)) else {
            return 0..0;
        };
        let end = kept.at + kept.part.len();
        if at < kept.part.start {
            kept.at - ELLIPSIS.len()..kept.at
        } else if at > kept.part.end && kept.part.end < kept.line.end {
            end..end + ELLIPSIS.len()
        } else {
            let there = kept.at + at.min(kept.part.end) - kept.part.start;
            there..there
        }
    }
}

/// Where the line of a byte begins.
fn line_start(text: &str, at: usize) -> usize {
    text.get(..at)
        .and_then(|before| before.rfind('\n'))
        .map_or(0, |end| end + 1)
}

/// The bytes that matter on a line, counted from its start: those of the first label that begins there, or else of one that ends there.
fn focus(line: &Range<usize>, labels: &[Range<usize>]) -> Range<usize> {
    let on_line = |at: usize| line.start <= at && at <= line.end;
    let begins = labels.iter().find(|label| on_line(label.start));
    let ends = labels.iter().find(|label| on_line(label.end));
    match (begins, ends) {
        (Some(label), _) => label.start - line.start..label.end.min(line.end) - line.start,
        (None, Some(label)) => label.end - line.start..label.end - line.start,
        (None, None) => 0..0,
    }
}

/// The bytes of a line that are shown in so many columns, with those that matter in the middle.
fn cut(line: &str, focus: Range<usize>, width: usize) -> Range<usize> {
    if line.chars().nth(width).is_none() {
        return 0..line.len();
    }
    // Two columns are for the ellipses.
    let room = width.saturating_sub(2).max(1);
    let (before, after) = line.split_at_checked(focus.start).unwrap_or((line, ""));
    let length = line.get(focus).map_or(0, |part| part.chars().take(room).count());
    let behind = after.chars().take(room).count();
    // What the end of the line leaves free is for what is before.
    let lead = ((room - length) / 2).max(room - behind);
    let start = before
        .char_indices()
        .rev()
        .take(lead)
        .last()
        .map_or(before.len(), |(at, _)| at);
    let rest = line.get(start..).unwrap_or_default();
    let end = rest
        .char_indices()
        .nth(room)
        .map_or(line.len(), |(at, _)| start + at);
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line of a label on a word, with the label in brackets.
    fn shown(text: &str, word: &str, width: usize) -> Option<String> {
        let at = text.find(word).expect("the word is there");
        let label = at..at + word.len();
        let excerpt = Excerpt::of(text, std::slice::from_ref(&label), width)?;
        let range = excerpt.range(label);
        let mut marked = excerpt.text.clone();
        marked.insert(range.end, ']');
        marked.insert(range.start, '[');
        assert!(excerpt.text.lines().all(|line| line.chars().count() <= width));
        Some(marked.trim_matches('\n').to_owned())
    }

    #[test]
    fn a_line_is_cut_around_its_label() {
        let text = "short\nabcdefghijklmnopqrstuvwxyz\nshort";
        let cases = [
            ("short", None),
            ("a", Some("[a]bcdefgh…")),
            ("m", Some("…jkl[m]nopq…")),
            ("z", Some("…stuvwxy[z]")),
            ("klmnopqrstuvw", Some("…[klmnopqr…]")),
        ];
        for (word, want) in cases {
            assert_eq!(shown(text, word, 10).as_deref(), want, "{word}");
        }
        assert_eq!(shown(text, "m", 26), None);
        assert_eq!(shown("ßßßßßßßßäßßßßßßß", "ä", 7).as_deref(), Some("…ßß[ä]ßß…"));
    }

    #[test]
    fn a_label_that_is_left_out_is_at_the_ellipsis() {
        let text = "abcdefghijklmnopqrstuvwxyz";
        let labels = [12..13, 0..1, 25..26];
        let excerpt = Excerpt::of(text, &labels, 10).expect("it is long");
        let word = |range: &Range<usize>| excerpt.text.get(excerpt.range(range.clone()));
        let words: Vec<_> = labels.iter().map(word).collect();
        assert_eq!(words, [Some("m"), Some("…"), Some("…")]);
    }

    #[test]
    fn lines_keep_their_numbers() {
        let text = format!("a\nb\n{}\nx\ny\n", "c".repeat(30));
        let at = text.find('x').expect("there is one");
        let excerpt = Excerpt::of(&text, &[5..6, at..at + 1], 10).expect("it is long");
        assert_eq!(excerpt.text, "\n\ncccccccc…\nx\n");
    }
}
