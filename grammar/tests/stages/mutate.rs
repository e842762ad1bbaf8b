//! Mutated texts give errors and never a panic.

use tilewright_diagnostics::{FileId, Files};
use tilewright_grammar::stages::parse_stage;

use crate::damage::damaged;
use crate::language::Toy;
use crate::round_trip::SAMPLE;

const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ",",
    ":",
    "=",
    "%",
    "%0",
    "^",
    "^bb1",
    "@",
    "#",
    "#linear0",
    "\"",
    "\\",
    "\n",
    " ",
    "//",
    "?",
    "4x",
    "x",
    "0x",
    "-",
    "1e",
    "128b",
    "toy.add",
    "toy.func",
    "body",
    "é",
    "\u{1f600}",
    "\0",
    "'",
    ".",
];

#[test]
fn damaged_texts_never_panic() {
    damaged(7, PIECES, &[SAMPLE.to_owned()], |text| {
        let parsed = parse_stage::<Toy>(&text, FileId(0));
        assert_eq!(parsed.spans.len(), parsed.module.funcs.len());
        let mut files = Files::new();
        files.add_text("t", text.clone());
        for problem in &parsed.diagnostics {
            assert!(problem.is_error());
            let at = problem.primary.as_ref().map(|label| label.at).unwrap();
            assert!(
                at.start <= at.end && at.end as usize <= text.len(),
                "{problem:?}\n{text}"
            );
            assert_eq!(
                files.clamp(at),
                Some(at.start as usize..at.end as usize),
                "{problem:?}\n{text}"
            );
        }
    });
}
