//! Triton's own `LinearLayout` gave these answers; so does this crate. `tests/tools/diff_triton_layouts.py`
//! asks far more questions and records these.

#[path = "support/questions.rs"]
mod questions;
#[path = "support/records.rs"]
mod records;

#[test]
fn answers_are_those_of_triton() {
    records::replay(include_str!("data/triton.txt"), 12, questions::answer);
}
