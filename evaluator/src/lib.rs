//! Reference interpreter of `cuda_tile` on the CPU, op by op: the oracle for other ways to run a kernel.
//!
//! This crate depends on the language (`irs::cuda_tile`) and diagnostics. It must not depend on passes, the simulator
//! or text formats, so that it is an independent witness.

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
