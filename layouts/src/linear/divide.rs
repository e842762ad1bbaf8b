//! Division: the other factor of a product.

use smallvec::SmallVec;

use super::LinearLayout;
use super::fields::{Columns, Regroup, Side, Sides, last_lowest};
use crate::error::LayoutError;

/// The side of the known factor in the product.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Inner,
    Outer,
}

impl LinearLayout {
    /// The layout `C` with `inner * C = self`.
    ///
    /// It exists exactly if along every dimension the low bits of `self` are `inner` and the high
    /// bits are independent of them: as a matrix, `self` is block diagonal. It is unique with the
    /// out-dimensions of `self`, where those that `inner` uses up have size 1.
    ///
    /// # Errors
    /// [`LayoutError::FactorTooLarge`] or [`LayoutError::NotFactor`]: `inner` is not a factor.
    /// [`LayoutError::MissingDim`]: `inner` has an out-dimension that this layout does not have.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// // Registers hold runs of four elements: as many vectors as the quotient has registers.
    /// let layout = LinearLayout::from_parts(&[(Dim::Register, vec![vec![1], vec![2], vec![8]])], &[16])?;
    /// let vector = LinearLayout::identity_1d(4, Dim::Register, Dim::Axis(0))?;
    /// assert_eq!(layout.divide_left(&vector)?.in_size(Dim::Register), 2);
    /// assert_eq!(vector.product(&layout.divide_left(&vector)?)?, layout);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn divide_left(&self, inner: &LinearLayout) -> Result<LinearLayout, LayoutError> {
        self.divide(inner, Known::Inner)
    }

    /// The layout `C` with `C * outer = self`: like [`LinearLayout::divide_left`], with the factor in
    /// the high bits.
    ///
    /// # Errors
    /// As [`LinearLayout::divide_left`].
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// let lanes = LinearLayout::identity_1d(32, Dim::Lane, Dim::Axis(0))?;
    /// let warps = LinearLayout::identity_1d(4, Dim::Warp, Dim::Axis(0))?;
    /// assert_eq!(lanes.product(&warps)?.divide_right(&warps)?, lanes);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn divide_right(&self, outer: &LinearLayout) -> Result<LinearLayout, LayoutError> {
        self.divide(outer, Known::Outer)
    }

    fn divide(&self, factor: &LinearLayout, known: Known) -> Result<LinearLayout, LayoutError> {
        let place_factor = self.place(factor, known)?;
        factor
            .ins
            .iter()
            .try_for_each(|side| check_size(*side, self.in_bits(side.dim)))?;
        // The part of each out-dimension that the factor does not use, and its position in this
        // layout.
        let rest_of = |side: &Side| {
            let used = factor.out_bits(side.dim).unwrap_or(0) as u8;
            Side::new(side.dim, side.bits - used)
        };
        let outs: Sides = self.outs.iter().map(rest_of).collect();
        let past = |own: Side| match known {
            Known::Inner => own.bits(),
            Known::Outer => 0,
        };
        let take_rest = Regroup::new(last_lowest(&outs).map(|(side, to)| {
            let used = Side::new(side.dim, factor.out_bits(side.dim).unwrap_or(0) as u8);
            (self.out_shift(side.dim) + past(used), side.bits(), to)
        }));
        let factor_mask = place_factor.apply(u64::MAX);
        let mut ins = Sides::new();
        let mut columns = Columns::new();
        for side in &self.ins {
            let own = factor.columns_of(side.dim);
            let all = self.columns_of(side.dim);
            // The factor is not larger than the whole.
            let rest = all.len() - own.len();
            let first = match known {
                Known::Inner => 0,
                Known::Outer => rest,
            };
            for (index, column) in all.iter().enumerate() {
                let of_factor = index.checked_sub(first).and_then(|index| own.get(index));
                let fits = match of_factor {
                    Some(expected) => *column == place_factor.apply(*expected),
                    None => column & factor_mask == 0,
                };
                if !fits {
                    return Err(LayoutError::NotFactor { dim: side.dim, index });
                }
                if of_factor.is_none() {
                    columns.push(take_rest.apply(*column));
                }
            }
            ins.push(Side::new(side.dim, rest as u8));
        }
        Self::assemble(ins, columns, outs)
    }

    /// From output words of a factor to those of this layout.
    fn place(&self, factor: &LinearLayout, known: Known) -> Result<Regroup, LayoutError> {
        let mut moves: SmallVec<[(u32, u32, u32); 8]> = SmallVec::new();
        for (side, from) in last_lowest(&factor.outs) {
            let whole = self
                .out_bits(side.dim)
                .ok_or(LayoutError::MissingDim { dim: side.dim })?;
            check_size(side, whole)?;
            let start = match known {
                Known::Inner => 0,
                Known::Outer => whole - side.bits(),
            };
            moves.push((from, side.bits(), self.out_shift(side.dim) + start));
        }
        Ok(Regroup::new(moves))
    }
}

/// Checks that the factor's dimension has room in one of so many bits.
fn check_size(factor: Side, bits: u32) -> Result<(), LayoutError> {
    if factor.bits() <= bits {
        Ok(())
    } else {
        Err(LayoutError::FactorTooLarge {
            dim: factor.dim,
            factor: 1 << factor.bits,
            size: 1 << bits,
        })
    }
}
