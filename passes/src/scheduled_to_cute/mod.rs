//! The lowering from `scheduled` to `cute_desugared`: per-thread code.

mod address_tiles;
mod agent;
mod atomics;
mod atoms;
mod constants;
mod convert_layouts;
mod copy_buffers;
mod emit;
mod exchanges;
mod folds;
mod function;
mod gather_scatter;
pub mod lower_fragments;
mod map_runs;
mod multiplied;
mod overlap_barrier;
mod pipes;
mod placement;
mod prints;
mod read_stages;
mod reductions;
mod scans;
mod shape_ops;
mod shared_offsets;
mod tensor_maps;
mod tiled_accesses;
mod waits;

pub use lower_fragments::lower_fragments;
