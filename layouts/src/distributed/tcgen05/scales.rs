//! Tensor-memory layouts of scale factors of block-scaled `tcgen05.mma`.

use crate::dim::Dim;
use crate::error::LayoutError;
use crate::linear::LinearLayout;

/// The layout of one-byte scale factors for `rows` rows of A (or columns of B), with `factors`
/// factors of each along K.
///
/// Four factors along K share a column. 32 rows are on the 32 lanes of a warp, the next 32 rows in
/// the next column, and after all rows the next four factors follow. The 32 lanes of every warp hold
/// copies. (PTX ISA, "Block Scaling", "Layout of the Scale Factor" with four factors; the instruction
/// descriptor selects fewer factors from the four. Same as the layout that `tcgen05.cp`
/// `.32x128b.warpx4` produces from CUTLASS's 128 x 4 blocks.)
///
/// ```
/// use tilewright_layouts::Dim;
/// use tilewright_layouts::distributed::tcgen05::TmemScales;
/// let scales = TmemScales { rows: 128, factors: 8 }.to_linear()?;
/// let place = [(Dim::Register, 3), (Dim::TmemLane, 64 + 5), (Dim::TmemColumn, 4 + 2)];
/// assert_eq!(*scales.apply(&place), [2 * 32 + 5, 4 + 3]);
/// # Ok::<(), tilewright_layouts::LayoutError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TmemScales {
    /// The rows of A or columns of B.
    pub rows: u32,
    /// The factors of each along K.
    pub factors: u32,
}

impl TmemScales {
    /// The layout from ([`Dim::Register`], the byte of a column; [`Dim::TmemLane`];
    /// [`Dim::TmemColumn`]) to (row, factor).
    ///
    /// # Errors
    /// A size is not a power of two, there are fewer than 64 rows or fewer than 4 factors.
    pub fn to_linear(&self) -> Result<LinearLayout, LayoutError> {
        let (m, k) = (Dim::Axis(0), Dim::Axis(1));
        at_least("rows", self.rows, 64, "64 or more")?;
        at_least("factors", self.factors, 4, "4 or more")?;
        LinearLayout::identity_1d(4, Dim::Register, k)?
            .product(&LinearLayout::identity_1d(32, Dim::TmemLane, m)?)?
            .product(&LinearLayout::zeros_1d(4, Dim::TmemLane, m, 1)?)?
            .product(&column(self.rows, 32, m)?)?
            .product(&column(self.factors, 4, k)?)
    }
}

/// The columns along an axis in steps of `step`.
fn column(size: u32, step: u32, dim: Dim) -> Result<LinearLayout, LayoutError> {
    if !size.is_power_of_two() {
        return Err(LayoutError::NotPowerOfTwo {
            dim,
            size: u64::from(size),
        });
    }
    LinearLayout::identity_1d(size / step, Dim::TmemColumn, dim)
}

fn at_least(name: &'static str, value: u32, least: u32, allowed: &'static str) -> Result<(), LayoutError> {
    if value >= least {
        return Ok(());
    }
    Err(LayoutError::Parameter {
        name,
        value: u64::from(value),
        allowed,
    })
}
