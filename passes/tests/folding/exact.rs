//! Formats and rounding with rational numbers, independent of the passes.

use num_bigint::BigInt;
use num_rational::Ratio;
use tilewright_irs::cuda_tile::RoundingMode;
use tilewright_irs::element::ScalarType;

/// A rational number.
pub(crate) type Exact = Ratio<BigInt>;

/// The meaning of bits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Number {
    /// NaN.
    Nan,
    /// Infinity, with its sign.
    Infinity(bool),
    /// The sign and the magnitude.
    Finite(bool, Exact),
}

/// A format: bits of the exponent and of the fraction, the bias, whether it has a sign, and its largest finite code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    exponent: u32,
    fraction: u32,
    bias: i64,
    signed: bool,
    largest: u64,
    infinity: bool,
}

/// The format of a float type.
pub(crate) fn format(ty: ScalarType) -> Format {
    let ieee = |exponent: u32, fraction: u32| Format {
        exponent,
        fraction,
        bias: (1 << (exponent - 1)) - 1,
        signed: true,
        largest: (((1u64 << exponent) - 1) << fraction) - 1,
        infinity: true,
    };
    match ty {
        ScalarType::F16 => ieee(5, 10),
        ScalarType::BF16 => ieee(8, 7),
        ScalarType::F32 => ieee(8, 23),
        ScalarType::TF32 => ieee(8, 10),
        ScalarType::F64 => ieee(11, 52),
        ScalarType::F8E5M2 => ieee(5, 2),
        ScalarType::F8E4M3FN => Format {
            largest: 0x7E,
            infinity: false,
            ..ieee(4, 3)
        },
        ScalarType::F4E2M1FN => Format {
            largest: 7,
            infinity: false,
            ..ieee(2, 1)
        },
        ScalarType::F8E5M3FNU => Format {
            largest: 0xFE,
            infinity: false,
            signed: false,
            ..ieee(5, 3)
        },
        ScalarType::F8E8M0FNU => Format {
            largest: 0xFE,
            infinity: false,
            signed: false,
            ..ieee(8, 0)
        },
        _ => panic!("{ty:?} is no float type"),
    }
}

/// A power of two.
pub(crate) fn power(exponent: i64) -> Exact {
    let magnitude = BigInt::from(1) << exponent.unsigned_abs();
    if exponent < 0 {
        Exact::new(BigInt::from(1), magnitude)
    } else {
        Exact::from(magnitude)
    }
}

/// Decodes bits.
pub(crate) fn decode(ty: ScalarType, bits: u64) -> Number {
    let format = format(ty);
    let code_bits = format.exponent + format.fraction;
    let code = bits & ((1 << code_bits) - 1);
    let negative = format.signed && bits >> code_bits & 1 == 1;
    if code > format.largest {
        if format.infinity && code == format.largest + 1 {
            return Number::Infinity(negative);
        }
        return Number::Nan;
    }
    let exponent = i64::try_from(code >> format.fraction).expect("small");
    let fraction = code & ((1 << format.fraction) - 1);
    if ty == ScalarType::F8E8M0FNU {
        return Number::Finite(false, power(exponent - format.bias));
    }
    let (significand, exponent) = if exponent == 0 {
        (fraction, 1)
    } else {
        (fraction + (1 << format.fraction), exponent)
    };
    let unit = power(exponent - format.bias - i64::from(format.fraction));
    Number::Finite(negative, Exact::from(BigInt::from(significand)) * unit)
}

/// Rounds a magnitude with a sign to bits; `None` if the format has neither the number nor infinity.
pub(crate) fn encode(ty: ScalarType, negative: bool, magnitude: &Exact, mode: RoundingMode) -> Option<u64> {
    let format = format(ty);
    let zero = Exact::from(BigInt::from(0));
    let least = 1 - format.bias;
    let fraction = i64::from(format.fraction);
    if negative && !format.signed {
        return None;
    }
    let sign = if negative {
        1 << (format.exponent + format.fraction)
    } else {
        0
    };
    if *magnitude == zero {
        return (ty != ScalarType::F8E8M0FNU).then_some(sign);
    }
    // The exponent of the leading bit.
    let lengths = |n: &BigInt| i64::try_from(n.bits()).expect("small");
    let mut exponent = lengths(magnitude.numer()) - lengths(magnitude.denom());
    if power(exponent) > *magnitude {
        exponent -= 1;
    }
    let least = if ty == ScalarType::F8E8M0FNU {
        -format.bias
    } else {
        least
    };
    if ty == ScalarType::F8E8M0FNU && exponent < least {
        return None;
    }
    let exponent = exponent.max(least);
    let scaled = magnitude / power(exponent - fraction);
    let below = scaled.floor().to_integer();
    let rest = scaled - Exact::from(below.clone());
    let half = Exact::new(BigInt::from(1), BigInt::from(2));
    let odd = &below % 2 == BigInt::from(1);
    let up = match mode {
        RoundingMode::NearestEven => {
            // A power of two is even if the code of its exponent is.
            let odd = if fraction == 0 {
                (exponent - least) % 2 == 1
            } else {
                odd
            };
            rest > half || (rest == half && odd)
        }
        RoundingMode::NearestAway => rest >= half,
        RoundingMode::Zero => false,
        RoundingMode::NegativeInf => negative && rest != zero,
        RoundingMode::PositiveInf => !negative && rest != zero,
        _ => panic!("{mode:?} is no rounding"),
    };
    let below = u64::try_from(below).expect("as many bits as the format has") + u64::from(up);
    let steps = u64::try_from(exponent - least).expect("no smaller");
    // The leading bit adds one to the exponent.
    let code = (steps << format.fraction) + below - u64::from(ty == ScalarType::F8E8M0FNU);
    if code <= format.largest {
        return Some(code | sign);
    }
    let away = match mode {
        RoundingMode::Zero => false,
        RoundingMode::NegativeInf => negative,
        RoundingMode::PositiveInf => !negative,
        _ => true,
    };
    if !format.infinity {
        return None;
    }
    Some(sign | (format.largest + u64::from(away)))
}
