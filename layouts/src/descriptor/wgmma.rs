//! The descriptor word of `wgmma`.

use super::MatrixDescriptor;
use super::canonical::{Canonical, Major};
use super::field::{BaseOffset, Field, SharedOffset};
use super::refusal::DecodeError;
use crate::shared::SwizzleMode;
use crate::units::ElementWidth;

/// The swizzles of `wgmma` operands, with their codes in bits 62 and 63.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WgmmaSwizzle {
    /// None: code 0.
    #[default]
    None,
    /// 128 bytes: code 1.
    B128,
    /// 64 bytes: code 2.
    B64,
    /// 32 bytes: code 3.
    B32,
}

impl WgmmaSwizzle {
    /// Every swizzle, in the order of the codes.
    pub const ALL: [WgmmaSwizzle; 4] = [
        WgmmaSwizzle::None,
        WgmmaSwizzle::B128,
        WgmmaSwizzle::B64,
        WgmmaSwizzle::B32,
    ];

    /// The code.
    pub const fn code(self) -> u64 {
        match self {
            WgmmaSwizzle::None => 0,
            WgmmaSwizzle::B128 => 1,
            WgmmaSwizzle::B64 => 2,
            WgmmaSwizzle::B32 => 3,
        }
    }

    /// The swizzle mode.
    pub const fn mode(self) -> SwizzleMode {
        match self {
            WgmmaSwizzle::None => SwizzleMode::None,
            WgmmaSwizzle::B128 => SwizzleMode::B128,
            WgmmaSwizzle::B64 => SwizzleMode::B64,
            WgmmaSwizzle::B32 => SwizzleMode::B32,
        }
    }
}

/// The 64-bit shared-memory descriptor of a `wgmma` operand.
///
/// | bits | field |
/// |---|---|
/// | 0 to 13 | start address / 16 |
/// | 16 to 29 | leading byte offset / 16 |
/// | 32 to 45 | stride byte offset / 16 |
/// | 49 to 51 | base offset |
/// | 62, 63 | swizzle |
///
/// The others are zero. (PTX ISA, "Matrix descriptor format" of `wgmma`.)
///
/// ```
/// use tilewright_layouts::descriptor::{WgmmaDescriptor, WgmmaSwizzle};
/// let word = WgmmaDescriptor::decode(0x4000_0040_0001_0080)?;
/// assert_eq!(word.start.bytes().0, 2048);
/// assert_eq!(word.stride.bytes().0, 1024);
/// assert_eq!(word.swizzle, WgmmaSwizzle::B128);
/// assert_eq!(word.encode(), 0x4000_0040_0001_0080);
/// # Ok::<(), tilewright_layouts::descriptor::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct WgmmaDescriptor {
    /// The start address of the operand.
    pub start: SharedOffset,
    /// LBO; see [`Canonical`].
    pub leading: SharedOffset,
    /// SBO; see [`Canonical`].
    pub stride: SharedOffset,
    /// The start of the swizzle's pattern.
    pub base_offset: BaseOffset,
    /// The swizzle.
    pub swizzle: WgmmaSwizzle,
}

/// The bits of all fields.
const FIELDS: u64 = 0x3FFF | 0x3FFF << 16 | 0x3FFF << 32 | 0x7 << 49 | 0x3 << 62;

impl WgmmaDescriptor {
    /// Encodes the word.
    pub fn encode(self) -> u64 {
        self.start.bits()
            | self.leading.bits() << 16
            | self.stride.bits() << 32
            | self.base_offset.bits() << 49
            | self.swizzle.code() << 62
    }

    /// Decodes a word.
    ///
    /// # Errors
    /// A bit outside the fields is set.
    pub fn decode(word: u64) -> Result<WgmmaDescriptor, DecodeError> {
        if word & !FIELDS != 0 {
            return Err(DecodeError {
                field: Field::Reserved,
                bits: word & !FIELDS,
            });
        }
        let code = word >> 62;
        let swizzle = WgmmaSwizzle::ALL
            .into_iter()
            .find(|swizzle| swizzle.code() == code);
        Ok(WgmmaDescriptor {
            start: SharedOffset::of_bits(word),
            leading: SharedOffset::of_bits(word >> 16),
            stride: SharedOffset::of_bits(word >> 32),
            base_offset: BaseOffset::of_bits(word >> 49),
            swizzle: swizzle.ok_or(DecodeError {
                field: Field::Swizzle,
                bits: code,
            })?,
        })
    }

    /// The layout that the word stands for, for an operand of this width and major-ness, which the
    /// instruction itself names. A base offset other than 0 is not modelled.
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

impl MatrixDescriptor for WgmmaDescriptor {
    const MODES: &'static [SwizzleMode] = &SwizzleMode::ATOM_16;

    fn of_fields(
        start: SharedOffset,
        leading: SharedOffset,
        stride: SharedOffset,
        mode: SwizzleMode,
    ) -> Option<Self> {
        let swizzle = WgmmaSwizzle::ALL
            .into_iter()
            .find(|swizzle| swizzle.mode() == mode)?;
        Some(WgmmaDescriptor {
            start,
            leading,
            stride,
            base_offset: BaseOffset::ALIGNED,
            swizzle,
        })
    }

    fn starting_at(self, start: SharedOffset) -> Self {
        WgmmaDescriptor { start, ..self }
    }

    fn start(self) -> SharedOffset {
        self.start
    }
}
