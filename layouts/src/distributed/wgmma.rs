//! Fragments of the warpgroup matrix instructions, `wgmma.mma_async.m64nNkK`.

use super::encoding::Encoding;
use super::instruction_tile::{InstructionTile, WarpsAlong};
use crate::dim::Dim;
use crate::error::LayoutError;
use crate::linear::LinearLayout;

/// The rows of one instruction.
const ROWS: u32 = 64;
/// The number of warps of a warpgroup.
const WARPS: u32 = 4;
/// The number of lanes of a warp.
const LANES: u32 = 32;

/// The N of a `wgmma` instruction: a multiple of 8 from 8 to 256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WgmmaN(u32);

impl WgmmaN {
    /// Every N, smallest first.
    pub fn all() -> impl Iterator<Item = WgmmaN> {
        (8..=256).step_by(8).map(WgmmaN)
    }

    /// Constructs an N.
    ///
    /// # Errors
    /// It is not a multiple of 8 from 8 to 256.
    pub fn new(n: u32) -> Result<WgmmaN, LayoutError> {
        if n.is_multiple_of(8) && (8..=256).contains(&n) {
            return Ok(WgmmaN(n));
        }
        Err(LayoutError::Parameter {
            name: "n",
            value: u64::from(n),
            allowed: "a multiple of 8 from 8 to 256",
        })
    }

    /// The value of N.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// Whether instructions on integers and single bits have this N too; they lack the odd multiples
    /// of 8 above 32. (PTX ISA, `wgmma`, "Matrix Shape".)
    pub const fn has_integers(self) -> bool {
        self.0 <= 32 || self.0.is_multiple_of(16)
    }
}

/// The position of an element of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Holder {
    /// The number of the thread's value.
    pub register: u32,
    /// The lane.
    pub lane: u32,
    /// The warp, among all warps of the encoding.
    pub warp: u32,
}

/// The encoding of an M x N accumulator: `warpgroups[0] x warpgroups[1]` warpgroups (numbered along M
/// first), each of which repeats a `wgmma` of 64 x `n`.
///
/// Within an instruction, warp `w` of the warpgroup has rows `16 w` to `16 w + 15`, and value `i` of
/// lane `l` is at
///
/// ```text
/// row    = 16 w + l / 4 + 8 * ((i / 2) mod 2)
/// column = 8 * (i / 4) + 2 * (l mod 4) + i mod 2
/// ```
///
/// Each thread has N/2 values of any type: a 16-bit one is half a register of the instruction, the
/// even value of a pair in the lower half. The values of further instructions follow, first along N,
/// then along M. (PTX ISA, "Register Fragments" of `wgmma`, accumulator D: the same for every K;
/// order of instructions as in Triton.)
///
/// The encoding is linear only if N is a power of two; [`coordinates`](Self::coordinates) and
/// [`holder`](Self::holder) are exact for every N.
///
/// ```
/// use tilewright_layouts::distributed::{WgmmaAccumulator, WgmmaN};
/// let tile = WgmmaAccumulator { n: WgmmaN::new(96)?, warpgroups: [1, 1] };
/// assert_eq!(tile.values([64, 96])?, 48);
/// assert_eq!(tile.coordinates([64, 96], 47, 31, 3)?, Some([63, 95]));
/// # Ok::<(), tilewright_layouts::LayoutError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WgmmaAccumulator {
    /// The columns of one instruction.
    pub n: WgmmaN,
    /// The warpgroups along M and along N.
    pub warpgroups: [u32; 2],
}

impl WgmmaAccumulator {
    /// The number of values of each thread for a tile of this shape.
    ///
    /// # Errors
    /// The shape is not a multiple of the tile that all warpgroups compute with one instruction each,
    /// or the number of values of a thread or of warps is 2^32 or more.
    pub fn values(&self, shape: [u32; 2]) -> Result<u32, LayoutError> {
        let [rows, columns] = self.repeats(shape)?;
        let count = u64::from(rows) * u64::from(columns) * u64::from(self.n.get() / 2);
        u32::try_from(count).map_err(|_| too_large(Dim::Register))
    }

