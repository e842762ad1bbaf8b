//! The lowering from `cute` to `cute_desugared`.

pub mod desugar;

pub use desugar::desugar;
