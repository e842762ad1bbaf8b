//! Linear layouts: maps between named index bits that are linear over GF(2).
//!
//! A layout `L` sends a position, say (register, lane, warp), to a coordinate, say (dim0, dim1), such
//! that `L(a ^ b) = L(a) ^ L(b)`. It is therefore known once its values at the powers of two are
//! known: the *basis vectors*, one for each input bit. (Definition and use: arXiv 2505.23819, §4.)
//!
//! The direction is from hardware to tensor, because one element may be held in several places but
//! one place holds one element.
//!
//! The representation is canonical: dimensions are kept in the order of [`Dim`], and an in-dimension
//! of size 1 is not kept at all. Two layouts are equal exactly when they are the same map. An absent
//! in-dimension has no influence: every lane of a layout without [`Dim::Lane`] holds the same values.

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
/// `dim1`, … names them: `outs = {offset: 1024}` stands in place of `shape`.
///
/// The form of Triton's IR is parsed too ([`LinearLayout::to_triton`] prints it), with or without the
/// name that the IR gives it:
///
/// ```text
/// #linear = #ttg.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
/// #ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 2]]}, alignment = 16>
/// ```
///
/// It does not say the shape: each axis is as small as its basis vectors allow, which is right for the
/// layouts that Triton admits, those that reach every element. The alignment is checked to be a number.
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

/// Copies whole groups of words, which is several times as fast as going through their `Clone`.
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

    /// Whether the out-dimensions are exactly `dim0`, `dim1`, … with none left out.
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

    /// Input bits of all in-dimensions together.
    pub fn total_in_bits(&self) -> u32 {
        self.columns.len() as u32
    }

    /// Output bits of all out-dimensions together: the logarithm of the number of elements.
    pub fn total_out_bits(&self) -> u32 {
        total_bits(&self.outs)
    }

    /// The basis vectors of one in-dimension, the value at position 1 first; none if it is absent.
    pub fn bases(&self, dim: Dim) -> impl Iterator<Item = Coordinates> + '_ {
        self.columns_of(dim).iter().map(|column| self.unpack(*column))
    }

    /// The coordinate at a position. Dimensions not named are at 0; a dimension that the layout does
    /// not have is ignored, and so are bits past a dimension's size: what such a position holds is a
    /// copy of what the position without those bits holds. A dimension named twice counts as the
    /// exclusive or of the two. Time: one step for each input bit.
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

    /// As [`LinearLayout::at`], as one number: the row-major index of the element in the tensor.
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

    /// Where the bits of an in-dimension begin in the input word.
    fn in_shift(&self, dim: Dim) -> u32 {
        in_shift_of(&self.ins, dim)
    }

    /// Where the bits of an out-dimension begin in the output word.
    fn out_shift(&self, dim: Dim) -> u32 {
        shift_of(&self.outs, dim)
    }

    /// An output word taken apart.
    fn unpack(&self, word: u64) -> Coordinates {
        let mut coordinates = Coordinates::EMPTY;
        for (side, shift) in last_lowest(&self.outs) {
            coordinates.push((word >> shift & low_mask(side.bits())) as u32);
        }
        coordinates
    }
}
