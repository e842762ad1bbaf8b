//! Passes within `tileaa`.

mod axis_classes;
pub(crate) mod choose_copies;
pub(crate) mod choose_routes;
mod distribute_tiles;
mod early_loads;
mod legalize_products;
mod merge_repeated_loads;
mod narrow_tiles;
mod own_sums;
pub(crate) mod persistent_loops;
mod prefetch_loads;
mod propagate_facts;
mod prove_in_bounds;
pub mod reason;
pub mod select_atoms;
mod split_accumulators;
mod split_full_tiles;
mod structure_continues;
mod tile_parts;
mod tiled;
mod unroll_loops;

pub use choose_copies::{choose_copies, explain_copies};
pub use choose_routes::{choose_routes, explain_routes};
pub use distribute_tiles::distribute_tiles;
pub use legalize_products::legalize_products;
pub use merge_repeated_loads::merge_repeated_loads;
pub use narrow_tiles::narrow_tiles;
pub use prefetch_loads::prefetch_loads;
pub(crate) use propagate_facts::lattice;
pub use propagate_facts::propagate_facts;
pub use prove_in_bounds::prove_in_bounds;
pub use select_atoms::{explain_accesses, select_atoms};
pub use split_accumulators::split_accumulators;
pub use split_full_tiles::split_full_tiles;
pub use structure_continues::structure_continues;
pub use unroll_loops::unroll_loops;
