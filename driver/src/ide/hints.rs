//! Words at the ends of lines that say what no text shows: the layout of a tile, and how wide its access is.

use std::collections::BTreeMap;

use tilewright_diagnostics::Location;
use tilewright_irs::core::Origin;
use tilewright_layouts::{Dim, LinearLayout};

use super::functions::Function;
use super::stage_view::StageView;
use crate::database::Compiler;
use crate::inputs::Options;
use crate::units::Language;

/// A hint for an op of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The start of the op in the source.
    pub offset: usize,
    /// A few words.
    pub label: String,
    /// The whole of it.
    pub tooltip: String,
}

/// The hints of a function that is before the choice of layouts.
pub fn hints(db: &Compiler, function: &Function<'_>, options: Options) -> Vec<Hint> {
    if function.body.language() >= Language::TileAs {
        return Vec::new();
    }
    let Some(view) = StageView::of(db, function, options, Language::TileAs) else {
        return Vec::new();
    };
    let aliases: BTreeMap<&str, &str> = view
        .text
        .lines()
        .take_while(|line| line.starts_with('#'))
        .filter_map(|line| line.split_once(" = "))
        .collect();
    let mut lines: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for (line, origin) in view.text.lines().zip(&view.origins) {
        if let Some(Origin(origin)) = origin {
            lines.entry(*origin).or_default().push(line);
        }
    }
    let mut hints = Vec::new();
    for (origin, lines) in lines {
        let Some(Location::Span(span)) = function.places.op(Origin(origin)) else {
            continue;
        };
        let atom = lines.iter().find_map(|line| attribute(line, "atom"));
        let layout = lines.iter().rev().find_map(|line| {
            let (_, ty) = line.rsplit_once(" : ")?;
            let at = ty.find('#')?;
            let alias = ty.get(at..)?.split(['>', ',']).next()?;
            aliases.get(alias).copied()
        });
        let words: Vec<_> = [atom.map(str::to_owned), layout.and_then(shape)]
            .into_iter()
            .flatten()
            .collect();
        if let (false, Ok(offset)) = (words.is_empty(), usize::try_from(span.start)) {
            hints.push(Hint {
                offset,
                label: words.join(", "),
                tooltip: layout.unwrap_or_default().to_owned(),
            });
        }
    }
    hints
}

/// The value of an attribute in a line of a stage, with the brackets in it.
fn attribute<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(&format!("{name} = "))?;
    let mut depth = 0;
    let end = rest.find(|c| {
        match c {
            '<' | '[' | '(' | '{' => depth += 1,
            '>' | ']' | ')' | '}' => depth -= 1,
            _ => {}
        }
        depth < 0 || depth == 0 && c == ','
    });
    rest.get(..end.unwrap_or(rest.len()))
}

/// How a layout divides a tile: the elements of a thread, the threads, the warps.
fn shape(text: &str) -> Option<String> {
    let layout: LinearLayout = text.parse().ok()?;
    let size = |dim| 1u64 << layout.in_bits(dim);
    Some(format!(
        "{} × {} lanes × {} warps",
        size(Dim::Register),
        size(Dim::Lane),
        size(Dim::Warp)
    ))
}
