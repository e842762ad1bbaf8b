//! The languages of the cascade, one module a stage, and the SSA container they share.
//!
//! This crate must not know text positions, files, a database, or any pass.

pub mod core;
pub mod cuda_tile;
pub mod dialects;
pub mod element;
pub mod folding;
pub mod isa;
pub mod literal;

mod layout;
mod target;

pub mod cute;
pub mod cute_desugared;
pub mod llvm;
pub mod nvvm;
pub mod ptx;
pub mod scheduled;
pub mod tileaa;
pub mod tileas;

pub use target::SharedAlign;
