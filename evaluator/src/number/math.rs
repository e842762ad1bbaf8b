//! Exponentials, logarithms, powers and trigonometry.
//!
//! Functions are computed in `f64` by crates in pure Rust, so that every host gives the same bits, and then rounded
//! to the format, to nearest even. Functions of one operand come from `pxfm`, which rounds them correctly in `f64`;
//! `pow` and `atan2` from `libm`, whose error is less than 0.8 and 1.3 units in the last place (measured against
//! mpmath, see `tests/tools/diff_numbers.py`) and which handles zeros and NaNs correctly. In the narrower formats a
//! result is correctly rounded unless the `f64` is so close to a tie that its error decides: one case in 2²⁷ for
//! `f32`, and for `atan2` of numbers whose tiny quotient is a tie.
//!
//! The language bounds the error of `tanh` alone: 2 units in the last place in `f32` and 1 in `f64`. `approx` and
//! `full` give the same results here. Where the language states no bound, the CUDA math library does (CUDA C++
//! Programming Guide, "Mathematical Functions"): the greatest difference from the correctly rounded result that was
//! found, in units in the last place. Versions of the guide differ a little; these are at least what each states.
//!
//! | function | `f32` | `f64` |
//! |---|---|---|
//! | `exp` | 2 | 1 |
//! | `exp2` | 2 | 1 |
//! | `log` | 1 | 1 |
//! | `log2` | 1 | 1 |
//! | `sin`, `cos` | 2 | 2 |
//! | `tan` | 4 | 2 |
//! | `sinh` | 3 | 2 |
//! | `cosh` | 2 | 1 |
//! | `tanh` | 2 | 1 |
//! | `atan2` | 3 | 2 |
//! | `pow` | 8 | 2 |
//! | `rsqrt` | 2 | 1 |
//!
//! `f16` and `bf16` are computed in `f32` and converted there, which can add half a unit.
//!
//! [`sqrt`](super::float::sqrt) and [`rsqrt`](super::float::rsqrt) are exact arithmetic, and rounded once.

use super::fast::{narrow, widen};
use super::format::Format;
use super::int::value;
use super::round::Direction;
use tilewright_irs::cuda_tile::Signedness;
use tilewright_irs::element::ScalarType;

fn unary(format: Format, function: fn(f64) -> f64, a: u64) -> u64 {
    narrow(format, Direction::NearestEven, function(widen(format, a)))
}

fn binary(format: Format, function: fn(f64, f64) -> f64, a: u64, b: u64) -> u64 {
    let result = function(widen(format, a), widen(format, b));
    narrow(format, Direction::NearestEven, result)
}

/// `e^a`.
pub fn exp(format: Format, a: u64) -> u64 {
    unary(format, pxfm::f_exp, a)
}

/// `2^a`; 1 for a subnormal operand, flushed or not.
pub fn exp2(format: Format, flush: bool, a: u64) -> u64 {
    let power = unary(format, pxfm::f_exp2, a);
    format.flushed(flush, power)
}

/// The natural logarithm: negative infinity for a zero, NaN for a negative number.
pub fn log(format: Format, a: u64) -> u64 {
    unary(format, pxfm::f_log, a)
}

/// The logarithm to base 2: negative infinity for a zero, NaN for a negative number.
pub fn log2(format: Format, a: u64) -> u64 {
    unary(format, pxfm::f_log2, a)
}

/// The sine of an angle in radians; NaN for an infinity.
pub fn sin(format: Format, a: u64) -> u64 {
    unary(format, pxfm::f_sin, a)
}

/// The cosine of an angle in radians; NaN for an infinity.
pub fn cos(format: Format, a: u64) -> u64 {
    unary(format, pxfm::f_cos, a)
}

/// The tangent of an angle in radians; NaN for an infinity.
pub fn tan(format: Format, a: u64) -> u64 {
    unary(format, pxfm::f_tan, a)
}

/// The hyperbolic sine.
pub fn sinh(format: Format, a: u64) -> u64 {
    // The crate loses the sign of a zero.
    unary(format, |x| pxfm::f_sinh(x).copysign(x), a)
}

/// The hyperbolic cosine.
pub fn cosh(format: Format, a: u64) -> u64 {
    unary(format, pxfm::f_cosh, a)
}

/// The hyperbolic tangent.
pub fn tanh(format: Format, a: u64) -> u64 {
    unary(format, pxfm::f_tanh, a)
}

/// The angle whose tangent is `x / y`, in the quadrant of both signs: `x` is the first argument of C's `atan2`, and the
/// special cases are those of C.
pub fn atan2(format: Format, x: u64, y: u64) -> u64 {
    binary(format, libm::atan2, x, y)
}

/// `a^b` (`fpowf`). The special cases are those of `pow` in C: `a^0` and `1^b` are 1 even if the other operand is a
/// NaN.
pub fn pow(format: Format, a: u64, b: u64) -> u64 {
    binary(format, libm::pow, a, b)
}

/// `a^n` (`fpowi`), where `n` has type `ty` and is read as signed. An integer of up to 53 bits is exact in `f64`, so
/// this is [`pow`]; the language has no 64-bit exponents, which would be rounded to the nearest `f64`.
pub fn powi(format: Format, a: u64, ty: ScalarType, n: u64) -> u64 {
    let exponent = value(ty, Signedness::Signed, n) as f64;
    narrow(
        format,
        Direction::NearestEven,
        libm::pow(widen(format, a), exponent),
    )
}
