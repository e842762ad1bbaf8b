//! Trigonometric functions of f64.
//!
//! The angle is a multiple of pi / 2 and a rest r of at most pi / 4. sin(r) is r + r^3 P(r^2), cos(r) is
//! 1 - r^2 / 2 + r^4 Q(r^2); the quadrant says which of the two it is, and its sign.

use tilewright_irs::core::Value;
use tilewright_irs::dialects::arith::{Predicate, Signedness};

use super::floats::{Floats, Pair};
use super::reduce_angle::{Reduced, Rest, reduce};
use super::tables::{COS, SIN};

/// The sine and the cosine of a rest.
fn both(m: &mut Floats<'_, '_>, rest: &Rest) -> (Pair, Pair) {
    let r = rest.high;
    let (one, half) = (m.number(1.0), m.number(0.5));
    let z = m.mul(r, r);
    let halved = m.mul(z, half);
    let polynomial = m.polynomial(SIN, z);
    let cube = m.mul(r, z);
    let mut sine = Pair {
        high: r,
        low: m.mul(cube, polynomial),
    };
    let negated = m.neg(halved);
    let mut cosine = m.ordered_sum(one, negated);
    let polynomial = m.polynomial(COS, z);
    let square = m.mul(z, z);
    cosine.low = m.fma(square, polynomial, cosine.low);
    // sin(r + low) = sin(r) + low cos(r), and cos(r + low) = cos(r) - low sin(r).
    if let Some(low) = rest.low {
        let moved = m.fma_negated(halved, low, low);
        sine.low = m.add(sine.low, moved);
        cosine.low = m.fma_negated(r, low, cosine.low);
    }
    (sine, cosine)
}

/// Whether a bit of an integer is set.
pub(super) fn bit(m: &mut Floats<'_, '_>, number: Value, bit: i64) -> Value {
    let (mask, zero) = (m.int(bit), m.int(0));
    let bits = m.s.and(number, mask);
    m.s.compare(bits, Predicate::NotEqual, zero, Signedness::Unsigned)
}

/// Negates a number if a bit of the quadrant is set.
pub(super) fn negated_if(m: &mut Floats<'_, '_>, condition: Value, number: Value) -> Value {
    let negated = m.neg(number);
    m.select(condition, negated, number)
}

/// The sine or the cosine for each quadrant, beginning with the sine.
fn wave(m: &mut Floats<'_, '_>, quadrant: Value, rest: &Rest) -> Value {
    let (sine, cosine) = both(m, rest);
    let sine = m.add(sine.high, sine.low);
    let cosine = m.add(cosine.high, cosine.low);
    let odd = bit(m, quadrant, 1);
    let number = m.select(odd, cosine, sine);
    let lower = bit(m, quadrant, 2);
    negated_if(m, lower, number)
}

/// The angle itself where it is zero: it keeps its sign.
pub(super) fn zero_kept(m: &mut Floats<'_, '_>, x: Value, number: Value) -> Value {
    let is_zero = m.compare_to(x, Predicate::Equal, 0.0);
    m.select(is_zero, x, number)
}

pub(super) fn sin(m: &mut Floats<'_, '_>, x: Value) -> Value {
    let Reduced { quadrant, rest } = reduce(m, x);
    let sine = wave(m, quadrant, &rest);
    zero_kept(m, x, sine)
}

pub(super) fn cos(m: &mut Floats<'_, '_>, x: Value) -> Value {
    let Reduced { quadrant, rest } = reduce(m, x);
    let one = m.int(1);
    let quadrant = m.s.add(quadrant, one);
    wave(m, quadrant, &rest)
}

/// The quotient of the two, or the negative reciprocal, in sums of two numbers.
pub(super) fn tan(m: &mut Floats<'_, '_>, x: Value) -> Value {
    let Reduced { quadrant, rest } = reduce(m, x);
    let (sine, cosine) = both(m, &rest);
    let sine = m.ordered_sum(sine.high, sine.low);
    let cosine = m.ordered_sum(cosine.high, cosine.low);
    let odd = bit(m, quadrant, 1);
    let mut choose = |yes: Pair, no: Pair| Pair {
        high: m.select(odd, yes.high, no.high),
        low: m.select(odd, yes.low, no.low),
    };
    let above = choose(cosine, sine);
    let below = choose(sine, cosine);
    let one = m.number(1.0);
    let reciprocal = m.div_roughly(one, below.high);
    let quotient = m.mul(above.high, reciprocal);
    let error = m.fma_negated(quotient, below.high, above.high);
    let error = m.add(error, above.low);
    let error = m.fma_negated(quotient, below.low, error);
    let tangent = m.fma(error, reciprocal, quotient);
    let tangent = negated_if(m, odd, tangent);
    zero_kept(m, x, tangent)
}
