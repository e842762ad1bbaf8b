//! Rounding to a format.

use super::format::{Finite, Format, Number, Specials};
use tilewright_irs::cuda_tile::RoundingMode;

/// A rounding direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Direction {
    NearestEven,
    NearestAway,
    Zero,
    Down,
    Up,
}

impl Direction {
    /// The direction of a rounding mode. `approx` and `full` round like `nearest_even` here, `nearest_int_to_zero`
    /// truncates.
    pub(super) const fn of(mode: RoundingMode) -> Self {
        match mode {
            RoundingMode::NearestEven | RoundingMode::Approx | RoundingMode::Full => Self::NearestEven,
            RoundingMode::NearestAway => Self::NearestAway,
            RoundingMode::Zero | RoundingMode::NearestIntToZero => Self::Zero,
            RoundingMode::NegativeInf => Self::Down,
            RoundingMode::PositiveInf => Self::Up,
        }
    }

    /// Whether the magnitude is incremented by one unit, given the unit's parity and the discarded part.
    const fn grows(self, negative: bool, odd: bool, lost: Lost) -> bool {
        match (self, lost) {
            (_, Lost::Nothing) | (Self::Zero, _) => false,
            (Self::Down, _) => negative,
            (Self::Up, _) => !negative,
            (Self::NearestEven | Self::NearestAway, Lost::Less) => false,
            (Self::NearestEven | Self::NearestAway, Lost::More) => true,
            (Self::NearestEven, Lost::Half) => odd,
            (Self::NearestAway, Lost::Half) => true,
        }
    }
}

/// The result of overflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Overflow {
    /// As in IEEE 754: infinity, or the largest number, depending on the direction. If the format lacks infinity,
    /// NaN; if it lacks NaN too, the largest number.
    Ieee,
    /// The largest number of the same sign, also for infinity.
    Saturate,
}

/// The discarded part, compared with half a unit of the kept part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lost {
    Nothing,
    Less,
    Half,
    More,
}

/// `significand / 2^shift` as an integer, and the discarded part.
const fn shift_out(significand: u128, shift: u32) -> (u128, Lost) {
    if shift == 0 || significand == 0 {
        return (significand, Lost::Nothing);
    }
    if shift > u128::BITS {
        return (0, Lost::Less);
    }
    let kept = match significand.checked_shr(shift) {
        Some(kept) => kept,
        None => 0,
    };
    let half = 1 << (shift - 1);
    let rest = significand & (half | (half - 1));
    let lost = if rest == 0 {
        Lost::Nothing
    } else if rest < half {
        Lost::Less
    } else if rest == half {
        Lost::Half
    } else {
        Lost::More
    };
    (kept, lost)
}

impl Finite {
    /// The nearest integer in a direction; zero keeps its sign.
    pub(super) fn to_integral(self, direction: Direction) -> Self {
        if self.exponent >= 0 {
            return self;
        }
        let (kept, lost) = shift_out(self.significand, self.exponent.unsigned_abs());
        let grows = direction.grows(self.negative, kept & 1 == 1, lost);
        Self {
            exponent: 0,
            significand: kept + u128::from(grows),
            ..self
        }
    }
}

impl Format {
    /// The code of a number, rounded.
    pub(super) fn encode(self, number: Number, direction: Direction, overflow: Overflow) -> u64 {
        match number {
            Number::Nan => self.nan(),
            Number::Infinite { negative } => self.beyond(negative, overflow),
            Number::Finite(finite) => self.round(finite, direction, overflow),
        }
    }

    /// The code of an infinity, or of an overflow.
    fn beyond(self, negative: bool, overflow: Overflow) -> u64 {
        match (overflow, self.specials(), self.infinity()) {
            (Overflow::Saturate, _, _) | (Overflow::Ieee, Specials::None, _) => {
                self.with_sign(negative, self.max_finite())
            }
            (Overflow::Ieee, _, Some(infinity)) => self.with_sign(negative, infinity),
            (Overflow::Ieee, _, None) => self.nan(),
        }
    }

    /// The code of a finite number, rounded. An unsigned format drops the sign; the direction then applies to the
    /// magnitude. A number that is too small for a format without zero becomes its smallest number.
    fn round(self, finite: Finite, direction: Direction, overflow: Overflow) -> u64 {
        let negative = finite.negative && self.is_signed();
        if finite.significand == 0 {
            return self.with_sign(negative, 0);
        }
        // The exponents of the number's first bit, and of the last one that is kept.
        let first = finite.exponent + finite.significand.ilog2().cast_signed();
        let unlimited = first - self.fraction_bits().cast_signed();
        let last = if self.has_zero() {
            unlimited.max(self.lowest())
        } else {
            unlimited
        };
        let (kept, lost) = if last >= finite.exponent {
            shift_out(finite.significand, last.abs_diff(finite.exponent))
        } else {
            // Ends with its first bit at `fraction_bits` or below.
            (
                finite.significand << finite.exponent.abs_diff(last),
                Lost::Nothing,
            )
        };
        // The exponent field is one more than this if there is a leading bit, which adds the one. So does a carry out
        // of the fraction. A format without zero has no field for the leading bit.
        let field = i128::from(last) - i128::from(self.lowest());
        let leading = if self.has_zero() { 0 } else { 1 };
        let code = (field << self.fraction_bits()) + kept.cast_signed() - leading;
        let code = code + i128::from(direction.grows(negative, code & 1 == 1, lost));
        match u64::try_from(code) {
            Ok(code) if code <= self.max_finite() => self.with_sign(negative, code),
            Err(_) if code < 0 => 0,
            Ok(_) | Err(_) => match direction {
                Direction::Zero => self.with_sign(negative, self.max_finite()),
                Direction::Down if !negative => self.max_finite(),
                Direction::Up if negative => self.with_sign(negative, self.max_finite()),
                Direction::NearestEven | Direction::NearestAway | Direction::Down | Direction::Up => {
                    self.beyond(negative, overflow)
                }
            },
        }
    }
}
