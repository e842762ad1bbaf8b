//! The views of CuTe layouts: the index, or the coordinate, of each coordinate.

use tilewright_layouts::cute::{Composed, Fact, Int, IntTuple, Nested, SlotOf, TypeLayout};

use super::color::{HUES, Tone};
use super::error::{PictureError, known};
use super::model::{Axis, Cell, Legend, Options, Picture};

/// Draws the index of each coordinate: the first mode downwards, the others to the right. In a nested
/// mode, and among the modes to the right, the first is the fastest, as everywhere in CuTe.
///
/// Colours follow the index modulo eight, so that strides appear as stripes. (CUTLASS:
/// `print_layout`, `print_latex`.)
///
/// # Errors
/// [`PictureError::Dynamic`] if an extent, a stride or the offset is dynamic.
///
/// ```
/// use tilewright_layout_gallery::picture;
/// let layout = "(2,(2,2)):(4,(2,1))".parse()?;
/// let picture = picture::by_coordinate(&layout, &picture::Options::default())?;
/// let labels: Vec<String> = picture.cells.iter().map(|cell| cell.label()).collect();
/// assert_eq!(labels, ["0", "2", "1", "3", "4", "6", "5", "7"]);
/// assert_eq!(picture.columns.labels, ["(0,0)", "(1,0)", "(0,1)", "(1,1)"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn by_coordinate(layout: &Composed, options: &Options) -> Result<Picture, PictureError> {
    known(layout)?;
    let value_of = |at| {
        let index = layout.at(at).ok()?;
        let hues = u64::from(HUES);
        Some(Value {
            text: index.to_string(),
            tone: tone(index % hues, index / hues),
        })
    };
    let said = Said {
        title: "The index of each coordinate",
        value: "index",
        colours: "colour: index modulo 8, in paler tints from 8 and up",
    };
    grid(&layout.shape(), &value_of, &said, options)
}

/// Draws a layout whose strides are basis vectors: the coordinate that each coordinate maps to, as tensors of coordinates
/// have them. Rows and columns are those of [`by_coordinate`].
///
/// Colours follow the first component modulo eight, tints the second one. (CUTLASS: `make_identity_tensor`.)
///
/// # Errors
/// [`PictureError::Dynamic`] if an extent or a stride is dynamic.
///
/// ```
/// use tilewright_layout_gallery::picture;
/// let layout = "(2,(2,2)):(1@0,(1@1,4@0))".parse()?;
/// let picture = picture::of_coordinates(&layout, &picture::Options::default())?;
/// let labels: Vec<String> = picture.cells.iter().map(|cell| cell.label()).collect();
/// assert_eq!(labels[..4], ["(0,0)", "(0,1)", "(4,0)", "(4,1)"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn of_coordinates(layout: &TypeLayout, options: &Options) -> Result<Picture, PictureError> {
    if !layout.is_static() {
        return Err(PictureError::Dynamic);
    }
    let value_of = |at: u64| {
        let to = layout.index_of(&Nested::Leaf(SlotOf::At(Fact::from(at)))).ok()?;
        let component = |at: usize| {
            let leaf = to.leaves().nth(at).copied().and_then(Fact::value);
            leaf.map_or(0, i64::unsigned_abs)
        };
        Some(Value {
            text: to.to_string(),
            tone: tone(component(0), component(1)),
        })
    };
    let said = Said {
        title: "The coordinate that each coordinate maps to",
        value: "coordinate",
        colours: "colour: first component modulo 8, in tints of the second one",
    };
    let shape = layout
        .shape()
        .map(&mut |extent| match extent.value().map(u64::try_from) {
            Some(Ok(extent)) => Int::Static(extent),
            Some(Err(_)) | None => Int::Static(1),
        });
    grid(&shape, &value_of, &said, options)
}

/// What a coordinate maps to.
struct Value {
    text: String,
    tone: Tone,
}

/// The words of a picture.
struct Said {
    title: &'static str,
    /// What a cell shows.
    value: &'static str,
    colours: &'static str,
}

fn tone(hue: u64, tint: u64) -> Tone {
    let small = |number: u64| u32::try_from(number % u64::from(HUES)).unwrap_or(0);
    Tone::new(small(hue), small(tint))
}

