//! What each pass makes: the attributes of its output that its input has not, or with other values.
//!
//! A pass says which attributes it makes, or gives other values; those of new ops are among them. What it says is seen in the
//! golden cases, and what is seen it says. Only what ops compute is no attribute in this sense, and what promises nothing, such as
//! sums that wrap and accesses without an order.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use tilewright::Stage;
use tilewright::changes::{Change, Fate};
use tilewright::pipeline::{PASSES, Pass};
use tilewright_irs::core::{AttributeSpec, Carrier, Family, Found, Term, is_named, term_text};

use crate::scenes::{Scene, Trees, inputs, scenes};
use crate::vary::{each_type, is_called};
use crate::walk::{LARGE, OWN, Walker};

/// Of what, which attribute.
type Place = (Carrier, &'static str, &'static str);

/// Of which attributes the first word promises nothing.
const WITHOUT_PROMISE: [&str; 5] = ["overflow", "order", "ordering", "rounding", "rounding_mode"];

/// Whether an attribute has the value that promises nothing.
fn is_implied(found: &Found, specs: &[AttributeSpec]) -> bool {
    let is_it = |spec: &&AttributeSpec| {
        (spec.carrier, spec.op, spec.name) == (found.carrier, found.op, found.name)
            && WITHOUT_PROMISE.contains(&spec.name)
    };
    let word = specs
        .iter()
        .find(is_it)
        .and_then(|spec| spec.field.keywords.first());
    word.is_some_and(|word| found.value == Some(Term::word(word.word)))
}

/// Whether a pass says that nothing depends on an attribute any more.
fn drops(pass: &Pass, found: &Found) -> bool {
    let is_it = |change: &Change| {
        let is_named = is_named(found.op, found.name, change.name);
        change.fate == Fate::Drops && change.carrier == found.carrier && is_named
    };
    pass.changes.iter().any(is_it)
}

/// The values of the parameters of types.
fn of_types(stage: &Stage, specs: &[AttributeSpec]) -> BTreeSet<(&'static str, &'static str, String)> {
    let mut all = BTreeSet::new();
    let Some(mut tree) = stage.tree() else { return all };
    for spec in specs.iter().filter(|spec| spec.carrier == Carrier::Type) {
        each_type(&mut tree, spec.op, &mut |args| {
            let own = args.iter().filter(|arg| is_called(arg, spec.name));
            all.extend(own.map(|arg| (spec.op, spec.name, term_text(&arg.value))));
        });
    }
    all
}

/// What a pass makes in its cases, each with one of them.
fn made(pass: &'static Pass, scenes: &[Scene]) -> BTreeMap<Place, String> {
    let walker = Walker::of(pass);
    let specs = pass.to.declared().attributes();
    let own = |scene: &&Scene| scene.of == pass.name && scene.stage.language() == pass.from;
    let mut own: Vec<_> = scenes.iter().filter(own).collect();
    own.sort_by_key(|scene| scene.ops.len());
    let mut all = BTreeMap::new();
    let is_small = |(at, scene): &(usize, &Scene)| *at < OWN || scene.ops.len() <= LARGE;
    for (_, scene) in own.into_iter().enumerate().filter(is_small) {
        let Some(made) = walker.run(&scene.stage) else {
            continue;
        };
        let Some(stage) = &made.stage else { continue };
        let had = scene.stage.attributes();
        let is_new = |found: &&Found| {
            let is_alike = |old: &&Found| (old.origin, old.name) == (found.origin, found.name);
            let alike: Vec<_> = had.iter().filter(is_alike).collect();
            let is_same = alike.iter().any(|old| old.value == found.value);
            let promises = !is_implied(found, &specs);
            match pass.from == pass.to {
                // What the op itself had has another value now, unless it ends there.
                true if alike.iter().any(|old| old.op == found.op) => {
                    !is_same && (promises || !drops(pass, found))
                }
                true => !is_same && promises,
                // The next language may have other words for the same.
                false => alike.is_empty() && promises,
            }
        };
        let new = made.found.iter().filter(is_new);
        let of_ops = new.map(|found| (found.carrier, found.op, found.name));
        let old = of_types(&scene.stage, &specs);
        let of_types = of_types(stage, &specs)
            .into_iter()
            .filter(|value| !old.contains(value));
        let of_types = of_types.map(|(owner, name, _)| (Carrier::Type, owner, name));
        for place in of_ops.chain(of_types) {
            all.entry(place).or_insert_with(|| scene.file.clone());
        }
    }
    all
}

/// What a pass makes without saying so, and what it says that it makes and does not.
fn judge(pass: &'static Pass, scenes: &[Scene]) -> Vec<String> {
    let made = made(pass, scenes);
    let specs = pass.to.declared().attributes();
    let mut wrong = Vec::new();
    for (&(carrier, op, name), case) in &made {
        let is_it = |spec: &&AttributeSpec| {
            (spec.carrier, spec.name) == (carrier, name) && (spec.op.is_empty() || spec.op == op)
        };
        let Some(spec) = specs
            .iter()
            .find(is_it)
            .filter(|spec| spec.family != Family::Meaning)
        else {
            continue;
        };
        let is_declared = pass.changes.iter().any(|change| match change.fate {
            Fate::Makes => change.is_about(spec),
            Fate::Renames { carrier, name } => carrier == spec.carrier && is_named(spec.op, spec.name, name),
            Fate::Consumes | Fate::Drops => false,
        });
        if !is_declared {
            let family = spec.family;
            wrong.push(format!(
                "{} makes {carrier} {op} {name} ({family}) in {case}",
                pass.name
            ));
        }
    }
    for change in pass.changes.iter().filter(|change| change.fate == Fate::Makes) {
        let is_it =
            |&&(carrier, op, name): &&Place| carrier == change.carrier && is_named(op, name, change.name);
        if made.keys().all(|place| !is_it(&place)) {
            wrong.push(format!("{}: not seen that it {change}", pass.name));
        }
    }
    wrong
}

#[test]
fn passes_say_what_they_make() {
    let scenes = scenes(inputs());
    let wrong: Vec<_> = PASSES
        .par_iter()
        .flat_map_iter(|pass| judge(pass, &scenes))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
