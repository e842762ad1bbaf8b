//! Views of a tile in shared memory: the offset of each element, and the contents of each bank.

use super::color::{HUES, TINTS, Tone};
use super::element::tile_name;
use super::grid::{Grid, coordinates, range};
use super::memory::{BANKS, Memory, WORD_BITS};
use super::model::{Axis, Cell, Legend, Options, Picture};

/// Draws memory by element: the offset of each element, in elements, and its bank.
///
/// ```
/// use tilewright_layout_gallery::picture::{self, Memory};
/// use tilewright_layouts::ElementWidth;
/// let memory = Memory::from_fn(&[2, 2], ElementWidth::B32, |at| Some(u64::from(at[0] * 2 + at[1])))?;
/// let picture = picture::by_offset(&memory, &picture::Options::default());
/// let labels: Vec<String> = picture.cells.iter().map(|cell| cell.label()).collect();
/// assert_eq!(labels, ["0:b0", "1:b1", "2:b2", "3:b3"]);
/// # Ok::<(), tilewright_layout_gallery::picture::PictureError>(())
/// ```
pub fn by_offset(memory: &Memory, options: &Options) -> Picture {
    let grid = Grid::new(
        memory.shape(),
        memory.names().to_vec(),
        memory.run(),
        options.merge,
    );
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
                offset.saturating_mul(u64::from(memory.width().bits())) / 8
            ),
        }
    });
    let cells = cells.collect();
    if grid.run() > 1 {
        notes.push(format!(
            "Each cell is {} neighbours along the last axis, {} bytes that stay together.",
            grid.run(),
            grid.run() * u64::from(memory.width().bits()) / 8
        ));
    }
    notes.push(format!(
        "The offset counts elements of {} bits; b is the bank, of 32 banks of 4 bytes.",
        memory.width().bits()
    ));
    Picture {
        title: format!("Where {} lies in shared memory", tile_name(memory.shape())),
        subtitle: String::new(),
        rows,
        columns,
        cells,
        legend: bank_legend(),
        notes,
    }
    .used_colors()
}

/// The tone of a bank: one hue for four banks, the 16 bytes of the widest access.
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

/// Draws memory by bank: rows of 128 bytes, a column for each bank, and in each cell the elements
/// stored there, coloured by their position in the tile.
///
/// ```
/// use tilewright_layout_gallery::picture::{self, Memory};
/// use tilewright_layouts::ElementWidth;
/// let memory = Memory::from_fn(&[2, 2], ElementWidth::B32, |at| Some(u64::from(at[0] * 2 + at[1])))?;
/// let picture = picture::by_bank(&memory, &picture::Options::default());
/// // Two banks to a cell.
/// assert_eq!(picture.cells[1].label(), "1,0–1");
/// assert_eq!(picture.cells[2].label(), "·");
/// # Ok::<(), tilewright_layout_gallery::picture::PictureError>(())
/// ```
pub fn by_bank(memory: &Memory, options: &Options) -> Picture {
    let width = u64::from(memory.width().bits());
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
    let axis = memory.names().get(fast).cloned().unwrap_or_default();
    let extent = memory.shape().get(fast).map_or(1, |size| u64::from(*size));
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
        title: format!("What lies in which bank, of {}", tile_name(memory.shape())),
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

/// The cell of these elements, which start at an offset.
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
