//! Reader, parser, verifier, printer and writer of `cuda_tile` on mutated inputs: no panic, no hang, memory within a
//! small multiple of the input, and what is accepted survives printing and writing.
//!
//! An ordinary run replays `findings/` and tries a few hundred mutants. More of them, on the same machine:
//!
//! ```text
//! TILEWRIGHT_FUZZ_SECONDS=3600 TILEWRIGHT_FUZZ_SEED=7 TILEWRIGHT_FUZZ_KEEP=/tmp/found \
//!     cargo test -p tilewright-grammar --test fuzz -- --nocapture
//! ```
//!
//! Inputs that show something new (another message, another op accepted) join the pool that mutants are made of. A
//! failing input is made smaller and written to the folder `TILEWRIGHT_FUZZ_KEEP`, together with the input that is
//! being tried, in case it ends the process. A finding belongs in `findings/` once it is fixed; the first word of its
//! name says which target reads it.

#![allow(clippy::print_stderr, reason = "a long run says how far it is")]

mod mutate;
mod shrink;
mod targets;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;
use proptest::test_runner::{RngAlgorithm, TestRng};
use rustc_hash::FxHashSet;

use mutate::Random;
use targets::{Target, Tried, try_input};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Mutants of an ordinary run, for each target.
const MUTANTS: usize = 300;
/// Inputs are kept below this, so that a run is many of them.
const MAX_INPUT: usize = 16 << 10;
/// The pool of inputs that mutants are made of.
const MAX_POOL: usize = 4_096;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The files of a folder whose names are wanted, in the order of their names.
fn files(folder: &Path, wanted: impl Fn(&str) -> bool) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.retain(|path| {
        path.file_name()
            .is_some_and(|name| wanted(&name.to_string_lossy()))
    });
    paths
        .into_iter()
        .map(|path| fs::read(path).expect("a file"))
        .collect()
}

/// A module of the rule files; a long one in pieces, each with the values that all lines use.
fn pieces(text: &str) -> Vec<Vec<u8>> {
    let lines: Vec<&str> = text.lines().collect();
    let numbered = lines
        .iter()
        .position(|line| line.starts_with("  %_"))
        .unwrap_or(lines.len());
    let (head, rest) = lines.split_at(numbered);
    if rest.len() < 20 {
        return vec![text.as_bytes().to_vec()];
    }
    let piece = |rest: &[&str]| format!("{}\n{}\n}}\n", head.join("\n"), rest.join("\n")).into_bytes();
    rest[..rest.len() - 1].chunks(12).map(piece).collect()
}

/// What the mutants of a target are made of at first.
fn seeds(target: Target) -> Vec<Vec<u8>> {
    let mut seeds = match target {
        Target::Bytecode => {
            let examples = files(&folder("../examples/bytecode"), |name| {
                name.ends_with(".tileirbc")
            });
            let all_ops = files(&folder("tests/data"), |name| name.ends_with(".tileirbc"));
            [examples, all_ops].concat()
        }
        Target::Text => {
            let printed = files(&folder("tests/cuda_tile/disassembled"), |_| true);
            let all_ops = files(&folder("tests/data"), |name| name.ends_with(".mlir"));
            let rules = files(&folder("tests/verifier/rules"), |_| true);
            let modules = rules.iter().flat_map(|text| {
                let text = std::str::from_utf8(text).expect("a text");
                text.split("// -----\n").flat_map(pieces)
            });
            printed.into_iter().chain(all_ops).chain(modules).collect()
        }
    };
    seeds.retain(|seed| seed.len() <= MAX_INPUT);
    seeds
}

struct Fuzzer {
    target: Target,
    pool: Vec<Vec<u8>>,
    seen: FxHashSet<u64>,
    random: Random,
    tried: usize,
    accepted: usize,
    failures: Vec<String>,
    keep: Option<PathBuf>,
}

