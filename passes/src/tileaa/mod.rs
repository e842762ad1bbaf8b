//! Passes within `tileaa`.

mod propagate_facts;

pub use propagate_facts::propagate_facts;
