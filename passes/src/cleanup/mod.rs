//! Passes within any language of structured control flow: nothing is computed in vain or twice.

pub mod eliminate_dead_code;
pub mod merge_common_subexpressions;

pub use eliminate_dead_code::eliminate_dead_code;
pub use merge_common_subexpressions::merge_common_subexpressions;
