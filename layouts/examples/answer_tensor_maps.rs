//! Says of descriptions of tensor maps, one a line of the standard input, whether they are legal: for
//! comparison with the CUDA driver, as `tests/gpu/tensor_maps.py` does.

use std::io::{BufRead, Write};

#[path = "../tests/support/tensor_map_questions.rs"]
mod questions;

fn main() -> std::io::Result<()> {
    // Each answer leaves at once, so that a caller can choose its next question by it.
    let mut output = std::io::LineWriter::new(std::io::stdout().lock());
    for question in std::io::stdin().lock().lines() {
        let answer = questions::answer(&question?).unwrap_or_else(|error| format!("error: {error}"));
        writeln!(output, "{answer}")?;
    }
    output.flush()
}
