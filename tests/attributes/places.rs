//! Each attribute of `cuda_tile` at each place: two kernels that differ in it alone, compiled to PTX.
//!
//! An attribute that decides nothing anywhere is lost, however well each pass hands it on. Of each attribute of each op there has to
//! be a kernel whose PTX it changes, or of which something is said. A hint has to do so everywhere: whoever wrote it asked for
//! something.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use rayon::prelude::*;
use tilewright::policy::{CELLS, Verdict};
use tilewright::printing::print_stages;
use tilewright::{Compiler, Language, Request, Stage, joins};
use tilewright_irs::core::{AttributeSpec, Carrier, Family};
use tilewright_irs::ptx::Target;

use crate::scenes::{Scene, Trees, Values, inputs, scenes, values};
use crate::vary::{attrs_at, others, with_attrs};

/// The golden kernels of `cuda_tile`, and those of this test.
fn kernels() -> Vec<Scene> {
    let mut files = inputs();
    files.retain(|(_, path)| path.extension().is_some_and(|language| language == "cuda_tile"));
    let folder = tilewright_tests::repository().join("tests/data/attributes");
    let own = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let own = own.filter_map(|entry| Some((String::new(), entry.ok()?.path())));
    files.extend(own.collect::<Vec<(String, PathBuf)>>());
    let mut scenes = scenes(files);
    scenes.sort_by_key(|scene| (scene.ops.len(), scene.file.clone()));
    scenes
}

/// What a compiler makes of a kernel: the PTX, if any, and what it says.
type Made = (Option<Arc<str>>, Vec<String>);

fn compiled(stage: &Stage, sm: u16) -> Option<Made> {
    let text = print_stages(std::slice::from_ref(stage), None).ok()?;
    let mut compiler = Compiler::new();
    let source = compiler.add_source("k.mlir", text);
    let options = compiler.options(Request {
        target: Some(Target::sm_a(sm)),
        verify_each: false,
        ..Request::default()
    });
    let (ptx, said) = joins::compile(&compiler, source, options, Language::Ptx);
    Some((ptx, said.into_iter().map(|said| said.message).collect()))
}

/// The same kernel as compiled for the first GPU that has what it needs, with the number of that GPU.
fn base(stage: &Stage) -> Option<(Made, u16)> {
    [90, 100]
        .into_iter()
        .find_map(|sm| Some((compiled(stage, sm).filter(|(ptx, _)| ptx.is_some())?, sm)))
}

/// Whether the rules of the language refuse a kernel, and say it of this attribute.
fn is_refused(stage: &Stage, name: &str) -> bool {
    let problems = stage.verify();
    problems
        .iter()
        .any(|problem| problem.diagnostic.message.contains(name))
}

/// Of what, which attribute.
type Place = (&'static str, &'static str);

/// The attributes that decide nothing, each with the reason that the matrix gives.
const DROPPED: [(Place, &str); 3] = [
    (
        ("cuda_tile.alloca", "global"),
        "temporary memory is in global memory in any case",
    ),
    (
        ("cuda_tile.reduce", "identities"),
        "each thread of a shuffle has an element",
    ),
    (
        ("cuda_tile.scan", "identities"),
        "each thread of a shuffle has an element",
    ),
];
/// The attributes that the types of operands and results tell.
const TOLD_BY_TYPES: [Place; 1] = [("cuda_tile.cat", "dim")];
/// The op that calls functions for which there is no code: kernels with it are refused.
const REFUSED: &str = "cuda_tile.preview$call";

/// What has been seen of the attributes.
#[derive(Debug, Default)]
struct Seen {
    /// Those that decide something in a kernel.
    telling: BTreeSet<Place>,
    /// Those that a kernel cannot have with another value.
    refused: BTreeSet<Place>,
    /// Those of kernels in which they decide nothing, with one of these kernels.
    idle: BTreeMap<Place, String>,
}

/// Whether an attribute asks for something that a compiler need not do.
fn is_hint(spec: &AttributeSpec) -> bool {
    matches!(
        spec.family,
        Family::Staging | Family::LaunchShape | Family::KernelSpec
    )
}

