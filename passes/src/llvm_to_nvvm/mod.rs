//! The lowering from `llvm_like` to `nvvm`: instruction selection.

mod arith;
mod atomics;
mod control;
mod conversions;
mod float;
mod integer;
mod memory;
mod rename_kernel_marker;
mod select_instructions;
mod selector;
mod target;

pub use rename_kernel_marker::rename_kernel_marker;
pub use select_instructions::select_instructions;
