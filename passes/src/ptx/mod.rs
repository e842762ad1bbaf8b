//! What is done to `ptx`.

mod mark_schedule;

pub use mark_schedule::{Mark, Marked, NUMBER_BITS, RECORDS, VARIABLE, mark_schedule};
