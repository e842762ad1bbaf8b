//! Aliases, `#name = attribute` and `!name = type`: by the words of the text, so that those of broken texts are found as well.

use std::ops::Range;

use crate::ide::tokens::{Kind, Token, words};

/// An alias that a text defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias<'t> {
    /// Its name, with the sigil.
    pub name: &'t str,
    /// The bytes of its name where it is defined.
    pub at: Range<usize>,
    /// The bytes of the definition.
    pub whole: Range<usize>,
    /// What it stands for.
    pub meaning: &'t str,
}

impl Alias<'_> {
    /// Whether it is the place of an op in a source, or another part of debug information.
    pub fn is_debug(&self) -> bool {
        let debug = ["loc(", "#cuda_tile.di_"];
        debug.iter().any(|start| self.meaning.starts_with(start))
    }
}

/// The aliases that a text defines, in its order.
pub fn aliases(text: &str) -> Vec<Alias<'_>> {
    let mut words = words(text).peekable();
    let mut all = Vec::new();
    // A definition stands at the head of a line.
    let mut line_ended = 0;
    while let Some(word) = words.next() {
        let before = text.get(line_ended..word.at.start).unwrap_or_default();
        let begins_line = line_ended == 0 || before.contains('\n');
        line_ended = word.at.end;
        let equals = |next: &Token| text.get(next.at.clone()) == Some("=");
        if !(begins_line && is_alias(text, &word)) || words.next_if(equals).is_none() {
            continue;
        }
        let (mut end, mut depth) = (word.at.end, 0usize);
        let mut start = None;
        while let Some(next) = words.peek() {
            let between = text.get(end..next.at.start).unwrap_or_default();
            if start.is_some() && depth == 0 && between.contains('\n') {
                break;
            }
            match text.get(next.at.clone()) {
                Some("<" | "(" | "[" | "{") => depth += 1,
                Some(">" | ")" | "]" | "}") => depth = depth.saturating_sub(1),
                _ => {}
            }
            if next.kind != Kind::Comment {
                start.get_or_insert(next.at.start);
                end = next.at.end;
            }
            words.next();
        }
        line_ended = end;
        let meaning = text.get(start.unwrap_or(end)..end).unwrap_or_default();
        all.push(Alias {
            name: text.get(word.at.clone()).unwrap_or_default(),
            whole: word.at.start..end,
            at: word.at,
            meaning,
        });
    }
    all
}

/// Whether a word is an alias. The number of a result, as in `%x#1`, is not one, and neither is a name of the language, which has
/// a dot.
pub(super) fn is_alias(text: &str, word: &Token) -> bool {
    let name = text.get(word.at.start + 1..word.at.end).unwrap_or_default();
    word.kind == Kind::Alias && is_name(name)
}

/// Whether an alias may have a name.
pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$'))
        && name != "cuda_tile"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::names::words::uses;

    #[test]
    fn definitions_go_on_as_long_as_brackets_are_open() {
        let text = "#a = linear<\n  reg = [1]> // c\n!t=tile<4xf32>\n#loc = loc(\"f\":1:2)\n%x#1 = f {b = #a}\n#c =\n";
        let all: Vec<_> = aliases(text)
            .iter()
            .map(|alias| (alias.name, alias.meaning, alias.is_debug()))
            .collect();
        assert_eq!(
            all,
            [
                ("#a", "linear<\n  reg = [1]>", false),
                ("!t", "tile<4xf32>", false),
                ("#loc", "loc(\"f\":1:2)", true),
                ("#c", "", false),
            ]
        );
        let uses: Vec<_> = uses(text, "#a", is_alias).map(|at| at.start).collect();
        assert_eq!(uses, [0, text.find("#a}").expect("a use")]);
    }
}
