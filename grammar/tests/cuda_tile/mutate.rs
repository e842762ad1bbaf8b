//! Damaged texts give errors, never a panic.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use tilewright_diagnostics::{FileId, Files};
use tilewright_grammar::cuda_tile::parse_tile_text;
use tilewright_irs::cuda_tile::print_tile_module;

use crate::corpus::made_texts;

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

#[derive(Clone, Debug)]
enum Edit {
    Delete(prop::sample::Index, usize),
    Insert(prop::sample::Index, &'static str),
    Copy(prop::sample::Index, prop::sample::Index, usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        (at(), 1usize..40).prop_map(|(at, n)| Edit::Delete(at, n)),
        (at(), prop::sample::select(PIECES)).prop_map(|(at, piece)| Edit::Insert(at, piece)),
        (at(), at(), 1usize..60).prop_map(|(from, to, n)| Edit::Copy(from, to, n)),
    ]
}

fn apply(text: &mut Vec<char>, edit: &Edit) {
    if text.is_empty() {
        return;
    }
    match edit {
        Edit::Delete(at, n) => {
            let at = at.index(text.len());
            let end = (at + n).min(text.len());
            text.drain(at..end);
        }
        Edit::Insert(at, piece) => {
            let at = at.index(text.len());
            text.splice(at..at, piece.chars());
        }
        Edit::Copy(from, to, n) => {
            let from = from.index(text.len());
            let end = (from + n).min(text.len());
            let copy: Vec<char> = text[from..end].to_vec();
            let to = to.index(text.len());
            text.splice(to..to, copy);
        }
    }
}

/// Windows of lines, so that each run is short and most of the text is reached.
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
    let config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[3; 32]));
    let edits = prop::collection::vec(edit(), 1..6);
    let windows = windows();
    for i in 0..10_000 {
        let edits = edits.new_tree(&mut runner).unwrap().current();
        let mut text: Vec<char> = windows[i % windows.len()].chars().collect();
        for edit in &edits {
            apply(&mut text, edit);
        }
        let head = "entry @k(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg3: tile<i1>) {\n";
        let text: String = head.chars().chain(text).collect();
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
    }
}
