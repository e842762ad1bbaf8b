//! Slices: the layout of a tile after a reduction along one axis.

use super::encoding::Encoding;
use crate::dim::{Dim, MAX_RANK};
use crate::error::LayoutError;
use crate::linear::LinearLayout;

/// The encoding of a tile without axis `axis`, derived from the encoding of the tile with it: every
/// thread holds the elements of the rows of which it held elements. It is the encoding of the result
/// of a reduction along `axis`, and that of an operand whose expansion and broadcast along `axis` to
/// the parent's encoding need no data movement.
///
/// Registers that would be copies are dropped, so that a thread holds each element in one register.
/// Lanes, warps and blocks that hold copies keep their numbers. The layout does not depend on the
/// size of the parent's tile along `axis`.
///
/// Formally, for a parent layout `P` of any extent along `axis`, it is `P` without its component
/// along `axis`, and without the register bits whose basis vector is then 0. (Triton's slice
/// encoding; arXiv 2505.23819, §4: sliced layouts.)
///
/// ```
/// use tilewright_layouts::{Blocked, Dim};
/// use tilewright_layouts::distributed::{Encoding, Slice};
///
/// // Eight lanes and four registers of each lie along a row.
/// let parent = Blocked::coalesced(&[64, 32], 4, &[1, 0], 4)?;
/// let rows = Slice { parent: parent.clone(), axis: 1 }.to_linear(&[64])?;
/// assert_eq!(rows.in_size(Dim::Register), 4);
/// assert_eq!(rows.copy_mask(Dim::Lane), 0b00111);
///
/// let whole = parent.to_linear(&[64, 32])?;
/// assert_eq!(rows, whole.slice(1)?.remove_axis(1)?.drop_copies(Dim::Register));
/// # Ok::<(), tilewright_layouts::LayoutError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Slice<E> {
    /// The encoding of the tile with the axis.
    pub parent: E,
    /// The axis of the parent's tile that is removed.
    pub axis: usize,
}

impl<E: Encoding> Encoding for Slice<E> {
    fn to_linear(&self, shape: &[u32]) -> Result<LinearLayout, LayoutError> {
        if shape.len() >= MAX_RANK {
            return Err(LayoutError::RankTooLarge {
                rank: shape.len() + 1,
            });
        }
        if self.axis > shape.len() {
            return Err(LayoutError::MissingDim {
                dim: Dim::Axis(u8::try_from(self.axis).unwrap_or(u8::MAX)),
            });
        }
        let mut parent_shape = shape.to_vec();
        parent_shape.insert(self.axis, 1);
        let parent = self.parent.to_linear(&parent_shape)?;
        Ok(parent.remove_axis(self.axis)?.drop_copies(Dim::Register))
    }
}
