//! Floats by definition: decoding to rational numbers, and rounding by search among the codes.
//!
//! Independent of the crate's own arithmetic; only the names of its formats are used.

use Meaning::{Infinity, Nan, Number};
use num_bigint::BigInt;
use num_rational::Ratio;
use std::cmp::Ordering;
use tilewright_evaluator::number::{Format, Overflow};
use tilewright_irs::cuda_tile::RoundingMode;

/// A rational number.
pub(crate) type Rational = Ratio<BigInt>;

/// The rounding modes that numbers are rounded in.
pub(crate) const MODES: [RoundingMode; 5] = [
    RoundingMode::NearestEven,
    RoundingMode::NearestAway,
    RoundingMode::Zero,
    RoundingMode::NegativeInf,
    RoundingMode::PositiveInf,
];

/// A format as the tables of the language have it.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) exponent_bits: u32,
    pub(crate) fraction_bits: u32,
    pub(crate) is_signed: bool,
    pub(crate) has_infinity: bool,
    pub(crate) has_nan: bool,
}

/// Where a number lies among the codes of a format.
pub(crate) struct Place {
    /// The last code that is not above it; the first one where all are.
    code: u64,
    /// How it compares with the middle between that and the next one, unless it is not above the code.
    half: Option<Ordering>,
}

/// What a code means.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Meaning {
    Nan,
    /// Whether it is negative.
    Infinity(bool),
    /// Whether it is negative, which matters for zero, and the magnitude.
    Number(bool, Rational),
}

pub(crate) fn layout(format: Format) -> Layout {
    let layout = |exponent_bits, fraction_bits| Layout {
        exponent_bits,
        fraction_bits,
        is_signed: true,
        has_infinity: true,
        has_nan: true,
    };
    match format.ty().word() {
        "f16" => layout(5, 10),
        "bf16" => layout(8, 7),
        "f32" => layout(8, 23),
        "tf32" => layout(8, 10),
        "f64" => layout(11, 52),
        "f8E5M2" => layout(5, 2),
        "f8E4M3FN" => Layout {
            has_infinity: false,
            ..layout(4, 3)
        },
        "f4E2M1FN" => Layout {
            has_infinity: false,
            has_nan: false,
            ..layout(2, 1)
        },
        "f8E8M0FNU" => Layout {
            is_signed: false,
            has_infinity: false,
            ..layout(8, 0)
        },
        "fnv8E5M3FNU" => Layout {
            is_signed: false,
            has_infinity: false,
            ..layout(5, 3)
        },
        other => panic!("{other}"),
    }
}

impl Layout {
    /// The first code that is no number.
    pub(crate) fn end(self) -> u64 {
        let codes = 1 << (self.exponent_bits + self.fraction_bits);
        if self.has_infinity {
            codes - (1 << self.fraction_bits)
        } else {
            codes - u64::from(self.has_nan)
        }
    }

    pub(crate) fn sign_bit(self) -> u64 {
        if self.is_signed {
            1 << (self.exponent_bits + self.fraction_bits)
        } else {
            0
        }
    }

    /// The magnitude of a code without its sign, as if there were no special codes and no largest exponent.
    fn magnitude(self, code: u64) -> Rational {
        let bias = (1 << (self.exponent_bits - 1)) - 1;
        let leading = 1 << self.fraction_bits;
        let (field, fraction) = (code >> self.fraction_bits, code % leading);
        let field = i32::try_from(field).expect("a field");
        let (significand, exponent) = if self.fraction_bits > 0 && field == 0 {
            (fraction, 1 - bias)
        } else {
            (fraction + leading, field - bias)
        };
        let exponent = exponent - self.fraction_bits.cast_signed();
        let (significand, power) = (BigInt::from(significand), exponent.unsigned_abs());
        if exponent < 0 {
            Ratio::new_raw(significand, BigInt::from(1) << power)
        } else {
            Ratio::new_raw(significand << power, 1.into())
        }
    }

    pub(crate) fn meaning(self, bits: u64) -> Meaning {
        let negative = bits & self.sign_bit() != 0;
        let code = bits & !self.sign_bit();
        match code.cmp(&self.end()) {
            Ordering::Less => Number(negative, self.magnitude(code)),
            Ordering::Equal if self.has_infinity => Infinity(negative),
            Ordering::Equal | Ordering::Greater => Nan,
        }
    }

    fn infinite(self, negative: bool, overflow: Overflow) -> u64 {
        let sign = if negative { self.sign_bit() } else { 0 };
        if overflow == Overflow::Saturate || !self.has_nan {
            sign | (self.end() - 1)
        } else if self.has_infinity {
            sign | self.end()
        } else {
            self.end()
        }
    }

