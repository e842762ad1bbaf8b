//! Blocked layouts: threads tile the tensor with small blocks of elements.

use super::encoding::Encoding;
use super::grid::{check_counts, check_order, next, power_of_two, unit};
use crate::dim::{Dim, MAX_DIM_BITS, MAX_RANK};
use crate::error::LayoutError;
use crate::linear::LinearLayout;

/// The number of lanes of a warp.
const LANES: u32 = 32;

/// A blocked encoding. Each thread holds a block of `size_per_thread` elements, a warp is a grid of
/// `threads_per_warp` such blocks, and a CTA a grid of `warps_per_cta` warps. Each of the three is
/// numbered along axis `order[0]` first, then `order[1]`, and so on.
///
/// The element at register coordinate `r`, lane coordinate `l` and warp coordinate `w` along an axis is
/// `r + size_per_thread * (l + threads_per_warp * w)`, modulo the size of the axis. (arXiv 2505.23819,
/// §4: blocked layouts.)
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Blocked {
    /// The elements of a thread along each axis.
    pub size_per_thread: Vec<u32>,
    /// The lanes along each axis.
    pub threads_per_warp: Vec<u32>,
    /// The warps along each axis.
    pub warps_per_cta: Vec<u32>,
    /// The axes, fastest first.
    pub order: Vec<usize>,
}

