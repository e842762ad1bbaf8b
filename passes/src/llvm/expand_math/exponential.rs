//! Exponentials.
//!
//! e^x is 2^n e^r with n the integer nearest to x / ln(2), and r the rest of x, subtracted in two steps, of which the first
//! is exact. e^r is 1 + r + r^2 P(r).

use tilewright_irs::core::{Flag, Value};
use tilewright_irs::dialects::arith::Predicate;
use tilewright_irs::isa::{Approximation, Ftz, Instruction, OpResult};
use tilewright_irs::nvvm::float_type;

use super::floats::{Floats, Format, Pair};
use super::tables::{EXP, EXP2, LN2, LOG2_E};

/// A number times a power of two: `(high + low) * 2^exponent`.
pub(super) struct Scaled {
    pub(super) number: Pair,
    pub(super) exponent: Value,
}

/// Beyond this magnitude e^x overflows or vanishes; the integers that [`Floats::scaled`] takes go further.
pub(super) const fn limit(format: Format) -> f64 {
    match format {
        Format::F64 => 1024.0,
        _ => 128.0,
    }
}

/// e^(high + low), for a sum within the [`limit`].
pub(super) fn power_of_e(m: &mut Floats<'_, '_>, high: Value, low: Option<Value>) -> Scaled {
    let log2_e = m.part(&LOG2_E, 0);
    let quotient = m.mul(high, log2_e);
    let (n, bits) = m.nearest(quotient);
    let exponent = m.nearest_int(bits);
    let (ln2_high, ln2_low) = (m.part(&LN2, 0), m.part(&LN2, 1));
    let n = m.neg(n);
    let rest = m.fma(n, ln2_high, high);
    let rest = m.fma(n, ln2_low, rest);
    let rest = match low {
        Some(low) => m.add(rest, low),
        None => rest,
    };
    let polynomial = m.polynomial(m.format.of(&EXP), rest);
    let square = m.mul(rest, rest);
    // The rounding error of 1 + r is kept, which leaves that of r and the last one.
    let one = m.number(1.0);
    let sum = m.ordered_sum(one, rest);
    let tail = m.fma(square, polynomial, sum.low);
    let number = m.ordered_sum(sum.high, tail);
    Scaled { number, exponent }
}

/// The number within the range of the type: zero or infinity for an exponent beyond the limit.
pub(super) fn within(m: &mut Floats<'_, '_>, exponent: Value, number: Value, limit: f64) -> Value {
    let (zero, infinity) = (m.number(0.0), m.number(f64::INFINITY));
    let large = m.compare_to(exponent, Predicate::Greater, limit);
    let small = m.compare_to(exponent, Predicate::Less, -limit);
    let number = m.select(large, infinity, number);
    m.select(small, zero, number)
}

/// e^x in f64.
pub(super) fn exp(m: &mut Floats<'_, '_>, x: Value) -> Value {
    let power = power_of_e(m, x, None);
    let number = m.scaled(power.number.high, power.exponent);
    within(m, x, number, limit(m.format))
}

/// 2^x in f64.
pub(super) fn exp2(m: &mut Floats<'_, '_>, x: Value) -> Value {
    let (n, bits) = m.nearest(x);
    let exponent = m.nearest_int(bits);
    let rest = m.sub(x, n);
    let polynomial = m.polynomial(EXP2, rest);
    let one = m.number(1.0);
    let number = m.fma(rest, polynomial, one);
    let number = m.scaled(number, exponent);
    within(m, x, number, 1100.0)
}

/// The instruction `ex2.approx` (PTX ISA, "ex2").
pub(super) fn ex2(m: &mut Floats<'_, '_>, a: Value, flush_to_zero: Flag) -> Value {
    let Some(ty) = float_type(m.format.float) else {
        return a;
    };
    m.instruction(Instruction::Ex2 {
        approximation: Approximation::Approx,
        ftz: Ftz(flush_to_zero.0),
        ty,
        d: OpResult,
        a,
    })
}
