//! The fields of a descriptor word, restricted to encodable values.

use std::fmt;

use crate::units::Bytes;

/// A field of a matrix descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// Where the operand begins.
    StartAddress,
    /// The distance that the canonical layouts call LBO.
    LeadingByteOffset,
    /// The distance that the canonical layouts call SBO.
    StrideByteOffset,
    /// Where the swizzle's pattern begins.
    BaseOffset,
    /// The swizzle.
    Swizzle,
    /// Bits that have one value.
    Reserved,
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Field::StartAddress => "start address",
            Field::LeadingByteOffset => "leading byte offset",
            Field::StrideByteOffset => "stride byte offset",
            Field::BaseOffset => "base offset",
            Field::Swizzle => "swizzle mode",
            Field::Reserved => "reserved bits",
        })
    }
}

/// A number of bytes that a field cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FieldRange {
    /// The field.
    pub field: Field,
    /// What it would have to hold.
    pub bytes: Bytes,
}

impl fmt::Display for FieldRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FieldRange { field, bytes } = self;
        if *bytes < SharedOffset::LIMIT {
            write!(
                f,
                "the {field} of {bytes} is not a multiple of {}",
                SharedOffset::UNIT
            )
        } else {
            write!(f, "the {field} of {bytes} is not below {}", SharedOffset::LIMIT)
        }
    }
}

impl std::error::Error for FieldRange {}

/// A shared-memory address or distance as descriptors keep it: a multiple of 16 bytes below 2^18, in 14
/// bits. (PTX ISA, matrix descriptor: `matrix-descriptor-encode(x) = (x & 0x3FFFF) >> 4`.)
///
/// ```
/// use tilewright_layouts::{Bytes, descriptor::{Field, SharedOffset}};
/// let stride = SharedOffset::new(Field::StrideByteOffset, Bytes(1024))?;
/// assert_eq!(stride.bits(), 64);
/// let odd = SharedOffset::new(Field::StrideByteOffset, Bytes(1032));
/// assert_eq!(odd.unwrap_err().to_string(), "the stride byte offset of 1032 bytes is not a multiple of 16 bytes");
/// # Ok::<(), tilewright_layouts::descriptor::FieldRange>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SharedOffset(u16);

impl SharedOffset {
    /// What the low bits that are not kept amount to.
    pub const UNIT: Bytes = Bytes(16);
    /// The first value that is too large.
    pub const LIMIT: Bytes = Bytes(1 << 18);

    /// The field that holds `bytes`.
    ///
    /// # Errors
    /// Not a multiple of 16, or 2^18 or more; `field` is the name to report.
    pub fn new(field: Field, bytes: Bytes) -> Result<SharedOffset, FieldRange> {
        match u16::try_from(bytes.0 / Self::UNIT.0) {
            Ok(units) if bytes < Self::LIMIT && bytes.0.is_multiple_of(Self::UNIT.0) => {
                Ok(SharedOffset(units))
            }
            _ => Err(FieldRange { field, bytes }),
        }
    }

    /// The field with these 14 bits; higher bits are dropped.
    pub(super) fn of_bits(word: u64) -> SharedOffset {
        SharedOffset((word & 0x3FFF) as u16)
    }

    /// The 14 bits of the field.
    pub fn bits(self) -> u64 {
        u64::from(self.0)
    }

    /// The address or distance.
    pub fn bytes(self) -> Bytes {
        Bytes(u64::from(self.0) * Self::UNIT.0)
    }
}

impl fmt::Display for SharedOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bytes().fmt(f)
    }
}

/// The base offset of a descriptor, three bits: the number of the 128-byte line at which the swizzle's
/// pattern begins, modulo 8. Zero where the pattern begins at a multiple of its repeat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BaseOffset(u8);

impl BaseOffset {
    /// The pattern begins at a multiple of its repeat.
    pub const ALIGNED: BaseOffset = BaseOffset(0);

    /// The base offset of a pattern that begins at this address: its bits 7 to 9.
    pub fn of_pattern_start(address: Bytes) -> BaseOffset {
        BaseOffset((address.0 >> 7 & 7) as u8)
    }

    /// The field with these three bits; higher bits are dropped.
    pub(super) fn of_bits(word: u64) -> BaseOffset {
        BaseOffset((word & 7) as u8)
    }

    /// The three bits of the field.
    pub fn bits(self) -> u64 {
        u64::from(self.0)
    }
}
