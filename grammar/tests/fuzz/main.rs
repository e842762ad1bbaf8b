//! Fuzzes the reader, parser, verifier, printer and writer of `cuda_tile`: no panic, no hang, memory within a small
//! multiple of the input, and accepted inputs round-trip.
//!
//! An ordinary run replays `findings/` and tries a few hundred mutants. A long run needs neither cargo nor the build
//! folder, and several may run in parallel with different seeds:
//!
//! ```text
//! cargo test --profile fuzz -p tilewright-grammar --test fuzz --no-run   # says where the program is
//! TILEWRIGHT_CHECKOUT=/path/to/the/repository TILEWRIGHT_FUZZ_SECONDS=600 TILEWRIGHT_FUZZ_SEED=7 \
//!     TILEWRIGHT_FUZZ_KEEP=/tmp/found TILEWRIGHT_FUZZ_CORPUS=/tmp/corpus fuzz-0123456789abcdef --nocapture
//! ```
//!
//! The repository is only read, for the seeds in `examples/` and `grammar/tests/`. Half of the time is spent on
//! bytecode, half on text. The exit status is 0 if there are no findings.
//!
//! Inputs with new behaviour (another message, another op accepted) are added to the seeds. A failing input is
//! minimized and written to the folder `TILEWRIGHT_FUZZ_KEEP`, together with the current input, in case it ends the
//! process; inputs that hang are also written, and the one with the largest memory use relative to its length. A
//! finding is added to `findings/` once it is fixed; the first word of its name is the target that reads it.
//! `corpus/` contains inputs that cover more than the seeds: a long run adds the smallest of these to the folder
//! `TILEWRIGHT_FUZZ_CORPUS`.

#![allow(clippy::print_stderr, reason = "a long run says how far it is")]

mod corpus;
mod meter;
mod mutate;
#[path = "../support/preview.rs"]
mod preview;
mod sections;
mod shrink;
mod sound;
mod targets;
mod watchdog;

use std::cell::Cell;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;
use proptest::test_runner::{RngAlgorithm, TestRng};
use rustc_hash::FxHashSet;

use corpus::{MAX_INPUT, files, folder, seeds};
use mutate::Random;
use targets::{Target, Tried, try_input};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The number of mutants of an ordinary run, for each target.
const MUTANTS: usize = 300;
/// The size limit of the input pool.
const MAX_POOL: usize = 4_096;

struct Fuzzer {
    target: Target,
    pool: Vec<Vec<u8>>,
    seen: FxHashSet<u64>,
    random: Random,
    tried: usize,
    read: usize,
    accepted: usize,
    /// The peak memory in bytes per input byte for reading and checking.
    most: Cell<usize>,
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
            read: 0,
            accepted: 0,
            most: Cell::new(0),
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

    /// Tests an input; returns whether it showed new behaviour.
    fn run(&mut self, input: &[u8]) -> bool {
        self.keep(&format!("current-{}", std::process::id()), input);
        self.tried += 1;
        let most = self.most.get();
        let tried = try_input(self.target, input, &MEMORY, &self.most);
        if self.most.get() > most {
            self.keep(&format!("memory-{}", std::process::id()), input);
        }
        match tried {
            Ok(Tried {
                read,
                accepted,
                features,
            }) => {
                self.read += usize::from(read);
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
        // A failure of a known kind is not reported again.
        let kind = shrink::kind(why);
        if self.failures.iter().any(|known| shrink::kind(known) == kind) {
            return;
        }
        let fails = |input: &[u8]| try_input(self.target, input, &MEMORY, &self.most).err();
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

    /// Tests the seeds, then mutants until `enough` returns true.
    fn mutants(&mut self, enough: impl Fn(usize) -> bool) {
        for input in self.pool.clone() {
            self.run(&input);
        }
        // Lazily built tables count for the first input that needs them.
        self.most.set(0);
        let before = self.tried;
        while !enough(self.tried - before) && !self.pool.is_empty() {
            let first = self.random.below(self.pool.len());
            let other = self.random.below(self.pool.len());
            let (first, other) = (self.pool[first].clone(), self.pool[other].clone());
            let mut mutant = match self.target {
                Target::Bytecode => match self.random.below(3) {
                    0 => self.random.bytes(&first, &other),
                    _ => self.random.file(&first, &other),
                },
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

    /// The smallest inputs of the pool with behaviour that neither the seeds nor each other show.
    fn distilled(&self) -> Vec<Vec<u8>> {
        let features = |input: &Vec<u8>| {
            let tried = try_input(self.target, input, &MEMORY, &self.most);
            tried.map_or_else(|_| Vec::new(), |tried| tried.features)
        };
        let mut seen: FxHashSet<u64> = seeds(self.target).iter().flat_map(features).collect();
        let mut pool = self.pool.clone();
        pool.sort_by_key(Vec::len);
        pool.retain(|input| {
            let before = seen.len();
            seen.extend(features(input));
            seen.len() > before
        });
        pool
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn no_input_panics_hangs_or_exhausts_memory() {
    // A caught panic is reported as a failure below; its message would only obscure the list.
    std::panic::set_hook(Box::new(|_| {}));
    let seconds = number("TILEWRIGHT_FUZZ_SECONDS");
    let keep = std::env::var_os("TILEWRIGHT_FUZZ_KEEP").map(PathBuf::from);
    watchdog::start(keep.clone());
    let mut failures = Vec::new();
    for target in [Target::Bytecode, Target::Text] {
        let seed = number("TILEWRIGHT_FUZZ_SEED").unwrap_or(0x711e);
        let mut fuzzer = Fuzzer::new(target, seed, keep.clone());
        for finding in files(&folder("grammar/tests/fuzz/findings"), |name| {
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
                    "{}: {} inputs in {:?}, {} read, {} sound, {} in the pool, {} features, {} failures; \
                     at most {} bytes of memory for a byte",
                    target.name(),
                    fuzzer.tried,
                    start.elapsed(),
                    fuzzer.read,
                    fuzzer.accepted,
                    fuzzer.pool.len(),
                    fuzzer.seen.len(),
                    fuzzer.failures.len(),
                    fuzzer.most.get()
                );
                if let Some(corpus) = std::env::var_os("TILEWRIGHT_FUZZ_CORPUS").map(PathBuf::from) {
                    for input in fuzzer.distilled() {
                        let name = format!("{}-{:016x}", target.name(), targets::hash(&input));
                        fs::write(corpus.join(name), input)
                            .expect("the folder for the corpus can be written");
                    }
                }
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
