//! Passes within `nvvm`.

mod remove_dead_code;

pub use remove_dead_code::remove_dead_code;
