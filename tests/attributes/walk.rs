//! Each attribute of each kernel on its way through each pass: two kernels that differ in it alone, before and after.
//!
//! So is each parameter of each type that has a name, and each attribute of modules.
//!
//! The kernels are the inputs of golden cases. If nothing differs after the pass, and the op is still there, nothing depends on the
//! attribute any more: the pass has to say so in its row, and what it says has to be seen.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use tilewright::changes::{Change, Fate};
use tilewright::pipeline::{PASSES, Pass, run_alone};
use tilewright::{Compiler, Options, Request, Stage};
use tilewright_irs::core::{AttributeSpec, Carrier, Family, Found, Mark, Origin, Term, is_named};
use tilewright_irs::cuda_tile::HintOverrides;
use tilewright_irs::dialects::fast_math::{FastMath, FastMathFlag};
use tilewright_irs::ptx::Target;

use crate::scenes::{Scene, Trees, Values, each_op, inputs, scenes, values};
use crate::vary::{
    attrs_at, each_type, is_called, other_modules, other_types, others, take_away, with_attrs,
};

/// What became of a difference.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Outcome {
    /// The op, or one made of it, has it under these names.
    names: BTreeSet<&'static str>,
    /// No attribute of the op differs, but something else, or the kernel is refused, or something is said.
    shows: bool,
    /// Without the attribute, the kernels still differ.
    decides: bool,
}

/// An attribute before a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Before {
    carrier: Carrier,
    op: &'static str,
    name: &'static str,
    family: Family,
}

impl Before {
    fn is_changed_by(&self, change: &Change) -> bool {
        self.carrier == change.carrier && is_named(self.op, self.name, change.name)
    }
}

/// What has been seen of a pass.
#[derive(Debug, Default)]
struct Walked {
    /// The attributes on which something still depends after the pass, with what became of them and how often that was seen.
    stayed: BTreeMap<Before, BTreeMap<Outcome, usize>>,
    /// The attributes on which nothing depends any more, with the first case and the number of cases.
    lost: BTreeMap<Before, (String, usize)>,
    /// The attributes in which alone two kernels differ.
    varied: BTreeSet<Before>,
}

/// What a pass makes of a kernel.
pub(crate) struct Made {
    /// The kernel; `None` where the pass refuses it.
    pub(crate) stage: Option<Stage>,
    /// What it says.
    pub(crate) said: Vec<String>,
    /// The attributes of its output.
    pub(crate) found: Vec<Found>,
    /// The ops of its output by origin.
    pub(crate) ops: BTreeSet<(Origin, String)>,
}

/// A compiler that runs one pass.
pub(crate) struct Walker {
    compiler: Compiler,
    options: Options,
    pub(crate) pass: &'static Pass,
}

impl Walker {
    pub(crate) fn of(pass: &'static Pass) -> Self {
        let compiler = Compiler::new();
        let options = compiler.options(Request {
            target: Some(Target::sm_a(90)),
            // Other languages have flags of their own, to which the option adds.
            fast_math: match pass.from {
                tilewright::Language::CudaTile => FastMath::of(&[FastMathFlag::Contract]),
                _ => FastMath::NONE,
            },
            hints: match pass.from {
                tilewright::Language::CudaTile => overrides(),
                _ => HintOverrides::default(),
            },
            verify_each: false,
            ..Request::default()
        });
        Self {
            compiler,
            options,
            pass,
        }
    }

    pub(crate) fn run(&self, stage: &Stage) -> Option<Made> {
        let lowered = run_alone(&self.compiler, self.options, self.pass, "k", stage)?;
        let said = lowered
            .diagnostics
            .into_iter()
            .map(|said| said.diagnostic.message);
        let mut made = Made {
            said: said.collect(),
            found: lowered.stage.as_ref().map(Stage::attributes).unwrap_or_default(),
            ops: BTreeSet::new(),
            stage: lowered.stage,
        };
        if let Some(mut tree) = made.stage.as_ref().and_then(Stage::tree) {
            each_op(&mut tree.body, &mut |op| {
                made.ops.insert((Origin(op.name.mark.0), op.name.text.clone()));
            });
        }
        Some(made)
    }

