//! Arithmetic on single numbers: pure functions from bits to bits.
//!
//! A number is its bit pattern in a `u64`, the unused high bits zero, as in
//! [`Literal`](tilewright_irs::literal::Literal). Integer functions take the
//! [`ScalarType`](tilewright_irs::element::ScalarType), float functions the [`Format`] of the type. Higher bits of
//! operands are ignored, so nothing here fails or panics for them.
//!
//! ```
//! use tilewright_evaluator::number::{Format, float, int};
//! use tilewright_irs::cuda_tile::RoundingMode;
//! use tilewright_irs::element::ScalarType;
//!
//! let (one, third) = (0x3C00, 0x3555);
//! assert_eq!(float::add(Format::F16, RoundingMode::NearestEven, false, one, third), 0x3D55);
//! assert_eq!(float::add(Format::F16, RoundingMode::PositiveInf, false, one, third), 0x3D56);
//! let sum = int::add(ScalarType::I8, 0x7F, 1);
//! assert_eq!((sum.bits, sum.signed_overflow, sum.unsigned_overflow), (0x80, true, false));
//! ```
//!
//! An op that is undefined for its operands returns [`Undefined`]; one that wraps reports it in [`Wrapped`].
//! `docs/arithmetic.md` lists the results where the language leaves a choice.

#[cfg(test)]
mod agreement;
pub mod convert;
mod exact;
mod fast;
pub mod float;
mod format;
pub mod int;
pub mod math;
pub mod nudge;
pub mod pack;
pub mod product;
mod round;
mod undefined;

pub use format::{Format, Specials};
pub use int::Wrapped;
pub use round::Overflow;
pub use undefined::Undefined;
