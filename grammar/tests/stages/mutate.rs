//! Damaged texts give errors, never a panic.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use tilewright_diagnostics::{FileId, Files};
use tilewright_grammar::stages::parse_stage;

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

#[derive(Clone, Debug)]
enum Edit {
    Delete(prop::sample::Index, usize),
    Insert(prop::sample::Index, &'static str),
    Swap(prop::sample::Index, prop::sample::Index),
    Repeat(prop::sample::Index, usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        (at(), 1usize..40).prop_map(|(at, n)| Edit::Delete(at, n)),
        (at(), prop::sample::select(PIECES)).prop_map(|(at, piece)| Edit::Insert(at, piece)),
        (at(), at()).prop_map(|(a, b)| Edit::Swap(a, b)),
        (at(), 1usize..40).prop_map(|(at, n)| Edit::Repeat(at, n)),
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
        Edit::Swap(a, b) => {
            let (a, b) = (a.index(text.len()), b.index(text.len()));
            text.swap(a, b);
        }
        Edit::Repeat(at, n) => {
            let at = at.index(text.len());
            let end = (at + n).min(text.len());
            let copy: Vec<char> = text[at..end].to_vec();
            text.splice(at..at, copy);
        }
    }
}

#[test]
fn damaged_texts_never_panic() {
    let config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]));
    let edits = prop::collection::vec(edit(), 1..6);
    for _ in 0..10_000 {
        let edits = edits.new_tree(&mut runner).unwrap().current();
        let mut text: Vec<char> = SAMPLE.chars().collect();
        for edit in &edits {
            apply(&mut text, edit);
        }
        let text: String = text.into_iter().collect();
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
    }
}
