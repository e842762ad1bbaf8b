//! Float arithmetic with one correct rounding, for types up to 32 bits; f64 uses the host's.
//!
//! A result is an f64 and the sign of the remainder of the exact value.

use tilewright_irs::core::Operation;
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Precision, Signedness};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::Literal;

/// An f64 and the sign of the exact value minus it.
#[derive(Clone, Copy)]
struct Near(f64, f64);

fn value(bits: u64, ty: ScalarType) -> f64 {
    Literal::new(ty, bits).float().expect("a float")
}

/// The bits of the significand, the smallest and the largest exponent.
fn format(ty: ScalarType) -> (i32, i32, i32) {
    match ty {
        ScalarType::F16 => (11, -14, 15),
        ScalarType::BF16 => (8, -126, 127),
        ScalarType::F32 => (24, -126, 127),
        other => panic!("no rounding to {other}"),
    }
}

/// The bits of the value rounded once.
fn round(near: Near, rounding: FloatRounding, ty: ScalarType) -> u64 {
    let Near(q, rest) = near;
    if ty == ScalarType::F64 {
        return if q.is_nan() {
            f64::NAN.to_bits()
        } else {
            q.to_bits()
        };
    }
    let (p, least, greatest) = format(ty);
    let (fraction, bias) = (p - 1, greatest);
    let sign = u64::from(q.is_sign_negative()) << (ty.bits() - 1);
    let infinity = ((1u64 << (ty.bits() as i32 - p)) - 1) << fraction;
    if q.is_nan() {
        return infinity | 1 << (fraction - 1);
    }
    if q.is_infinite() {
        return sign | infinity;
    }
    if q == 0.0 {
        return sign;
    }
    // The magnitude, and whether the exact one is larger or smaller.
    let (m, rest) = (q.abs(), rest * q.signum());
    let mut exponent = ((m.to_bits() >> 52) as i32 - 1023).max(-1022);
    if rest < 0.0 && m == 2f64.powi(exponent) {
        exponent -= 1;
    }
    let exponent = exponent.max(least);
    let quantum = 2f64.powi(exponent - fraction);
    let scaled = m / quantum;
    let (mut whole, part) = (scaled.floor(), scaled - scaled.floor());
    let (mut part, mut rest) = (part, rest);
    if part == 0.0 && rest < 0.0 {
        // Just below an integer.
        whole -= 1.0;
        (part, rest) = (0.75, 1.0);
    }
    let inexact = part != 0.0 || rest != 0.0;
    let negative = sign != 0;
    let up = match rounding {
        FloatRounding::NearestEven => {
            part > 0.5 || part == 0.5 && (rest > 0.0 || rest == 0.0 && whole % 2.0 == 1.0)
        }
        FloatRounding::NearestAway => part > 0.5 || part == 0.5 && rest >= 0.0,
        FloatRounding::Zero => false,
        FloatRounding::Down => inexact && negative,
        FloatRounding::Up => inexact && !negative,
    };
    let number = (whole as u64) + u64::from(up);
    // The number of quanta is the significand; a carry increments the exponent.
    let biased = (exponent + bias) as u64;
    let bits = if number >> fraction == 0 {
        number
    } else {
        (biased << fraction) + number - (1 << fraction)
    };
    if bits >= infinity {
        let stays = match rounding {
            FloatRounding::NearestEven | FloatRounding::NearestAway => false,
            FloatRounding::Zero => true,
            FloatRounding::Down => !negative,
            FloatRounding::Up => negative,
        };
        return sign | if stays { infinity - 1 } else { infinity };
    }
    sign | bits
}

fn add(a: f64, b: f64, rounding: FloatRounding) -> Near {
    let s = a + b;
    if s == 0.0 && a != 0.0 {
        return Near(
            if rounding == FloatRounding::Down {
                -0.0
            } else {
                0.0
            },
            0.0,
        );
    }
    if s == 0.0 && a.is_sign_negative() != b.is_sign_negative() {
        return Near(
            if rounding == FloatRounding::Down {
                -0.0
            } else {
                0.0
            },
            0.0,
        );
    }
    if !s.is_finite() {
        return Near(s, 0.0);
    }
    let t = s - a;
    Near(s, (a - (s - t)) + (b - t))
}

fn divide(a: f64, b: f64) -> Near {
    let q = a / b;
    if !q.is_finite() || b.is_infinite() || q == 0.0 {
        return Near(q, 0.0);
    }
    Near(q, (-q).mul_add(b, a) * b.signum())
}

fn root(a: f64) -> Near {
    let q = a.sqrt();
    if !q.is_finite() || q == 0.0 {
        return Near(q, 0.0);
    }
    Near(q, (-q).mul_add(q, a))
}

fn direction(precision: Precision) -> FloatRounding {
    match precision {
        Precision::Zero => FloatRounding::Zero,
        Precision::Down => FloatRounding::Down,
        Precision::Up => FloatRounding::Up,
        Precision::NearestEven | Precision::Approx | Precision::Full => FloatRounding::NearestEven,
    }
}

/// An integer of up to 53 bits as a float.
pub(super) fn from_integer(value: i128, rounding: FloatRounding, to: ScalarType) -> u64 {
    round(Near(value as f64, 0.0), rounding, to)
}

/// An op on floats.
pub(super) fn apply(op: &ArithOp, bits: &[u64], from: ScalarType, to: ScalarType) -> u64 {
    let a = value(bits[0], from);
    let b = bits.get(1).map_or(0.0, |&b| value(b, from));
    match op {
        ArithOp::AddF { rounding, .. } => round(add(a, b, *rounding), *rounding, to),
        ArithOp::SubF { rounding, .. } => round(add(a, -b, *rounding), *rounding, to),
        ArithOp::MulF { rounding, .. } => round(Near(a * b, 0.0), *rounding, to),
        ArithOp::Fma { rounding, .. } => {
            let c = value(bits[2], from);
            round(add(a * b, c, *rounding), *rounding, to)
        }
        ArithOp::DivF { precision, .. } => round(divide(a, b), direction(*precision), to),
        ArithOp::SqrtF { precision, .. } => round(root(a), direction(*precision), to),
        ArithOp::RemF { .. } => round(Near(a % b, 0.0), FloatRounding::NearestEven, to),
        ArithOp::FloorF { .. } => round(Near(a.floor(), 0.0), FloatRounding::NearestEven, to),
        ArithOp::CeilF { .. } => round(Near(a.ceil(), 0.0), FloatRounding::NearestEven, to),
        ArithOp::FToF { rounding, .. } => round(Near(a, 0.0), *rounding, to),
        ArithOp::NegF { .. } => bits[0] ^ 1 << (from.bits() - 1),
        ArithOp::AbsF { .. } => bits[0] & !(1 << (from.bits() - 1)),
        ArithOp::Bitcast { .. } => bits[0],
        ArithOp::CmpF {
            predicate, ordering, ..
        } => u64::from(super::compare(*predicate, *ordering, a, b)),
        ArithOp::FToI { signedness, .. } => {
            let (low, high) = match signedness {
                Signedness::Signed => (-(1i128 << (to.bits() - 1)), (1i128 << (to.bits() - 1)) - 1),
                Signedness::Unsigned => (0, (1i128 << to.bits()) - 1),
            };
            let number = if a.is_nan() {
                0
            } else {
                (a.trunc() as i128).clamp(low, high)
            };
            (number as u64) & to.mask()
        }
        other => panic!("{} of floats", other.name()),
    }
}
