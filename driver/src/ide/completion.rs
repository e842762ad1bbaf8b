//! What can be typed at an offset: what the parser accepts there.

pub use tilewright_grammar::cuda_tile::WordKind;
use tilewright_grammar::cuda_tile::{Expected, ExpectedValue, ExpectedWord, expected_after};
use tilewright_irs::cuda_tile::TileOpSpec;
use tilewright_irs::cute_types::Dialect;
use tilewright_irs::mlir::MlirOp;

use super::functions::function_at;
use super::ops::{Op, op, ops};
use super::outline::brackets;
use super::snippets;
use super::tokens::{Kind, Token, words};
use crate::database::Compiler;
use crate::inputs::Source;
use crate::reading;
use crate::units::{Language, Stage};

/// Something that can be typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A value, with its type.
    Value {
        /// Its name, with the sigil.
        name: String,
        /// Its type.
        ty: Option<String>,
        /// Whether it has the type that is expected.
        fits: bool,
    },
    /// An op, and its text with placeholders, if that is known.
    Op(&'static Op, Option<String>),
    /// A word of the language, its kind, and its text with placeholders, if it has any.
    Word(&'static str, WordKind, Option<&'static str>),
    /// An attribute of an op.
    Attribute(&'static str),
}

/// What can be typed at an offset, and the bytes of the word that it would replace. The best come first.
pub fn completions(db: &Compiler, source: Source, offset: usize) -> (std::ops::Range<usize>, Vec<Item>) {
    let none = (offset..offset, Vec::new());
    let Ok(text) = std::str::from_utf8(source.bytes(db)) else {
        return none;
    };
    let line = line_start(text, offset);
    let line = text.get(line..offset).unwrap_or_default();
    let kind = words(line).last().map(|token| token.kind);
    if matches!(kind, Some(Kind::Comment)) || matches!(kind, Some(Kind::Str)) && !line.ends_with('"') {
        return none;
    }
    let start = offset - typed(line).len();
    let before = text.get(..start).unwrap_or_default();
    let range = start..offset;
    if let Some(before) = before.strip_suffix('%') {
        let language = reading::parse(db, source).language;
        let expected = match language {
            Some(Language::CudaTile) => expected_after(before).values,
            Some(_) | None => Vec::new(),
        };
        let items = match expected.is_empty() {
            // The parser does not know of a value here.
            true => values(db, source, text, offset),
            false => expected.into_iter().map(value).collect(),
        };
        return (before.len()..offset, items);
    }
    if before.ends_with(['@', '#', '!', '^', '"']) || typed(line).starts_with(|c: char| c.is_ascii_digit()) {
        return (range, Vec::new());
    }
    let items = match reading::parse(db, source).language {
        Some(Language::CudaTile) => tile_items(before),
        Some(language) => {
            let dialect = dialect(db, source, offset);
            let is_known =
                |op: &Op| language != Language::Cute || MlirOp::by_mlir_name(op.name, dialect).is_some();
            let mut items = stage_items(language, before);
            items.retain(|item| match item {
                Item::Op(op, _) => is_known(op),
                Item::Value { .. } | Item::Word(..) | Item::Attribute(_) => true,
            });
            items
        }
        None => Vec::new(),
    };
    (range, items)
}

/// The dialect of the function at an offset, if that is of `cute`.
fn dialect(db: &Compiler, source: Source, offset: usize) -> Dialect {
    match function_at(db, source, offset).map(|function| function.body) {
        Some(Stage::Cute(kernel)) => kernel.func.attrs.dialect,
        _ => Dialect::Library,
    }
}

/// The word that a line ends with, without extents before an element type (`64xf3`).
fn typed(line: &str) -> &str {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$');
    let length = line.bytes().rev().take_while(is_word).count();
    let (before, word) = line.split_at(line.len() - length);
    let extent = |c: char| c.is_ascii_digit() || c == 'x';
    let extents = word.split_at(word.find(|c| !extent(c)).unwrap_or(word.len())).0;
    let extents = extents.rfind('x').map_or(0, |at| at + 1);
    let is_type = before.ends_with('?') || word.starts_with(|c: char| c.is_ascii_digit());
    word.split_at(if is_type { extents } else { 0 }).1
}

fn value(value: ExpectedValue) -> Item {
    Item::Value {
        name: format!("%{}", value.name),
        ty: value.ty.as_ref().map(ToString::to_string),
        fits: value.fits,
    }
}

/// What the parser of `cuda_tile` accepts after a text.
fn tile_items(before: &str) -> Vec<Item> {
    let Expected { words, values, ops } = expected_after(before);
    // Where a line begins, words are items of a module.
    let word = |word: ExpectedWord| {
        let snippet = snippets::item(word.text).filter(|_| ops.is_empty());
        Item::Word(word.text, word.kind, snippet)
    };
    let op = |spec: &&'static TileOpSpec| {
        let op = op(Language::CudaTile, spec.name)?;
        Some(Item::Op(op, Some(snippets::op(spec))))
    };
    let words: Vec<_> = words.into_iter().map(word).collect();
    let values = values.into_iter().map(value);
    values.chain(words).chain(ops.iter().filter_map(op)).collect()
}

/// What may follow a text of another language, as far as the declarations of its ops tell: ops in functions, and their
/// attributes in braces.
fn stage_items(language: Language, before: &str) -> Vec<Item> {
    let line = before.get(line_start(before, before.len())..).unwrap_or_default();
    let tokens: Vec<_> = words(line).collect();
    let text = |token: &Token| line.get(token.at.clone()).unwrap_or_default();
    let last = tokens.last().map(text);
    let named = tokens.iter().find_map(|token| op(language, text(token)));
    let open = |bracket: &str| tokens.iter().filter(|token| text(token) == bracket).count();
    if let Some(named) = named {
        if open("{") == open("}") || !matches!(last, Some("{" | ",")) {
            return Vec::new();
        }
        let given: Vec<_> = tokens.iter().map(text).collect();
        let left = named.attributes.iter().filter(|name| !given.contains(name));
        return left.map(|name| Item::Attribute(name)).collect();
    }
    // At the head of a statement, or after the `=` of its results.
    let results = tokens.first().is_some_and(|token| token.kind == Kind::Value);
    let begins = tokens.is_empty() || results && last == Some("=");
    let depth = |brace: char| before.matches(brace).count();
    if !begins || depth('{') <= depth('}') {
        return Vec::new();
    }
    ops(language).iter().map(|op| Item::Op(op, None)).collect()
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
            fits: true,
        })
    });
    items.collect()
}

fn line_start(text: &str, offset: usize) -> usize {
    let before = text.get(..offset).unwrap_or_default();
    before.rfind('\n').map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::typed;

    #[test]
    fn the_word_that_is_typed_has_no_extents() {
        for (line, word) in [
            ("%a = add", "add"),
            ("  %x", "x"),
            ("tile<64xf3", "f3"),
            ("tile<4x?x8xbf", "bf"),
            ("tensor_view<?xf", "f"),
            ("tile<x", "x"),
            ("exp", "exp"),
            ("= ", ""),
            ("tile<64x", ""),
            ("<i32: 12", "12"),
        ] {
            assert_eq!(typed(line), word, "{line}");
        }
    }
}
