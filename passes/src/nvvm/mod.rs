//! Passes within `nvvm`.

pub mod remove_dead_code;
