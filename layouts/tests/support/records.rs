//! Replays recorded queries and answers.

use std::collections::BTreeMap;
use std::fmt::Debug;

/// Replays every query of the records, whose lines are `QUESTION => ANSWER`, and checks the recorded
/// answer; requires at least 25 of each of the given number of operations, the first words of the
/// queries.
pub(crate) fn replay<E: Debug + PartialEq>(
    records: &str,
    operations: usize,
    answer: impl Fn(&str) -> Result<String, E>,
) {
    let mut counts = BTreeMap::new();
    for record in records
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let (question, expected) = record.split_once(" => ").expect("a question and an answer");
        assert_eq!(answer(question).as_deref(), Ok(expected), "{question}");
        let operation = question.split(' ').next().unwrap_or_default();
        *counts.entry(operation).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), operations, "{counts:?}");
    assert!(counts.values().all(|count| *count >= 25), "{counts:?}");
}
