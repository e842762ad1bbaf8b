//! Float arithmetic as PTX defines it: NaNs, flushing, saturation, minimum and maximum.
//!
//! Round to nearest in `f32` and `f64` is the host's own arithmetic, which is IEEE; everything else goes through
//! [`crate::soft`]. The approximate instructions (`ex2`, `lg2`, `sin`, `cos`, `tanh`, `rsqrt`) are computed in
//! `f64` and rounded; `div.approx`, `div.full`, `sqrt.approx` and `rcp.approx` are correctly rounded. Hardware
//! may differ from these by the errors that the PTX manual states.

use crate::soft::{BF16, Direction, F16, F32, F64, Format};
use tilewright_irs::ptx::{Rounding, Type};

/// Arithmetic of one scalar type with the modifiers of one instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Float {
    pub(crate) format: Format,
    pub(crate) direction: Direction,
    pub(crate) ftz: bool,
    pub(crate) sat: bool,
    pub(crate) relu: bool,
}

/// The format of a scalar float type, or of the halves of a packed one.
pub(crate) fn format(ty: Type) -> Option<Format> {
    match ty {
        Type::F16 | Type::F16x2 => Some(F16),
        Type::Bf16 | Type::Bf16x2 => Some(BF16),
        Type::F32 | Type::Tf32 => Some(F32),
        Type::F64 => Some(F64),
        Type::Pred
        | Type::B8
        | Type::B16
        | Type::B32
        | Type::B64
        | Type::B128
        | Type::U8
        | Type::U16
        | Type::U32
        | Type::U64
        | Type::S8
        | Type::S16
        | Type::S32
        | Type::S64
        | Type::E4m3x2
        | Type::E5m2x2
        | Type::E4m3x4
        | Type::E5m2x4 => None,
    }
}

/// The rounding direction of a modifier.
pub(crate) fn direction(rounding: Rounding) -> Direction {
    match rounding {
        Rounding::Rn | Rounding::Rni => Direction::NearestEven,
        Rounding::Rz | Rounding::Rzi => Direction::Zero,
        Rounding::Rm | Rounding::Rmi => Direction::Down,
        Rounding::Rp | Rounding::Rpi => Direction::Up,
        Rounding::Rna => Direction::NearestAway,
    }
}

#[inline]
pub(crate) fn f32_of(bits: u64) -> f32 {
    // The number is the low half.
    f32::from_bits((bits & 0xffff_ffff) as u32)
}

impl Float {
    pub(crate) fn new(format: Format, rounding: Option<Rounding>, ftz: bool) -> Self {
        let direction = rounding.map_or(Direction::NearestEven, direction);
        Self {
            format,
            direction,
            ftz,
            sat: false,
            relu: false,
        }
    }

    pub(crate) fn saturating(self, sat: bool) -> Self {
        Self { sat, ..self }
    }

    /// A source operand.
    #[inline]
    pub(crate) fn input(self, bits: u64) -> u64 {
        if self.ftz { self.format.flush(bits) } else { bits }
    }

    /// A result: NaN canonicalised, flushed, clamped.
    #[inline]
    pub(crate) fn output(self, bits: u64) -> u64 {
        let format = self.format;
        if format.is_nan(bits) {
            return if self.sat { 0 } else { format.nan() };
        }
        let bits = if self.ftz { format.flush(bits) } else { bits };
        let negative = bits & format.sign_bit() != 0;
        if self.sat {
            let one = format.pack(crate::soft::Number::integer(1), Direction::NearestEven);
            return if negative { 0 } else { bits.min(one) };
        }
        if self.relu && negative { 0 } else { bits }
    }

    fn native(self) -> Option<bool> {
        match (self.direction, self.format.fraction_bits) {
            (Direction::NearestEven, 23) => Some(false),
            (Direction::NearestEven, 52) => Some(true),
            _ => None,
        }
    }

    /// Whether this is plain `f32` arithmetic to nearest, which has a fast path.
    pub(crate) fn is_plain_single(self) -> bool {
        self.native() == Some(false) && !self.ftz && !self.sat && !self.relu
    }

    fn binary(
        self,
        a: u64,
        b: u64,
        single: impl Fn(f32, f32) -> f32,
        double: impl Fn(f64, f64) -> f64,
        soft: impl Fn(crate::soft::Number, crate::soft::Number) -> crate::soft::Number,
    ) -> u64 {
        let (a, b) = (self.input(a), self.input(b));
        self.output(match self.native() {
            Some(false) => u64::from(single(f32_of(a), f32_of(b)).to_bits()),
            Some(true) => double(f64::from_bits(a), f64::from_bits(b)).to_bits(),
            None => {
                let (a, b) = (self.format.unpack(a), self.format.unpack(b));
                self.format.pack(soft(a, b), self.direction)
            }
        })
    }

    pub(crate) fn add(self, a: u64, b: u64) -> u64 {
        self.binary(a, b, |a, b| a + b, |a, b| a + b, |a, b| a.sum(b, self.direction))
    }

    pub(crate) fn sub(self, a: u64, b: u64) -> u64 {
        self.binary(
            a,
            b,
            |a, b| a - b,
            |a, b| a - b,
            |a, b| a.sum(b.negate(), self.direction),
        )
    }

    pub(crate) fn mul(self, a: u64, b: u64) -> u64 {
        self.binary(a, b, |a, b| a * b, |a, b| a * b, |a, b| a.product(b))
    }

