//! The distribution of a tile over the CTAs of a cluster.

use super::encoding::Encoding;
use super::grid::{check_counts, check_order, check_shape, unit};
use crate::dim::Dim;
use crate::error::LayoutError;
use crate::linear::LinearLayout;

/// A grid of CTAs and the distribution of a tile among them.
///
/// The CTAs form a grid of `ctas` along each axis, numbered along axis `order[0]` first, then
/// `order[1]`, and so on. The tile is split along an axis into `splits` equal parts: CTA `c` of that
/// axis holds part `c % splits`, so that `ctas / splits` CTAs hold copies of it. An axis shorter than
/// its number of splits is split into single elements, and the CTAs beyond hold copies too. (Triton's
/// CTA layout, CTAs per CGA, CTA split number and CTA order.)
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cluster {
    /// The CTAs along each axis.
    pub ctas: Vec<u32>,
    /// The number of parts along each axis, at most that of its CTAs.
    pub splits: Vec<u32>,
    /// The axes, fastest first.
    pub order: Vec<usize>,
}

impl Cluster {
    /// Constructs a cluster of a single CTA.
    pub fn single(rank: usize) -> Cluster {
        Cluster {
            ctas: vec![1; rank],
            splits: vec![1; rank],
            order: (0..rank).rev().collect(),
        }
    }

    /// The same CTAs with the tile not split along `axis`, so that the CTAs along it hold copies: the
    /// distribution of a multiplicand with the reduction axis in the position of `axis`.
    ///
    /// ```
    /// use tilewright_layouts::distributed::Cluster;
    ///
    /// let grid = Cluster { ctas: vec![2, 2], splits: vec![2, 2], order: vec![0, 1] };
    /// let accumulator = grid.blocks(&[128, 128])?;
    /// let left = grid.shared_along(1).blocks(&[128, 64])?;
    /// assert_eq!(*accumulator.at(0, 0, 0, 3), [1, 1]);
    /// assert_eq!(*left.at(0, 0, 0, 3), [1, 0]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn shared_along(&self, axis: usize) -> Cluster {
        let mut shared = self.clone();
        if let Some(split) = shared.splits.get_mut(axis) {
            *split = 1;
        }
        shared
    }

    /// The map from [`Dim::Block`] to the number of the block's part along each axis.
    ///
    /// # Errors
    /// The number of entries differs from the rank of `shape`, a number is not a power of two, an
    /// axis has more splits than CTAs, or `order` is not a permutation of the axes.
    pub fn blocks(&self, shape: &[u32]) -> Result<LinearLayout, LayoutError> {
        let rank = shape.len();
        check_shape(shape)?;
        check_order(&self.order, rank)?;
        check_counts(Dim::Block, &self.ctas, rank)?;
        check_counts(Dim::Block, &self.splits, rank)?;
        for (ctas, splits) in self.ctas.iter().zip(&self.splits) {
            if splits > ctas {
                return Err(LayoutError::SizeMismatch {
                    dim: Dim::Block,
                    found: u64::from(*splits),
                    expected: u64::from(*ctas),
                });
            }
        }
        let at = |counts: &[u32], axis: usize| counts.get(axis).map_or(0, |count| count.ilog2());
        let parts: Vec<u64> = self.parts(shape).into_iter().map(u64::from).collect();
        let mut vectors = Vec::new();
        for axis in &self.order {
            let size = parts.get(*axis).copied().unwrap_or(1);
            for bit in 0..at(&self.ctas, *axis) {
                let step = 1 << bit;
                vectors.push(unit(rank, *axis, if step < size { step } else { 0 }));
            }
        }
        LinearLayout::from_parts(&[(Dim::Block, vectors)], &parts)
    }

    /// The number of nonempty parts along each axis.
    fn parts(&self, shape: &[u32]) -> Vec<u32> {
        let axes = shape.iter().zip(&self.splits);
        axes.map(|(size, splits)| *size.min(splits)).collect()
    }
}

/// The encoding of a tile over a cluster in which each CTA holds its part in the encoding `cta`.
///
/// Along an axis, the element at coordinate `x` of the part of block `b` is element `x + size *
/// part(b)` of the tile, where `size` is that of a part. (Triton's CTA layouts; arXiv 2505.23819,
/// §4.)
///
/// ```
/// use tilewright_layouts::{Blocked, Dim};
/// use tilewright_layouts::distributed::{Cluster, Encoding, InCluster};
///
/// let cta = Blocked::coalesced(&[64, 64], 4, &[1, 0], 4)?;
/// let cluster = Cluster { ctas: vec![2, 2], splits: vec![2, 1], order: vec![1, 0] };
/// let layout = InCluster { cluster, cta }.to_linear(&[128, 64])?;
/// // Blocks 0 and 1 hold the upper half, both of it all; blocks 2 and 3 the lower.
/// assert_eq!(*layout.at(0, 0, 0, 1), [0, 0]);
/// assert_eq!(*layout.at(0, 0, 0, 2), [64, 0]);
/// # Ok::<(), tilewright_layouts::LayoutError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InCluster<E> {
    /// The distribution of the tile among the CTAs.
    pub cluster: Cluster,
    /// The encoding of each CTA's part.
    pub cta: E,
}

impl<E: Encoding> Encoding for InCluster<E> {
    fn to_linear(&self, shape: &[u32]) -> Result<LinearLayout, LayoutError> {
        let blocks = self.cluster.blocks(shape)?;
        let parts = blocks.shape();
        let part: Vec<u32> = shape
            .iter()
            .zip(&parts)
            .map(|(size, parts)| size / parts)
            .collect();
        self.cta.to_linear(&part)?.product(&blocks)
    }
}
