//! What the values of a host function are made of.

use super::Number;
use crate::number::Format;

/// An integer of 1 to 128 bits, in two's complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Integer {
    width: u32,
    bits: u128,
}

impl Integer {
    /// The low bits of a number. The width is at least 1 and at most 128.
    pub(super) fn new(width: u32, value: i128) -> Self {
        let width = width.clamp(1, 128);
        let bits = value.cast_unsigned() & (u128::MAX >> (128 - width));
        Self { width, bits }
    }

    /// A truth value.
    pub(super) fn truth(value: bool) -> Self {
        Self::new(1, i128::from(value))
    }

    /// The number of bits.
    pub(super) fn width(self) -> u32 {
        self.width
    }

    /// The number without a sign.
    pub(super) fn unsigned(self) -> u128 {
        self.bits
    }

    /// The number with its sign.
    pub(super) fn signed(self) -> i128 {
        let unused = 128 - self.width;
        (self.bits << unused).cast_signed() >> unused
    }
}

/// An address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Address {
    /// The argument of the host function whose address it counts from; `None` for a number that the program made.
    pub(super) base: Option<usize>,
    /// The distance from there, in bytes.
    pub(super) offset: i64,
}

/// A tensor map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Map {
    /// Word 0, the address of the tensor.
    pub(super) address: Address,
    /// The other words.
    pub(super) words: [u64; 15],
}

/// A machine value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Field {
    /// An integer.
    Integer(Integer),
    /// A float, by its bits.
    Float(Format, u64),
    /// An address of 64 bits.
    Address(Address),
    /// A vector of numbers.
    Vector(Vec<Field>),
    /// A tensor map.
    Map(Box<Map>),
}

impl Field {
    /// The integer, if it is one.
    pub(super) fn integer(&self) -> Option<Integer> {
        match self {
            Self::Integer(integer) => Some(*integer),
            Self::Float(..) | Self::Address(_) | Self::Vector(_) | Self::Map(_) => None,
        }
    }

    /// The number, if it is one of up to 64 bits; a truth value is 0 or 1.
    pub(super) fn number(&self) -> Option<Number> {
        match self {
            Self::Integer(Integer { width: 1, bits }) => Some(Number::Integer(i64::from(*bits != 0))),
            Self::Integer(integer) => i64::try_from(integer.signed()).ok().map(Number::Integer),
            Self::Float(_, bits) => Some(Number::Float(*bits)),
            Self::Address(_) | Self::Vector(_) | Self::Map(_) => None,
        }
    }
}

/// A value of a host function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Runtime {
    /// What its type leaves open, in order: of a number the number, of a layout the dynamic leaves of its shape and then
    /// those of its stride, of a view its address and then those of its layout.
    Fields(Vec<Field>),
    /// The stream.
    Stream,
    /// How a kernel is launched, by number.
    Config(usize),
    /// The result of a launch: there was no error.
    Launched,
}

impl Runtime {
    /// What its type leaves open.
    pub(super) fn fields(&self) -> &[Field] {
        match self {
            Self::Fields(fields) => fields,
            Self::Stream | Self::Config(_) | Self::Launched => &[],
        }
    }
}

impl From<Field> for Runtime {
    fn from(field: Field) -> Self {
        Self::Fields(vec![field])
    }
}

impl From<Integer> for Runtime {
    fn from(integer: Integer) -> Self {
        Field::Integer(integer).into()
    }
}

/// What has been said of a launch.
#[derive(Clone, Debug)]
pub(super) struct Config {
    pub(super) grid: [Integer; 3],
    pub(super) block: [Integer; 3],
    pub(super) shared: Integer,
    pub(super) cluster: Option<[Integer; 3]>,
    pub(super) cooperative: bool,
    pub(super) programmatic: bool,
}
