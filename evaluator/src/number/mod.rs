//! Arithmetic on single numbers: pure functions from bits to bits.
//!
//! A number is its bit pattern in a `u64`, the unused high bits zero, as in [`Literal`](tilewright_irs::literal::Literal).
//! Integer functions take the [`ScalarType`](tilewright_irs::element::ScalarType) whose width counts, float functions
//! the [`Format`] of the type. Higher bits of operands are not read, so nothing here fails or panics for them.
//!
//! An op that has no value for its operands gives [`Undefined`]; one that wraps says so in [`Wrapped`].

#[cfg(test)]
mod agreement;
pub mod convert;
mod exact;
mod fast;
pub mod float;
mod format;
pub mod int;
pub mod math;
pub mod pack;
mod round;
mod undefined;

pub use format::{Format, Specials};
pub use int::Wrapped;
pub use round::Overflow;
pub use undefined::Undefined;
