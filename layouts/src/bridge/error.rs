//! Errors: layouts without a counterpart on the other side of the bridge.

use std::fmt;

use crate::cute::{CuteError, Int};
use crate::dim::Dim;
use crate::error::LayoutError;

/// One bit of a coordinate along one mode, and its contribution to the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IndexBit {
    /// The index of the flattened mode, from zero.
    pub mode: usize,
    /// The bit of the coordinate along it, from zero.
    pub bit: u32,
    /// Its contribution: the stride times `2^bit`.
    pub value: u64,
}

/// One basis vector of a linear layout, and its index value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BasisVector {
    /// Its in-dimension.
    pub dim: Dim,
    /// The index of the basis vector in that dimension, from zero.
    pub bit: usize,
    /// The index.
    pub value: u64,
}

/// The reason why a layout has no counterpart on the other side of the bridge.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BridgeError {
    /// A shape or a stride is dynamic.
    Dynamic {
        /// The index of the flattened mode, from zero.
        mode: usize,
    },
    /// The size of a mode is not a power of two: its coordinates are not words of bits.
    ShapeNotPowerOfTwo {
        /// The index of the flattened mode, from zero.
        mode: usize,
        /// Its size.
        size: u64,
    },
    /// The contribution of a bit to the index is 2^62 or more.
    StrideTooLarge {
        /// The index of the flattened mode, from zero.
        mode: usize,
        /// Its stride.
        stride: u64,
        /// The bit.
        bit: u32,
    },
    /// The contributions of two bits of a coordinate have a common set bit: the sum carries, and so
    /// differs from the exclusive or.
    Carries {
        /// The earlier one.
        first: IndexBit,
        /// The later one.
        second: IndexBit,
    },
    /// Coordinate 0 is not at index 0, as it is in every linear layout.
    Offset {
        /// The offset between the swizzle and the layout.
        offset: Int,
    },
    /// Two basis vectors have a set bit in common, and no swizzle separates all such pairs.
    NoSwizzle {
        /// The earlier one.
        first: BasisVector,
        /// The later one.
        second: BasisVector,
    },
    /// The number of modes of a layout differs from that of the naming.
    Rank {
        /// The number of modes.
        found: usize,
        /// The number of named modes.
        expected: usize,
    },
    /// The size of a mode is not the product of the sizes of its dimensions.
    ModeSize {
        /// The index of the layout's mode, from zero.
        mode: usize,
        /// Its size.
        found: u64,
        /// The product of the dimensions' sizes.
        expected: u64,
    },
    /// An index is out of the range of its dimensions.
    IndexOutOfRange {
        /// The index.
        index: u64,
        /// The number of indices.
        size: u64,
    },
    /// A dimension of the linear layout that is not in the naming.
    UnnamedDim {
        /// The dimension.
        dim: Dim,
    },
    /// A limit of linear layouts.
    Layout(LayoutError),
    /// A limit of CuTe layouts.
    Cute(CuteError),
}

impl fmt::Display for BridgeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dynamic { mode } => write!(f, "mode {mode} has a shape or a stride that is not static"),
            Self::ShapeNotPowerOfTwo { mode, size } => {
                write!(f, "the size {size} of mode {mode} is not a power of two")
            }
            Self::StrideTooLarge { mode, stride, bit } => write!(
                f,
                "with the stride {stride} of mode {mode} bit {bit} of the coordinate adds 2^62 or more to the index"
            ),
            Self::Carries { first, second } => write!(
                f,
                "bit {} of mode {} adds {} to the index and bit {} of mode {} adds {}: their sum is not their exclusive or",
                first.bit, first.mode, first.value, second.bit, second.mode, second.value
            ),
            Self::Offset { offset } => {
                write!(f, "the offset {offset} moves coordinate 0 away from index 0")
            }
            Self::NoSwizzle { first, second } => write!(
                f,
                "basis vector {} of {} is {} and shares a bit with basis vector {} of {}, {}, from which no swizzle separates it",
                second.bit, second.dim, second.value, first.bit, first.dim, first.value
            ),
            Self::Rank { found, expected } => {
                write!(f, "the layout has {found} modes where {expected} are named")
            }
            Self::ModeSize {
                mode,
                found,
                expected,
            } => {
                write!(
                    f,
                    "mode {mode} is of size {found} where its dimensions have {expected}"
                )
            }
            Self::IndexOutOfRange { index, size } => {
                write!(
                    f,
                    "index {index} is outside the {size} indices of the out-dimensions"
                )
            }
            Self::UnnamedDim { dim } => write!(f, "no mode is made of {dim}"),
            Self::Layout(error) => error.fmt(f),
            Self::Cute(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BridgeError {}

impl From<LayoutError> for BridgeError {
    fn from(error: LayoutError) -> Self {
        Self::Layout(error)
    }
}

impl From<CuteError> for BridgeError {
    fn from(error: CuteError) -> Self {
        Self::Cute(error)
    }
}