    /// Where the number lies whose magnitude compares with others as told.
    pub(crate) fn place(self, compare: impl Fn(&Rational) -> Ordering) -> Place {
        let (mut low, mut high) = (0, self.end() + 1);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if compare(&self.magnitude(middle)).is_ge() {
                low = middle;
            } else {
                high = middle;
            }
        }
        let (below, above) = (self.magnitude(low), self.magnitude(low + 1));
        let half = Ratio::new_raw(
            below.numer() * above.denom() + above.numer() * below.denom(),
            below.denom() * above.denom() * BigInt::from(2),
        );
        Place {
            code: low,
            half: (compare(&below) == Ordering::Greater).then(|| compare(&half)),
        }
    }

    /// The code of a number at a place, rounded.
    pub(crate) fn round(self, negative: bool, place: &Place, mode: RoundingMode, overflow: Overflow) -> u64 {
        let negative = negative && self.is_signed;
        let sign = if negative { self.sign_bit() } else { 0 };
        let grows = place.half.is_some_and(|half| match mode {
            RoundingMode::NearestEven => half.is_gt() || half.is_eq() && place.code % 2 == 1,
            RoundingMode::NearestAway => half.is_ge(),
            RoundingMode::Zero => false,
            RoundingMode::NegativeInf => negative,
            RoundingMode::PositiveInf => !negative,
            other => panic!("{other}"),
        });
        let code = place.code + u64::from(grows);
        if code < self.end() {
            return sign | code;
        }
        let stays = match mode {
            RoundingMode::Zero => true,
            RoundingMode::NegativeInf => !negative,
            RoundingMode::PositiveInf => negative,
            _ => false,
        };
        if stays {
            sign | (self.end() - 1)
        } else {
            self.infinite(negative, overflow)
        }
    }

    /// The codes of what is said, rounded in each of [`MODES`].
    pub(crate) fn codes(self, meaning: &Meaning, overflow: Overflow) -> [u64; 5] {
        match meaning {
            Nan => [self.nan(); 5],
            Infinity(negative) => [self.infinite(*negative, overflow); 5],
            Number(negative, magnitude) => {
                let place = self.place(|other| compare(magnitude, other));
                MODES.map(|mode| self.round(*negative, &place, mode, overflow))
            }
        }
    }

    /// The code of what is said, rounded to nearest even.
    pub(crate) fn nearest(self, meaning: &Meaning) -> u64 {
        self.codes(meaning, Overflow::Ieee)[0]
    }

    /// The NaN that operations give.
    pub(crate) fn nan(self) -> u64 {
        if self.fraction_bits == 52 {
            self.end() | 1 << 51
        } else {
            (1 << (self.exponent_bits + self.fraction_bits)) - 1
        }
    }
}

/// Compares without the search for common factors.
pub(crate) fn compare(a: &Rational, b: &Rational) -> Ordering {
    (a.numer() * b.denom()).cmp(&(b.numer() * a.denom()))
}

fn zero() -> Rational {
    BigInt::from(0).into()
}

fn signed(negative: bool, magnitude: &Rational) -> Rational {
    if negative {
        -magnitude.clone()
    } else {
        magnitude.clone()
    }
}

fn number(value: Rational, negative_zero: bool) -> Meaning {
    match value.cmp(&zero()) {
        Ordering::Less => Number(true, -value),
        Ordering::Equal => Number(negative_zero, value),
        Ordering::Greater => Number(false, value),
    }
}

impl Meaning {
    pub(crate) fn negated(&self) -> Self {
        match self {
            Nan => Nan,
            Infinity(negative) => Infinity(!negative),
            Number(negative, magnitude) => Number(!negative, magnitude.clone()),
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
        matches!(self, Number(_, magnitude) if *magnitude == zero())
    }

    fn is_negative(&self) -> bool {
        match self {
            Nan => false,
            Infinity(negative) | Number(negative, _) => *negative,
        }
    }

    /// IEEE 754's sum. An exact zero of opposite signs is positive here.
    pub(crate) fn sum(&self, other: &Self) -> Self {
        match (self, other) {
            (Nan, _) | (_, Nan) => Nan,
            (Infinity(a), Infinity(b)) => {
                if a == b {
                    Infinity(*a)
                } else {
                    Nan
                }
            }
            (Infinity(negative), _) | (_, Infinity(negative)) => Infinity(*negative),
            (Number(a, x), Number(b, y)) => number(signed(*a, x) + signed(*b, y), *a && *b),
        }
    }

    /// The codes of a sum of these two: rounding down makes an exact zero of opposite signs negative.
    pub(crate) fn sum_codes(&self, other: &Self, layout: Layout) -> [u64; 5] {
        let sum = self.sum(other);
        let codes = layout.codes(&sum, Overflow::Ieee);
        let down = if sum.is_zero() && self.is_negative() != other.is_negative() {
            layout.sign_bit() | codes[3]
        } else {
            codes[3]
        };
        [codes[0], codes[1], codes[2], down, codes[4]]
    }

    pub(crate) fn product(&self, other: &Self) -> Self {
        let negative = self.is_negative() != other.is_negative();
        match (self, other) {
            (Nan, _) | (_, Nan) => Nan,
            (Infinity(_), other) | (other, Infinity(_)) => {
                if other.is_zero() {
                    Nan
                } else {
                    Infinity(negative)
                }
            }
            (Number(_, x), Number(_, y)) => Number(negative, x * y),
        }
    }

    pub(crate) fn quotient(&self, other: &Self) -> Self {
        let negative = self.is_negative() != other.is_negative();
        match (self, other) {
            (Nan, _) | (_, Nan) | (Infinity(_), Infinity(_)) => Nan,
            (Infinity(_), _) => Infinity(negative),
            (_, Infinity(_)) => Number(negative, zero()),
            (x, y) if y.is_zero() => {
                if x.is_zero() {
                    Nan
                } else {
                    Infinity(negative)
                }
            }
            (Number(_, x), Number(_, y)) => Number(negative, x / y),
        }
    }

    pub(crate) fn remainder(&self, other: &Self) -> Self {
        match (self, other) {
            (Nan | Infinity(_), _) | (_, Nan) => Nan,
            (_, y) if y.is_zero() => Nan,
            (x, Infinity(_)) => x.clone(),
            (Number(negative, x), Number(_, y)) => {
                let times = (x / y).trunc();
                Number(*negative, x - times * y)
            }
        }
    }

    /// The nearest integer below or above.
    pub(crate) fn to_integral(&self, up: bool) -> Self {
        match self {
            Number(negative, magnitude) => {
                let value = signed(*negative, magnitude);
                number(if up { value.ceil() } else { value.floor() }, *negative)
            }
            other => other.clone(),
        }
    }
}
