//! The descriptor word of `tcgen05.mma` and `tcgen05.cp`.

use super::MatrixDescriptor;
use super::canonical::{Canonical, Major};
use super::field::{BaseOffset, Field, SharedOffset};
use super::refusal::DecodeError;
use crate::shared::SwizzleMode;
use crate::units::ElementWidth;

/// The swizzles of `tcgen05` operands, with their codes in bits 61 to 63.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tcgen05Swizzle {
    /// None: code 0.
    #[default]
    None,
    /// 128 bytes with 32-byte atoms: code 1.
    B128Atom32,
    /// 128 bytes: code 2.
    B128,
    /// 64 bytes: code 4.
    B64,
    /// 32 bytes: code 6.
    B32,
}

impl Tcgen05Swizzle {
    /// Every swizzle, in the order of the codes.
    pub const ALL: [Tcgen05Swizzle; 5] = [
        Tcgen05Swizzle::None,
        Tcgen05Swizzle::B128Atom32,
        Tcgen05Swizzle::B128,
        Tcgen05Swizzle::B64,
        Tcgen05Swizzle::B32,
    ];

    /// The code.
    pub const fn code(self) -> u64 {
        match self {
            Tcgen05Swizzle::None => 0,
            Tcgen05Swizzle::B128Atom32 => 1,
            Tcgen05Swizzle::B128 => 2,
            Tcgen05Swizzle::B64 => 4,
            Tcgen05Swizzle::B32 => 6,
        }
    }

    /// The swizzle mode.
    pub const fn mode(self) -> SwizzleMode {
        match self {
            Tcgen05Swizzle::None => SwizzleMode::None,
            Tcgen05Swizzle::B128Atom32 => SwizzleMode::B128Atom32,
            Tcgen05Swizzle::B128 => SwizzleMode::B128,
            Tcgen05Swizzle::B64 => SwizzleMode::B64,
            Tcgen05Swizzle::B32 => SwizzleMode::B32,
        }
    }
}

/// The meaning of the leading byte offset: bit 52.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LeadingMode {
    /// A distance in bytes.
    #[default]
    Relative,
    /// An address; only for operands of 48 bytes along K, on sm_103a.
    Absolute,
}

/// The 64-bit shared-memory descriptor of a `tcgen05` operand.
///
/// | bits | field |
/// |---|---|
/// | 0 to 13 | start address / 16 |
/// | 16 to 29 | leading byte offset / 16, or address / 16 |
/// | 32 to 45 | stride byte offset / 16 |
/// | 46 to 48 | 0b001 |
/// | 49 to 51 | base offset |
/// | 52 | what the leading byte offset means |
/// | 61 to 63 | swizzle |
///
/// The others are zero. (PTX ISA, "Shared memory descriptor" of `tcgen05`.)
///
/// ```
/// use tilewright_layouts::descriptor::{Tcgen05Descriptor, Tcgen05Swizzle};
/// let word = Tcgen05Descriptor { swizzle: Tcgen05Swizzle::B128, ..Default::default() };
/// assert_eq!(word.encode(), 2 << 61 | 1 << 46);
/// assert_eq!(Tcgen05Descriptor::decode(word.encode()), Ok(word));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tcgen05Descriptor {
    /// The start address of the operand.
    pub start: SharedOffset,
    /// LBO; see [`Canonical`].
    pub leading: SharedOffset,
    /// The meaning of the leading byte offset.
    pub leading_mode: LeadingMode,
    /// SBO; see [`Canonical`].
    pub stride: SharedOffset,
    /// The start of the swizzle's pattern.
    pub base_offset: BaseOffset,
    /// The swizzle.
    pub swizzle: Tcgen05Swizzle,
}

/// The bits of all fields except the fixed one.
const FIELDS: u64 = 0x3FFF | 0x3FFF << 16 | 0x3FFF << 32 | 0xF << 49 | 0x7 << 61;
/// The fixed field.
const FIXED: u64 = 0x1 << 46;

impl Tcgen05Descriptor {
    /// Encodes the word.
    pub fn encode(self) -> u64 {
        let absolute = match self.leading_mode {
            LeadingMode::Relative => 0,
            LeadingMode::Absolute => 1 << 52,
        };
        self.start.bits()
            | self.leading.bits() << 16
            | self.stride.bits() << 32
            | FIXED
            | self.base_offset.bits() << 49
            | absolute
            | self.swizzle.code() << 61
    }

    /// Decodes a word.
    ///
    /// # Errors
    /// A bit outside the fields is set, the fixed field is not 0b001, or the swizzle's code is 3, 5
    /// or 7.
    pub fn decode(word: u64) -> Result<Tcgen05Descriptor, DecodeError> {
        let reserved = word & !FIELDS;
        if reserved != FIXED {
            return Err(DecodeError {
                field: Field::Reserved,
                bits: reserved,
            });
        }
        let code = word >> 61;
        let swizzle = Tcgen05Swizzle::ALL
            .into_iter()
            .find(|swizzle| swizzle.code() == code);
        Ok(Tcgen05Descriptor {
            start: SharedOffset::of_bits(word),
            leading: SharedOffset::of_bits(word >> 16),
            leading_mode: if word >> 52 & 1 == 1 {
                LeadingMode::Absolute
            } else {
                LeadingMode::Relative
            },
            stride: SharedOffset::of_bits(word >> 32),
            base_offset: BaseOffset::of_bits(word >> 49),
            swizzle: swizzle.ok_or(DecodeError {
                field: Field::Swizzle,
                bits: code,
            })?,
        })
    }

    /// The canonical layout that the word denotes, for an operand of this width and major-ness, both
    /// of which the instruction descriptor specifies. A base offset other than 0 and absolute leading
    /// addresses are not modelled.
    pub fn canonical(self, major: Major, width: ElementWidth) -> Canonical {
        Canonical {
            start: self.start,
            leading: self.leading,
            stride: self.stride,
            mode: self.swizzle.mode(),
            major,
            width,
        }
    }
}

impl MatrixDescriptor for Tcgen05Descriptor {
    const MODES: &'static [SwizzleMode] = &[
        SwizzleMode::None,
        SwizzleMode::B32,
        SwizzleMode::B64,
        SwizzleMode::B128,
        SwizzleMode::B128Atom32,
    ];

    fn of_fields(
        start: SharedOffset,
        leading: SharedOffset,
        stride: SharedOffset,
        mode: SwizzleMode,
    ) -> Option<Self> {
        let swizzle = Tcgen05Swizzle::ALL
            .into_iter()
            .find(|swizzle| swizzle.mode() == mode)?;
        Some(Tcgen05Descriptor {
            start,
            leading,
            stride,
            swizzle,
            ..Tcgen05Descriptor::default()
        })
    }

    fn starting_at(self, start: SharedOffset) -> Self {
        Tcgen05Descriptor { start, ..self }
    }

    fn start(self) -> SharedOffset {
        self.start
    }
}
