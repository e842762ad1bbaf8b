//! Every op, lowered by CUTLASS's library; `TILEWRIGHT_CUTE_PYTHON` names a Python that has it. Without it the test says that it
//! is skipped.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::lowered::is_of_the_host;
use super::ops::{OPS, STATIC};
use super::programs;
use super::run::{agrees, cases, lowered, read, stored};
use super::writer::Program;

/// What the library makes of a program, one after the other.
pub(super) const STAGES: [&str; 4] = ["desugar", "expand", "fold", "core"];

/// The programs of an op, and the assignments of each.
const PROGRAMS: usize = 12;
const ASSIGNMENTS: usize = 20;

/// Errors of the library: the ops, what it says, and why.
const ERRORS: [(&[&str], &str, &str); 3] = [
    (
        &[
            "cute.get_hier_coord",
            "cute.get_flat_coord",
            "cute.get_integral_coord",
        ],
        "op requires the same type for all operands and results",
        "the library divides an index by numbers of another width",
    ),
    (
        &["cute.make_fragment_like"],
        "failed to legalize operation 'cute.make_fragment_like'",
        "the library lowers it where its type says all",
    ),
    (
        &["cute.blocked_product", "cute.raked_product"],
        "unable to compute product with",
        "the library does not repeat a number by a tuple of one mode, or the other way round",
    ),
];

/// A new folder, removed at the end.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("tilewright-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    pub(super) fn file(&self, name: &str, ending: &str) -> PathBuf {
        self.0.join(format!("{name}.{ending}"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The path that a variable names. Where it names none, the test says on standard error, past the capture of `cargo test`, that it
/// is skipped.
pub(super) fn named(variable: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable).map(PathBuf::from);
    if path.is_none() {
        let _ = writeln!(std::io::stderr(), "skipped: {variable} is not set");
    }
    path
}

pub(super) fn run_library(python: &Path, folder: &Folder) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/algebra/library.py");
    let output = Command::new(python).arg(script).arg(&folder.0).output();
    let output = output.expect("the library's Python");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
}

#[test]
#[allow(clippy::print_stdout, reason = "the counts are what it is run for")]
fn the_library_lowers_ops_to_the_same() {
    let Some(python) = named("TILEWRIGHT_CUTE_PYTHON") else {
        return;
    };
    let folder = Folder::new("algebra");
    let mut all = Vec::new();
    for (name, build) in OPS {
        for (number, program) in programs(name, *build, PROGRAMS).into_iter().enumerate() {
            let file = format!("{name}.{number}").replace('.', "_");
            std::fs::write(folder.file(&file, "mlir"), program.function()).expect("a file");
            all.push((*name, file, program));
        }
    }
    run_library(&python, &folder);

    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut wrong = Vec::new();
    let mut table: BTreeMap<&str, Row> = BTreeMap::new();
    for (name, file, program) in &all {
        let row = table.entry(name).or_default();
        if let Err(problem) = compare(
            name,
            program,
            |ending| std::fs::read_to_string(folder.file(file, ending)).ok(),
            row,
            &mut rng,
        ) {
            wrong.push(format!("{name}: {problem}"));
        }
    }
    println!(
        "op: programs, of which the library ends with an error; assignments; comparisons with the library and with us"
    );
    for (name, row) in &table {
        println!(
            "{name}: {}, {}; {}; {}, {}",
            row.programs, row.errors, row.assignments, row.library, row.own
        );
    }
    assert_eq!(wrong, [""; 0]);
    for (name, row) in &table {
        assert!(row.assignments >= 100 || STATIC.contains(name), "{name}");
    }
    let sum = |of: fn(&Row) -> usize| table.values().map(of).sum::<usize>();
    let (all, large) = (sum(|row| row.assignments), sum(|row| row.large));
    println!("{all} assignments, {large} with numbers of more than 32 bits");
    assert!(all >= 10_000 && large >= 1_000);
}

/// What has been compared of an op.
#[derive(Default)]
struct Row {
    programs: usize,
    errors: usize,
    assignments: usize,
    /// Those with a number of more than 32 bits.
    large: usize,
    library: usize,
    own: usize,
}

/// Compares what the library and what our passes make of a program; `made` gives what the library wrote.
fn compare(
    name: &str,
    program: &Program,
    made: impl Fn(&str) -> Option<String>,
    row: &mut Row,
    rng: &mut ChaCha8Rng,
) -> Result<(), String> {
    let text = program.function();
    let module = read(&text).map_err(|problem| format!("{problem}\n{text}"))?;
    row.programs += 1;
    if let Some(error) = made("error") {
        row.errors += 1;
        let known =
            |(ops, message, _): &(&[&str], &str, &str)| ops.contains(&name) && error.contains(message);
        if !ERRORS.iter().any(known) {
            return Err(format!("{error}\n{text}"));
        }
    }
    let cases = cases(program, &module, ASSIGNMENTS, rng);
    // What an op has no number for is of the type, which the library has checked.
    if program.results() > 0 {
        let is_large = |numbers: &[i64]| numbers.iter().any(|&number| i32::try_from(number).is_err());
        row.assignments += cases.len();
        row.large += cases.iter().filter(|(numbers, _)| is_large(numbers)).count();
    }
    for stage in STAGES {
        let Some(made) = made(stage) else { continue };
        let lowered =
            read(&made).map_err(|problem| format!("{stage} is not read: {problem}\n{text}\n{made}"))?;
        for (numbers, result) in &cases {
            let agrees = agrees(&lowered, numbers, result);
            row.library +=
                usize::from(agrees.map_err(|problem| format!("{stage}: {problem}\n{text}\n{made}"))?);
        }
    }
    if !is_of_the_host(name) {
        let kernel = lowered(program).map_err(|problem| format!("{problem}\n{text}"))?;
        for (numbers, result) in &cases {
            let found = stored(program, &kernel, numbers);
            if found != *result {
                return Err(format!(
                    "lowered, of {numbers:?}: {found:?}, not {result:?}\n{text}"
                ));
            }
            row.own += 1;
        }
    }
    Ok(())
}
