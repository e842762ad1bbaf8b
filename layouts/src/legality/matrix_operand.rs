//! Common properties of the operands of `wgmma` and `tcgen05.mma`.

use std::fmt;

use crate::descriptor::Major;
use crate::shared::SwizzleMode;

/// The term of the PTX ISA for a major-ness.
pub(super) const fn major_name(major: Major) -> &'static str {
    match major {
        Major::K => "K-major",
        Major::Mn => "MN-major",
    }
}

/// Where an operand of a matrix instruction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandPlace {
    /// In shared memory, described by a matrix descriptor.
    Shared {
        /// Which axis is contiguous.
        major: Major,
        /// How bytes are permuted.
        swizzle: SwizzleMode,
    },
    /// In registers (`wgmma`) or in tensor memory (`tcgen05.mma`); for A only, and K-major.
    Fragment,
}

/// A field of a matrix instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MatrixField {
    /// The target.
    Target,
    /// Rows of A and D.
    M,
    /// Columns of B and D.
    N,
    /// Columns of A, rows of B.
    K,
    /// The element type of A.
    TypeA,
    /// The element type of B.
    TypeB,
    /// The element type of D.
    TypeD,
    /// Which axis of A is contiguous.
    MajorA,
    /// Which axis of B is contiguous.
    MajorB,
    /// How the bytes of A are permuted.
    SwizzleA,
    /// How the bytes of B are permuted.
    SwizzleB,
    /// Where B is.
    PlaceB,
    /// Whether A is structured-sparse.
    Sparsity,
    /// How many blocks take part.
    CtaGroup,
    /// Weight-stationary mode.
    WeightStationary,
}

impl fmt::Display for MatrixField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MatrixField::Target => "target",
            MatrixField::M => "M",
            MatrixField::N => "N",
            MatrixField::K => "K",
            MatrixField::TypeA => "type of A",
            MatrixField::TypeB => "type of B",
            MatrixField::TypeD => "type of D",
            MatrixField::MajorA => "major-ness of A",
            MatrixField::MajorB => "major-ness of B",
            MatrixField::SwizzleA => "swizzle of A",
            MatrixField::SwizzleB => "swizzle of B",
            MatrixField::PlaceB => "place of B",
            MatrixField::Sparsity => "sparsity",
            MatrixField::CtaGroup => "cta_group",
            MatrixField::WeightStationary => "mode",
        })
    }
}

/// Which of the two factors of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Factor {
    A,
    B,
}

impl Factor {
    pub(super) const fn major(self) -> MatrixField {
        match self {
            Factor::A => MatrixField::MajorA,
            Factor::B => MatrixField::MajorB,
        }
    }

    pub(super) const fn swizzle(self) -> MatrixField {
        match self {
            Factor::A => MatrixField::SwizzleA,
            Factor::B => MatrixField::SwizzleB,
        }
    }
}
