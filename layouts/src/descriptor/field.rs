//! The fields of a descriptor word, restricted to encodable values.

use std::fmt;

use crate::units::Bytes;

/// A field of a matrix descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// The start address of the operand.
    StartAddress,
    /// The leading byte offset, LBO in the canonical layouts.
    LeadingByteOffset,
    /// The stride byte offset, SBO in the canonical layouts.
    StrideByteOffset,
    /// The base offset, the start of the swizzle's pattern.
    BaseOffset,
    /// The swizzle.
    Swizzle,
    /// Bits with a fixed value.
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

/// A number of bytes out of the range of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FieldRange {
    /// The field.
    pub field: Field,
    /// The value out of range.
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

/// A shared-memory address or distance as encoded in descriptors: a multiple of 16 bytes below 2^18,
/// in 14 bits. (PTX ISA, matrix descriptor: `matrix-descriptor-encode(x) = (x & 0x3FFFF) >> 4`.)
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
    /// The unit of the encoding.
    pub const UNIT: Bytes = Bytes(16);
    /// The exclusive upper bound.
    pub const LIMIT: Bytes = Bytes(1 << 18);

    /// Encodes `bytes`.
    ///
    /// # Errors
    /// `bytes` is not a multiple of 16, or is 2^18 or more; `field` is the name to report.
    pub fn new(field: Field, bytes: Bytes) -> Result<SharedOffset, FieldRange> {
        match u16::try_from(bytes.0 / Self::UNIT.0) {
            Ok(units) if bytes < Self::LIMIT && bytes.0.is_multiple_of(Self::UNIT.0) => {
                Ok(SharedOffset(units))
            }
            _ => Err(FieldRange { field, bytes }),
        }
    }

    /// Constructs the field from its 14 bits; higher bits are ignored.
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

/// The base offset of a descriptor, three bits: the number of the 128-byte line at which the
/// swizzle's pattern starts, modulo 8. Zero where the pattern starts at a multiple of its period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BaseOffset(u8);

impl BaseOffset {
    /// A pattern that starts at a multiple of its period.
    pub const ALIGNED: BaseOffset = BaseOffset(0);

    /// The base offset of a pattern that starts at this address: its bits 7 to 9.
    pub fn of_pattern_start(address: Bytes) -> BaseOffset {
        BaseOffset((address.0 >> 7 & 7) as u8)
    }

    /// Constructs the field from its three bits; higher bits are ignored.
    pub(super) fn of_bits(word: u64) -> BaseOffset {
        BaseOffset((word & 7) as u8)
    }

    /// The three bits of the field.
    pub fn bits(self) -> u64 {
        u64::from(self.0)
    }
}
