//! The hardware's swizzle modes of shared memory.

use std::fmt;

use crate::units::Bytes;

/// A swizzle mode of bulk tensor copies (TMA) and matrix units in shared memory.
///
/// Each mode permutes chunks of [`atom`](Self::atom) bytes within aligned spans of
/// [`span`](Self::span) bytes. The permutation depends on the number of the 128-byte line, and the
/// pattern repeats every [`repeat`](Self::repeat) bytes. In bits of the byte address: some of the
/// bits from 7 up are XORed into lower bits.
///
/// | mode | address bits changed | `Sw<B,M,S>` |
/// |---|---|---|
/// | `None` | | `Sw<0,4,3>` |
/// | `B32` | 4 by 7 | `Sw<1,4,3>` |
/// | `B64` | 4, 5 by 7, 8 | `Sw<2,4,3>` |
/// | `B128` | 4, 5, 6 by 7, 8, 9 | `Sw<3,4,3>` |
/// | `B128Atom32` | 5, 6 by 7, 8 | `Sw<2,5,2>` |
/// | `B128Atom32Flip8` | 5, 6 by 7, 8 and 3 by 7 | |
/// | `B128Atom64` | 6 by 7 | `Sw<1,6,1>` |
///
/// Sources: CUDA driver API, `CUtensorMapSwizzle`; PTX ISA, sections "Swizzling Modes" (the patterns)
/// and "tensormap.replace" (the codes). The 96-byte mode that `tensormap.replace` can also name is left
/// out: its span is no power of two, and the driver has no name for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SwizzleMode {
    /// Unswizzled.
    #[default]
    None,
    /// 16-byte chunks within 32 bytes.
    B32,
    /// 16-byte chunks within 64 bytes.
    B64,
    /// 16-byte chunks within 128 bytes.
    B128,
    /// 32-byte chunks within 128 bytes.
    B128Atom32,
    /// As `B128Atom32`; in every odd 128-byte line, the halves of each 16 bytes are exchanged too.
    B128Atom32Flip8,
    /// 64-byte chunks within 128 bytes.
    B128Atom64,
}

/// A bit of a byte address and the higher bit that is XORed into it.
type BitSum = (u32, u32);

impl SwizzleMode {
    /// Every mode, in the order of the driver's codes.
    pub const ALL: [SwizzleMode; 7] = [
        SwizzleMode::None,
        SwizzleMode::B32,
        SwizzleMode::B64,
        SwizzleMode::B128,
        SwizzleMode::B128Atom32,
        SwizzleMode::B128Atom32Flip8,
        SwizzleMode::B128Atom64,
    ];

    /// The modes with 16-byte chunks, which every architecture with bulk tensor copies has.
    pub const ATOM_16: [SwizzleMode; 4] = [
        SwizzleMode::None,
        SwizzleMode::B32,
        SwizzleMode::B64,
        SwizzleMode::B128,
    ];

    /// The span within which chunks are permuted: the largest row of a tile in bytes. For `None` it
    /// is 16 bytes, the row of a core matrix.
    pub const fn span(self) -> Bytes {
        match self {
            SwizzleMode::None => Bytes(16),
            SwizzleMode::B32 => Bytes(32),
            SwizzleMode::B64 => Bytes(64),
            SwizzleMode::B128
            | SwizzleMode::B128Atom32
            | SwizzleMode::B128Atom32Flip8
            | SwizzleMode::B128Atom64 => Bytes(128),
        }
    }

    /// The chunk that is permuted as a unit. (The 8-byte flip also reorders bytes in a chunk.)
    pub const fn atom(self) -> Bytes {
        match self {
            SwizzleMode::None | SwizzleMode::B32 | SwizzleMode::B64 | SwizzleMode::B128 => Bytes(16),
            SwizzleMode::B128Atom32 | SwizzleMode::B128Atom32Flip8 => Bytes(32),
            SwizzleMode::B128Atom64 => Bytes(64),
        }
    }

    /// The period of the pattern. For `None` it is 128 bytes, a core matrix.
    pub const fn repeat(self) -> Bytes {
        match self {
            SwizzleMode::None => Bytes(128),
            SwizzleMode::B32 | SwizzleMode::B128Atom64 => Bytes(256),
            SwizzleMode::B64 | SwizzleMode::B128Atom32 | SwizzleMode::B128Atom32Flip8 => Bytes(512),
            SwizzleMode::B128 => Bytes(1024),
        }
    }

    /// The alignment of the pattern according to the PTX ISA: a buffer at this alignment has a base
    /// offset of zero. It is 1024 bytes for every 128-byte mode, also where [`repeat`](Self::repeat)
    /// is less. For `None` it is the 128 bytes that a bulk tensor copy requires.
    pub const fn alignment(self) -> Bytes {
        match self {
            SwizzleMode::None => Bytes(128),
            SwizzleMode::B32 => Bytes(256),
            SwizzleMode::B64 => Bytes(512),
            SwizzleMode::B128
            | SwizzleMode::B128Atom32
            | SwizzleMode::B128Atom32Flip8
            | SwizzleMode::B128Atom64 => Bytes(1024),
        }
    }

