//! Every numeric case: compiled from bytecode and run in the simulator, and run by the reference evaluator; both
//! compared with numpy's results.

use std::ffi::OsString;

use tilewright::cli::{Exit, main_with};
use tilewright_tests::{Case, cases};

/// Runs a case; returns its command line on failure.
fn run(case: &Case, file: usize, device: &str, more: &[&str]) -> Option<String> {
    let mut line = case.command(&case.bytecode.get(file)?.display().to_string(), device);
    line.extend(more.iter().map(|&arg| arg.to_owned()));
    let args: Vec<OsString> = line.iter().map(OsString::from).collect();
    (main_with(&args) != Exit::Ok).then(|| line.join(" "))
}

/// Runs every case on the selected files with the further arguments that it needs.
fn run_all(files: impl Fn(&Case) -> Vec<usize>, device: &str, more: impl Fn(&Case) -> Vec<&str>) {
    let cases = cases();
    assert!(cases.len() >= 30, "{} cases", cases.len());
    assert!(
        cases
            .iter()
            .all(|case| case.arguments.iter().any(|argument| argument.want.is_some()))
    );
    let runs = cases
        .iter()
        .flat_map(|case| files(case).into_iter().map(move |file| (case, file)));
    let wrong: Vec<_> = runs
        .filter_map(|(case, file)| run(case, file, device, &more(case)))
        .collect();
    assert!(
        wrong.is_empty(),
        "{} are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn newest(case: &Case) -> Vec<usize> {
    vec![case.bytecode.len() - 1]
}

#[test]
fn every_case_gives_what_numpy_gives_from_every_version_of_bytecode() {
    run_all(|case| (0..case.bytecode.len()).collect(), "cpu", |_| vec![]);
}

#[test]
fn the_reference_evaluator_gives_it_too_and_finds_nothing_undefined() {
    run_all(|case| (0..case.bytecode.len()).collect(), "reference", |_| vec![]);
}

#[test]
fn every_case_gives_it_without_optimisation() {
    run_all(newest, "cpu", |_| vec!["-O0"]);
}

#[test]
fn every_case_gives_it_as_compiled_for_the_oldest_target() {
    run_all(newest, "cpu", |case| {
        vec!["--target", case.least_target.as_deref().unwrap_or("sm_80")]
    });
}

#[test]
fn every_case_gives_it_on_the_newest_target() {
    run_all(newest, "cpu", |_| vec!["--target", "sm_120a"]);
}

/// With so few registers that nearly every block is reordered.
#[test]
fn every_case_gives_it_with_few_registers() {
    run_all(newest, "cpu", |_| vec!["--hint", "occupancy=32"]);
}

#[test]
fn a_wrong_result_would_be_noticed() {
    let cases = cases();
    let case = cases
        .iter()
        .find(|case| case.name == "vector_add")
        .expect("the case");
    // The input differs from the expected output.
    let expect = format!("2={}", case.arguments[0].text);
    for device in ["cpu", "reference"] {
        assert!(run(case, 0, device, &["--expect", &expect]).is_some());
        assert!(run(case, 0, device, &[]).is_none());
    }
}
