//! Runs `cuda_tile` on the CPU, straight from the meaning of its ops: what other ways to run a kernel are tested
//! against.
//!
//! This crate knows the language (`irs::cuda_tile`) and diagnostics. It must know nothing of passes, of the simulator
//! or of texts, so that it can disagree with them.

mod fault;
mod frame;
mod launch;
mod machine;
mod memory;
pub mod number;
mod ops;
mod tile;
mod unspecified;

pub use launch::{Arg, Device};
pub use memory::{BufferId, Init};
