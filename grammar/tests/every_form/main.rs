//! Every op with every value of its attributes, with and without its optional parts, on every type: the printed text
//! round-trips, and NVIDIA's disassembler prints the same from bytecode of every version.
//!
//! The texts come from the legal lines of `verifier/rules/`. In each round, the fields of every op of a text take
//! other values; element types are exchanged in all pairs; names, strings, constants and debug information are
//! generated. `TILEWRIGHT_TILEIRDISASM` is the path of the disassembler (13.5); without it, only our own reader is
//! tested, with fewer cases:
//!
//! ```sh
//! TILEWRIGHT_TILEIRDISASM=… cargo test -p tilewright-grammar --test every_form -- --nocapture
//! ```

mod made;
mod oracle;
#[path = "../support/owned.rs"]
mod owned;
#[path = "../support/preview.rs"]
mod preview;
mod salvage;
mod variants;

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustc_hash::FxHashSet;
use tilewright_irs::core::Operation;
use tilewright_irs::cuda_tile::{DebugInfo, TileModule, TileOp};

use oracle::{Counts, Tool};

/// A test module and its description.
struct Case {
    name: String,
    module: TileModule,
    debug: DebugInfo,
}

/// The legal parts of the rule files.
fn legal_texts() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verifier/rules");
    let entries = std::fs::read_dir(folder).expect("the rule files");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    let mut texts = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a rule file");
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        for (part, text) in text.split("// -----\n").enumerate() {
            let lines = text.lines().filter(|line| !line.contains(" // E0"));
            let text = lines.map(|line| format!("{line}\n")).collect();
            if let Some(text) = salvage::sound(text) {
                texts.push((format!("{name}.{part}"), text));
            }
        }
    }
    texts
}

fn cases(all: bool) -> Vec<Case> {
    let mut cases = made::constants();
    cases.extend(made::names());
    let wanted = std::env::var("TILEWRIGHT_FORMS").unwrap_or_default();
    cases.retain(|case| case.name.contains(&wanted));
    for (name, text) in legal_texts() {
        if !name.contains(&wanted) {
            continue;
        }
        let rounds = if all { 40 } else { 3 };
        cases.extend(variants::rounds(&name, &text, rounds));
        if all {
            cases.extend(variants::types(&name, &text));
        }
    }
    for (seed, case) in cases.iter_mut().enumerate() {
        if case.debug.attrs.is_empty() {
            case.debug = made::debug(&case.module, seed);
        }
    }
    cases
}

#[test]
#[allow(clippy::print_stdout, reason = "the counts are what it is run for")]
fn every_form_prints_and_writes_as_nvidia_does() {
    let tool = Tool::from_environment();
    let cases = cases(tool.is_some());
    let mut names = FxHashSet::default();
    for case in &cases {
        for func in &case.module.funcs {
            names.extend(func.body.ops().map(|(_, op)| op.kind.spec().name));
        }
    }
    let all = TileOp::tile_specs().count();
    if std::env::var_os("TILEWRIGHT_FORMS").is_none() {
        assert_eq!(names.len(), all, "ops that are tried");
    }
    println!("{} modules", cases.len());
    let outcome = Mutex::new((Counts::default(), Vec::<String>::new()));
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (counts, problems) = oracle::compare(case, tool.as_ref());
                    problems.iter().for_each(|problem| println!("{problem}"));
                    let mut outcome = outcome.lock().expect("no panic");
                    outcome.0.add(&counts);
                    outcome.1.extend(problems);
                }
            });
        }
    });
    let (counts, problems) = outcome.into_inner().expect("no panic");
    println!("{} modules: {counts:?}", cases.len());
    assert!(problems.is_empty(), "{} problems", problems.len());
}
