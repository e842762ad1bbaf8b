//! Elementary functions of f32 that round as those of CUDA's math library.
//!
//! Programs compare their results with those of PyTorch and of CUDA C++, so an f32 function takes the same steps with the
//! same constants, which disassembled kernels show in public. Of all 2^32 operands at most six of a function give another
//! result than CUDA 13.0 (`tests/gpu/math_functions.py --stride 1`), so the errors are CUDA's too.
//!
//! - Logarithms: a positive number is (1 + f) 2^e, and the logarithm of 1 + f is a polynomial of f.
//! - `sin`, `cos`, `tan`: polynomials of the rest that [`reduce`] leaves; `tan` is the negative reciprocal in odd quadrants.
//! - `sinh`, `cosh`: 2 E - 1 / (8 E) and 2 E + 1 / (8 E), E = e^|x| / 4. Below 1 `sinh` is x + x^3 P(x^2).
//! - `tanh`: 1 - 2 / (e^2x + 1) from 0.6 on, else x + x^3 P(x^2).
//! - `exp`: 2^n 2^f, with n the whole part of x log2(e), f the rest, and 2^f the instruction's.
//! - `exp2`: the instruction's, whose subnormal results are too inaccurate: those are squares of roots.

use tilewright_irs::core::{Flag, Value};
use tilewright_irs::dialects::arith::Predicate;

use super::exponential::ex2;
use super::floats::Floats;
use super::logarithm::{Parts, parts, special};
use super::reduce_angle::{Reduced, reduce};
use super::tables::{LN2, LOG2_E};
use super::trigonometric::{bit, negated_if, zero_kept};

/// `(log(1 + f) - f) / f^2`.
const LOG: &[f64] = &[
    -0.5,
    0.333331823348999,
    -0.24999669194221497,
    0.20012299716472626,
    -0.16684235632419586,
    0.1398061066865921,
    -0.12148627638816833,
    0.1408461034297943,
    -0.13018856942653656,
];

/// `(log2(1 + f) - f log2(e)) / f^2`.
const LOG2: &[f64] = &[
    -0.7213475108146667,
    0.4808982014656067,
    -0.3606741726398468,
    0.28857114911079407,
    -0.24046532809734344,
    0.20512372255325317,
    -0.17900948226451874,
    0.17168870568275452,
    -0.16845393180847168,
    0.09702014178037643,
];

/// `(sin(r) - r) / r^3`.
const SIN: &[f64] = &[-0.16666662693023682, 0.00833270326256752, -0.00019574658654164523];

/// `cos(r)`.
const COS: &[f64] = &[
    1.0,
    -0.4999999701976776,
    0.041666727513074875,
    -0.0013887860113754869,
    2.4279579520225525e-05,
];

/// `(tan(r) - r) / r^3`.
const TAN: &[f64] = &[
    0.3333323001861572,
    0.13337790966033936,
    0.053466796875,
    0.0242919921875,
    0.003265380859375,
    0.00933837890625,
];

/// `(sinh(x) - x) / x^3`.
const SINH: &[f64] = &[
    0.1666666716337204,
    0.008333349600434303,
    0.0001983615948120132,
    2.8169511097075883e-06,
];

/// `(tanh(x) - x) / x^3`.
const TANH: &[f64] = &[
    -0.33332768082618713,
    0.13315297663211823,
    -0.05230396240949631,
    0.01573968306183815,
];

/// The natural logarithm.
pub(super) fn log(m: &mut Floats<'_, '_>, x: Value) -> Value {
    let Parts { exponent, fraction } = parts(m, x, 2.0 / 3.0);
    let rest = m.polynomial(LOG, fraction);
    let rest = m.mul(rest, fraction);
    let rest = m.fma(rest, fraction, fraction);
    let ln2 = m.part(&LN2, 0);
    let log = m.fma(exponent, ln2, rest);
    special(m, x, log)
}

/// The logarithm to base 2.
pub(super) fn log2(m: &mut Floats<'_, '_>, x: Value) -> Value {
    let Parts { exponent, fraction } = parts(m, x, std::f64::consts::FRAC_1_SQRT_2);
    let rest = m.polynomial(LOG2, fraction);
    let rest = m.mul(rest, fraction);
    let rest = m.mul(rest, fraction);
    let log2_e = m.part(&LOG2_E, 0);
    let rest = m.fma(fraction, log2_e, rest);
    let log = m.add(exponent, rest);
    special(m, x, log)
}

/// The sine or the cosine for each quadrant, beginning with the sine.
fn wave(m: &mut Floats<'_, '_>, quadrant: Value, r: Value) -> Value {
    let z = m.mul(r, r);
    let sine = m.polynomial(SIN, z);
    let cube = m.mul(z, r);
    let sine = m.fma(sine, cube, r);
    let cosine = m.polynomial(COS, z);
    let odd = bit(m, quadrant, 1);
    let number = m.select(odd, cosine, sine);
    let lower = bit(m, quadrant, 2);
    negated_if(m, lower, number)
}

pub(super) fn sin(m: &mut Floats<'_, '_>, x: Value) -> Value {
    let Reduced { quadrant, rest } = reduce(m, x);
    let sine = wave(m, quadrant, rest.high);
    zero_kept(m, x, sine)
}

pub(super) fn cos(m: &mut Floats<'_, '_>, x: Value) -> Value {
    let Reduced { quadrant, rest } = reduce(m, x);
    let one = m.int(1);
    let quadrant = m.s.add(quadrant, one);
    wave(m, quadrant, rest.high)
}

