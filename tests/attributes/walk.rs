//! Each attribute of each kernel on its way through each pass: two kernels that differ in it alone, before and after.
//!
//! So is each parameter of each type that has a name, and each attribute of modules.
//!
//! The kernels are the inputs of golden cases. If nothing differs after the pass, and the op is still there, nothing depends on the
//! attribute any more: the pass has to say so in its row, and what it says has to be seen.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use tilewright::changes::{Change, Fate};
use tilewright::pipeline::{PASSES, Pass, run_alone};
use tilewright::{Compiler, Options, Request, Stage, TileKernel, reading};
use tilewright_irs::core::{
    Arg, AttributeSpec, Carrier, Family, Found, Func, FuncTree, Language, Mark, NamedTerm, OpTree, Origin,
    RegionTree, Term, TermKind, func_tree, is_named, read_func, term_text,
};
use tilewright_irs::cuda_tile::{CudaTile, HintOverrides, MemoryOp, TileModule, TileOp, Version};
use tilewright_irs::cute::Cute;
use tilewright_irs::cute_desugared::CuteDesugared;
use tilewright_irs::dialects::fast_math::{FastMath, FastMathFlag};
use tilewright_irs::llvm::Llvm;
use tilewright_irs::nvvm::Nvvm;
use tilewright_irs::ptx::Target;
use tilewright_irs::scheduled::Scheduled;
use tilewright_irs::tileaa::TileAa;
use tilewright_irs::tileas::TileAs;

/// The syntax trees of kernels, whatever their language is.
pub(crate) trait Trees {
    /// Its tree; `None` in PTX, which has no other form.
    fn tree(&self) -> Option<FuncTree>;
    /// A kernel of the same module with this tree, which need not obey the rules of its language, and the marks of its ops by their
    /// origins.
    fn reread(&self, tree: &FuncTree) -> Option<(Stage, Vec<Mark>)>;
    /// Such a kernel that obeys them.
    fn with(&self, tree: &FuncTree) -> Option<(Stage, Vec<Mark>)>;
}

fn read<L: Language>(tree: &FuncTree) -> Option<(Func<L>, Vec<Mark>)> {
    read_func(tree).ok().map(|read| (read.func, read.marks))
}

macro_rules! trees {
    ($($language:ident),+) => {
        impl Trees for Stage {
            fn tree(&self) -> Option<FuncTree> {
                match self {
                    Self::CudaTile(kernel) => Some(func_tree(&kernel.func)),
                    $(Self::$language(func) => Some(func_tree(func)),)+
                    Self::Ptx(_) => None,
                }
            }
            fn reread(&self, tree: &FuncTree) -> Option<(Stage, Vec<Mark>)> {
                match self {
                    Self::CudaTile(kernel) => {
                        let (func, marks) = read::<CudaTile>(tree)?;
                        let module = Arc::clone(&kernel.module);
                        Some((Arc::new(TileKernel { func, module }).into(), marks))
                    }
                    $(Self::$language(_) => {
                        let (func, marks) = read::<$language>(tree)?;
                        Some((Arc::new(func).into(), marks))
                    })+
                    Self::Ptx(_) => None,
                }
            }
            fn with(&self, tree: &FuncTree) -> Option<(Stage, Vec<Mark>)> {
                self.reread(tree).filter(|(stage, _)| stage.verify().is_empty())
            }
        }
    };
}

trees!(TileAa, TileAs, Scheduled, Cute, CuteDesugared, Llvm, Nvvm);

/// Every op of a tree, each before those in it.
fn each_op(region: &mut RegionTree, visit: &mut dyn FnMut(&mut OpTree)) {
    for op in region.blocks.iter_mut().flat_map(|block| &mut block.ops) {
        visit(op);
        op.regions
            .iter_mut()
            .for_each(|(_, region)| each_op(region, visit));
    }
}

/// The attributes of the op with this number, or of the function.
pub(crate) fn attrs_at(tree: &mut FuncTree, op: Option<u32>) -> Vec<NamedTerm> {
    let Some(op) = op else { return tree.attrs.clone() };
    let mut found = Vec::new();
    each_op(&mut tree.body, &mut |at| {
        if at.name.mark == Mark(op) {
            found.clone_from(&at.attrs);
        }
    });
    found
}

