//! Extends the fragment of one instruction to the tile of a CTA.

use super::encoding::Encoding;
use super::grid::{check_order, check_shape, next, power_of_two, unit};
use crate::dim::Dim;
use crate::error::LayoutError;
use crate::linear::LinearLayout;

/// A row of warps and the axis along which they hold different parts of the tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WarpsAlong {
    /// The axis; `None` if the warps hold copies.
    pub axis: Option<usize>,
    /// The number of warps.
    pub count: u32,
}

/// The fragment of an instruction, repeated over the warps of a CTA and then over the registers of
/// each thread until the tile is covered.
///
/// With `f` the fragment's sizes, the element at fragment coordinate `x`, warp coordinate `w` (of `n`
/// warps along the axis) and repetition `r` has coordinate `x + f * (w + n * r)` along an axis.
///
/// A smaller tile is replicated: bits that would lead outside of the tile have no effect. All
/// registers of the fragment are kept, because the instruction has them; registers that would only
/// repeat the fragment outside of the tile do not exist.
///
/// ```
/// use tilewright_layouts::{Dim, LinearLayout};
/// use tilewright_layouts::distributed::{Encoding, InstructionTile, WarpsAlong};
///
/// // An instruction whose lanes hold 32 consecutive elements, on two warps.
/// let fragment = LinearLayout::identity_1d(32, Dim::Lane, Dim::Axis(0))?;
/// let tile = InstructionTile {
///     fragment,
///     warps: vec![WarpsAlong { axis: Some(0), count: 2 }],
///     order: vec![0],
/// };
/// let layout = tile.to_linear(&[256])?;
/// assert_eq!(*layout.at(3, 5, 1, 0), [5 + 32 * (1 + 2 * 3)]);
/// # Ok::<(), tilewright_layouts::LayoutError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InstructionTile {
    /// The fragment of one instruction: a layout to `dim0`, `dim1`, …, of the tile's rank.
    pub fragment: LinearLayout,
    /// The warps, fastest-numbered first. They are numbered above the warps of the fragment, if it
    /// has any, such as those of a warpgroup's instructions.
    pub warps: Vec<WarpsAlong>,
    /// The axes along which the registers repeat the fragment, fastest first.
    pub order: Vec<usize>,
}

impl Encoding for InstructionTile {
    fn to_linear(&self, shape: &[u32]) -> Result<LinearLayout, LayoutError> {
        let rank = shape.len();
        check_shape(shape)?;
        check_order(&self.order, rank)?;
        self.fragment.require_tensor()?;
        let sizes = self.fragment.shape();
        if sizes.len() != rank {
            return Err(LayoutError::LengthMismatch {
                found: sizes.len(),
                expected: rank,
            });
        }
        let mut covered: Vec<u64> = sizes.into_iter().map(u64::from).collect();
        let cut = |vector: &[u32]| -> Vec<u64> {
            let inside = vector.iter().zip(shape).map(|(value, size)| value & (size - 1));
            inside.map(u64::from).collect()
        };
        let part = |dim| {
            self.fragment
                .bases(dim)
                .map(|vector| cut(&vector))
                .collect::<Vec<_>>()
        };
        let (mut registers, mut warps) = (part(Dim::Register), part(Dim::Warp));
        for along in &self.warps {
            power_of_two(Dim::Warp, along.count)?;
            if let Some(axis) = along.axis.filter(|axis| *axis >= rank) {
                let axis = u8::try_from(axis).unwrap_or(u8::MAX);
                return Err(LayoutError::MissingDim { dim: Dim::Axis(axis) });
            }
            for _ in 0..along.count.ilog2() {
                let step = along
                    .axis
                    .and_then(|axis| Some((axis, next(&mut covered, shape, axis)?)));
                warps.push(step.map_or_else(|| vec![0; rank], |(axis, step)| unit(rank, axis, step)));
            }
        }
        for axis in &self.order {
            while let Some(step) = next(&mut covered, shape, *axis) {
                registers.push(unit(rank, *axis, step));
            }
        }
        let bases = [
            (Dim::Register, registers),
            (Dim::Lane, part(Dim::Lane)),
            (Dim::Warp, warps),
            (Dim::Block, part(Dim::Block)),
        ];
        let shape: Vec<_> = shape.iter().copied().map(u64::from).collect();
        LinearLayout::from_parts(&bases, &shape)
    }
}
