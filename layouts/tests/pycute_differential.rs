//! Recorded results of the `pycute` package. `tests/tools/diff_pycute.py` compares many more cases and records these.

use crate::cute_questions as questions;
use crate::records;

#[test]
fn answers_are_those_of_pycute() {
    records::replay(include_str!("data/pycute.txt"), 19, questions::answer);
}
