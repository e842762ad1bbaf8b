//! Exact arithmetic, before rounding.
//!
//! Infinite results, and those longer than 127 bits, have a sticky lowest bit. They keep at least ten bits more than
//! any format has, so such a bit never decides a tie and every rounding is correct.

use super::format::{Finite, Number};
use super::round::Direction;
use Number::{Infinite, Nan};
use num_bigint::BigUint;

impl Finite {
    const fn zero(negative: bool) -> Self {
        Self {
            negative,
            exponent: 0,
            significand: 0,
        }
    }

    /// `integer * 2^exponent`, with a nonzero rest below it if `inexact`.
    fn from_big(negative: bool, integer: &BigUint, exponent: i32, inexact: bool) -> Self {
        // At most 126 bits, and room for a sticky bit.
        let excess = integer.bits().saturating_sub(126);
        let kept = integer >> excess;
        let lost = inexact || integer.trailing_zeros().is_some_and(|zeros| zeros < excess);
        Self {
            negative,
            // The operands' exponents are within ±2300, and so is the shift.
            exponent: exponent.saturating_add(i32::try_from(excess).unwrap_or(i32::MAX)) - 1,
            significand: u128::try_from(kept).unwrap_or(u128::MAX) << 1 | u128::from(lost),
        }
    }

    /// The significand of a number with this lower exponent.
    fn scaled(self, exponent: i32) -> BigUint {
        BigUint::from(self.significand) << self.exponent.abs_diff(exponent)
    }

    fn sum(self, other: Self, direction: Direction) -> Self {
        let exponent = self.exponent.min(other.exponent);
        let (a, b) = (self.scaled(exponent), other.scaled(exponent));
        if self.negative == other.negative {
            return Self::from_big(self.negative, &(a + b), exponent, false);
        }
        match a.cmp(&b) {
            // IEEE 754: an exact zero is positive, but negative when rounding down.
            std::cmp::Ordering::Equal => Self::zero(direction == Direction::Down),
            std::cmp::Ordering::Greater => Self::from_big(self.negative, &(a - b), exponent, false),
            std::cmp::Ordering::Less => Self::from_big(other.negative, &(b - a), exponent, false),
        }
    }

    /// The product of factors of up to 64 bits.
    const fn product(self, other: Self) -> Self {
        Self {
            negative: self.negative != other.negative,
            exponent: self.exponent + other.exponent,
            significand: self.significand * other.significand,
        }
    }

    /// The quotient by a number that is not zero.
    fn quotient(self, other: Self) -> Self {
        let (dividend, divisor) = (
            BigUint::from(self.significand) << 192u32,
            BigUint::from(other.significand),
        );
        let quotient = &dividend / &divisor;
        let inexact = &quotient * &divisor != dividend;
        let negative = self.negative != other.negative;
        Self::from_big(negative, &quotient, self.exponent - other.exponent - 192, inexact)
    }

    /// The remainder of truncating division by a number that is not zero.
    fn remainder(self, other: Self) -> Self {
        let exponent = self.exponent.min(other.exponent);
        let rest = self.scaled(exponent) % other.scaled(exponent);
        Self::from_big(self.negative, &rest, exponent, false)
    }

    /// `significand * 2^exponent` with an even exponent: the significand.
    fn even(self) -> (BigUint, i32) {
        let odd = self.exponent.rem_euclid(2);
        (
            BigUint::from(self.significand) << odd.unsigned_abs(),
            self.exponent - odd,
        )
    }

    /// The square root of a positive number.
    fn square_root(self) -> Self {
        let (significand, exponent) = self.even();
        let scaled = significand << 192u32;
        let root = scaled.sqrt();
        let inexact = &root * &root != scaled;
        Self::from_big(false, &root, exponent / 2 - 96, inexact)
    }

    /// One over the square root of a positive number.
    fn reciprocal_square_root(self) -> Self {
        let (significand, exponent) = self.even();
        // The root of an integer part is the integer part of the root.
        let one = BigUint::from(1u8) << 384u32;
        let root = (&one / &significand).sqrt();
        let inexact = &root * &root * &significand != one;
        Self::from_big(false, &root, -exponent / 2 - 192, inexact)
    }
}

