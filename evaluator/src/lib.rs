//! Reference interpreter of `cuda_tile` on the CPU, op by op: the oracle for other ways to run a kernel. And the interpreter of
//! [host functions](host) of modules of `cute`, which says what they launch.
//!
//! This crate depends on the languages (`irs::cuda_tile`, `irs::mlir`), on `layouts` and on diagnostics. It must not depend on passes, the simulator
//! or text formats, so that it is an independent witness.

mod fault;
mod frame;
pub mod host;
mod launch;
mod machine;
mod memory;
pub mod number;
mod ops;
mod tile;
mod unspecified;

pub use launch::{Arg, Device};
pub use memory::{BufferId, Init};
