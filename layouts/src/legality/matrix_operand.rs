//! Common properties of the operands of `wgmma` and `tcgen05.mma`.

use std::fmt;

use crate::descriptor::Major;
use crate::shared::SwizzleMode;

/// The PTX ISA's term for a major-ness.
pub(super) const fn major_name(major: Major) -> &'static str {
    match major {
        Major::K => "K-major",
        Major::Mn => "MN-major",
    }
}

/// The location of an operand of a matrix instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandPlace {
    /// In shared memory, described by a matrix descriptor.
    Shared {
        /// The contiguous axis.
        major: Major,
        /// The swizzle.
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
    /// The rows of A and D.
    M,
    /// The columns of B and D.
    N,
    /// The columns of A and the rows of B.
    K,
    /// The element type of A.
    TypeA,
    /// The element type of B.
    TypeB,
    /// The element type of D.
    TypeD,
    /// The contiguous axis of A.
    MajorA,
    /// The contiguous axis of B.
    MajorB,
    /// The swizzle of A.
    SwizzleA,
    /// The swizzle of B.
    SwizzleB,
    /// The location of B.
    PlaceB,
    /// Whether A is structured-sparse.
    Sparsity,
    /// The number of blocks.
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

/// A factor of a product.
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
