//! Shared-memory layouts whose rows are permuted by exclusive or.

use super::{along, axis_bits, check_rank, from_offset_bits, over_blocks};
use crate::error::LayoutError;
use crate::linear::{LinearLayout, check_permutation};

/// A tile stored by axes, with the vectors of each row permuted.
///
/// Axis `order[0]` is called the column and axis `order[1]` the row. Without the swizzle, the offset
/// of an element has the columns fastest, then the rows, then the further axes of `order`. With it,
/// the element at (row, column) is stored where (row, column ^ s) would be, where
///
/// ```text
/// s = vec * ((row / per_phase) mod max_phase)   mod the number of columns
/// ```
///
/// So `vec` consecutive elements are contiguous, `per_phase` consecutive rows have the same
/// permutation, and the permutations repeat after `per_phase * max_phase` rows. With `max_phase` 1
/// the tile is unswizzled in the order of `order`. All parameters are powers of two.
///
/// This is the swizzled shared layout of Triton; see arXiv 2505.23819, §4, for it as a linear layout.
///
/// ```
/// use tilewright_layouts::{Dim, shared::Swizzled};
/// let swizzled = Swizzled { vec: 2, per_phase: 1, max_phase: 4, order: vec![1, 0] };
/// let layout = swizzled.to_linear(&[4, 8])?;
/// // The place of (3, 0) holds (3, 0 ^ 2 * 3).
/// assert_eq!(*layout.apply(&[(Dim::Offset, 3 * 8)]), [3, 6]);
/// # Ok::<(), tilewright_layouts::LayoutError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Swizzled {
    /// The number of consecutive elements that stay contiguous.
    pub vec: u32,
    /// The number of consecutive rows with the same permutation.
    pub per_phase: u32,
    /// The number of different permutations.
    pub max_phase: u32,
    /// The axes, fastest first.
    pub order: Vec<usize>,
}

impl Swizzled {
    /// Constructs a tile without a swizzle in this order of axes, fastest first.
    pub fn plain(order: &[usize]) -> Swizzled {
        Swizzled {
            vec: 1,
            per_phase: 1,
            max_phase: 1,
            order: order.to_vec(),
        }
    }

    /// The layout of a tile of this shape, from offset to axes; a bijection. Time: linear in the number
    /// of its bits.
    ///
    /// # Errors
    /// A parameter or a size is not a power of two, `order` is not a permutation of the axes, or the
    /// layout exceeds a limit of [`LinearLayout`].
    pub fn to_linear(&self, shape: &[u32]) -> Result<LinearLayout, LayoutError> {
        let rank = shape.len();
        check_rank(shape)?;
        check_permutation(&self.order, rank)?;
        power_of_two("vec", self.vec)?;
        power_of_two("per_phase", self.per_phase)?;
        power_of_two("max_phase", self.max_phase)?;
        let column = self.order.first().copied();
        let columns = column
            .and_then(|axis| shape.get(axis))
            .map_or(1, |size| u64::from(*size));
        let mut vectors = Vec::new();
        for (position, axis) in self.order.iter().enumerate() {
            let size = shape.get(*axis).copied().unwrap_or(1);
            for bit in 0..axis_bits(*axis, size)? {
                let mut vector = along(rank, *axis, 1 << bit);
                if let (1, Some(slot)) = (position, column.and_then(|axis| vector.get_mut(axis))) {
                    let phase = (1u64 << bit) / u64::from(self.per_phase) % u64::from(self.max_phase);
                    *slot = u64::from(self.vec) * phase % columns;
                }
                vectors.push(vector);
            }
        }
        from_offset_bits(vectors, shape)
    }

    /// The layout of a tile of this shape split into parts, one for each block of a cluster. `blocks`
    /// maps [`Dim::Block`](crate::Dim::Block) to the axes; the sizes of its axes are the numbers of
    /// parts along each axis.
    ///
    /// # Errors
    /// As [`Swizzled::to_linear`], or an axis does not divide into that number of parts.
    pub fn to_linear_over(&self, shape: &[u32], blocks: &LinearLayout) -> Result<LinearLayout, LayoutError> {
        over_blocks(shape, blocks, |part| self.to_linear(part))
    }
}

fn power_of_two(name: &'static str, value: u32) -> Result<(), LayoutError> {
    if value.is_power_of_two() {
        return Ok(());
    }
    Err(LayoutError::Parameter {
        name,
        value: u64::from(value),
        allowed: "a power of two",
    })
}
