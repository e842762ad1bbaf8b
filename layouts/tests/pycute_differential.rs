//! Recorded results of the `pycute` package. `tests/tools/diff_pycute.py` compares many more cases and records these.

#[path = "support/cute_questions.rs"]
mod questions;
#[path = "support/records.rs"]
mod records;

#[test]
fn answers_are_those_of_pycute() {
    records::replay(include_str!("data/pycute.txt"), 19, questions::answer);
}