    /// The element of a thread's value; `None` if the value or thread is out of range.
    ///
    /// # Errors
    /// As [`WgmmaAccumulator::values`].
    pub fn coordinates(
        &self,
        shape: [u32; 2],
        register: u32,
        lane: u32,
        warp: u32,
    ) -> Result<Option<[u32; 2]>, LayoutError> {
        let [_, repeats] = self.repeats(shape)?;
        let [along_m, along_n] = self.warpgroups;
        let group = warp / WARPS;
        if register >= self.values(shape)? || lane >= LANES || group >= along_m * along_n {
            return Ok(None);
        }
        let own = self.n.get() / 2;
        let (instruction, value) = (register / own, register % own);
        let row = 16 * (warp % WARPS) + lane / 4 + 8 * (value / 2 % 2);
        let column = 8 * (value / 4) + 2 * (lane % 4) + value % 2;
        let tile_row = group % along_m + along_m * (instruction / repeats);
        let tile_column = group / along_m + along_n * (instruction % repeats);
        Ok(Some([ROWS * tile_row + row, self.n.get() * tile_column + column]))
    }

    /// The position of an element; `None` if it is outside of the tile.
    ///
    /// # Errors
    /// As [`WgmmaAccumulator::values`].
    pub fn holder(&self, shape: [u32; 2], element: [u32; 2]) -> Result<Option<Holder>, LayoutError> {
        let [_, repeats] = self.repeats(shape)?;
        // The numbers of registers and warps fit a `u32`: nothing below overflows.
        self.values(shape)?;
        let ([row, column], [rows, columns]) = (element, shape);
        if row >= rows || column >= columns {
            return Ok(None);
        }
        let [along_m, along_n] = self.warpgroups;
        let n = self.n.get();
        let (tile_row, row) = (row / ROWS, row % ROWS);
        let (tile_column, column) = (column / n, column % n);
        let instruction = tile_column / along_n + repeats * (tile_row / along_m);
        let group = tile_row % along_m + along_m * (tile_column % along_n);
        Ok(Some(Holder {
            register: n / 2 * instruction + column % 2 + 2 * (row / 8 % 2) + 4 * (column / 8),
            lane: row % 8 * 4 + column / 2 % 4,
            warp: WARPS * group + row / 16,
        }))
    }

    /// The linear layout of a tile of this shape.
    ///
    /// # Errors
    /// As [`WgmmaAccumulator::values`], or N, a size or a number of warpgroups is not a power of two.
    ///
    /// ```
    /// use tilewright_layouts::distributed::{WgmmaAccumulator, WgmmaN};
    /// let tile = WgmmaAccumulator { n: WgmmaN::new(64)?, warpgroups: [2, 1] };
    /// let layout = tile.to_linear([128, 128])?;
    /// assert_eq!(*layout.at(2, 5, 6, 0), [64 + 2 * 16 + 1 + 8, 2]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn to_linear(&self, shape: [u32; 2]) -> Result<LinearLayout, LayoutError> {
        let [rows, columns] = self.repeats(shape)?;
        let (m, n) = (Dim::Axis(0), Dim::Axis(1));
        let pairs = LinearLayout::identity_1d(2, Dim::Register, n)?
            .product(&LinearLayout::identity_1d(4, Dim::Lane, n)?)?
            .product(&LinearLayout::identity_1d(8, Dim::Lane, m)?)?;
        pairs
            .product(&LinearLayout::identity_1d(2, Dim::Register, m)?)?
            .product(&LinearLayout::identity_1d(self.n.get() / 8, Dim::Register, n)?)?
            .product(&warps(self.warpgroups, [m, n])?)?
            .product(&LinearLayout::identity_1d(columns, Dim::Register, n)?)?
            .product(&LinearLayout::identity_1d(rows, Dim::Register, m)?)
    }

    /// The number of instructions of each warpgroup along M and along N.
    fn repeats(&self, shape: [u32; 2]) -> Result<[u32; 2], LayoutError> {
        let ([rows, columns], [along_m, along_n]) = (shape, self.warpgroups);
        let warps = along_m
            .checked_mul(along_n)
            .and_then(|groups| groups.checked_mul(WARPS));
        warps.ok_or_else(|| too_large(Dim::Warp))?;
        Ok([
            times(Dim::Axis(0), rows, ROWS, along_m)?,
            times(Dim::Axis(1), columns, self.n.get(), along_n)?,
        ])
    }
}