impl Number {
    pub(super) const fn is_zero(self) -> bool {
        matches!(self, Self::Finite(Finite { significand: 0, .. }))
    }

    const fn is_negative(self) -> bool {
        match self {
            Nan => false,
            Infinite { negative } | Self::Finite(Finite { negative, .. }) => negative,
        }
    }

    pub(super) const fn negated(self) -> Self {
        match self {
            Nan => Nan,
            Infinite { negative } => Infinite { negative: !negative },
            Self::Finite(finite) => Self::Finite(Finite {
                negative: !finite.negative,
                ..finite
            }),
        }
    }

    /// `self + other`. The direction determines the sign of an exact zero.
    pub(super) fn sum(self, other: Self, direction: Direction) -> Self {
        match (self, other) {
            (Nan, _) | (_, Nan) => Nan,
            (Infinite { negative: a }, Infinite { negative: b }) if a != b => Nan,
            (Infinite { negative }, _) | (_, Infinite { negative }) => Infinite { negative },
            (Self::Finite(a), Self::Finite(b)) => Self::Finite(a.sum(b, direction)),
        }
    }

    /// `self * other`, where each has up to 64 bits.
    pub(super) const fn product(self, other: Self) -> Self {
        let negative = self.is_negative() != other.is_negative();
        match (self, other) {
            (Nan, _) | (_, Nan) => Nan,
            (Self::Finite(a), Self::Finite(b)) => Self::Finite(a.product(b)),
            (Infinite { .. }, zero) | (zero, Infinite { .. }) if zero.is_zero() => Nan,
            (Infinite { .. }, _) | (_, Infinite { .. }) => Infinite { negative },
        }
    }

    /// `self / other`.
    pub(super) fn quotient(self, other: Self) -> Self {
        let negative = self.is_negative() != other.is_negative();
        match (self, other) {
            (Nan, _) | (_, Nan) | (Infinite { .. }, Infinite { .. }) => Nan,
            (Infinite { .. }, Self::Finite(_)) => Infinite { negative },
            (Self::Finite(_), Infinite { .. }) => Self::Finite(Finite::zero(negative)),
            (Self::Finite(a), Self::Finite(b)) => match (a.significand, b.significand) {
                (0, 0) => Nan,
                (_, 0) => Infinite { negative },
                (_, _) => Self::Finite(a.quotient(b)),
            },
        }
    }

    /// The remainder of truncating division; it has the sign of `self`.
    pub(super) fn remainder(self, other: Self) -> Self {
        match (self, other) {
            (Nan, _) | (_, Nan) | (Infinite { .. }, _) => Nan,
            (_, zero) if zero.is_zero() => Nan,
            (Self::Finite(_), Infinite { .. }) => self,
            (Self::Finite(a), Self::Finite(b)) => Self::Finite(a.remainder(b)),
        }
    }

    /// The square root: a zero is returned unchanged, a negative number gives NaN.
    pub(super) fn square_root(self) -> Self {
        match self {
            Self::Finite(Finite { significand: 0, .. }) | Infinite { negative: false } => self,
            Self::Finite(finite) if !finite.negative => Self::Finite(finite.square_root()),
            Nan | Infinite { .. } | Self::Finite(_) => Nan,
        }
    }

    /// One over the square root: a zero gives the infinity of its sign, a negative number NaN.
    pub(super) fn reciprocal_square_root(self) -> Self {
        match self {
            Infinite { negative: false } => Self::Finite(Finite::zero(false)),
            Self::Finite(Finite {
                significand: 0,
                negative,
                ..
            }) => Infinite { negative },
            Self::Finite(finite) if !finite.negative => Self::Finite(finite.reciprocal_square_root()),
            Nan | Infinite { .. } | Self::Finite(_) => Nan,
        }
    }

    /// The nearest integer in a direction.
    pub(super) fn to_integral(self, direction: Direction) -> Self {
        match self {
            Self::Finite(finite) => Self::Finite(finite.to_integral(direction)),
            Nan | Infinite { .. } => self,
        }
    }
}
