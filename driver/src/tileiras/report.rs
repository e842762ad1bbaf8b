//! Diagnostics on standard error, in the lines that clients parse.

use std::io::{self, Write};

use tilewright_diagnostics::{Diagnostic, Files, Format, Location, render};

/// Prints diagnostics on standard error.
pub(super) fn all(diagnostics: &[Diagnostic<Location>], files: &Files) {
    line(&render(diagnostics, files, Format::Client, false));
}

/// Prints one diagnostic that concerns no file.
pub(super) fn one(diagnostic: Diagnostic<Location>) {
    all(&[diagnostic], &Files::new());
}

/// Prints text on standard error.
pub(super) fn line(text: &str) {
    // If standard error is closed, there is nowhere to report it.
    let _ = io::stderr().write_all(text.as_bytes());
}
