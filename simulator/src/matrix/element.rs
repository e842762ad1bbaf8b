//! The types of matrix elements and of block scales, and their values.

use super::exact::Exact;

/// The type of an element of A or B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// IEEE binary16.
    F16,
    /// bfloat16.
    Bf16,
    /// The upper 19 bits of an `f32`.
    Tf32,
    /// IEEE binary64.
    F64,
    /// Signed, 8 bits.
    S8,
    /// Unsigned, 8 bits.
    U8,
    /// Signed, 4 bits.
    S4,
    /// Unsigned, 4 bits.
    U4,
    /// A bit.
    B1,
    /// 4 bits of exponent, 3 of fraction; no infinity, one NaN for each sign.
    E4m3,
    /// 5 bits of exponent, 2 of fraction; IEEE encoding.
    E5m2,
    /// 3 bits of exponent, 2 of fraction; only finite numbers. The low 6 bits of a byte.
    E3m2,
    /// 2 bits of exponent, 3 of fraction; only finite numbers. The low 6 bits of a byte.
    E2m3,
    /// 2 bits of exponent, 1 of fraction; only finite numbers. Bits 2 to 5 of a byte.
    E2m1,
    /// As [`Element::E2m1`], but two to a byte.
    PackedE2m1,
}

/// The meaning of a format's largest exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Top {
    /// Infinity and NaN, as IEEE.
    Ieee,
    /// Finite numbers, and NaN where the fraction is all ones.
    OneNan,
    /// Finite numbers.
    Finite,
}

impl Element {
    /// Bits of an element in a register.
    pub const fn bits(self) -> u32 {
        match self {
            Self::B1 => 1,
            Self::S4 | Self::U4 | Self::PackedE2m1 => 4,
            Self::S8 | Self::U8 | Self::E4m3 | Self::E5m2 | Self::E3m2 | Self::E2m3 | Self::E2m1 => 8,
            Self::F16 | Self::Bf16 => 16,
            Self::Tf32 => 32,
            Self::F64 => 64,
        }
    }

    /// Elements per register: of 64 bits for `f64`, else 32.
    pub(super) const fn packed(self) -> usize {
        match self {
            Self::F64 => 1,
            _ => 32 / self.bits() as usize,
        }
    }

    /// The value of an integer; bits are 0 and 1.
    pub(super) fn integer(self, bits: u64) -> i64 {
        match self {
            Self::S8 => i64::from(bits as i8),
            Self::S4 => (bits.cast_signed() << 60) >> 60,
            _ => bits.cast_signed(),
        }
    }

    /// The value of a float of up to 32 bits.
    pub(super) fn float(self, bits: u64) -> Exact {
        match self {
            Self::F16 => small(bits, 5, 10, Top::Ieee),
            Self::Bf16 => small(bits, 8, 7, Top::Ieee),
            Self::Tf32 => small(bits >> 13, 8, 10, Top::Ieee),
            Self::E4m3 => small(bits, 4, 3, Top::OneNan),
            Self::E5m2 => small(bits, 5, 2, Top::Ieee),
            Self::E3m2 => small(bits, 3, 2, Top::Finite),
            Self::E2m3 => small(bits, 2, 3, Top::Finite),
            Self::E2m1 => small(bits >> 2, 2, 1, Top::Finite),
            Self::PackedE2m1 => small(bits, 2, 1, Top::Finite),
            Self::S8 | Self::U8 | Self::S4 | Self::U4 | Self::B1 => Exact::finite(self.integer(bits), 0),
            Self::F64 => Exact::NAN,
        }
    }
}

/// The type of a block scale (PTX ISA, "Block Scaling for mma.sync").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scale {
    /// A power of two; 255 is NaN.
    Ue8m0,
    /// [`Element::E4m3`] without a sign.
    Ue4m3,
}

impl Scale {
    pub(super) fn value(self, byte: u64) -> Exact {
        match self {
            Self::Ue8m0 if byte & 0xff == 0xff => Exact::NAN,
            Self::Ue8m0 => Exact::finite(1, (byte & 0xff) as i32 - 127),
            Self::Ue4m3 => small(byte & 0x7f, 4, 3, Top::OneNan),
        }
    }
}

/// The value of a float with `exponent_bits`, `fraction_bits` and a sign bit.
pub(super) fn ieee(bits: u64, exponent_bits: u32, fraction_bits: u32) -> Exact {
    small(bits, exponent_bits, fraction_bits, Top::Ieee)
}

fn small(bits: u64, exponent_bits: u32, fraction_bits: u32, top: Top) -> Exact {
    let largest = (1u64 << exponent_bits) - 1;
    let field = bits >> fraction_bits & largest;
    let fraction = bits & ((1 << fraction_bits) - 1);
    let negative = bits >> (exponent_bits + fraction_bits) & 1 == 1;
    if field == largest {
        match top {
            Top::Ieee if fraction == 0 => return Exact::infinity(negative),
            Top::Ieee => return Exact::NAN,
            Top::OneNan if fraction == (1 << fraction_bits) - 1 => return Exact::NAN,
            Top::OneNan | Top::Finite => {}
        }
    }
    let bias = (1 << (exponent_bits - 1)) - 1;
    let lowest = 1 - bias - fraction_bits.cast_signed();
    let (magnitude, exp) = if field == 0 {
        (fraction, lowest)
    } else {
        (fraction | 1 << fraction_bits, lowest + field as i32 - 1)
    };
    let sig = magnitude.cast_signed();
    Exact::finite(if negative { -sig } else { sig }, exp)
}
