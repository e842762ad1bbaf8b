//! Shared-memory layouts of bulk tensor copies and matrix units.

use super::{SwizzleMode, along, axis_bits, check_rank, from_offset_bits, over_blocks};
use crate::dim::{Dim, MAX_DIM_BITS};
use crate::error::LayoutError;
use crate::linear::LinearLayout;

/// The number of offset bits below the one that addresses the unused bytes of
/// [`NvmmaElement::Fp4Padded`].
const PADDED_BITS: usize = 3;

/// The element type of an [`Nvmma`] tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NvmmaElement {
    /// Four bits, two to a byte.
    B4,
    /// One byte.
    B8,
    /// Two bytes.
    B16,
    /// Four bytes.
    B32,
    /// Eight bytes.
    B64,
    /// One byte that holds two 4-bit floats. Eight of these bytes are followed by eight unused ones, as
    /// in the tensor-map type `16U4_ALIGN16B`. Offsets count all bytes; an unused one is a copy of the
    /// byte eight before it.
    Fp4Padded,
}

impl NvmmaElement {
    /// Every kind of element.
    pub const ALL: [NvmmaElement; 6] = [
        NvmmaElement::B4,
        NvmmaElement::B8,
        NvmmaElement::B16,
        NvmmaElement::B32,
        NvmmaElement::B64,
        NvmmaElement::Fp4Padded,
    ];

    /// The distance between consecutive offsets, in bits.
    pub const fn bits(self) -> u32 {
        match self {
            NvmmaElement::B4 => 4,
            NvmmaElement::B8 | NvmmaElement::Fp4Padded => 8,
            NvmmaElement::B16 => 16,
            NvmmaElement::B32 => 32,
            NvmmaElement::B64 => 64,
        }
    }

    /// The number of elements in a row of a swizzle atom.
    fn in_span(self, mode: SwizzleMode) -> u64 {
        let slots = mode.span().0 * 8 / u64::from(self.bits());
        match self {
            NvmmaElement::Fp4Padded => slots / 2,
            NvmmaElement::B4
            | NvmmaElement::B8
            | NvmmaElement::B16
            | NvmmaElement::B32
            | NvmmaElement::B64 => slots,
        }
    }
}

/// The contiguous axis among the last two axes of a tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TileOrder {
    /// The last axis: K-major for an operand A of shape M x K, N-major for an operand B of shape K x
    /// N.
    #[default]
    RowMajor,
    /// The second-to-last axis: M-major for an operand A of shape M x K, K-major for B of shape K x
    /// N.
    ColumnMajor,
}

/// A tile of swizzle atoms: 8 rows of [`SwizzleMode::span`] bytes, whose chunks of 16 bytes or more
/// the swizzle permutes.
///
/// The contiguous axis is called the column. The byte offset of an element before the swizzle has the
/// columns within a span fastest, then the rows, then the axes before the last two (as further rows,
/// the first axis slowest), and last the columns beyond a span:
///
/// ```text
/// offset = column mod span + span * (row + rows * (column / span))
/// ```
///
/// The swizzle then applies to that offset. Atoms are thus repeated along the rows first; one bulk
/// tensor copy whose box is one span wide writes one column of atoms. These are the canonical layouts
/// of the matrix descriptors: the descriptor's strides are 8 spans between atoms along the rows and
/// `span * rows` along the columns. Without a swizzle an atom is a core matrix, 8 rows of 16 bytes.
///
/// Sources: PTX ISA, sections "Shared Memory Matrix Layout", "Canonical Layouts" and "Swizzling
/// Modes"; CUTLASS, the layout atoms in `mma_traits_sm90_gmma.hpp` tiled with `tile_to_shape`. Triton's
/// NVMMA layout is the same for its 32-, 64- and 128-byte swizzles; its width of 0 is
/// [`Swizzled::plain`](super::Swizzled::plain).
///
/// ```
/// use tilewright_layouts::{Dim, SwizzleMode};
/// use tilewright_layouts::shared::{Nvmma, NvmmaElement, TileOrder};
/// let tile = Nvmma { swizzle: SwizzleMode::B128, element: NvmmaElement::B16, order: TileOrder::RowMajor };
/// let layout = tile.to_linear(&[64, 128])?;
/// // Row 3 begins at 3 * 64; its first 8 elements are in chunk 3, its chunk 3 is first.
/// assert_eq!(*layout.apply(&[(Dim::Offset, 3 * 64)]), [3, 3 * 8]);
/// assert_eq!(*layout.apply(&[(Dim::Offset, 64 * 64)]), [0, 64]);
/// # Ok::<(), tilewright_layouts::LayoutError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Nvmma {
    /// The swizzle.
    pub swizzle: SwizzleMode,
    /// The element type.
    pub element: NvmmaElement,
    /// The contiguous axis.
    pub order: TileOrder,
}

