//! Language-independent passes: dead-code elimination, common-subexpression elimination, hoisting of loop invariants.
//! They use the [`Properties`](tilewright_irs::core::Properties) of declarations.

pub mod eliminate_dead_code;
pub mod hoist_loop_invariants;
pub mod merge_common_subexpressions;
pub(crate) mod substitute;

pub use eliminate_dead_code::eliminate_dead_code;
pub(crate) use eliminate_dead_code::without_dead_code;
pub use hoist_loop_invariants::{HoistPolicy, hoist_loop_invariants};
pub use merge_common_subexpressions::merge_common_subexpressions;
pub(crate) use merge_common_subexpressions::without_common_subexpressions;