/// The tree with other attributes of the op with this number, or of the function.
pub(crate) fn with_attrs(tree: &FuncTree, op: Option<u32>, attrs: Vec<NamedTerm>) -> FuncTree {
    let mut tree = tree.clone();
    match op {
        None => tree.attrs = attrs,
        Some(op) => each_op(&mut tree.body, &mut |at| {
            if at.name.mark == Mark(op) {
                at.attrs.clone_from(&attrs);
            }
        }),
    }
    tree
}

/// Values near this one: the same but for one number or truth value in it, or for the order of a list of numbers.
fn near(term: &Term) -> Vec<Term> {
    let each = |list: &[Term], make: &dyn Fn(Vec<Term>) -> TermKind| -> Vec<Term> {
        let at = |at: usize| {
            near(&list[at]).into_iter().map(move |new| {
                let mut list = list.to_vec();
                list[at] = new;
                make(list).into()
            })
        };
        (0..list.len()).flat_map(at).collect()
    };
    match &term.kind {
        TermKind::Int(n) => [n * 2, n + 1, n - 1, n / 2, 1 - n, n * 1024]
            .into_iter()
            .filter(|new| new != n)
            .map(Term::int)
            .collect(),
        TermKind::Word(word) if word == "true" => vec![Term::word("false")],
        TermKind::Word(word) if word == "false" => vec![Term::word("true")],
        TermKind::List(list) => {
            let reversed: Vec<_> = list.iter().rev().cloned().collect();
            let mut all = each(list, &TermKind::List);
            let is_of_numbers = list.iter().all(|term| matches!(term.kind, TermKind::Int(_)));
            all.extend((is_of_numbers && reversed != *list).then(|| TermKind::List(reversed).into()));
            all
        }
        TermKind::Tuple(list) => each(list, &TermKind::Tuple),
        TermKind::Call(word, args) => {
            let values: Vec<_> = args.iter().map(|arg| arg.value.clone()).collect();
            each(&values, &|values| {
                let mut args = args.clone();
                args.iter_mut()
                    .zip(values)
                    .for_each(|(arg, value)| arg.value = value);
                TermKind::Call(word.clone(), args)
            })
        }
        TermKind::Dict(entries) => {
            let values: Vec<_> = entries.iter().filter_map(|entry| entry.value.clone()).collect();
            if values.len() != entries.len() {
                return Vec::new();
            }
            each(&values, &|values| {
                let mut entries = entries.clone();
                entries
                    .iter_mut()
                    .zip(values)
                    .for_each(|(entry, value)| entry.value = Some(value));
                TermKind::Dict(entries)
            })
        }
        _ => Vec::new(),
    }
}

/// The lists of attributes that differ from this one in the value of one only. `seen` has values that it has elsewhere.
pub(crate) fn others(attrs: &[NamedTerm], spec: &AttributeSpec, seen: &[Term]) -> Vec<Vec<NamedTerm>> {
    let field = spec.field;
    let at = attrs.iter().position(|attr| attr.name.text == field.name);
    let present = at.map(|at| &attrs[at]);
    let set = |new: Option<NamedTerm>| {
        let mut attrs = attrs.to_vec();
        match (at, new) {
            (Some(at), Some(new)) => attrs[at] = new,
            (Some(at), None) => drop(attrs.remove(at)),
            (None, Some(new)) => attrs.push(new),
            (None, None) => {}
        }
        attrs
    };
    if !field.keys.is_empty() {
        return keyed(present, spec, seen)
            .into_iter()
            .map(|value| set(Some(NamedTerm::new(field.name, value))))
            .collect();
    }
    let value = present.and_then(|attr| attr.value.as_ref());
    // An empty list may stand for zeros.
    if value.is_some_and(|value| matches!(&value.kind, TermKind::List(list) if list.is_empty())) {
        return Vec::new();
    }
    let mut values: Vec<Option<NamedTerm>> = Vec::new();
    let new = |term: Term| Some(NamedTerm::new(field.name, term));
    values.extend(field.keywords.iter().map(|word| new(Term::word(word.word))));
    values.extend(value.map(near).unwrap_or_default().into_iter().map(new));
    values.extend(seen.iter().cloned().map(new));
    if present.is_none() {
        values.extend(
            [
                Term::int(1),
                Term::int(2),
                Term::word("true"),
                Term::word("false"),
            ]
            .map(new),
        );
        values.push(Some(NamedTerm::flag(field.name)));
    } else {
        values.push(None);
    }
    values.retain(|new| new.as_ref() != present);
    values.into_iter().map(set).collect()
}