/// The linear layout of a tile of any power-of-two shape, for a power-of-two N; equal to
/// [`WgmmaAccumulator::to_linear`] where both exist. In a smaller tile, bits that would lead outside
/// of it select copies ([`InstructionTile`]).
///
/// ```
/// use tilewright_layouts::Dim;
/// use tilewright_layouts::distributed::{Encoding, Slice, WgmmaAccumulator, WgmmaN};
/// // The sums of the rows of an accumulator: a thread has two of each instruction's.
/// let parent = WgmmaAccumulator { n: WgmmaN::new(64)?, warpgroups: [1, 1] };
/// let rows = Slice { parent, axis: 1 }.to_linear(&[128])?;
/// assert_eq!(rows.in_size(Dim::Register), 4);
/// assert_eq!(*rows.at(1, 5, 2, 0), [2 * 16 + 1 + 8]);
/// # Ok::<(), tilewright_layouts::LayoutError>(())
/// ```
impl Encoding for WgmmaAccumulator {
    fn to_linear(&self, shape: &[u32]) -> Result<LinearLayout, LayoutError> {
        let one = WgmmaAccumulator {
            warpgroups: [1, 1],
            ..*self
        };
        InstructionTile {
            fragment: one.to_linear([ROWS, self.n.get()])?,
            warps: along(self.warpgroups, [Some(0), Some(1)]),
            order: vec![1, 0],
        }
        .to_linear(shape)
    }
}

/// The element types of an operand of `wgmma`, by width; the width sets the K of the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WgmmaElement {
    /// `b1`: K = 256.
    B1,
    /// `s8`, `u8`, `e4m3`, `e5m2`: K = 32.
    B8,
    /// `f16`, `bf16`: K = 16.
    B16,
    /// `tf32`: K = 8.
    B32,
}

impl WgmmaElement {
    /// Every width, narrowest first.
    pub const ALL: [WgmmaElement; 4] = [
        WgmmaElement::B1,
        WgmmaElement::B8,
        WgmmaElement::B16,
        WgmmaElement::B32,
    ];

    /// The width in bits.
    pub const fn bits(self) -> u32 {
        match self {
            WgmmaElement::B1 => 1,
            WgmmaElement::B8 => 8,
            WgmmaElement::B16 => 16,
            WgmmaElement::B32 => 32,
        }
    }

    /// The K of the instruction: always 256 bits.
    pub const fn k(self) -> u32 {
        256 / self.bits()
    }
}

/// The encoding of an M x K operand A in registers, for the instructions of a [`WgmmaAccumulator`]
/// with the same warpgroups. Warpgroups along N hold copies.
///
/// With `e = 32 / bits` elements in a 32-bit register, element `i` of lane `l` in warp `w` of a
/// warpgroup is at
///
/// ```text
/// row = 16 w + l / 4 + 8 * ((i / e) mod 2)
/// k   = i mod e + e * (l mod 4) + 4 e * (i / 2 e)
/// ```
///
/// The elements of further instructions follow, first along K, then along M. (PTX ISA, "Register
/// Fragments" of `wgmma`, multiplicand A.)
///
/// ```
/// use tilewright_layouts::distributed::{WgmmaA, WgmmaElement};
/// let operand = WgmmaA { element: WgmmaElement::B8, warpgroups: [1, 1] };
/// let layout = operand.to_linear([64, 32])?;
/// assert_eq!(*layout.at(4, 6, 1, 0), [16 + 1 + 8, 2 * 4]);
/// # Ok::<(), tilewright_layouts::LayoutError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WgmmaA {
    /// The element width.
    pub element: WgmmaElement,
    /// The warpgroups along M and along N.
    pub warpgroups: [u32; 2],
}

