//! Passes within any language of structured control flow: nothing is computed in vain, twice, or over and over.

pub mod eliminate_dead_code;
pub mod hoist_loop_invariants;
pub mod merge_common_subexpressions;
pub(crate) mod substitute;

pub use eliminate_dead_code::eliminate_dead_code;
pub use merge_common_subexpressions::merge_common_subexpressions;