/// Dictionaries with another value of a key, or with it, for every architecture.
fn keyed(present: Option<&NamedTerm>, spec: &AttributeSpec, seen: &[Term]) -> Vec<Term> {
    let mut entries = match present
        .and_then(|attr| attr.value.as_ref())
        .map(|value| &value.kind)
    {
        Some(TermKind::Dict(entries)) => entries.clone(),
        _ => Vec::new(),
    };
    if !entries.iter().any(|entry| entry.name.text == "sm_90") {
        entries.push(NamedTerm::new("sm_90", TermKind::Dict(Vec::new()).into()));
    }
    let typed = |n: i128| Term::call("i32", vec![Term::int(n).into()]);
    let mut values = vec![
        Term::word("false"),
        Term::word("true"),
        typed(2),
        typed(4),
        typed(8),
        typed(1),
    ];
    values.extend(seen.iter().cloned());
    let with = |value: &Term| {
        let mut entries = entries.clone();
        for entry in &mut entries {
            if let Some(TermKind::Dict(hints)) = entry.value.as_mut().map(|value| &mut value.kind)
                && entry.name.text == "sm_90"
            {
                hints.retain(|hint| hint.name.text != spec.name);
                hints.push(NamedTerm::new(spec.name, value.clone()));
            }
        }
        Term::from(TermKind::Dict(entries))
    };
    values.iter().map(with).collect()
}

/// The parameters in a term of types of this word, or in types in it, as lists of arguments.
fn each_args(term: &mut Term, owner: &str, visit: &mut dyn FnMut(&mut Vec<Arg>)) {
    if let TermKind::Call(word, args) = &mut term.kind {
        if word == owner {
            visit(args);
        }
        args.iter_mut()
            .for_each(|arg| each_args(&mut arg.value, owner, visit));
    }
}

/// The parameters of all types of this word in a function: of its own parameters, of those of blocks, and of results.
fn each_type(tree: &mut FuncTree, owner: &str, visit: &mut dyn FnMut(&mut Vec<Arg>)) {
    fn region(tree: &mut RegionTree, owner: &str, visit: &mut dyn FnMut(&mut Vec<Arg>)) {
        for block in &mut tree.blocks {
            block
                .args
                .iter_mut()
                .for_each(|(_, ty)| each_args(ty, owner, visit));
            for op in &mut block.ops {
                op.types.iter_mut().for_each(|ty| each_args(ty, owner, visit));
                op.regions
                    .iter_mut()
                    .for_each(|(_, inner)| region(inner, owner, visit));
            }
        }
    }
    tree.params
        .iter_mut()
        .for_each(|(_, ty)| each_args(ty, owner, visit));
    region(&mut tree.body, owner, visit);
}

/// Whether an argument has this name.
fn is_called(arg: &Arg, name: &str) -> bool {
    arg.name.as_ref().is_some_and(|own| own.text == name)
}

/// So many types of a kernel are varied.
const PLACES: usize = 3;

/// The trees that differ from this one in one parameter of one type.
fn other_types(tree: &FuncTree, spec: &AttributeSpec) -> Vec<FuncTree> {
    let mut all = Vec::new();
    let mut found: Vec<Option<Term>> = Vec::new();
    each_type(&mut tree.clone(), spec.op, &mut |args| {
        let present = args.iter().find(|arg| is_called(arg, spec.name));
        found.push(present.map(|arg| arg.value.clone()));
    });
    for (at, present) in found.iter().enumerate().take(PLACES) {
        let mut values: Vec<Option<Term>> = match present {
            Some(present) => {
                let values = near(present).into_iter().map(Some);
                values.chain([None]).collect()
            }
            None => {
                let lists: [&[u64]; 2] = [&[16], &[1, 16]];
                let lists = lists.into_iter().map(Term::ints);
                let numbers = [0, 16].into_iter().map(Term::int);
                lists.chain(numbers).map(Some).collect()
            }
        };
        values.extend(spec.field.keywords.iter().map(|word| Some(Term::word(word.word))));
        for value in values.into_iter().filter(|value| value != present) {
            let mut tree = tree.clone();
            let mut place = 0;
            each_type(&mut tree, spec.op, &mut |args| {
                if place == at {
                    args.retain(|arg| !is_called(arg, spec.name));
                    args.extend(value.clone().map(|value| Arg::named(spec.name, value)));
                }
                place += 1;
            });
            all.push(tree);
        }
    }
    all
}

