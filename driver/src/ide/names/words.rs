//! The places of a name among the words of a text, so that those of broken texts are found as well.

use std::ops::Range;

use crate::ide::tokens::{Token, words};

/// The places of a name in a text.
pub(super) fn uses<'t>(
    text: &'t str,
    name: &'t str,
    is_name: fn(&str, &Token) -> bool,
) -> impl Iterator<Item = Range<usize>> + 't {
    let all = words(text).filter(move |word| is_name(text, word));
    all.map(|word| word.at)
        .filter(move |at| text.get(at.clone()) == Some(name))
}

/// The name that a text has at an offset, whether it is defined or not.
pub(super) fn at(text: &str, offset: usize, is_name: fn(&str, &Token) -> bool) -> Option<Range<usize>> {
    // No word goes beyond its line.
    let line = text.get(..offset)?.rfind('\n').map_or(0, |end| end + 1);
    let rest = text.get(line..)?;
    let rest = rest.split_once('\n').map_or(rest, |(line, _)| line);
    let found = words(rest)
        .find(|word| line + word.at.start <= offset && offset <= line + word.at.end && is_name(rest, word))?;
    Some(line + found.at.start..line + found.at.end)
}
