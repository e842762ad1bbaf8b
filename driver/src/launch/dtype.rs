//! The element types of arrays on disk and in buffers.

use half::{bf16, f16};
use tilewright_irs::element::ScalarType;

/// The type of an array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DType {
    /// Booleans, one byte each.
    Bool,
    /// Signed integers of this many bytes.
    Int(u8),
    /// Unsigned integers of this many bytes.
    UInt(u8),
    /// IEEE binary16.
    F16,
    /// bfloat16; numpy has no name for it and stores it as two raw bytes, or as `u2`.
    BF16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
}

impl DType {
    /// The bytes of one element.
    pub fn bytes(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::Int(bytes) | Self::UInt(bytes) => usize::from(bytes),
            Self::F16 | Self::BF16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// Whether the elements are floats.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::BF16 | Self::F32 | Self::F64)
    }

    /// The type of this name: `f32`, `i8`, `u16`, `bool`, `bf16` and so on.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "bool" | "i1" | "b1" => Self::Bool,
            "i8" => Self::Int(1),
            "i16" => Self::Int(2),
            "i32" => Self::Int(4),
            "i64" => Self::Int(8),
            "u8" => Self::UInt(1),
            "u16" => Self::UInt(2),
            "u32" => Self::UInt(4),
            "u64" => Self::UInt(8),
            "f16" => Self::F16,
            "bf16" => Self::BF16,
            "f32" => Self::F32,
            "f64" => Self::F64,
            _ => return None,
        })
    }

    /// The name that [`DType::named`] takes.
    pub fn name(self) -> String {
        match self {
            Self::Bool => "bool".to_owned(),
            Self::Int(bytes) => format!("i{}", u32::from(bytes) * 8),
            Self::UInt(bytes) => format!("u{}", u32::from(bytes) * 8),
            Self::F16 => "f16".to_owned(),
            Self::BF16 => "bf16".to_owned(),
            Self::F32 => "f32".to_owned(),
            Self::F64 => "f64".to_owned(),
        }
    }

    /// The type as which a kernel with `element` memory reads an array of this type: raw 16-bit words are bfloat16 if the
    /// kernel reads bfloat16. All other types are unchanged.
    #[must_use]
    pub fn seen_as(self, element: Option<ScalarType>) -> Self {
        match (self, element) {
            (Self::UInt(2), Some(ScalarType::BF16)) => Self::BF16,
            (Self::UInt(2), Some(ScalarType::F16)) => Self::F16,
            (other, _) => other,
        }
    }

    /// Whether a kernel may read such an array, after [`Self::seen_as`], as `element` memory. Signedness is ignored; types that
    /// numpy lacks are stored as integers.
    pub fn holds(self, element: ScalarType) -> bool {
        match element {
            ScalarType::F16 => self == Self::F16,
            ScalarType::BF16 => self == Self::BF16,
            ScalarType::F32 | ScalarType::TF32 => self == Self::F32,
            ScalarType::F64 => self == Self::F64,
            ScalarType::I1
            | ScalarType::I4
            | ScalarType::I8
            | ScalarType::I16
            | ScalarType::I32
            | ScalarType::I64
            | ScalarType::F8E4M3FN
            | ScalarType::F8E5M2
            | ScalarType::F8E8M0FNU
            | ScalarType::F4E2M1FN
            | ScalarType::F8E5M3FNU => !self.is_float(),
        }
    }

    /// One element as a number. Integers beyond 2^53 are rounded. `None` for a slice of another length.
    pub fn number(self, bytes: &[u8]) -> Option<f64> {
        Some(match self {
            Self::Bool => f64::from(u8::from(*bytes.first()? != 0)),
            Self::Int(_) => {
                #[expect(clippy::cast_precision_loss, reason = "for messages and tolerances")]
                let value = self.integer(bytes)? as f64;
                value
            }
            Self::UInt(_) => {
                #[expect(clippy::cast_precision_loss, reason = "for messages and tolerances")]
                let value = self.integer(bytes)? as f64;
                value
            }
            Self::F16 => f16::from_le_bytes(bytes.try_into().ok()?).to_f64(),
            Self::BF16 => bf16::from_le_bytes(bytes.try_into().ok()?).to_f64(),
            Self::F32 => f64::from(f32::from_le_bytes(bytes.try_into().ok()?)),
            Self::F64 => f64::from_le_bytes(bytes.try_into().ok()?),
        })
    }

    /// The distance to the next larger float of this type; zero for integers, and for floats without one.
    pub fn step(self, number: f64) -> f64 {
        let (fraction_bits, least) = match self {
            Self::F16 => (10, -14),
            Self::BF16 => (7, -126),
            Self::F32 => (23, -126),
            Self::F64 => (52, -1022),
            Self::Bool | Self::Int(_) | Self::UInt(_) => return 0.0,
        };
        if !number.is_finite() {
            return 0.0;
        }
        // The exponent field; that of subnormal numbers is smaller than the least exponent of every type.
        let exponent = i32::try_from(number.abs().to_bits() >> 52).unwrap_or(0) - 1023;
        2f64.powi(exponent.max(least) - fraction_bits)
    }

    /// One element as an integer; `None` for floats.
    pub fn integer(self, bytes: &[u8]) -> Option<i128> {
        let mut wide = [0u8; 16];
        wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
        let value = i128::from_le_bytes(wide);
        match self {
            Self::Bool | Self::UInt(_) => Some(value),
            Self::Int(size) => {
                let unused = 128 - u32::from(size) * 8;
                Some(value.wrapping_shl(unused).wrapping_shr(unused))
            }
            Self::F16 | Self::BF16 | Self::F32 | Self::F64 => None,
        }
    }

    /// One element as text, with all digits needed to read it back exactly.
    pub fn text(self, bytes: &[u8]) -> String {
        match self.integer(bytes) {
            Some(value) => value.to_string(),
            None => match (self, self.number(bytes)) {
                // The shortest digits of the narrow type, not of its value widened to f64.
                (Self::F32, Some(value)) => {
                    #[expect(clippy::cast_possible_truncation, reason = "the value came from an f32")]
                    let narrow = value as f32;
                    narrow.to_string()
                }
                (_, Some(value)) => value.to_string(),
                (_, None) => "?".to_owned(),
            },
        }
    }

    /// Appends a number as an element, rounded to nearest even; integers keep their low bits.
    pub fn push(self, value: f64, bytes: &mut Vec<u8>) {
        match self {
            Self::Bool => bytes.push(u8::from(value != 0.0)),
            Self::Int(size) | Self::UInt(size) => {
                #[expect(clippy::cast_possible_truncation, reason = "generators stay within 64 bits")]
                let wide = (value as i128).to_le_bytes();
                bytes.extend(wide.iter().take(usize::from(size)));
            }
            Self::F16 => bytes.extend(f16::from_f64(value).to_le_bytes()),
            Self::BF16 => bytes.extend(bf16::from_f64(value).to_le_bytes()),
            Self::F32 => {
                #[expect(clippy::cast_possible_truncation, reason = "rounding is what is asked for")]
                let narrow = value as f32;
                bytes.extend(narrow.to_le_bytes());
            }
            Self::F64 => bytes.extend(value.to_le_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for name in [
            "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64",
        ] {
            assert_eq!(DType::named(name).map(DType::name).as_deref(), Some(name));
        }
        assert_eq!(DType::named("f8"), None);
    }

    #[test]
    fn signed_bytes_are_negative_and_unsigned_ones_are_not() {
        assert_eq!(DType::Int(1).integer(&[0xff]), Some(-1));
        assert_eq!(DType::UInt(1).integer(&[0xff]), Some(255));
        assert_eq!(DType::Int(8).integer(&[0xff; 8]), Some(-1));
        assert_eq!(DType::UInt(8).integer(&[0xff; 8]), Some(i128::from(u64::MAX)));
    }

    #[test]
    fn a_step_leads_to_the_next_float() {
        for number in [1.0, 1.5, -3.0, 1e-7, 0.0] {
            let mut bytes = Vec::new();
            DType::F16.push(number, &mut bytes);
            let bits = u16::from_le_bytes([bytes[0], bytes[1]]);
            let number = DType::F16.number(&bytes).expect("a number");
            let next = f16::from_bits(bits + 1).to_f64();
            assert_eq!(DType::F16.step(number), (next - number).abs(), "{number}");
        }
        assert_eq!(DType::F32.step(1.0), f64::from(f32::EPSILON));
        assert_eq!(DType::F64.step(1.0), f64::EPSILON);
        assert_eq!(DType::Int(4).step(1.0), 0.0);
    }

    #[test]
    fn a_pushed_number_reads_back() {
        for dtype in [
            DType::Int(4),
            DType::UInt(2),
            DType::F16,
            DType::BF16,
            DType::F32,
            DType::F64,
        ] {
            let mut bytes = Vec::new();
            dtype.push(3.0, &mut bytes);
            assert_eq!(bytes.len(), dtype.bytes());
            assert_eq!(dtype.number(&bytes), Some(3.0));
        }
    }
}
