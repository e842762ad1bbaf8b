//! Passes within `nvvm`: what ptxas must not, or cannot, do itself.

pub mod hide_product_constants;

pub use hide_product_constants::hide_product_constants;
