//! Passes within `nvvm`: what ptxas must not, or cannot, do itself, the order of instructions, and the
//! registers of a thread.

mod dependences;
mod estimate_registers;
pub mod hide_known_bits;
pub mod hide_large_coefficients;
pub mod hide_product_constants;
pub mod keep_waits;
pub mod limit_registers;
pub(crate) mod liveness;
mod order;
mod pressure;
mod product_loops;
pub mod raise_register_limit;
pub mod reduce_register_pressure;
mod unknown_zero;

pub use estimate_registers::estimate_registers;
pub use hide_known_bits::hide_known_bits;
pub use hide_large_coefficients::hide_large_coefficients;
pub use hide_product_constants::hide_product_constants;
pub use keep_waits::keep_waits;
pub use limit_registers::limit_registers;
pub use raise_register_limit::raise_register_limit;
pub use reduce_register_pressure::reduce_register_pressure;
