//! A tile in shared memory: which offset each element has, and what lies in which bank.

use std::fmt;

use super::color::{HUES, TINTS, Tone};
use super::coordinate::known;
use super::element::tile_name;
use super::grid::{Grid, coordinates, range};
use super::holders::{coordinate, index};
use super::model::{Axis, Cell, Legend, Options, Picture};
use crate::cute::{Composed, IntTuple, Nested};
use crate::dim::Dim;
use crate::linear::LinearLayout;
use crate::units::ElementWidth;

/// Banks of shared memory.
pub(super) const BANKS: u64 = 32;
/// Bits of a bank's word.
pub(super) const WORD_BITS: u64 = 32;
/// Bits of the widest access of a lane.
pub(super) const ACCESS_BITS: u64 = 128;

/// Why there is no such picture.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PictureError {
    /// Neither side of the layout is a place in shared memory.
    NoOffset,
    /// The memory has more elements than are looked at one by one.
    TooLarge {
        /// The elements, as a power of two, rounded up.
        bits: u32,
        /// The limit, as a power of two.
        limit: u32,
    },
    /// Registers and memory hold tiles of different shapes.
    Shapes {
        /// The shape of the tile in registers.
        registers: Vec<u32>,
        /// The shape of the tile in memory.
        memory: Vec<u32>,
    },
    /// An element that a thread accesses is nowhere in memory.
    NotInMemory {
        /// The element.
        element: Vec<u32>,
    },
    /// An extent is not known before run time.
    Dynamic,
    /// An access that cannot be made.
    Access(crate::LayoutError),
}

impl fmt::Display for PictureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoOffset => {
                f.write_str("the layout has no dimension offset: it is no layout of shared memory")
            }
            Self::TooLarge { bits, limit } => write!(
                f,
                "2^{bits} elements of shared memory are too many to look at one by one; at most 2^{limit} are"
            ),
            Self::Shapes { registers, memory } => write!(
                f,
                "the registers hold a tile of shape {registers:?} and the memory one of shape {memory:?}"
            ),
            Self::NotInMemory { element } => write!(f, "element {element:?} has no place in the memory"),
            Self::Dynamic => f.write_str("an extent or a stride of the layout is not known before run time"),
            Self::Access(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PictureError {}

/// A tile in shared memory, element by element. Any placement will do, linear or not.
///
/// ```
/// use tilewright_layouts::{ElementWidth, picture::Memory};
/// // Rows of four elements, padded to five.
/// let padded = Memory::from_fn(&[2, 4], ElementWidth::B32, |at| Some(u64::from(at[0] * 5 + at[1])))?;
/// assert_eq!(padded.offset(&[1, 2]), Some(7));
/// assert_eq!(padded.element(4), None);
/// # Ok::<(), tilewright_layouts::picture::PictureError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    shape: Vec<u32>,
    names: Vec<String>,
    width: ElementWidth,
    /// Row-major element and offset, ascending.
    by_element: Vec<(u64, u64)>,
    /// Offset and row-major element, ascending.
    by_offset: Vec<(u64, u64)>,
}

impl Memory {
    /// The most elements of a memory, as a power of two: more than any block has.
    pub const MAX_BITS: u32 = 20;

