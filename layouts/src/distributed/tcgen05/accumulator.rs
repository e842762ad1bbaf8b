//! Tensor-memory layouts of `tcgen05.mma` accumulators.

use crate::dim::Dim;
use crate::error::LayoutError;
use crate::linear::LinearLayout;

/// A layout of an accumulator of `tcgen05.mma` with M rows and N columns, determined by M, the number
/// of blocks (`.cta_group`), and whether A is stationary (`.ws`) or sparse.
///
/// An element occupies one column of 32 bits, whatever its type; a 16-bit one is in the lower half.
///
/// | | M | `.cta_group` | block, lane and column of (row, column) |
/// |---|---|---|---|
/// | A | 256 | 2 | block row / 128, lane row mod 128, column |
/// | B | 128, dense | 2 | block row / 64, lane row mod 64 + 64 (column / (N/2)), column mod (N/2) |
/// | C | 128, sparse | 2 | block row / 64, then as F |
/// | D | 128 | 1 | lane row, column |
/// | E | 64, `.ws` | 1 | lane row + 64 (column / (N/2)), column mod (N/2) |
/// | F | 64 | 1 | lane row mod 16 + 32 (row / 16), column |
/// | G | 32, `.ws` | 1 | lane row + 32 (column / (N/4)), column mod (N/4) |
///
/// C and F use the lower 16 lanes of each 32, or the upper ones, depending on the address.
///
/// Sources: PTX ISA, "Data Path Layout Organization" (the letters are its layouts), CUTLASS
/// `tmem_frg` and `tmem_frg_ws`. N is checked against the table in "Matrix Shape".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TmemAccumulator {
    /// Layout A: M = 256 over two blocks.
    M256Pair,
    /// Layout B: M = 128 over two blocks, dense A.
    M128Pair,
    /// Layout C: M = 128 over two blocks, sparse A.
    M128PairSparse,
    /// Layout D: M = 128.
    M128,
    /// Layout E: M = 64 with `.ws`.
    M64Stationary,
    /// Layout F: M = 64.
    M64,
    /// Layout G: M = 32 with `.ws`.
    M32Stationary,
}

/// A cell of tensor memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cell {
    /// The block of the pair.
    pub block: u32,
    /// The lane; C and F use these lanes or those 16 above.
    pub lane: u32,
    /// The column, relative to the first of the accumulator.
    pub column: u32,
}

/// The distribution of rows and columns over lanes.
struct Spread {
    /// The rows of each block.
    rows: u32,
    /// Whether only 16 of each 32 lanes are used.
    half: bool,
    /// The number of parts that the columns are split into, each on other lanes.
    parts: u32,
}

impl TmemAccumulator {
    /// Every layout, in the order of its letter.
    pub const ALL: [TmemAccumulator; 7] = [
        TmemAccumulator::M256Pair,
        TmemAccumulator::M128Pair,
        TmemAccumulator::M128PairSparse,
        TmemAccumulator::M128,
        TmemAccumulator::M64Stationary,
        TmemAccumulator::M64,
        TmemAccumulator::M32Stationary,
    ];

    /// The M of the instruction.
    pub const fn m(self) -> u32 {
        self.spread().rows * self.blocks()
    }

    /// The number of blocks, the `.cta_group`.
    pub const fn blocks(self) -> u32 {
        match self {
            TmemAccumulator::M256Pair | TmemAccumulator::M128Pair | TmemAccumulator::M128PairSparse => 2,
            TmemAccumulator::M128
            | TmemAccumulator::M64Stationary
            | TmemAccumulator::M64
            | TmemAccumulator::M32Stationary => 1,
        }
    }

    /// The number of tensor-memory columns for N columns of the accumulator.
    ///
    /// # Errors
    /// No instruction has this N: with one block it is a multiple of 8 from 8 to 256, with two a
    /// multiple of 16 from 16 to 256, and with `.ws` 64, 128 or 256. (Integers have fewer: from 32
    /// up, multiples of twice that.)
    pub fn columns(self, n: u32) -> Result<u32, LayoutError> {
        let (fits, allowed) = match self {
            TmemAccumulator::M256Pair | TmemAccumulator::M128Pair | TmemAccumulator::M128PairSparse => (
                n.is_multiple_of(16) && (16..=256).contains(&n),
                "a multiple of 16 from 16 to 256",
            ),
            TmemAccumulator::M128 | TmemAccumulator::M64 => (
                n.is_multiple_of(8) && (8..=256).contains(&n),
                "a multiple of 8 from 8 to 256",
            ),
            TmemAccumulator::M64Stationary | TmemAccumulator::M32Stationary => {
                (matches!(n, 64 | 128 | 256), "64, 128 or 256")
            }
        };
        if !fits {
            return Err(LayoutError::Parameter {
                name: "n",
                value: u64::from(n),
                allowed,
            });
        }
        Ok(n / self.spread().parts)
    }

