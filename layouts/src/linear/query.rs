//! Queries on a linear layout: rank, replication, owners.

use super::LinearLayout;
use crate::dim::Dim;
use crate::error::LayoutError;
use crate::span::Span;

impl LinearLayout {
    /// The rank of the matrix: the layout reaches `2^rank` coordinates.
    pub fn rank(&self) -> usize {
        Span::of(self.columns.iter().copied()).rank()
    }

    /// Whether every coordinate is at some position.
    pub fn is_surjective(&self) -> bool {
        self.rank() == self.total_out_bits() as usize
    }

    /// Whether no coordinate is replicated.
    pub fn is_injective(&self) -> bool {
        self.rank() == self.columns.len()
    }

    /// Whether every coordinate is at exactly one position.
    pub fn is_invertible(&self) -> bool {
        self.is_surjective() && self.is_injective()
    }

    /// For each in-dimension, the free bits: those whose basis vector is a sum of earlier ones, which
    /// can be fixed at 0 without losing a coordinate. Each coordinate is at exactly one position with
    /// all of them 0, so "all these bits of my position are 0" elects one owner of each element.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// let copies = LinearLayout::from_parts(&[(Dim::Lane, vec![vec![1], vec![0], vec![1]])], &[2])?;
    /// assert_eq!(copies.free_variable_masks(), [(Dim::Lane, 0b110)]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn free_variable_masks(&self) -> Vec<(Dim, u32)> {
        let mut span = Span::of([]);
        let mut index = 0;
        let mut masks = Vec::with_capacity(self.ins.len());
        for side in &self.ins {
            let mut mask = 0;
            for bit in 0..side.bits {
                let independent = self
                    .columns
                    .get(index)
                    .is_some_and(|column| span.add(*column, index));
                if !independent {
                    mask |= 1 << bit;
                }
                index += 1;
            }
            masks.push((side.dim, mask));
        }
        masks
    }

    /// The bits of one in-dimension in [`LinearLayout::free_variable_masks`]; 0 if it is absent.
    pub fn free_mask(&self, dim: Dim) -> u32 {
        self.free_variable_masks()
            .iter()
            .find(|(known, _)| *known == dim)
            .map_or(0, |(_, mask)| *mask)
    }

    /// The bits of an in-dimension without influence: their basis vector is 0.
    pub fn copy_mask(&self, dim: Dim) -> u32 {
        let zero = self
            .columns_of(dim)
            .iter()
            .enumerate()
            .filter(|(_, column)| **column == 0);
        zero.fold(0, |mask, (bit, _)| mask | 1 << bit)
    }

    /// The position bits that move along an axis, the one with the smallest step first: bit `k` of the coordinate is
    /// bit `n` of the in-dimension `dim` if entry `k` is `(dim, n)`. `None` if the axis is not so plain: if a position
    /// bit moves along another axis too, or several of them flip the same bit of the coordinate.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// let bases = [
    ///     (Dim::Register, vec![vec![0, 1], vec![0, 4]]),
    ///     (Dim::Lane, vec![vec![0, 2], vec![1, 0]]),
    /// ];
    /// let layout = LinearLayout::from_parts(&bases, &[2, 8])?;
    /// let (register, lane) = (Dim::Register, Dim::Lane);
    /// assert_eq!(layout.bits_along(1), Some(vec![(register, 0), (lane, 0), (register, 1)]));
    /// assert_eq!(layout.bits_along(0), Some(vec![(lane, 1)]));
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn bits_along(&self, axis: usize) -> Option<Vec<(Dim, u32)>> {
        let size = self.shape().get(axis).copied()?;
        let mut along = vec![None; size.ilog2() as usize];
        for (dim, _) in self.in_dims() {
            for (bit, basis) in (0..).zip(self.bases(dim)) {
                let step = basis.get(axis).copied().unwrap_or(0);
                if step == 0 {
                    continue;
                }
                let alone = basis
                    .iter()
                    .enumerate()
                    .all(|(other, &n)| other == axis || n == 0);
                let place = along.get_mut(step.ilog2() as usize)?;
                if !alone || !step.is_power_of_two() || place.replace((dim, bit)).is_some() {
                    return None;
                }
            }
        }
        along.into_iter().collect()
    }

    /// Checks that two layouts have the same out-dimensions.
    ///
    /// # Errors
    /// The first dimension that differs.
    pub fn check_same_outs(&self, other: &LinearLayout) -> Result<(), LayoutError> {
        self.same_outs(other)
    }
}
