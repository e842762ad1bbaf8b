//! Concrete syntax: text and bytecode to the languages of `tilewright-irs` and back.
//!
//! This crate does no input or output and knows no pass and no database.

pub mod bytecode;
pub mod cuda_tile;
mod detect;
mod escape;
mod expected;
pub mod ptx;
mod snapshot;
pub mod stages;
mod statements;

pub use detect::detect_language;
pub use snapshot::without_snapshot_header;
