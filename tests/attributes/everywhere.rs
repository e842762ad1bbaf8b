//! Each attribute of all ops of a kernel at once, on its way through each pass that has nothing to do with it.
//!
//! A pass that makes one op of several may ask that they agree: with another value on one of them alone, it makes something else,
//! and that differs in any case. With another value on each op of a kind, and on each op that has the attribute, what these ops
//! become has to differ in the attribute itself.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use tilewright::Stage;
use tilewright::changes::Fate;
use tilewright::pipeline::{PASSES, Pass};
use tilewright::policy::{Verdict, fate};
use tilewright_irs::core::{AttributeSpec, Carrier, Family, FuncTree, NamedTerm, Origin, term_text};

use crate::scenes::{Scene, Trees, Values, each_op, inputs, scenes, values};
use crate::vary::{attrs_at, others};
use crate::walk::{Made, Walker};

/// So many other values of an attribute are tried, until one goes on.
const TRIED: usize = 4;
/// An attribute is tried in so many cases of a pass whose ops have the same types of results.
const CASES: usize = 2;
/// They have at most so many ops.
const SMALL: usize = 60;

/// The names that an attribute has after a pass that keeps it; `None` if the pass need not.
fn names_after(pass: &Pass, spec: &AttributeSpec) -> Option<Vec<&'static str>> {
    let mut names = Vec::new();
    for change in pass.changes.iter().filter(|change| change.is_about(spec)) {
        match change.fate {
            Fate::Renames { name, .. } => names.push(name),
            Fate::Consumes | Fate::Makes | Fate::Drops => return None,
        }
    }
    let verdict = fate((pass.from, pass.to), spec).ok()?.map(|cell| cell.verdict);
    match verdict {
        // How wide an access may be is a limit, and its atom may be narrower in any case.
        Some(Verdict::Rename(_)) if spec.family == Family::Layout => None,
        _ if pass.from == pass.to && names.is_empty() => Some(vec![spec.name]),
        Some(Verdict::Preserve) => Some(vec![spec.name]),
        Some(Verdict::Rename(_)) => Some(names),
        _ => None,
    }
}

/// The tree with another value of a field of all ops of these names.
fn with_all(tree: &FuncTree, ops: &BTreeSet<&str>, field: &str, new: Option<&NamedTerm>) -> FuncTree {
    let mut tree = tree.clone();
    each_op(&mut tree.body, &mut |op| {
        if ops.contains(op.name.text.as_str()) {
            op.attrs.retain(|attr| attr.name.text != field);
            op.attrs.extend(new.cloned());
        }
    });
    tree
}

/// The ops of one name that one op became. Of flags, which arithmetic that they do not concern lacks, all ops that it became.
type At = (Origin, String);

fn at(spec: &AttributeSpec, origin: Origin, op: &str) -> At {
    match spec.family {
        Family::FastMath => (origin, String::new()),
        _ => (origin, op.to_owned()),
    }
}

/// The attributes of these names.
fn attributes(
    stage: &Stage,
    spec: &AttributeSpec,
    names: &[&str],
) -> BTreeMap<At, BTreeSet<(&'static str, String)>> {
    let mut all: BTreeMap<At, BTreeSet<_>> = BTreeMap::new();
    let found = stage.attributes().into_iter();
    for found in found.filter(|found| found.carrier == Carrier::Op && names.contains(&found.name)) {
        let value = found.value.map(|value| term_text(&value)).unwrap_or_default();
        all.entry(at(spec, found.origin, found.op))
            .or_default()
            .insert((found.name, value));
    }
    all
}

/// The ops of a pass that may have an attribute of one of these names, without those whose attribute it makes itself.
fn bearing(made: &Made, pass: &Pass, (own, names): (&AttributeSpec, &[&str])) -> BTreeSet<At> {
    let makes = |spec: &AttributeSpec| {
        let mut changes = pass.changes.iter();
        changes.any(|change| change.fate == Fate::Makes && change.is_about(spec))
    };
    let all = pass.to.declared().attributes().into_iter();
    let of: BTreeSet<_> = all
        .filter(|spec| spec.carrier == Carrier::Op && names.contains(&spec.name) && !makes(spec))
        .map(|spec| spec.op)
        .collect();
    let ops = made.ops.iter().filter(|(_, name)| of.contains(name.as_str()));
    ops.map(|(origin, name)| at(own, *origin, name)).collect()
}

/// The types of the results of all ops of these names.
fn form(tree: &FuncTree, names: &BTreeSet<&str>) -> String {
    let mut types = BTreeSet::new();
    each_op(&mut tree.body.clone(), &mut |op| {
        if names.contains(op.name.text.as_str()) {
            types.extend(op.types.iter().map(term_text));
        }
    });
    let all: Vec<_> = types.into_iter().collect();
    all.join(" ")
}

