//! Host arithmetic, where it gives the same bits as exact arithmetic; `None` elsewhere.
//!
//! Round to nearest even in `f32` and `f64` is the host's, which follows IEEE 754. The formats of at most 24 bits of
//! precision go through `f64`: a product of two such numbers is exact there, and an inexact sum is *rounded to odd*,
//! which preserves enough information to round again to any of these formats in any direction (Boldo and Melquiond,
//! "When double rounding is odd"). `agreement` compares all of it with exact arithmetic.

use super::format::Format;
use super::round::{Direction, Overflow};
use Direction::{Down, NearestAway, NearestEven, Up, Zero};

/// Bits as the host's `f32`.
const fn single(bits: u64) -> f32 {
    f32::from_bits((bits & 0xFFFF_FFFF) as u32)
}

pub(super) fn bits32(value: f32) -> u64 {
    if value.is_nan() {
        Format::F32.nan()
    } else {
        value.to_bits().into()
    }
}

pub(super) fn bits64(value: f64) -> u64 {
    if value.is_nan() {
        Format::F64.nan()
    } else {
        value.to_bits()
    }
}

/// Any number but an `f64` as an `f64`, exactly.
pub(super) fn widen(format: Format, bits: u64) -> f64 {
    if format == Format::F64 {
        f64::from_bits(bits)
    } else if format == Format::F32 {
        single(bits).into()
    } else if format == Format::BF16 {
        single((bits & 0xFFFF) << 16).into()
    } else if format == Format::TF32 {
        single((bits & 0x7_FFFF) << 13).into()
    } else {
        f64::from_bits(Format::F64.encode(format.decode(bits), NearestEven, Overflow::Ieee))
    }
}

/// An `f64` rounded to a format.
pub(super) fn narrow(format: Format, direction: Direction, value: f64) -> u64 {
    if format == Format::F64 {
        bits64(value)
    } else if format == Format::F32 && direction == NearestEven {
        bits32(value as f32)
    } else {
        format.encode(Format::F64.decode(value.to_bits()), direction, Overflow::Ieee)
    }
}

/// `a + b`: the nearest `f64` if exact, otherwise the odd one of the two neighbours of the sum.
pub(super) fn sum_to_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if !sum.is_finite() {
        return sum;
    }
    // The exact rounding error (Knuth's two-sum).
    let from_b = sum - a;
    let lost = (a - (sum - from_b)) + (b - from_b);
    if lost == 0.0 || sum.to_bits() & 1 == 1 {
        return sum;
    }
    let away = (lost > 0.0) == (sum > 0.0);
    f64::from_bits(if away {
        sum.to_bits() + 1
    } else {
        sum.to_bits() - 1
    })
}

/// A sum of two `f64`s rounded to a format of at most 24 bits of precision.
fn rounded_sum(format: Format, direction: Direction, a: f64, b: f64) -> Option<u64> {
    let sum = sum_to_odd(a, b);
    // The host returns the zero of rounding to nearest.
    (sum != 0.0 || direction != Down).then(|| narrow(format, direction, sum))
}

/// The arithmetic to use.
enum Way {
    /// The host's in `f32`.
    Single,
    /// The host's in `f64`.
    Double,
    /// Through `f64`, in a direction.
    Through,
    /// None of these.
    Exact,
}

fn way(format: Format, direction: Direction) -> Way {
    match direction {
        NearestEven if format == Format::F32 => Way::Single,
        NearestEven if format == Format::F64 => Way::Double,
        NearestEven | NearestAway | Zero | Down | Up if format != Format::F64 => Way::Through,
        NearestEven | NearestAway | Zero | Down | Up => Way::Exact,
    }
}

/// `a + b`.
pub(super) fn sum(format: Format, direction: Direction, a: u64, b: u64) -> Option<u64> {
    match way(format, direction) {
        Way::Single => Some(bits32(single(a) + single(b))),
        Way::Double => Some(bits64(f64::from_bits(a) + f64::from_bits(b))),
        Way::Through => rounded_sum(format, direction, widen(format, a), widen(format, b)),
        Way::Exact => None,
    }
}

/// `a * b`.
pub(super) fn product(format: Format, direction: Direction, a: u64, b: u64) -> Option<u64> {
    match way(format, direction) {
        Way::Single => Some(bits32(single(a) * single(b))),
        Way::Double => Some(bits64(f64::from_bits(a) * f64::from_bits(b))),
        Way::Through => Some(narrow(format, direction, widen(format, a) * widen(format, b))),
        Way::Exact => None,
    }
}

/// `a * b + c`, the factors of one format, the rest of another.
pub(super) fn product_sum(
    factors: Format,
    result: Format,
    direction: Direction,
    [a, b, c]: [u64; 3],
) -> Option<u64> {
    match (way(factors, direction), way(result, direction)) {
        (Way::Double, Way::Double) => Some(bits64(
            f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)),
        )),
        (Way::Single | Way::Through, Way::Single | Way::Through) => {
            let product = widen(factors, a) * widen(factors, b);
            rounded_sum(result, direction, product, widen(result, c))
        }
        (Way::Double | Way::Exact, _) | (_, Way::Double | Way::Exact) => None,
    }
}

/// `a / b`. Through `f64` it is rounded twice, which is innocuous in every direction: a quotient of two numbers of at
/// most 24 bits that is neither a number nor a tie of the format differs from all of these by at least 2⁻⁵⁰ of
/// itself, more than the rounding error of `f64`.
pub(super) fn quotient(format: Format, direction: Direction, a: u64, b: u64) -> Option<u64> {
    match way(format, direction) {
        Way::Single => Some(bits32(single(a) / single(b))),
        Way::Double => Some(bits64(f64::from_bits(a) / f64::from_bits(b))),
        Way::Through => Some(narrow(format, direction, widen(format, a) / widen(format, b))),
        Way::Exact => None,
    }
}

/// The square root; double rounding is innocuous as for the quotient.
pub(super) fn square_root(format: Format, direction: Direction, a: u64) -> Option<u64> {
    match way(format, direction) {
        Way::Single => Some(bits32(single(a).sqrt())),
        Way::Double => Some(bits64(f64::from_bits(a).sqrt())),
        Way::Through => Some(narrow(format, direction, widen(format, a).sqrt())),
        Way::Exact => None,
    }
}
