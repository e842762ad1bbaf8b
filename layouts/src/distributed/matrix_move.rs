//! The matrix moves between shared memory and registers, `ldmatrix` and `stmatrix`.

use std::fmt;

use crate::dim::Dim;
use crate::error::LayoutError;
use crate::linear::LinearLayout;
use crate::units::{ElementWidth, MatrixCount};

/// The number of matrices per instruction for the larger matrix shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PairCount {
    /// `.x1`
    X1,
    /// `.x2`
    X2,
}

impl PairCount {
    /// Both counts, largest first.
    pub const ALL: [PairCount; 2] = [PairCount::X2, PairCount::X1];

    const fn log2(self) -> u32 {
        match self {
            PairCount::X1 => 0,
            PairCount::X2 => 1,
        }
    }
}

/// Sub-byte elements that a load expands to a byte each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NarrowSource {
    /// `.b8x16.b6x16_p32`: a row has 16 elements of 6 bits and 32 bits of padding.
    B6x16P32,
    /// `.b8x16.b4x16_p64`: a row has 16 elements of 4 bits and 64 bits of padding.
    B4x16P64,
}

/// The element format of a load of 16 by 16 matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ByteSource {
    /// `.b8`: a row has 16 bytes.
    B8,
    /// Sub-byte elements.
    Narrow(NarrowSource),
}

/// A form of `ldmatrix` or `stmatrix`.
///
/// One instruction moves one, two or four matrices. A row of a matrix is 16 bytes of shared memory,
/// aligned to 16 bytes, whose address one lane supplies; see [`addresses`](Self::addresses). *Row*
/// and *column* always refer to the matrix in memory, so that the forms with `.trans` differ in their
/// fragments and not in their addresses; see [`fragment`](Self::fragment).
///
/// (PTX ISA, warp-level matrix load instruction `ldmatrix`, warp-level matrix store instruction
/// `stmatrix`. The fragment of `.m16n16` agrees with CUTLASS's copy traits for it, which reorder its
/// bytes.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatrixMove {
    /// `ldmatrix.m8n8.b16`: 8 rows. Four lanes share a row, four bytes each, of elements of any width
    /// up to 32 bits. From sm_75.
    LoadM8N8(MatrixCount),
    /// `ldmatrix.m8n8.trans.b16`: a lane holds 16-bit elements of one column, or the pairs of 8-bit elements in their places.
    /// From sm_75.
    LoadM8N8Trans(MatrixCount),
    /// `ldmatrix.m16n16.trans`: 16 rows of 16 elements, two registers per matrix. sm_100a, sm_120a
    /// and their families.
    LoadM16N16Trans(PairCount, ByteSource),
    /// `ldmatrix.m8n16`: 8 rows of 16 elements expanded to bytes. sm_100a, sm_120a and their
    /// families.
    LoadM8N16(MatrixCount, NarrowSource),
    /// `stmatrix.m8n8.b16`: the fragment of the load. From sm_90.
    StoreM8N8(MatrixCount),
    /// `stmatrix.m8n8.trans.b16`: the fragment of the load. From sm_90.
    StoreM8N8Trans(MatrixCount),
    /// `stmatrix.m16n8.trans.b8`: a 16 by 8 matrix of bytes is stored as 8 rows of 16 bytes. sm_100a,
    /// sm_120a and their families.
    StoreM16N8Trans(MatrixCount),
}

/// The coordinate bit that a lane bit or an element-number bit of a fragment selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Selects {
    /// A bit of the row.
    Row(u32),
    /// A bit of the column.
    Column(u32),
}

/// A single matrix of a form.
#[derive(Clone, Debug)]
pub(super) struct Atom {
    /// The selection of each bit of an element's number in a lane's fragment of one matrix.
    pub(super) registers: Vec<Selects>,
    /// The selection of each bit of the lane.
    pub(super) lanes: [Selects; 5],
    /// The base-2 logarithm of the number of rows.
    pub(super) row_bits: u32,
    /// The base-2 logarithm of the number of elements in a row.
    pub(super) column_bits: u32,
    /// The base-2 logarithm of the number of matrices.
    pub(super) count_bits: u32,
}

/// The bits in a row of a matrix in memory.
const ROW_WIDTH: u32 = 128;

