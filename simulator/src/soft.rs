//! Binary floating point by integer arithmetic, in every rounding direction.
//!
//! A finite number is `sig * 2^exp` with an integer `sig` of up to 128 bits; operations are exact, or have a sticky
//! lowest bit, which suffices to round correctly to any of the formats.

/// A binary format: `exponent_bits` of exponent and `fraction_bits` of stored fraction, IEEE encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Bits of the exponent field.
    pub exponent_bits: u32,
    /// Bits of the fraction field.
    pub fraction_bits: u32,
}

/// IEEE binary16.
pub const F16: Format = Format {
    exponent_bits: 5,
    fraction_bits: 10,
};
/// bfloat16.
pub const BF16: Format = Format {
    exponent_bits: 8,
    fraction_bits: 7,
};
/// IEEE binary32.
pub const F32: Format = Format {
    exponent_bits: 8,
    fraction_bits: 23,
};
/// IEEE binary64.
pub const F64: Format = Format {
    exponent_bits: 11,
    fraction_bits: 52,
};

/// A rounding direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To nearest, ties to even.
    NearestEven,
    /// To nearest, ties away from zero.
    NearestAway,
    /// Towards zero.
    Zero,
    /// Towards negative infinity.
    Down,
    /// Towards positive infinity.
    Up,
}

impl Direction {
    /// Whether a magnitude whose last kept bit is `odd` is incremented, given the discarded part.
    fn grows(self, negative: bool, odd: bool, lost: Lost) -> bool {
        match self {
            Self::NearestEven => lost == Lost::More || (lost == Lost::Half && odd),
            Self::NearestAway => matches!(lost, Lost::Half | Lost::More),
            Self::Zero => false,
            Self::Down => negative && lost != Lost::Nothing,
            Self::Up => !negative && lost != Lost::Nothing,
        }
    }
}

/// A discarded part, compared with half a unit of the last kept bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lost {
    Nothing,
    Less,
    Half,
    More,
}

/// `sig >> shift`, and the discarded part.
fn shift_out(sig: u128, shift: u32) -> (u128, Lost) {
    if shift == 0 {
        return (sig, Lost::Nothing);
    }
    if shift > 128 {
        return (0, if sig == 0 { Lost::Nothing } else { Lost::Less });
    }
    let kept = if shift == 128 { 0 } else { sig >> shift };
    let half = 1u128 << (shift - 1);
    let rest = sig & (half | (half - 1));
    let lost = match rest {
        0 => Lost::Nothing,
        rest if rest < half => Lost::Less,
        rest if rest == half => Lost::Half,
        _ => Lost::More,
    };
    (kept, lost)
}

/// `sig >> shift` with a sticky lowest bit.
fn shift_jam(sig: u128, shift: u32) -> u128 {
    let (kept, lost) = shift_out(sig, shift);
    kept | u128::from(lost != Lost::Nothing)
}

/// An unpacked number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Not a number.
    Nan,
    /// Infinity.
    Infinity {
        /// Whether it is negative.
        negative: bool,
    },
    /// `sig * 2^exp`; zero has a `sig` of zero and keeps its sign.
    Finite {
        /// Whether it is negative.
        negative: bool,
        /// The exponent.
        exp: i32,
        /// The significand.
        sig: u128,
    },
}

use Number::{Finite, Infinity, Nan};

impl Format {
    const fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    const fn exponent_mask(self) -> u64 {
        (1 << self.exponent_bits) - 1
    }

    const fn fraction_mask(self) -> u64 {
        (1 << self.fraction_bits) - 1
    }

    /// The bit that holds the sign.
    pub const fn sign_bit(self) -> u64 {
        1 << (self.exponent_bits + self.fraction_bits)
    }

    /// The bits of positive infinity.
    pub const fn infinity(self) -> u64 {
        self.exponent_mask() << self.fraction_bits
    }