/// An op that had another attribute in one kernel, and whose ops have the same one after the pass.
fn lost_at(
    (one, made_of_one): (&Stage, &Made),
    (other, made_of_other): (&Stage, &Made),
    walker: &Walker,
    (spec, names): (&AttributeSpec, &[&str]),
) -> Option<At> {
    let (before, after) = (made_of_one.stage.as_ref()?, made_of_other.stage.as_ref()?);
    if made_of_one.said != made_of_other.said {
        return None;
    }
    let [input, changed] = [one, other].map(|stage| attributes(stage, spec, &[spec.name]));
    let varied: BTreeSet<Origin> = changed
        .iter()
        .chain(&input)
        .filter(|(at, _)| input.get(at) != changed.get(at))
        .map(|((origin, _), _)| *origin)
        .collect();
    let [output, new] = [before, after].map(|stage| attributes(stage, spec, names));
    let [left, right] = [made_of_one, made_of_other].map(|made| bearing(made, walker.pass, (spec, names)));
    let mut both = left.intersection(&right);
    both.find(|at| varied.contains(&at.0) && output.get(at) == new.get(at))
        .cloned()
}

/// The attributes that ops become without.
fn lost(pass: &'static Pass, scenes: &[Scene], values: &Values) -> BTreeSet<String> {
    let mut lost = BTreeSet::new();
    let walker = Walker::of(pass);
    let specs = pass.from.declared().attributes();
    let mut tried: BTreeMap<(&str, &str, String), usize> = BTreeMap::new();
    let own = scenes
        .iter()
        .filter(|scene| scene.of == pass.name && scene.ops.len() <= SMALL);
    for scene in own.filter(|scene| scene.stage.language() == pass.from) {
        let one = walker.run(&scene.stage);
        let is_other = |one: &Made| one.stage.as_ref().is_some_and(|stage| *stage != scene.stage);
        let Some(one) = one.filter(is_other) else { continue };
        let of_ops = specs.iter().filter(|spec| spec.carrier == Carrier::Op);
        for (spec, is_alone) in of_ops.flat_map(|spec| [(spec, true), (spec, false)]) {
            let Some(&(first, _)) = scene.ops.iter().find(|(_, name)| *name == spec.op) else {
                continue;
            };
            let Some(names) = names_after(pass, spec).filter(|_| spec.family != Family::Meaning) else {
                continue;
            };
            let alike = |other: &&AttributeSpec| {
                (other.op == spec.op || !is_alone && names_after(pass, other).as_ref() == Some(&names))
                    && (other.carrier, other.name) == (spec.carrier, spec.name)
            };
            let present = |op: &&str| scene.ops.iter().any(|(_, name)| name == op);
            let ops: BTreeSet<&str> = specs
                .iter()
                .filter(alike)
                .map(|spec| spec.op)
                .filter(present)
                .collect();
            // Of ops that are changed together, the first one has its turn.
            if !is_alone && (ops.len() == 1 || ops.first() != Some(&spec.op)) {
                continue;
            }
            let tried = tried
                .entry((spec.op, spec.name, form(&scene.tree, &ops)))
                .or_default();
            if *tried >= CASES {
                continue;
            }
            let attrs = attrs_at(&mut scene.tree.clone(), first);
            let known = values.get(&(spec.op, spec.name)).map_or(&[][..], Vec::as_slice);
            let others = others(&attrs, spec, known).into_iter().filter_map(|attrs| {
                let new = attrs.iter().find(|attr| attr.name.text == spec.field.name);
                let (other, _) = scene
                    .stage
                    .with(&with_all(&scene.tree, &ops, spec.field.name, new))?;
                (other != scene.stage).then_some(other)
            });
            *tried += 1;
            let mut case = None;
            for other in others.take(TRIED) {
                case = walker.run(&other).and_then(|made| {
                    let at = lost_at((&scene.stage, &one), (&other, &made), &walker, (spec, &names))?;
                    let (op, name) = (spec.op, spec.name);
                    Some(format!(
                        "{} loses {op} {name} in {}, {at:?}",
                        pass.name, scene.file
                    ))
                });
                if case.is_none() {
                    break;
                }
            }
            lost.extend(case);
        }
    }
    lost
}

#[test]
fn what_all_ops_have_goes_on() {
    let scenes = scenes(inputs());
    let values = values(&scenes);
    let lost: Vec<_> = PASSES
        .par_iter()
        .flat_map_iter(|pass| lost(pass, &scenes, &values))
        .collect();
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}
