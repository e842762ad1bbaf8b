//! Layouts with dimensions of other names and sizes.

use std::iter::repeat;

use super::LinearLayout;
use super::construct::{check_outs, log2};
use super::fields::{Columns, Regroup, Side, Sides, last_lowest, shift_of};
use crate::dim::Dim;
use crate::error::LayoutError;

impl LinearLayout {
    /// The layout with its out-dimensions renamed by `names`, one for each in order.
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
}
