//! Mutated texts give errors and never a panic.

use tilewright_diagnostics::{FileId, Files};
use tilewright_grammar::cuda_tile::parse_tile_text;
use tilewright_irs::cuda_tile::print_tile_module;

use crate::corpus::made_texts;
use crate::damage::damaged;

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
    "->",
    "%",
    "%0",
    "%arg0",
    "%x:99999999",
    "@",
    "@k",
    "#",
    "#loc",
    "\"",
    "\\",
    "\n",
    " ",
    "//",
    "?",
    "4x",
    "?x",
    "0x",
    "0x1F",
    "-",
    "1e9",
    "-99999999999999999999",
    "entry",
    "for",
    "if",
    "else",
    "loop",
    "reduce",
    "token",
    "tile<",
    "tile<4xf32>",
    "loc(",
    "constant",
    "attributes",
    "é",
    "\0",
];

/// Windows of lines, so that each run is short and most of the text is covered.
fn windows() -> Vec<String> {
    let mut windows = Vec::new();
    for (_, text) in made_texts() {
        let lines: Vec<&str> = text.lines().filter(|line| line.len() < 400).collect();
        windows.extend(lines.chunks(30).map(|chunk| chunk.join("\n")));
    }
    windows
}

#[test]
fn damaged_texts_never_panic() {
    damaged(3, PIECES, &windows(), |text| {
        let head = "entry @k(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg3: tile<i1>) {\n";
        let text = format!("{head}{text}");
        let parsed = parse_tile_text(&text, FileId(0));
        assert_eq!(parsed.spans.len(), parsed.module.funcs.len());
        print_tile_module(&parsed.module, Some(&parsed.debug));
        let mut files = Files::new();
        files.add_text("t", text.clone());
        for problem in &parsed.diagnostics {
            let at = problem.primary.as_ref().map(|label| label.at).unwrap();
            assert_eq!(
                files.clamp(at),
                Some(at.start as usize..at.end as usize),
                "{problem:?}\n{text}"
            );
        }
    });
}
