//! Passes within `cute_desugared`.

pub mod expand_pipes;

pub use expand_pipes::expand_pipes;