impl MatrixMove {
    /// The loads available from sm_75: fewest instructions first, and those without `.trans` before
    /// those with it.
    pub const LOADS: [MatrixMove; 6] = [
        MatrixMove::LoadM8N8(MatrixCount::X4),
        MatrixMove::LoadM8N8Trans(MatrixCount::X4),
        MatrixMove::LoadM8N8(MatrixCount::X2),
        MatrixMove::LoadM8N8Trans(MatrixCount::X2),
        MatrixMove::LoadM8N8(MatrixCount::X1),
        MatrixMove::LoadM8N8Trans(MatrixCount::X1),
    ];

    /// The fragment: from the number of an element in the lane's registers ([`Dim::Register`], from the
    /// lowest bits of the first register up) and the lane to (matrix, row, column), for elements of
    /// this width. A bijection.
    ///
    /// The forms with `.trans` and those that expand elements to bytes move elements of one or two widths,
    /// the others of any width up to 32 bits; `None` for other widths.
    ///
    /// # Errors
    /// Those of constructing a layout, none of which occur.
    ///
    /// ```
    /// use tilewright_layouts::ElementWidth;
    /// use tilewright_layouts::distributed::{MatrixCount, MatrixMove};
    ///
    /// let plain = MatrixMove::LoadM8N8(MatrixCount::X2);
    /// let fragment = plain.fragment(ElementWidth::B16).unwrap()?;
    /// // Lane 5: row 1, columns 2 and 3; the second register is the second matrix.
    /// assert_eq!(*fragment.at(1, 5, 0, 0), [0, 1, 3]);
    /// assert_eq!(*fragment.at(2, 5, 0, 0), [1, 1, 2]);
    /// let turned = MatrixMove::LoadM8N8Trans(MatrixCount::X2);
    /// assert_eq!(*turned.fragment(ElementWidth::B16).unwrap()?.at(1, 5, 0, 0), [0, 3, 1]);
    /// assert!(turned.fragment(ElementWidth::B32).is_none());
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn fragment(self, width: ElementWidth) -> Option<Result<LinearLayout, LayoutError>> {
        let atom = self.atom(width)?;
        let vector = |selects: &Selects| match selects {
            Selects::Row(bit) => vec![0, 1 << bit, 0],
            Selects::Column(bit) => vec![0, 0, 1 << bit],
        };
        let mut registers: Vec<Vec<u64>> = atom.registers.iter().map(vector).collect();
        registers.extend((0..atom.count_bits).map(|bit| vec![1 << bit, 0, 0]));
        let lanes = atom.lanes.iter().map(vector).collect();
        let size = [1 << atom.count_bits, 1 << atom.row_bits, 1 << atom.column_bits];
        Some(LinearLayout::from_parts(
            &[(Dim::Register, registers), (Dim::Lane, lanes)],
            &size,
        ))
    }

    /// The row addresses that the lanes supply: from the lane to (matrix, row).
    ///
    /// The lanes beyond the last row map to rows of lower lanes. Their addresses are ignored, except
    /// that on sm_75 they have to be valid, which copies of lower lanes' addresses are.
    ///
    /// # Errors
    /// Those of constructing a layout, none of which occur.
    ///
    /// ```
    /// use tilewright_layouts::distributed::{MatrixCount, MatrixMove};
    /// let addresses = MatrixMove::LoadM8N8(MatrixCount::X2).addresses()?;
    /// assert_eq!(*addresses.at(0, 11, 0, 0), [1, 3]);
    /// assert_eq!(addresses.at(0, 16 + 11, 0, 0), addresses.at(0, 11, 0, 0));
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn addresses(self) -> Result<LinearLayout, LayoutError> {
        let (rows, matrices) = (self.row_bits(), self.count_bits());
        let lanes = (0..5).map(|bit| match bit {
            bit if bit < rows => vec![0, 1 << bit],
            bit if bit < rows + matrices => vec![1 << (bit - rows), 0],
            _ => vec![0, 0],
        });
        LinearLayout::from_parts(&[(Dim::Lane, lanes.collect())], &[1 << matrices, 1 << rows])
    }

    /// The number of row addresses, as a power of two.
    pub(super) const fn address_bits(self) -> u32 {
        self.row_bits() + self.count_bits()
    }

    const fn row_bits(self) -> u32 {
        match self {
            MatrixMove::LoadM16N16Trans(..) => 4,
            MatrixMove::LoadM8N8(_)
            | MatrixMove::LoadM8N8Trans(_)
            | MatrixMove::LoadM8N16(..)
            | MatrixMove::StoreM8N8(_)
            | MatrixMove::StoreM8N8Trans(_)
            | MatrixMove::StoreM16N8Trans(_) => 3,
        }
    }

