//! Errors: invalid descriptor words, and layouts without a descriptor.

use std::fmt;

use super::canonical::Major;
use super::field::{Field, FieldRange};
use crate::error::LayoutError;
use crate::shared::SwizzleMode;
use crate::units::Bytes;

/// A word that is not a descriptor: invalid bits of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DecodeError {
    /// The field.
    pub field: Field,
    /// Its bits, shifted down.
    pub bits: u64,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#b} means nothing in the {}", self.bits, self.field)
    }
}

impl std::error::Error for DecodeError {}

/// The reason why a shared-memory layout has no descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The layout does not map each element of a matrix to one offset.
    NotMatrix(LayoutError),
    /// The tile does not hold a whole number of instruction operands.
    Instruction {
        /// The axis.
        axis: Axis,
        /// The elements of the tile along it.
        tile: u32,
        /// The elements of an instruction along it.
        instruction: u32,
    },
    /// The value of a field is out of range.
    Range(FieldRange),
    /// The buffer is not aligned to the pattern of its swizzle.
    StartAlignment {
        /// The start address.
        start: Bytes,
        /// The required alignment.
        alignment: Bytes,
        /// The swizzle.
        mode: SwizzleMode,
    },
    /// The layout is canonical for no swizzle and major-ness. The error names the closest pair, with
    /// the first element that does not match.
    NotCanonical {
        /// The swizzle of the closest canonical layout.
        mode: SwizzleMode,
        /// The axis along which the closest canonical layout is contiguous.
        major: Major,
        /// The field that cannot represent the layout.
        field: Field,
        /// The axis of the element.
        axis: Axis,
        /// The index of the element along it, zero along the other.
        index: u32,
        /// Its byte offset before the swizzle.
        found: Bytes,
        /// Its offset in a canonical layout, if only one is possible.
        needed: Option<Bytes>,
    },
}

/// An axis of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Axis {
    /// The rows of A or columns of B.
    Mn,
    /// The reduction axis.
    K,
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Axis::Mn => "MN",
            Axis::K => "K",
        })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NotMatrix(error) => write!(f, "not a matrix in shared memory: {error}"),
            Refusal::Instruction {
                axis,
                tile,
                instruction,
            } => write!(
                f,
                "{tile} elements along {axis} are no whole number of instructions of {instruction}"
            ),
            Refusal::Range(range) => range.fmt(f),
            Refusal::StartAlignment {
                start,
                alignment,
                mode,
            } => write!(
                f,
                "the start address {} is not a multiple of {}, at which the {mode} swizzle begins",
                start.0, alignment
            ),
            Refusal::NotCanonical {
                mode,
                major,
                field,
                axis,
                index,
                found,
                needed,
            } => {
                write!(
                    f,
                    "the {field} cannot express the layout: with swizzle {mode} and {major}-major, element {index} along \
                     {axis} is at {found}"
                )?;
                match needed {
                    Some(needed) => write!(f, " where a descriptor has it at {needed}"),
                    None => f.write_str(", which is no power of two"),
                }
            }
        }
    }
}

impl std::error::Error for Refusal {}

impl From<FieldRange> for Refusal {
    fn from(range: FieldRange) -> Self {
        Refusal::Range(range)
    }
}