    /// Swizzles an offset relative to an alignment of [`repeat`](Self::repeat) bytes. Each mode is an
    /// involution and linear over GF(2).
    ///
    /// ```
    /// use tilewright_layouts::shared::SwizzleMode;
    /// // Line 3, first chunk: goes to chunk 3.
    /// assert_eq!(SwizzleMode::B128.apply(3 * 128 + 5), 3 * 128 + 3 * 16 + 5);
    /// assert_eq!(SwizzleMode::B64.apply(2 * 128), 2 * 128 + 2 * 16);
    /// assert_eq!(SwizzleMode::B128Atom32.apply(3 * 128 + 5), 3 * 128 + 3 * 32 + 5);
    /// ```
    pub fn apply(self, offset: u64) -> u64 {
        self.sums()
            .iter()
            .fold(offset, |byte, (to, from)| byte ^ (offset >> from & 1) << to)
    }

    /// The parameters `(B, M, S)` of the equivalent CuTe swizzle `Sw<B,M,S>` on byte offsets: the `B`
    /// bits from `M + S` up are XORed into the bits from `M` up. `None` for the mode with the 8-byte
    /// flip, which is `Sw<2,5,2>` after `Sw<1,3,4>`.
    ///
    /// (CUTLASS, `cute/swizzle.hpp` and the atoms in `mma_traits_sm90_gmma.hpp`. For 64-byte chunks
    /// the parameters follow from the pattern in the PTX ISA.)
    ///
    /// ```
    /// use tilewright_layouts::shared::SwizzleMode;
    /// assert_eq!(SwizzleMode::B128.cute_parameters(), Some((3, 4, 3)));
    /// ```
    pub const fn cute_parameters(self) -> Option<(u32, u32, u32)> {
        match self {
            SwizzleMode::None => Some((0, 4, 3)),
            SwizzleMode::B32 => Some((1, 4, 3)),
            SwizzleMode::B64 => Some((2, 4, 3)),
            SwizzleMode::B128 => Some((3, 4, 3)),
            SwizzleMode::B128Atom32 => Some((2, 5, 2)),
            SwizzleMode::B128Atom32Flip8 => None,
            SwizzleMode::B128Atom64 => Some((1, 6, 1)),
        }
    }

    /// The mode with these [`cute_parameters`](Self::cute_parameters).
    pub fn of_cute_parameters(b: u32, m: u32, s: u32) -> Option<SwizzleMode> {
        Self::ALL
            .into_iter()
            .find(|mode| mode.cute_parameters() == Some((b, m, s)))
    }

    /// The value in the driver's enumeration `CUtensorMapSwizzle`.
    pub const fn driver_code(self) -> u32 {
        match self {
            SwizzleMode::None => 0,
            SwizzleMode::B32 => 1,
            SwizzleMode::B64 => 2,
            SwizzleMode::B128 => 3,
            SwizzleMode::B128Atom32 => 4,
            SwizzleMode::B128Atom32Flip8 => 5,
            SwizzleMode::B128Atom64 => 6,
        }
    }

    /// The driver's name of the mode.
    pub const fn driver_name(self) -> &'static str {
        match self {
            SwizzleMode::None => "CU_TENSOR_MAP_SWIZZLE_NONE",
            SwizzleMode::B32 => "CU_TENSOR_MAP_SWIZZLE_32B",
            SwizzleMode::B64 => "CU_TENSOR_MAP_SWIZZLE_64B",
            SwizzleMode::B128 => "CU_TENSOR_MAP_SWIZZLE_128B",
            SwizzleMode::B128Atom32 => "CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B",
            SwizzleMode::B128Atom32Flip8 => "CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B",
            SwizzleMode::B128Atom64 => "CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B",
        }
    }

    /// The values of `.swizzle_mode` and `.swizzle_atomicity` in `tensormap.replace`.
    pub const fn tensormap_codes(self) -> (u32, u32) {
        match self {
            SwizzleMode::None => (0, 0),
            SwizzleMode::B32 => (1, 0),
            SwizzleMode::B64 => (2, 0),
            SwizzleMode::B128 => (3, 0),
            SwizzleMode::B128Atom32 => (3, 1),
            SwizzleMode::B128Atom32Flip8 => (3, 2),
            SwizzleMode::B128Atom64 => (3, 3),
        }
    }

    /// The address bits that change, each with the bit that is XORed into it.
    const fn sums(self) -> &'static [BitSum] {
        match self {
            SwizzleMode::None => &[],
            SwizzleMode::B32 => &[(4, 7)],
            SwizzleMode::B64 => &[(4, 7), (5, 8)],
            SwizzleMode::B128 => &[(4, 7), (5, 8), (6, 9)],
            SwizzleMode::B128Atom32 => &[(5, 7), (6, 8)],
            SwizzleMode::B128Atom32Flip8 => &[(5, 7), (6, 8), (3, 7)],
            SwizzleMode::B128Atom64 => &[(6, 7)],
        }
    }
}

/// A short name: `none`, `32B`, `64B`, `128B`, `128B_ATOM_32B`, …
impl fmt::Display for SwizzleMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SwizzleMode::None => "none",
            SwizzleMode::B32 => "32B",
            SwizzleMode::B64 => "64B",
            SwizzleMode::B128 => "128B",
            SwizzleMode::B128Atom32 => "128B_ATOM_32B",
            SwizzleMode::B128Atom32Flip8 => "128B_ATOM_32B_FLIP_8B",
            SwizzleMode::B128Atom64 => "128B_ATOM_64B",
        })
    }
}
