//! Fragments of the warp-level matrix multiplications, `mma.sync` with dense operands.

use std::fmt;

use super::grid::unit;
use crate::dim::Dim;
use crate::error::LayoutError;
use crate::linear::LinearLayout;
use crate::units::ElementWidth;

/// An operand matrix of `D = A B + C`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MmaOperand {
    /// The left multiplicand, M by K.
    A,
    /// The right multiplicand, K by N.
    B,
    /// The accumulators C and D, M by N.
    Accumulator,
}

impl MmaOperand {
    /// All three operands.
    pub const ALL: [MmaOperand; 3] = [MmaOperand::A, MmaOperand::B, MmaOperand::Accumulator];
}

/// The extents of a matrix multiplication.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MmaShape {
    /// The rows of A and of the accumulator.
    pub m: u32,
    /// The columns of B and of the accumulator.
    pub n: u32,
    /// The columns of A and the rows of B.
    pub k: u32,
}

impl MmaShape {
    /// The rows and columns of a matrix.
    pub fn of(self, operand: MmaOperand) -> [u32; 2] {
        match operand {
            MmaOperand::A => [self.m, self.k],
            MmaOperand::B => [self.k, self.n],
            MmaOperand::Accumulator => [self.m, self.n],
        }
    }
}

impl fmt::Display for MmaShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "m{}n{}k{}", self.m, self.n, self.k)
    }
}

/// A dense `mma.sync` in which the whole warp computes one product: its shape, and the width of an
/// element of A and B in registers. These are all combinations in PTX except `m8n8k4` on `f16`, which
/// computes four products and is [`MmaVolta`](super::MmaVolta).
///
/// Types of the same width share fragments: `f16` with `bf16`; `s8` and `u8` with the 8-bit floats
/// and with the 6- and 4-bit ones that `.kind::f8f6f4` stores in bytes. The accumulator type (`f16`,
/// `f32`, `s32`, `f64`) does not matter: its fragment depends on the shape only.
///
/// # The fragments
/// With `p = 32 / width` elements in a register (one for `f32` and `f64`), `group = lane / 4` and `t
/// = lane % 4`, element `i` of a thread's fragment, in PTX's order a0, a1, …, from the lowest bits of
/// the first register up, is
///
/// - of A in row `group` or `group + 8`, of B in column `group`; and along K at `p t + i % p`, plus
///   `4 p` times the number of the further registers along K. In A, registers alternate between the two
///   rows before they move along K.
/// - of an accumulator in column `2 t + i % 2` and row `group + 8 (i / 2)`.
///
/// (PTX ISA, matrix fragments for `mma.m8n8k4` to `mma.m16n8k256`. For A of `m16n8k256` it gives the
/// column of elements below 64 as `32 t + i`, which for the second register is outside of the
/// thread's run of 32 columns; `32 t + i % 32` is meant, as for the elements above.)
///
/// ```
/// use tilewright_layouts::{Dim, ElementWidth};
/// use tilewright_layouts::distributed::{MmaOperand, MmaSync};
///
/// let half = MmaSync::M16N8K16B16;
/// assert_eq!(half.to_string(), "m16n8k16.b16");
/// let a = half.fragment(MmaOperand::A)?;
/// assert_eq!((a.shape(), a.in_size(Dim::Register)), (vec![16, 16], 8));
/// // Lane 6 is thread 2 of group 1. Its a3 is in the upper half of its second register.
/// assert_eq!(*a.at(3, 6, 0, 0), [1 + 8, 2 * 2 + 1]);
/// assert_eq!(MmaSync::of(16, 8, 16, ElementWidth::B4), None);
/// # Ok::<(), tilewright_layouts::LayoutError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MmaSync {
    /// `m8n8k4`: `f64`.
    M8N8K4B64,
    /// `m8n8k16`: `s8`, `u8`.
    M8N8K16B8,
    /// `m8n8k32`: `s4`, `u4`.
    M8N8K32B4,
    /// `m8n8k128`: `b1`.
    M8N8K128B1,
    /// `m16n8k4`: `tf32`.
    M16N8K4B32,
    /// `m16n8k4`: `f64`.
    M16N8K4B64,
    /// `m16n8k8`: `f16`, `bf16`.
    M16N8K8B16,
    /// `m16n8k8`: `tf32`.
    M16N8K8B32,
    /// `m16n8k8`: `f64`.
    M16N8K8B64,
    /// `m16n8k16`: `s8`, `u8`, `e4m3`, `e5m2`.
    M16N8K16B8,
    /// `m16n8k16`: `f16`, `bf16`.
    M16N8K16B16,
    /// `m16n8k16`: `f64`.
    M16N8K16B64,
    /// `m16n8k32`: `s4`, `u4`.
    M16N8K32B4,
    /// `m16n8k32`: `s8`, `u8`, `e4m3`, `e5m2`, and `e3m2`, `e2m3`, `e2m1` in bytes.
    M16N8K32B8,
    /// `m16n8k64`: `s4`, `u4`, and packed `e2m1` (`.kind::mxf4`, `.kind::mxf4nvf4`).
    M16N8K64B4,
    /// `m16n8k128`: `b1`.
    M16N8K128B1,
    /// `m16n8k256`: `b1`.
    M16N8K256B1,
}

