//! Bytecode from cuTile Python or another front end, compared with NVIDIA's disassembler and round-tripped.
//!
//! Requires `TILEWRIGHT_BYTECODE_CORPUS`, a folder of files such as `tests/tools/export_corpus.py` writes.
//! `TILEWRIGHT_TILEIRDISASM` is the path of the disassembler (13.5); without it, texts are not compared:
//!
//! ```sh
//! cargo test -p tilewright-grammar --test bytecode_corpus -- --nocapture
//! ```
//!
//! Each file is printed with and without locations, and written at its own version and every other.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tilewright_diagnostics::FileId;
use tilewright_grammar::bytecode::{Bytecode, read, write, write_arranged};
use tilewright_irs::cuda_tile::{Version, print_tile_module, verify_module};

/// The counts, by version of the files.
#[derive(Debug, Default)]
struct Counts {
    files: usize,
    /// Files of kernels with a mistake that the front end does not detect, refused by both compilers.
    refused_by_both: usize,
    equal_texts: usize,
    equal_debug_texts: usize,
    equal_bytes: usize,
    /// Files written at another version, and those of them that NVIDIA's tool prints identically.
    rewritten: usize,
    same_when_rewritten: usize,
    /// Pairs of a file and a version that cannot represent it, according to every writer error.
    too_old: usize,
}

#[derive(Debug, Default)]
struct Outcome {
    counts: BTreeMap<String, Counts>,
    problems: Vec<String>,
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the corpus") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "tileirbc") {
            found.push(path);
        }
    }
}

/// The output of NVIDIA's tool for a file.
fn disassembled(tool: &Path, file: &Path, debug: bool) -> String {
    let flags: &[&str] = if debug { &["-g"] } else { &[] };
    let out = Command::new(tool)
        .args(flags)
        .arg(file)
        .output()
        .expect("the tool runs");
    let errors = String::from_utf8_lossy(&out.stderr);
    let text = String::from_utf8_lossy(&out.stdout);
    if out.status.success() {
        text.into_owned()
    } else {
        format!("{text}{errors}")
    }
}

/// The first difference between two texts.
fn difference(ours: &str, theirs: &str) -> String {
    let lines = ours.lines().zip(theirs.lines()).enumerate();
    match lines.into_iter().find(|(_, (a, b))| a != b) {
        Some((n, (a, b))) => format!("line {}:\n  ours   {a}\n  theirs {b}", n + 1),
        None => format!("{} bytes, theirs {}", ours.len(), theirs.len()),
    }
}

struct Checker {
    tool: Option<PathBuf>,
    scratch: PathBuf,
    outcome: Mutex<Outcome>,
}

impl Checker {
    fn count(&self, version: &str, step: impl FnOnce(&mut Counts)) {
        let mut outcome = self.outcome.lock().expect("no panic");
        step(outcome.counts.entry(version.to_owned()).or_default());
    }

    fn problem(&self, path: &Path, what: impl AsRef<str>) {
        let text = format!("{}: {}", path.display(), what.as_ref());
        self.outcome.lock().expect("no panic").problems.push(text);
    }

    /// Whether NVIDIA's tool refuses a file.
    fn is_refused(&self, path: &Path) -> bool {
        let theirs = self.tool.as_deref().map(|tool| disassembled(tool, path, false));
        theirs.is_some_and(|text| text.contains("error: "))
    }

    fn file(&self, path: &Path) {
        let bytes = std::fs::read(path).expect("a file");
        let found = match read(&bytes, FileId(0)) {
            Ok(found) => found,
            Err(problems) => {
                if self.is_refused(path) {
                    self.count("malformed", |counts| counts.refused_by_both += 1);
                } else {
                    self.problem(path, format!("not read: {problems:?}"));
                }
                return;
            }
        };
        let version = found.module.version;
        let name = version.to_string();
        if let Err(problems) = verify_module(&found.module) {
            if self.is_refused(path) {
                self.count(&name, |counts| counts.refused_by_both += 1);
            } else {
                self.problem(path, format!("refused: {:?}", problems.first()));
            }
            return;
        }
        self.count(&name, |counts| counts.files += 1);
        if let Some(tool) = &self.tool {
            self.texts(path, tool, &found, &name);
        }
        match write_arranged(&found.module, &found.debug, version, &found.arrangement) {
            Ok(again) if again == bytes => self.count(&name, |counts| counts.equal_bytes += 1),
            Ok(again) => {
                let at = again.iter().zip(&bytes).position(|(a, b)| a != b);
                let sizes = (again.len(), bytes.len());
                self.problem(path, format!("other bytes from {at:?} on, of {sizes:?}"));
            }
            Err(problems) => self.problem(path, format!("not written: {problems:?}")),
        }
        for &other in Version::ALL.iter().filter(|&&other| other != version) {
            self.rewritten(path, &found, other);
        }
    }

