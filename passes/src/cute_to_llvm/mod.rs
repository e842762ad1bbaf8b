//! `cute_desugared` to `llvm_like`: machine values.

mod lower_addresses;
mod lower_algebra;
mod lower_control_flow;
pub mod lower_kernel_attributes;
mod lower_memory;
pub mod scalarize_fragments;

pub use lower_kernel_attributes::lower_kernel_attributes;
pub use scalarize_fragments::scalarize_fragments;