    /// The position of an element of an accumulator with N columns; `None` if it is outside.
    ///
    /// # Errors
    /// As [`TmemAccumulator::columns`].
    ///
    /// ```
    /// use tilewright_layouts::distributed::tcgen05::TmemAccumulator;
    /// let cell = TmemAccumulator::M64.cell(24, [17, 5])?.unwrap();
    /// assert_eq!((cell.block, cell.lane, cell.column), (0, 33, 5));
    /// let cell = TmemAccumulator::M128Pair.cell(96, [65, 50])?.unwrap();
    /// assert_eq!((cell.block, cell.lane, cell.column), (1, 65, 2));
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn cell(self, n: u32, [row, column]: [u32; 2]) -> Result<Option<Cell>, LayoutError> {
        let columns = self.columns(n)?;
        let Spread { rows, half, .. } = self.spread();
        if row >= self.m() || column >= n {
            return Ok(None);
        }
        let local = row % rows;
        let lane = if half { local % 16 + local / 16 * 32 } else { local };
        Ok(Some(Cell {
            block: row / rows,
            lane: lane + rows * (column / columns),
            column: column % columns,
        }))
    }

    /// The layout of one instruction's accumulator, from ([`Dim::TmemLane`], [`Dim::TmemColumn`],
    /// [`Dim::Block`]) to (row, column). Where only 16 of each 32 lanes are used, lane bit 4 has no
    /// effect.
    ///
    /// # Errors
    /// As [`TmemAccumulator::columns`], or N is not a power of two.
    pub fn to_linear(self, n: u32) -> Result<LinearLayout, LayoutError> {
        let blocks = LinearLayout::identity_1d(self.blocks(), Dim::Block, Dim::Axis(0))?;
        self.in_block(n, 1)?.product(&blocks)
    }

    /// The layout of a tile of several instructions' accumulators, each of N columns.
    ///
    /// The accumulators are adjacent in the columns: first along the rows, then along the columns.
    /// Where only 16 of each 32 lanes are used, every second one along the rows uses the other lanes.
    /// With two blocks, the rows of the tile are halved, one half for each. (Same order as Triton.)
    ///
    /// # Errors
    /// As [`TmemAccumulator::to_linear`], or the shape is not a multiple of one instruction's.
    ///
    /// ```
    /// use tilewright_layouts::Dim;
    /// use tilewright_layouts::distributed::tcgen05::TmemAccumulator;
    /// let tile = TmemAccumulator::M64.to_linear_tile(64, [128, 128])?;
    /// assert_eq!(*tile.apply(&[(Dim::TmemLane, 16 + 1), (Dim::TmemColumn, 64)]), [64 + 1, 64]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn to_linear_tile(self, n: u32, shape: [u32; 2]) -> Result<LinearLayout, LayoutError> {
        let [rows, columns] = shape;
        let (row_axis, column_axis) = (Dim::Axis(0), Dim::Axis(1));
        self.columns(n)?;
        let down = times(row_axis, rows, self.m())?;
        let across = times(column_axis, columns, n)?;
        let pairs = if self.spread().half && down.is_multiple_of(2) {
            2
        } else {
            1
        };
        self.in_block(n, pairs)?
            .product(&LinearLayout::identity_1d(
                down / pairs,
                Dim::TmemColumn,
                row_axis,
            )?)?
            .product(&LinearLayout::identity_1d(across, Dim::TmemColumn, column_axis)?)?
            .product(&LinearLayout::identity_1d(self.blocks(), Dim::Block, row_axis)?)
    }

    /// One block's part of one accumulator, or of two in the two halves of the lanes if `pairs` is 2.
    fn in_block(self, n: u32, pairs: u32) -> Result<LinearLayout, LayoutError> {
        let columns = self.columns(n)?;
        let Spread { rows, half, parts } = self.spread();
        let unit = |row: u32, column: u32| vec![row, column];
        let bits = |size: u32| (0..size.ilog2()).map(|bit| 1u32 << bit);
        let mut lanes: Vec<Vec<u32>> = bits(rows).map(|row| unit(row, 0)).collect();
        if half {
            lanes.insert(4, if pairs == 2 { unit(rows, 0) } else { unit(0, 0) });
        }
        if !n.is_power_of_two() {
            return Err(LayoutError::NotPowerOfTwo {
                dim: Dim::Axis(1),
                size: u64::from(n),
            });
        }
        lanes.extend(bits(parts).map(|part| unit(0, part * columns)));
        let columns = bits(columns).map(|column| unit(0, column)).collect();
        LinearLayout::from_bases(
            &[(Dim::TmemLane, lanes), (Dim::TmemColumn, columns)],
            &[(Dim::Axis(0), rows * pairs), (Dim::Axis(1), n)],
        )
    }

    const fn spread(self) -> Spread {
        let (rows, half, parts) = match self {
            TmemAccumulator::M256Pair | TmemAccumulator::M128 => (128, false, 1),
            TmemAccumulator::M128Pair | TmemAccumulator::M64Stationary => (64, false, 2),
            TmemAccumulator::M128PairSparse | TmemAccumulator::M64 => (64, true, 1),
            TmemAccumulator::M32Stationary => (32, false, 4),
        };
        Spread { rows, half, parts }
    }
}

/// The number of pieces that cover an axis.
fn times(dim: Dim, size: u32, piece: u32) -> Result<u32, LayoutError> {
    if size == 0 || !size.is_multiple_of(piece) {
        return Err(LayoutError::SizeMismatch {
            dim,
            found: u64::from(size),
            expected: u64::from(piece),
        });
    }
    Ok(size / piece)
}
