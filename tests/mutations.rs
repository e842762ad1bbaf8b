//! Valid files, mutated at random: every mutant is read or refused without a panic and within resource limits.

use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHasher;
use tilewright::{Compiler, Language, Request, joins};
use tilewright_diagnostics::{Code, Format, render};
use tilewright_tests::{corpus, repository};

/// The least number of mutations of a test run; each file has as many as any other.
const MUTATIONS: usize = 10_000;
/// The time limit of a file, in a debug build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Changes one character or bit, so that many mutants are still valid.
fn nudge(bytes: &[u8], random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let digits: Vec<_> = (0..bytes.len())
        .filter(|&at| bytes[at].is_ascii_digit())
        .collect();
    if std::str::from_utf8(&bytes).is_ok() && !digits.is_empty() {
        bytes[digits[random.random_range(0..digits.len())]] = random.random_range(b'0'..=b'9');
    } else {
        let at = random.random_range(0..bytes.len());
        bytes[at] ^= 1 << random.random_range(0..8);
    }
    bytes
}

/// Mutates a file at one to four positions.
fn mutate(bytes: &[u8], other: &[u8], random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..random.random_range(1..=4) {
        let length = bytes.len().max(1);
        let at = random.random_range(0..length).min(bytes.len());
        let span = random.random_range(1..=16usize).min(bytes.len() - at);
        match random.random_range(0..9) {
            0 => bytes.truncate(at),
            1 => {
                bytes.drain(at..at + span);
            }
            2 => {
                let copy = bytes[at..at + span].to_vec();
                bytes.splice(at..at, copy);
            }
            3 => {
                let from = random.random_range(0..other.len().max(1)).min(other.len());
                let end = (from + span).min(other.len());
                bytes.splice(at..at, other[from..end].iter().copied());
            }
            4 if at < bytes.len() => bytes[at] = random.random(),
            5 if at < bytes.len() => bytes[at] ^= 1 << random.random_range(0..8),
            6 if at < bytes.len() => {
                bytes[at] = *b"%@^#{}[]()<>=,:\"09-.x\n"
                    .get(random.random_range(0..22))
                    .unwrap_or(&b' ')
            }
            7 => {
                let to = random.random_range(0..length).min(bytes.len());
                let piece: Vec<_> = bytes.drain(at..at + span).collect();
                let to = to.min(bytes.len());
                bytes.splice(to..to, piece);
            }
            _ => bytes.splice(at..at, [0xff; 9]).for_each(drop),
        }
    }
    bytes
}

/// Compiles as far as possible and renders all diagnostics; `Err` describes a violated property.
fn try_compile(bytes: &[u8]) -> Result<bool, String> {
    let start = Instant::now();
    let run = catch_unwind(AssertUnwindSafe(|| {
        let mut compiler = Compiler::new();
        let source = compiler.add_source("mutant", bytes);
        let options = compiler.options(Request::default());
        let (text, said) = joins::compile(&compiler, source, options, Language::Ptx);
        let _ = render(&said, &compiler.files(), Format::Short, false);
        let _ = render(&said, &compiler.files(), Format::Rich, false);
        let bug = said
            .iter()
            .find(|one| matches!(one.code, Code::Internal | Code::InvalidStage));
        match bug {
            Some(bug) => Err(format!("{}: {} {:?}", bug.code, bug.message, bug.notes)),
            None if text.is_none() && said.is_empty() => Err("no text, and nothing said".to_owned()),
            None => Ok(text.is_some()),
        }
    }));
    let outcome = run.unwrap_or_else(|_| Err("a panic".to_owned()));
    match start.elapsed() {
        time if time > PATIENCE => Err(format!("took {time:?}")),
        _ => outcome,
    }
}

#[test]
fn ten_thousand_mutations_neither_panic_nor_hang() {
    let corpus = corpus();
    // A caught panic is reported as a failure below; its message would only obscure the list.
    std::panic::set_hook(Box::new(|_| {}));
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let each = MUTATIONS.div_ceil(corpus.len());
    let all = each * corpus.len();
    let worker = |thread: usize| {
        let mut failures = Vec::new();
        let (mut count, mut compiled) = (0usize, 0usize);
        for at in (thread..all).step_by(threads) {
            let (path, bytes) = &corpus[at / each];
            let (_, other) = &corpus[(at / each + 1) % corpus.len()];
            // The mutants of a file depend on its name, so that other files do not change them.
            let mut hasher = FxHasher::default();
            (path.strip_prefix(repository()).unwrap_or(path), at % each).hash(&mut hasher);
            let mut random = ChaCha8Rng::seed_from_u64(hasher.finish());
            let mutant = if random.random() {
                nudge(bytes, &mut random)
            } else {
                mutate(bytes, other, &mut random)
            };
            count += 1;
            match try_compile(&mutant) {
                Ok(whole) => compiled += usize::from(whole),
                Err(why) => {
                    if std::env::var_os("TILEWRIGHT_KEEP_MUTANTS").is_some() {
                        let name = format!("mutant-{at}");
                        std::fs::write(std::env::temp_dir().join(name), &mutant).expect("kept");
                    }
                    failures.push(format!("{} (mutant {at}): {why}", path.display()));
                }
            }
        }
        (count, compiled, failures)
    };
    let worker = &worker;
    let (mut count, mut compiled, mut failures) = (0, 0, Vec::new());
    std::thread::scope(|scope| {
        let spawn = |thread| {
            std::thread::Builder::new()
                .stack_size(64 << 20)
                .spawn_scoped(scope, move || worker(thread))
                .expect("a thread")
        };
        let threads: Vec<_> = (0..threads).map(spawn).collect();
        for thread in threads {
            let (some, whole, more) = thread.join().expect("the worker catches panics");
            count += some;
            compiled += whole;
            failures.extend(more);
        }
    });
    let _ = std::panic::take_hook();
    assert_eq!(count, all);
    assert!(
        failures.is_empty(),
        "{} failures:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert!(
        compiled > all / 50,
        "only {compiled} mutants still compile: too violent to be a test"
    );
}