    fn texts(&self, path: &Path, tool: &Path, found: &Bytecode, name: &str) {
        let (ours, theirs) = (
            print_tile_module(&found.module, None),
            disassembled(tool, path, false),
        );
        if ours == theirs {
            self.count(name, |counts| counts.equal_texts += 1);
        } else {
            self.problem(path, format!("text: {}", difference(&ours, &theirs)));
        }
        let ours = print_tile_module(&found.module, Some(&found.debug));
        let theirs = disassembled(tool, path, true);
        if ours == theirs {
            self.count(name, |counts| counts.equal_debug_texts += 1);
        } else {
            self.problem(path, format!("-g: {}", difference(&ours, &theirs)));
        }
    }

    fn rewritten(&self, path: &Path, found: &Bytecode, version: Version) {
        let name = found.module.version.to_string();
        let written = match write(&found.module, &found.debug, version) {
            Ok(written) => written,
            Err(problems) => {
                let newer = version < found.module.version;
                let named = |text: &str| text.contains("needs bytecode version");
                if newer && problems.iter().all(|problem| named(&problem.diagnostic.message)) {
                    self.count(&name, |counts| counts.too_old += 1);
                } else {
                    self.problem(path, format!("as {version}: {problems:?}"));
                }
                return;
            }
        };
        self.count(&name, |counts| counts.rewritten += 1);
        let mut again = match read(&written, FileId(0)) {
            Ok(again) => again,
            Err(problems) => return self.problem(path, format!("as {version}, not read: {problems:?}")),
        };
        again.module.version = found.module.version;
        if again.module != found.module || again.debug != found.debug {
            return self.problem(path, format!("as {version}, another module"));
        }
        let Some(tool) = &self.tool else { return };
        let stem = path.to_string_lossy().replace('/', "_");
        let file = self.scratch.join(format!("{stem}.{version}"));
        std::fs::write(&file, &written).expect("scratch");
        let theirs = disassembled(tool, &file, true);
        std::fs::remove_file(&file).expect("scratch");
        let ours = print_tile_module(&found.module, Some(&found.debug));
        if ours == theirs {
            self.count(&name, |counts| counts.same_when_rewritten += 1);
        } else {
            self.problem(path, format!("as {version}: {}", difference(&ours, &theirs)));
        }
    }
}

#[test]
#[allow(clippy::print_stdout, reason = "the counts are what it is run for")]
fn the_corpus_prints_and_writes_as_nvidia_does() {
    let Some(folder) = std::env::var_os("TILEWRIGHT_BYTECODE_CORPUS") else {
        println!("skipped: TILEWRIGHT_BYTECODE_CORPUS names no folder");
        return;
    };
    let mut paths = Vec::new();
    files(Path::new(&folder), &mut paths);
    paths.sort();
    assert!(!paths.is_empty(), "no files");
    let scratch = std::env::temp_dir().join(format!("tilewright-corpus-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).expect("scratch");
    let checker = Checker {
        tool: std::env::var_os("TILEWRIGHT_TILEIRDISASM").map(PathBuf::from),
        scratch,
        outcome: Mutex::default(),
    };
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    checker.file(path);
                }
            });
        }
    });
    std::fs::remove_dir_all(&checker.scratch).expect("scratch");
    let outcome = checker.outcome.into_inner().expect("no panic");
    for (version, counts) in &outcome.counts {
        println!("{version}: {counts:?}");
    }
    for problem in outcome.problems.iter().take(40) {
        println!("{problem}");
    }
    assert!(outcome.problems.is_empty(), "{} problems", outcome.problems.len());
}
