//! Layouts as lists of output words, for elimination in this crate.

use super::LinearLayout;
use super::construct::log2;
use super::fields::{Columns, Side, Sides};
use crate::dim::{Dim, MAX_DIM_BITS};
use crate::error::LayoutError;

impl LinearLayout {
    /// The basis vectors of an in-dimension as output words: row-major indices of elements.
    pub(crate) fn words(&self, dim: Dim) -> &[u64] {
        self.columns_of(dim)
    }

    /// The layout with these output words, which lie in the range of the out-dimensions.
    ///
    /// # Errors
    /// A dimension is named twice, or one of them or a side has too many bits.
    pub(crate) fn from_words(ins: Vec<(Dim, Vec<u64>)>, outs: &[(Dim, u64)]) -> Result<Self, LayoutError> {
        let mut sides = Sides::new();
        let mut columns = Columns::new();
        for (dim, words) in ins {
            let bits = u8::try_from(words.len()).ok();
            let bits = bits.filter(|bits| u32::from(*bits) <= MAX_DIM_BITS);
            let bits = bits.ok_or(LayoutError::DimTooLarge {
                dim,
                bits: words.len(),
            })?;
            if bits > 0 {
                sides.push(Side::new(dim, bits));
                columns.extend(words);
            }
        }
        let outs = outs
            .iter()
            .map(|&(dim, size)| Ok(Side::new(dim, log2(dim, size)?)));
        Self::assemble(sides, columns, outs.collect::<Result<_, _>>()?)
    }

    /// In-dimensions with their output words.
    pub(crate) fn grouped_words(&self) -> Vec<(Dim, Vec<u64>)> {
        let dims = self.in_dims();
        dims.map(|(dim, _)| (dim, self.columns_of(dim).to_vec()))
            .collect()
    }
}
