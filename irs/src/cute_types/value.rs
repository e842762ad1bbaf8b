//! The types of values: those of `cute`, and those of numbers.

use std::fmt;

use tilewright_layouts::cute::{Bits, Fact, SlotOf, TypeLeaf};

use super::element::{Element, Number};
use super::reader::{Part, Reader, TypeError};
use super::types::{CuteType, Kind};

/// The type of an operand or of a result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ValueType<L: TypeLeaf = Fact> {
    /// A number, a vector of them or an address.
    Machine(Element),
    /// A type of `cute` or `cute_nvgpu`.
    Cute(CuteType<L>),
}

impl ValueType {
    /// Reads a whole text: `i32`, `vector<4xf32>`, `!cute.layout<"4:1">`.
    ///
    /// # Errors
    /// The text is no type.
    pub fn parse(text: &str) -> Result<Self, TypeError> {
        let mut reader = Reader::new(text);
        let machine = reader.maybe(|reader| Element::maybe(reader).ok().flatten());
        if let Some(machine) = machine
            && reader.rest().trim().is_empty()
        {
            return Ok(Self::Machine(machine));
        }
        let mut reader = Reader::new(text);
        if reader.take("!") {
            let at = reader.at();
            let read = CuteType::parse(reader.rest()).map(Self::Cute);
            return read.map_err(|error| TypeError {
                offset: at + error.offset,
                ..error
            });
        }
        Err(reader.error("expected a type, as `i32` or `!cute.layout<\"4:1\">`"))
    }
}

impl ValueType {
    /// Whether a text may say `written` where this type is inferred: the same, or a coordinate of which more is known, as
    /// where the index is a constant.
    pub fn allows(&self, written: &Self) -> bool {
        let (Self::Cute(inferred), Self::Cute(known)) = (self, written) else {
            return self == written;
        };
        match (inferred.kind(), known.kind()) {
            (Kind::Coord(inferred), Kind::Coord(known)) if inferred.congruent(known) => {
                let mut slots = inferred.leaves().zip(known.leaves());
                slots.all(|(inferred, known)| match (inferred, known) {
                    (SlotOf::At(inferred @ Fact::Dynamic { .. }), SlotOf::At(known)) => {
                        known.divisor() % inferred.divisor() == 0
                    }
                    _ => inferred == known,
                })
            }
            (inferred, known) => inferred == known,
        }
    }
}

impl<L: TypeLeaf> ValueType<L> {
    /// The type with other leaves.
    pub fn map_leaves<M: TypeLeaf>(&self, leaf: &mut impl FnMut(&L) -> M) -> ValueType<M> {
        match self {
            Self::Machine(machine) => ValueType::Machine(machine.clone()),
            Self::Cute(cute) => ValueType::Cute(cute.kind().map_leaves(leaf).into()),
        }
    }

    /// What the type says of its leaves.
    pub fn facts(&self) -> ValueType {
        match self {
            Self::Machine(machine) => ValueType::Machine(machine.clone()),
            Self::Cute(cute) => ValueType::Cute(cute.kind().facts().into()),
        }
    }
}

impl ValueType {
    /// What is known of the integers that a value holds at run time: of the dynamic leaves of a type of `cute` in the order
    /// of [`Kind::dynamic_leaves`], or of an integer of 8, 16, 32 or 64 bits.
    pub fn inputs(&self) -> Vec<Fact> {
        match self {
            Self::Machine(machine) => fact_of(machine).into_iter().collect(),
            Self::Cute(cute) => match cute.kind() {
                Kind::Integer(integer) => vec![Fact::dynamic(integer.width, integer.divisor)],
                kind => kind.dynamic_leaves(),
            },
        }
    }

    /// The type with those integers as inputs, numbered from `next` on.
    pub fn with_inputs<L: TypeLeaf>(&self, next: &mut u32) -> ValueType<L> {
        match self {
            Self::Machine(machine) => {
                *next += u32::from(fact_of(machine).is_some());
                ValueType::Machine(machine.clone())
            }
            Self::Cute(cute) => {
                *next += u32::from(matches!(cute.kind(), Kind::Integer(_)));
                ValueType::Cute(cute.kind().with_inputs(next).into())
            }
        }
    }
}

/// What is known of an integer of a machine type.
pub(super) fn fact_of(machine: &Element) -> Option<Fact> {
    let Element::Number(Number::Integer { bits, .. }) = machine else {
        return None;
    };
    let width = match bits.get() {
        8 => Bits::B8,
        16 => Bits::B16,
        32 => Bits::B32,
        64 => Bits::B64,
        _ => return None,
    };
    Some(Fact::opaque(width))
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Machine(machine) => machine.write(f),
            Self::Cute(cute) => write!(f, "!{cute}"),
        }
    }
}

impl<L: TypeLeaf, T: Into<CuteType<L>>> From<T> for ValueType<L> {
    fn from(cute: T) -> Self {
        Self::Cute(cute.into())
    }
}

impl<L: TypeLeaf> From<Element> for ValueType<L> {
    fn from(machine: Element) -> Self {
        Self::Machine(machine)
    }
}