    /// Compares what the pass makes of two kernels that differ in one attribute of the op of this origin. `None` if that op is no
    /// more: it was removed or folded.
    fn compare(&self, spec: &AttributeSpec, origin: Origin, one: &Made, other: &Made) -> Option<Outcome> {
        let mut outcome = Outcome {
            names: BTreeSet::new(),
            shows: other.stage.is_none(),
            decides: other.stage.is_none(),
        };
        if outcome.shows {
            return Some(outcome);
        }
        if one.stage == other.stage && one.said == other.said {
            let is_computed = |name: &str| self.pass.from != self.pass.to || !name.ends_with(".constant");
            let mut there = one
                .ops
                .iter()
                .filter(|(of, name)| *of == origin && is_computed(name));
            let is_there = spec.carrier != Carrier::Op && spec.carrier != Carrier::Tag
                || one.ops.is_empty()
                || there.next().is_some();
            return is_there.then_some(outcome);
        }
        let of = |list: &[Found]| -> BTreeMap<&'static str, Vec<Option<Term>>> {
            let mut all: BTreeMap<_, Vec<_>> = BTreeMap::new();
            let is_of = |found: &&Found| {
                found.origin == origin || matches!(spec.carrier, Carrier::Type | Carrier::Module)
            };
            for found in list.iter().filter(is_of) {
                all.entry(found.name).or_default().push(found.value.clone());
            }
            all
        };
        let (before, after) = (of(&one.found), of(&other.found));
        let names: BTreeSet<_> = before.keys().chain(after.keys()).copied().collect();
        outcome.names = names
            .into_iter()
            .filter(|name| before.get(name) != after.get(name))
            .collect();
        outcome.shows = outcome.names.is_empty();
        let without = |made: &Made| {
            let mut tree = made.stage.as_ref().and_then(Stage::tree)?;
            if matches!(spec.carrier, Carrier::Type | Carrier::Module) {
                each_type(&mut tree, spec.op, &mut |args| {
                    args.retain(|arg| !is_called(arg, spec.name));
                });
                return Some(tree);
            }
            match spec.carrier {
                Carrier::Function => take_away(&mut tree.attrs, spec),
                _ => each_op(&mut tree.body, &mut |op| take_away(&mut op.attrs, spec)),
            }
            Some(tree)
        };
        outcome.decides = without(one) != without(other);
        Some(outcome)
    }
}

/// Kernels of another pass's cases have at most so many ops.
const SMALL: usize = 25;
/// The cases of a pass that are walked, however large they are.
pub(crate) const OWN: usize = 4;
/// The other cases of the pass have at most so many ops.
pub(crate) const LARGE: usize = 100;

/// Hints that stand in no program.
fn overrides() -> HintOverrides {
    let mut hints = HintOverrides::default();
    hints.set("num_stages", "3").expect("a hint");
    hints
}

/// Walks each attribute of the kernels of a pass's language through it.
fn walk(pass: &'static Pass, scenes: &[Scene], values: &Values) -> Walked {
    let mut walked = Walked::default();
    let walker = Walker::of(pass);
    let mut scenes: Vec<_> = scenes
        .iter()
        .filter(|scene| scene.stage.language() == pass.from)
        .collect();
    scenes.sort_by_key(|scene| (scene.of != pass.name, scene.ops.len()));
    let mut specs: BTreeMap<&str, Vec<AttributeSpec>> = BTreeMap::new();
    let (elsewhere, declared): (Vec<_>, Vec<_>) = pass
        .from
        .declared()
        .attributes()
        .into_iter()
        .partition(|spec| matches!(spec.carrier, Carrier::Type | Carrier::Module));
    let (tags, declared): (Vec<_>, Vec<_>) = declared
        .into_iter()
        .partition(|spec| spec.carrier == Carrier::Tag);
    for spec in declared {
        specs.entry(spec.op).or_default().push(spec);
    }
    specs
        .iter_mut()
        .filter(|(op, _)| !op.is_empty())
        .for_each(|(_, specs)| specs.extend(&tags));
    for (at, scene) in scenes.into_iter().enumerate() {
        let is_own = scene.of == pass.name;
        let most = if is_own { LARGE } else { SMALL };
        if scene.ops.len() <= most || (is_own && at < OWN) {
            walk_kernel(&walker, scene, (&specs, values), &mut walked);
        }
        if is_own && scene.ops.len() <= most {
            walk_elsewhere(&walker, scene, &elsewhere, &mut walked);
        }
    }
    walked
}

