//! Recorded results of Triton's `LinearLayout`. `tests/tools/diff_triton_layouts.py` compares many more cases and
//! records these.

use crate::questions;
use crate::records;

#[test]
fn answers_are_those_of_triton() {
    records::replay(include_str!("data/triton.txt"), 12, questions::answer);
}
