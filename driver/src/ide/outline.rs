//! The outline of a file: its functions, what can be folded, and what a selection grows to.

use std::ops::Range;

use tilewright_diagnostics::Span;

use super::functions::functions;
use crate::database::Compiler;
use crate::inputs::Source;
use crate::units::Language;

/// A function in the outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// The language.
    pub language: Language,
    /// All of it.
    pub whole: Span,
    /// Its name in the text.
    pub at: Span,
}

/// The functions of a file.
pub fn symbols(db: &Compiler, source: Source) -> Vec<Symbol> {
    let all = functions(db, source).into_iter();
    let symbol = |function: super::functions::Function<'_>| {
        let whole = function.whole()?;
        let at = function.name_span()?;
        // A name that could not be read lies where the function does.
        let at = if at.start < whole.start || whole.end < at.end {
            whole
        } else {
            at
        };
        Some(Symbol {
            name: function.name.to_owned(),
            language: function.body.language(),
            whole,
            at,
        })
    };
    all.filter_map(symbol).collect()
}

/// The pairs of brackets in a text, in the order of their opening: the bytes between them. Comments and strings have none.
pub fn brackets(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut pairs = Vec::new();
    let mut open: Vec<(u8, usize)> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                let rest = text.get(at..).unwrap_or_default();
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            b'"' => {
                at += 1;
                while let Some(&inner) = bytes.get(at) {
                    match inner {
                        b'\\' => at += 1,
                        b'"' | b'\n' => break,
                        _ => {}
                    }
                    at += 1;
                }
            }
            b'{' | b'(' | b'[' => open.push((byte, at + 1)),
            b'}' | b')' | b']' => {
                let opening = match byte {
                    b'}' => b'{',
                    b')' => b'(',
                    _ => b'[',
                };
                if let Some(depth) = open.iter().rposition(|(kind, _)| *kind == opening)
                    && let Some((_, start)) = open.drain(depth..).next()
                {
                    pairs.push(start..at);
                }
            }
            _ => {}
        }
        at += 1;
    }
    pairs.sort_by_key(|pair| (pair.start, std::cmp::Reverse(pair.end)));
    pairs
}

/// The ranges that a selection at an offset grows to, the smallest first: word, line, brackets, file.
pub fn selections(text: &str, offset: usize) -> Vec<Range<usize>> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '%' | '@' | '.' | '$' | '#' | '!');
    let before = text.get(..offset).unwrap_or_default();
    let after = text.get(offset..).unwrap_or_default();
    let word_start = before.rfind(|c| !is_word(c)).map_or(0, |at| {
        at + before
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .map_or(1, char::len_utf8)
    });
    let word_end = offset + after.find(|c| !is_word(c)).unwrap_or(after.len());
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line_end = offset + after.find('\n').unwrap_or(after.len());
    let line = text.get(line_start..line_end).unwrap_or_default();
    let trimmed = line_start + (line.len() - line.trim_start().len())..line_start + line.trim_end().len();
    let mut all = vec![word_start..word_end, trimmed, line_start..line_end, 0..text.len()];
    for pair in brackets(text) {
        if pair.start <= offset && offset <= pair.end {
            all.push(pair.clone());
            all.push(pair.start.saturating_sub(1)..(pair.end + 1).min(text.len()));
        }
    }
    all.retain(|range| range.start <= offset && offset <= range.end && !range.is_empty());
    all.sort_by_key(|range| range.end - range.start);
    all.dedup();
    // Each contains the one before it.
    let mut chain: Vec<Range<usize>> = Vec::new();
    for range in all {
        if chain
            .last()
            .is_none_or(|last| range.start <= last.start && last.end <= range.end)
        {
            chain.push(range);
        }
    }
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_comments_and_strings_are_none() {
        let text = "f({ a } // }\n \"}\\\"}\" [])";
        let inside: Vec<_> = brackets(text).into_iter().map(|pair| &text[pair]).collect();
        assert_eq!(inside, ["{ a } // }\n \"}\\\"}\" []", " a ", ""]);
    }

    #[test]
    fn a_selection_grows_from_the_word_to_the_file() {
        let text = "f {\n  %abc = g\n}\n";
        let grown: Vec<_> = selections(text, 8)
            .into_iter()
            .map(|range| &text[range])
            .collect();
        assert_eq!(
            grown,
            [
                "%abc",
                "%abc = g",
                "  %abc = g",
                "\n  %abc = g\n",
                "{\n  %abc = g\n}",
                text
            ]
        );
    }
}
