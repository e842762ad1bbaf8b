//! Functions from coordinates to offsets in memory.

use super::error::BridgeError;
use super::naming::Naming;
use crate::cute::{Composed, Int};
use crate::dim::{Dim, MAX_DIM_BITS, MAX_RANK};
use crate::error::LayoutError;
use crate::linear::LinearLayout;

/// The linear layout from the coordinates of a CuTe layout, mode `i` as axis `i`, to [`Dim::Offset`],
/// whose size is the smallest power of two above every index.
///
/// # Errors
/// As [`super::to_linear`].
///
/// ```
/// use tilewright_layouts::{Dim, bridge};
/// let linear = bridge::memory_to_linear(&"((2,4),8):((1,16),2)".parse()?)?;
/// assert_eq!(linear.out_size(Dim::Offset), Some(64));
/// assert_eq!(*linear.apply(&[(Dim::Axis(0), 3), (Dim::Axis(1), 5)]), [1 + 16 + 5 * 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn memory_to_linear(layout: &Composed) -> Result<LinearLayout, BridgeError> {
    let rank = layout.rank();
    if rank > MAX_RANK {
        return Err(LayoutError::RankTooLarge { rank }.into());
    }
    let columns = super::index_columns(layout)?;
    let all = columns.iter().fold(0, |all, column| all | column);
    let bits = u64::BITS - all.leading_zeros();
    if bits > MAX_DIM_BITS {
        let (dim, bits) = (Dim::Offset, bits as usize);
        return Err(LayoutError::DimTooLarge { dim, bits }.into());
    }
    let mut shape = Vec::new();
    for (axis, mode) in (0..).zip(layout.layout().modes()) {
        // Every leaf is a power of two, as there are columns.
        let size = match mode.size()? {
            Int::Static(size) => size,
            Int::Dynamic(_) => {
                return Err(BridgeError::Dynamic {
                    mode: usize::from(axis),
                });
            }
        };
        let bits = size.ilog2() as usize;
        let dim = Dim::Axis(axis);
        shape.push(u32::try_from(size).map_err(|_| LayoutError::DimTooLarge { dim, bits })?);
    }
    super::assemble(&columns, &Naming::memory(&shape, 1 << bits)?)
}

/// The CuTe layout of `rank` modes, axis `i` as mode `i`, that is the same function as a linear layout
/// from axes to [`Dim::Offset`]. Axes that the linear layout does not have are modes of size 1.
///
/// # Errors
/// As [`super::from_linear`]: in particular an in-dimension that is not one of the first `rank` axes.
///
/// ```
/// use tilewright_layouts::{Dim, LinearLayout, bridge};
/// let linear = LinearLayout::strided_1d(8, 4, Dim::Axis(1), Dim::Offset)?;
/// assert_eq!(bridge::memory_from_linear(&linear, 2)?.layout().to_string(), "(1,8):(0,4)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn memory_from_linear(linear: &LinearLayout, rank: u8) -> Result<Composed, BridgeError> {
    let shape: Vec<_> = (0..rank).map(|axis| linear.in_size(Dim::Axis(axis))).collect();
    let extent = linear.out_size(Dim::Offset);
    let extent = extent.ok_or(LayoutError::MissingDim { dim: Dim::Offset })?;
    super::from_linear(linear, &Naming::memory(&shape, extent)?)
}
