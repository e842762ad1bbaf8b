//! The dimensions of a CuTe layout's modes and index.

use super::error::BridgeError;
use crate::dim::{Dim, MAX_RANK};
use crate::error::LayoutError;
use crate::linear::LinearLayout;

/// Lanes of a warp.
pub(super) const LANES: u32 = 32;

/// The dimensions of a CuTe layout's modes and index.
///
/// CuTe numbers its modes; a linear layout names its dimensions. A mode of a CuTe layout consists of
/// one or several dimensions, the first varying fastest, and so does its index.
///
/// ```
/// use tilewright_layouts::{Dim, bridge::Naming};
/// // (thread, value) -> element of a 16 by 8 tile: two warps of 32 lanes, two values each.
/// let naming = Naming::threads(64, 2, &[16, 8])?;
/// assert_eq!(naming.modes(), [vec![(Dim::Lane, 32), (Dim::Warp, 2)], vec![(Dim::Register, 2)]]);
/// assert_eq!(naming.index(), [(Dim::Axis(0), 16), (Dim::Axis(1), 8)]);
/// # Ok::<(), tilewright_layouts::bridge::BridgeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Naming {
    modes: Vec<Vec<(Dim, u32)>>,
    index: Vec<(Dim, u32)>,
}

impl Naming {
    /// The naming in which mode `i` consists of the dimensions `modes[i]`, and the index of `index`,
    /// each with its size and the fastest first.
    ///
    /// # Errors
    /// A size is not a power of two, or a dimension is named twice on one side.
    pub fn new(modes: &[Vec<(Dim, u32)>], index: &[(Dim, u32)]) -> Result<Naming, BridgeError> {
        let ins: Vec<_> = modes.iter().flatten().copied().collect();
        for side in [ins.as_slice(), index] {
            for (position, &(dim, size)) in side.iter().enumerate() {
                if !size.is_power_of_two() {
                    let size = u64::from(size);
                    return Err(LayoutError::NotPowerOfTwo { dim, size }.into());
                }
                if side.iter().take(position).any(|(earlier, _)| *earlier == dim) {
                    return Err(LayoutError::DuplicateDim { dim }.into());
                }
            }
        }
        Ok(Naming {
            modes: modes.to_vec(),
            index: index.to_vec(),
        })
    }

    /// A layout in memory: mode `i` of size `shape[i]` is tensor axis `i`, the index is [`Dim::Offset`]
    /// below `extent`.
    ///
    /// # Errors
    /// A size is not a power of two, or there are too many modes.
    ///
    /// ```
    /// use tilewright_layouts::{Dim, bridge::Naming};
    /// let naming = Naming::memory(&[8, 64], 512)?;
    /// assert_eq!(naming.modes(), [vec![(Dim::Axis(0), 8)], vec![(Dim::Axis(1), 64)]]);
    /// # Ok::<(), tilewright_layouts::bridge::BridgeError>(())
    /// ```
    pub fn memory(shape: &[u32], extent: u32) -> Result<Naming, BridgeError> {
        let modes: Vec<_> = axes(shape)?.into_iter().map(|axis| vec![axis]).collect();
        Naming::new(&modes, &[(Dim::Offset, extent)])
    }

    /// A layout of threads and values: mode 0 is the thread, of which 32 are a [`Dim::Warp`], mode 1 is
    /// the value, a [`Dim::Register`]; the index is the colexicographic index into a tile, axis 0 first.
    ///
    /// # Errors
    /// A number is not a power of two, or there are too many axes.
    pub fn threads(threads: u32, values: u32, tile: &[u32]) -> Result<Naming, BridgeError> {
        let lanes = threads.min(LANES);
        // This is inexact only for a number of threads that is not a power of two, for which there is
        // a better error.
        if !threads.is_power_of_two() {
            let size = u64::from(threads);
            return Err(LayoutError::NotPowerOfTwo { dim: Dim::Lane, size }.into());
        }
        let thread = vec![(Dim::Lane, lanes), (Dim::Warp, threads / lanes)];
        Naming::new(&[thread, vec![(Dim::Register, values)]], &axes(tile)?)
    }

    /// The dimensions of each mode with their sizes, fastest first.
    pub fn modes(&self) -> &[Vec<(Dim, u32)>] {
        &self.modes
    }

    /// The dimensions of the index with their sizes, fastest first.
    pub fn index(&self) -> &[(Dim, u32)] {
        &self.index
    }

    /// The number of indices; saturates.
    pub(super) fn index_size(&self) -> u64 {
        product(&self.index)
    }

    /// The coordinate of an index along each dimension of the index.
    pub(super) fn split(&self, mut index: u64) -> Result<Vec<u64>, BridgeError> {
        let whole = index;
        let mut parts = Vec::with_capacity(self.index.len());
        for (_, size) in &self.index {
            parts.push(index % u64::from(*size));
            index /= u64::from(*size);
        }
        if index == 0 {
            Ok(parts)
        } else {
            Err(BridgeError::IndexOutOfRange {
                index: whole,
                size: self.index_size(),
            })
        }
    }

    /// The index of each basis vector of one dimension of `linear`, which has the dimensions of the index.
    pub(super) fn column(&self, linear: &LinearLayout, vector: &[u32]) -> u64 {
        let mut shift = 0;
        let mut index = 0;
        for (dim, size) in &self.index {
            let place = linear.out_dims().position(|(out, _)| out == *dim);
            let part = place.and_then(|place| vector.get(place)).copied().unwrap_or(0);
            index |= u64::from(part) << shift;
            shift += size.ilog2();
        }
        index
    }
}

/// The product of the sizes of dimensions; saturates.
pub(super) fn product(dims: &[(Dim, u32)]) -> u64 {
    dims.iter().fold(1, |product: u64, (_, size)| {
        product.saturating_mul(u64::from(*size))
    })
}

fn axes(shape: &[u32]) -> Result<Vec<(Dim, u32)>, BridgeError> {
    if shape.len() > MAX_RANK {
        return Err(LayoutError::RankTooLarge { rank: shape.len() }.into());
    }
    Ok((0..).map(Dim::Axis).zip(shape.iter().copied()).collect())
}
