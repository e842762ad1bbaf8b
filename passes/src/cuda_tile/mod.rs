//! Passes within `cuda_tile`: optimisations before the lowering.

pub(crate) mod as_arith;
mod behaviour;
mod canonicalize;
pub mod fuse_multiply_add;
pub mod hoist_tile_invariants;
pub mod scalarize_fold_bodies;
pub mod split_loops;
pub mod synthesize_debug_scopes;

pub use canonicalize::{canonicalize, canonicalize_structure};
pub use fuse_multiply_add::fuse_multiply_add;
pub use hoist_tile_invariants::hoist_tile_invariants;
pub use scalarize_fold_bodies::scalarize_fold_bodies;
pub use split_loops::split_loops;
pub use synthesize_debug_scopes::synthesize_debug_scopes;
