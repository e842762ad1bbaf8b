//! The shapes of `tcgen05.ld` and `tcgen05.st`.

use std::fmt;

use crate::dim::Dim;
use crate::error::LayoutError;
use crate::linear::LinearLayout;

/// The number of lanes of tensor memory.
const TMEM_LANES: u32 = 128;
/// The number of tensor-memory lanes that one warp can access.
const WARP_LANES: u32 = 32;

/// A repeat count `.x1`, `.x2`, … up to `.x(LARGEST)`: a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Repeat<const LARGEST: u32>(u32);

impl<const LARGEST: u32> Repeat<LARGEST> {
    /// Every count, smallest first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..u32::BITS)
            .map(|bit| 1 << bit)
            .take_while(|count| *count <= LARGEST)
            .map(Repeat)
    }

    /// Constructs a count; `None` if the shape does not have it.
    pub fn of(count: u32) -> Option<Self> {
        (count.is_power_of_two() && count <= LARGEST).then_some(Repeat(count))
    }

    /// The count.
    pub const fn get(self) -> u32 {
        self.0
    }
}

/// The shape and repeat count of a `tcgen05.ld` or `tcgen05.st`.
///
/// In the formulas `l` is the lane of the warp and `r` the 32-bit register. Rows are relative to the
/// lane of the address, which is the first of the warp's 32 lanes or, for shapes of 16 lanes, the
/// first or the sixteenth of them; columns are relative to the column of the address.
///
/// | shape | row | column |
/// |---|---|---|
/// | `32x32b` | `l` | `r` |
/// | `16x64b` | `l / 4 + 8 (l mod 2)` | `l / 2 mod 2 + 2 r` |
/// | `16x128b` | `l / 4 + 8 (r mod 2)` | `l mod 4 + 4 (r / 2)` |
/// | `16x256b` | `l / 4 + 8 (r / 2 mod 2)` | `r mod 2 + 2 (l mod 4) + 8 (r / 4)` |
/// | `16x32bx2` | `l mod 16` | `r + split (l / 16)` |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TmemShape {
    /// `.32x32b`.
    Lanes32x32b(Repeat<128>),
    /// `.16x64b`.
    Lanes16x64b(Repeat<128>),
    /// `.16x128b`.
    Lanes16x128b(Repeat<64>),
    /// `.16x256b`.
    Lanes16x256b(Repeat<32>),
    /// `.16x32bx2`: two halves of a warp, each with its own columns.
    Lanes16x32bx2 {
        /// The repeat count.
        repeat: Repeat<128>,
        /// The column offset of the second half, `immHalfSplitoff`.
        split: u32,
    },
}

impl TmemShape {
    /// The number of 32-bit registers that each thread reads or writes. (PTX ISA, the table of `.num`
    /// and `.shape`.)
    pub const fn registers(self) -> u32 {
        match self {
            TmemShape::Lanes32x32b(repeat) | TmemShape::Lanes16x64b(repeat) => repeat.get(),
            TmemShape::Lanes16x32bx2 { repeat, .. } => repeat.get(),
            TmemShape::Lanes16x128b(repeat) => 2 * repeat.get(),
            TmemShape::Lanes16x256b(repeat) => 4 * repeat.get(),
        }
    }

    /// The (row, column) of each bit of the register number and of each bit of the lane number.
    fn bases(self) -> Bases {
        let columns = |from: u32, repeat: u32| (0..repeat.ilog2()).map(move |bit| [0, from << bit]);
        let eight_rows = |low: [[u32; 2]; 2]| [low[0], low[1], [1, 0], [2, 0], [4, 0]];
        match self {
            TmemShape::Lanes32x32b(repeat) => (
                columns(1, repeat.get()).collect(),
                [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]],
            ),
            TmemShape::Lanes16x64b(repeat) => {
                (columns(2, repeat.get()).collect(), eight_rows([[8, 0], [0, 1]]))
            }
            TmemShape::Lanes16x128b(repeat) => (
                [[8, 0]].into_iter().chain(columns(4, repeat.get())).collect(),
                eight_rows([[0, 1], [0, 2]]),
            ),
            TmemShape::Lanes16x256b(repeat) => (
                [[0, 1], [8, 0]]
                    .into_iter()
                    .chain(columns(8, repeat.get()))
                    .collect(),
                eight_rows([[0, 2], [0, 4]]),
            ),
            TmemShape::Lanes16x32bx2 { repeat, split } => (
                columns(1, repeat.get()).collect(),
                [[1, 0], [2, 0], [4, 0], [8, 0], [0, split]],
            ),
        }
    }

    /// Whether one warp's access covers only half of its 32 lanes.
    const fn is_half(self) -> bool {
        match self {
            TmemShape::Lanes32x32b(_) => false,
            TmemShape::Lanes16x64b(_)
            | TmemShape::Lanes16x128b(_)
            | TmemShape::Lanes16x256b(_)
            | TmemShape::Lanes16x32bx2 { .. } => true,
        }
    }
}

