//! Passes within `tileaa`.

mod propagate_facts;
pub mod select_atoms;
mod split_full_tiles;

pub(crate) use propagate_facts::lattice;
pub use propagate_facts::propagate_facts;
pub use select_atoms::select_atoms;
pub use split_full_tiles::split_full_tiles;
