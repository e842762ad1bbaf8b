//! The matrix of attributes against the declarations of languages and passes.

use std::collections::BTreeSet;

use tilewright::Language;
use tilewright::changes::{Change, Fate};
use tilewright::pipeline::{PASSES, Pass};
use tilewright::policy::{CELLS, Cell, Verdict, fate};
use tilewright_irs::core::{AttributeSpec, Carrier, is_named};

/// The stages that passes make up.
fn stages() -> BTreeSet<(Language, Language)> {
    PASSES.iter().map(|pass| (pass.from, pass.to)).collect()
}

fn attributes(language: Language) -> Vec<AttributeSpec> {
    language.declared().attributes()
}

#[test]
fn every_attribute_has_one_cell_at_every_stage() {
    let mut wrong = Vec::new();
    for stage in stages() {
        for spec in attributes(stage.0) {
            if let Err(cells) = fate(stage, &spec) {
                let AttributeSpec {
                    carrier,
                    name,
                    family,
                    ..
                } = spec;
                wrong.push(format!(
                    "{} to {}: {carrier} {name} ({family}) has {cells} cells",
                    stage.0, stage.1
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The next language has what is preserved, renamed or made.
#[test]
fn cells_name_attributes_that_exist() {
    let mut wrong = Vec::new();
    let stages = stages();
    for cell in CELLS {
        let Cell {
            from,
            to,
            family,
            carrier,
            names,
            verdict,
        } = *cell;
        let has = |language: Language, name: &str| {
            let is_it = |spec: &AttributeSpec| {
                (spec.carrier, spec.family) == (carrier, family) && is_named(spec.op, spec.name, name)
            };
            attributes(language).iter().any(is_it)
        };
        let mut need = |is_there: bool, what: String| {
            if !is_there {
                wrong.push(format!("{from} to {to}, {family}: {what}"));
            }
        };
        need(stages.contains(&(from, to)), "no pass has this stage".to_owned());
        for &name in names {
            let is_made = matches!(verdict, Verdict::Synthesise(_));
            need(
                is_made || has(from, name),
                format!("{from} has no {carrier} {name}"),
            );
            let stays = matches!(verdict, Verdict::Preserve | Verdict::Synthesise(_));
            need(!stays || has(to, name), format!("{to} has no {carrier} {name}"));
        }
        if let Verdict::Rename(new) = verdict {
            for new in new {
                let has = |&carrier: &Carrier| to.declared().has(carrier, new);
                need(
                    Carrier::ALL.iter().any(has),
                    format!("{to} has no attribute {new}"),
                );
            }
        }
        if names.is_empty() && verdict == Verdict::Preserve {
            for spec in attributes(from) {
                let is_of = (spec.carrier, spec.family) == (carrier, family);
                let is_rest = is_of
                    && fate((from, to), &spec)
                        .ok()
                        .flatten()
                        .is_some_and(|found| found.names.is_empty());
                need(
                    !is_rest || has(to, spec.name),
                    format!("{to} has no {carrier} {}", spec.name),
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_pass_changes_is_granted() {
    let mut wrong = Vec::new();
    for pass in PASSES {
        for change in pass.changes {
            if !CELLS.iter().any(|cell| cell.grants(pass, change)) {
                wrong.push(format!("{}: no cell says that it {change}", pass.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// For each name of a cell, and for each new name that it gives, there is a pass that does that.
#[test]
fn what_cells_grant_some_pass_does() {
    let is_done = |cell: &Cell, of: &dyn Fn(&Change) -> bool| {
        let does = |pass: &Pass| {
            pass.changes
                .iter()
                .any(|change| of(change) && cell.grants(pass, change))
        };
        PASSES.iter().any(does)
    };
    let mut wrong = Vec::new();
    for cell in CELLS
        .iter()
        .filter(|cell| !matches!(cell.verdict, Verdict::Preserve | Verdict::Refuse(_)))
    {
        let Cell {
            from,
            to,
            family,
            names,
            verdict,
            ..
        } = *cell;
        let mut need = |is_done: bool, what: &str| {
            if !is_done {
                wrong.push(format!(
                    "{from} to {to}, {family}, {what}: no pass does that: {verdict:?}"
                ));
            }
        };
        need(is_done(cell, &|_| true), "any");
        for &name in names {
            need(is_done(cell, &|change| change.name == name), name);
        }
        if let Verdict::Rename(new) = verdict {
            for &new in new {
                let is_it =
                    |change: &Change| matches!(change.fate, Fate::Renames { name, .. } if name == new);
                need(is_done(cell, &is_it), new);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
