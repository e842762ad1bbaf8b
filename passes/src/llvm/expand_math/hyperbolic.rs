//! Hyperbolic functions of f64.
//!
//! From 1 on, `sinh` and `cosh` are E - 1 / (4 E) and E + 1 / (4 E) with E = e^x / 2, which overflows when they do. Below 1
//! `sinh` is x + x^3 P(x^2). `tanh` is such a polynomial below 0.55, else 1 - 2 / (e^2x + 1) in sums of two numbers.

use tilewright_irs::core::Value;
use tilewright_irs::dialects::arith::Predicate;

use super::exponential::{limit, power_of_e, within};
use super::floats::{Floats, Pair};
use super::tables::{SINH, TANH};

/// x + x^3 P(x^2).
fn odd(m: &mut Floats<'_, '_>, terms: &[f64], x: Value) -> Value {
    let z = m.mul(x, x);
    let polynomial = m.polynomial(terms, z);
    let cube = m.mul(x, z);
    m.fma(cube, polynomial, x)
}

/// e^x / 2, and a quarter of its reciprocal.
fn halves(m: &mut Floats<'_, '_>, x: Value) -> (Value, Value) {
    let power = power_of_e(m, x, None);
    let one = m.int(1);
    let exponent = m.s.sub(power.exponent, one);
    let half = m.scaled(power.number.high, exponent);
    let half = within(m, x, half, limit(m.format));
    let quarter = m.number(0.25);
    let rest = m.div_roughly(quarter, half);
    (half, rest)
}

pub(super) fn sinh(m: &mut Floats<'_, '_>, x: Value) -> Value {
    let size = m.abs(x);
    let near = odd(m, SINH, size);
    let (half, rest) = halves(m, size);
    let far = m.sub(half, rest);
    let small = m.compare_to(size, Predicate::Less, 1.0);
    let result = m.select(small, near, far);
    m.with_sign_of(result, x)
}

pub(super) fn cosh(m: &mut Floats<'_, '_>, x: Value) -> Value {
    let size = m.abs(x);
    let (half, rest) = halves(m, size);
    m.add(half, rest)
}

pub(super) fn tanh(m: &mut Floats<'_, '_>, x: Value) -> Value {
    let size = m.abs(x);
    let near = odd(m, TANH, size);
    let far = far(m, size);
    let small = m.compare_to(size, Predicate::Less, 0.55);
    let result = m.select(small, near, far);
    m.with_sign_of(result, x)
}

/// The hyperbolic tangent of a number from 0.55 on.
fn far(m: &mut Floats<'_, '_>, size: Value) -> Value {
    // From there on the result is 1. The comparison is false for a NaN.
    let most = m.number(24.0);
    let large = m.compare(size, Predicate::Greater, most);
    let size = m.select(large, most, size);
    let (one, two, half) = (m.number(1.0), m.number(2.0), m.number(0.5));
    let doubled = m.mul(size, two);
    let power = power_of_e(m, doubled, None);
    let factor = m.power_of_two(power.exponent);
    let high = m.mul(power.number.high, factor);
    let low = m.mul(power.number.low, factor);
    let divisor = m.ordered_sum(high, one);
    let divisor = Pair {
        high: divisor.high,
        low: m.add(divisor.low, low),
    };
    let quotient = m.div_roughly(two, divisor.high);
    let rest = m.fma_negated(quotient, divisor.high, two);
    let rest = m.fma_negated(quotient, divisor.low, rest);
    let halved = m.mul(quotient, half);
    let correction = m.mul(rest, halved);
    let negated = m.neg(quotient);
    let sum = m.ordered_sum(one, negated);
    let low = m.sub(sum.low, correction);
    m.add(sum.high, low)
}
