//! Elements of memory: what a pointer points to.

use std::fmt;
use std::num::NonZeroU32;

use super::reader::{Family, Part, Reader, TypeError, bare_words, in_brackets, part, words};
use crate::element::ScalarType;

words! {
    /// The format of a floating-point number, under its public name.
    pub enum Float {
        /// IEEE binary16.
        F16 = "f16",
        /// bfloat16.
        BF16 = "bf16",
        /// IEEE binary32.
        F32 = "f32",
        /// IEEE binary64.
        F64 = "f64",
        /// TensorFloat-32.
        TF32 = "tf32",
        /// 8 bits: 4 of exponent, 3 of mantissa, with infinities.
        F8E4M3 = "f8E4M3",
        /// 8 bits: 4 of exponent, 3 of mantissa, without infinities.
        F8E4M3FN = "f8E4M3FN",
        /// 8 bits: 5 of exponent, 2 of mantissa.
        F8E5M2 = "f8E5M2",
        /// 8 bits of exponent alone.
        F8E8M0FNU = "f8E8M0FNU",
        /// 6 bits: 2 of exponent, 3 of mantissa.
        F6E2M3FN = "f6E2M3FN",
        /// 6 bits: 3 of exponent, 2 of mantissa.
        F6E3M2FN = "f6E3M2FN",
        /// 4 bits: 2 of exponent, 1 of mantissa.
        F4E2M1FN = "f4E2M1FN",
    }

    /// Memory that only instructions read and write.
    pub enum Opaque {
        /// A tensor map of boxes of a tensor.
        TiledMap = "cute_nvgpu.tma_descriptor_tiled",
        /// A tensor map of rows of an image.
        Im2colMap = "cute_nvgpu.tma_descriptor_im2col",
        /// The answer to a request for the next block's work.
        WorkIdResponse = "cute_nvgpu.workid_response",
    }
}

bare_words!(Opaque);

impl Float {
    /// The number of bits of memory.
    pub const fn bits(self) -> u32 {
        match self {
            Self::F4E2M1FN => 4,
            Self::F6E2M3FN | Self::F6E3M2FN => 6,
            Self::F8E4M3 | Self::F8E4M3FN | Self::F8E5M2 | Self::F8E8M0FNU => 8,
            Self::F16 | Self::BF16 => 16,
            Self::F32 | Self::TF32 => 32,
            Self::F64 => 64,
        }
    }
}

/// What the bits of an integer mean, where its type says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sign {
    /// Nothing: operations decide (`i8`).
    Signless,
    /// Two's complement (`si8`).
    Signed,
    /// A number that is not negative (`ui8`).
    Unsigned,
}

/// A number in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// An integer: `i8`, `si32`, `ui4`.
    Integer {
        /// What its bits mean.
        sign: Sign,
        /// Its bits.
        bits: NonZeroU32,
    },
    /// A floating-point number.
    Float(Float),
}

/// What a pointer points to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// A number.
    Number(Number),
    /// Several numbers side by side: `vector<2xf16>`.
    Vector(NonZeroU32, Number),
    /// One stored element of a sparse matrix: `!cute.sparse_elem<2, f16>`.
    Sparse(SparseElement),
    /// An address: `!llvm.ptr<3>`, of the space with that number.
    Address(u32),
    /// What only instructions read and write: `!cute_nvgpu.tma_descriptor_tiled`.
    Opaque(Opaque),
}

part! {
    /// What is stored of some elements of a sparse matrix: `!cute.sparse_elem<2, f16>`.
    pub struct SparseElement {
        /// How many elements it stands for.
        count: NonZeroU32,
        /// What is stored.
        stored: Stored,
    }
    count ", " stored
}

/// A number, or several side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stored {
    /// One: `f16`.
    One(Number),
    /// Several: `vector<2xi8>`.
    Several(NonZeroU32, Number),
}

impl Number {
    /// `i32`
    pub const I32: Self = Self::Integer {
        sign: Sign::Signless,
        bits: NonZeroU32::MIN.saturating_add(31),
    };

    /// The number of bits in memory.
    pub fn bits(self) -> u32 {
        match self {
            Self::Integer { bits, .. } => bits.get(),
            Self::Float(float) => float.bits(),
        }
    }

    /// The number type of the compiler, where it has one. A `tf32` is its 32 bits in memory, of which products leave out the last
    /// 13: nothing else computes with it.
    pub fn scalar(self) -> Option<ScalarType> {
        match self {
            Self::Integer { bits, .. } => match bits.get() {
                1 => Some(ScalarType::I1),
                4 => Some(ScalarType::I4),
                8 => Some(ScalarType::I8),
                16 => Some(ScalarType::I16),
                32 => Some(ScalarType::I32),
                64 => Some(ScalarType::I64),
                _ => None,
            },
            Self::Float(float) => match float {
                Float::F16 => Some(ScalarType::F16),
                Float::BF16 => Some(ScalarType::BF16),
                Float::F32 => Some(ScalarType::F32),
                Float::F64 => Some(ScalarType::F64),
                Float::TF32 => Some(ScalarType::I32),
                Float::F8E4M3FN => Some(ScalarType::F8E4M3FN),
                Float::F8E5M2 => Some(ScalarType::F8E5M2),
                Float::F8E8M0FNU => Some(ScalarType::F8E8M0FNU),
                Float::F4E2M1FN => Some(ScalarType::F4E2M1FN),
                Float::F8E4M3 | Float::F6E2M3FN | Float::F6E3M2FN => None,
            },
        }
    }

