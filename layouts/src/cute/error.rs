//! Errors of operations on CuTe layouts.

use std::fmt;

use super::int::Int;
use super::swizzle::SwizzleError;
use super::symbol::Symbol;
use super::tuple::IntTuple;

/// An operation on integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// `a + b`.
    Sum,
    /// `a - b`.
    Difference,
    /// `a * b`.
    Product,
    /// `a / b`, rounded up.
    Quotient,
    /// Substitution of values for dynamic integers.
    Substitution,
}

impl fmt::Display for Arithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sum => "sum",
            Self::Difference => "difference",
            Self::Product => "product",
            Self::Quotient => "quotient",
            Self::Substitution => "substitution",
        })
    }
}

/// An operation of the algebra, as named in an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Evaluation of a coordinate to an index.
    Index,
    /// Evaluation of an index to a coordinate.
    Coordinate,
    /// Construction of strides from an order.
    Order,
    /// Coalescing by mode.
    Coalesce,
    /// Filtering by mode.
    Filter,
    /// Functional composition.
    Composition,
    /// The complement.
    Complement,
    /// The right inverse.
    RightInverse,
    /// The left inverse.
    LeftInverse,
    /// A divide of any kind.
    Divide,
    /// A product of any kind.
    Product,
    /// Selection, grouping and zipping of modes.
    Modes,
    /// Slicing by a coordinate.
    Slice,
    /// Division of a shape.
    ShapeDiv,
    /// Change of the element width.
    Recast,
    /// Repetition of a block up to a shape.
    TileToShape,
    /// Partitioning among threads.
    Partition,
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Index => "the index of a coordinate",
            Self::Coordinate => "the coordinate of an index",
            Self::Order => "strides by order",
            Self::Coalesce => "coalesce",
            Self::Filter => "filter",
            Self::Composition => "composition",
            Self::Complement => "complement",
            Self::RightInverse => "right inverse",
            Self::LeftInverse => "left inverse",
            Self::Divide => "divide",
            Self::Product => "product",
            Self::Modes => "choice of modes",
            Self::Slice => "slice",
            Self::ShapeDiv => "shape division",
            Self::Recast => "recast",
            Self::TileToShape => "tile to shape",
            Self::Partition => "partition",
        })
    }
}

/// A failed operation on CuTe layouts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CuteError {
    /// A result that is negative, overflows a 64-bit integer, divides by zero, or is not an integer.
    Overflow {
        /// The operation.
        op: Arithmetic,
        /// Its first operand.
        left: Int,
        /// Its second operand.
        right: Int,
    },
    /// A value of a dynamic integer that is not a positive multiple of its divisor.
    Value {
        /// The dynamic integer.
        symbol: Symbol,
        /// The value.
        value: u64,
    },
    /// A shape with an extent of 0.
    ZeroExtent,
    /// A factor of 0 between element widths.
    ZeroFactor,
    /// Two tuples whose profiles differ but have to be the same.
    NotCongruent {
        /// The left tuple.
        left: Box<IntTuple>,
        /// The right tuple.
        right: Box<IntTuple>,
    },
    /// A number of modes above the limit, or different from the number required.
    Rank {
        /// The operation.
        op: Op,
        /// The number of modes found.
        found: usize,
        /// The number required, or the maximum.
        limit: usize,
    },
    /// A mode that does not exist, or an invalid range or order of modes.
    NoMode {
        /// Its number.
        mode: usize,
        /// The number of modes.
        rank: usize,
    },
    /// A dynamic integer that determines the form of the result.
    NeedsStatic {
        /// The operation.
        op: Op,
        /// The integer.
        value: Int,
    },
    /// Stride divisibility of composition: a stride is neither a multiple of the extent nor a divisor
    /// of it.
    StrideDivisibility {
        /// The extent of the mode of the outer layout.
        extent: Int,
        /// The stride of the inner layout, in units of that mode.
        stride: Int,
    },
    /// Shape divisibility of composition: a mode is not filled a whole number of times.
    ShapeDivisibility {
        /// The remaining extent of the inner layout.
        extent: Int,
        /// The part of it that fills the mode of the outer layout.
        part: Int,
    },
    /// Modes of the inner layout of a composition that together exceed a mode of the outer one; or
    /// elements that merge in a recast and together exceed one new element.
    Carry {
        /// The operation.
        op: Op,
        /// The extent of the mode of the outer layout.
        extent: Int,
        /// The largest coordinate reached; it has to be less than the extent.
        reached: Int,
    },
    /// Modes that overlap or interleave: one starts before the end of the modes of smaller stride.
    Overlap {
        /// The operation.
        op: Op,
        /// The stride of the mode.
        stride: Int,
        /// The end of the modes of smaller stride; the stride has to be at least that.
        reach: Int,
    },
    /// A stride that is not a multiple of the next smaller one.
    StrideMultiple {
        /// The operation.
        op: Op,
        /// The stride.
        stride: Int,
        /// The required divisor.
        divisor: Int,
    },
    /// Two numbers neither of which divides the other.
    Divisibility {
        /// The operation.
        op: Op,
        /// The left number.
        left: Int,
        /// The right number.
        right: Int,
    },
    /// A coordinate nested more deeply than the shape.
    Coordinate {
        /// The shape.
        shape: Box<IntTuple>,
    },
    /// A thread number outside of a tiling.
    NoThread {
        /// Its number.
        thread: u64,
        /// The number of threads.
        count: u64,
    },
    /// An order that names one position twice.
    Order {
        /// The position.
        place: u64,
    },
    /// A layout without the structure that the operation requires.
    Layout {
        /// The operation.
        op: Op,
        /// The layout, as text.
        layout: String,
        /// The structure required.
        needed: &'static str,
    },
    /// An invalid swizzle.
    Swizzle(SwizzleError),
}

