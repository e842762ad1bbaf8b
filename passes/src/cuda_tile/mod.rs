//! Passes within `cuda_tile`: the user's program made simpler before anything is decided about it.

mod behaviour;
pub mod eliminate_dead_tile_ops;
pub mod hoist_tile_invariants;

pub use eliminate_dead_tile_ops::eliminate_dead_tile_ops;
pub use hoist_tile_invariants::hoist_tile_invariants;
