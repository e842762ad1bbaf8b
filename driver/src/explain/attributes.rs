//! Pages on attributes, from the matrix and from the declarations of languages.

use std::collections::BTreeSet;

use tilewright_irs::core::Family;

use super::families::words;
use super::{CELLS, Language, Topic};
use crate::policy::{Cell, Verdict, quoted};

/// The names of the attributes of all languages.
pub(super) fn names() -> BTreeSet<&'static str> {
    let all = Language::ALL
        .iter()
        .flat_map(|language| language.declared().attributes());
    all.flat_map(|spec| [Some(spec.name), spec.is_part().then_some(spec.field.name)])
        .flatten()
        .collect()
}

/// What there is about attributes.
pub(super) fn overview() -> String {
    let mut text = String::from(
        "An attribute that is dropped at the wrong stage gives code that assembles, runs, and is wrong or slow. So\n\
         what each stage does to each attribute is a table, and a pass that does otherwise fails a test. These pages\n\
         show the table, and what it is there to prevent. `tilewright explain NAME` tells of one attribute, such as\n\
         `latency` or `nvvm.reqntid`.\n",
    );
    for page in Topic::pages().skip(1) {
        text.push_str(&format!("\n- `{}`: {}", page.name(), page.title()));
    }
    text
}

/// The attributes that end before PTX.
pub(super) fn drops() -> String {
    let words = "Each of these ends where nothing below depends on it any more. An attribute that ends elsewhere is a\n\
                 mistake of a pass, and a test that takes two kernels which differ in it through each pass fails.";
    let dropped = |cell: &&Cell| matches!(cell.verdict, Verdict::Drop(_));
    format!("{words}\n{}", list(CELLS.iter().filter(dropped)))
}

/// The attributes of a family.
pub(super) fn of_family(family: Family) -> String {
    let cells = CELLS.iter().filter(|cell| cell.family == family);
    format!("{}\n\n{}\n{}", family.doc().trim(), words(family), list(cells))
}

/// The attributes of a name.
pub(super) fn of_name(name: &str) -> String {
    let mut text = String::new();
    let mut families = BTreeSet::new();
    for language in Language::ALL {
        let all = language.declared().attributes();
        let of_name: Vec<_> = all.iter().filter(|spec| spec.is_called(name)).collect();
        families.extend(of_name.iter().map(|spec| spec.family.to_string()));
        let mut carriers: Vec<_> = of_name
            .iter()
            .map(|spec| match spec.op {
                "" => format!("each {}", spec.carrier),
                op => format!("`{op}`"),
            })
            .collect();
        carriers.dedup();
        if !carriers.is_empty() {
            text.push_str(&format!("\n- {language}: {}", carriers.join(", ")));
        }
    }
    let families: Vec<_> = families.into_iter().collect();
    let about = |cell: &&Cell| {
        if matches!(cell.verdict, Verdict::Rename(new) if new.contains(&name)) {
            return true;
        }
        let mut all = cell.language().declared().attributes().into_iter();
        all.any(|spec| spec.is_called(name) && cell.is_about(&spec))
    };
    let cells = list(CELLS.iter().filter(about));
    let becomes = match cells.as_str() {
        "" => "A part of what its op computes: it stays with the op, and the lowering of the op consumes it."
            .to_owned(),
        cells => format!("What becomes of it at each stage that names it:\n{cells}"),
    };
    let families = families.join(", ");
    format!("An attribute of the family {families}, of:\n{text}\n\n{becomes}")
}

/// A list of cells, each with its stage.
fn list<'c>(cells: impl Iterator<Item = &'c Cell>) -> String {
    let lines = cells.map(|cell| {
        let names = match cell.names {
            [] => "the rest of the family".to_owned(),
            names => quoted(names),
        };
        let passes: Vec<_> = cell.passes().map(|pass| format!("`{}`", pass.name)).collect();
        let by = match passes.as_slice() {
            [] => String::new(),
            passes => format!(" ({})", passes.join(", ")),
        };
        format!(
            "\n- {}, {}: {names}: {}{by}",
            cell.stage(),
            cell.carrier,
            cell.verdict
        )
    });
    lines.collect()
}
