//! Answers questions about CuTe layouts, one a line of the standard input, with one line each: for
//! comparison with other implementations, as `tests/tools/diff_pycute.py` does.

use std::io::{BufRead, BufWriter, Write};

#[path = "../tests/support/cute_questions.rs"]
mod questions;

fn main() -> std::io::Result<()> {
    let mut output = BufWriter::new(std::io::stdout().lock());
    for question in std::io::stdin().lock().lines() {
        let answer = questions::answer(&question?).unwrap_or_else(|error| format!("error: {error}"));
        writeln!(output, "{answer}")?;
    }
    output.flush()
}
