//! Parts of a layout: some of its dimensions, and the identity factored out.

use smallvec::SmallVec;

use super::LinearLayout;
use super::fields::{Regroup, Side, Sides, last_lowest, low_mask};
use crate::dim::Dim;
use crate::error::LayoutError;

impl LinearLayout {
    /// The submatrix from `ins` to `outs`; dimensions that the layout does not have are ignored.
    ///
    /// ```
    /// # use tilewright_layouts::{Blocked, Dim};
    /// let layout = Blocked::coalesced(&[16, 64], 4, &[1, 0], 4)?.to_linear(&[16, 64])?;
    /// let columns_of_a_lane = layout.sublayout(&[Dim::Lane], &[Dim::Axis(1)]);
    /// assert_eq!(*columns_of_a_lane.at(0, 5, 0, 0), [20]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn sublayout(&self, ins: &[Dim], outs: &[Dim]) -> LinearLayout {
        let kept = |sides: &[Side], dims: &[Dim]| -> Sides {
            let named = sides.iter().filter(|side| dims.contains(&side.dim));
            named.copied().collect()
        };
        let (kept_ins, kept_outs) = (kept(&self.ins, ins), kept(&self.outs, outs));
        let project = Regroup::new(
            last_lowest(&kept_outs).map(|(side, to)| (self.out_shift(side.dim), side.bits(), to)),
        );
        let columns = kept_ins.iter().flat_map(|side| self.columns_of(side.dim));
        LinearLayout {
            columns: columns.map(|column| project.apply(*column)).collect(),
            ins: kept_ins,
            outs: kept_outs,
        }
    }

    /// The bits of an output word that belong to `outs`.
    fn out_mask(&self, outs: &[Dim]) -> u64 {
        let named = last_lowest(&self.outs).filter(|(side, _)| outs.contains(&side.dim));
        named.fold(0, |mask, (side, shift)| mask | low_mask(side.bits()) << shift)
    }

    /// Whether the layout is the identity on `dims`: an input along one of them maps to the equal
    /// output along the out-dimension of that name and to nothing else, and no other input maps to
    /// these. Dimensions that the layout does not have, or has with size 1 only, are ignored.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// let blocks = LinearLayout::identity_1d(2, Dim::Block, Dim::Block)?;
    /// let offsets = LinearLayout::strided_1d(4, 2, Dim::Lane, Dim::Offset)?;
    /// assert!(blocks.product(&offsets)?.is_trivial_over(&[Dim::Block]));
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn is_trivial_over(&self, dims: &[Dim]) -> bool {
        let mask = self.out_mask(dims);
        dims.iter().all(|dim| self.is_identity_on_out(*dim))
            && self.ins.iter().all(|side| {
                let inside = dims.contains(&side.dim);
                let outside = if inside { !mask } else { 0 };
                self.columns_of(side.dim)
                    .iter()
                    .all(|column| column & outside == 0)
            })
    }

    /// Whether the output along `dim` equals the input along `dim`, and depends on no other input.
    /// Unlike for [`LinearLayout::is_trivial_over`], the input along `dim` may also influence other
    /// outputs.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// // Block 1 writes to itself, at offset 1.
    /// let layout = LinearLayout::from_bases(
    ///     &[(Dim::Block, vec![vec![1, 1]])],
    ///     &[(Dim::Block, 2), (Dim::Offset, 2)],
    /// )?;
    /// assert!(layout.is_identity_on_out(Dim::Block));
    /// assert!(!layout.is_trivial_over(&[Dim::Block]));
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn is_identity_on_out(&self, dim: Dim) -> bool {
        let (bits, shift) = (self.out_bits(dim).unwrap_or(0), self.out_shift(dim));
        bits == self.in_bits(dim)
            && self.ins.iter().all(|side| {
                let parts = self
                    .columns_of(side.dim)
                    .iter()
                    .map(|column| column >> shift & low_mask(bits));
                parts
                    .zip(0..)
                    .all(|(part, bit)| part == if side.dim == dim { 1 << bit } else { 0 })
            })
    }

    /// The map on the other dimensions, for a layout that is the identity on `dims`
    /// ([`LinearLayout::is_trivial_over`]).
    ///
    /// The layout is then the product of that identity and the quotient.
    ///
    /// # Errors
    /// [`LayoutError::NotTrivial`]: the layout is not the identity on these dimensions.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// let blocks = LinearLayout::identity_1d(2, Dim::Block, Dim::Block)?;
    /// let offsets = LinearLayout::strided_1d(4, 2, Dim::Lane, Dim::Offset)?;
    /// assert_eq!(blocks.product(&offsets)?.quotient(&[Dim::Block])?, offsets);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn quotient(&self, dims: &[Dim]) -> Result<LinearLayout, LayoutError> {
        if !self.is_trivial_over(dims) {
            // It is true for several dimensions exactly if it is true for each.
            let culprit = dims.iter().find(|dim| !self.is_trivial_over(&[**dim]));
            return Err(LayoutError::NotTrivial {
                dim: culprit.or(dims.first()).copied().unwrap_or(Dim::Register),
            });
        }
        let others = |sides: &[Side]| -> SmallVec<[Dim; 8]> {
            let names = sides.iter().map(|side| side.dim);
            names.filter(|dim| !dims.contains(dim)).collect()
        };
        Ok(self.sublayout(&others(&self.ins), &others(&self.outs)))
    }
}