impl Fuzzer {
    fn new(target: Target, seed: u64, keep: Option<PathBuf>) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Self {
            target,
            pool: seeds(target),
            seen: FxHashSet::default(),
            random: Random(TestRng::from_seed(RngAlgorithm::ChaCha, &bytes)),
            tried: 0,
            accepted: 0,
            failures: Vec::new(),
            keep,
        }
    }

    fn keep(&self, name: &str, input: &[u8]) {
        if let Some(keep) = &self.keep {
            let name = format!("{}-{name}", self.target.name());
            fs::write(keep.join(name), input).expect("the folder for findings can be written");
        }
    }

    /// Tries an input; whether it showed something new.
    fn run(&mut self, input: &[u8]) -> bool {
        self.keep(&format!("current-{}", std::process::id()), input);
        self.tried += 1;
        match try_input(self.target, input, &MEMORY) {
            Ok(Tried { accepted, features }) => {
                self.accepted += usize::from(accepted);
                let before = self.seen.len();
                self.seen.extend(features);
                self.seen.len() > before
            }
            Err(why) => {
                self.failed(input, &why);
                false
            }
        }
    }

    fn failed(&mut self, input: &[u8], why: &str) {
        // A failure of a kind that is known already says nothing more.
        let kind = shrink::kind(why);
        if self.failures.iter().any(|known| shrink::kind(known) == kind) {
            return;
        }
        let fails = |input: &[u8]| try_input(self.target, input, &MEMORY).err();
        let small = shrink::shrink(input, |input| {
            fails(input).is_some_and(|why| shrink::kind(&why) == kind)
        });
        let why = fails(&small).unwrap_or_else(|| why.to_owned());
        self.keep(&format!("{:016x}", targets::hash(&small)), &small);
        eprintln!(
            "{}: {why}\n{}\n",
            self.target.name(),
            String::from_utf8_lossy(&small)
        );
        self.failures.push(why);
    }

    /// Tries the seeds, then mutants until `enough` says so.
    fn mutants(&mut self, enough: impl Fn(usize) -> bool) {
        for input in self.pool.clone() {
            self.run(&input);
        }
        let before = self.tried;
        while !enough(self.tried - before) && !self.pool.is_empty() {
            let first = self.random.below(self.pool.len());
            let other = self.random.below(self.pool.len());
            let (first, other) = (self.pool[first].clone(), self.pool[other].clone());
            let mut mutant = match self.target {
                Target::Bytecode => self.random.bytes(&first, &other),
                Target::Text => self.random.text(&first, &other),
            };
            mutant.truncate(MAX_INPUT);
            if self.run(&mutant) {
                if self.pool.len() < MAX_POOL {
                    self.pool.push(mutant);
                } else {
                    let at = self.random.below(self.pool.len());
                    self.pool[at] = mutant;
                }
            }
        }
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn no_input_does_harm() {
    // A caught panic is a failure below; its own words would only hide the list.
    std::panic::set_hook(Box::new(|_| {}));
    let seconds = number("TILEWRIGHT_FUZZ_SECONDS");
    let keep = std::env::var_os("TILEWRIGHT_FUZZ_KEEP").map(PathBuf::from);
    let mut failures = Vec::new();
    for target in [Target::Bytecode, Target::Text] {
        let seed = number("TILEWRIGHT_FUZZ_SEED").unwrap_or(0x711e);
        let mut fuzzer = Fuzzer::new(target, seed, keep.clone());
        for finding in files(&folder("tests/fuzz/findings"), |name| {
            name.starts_with(target.name())
        }) {
            fuzzer.run(&finding);
        }
        let start = Instant::now();
        match seconds {
            Some(seconds) => {
                // Half of the time for each.
                let end = Duration::from_secs(seconds / 2);
                fuzzer.mutants(|_| start.elapsed() > end);
                eprintln!(
                    "{}: {} inputs in {:?}, {} accepted, {} in the pool, {} features, {} failures",
                    target.name(),
                    fuzzer.tried,
                    start.elapsed(),
                    fuzzer.accepted,
                    fuzzer.pool.len(),
                    fuzzer.seen.len(),
                    fuzzer.failures.len()
                );
            }
            None => fuzzer.mutants(|tried| tried >= MUTANTS),
        }
        assert!(fuzzer.accepted > 0, "{}: nothing is accepted", target.name());
        failures.extend(fuzzer.failures);
    }
    let _ = std::panic::take_hook();
    assert!(
        failures.is_empty(),
        "{} failures:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
