//! What is said of the value or op under the cursor: its type, facts, its layout, its accesses, and the instructions that it
//! became.

use std::collections::BTreeMap;
use std::fmt::{Display, Write};

use tilewright_diagnostics::{Span, counted};
use tilewright_irs::core::Origin;
use tilewright_layouts::Dim;

use super::became::{Became, Tile, facts_of_parameter};
use super::functions::{Function, function_at, op_at};
use super::names::name_at;
use crate::database::Compiler;
use crate::inputs::{Options, Source};

/// A text for the place under the cursor, in Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The place.
    pub at: Option<Span>,
    /// The text.
    pub markdown: String,
}

/// The hover at an offset.
pub fn hover(db: &Compiler, source: Source, options: Options, offset: usize) -> Option<Hover> {
    let function = function_at(db, source, offset)?;
    let name = name_at(db, source, offset);
    let mut markdown = String::new();
    let at = name.as_ref().map(|name| name.at);
    let mut origin = op_at(&function, offset);
    let mut facts = Vec::new();
    if let Some(name) = &name
        && let Some(found) = function.places.names().find(|found| found.at == name.at)
    {
        if let Some(ty) = function.type_of(found.value) {
            // Writing to a string does not fail.
            let _ = writeln!(markdown, "```\n{}: {ty}\n```", name.text);
        }
        if let (Some(kernel), Some(index)) = (function.kernel, function.parameter(found.value)) {
            facts = facts_of_parameter(db, kernel, options, index);
        }
        // Of a use, the op that defines it.
        let defined = usize::try_from(found.defined.start).ok()?;
        origin = op_at_line_of(&function, db, source, defined).or(origin);
    } else if let Some(op) = origin.and_then(|origin| function.op(origin)) {
        let _ = writeln!(markdown, "**{}**: {}\n", op.name, op.doc);
    }
    let mut became = match (function.kernel, origin) {
        (Some(kernel), Some(origin)) => Became::of(db, kernel, options, origin),
        _ => Became::default(),
    };
    if became.facts.is_empty() {
        became.facts = facts;
    }
    markdown += &text(&became);
    (!markdown.is_empty()).then_some(Hover { at, markdown })
}

/// The first op that begins on the line of an offset: the one that defines the values at its start.
fn op_at_line_of(function: &Function<'_>, db: &Compiler, source: Source, offset: usize) -> Option<Origin> {
    let text = std::str::from_utf8(source.bytes(db)).ok()?;
    let rest = text.get(offset..)?;
    let end = offset + rest.find('\n').unwrap_or(rest.len());
    let spans = function.places.op_spans();
    let spans = spans.filter_map(|(at, span)| Some((at, usize::try_from(span.start).ok()?)));
    let here = spans.filter(|&(_, start)| offset <= start && start < end);
    here.min_by_key(|&(_, start)| start).map(|(at, _)| at)
}

/// What an op became, in Markdown; empty if nothing is known of it.
pub fn text(became: &Became) -> String {
    parts(became, Some(table)).join("\n\n")
}

/// What an op became, in lines with code between backticks, without its layout.
pub fn lines(became: &Became) -> Vec<String> {
    parts(became, None)
}

fn parts(became: &Became, table: Option<fn(&Tile) -> String>) -> Vec<String> {
    let mut lines = Vec::new();
    if !became.facts.is_empty() {
        lines.push(format!("known: {}", became.facts.join("; ")));
    }
    if !became.form.ops.is_empty() {
        let mut line = format!("tileas: {}", list(&became.form.ops));
        if !became.form.atoms.is_empty() {
            line += &format!(" by {}", list(&became.form.atoms));
        }
        lines.push(line);
    }
    if let Some(tile) = &became.form.tile {
        lines.push(held(tile));
        lines.extend(table.map(|table| table(tile)));
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

/// Names with how many there are of each.
fn list<K: Display>(counts: &BTreeMap<K, usize>) -> String {
    let words = counts.iter().map(|(name, count)| match count {
        1 => format!("`{name}`"),
        count => format!("{count} × `{name}`"),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// The registers and bytes of a tile.
fn held(Tile { element, layout }: &Tile) -> String {
    let each = u64::from(layout.in_size(Dim::Register));
    let registers = (each * u64::from(element.bits())).div_ceil(32);
    let elements: u64 = layout.shape().iter().map(|&extent| u64::from(extent)).product();
    let bytes = (elements * u64::from(element.bits())).div_ceil(8);
    format!(
        "{} in all, {} in {} of each thread",
        counted(bytes, "byte"),
        counted(each, "element"),
        counted(registers, "register")
    )
}

/// The dimensions that place the elements of a tile.
const PLACES: [Dim; 4] = [Dim::Register, Dim::Lane, Dim::Warp, Dim::Block];

/// A layout as a table: for each dimension how many positions it has, and how far each bit of the position moves in the tile.
fn table(Tile { layout, .. }: &Tile) -> String {
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
