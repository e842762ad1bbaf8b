//! Every numeric case: compiled from bytecode of each version, run in the simulator, compared with numpy's results.

use std::ffi::OsString;

use tilewright::cli::{Exit, main_with};
use tilewright_tests::cases;

#[test]
fn every_case_gives_what_numpy_gives() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for case in cases() {
        // One of the oldest and one of the newest files; the others say the same and are compared as programs.
        let files = case.bytecode.first().into_iter().chain(case.bytecode.last());
        for file in files {
            count += 1;
            let line = case.command(&file.display().to_string());
            let args: Vec<OsString> = line.iter().map(OsString::from).collect();
            if main_with(&args) != Exit::Ok {
                wrong.push(format!("{}: {}", case.name, line.join(" ")));
            }
        }
    }
    assert!(count >= 2 * 30, "{count} cases");
    assert!(
        wrong.is_empty(),
        "{} of {count} are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
