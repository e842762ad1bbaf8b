//! What the algebra asks of its integers.

use std::fmt;
use std::hash::Hash;

use super::error::{CuteError, Op};
use super::int::Int;

/// An integer of the algebra: the leaf of a shape.
///
/// The algebra is written once, over this trait. It decides by what is *known* of a leaf, which is
/// less than what is true of it: two leaves that are not known before run time may be equal, and no
/// method says so unless it is certain.
///
/// - [`Int`] keeps dynamic integers apart and computes with expressions in them. What it cannot
///   prove is refused.
/// - Leaves that stand for a type, or for a value of such a type, know a static value, or a width and
///   a divisor. What they cannot decide happens at run time, as in CUTLASS.
pub trait Leaf: Clone + Ord + Hash + fmt::Debug + fmt::Display + From<u64> {
    /// A stride: an integer, or a multiple of a basis vector.
    type Stride: Stride<Self>;

    /// Whether what cannot be decided, or would give another function, is refused. CUTLASS checks less
    /// (see [`LayoutOf::composition`](super::Layout::composition)), and what it leaves to run time is the
    /// program's to keep.
    ///
    /// Layouts of leaves that are not strict also have the form that NVIDIA's type inference gives
    /// them, where that of this crate is another: slices by nested coordinates are flat, divides and
    /// products unpack modes of rank 1, raked products are coalesced, and equal places of an order
    /// overlap.
    const STRICT: bool;

    /// Whether layouts follow the rules of the open dialect, see [`Open`](super::Open).
    const OPEN: bool = false;

    /// The value, if it is static.
    fn known(&self) -> Option<i128>;

    /// `self + other`.
    ///
    /// # Errors
    /// The sum cannot be represented.
    fn plus(&self, other: &Self) -> Result<Self, CuteError>;

    /// `self - other`.
    ///
    /// # Errors
    /// The difference cannot be represented.
    fn minus(&self, other: &Self) -> Result<Self, CuteError>;

    /// `self * other`.
    ///
    /// # Errors
    /// The product cannot be represented.
    fn times(&self, other: &Self) -> Result<Self, CuteError>;

    /// `self / other` rounded up, for positive integers.
    ///
    /// # Errors
    /// `other` is 0, or the quotient cannot be represented.
    fn ceil_div(&self, other: &Self) -> Result<Self, CuteError>;

    /// `self / other` where one divides the other: their quotient, or 1.
    ///
    /// # Errors
    /// `other` is 0, neither divides the other, or that is not decided and not left to run time.
    fn shape_div(&self, other: &Self) -> Result<Self, CuteError>;

    /// `self / other` rounded towards 0; `None` if that is not decided and not left to run time.
    fn quotient(&self, other: &Self) -> Option<Self>;

    /// The remainder of [`Leaf::quotient`], with the sign of `self`.
    fn remainder(&self, other: &Self) -> Option<Self>;

    /// The smaller of the two; `None` if that is not decided and not left to run time.
    fn lesser(&self, other: &Self) -> Option<Self>;

    /// `self / other` where `other` is known to divide `self`.
    fn exact_quotient(&self, other: &Self) -> Option<Self>;

    /// Whether `self <= other`, where that is known.
    fn provably_le(&self, other: &Self) -> Option<bool>;

    /// Whether the two are known to be equal.
    fn same(&self, other: &Self) -> bool;

    /// The integer where type inference forgets all but its width, that of the widest of `others`.
    #[must_use]
    fn of_width(&self, others: &[&Self]) -> Self;

    /// The integer as errors show it.
    fn shown(&self) -> Int;

    /// Whether the value is static.
    fn is_static(&self) -> bool {
        self.known().is_some()
    }

    /// Whether the value is known to be `number`.
    fn is(&self, number: u64) -> bool {
        self.known() == Some(i128::from(number))
    }
}

/// A stride of a layout whose extents are `L`.
pub trait Stride<L: Leaf>: Clone + Ord + Hash + fmt::Debug + fmt::Display + From<L> {
    /// The stride, if it is an integer and not a multiple of a basis vector.
    fn as_integer(&self) -> Option<&L>;

    /// The path of the basis vector, innermost mode first as in the text, empty for an integer.
    fn path(&self) -> &[u32];

