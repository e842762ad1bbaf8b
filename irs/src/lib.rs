//! The languages of the cascade, one module a stage, and the SSA container they share.
//!
//! This crate must not know text positions, files, a database, or any pass.

pub mod core;
pub mod element;
pub mod literal;

pub mod ptx;