/// The kernels that differ from this one in one attribute of their module, or of a global that they name.
fn other_modules(kernel: &TileKernel, spec: &AttributeSpec) -> Vec<Stage> {
    let mut all = Vec::new();
    let mut add = |change: &dyn Fn(&mut TileModule)| {
        let mut module = (*kernel.module).clone();
        change(&mut module);
        if module != *kernel.module {
            let (func, module) = (kernel.func.clone(), Arc::new(module));
            all.push(Stage::from(Arc::new(TileKernel { func, module })));
        }
    };
    let named: Vec<&str> = kernel
        .func
        .body
        .ops()
        .filter_map(|(_, op)| match &op.kind {
            TileOp::Memory(MemoryOp::GetGlobal { name }) => Some(name.0.as_str()),
            _ => None,
        })
        .collect();
    match spec.op {
        "module" => match spec.name {
            "producer" => add(&|module| module.producer = Some("another".to_owned())),
            _ => [Version::V13_1, Version::V13_5]
                .into_iter()
                .for_each(|version| add(&|module| module.version = version)),
        },
        _ => add(&|module| {
            let global = module
                .globals
                .iter_mut()
                .find(|global| named.contains(&global.name.as_str()));
            if let Some(global) = global {
                match spec.name {
                    "alignment" => global.alignment = global.alignment.max(64) * 2,
                    "private" => global.private = !global.private,
                    _ => global.constant = !global.constant,
                }
            }
        }),
    }
    all
}

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
    /// The attributes whose values are not those that the op had before.
    made: BTreeSet<(Carrier, &'static str, &'static str)>,
}

/// The input files of golden cases, with the pass that each is about.
pub(crate) fn inputs() -> Vec<(String, PathBuf)> {
    let golden = tilewright_tests::repository().join("golden");
    let entries = |folder: &Path| {
        let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut paths: Vec<_> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
        paths.sort();
        paths
    };
    let mut all = Vec::new();
    for folder in entries(&golden).into_iter().filter(|path| path.is_dir()) {
        let name = folder
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let Some((_, pass)) = name.split_once('.') else {
            continue;
        };
        let is_input = |path: &PathBuf| path.to_string_lossy().contains(".in.");
        all.extend(
            entries(&folder)
                .into_iter()
                .filter(is_input)
                .map(|path| (pass.to_owned(), path)),
        );
    }
    all
}

/// A kernel, read from its tree, in which ops have their numbers as marks.
pub(crate) struct Scene {
    /// The pass whose golden case it is.
    pub(crate) of: String,
    pub(crate) file: String,
    pub(crate) tree: FuncTree,
    pub(crate) stage: Stage,
    /// The mark of each op by its origin.
    pub(crate) marks: Vec<Mark>,
    /// The ops with their numbers, which may have attributes, and the function.
    pub(crate) ops: Vec<(Option<u32>, &'static str)>,
}

/// The kernels of files, each with the pass whose golden case it is.
pub(crate) fn scenes(inputs: Vec<(String, PathBuf)>) -> Vec<Scene> {
    let mut compiler = Compiler::new();
    let mut all = Vec::new();
    for (of, path) in inputs {
        let file = path.strip_prefix(tilewright_tests::repository()).unwrap_or(&path);
        let file = file.display().to_string();
        let source = compiler.add_source(&file, fs::read(&path).unwrap_or_default());
        let parsed = reading::parse(&compiler, source);
        let scene = |&kernel: &tilewright::Kernel<'_>| {
            let mut tree = kernel.body(&compiler).tree()?;
            let names: BTreeSet<_> = kernel
                .language(&compiler)
                .declared()
                .attributes()
                .iter()
                .map(|spec| spec.op)
                .collect();
            let mut number = 0;
            let mut ops = vec![(None, "")];
            each_op(&mut tree.body, &mut |op| {
                op.name.mark = Mark(number);
                ops.extend(names.get(op.name.text.as_str()).map(|&name| (Some(number), name)));
                number += 1;
            });
            let (stage, marks) = kernel.body(&compiler).with(&tree)?;
            Some(Scene {
                of: of.clone(),
                file: file.clone(),
                tree,
                stage,
                marks,
                ops,
            })
        };
        all.extend(parsed.kernels.iter().filter_map(scene));
    }
    all
}

