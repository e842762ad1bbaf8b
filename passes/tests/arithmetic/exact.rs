//! Floats as exact numbers, rounded once, as a reference for the target's arithmetic. Based on IEEE 754 alone and
//! independent of the passes and the simulator.

/// A rounding direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Nearest,
    Zero,
    Down,
    Up,
}

pub(crate) const DIRECTIONS: [(Direction, &str); 4] = [
    (Direction::Nearest, "nearest_even"),
    (Direction::Zero, "zero"),
    (Direction::Down, "down"),
    (Direction::Up, "up"),
];

/// A binary interchange format: bits of precision (including the hidden one) and the exponents of normal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    pub(crate) name: &'static str,
    pub(crate) bits: u32,
    precision: u32,
    least: i32,
    most: i32,
}

pub(crate) const F16: Format = Format {
    name: "f16",
    bits: 16,
    precision: 11,
    least: -14,
    most: 15,
};
pub(crate) const BF16: Format = Format {
    name: "bf16",
    bits: 16,
    precision: 8,
    least: -126,
    most: 127,
};
pub(crate) const F32: Format = Format {
    name: "f32",
    bits: 32,
    precision: 24,
    least: -126,
    most: 127,
};
pub(crate) const F64: Format = Format {
    name: "f64",
    bits: 64,
    precision: 53,
    least: -1022,
    most: 1023,
};

/// A number: `(-1)^negative * mantissa * 2^exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    Nan,
    Infinite(bool),
    Finite(bool, u128, i32),
}

pub(crate) fn integer(value: i128) -> Number {
    Number::Finite(value < 0, value.unsigned_abs(), 0)
}

impl Format {
    fn fraction(self) -> u32 {
        self.precision - 1
    }

    fn sign(self, negative: bool) -> u64 {
        u64::from(negative) << (self.bits - 1)
    }

    pub(crate) fn infinity(self, negative: bool) -> u64 {
        let biased = (self.most - self.least + 2) as u64;
        self.sign(negative) | biased << self.fraction()
    }

    pub(crate) fn nan(self) -> u64 {
        self.infinity(false) | 1 << (self.fraction() - 1)
    }

    pub(crate) fn is_nan(self, bits: u64) -> bool {
        self.decode(bits) == Number::Nan
    }

    fn is_subnormal(self, bits: u64) -> bool {
        let magnitude = bits & !self.sign(true);
        magnitude != 0 && magnitude >> self.fraction() == 0
    }

    /// Flushes subnormals to zero of the same sign.
    pub(crate) fn flushed(self, bits: u64) -> u64 {
        if self.is_subnormal(bits) {
            bits & self.sign(true)
        } else {
            bits
        }
    }

    pub(crate) fn decode(self, bits: u64) -> Number {
        let negative = bits & self.sign(true) != 0;
        let magnitude = bits & !self.sign(true);
        let fraction = magnitude & ((1 << self.fraction()) - 1);
        let biased = (magnitude >> self.fraction()) as i32;
        if biased == self.most - self.least + 2 {
            return if fraction == 0 {
                Number::Infinite(negative)
            } else {
                Number::Nan
            };
        }
        let (mantissa, exponent) = match biased {
            0 => (fraction, self.least),
            _ => (fraction | 1 << self.fraction(), self.least + biased - 1),
        };
        Number::Finite(negative, u128::from(mantissa), exponent - self.fraction() as i32)
    }

    /// Rounds the number once. The lowest bit of the mantissa may be a sticky bit, if there are at least two bits
    /// more than the format has.
    pub(crate) fn round(self, number: Number, direction: Direction) -> u64 {
        let (negative, mantissa, exponent) = match number {
            Number::Nan => return self.nan(),
            Number::Infinite(negative) => return self.infinity(negative),
            Number::Finite(negative, 0, _) => return self.sign(negative),
            Number::Finite(negative, mantissa, exponent) => (negative, mantissa, exponent),
        };
        let leading = exponent + mantissa.ilog2() as i32;
        let quantum = leading.max(self.least) - self.fraction() as i32;
        let shift = quantum - exponent;
        let (mut kept, lost, half) = if shift <= 0 {
            (mantissa << shift.unsigned_abs(), 0, 1)
        } else if shift > 126 {
            (0, 1, 2)
        } else {
            (mantissa >> shift, mantissa & ((1 << shift) - 1), 1 << (shift - 1))
        };
        let up = match direction {
            Direction::Nearest => lost > half || (lost == half && kept & 1 == 1),
            Direction::Zero => false,
            Direction::Down => negative && lost != 0,
            Direction::Up => !negative && lost != 0,
        };
        kept += u128::from(up);
        let hidden = 1u128 << self.fraction();
        // A carry out of the mantissa increments the exponent.
        let magnitude = if kept < hidden {
            kept
        } else {
            let biased = (quantum + self.fraction() as i32 - self.least + 1) as u128;
            (biased << self.fraction()) + (kept - hidden)
        };
        let infinity = self.infinity(false);
        if magnitude >= u128::from(infinity) {
            let stops = match direction {
                Direction::Nearest => false,
                Direction::Zero => true,
                Direction::Down => !negative,
                Direction::Up => negative,
            };
            return self.sign(negative) | (infinity - u64::from(stops));
        }
        self.sign(negative) | magnitude as u64
    }
}