    const fn count_bits(self) -> u32 {
        match self {
            MatrixMove::LoadM8N8(count)
            | MatrixMove::LoadM8N8Trans(count)
            | MatrixMove::LoadM8N16(count, _)
            | MatrixMove::StoreM8N8(count)
            | MatrixMove::StoreM8N8Trans(count)
            | MatrixMove::StoreM16N8Trans(count) => count.log2(),
            MatrixMove::LoadM16N16Trans(count, _) => count.log2(),
        }
    }

    /// A single matrix of this form for elements of this width; `None` if the form does not move
    /// them.
    pub(super) fn atom(self, width: ElementWidth) -> Option<Atom> {
        use Selects::{Column, Row};
        let (registers, lanes) = match (self, width) {
            (MatrixMove::LoadM8N8(_) | MatrixMove::StoreM8N8(_), width) => {
                let packed = 32u32
                    .checked_div(width.bits())
                    .filter(|packed| *packed > 0)?
                    .ilog2();
                let registers = (0..packed).map(Column).collect();
                (
                    registers,
                    [Column(packed), Column(packed + 1), Row(0), Row(1), Row(2)],
                )
            }
            (MatrixMove::LoadM8N16(..), ElementWidth::B8) => (
                vec![Column(0), Column(1)],
                [Column(2), Column(3), Row(0), Row(1), Row(2)],
            ),
            (MatrixMove::LoadM8N8Trans(_) | MatrixMove::StoreM8N8Trans(_), ElementWidth::B16) => {
                (vec![Row(0)], [Row(1), Row(2), Column(0), Column(1), Column(2)])
            }
            (MatrixMove::LoadM8N8Trans(_) | MatrixMove::StoreM8N8Trans(_), ElementWidth::B8) => (
                vec![Column(0), Row(0)],
                [Row(1), Row(2), Column(1), Column(2), Column(3)],
            ),
            (MatrixMove::LoadM16N16Trans(..), ElementWidth::B8) => (
                vec![Row(0), Row(1), Column(3)],
                [Row(2), Row(3), Column(0), Column(1), Column(2)],
            ),
            (MatrixMove::StoreM16N8Trans(_), ElementWidth::B8) => (
                vec![Row(0), Column(3)],
                [Row(1), Row(2), Column(0), Column(1), Column(2)],
            ),
            (
                MatrixMove::LoadM8N16(..)
                | MatrixMove::LoadM8N8Trans(_)
                | MatrixMove::StoreM8N8Trans(_)
                | MatrixMove::LoadM16N16Trans(..)
                | MatrixMove::StoreM16N8Trans(_),
                ElementWidth::B1
                | ElementWidth::B4
                | ElementWidth::B16
                | ElementWidth::B32
                | ElementWidth::B64
                | ElementWidth::B128,
            ) => return None,
        };
        Some(Atom {
            registers,
            lanes,
            row_bits: self.row_bits(),
            column_bits: (ROW_WIDTH / width.bits()).ilog2(),
            count_bits: self.count_bits(),
        })
    }
}

impl fmt::Display for MatrixMove {
    /// Writes the instruction in PTX syntax.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, shape, trans, kind) = match self {
            MatrixMove::LoadM8N8(_) => ("ldmatrix", "m8n8", "", "b16"),
            MatrixMove::LoadM8N8Trans(_) => ("ldmatrix", "m8n8", ".trans", "b16"),
            MatrixMove::LoadM16N16Trans(_, source) => {
                let kind = match source {
                    ByteSource::B8 => "b8",
                    ByteSource::Narrow(source) => source.format(),
                };
                ("ldmatrix", "m16n16", ".trans", kind)
            }
            MatrixMove::LoadM8N16(_, source) => ("ldmatrix", "m8n16", "", source.format()),
            MatrixMove::StoreM8N8(_) => ("stmatrix", "m8n8", "", "b16"),
            MatrixMove::StoreM8N8Trans(_) => ("stmatrix", "m8n8", ".trans", "b16"),
            MatrixMove::StoreM16N8Trans(_) => ("stmatrix", "m16n8", ".trans", "b8"),
        };
        let count = 1u32 << self.count_bits();
        write!(f, "{name}.sync.aligned.{shape}.x{count}{trans}.shared.{kind}")
    }
}

impl NarrowSource {
    /// The qualifiers for the formats in registers and in memory.
    const fn format(self) -> &'static str {
        match self {
            NarrowSource::B6x16P32 => "b8x16.b6x16_p32",
            NarrowSource::B4x16P64 => "b8x16.b4x16_p64",
        }
    }
}