    /// The canonical NaN: all bits set but the sign, as on hardware up to 32 bits.
    pub const fn nan(self) -> u64 {
        if self.fraction_bits == 52 {
            0x7ff8_0000_0000_0000
        } else {
            self.sign_bit() - 1
        }
    }

    /// Whether the bits are those of a NaN.
    pub const fn is_nan(self, bits: u64) -> bool {
        bits & (self.sign_bit() - 1) > self.infinity()
    }

    /// Whether the bits are those of a subnormal number; zero is not subnormal.
    pub const fn is_subnormal(self, bits: u64) -> bool {
        let magnitude = bits & (self.sign_bit() - 1);
        magnitude != 0 && magnitude <= self.fraction_mask()
    }

    /// Subnormals become zero of the same sign.
    pub const fn flush(self, bits: u64) -> u64 {
        if self.is_subnormal(bits) {
            bits & self.sign_bit()
        } else {
            bits
        }
    }

    /// Unpacks a number.
    pub fn unpack(self, bits: u64) -> Number {
        let negative = bits & self.sign_bit() != 0;
        let field = (bits >> self.fraction_bits) & self.exponent_mask();
        let fraction = bits & self.fraction_mask();
        let lowest = 1 - self.bias() - self.fraction_bits.cast_signed();
        if field == self.exponent_mask() {
            if fraction == 0 { Infinity { negative } } else { Nan }
        } else if field == 0 {
            Finite {
                negative,
                exp: lowest,
                sig: u128::from(fraction),
            }
        } else {
            let sig = u128::from(fraction | (1 << self.fraction_bits));
            // The field is below 2^11.
            let field = i32::try_from(field).unwrap_or(i32::MAX);
            Finite {
                negative,
                exp: lowest + field - 1,
                sig,
            }
        }
    }

    /// Packs a number, rounded.
    pub fn pack(self, number: Number, direction: Direction) -> u64 {
        match number {
            Nan => self.nan(),
            Infinity { negative } => self.signed(negative, self.infinity()),
            Finite { negative, exp, sig } => self.signed(negative, self.round(negative, exp, sig, direction)),
        }
    }

    /// A magnitude with a sign.
    pub fn signed(self, negative: bool, magnitude: u64) -> u64 {
        magnitude | if negative { self.sign_bit() } else { 0 }
    }

    /// The magnitude's bits, as if the exponent field had no largest value.
    pub fn round_unbounded(self, negative: bool, exp: i32, sig: u128, direction: Direction) -> u128 {
        if sig == 0 {
            return 0;
        }
        let lowest = 1 - self.bias() - self.fraction_bits.cast_signed();
        // The position of the last kept bit: `fraction_bits` below the first one, but not below the lowest.
        let top = exp + 127 - sig.leading_zeros().cast_signed();
        let last = (top - self.fraction_bits.cast_signed()).max(lowest);
        let (mut kept, lost) = if last >= exp {
            shift_out(sig, (last - exp).unsigned_abs())
        } else {
            (sig << (exp - last).unsigned_abs(), Lost::Nothing)
        };
        if direction.grows(negative, kept & 1 == 1, lost) {
            kept += 1;
        }
        // The leading bit, if there is one, increments the exponent field; so does a carry out of the fraction.
        let field = u128::from((last - lowest).unsigned_abs());
        (field << self.fraction_bits) + kept
    }

    /// The magnitude's bits.
    fn round(self, negative: bool, exp: i32, sig: u128, direction: Direction) -> u64 {
        let bits = self.round_unbounded(negative, exp, sig, direction);
        let infinity = u128::from(self.infinity());
        if bits < infinity {
            return u64::try_from(bits).unwrap_or(self.infinity());
        }
        let overflows = match direction {
            Direction::NearestEven | Direction::NearestAway => true,
            Direction::Zero => false,
            Direction::Down => negative,
            Direction::Up => !negative,
        };
        if overflows {
            self.infinity()
        } else {
            self.infinity() - 1
        }
    }

