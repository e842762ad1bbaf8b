//! The view by element: the threads and registers of each element of a tile.

use tilewright_layouts::{Dim, LinearLayout};

use super::coloring::Coloring;
use super::grid::{Grid, coordinates, listed};
use super::holders::{Holders, letter, parts, value, words};
use super::model::{Cell, Options, Picture};

/// The number of positions that a cell lists in full.
const NAMED: usize = 8;

/// Draws the tile of a layout, each element with the position that holds it: `T5:R2` is register 2 of
/// lane 5, `W1` a warp, `B1` a block, `×4` an element held by four positions, labelled with the
/// first.
///
/// Time: one step for each cell and input bit.
///
/// ```
/// use tilewright_layout_gallery::picture;
/// use tilewright_layouts::LinearLayout;
/// let text = "linear<register = [[0, 1]], lane = [[0, 2], [1, 0]], shape = [2, 4]>";
/// let layout: LinearLayout = text.parse()?;
/// let picture = picture::by_element(&layout, &picture::Options::default());
/// let labels: Vec<String> = picture.cells.iter().map(|cell| cell.label()).collect();
/// assert_eq!(labels, ["T0:R0", "T0:R1", "T1:R0", "T1:R1", "T2:R0", "T2:R1", "T3:R0", "T3:R1"]);
/// # Ok::<(), tilewright_layouts::ParseLayoutError>(())
/// ```
pub fn by_element(layout: &LinearLayout, options: &Options) -> Picture {
    let shape = layout.shape();
    let last = layout.out_dims().last().map(|(dim, _)| dim);
    let run = last.map_or(1, |dim| layout.num_consecutive_in_out(dim));
    let names = layout.out_dims().map(|(dim, _)| dim.to_string()).collect();
    let grid = Grid::new(&shape, names, u64::from(run), options.merge);
    let holders = Holders::of(layout);
    let dims: Vec<(Dim, u32)> = layout.in_dims().collect();
    let coloring = Coloring::of(&dims, options.color_by);
    let mut notes = Vec::new();
    let (rows, columns, elements) = grid.window(options, &mut notes);
    let cells = elements.into_iter().map(|element| match element {
        Some(element) => cell(&grid, &holders, &coloring, element),
        None => Cell::default(),
    });
    let cells = cells.collect();
    notes.extend(copies_note(layout, &holders));
    if !layout.is_surjective() {
        let missing = layout.total_out_bits() - u32::try_from(layout.rank()).unwrap_or(0);
        notes.push(format!(
            "Only one element in {} is held; a dot stands for the others.",
            1u64 << missing.min(63)
        ));
    }
    if grid.run() > 1 {
        notes.push(format!(
            "Each cell is {} neighbours along the last axis, in consecutive registers.",
            grid.run()
        ));
    }
    Picture {
        title: format!("Who holds each element of {}", tile_name(&shape)),
        subtitle: String::new(),
        rows,
        columns,
        cells,
        legend: coloring.legend(),
        notes,
    }
    .used_colors()
}

fn cell(grid: &Grid, holders: &Holders, coloring: &Coloring, element: u64) -> Cell {
    let named = holders.some(element, NAMED);
    let Some(first) = named.first() else {
        return Cell::empty(format!("{} is held nowhere", grid.name(element)));
    };
    let mut parts = parts(first);
    if grid.run() > 1 {
        let register = value(first, Dim::Register);
        let to = u64::from(register) + grid.run() - 1;
        if let Some(part) = parts.last_mut() {
            *part = format!("{}{register}–{to}", letter(Dim::Register));
        }
    }
    let mut places: Vec<String> = named.iter().map(|position| words(position)).collect();
    let times = holders.times();
    if times > NAMED as u64 {
        places.push(format!("{} more", times - NAMED as u64));
    }
    let from = if grid.run() > 1 { " from" } else { "" };
    let detail = format!("{}:{from} {}", grid.name(element), places.join("; "));
    Cell {
        parts,
        tone: Some(coloring.tone(first)),
        copy: false,
        times,
        detail,
    }
}

/// Describes the position bits that select copies.
fn copies_note(layout: &LinearLayout, holders: &Holders) -> Option<String> {
    if holders.times() == 1 {
        return None;
    }
    let mut plain: Vec<(Dim, Vec<String>)> = Vec::new();
    let mut mixed = 0;
    for step in holders.kernel() {
        let set: Vec<&(Dim, u32)> = step.iter().filter(|(_, value)| *value != 0).collect();
        match set.as_slice() {
            [(dim, value)] if value.is_power_of_two() => {
                let bit = value.ilog2().to_string();
                match plain.iter_mut().find(|(known, _)| known == dim) {
                    Some((_, bits)) => bits.push(bit),
                    None => plain.push((*dim, vec![bit])),
                }
            }
            _ => mixed += 1,
        }
    }
    let mut ways: Vec<String> = plain
        .into_iter()
        .map(|(dim, bits)| {
            let plural = if bits.len() > 1 { "s" } else { "" };
            format!("{dim} bit{plural} {}", listed(&bits))
        })
        .collect();
    if mixed > 0 {
        ways.push(format!("{mixed} sums of bits"));
    }
    let held = if layout.is_surjective() {
        "Each"
    } else {
        "Each held"
    };
    Some(format!(
        "{held} element has {} places, which differ in {}; the first is named.",
        holders.times(),
        listed(&ways)
    ))
}

