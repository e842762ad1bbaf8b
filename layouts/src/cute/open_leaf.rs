//! Leaves of the open dialect's types.

use std::fmt;

use super::basis::Scaled;
use super::error::CuteError;
use super::fact::Fact;
use super::int::Int;
use super::leaf::Leaf;
use super::traced::RunTime;
use super::type_leaf::TypeLeaf;

/// A leaf under the rules of NVIDIA's open `cute` dialect: its types know nothing of a dynamic leaf but the width, and its algebra
/// differs in places from the library's (see [`Leaf::OPEN`]).
///
/// ```
/// use tilewright_layouts::cute::{Fact, Leaf as _, Open};
/// let (four, any): (Fact, Fact) = ("4".parse()?, "?".parse()?);
/// assert_eq!(four.times(&any)?.to_string(), "?{div=4}");
/// assert_eq!(Open(four).times(&Open(any))?.to_string(), "?");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Open<L>(pub L);

impl<L: TypeLeaf> Open<L> {
    /// Forgets the divisor.
    fn of(leaf: L) -> Self {
        match leaf.fact() {
            Fact::Static(_) => Self(leaf),
            fact @ Fact::Dynamic { .. } => Self(leaf.known_as(Fact::opaque(fact.width()))),
        }
    }
}

impl<L: fmt::Display> fmt::Display for Open<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<L: From<u64>> From<u64> for Open<L> {
    fn from(value: u64) -> Self {
        Self(L::from(value))
    }
}

impl<L: TypeLeaf> Leaf for Open<L> {
    type Stride = Scaled<Self>;
    const STRICT: bool = false;
    const OPEN: bool = true;

    fn known(&self) -> Option<i128> {
        self.0.known()
    }
    fn plus(&self, other: &Self) -> Result<Self, CuteError> {
        self.0.plus(&other.0).map(Self::of)
    }
    fn minus(&self, other: &Self) -> Result<Self, CuteError> {
        self.0.minus(&other.0).map(Self::of)
    }
    fn times(&self, other: &Self) -> Result<Self, CuteError> {
        self.0.times(&other.0).map(Self::of)
    }
    fn ceil_div(&self, other: &Self) -> Result<Self, CuteError> {
        self.0.ceil_div(&other.0).map(Self::of)
    }
    fn shape_div(&self, other: &Self) -> Result<Self, CuteError> {
        self.0.shape_div(&other.0).map(Self::of)
    }
    fn quotient(&self, other: &Self) -> Option<Self> {
        self.0.quotient(&other.0).map(Self::of)
    }
    fn remainder(&self, other: &Self) -> Option<Self> {
        self.0.remainder(&other.0).map(Self::of)
    }
    fn lesser(&self, other: &Self) -> Option<Self> {
        self.0.lesser(&other.0).map(Self::of)
    }
    fn exact_quotient(&self, other: &Self) -> Option<Self> {
        self.0.exact_quotient(&other.0).map(Self::of)
    }
    fn provably_le(&self, other: &Self) -> Option<bool> {
        self.0.provably_le(&other.0)
    }
    fn same(&self, other: &Self) -> bool {
        self.0.same(&other.0)
    }
    fn of_width(&self, others: &[&Self]) -> Self {
        let others: Vec<&L> = others.iter().map(|other| &other.0).collect();
        Self::of(self.0.of_width(&others))
    }
    fn shown(&self) -> Int {
        self.0.shown()
    }
}

impl<L: TypeLeaf> TypeLeaf for Open<L> {
    fn fact(&self) -> Fact {
        self.0.fact()
    }
    fn input(fact: Fact, number: u32) -> Self {
        Self::of(L::input(fact, number))
    }
    fn apply(op: RunTime, a: &Self, b: &Self, fact: Fact) -> Self {
        Self::of(L::apply(op, &a.0, &b.0, fact))
    }
    fn known_as(&self, fact: Fact) -> Self {
        Self::of(self.0.known_as(fact))
    }
}
