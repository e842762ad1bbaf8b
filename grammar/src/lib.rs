//! Concrete syntax: text and bytecode to the languages of `tilewright-irs` and back.
//!
//! This crate does no input or output and knows no pass and no database.

pub mod cuda_tile;
