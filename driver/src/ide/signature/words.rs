//! Splits typed text and forms into words.

use crate::ide::tokens::{Kind, words};

/// The words of a text; `->` is one.
pub(super) fn spelled(text: &str) -> impl Iterator<Item = (Kind, &str)> {
    let mut words = words(text).peekable();
    std::iter::from_fn(move || {
        let word = words.next()?;
        let mut end = word.at.end;
        let is_arrow = text
            .get(word.at.start..)
            .is_some_and(|rest| rest.starts_with("->"));
        if word.kind == Kind::Mark && is_arrow {
            end = words.next().map_or(end, |head| head.at.end);
        }
        Some((word.kind, text.get(word.at.start..end)?))
    })
}