/// Writes shape and count in PTX syntax, such as `16x64b.x8`.
impl fmt::Display for TmemShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TmemShape::Lanes32x32b(repeat) => write!(f, "32x32b.x{}", repeat.get()),
            TmemShape::Lanes16x64b(repeat) => write!(f, "16x64b.x{}", repeat.get()),
            TmemShape::Lanes16x128b(repeat) => write!(f, "16x128b.x{}", repeat.get()),
            TmemShape::Lanes16x256b(repeat) => write!(f, "16x256b.x{}", repeat.get()),
            TmemShape::Lanes16x32bx2 { repeat, .. } => write!(f, "16x32bx2.x{}", repeat.get()),
        }
    }
}

/// The (row, column) of each bit of the register number and of each bit of the lane number.
type Bases = (Vec<[u32; 2]>, [[u32; 2]; 5]);

/// The format of the values of an access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TmemValues {
    /// One column, 32 bits, per register.
    #[default]
    Whole,
    /// `.pack::16b` of a load or `.unpack::16b` of a store: a register holds the lower 16 bits of two
    /// adjacent columns, the first in its lower half. Registers of the layout are 16-bit values, two
    /// per register of the instruction, and the access spans twice the columns.
    Pairs16,
}

/// A `tcgen05.ld` or `tcgen05.st` by all four warps of a warpgroup.
///
/// ```
/// use tilewright_layouts::distributed::tcgen05::{Repeat, TmemAccess, TmemShape, TmemValues};
/// let shape = TmemShape::Lanes16x256b(Repeat::of(2).unwrap());
/// let access = TmemAccess { shape, values: TmemValues::Whole };
/// let layout = access.to_linear()?;
/// // Register 4 + 2 + 1 of lane 5 in warp 1.
/// assert_eq!(*layout.at(7, 5, 1, 0), [32 + 1 + 8, 1 + 2 + 8]);
/// # Ok::<(), tilewright_layouts::LayoutError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TmemAccess {
    /// The shape and repeat count.
    pub shape: TmemShape,
    /// The format of the values.
    pub values: TmemValues,
}

impl TmemAccess {
    /// The layout from (register, lane, warp) to (tensor-memory lane, column), relative to the
    /// address of warp 0. Warp `w` of the warpgroup accesses lanes `32 w` to `32 w + 31` only.
    ///
    /// # Errors
    /// The split of a `16x32bx2` is not a multiple of the columns of one half, or above 256.
    pub fn to_linear(&self) -> Result<LinearLayout, LayoutError> {
        let (registers, lanes) = self.bases()?;
        let warps = [[WARP_LANES, 0], [2 * WARP_LANES, 0]];
        build(&registers, &lanes, &warps, columns(&registers, &lanes))
    }

