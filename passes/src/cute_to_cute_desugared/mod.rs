//! `cute` to `cute_desugared`: the second way into the cascade.

pub mod desugar;

pub use desugar::desugar;
