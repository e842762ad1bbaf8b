//! Conversions between number types.

use super::format::{Format, Number};
use super::int::{bits, range, value};
use super::round::{Direction, Overflow};
use super::{Undefined, format::Finite};
use tilewright_irs::cuda_tile::{RoundingMode, Signedness};
use tilewright_irs::element::ScalarType;

/// The overflow behaviour of `ftof`.
///
/// The language does not define it. The 4- and 8-bit formats saturate, infinities included: PTX has conversions to
/// them in that form (`cvt…satfinite`), and NVIDIA's assembler 13.5 uses it for `f8E4M3FN`, `f8E5M2` and `f8E8M0FNU`.
/// The others follow IEEE 754.
pub const fn overflow_of(to: Format) -> Overflow {
    if to.ty().bits() <= 8 {
        Overflow::Saturate
    } else {
        Overflow::Ieee
    }
}

/// A float converted to another format, rounded once. NaN gives NaN, or the largest number if the format has none; an
/// unsigned format drops the sign, as CUDA's conversions to `f8E8M0FNU` do.
pub fn float_to_float(from: Format, to: Format, rounding: RoundingMode, overflow: Overflow, a: u64) -> u64 {
    to.encode(from.decode(a), Direction::of(rounding), overflow)
}

/// A float truncated to an integer (`nearest_int_to_zero`).
///
/// # Errors
/// Without `saturating`, NaN and numbers whose integral part is out of range are undefined. With it they become 0 and
/// the nearest integer in range.
pub fn float_to_int(
    from: Format,
    to: ScalarType,
    signedness: Signedness,
    saturating: bool,
    a: u64,
) -> Result<u64, Undefined> {
    let (low, high) = range(to, signedness);
    let (negative, magnitude) = match from.decode(a) {
        Number::Nan if saturating => return Ok(0),
        Number::Nan => return Err(Undefined::NanToInteger),
        Number::Infinite { negative } => (negative, None),
        Number::Finite(finite) => {
            let whole = finite.to_integral(Direction::Zero);
            let fits = i64::from(whole.exponent) <= i64::from(whole.significand.leading_zeros()) - 2;
            let magnitude = fits.then(|| (whole.significand << whole.exponent.unsigned_abs()).cast_signed());
            (
                whole.negative,
                if whole.significand == 0 {
                    Some(0)
                } else {
                    magnitude
                },
            )
        }
    };
    let integer = magnitude.map(|magnitude| if negative { -magnitude } else { magnitude });
    match integer {
        Some(integer) if (low..=high).contains(&integer) => Ok(bits(to, integer)),
        Some(_) | None if saturating => Ok(bits(to, if negative { low } else { high })),
        Some(_) | None => Err(Undefined::FloatTooLarge {
            width: to.bits(),
            signed: signedness == Signedness::Signed,
        }),
    }
}

/// A float converted to a Boolean: whether it is not zero; a NaN is not zero.
pub fn float_to_truth(from: Format, a: u64) -> bool {
    match from.decode(a) {
        Number::Nan | Number::Infinite { .. } => true,
        Number::Finite(finite) => finite.significand != 0,
    }
}

/// An integer converted to a float, rounded once. Overflow gives infinity, NaN if there is none, and the largest
/// number if there is neither. (As the language defines it; NVIDIA's assembler 13.5 converts to `f8E4M3FN` through
/// `f16`, rounds twice and saturates.)
pub fn int_to_float(
    from: ScalarType,
    signedness: Signedness,
    to: Format,
    rounding: RoundingMode,
    a: u64,
) -> u64 {
    let integer = value(from, signedness, a);
    let finite = Finite {
        negative: integer < 0,
        exponent: 0,
        significand: integer.unsigned_abs(),
    };
    to.encode(Number::Finite(finite), Direction::of(rounding), Overflow::Ieee)
}

/// The value of a number as an `f64`, rounded to nearest (exact for every type but integers of more than 53 bits): what
/// a printed number or a test's tolerance is computed from.
pub fn to_f64(ty: ScalarType, signedness: Signedness, a: u64) -> f64 {
    match Format::of(ty) {
        Some(format) => super::fast::widen(format, a & ty.mask()),
        None => f64::from_bits(int_to_float(
            ty,
            signedness,
            Format::F64,
            RoundingMode::NearestEven,
            a,
        )),
    }
}