impl Blocked {
    /// Constructs an encoding for a tensor of this shape that is accessed along axis `order[0]` in
    /// vectors of up to `vector_elems` elements, with consecutive vectors in the lanes of a warp.
    ///
    /// The vector is shortened where it would leave threads idle. Threads are assigned along
    /// `order[0]`, then `order[1]`, …; remaining threads hold copies. `num_warps`, `vector_elems` and
    /// the sizes are powers of two.
    ///
    /// # Errors
    /// A number is not a power of two, or `order` is not a permutation of the axes.
    ///
    /// ```
    /// # use tilewright_layouts::Blocked;
    /// let blocked = Blocked::coalesced(&[64, 32], 4, &[1, 0], 4)?;
    /// assert_eq!(blocked.size_per_thread, [1, 4]);
    /// assert_eq!(blocked.threads_per_warp, [4, 8]);
    /// assert_eq!(blocked.warps_per_cta, [4, 1]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn coalesced(
        shape: &[u32],
        vector_elems: u32,
        order: &[usize],
        num_warps: u32,
    ) -> Result<Blocked, LayoutError> {
        check_order(order, shape.len())?;
        for (axis, size) in (0..).zip(shape) {
            power_of_two(Dim::Axis(axis), *size)?;
        }
        power_of_two(Dim::Register, vector_elems)?;
        power_of_two(Dim::Warp, num_warps)?;
        let ones = vec![1; shape.len()];
        let mut blocked = Blocked {
            size_per_thread: ones.clone(),
            threads_per_warp: ones.clone(),
            warps_per_cta: ones,
            order: order.to_vec(),
        };
        // As base-2 logarithms: the number of elements of eight large axes exceeds every integer
        // type.
        let element_bits: u32 = shape.iter().map(|size| size.ilog2()).sum();
        let share_bits = element_bits.saturating_sub(LANES.ilog2() + num_warps.ilog2());
        let share = 1 << share_bits.min(MAX_DIM_BITS);
        let mut left = shape.to_vec();
        for (position, axis) in order.iter().enumerate() {
            let Some(extent) = left.get_mut(*axis) else {
                continue;
            };
            if position == 0 {
                let vector = vector_elems.min(*extent).min(share);
                blocked.size_per_thread = with(&blocked.size_per_thread, *axis, vector);
                *extent /= vector;
            }
        }
        blocked.threads_per_warp = placed(&mut left, order, LANES);
        blocked.warps_per_cta = placed(&mut left, order, num_warps);
        Ok(blocked)
    }

    /// The same encoding for a tensor of this shape, with its warps along `order[0]` first, then `order[1]`, …; remaining warps
    /// hold copies.
    ///
    /// # Errors
    /// `order` is not a permutation of the axes.
    ///
    /// ```
    /// # use tilewright_layouts::Blocked;
    /// let blocked = Blocked::coalesced(&[8, 1024], 8, &[1, 0], 8)?;
    /// assert_eq!(blocked.warps_per_cta, [2, 4]);
    /// assert_eq!(blocked.with_warps_along(&[8, 1024], &[0, 1])?.warps_per_cta, [8, 1]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn with_warps_along(mut self, shape: &[u32], order: &[usize]) -> Result<Blocked, LayoutError> {
        check_order(order, shape.len())?;
        let warps = self.warps_per_cta.iter().product();
        let mut left: Vec<u32> = shape
            .iter()
            .zip(self.size_per_thread.iter().zip(&self.threads_per_warp))
            .map(|(&extent, (&each, &threads))| (extent / each.saturating_mul(threads).max(1)).max(1))
            .collect();
        self.warps_per_cta = placed(&mut left, order, warps);
        Ok(self)
    }

    /// The linear layout of a tensor of this shape.
    ///
    /// A shape larger than the CTA's tile wraps: each thread holds further blocks, in more registers,
    /// fastest along `order[0]`. A shape smaller than it is replicated: lane and warp bits that would
    /// lead outside of the tensor have no effect, and such register bits are removed.
    ///
    /// # Errors
    /// A vector does not have one entry for each axis, a number is not a power of two, `order` is not
    /// a permutation, or the layout exceeds a limit of [`LinearLayout`].
    pub fn to_linear(&self, shape: &[u32]) -> Result<LinearLayout, LayoutError> {
        let rank = shape.len();
        if rank > MAX_RANK {
            return Err(LayoutError::RankTooLarge { rank });
        }
        check_order(&self.order, rank)?;
        let levels = [
            (Dim::Register, &self.size_per_thread),
            (Dim::Lane, &self.threads_per_warp),
            (Dim::Warp, &self.warps_per_cta),
        ];
        for (dim, counts) in levels {
            check_counts(dim, counts, rank)?;
        }
        // The part of each axis covered by the bits placed so far.
        let mut covered = vec![1u64; rank];
        let mut bases: Vec<(Dim, Vec<Vec<u64>>)> = Vec::with_capacity(levels.len());
        for (dim, counts) in levels {
            let mut vectors = Vec::new();
            for axis in &self.order {
                let count = counts.get(*axis).map_or(0, |count| count.ilog2());
                for _ in 0..count {
                    let inside = next(&mut covered, shape, *axis);
                    match (inside, dim) {
                        (Some(step), _) => vectors.push(unit(rank, *axis, step)),
                        (None, Dim::Register) => {}
                        (None, _) => vectors.push(vec![0; rank]),
                    }
                }
            }
            bases.push((dim, vectors));
        }
        if let Some((_, registers)) = bases.first_mut() {
            for axis in &self.order {
                while let Some(step) = next(&mut covered, shape, *axis) {
                    registers.push(unit(rank, *axis, step));
                }
            }
        }
        let shape: Vec<_> = shape.iter().copied().map(u64::from).collect();
        LinearLayout::from_parts(&bases, &shape)
    }
}

impl Encoding for Blocked {
    fn to_linear(&self, shape: &[u32]) -> Result<LinearLayout, LayoutError> {
        Blocked::to_linear(self, shape)
    }
}

/// The numbers of threads along each axis, if they are assigned along `order[0]`, then `order[1]`, …, up to the extents that are
/// left there. The remaining threads hold copies.
fn placed(left: &mut [u32], order: &[usize], mut threads: u32) -> Vec<u32> {
    let mut counts = vec![1; left.len()];
    for axis in order {
        let Some(extent) = left.get_mut(*axis) else {
            continue;
        };
        let along = threads.min(*extent);
        counts = with(&counts, *axis, along);
        threads /= along;
        *extent /= along;
    }
    if let Some(last) = order.last() {
        let along = counts.get(*last).copied().unwrap_or(1);
        counts = with(&counts, *last, along.saturating_mul(threads));
    }
    counts
}

fn with(counts: &[u32], axis: usize, count: u32) -> Vec<u32> {
    counts
        .iter()
        .enumerate()
        .map(|(index, old)| if index == axis { count } else { *old })
        .collect()
}
