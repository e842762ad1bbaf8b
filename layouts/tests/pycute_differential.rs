//! The `pycute` package gave these answers; so does this crate. `tests/tools/diff_pycute.py` asks far
//! more questions and records these.

#[path = "support/cute_questions.rs"]
mod questions;
#[path = "support/records.rs"]
mod records;

#[test]
fn answers_are_those_of_pycute() {
    records::replay(include_str!("data/pycute.txt"), 19, questions::answer);
}