    /// The layout from (register, lane, warp, block) to the axes of a tile in tensor memory that is
    /// moved by repeated accesses. `tile` is from ([`Dim::TmemLane`], [`Dim::TmemColumn`],
    /// [`Dim::Block`]) to the axes, as
    /// [`TmemAccumulator::to_linear`](super::TmemAccumulator::to_linear) returns it.
    ///
    /// The registers of further accesses follow: first along the columns, then, for shapes of 16
    /// lanes, the upper 16 lanes of each warp, unless these only hold copies. Several warpgroups
    /// split these accesses: the most significant of the added register bits become warp bits.
    ///
    /// # Errors
    /// As [`TmemAccess::to_linear`]; an access is wider than the tile; `warpgroups` is not a power of
    /// two or exceeds the number of accesses.
    ///
    /// ```
    /// use tilewright_layouts::distributed::tcgen05::*;
    /// let tile = TmemAccumulator::M128.to_linear(64)?;
    /// let shape = TmemShape::Lanes32x32b(Repeat::of(32).unwrap());
    /// let load = TmemAccess { shape, values: TmemValues::Whole };
    /// // Each thread has a row of 64; with two warpgroups, half a row.
    /// assert_eq!(*load.of_tile(&tile, 1)?.at(63, 5, 2, 0), [64 + 5, 63]);
    /// assert_eq!(*load.of_tile(&tile, 2)?.at(31, 5, 4 + 2, 0), [64 + 5, 63]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn of_tile(&self, tile: &LinearLayout, warpgroups: u32) -> Result<LinearLayout, LayoutError> {
        let (mut registers, lanes) = self.bases()?;
        let own = registers.len();
        let spanned = columns(&registers, &lanes);
        // Only a split can have several bits set; the lower ones then still have to be covered.
        let leading = |basis: &[u32; 2]| basis[1].checked_ilog2();
        let covered: Vec<u32> = registers.iter().chain(&lanes).filter_map(leading).collect();
        let missing = (0..tile.in_bits(Dim::TmemColumn)).filter(|bit| !covered.contains(bit));
        registers.extend(missing.map(|bit| [0, 1 << bit]));
        let half = WARP_LANES / 2;
        if self.shape.is_half() && tile.free_mask(Dim::TmemLane) & half == 0 {
            registers.push([half, 0]);
        }
        let too_many = || LayoutError::Parameter {
            name: "warpgroups",
            value: u64::from(warpgroups),
            allowed: "a power of two and at most the number of accesses",
        };
        let share = warpgroups.checked_ilog2().ok_or_else(too_many)? as usize;
        if !warpgroups.is_power_of_two() || share > registers.len() - own {
            return Err(too_many());
        }
        let mut warps = vec![[WARP_LANES, 0], [2 * WARP_LANES, 0]];
        warps.extend(registers.split_off(registers.len() - share));
        let moved = build(
            &registers,
            &lanes,
            &warps,
            spanned.max(tile.in_size(Dim::TmemColumn)),
        )?;
        let blocks = LinearLayout::identity_1d(tile.in_size(Dim::Block), Dim::Block, Dim::Block)?;
        moved.product(&blocks)?.compose(tile)
    }

    /// The (row, column) of each bit of the register number, in values, and of the lane number.
    fn bases(&self) -> Result<Bases, LayoutError> {
        let (mut registers, mut lanes) = self.shape.bases();
        let scale = match self.values {
            TmemValues::Whole => 1,
            TmemValues::Pairs16 => 2,
        };
        if let TmemShape::Lanes16x32bx2 { repeat, split } = self.shape
            && (!split.is_multiple_of(repeat.get() * scale) || split > 256)
        {
            return Err(LayoutError::Parameter {
                name: "split",
                value: u64::from(split),
                allowed: "a multiple of the columns of one half, at most 256",
            });
        }
        match self.values {
            TmemValues::Whole => {}
            TmemValues::Pairs16 => {
                let [first, second, third, fourth, fifth] = lanes;
                let double = |basis: [u32; 2]| [basis[0], 2 * basis[1]];
                let fifth = match self.shape {
                    // The split is already in columns of the memory.
                    TmemShape::Lanes16x32bx2 { .. } => fifth,
                    TmemShape::Lanes32x32b(_)
                    | TmemShape::Lanes16x64b(_)
                    | TmemShape::Lanes16x128b(_)
                    | TmemShape::Lanes16x256b(_) => double(fifth),
                };
                lanes = [
                    double(first),
                    double(second),
                    double(third),
                    double(fourth),
                    fifth,
                ];
                registers = [[0, 1]]
                    .into_iter()
                    .chain(registers.into_iter().map(double))
                    .collect();
            }
        }
        Ok((registers, lanes))
    }
}

/// The number of columns that bases with these columns span, rounded up to a power of two.
fn columns(registers: &[[u32; 2]], lanes: &[[u32; 2]]) -> u32 {
    let last = registers.iter().chain(lanes).fold(0, |sum, basis| sum | basis[1]);
    // The last column is below 2^10: at most 128 columns, doubled twice, or a split of at most 256.
    (last + 1).next_power_of_two()
}

fn build(
    registers: &[[u32; 2]],
    lanes: &[[u32; 2]],
    warps: &[[u32; 2]],
    columns: u32,
) -> Result<LinearLayout, LayoutError> {
    let vectors = |bases: &[[u32; 2]]| bases.iter().map(|basis| basis.to_vec()).collect();
    LinearLayout::from_bases(
        &[
            (Dim::Register, vectors(registers)),
            (Dim::Lane, vectors(lanes)),
            (Dim::Warp, vectors(warps)),
        ],
        &[(Dim::TmemLane, TMEM_LANES), (Dim::TmemColumn, columns)],
    )
}