/// Walks each parameter of the types in a kernel, and each attribute of its module.
fn walk_elsewhere(walker: &Walker, scene: &Scene, specs: &[AttributeSpec], walked: &mut Walked) {
    let Some(one) = walker.run(&scene.stage).filter(|one| one.stage.is_some()) else {
        return;
    };
    for spec in specs {
        let before = Before {
            carrier: spec.carrier,
            op: spec.op,
            name: spec.name,
            family: spec.family,
        };
        let is_known = |walked: &Walked| {
            let stayed: usize = walked.stayed.get(&before).map_or(0, |all| all.values().sum());
            let lost = walked.lost.get(&before).map_or(0, |&(_, count)| count);
            stayed >= 8 || lost >= 8
        };
        if is_known(walked) {
            continue;
        }
        let others = match (spec.carrier, &scene.stage) {
            (Carrier::Module, Stage::CudaTile(kernel)) => other_modules(kernel, spec),
            (Carrier::Module, _) => Vec::new(),
            _ => {
                let trees = other_types(&scene.tree, spec).into_iter();
                trees
                    .filter_map(|tree| Some(scene.stage.with(&tree)?.0))
                    .take(4)
                    .collect()
            }
        };
        for other in others {
            if is_known(walked) || other == scene.stage {
                break;
            }
            let Some(mut other) = walker.run(&other) else {
                continue;
            };
            if spec.carrier == Carrier::Module {
                // What is said of a global is no use of it.
                other.said.clone_from(&one.said);
            }
            walked.varied.insert(before);
            match walker.compare(spec, Origin::FUNCTION, &one, &other) {
                Some(outcome) if outcome != Outcome::default() => {
                    *walked
                        .stayed
                        .entry(before)
                        .or_default()
                        .entry(outcome)
                        .or_default() += 1;
                }
                _ => {
                    walked
                        .lost
                        .entry(before)
                        .or_insert_with(|| (scene.file.clone(), 0))
                        .1 += 1
                }
            }
        }
    }
}

/// Walks each attribute of a kernel, until enough has been seen of it.
fn walk_kernel(
    walker: &Walker,
    scene: &Scene,
    (specs, values): (&BTreeMap<&str, Vec<AttributeSpec>>, &Values),
    walked: &mut Walked,
) {
    let is_own = scene.of == walker.pass.name;
    let mut one = None;
    let mut tries: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut tree = scene.tree.clone();
    for &(op, name) in &scene.ops {
        let mut attrs = None;
        for spec in specs.get(name).into_iter().flatten() {
            let AttributeSpec {
                carrier,
                op: of,
                name: own,
                family,
                ..
            } = *spec;
            let before = Before {
                carrier,
                op: of,
                name: own,
                family,
            };
            let stayed: usize = walked.stayed.get(&before).map_or(0, |all| all.values().sum());
            let lost = walked.lost.get(&before).map_or(0, |&(_, count)| count);
            let decides =
                |outcomes: &BTreeMap<Outcome, usize>| outcomes.keys().any(|outcome| outcome.decides);
            let is_decided = walked.stayed.get(&before).is_some_and(decides);
            let must_decide = |change: &Change| change.fate == Fate::Consumes && before.is_changed_by(change);
            let is_sought =
                is_own && walker.pass.from == walker.pass.to && walker.pass.changes.iter().any(must_decide);
            let most = match (is_own, family) {
                // It decides something in some kernel.
                _ if is_sought && !is_decided => (60, 16),
                (true, Family::Meaning) => (1, 3),
                (true, _) => (5, 16),
                (false, _) => (1, 4),
            };
            let tries = tries.entry((of, own)).or_insert(0);
            if stayed >= most.0 || lost >= most.1 || *tries >= if carrier == Carrier::Tag { 6 } else { 2 } {
                continue;
            }
            *tries += 1;
            let attrs = attrs.get_or_insert_with(|| attrs_at(&mut tree, op));
            let at = |op| scene.marks.iter().position(|mark| *mark == Mark(op));
            let origin = op.map_or(Origin::FUNCTION, |op| {
                Origin(u32::try_from(at(op).unwrap_or(0)).unwrap_or(0))
            });
            let values = values.get(&(name, own)).map_or(&[][..], Vec::as_slice);
            let mut outcome: Option<Outcome> = None;
            let mut tried = 0;
            let is_decided = |outcome: &Outcome| {
                let mut changes = walker.pass.changes.iter();
                outcome.decides || *outcome != Outcome::default() && !changes.any(must_decide)
            };
            for attrs in others(attrs, spec, values) {
                let Some((other, _)) = scene.stage.with(&with_attrs(&scene.tree, op, attrs)) else {
                    continue;
                };
                if one.is_none() {
                    one = walker.run(&scene.stage);
                }
                let Some(one) = one.as_ref().filter(|one| one.stage.is_some()) else {
                    return;
                };
                let Some(other) = (other != scene.stage).then(|| walker.run(&other)).flatten() else {
                    continue;
                };
                walked.varied.insert(before);
                let new = walker.compare(spec, origin, one, &other);
                outcome = match (outcome, new) {
                    (Some(old), Some(new)) if old != Outcome::default() && !new.decides => Some(old),
                    (old, new) => new.or(old),
                };
                tried += 1;
                if tried >= 6 || outcome.as_ref().is_none_or(is_decided) {
                    break;
                }
            }
            match outcome {
                None => {}
                Some(outcome) if outcome == Outcome::default() => {
                    let case = || (format!("{}, op {op:?}", scene.file), 0);
                    walked.lost.entry(before).or_insert_with(case).1 += 1;
                    *tries = usize::MAX;
                }
                Some(outcome) => {
                    *walked
                        .stayed
                        .entry(before)
                        .or_default()
                        .entry(outcome)
                        .or_default() += 1;
                    *tries = usize::MAX;
                }
            }
        }
    }
}

