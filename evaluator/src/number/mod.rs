//! Arithmetic on single numbers: pure functions from bits to bits.
//!
//! A number is its bit pattern in a `u64`, the unused high bits zero, as in [`Literal`](tilewright_irs::literal::Literal).
//! Integer functions take the [`ScalarType`](tilewright_irs::element::ScalarType) whose width counts; what an op reads
//! of its operands beyond their low bits is nothing, so functions never fail for bits that are too high.
//!
//! An op that has no value for its operands gives [`Undefined`]; one that wraps says so in [`Wrapped`].

pub mod int;
mod undefined;

pub use int::Wrapped;
pub use undefined::Undefined;
