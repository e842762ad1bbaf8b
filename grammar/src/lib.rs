//! Concrete syntax: readers and writers of text and bytecode for the languages of `tilewright-irs`.
//!
//! This crate does no I/O and does not depend on passes or a database.

pub mod bytecode;
pub mod cuda_tile;
mod cut;
mod detect;
mod escape;
mod expected;
pub mod mlir;
pub mod ptx;
mod snapshot;
pub mod stages;
mod statements;

pub use cut::{Alone, Cut, Frame, Piece, cut};
pub use detect::detect_language;
pub use snapshot::without_snapshot_header;