/// Draws what each coordinate of a shape maps to.
fn grid(
    shape: &IntTuple,
    value_of: &dyn Fn(u64) -> Option<Value>,
    said: &Said,
    options: &Options,
) -> Result<Picture, PictureError> {
    let modes: Vec<IntTuple> = match shape {
        Nested::Leaf(_) => vec![shape.clone()],
        Nested::Tuple(modes) => modes.clone(),
    };
    // A vector is a row.
    let (down, across) = match modes.as_slice() {
        [] => (Vec::new(), Vec::new()),
        [one] => (Vec::new(), vec![one.clone()]),
        [first, rest @ ..] => (vec![first.clone()], rest.to_vec()),
    };
    let (down, across) = (Side::of(&down)?, Side::of(&across)?);
    let mut notes = Vec::new();
    let rows = options.rows.of(down.size, "rows", &mut notes);
    let columns = options.columns.of(across.size, "columns", &mut notes);
    let mut cells = Vec::new();
    for row in rows.clone() {
        for column in columns.clone() {
            let flat = column.saturating_mul(down.size).saturating_add(row);
            let coordinate = match modes.len() {
                0 | 1 => across.label(column),
                _ => format!("({},{})", down.label(row), across.label(column)),
            };
            cells.push(match value_of(flat) {
                None => Cell::empty(format!("{coordinate}: no {}", said.value)),
                Some(value) => Cell {
                    detail: format!("{coordinate}: {} {}", said.value, value.text),
                    parts: vec![value.text],
                    tone: Some(value.tone),
                    copy: false,
                    times: 1,
                },
            });
        }
    }
    let title = |first: usize, count: usize| {
        let names: Vec<String> = (first..first + count)
            .map(|mode| format!("mode {mode}"))
            .collect();
        names.join(", ")
    };
    let (above, left) = match modes.len() {
        0 => (0, 0),
        1 => (1, 0),
        rank => (rank - 1, 1),
    };
    let entries = (0..HUES).map(|hue| (vec![Tone::new(hue, 0)], hue.to_string()));
    Ok(Picture {
        title: said.title.to_owned(),
        subtitle: String::new(),
        rows: Axis {
            title: title(0, left),
            labels: rows
                .map(|row| if left == 0 { String::new() } else { down.label(row) })
                .collect(),
            group: 8,
        },
        columns: Axis {
            title: title(left, above),
            labels: columns.map(|column| across.label(column)).collect(),
            group: 8,
        },
        cells,
        legend: Legend {
            title: said.colours.to_owned(),
            entries: entries.collect(),
        },
        notes,
    })
}

/// One side of the picture: flattened modes, the first fastest.
struct Side {
    modes: Vec<Mode>,
    size: u64,
}

/// A mode with static extents.
enum Mode {
    Size(u64),
    Modes(Vec<Mode>),
}

impl Side {
    fn of(modes: &[IntTuple]) -> Result<Side, PictureError> {
        let modes: Vec<Mode> = modes.iter().map(Mode::of).collect::<Result<_, _>>()?;
        let size = modes
            .iter()
            .fold(1u64, |size, mode| size.saturating_mul(mode.size()));
        Ok(Side { modes, size })
    }

    fn label(&self, mut flat: u64) -> String {
        let words: Vec<String> = self.modes.iter().map(|mode| mode.label(&mut flat)).collect();
        words.join(",")
    }
}

impl Mode {
    fn of(shape: &IntTuple) -> Result<Mode, PictureError> {
        Ok(match shape {
            Nested::Leaf(extent) => Mode::Size(extent.as_static().ok_or(PictureError::Dynamic)?.max(1)),
            Nested::Tuple(modes) => Mode::Modes(modes.iter().map(Mode::of).collect::<Result<_, _>>()?),
        })
    }

    fn size(&self) -> u64 {
        match self {
            Mode::Size(size) => *size,
            Mode::Modes(modes) => modes
                .iter()
                .fold(1, |size: u64, mode| size.saturating_mul(mode.size())),
        }
    }

    /// The coordinate along this mode, removed from the front of a flat one.
    fn label(&self, flat: &mut u64) -> String {
        match self {
            Mode::Size(size) => {
                let at = *flat % size;
                *flat /= size;
                at.to_string()
            }
            Mode::Modes(modes) => {
                let words: Vec<String> = modes.iter().map(|mode| mode.label(flat)).collect();
                format!("({})", words.join(","))
            }
        }
    }
}
