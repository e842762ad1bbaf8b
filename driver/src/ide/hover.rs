//! What is said of the value or op under the cursor: its type, facts, its layout, its accesses, and the instructions that it
//! became.

use std::collections::BTreeMap;
use std::fmt::Display;

use tilewright_diagnostics::{Span, counted};
use tilewright_layouts::Dim;

use super::became::Became;
use super::compiled::{Compiled, Form, Held, Tile};
use super::functions::{function_at, op_at};
use super::names::{name_at, slice};
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
    let compiled = Compiled::of(db, function, options);
    let became = |origin| Became::in_compiled(db, &compiled, &function, options, origin);
    // The definition of a group of results is the name of each.
    let values = name.iter().flat_map(|name| {
        let names = function.places.names();
        names.filter(|found| found.at == name.at).map(|found| found.value)
    });
    let values: Vec<_> = values.collect();
    let mut parts = Vec::new();
    if let (Some(name), Some(&first)) = (&name, values.first()) {
        for (at, held) in values
            .iter()
            .filter_map(|&value| compiled.held(value))
            .enumerate()
        {
            let name = match values.len() {
                1 => name.text.clone(),
                _ => format!("{}#{at}", name.text.split(':').next().unwrap_or_default()),
            };
            parts.push(format!("```\n{name}: {}\n```", held.ty));
            parts.extend(told_of_value(&held, Some(table)));
        }
        let became = function.origin_of(first).and_then(became);
        parts.extend(became.iter().flat_map(told_of_op));
    } else {
        let origin = op_at(&function, offset)?;
        let op = function.op(origin)?;
        parts.push(format!("**{}**: {}", op.name, op.doc));
        let became = became(origin)?;
        for (&result, held) in op.results.iter().zip(&became.results) {
            let mut names = function.places.names();
            let own = names.find(|name| name.value == result && name.at == name.defined);
            let text = std::str::from_utf8(source.bytes(db)).ok()?;
            let own = own.and_then(|own| slice(text, own.at));
            parts.push(match own {
                Some(own) => format!("`{}: {}`", own.split(':').next().unwrap_or(own), held.ty),
                None => format!("`{}`", held.ty),
            });
            parts.extend(told_of_value(held, Some(table)));
        }
        parts.extend(told_of_op(&became));
    }
    Some(Hover {
        at: name.map(|name| name.at),
        markdown: parts.join("\n\n"),
    })
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

/// What is said of a value: its facts, its size, its layout.
fn told_of_value(held: &Held, table: Option<fn(&Tile) -> String>) -> Vec<String> {
    let mut lines = Vec::new();
    if !held.facts.is_empty() {
        lines.push(format!("known: {}", held.facts.join("; ")));
    }
    if let Some(tile) = &held.tile {
        let size = held
            .bytes
            .map(|bytes| format!("{} in all, ", counted(bytes, "byte")));
        lines.push(size.unwrap_or_default() + &registers(tile));
        lines.extend(table.map(|table| table(tile)));
    }
    lines
}

/// What is said of an op besides its results: its form in `tileas`, bank conflicts, instructions.
fn told_of_op(became: &Became) -> Vec<String> {
    let mut lines = Vec::new();
    let Form { own, made } = &became.form;
    for (heading, ops) in [("tileas", own), ("made for it", made)] {
        if ops.names.is_empty() {
            continue;
        }
        let mut line = format!("{heading}: {}", list(&ops.names));
        if !ops.atoms.is_empty() {
            line += &format!(" by {}", list(&ops.atoms));
        }
        lines.push(line);
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

/// The elements and registers of a thread that hold a tile.
fn registers(tile: &Tile) -> String {
    let each = tile.elements();
    let held = match tile.registers() {
        None => counted(each, "predicate"),
        Some(registers) => counted(registers, "register"),
    };
    format!("{} in {held} of each thread", counted(each, "element"))
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
