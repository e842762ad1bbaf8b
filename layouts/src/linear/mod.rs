//! Linear layouts: maps between named index bits that are linear over GF(2).
//!
//! A layout `L` maps a position, say (register, lane, warp), to a coordinate, say (dim0, dim1), such
//! that `L(a ^ b) = L(a) ^ L(b)`. It is therefore determined by its values at the powers of two: the
//! *basis vectors*, one for each input bit. (Definition and use: arXiv 2505.23819, §4.)
//!
//! The map is from hardware to tensor, because one element may be replicated in several positions but
//! one position holds one element.
//!
//! The representation is canonical: dimensions are in the order of [`Dim`], and in-dimensions of size
//! 1 are omitted. Two layouts are equal exactly if they are the same map. An absent in-dimension
//! means replication: every lane of a layout without [`Dim::Lane`] holds the same values.

mod algebra;
mod broadcast;
mod column_action;
mod columns;
mod construct;
mod contiguity;
mod dims;
mod divide;
mod fields;
mod query;
mod registers;
mod reshape;
mod select;
mod text;
mod triton_text;

use crate::dim::{Coordinates, Dim};
use crate::span::multiply;
use fields::{Columns, Sides, in_shift_of, last_lowest, low_mask, shift_of, total_bits};

pub use broadcast::Spread;
pub use column_action::ColumnAction;
pub use registers::RegisterMap;
pub(crate) use reshape::check_permutation;
pub use text::ParseLayoutError;

/// A map from named in-dimensions to named out-dimensions, linear over GF(2).
///
/// # Text form
/// [`Display`](std::fmt::Display) prints, and [`FromStr`](std::str::FromStr) parses,
///
/// ```text
/// linear<register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], shape = [1024]>
/// ```
///
/// Each in-dimension lists its basis vectors, the value at position 1 first, one component for each
/// axis; one without basis vectors may be left out. A layout whose out-dimensions are not `dim0`,
/// `dim1`, … names them: `outs = {offset: 1024}` replaces `shape`.
///
/// The form of Triton's IR is parsed too ([`LinearLayout::to_triton`] prints it), with or without an
/// alias:
///
/// ```text
/// #linear = #ttg.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
/// #ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 2]]}, alignment = 16>
/// ```
///
/// It omits the shape: each axis has the smallest size that its basis vectors allow, which is correct
/// for the surjective layouts that Triton accepts. The alignment is only checked to be a number.
///
/// # Example
/// ```
/// use tilewright_layouts::{Dim, LinearLayout};
///
/// // The swizzle (lane, warp) -> (lane, lane ^ warp) on a four by four tensor.
/// let swizzle = LinearLayout::from_bases(
///     &[(Dim::Lane, vec![vec![1, 1], vec![2, 2]]), (Dim::Warp, vec![vec![0, 1], vec![0, 2]])],
///     &[(Dim::Axis(0), 4), (Dim::Axis(1), 4)],
/// )?;
/// assert_eq!(*swizzle.at(0, 3, 2, 0), [3, 1]);
/// assert!(swizzle.is_invertible());
/// # Ok::<(), tilewright_layouts::LayoutError>(())
/// ```
#[derive(Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LinearLayout {
    /// In-dimensions with at least one bit, ascending; the first has the lowest bits of an input word.
    ins: Sides,
    /// Out-dimensions, ascending; the last has the lowest bits of an output word (row major).
    outs: Sides,
    /// One output word for each bit of the input word.
    columns: Columns,
}

/// Copies the inline arrays directly, which is several times as fast as the derived `Clone`.
impl Clone for LinearLayout {
    fn clone(&self) -> Self {
        LinearLayout {
            ins: Sides::from_slice(&self.ins),
            outs: Sides::from_slice(&self.outs),
            columns: Columns::from_slice(&self.columns),
        }
    }
}

