//! Shared-memory layouts: from offsets of a buffer to elements of a tile.
//!
//! Every encoding here converts to a [`LinearLayout`] from [`Dim::Offset`], in
//! elements, to the tile's axes. Padding is not linear over GF(2): a padded tile has a CuTe layout
//! ([`crate::cute`]).
//!
//! | type | layout |
//! |---|---|
//! | [`SwizzleMode`] | the hardware's permutation of byte addresses |
//! | [`Nvmma`] | tiles of bulk tensor copies, `wgmma` and `tcgen05` |
//! | [`Swizzled`] | tiles of ordinary loads, stores and `ldmatrix` |

mod nvmma;
mod swizzle_mode;
mod swizzled;

pub use nvmma::{Nvmma, NvmmaElement, TileOrder};
pub use swizzle_mode::SwizzleMode;
pub use swizzled::Swizzled;

use crate::dim::{Dim, MAX_RANK};
use crate::error::LayoutError;
use crate::linear::LinearLayout;

/// The layout of a tile split into parts, one for each block of a cluster: `part` returns the layout
/// of one part, and `blocks` maps [`Dim::Block`] to the part's number along each axis.
fn over_blocks(
    shape: &[u32],
    blocks: &LinearLayout,
    part: impl FnOnce(&[u32]) -> Result<LinearLayout, LayoutError>,
) -> Result<LinearLayout, LayoutError> {
    check_rank(shape)?;
    if blocks.out_dims().count() != shape.len() {
        return Err(LayoutError::LengthMismatch {
            found: blocks.out_dims().count(),
            expected: shape.len(),
        });
    }
    let mut part_shape = Vec::with_capacity(shape.len());
    for (axis, size) in (0..).zip(shape) {
        let dim = Dim::Axis(axis);
        let parts = blocks.out_size(dim).ok_or(LayoutError::NotTensor)?;
        if !size.is_multiple_of(parts) {
            return Err(LayoutError::SizeMismatch {
                dim,
                found: u64::from(*size),
                expected: u64::from(parts),
            });
        }
        part_shape.push(size / parts);
    }
    let blocks = blocks.sublayout(
        &[Dim::Block],
        &blocks.out_dims().map(|(dim, _)| dim).collect::<Vec<_>>(),
    );
    part(&part_shape)?.product(&blocks)
}

fn check_rank(shape: &[u32]) -> Result<(), LayoutError> {
    match shape.len() {
        rank if rank > MAX_RANK => Err(LayoutError::RankTooLarge { rank }),
        _ => Ok(()),
    }
}

/// The base-2 logarithm of the size of an axis.
fn axis_bits(axis: usize, size: u32) -> Result<u32, LayoutError> {
    if size.is_power_of_two() {
        Ok(size.ilog2())
    } else {
        Err(LayoutError::NotPowerOfTwo {
            dim: Dim::Axis(axis as u8),
            size: u64::from(size),
        })
    }
}

/// A coordinate that is `value` along one axis and 0 along the others.
fn along(rank: usize, axis: usize, value: u64) -> Vec<u64> {
    (0..rank)
        .map(|each| if each == axis { value } else { 0 })
        .collect()
}

/// Constructs a layout from the basis vectors of its offset bits.
fn from_offset_bits(vectors: Vec<Vec<u64>>, shape: &[u32]) -> Result<LinearLayout, LayoutError> {
    let shape: Vec<u64> = shape.iter().copied().map(u64::from).collect();
    LinearLayout::from_parts(&[(Dim::Offset, vectors)], &shape)
}
