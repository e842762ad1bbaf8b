//! Contiguity of a layout: the width of vector accesses.

use super::LinearLayout;
use super::fields::low_mask;
use crate::dim::Dim;

impl LinearLayout {
    /// The number of consecutive registers that hold consecutive elements along `out`: the widest
    /// vector access without a register permutation. [`LinearLayout::num_consecutive`] of registers.
    ///
    /// ```
    /// # use tilewright_layouts::{Blocked, Dim};
    /// let layout = Blocked::coalesced(&[1024], 4, &[0], 4)?.to_linear(&[1024])?;
    /// assert_eq!(layout.num_consecutive_in_out(Dim::Axis(0)), 4);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn num_consecutive_in_out(&self, out: Dim) -> u32 {
        self.num_consecutive(Dim::Register, out)
    }

    /// The number of consecutive positions along `input` that hold consecutive elements along `out`,
    /// in runs that start at a multiple of their length on both sides.
    ///
    /// The result `n` is the largest power of two such that positions `n*k` to `n*k + n - 1` along
    /// `input`, for any position along the other in-dimensions, hold elements `n*j` to `n*j + n - 1`
    /// along `out`, for some `j`, in order and at the same coordinates along the other
    /// out-dimensions.
    ///
    /// ```
    /// # use tilewright_layouts::{Blocked, Dim};
    /// let layout = Blocked::coalesced(&[1024], 4, &[0], 4)?.to_linear(&[1024])?;
    /// assert_eq!(layout.num_consecutive(Dim::Register, Dim::Axis(0)), 4);
    /// assert_eq!(layout.num_consecutive(Dim::Lane, Dim::Axis(0)), 1);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn num_consecutive(&self, input: Dim, out: Dim) -> u32 {
        let bits = self.out_bits(out).unwrap_or(0);
        let shift = self.out_shift(out);
        let columns = self.columns_of(input);
        let steps = columns.iter().zip(0..bits);
        let run = steps
            .take_while(|(column, bit)| **column == 1 << (shift + bit))
            .count();
        // No other bits may overlap with those of the run.
        let first = self.in_shift(input) as usize;
        let aligned = |run: &usize| {
            let low = low_mask(*run as u32) << shift;
            let others = self.columns.iter().enumerate();
            others
                .filter(|(index, _)| !(first..first + run).contains(index))
                .all(|(_, column)| column & low == 0)
        };
        (0..=run).rev().find(aligned).map_or(1, |run| 1 << run)
    }
}