impl LinearLayout {
    /// The in-dimensions of size above 1 with their sizes, most minor first.
    pub fn in_dims(&self) -> impl Iterator<Item = (Dim, u32)> + '_ {
        self.ins.iter().map(|side| (side.dim, 1 << side.bits))
    }

    /// The out-dimensions with their sizes, in the order of [`Dim`]: for a tensor, its shape.
    pub fn out_dims(&self) -> impl Iterator<Item = (Dim, u32)> + '_ {
        self.outs.iter().map(|side| (side.dim, 1 << side.bits))
    }

    /// The sizes of the out-dimensions: for a tensor, its shape.
    pub fn shape(&self) -> Vec<u32> {
        self.out_dims().map(|(_, size)| size).collect()
    }

    /// Whether the out-dimensions are exactly `dim0`, `dim1`, … without gaps.
    pub fn is_tensor(&self) -> bool {
        self.outs
            .iter()
            .zip(0..)
            .all(|(side, axis)| side.dim == Dim::Axis(axis))
    }

    /// Size of an in-dimension; 1 for one that the layout does not have.
    pub fn in_size(&self, dim: Dim) -> u32 {
        1 << self.in_bits(dim)
    }

    /// Bits of an in-dimension; 0 for one that the layout does not have.
    pub fn in_bits(&self, dim: Dim) -> u32 {
        self.ins
            .iter()
            .find(|side| side.dim == dim)
            .map_or(0, |side| side.bits())
    }

    /// Size of an out-dimension, if the layout has it.
    pub fn out_size(&self, dim: Dim) -> Option<u32> {
        self.out_bits(dim).map(|bits| 1 << bits)
    }

    /// Bits of an out-dimension, if the layout has it.
    pub fn out_bits(&self, dim: Dim) -> Option<u32> {
        self.outs
            .iter()
            .find(|side| side.dim == dim)
            .map(|side| side.bits())
    }

    /// The number of input bits.
    pub fn total_in_bits(&self) -> u32 {
        self.columns.len() as u32
    }

    /// The number of output bits: the logarithm of the number of elements.
    pub fn total_out_bits(&self) -> u32 {
        total_bits(&self.outs)
    }

    /// The basis vectors of one in-dimension, the value at position 1 first; none if it is absent.
    pub fn bases(&self, dim: Dim) -> impl Iterator<Item = Coordinates> + '_ {
        self.columns_of(dim).iter().map(|column| self.unpack(*column))
    }

    /// The coordinate at a position. Dimensions that are not given are 0; dimensions that the layout
    /// does not have are ignored, and so are bits beyond a dimension's size, since such positions
    /// hold replicas. A dimension given twice counts as the exclusive or of the two. Time: one step
    /// for each input bit.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// let pairs = LinearLayout::strided_1d(32, 2, Dim::Lane, Dim::Axis(0))?;
    /// assert_eq!(*pairs.apply(&[(Dim::Lane, 5)]), [10]);
    /// assert_eq!(*pairs.apply(&[(Dim::Lane, 32 + 5), (Dim::Warp, 3)]), [10]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn apply(&self, position: &[(Dim, u32)]) -> Coordinates {
        let word = position
            .iter()
            .fold(0, |word, &(dim, value)| word ^ self.input_bits(dim, value));
        self.unpack(multiply(&self.columns, word))
    }

    /// The coordinate that one register of one thread holds; see [`LinearLayout::apply`] for positions
    /// outside the layout.
    pub fn at(&self, register: u32, lane: u32, warp: u32, block: u32) -> Coordinates {
        self.unpack(self.word_at(register, lane, warp, block))
    }

    /// Like [`LinearLayout::at`], as the row-major index of the element.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// let layout = LinearLayout::from_parts(&[(Dim::Lane, vec![vec![1, 0], vec![0, 4]])], &[4, 8])?;
    /// assert_eq!(layout.word_at(0, 3, 0, 0), 1 * 8 + 4);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn word_at(&self, register: u32, lane: u32, warp: u32, block: u32) -> u64 {
        let word = self.input_bits(Dim::Register, register)
            | self.input_bits(Dim::Lane, lane)
            | self.input_bits(Dim::Warp, warp)
            | self.input_bits(Dim::Block, block);
        multiply(&self.columns, word)
    }

    /// The columns of one in-dimension.
    fn columns_of(&self, dim: Dim) -> &[u64] {
        let (shift, bits) = (self.in_shift(dim) as usize, self.in_bits(dim) as usize);
        self.columns.get(shift..shift + bits).unwrap_or_default()
    }

    /// `value` along `dim`, as bits of the input word.
    fn input_bits(&self, dim: Dim, value: u32) -> u64 {
        (u64::from(value) & low_mask(self.in_bits(dim))) << self.in_shift(dim)
    }

    /// The shift of an in-dimension in the input word.
    fn in_shift(&self, dim: Dim) -> u32 {
        in_shift_of(&self.ins, dim)
    }

    /// The shift of an out-dimension in the output word.
    fn out_shift(&self, dim: Dim) -> u32 {
        shift_of(&self.outs, dim)
    }

    /// Unpacks an output word.
    fn unpack(&self, word: u64) -> Coordinates {
        let mut coordinates = Coordinates::EMPTY;
        for (side, shift) in last_lowest(&self.outs) {
            coordinates.push((word >> shift & low_mask(side.bits())) as u32);
        }
        coordinates
    }
}
