//! What inference asks of an op, and what it answers.

use std::fmt;

use tilewright_layouts::cute::{
    Bits, CoordOf, CuteError, Fact, LayoutOf, Nested, Open, SlotOf, Stride, TilerOf, TypeLeaf,
};

use crate::cute_types::Dialect;
use crate::cute_types::types::Kind;
use crate::cute_types::value::{ValueType, fact_of};

/// Why an op has no result type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What is wrong with the operands or the attributes.
    pub message: String,
}

impl Refusal {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}

impl From<CuteError> for Refusal {
    fn from(error: CuteError) -> Self {
        Self::new(error.to_string())
    }
}

/// The types of an op's results.
pub type Answer = Result<Vec<ValueType>, Refusal>;

/// A result of an op: its type, and what follows with it.
#[derive(Debug)]
pub(super) struct Outcome<L: TypeLeaf> {
    /// The type, with its leaves.
    pub(super) ty: ValueType<L>,
    /// The number, if it is an integer of a machine type that follows.
    pub(super) number: Option<L>,
    /// How far the iterator is from that of the operand.
    pub(super) start: Option<Nested<L>>,
    /// The numbers that are compared, if it says how two tuples compare.
    pub(super) compared: Option<Vec<(L, L)>>,
}

impl<L: TypeLeaf> Outcome<L> {
    /// A result with an iterator, so far from that of the operand.
    pub(super) fn starting(ty: impl Into<ValueType<L>>, start: Nested<L>) -> Self {
        Self {
            start: Some(start),
            ..Self::from(ty.into())
        }
    }
}

impl<L: TypeLeaf> Outcome<Open<L>> {
    /// As a result in general.
    pub(super) fn closed(self) -> Outcome<L> {
        let leaf = |leaf: Open<L>| leaf.0;
        Outcome {
            ty: self.ty.map_leaves(&mut |leaf: &Open<L>| leaf.0.clone()),
            number: self.number.map(leaf),
            start: self
                .start
                .map(|start| start.map(&mut |leaf: &Open<L>| leaf.0.clone())),
            compared: self
                .compared
                .map(|pairs| pairs.into_iter().map(|(a, b)| (a.0, b.0)).collect()),
        }
    }
}

impl<L: TypeLeaf, T: Into<ValueType<L>>> From<T> for Outcome<L> {
    fn from(ty: T) -> Self {
        Self {
            ty: ty.into(),
            number: None,
            start: None,
            compared: None,
        }
    }
}

/// The results of an op.
pub(super) type Outcomes<L> = Result<Vec<Outcome<L>>, Refusal>;

/// One result.
pub(super) fn one<L: TypeLeaf>(result: impl Into<Outcome<L>>) -> Outcomes<L> {
    Ok(vec![result.into()])
}

/// The value of an attribute, as far as inference asks for it.
#[derive(Clone, Debug, PartialEq)]
pub enum Attribute {
    /// It is there.
    Unit,
    /// `3 : i32`.
    Int(i64),
    /// `array<i32: 0, 1>`.
    Ints(Vec<i64>),
    /// `#cute.coord<"(1,_,1)">`.
    Coord(CoordOf<Fact>),
    /// A keyword: of `#cute_nvgpu.tiled_tma_load<sm_90>`, `sm_90`.
    Word(String),
}

/// An op without its results: the types of its operands, and its attributes by name.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Whose rules hold.
    pub dialect: Dialect,
    /// The types of the operands.
    pub operands: &'a [ValueType],
    /// The attributes that are there.
    pub attributes: &'a [(&'a str, Attribute)],
}

/// A question about an op whose leaves may be computed.
pub(super) struct Asked<'a, L: TypeLeaf> {
    /// The types of the operands.
    pub(super) operands: &'a [ValueType<L>],
    /// The attributes that are there.
    pub(super) attributes: &'a [(&'a str, Attribute)],
    /// The number of the first input of each operand, if inputs have numbers.
    pub(super) inputs: &'a [u32],
}

