//! Structured attribute values.

use super::enums::MultimemReduction;
use super::preview::PreviewAttr;
use super::types::{AnyType, Tile};
use crate::literal::{Dense, Literal};

/// A self-describing value: an element of an array, an entry of a dictionary.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Attr {
    /// An integer or a float.
    Number(Literal),
    /// A Boolean.
    Bool(bool),
    /// A type.
    Type(AnyType),
    /// A string.
    String(String),
    /// A list.
    Array(Vec<Attr>),
    /// The elements of a tile.
    Dense(Tile, Dense),
    /// A predicate of `assume`.
    Predicate(Predicate),
    /// A dictionary.
    Dict(Dict),
    /// Hints.
    Hints(Hints),
    /// A multicast reduction.
    Reduction(MultimemReduction),
    /// Preview content.
    Preview(Box<PreviewAttr>),
}

impl From<PreviewAttr> for Attr {
    fn from(attr: PreviewAttr) -> Self {
        Self::Preview(Box::new(attr))
    }
}

/// Named values, in the order of the file, with distinct names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Dict(pub Vec<(String, Attr)>);

impl Dict {
    /// The value of this name.
    pub fn get(&self, name: &str) -> Option<&Attr> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }
}

/// Optimisation hints of the front end for some architectures; they never change the results of a program.
///
/// The keys are architectures (`sm_90`) or `default`, the values dictionaries of hints such as `latency`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hints(pub Vec<(String, Dict)>);

impl Hints {
    /// The hints for an architecture, without the default.
    pub fn get(&self, architecture: &str) -> Option<&Dict> {
        self.0
            .iter()
            .find(|(key, _)| key == architecture)
            .map(|(_, value)| value)
    }

    /// Sets a hint for an architecture.
    pub fn set(&mut self, architecture: &str, hint: &str, value: Attr) {
        let known = self.0.iter().position(|(key, _)| key == architecture);
        let at = known.unwrap_or_else(|| {
            self.0.push((architecture.to_owned(), Dict::default()));
            self.0.len() - 1
        });
        let Some((_, Dict(entries))) = self.0.get_mut(at) else {
            return;
        };
        match entries.iter_mut().find(|(name, _)| name == hint) {
            Some((_, old)) => *old = value,
            None => entries.push((hint.to_owned(), value)),
        }
    }

    /// A hint for an architecture: its own, or the default.
    pub fn lookup(&self, architecture: &str, hint: &str) -> Option<&Attr> {
        let own = self.get(architecture).and_then(|dict| dict.get(hint));
        own.or_else(|| self.get("default").and_then(|dict| dict.get(hint)))
    }
}

/// The name of a global.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Symbol(pub String);

crate::keywords! {
    /// The word that a predicate of `assume` begins with.
    pub enum PredicateWord {
        /// Each element, or the address of a tensor, is divisible by a power of two.
        DivBy = "div_by",
        /// Along each dimension, groups of so many consecutive elements are equal.
        SameElements = "same_elements",
        /// Each element lies between two bounds, both included, as a signed number.
        Bounded = "bounded",
    }
}

/// A predicate of `assume` on a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Predicate {
    /// Each element (of a tensor: its address) is divisible.
    DivBy {
        /// By this power of two.
        divisor: u64,
        /// If not each element: the first of every group of this many…
        every: Option<i64>,
        /// …along this dimension; the rest of a group are consecutive integers.
        along: Option<i64>,
    },
    /// Along each dimension, groups of this many consecutive elements are equal.
    SameElements(Vec<i64>),
    /// Each element lies between these bounds, both included, as a signed number.
    Bounded {
        /// The lower bound.
        lower: Option<i64>,
        /// The upper bound.
        upper: Option<i64>,
    },
}
