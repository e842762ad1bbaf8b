//! The intermediate languages, one module for each, and the SSA container that they share.
//!
//! This crate must not depend on text positions, files, a database, or any pass.

pub mod core;
pub mod cuda_tile;
pub mod cute_types;
pub mod dialects;
pub mod folding;
pub mod format;
pub mod isa;
pub mod literal;
pub mod machine;
pub mod quoted;

mod extents;
mod layout;
mod shared_size;
mod target;

pub mod cute_desugared;
pub mod llvm;
pub mod mlir;
pub mod nvvm;
pub mod ptx;
pub mod scheduled;
pub mod tileaa;
pub mod tileas;

pub use crate::core::element;
pub use extents::Extents;
pub use target::SharedAlign;
