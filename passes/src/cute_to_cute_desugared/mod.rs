//! The lowering from `cute` to `cute_desugared`.

mod algebra;
mod arith;
mod atoms;
mod attributes;
mod bits;
mod composed;
mod computed;
mod control;
pub mod desugar;
mod floats;
mod inline_ptx;
mod instructions;
mod leaves;
mod llvm;
mod math;
mod memory;
mod nvvm;
mod pointers;
mod primitives;
mod prints;
mod state;
mod types;
mod values;
mod vector;
mod views;

pub use desugar::desugar;
