//! Damaged texts give errors and never a panic.

use tilewright_diagnostics::FileId;
use tilewright_grammar::mlir::read_mlir;
use tilewright_irs::mlir::print::{Form, print_module};

use crate::damage::damaged;
use crate::forms::{TEXTS, module};

const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "<{",
    "}>",
    ",",
    ":",
    "=",
    "->",
    "%",
    "%0",
    "%0#1",
    "%0:99999999",
    "@",
    "@k",
    "#",
    "#a",
    "!",
    "!a",
    "\"",
    "\\",
    "\n",
    " ",
    "//",
    "?",
    "0x",
    "-",
    "1e9",
    "-99999999999999999999",
    "scf.for",
    "scf.if",
    "scf.while",
    "else",
    "do",
    "cute.copy",
    "arith.constant",
    "i32",
    "vector<4xf32>",
    "!cute.layout<\"(8,?):(1,8)\">",
    "array<i32: 1>",
    "dense<[1]>",
    "loc(",
    "attributes",
    "^bb0",
    "é",
    "\0",
];

#[test]
fn damaged_texts_never_panic() {
    let mut texts = Vec::new();
    for (_, text) in TEXTS {
        let printed = print_module(&module(text), Form::Custom);
        for whole in [text, &printed] {
            let lines: Vec<&str> = whole.lines().collect();
            texts.extend(
                lines
                    .chunks(20)
                    .map(|chunk| format!("module {{\nfunc.func @f() {{\n{}\n", chunk.join("\n"))),
            );
        }
    }
    damaged(5, PIECES, &texts, |text| match read_mlir(&text, FileId(0)) {
        Ok(read) => {
            assert_eq!(module(&print_module(&read.module, Form::Generic)), read.module);
            if let Err(problems) = read.verified() {
                assert!(!problems.is_empty());
            }
        }
        Err(problems) => {
            assert!(!problems.is_empty());
            for problem in problems {
                let at = problem.primary.expect("a place").at;
                assert!(
                    text.get(at.start as usize..at.end as usize).is_some(),
                    "{:?}\n{text}",
                    problem.code
                );
            }
        }
    });
}

#[test]
fn texts_that_end_early_have_errors() {
    for (_, text) in TEXTS {
        for end in (0..text.trim_end().len()).step_by(97) {
            if let Some(part) = text.get(..end) {
                assert!(read_mlir(part, FileId(0)).is_err());
            }
        }
    }
}
