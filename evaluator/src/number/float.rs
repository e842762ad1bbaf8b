//! Float arithmetic, in every format and every rounding mode.
//!
//! A result is the exact one rounded once. The rounding modes `approx` and `full` allow an error of some units in the
//! last place; here they round like `nearest_even`. `nearest_int_to_zero` is `zero`.
//!
//! - **NaN**: a NaN result is [`Format::nan`], whatever NaNs the operands are; only [`neg`] and [`abs`] return a NaN
//!   operand, with its sign changed.
//! - **Overflow**: as in IEEE 754 ([`Overflow::Ieee`]).
//! - **Flushing** (`flush_to_zero`, which the language has for `f32`): a subnormal operand is replaced by the zero of
//!   its sign, and so is a result that is subnormal after rounding.
//! - **Unsigned formats** drop the sign of a result. The language has no arithmetic on them, nor on the other 4- and
//!   8-bit formats.

use super::fast;
use super::format::{Format, Number};
use super::int::holds_of;
use super::round::{Direction, Overflow};
use std::cmp::Ordering;
use tilewright_irs::cuda_tile::{ComparisonOrdering, ComparisonPredicate, RoundingMode};

/// Rounds as arithmetic does.
fn encode(format: Format, direction: Direction, number: Number) -> u64 {
    format.encode(number, direction, Overflow::Ieee)
}

/// `a + b`.
pub fn add(format: Format, rounding: RoundingMode, flush: bool, a: u64, b: u64) -> u64 {
    let direction = Direction::of(rounding);
    let (a, b) = (format.flushed(flush, a), format.flushed(flush, b));
    let sum = fast::sum(format, direction, a, b).unwrap_or_else(|| exact_sum(format, direction, a, b));
    format.flushed(flush, sum)
}

pub(super) fn exact_sum(format: Format, direction: Direction, a: u64, b: u64) -> u64 {
    let sum = format.decode(a).sum(format.decode(b), direction);
    encode(format, direction, sum)
}

/// `a - b`.
pub fn sub(format: Format, rounding: RoundingMode, flush: bool, a: u64, b: u64) -> u64 {
    if format.is_signed() {
        return add(format, rounding, flush, a, neg(format, b));
    }
    let direction = Direction::of(rounding);
    let (a, b) = (format.flushed(flush, a), format.flushed(flush, b));
    let difference = format.decode(a).sum(format.decode(b).negated(), direction);
    format.flushed(flush, encode(format, direction, difference))
}

/// `a * b`.
pub fn mul(format: Format, rounding: RoundingMode, flush: bool, a: u64, b: u64) -> u64 {
    let direction = Direction::of(rounding);
    let (a, b) = (format.flushed(flush, a), format.flushed(flush, b));
    let product =
        fast::product(format, direction, a, b).unwrap_or_else(|| exact_product(format, direction, a, b));
    format.flushed(flush, product)
}

pub(super) fn exact_product(format: Format, direction: Direction, a: u64, b: u64) -> u64 {
    encode(format, direction, format.decode(a).product(format.decode(b)))
}

/// `a * b + c`, rounded once.
pub fn fma(format: Format, rounding: RoundingMode, flush: bool, a: u64, b: u64, c: u64) -> u64 {
    let operands = [a, b, c].map(|bits| format.flushed(flush, bits));
    format.flushed(
        flush,
        product_sum(format, format, Direction::of(rounding), operands),
    )
}

/// `a * b + c` of a matrix product: factors of one format, an accumulator of another, rounded once to nearest even.
pub fn multiply_accumulate(factors: Format, accumulator: Format, a: u64, b: u64, c: u64) -> u64 {
    product_sum(factors, accumulator, Direction::NearestEven, [a, b, c])
}

fn product_sum(factors: Format, result: Format, direction: Direction, operands: [u64; 3]) -> u64 {
    fast::product_sum(factors, result, direction, operands)
        .unwrap_or_else(|| exact_product_sum(factors, result, direction, operands))
}

pub(super) fn exact_product_sum(
    factors: Format,
    result: Format,
    direction: Direction,
    [a, b, c]: [u64; 3],
) -> u64 {
    let product = factors.decode(a).product(factors.decode(b));
    encode(result, direction, product.sum(result.decode(c), direction))
}

/// `(a * scale_a) * (b * scale_b) + c` of a block-scaled matrix product: numbers of at most 8 bits, scales of a second
/// format, an `f32` accumulator, rounded once to nearest even.
pub fn scaled_multiply_accumulate(
    factors: Format,
    scales: Format,
    [a, scale_a]: [u64; 2],
    [b, scale_b]: [u64; 2],
    c: u64,
) -> u64 {
    let scaled = |bits, scale| factors.decode(bits).product(scales.decode(scale));
    let product = scaled(a, scale_a).product(scaled(b, scale_b));
    let direction = Direction::NearestEven;
    encode(
        Format::F32,
        direction,
        product.sum(Format::F32.decode(c), direction),
    )
}

/// `a / b`.
///
/// With `approx` and a finite `b` above 2¹²⁶ in magnitude the language defines an `f32` quotient that is not the
/// nearest: NaN if `a` is infinite, otherwise zero with the quotient's sign.
pub fn div(format: Format, rounding: RoundingMode, flush: bool, a: u64, b: u64) -> u64 {
    let direction = Direction::of(rounding);
    let (a, b) = (format.flushed(flush, a), format.flushed(flush, b));
    if rounding == RoundingMode::Approx && format == Format::F32 && has_no_reciprocal(b) {
        return if format.is_nan(a) || format.is_infinite(a) {
            format.nan()
        } else {
            format.with_sign(format.is_negative(a) != format.is_negative(b), 0)
        };
    }
    let quotient =
        fast::quotient(format, direction, a, b).unwrap_or_else(|| exact_quotient(format, direction, a, b));
    format.flushed(flush, quotient)
}

