//! The parts of the atoms of accesses, such as what caches are told, on their way through each pass.
//!
//! An atom is one attribute, and a pass that keeps most of it would seem to keep it. So each part that atoms of a word have in some
//! kernel is given to each atom of that word that lacks it: what a pass makes of the kernel has to differ.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use tilewright::Stage;
use tilewright::pipeline::{PASSES, Pass};
use tilewright_irs::core::{Arg, Mark, Origin, TermKind};

use crate::scenes::{Scene, Trees, inputs, scenes};
use crate::vary::{attrs_at, is_called, with_attrs};
use crate::walk::Walker;

/// The attribute.
const ATOM: &str = "atom";
/// The op that needs no more of an atom than its box.
const MAP: &str = "tileas.tensor_map";
/// A part is tried in so many cases of a pass.
const CASES: usize = 3;
/// They have at most so many ops.
const SMALL: usize = 100;

/// The parts that atoms have, by the words of the atoms, each with its name and a value.
type Parts = BTreeMap<String, BTreeMap<String, Arg>>;

fn parts(scenes: &[Scene]) -> Parts {
    let mut all = Parts::new();
    for found in scenes.iter().flat_map(|scene| scene.stage.attributes()) {
        if let Some(TermKind::Call(word, args)) = found.value.map(|value| value.kind)
            && found.name == ATOM
        {
            for arg in args {
                let is_word = matches!(arg.value.kind, TermKind::Word(_) | TermKind::Str(_));
                if let Some(name) = arg
                    .name
                    .as_ref()
                    .filter(|_| is_word)
                    .map(|name| name.text.clone())
                {
                    all.entry(word.clone()).or_default().entry(name).or_insert(arg);
                }
            }
        }
    }
    all
}

/// Kernels that differ from this one in one part of the atom of one op, each with the op, the word of the atom and the part.
fn varied(scene: &Scene, parts: &Parts) -> Vec<(Origin, String, Stage)> {
    let mut all = Vec::new();
    let mut tree = scene.tree.clone();
    for &(op, name) in scene.ops.iter().filter(|(op, name)| op.is_some() && *name != MAP) {
        let attrs = attrs_at(&mut tree, op);
        let own = attrs
            .iter()
            .find(|attr| attr.name.text == ATOM)
            .and_then(|attr| attr.value.as_ref());
        let Some(TermKind::Call(word, args)) = own.map(|own| &own.kind) else {
            continue;
        };
        let new = parts.get(word).into_iter().flatten();
        for (part, arg) in new.filter(|(part, _)| !args.iter().any(|arg| is_called(arg, part))) {
            let mut attrs = attrs.clone();
            let args = args.iter().chain([arg]).cloned().collect();
            if let Some(attr) = attrs.iter_mut().find(|attr| attr.name.text == ATOM) {
                attr.value = Some(TermKind::Call(word.clone(), args).into());
            }
            let mark = scene.marks.iter().position(|mark| Some(*mark) == op.map(Mark));
            let origin = Origin(mark.and_then(|at| u32::try_from(at).ok()).unwrap_or_default());
            if let Some((stage, _)) = scene.stage.with(&with_attrs(&scene.tree, op, attrs)) {
                all.push((origin, format!("{part} of `{word}` of `{name}`"), stage));
            }
        }
    }
    all
}

/// The parts of atoms that a pass loses.
fn lost(pass: &'static Pass, scenes: &[Scene], parts: &Parts) -> BTreeSet<String> {
    let walker = Walker::of(pass);
    let (mut lost, mut tried) = (BTreeSet::new(), BTreeMap::<String, usize>::new());
    let own = scenes
        .iter()
        .filter(|scene| scene.of == pass.name && scene.ops.len() <= SMALL);
    for scene in own.filter(|scene| scene.stage.language() == pass.from) {
        let mut one = None;
        for (origin, part, other) in varied(scene, parts) {
            let tried = tried.entry(part.clone()).or_default();
            if *tried >= CASES {
                continue;
            }
            *tried += 1;
            let one = one.get_or_insert_with(|| walker.run(&scene.stage));
            let Some((one, other)) = one.as_ref().zip(walker.run(&other)) else {
                continue;
            };
            let is_there = other.ops.iter().any(|(of, _)| *of == origin);
            if is_there && one.stage == other.stage && one.said == other.said {
                lost.insert(format!("{} loses {part} in {}", pass.name, scene.file));
            }
        }
    }
    lost
}

#[test]
fn parts_of_atoms_go_on() {
    let scenes = scenes(inputs());
    let parts = parts(&scenes);
    let lost: Vec<_> = PASSES
        .par_iter()
        .flat_map_iter(|pass| lost(pass, &scenes, &parts))
        .collect();
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}
