//! What can be typed at an offset: values in scope after `%`, ops where a statement has its name; and how the op there is
//! written.

use super::functions::function_at;
use super::ops::{Op, op, ops};
use super::outline::brackets;
use super::tokens::{Kind, Token, tokens};
use crate::database::Compiler;
use crate::inputs::Source;
use crate::reading;

/// Something that can be typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A value, with its type.
    Value {
        /// Its name, with the sigil.
        name: String,
        /// Its type.
        ty: Option<String>,
    },
    /// An op.
    Op(&'static Op),
}

/// What can be typed at an offset, and the bytes of the word that it would replace.
pub fn completions(db: &Compiler, source: Source, offset: usize) -> (std::ops::Range<usize>, Vec<Item>) {
    let Ok(text) = std::str::from_utf8(source.bytes(db)) else {
        return (offset..offset, Vec::new());
    };
    let line = line_start(text, offset);
    let before = text.get(line..offset).unwrap_or_default();
    let words = tokens(before);
    let last = words.last().filter(|token| token.at.end == before.len());
    let from = |token: &Token| line + token.at.start..offset;
    let word = last.and_then(|token| before.get(token.at.clone()));
    match last {
        Some(token) if token.kind == Kind::Value || word == Some("%") => {
            (from(token), values(db, source, text, offset))
        }
        Some(token) if matches!(token.kind, Kind::Comment | Kind::Str | Kind::Number) => {
            (from(token), Vec::new())
        }
        _ => {
            let is_word = last.filter(|token| token.kind == Kind::Word);
            let rest = match is_word {
                Some(_) => words.get(..words.len() - 1).unwrap_or_default(),
                None => words.as_slice(),
            };
            // At the head of a statement, or after the `=` of its results.
            let after_results = rest
                .last()
                .is_some_and(|token| before.get(token.at.clone()) == Some("="))
                && rest.first().is_some_and(|token| token.kind == Kind::Value);
            let range = is_word.map_or(offset..offset, from);
            let language = reading::parse(db, source).language;
            match language.filter(|_| rest.is_empty() || after_results) {
                Some(language) => (range, ops(language).iter().map(Item::Op).collect()),
                None => (range, Vec::new()),
            }
        }
    }
}

/// The values that are in scope: those defined before, in the regions around.
fn values(db: &Compiler, source: Source, text: &str, offset: usize) -> Vec<Item> {
    let Some(function) = function_at(db, source, offset) else {
        return Vec::new();
    };
    let line = line_start(text, offset);
    let pairs = brackets(text);
    let closed = |at: usize| {
        // The innermost braces around the definition must be around the offset too.
        let around = pairs.iter().filter(|pair| {
            text.get(pair.start.saturating_sub(1)..pair.start) == Some("{")
                && pair.start <= at
                && at < pair.end
        });
        around
            .min_by_key(|pair| pair.end - pair.start)
            .is_some_and(|pair| offset < pair.start || pair.end < offset)
    };
    let mut seen = rustc_hash::FxHashSet::default();
    let defined = function
        .places
        .names()
        .rev()
        .filter(|name| name.at == name.defined);
    let items = defined.filter_map(|name| {
        let start = usize::try_from(name.at.start).ok()?;
        let end = usize::try_from(name.at.end).ok()?;
        let word = text.get(start..end)?.split(':').next()?;
        (end < line && !closed(start) && seen.insert(word)).then(|| Item::Value {
            name: format!("%{}", word.trim_start_matches('%')),
            ty: function.type_of(name.value),
        })
    });
    items.collect()
}

/// The op of the statement at an offset, and the part of its form that is being typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The op.
    pub op: &'static Op,
    /// The number of the part: as many commas stand before it.
    pub active: usize,
}

/// How the op of the line at an offset is written.
pub fn signature(db: &Compiler, source: Source, offset: usize) -> Option<Signature> {
    let text = std::str::from_utf8(source.bytes(db)).ok()?;
    let language = reading::parse(db, source).language?;
    let line = line_start(text, offset);
    let before = text.get(line..offset)?;
    let words = tokens(before);
    let named = |token: &&Token| token.kind == Kind::Word;
    let (at, op) = words
        .iter()
        .enumerate()
        .filter(|(_, token)| named(token))
        .find_map(|(at, token)| Some((at, op(language, before.get(token.at.clone())?)?)))?;
    let commas = words
        .iter()
        .skip(at)
        .filter(|token| before.get(token.at.clone()) == Some(","));
    let active = commas.count();
    Some(Signature { op, active })
}

fn line_start(text: &str, offset: usize) -> usize {
    let before = text.get(..offset).unwrap_or_default();
    before.rfind('\n').map_or(0, |at| at + 1)
}
