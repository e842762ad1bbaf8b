//! The lowering from `scheduled` to `cute_desugared`: per-thread code.

mod address_tiles;
mod agent;
mod atomics;
mod constants;
mod convert_layouts;
mod copy_async;
mod copy_buffers;
mod emit;
mod exchanges;
mod folds;
mod gather_scatter;
pub mod lower_fragments;
mod move_matrices;
mod pipes;
mod placement;
mod prints;
mod products;
mod reductions;
mod scans;
mod shape_ops;
mod shared_offsets;
mod tensor_copies;
mod warpgroups;

pub use lower_fragments::lower_fragments;
