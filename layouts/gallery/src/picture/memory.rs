//! A tile in shared memory, element by element.

use tilewright_layouts::cute::{Composed, IntTuple, Nested};
use tilewright_layouts::{Dim, ElementWidth, LinearLayout};

use super::error::{PictureError, known};
use super::holders::{coordinate, index};

/// The number of banks of shared memory.
pub(super) const BANKS: u64 = 32;
/// The bits of a bank's word.
pub(super) const WORD_BITS: u64 = 32;
/// The bits of the widest access of a lane.
pub(super) const ACCESS_BITS: u64 = 128;

/// A tile in shared memory as a table of elements, of any layout, linear or not.
///
/// ```
/// use tilewright_layout_gallery::picture::Memory;
/// use tilewright_layouts::ElementWidth;
/// // Rows of four elements, padded to five.
/// let padded = Memory::from_fn(&[2, 4], ElementWidth::B32, |at| Some(u64::from(at[0] * 5 + at[1])))?;
/// assert_eq!(padded.offset(&[1, 2]), Some(7));
/// assert_eq!(padded.element(4), None);
/// # Ok::<(), tilewright_layout_gallery::picture::PictureError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    shape: Vec<u32>,
    names: Vec<String>,
    width: ElementWidth,
    /// Row-major elements and their offsets, ascending.
    by_element: Vec<(u64, u64)>,
    /// Offsets and their row-major elements, ascending.
    by_offset: Vec<(u64, u64)>,
}

impl Memory {
    /// The base-2 logarithm of the largest number of elements of a memory, more than any block has.
    pub const MAX_BITS: u32 = 20;

    /// Constructs the memory of a linear layout in either direction: from [`Dim::Offset`] to the
    /// tile, or from the tile's axes to [`Dim::Offset`]. Other in-dimensions of the former are fixed
    /// at 0.
    ///
    /// # Errors
    /// [`PictureError::NoOffset`], [`PictureError::TooLarge`].
    pub fn from_linear(layout: &LinearLayout, width: ElementWidth) -> Result<Memory, PictureError> {
        if layout.out_size(Dim::Offset).is_some() {
            let mut shape: Vec<u32> = Vec::new();
            for (dim, size) in layout.in_dims() {
                if let Dim::Axis(axis) = dim {
                    // An axis of size 1 is not an in-dimension.
                    shape.resize(usize::from(axis), 1);
                    shape.push(size);
                }
            }
            return Self::from_fn(&shape, width, |at| {
                let position: Vec<(Dim, u32)> = (0..).map(Dim::Axis).zip(at.iter().copied()).collect();
                layout.apply(&position).first().copied().map(u64::from)
            });
        }
        if layout.in_bits(Dim::Offset) == 0 || !layout.is_tensor() {
            return Err(PictureError::NoOffset);
        }
        let bits = layout.in_bits(Dim::Offset).max(layout.total_out_bits());
        Self::check(bits)?;
        let shape = layout.shape();
        let offsets = 0..layout.in_size(Dim::Offset);
        let pairs = offsets.map(|offset| {
            let element = index(&layout.apply(&[(Dim::Offset, offset)]), &shape);
            (element, u64::from(offset))
        });
        Ok(Self::from_pairs(&shape, width, pairs.collect()))
    }

    /// Constructs the memory in which `offset_of` maps the coordinate of an element to its offset, in
    /// elements; `None` for an element that is not stored.
    ///
    /// # Errors
    /// [`PictureError::TooLarge`].
    pub fn from_fn(
        shape: &[u32],
        width: ElementWidth,
        offset_of: impl Fn(&[u32]) -> Option<u64>,
    ) -> Result<Memory, PictureError> {
        let total = shape
            .iter()
            .fold(1u64, |total, size| total.saturating_mul(u64::from(*size)));
        let bits = total.checked_next_power_of_two().map_or(64, u64::ilog2);
        Self::check(bits)?;
        let pairs = (0..total).filter_map(|element| Some((element, offset_of(&coordinate(element, shape))?)));
        Ok(Self::from_pairs(shape, width, pairs.collect()))
    }

