//! Passes within `llvm_like`: legalisation and simplification.

pub mod balance_sums;
pub mod contract_products;
pub mod dissolve_structs;
pub mod divide_by_reciprocals;
pub mod expand_atomics;
pub mod expand_float_remainder;
pub mod expand_integer_division;
pub mod expand_math;
pub mod expand_storage_types;
pub mod legalize_small_floats;
pub mod legalize_small_integers;
mod loops;
pub mod order_conditions;
pub mod reduce_addresses;
mod rewrite;
mod scalars;
pub mod simplify;
pub mod simplify_floats;

pub use balance_sums::balance_sums;
pub use contract_products::contract_products;
pub use dissolve_structs::dissolve_structs;
pub use divide_by_reciprocals::divide_by_reciprocals;
pub use expand_atomics::expand_atomics;
pub use expand_float_remainder::expand_float_remainder;
pub use expand_integer_division::expand_integer_division;
pub use expand_math::expand_math;
pub use expand_storage_types::expand_storage_types;
pub use legalize_small_floats::legalize_small_floats;
pub use legalize_small_integers::legalize_small_integers;
pub use order_conditions::order_conditions;
pub use reduce_addresses::reduce_addresses;
pub use simplify::simplify;
pub use simplify_floats::simplify_floats;