    /// Replaces infinity by the largest finite value.
    pub const fn saturate_finite(self, bits: u64) -> u64 {
        if bits & (self.sign_bit() - 1) == self.infinity() {
            bits - 1
        } else {
            bits
        }
    }
}

impl Number {
    /// The number with the opposite sign.
    #[must_use]
    pub fn negate(self) -> Self {
        match self {
            Nan => Nan,
            Infinity { negative } => Infinity { negative: !negative },
            Finite { negative, exp, sig } => Finite {
                negative: !negative,
                exp,
                sig,
            },
        }
    }

    /// An integer.
    pub fn integer(value: i128) -> Self {
        Finite {
            negative: value < 0,
            exp: 0,
            sig: value.unsigned_abs(),
        }
    }

    /// `self + other`, exact up to a sticky lowest bit; an exact zero sum of opposite signs is negative only when
    /// rounding down.
    #[must_use]
    pub fn sum(self, other: Self, direction: Direction) -> Self {
        match (self, other) {
            (Nan, _) | (_, Nan) => Nan,
            (Infinity { negative: a }, Infinity { negative: b }) => {
                if a == b {
                    Infinity { negative: a }
                } else {
                    Nan
                }
            }
            (Infinity { negative }, Finite { .. }) | (Finite { .. }, Infinity { negative }) => {
                Infinity { negative }
            }
            (
                Finite {
                    negative: a,
                    exp: a_exp,
                    sig: a_sig,
                },
                Finite {
                    negative: b,
                    exp: b_exp,
                    sig: b_sig,
                },
            ) => {
                if a_sig == 0 && b_sig == 0 {
                    let negative = if a == b { a } else { direction == Direction::Down };
                    return Finite {
                        negative,
                        exp: 0,
                        sig: 0,
                    };
                }
                add_finite((a, a_exp, a_sig), (b, b_exp, b_sig), direction)
            }
        }
    }

    /// `self * other`, exact for factors of up to 64 bits.
    #[must_use]
    pub fn product(self, other: Self) -> Self {
        match (self, other) {
            (Nan, _) | (_, Nan) => Nan,
            (Infinity { negative: a }, Infinity { negative: b }) => Infinity { negative: a != b },
            (Infinity { negative: a }, Finite { negative: b, sig, .. })
            | (Finite { negative: a, sig, .. }, Infinity { negative: b }) => {
                if sig == 0 {
                    Nan
                } else {
                    Infinity { negative: a != b }
                }
            }
            (
                Finite {
                    negative: a,
                    exp: a_exp,
                    sig: a_sig,
                },
                Finite {
                    negative: b,
                    exp: b_exp,
                    sig: b_sig,
                },
            ) => Finite {
                negative: a != b,
                exp: a_exp + b_exp,
                sig: a_sig * b_sig,
            },
        }
    }

    /// `self / other`, with a sticky lowest bit after 64 bits, for operands of up to 53 bits.
    #[must_use]
    pub fn quotient(self, other: Self) -> Self {
        match (self, other) {
            (Nan, _) | (_, Nan) | (Infinity { .. }, Infinity { .. }) => Nan,
            (Infinity { negative: a }, Finite { negative: b, .. }) => Infinity { negative: a != b },
            (Finite { negative: a, .. }, Infinity { negative: b }) => Finite {
                negative: a != b,
                exp: 0,
                sig: 0,
            },
            (
                Finite {
                    negative: a,
                    exp: a_exp,
                    sig: a_sig,
                },
                Finite {
                    negative: b,
                    exp: b_exp,
                    sig: b_sig,
                },
            ) => {
                let negative = a != b;
                if b_sig == 0 {
                    return if a_sig == 0 { Nan } else { Infinity { negative } };
                }
                if a_sig == 0 {
                    return Finite {
                        negative,
                        exp: 0,
                        sig: 0,
                    };
                }
                let shift = a_sig.leading_zeros();
                let scaled = a_sig << shift;
                let quotient = (scaled / b_sig) | u128::from(!scaled.is_multiple_of(b_sig));
                Finite {
                    negative,
                    exp: a_exp - b_exp - shift.cast_signed(),
                    sig: quotient,
                }
            }
        }
    }

