//! Passes within `tileaa`.

mod legalize_products;
mod propagate_facts;
mod prove_in_bounds;
pub mod select_atoms;
mod split_full_tiles;
mod tiled;

pub use legalize_products::legalize_products;
pub(crate) use propagate_facts::lattice;
pub use propagate_facts::propagate_facts;
pub use prove_in_bounds::prove_in_bounds;
pub use select_atoms::select_atoms;
pub use split_full_tiles::split_full_tiles;
