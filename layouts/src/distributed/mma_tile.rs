//! Tiles of matrix multiplications whose warps each run `mma.sync`.

use super::encoding::Encoding;
use super::instruction_tile::{InstructionTile, WarpsAlong};
use super::mma_sync::{MmaOperand, MmaSync};
use crate::dim::{Dim, MAX_RANK};
use crate::error::LayoutError;
use crate::linear::LinearLayout;

/// A matrix of a product that a CTA computes with `mma.sync`, with its warps in a grid over the
/// accumulator.
///
/// The tile may have batch axes before its two matrix axes. Along M and N the fragment of [`MmaSync`]
/// is repeated over the warps and then over registers. A multiplicand lacks one of the two axes; the
/// warps along it hold copies. Along K a multiplicand is repeated over registers only.
///
/// Register bits beyond the fragment run along K first in A and B, along N first in the accumulator,
/// then along the other matrix axis, then along the batch axes from the last to the first. See
/// [`InstructionTile`] for small tiles. (Triton's NVIDIA MMA encoding of version 2 and its dot
/// operands have the same order.)
///
/// ```
/// use tilewright_layouts::Dim;
/// use tilewright_layouts::distributed::{Encoding, MmaOperand, MmaSync, MmaTile};
///
/// let tile = |operand| MmaTile {
///     instruction: MmaSync::M16N8K16B16,
///     operand,
///     warps_per_cta: vec![2, 2],
///     order: vec![1, 0],
/// };
/// let accumulator = tile(MmaOperand::Accumulator).to_linear(&[64, 64])?;
/// assert_eq!(*accumulator.at(0, 0, 3, 0), [16, 8]);
/// // Warps 0 and 1 are next to each other along N: they need the same rows of A.
/// let a = tile(MmaOperand::A).to_linear(&[64, 32])?;
/// assert_eq!(a.copy_mask(Dim::Warp), 0b01);
/// # Ok::<(), tilewright_layouts::LayoutError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MmaTile {
    /// The instruction.
    pub instruction: MmaSync,
    /// The operand matrix.
    pub operand: MmaOperand,
    /// The warps along each axis of the accumulator: its batch axes, M, N.
    pub warps_per_cta: Vec<u32>,
    /// The axes of the accumulator in the order of the warp numbers, fastest first.
    pub order: Vec<usize>,
}

impl MmaTile {
    /// The same tile for another matrix of the product.
    pub fn with_operand(&self, operand: MmaOperand) -> MmaTile {
        MmaTile {
            operand,
            ..self.clone()
        }
    }

    /// The instruction's fragment and its repetition.
    ///
    /// # Errors
    /// The number of axes is below two or above the limit, or `order` is not a permutation of them.
    pub fn instruction_tile(&self) -> Result<InstructionTile, LayoutError> {
        let rank = self.warps_per_cta.len();
        if rank > MAX_RANK {
            return Err(LayoutError::RankTooLarge { rank });
        }
        let Some(batch) = rank.checked_sub(2) else {
            return Err(LayoutError::LengthMismatch {
                found: rank,
                expected: 2,
            });
        };
        super::grid::check_counts(Dim::Warp, &self.warps_per_cta, rank)?;
        super::grid::check_order(&self.order, rank)?;
        let (m, n) = (batch, batch + 1);
        // The accumulator axis that this matrix lacks, and its own fastest axis.
        let (shared, fastest, other) = match self.operand {
            MmaOperand::A => (Some(n), n, m),
            MmaOperand::B => (Some(m), m, n),
            MmaOperand::Accumulator => (None, n, m),
        };
        let warps = self.order.iter().map(|axis| WarpsAlong {
            axis: (Some(*axis) != shared).then_some(*axis),
            count: self.warps_per_cta.get(*axis).copied().unwrap_or(1),
        });
        let mut fragment = self.instruction.fragment(self.operand)?;
        for _ in 0..batch {
            fragment = fragment.insert_axis(0)?;
        }
        let order = [fastest, other].into_iter().chain((0..batch).rev());
        Ok(InstructionTile {
            fragment,
            warps: warps.collect(),
            order: order.collect(),
        })
    }
}

impl Encoding for MmaTile {
    fn to_linear(&self, shape: &[u32]) -> Result<LinearLayout, LayoutError> {
        self.instruction_tile()?.to_linear(shape)
    }
}
