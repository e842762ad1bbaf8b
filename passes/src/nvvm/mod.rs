//! Passes within `nvvm`: what ptxas must not, or cannot, do itself, and the order of instructions.

pub mod hide_product_constants;
pub mod reduce_register_pressure;

pub use hide_product_constants::hide_product_constants;
pub use reduce_register_pressure::reduce_register_pressure;
