//! Logarithms of f64, and the precise one of both types that powers need.
//!
//! A positive number is m 2^e with m from sqrt(1/2) to sqrt(2). With f = m - 1 and s = f / (2 + f), log(m) is
//! 2 s + s^3 P(s^2), which equals f - (f^2 / 2 - s (f^2 / 2 + s^2 P)): f is exact, and the error of s hardly matters.

use std::f64::consts::FRAC_1_SQRT_2;

use tilewright_irs::core::Value;
use tilewright_irs::dialects::arith::Predicate;

use super::floats::{Floats, Format, Pair};
use super::tables::{LN2_SHORT, LOG, LOG_TAIL, LOG2_E, TWO_THIRDS};

/// A positive number as `(1 + fraction) * 2^exponent`.
pub(super) struct Parts {
    pub(super) exponent: Value,
    pub(super) fraction: Value,
}

/// The parts of a positive number, with 1 + fraction from `least` on.
pub(super) fn parts(m: &mut Floats<'_, '_>, x: Value, least: f64) -> Parts {
    let Format { stored, bias, .. } = m.format;
    // A subnormal number is scaled first.
    let smallest = 2_f64.powi(1 - bias.cast_signed());
    let subnormal = m.compare_to(x, Predicate::Less, smallest);
    let up = m.number(2_f64.powi(stored.cast_signed()));
    let (shift, zero) = (m.number(-f64::from(stored)), m.number(0.0));
    let scaled = m.mul(x, up);
    let x = m.select(subnormal, scaled, x);
    let shift = m.select(subnormal, shift, zero);
    let bits = m.bits_of(x);
    let least = m.format.bits(least);
    let least = m.s.constant(m.format.int, least);
    let stored = m.int(i64::from(stored));
    let above = m.s.sub(bits, least);
    let exponent = m.s.shr_signed(above, stored);
    let field = m.s.shl(exponent, stored);
    let significand = m.s.sub(bits, field);
    let significand = m.of_bits(significand);
    let one = m.number(1.0);
    let fraction = m.sub(significand, one);
    let exponent = m.of_int(exponent);
    let exponent = m.add(exponent, shift);
    Parts { exponent, fraction }
}

/// log(1 + f) as a sum.
fn of_fraction(m: &mut Floats<'_, '_>, f: Value) -> Pair {
    let (two, half) = (m.number(2.0), m.number(0.5));
    let divisor = m.add(f, two);
    let s = m.div_roughly(f, divisor);
    let z = m.mul(s, s);
    let polynomial = m.polynomial(LOG, z);
    let rest = m.mul(z, polynomial);
    let halved = m.mul(f, half);
    let square = m.two_product(halved, f);
    let inner = m.add(square.high, rest);
    let negated = m.neg(square.high);
    let sum = m.ordered_sum(f, negated);
    let low = m.sub(sum.low, square.low);
    let low = m.fma(s, inner, low);
    Pair { high: sum.high, low }
}

/// The logarithm where it is a number, else what C gives.
pub(super) fn special(m: &mut Floats<'_, '_>, x: Value, log: Value) -> Value {
    let (zero, infinity) = (m.number(0.0), m.number(f64::INFINITY));
    let (nan, below) = (m.number(f64::NAN), m.number(f64::NEG_INFINITY));
    let number = m.compare(x, Predicate::Less, infinity);
    // Infinity and NaN are their own logarithms.
    let log = m.select(number, log, x);
    let negative = m.compare(x, Predicate::Less, zero);
    let log = m.select(negative, nan, log);
    let is_zero = m.compare(x, Predicate::Equal, zero);
    m.select(is_zero, below, log)
}

/// The natural logarithm.
pub(super) fn log(m: &mut Floats<'_, '_>, x: Value) -> Value {
    let Parts { exponent, fraction } = parts(m, x, FRAC_1_SQRT_2);
    let fraction = of_fraction(m, fraction);
    let (high, low) = (m.part(&LN2_SHORT, 0), m.part(&LN2_SHORT, 1));
    let whole = m.mul(exponent, high);
    let sum = m.ordered_sum(whole, fraction.high);
    let low = m.fma(exponent, low, fraction.low);
    let low = m.add(sum.low, low);
    let log = m.add(sum.high, low);
    special(m, x, log)
}

/// The logarithm to base 2.
pub(super) fn log2(m: &mut Floats<'_, '_>, x: Value) -> Value {
    let Parts { exponent, fraction } = parts(m, x, FRAC_1_SQRT_2);
    let fraction = of_fraction(m, fraction);
    let (high, low) = (m.part(&LOG2_E, 0), m.part(&LOG2_E, 1));
    let product = m.two_product(fraction.high, high);
    let low = m.fma(fraction.high, low, product.low);
    let low = m.fma(fraction.low, high, low);
    let sum = m.ordered_sum(exponent, product.high);
    let low = m.add(sum.low, low);
    let log = m.add(sum.high, low);
    special(m, x, log)
}

/// The natural logarithm of a positive number as a sum, with a relative error of about 2^-8 units in the last place of
/// its first part: 2 s + s^3 (2/3 + s^2 P(s^2)), of which all but P is computed in sums of two numbers.
pub(super) fn precise(m: &mut Floats<'_, '_>, x: Value) -> Pair {
    let Parts { exponent, fraction } = parts(m, x, FRAC_1_SQRT_2);
    let (one, two) = (m.number(1.0), m.number(2.0));
    let divisor = m.ordered_sum(two, fraction);
    let reciprocal = m.div_roughly(one, divisor.high);
    let high = m.mul(fraction, reciprocal);
    let rest = m.fma_negated(high, divisor.high, fraction);
    let rest = m.fma_negated(high, divisor.low, rest);
    let low = m.mul(rest, reciprocal);
    let s = m.ordered_sum(high, low);
    let z = m.pair_product(s, s);
    let tail = m.polynomial(m.format.of(&LOG_TAIL), z.high);
    let tail = m.mul(tail, z.high);
    let (high, low) = (m.part(&TWO_THIRDS, 0), m.part(&TWO_THIRDS, 1));
    let factor = m.ordered_sum(high, tail);
    let low = m.add(factor.low, low);
    let factor = Pair {
        high: factor.high,
        low,
    };
    let cube = m.pair_product(z, s);
    let cube = m.pair_product(cube, factor);
    let doubled = m.mul(s.high, two);
    let sum = m.ordered_sum(doubled, cube.high);
    let low = m.fma(s.low, two, cube.low);
    let low = m.add(sum.low, low);
    let fraction = m.ordered_sum(sum.high, low);
    let (high, low) = (m.part(&LN2_SHORT, 0), m.part(&LN2_SHORT, 1));
    let whole = m.mul(exponent, high);
    let sum = m.ordered_sum(whole, fraction.high);
    let low = m.fma(exponent, low, fraction.low);
    let low = m.add(sum.low, low);
    m.ordered_sum(sum.high, low)
}
