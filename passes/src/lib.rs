//! The passes: plain functions from one language to the next.
//!
//! A pass must not depend on a database, a file or a span.

mod branches;
pub mod cleanup;
pub mod cuda_tile;
pub mod cuda_tile_to_tileaa;
pub mod cute;
pub mod cute_desugared;
pub mod cute_to_cute_desugared;
pub mod cute_to_llvm;
pub mod hints;
mod leaf_arithmetic;
pub mod llvm;
pub mod llvm_to_nvvm;
pub mod nvvm;
pub mod nvvm_to_ptx;
mod program_slice;
pub mod ptx;
mod register_division;
mod scalars;
pub mod scheduled;
pub mod scheduled_to_cute;
mod shared_copies;
pub mod tileaa;
pub mod tileaa_to_tileas;
pub mod tileas;
pub mod tileas_to_scheduled;
mod uses;
mod vprintf;
mod warp_reductions;
