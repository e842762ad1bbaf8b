//! Deterministic pseudorandom mutations of texts.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

#[derive(Clone, Debug)]
enum Edit {
    Delete(prop::sample::Index, usize),
    Insert(prop::sample::Index, &'static str),
    Copy(prop::sample::Index, prop::sample::Index, usize),
    Swap(prop::sample::Index, prop::sample::Index),
    Repeat(prop::sample::Index, usize),
}

fn edit(pieces: &'static [&'static str]) -> impl Strategy<Value = Edit> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        (at(), 1usize..40).prop_map(|(at, n)| Edit::Delete(at, n)),
        (at(), prop::sample::select(pieces)).prop_map(|(at, piece)| Edit::Insert(at, piece)),
        (at(), at(), 1usize..60).prop_map(|(from, to, n)| Edit::Copy(from, to, n)),
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
        Edit::Copy(from, to, n) => copy(text, from.index(text.len()), to.index(text.len()), *n),
        Edit::Swap(a, b) => {
            let (a, b) = (a.index(text.len()), b.index(text.len()));
            text.swap(a, b);
        }
        Edit::Repeat(at, n) => {
            let at = at.index(text.len());
            copy(text, at, at, *n);
        }
    }
}

fn copy(text: &mut Vec<char>, from: usize, to: usize, count: usize) {
    let end = (from + count).min(text.len());
    let copy: Vec<char> = text[from..end].to_vec();
    text.splice(to..to, copy);
}

/// Mutates texts, in turn, 10,000 times, also inserting `pieces`, and passes each to `check`.
pub(crate) fn damaged(seed: u8, pieces: &'static [&'static str], texts: &[String], check: impl Fn(String)) {
    let config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let edits = prop::collection::vec(edit(pieces), 1..6);
    for text in texts.iter().cycle().take(10_000) {
        let edits = edits.new_tree(&mut runner).unwrap().current();
        let mut text: Vec<char> = text.chars().collect();
        for edit in &edits {
            apply(&mut text, edit);
        }
        check(text.into_iter().collect());
    }
}