    /// The square root, with a sticky lowest bit after 63 bits.
    #[must_use]
    pub fn sqrt(self) -> Self {
        match self {
            Nan | Infinity { negative: true } => Nan,
            Infinity { negative: false } => self,
            Finite { sig: 0, .. } => self,
            Finite { negative: true, .. } => Nan,
            Finite {
                negative: false,
                exp,
                sig,
            } => {
                // An even exponent, and the full width.
                let mut shift = sig.leading_zeros();
                if (exp - shift.cast_signed()).rem_euclid(2) == 1 {
                    shift -= 1;
                }
                let scaled = sig << shift;
                let root = scaled.isqrt();
                let exact = root * root == scaled;
                // One more bit for the sticky bit.
                let sig = (root << 1) | u128::from(!exact);
                Finite {
                    negative: false,
                    exp: (exp - shift.cast_signed()) / 2 - 1,
                    sig,
                }
            }
        }
    }

    /// The nearest integer in `direction`, as a number; zero keeps the sign.
    #[must_use]
    pub fn to_integral(self, direction: Direction) -> Self {
        match self {
            Finite { negative, exp, sig } if exp < 0 => {
                let (mut kept, lost) = shift_out(sig, exp.unsigned_abs());
                if direction.grows(negative, kept & 1 == 1, lost) {
                    kept += 1;
                }
                Finite {
                    negative,
                    exp: 0,
                    sig: kept,
                }
            }
            other => other,
        }
    }

    /// The nearest integer in `direction`, clamped to `low..=high`; `None` for NaN.
    pub fn to_integer(self, direction: Direction, low: i128, high: i128) -> Option<i128> {
        let end = |negative| if negative { low } else { high };
        match self.to_integral(direction) {
            Nan => None,
            Infinity { negative } => Some(end(negative)),
            Finite { sig: 0, .. } => Some(0.clamp(low, high)),
            Finite { negative, exp, sig } => {
                let shift = exp.unsigned_abs();
                if sig.leading_zeros() <= shift {
                    return Some(end(negative));
                }
                let Ok(magnitude) = i128::try_from(sig << shift) else {
                    return Some(end(negative));
                };
                let value = if negative { -magnitude } else { magnitude };
                Some(value.clamp(low, high))
            }
        }
    }
}

/// Adds two finite numbers, not both zero.
fn add_finite(a: (bool, i32, u128), b: (bool, i32, u128), direction: Direction) -> Number {
    // Both with their first bit at 126: room for a carry above, and more than sixty bits below any operand.
    let normalise = |(negative, exp, sig): (bool, i32, u128)| {
        let zeros = sig.leading_zeros();
        if zeros == 0 {
            (negative, exp + 1, shift_jam(sig, 1))
        } else if sig == 0 {
            (negative, i32::MIN / 2, 0)
        } else {
            (negative, exp - zeros.cast_signed() + 1, sig << (zeros - 1))
        }
    };
    let (mut large, mut small) = (normalise(a), normalise(b));
    if (small.1, small.2) > (large.1, large.2) {
        std::mem::swap(&mut large, &mut small);
    }
    let aligned = shift_jam(small.2, (large.1 - small.1).unsigned_abs());
    let (negative, exp) = (large.0, large.1);
    if large.0 == small.0 {
        return Finite {
            negative,
            exp,
            sig: large.2 + aligned,
        };
    }
    match large.2 - aligned {
        0 => Finite {
            negative: direction == Direction::Down,
            exp: 0,
            sig: 0,
        },
        sig => Finite { negative, exp, sig },
    }
}