    /// Constructs the memory of a CuTe layout, with each element at its index and one axis for each
    /// mode.
    ///
    /// # Errors
    /// [`PictureError::Dynamic`], [`PictureError::TooLarge`].
    ///
    /// ```
    /// use tilewright_layout_gallery::picture::Memory;
    /// use tilewright_layouts::ElementWidth;
    /// let memory = Memory::from_cute(&"Sw<1,1,1> o 0 o (2,4):(4,1)".parse()?, ElementWidth::B32)?;
    /// assert_eq!((memory.offset(&[1, 0]), memory.offset(&[1, 2])), (Some(6), Some(4)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_cute(layout: &Composed, width: ElementWidth) -> Result<Memory, PictureError> {
        known(layout)?;
        let shape = layout.shape();
        let modes: Vec<&IntTuple> = match &shape {
            Nested::Leaf(_) => vec![&shape],
            Nested::Tuple(modes) => modes.iter().collect(),
        };
        let sizes: Option<Vec<u32>> = modes
            .into_iter()
            .map(|mode| u32::try_from(mode.product().ok()?.as_static()?).ok())
            .collect();
        let sizes = sizes.ok_or(PictureError::TooLarge {
            bits: u32::BITS,
            limit: Self::MAX_BITS,
        })?;
        Self::from_fn(&sizes, width, |at| {
            let digits = at.iter().zip(&sizes).rev();
            // The number of elements is below 2^20.
            let flat = digits.fold(0, |flat: u64, (at, size)| {
                flat * u64::from(*size) + u64::from(*at)
            });
            layout.at(flat).ok()
        })
    }

    fn check(bits: u32) -> Result<(), PictureError> {
        let limit = Self::MAX_BITS;
        if bits > limit {
            return Err(PictureError::TooLarge { bits, limit });
        }
        Ok(())
    }

    fn from_pairs(shape: &[u32], width: ElementWidth, mut by_element: Vec<(u64, u64)>) -> Memory {
        let mut by_offset: Vec<(u64, u64)> = by_element
            .iter()
            .map(|(element, offset)| (*offset, *element))
            .collect();
        by_element.sort_unstable();
        by_offset.sort_unstable();
        Memory {
            shape: shape.to_vec(),
            names: (0..shape.len()).map(|axis| format!("dim{axis}")).collect(),
            width,
            by_element,
            by_offset,
        }
    }

    /// The shape of the tile.
    pub fn shape(&self) -> &[u32] {
        &self.shape
    }

    /// The names of the axes.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// The width of an element.
    pub fn width(&self) -> ElementWidth {
        self.width
    }

    /// The first offset of an element, in elements; `None` outside of the tile.
    pub fn offset(&self, element: &[u32]) -> Option<u64> {
        let within = element.len() == self.shape.len();
        if !within || element.iter().zip(&self.shape).any(|(at, size)| at >= size) {
            return None;
        }
        self.offset_at(index(element, &self.shape))
    }

    /// The first offset of the element with this row-major index.
    pub(super) fn offset_at(&self, element: u64) -> Option<u64> {
        first(&self.by_element, element)
    }

    /// The element at an offset.
    pub fn element(&self, offset: u64) -> Option<Vec<u32>> {
        first(&self.by_offset, offset).map(|element| coordinate(element, &self.shape))
    }

    /// The number of offsets up to the last in use.
    pub fn len(&self) -> u64 {
        self.by_offset
            .last()
            .map_or(0, |(offset, _)| offset.saturating_add(1))
    }

    /// Whether no offset is in use.
    pub fn is_empty(&self) -> bool {
        self.by_offset.is_empty()
    }

    /// The number of elements of the widest access.
    pub(super) fn widest(&self) -> u64 {
        (ACCESS_BITS / u64::from(self.width.bits())).max(1)
    }

    /// The largest power of two of neighbours along the last axis that are contiguous, in order and
    /// aligned in memory everywhere, and fit an access of 16 bytes.
    pub(super) fn run(&self) -> u64 {
        let last = self.shape.last().map_or(1, |size| u64::from(*size));
        let mut run = 1;
        while run * 2 <= self.widest() && last.is_multiple_of(run * 2) {
            let wider = run * 2;
            let fits = self.by_element.iter().all(|(element, offset)| {
                element % wider == offset % wider
                    && self.offset_at(element - element % wider) == Some(offset - offset % wider)
            });
            if !fits {
                break;
            }
            run = wider;
        }
        run
    }

    /// The first and the last bank of the element at an offset.
    pub(super) fn banks(&self, offset: u64, run: u64) -> (u64, u64) {
        let width = u64::from(self.width.bits());
        let first = offset.saturating_mul(width) / WORD_BITS;
        let last = (offset.saturating_add(run).saturating_mul(width) - 1) / WORD_BITS;
        (first % BANKS, last % BANKS)
    }

    /// The axis along which the elements at offsets 0 and 1 are adjacent; the last by default.
    pub(super) fn fast_axis(&self) -> usize {
        let last = self.shape.len().saturating_sub(1);
        let (Some(zero), Some(one)) = (self.element(0), self.element(1)) else {
            return last;
        };
        (0..=last)
            .rev()
            .find(|axis| zero.get(*axis) != one.get(*axis))
            .unwrap_or(last)
    }
}

/// Looks up the first pair with this first member and returns its second.
fn first(pairs: &[(u64, u64)], key: u64) -> Option<u64> {
    let at = pairs.partition_point(|(known, _)| *known < key);
    pairs
        .get(at)
        .filter(|(known, _)| *known == key)
        .map(|(_, found)| *found)
}