impl MmaSync {
    /// All shapes.
    pub const ALL: [MmaSync; 17] = [
        MmaSync::M8N8K4B64,
        MmaSync::M8N8K16B8,
        MmaSync::M8N8K32B4,
        MmaSync::M8N8K128B1,
        MmaSync::M16N8K4B32,
        MmaSync::M16N8K4B64,
        MmaSync::M16N8K8B16,
        MmaSync::M16N8K8B32,
        MmaSync::M16N8K8B64,
        MmaSync::M16N8K16B8,
        MmaSync::M16N8K16B16,
        MmaSync::M16N8K16B64,
        MmaSync::M16N8K32B4,
        MmaSync::M16N8K32B8,
        MmaSync::M16N8K64B4,
        MmaSync::M16N8K128B1,
        MmaSync::M16N8K256B1,
    ];

    /// The extents and the element width of a multiplicand.
    const fn parts(self) -> (u32, u32, ElementWidth) {
        match self {
            MmaSync::M8N8K4B64 => (8, 4, ElementWidth::B64),
            MmaSync::M8N8K16B8 => (8, 16, ElementWidth::B8),
            MmaSync::M8N8K32B4 => (8, 32, ElementWidth::B4),
            MmaSync::M8N8K128B1 => (8, 128, ElementWidth::B1),
            MmaSync::M16N8K4B32 => (16, 4, ElementWidth::B32),
            MmaSync::M16N8K4B64 => (16, 4, ElementWidth::B64),
            MmaSync::M16N8K8B16 => (16, 8, ElementWidth::B16),
            MmaSync::M16N8K8B32 => (16, 8, ElementWidth::B32),
            MmaSync::M16N8K8B64 => (16, 8, ElementWidth::B64),
            MmaSync::M16N8K16B8 => (16, 16, ElementWidth::B8),
            MmaSync::M16N8K16B16 => (16, 16, ElementWidth::B16),
            MmaSync::M16N8K16B64 => (16, 16, ElementWidth::B64),
            MmaSync::M16N8K32B4 => (16, 32, ElementWidth::B4),
            MmaSync::M16N8K32B8 => (16, 32, ElementWidth::B8),
            MmaSync::M16N8K64B4 => (16, 64, ElementWidth::B4),
            MmaSync::M16N8K128B1 => (16, 128, ElementWidth::B1),
            MmaSync::M16N8K256B1 => (16, 256, ElementWidth::B1),
        }
    }

    /// The instruction of these extents for multiplicands of this width.
    pub fn of(m: u32, n: u32, k: u32, width: ElementWidth) -> Option<MmaSync> {
        let wanted = (MmaShape { m, n, k }, width);
        Self::ALL
            .into_iter()
            .find(|instruction| (instruction.shape(), instruction.width()) == wanted)
    }

    /// The extents.
    pub const fn shape(self) -> MmaShape {
        let (m, k, _) = self.parts();
        MmaShape { m, n: 8, k }
    }

    /// The element width of A and B.
    pub const fn width(self) -> ElementWidth {
        let (_, _, width) = self.parts();
        width
    }

    /// The fragment: from the number of the element in the thread's registers ([`Dim::Register`]) and
    /// the lane to the matrix's row and column. A bijection.
    ///
    /// # Errors
    /// Those of constructing a layout, none of which occur.
    pub fn fragment(self, operand: MmaOperand) -> Result<LinearLayout, LayoutError> {
        fragment(self.shape(), self.width(), operand)
    }
}

impl fmt::Display for MmaSync {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.shape(), self.width())
    }
}

/// The threads of a group, which share a row of A or a column of B.
const GROUP: u64 = 4;
/// The groups of a warp, which is the number of rows or columns that a register covers.
const GROUPS: u64 = 8;

/// The fragment by the rule of all shapes, documented at [`MmaSync`].
pub(super) fn fragment(
    shape: MmaShape,
    width: ElementWidth,
    operand: MmaOperand,
) -> Result<LinearLayout, LayoutError> {
    let size = shape.of(operand).map(u64::from);
    // The axis along which a register packs its elements, their number, and the axis of the groups.
    let (along, packed, across) = match operand {
        MmaOperand::A => (1, u64::from((32 / width.bits()).max(1)), 0),
        MmaOperand::B => (0, u64::from((32 / width.bits()).max(1)), 1),
        MmaOperand::Accumulator => (1, 2, 0),
    };
    let [rows, columns] = size;
    let (length, breadth) = match along {
        0 => (rows, columns),
        _ => (columns, rows),
    };
    let steps = |axis, from: u64, to: u64| {
        let powers = (from.ilog2()..to.max(from).ilog2()).map(|bit| 1u64 << bit);
        powers.map(move |step| unit(2, axis, step))
    };
    let registers = steps(along, 1, packed)
        .chain(steps(across, GROUPS, breadth))
        .chain(steps(along, packed * GROUP, length));
    let lanes = steps(along, packed, packed * GROUP).chain(steps(across, 1, GROUPS));
    let bases = [(Dim::Register, registers.collect()), (Dim::Lane, lanes.collect())];
    LinearLayout::from_parts(&bases, &size)
}