impl<'a, L: TypeLeaf> Asked<'a, L> {
    pub(super) fn operand(&self, number: usize) -> Result<&'a ValueType<L>, Refusal> {
        let count = self.operands.len();
        let missing = || Refusal::new(format!("operand {number} is missing; the op has {count}"));
        self.operands.get(number).ok_or_else(missing)
    }

    /// An operand of a type of `cute`.
    pub(super) fn cute(&self, number: usize) -> Result<&'a Kind<L>, Refusal> {
        match self.operand(number)? {
            ValueType::Cute(cute) => Ok(cute.kind()),
            ValueType::Machine(_) => Err(self.wrong(number, "a value of a type of `cute`")),
        }
    }

    /// The refusal of an operand.
    pub(super) fn wrong(&self, number: usize, expected: &str) -> Refusal {
        let found = self
            .operands
            .get(number)
            .map(|operand| operand.facts().to_string())
            .unwrap_or_default();
        Refusal::new(format!("operand {number} is {found}, where {expected} is needed"))
    }

    /// A tuple of integers, or a shape.
    pub(super) fn tuple(&self, number: usize) -> Result<Nested<L>, Refusal> {
        match self.cute(number)? {
            Kind::IntTuple(tuple) | Kind::Shape(tuple) => Ok(tuple.clone()),
            _ => Err(self.wrong(number, "a tuple of integers")),
        }
    }

    pub(super) fn coord(&self, number: usize) -> Result<CoordOf<L>, Refusal> {
        match self.cute(number)? {
            Kind::Coord(coord) => Ok(coord.clone()),
            _ => Err(self.wrong(number, "a coordinate")),
        }
    }

    /// An integer of a machine type.
    pub(super) fn machine_integer(&self, number: usize) -> Result<L, Refusal> {
        let fact = match self.operand(number)? {
            ValueType::Machine(machine) => fact_of(machine),
            ValueType::Cute(_) => None,
        };
        let fact = fact.filter(|fact| matches!(fact.width(), Bits::B32 | Bits::B64));
        let input = self.inputs.get(number).copied().unwrap_or(0);
        fact.map(|fact| L::input(fact, input))
            .ok_or_else(|| self.wrong(number, "an integer of 32 or 64 bits"))
    }

    /// An integer, of a machine type or as a tuple without modes.
    pub(super) fn integer(&self, number: usize) -> Result<L, Refusal> {
        if let ValueType::Cute(cute) = self.operand(number)?
            && let Kind::IntTuple(Nested::Leaf(leaf)) = cute.kind()
        {
            return Ok(leaf.clone());
        }
        self.machine_integer(number)
    }

    pub(super) fn layout(&self, number: usize) -> Result<&'a LayoutOf<L>, Refusal> {
        match self.cute(number)? {
            Kind::Layout(layout) => Ok(layout),
            _ => Err(self.wrong(number, "a layout")),
        }
    }

    /// A tile, or a layout or a shape as one.
    pub(super) fn tiler(&self, number: usize) -> Result<TilerOf<L>, Refusal> {
        match self.cute(number)? {
            Kind::Tile(tiler) => Ok(tiler.clone()),
            Kind::Layout(layout) => Ok(TilerOf::Layout(layout.clone())),
            Kind::Shape(shape) => Ok(TilerOf::from_shape(shape)?),
            _ => Err(self.wrong(number, "a tile")),
        }
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&'a Attribute> {
        let mut found = self.attributes.iter();
        found.find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// The refusal of an attribute.
    fn wrong_attribute(name: &str, expected: &str) -> Refusal {
        Refusal::new(format!("the attribute `{name}` has to be {expected}"))
    }

    /// A number that is not negative.
    pub(super) fn number(&self, name: &str) -> Result<usize, Refusal> {
        match self.attribute(name) {
            Some(Attribute::Int(value)) => usize::try_from(*value).ok(),
            _ => None,
        }
        .ok_or_else(|| Self::wrong_attribute(name, "a number from 0"))
    }

    /// Numbers of modes; none if the attribute is missing.
    pub(super) fn modes(&self, name: &str) -> Result<Vec<usize>, Refusal> {
        let modes = match self.attribute(name) {
            None => Some(Vec::new()),
            Some(Attribute::Ints(modes)) => modes.iter().map(|mode| usize::try_from(*mode).ok()).collect(),
            Some(_) => None,
        };
        modes.ok_or_else(|| Self::wrong_attribute(name, "numbers of modes, from 0"))
    }

    /// A coordinate, if the attribute is there.
    pub(super) fn selection(&self, name: &str) -> Result<Option<&'a CoordOf<Fact>>, Refusal> {
        match self.attribute(name) {
            None => Ok(None),
            Some(Attribute::Coord(coord)) => Ok(Some(coord)),
            Some(_) => Err(Self::wrong_attribute(name, "a coordinate")),
        }
    }

    /// A keyword, if the attribute is there.
    pub(super) fn word(&self, name: &str) -> Result<Option<&'a str>, Refusal> {
        match self.attribute(name) {
            None => Ok(None),
            Some(Attribute::Word(word)) => Ok(Some(word)),
            Some(_) => Err(Self::wrong_attribute(name, "a keyword")),
        }
    }
}

/// The integers of a type, if it is a tuple of them.
pub(super) fn integers<L: TypeLeaf>(kind: &Kind<L>) -> Option<Nested<L>> {
    match kind {
        Kind::IntTuple(tuple) | Kind::Shape(tuple) => Some(tuple.clone()),
        Kind::Coord(coord) => {
            let tuple = coord.try_map(&mut |slot| match slot {
                SlotOf::At(leaf) => Ok(leaf.clone()),
                SlotOf::All => Err(()),
            });
            tuple.ok()
        }
        Kind::Stride(stride) => {
            let tuple = stride.try_map(&mut |stride| stride.as_integer().cloned().ok_or(()));
            tuple.ok()
        }
        _ => None,
    }
}
