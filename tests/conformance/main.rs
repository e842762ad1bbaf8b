//! NVIDIA/cuda-tile's own tests, run with this compiler.
//!
//! `TILEWRIGHT_CUDA_TILE_TESTS` is the path of the checkout; without it the test is skipped. Each RUN line of each
//! file in its folder `test` is executed (see `shell`), for each part of a file split at `// -----`. Cases that do
//! not apply are listed with the reason in `tests/data/conformance/exceptions.txt`.
//!
//! `TILEWRIGHT_CONFORMANCE_FILTER` selects the files whose name contains it, and prints their results.

mod case;
mod filecheck;
mod shell;
mod tool;
mod wording;

use std::collections::BTreeMap;

use case::files;
use shell::{Outcome, Shelf};
use tilewright_tests::needed;

/// A case that does not apply: the file, the line where the case starts (0: every case of the file), the number of
/// the RUN line from 1 (0: every one), the reason.
struct Exception {
    file: &'static str,
    line: usize,
    run: usize,
    reason: &'static str,
}

fn exceptions() -> Vec<Exception> {
    let mut list = Vec::new();
    for text in include_str!("../data/conformance/exceptions.txt").lines() {
        if text.starts_with('#') || text.trim().is_empty() {
            continue;
        }
        let mut parts = text.splitn(4, ' ');
        let mut next = || parts.next().unwrap_or_else(|| panic!("`{text}` is no exception"));
        let (file, line, run, reason) = (next(), next(), next(), next());
        let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("`{text}` is no number"));
        list.push(Exception {
            file,
            line: number(line),
            run: number(run),
            reason,
        });
    }
    list
}

#[derive(Default)]
struct Count {
    passed: usize,
    failed: usize,
    excepted: usize,
}

#[test]
#[allow(clippy::print_stdout)]
fn cases_of_a_checkout() {
    let Some(checkout) = needed("TILEWRIGHT_CUDA_TILE_TESTS") else {
        return;
    };
    let filter = std::env::var("TILEWRIGHT_CONFORMANCE_FILTER").unwrap_or_default();
    let folder = checkout.join("test");
    let exceptions = exceptions();
    let mut used = vec![false; exceptions.len()];
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    let files = files(&folder);
    assert!(!files.is_empty(), "no tests in {}", folder.display());
    for file in files.iter().filter(|file| file.name.contains(&filter)) {
        let mut shelf = Shelf::new();
        for (i, command) in file.runs.iter().enumerate() {
            let outcomes = shell::run(file, command, &mut shelf).unwrap_or_else(|problem| {
                vec![Outcome {
                    kind: "not run",
                    line: 1,
                    failures: vec![format!("not understood: {problem}")],
                }]
            });
            for outcome in outcomes {
                let excepted = exceptions.iter().position(|exception| {
                    exception.file == file.name
                        && (exception.line == 0 || exception.line == outcome.line)
                        && (exception.run == 0 || exception.run == i + 1)
                });
                let count = counts.entry(outcome.kind).or_default();
                match excepted {
                    _ if outcome.failures.is_empty() => count.passed += 1,
                    Some(at) => {
                        if let Some(place) = used.get_mut(at) {
                            *place = true;
                        }
                        count.excepted += 1;
                    }
                    None => {
                        count.failed += 1;
                        println!(
                            "FAILED {}:{} run {} ({})",
                            file.name,
                            outcome.line,
                            i + 1,
                            outcome.kind
                        );
                        for failure in outcome.failures.iter().take(12) {
                            println!("    {failure}");
                        }
                    }
                }
            }
        }
    }
    let mut all = Count::default();
    for (kind, count) in &counts {
        let Count {
            passed,
            failed,
            excepted,
        } = count;
        println!("{kind}: {passed} passed, {failed} failed, {excepted} excepted");
        all.passed += passed;
        all.failed += failed;
        all.excepted += excepted;
    }
    let Count {
        passed,
        failed,
        excepted,
    } = all;
    println!("in all: {passed} passed, {failed} failed, {excepted} excepted");
    for (exception, used) in exceptions.iter().zip(used) {
        if !used && filter.is_empty() {
            println!(
                "exception without a case: {} {} ({})",
                exception.file, exception.line, exception.reason
            );
        }
    }
    assert_eq!(failed, 0, "{failed} cases failed");
}