/// What a pass makes of a kernel.
struct Made {
    /// The kernel; `None` where the pass refuses it.
    stage: Option<Stage>,
    /// What it says.
    said: Vec<String>,
    /// The attributes of its output.
    found: Vec<Found>,
    /// The ops of its output by origin.
    ops: BTreeSet<(Origin, String)>,
}

/// A compiler that runs one pass.
struct Walker {
    compiler: Compiler,
    options: Options,
    pass: &'static Pass,
}

impl Walker {
    fn run(&self, stage: &Stage) -> Option<Made> {
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
            tree.attrs
                .retain(|attr| spec.carrier != Carrier::Function || attr.name.text != spec.name);
            each_op(&mut tree.body, &mut |op| {
                op.attrs
                    .retain(|attr| spec.carrier == Carrier::Function || attr.name.text != spec.name);
            });
            Some(tree)
        };
        outcome.decides = without(one) != without(other);
        Some(outcome)
    }
}

/// Kernels of another pass's cases have at most so many ops.
const SMALL: usize = 25;
/// The cases of a pass that are walked, however large they are.
const OWN: usize = 4;
/// The other cases of the pass have at most so many ops.
const LARGE: usize = 100;

/// Hints that stand in no program.
fn overrides() -> HintOverrides {
    let mut hints = HintOverrides::default();
    hints.set("num_stages", "3").expect("a hint");
    hints
}

/// Walks each attribute of the kernels of a pass's language through it.
fn walk(pass: &'static Pass, scenes: &[Scene], values: &Values) -> Walked {
    let mut walked = Walked::default();
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
    let walker = Walker {
        compiler,
        options,
        pass,
    };
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
    for spec in walker.pass.to.declared().attributes() {
        let values = |stage: &Stage| {
            let mut values = BTreeSet::new();
            if let Some(mut tree) = stage.tree() {
                each_type(&mut tree, spec.op, &mut |args| {
                    let own = args.iter().filter(|arg| is_called(arg, spec.name));
                    values.extend(own.map(|arg| term_text(&arg.value)));
                });
            }
            values
        };
        if spec.carrier == Carrier::Type
            && let Some(made) = &one.stage
            && !values(made).is_subset(&values(&scene.stage))
        {
            walked.made.insert((spec.carrier, spec.op, spec.name));
        }
    }
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
    let run = || {
        let made = walker.run(&scene.stage)?;
        let had = scene.stage.attributes();
        let is_new = |found: &&Found| {
            !had.iter()
                .any(|old| (old.origin, old.name, &old.value) == (found.origin, found.name, &found.value))
        };
        let new = made.found.iter().filter(is_new);
        let new: Vec<_> = new.map(|found| (found.carrier, found.op, found.name)).collect();
        Some((made, new))
    };
    let mut one = None;
    if is_own {
        let Some((made, new)) = run() else { return };
        walked.made.extend(new);
        one = Some(made);
    }
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
                    one = run().map(|(made, _)| made);
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
        if !is_varied && change.fate != Fate::Makes {
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
            Fate::Makes => walked
                .made
                .iter()
                .any(|&(carrier, op, name)| carrier == change.carrier && is_named(op, name, change.name)),
        };
        if !is_seen {
            wrong.push(format!("{}: not seen that it {change}", pass.name));
        }
    }
    wrong
}

/// The values that an attribute of an op has somewhere.
pub(crate) type Values = BTreeMap<(&'static str, &'static str), Vec<Term>>;

pub(crate) fn values(scenes: &[Scene]) -> Values {
    let mut all = Values::new();
    for found in scenes.iter().flat_map(|scene| scene.stage.attributes()) {
        let values = all.entry((found.op, found.name)).or_default();
        if let Some(value) = found.value
            && values.len() < 6
            && !values.contains(&value)
        {
            values.push(value);
        }
    }
    all
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
