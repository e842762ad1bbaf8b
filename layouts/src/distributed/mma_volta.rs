//! Fragments of `mma.m8n8k4` on `f16`: four products in one instruction.

use super::mma_sync::MmaOperand;
use crate::dim::Dim;
use crate::error::LayoutError;
use crate::linear::LinearLayout;

/// The `.row` or `.col` qualifier of a matrix of `mma.m8n8k4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MajorOrder {
    /// `.row`: a thread holds a part of a row.
    Row,
    /// `.col`: a thread holds a part of a column.
    Column,
}

/// The accumulator type of `mma.m8n8k4`, which determines the accumulator's fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VoltaAccumulator {
    /// `.f16`: a thread holds a row.
    F16,
    /// `.f32`: a thread holds two-by-two blocks of two rows.
    F32,
}

/// An `mma.sync.m8n8k4` on `f16`, in which each *quad pair*, lanes `4 q` to `4 q + 3` and the lanes
/// 16 above them, computes a product of its own.
///
/// Its layouts have three axes: product (of four), row, column. They are linear, as those of the
/// later instructions are. (PTX ISA, matrix fragments for `mma.m8n8k4` with `.f16` floating point
/// type.)
///
/// ```
/// use tilewright_layouts::distributed::{MajorOrder, MmaOperand, MmaVolta, VoltaAccumulator};
/// let mma = MmaVolta { a: MajorOrder::Row, b: MajorOrder::Column, accumulator: VoltaAccumulator::F32 };
/// let a = mma.fragment(MmaOperand::A)?;
/// assert_eq!(a.shape(), [4, 8, 4]);
/// // Lane 22 is the third of the high group of the second quad pair.
/// assert_eq!(*a.at(1, 22, 0, 0), [1, 2 + 4, 1]);
/// # Ok::<(), tilewright_layouts::LayoutError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MmaVolta {
    /// The qualifier of A.
    pub a: MajorOrder,
    /// The qualifier of B.
    pub b: MajorOrder,
    /// The type of C and D.
    pub accumulator: VoltaAccumulator,
}

impl MmaVolta {
    /// The fragment: from the number of the element in the thread's registers ([`Dim::Register`]) and
    /// the lane to (product, row, column). A bijection.
    ///
    /// # Errors
    /// Those of constructing a layout, none of which occur.
    pub fn fragment(self, operand: MmaOperand) -> Result<LinearLayout, LayoutError> {
        let (row, column) = (|step| vec![0, step, 0], |step| vec![0, 0, step]);
        // The bits of the element, the two lane bits within the quad, and the bit of the half warp.
        let (elements, quad, half) = match operand {
            MmaOperand::A => match self.a {
                MajorOrder::Row => (vec![column(1), column(2)], [row(1), row(2)], row(4)),
                MajorOrder::Column => (vec![row(1), row(2)], [column(1), column(2)], row(4)),
            },
            MmaOperand::B => match self.b {
                MajorOrder::Row => (vec![column(1), column(2)], [row(1), row(2)], column(4)),
                MajorOrder::Column => (vec![row(1), row(2)], [column(1), column(2)], column(4)),
            },
            MmaOperand::Accumulator => match self.accumulator {
                VoltaAccumulator::F16 => {
                    let elements = vec![column(1), column(2), column(4)];
                    (elements, [row(1), row(2)], row(4))
                }
                VoltaAccumulator::F32 => {
                    let elements = vec![column(1), row(2), column(4)];
                    (elements, [row(1), column(2)], row(4))
                }
            },
        };
        let size = match operand {
            MmaOperand::A => [4, 8, 4],
            MmaOperand::B => [4, 4, 8],
            MmaOperand::Accumulator => [4, 8, 8],
        };
        let [first, second] = quad;
        let lanes = vec![first, second, vec![1, 0, 0], vec![2, 0, 0], half];
        LinearLayout::from_parts(&[(Dim::Register, elements), (Dim::Lane, lanes)], &size)
    }
}
