//! Functions from (thread, value) to the elements of a tile.

use super::error::BridgeError;
use super::naming::Naming;
use crate::cute::{Composed, Int};
use crate::dim::Dim;
use crate::error::LayoutError;
use crate::linear::LinearLayout;

/// Converts a CuTe layout from (thread, value) to the colexicographic index of a tile's elements,
/// axis 0 first, to the distributed layout from (register, lane, warp) to the axes of the tile.
/// Threads are numbered warp by warp.
///
/// This is CuTe's notation of the operands of MMA and copy instructions: `((4,8),2):((16,1),8)` is
/// the accumulator of an 8 by 8 tile, of which thread `t` holds the elements at row `t / 4` and
/// columns `2 (t % 4)` and `2 (t % 4) + 1`.
///
/// # Errors
/// As [`super::to_linear`].
///
/// ```
/// use tilewright_layouts::bridge;
/// let linear = bridge::threads_to_linear(&"((4,8),2):((16,1),8)".parse()?, &[8, 8])?;
/// assert_eq!(*linear.at(1, 13, 0, 0), [13 / 4, 2 * (13 % 4) + 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn threads_to_linear(layout: &Composed, tile: &[u32]) -> Result<LinearLayout, BridgeError> {
    let modes: Vec<_> = layout.layout().modes().collect();
    let [threads, values] = modes.as_slice() else {
        return Err(BridgeError::Rank {
            found: modes.len(),
            expected: 2,
        });
    };
    let columns = super::index_columns(layout)?;
    let size = |mode: usize, dim, size: Int| match size {
        Int::Static(size) => {
            let bits = size.checked_ilog2().unwrap_or(0) as usize;
            u32::try_from(size).map_err(|_| BridgeError::from(LayoutError::DimTooLarge { dim, bits }))
        }
        Int::Dynamic(_) => Err(BridgeError::Dynamic { mode }),
    };
    let threads = size(0, Dim::Lane, threads.size()?)?;
    let values = size(1, Dim::Register, values.size()?)?;
    super::assemble(&columns, &Naming::threads(threads, values, tile)?)
}

/// Converts a distributed layout from (register, lane, warp) to the axes of a tile to the CuTe layout
/// from (thread, value) to the colexicographic index of the tile's elements.
///
/// # Errors
/// As [`super::from_linear`]: in particular a layout distributed over blocks. With several warps of
/// fewer than 32 lanes, threads have no number.
///
/// ```
/// use tilewright_layouts::{Blocked, bridge};
/// let blocked = Blocked::coalesced(&[64, 32], 4, &[1, 0], 4)?.to_linear(&[64, 32])?;
/// let layout = bridge::threads_from_linear(&blocked)?;
/// assert_eq!(layout.layout().to_string(), "((8,16),(4,4)):((256,1),(64,16))");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn threads_from_linear(linear: &LinearLayout) -> Result<Composed, BridgeError> {
    if !linear.is_tensor() {
        return Err(LayoutError::NotTensor.into());
    }
    let (lanes, warps) = (linear.in_size(Dim::Lane), linear.in_size(Dim::Warp));
    if warps > 1 && lanes != super::naming::LANES {
        return Err(BridgeError::Layout(LayoutError::SizeMismatch {
            dim: Dim::Lane,
            found: u64::from(lanes),
            expected: u64::from(super::naming::LANES),
        }));
    }
    let naming = Naming::new(
        &[
            vec![(Dim::Lane, lanes), (Dim::Warp, warps)],
            vec![(Dim::Register, linear.in_size(Dim::Register))],
        ],
        &linear.out_dims().collect::<Vec<_>>(),
    )?;
    super::from_linear(linear, &naming)
}
