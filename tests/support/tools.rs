//! What tests need that not every machine has.

use std::io::Write;
use std::path::PathBuf;

/// The path that an environment variable names: of a program, a checkout, and so on, without which a test has nothing to do.
/// Where it is not set, the test that asks says on standard error that it is skipped, past the capture of `cargo test`.
///
/// Panics if it is not set and is among the variables that `TILEWRIGHT_MUST_RUN` lists, separated by commas.
pub fn needed(variable: &str) -> Option<PathBuf> {
    let found = std::env::var_os(variable).filter(|value| !value.is_empty());
    if let Some(found) = found {
        return Some(found.into());
    }
    let wanted = std::env::var("TILEWRIGHT_MUST_RUN").unwrap_or_default();
    assert!(
        !wanted.split(',').any(|name| name == variable),
        "this test must run, and {variable} is not set"
    );
    let test = std::thread::current();
    let name = test.name().unwrap_or("a test");
    // Nobody need read it.
    let _ = writeln!(std::io::stderr(), "skipped: {name}: {variable} is not set");
    None
}
