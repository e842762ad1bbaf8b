//! Errors: layouts that cannot be built, and undefined operations.

use std::fmt;

use crate::dim::{Dim, MAX_DIM_BITS, MAX_RANK, MAX_TOTAL_BITS};

/// Errors of building layouts and of operations on them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LayoutError {
    /// A size that has to be a power of two is not.
    NotPowerOfTwo {
        /// The dimension with that size.
        dim: Dim,
        /// The size found.
        size: u64,
    },
    /// A dimension has more than [`MAX_DIM_BITS`] bits.
    DimTooLarge {
        /// The dimension.
        dim: Dim,
        /// The number of bits.
        bits: usize,
    },
    /// All in-dimensions or all out-dimensions together have more than [`MAX_TOTAL_BITS`] bits.
    TooManyBits {
        /// The number of bits.
        bits: usize,
    },
    /// More than [`MAX_RANK`] out-dimensions, or an axis number of `MAX_RANK` or more.
    RankTooLarge {
        /// The rank.
        rank: usize,
    },
    /// A dimension is named twice.
    DuplicateDim {
        /// The dimension.
        dim: Dim,
    },
    /// The number of components of a basis vector differs from that of out-dimensions.
    BasisLength {
        /// The in-dimension of the basis vector.
        dim: Dim,
        /// The index of the basis vector, from zero.
        index: usize,
        /// The number of components.
        found: usize,
        /// The number of out-dimensions.
        expected: usize,
    },
    /// A component of a basis vector lies outside its out-dimension.
    BasisOutOfRange {
        /// The in-dimension of the basis vector.
        dim: Dim,
        /// The index of the basis vector, from zero.
        index: usize,
        /// The out-dimension.
        out: Dim,
        /// The component.
        value: u64,
        /// The size of the out-dimension, which the component must be below.
        size: u64,
    },
    /// A layout lacks a dimension that the operation needs.
    MissingDim {
        /// The dimension.
        dim: Dim,
    },
    /// Two layouts, or a layout and a request, disagree about the size of a dimension.
    SizeMismatch {
        /// The dimension.
        dim: Dim,
        /// The size found.
        found: u64,
        /// The size needed.
        expected: u64,
    },
    /// A reshape that changes the number of elements.
    ElementCount {
        /// Elements after, as a power of two.
        found_bits: usize,
        /// Elements before, as a power of two.
        expected_bits: usize,
    },
    /// A list that must name each of `0..len` once does not.
    NotPermutation {
        /// The required number of entries.
        len: usize,
    },
    /// Two lists whose lengths must be equal are not.
    LengthMismatch {
        /// The length found.
        found: usize,
        /// The length needed.
        expected: usize,
    },
    /// The layout is not a bijection, so it has no inverse.
    NotInvertible {
        /// Input bits.
        in_bits: usize,
        /// Output bits.
        out_bits: usize,
        /// Rank of the matrix.
        rank: usize,
    },
    /// Some output of the one layout is not an output of the other.
    NotCovered {
        /// The in-dimension whose basis vector is not reached.
        dim: Dim,
        /// The index of the basis vector, from zero.
        index: usize,
    },
    /// A divisor that is larger than the layout.
    FactorTooLarge {
        /// The dimension, on either side.
        dim: Dim,
        /// Its size in the factor.
        factor: u64,
        /// Its size in the layout.
        size: u64,
    },
    /// The divisor is not a factor of the layout.
    NotFactor {
        /// The in-dimension of the offending basis vector.
        dim: Dim,
        /// The index of the basis vector, from zero.
        index: usize,
    },
    /// A layout is not the identity on a dimension.
    NotTrivial {
        /// The dimension.
        dim: Dim,
    },
    /// A bit that a selection asks for twice, or that is not one of the dimension's.
    BitSelection {
        /// The dimension.
        dim: Dim,
        /// The bit, from zero.
        bit: u64,
        /// The number of bits of the dimension.
        bits: u32,
    },
    /// A parameter of an encoding is out of its range.
    Parameter {
        /// The parameter.
        name: &'static str,
        /// The value found.
        value: u64,
        /// The permitted values.
        allowed: &'static str,
    },
    /// An element size in bytes that is not a power of two from 1 to 16.
    ElementBytes {
        /// The size found.
        bytes: u32,
    },
    /// A shared-memory access whose address is not a multiple of its width.
    Misaligned {
        /// The byte address.
        address: u32,
        /// The width of the access in bytes.
        bytes: u32,
    },
    /// The buffer in shared memory exceeds its size limit.
    BufferTooSmall {
        /// The smallest possible size of the buffer.
        bytes: u64,
        /// The largest size allowed.
        limit: u64,
    },
    /// A conversion must move values between threads, and no permitted means does.
    OutOfMeans,
    /// A conversion would have to move values between blocks, which shared memory cannot.
    CrossesBlocks,
    /// The layout is not one of a whole tensor: its out-dimensions are not `dim0`, `dim1`, …
    NotTensor,
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPowerOfTwo { dim, size } => write!(f, "the size {size} of {dim} is not a power of two"),
            Self::DimTooLarge { dim, bits } => {
                write!(
                    f,
                    "{dim} would have {bits} bits; a dimension has at most {MAX_DIM_BITS}"
                )
            }
            Self::TooManyBits { bits } => {
                write!(
                    f,
                    "one side of the layout would have {bits} bits; at most {MAX_TOTAL_BITS} are possible"
                )
            }
            Self::RankTooLarge { rank } => write!(f, "rank {rank} is more than the limit of {MAX_RANK}"),
            Self::DuplicateDim { dim } => write!(f, "{dim} is given twice"),
            Self::BasisLength {
                dim,
                index,
                found,
                expected,
            } => write!(
                f,
                "basis vector {index} of {dim} has {found} components for {expected} out-dimensions"
            ),
            Self::BasisOutOfRange {
                dim,
                index,
                out,
                value,
                size,
            } => write!(
                f,
                "basis vector {index} of {dim} has {value} for {out}, which is of size {size}"
            ),
            Self::MissingDim { dim } => write!(f, "the layout has no dimension {dim}"),
            Self::SizeMismatch { dim, found, expected } => {
                write!(f, "{dim} is of size {found} where {expected} is needed")
            }
            Self::ElementCount {
                found_bits,
                expected_bits,
            } => write!(
                f,
                "a reshape of 2^{expected_bits} elements cannot have 2^{found_bits} elements"
            ),
            Self::NotPermutation { len } => write!(f, "not a permutation of 0..{len}"),
            Self::LengthMismatch { found, expected } => {
                write!(f, "{found} entries where {expected} are needed")
            }
            Self::NotInvertible {
                in_bits,
                out_bits,
                rank,
            } => write!(
                f,
                "a layout from {in_bits} to {out_bits} bits of rank {rank} has no inverse"
            ),
            Self::NotCovered { dim, index } => write!(
                f,
                "basis vector {index} of {dim} is outside what the other layout reaches"
            ),
            Self::FactorTooLarge { dim, factor, size } => {
                write!(
                    f,
                    "the factor is of size {factor} along {dim}, the layout of size {size}"
                )
            }
            Self::NotFactor { dim, index } => {
                write!(
                    f,
                    "not a factor: basis vector {index} of {dim} differs from any product's"
                )
            }
            Self::NotTrivial { dim } => write!(f, "the layout is not the identity on {dim}"),
            Self::BitSelection { dim, bit, bits } => {
                write!(
                    f,
                    "bit {bit} of {dim} is selected twice, or is not one of its {bits} bits"
                )
            }
            Self::Parameter { name, value, allowed } => {
                write!(f, "{name} is {value}; it has to be {allowed}")
            }
            Self::ElementBytes { bytes } => {
                write!(
                    f,
                    "an element of {bytes} bytes; the size has to be a power of two from 1 to 16"
                )
            }
            Self::Misaligned { address, bytes } => {
                write!(
                    f,
                    "address {address} is not a multiple of the access width of {bytes} bytes"
                )
            }
            Self::BufferTooSmall { bytes, limit } => {
                write!(f, "a buffer of {bytes} bytes where at most {limit} are allowed")
            }
            Self::OutOfMeans => f.write_str(
                "the conversion moves values between threads, by neither shuffles nor shared memory",
            ),
            Self::CrossesBlocks => f.write_str("the conversion moves values between blocks"),
            Self::NotTensor => f.write_str("the out-dimensions of the layout are not dim0, dim1, …"),
        }
    }
}

impl std::error::Error for LayoutError {}
