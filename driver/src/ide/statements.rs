//! Finds the statement around a place by the words of the text, so that it works in text that cannot be parsed.

use super::ops::{Op, op};
use super::tokens::{Kind, Token, words};
use crate::units::Language;

/// How many lines before the place are searched for the op of a statement.
const MOST_LINES: usize = 32;

/// The op of the statement that a text ends in, and where its name ends; `None` in a comment.
pub fn last_op(language: Language, text: &str) -> Option<(&'static Op, usize)> {
    let named = |words: &[Token], line: &str, at: usize| {
        let word = |at: usize| words.get(at).and_then(|word| line.get(word.at.clone()));
        // At the head of a statement, or after the names of its results.
        let begins = match at.checked_sub(1) {
            None => true,
            Some(before) => {
                let results = before.checked_sub(1).and_then(|at| words.get(at));
                let is_value = |word: &Token| matches!(word.kind, Kind::Value | Kind::Number);
                word(before) == Some("=") && results.is_some_and(is_value)
            }
        };
        // In the generic form of MLIR the name is in quotes.
        op(language, word(at)?.trim_matches('"')).filter(|_| begins)
    };
    let mut end = text.len();
    for _ in 0..MOST_LINES {
        let start = text.get(..end)?.rfind('\n').map_or(0, |at| at + 1);
        let line = text.get(start..end)?;
        let words: Vec<_> = words(line).collect();
        let last = words.last().map(|word| word.kind);
        if end == text.len() && last == Some(Kind::Comment) {
            return None;
        }
        let found = (0..words.len())
            .rev()
            .find_map(|at| Some((named(&words, line, at)?, words.get(at)?.at.end)));
        if let Some((op, name_end)) = found {
            return Some((op, start + name_end));
        }
        // The statement does not begin before a brace.
        if end < text.len() && line.trim_end().ends_with(['{', '}']) {
            return None;
        }
        end = start.checked_sub(1)?;
    }
    None
}
