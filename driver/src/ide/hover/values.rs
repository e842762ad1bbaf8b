//! Descriptions of values and ops: types, facts, layouts, accesses, and the instructions that they were compiled to.

use std::collections::BTreeMap;
use std::fmt::Display;

use tilewright_diagnostics::counted;
use tilewright_irs::core::Origin;
use tilewright_irs::cute_types::CuteType;
use tilewright_layout_gallery::picture;
use tilewright_layouts::{Dim, LinearLayout};

use crate::database::Compiler;
use crate::ide::became::Became;
use crate::ide::compiled::{Compiled, Form, Held, Ops, Tile};
use crate::ide::functions::Function;
use crate::ide::layouts::{self, Placed, ValueLayout};
use crate::ide::names::{Name, slice};
use crate::inputs::Options;

/// The text for a value at a place of its name. The name of a group of results, `%x:2`, stands for all of them.
pub(super) fn of_value(
    db: &Compiler,
    options: Options,
    function: &Function<'_>,
    compiled: &Compiled<'_>,
    name: &Name,
) -> Vec<String> {
    let names = function.places.names_at(name.at.start);
    let names = names.filter(|found| found.at == name.at);
    let values: Vec<_> = names.map(|found| found.value).collect();
    let held = values.iter().filter_map(|&value| compiled.held(value));
    let mut parts = Vec::new();
    for (at, held) in held.enumerate() {
        let name = match values.len() {
            1 => name.text.clone(),
            _ => format!("{}#{at}", name.text.split(':').next().unwrap_or_default()),
        };
        parts.push(format!("```\n{name}: {}\n```", held.ty));
        parts.extend(told_of_value(&held, Some(table)));
    }
    let origin = values.first().and_then(|&first| function.origin_of(first));
    let became = origin.and_then(|origin| Became::in_compiled(db, compiled, function, options, origin));
    parts.extend(became.iter().flat_map(told_of_op));
    parts
}

/// The text for an op.
pub(super) fn of_op(
    db: &Compiler,
    text: &str,
    options: Options,
    function: &Function<'_>,
    compiled: &Compiled<'_>,
    origin: Origin,
) -> Option<Vec<String>> {
    let op = function.op(origin)?;
    let mut parts = vec![format!("**{}**: {}", op.name, op.doc)];
    let became = Became::in_compiled(db, compiled, function, options, origin)?;
    for (&result, held) in op.results.iter().zip(&became.results) {
        let mut names = function.places.names();
        let own = names.find(|name| name.value == result && name.at == name.defined);
        let own = own.and_then(|own| slice(text, own.at));
        parts.push(match own {
            Some(own) => format!("`{}: {}`", own.split(':').next().unwrap_or(own), held.ty),
            None => format!("`{}`", held.ty),
        });
        parts.extend(told_of_value(held, Some(table)));
    }
    parts.extend(told_of_op(&became));
    Some(parts)
}

/// What an op was compiled to, in Markdown; empty if nothing is known.
pub fn text(became: &Became) -> String {
    parts(became, Some(table)).join("\n\n")
}

/// What an op was compiled to, except for its layout: lines in which code is between backticks.
pub fn lines(became: &Became) -> Vec<String> {
    parts(became, None)
}

fn parts(became: &Became, table: Option<fn(&LinearLayout) -> String>) -> Vec<String> {
    let mut lines = Vec::new();
    for (at, held) in became.results.iter().enumerate() {
        let told = told_of_value(held, table);
        if became.results.len() > 1 && !told.is_empty() {
            lines.push(format!("result {at}, `{}`:", held.ty));
        }
        lines.extend(told);
    }
    lines.extend(told_of_op(became));
    lines
}

/// The description of a value: its facts, its size, its layout.
fn told_of_value(held: &Held, table: Option<fn(&LinearLayout) -> String>) -> Vec<String> {
    let mut lines = Vec::new();
    if !held.facts.is_empty() {
        lines.push(format!("known: {}", held.facts.join("; ")));
    }
    if let Some(tile) = &held.tile {
        let size = held
            .bytes
            .map(|bytes| format!("{} in all, ", counted(bytes, "byte")));
        lines.push(size.unwrap_or_default() + &registers(tile));
        lines.extend(table.map(|table| table(&tile.layout)));
    }
    if let Some(shared) = &held.shared {
        let size = held
            .bytes
            .map(|bytes| format!("{} in all, ", counted(bytes, "byte")));
        let mut line = format!(
            "{}`{}` in shared memory",
            size.unwrap_or_default(),
            shared.element
        );
        if !shared.readers.names.is_empty() {
            line += &format!(", read by {}", ops(&shared.readers));
        }
        lines.push(line);
        lines.extend(table.map(|table| table(&shared.layout)));
    }
    lines.extend(held.cute.iter().flat_map(|ty| told_of_type(ty, table)));
    lines
}

