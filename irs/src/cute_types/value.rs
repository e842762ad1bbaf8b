//! The types of values: those of `cute`, and those of numbers.

use std::fmt;

use tilewright_layouts::cute::{Fact, SlotOf};

use super::element::Element;
use super::reader::{Part, Reader, TypeError};
use super::types::{CuteType, Kind};

/// The type of an operand or of a result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// A number, a vector of them or an address.
    Machine(Element),
    /// A type of `cute` or `cute_nvgpu`.
    Cute(CuteType),
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

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Machine(machine) => machine.write(f),
            Self::Cute(cute) => write!(f, "!{cute}"),
        }
    }
}

impl<T: Into<CuteType>> From<T> for ValueType {
    fn from(cute: T) -> Self {
        Self::Cute(cute.into())
    }
}

impl From<Element> for ValueType {
    fn from(machine: Element) -> Self {
        Self::Machine(machine)
    }
}
