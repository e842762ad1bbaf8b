//! Dialects shared by several languages, each declared once and included as one variant of a language's ops.

pub mod access;
pub mod arith;
pub mod arith_rules;
pub mod boxes;
pub mod copies;
pub mod cute;
pub mod cute_nvgpu;
pub mod fast_math;
pub mod fold_rules;
pub mod fragment;
pub mod gpu;
pub mod map_table;
pub mod math;
pub mod memory;
pub mod memory_rules;
pub mod pipe;
pub mod product_rules;
pub mod route;
pub mod scf;
pub mod tile;
pub mod tile_rules;
pub mod warpgroup_mma;
