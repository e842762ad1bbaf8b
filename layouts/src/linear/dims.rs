//! Changes of dimensions: renaming, resizing, and union of two layouts' dimensions.

use std::iter::repeat;

use super::LinearLayout;
use super::construct::{check_outs, log2};
use super::fields::{Columns, Regroup, Side, Sides, last_lowest, shift_of};
use crate::dim::Dim;
use crate::error::LayoutError;

impl LinearLayout {
    /// Renames an in-dimension.
    ///
    /// # Errors
    /// `to` is already an in-dimension, or is an axis number out of range.
    pub fn rename_in(&self, from: Dim, to: Dim) -> Result<LinearLayout, LayoutError> {
        let mut ins = Sides::from_slice(&self.ins);
        if let Some(side) = ins.iter_mut().find(|side| side.dim == from) {
            side.dim = to;
        }
        Self::assemble(
            ins,
            Columns::from_slice(&self.columns),
            Sides::from_slice(&self.outs),
        )
    }

    /// Renames the out-dimensions by `names`, one for each in order.
    ///
    /// # Errors
    /// The number of names differs from that of out-dimensions, or a name is used twice.
    pub fn rename_outs(&self, names: &[Dim]) -> Result<LinearLayout, LayoutError> {
        if names.len() != self.outs.len() {
            return Err(LayoutError::LengthMismatch {
                found: names.len(),
                expected: self.outs.len(),
            });
        }
        let named = self.outs.iter().zip(names);
        let outs: Sides = named.map(|(side, name)| Side::new(*name, side.bits)).collect();
        self.with_unsorted_outs(outs)
    }

    /// The same map with renamed and reordered out-dimensions: `outs` are in the order of this
    /// layout's.
    pub(super) fn with_unsorted_outs(&self, outs: Sides) -> Result<LinearLayout, LayoutError> {
        check_outs(&outs)?;
        let mut sorted = outs.clone();
        sorted.sort();
        let place = Regroup::new(
            last_lowest(&outs).map(|(side, from)| (from, side.bits(), shift_of(&sorted, side.dim))),
        );
        Ok(LinearLayout {
            ins: Sides::from_slice(&self.ins),
            outs: sorted,
            columns: self.columns.iter().map(|column| place.apply(*column)).collect(),
        })
    }

    /// Resizes an in-dimension. A smaller size drops the high bits: the remaining positions hold the
    /// same elements. A larger one adds bits without influence: the new positions hold replicas.
    ///
    /// # Errors
    /// `size` is not a power of two or is above 2^31, or the layout would have too many bits.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// let layout = LinearLayout::identity_1d(4, Dim::Lane, Dim::Axis(0))?;
    /// assert_eq!(*layout.resize_in(Dim::Lane, 8)?.at(0, 7, 0, 0), [3]);
    /// assert_eq!(layout.resize_in(Dim::Lane, 8)?.resize_in(Dim::Lane, 4)?, layout);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn resize_in(&self, dim: Dim, size: u32) -> Result<LinearLayout, LayoutError> {
        let bits = log2(dim, u64::from(size))?;
        let mut ins = Sides::from_slice(&self.ins);
        match ins.iter_mut().find(|side| side.dim == dim) {
            Some(side) => side.bits = bits,
            None => ins.push(Side::new(dim, bits)),
        }
        let mut columns = Columns::new();
        for side in &ins {
            let old = self.columns_of(side.dim).iter().copied();
            columns.extend(old.chain(repeat(0)).take(usize::from(side.bits)));
        }
        Self::assemble(ins, columns, Sides::from_slice(&self.outs))
    }

    /// Resizes an out-dimension. Coordinates are taken modulo a smaller size (the layout wraps
    /// around); in a larger one they are unchanged, and the rest is not reached.
    ///
    /// # Errors
    /// The layout has no such out-dimension, `size` is not a power of two or is above 2^31, or the
    /// layout would have too many bits.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// let layout = LinearLayout::identity_1d(8, Dim::Lane, Dim::Axis(0))?;
    /// assert_eq!(*layout.resize_out(Dim::Axis(0), 4)?.at(0, 6, 0, 0), [2]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn resize_out(&self, dim: Dim, size: u32) -> Result<LinearLayout, LayoutError> {
        let bits = log2(dim, u64::from(size))?;
        let mut outs = Sides::from_slice(&self.outs);
        let resized = outs.iter_mut().find(|side| side.dim == dim);
        resized.ok_or(LayoutError::MissingDim { dim })?.bits = bits;
        check_outs(&outs)?;
        let ends = last_lowest(&self.outs).zip(last_lowest(&outs));
        let place = Regroup::new(ends.map(|((old, from), (new, to))| (from, old.bits().min(new.bits()), to)));
        Ok(LinearLayout {
            ins: Sides::from_slice(&self.ins),
            outs,
            columns: self.columns.iter().map(|column| place.apply(*column)).collect(),
        })
    }

    /// The union of the in-dimensions of two layouts of the same tensor: the value at a position is
    /// the exclusive or of the values of its two parts. [`LinearLayout::sublayout`] extracts the
    /// parts.
    ///
    /// # Errors
    /// The layouts have different out-dimensions or a common in-dimension, or there are too many bits.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// let lanes = LinearLayout::from_parts(&[(Dim::Lane, vec![vec![1]])], &[4])?;
    /// let warps = LinearLayout::from_parts(&[(Dim::Warp, vec![vec![3]])], &[4])?;
    /// assert_eq!(*lanes.concat_ins(&warps)?.at(0, 1, 1, 0), [2]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn concat_ins(&self, other: &LinearLayout) -> Result<LinearLayout, LayoutError> {
        self.check_same_outs(other)?;
        let ins = self.ins.iter().chain(&other.ins).copied().collect();
        let columns = self.columns.iter().chain(&other.columns).copied().collect();
        Self::assemble(ins, columns, Sides::from_slice(&self.outs))
    }

    /// The union of the out-dimensions of two layouts with the same in-dimensions: a position maps to
    /// the coordinates of both. [`LinearLayout::sublayout`] extracts the parts.
    ///
    /// # Errors
    /// The layouts have different in-dimensions or a common out-dimension, or there are too many
    /// out-dimensions or bits.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// let rows = LinearLayout::identity_1d(4, Dim::Lane, Dim::Axis(0))?;
    /// let columns = LinearLayout::zeros_1d(4, Dim::Lane, Dim::Axis(1), 8)?;
    /// assert_eq!(*rows.concat_outs(&columns)?.at(0, 3, 0, 0), [3, 0]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn concat_outs(&self, other: &LinearLayout) -> Result<LinearLayout, LayoutError> {
        for side in self.ins.iter().chain(&other.ins) {
            let (found, expected) = (other.in_size(side.dim), self.in_size(side.dim));
            if found != expected {
                return Err(LayoutError::SizeMismatch {
                    dim: side.dim,
                    found: u64::from(found),
                    expected: u64::from(expected),
                });
            }
        }
        let outs: Sides = self.outs.iter().chain(&other.outs).copied().collect();
        check_outs(&outs)?;
        let past = other.total_out_bits();
        let columns = self.columns.iter().zip(&other.columns);
        LinearLayout {
            ins: Sides::from_slice(&self.ins),
            columns: columns.map(|(high, low)| high << past | low).collect(),
            outs: outs.clone(),
        }
        .with_unsorted_outs(outs)
    }
}
