//! The float formats of the language, and decoding of their bits.

use tilewright_irs::element::ScalarType;

/// The meaning of the codes with the largest exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Specials {
    /// As in IEEE 754: an infinity and NaNs.
    Ieee,
    /// No infinity; the code with all bits of the magnitude set is NaN.
    OneNan,
    /// Neither; all codes are finite numbers.
    None,
}

/// A float format: sign, exponent and fraction from the highest bit down.
///
/// A code of exponent field `e` and fraction field `f` means `(1 + f / 2^fraction_bits) * 2^(e - bias)`, or the same
/// without the leading 1 and with the exponent of field 1 where the field is 0. `f8E8M0FNU` has no code for zero and
/// none without a leading 1: code 0 is `2^-127`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    ty: ScalarType,
    exponent_bits: u32,
    fraction_bits: u32,
    bias: i32,
    is_signed: bool,
    specials: Specials,
}

/// A finite number, `significand * 2^exponent` with a sign; zero keeps its sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Finite {
    pub(super) negative: bool,
    pub(super) exponent: i32,
    pub(super) significand: u128,
}

/// The value of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    Nan,
    Infinite { negative: bool },
    Finite(Finite),
}

impl Format {
    /// IEEE binary16.
    pub const F16: Self = Self::ieee(ScalarType::F16, 5, 10);
    /// bfloat16.
    pub const BF16: Self = Self::ieee(ScalarType::BF16, 8, 7);
    /// IEEE binary32.
    pub const F32: Self = Self::ieee(ScalarType::F32, 8, 23);
    /// TensorFloat-32, its 19 bits alone.
    pub const TF32: Self = Self::ieee(ScalarType::TF32, 8, 10);
    /// IEEE binary64.
    pub const F64: Self = Self::ieee(ScalarType::F64, 11, 52);
    /// 4 bits of exponent, 3 of fraction, no infinities.
    pub const F8E4M3FN: Self = Self {
        specials: Specials::OneNan,
        ..Self::ieee(ScalarType::F8E4M3FN, 4, 3)
    };
    /// 5 bits of exponent, 2 of fraction.
    pub const F8E5M2: Self = Self::ieee(ScalarType::F8E5M2, 5, 2);
    /// Powers of two.
    pub const F8E8M0FNU: Self = Self {
        specials: Specials::OneNan,
        is_signed: false,
        ..Self::ieee(ScalarType::F8E8M0FNU, 8, 0)
    };
    /// 2 bits of exponent, 1 of fraction, numbers only.
    pub const F4E2M1FN: Self = Self {
        specials: Specials::None,
        ..Self::ieee(ScalarType::F4E2M1FN, 2, 1)
    };
    /// Unsigned, 5 bits of exponent, 3 of fraction, no infinity.
    pub const F8E5M3FNU: Self = Self {
        specials: Specials::OneNan,
        is_signed: false,
        ..Self::ieee(ScalarType::F8E5M3FNU, 5, 3)
    };

    /// Every format of the language.
    pub const ALL: [Self; 10] = [
        Self::F16,
        Self::BF16,
        Self::F32,
        Self::TF32,
        Self::F64,
        Self::F8E4M3FN,
        Self::F8E5M2,
        Self::F8E8M0FNU,
        Self::F4E2M1FN,
        Self::F8E5M3FNU,
    ];

    const fn ieee(ty: ScalarType, exponent_bits: u32, fraction_bits: u32) -> Self {
        Self {
            ty,
            exponent_bits,
            fraction_bits,
            bias: (1 << (exponent_bits - 1)) - 1,
            is_signed: true,
            specials: Specials::Ieee,
        }
    }

    /// The format of a float type; `None` for an integer type.
    pub const fn of(ty: ScalarType) -> Option<Self> {
        match ty {
            ScalarType::F16 => Some(Self::F16),
            ScalarType::BF16 => Some(Self::BF16),
            ScalarType::F32 => Some(Self::F32),
            ScalarType::TF32 => Some(Self::TF32),
            ScalarType::F64 => Some(Self::F64),
            ScalarType::F8E4M3FN => Some(Self::F8E4M3FN),
            ScalarType::F8E5M2 => Some(Self::F8E5M2),
            ScalarType::F8E8M0FNU => Some(Self::F8E8M0FNU),
            ScalarType::F4E2M1FN => Some(Self::F4E2M1FN),
            ScalarType::F8E5M3FNU => Some(Self::F8E5M3FNU),
            ScalarType::I1
            | ScalarType::I4
            | ScalarType::I8
            | ScalarType::I16
            | ScalarType::I32
            | ScalarType::I64 => None,
        }
    }

    /// The type that has this format.
    pub const fn ty(self) -> ScalarType {
        self.ty
    }

    /// The distance between subnormal numbers.
    pub fn least_step(self) -> f64 {
        let fraction_bits = i32::try_from(self.fraction_bits).unwrap_or(i32::MAX);
        2f64.powi(1 - self.bias - fraction_bits)
    }

