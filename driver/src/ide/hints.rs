//! Inlay hints at the ends of lines, for what no text shows: the layout of a tile, how wide its access is, and why it is not
//! accessed or multiplied in a faster way.

use std::collections::BTreeMap;

use tilewright_irs::core::Origin;
use tilewright_layouts::{Dim, LinearLayout};

use super::compiled::Compiled;
use super::functions::Function;
use crate::database::Compiler;
use crate::inputs::Options;
use crate::remarks::missed::{Missed, missed_by};
use crate::units::Language;

/// A hint for an op of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The op.
    pub origin: Origin,
    /// A few words.
    pub label: String,
    /// The full description.
    pub tooltip: String,
}

/// The hints of a function in a language in which tiles have no layouts yet.
pub fn hints(db: &Compiler, function: &Function<'_>, options: Options) -> Vec<Hint> {
    if function.body.language() >= Language::TileAs || function.kernel.is_none() {
        return Vec::new();
    }
    let compiled = Compiled::of(db, *function, options);
    let mut missed: BTreeMap<Origin, Vec<Missed>> = BTreeMap::new();
    for one in function
        .kernel
        .map_or_else(Vec::new, |kernel| missed_by(db, kernel, options))
    {
        let of_op = missed.entry(one.origin).or_default();
        if !of_op.contains(&one) {
            of_op.push(one);
        }
    }
    let hint = |(origin, op)| {
        let atoms = compiled.form(origin, &op).own.atoms;
        let mut results = op.results.iter().filter_map(|&result| compiled.held(result));
        let placed = results.find_map(|held| {
            let tile = held.tile.map(|tile| (shape(&tile.layout), tile.layout));
            tile.or_else(|| Some(("in shared memory".to_owned(), held.shared?.layout)))
        });
        let (place, layout) = placed.unzip();
        let missed = missed.get(&origin).map_or(&[][..], Vec::as_slice);
        let mut ways: Vec<_> = missed
            .iter()
            .map(|one| format!("not {}", one.route.name()))
            .collect();
        ways.dedup();
        let words: Vec<_> = atoms.into_keys().chain(place).chain(ways).collect();
        let lines = missed.iter().map(Missed::to_string);
        let lines: Vec<_> = lines.chain(layout.map(|layout| layout.to_string())).collect();
        (!words.is_empty()).then(|| Hint {
            origin,
            label: words.join(", "),
            tooltip: lines.join("\n"),
        })
    };
    function.ops().into_iter().filter_map(hint).collect()
}

/// How a layout divides a tile: the elements of a thread, the threads, the warps.
fn shape(layout: &LinearLayout) -> String {
    let size = |dim| layout.in_size(dim);
    format!(
        "{} × {} lanes × {} warps",
        size(Dim::Register),
        size(Dim::Lane),
        size(Dim::Warp)
    )
}
