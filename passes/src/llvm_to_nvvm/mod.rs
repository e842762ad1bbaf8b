//! From `llvm_like` to `nvvm`: machine values become registers, generic ops target instructions.

mod arith;
mod control;
mod conversions;
mod float;
mod integer;
mod memory;
mod selector;

pub mod rename_kernel_marker;
pub mod select_instructions;
