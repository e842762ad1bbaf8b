//! Passes within `cute_desugared`.

pub mod expand_pipes;
pub mod hoist_swizzles;
pub mod merge_branches;

pub use expand_pipes::expand_pipes;
pub use hoist_swizzles::hoist_swizzles;
pub use merge_branches::merge_branches;