    fn of_word(word: &str) -> Option<Self> {
        if let Some(float) = Float::from_word(word) {
            return Some(Self::Float(float));
        }
        let signs = [
            ("si", Sign::Signed),
            ("ui", Sign::Unsigned),
            ("i", Sign::Signless),
        ];
        let mut signs = signs.into_iter();
        let (digits, sign) = signs.find_map(|(prefix, sign)| Some((word.strip_prefix(prefix)?, sign)))?;
        let plain = digits.starts_with(|c: char| c.is_ascii_digit() && c != '0');
        let bits = digits.parse().ok();
        let bits = bits.filter(|bits: &NonZeroU32| plain && bits.get() <= 1024)?;
        Some(Self::Integer { sign, bits })
    }
}

impl Element {
    /// A signless integer of so many bits.
    pub const fn integer(bits: NonZeroU32) -> Self {
        let sign = Sign::Signless;
        Self::Number(Number::Integer { sign, bits })
    }

    /// The number of bits that an element takes in memory.
    pub fn bits(&self) -> u32 {
        let several = |count: &NonZeroU32, number: &Number| count.get().saturating_mul(number.bits());
        match self {
            Self::Number(number) => number.bits(),
            Self::Vector(lanes, number) => several(lanes, number),
            Self::Sparse(sparse) => match &sparse.stored {
                Stored::One(number) => number.bits(),
                Stored::Several(lanes, number) => several(lanes, number),
            },
            Self::Address(_) => 64,
            Self::Opaque(Opaque::TiledMap | Opaque::Im2colMap) => 1024,
            Self::Opaque(Opaque::WorkIdResponse) => 128,
        }
    }

    /// Reads an element, or nothing if none begins here.
    pub(super) fn maybe(reader: &mut Reader<'_>) -> Result<Option<Self>, TypeError> {
        if reader.take("!llvm.ptr") {
            let space = match reader.take("<") {
                true => {
                    let space = reader.number("the number of a space")?;
                    reader.literal(">")?;
                    space
                }
                false => 0,
            };
            return Ok(Some(Self::Address(space)));
        }
        if reader.take("!cute.sparse_elem") {
            return in_brackets(reader).map(|sparse| Some(Self::Sparse(sparse)));
        }
        if reader.take("!") {
            return Part::read(reader).map(|opaque| Some(Self::Opaque(opaque)));
        }
        if reader.take("vector<") {
            let (lanes, number) = vector(reader)?;
            return Ok(Some(Self::Vector(lanes, number)));
        }
        let number = reader.maybe_word(Number::of_word);
        Ok(number.map(Self::Number))
    }
}

/// Reads what follows `vector<`.
fn vector(reader: &mut Reader<'_>) -> Result<(NonZeroU32, Number), TypeError> {
    let lanes = reader.number("the number of elements")?;
    reader.mark('x')?;
    let number = Part::read(reader)?;
    reader.literal(">")?;
    Ok((lanes, number))
}

impl Part for Number {
    fn read(reader: &mut Reader<'_>) -> Result<Self, TypeError> {
        let number = reader.maybe_word(Self::of_word);
        number.ok_or_else(|| reader.error("expected the type of a number, as `f16` or `i8`"))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer { sign, bits } => {
                let sign = match sign {
                    Sign::Signless => "",
                    Sign::Signed => "s",
                    Sign::Unsigned => "u",
                };
                write!(f, "{sign}i{bits}")
            }
            Self::Float(float) => f.write_str(float.word()),
        }
    }
}

impl Part for Stored {
    fn read(reader: &mut Reader<'_>) -> Result<Self, TypeError> {
        match reader.take("vector<") {
            true => vector(reader).map(|(lanes, number)| Self::Several(lanes, number)),
            false => Part::read(reader).map(Self::One),
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(number) => number.write(f),
            Self::Several(lanes, number) => write!(f, "vector<{lanes}x{number}>"),
        }
    }
}

impl Part for Element {
    fn read(reader: &mut Reader<'_>) -> Result<Self, TypeError> {
        let read = Self::maybe(reader)?;
        read.ok_or_else(|| reader.error("expected the type of an element, as `f16` or `i8`"))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.write(f),
            Self::Vector(lanes, number) => write!(f, "vector<{lanes}x{number}>"),
            Self::Sparse(sparse) => {
                f.write_str("!cute.sparse_elem<")?;
                sparse.write(f)?;
                f.write_str(">")
            }
            Self::Address(0) => f.write_str("!llvm.ptr"),
            Self::Address(space) => write!(f, "!llvm.ptr<{space}>"),
            Self::Opaque(opaque) => opaque.write_one(f),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}