/// Writes `the 16×8 tile`, or `the scalar`.
pub(super) fn tile_name(shape: &[u32]) -> String {
    match shape {
        [] => "the scalar".to_owned(),
        [size] => format!("the tile of {size}"),
        _ => {
            let words: Vec<String> = shape.iter().map(u32::to_string).collect();
            format!("the {} tile", words.join("×"))
        }
    }
}

/// Draws the element in each register of each thread. Elements that an earlier register or thread
/// holds as well are marked as copies.
///
/// ```
/// use tilewright_layout_gallery::picture;
/// use tilewright_layouts::LinearLayout;
/// let text = "linear<register = [[0, 1]], lane = [[1, 0], [0, 0]], shape = [2, 2]>";
/// let layout: LinearLayout = text.parse()?;
/// let picture = picture::by_thread(&layout, &picture::Options::default());
/// let labels: Vec<String> = picture.cells.iter().map(|cell| cell.label()).collect();
/// let want = ["0,0", "0,1", "1,0", "1,1", "0,0*", "0,1*", "1,0*", "1,1*"];
/// assert_eq!(labels, want);
/// # Ok::<(), tilewright_layouts::ParseLayoutError>(())
/// ```
pub fn by_thread(layout: &LinearLayout, options: &Options) -> Picture {
    let ins: Vec<(Dim, u32)> = layout.in_dims().collect();
    let (across, down): (Vec<_>, Vec<_>) = ins.iter().copied().partition(|(dim, _)| match dim {
        Dim::Register | Dim::Offset | Dim::TmemColumn => true,
        Dim::Lane | Dim::Warp | Dim::Block | Dim::TmemLane | Dim::Axis(_) => false,
    });
    // Threads without registers are adjacent.
    let (across, down) = match down.split_first() {
        Some((lanes, rest)) if across.is_empty() => (vec![*lanes], rest.to_vec()),
        _ => (across, down),
    };
    let holders = Holders::of(layout);
    let coloring = Coloring::of(&ins, options.color_by);
    let mut notes = Vec::new();
    let size = |dims: &[(Dim, u32)]| {
        dims.iter()
            .fold(1u64, |size, (_, of)| size.saturating_mul(u64::from(*of)))
    };
    let last = layout.out_dims().last().map(|(dim, _)| dim);
    let run = last.map_or(1, |dim| layout.num_consecutive_in_out(dim));
    let run = match across.as_slice() {
        [(Dim::Register, count), ..] => options.merge.run(u64::from(run), u64::from(*count)),
        _ => 1,
    };
    let rows = options.rows.of(size(&down), "rows", &mut notes);
    let columns = options.columns.of(size(&across) / run, "columns", &mut notes);
    let at = |dims: &[(Dim, u32)], mut word: u64| -> Vec<(Dim, u32)> {
        let take = |(dim, of): &(Dim, u32)| {
            let of = u64::from(*of);
            let number = u32::try_from(word % of).unwrap_or(u32::MAX);
            word /= of;
            (*dim, number)
        };
        dims.iter().map(take).collect()
    };
    let mut copies = false;
    let mut cells = Vec::new();
    for row in rows.clone() {
        for column in columns.clone() {
            let mut position = at(&across, column * run);
            position.extend(at(&down, row));
            let element = layout.apply(&position);
            let copy = !holders.is_first(&position);
            copies |= copy;
            let name = coordinates(&element, run);
            let bare = name.trim_matches(['(', ')']).replace(", ", ",");
            cells.push(Cell {
                parts: vec![bare],
                tone: Some(coloring.tone(&position)),
                copy,
                times: 1,
                detail: format!("{}: {name}", words(&position)),
            });
        }
    }
    if copies {
        notes.push("* marks a copy: an earlier register or thread holds the same element.".to_owned());
    }
    if run > 1 {
        notes.push(format!(
            "Each cell is {run} registers that hold neighbours along the last axis."
        ));
    }
    let title_of = |dims: &[(Dim, u32)]| {
        let names: Vec<String> = dims.iter().rev().map(|(dim, _)| dim.to_string()).collect();
        names.join(", ")
    };
    let label = |dims: &[(Dim, u32)], word: u64| parts(&at(dims, word)).join(":");
    Picture {
        title: format!("What each thread holds of {}", tile_name(&layout.shape())),
        subtitle: String::new(),
        rows: super::Axis {
            title: title_of(&down),
            labels: rows.map(|row| label(&down, row)).collect(),
            group: 8,
        },
        columns: super::Axis {
            title: title_of(&across),
            labels: columns
                .map(|column| {
                    let mut label = label(&across, column * run);
                    if run > 1 {
                        label.push_str(&format!("–{}", column * run + run - 1));
                    }
                    label
                })
                .collect(),
            group: 8,
        },
        cells,
        legend: coloring.legend(),
        notes,
    }
    .used_colors()
}
