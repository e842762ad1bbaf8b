//! Passes within `tileaa`.

mod propagate_facts;

pub(crate) use propagate_facts::lattice;
pub use propagate_facts::propagate_facts;
