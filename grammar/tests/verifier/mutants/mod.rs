//! Legal modules with one op changed at random in ways that texts cannot express, compared with NVIDIA's tool.
//!
//! Starting the tool takes longer than its work. It verifies every kernel of a file and reports each invalid one, so
//! that mutants with the same expected answer are batched in one file; if the answer differs, the batch is bisected.

mod change;

use std::collections::BTreeMap;
use std::path::Path;

use tilewright_diagnostics::FileId;
use tilewright_grammar::bytecode;
use tilewright_irs::cuda_tile::{DebugInfo, TileModule, Version, verify_module};

use super::cases;
use super::oracle::{Verdict, ask, tool};
use crate::preview::{self, parse_tile_text};
use change::{Pool, Random, mutate};

/// The legal modules to mutate, of one kernel each: the rule files without illegal lines, and the examples in
/// bytecode.
fn modules() -> Vec<TileModule> {
    let rules = cases();
    let rules = rules.iter().flat_map(|case| {
        let variants = case.variants();
        let sound = variants.into_iter().find(|(line, _)| line.is_none());
        sound.map(|(_, text)| parse_tile_text(&text, FileId(0)).module)
    });
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let examples = [root.join("../examples/bytecode"), root.join("tests/data")];
    let files = examples
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).expect("a folder"));
    let files = files.map(|entry| entry.expect("a file").path());
    let bytes = files.filter(|file| file.extension().is_some_and(|end| end == "tileirbc"));
    let bytes = bytes.map(|file| std::fs::read(file).expect("bytecode"));
    let examples = bytes.filter_map(|bytes| Some(preview::read(&bytes, FileId(0)).ok()?.module));
    rules
        .chain(examples)
        .filter(|module| verify_module(module).is_ok())
        .flat_map(|module| {
            let alone = |func| TileModule {
                funcs: vec![func],
                ..module.clone()
            };
            module.funcs.iter().cloned().map(alone).collect::<Vec<_>>()
        })
        .collect()
}

/// A changed module and our verdict.
#[derive(Clone)]
struct Mutant {
    what: String,
    module: TileModule,
    ours: Option<String>,
}

/// The number of mutants per batch.
const BATCH: usize = 48;

/// The results of the comparison.
#[derive(Default)]
struct Compared {
    asked: usize,
    refused: usize,
    unwritten: usize,
    calls: usize,
    versions: BTreeMap<String, usize>,
    ops: BTreeMap<String, usize>,
    wrong: BTreeMap<String, Vec<String>>,
    /// Mutants with the same version, globals and verdict of ours.
    waiting: BTreeMap<(Version, String, bool), Vec<Mutant>>,
}

impl Compared {
    fn mutant(&mut self, tool: &Path, modules: &[TileModule], pool: &Pool, random: &mut Random) {
        let Some(mut module) = random.pick(modules) else {
            return;
        };
        let Some(what) = mutate(&mut module, pool, random) else {
            return;
        };
        let versions = [random.pick(Version::ALL), Some(Version::LATEST)];
        let bytes = versions.into_iter().flatten().find_map(|version| {
            let bytes = bytecode::write(&module, &DebugInfo::default(), version).ok()?;
            Some((version, bytes))
        });
        let Some((version, bytes)) = bytes else {
            self.unwritten += 1;
            return;
        };
        // The content of the bytecode, which is less than that of the module.
        let ours = match preview::read(&bytes, FileId(0)) {
            Ok(read) => verify_module(&read.module)
                .err()
                .and_then(|list| Some(list.into_iter().next()?.diagnostic.message)),
            Err(list) => list.into_iter().next().map(|problem| problem.message),
        };
        self.refused += usize::from(ours.is_some());
        self.asked += 1;
        *self.versions.entry(version.to_string()).or_default() += 1;
        let op = what.split(':').next().unwrap_or_default().to_owned();
        *self.ops.entry(op).or_default() += 1;
        let globals: Vec<_> = module.globals.iter().map(|global| global.name.as_str()).collect();
        let key = (version, globals.join(" "), ours.is_some());
        let waiting = self.waiting.entry(key).or_default();
        waiting.push(Mutant { what, module, ours });
        if waiting.len() >= BATCH {
            let list = std::mem::take(waiting);
            self.compare(tool, version, &list);
        }
    }

    /// Tests mutants on which our verdict is the same.
    fn compare(&mut self, tool: &Path, version: Version, list: &[Mutant]) {
        let Some(first) = list.first() else { return };
        let mut module = first.module.clone();
        module.funcs = list
            .iter()
            .flat_map(|mutant| mutant.module.funcs.clone())
            .collect();
        for (i, func) in module.funcs.iter_mut().enumerate() {
            func.name = format!("kernel{i}");
        }
        let theirs = match bytecode::write(&module, &DebugInfo::default(), version) {
            Ok(bytes) => ask(tool, &bytes),
            Err(_) => Verdict::NotWritten,
        };
        self.calls += 1;
        let agree = match &theirs {
            Verdict::NotWritten => list.len() == 1,
            Verdict::Accepted => first.ours.is_none(),
            Verdict::Refused(said) => first.ours.is_some() && (list.len() == 1 || said.len() == list.len()),
        };
        if agree {
            return;
        }
        if list.len() > 1 {
            let (front, back) = list.split_at(list.len() / 2);
            self.compare(tool, version, front);
            self.compare(tool, version, back);
            return;
        }
        let Mutant { what, ours, .. } = first;
        let kind = what
            .split(" in `")
            .next()
            .unwrap_or_default()
            .chars()
            .take(60)
            .collect();
        let text = format!("{what} at {version}\n    tool: {theirs:?}\n    ours: {ours:?}");
        self.wrong.entry(kind).or_default().push(text);
    }
}

/// `TILEWRIGHT_TILEIRDISASM=… TILEWRIGHT_MUTANTS=10000 cargo test -p tilewright-grammar --test verifier mutants`, with
/// `TILEWRIGHT_FUZZ_SEED` for other ones.
#[test]
#[allow(clippy::print_stdout)]
fn mutants_are_refused_by_both_or_by_none() {
    let Some(tool) = tool() else { return };
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let count = number("TILEWRIGHT_MUTANTS").unwrap_or(2000u64);
    let seed = number("TILEWRIGHT_FUZZ_SEED").unwrap_or(7);
    let modules = modules();
    let pool = Pool::of(&modules);
    let mut random = Random::new(seed);
    let mut compared = Compared::default();
    for _ in 0..count {
        compared.mutant(Path::new(&tool), &modules, &pool, &mut random);
    }
    for ((version, ..), list) in std::mem::take(&mut compared.waiting) {
        compared.compare(Path::new(&tool), version, &list);
    }
    let Compared {
        asked,
        refused,
        unwritten,
        calls,
        versions,
        ops,
        wrong,
        waiting: _,
    } = compared;
    println!(
        "{} modules, {asked} mutants compared in {calls} calls, {refused} of them refused by us",
        modules.len()
    );
    println!(
        "{unwritten} could not be written; {} ops; by version {versions:?}",
        ops.len()
    );
    let shown: Vec<String> = wrong
        .iter()
        .flat_map(|(kind, list)| {
            std::iter::once(format!("{kind} ({}):", list.len())).chain(list.iter().take(2).cloned())
        })
        .collect();
    let differ = wrong.values().map(Vec::len).sum::<usize>();
    assert!(wrong.is_empty(), "{differ} differ:\n{}", shown.join("\n"));
    assert!(u64::try_from(asked * 2).is_ok_and(|asked| asked > count));
}