/// What a pass does that it does not declare, and what it declares that was not seen.
fn judge(pass: &Pass, walked: &Walked) -> Vec<String> {
    let mut wrong = Vec::new();
    let stayed = |change: &Change| -> Vec<(Before, &Outcome)> {
        let of = walked
            .stayed
            .iter()
            .filter(|(before, _)| before.is_changed_by(change));
        of.flat_map(|(before, outcomes)| outcomes.keys().map(|outcome| (*before, outcome)))
            .collect()
    };
    for (before, (case, _)) in &walked.lost {
        let is_granted = pass
            .changes
            .iter()
            .filter(|change| before.is_changed_by(change))
            .any(|change| match change.fate {
                Fate::Drops | Fate::Makes => true,
                // It decides something, if not always.
                Fate::Consumes | Fate::Renames { .. } => !stayed(change).is_empty(),
            });
        // A part of what an op computes need not always matter.
        let is_meant = before.family == Family::Meaning && pass.from != pass.to;
        if !(is_granted || is_meant && walked.stayed.contains_key(before)) {
            let Before {
                carrier,
                op,
                name,
                family,
            } = before;
            wrong.push(format!(
                "{} loses {carrier} {op} {name} ({family}) in {case}",
                pass.name
            ));
        }
    }
    let is_new_name = |before: Before, new: &str| {
        pass.changes.iter().any(|change| {
            before.is_changed_by(change) && matches!(change.fate, Fate::Renames { name, .. } if name == new)
        })
    };
    for change in pass.changes {
        // The types around it may tell its value, so that no two kernels differ in it alone.
        let is_varied = walked.varied.iter().any(|before| before.is_changed_by(change));
        if !is_varied {
            continue;
        }
        let is_seen = match change.fate {
            Fate::Drops => walked.lost.keys().any(|before| before.is_changed_by(change)),
            // A lowering leaves nothing of its kind.
            Fate::Consumes if pass.from != pass.to => !stayed(change).is_empty(),
            Fate::Consumes => stayed(change).iter().any(|(_, outcome)| outcome.decides),
            // Which of its new names a value has depends on the value.
            Fate::Renames { .. } => stayed(change).iter().any(|(before, outcome)| {
                outcome.shows || outcome.names.iter().any(|name| is_new_name(*before, name))
            }),
            // See the module on what is made.
            Fate::Makes => true,
        };
        if !is_seen {
            wrong.push(format!("{}: not seen that it {change}", pass.name));
        }
    }
    wrong
}

#[test]
fn passes_change_what_they_declare() {
    let scenes = scenes(inputs());
    let values = values(&scenes);
    let wrong: Vec<_> = PASSES
        .par_iter()
        .flat_map_iter(|pass| judge(pass, &walk(pass, &scenes, &values)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