pub(crate) fn negate(number: Number) -> Number {
    match number {
        Number::Nan => Number::Nan,
        Number::Infinite(negative) => Number::Infinite(!negative),
        Number::Finite(negative, mantissa, exponent) => Number::Finite(!negative, mantissa, exponent),
    }
}

pub(crate) fn add(a: Number, b: Number, direction: Direction) -> Number {
    use Number::{Finite, Infinite, Nan};
    match (a, b) {
        (Nan, _) | (_, Nan) => Nan,
        (Infinite(x), Infinite(y)) => {
            if x == y {
                a
            } else {
                Nan
            }
        }
        (Infinite(_), _) => a,
        (_, Infinite(_)) => b,
        (Finite(x, 0, _), Finite(y, 0, _)) => {
            Finite(if x == y { x } else { direction == Direction::Down }, 0, 0)
        }
        (Finite(_, 0, _), _) => b,
        (_, Finite(_, 0, _)) => a,
        (Finite(_, _, x), Finite(_, _, y)) if x < y => add(b, a, direction),
        (Finite(x, high, high_exponent), Finite(y, low, low_exponent)) => {
            let apart = (high_exponent - low_exponent) as u32;
            let room = 125 - high.ilog2();
            let (high, low, exponent) = if apart <= room {
                (high << apart, low, low_exponent)
            } else {
                let drop = apart - room;
                let sticky = if drop > 126 {
                    1
                } else {
                    u128::from(low & ((1 << drop) - 1) != 0)
                };
                let low = if drop > 126 { 0 } else { low >> drop };
                (high << room, low | sticky, high_exponent - room as i32)
            };
            if x == y {
                Finite(x, high + low, exponent)
            } else if high == low {
                Finite(direction == Direction::Down, 0, 0)
            } else if high > low {
                Finite(x, high - low, exponent)
            } else {
                Finite(y, low - high, exponent)
            }
        }
    }
}

pub(crate) fn multiply(a: Number, b: Number) -> Number {
    use Number::{Finite, Infinite, Nan};
    match (a, b) {
        (Nan, _) | (_, Nan) | (Infinite(_), Finite(_, 0, _)) | (Finite(_, 0, _), Infinite(_)) => Nan,
        (Infinite(x), Infinite(y) | Finite(y, ..)) | (Finite(x, ..), Infinite(y)) => Infinite(x != y),
        (Finite(x, p, e), Finite(y, q, f)) => Finite(x != y, p * q, e + f),
    }
}

pub(crate) fn divide(a: Number, b: Number) -> Number {
    use Number::{Finite, Infinite, Nan};
    match (a, b) {
        (Nan, _) | (_, Nan) | (Infinite(_), Infinite(_)) | (Finite(_, 0, _), Finite(_, 0, _)) => Nan,
        (Infinite(x), Finite(y, ..)) | (Finite(x, ..), Finite(y, 0, _)) => Infinite(x != y),
        (Finite(x, ..), Infinite(y)) => Finite(x != y, 0, 0),
        (Finite(x, p, e), Finite(y, q, f)) => {
            // Both have at most 53 bits; normalizing the dividend leaves at least 64 bits of quotient.
            let shift = if p == 0 { 0 } else { 125 - p.ilog2() };
            let (quotient, rest) = ((p << shift) / q, (p << shift) % q);
            Finite(
                x != y,
                quotient << 1 | u128::from(rest != 0),
                e - f - shift as i32 - 1,
            )
        }
    }
}

pub(crate) fn square_root(a: Number) -> Number {
    use Number::{Finite, Infinite, Nan};
    match a {
        Nan | Infinite(true) => Nan,
        Infinite(false) | Finite(_, 0, _) => a,
        Finite(true, ..) => Nan,
        Finite(false, mantissa, exponent) => {
            let mut shift = 124 - mantissa.ilog2() as i32;
            shift -= (exponent - shift).rem_euclid(2);
            let scaled = mantissa << shift;
            let root = scaled.isqrt();
            Finite(
                false,
                root << 1 | u128::from(root * root != scaled),
                (exponent - shift) / 2 - 1,
            )
        }
    }
}

/// Rounds the number to an integer, towards zero, down or up; `None` for NaN and infinity.
pub(crate) fn whole(number: Number, direction: Direction) -> Number {
    let Number::Finite(negative, mantissa, exponent) = number else {
        return number;
    };
    if exponent >= 0 {
        return number;
    }
    let down = exponent.unsigned_abs();
    let (kept, lost) = if down > 127 {
        (0, mantissa != 0)
    } else {
        (mantissa >> down, mantissa & ((1 << down) - 1) != 0)
    };
    let away = match direction {
        Direction::Down => negative,
        Direction::Up => !negative,
        Direction::Nearest | Direction::Zero => false,
    };
    Number::Finite(negative, kept + u128::from(lost && away), 0)
}

/// Truncates to an integer, clamped far outside of any type; `None` for NaN.
pub(crate) fn truncated(number: Number) -> Option<i128> {
    const FAR: i128 = 1 << 100;
    match whole(number, Direction::Zero) {
        Number::Nan => None,
        Number::Infinite(negative) => Some(if negative { -FAR } else { FAR }),
        Number::Finite(negative, mantissa, exponent) => {
            let big = mantissa != 0 && mantissa.ilog2() as i32 + exponent >= 100;
            let magnitude = if big {
                FAR
            } else if mantissa == 0 {
                0
            } else {
                (mantissa << exponent) as i128
            };
            Some(if negative { -magnitude } else { magnitude })
        }
    }
}