    /// The stride times an integer.
    ///
    /// # Errors
    /// The product cannot be represented.
    fn scaled(&self, by: &L) -> Result<Self, CuteError>;

    /// The stride divided by an integer that is known to divide it.
    fn exact_quotient(&self, by: &L) -> Option<Self>;

    /// Whether the two are known to be equal.
    fn same(&self, other: &Self) -> bool;

    /// The factor of the basis vector, or the integer.
    fn factor(&self) -> &L;

    /// The same multiple of the basis vector at a path of modes, the innermost first; `None` if strides are integers.
    fn along(&self, path: &[u32]) -> Option<Self>;

    /// Whether the stride is known to be `number`.
    fn is(&self, number: u64) -> bool {
        self.as_integer().is_some_and(|stride| stride.is(number))
    }
}

/// The stride as an integer.
///
/// # Errors
/// It is a multiple of a basis vector.
pub(super) fn integer<L: Leaf>(stride: &L::Stride, op: Op) -> Result<&L, CuteError> {
    stride.as_integer().ok_or_else(|| CuteError::Layout {
        op,
        layout: stride.to_string(),
        needed: "an integer stride",
    })
}

impl Leaf for Int {
    type Stride = Int;
    const STRICT: bool = true;

    fn known(&self) -> Option<i128> {
        self.as_static().map(i128::from)
    }
    fn plus(&self, other: &Self) -> Result<Self, CuteError> {
        Int::plus(self, other)
    }
    fn minus(&self, other: &Self) -> Result<Self, CuteError> {
        Int::minus(self, other)
    }
    fn times(&self, other: &Self) -> Result<Self, CuteError> {
        Int::times(self, other)
    }
    fn ceil_div(&self, other: &Self) -> Result<Self, CuteError> {
        Int::ceil_div(self, other)
    }
    fn shape_div(&self, other: &Self) -> Result<Self, CuteError> {
        let whole = Int::exact_quotient(self, other);
        let covered = || Int::exact_quotient(other, self).map(|_| Int::ONE);
        whole.or_else(covered).ok_or_else(|| CuteError::Divisibility {
            op: Op::ShapeDiv,
            left: self.clone(),
            right: other.clone(),
        })
    }
    fn quotient(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Int::Static(a), Int::Static(b)) => a.checked_div(*b).map(Int::Static),
            _ if self.is_below(other) => Some(Int::ZERO),
            _ => Int::exact_quotient(self, other),
        }
    }
    fn remainder(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Int::Static(a), Int::Static(b)) => a.checked_rem(*b).map(Int::Static),
            _ if self.is_below(other) => Some(self.clone()),
            _ => Int::exact_quotient(self, other).map(|_| Int::ZERO),
        }
    }
    fn lesser(&self, other: &Self) -> Option<Self> {
        let first = Int::provably_le(self, other)?;
        Some(if first { self } else { other }.clone())
    }
    fn exact_quotient(&self, other: &Self) -> Option<Self> {
        Int::exact_quotient(self, other)
    }
    fn provably_le(&self, other: &Self) -> Option<bool> {
        Int::provably_le(self, other)
    }
    fn same(&self, other: &Self) -> bool {
        self == other
    }
    fn of_width(&self, _: &[&Self]) -> Self {
        self.clone()
    }
    fn shown(&self) -> Int {
        self.clone()
    }
}

impl Int {
    fn is_below(&self, other: &Int) -> bool {
        Int::plus(self, &Int::ONE).is_ok_and(|next| Int::provably_le(&next, other) == Some(true))
    }
}

impl Stride<Int> for Int {
    fn as_integer(&self) -> Option<&Int> {
        Some(self)
    }
    fn path(&self) -> &[u32] {
        &[]
    }
    fn scaled(&self, by: &Int) -> Result<Self, CuteError> {
        Int::times(self, by)
    }
    fn exact_quotient(&self, by: &Int) -> Option<Self> {
        Int::exact_quotient(self, by)
    }
    fn same(&self, other: &Self) -> bool {
        self == other
    }
    fn factor(&self) -> &Int {
        self
    }
    fn along(&self, path: &[u32]) -> Option<Self> {
        path.is_empty().then(|| self.clone())
    }
}
