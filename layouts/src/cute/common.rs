//! Common sublayouts of two layouts: runs that are contiguous in both.

use super::composed::Composed;
use super::error::{CuteError, Op};
use super::int::Int;
use super::layout::Layout;

impl Layout {
    /// The largest common layout: `R` with `self(R(i)) = other(R(i)) = i` for every `i` below its
    /// size, which are the elements that both layouts store contiguously from index 0. At least
    /// `1:0`.
    ///
    /// Only whole modes are used. (CUTLASS: `max_common_layout`.)
    ///
    /// # Errors
    /// `self` does not compose with the right inverse of `other`.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let (a, b): (Layout, Layout) = ("(4,8):(8,1)".parse()?, "(4,(2,4)):(2,(1,8))".parse()?);
    /// assert_eq!(a.max_common_layout(&b)?.to_string(), "2:4");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn max_common_layout(&self, other: &Layout) -> Result<Layout, CuteError> {
        let places = other.right_inverse()?;
        let common = self.composition(&places)?.coalesce().mode(&[0])?;
        match common.stride().leaves().next() {
            Some(&Int::Static(1)) if common.is_static() => places.composition(&common),
            Some(_) | None => Ok(Layout::unit()),
        }
    }

    /// The number of elements that both layouts store contiguously from index 0, in whole modes: the
    /// widest vector of a copy between them, if all strides are multiples of it. (CUTLASS:
    /// `max_common_vector`.)
    ///
    /// # Errors
    /// Those of [`Layout::max_common_layout`].
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let (a, b): (Layout, Layout) = ("(4,8):(8,1)".parse()?, "(4,8):(16,1)".parse()?);
    /// assert_eq!(a.max_common_vector(&b)?, 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn max_common_vector(&self, other: &Layout) -> Result<u64, CuteError> {
        known(self.max_common_layout(other)?.size()?)
    }
}

impl Composed {
    /// The number of elements that both store contiguously from the index of coordinate 0: that of
    /// their layouts, limited to the vector that a swizzle preserves unless both have the same
    /// swizzle.
    ///
    /// With `R` of [`Layout::max_common_layout`], `self(R(i)) = self(0) + i` for every `i` below the
    /// result, and so for `other`; or the two swizzles and offsets are the same, and `self(R(i)) = other(R(i))`.
    /// (CUTLASS: `max_common_vector`, which takes the offset to be a multiple of `2^M`.)
    ///
    /// # Errors
    /// Those of [`Layout::max_common_layout`].
    ///
    /// ```
    /// use tilewright_layouts::cute::Composed;
    /// let shared: Composed = "Sw<3,3,3> o 0 o (8,64):(64,1)".parse()?;
    /// let global: Composed = "(8,64):(1024,1)".parse()?;
    /// assert_eq!(shared.max_common_vector(&global)?, 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn max_common_vector(&self, other: &Composed) -> Result<u64, CuteError> {
        let vector = self.layout().max_common_vector(other.layout())?;
        if self.swizzle() == other.swizzle() && self.offset() == other.offset() {
            return Ok(vector);
        }
        Ok(vector.min(self.kept_together()).min(other.kept_together()))
    }

    /// As [`Layout::max_common_layout`], cut to [`Composed::max_common_vector`].
    ///
    /// # Errors
    /// Those of [`Layout::max_common_layout`].
    pub fn max_common_layout(&self, other: &Composed) -> Result<Layout, CuteError> {
        let common = self.layout().max_common_layout(other.layout())?;
        let vector = self.max_common_vector(other)?;
        match known(common.size()?)? > vector {
            true => common.composition(&Layout::strided(vector, 1)?),
            false => Ok(common),
        }
    }

    /// The number of consecutive indices from the offset that the swizzle preserves as a vector.
    fn kept_together(&self) -> u64 {
        if self.swizzle().is_identity() {
            return u64::MAX;
        }
        let run = 1 << self.swizzle().base();
        match self.offset() {
            Int::Static(0) => run,
            offset => run.min(1 << offset.known_divisor().trailing_zeros().min(63)),
        }
    }
}

fn known(value: Int) -> Result<u64, CuteError> {
    value.as_static().ok_or(CuteError::NeedsStatic {
        op: Op::Composition,
        value,
    })
}