    pub(crate) fn div(self, a: u64, b: u64) -> u64 {
        self.binary(a, b, |a, b| a / b, |a, b| a / b, |a, b| a.quotient(b))
    }

    pub(crate) fn fma(self, a: u64, b: u64, c: u64) -> u64 {
        let (a, b, c) = (self.input(a), self.input(b), self.input(c));
        self.output(match self.native() {
            Some(false) => u64::from(fma_single(f32_of(a), f32_of(b), f32_of(c)).to_bits()),
            Some(true) => f64::from_bits(a)
                .mul_add(f64::from_bits(b), f64::from_bits(c))
                .to_bits(),
            None => {
                let product = self.format.unpack(a).product(self.format.unpack(b));
                self.format
                    .pack(product.sum(self.format.unpack(c), self.direction), self.direction)
            }
        })
    }

    pub(crate) fn sqrt(self, a: u64) -> u64 {
        let a = self.input(a);
        self.output(match self.native() {
            Some(false) => u64::from(f32_of(a).sqrt().to_bits()),
            Some(true) => f64::from_bits(a).sqrt().to_bits(),
            None => self.format.pack(self.format.unpack(a).sqrt(), self.direction),
        })
    }

    pub(crate) fn rcp(self, a: u64) -> u64 {
        let one = self
            .format
            .pack(crate::soft::Number::integer(1), Direction::NearestEven);
        self.div(one, a)
    }

    pub(crate) fn neg(self, a: u64) -> u64 {
        self.output(self.input(a) ^ self.format.sign_bit())
    }

    pub(crate) fn abs(self, a: u64) -> u64 {
        self.output(self.input(a) & !self.format.sign_bit())
    }

    /// The minimum or, with `larger`, the maximum. Negative zero is below positive zero.
    pub(crate) fn min_max(self, a: u64, b: u64, larger: bool, propagate_nan: bool) -> u64 {
        let (a, b) = (self.input(a), self.input(b));
        let format = self.format;
        let chosen = match (format.is_nan(a), format.is_nan(b)) {
            (true, true) => format.nan(),
            (true, false) if propagate_nan => format.nan(),
            (false, true) if propagate_nan => format.nan(),
            (true, false) => b,
            (false, true) => a,
            (false, false) => {
                if (self.order_key(a) < self.order_key(b)) == larger {
                    b
                } else {
                    a
                }
            }
        };
        self.output(chosen)
    }

    /// Numbers in the order of their values, negative zero below positive zero.
    fn order_key(self, bits: u64) -> i64 {
        let magnitude = (bits & (self.format.sign_bit() - 1)).cast_signed();
        if bits & self.format.sign_bit() != 0 {
            -magnitude - 1
        } else {
            magnitude
        }
    }

    /// The order of two numbers; `None` when one is NaN. The zeros are equal.
    pub(crate) fn compare(self, a: u64, b: u64) -> Option<std::cmp::Ordering> {
        let (a, b) = (self.input(a), self.input(b));
        if self.format.is_nan(a) || self.format.is_nan(b) {
            return None;
        }
        if (a | b) & (self.format.sign_bit() - 1) == 0 {
            return Some(std::cmp::Ordering::Equal);
        }
        Some(self.order_key(a).cmp(&self.order_key(b)))
    }

    /// A function computed in `f64` and rounded.
    pub(crate) fn through_f64(self, a: u64, f: impl Fn(f64) -> f64) -> u64 {
        let value = self.to_f64(self.input(a));
        self.output(self.of_f64(f(value)))
    }

    /// The value as an `f64`, exactly.
    pub(crate) fn to_f64(self, bits: u64) -> f64 {
        f64::from_bits(F64.pack(self.format.unpack(bits), Direction::NearestEven))
    }

    fn of_f64(self, value: f64) -> u64 {
        self.format
            .pack(F64.unpack(value.to_bits()), Direction::NearestEven)
    }
}

/// The bits of a plain `f32` result.
#[inline]
pub(crate) fn single(value: f32) -> u64 {
    u64::from(if value.is_nan() {
        0x7fff_ffff
    } else {
        value.to_bits()
    })
}

/// A fused multiply-add of `f32`, rounded once: the product is exact in `f64`, and the sum is rounded to odd, so that
/// the second rounding is correct.
#[inline]
pub(crate) fn fma_single(a: f32, b: f32, c: f32) -> f32 {
    let product = f64::from(a) * f64::from(b);
    let c = f64::from(c);
    let sum = product + c;
    if !sum.is_finite() {
        return sum as f32;
    }
    // The exact error of the addition (Knuth's two-sum).
    let back = sum - product;
    let lost = (product - (sum - back)) + (c - back);
    // The true sum is strictly between an inexact even `sum` and its neighbour on the side of `lost`, which is odd.
    let away = (lost > 0.0) == (sum > 0.0);
    let bits = sum.to_bits();
    let odd = if away {
        bits.wrapping_add(1)
    } else {
        bits.wrapping_sub(1)
    };
    f64::from_bits(if lost == 0.0 || bits & 1 == 1 { bits } else { odd }) as f32
}

/// Applies a function to both halves of a packed register.
pub(crate) fn halves(f: impl Fn(u64) -> u64) -> impl Fn(u64) -> u64 {
    move |a| f(a & 0xffff) | f((a >> 16) & 0xffff) << 16
}
