//! Passes within any language: dead code, common subexpressions, loop invariants. What they must know of an op its
//! declaration says ([`Properties`](tilewright_irs::core::Properties)).

pub mod eliminate_dead_code;
pub mod hoist_loop_invariants;
pub mod merge_common_subexpressions;
pub(crate) mod substitute;

pub use eliminate_dead_code::eliminate_dead_code;
pub use hoist_loop_invariants::{HoistPolicy, hoist_loop_invariants};
pub use merge_common_subexpressions::merge_common_subexpressions;
