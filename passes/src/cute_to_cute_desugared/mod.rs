//! The lowering from `cute` to `cute_desugared`.

mod algebra;
mod arith;
mod atoms;
mod attributes;
mod control;
pub mod desugar;
mod leaves;
mod math;
mod memory;
mod nvvm;
mod pointers;
mod types;
mod vector;
mod views;

pub use desugar::desugar;