    /// Bits of the fraction field.
    pub const fn fraction_bits(self) -> u32 {
        self.fraction_bits
    }

    /// Whether there is a sign bit.
    pub const fn is_signed(self) -> bool {
        self.is_signed
    }

    /// The meaning of the codes with the largest exponent.
    pub const fn specials(self) -> Specials {
        self.specials
    }

    /// Whether zero is representable: in all but `f8E8M0FNU`.
    pub const fn has_zero(self) -> bool {
        self.fraction_bits > 0
    }

    /// The exponent of the lowest bit of the codes with the smallest exponent field.
    pub(super) const fn lowest(self) -> i32 {
        let field = if self.has_zero() { 1 } else { 0 };
        field - self.bias - self.fraction_bits.cast_signed()
    }

    const fn magnitude_mask(self) -> u64 {
        (1 << (self.exponent_bits + self.fraction_bits)) - 1
    }

    /// The sign bit; 0 in an unsigned format.
    pub const fn sign_bit(self) -> u64 {
        if self.is_signed {
            self.magnitude_mask() + 1
        } else {
            0
        }
    }

    /// The code without its sign.
    pub const fn magnitude(self, bits: u64) -> u64 {
        bits & self.magnitude_mask()
    }

    /// Whether the sign bit is set.
    pub const fn is_negative(self, bits: u64) -> bool {
        bits & self.sign_bit() != 0
    }

    /// A magnitude with a sign; an unsigned format drops the sign.
    pub const fn with_sign(self, negative: bool, magnitude: u64) -> u64 {
        if negative {
            magnitude | self.sign_bit()
        } else {
            magnitude
        }
    }

    /// The largest finite number.
    pub const fn max_finite(self) -> u64 {
        match self.specials {
            Specials::Ieee => self.magnitude_mask() - (1 << self.fraction_bits),
            Specials::OneNan => self.magnitude_mask() - 1,
            Specials::None => self.magnitude_mask(),
        }
    }

    /// Infinity, if there is one.
    pub const fn infinity(self) -> Option<u64> {
        match self.specials {
            Specials::Ieee => Some(self.max_finite() + 1),
            Specials::OneNan | Specials::None => None,
        }
    }

    /// The canonical NaN; the largest number in a format without NaN, as in PTX.
    ///
    /// The language requires a canonical NaN of `minf` and `maxf` without defining it; this is the hardware's: all
    /// bits of the magnitude set up to 32 bits (as PTX defines), and a quiet NaN without a payload in 64 bits.
    pub const fn nan(self) -> u64 {
        if self.fraction_bits == Self::F64.fraction_bits {
            self.max_finite() + 1 + (1 << (self.fraction_bits - 1))
        } else {
            self.magnitude_mask()
        }
    }

    /// Whether the bits are those of a NaN.
    pub const fn is_nan(self, bits: u64) -> bool {
        match self.specials {
            Specials::Ieee => self.magnitude(bits) > self.max_finite() + 1,
            Specials::OneNan => self.magnitude(bits) > self.max_finite(),
            Specials::None => false,
        }
    }

    /// Whether the bits are those of an infinity.
    pub const fn is_infinite(self, bits: u64) -> bool {
        match self.specials {
            Specials::Ieee => self.magnitude(bits) == self.max_finite() + 1,
            Specials::OneNan | Specials::None => false,
        }
    }

    /// Whether the bits are those of a zero of either sign.
    pub const fn is_zero(self, bits: u64) -> bool {
        self.has_zero() && self.magnitude(bits) == 0
    }

    /// Whether the bits are those of a subnormal number, which excludes zero.
    pub const fn is_subnormal(self, bits: u64) -> bool {
        let magnitude = self.magnitude(bits);
        magnitude != 0 && magnitude < 1 << self.fraction_bits
    }

    /// The bits, or a zero of the same sign if the number is subnormal and `flush` is set.
    pub const fn flushed(self, flush: bool, bits: u64) -> u64 {
        if flush && self.is_subnormal(bits) {
            bits & self.sign_bit()
        } else {
            bits
        }
    }

    /// Decodes the bits.
    pub(super) const fn decode(self, bits: u64) -> Number {
        let negative = self.is_negative(bits);
        if self.is_nan(bits) {
            return Number::Nan;
        }
        if self.is_infinite(bits) {
            return Number::Infinite { negative };
        }
        let magnitude = self.magnitude(bits);
        let fraction = magnitude & ((1 << self.fraction_bits) - 1);
        // At most 11 bits.
        let field = (magnitude >> self.fraction_bits) as i32;
        let leading = 1 << self.fraction_bits;
        let (exponent, significand) = if !self.has_zero() {
            (self.lowest() + field, leading)
        } else if field == 0 {
            (self.lowest(), fraction)
        } else {
            (self.lowest() + field - 1, fraction | leading)
        };
        Number::Finite(Finite {
            negative,
            exponent,
            significand: significand as u128,
        })
    }
}