/// The layouts that a type of `cute` says, each drawn if it is small.
pub(super) fn told_of_type(ty: &CuteType, table: Option<fn(&LinearLayout) -> String>) -> Vec<String> {
    let mut lines = Vec::new();
    for layout in layouts::of_type(ty) {
        lines.push(extent(&layout));
        lines.extend(table.and_then(|table| drawn(&layout, table)));
    }
    lines
}

/// What a layout of `cute` says in a line.
fn extent(layout: &ValueLayout) -> String {
    let role = match layout.role {
        "" => String::new(),
        role => format!("{role}, "),
    };
    let size = match &layout.layout {
        Placed::Cute(cute) => cute.size().ok().and_then(|size| size.as_static()).map(|size| {
            let bits = layout.bits.and_then(|bits| size.checked_mul(u64::from(bits)));
            let bytes = bits.map(|bits| format!(", {}", counted(bits.div_ceil(8), "byte")));
            format!(": {}{}", counted(size, "element"), bytes.unwrap_or_default())
        }),
        Placed::Linear(linear) => Some(format!(
            ": {}, {} each",
            counted(linear.in_size(Dim::Lane), "thread"),
            counted(linear.in_size(Dim::Register), "value")
        )),
        Placed::Coordinates(layout) => layout
            .size()
            .ok()
            .and_then(|size| size.value())
            .map(|size| format!(": {}", counted(size.unsigned_abs(), "coordinate"))),
        Placed::Open | Placed::NoNumbers => None,
    };
    format!("{role}layout `{}`{}", layout.text, size.unwrap_or_default())
}

/// The most rows and columns of a layout that is drawn in a hover.
const MOST_CELLS: usize = 16;

/// A picture of a small layout; of a larger one of threads, its table.
fn drawn(layout: &ValueLayout, table: fn(&LinearLayout) -> String) -> Option<String> {
    let options = picture::Options::default();
    let picture = match &layout.layout {
        Placed::Cute(cute) => picture::by_coordinate(cute, &options).ok()?,
        Placed::Coordinates(layout) => picture::of_coordinates(layout, &options).ok()?,
        Placed::Linear(linear) => return Some(table(linear)),
        Placed::Open | Placed::NoNumbers => return None,
    };
    let small = picture.rows.labels.len() <= MOST_CELLS && picture.columns.labels.len() <= MOST_CELLS;
    let picture = small.then(|| picture.to_table())?;
    // The title says what the line above says.
    let (_, cells) = picture.split_once("\n\n").unwrap_or(("", &picture));
    Some(format!("```\n{}\n```", cells.trim_end()))
}

/// The description of an op besides its results: its form in `tileas`, bank conflicts, instructions.
fn told_of_op(became: &Became) -> Vec<String> {
    let mut lines = Vec::new();
    let Form { own, made } = &became.form;
    for (heading, which) in [("tileas", own), ("made for it", made)] {
        if !which.names.is_empty() {
            lines.push(format!("{heading}: {}", ops(which)));
        }
    }
    match became.conflicts {
        Some(0) => lines.push("its copies through shared memory have no bank conflicts".to_owned()),
        Some(cycles) => lines.push(format!(
            "its copies through shared memory lose {} of a warp to bank conflicts",
            counted(cycles, "cycle")
        )),
        None => {}
    }
    if !became.instructions.is_empty() {
        lines.push(format!("PTX: {}", list(&became.instructions)));
    }
    lines
}

/// The names of ops, and their atoms.
fn ops(ops: &Ops) -> String {
    let names = list(&ops.names);
    match ops.atoms.is_empty() {
        true => names,
        false => format!("{names} by {}", list(&ops.atoms)),
    }
}

/// A list of names with their counts.
fn list<K: Display>(counts: &BTreeMap<K, usize>) -> String {
    let words = counts.iter().map(|(name, count)| match count {
        1 => format!("`{name}`"),
        count => format!("{count} × `{name}`"),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// How many elements and registers of a thread hold a tile.
fn registers(tile: &Tile) -> String {
    let each = tile.elements();
    let held = match tile.registers() {
        None => counted(each, "predicate"),
        Some(registers) => counted(registers, "register"),
    };
    format!("{} in {held} of each thread", counted(each, "element"))
}

/// The dimensions of a layout that say where an element is held.
const PLACES: [Dim; 5] = [Dim::Offset, Dim::Register, Dim::Lane, Dim::Warp, Dim::Block];

/// A layout as a table: for each dimension how many positions it has, and how far each bit of the position moves in the tile.
pub(super) fn table(layout: &LinearLayout) -> String {
    let mut text = "| layout | positions | each bit moves by |\n|---|---|---|".to_owned();
    for dim in PLACES {
        let moves = layout.bases(dim).map(|basis| {
            let numbers: Vec<_> = basis.iter().map(ToString::to_string).collect();
            format!("({})", numbers.join(", "))
        });
        let moves: Vec<_> = moves.collect();
        if !moves.is_empty() {
            text += &format!("\n| {dim} | {} | {} |", layout.in_size(dim), moves.join(" "));
        }
    }
    text
}
