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
mod query;
mod registers;
mod shape;
mod text;

use crate::dim::{Coordinates, Dim, MAX_DIM_BITS, MAX_RANK, MAX_TOTAL_BITS};
use crate::error::LayoutError;
use crate::span::multiply;

pub use registers::RegisterMap;
pub use shape::Spread;
pub(crate) use shape::check_permutation;
pub use text::ParseLayoutError;

/// One dimension and how many bits it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Side {
    dim: Dim,
    bits: u8,
}

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
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LinearLayout {
    /// In-dimensions with at least one bit, ascending; the first has the lowest bits of an input word.
    ins: Vec<Side>,
    /// Out-dimensions, ascending; the last has the lowest bits of an output word (row major).
    outs: Vec<Side>,
    /// One output word for each bit of the input word.
    columns: Vec<u64>,
}

impl LinearLayout {
    /// The layout of one value that is the same everywhere: no dimensions on either side.
    ///
    /// It is the neutral element of [`LinearLayout::product`].
    pub fn empty() -> Self {
        LinearLayout {
            ins: Vec::new(),
            outs: Vec::new(),
            columns: Vec::new(),
        }
    }

    /// The identity on `size` indices: `L(x) = x`.
    ///
    /// # Errors
    /// `size` is not a power of two, or is above 2^31.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// let lanes = LinearLayout::identity_1d(32, Dim::Lane, Dim::Axis(0))?;
    /// assert_eq!(*lanes.at(0, 13, 0, 0), [13]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn identity_1d(size: u32, input: Dim, output: Dim) -> Result<Self, LayoutError> {
        Self::strided_1d(size, 1, input, output)
    }

    /// `L(x) = stride * x` for `x` below `size`; the out-dimension is of size `size * stride`.
    ///
    /// # Errors
    /// `size` or `stride` is not a power of two, or their product is above 2^31.
    pub fn strided_1d(size: u32, stride: u32, input: Dim, output: Dim) -> Result<Self, LayoutError> {
        let count = log2(input, u64::from(size))?;
        let low = log2(output, u64::from(stride))?;
        let bits = u32::from(count) + u32::from(low);
        if bits > MAX_DIM_BITS {
            return Err(LayoutError::DimTooLarge {
                dim: output,
                bits: bits as usize,
            });
        }
        let columns = (0..count).map(|bit| 1 << (low + bit)).collect();
        Self::assemble(
            vec![(input, columns)],
            vec![Side {
                dim: output,
                bits: low + count,
            }],
        )
    }

    /// `L(x) = 0`: all `size` positions hold the one element at 0 of an out-dimension of `out_size`.
    ///
    /// # Errors
    /// A size is not a power of two, or is above 2^31.
    pub fn zeros_1d(size: u32, input: Dim, output: Dim, out_size: u32) -> Result<Self, LayoutError> {
        let count = log2(input, u64::from(size))?;
        let bits = log2(output, u64::from(out_size))?;
        Self::assemble(
            vec![(input, vec![0; usize::from(count)])],
            vec![Side { dim: output, bits }],
        )
    }

    /// The layout with these basis vectors and these sizes of the out-dimensions.
    ///
    /// The vector at `bases[d].1[i]` is the value at position `2^i` along `bases[d].0`, one component
    /// for each entry of `outs`, in that order. The layout need not reach every output.
    ///
    /// # Errors
    /// Every reason in [`LayoutError`] from `NotPowerOfTwo` to `BasisOutOfRange`.
    pub fn from_bases(bases: &[(Dim, Vec<Vec<u32>>)], outs: &[(Dim, u32)]) -> Result<Self, LayoutError> {
        let widen = |vector: &Vec<u32>| vector.iter().copied().map(u64::from).collect();
        let bases: Vec<_> = bases
            .iter()
            .map(|(dim, vectors)| (*dim, vectors.iter().map(widen).collect()))
            .collect();
        let outs: Vec<_> = outs.iter().map(|(dim, size)| (*dim, u64::from(*size))).collect();
        Self::checked(&bases, &outs)
    }

    /// A tensor's layout from the integers of its text form: basis vectors and the tensor's shape.
    ///
    /// # Errors
    /// As [`LinearLayout::from_bases`]; no input makes it panic.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LayoutError, LinearLayout};
    /// let layout = LinearLayout::from_parts(&[(Dim::Lane, vec![vec![0, 1], vec![1, 0]])], &[2, 2])?;
    /// assert_eq!(*layout.at(0, 2, 0, 0), [1, 0]);
    /// let wrong = LinearLayout::from_parts(&[], &[12]);
    /// assert_eq!(wrong, Err(LayoutError::NotPowerOfTwo { dim: Dim::Axis(0), size: 12 }));
    /// # Ok::<(), LayoutError>(())
    /// ```
    pub fn from_parts(bases: &[(Dim, Vec<Vec<u64>>)], shape: &[u64]) -> Result<Self, LayoutError> {
        if shape.len() > MAX_RANK {
            return Err(LayoutError::RankTooLarge { rank: shape.len() });
        }
        let outs: Vec<_> = (0..).map(Dim::Axis).zip(shape.iter().copied()).collect();
        Self::checked(bases, &outs)
    }

    /// [`LinearLayout::from_bases`] on integers of any size.
    pub(crate) fn checked(bases: &[(Dim, Vec<Vec<u64>>)], outs: &[(Dim, u64)]) -> Result<Self, LayoutError> {
        let mut sides = Vec::with_capacity(outs.len().min(MAX_RANK));
        if outs.len() > MAX_RANK {
            return Err(LayoutError::RankTooLarge { rank: outs.len() });
        }
        for &(dim, size) in outs {
            sides.push(Side {
                dim,
                bits: log2(dim, size)?,
            });
        }
        check_outs(&sides)?;
        let mut sorted = sides.clone();
        sorted.sort();
        let mut ins = Vec::with_capacity(bases.len());
        for (dim, vectors) in bases {
            if vectors.len() > MAX_DIM_BITS as usize {
                return Err(LayoutError::DimTooLarge {
                    dim: *dim,
                    bits: vectors.len(),
                });
            }
            let mut columns = Vec::with_capacity(vectors.len());
            for (index, vector) in vectors.iter().enumerate() {
                if vector.len() != outs.len() {
                    let (found, expected) = (vector.len(), outs.len());
                    return Err(LayoutError::BasisLength {
                        dim: *dim,
                        index,
                        found,
                        expected,
                    });
                }
                let mut column = 0;
                for (&(out, size), &value) in outs.iter().zip(vector) {
                    if value >= size {
                        return Err(LayoutError::BasisOutOfRange {
                            dim: *dim,
                            index,
                            out,
                            value,
                            size,
                        });
                    }
                    column |= value << shift_of(&sorted, out);
                }
                columns.push(column);
            }
            ins.push((*dim, columns));
        }
        Self::assemble(ins, sides)
    }

    /// Puts a layout into canonical form and checks the limits. `columns` are output words for `outs`
    /// *sorted*.
    fn assemble(mut ins: Vec<(Dim, Vec<u64>)>, mut outs: Vec<Side>) -> Result<Self, LayoutError> {
        check_outs(&outs)?;
        outs.sort();
        ins.sort_by_key(|(dim, _)| *dim);
        let mut layout = LinearLayout {
            ins: Vec::with_capacity(ins.len()),
            outs,
            columns: Vec::new(),
        };
        let mut previous = None;
        for (dim, columns) in ins {
            if previous.replace(dim) == Some(dim) {
                return Err(LayoutError::DuplicateDim { dim });
            }
            check_axis(dim)?;
            if columns.len() > MAX_DIM_BITS as usize {
                return Err(LayoutError::DimTooLarge {
                    dim,
                    bits: columns.len(),
                });
            }
            if !columns.is_empty() {
                layout.ins.push(Side {
                    dim,
                    bits: columns.len() as u8,
                });
                layout.columns.extend(columns);
            }
        }
        match layout.columns.len() {
            bits if bits > MAX_TOTAL_BITS as usize => Err(LayoutError::TooManyBits { bits }),
            _ => Ok(layout),
        }
    }

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
            .map_or(0, |side| u32::from(side.bits))
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
            .map(|side| u32::from(side.bits))
    }

    /// Input bits of all in-dimensions together.
    pub fn total_in_bits(&self) -> u32 {
        self.columns.len() as u32
    }

    /// Output bits of all out-dimensions together: the logarithm of the number of elements.
    pub fn total_out_bits(&self) -> u32 {
        self.outs.iter().map(|side| u32::from(side.bits)).sum()
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

    /// In-dimensions with their columns, as [`LinearLayout::assemble`] takes them.
    fn grouped(&self) -> Vec<(Dim, Vec<u64>)> {
        self.ins
            .iter()
            .map(|side| (side.dim, self.columns_of(side.dim).to_vec()))
            .collect()
    }

    /// `value` along `dim`, as bits of the input word.
    fn input_bits(&self, dim: Dim, value: u32) -> u64 {
        (u64::from(value) & low_mask(self.in_bits(dim))) << self.in_shift(dim)
    }

    /// Where the bits of an in-dimension begin in the input word.
    fn in_shift(&self, dim: Dim) -> u32 {
        self.ins
            .iter()
            .take_while(|side| side.dim < dim)
            .map(|side| u32::from(side.bits))
            .sum()
    }

    /// Where the bits of an out-dimension begin in the output word.
    fn out_shift(&self, dim: Dim) -> u32 {
        shift_of(&self.outs, dim)
    }

    /// An output word taken apart.
    fn unpack(&self, word: u64) -> Coordinates {
        let mut coordinates = Coordinates::EMPTY;
        let mut shift = self.total_out_bits();
        for side in &self.outs {
            shift -= u32::from(side.bits);
            coordinates.push((word >> shift & low_mask(u32::from(side.bits))) as u32);
        }
        coordinates
    }
}

