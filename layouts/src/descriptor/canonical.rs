//! The address that the hardware reads for each element.

use std::fmt;

use super::field::SharedOffset;
use crate::shared::SwizzleMode;
use crate::units::ElementWidth;

/// The axis of an operand along which consecutive elements are consecutive in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Major {
    /// The reduction axis: A row-major, B column-major.
    K,
    /// The other axis: A column-major, B row-major.
    Mn,
}

impl fmt::Display for Major {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Major::K => "K",
            Major::Mn => "MN",
        })
    }
}

/// The canonical layout that a matrix descriptor denotes.
///
/// With 16-byte chunks of `T` elements, a swizzle whose span is `W` chunks, and a pattern of `G`
/// lines (4 with 32-byte atoms, otherwise 8), the offset of element `(mn, k)` before the swizzle is
///
/// | major | swizzle | layout of `(mn, k)` |
/// |---|---|---|
/// | K | none | `((8, m), (T, k)):((T, SBO), (1, LBO))` |
/// | K | other | `((8, m), (T, W)):((W*T, SBO), (1, T))` |
/// | MN | none | `((T, m), (8, k)):((1, SBO), (T, LBO))` |
/// | MN | other | `((T, W, m), (G, k)):((1, T, LBO), (W*T, SBO))` |
///
/// and the swizzle applies to the address including the start. (PTX ISA, canonical layouts; CUTLASS,
/// `mma_traits_sm90_gmma.hpp`.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Canonical {
    /// The start address of the operand.
    pub start: SharedOffset,
    /// The leading byte offset (LBO).
    pub leading: SharedOffset,
    /// The stride byte offset (SBO).
    pub stride: SharedOffset,
    /// The swizzle.
    pub mode: SwizzleMode,
    /// The contiguous axis.
    pub major: Major,
    /// The element width.
    pub width: ElementWidth,
}

/// The bits of a chunk.
pub(super) const CHUNK_BITS: u32 = 128;
/// The bytes of a chunk.
pub(super) const CHUNK_BYTES: u64 = 16;

impl Canonical {
    /// The address of an element in bits, which is exact for sub-byte elements.
    ///
    /// ```
    /// use tilewright_layouts::descriptor::{Major, WgmmaDescriptor};
    /// use tilewright_layouts::ElementWidth;
    /// // 128-byte swizzle, eight rows to a pattern of 1024 bytes.
    /// let word = WgmmaDescriptor::decode(1 << 62 | 64 << 32 | 1 << 16)?;
    /// let layout = word.canonical(Major::K, ElementWidth::B16);
    /// assert_eq!(layout.bit_address(0, 8) / 8, 16);
    /// assert_eq!(layout.bit_address(1, 0) / 8, 128 + 16);
    /// assert_eq!(layout.bit_address(9, 0) / 8, 1024 + 128 + 16);
    /// # Ok::<(), tilewright_layouts::descriptor::DecodeError>(())
    /// ```
    pub fn bit_address(&self, mn: u32, k: u32) -> u64 {
        let per_chunk = u64::from(CHUNK_BITS / self.width.bits().min(CHUNK_BITS));
        let (mn, k) = (u64::from(mn), u64::from(k));
        let (leading, stride) = (self.leading.bytes().0, self.stride.bytes().0);
        let line = self.mode.span().0;
        let chunks = line / CHUNK_BYTES;
        let (bytes, within) = match (self.major, self.mode) {
            (Major::K, SwizzleMode::None) => (
                mn % 8 * CHUNK_BYTES + mn / 8 * stride + k / per_chunk * leading,
                k % per_chunk,
            ),
            (Major::K, _) => (
                mn % 8 * line + mn / 8 * stride + k / per_chunk * CHUNK_BYTES,
                k % per_chunk,
            ),
            (Major::Mn, SwizzleMode::None) => (
                mn / per_chunk * stride + k % 8 * CHUNK_BYTES + k / 8 * leading,
                mn % per_chunk,
            ),
            (Major::Mn, mode) => {
                let chunk = mn / per_chunk;
                let group = u64::from(group_lines(mode));
                (
                    chunk % chunks * CHUNK_BYTES
                        + chunk / chunks * leading
                        + k % group * line
                        + k / group * stride,
                    mn % per_chunk,
                )
            }
        };
        let bits = within * u64::from(self.width.bits());
        let address = self.start.bytes().0 + bytes + bits / 8;
        self.mode.apply(address) * 8 + bits % 8
    }
}

/// The number of lines along K per stride byte offset in an MN-major operand.
pub(super) fn group_lines(mode: SwizzleMode) -> u32 {
    match mode {
        SwizzleMode::None
        | SwizzleMode::B32
        | SwizzleMode::B64
        | SwizzleMode::B128
        | SwizzleMode::B128Atom64 => 8,
        SwizzleMode::B128Atom32 | SwizzleMode::B128Atom32Flip8 => 4,
    }
}
