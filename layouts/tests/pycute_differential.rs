//! The `pycute` package gave these answers; so does this crate. `tests/tools/diff_pycute.py` asks far
//! more questions and records these.

#[path = "support/cute_questions.rs"]
mod questions;

#[test]
fn answers_are_those_of_pycute() {
    let records = include_str!("data/pycute.txt");
    let mut operations = std::collections::BTreeMap::new();
    for record in records
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let (question, expected) = record.split_once(" => ").expect("a question and an answer");
        assert_eq!(questions::answer(question).as_deref(), Ok(expected), "{question}");
        let operation = question.split(' ').next().unwrap_or_default();
        *operations.entry(operation).or_insert(0) += 1;
    }
    assert_eq!(operations.len(), 19, "{operations:?}");
    assert!(operations.values().all(|count| *count >= 25), "{operations:?}");
}
