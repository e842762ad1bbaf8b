//! Element types of tiles, pointers and scalars.

use super::term::{Term, TermCodec, TermError};

crate::keywords! {
    /// A numeric type.
    pub enum ScalarType {
        /// Boolean; one byte in memory, 0 or 1.
        I1 = "i1",
        /// 4-bit integer.
        I4 = "i4",
        /// 8-bit integer; signedness belongs to ops.
        I8 = "i8",
        /// 16-bit integer.
        I16 = "i16",
        /// 32-bit integer.
        I32 = "i32",
        /// 64-bit integer.
        I64 = "i64",
        /// IEEE binary16.
        F16 = "f16",
        /// bfloat16: 8 bits of exponent, 7 of mantissa.
        BF16 = "bf16",
        /// IEEE binary32.
        F32 = "f32",
        /// TensorFloat-32: 8 bits of exponent, 10 of mantissa, in 32 bits of memory.
        TF32 = "tf32",
        /// IEEE binary64.
        F64 = "f64",
        /// 4 bits of exponent, 3 of mantissa, no infinities.
        F8E4M3FN = "f8E4M3FN",
        /// 5 bits of exponent, 2 of mantissa.
        F8E5M2 = "f8E5M2",
        /// A power of two: 8 bits of exponent alone.
        F8E8M0FNU = "f8E8M0FNU",
        /// 2 bits of exponent, 1 of mantissa.
        F4E2M1FN = "f4E2M1FN",
        /// Unsigned, 5 bits of exponent, 3 of mantissa.
        F8E5M3FNU = "fnv8E5M3FNU",
    }
}

impl ScalarType {
    /// The number of significant bits.
    pub const fn bits(self) -> u32 {
        match self {
            Self::I1 => 1,
            Self::I4 | Self::F4E2M1FN => 4,
            Self::I8 | Self::F8E4M3FN | Self::F8E5M2 | Self::F8E8M0FNU | Self::F8E5M3FNU => 8,
            Self::I16 | Self::F16 | Self::BF16 => 16,
            Self::TF32 => 19,
            Self::I32 | Self::F32 => 32,
            Self::I64 | Self::F64 => 64,
        }
    }

    /// Size of an element in memory, in bytes; `None` for the 4-bit types, of which two share a byte.
    pub const fn bytes(self) -> Option<u32> {
        match self {
            Self::I4 | Self::F4E2M1FN => None,
            Self::I1 | Self::I8 | Self::F8E4M3FN | Self::F8E5M2 | Self::F8E8M0FNU | Self::F8E5M3FNU => {
                Some(1)
            }
            Self::I16 | Self::F16 | Self::BF16 => Some(2),
            Self::I32 | Self::F32 | Self::TF32 => Some(4),
            Self::I64 | Self::F64 => Some(8),
        }
    }

    /// The bits of exponent and of mantissa of a float type.
    pub const fn float_format(self) -> Option<(u32, u32)> {
        match self {
            Self::F16 => Some((5, 10)),
            Self::BF16 => Some((8, 7)),
            Self::F32 => Some((8, 23)),
            Self::TF32 => Some((8, 10)),
            Self::F64 => Some((11, 52)),
            Self::F8E4M3FN => Some((4, 3)),
            Self::F8E5M2 => Some((5, 2)),
            Self::F8E8M0FNU => Some((8, 0)),
            Self::F4E2M1FN => Some((2, 1)),
            Self::F8E5M3FNU => Some((5, 3)),
            Self::I1 | Self::I4 | Self::I8 | Self::I16 | Self::I32 | Self::I64 => None,
        }
    }

    /// Whether it has as many bits of exponent and of mantissa as another float type.
    pub fn is_as_wide_as(self, other: Self) -> bool {
        let formats = self.float_format().zip(other.float_format());
        formats.is_some_and(|((e0, m0), (e1, m1))| e0 >= e1 && m0 >= m1)
    }

    /// Whether it is an integer type.
    pub const fn is_int(self) -> bool {
        matches!(
            self,
            Self::I1 | Self::I4 | Self::I8 | Self::I16 | Self::I32 | Self::I64
        )
    }

    /// Whether it is a float type.
    pub const fn is_float(self) -> bool {
        !self.is_int()
    }

    /// A mask of the significant bits.
    pub const fn mask(self) -> u64 {
        match self.bits() {
            64 => u64::MAX,
            bits => (1 << bits) - 1,
        }
    }
}

/// An element type: a number, or a pointer to numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ElementType {
    /// Numbers.
    Scalar(ScalarType),
    /// Addresses in global memory, 64 bits each, with the type of their target.
    Ptr(ScalarType),
}

impl ElementType {
    /// Booleans.
    pub const I1: Self = Self::Scalar(ScalarType::I1);
    /// 32-bit integers.
    pub const I32: Self = Self::Scalar(ScalarType::I32);
    /// 64-bit integers.
    pub const I64: Self = Self::Scalar(ScalarType::I64);

    /// Whether a number is a float; `None` for an address.
    pub fn is_float(self) -> Option<bool> {
        match self {
            Self::Scalar(scalar) => Some(scalar.is_float()),
            Self::Ptr(_) => None,
        }
    }

    /// The number of significant bits.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Scalar(scalar) => scalar.bits(),
            Self::Ptr(_) => 64,
        }
    }

    /// Size of an element by itself in memory, in bytes: at least one.
    pub const fn stored_bytes(self) -> u32 {
        match self {
            Self::Scalar(scalar) => match scalar.bytes() {
                Some(bytes) => bytes,
                None => 1,
            },
            Self::Ptr(_) => 8,
        }
    }

    /// The number type, unless it is a pointer.
    pub const fn scalar(self) -> Option<ScalarType> {
        match self {
            Self::Scalar(scalar) => Some(scalar),
            Self::Ptr(_) => None,
        }
    }
}

impl From<ScalarType> for ElementType {
    fn from(scalar: ScalarType) -> Self {
        Self::Scalar(scalar)
    }
}

impl TermCodec for ElementType {
    fn write(&self) -> Term {
        match self {
            Self::Scalar(scalar) => scalar.write(),
            Self::Ptr(pointee) => Term::call("ptr", vec![pointee.write().into()]),
        }
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        match term.as_call() {
            Some(("ptr", [arg])) if arg.name.is_none() => ScalarType::read(&arg.value).map(Self::Ptr),
            Some(("ptr", _)) => Err(term.wrong("`ptr<element>`")),
            _ => ScalarType::read(term)
                .map(Self::Scalar)
                .map_err(|error| TermError {
                    expected: "an element type".to_owned(),
                    ..error
                }),
        }
    }
}