impl fmt::Display for CuteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overflow {
                op: Arithmetic::Substitution,
                left,
                ..
            } => write!(f, "with these values {left} is not an integer from 0 to 2^64 - 1"),
            Self::Overflow { op, left, right } => write!(
                f,
                "the {op} of {left} and {right} is not an integer from 0 to 2^64 - 1"
            ),
            Self::Value { symbol, value } => write!(
                f,
                "{} is no value of {}, which is a positive multiple of {}",
                value,
                Int::from(symbol.clone()),
                symbol.divisor()
            ),
            Self::ZeroFactor => f.write_str("recast: the factor between element widths is 0"),
            Self::ZeroExtent => f.write_str("a shape has an extent of 0; extents are 1 or more"),
            Self::NotCongruent { left, right } => {
                write!(f, "{left} and {right} are not nested in the same way")
            }
            Self::Rank { op, found, limit } => {
                write!(f, "{op}: {found} modes where {limit} are possible")
            }
            Self::NoMode { mode, rank } => write!(f, "mode {mode} of a tuple of {rank} modes"),
            Self::NeedsStatic { op, value } => {
                write!(f, "{op} depends on {value}, which is not known before run time")
            }
            Self::StrideDivisibility { extent, stride } => write!(
                f,
                "composition: a stride of {stride} neither divides an extent of {extent} nor is divided by it"
            ),
            Self::ShapeDivisibility { extent, part } => write!(
                f,
                "composition: an extent of {extent} is not a multiple of {part}, the part that a mode takes"
            ),
            Self::Carry { op, extent, reached } => write!(
                f,
                "{op}: modes together reach {reached} in a mode of extent {extent}, which carries over"
            ),
            Self::Overlap { op, stride, reach } => write!(
                f,
                "{op}: a mode of stride {stride} begins within the modes of smaller stride, which reach to {reach}"
            ),
            Self::StrideMultiple { op, stride, divisor } => {
                write!(f, "{op}: the stride {stride} is not a multiple of {divisor}")
            }
            Self::Divisibility { op, left, right } => {
                write!(f, "{op}: neither of {left} and {right} divides the other")
            }
            Self::Coordinate { shape } => {
                write!(f, "the coordinate is nested more deeply than the shape {shape}")
            }
            Self::NoThread { thread, count } => write!(f, "thread {thread} of a tiling over {count} threads"),
            Self::Order { place } => write!(f, "two modes are at place {place} of the order"),
            Self::Layout { op, layout, needed } => {
                write!(f, "{op}: {layout} is not {needed}")
            }
            Self::Swizzle(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CuteError {}

impl From<SwizzleError> for CuteError {
    fn from(error: SwizzleError) -> Self {
        Self::Swizzle(error)
    }
}