    /// The memory that a linear layout describes, in either direction: from [`Dim::Offset`] to the
    /// tile, or from the tile's axes to [`Dim::Offset`]. Other in-dimensions of the former are at 0.
    ///
    /// # Errors
    /// [`PictureError::NoOffset`], [`PictureError::TooLarge`].
    pub fn from_linear(layout: &LinearLayout, width: ElementWidth) -> Result<Memory, PictureError> {
        if layout.out_size(Dim::Offset).is_some() {
            let mut shape: Vec<u32> = Vec::new();
            for (dim, size) in layout.in_dims() {
                if let Dim::Axis(axis) = dim {
                    // An axis of size 1 is not kept among the in-dimensions.
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

    /// The memory in which `offset_of` says where the element at a coordinate is, in elements; none for
    /// an element that is nowhere.
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

    /// The memory in which the element at each coordinate of a CuTe layout is at its index; an axis for
    /// each mode.
    ///
    /// # Errors
    /// [`PictureError::Dynamic`], [`PictureError::TooLarge`].
    ///
    /// ```
    /// use tilewright_layouts::{ElementWidth, picture::Memory};
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
            // Fewer than 2^20 elements are looked at.
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

    /// The width of an element.
    pub fn width(&self) -> ElementWidth {
        self.width
    }

    /// The first offset of an element, in elements; none for what is no element of the tile.
    pub fn offset(&self, element: &[u32]) -> Option<u64> {
        let within = element.len() == self.shape.len();
        if !within || element.iter().zip(&self.shape).any(|(at, size)| at >= size) {
            return None;
        }
        self.offset_at(index(element, &self.shape))
    }

    /// The first offset of the element of this row-major index.
    pub(super) fn offset_at(&self, element: u64) -> Option<u64> {
        first(&self.by_element, element)
    }

    /// The element at an offset.
    pub fn element(&self, offset: u64) -> Option<Vec<u32>> {
        first(&self.by_offset, offset).map(|element| coordinate(element, &self.shape))
    }

    /// The number of offsets up to the last that is used.
    pub fn len(&self) -> u64 {
        self.by_offset
            .last()
            .map_or(0, |(offset, _)| offset.saturating_add(1))
    }

    /// Whether no offset is used.
    pub fn is_empty(&self) -> bool {
        self.by_offset.is_empty()
    }

    /// Elements of the widest access.
    fn widest(&self) -> u64 {
        (ACCESS_BITS / u64::from(self.width.bits())).max(1)
    }

    /// The largest power of two such that so many neighbours along the last axis are neighbours in
    /// memory everywhere, in order and aligned, and fit an access of 16 bytes.
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

    /// The bits of the element at an offset lie in these banks, the first and the last.
    fn banks(&self, offset: u64, run: u64) -> (u64, u64) {
        let width = u64::from(self.width.bits());
        let first = offset.saturating_mul(width) / WORD_BITS;
        let last = (offset.saturating_add(run).saturating_mul(width) - 1) / WORD_BITS;
        (first % BANKS, last % BANKS)
    }

    /// The axis along which the element at offset 1 is next to that at offset 0; the last by default.
    fn fast_axis(&self) -> usize {
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

/// The first second member of a pair with this first member.
fn first(pairs: &[(u64, u64)], key: u64) -> Option<u64> {
    let at = pairs.partition_point(|(known, _)| *known < key);
    pairs
        .get(at)
        .filter(|(known, _)| *known == key)
        .map(|(_, found)| *found)
}

/// The picture of memory by element: the offset of each element, in elements, and its bank.
///
/// ```
/// use tilewright_layouts::{ElementWidth, picture::{self, Memory}};
/// let memory = Memory::from_fn(&[2, 2], ElementWidth::B32, |at| Some(u64::from(at[0] * 2 + at[1])))?;
/// let picture = picture::by_offset(&memory, &picture::Options::default());
/// let labels: Vec<String> = picture.cells.iter().map(|cell| cell.label()).collect();
/// assert_eq!(labels, ["0:b0", "1:b1", "2:b2", "3:b3"]);
/// # Ok::<(), tilewright_layouts::picture::PictureError>(())
/// ```
pub fn by_offset(memory: &Memory, options: &Options) -> Picture {
    let grid = Grid::new(&memory.shape, memory.names.clone(), memory.run(), options.merge);
    let mut notes = Vec::new();
    let (rows, columns, elements) = grid.window(options, &mut notes);
    let cells = elements.into_iter().map(|element| {
        let Some(element) = element else {
            return Cell::default();
        };
        let Some(offset) = memory.offset_at(element) else {
            return Cell::empty(format!("{} is nowhere", grid.name(element)));
        };
        let (bank, last) = memory.banks(offset, grid.run());
        let banks = range(bank, last.saturating_sub(bank) + 1);
        let offsets = range(offset, grid.run());
        Cell {
            parts: vec![offsets.clone(), format!("b{banks}")],
            tone: Some(bank_tone(bank)),
            copy: false,
            times: 1,
            detail: format!(
                "{}: offset {offsets}, byte {}, bank {banks}",
                grid.name(element),
                offset.saturating_mul(u64::from(memory.width.bits())) / 8
            ),
        }
    });
    let cells = cells.collect();
    if grid.run() > 1 {
        notes.push(format!(
            "Each cell is {} neighbours along the last axis, {} bytes that stay together.",
            grid.run(),
            grid.run() * u64::from(memory.width.bits()) / 8
        ));
    }
    notes.push(format!(
        "The offset counts elements of {} bits; b is the bank, of 32 banks of 4 bytes.",
        memory.width.bits()
    ));
    Picture {
        title: format!("Where {} lies in shared memory", tile_name(&memory.shape)),
        subtitle: String::new(),
        rows,
        columns,
        cells,
        legend: bank_legend(),
        notes,
    }
    .used_colors()
}

/// The colour of a bank: one hue for four banks, the 16 bytes of the widest access.
fn bank_tone(bank: u64) -> Tone {
    let banks = BANKS as u32;
    Tone::of(u32::try_from(bank).unwrap_or(0), banks)
}

fn bank_legend() -> Legend {
    let each = BANKS / u64::from(HUES);
    let entries = (0..HUES).map(|hue| {
        let tones = (0..TINTS).map(|tint| Tone::new(hue, tint)).collect();
        (tones, format!("b{}", range(u64::from(hue) * each, each)))
    });
    Legend {
        title: "colour: bank".to_owned(),
        entries: entries.collect(),
    }
}

/// The picture of memory by bank: rows of 128 bytes, a column for each bank, and in each cell the
/// elements that lie there, coloured by where they are in the tile.
///
/// ```
/// use tilewright_layouts::{ElementWidth, picture::{self, Memory}};
/// let memory = Memory::from_fn(&[2, 2], ElementWidth::B32, |at| Some(u64::from(at[0] * 2 + at[1])))?;
/// let picture = picture::by_bank(&memory, &picture::Options::default());
/// // Two banks to a cell.
/// assert_eq!(picture.cells[1].label(), "1,0–1");
/// assert_eq!(picture.cells[2].label(), "·");
/// # Ok::<(), tilewright_layouts::picture::PictureError>(())
/// ```
pub fn by_bank(memory: &Memory, options: &Options) -> Picture {
    let width = u64::from(memory.width.bits());
    let run = options.merge.run(memory.run(), BANKS);
    let granule = (run * width).max(WORD_BITS);
    let each = granule / width;
    let banks = granule / WORD_BITS;
    let row_bits = BANKS * WORD_BITS;
    let mut notes = Vec::new();
    let bits = memory.len().saturating_mul(width);
    let rows = options
        .rows
        .of(bits.div_ceil(row_bits).max(1), "rows", &mut notes);
    let columns = options.columns.of(row_bits / granule, "columns", &mut notes);
    let fast = memory.fast_axis();
    let chunk = memory.widest();
    let mut cells = Vec::new();
    for row in rows.clone() {
        for column in columns.clone() {
            let offset = (row * row_bits + column * granule) / width;
            let here: Vec<Option<Vec<u32>>> = (offset..offset + each).map(|at| memory.element(at)).collect();
            cells.push(bank_cell(&here, offset, fast, chunk));
        }
    }
    if each > 1 {
        let bytes = granule / 8;
        notes.push(format!("Each cell is {bytes} bytes, {each} elements."));
    }
    let axis = memory.names.get(fast).cloned().unwrap_or_default();
    let extent = memory.shape.get(fast).map_or(1, |size| u64::from(*size));
    let hues = extent.div_ceil(chunk).clamp(1, u64::from(HUES));
    let entries = (0..hues).map(|hue| {
        let tone = Tone::new(u32::try_from(hue).unwrap_or(0), 0);
        (vec![tone], range(hue * chunk, chunk.min(extent)))
    });
    let again = if extent.div_ceil(chunk) > hues {
        ", and so on in paler tints"
    } else {
        ""
    };
    Picture {
        title: format!("What lies in which bank, of {}", tile_name(&memory.shape)),
        subtitle: String::new(),
        rows: Axis {
            title: "byte".to_owned(),
            labels: rows.map(|row| (row * row_bits / 8).to_string()).collect(),
            group: 8,
        },
        columns: Axis {
            title: "bank".to_owned(),
            labels: columns.map(|column| range(column * banks, banks)).collect(),
            group: 8,
        },
        cells,
        legend: Legend {
            title: format!("colour: {axis} of the element{again}"),
            entries: entries.collect(),
        },
        notes,
    }
}

/// The cell of these elements, which lie at an offset and after it.
fn bank_cell(here: &[Option<Vec<u32>>], offset: u64, fast: usize, chunk: u64) -> Cell {
    let Some(first) = here.iter().flatten().next() else {
        return Cell::empty(format!("offset {}: nothing", range(offset, here.len() as u64)));
    };
    let step = u64::from(first.get(fast).copied().unwrap_or(0)) / chunk.max(1);
    let step = u32::try_from(step).unwrap_or(0);
    let bare = |text: String| text.trim_matches(['(', ')']).replace(", ", ",");
    let in_order = here.iter().zip(0..).all(|(element, at)| {
        element.as_ref().is_some_and(|element| {
            let (last, outer) = element.split_last().unwrap_or((&0, &[]));
            let (from, first_outer) = first.split_last().unwrap_or((&0, &[]));
            outer == first_outer && u64::from(*last) == u64::from(*from) + at
        })
    });
    let parts = if in_order {
        vec![bare(coordinates(first, here.len() as u64))]
    } else {
        let name = |element: &Option<Vec<u32>>| match element {
            Some(element) => bare(coordinates(element, 1)),
            None => "·".to_owned(),
        };
        vec![here.iter().map(name).collect::<Vec<_>>().join(" ")]
    };
    Cell {
        detail: format!("offset {}: {}", range(offset, here.len() as u64), parts.join("")),
        parts,
        tone: Some(Tone::new(step, step / HUES)),
        copy: false,
        times: 1,
    }
}
