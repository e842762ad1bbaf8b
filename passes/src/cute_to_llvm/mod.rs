//! The lowering from `cute_desugared` to `llvm_like`.

mod bank;
mod emit;
mod lower_addresses;
mod lower_barriers;
mod lower_control_flow;
pub mod lower_instructions;
mod lower_kernel_attributes;
mod lower_memory;
mod lower_multimem;
mod lower_shuffles;
mod lower_tensor_copies;
mod lower_warp;
mod lower_warpgroups;
mod make_maps;
mod map_slots;
mod map_tables;
pub mod scalarize_fragments;
mod state;

pub use lower_kernel_attributes::lower_kernel_attributes;
pub use scalarize_fragments::scalarize_fragments;