/// A number with the lowest `bits` bits set; `bits` is below 64.
fn low_mask(bits: u32) -> u64 {
    (1 << bits) - 1
}

/// Where the bits of `dim` begin in a word whose last dimension is lowest; `sides` ascend.
fn shift_of(sides: &[Side], dim: Dim) -> u32 {
    sides
        .iter()
        .rev()
        .take_while(|side| side.dim > dim)
        .map(|side| u32::from(side.bits))
        .sum()
}

/// The logarithm of a size that has to be a power of two.
fn log2(dim: Dim, size: u64) -> Result<u8, LayoutError> {
    if !size.is_power_of_two() {
        return Err(LayoutError::NotPowerOfTwo { dim, size });
    }
    match size.ilog2() {
        bits if bits <= MAX_DIM_BITS => Ok(bits as u8),
        bits => Err(LayoutError::DimTooLarge {
            dim,
            bits: bits as usize,
        }),
    }
}

fn check_axis(dim: Dim) -> Result<(), LayoutError> {
    match dim {
        Dim::Axis(axis) if usize::from(axis) >= MAX_RANK => Err(LayoutError::RankTooLarge {
            rank: usize::from(axis) + 1,
        }),
        Dim::Axis(_)
        | Dim::Register
        | Dim::Lane
        | Dim::Warp
        | Dim::Block
        | Dim::Offset
        | Dim::TmemLane
        | Dim::TmemColumn => Ok(()),
    }
}

fn check_outs(outs: &[Side]) -> Result<(), LayoutError> {
    if outs.len() > MAX_RANK {
        return Err(LayoutError::RankTooLarge { rank: outs.len() });
    }
    let mut bits = 0;
    for (index, side) in outs.iter().enumerate() {
        check_axis(side.dim)?;
        if outs.iter().take(index).any(|earlier| earlier.dim == side.dim) {
            return Err(LayoutError::DuplicateDim { dim: side.dim });
        }
        if u32::from(side.bits) > MAX_DIM_BITS {
            return Err(LayoutError::DimTooLarge {
                dim: side.dim,
                bits: usize::from(side.bits),
            });
        }
        bits += usize::from(side.bits);
    }
    if bits > MAX_TOTAL_BITS as usize {
        Err(LayoutError::TooManyBits { bits })
    } else {
        Ok(())
    }
}