pub(super) fn tan(m: &mut Floats<'_, '_>, x: Value) -> Value {
    let Reduced { quadrant, rest } = reduce(m, x);
    let r = rest.high;
    let z = m.mul(r, r);
    let tangent = m.polynomial(TAN, z);
    let cube = m.mul(z, r);
    let tangent = m.fma(tangent, cube, r);
    let minus_one = m.number(-1.0);
    let reciprocal = m.div_roughly(minus_one, tangent);
    let odd = bit(m, quadrant, 1);
    let tangent = m.select(odd, reciprocal, tangent);
    zero_kept(m, x, tangent)
}

/// x + x^3 P(x^2), with the square multiplied last.
fn odd(m: &mut Floats<'_, '_>, terms: &[f64], x: Value) -> Value {
    let z = m.mul(x, x);
    let polynomial = m.polynomial(terms, z);
    let rest = m.mul(polynomial, z);
    m.fma(rest, x, x)
}

/// e^x / 4 for a number that is not negative; infinity for one whose hyperbolic functions overflow.
fn quarter_of_power(m: &mut Floats<'_, '_>, x: Value) -> Value {
    let log2_e = m.part(&LOG2_E, 0);
    let quotient = m.mul(x, log2_e);
    let n = m.floor(quotient);
    let most = m.number(126.0);
    let large = m.compare(n, Predicate::Greater, most);
    let n = m.select(large, most, n);
    let (high, low) = (m.part(&LN2, 0), m.part(&LN2, 1));
    let rest = m.fma_negated(n, high, x);
    let rest = m.fma_negated(n, low, rest);
    // The low bits of the sum are the exponent field of 2^(n - 2).
    let shift = m.number(1.5 * 2_f64.powi(23) + 125.0);
    let field = m.add(n, shift);
    let field = m.bits_of(field);
    let stored = m.int(23);
    let factor = m.s.shl(field, stored);
    let factor = m.of_bits(factor);
    let rest = m.mul(rest, log2_e);
    let power = ex2(m, rest, Flag(true));
    m.mul(factor, power)
}

pub(super) fn sinh(m: &mut Floats<'_, '_>, x: Value) -> Value {
    let size = m.abs(x);
    let near = odd(m, SINH, size);
    let power = quarter_of_power(m, size);
    let (two, eighth) = (m.number(2.0), m.number(-0.125));
    let rest = m.div_roughly(eighth, power);
    let far = m.fma(two, power, rest);
    let small = m.compare_to(size, Predicate::Less, 1.0);
    let result = m.select(small, near, far);
    m.with_sign_of(result, x)
}

pub(super) fn cosh(m: &mut Floats<'_, '_>, x: Value) -> Value {
    let size = m.abs(x);
    let power = quarter_of_power(m, size);
    let (two, eighth) = (m.number(2.0), m.number(0.125));
    let rest = m.div_roughly(eighth, power);
    m.fma(two, power, rest)
}

pub(super) fn tanh(m: &mut Floats<'_, '_>, x: Value) -> Value {
    let size = m.abs(x);
    let near = odd(m, TANH, size);
    let two_log2_e = m.number(2.885390043258667);
    let scaled = m.mul(size, two_log2_e);
    let power = ex2(m, scaled, Flag(true));
    let (one, minus_two) = (m.number(1.0), m.number(-2.0));
    let divisor = m.add(power, one);
    let reciprocal = m.reciprocal_roughly(one, divisor);
    let far = m.fma(reciprocal, minus_two, one);
    // From there on the result is 1.
    let large = m.compare_to(size, Predicate::GreaterEqual, 9.010913848876953);
    let far = m.select(large, one, far);
    let small = m.compare_to(size, Predicate::Less, 0.6);
    let result = m.select(small, near, far);
    m.with_sign_of(result, x)
}

/// e^x.
pub(super) fn exp(m: &mut Floats<'_, '_>, x: Value) -> Value {
    // n is from -126 to 126: x log2(e) as a share of this range is between 0 and 1. What is beyond stays in f, whose power
    // vanishes or overflows.
    let (most, all) = (126.0, 252.0);
    let (share, half) = (m.number(std::f64::consts::LOG2_E / all), m.number(0.5));
    let share = m.fma_within_one(x, share, half);
    // The low bits of the sum are the exponent field of 2^n, the integer n + 127.
    let shift = 1.5 * 2_f64.powi(23);
    let (all, first) = (m.number(all), m.number(shift + 1.0));
    let field = m.fma_down(share, all, first);
    let bias = m.number(-(shift + 1.0 + most));
    let n = m.add(field, bias);
    let n = m.neg(n);
    let (high, low) = (m.part(&LOG2_E, 0), m.part(&LOG2_E, 1));
    let rest = m.fma(x, high, n);
    let rest = m.fma(x, low, rest);
    let power = ex2(m, rest, Flag(true));
    let stored = m.int(23);
    let field = m.bits_of(field);
    let factor = m.s.shl(field, stored);
    let factor = m.of_bits(factor);
    m.mul(power, factor)
}

/// 2^x.
pub(super) fn exp2(m: &mut Floats<'_, '_>, x: Value, flush_to_zero: Flag) -> Value {
    if flush_to_zero.0 {
        return ex2(m, x, flush_to_zero);
    }
    let subnormal = m.compare_to(x, Predicate::Less, -126.0);
    let half = m.number(0.5);
    let halved = m.mul(x, half);
    let exponent = m.select(subnormal, halved, x);
    let power = ex2(m, exponent, Flag(true));
    let square = m.mul(power, power);
    m.select(subnormal, square, power)
}