impl Nvmma {
    /// The layout of a tile of this shape, from offset to axes. It is a bijection, except that
    /// [`NvmmaElement::Fp4Padded`] has two offsets for each element. Time: quadratic in its bits.
    ///
    /// # Errors
    /// The tile has fewer than two axes, a size is not a power of two, the contiguous axis is shorter
    /// than a span, or the layout exceeds a limit of [`LinearLayout`].
    pub fn to_linear(&self, shape: &[u32]) -> Result<LinearLayout, LayoutError> {
        check_rank(shape)?;
        let rank = shape.len();
        let Some(last) = rank.checked_sub(1).filter(|last| *last > 0) else {
            return Err(LayoutError::Parameter {
                name: "rank",
                value: rank as u64,
                allowed: "2 or more",
            });
        };
        let (column, row) = match self.order {
            TileOrder::RowMajor => (last, last - 1),
            TileOrder::ColumnMajor => (last - 1, last),
        };
        let columns = shape.get(column).copied().unwrap_or(1);
        let column_bits = axis_bits(column, columns)?;
        let span = self.element.in_span(self.swizzle);
        if u64::from(columns) < span {
            return Err(LayoutError::SizeMismatch {
                dim: Dim::Axis(column as u8),
                found: u64::from(columns),
                expected: span,
            });
        }
        let (inner, outer) = (0..column_bits).partition::<Vec<u32>, _>(|bit| 1 << bit < span);
        let mut unswizzled: Vec<_> = inner
            .into_iter()
            .map(|bit| along(rank, column, 1 << bit))
            .collect();
        if self.element == NvmmaElement::Fp4Padded {
            unswizzled.insert(PADDED_BITS.min(unswizzled.len()), vec![0; rank]);
        }
        for axis in [row].into_iter().chain((0..last - 1).rev()) {
            let size = shape.get(axis).copied().unwrap_or(1);
            unswizzled.extend((0..axis_bits(axis, size)?).map(|bit| along(rank, axis, 1 << bit)));
        }
        unswizzled.extend(outer.into_iter().map(|bit| along(rank, column, 1 << bit)));
        if unswizzled.len() > MAX_DIM_BITS as usize {
            return Err(LayoutError::DimTooLarge {
                dim: Dim::Offset,
                bits: unswizzled.len(),
            });
        }
        let vectors = (0..unswizzled.len()).map(|bit| {
            let logical = self.unswizzle(1 << bit);
            let parts = unswizzled
                .iter()
                .zip(0..)
                .filter(|(_, bit)| logical >> bit & 1 == 1);
            parts.fold(vec![0; rank], |sum, (part, _)| {
                sum.iter().zip(part).map(|(a, b)| a ^ b).collect()
            })
        });
        from_offset_bits(vectors.collect(), shape)
    }

    /// The layout of a tile of this shape split into parts, one for each block of a cluster. `blocks`
    /// maps [`Dim::Block`] to the axes; the sizes of its axes are the numbers of parts along each
    /// axis.
    ///
    /// # Errors
    /// As [`Nvmma::to_linear`], or an axis does not divide into that number of parts.
    pub fn to_linear_over(&self, shape: &[u32], blocks: &LinearLayout) -> Result<LinearLayout, LayoutError> {
        over_blocks(shape, blocks, |part| self.to_linear(part))
    }

    /// The offset before the swizzle of the element at an offset in memory, and conversely. No
    /// swizzle moves less than 8 bytes, so that the widest element is moved as a whole.
    fn unswizzle(&self, offset: u64) -> u64 {
        let bits = u64::from(self.element.bits());
        match offset.checked_mul(bits) {
            Some(address) => (self.swizzle.apply(address / 8) * 8 + address % 8) / bits,
            None => offset,
        }
    }
}
