//! The trait of all encodings.

use crate::error::LayoutError;
use crate::linear::LinearLayout;

/// A rule that distributes a tile of any shape: a family of layouts, one for each shape.
///
/// Encodings nest: [`Slice`](super::Slice) contains the encoding of the tile before a reduction, and
/// [`InCluster`](super::InCluster) that of one CTA's part of the tile.
///
/// ```
/// use tilewright_layouts::distributed::{Blocked, Encoding, Slice};
///
/// let parent = Blocked::coalesced(&[64, 32], 4, &[1, 0], 4)?;
/// let encodings: [&dyn Encoding; 2] = [&parent, &Slice { parent: parent.clone(), axis: 1 }];
/// assert_eq!(encodings[0].to_linear(&[64, 32])?.shape(), [64, 32]);
/// assert_eq!(encodings[1].to_linear(&[64])?.shape(), [64]);
/// # Ok::<(), tilewright_layouts::LayoutError>(())
/// ```
pub trait Encoding {
    /// The layout of a tile of this shape, from (register, lane, warp, block) to its axes.
    ///
    /// The layout is surjective. A tile larger than one repetition wraps into further registers; a
    /// smaller one is replicated among threads.
    ///
    /// # Errors
    /// A size is not a power of two, the encoding has another rank, its parameters are inconsistent,
    /// or the layout exceeds a limit of [`LinearLayout`].
    fn to_linear(&self, shape: &[u32]) -> Result<LinearLayout, LayoutError>;
}

impl<E: Encoding + ?Sized> Encoding for &E {
    fn to_linear(&self, shape: &[u32]) -> Result<LinearLayout, LayoutError> {
        (**self).to_linear(shape)
    }
}