impl WgmmaA {
    /// The linear layout of an operand of shape M x K.
    ///
    /// # Errors
    /// The shape is not a multiple of the tile that all warpgroups read with one instruction each, or
    /// a size or a number of warpgroups is not a power of two.
    pub fn to_linear(&self, shape: [u32; 2]) -> Result<LinearLayout, LayoutError> {
        let ([rows, depth], [along_m, _]) = (shape, self.warpgroups);
        let (m, k) = (Dim::Axis(0), Dim::Axis(1));
        let rows = times(m, rows, ROWS, along_m)?;
        let depth = times(k, depth, self.element.k(), 1)?;
        let warps = warps(self.warpgroups, [m, k])?.sublayout(&[Dim::Warp], &[m]);
        let words = LinearLayout::identity_1d(32 / self.element.bits(), Dim::Register, k)?
            .product(&LinearLayout::identity_1d(4, Dim::Lane, k)?)?
            .product(&LinearLayout::identity_1d(8, Dim::Lane, m)?)?;
        words
            .product(&LinearLayout::identity_1d(2, Dim::Register, m)?)?
            .product(&LinearLayout::identity_1d(2, Dim::Register, k)?)?
            .product(&warps)?
            .product(&LinearLayout::identity_1d(depth, Dim::Register, k)?)?
            .product(&LinearLayout::identity_1d(rows, Dim::Register, m)?)
    }
}

/// The linear layout of a tile of any power-of-two shape; equal to [`WgmmaA::to_linear`] where both
/// exist. In a smaller tile, bits that would lead outside of it select copies ([`InstructionTile`]).
impl Encoding for WgmmaA {
    fn to_linear(&self, shape: &[u32]) -> Result<LinearLayout, LayoutError> {
        let one = WgmmaA {
            warpgroups: [1, 1],
            ..*self
        };
        InstructionTile {
            fragment: one.to_linear([ROWS, self.element.k()])?,
            warps: along(self.warpgroups, [Some(0), None]),
            order: vec![1, 0],
        }
        .to_linear(shape)
    }
}

/// The warpgroups as rows of warps along these axes.
fn along(warpgroups: [u32; 2], axes: [Option<usize>; 2]) -> Vec<WarpsAlong> {
    let rows = warpgroups.into_iter().zip(axes);
    rows.map(|(count, axis)| WarpsAlong { axis, count }).collect()
}

/// The warps of all warpgroups, each with a coordinate along each of two axes.
fn warps([along_m, along_n]: [u32; 2], [m, n]: [Dim; 2]) -> Result<LinearLayout, LayoutError> {
    LinearLayout::identity_1d(WARPS, Dim::Warp, m)?
        .product(&LinearLayout::identity_1d(along_m, Dim::Warp, m)?)?
        .product(&LinearLayout::identity_1d(along_n, Dim::Warp, n)?)
}

/// The number of repetitions of `parts` pieces that cover an axis.
fn times(dim: Dim, size: u32, piece: u32, parts: u32) -> Result<u32, LayoutError> {
    let unit = piece.checked_mul(parts).ok_or_else(|| too_large(dim))?;
    if size == 0 || unit == 0 || !size.is_multiple_of(unit) {
        return Err(LayoutError::SizeMismatch {
            dim,
            found: u64::from(size),
            expected: u64::from(unit),
        });
    }
    Ok(size / unit)
}

fn too_large(dim: Dim) -> LayoutError {
    LayoutError::DimTooLarge { dim, bits: 32 }
}
