//! What the parser accepts at a place, as data: error messages name it, a misspelt word is compared with it, and an editor
//! offers it.

use tilewright_irs::core::nearest;
use tilewright_irs::cuda_tile::enums::{EnumCase, EnumSpec};
use tilewright_irs::cuda_tile::{AttrKind, FieldKind, TileFieldSpec, TileOpSpec};

/// Something that the parser accepts at a place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Alternative {
    /// A keyword or punctuation.
    Text(&'static str),
    /// One of several keywords.
    Words(&'static [&'static str]),
    /// A case of the enumeration of an op's field.
    Field(&'static TileOpSpec, &'static TileFieldSpec),
    /// A case of an enumeration.
    Enum(&'static EnumSpec),
    /// An element type, with a description of its use.
    Element(&'static str, &'static [&'static str]),
    /// A type of a value, which begins with one of these words.
    Type(&'static str, &'static [&'static str]),
    /// A value.
    Value,
    /// A value as an operand.
    Operand(&'static TileFieldSpec),
    /// Something else, in words.
    Other(&'static str),
}

impl From<&'static str> for Alternative {
    fn from(words: &'static str) -> Self {
        Self::Other(words)
    }
}

impl Alternative {
    /// The words that may be written.
    pub(crate) fn words(self) -> Vec<&'static str> {
        match self {
            Self::Text(word) => vec![word],
            Self::Words(words) | Self::Element(_, words) | Self::Type(_, words) => words.to_vec(),
            Self::Field(_, field) => cases(field),
            Self::Enum(spec) => spec.cases.iter().map(|case| case.word).collect(),
            Self::Value | Self::Operand(_) | Self::Other(_) => Vec::new(),
        }
    }

    /// How a message names it.
    fn describe(self) -> String {
        let list = || quoted(&self.words()).join(", ");
        match self {
            Self::Text(word) => format!("`{word}`"),
            Self::Words(_) => joined(&quoted(&self.words())),
            Self::Field(op, field) => match kind(field) {
                Some(spec) => format!("the {} of `{}`, one of {}", spaced(spec.name), op.name, list()),
                None => field.name.to_owned(),
            },
            Self::Enum(_) => format!("one of {}", list()),
            Self::Element(what, _) => format!("{what}, one of {}", list()),
            Self::Type(what, _) | Self::Other(what) => what.to_owned(),
            Self::Value | Self::Operand(_) => "a value".to_owned(),
        }
    }
}

/// The enumeration of a field.
fn kind(field: &TileFieldSpec) -> Option<&'static EnumSpec> {
    match field.kind {
        FieldKind::Attr(AttrKind::Enum(spec)) | FieldKind::OptionalAttr(AttrKind::Enum(spec)) => Some(spec),
        _ => None,
    }
}

/// The cases that a field may have.
fn cases(field: &TileFieldSpec) -> Vec<&'static str> {
    let allowed = |case: &&EnumCase| field.allowed.is_empty() || field.allowed.contains(&case.code);
    let all = kind(field).map_or(&[][..], |spec| spec.cases);
    all.iter().filter(allowed).map(|case| case.word).collect()
}

/// The most alternatives of one place that are kept.
const MOST: usize = 8;

/// The alternatives that were tried at the next token, without success.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tried {
    all: [Alternative; MOST],
    count: usize,
}

impl Tried {
    /// None yet.
    pub(crate) const NONE: Self = Self {
        all: [Alternative::Value; MOST],
        count: 0,
    };

    /// Adds one.
    pub(crate) fn note(&mut self, alternative: Alternative) {
        if let Some(place) = self.all.get_mut(self.count) {
            *place = alternative;
            self.count += 1;
        }
    }

    /// Begins again, at another token.
    pub(crate) fn clear(&mut self) {
        self.count = 0;
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[Alternative] {
        self.all.get(..self.count).unwrap_or(&self.all)
    }

    /// How a message names them: each once, in the order in which they were tried.
    pub(crate) fn describe(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        for part in self.all().iter().map(|one| one.describe()) {
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        joined(&parts)
    }

    /// The word that another one was probably meant to be.
    pub(crate) fn meant(&self, word: &str) -> Option<&'static str> {
        let words: Vec<_> = self.all().iter().flat_map(|one| one.words()).collect();
        let begins = |word: &&str| word.starts_with(|c: char| c.is_ascii_alphabetic());
        nearest(word, words.into_iter().filter(begins))
    }
}

fn quoted(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| format!("`{word}`")).collect()
}

/// `a, b or c`
fn joined(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

/// `RoundingMode` as `rounding mode`.
pub(crate) fn spaced(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push(' ');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}
