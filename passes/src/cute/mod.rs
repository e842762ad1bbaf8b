//! Passes within `cute`, the language of MLIR text.

mod adjacent;
pub mod check_compositions;
pub mod drop_assertions;
pub mod drop_static_arguments;
mod emit;
pub mod expand_comparisons;
pub mod expand_copies;
pub mod expand_fragments;
pub mod expand_prints;
pub mod expand_products;
pub mod expand_vectors;
pub mod fold_static;
pub mod place_shared_memory;

pub use check_compositions::check_compositions;
pub use drop_assertions::drop_assertions;
pub use drop_static_arguments::drop_static_arguments;
pub use expand_comparisons::expand_comparisons;
pub use expand_copies::expand_copies;
pub use expand_fragments::expand_fragments;
pub use expand_prints::expand_prints;
pub use expand_products::expand_products;
pub use expand_vectors::expand_vectors;
pub use fold_static::fold_static;
pub use place_shared_memory::place_shared_memory;