pub(super) fn exact_quotient(format: Format, direction: Direction, a: u64, b: u64) -> u64 {
    encode(format, direction, format.decode(a).quotient(format.decode(b)))
}

/// Whether an `f32` is finite and above 2¹²⁶ in magnitude.
fn has_no_reciprocal(bits: u64) -> bool {
    let limit = u64::from((126f32).exp2().to_bits());
    let magnitude = Format::F32.magnitude(bits);
    limit < magnitude && magnitude <= Format::F32.max_finite()
}

/// `a - trunc(a / b) * b`, exactly; it has the sign of `a`.
pub fn rem(format: Format, a: u64, b: u64) -> u64 {
    let rest = format.decode(a).remainder(format.decode(b));
    encode(format, Direction::Zero, rest)
}

/// The square root, which is never subnormal. A negative zero is returned unchanged, another negative number gives
/// NaN.
pub fn sqrt(format: Format, rounding: RoundingMode, flush: bool, a: u64) -> u64 {
    let direction = Direction::of(rounding);
    let a = format.flushed(flush, a);
    fast::square_root(format, direction, a).unwrap_or_else(|| exact_square_root(format, direction, a))
}

pub(super) fn exact_square_root(format: Format, direction: Direction, a: u64) -> u64 {
    encode(format, direction, format.decode(a).square_root())
}

/// One over the square root, rounded once to nearest even; never subnormal. A zero gives the infinity of its sign.
///
/// The language states no error bound; CUDA's math library states 2 units in the last place in `f32`, 1 in `f64`.
pub fn rsqrt(format: Format, flush: bool, a: u64) -> u64 {
    let number = format.decode(format.flushed(flush, a));
    encode(format, Direction::NearestEven, number.reciprocal_square_root())
}

/// `-a`; also changes the sign of a NaN. An unsigned format drops the sign again.
pub const fn neg(format: Format, a: u64) -> u64 {
    format.with_sign(!format.is_negative(a), format.magnitude(a))
}

/// `|a|`; also clears the sign of a NaN.
pub const fn abs(format: Format, a: u64) -> u64 {
    format.magnitude(a)
}

/// The least integer that is not below `a`; a zero result has the sign of `a`.
pub fn ceil(format: Format, a: u64) -> u64 {
    to_integral(format, Direction::Up, a)
}

/// The greatest integer that is not above `a`; a zero result has the sign of `a`.
pub fn floor(format: Format, a: u64) -> u64 {
    to_integral(format, Direction::Down, a)
}

fn to_integral(format: Format, direction: Direction, a: u64) -> u64 {
    // The integer is exact in formats whose large numbers are all integers, which is all but the powers of two.
    encode(format, direction, format.decode(a).to_integral(direction))
}

/// The maximum; `+0` is greater than `-0`. With one NaN operand the result is NaN if `propagate_nan` is set,
/// otherwise the other operand.
pub fn max(format: Format, propagate_nan: bool, flush: bool, a: u64, b: u64) -> u64 {
    extreme(
        format,
        Ordering::Greater,
        propagate_nan,
        [a, b].map(|x| format.flushed(flush, x)),
    )
}

/// The minimum; `-0` is smaller than `+0`. With one NaN operand the result is NaN if `propagate_nan` is set,
/// otherwise the other operand.
pub fn min(format: Format, propagate_nan: bool, flush: bool, a: u64, b: u64) -> u64 {
    extreme(
        format,
        Ordering::Less,
        propagate_nan,
        [a, b].map(|x| format.flushed(flush, x)),
    )
}

fn extreme(format: Format, wanted: Ordering, propagate_nan: bool, operands: [u64; 2]) -> u64 {
    let [a, b] = operands.map(|bits| bits & format.ty().mask());
    match (format.is_nan(a), format.is_nan(b)) {
        (true, true) => format.nan(),
        (true, false) | (false, true) if propagate_nan => format.nan(),
        (true, false) => b,
        (false, true) => a,
        (false, false) if rank(format, a).cmp(&rank(format, b)) == wanted => a,
        (false, false) => b,
    }
}

/// An integer with the order of the format's values, with negative zero below positive zero.
fn rank(format: Format, bits: u64) -> i128 {
    let magnitude = i128::from(format.magnitude(bits));
    if format.is_negative(bits) {
        -1 - magnitude
    } else {
        magnitude
    }
}

/// The order of `a` and `b`; `None` if one is NaN. Zeros are equal.
pub fn order(format: Format, a: u64, b: u64) -> Option<Ordering> {
    if format.is_nan(a) || format.is_nan(b) {
        None
    } else if format.is_zero(a) && format.is_zero(b) {
        Some(Ordering::Equal)
    } else {
        Some(rank(format, a).cmp(&rank(format, b)))
    }
}

/// Whether the predicate is true for `a` and `b`. If one is NaN, the result is whether the comparison is `unordered`.
pub fn compare(
    format: Format,
    predicate: ComparisonPredicate,
    ordering: ComparisonOrdering,
    a: u64,
    b: u64,
) -> bool {
    match order(format, a, b) {
        Some(order) => holds_of(predicate, order),
        None => ordering == ComparisonOrdering::Unordered,
    }
}