/// What becomes of a kernel if one attribute is another.
enum Change {
    /// It is no other kernel, or one that no text says.
    None,
    /// The same PTX, and nothing said.
    Idle,
    Refused,
    Telling,
}

/// Tries each attribute of a kernel.
fn try_kernel(
    scene: &Scene,
    specs: &BTreeMap<&str, Vec<AttributeSpec>>,
    values: &Values,
    seen: &Mutex<Seen>,
) {
    let mut made = None;
    let mut tree = scene.tree.clone();
    for &(op, name) in &scene.ops {
        let attrs = attrs_at(&mut tree, op);
        for spec in specs.get(name).into_iter().flatten() {
            let place = (spec.op, spec.name);
            if !is_hint(spec) && seen.lock().is_ok_and(|seen| seen.telling.contains(&place)) {
                continue;
            }
            let Some((one, sm)) = made.get_or_insert_with(|| base(&scene.stage)) else {
                return;
            };
            let change = |attrs| {
                let other = scene.stage.reread(&with_attrs(&scene.tree, op, attrs));
                match other {
                    Some((other, _)) if other == scene.stage => Change::None,
                    Some((other, _)) if is_refused(&other, spec.name) => Change::Refused,
                    Some((other, _)) if !other.verify().is_empty() => Change::None,
                    Some((other, _)) => match compiled(&other, *sm) {
                        None => Change::None,
                        Some(other) if other == *one => Change::Idle,
                        Some(_) => Change::Telling,
                    },
                    None => Change::None,
                }
            };
            let known = values.get(&(name, spec.name)).map_or(&[][..], Vec::as_slice);
            let (mut is_idle, mut is_refused) = (false, false);
            let is_telling = others(&attrs, spec, known)
                .into_iter()
                .any(|attrs| match change(attrs) {
                    Change::Telling => true,
                    Change::Idle => {
                        is_idle = true;
                        false
                    }
                    Change::Refused => {
                        is_refused = true;
                        false
                    }
                    Change::None => false,
                });
            let Ok(mut seen) = seen.lock() else { return };
            if is_telling {
                seen.telling.insert(place);
            } else if is_idle {
                let case = || format!("{}, op {op:?}", scene.file);
                seen.idle.entry(place).or_insert_with(case);
            } else if is_refused {
                seen.refused.insert(place);
            }
        }
    }
}

/// What is wrong with what has been seen of an attribute.
fn judge(spec: &AttributeSpec, seen: &Seen) -> Option<String> {
    let place = (spec.op, spec.name);
    let is_told = seen.telling.contains(&place);
    if let Some((_, reason)) = DROPPED.iter().find(|(dropped, _)| *dropped == place) {
        let is_granted = CELLS.iter().any(|cell| cell.verdict == Verdict::Drop(reason));
        return (is_told || !is_granted).then(|| format!("{place:?} is not dropped: {reason}"));
    }
    match seen.idle.get(&place) {
        Some(case) if !is_told || is_hint(spec) => Some(format!("{place:?} decides nothing: {case}")),
        None if !is_told
            && !seen.refused.contains(&place)
            && !TOLD_BY_TYPES.contains(&place)
            && spec.op != REFUSED =>
        {
            Some(format!("{place:?}: in no kernel"))
        }
        _ => None,
    }
}

#[test]
fn attributes_of_cuda_tile_change_ptx_or_are_spoken_of() {
    let kernels = kernels();
    let values = values(&kernels);
    let mut specs: BTreeMap<&str, Vec<AttributeSpec>> = BTreeMap::new();
    let declared = Language::CudaTile.declared().attributes().into_iter();
    for spec in declared.filter(|spec| matches!(spec.carrier, Carrier::Function | Carrier::Op)) {
        specs.entry(spec.op).or_default().push(spec);
    }
    let seen = Mutex::new(Seen::default());
    kernels
        .par_iter()
        .for_each(|scene| try_kernel(scene, &specs, &values, &seen));
    let seen = seen.into_inner().expect("no panic");
    let all = specs.values().flatten();
    let wrong: Vec<_> = all.filter_map(|spec| judge(spec, &seen)).collect();
    assert!(
        wrong.is_empty(),
        "{} attributes\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
