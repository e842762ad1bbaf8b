//! Conversions between types.

use crate::float::{self, Float};
use crate::integer;
use crate::soft::{BF16, Direction, F16, F32, Format, Number};
use tilewright_irs::ptx::{Kind, Rounding, Type};

/// `cvt.to.from`: a function from the source's word to the result's.
pub(crate) fn convert(
    to: Type,
    from: Type,
    rounding: Option<Rounding>,
    ftz: bool,
    sat: bool,
) -> Box<dyn Fn(u64) -> u64 + Send + Sync> {
    let direction = rounding.map_or(Direction::NearestEven, float::direction);
    match (float::format(to), float::format(from)) {
        (None, None) => {
            if sat {
                Box::new(move |a| integer::clamp(to, integer::value(from, a)))
            } else {
                Box::new(move |a| integer::word(integer::value(to, integer::word(integer::value(from, a)))))
            }
        }
        (None, Some(source)) => {
            let input = Float::new(source, None, ftz);
            Box::new(move |a| float_to_integer(to, from, source, input.input(a), direction))
        }
        (Some(result), None) => {
            let output = Float::new(result, None, false).saturating(sat);
            Box::new(move |a| output.output(result.pack(Number::integer(integer::value(from, a)), direction)))
        }
        (Some(_), Some(_)) if to == Type::Tf32 => {
            let ties_away = rounding == Some(Rounding::Rna);
            Box::new(move |a| to_tf32(a, (!ties_away).then_some(direction)))
        }
        (Some(result), Some(source)) => {
            let input = Float::new(source, None, ftz && source == F32);
            let output = Float::new(result, None, ftz && result == F32).saturating(sat);
            let integral = rounding.is_some_and(Rounding::is_integral);
            Box::new(move |a| {
                let number = source.unpack(input.input(a));
                let number = if integral {
                    number.to_integral(direction)
                } else {
                    number
                };
                output.output(result.pack(number, direction))
            })
        }
    }
}

/// Clamped to the integer's range; NaN becomes zero, or the top bit if either side has 64 bits.
fn float_to_integer(to: Type, from: Type, format: Format, a: u64, direction: Direction) -> u64 {
    let (low, high) = integer::range(to);
    match format.unpack(a).to_integer(direction, low, high) {
        Some(value) => integer::word(value),
        None if from == Type::F64 || to.bits() == 64 => {
            let bit = 1u64 << (to.bits() - 1);
            if to.kind() == Kind::Signed {
                integer::word(low)
            } else {
                bit
            }
        }
        None => 0,
    }
}

/// `f32` with ten bits of fraction, rounded in this direction, or to nearest with ties away from zero.
pub(crate) fn to_tf32(a: u64, direction: Option<Direction>) -> u64 {
    if F32.is_nan(a) {
        return F32.nan();
    }
    if a & (F32.sign_bit() - 1) == F32.infinity() {
        return a;
    }
    // A carry out of the fraction increments the exponent; out of the largest one it gives infinity.
    let more = match direction {
        None => 1 << 12,
        Some(Direction::NearestEven) => (1 << 12) - 1 + (a >> 13 & 1),
        Some(_) => 0,
    };
    (a + more) & !0x1fff & 0xffff_ffff
}

/// Narrowing of `f32` to a half with clamping.
pub(crate) fn clamped(to: Type, rounding: Rounding, relu: bool, satfinite: bool) -> impl Fn(u64) -> u64 {
    let format = if matches!(to, Type::Bf16 | Type::Bf16x2) {
        BF16
    } else {
        F16
    };
    let direction = float::direction(rounding);
    move |a| {
        let number = F32.unpack(a);
        let bits = format.pack(number, direction);
        if format.is_nan(bits) {
            return bits;
        }
        if relu && bits & format.sign_bit() != 0 {
            return 0;
        }
        if satfinite {
            format.saturate_finite(bits)
        } else {
            bits
        }
    }
}

/// The two eight-bit formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Eight {
    /// Four bits of exponent, three of fraction; no infinity, one NaN for each sign.
    E4m3,
    /// Five bits of exponent, two of fraction; IEEE encoding.
    E5m2,
}

impl Eight {
    pub(crate) fn of(ty: Type) -> Self {
        if ty == Type::E5m2x2 {
            Self::E5m2
        } else {
            Self::E4m3
        }
    }

    fn format(self) -> Format {
        match self {
            Self::E4m3 => Format {
                exponent_bits: 4,
                fraction_bits: 3,
            },
            Self::E5m2 => Format {
                exponent_bits: 5,
                fraction_bits: 2,
            },
        }
    }

    /// Rounds to nearest even and clamps to the largest finite value.
    pub(crate) fn narrow(self, number: Number, relu: bool) -> u64 {
        let (largest, nan) = match self {
            Self::E4m3 => (0x7e, 0x7f),
            Self::E5m2 => (0x7b, 0x7f),
        };
        let (negative, magnitude) = match number {
            Number::Nan => return nan,
            Number::Infinity { negative } => (negative, largest),
            Number::Finite { negative, exp, sig } => {
                let bits = self
                    .format()
                    .round_unbounded(negative, exp, sig, Direction::NearestEven);
                (negative, u64::try_from(bits).unwrap_or(largest).min(largest))
            }
        };
        if relu && negative {
            0
        } else {
            magnitude | u64::from(negative) << 7
        }
    }

    /// Widens to `f16`, exactly.
    pub(crate) fn widen(self, byte: u64) -> u64 {
        let number = match self {
            Self::E5m2 => self.format().unpack(byte),
            Self::E4m3 if byte & 0x7f == 0x7f => Number::Nan,
            // Its largest exponent is that of finite numbers.
            Self::E4m3 => {
                let (field, fraction) = (byte >> 3 & 0xf, byte & 7);
                let (sig, exp) = if field == 0 {
                    (fraction, -9)
                } else {
                    (fraction | 8, field.cast_signed() - 10)
                };
                let exp = i32::try_from(exp).unwrap_or(0);
                Number::Finite {
                    negative: byte & 0x80 != 0,
                    exp,
                    sig: u128::from(sig),
                }
            }
        };
        F16.pack(number, Direction::NearestEven)
    }
}
