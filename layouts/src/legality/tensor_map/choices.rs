//! The enumerations of a tensor map: element types, interleaving, swizzles, promotion, fill.

use std::fmt;

/// The element type of a tensor map (`CUtensorMapDataType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DataType {
    /// `UINT8`.
    U8,
    /// `UINT16`.
    U16,
    /// `UINT32`.
    U32,
    /// `INT32`.
    S32,
    /// `UINT64`.
    U64,
    /// `INT64`.
    S64,
    /// `FLOAT16`.
    F16,
    /// `FLOAT32`.
    F32,
    /// `FLOAT64`.
    F64,
    /// `BFLOAT16`.
    BF16,
    /// `FLOAT32_FTZ`: flushes subnormal numbers to zero.
    F32Ftz,
    /// `TFLOAT32`.
    TF32,
    /// `TFLOAT32_FTZ`.
    TF32Ftz,
    /// `16U4_ALIGN8B`: sixteen 4-bit values in 8 bytes of shared memory, without gaps.
    U4x16Align8,
    /// `16U4_ALIGN16B`: sixteen 4-bit values in 16 bytes of shared memory, with a gap of 8 bytes.
    U4x16Align16,
    /// `16U6_ALIGN16B`: sixteen 6-bit values in 16 bytes of shared memory, with a gap of 4 bytes.
    U6x16Align16,
}

impl DataType {
    /// Every type, in the order of the driver's enumeration.
    pub const ALL: [DataType; 16] = [
        DataType::U8,
        DataType::U16,
        DataType::U32,
        DataType::S32,
        DataType::U64,
        DataType::S64,
        DataType::F16,
        DataType::F32,
        DataType::F64,
        DataType::BF16,
        DataType::F32Ftz,
        DataType::TF32,
        DataType::TF32Ftz,
        DataType::U4x16Align8,
        DataType::U4x16Align16,
        DataType::U6x16Align16,
    ];

    /// The number of bits of an element in global memory.
    pub const fn bits(self) -> u32 {
        match self {
            DataType::U8 => 8,
            DataType::U16 | DataType::F16 | DataType::BF16 => 16,
            DataType::U32
            | DataType::S32
            | DataType::F32
            | DataType::F32Ftz
            | DataType::TF32
            | DataType::TF32Ftz => 32,
            DataType::U64 | DataType::S64 | DataType::F64 => 64,
            DataType::U4x16Align8 | DataType::U4x16Align16 => 4,
            DataType::U6x16Align16 => 6,
        }
    }

    /// The number of bits of an element in shared memory, including gaps.
    pub const fn shared_bits(self) -> u32 {
        if self.has_gaps() { 8 } else { self.bits() }
    }

    /// Whether the type is a floating-point type.
    pub const fn is_float(self) -> bool {
        match self {
            DataType::F16
            | DataType::F32
            | DataType::F64
            | DataType::BF16
            | DataType::F32Ftz
            | DataType::TF32
            | DataType::TF32Ftz => true,
            DataType::U8
            | DataType::U16
            | DataType::U32
            | DataType::S32
            | DataType::U64
            | DataType::S64
            | DataType::U4x16Align8
            | DataType::U4x16Align16
            | DataType::U6x16Align16 => false,
        }
    }

    /// Whether elements are packed at less than a byte each.
    pub const fn is_packed(self) -> bool {
        self.bits() < 8
    }

    /// Whether the type is packed with gaps in shared memory, which has further rules.
    pub const fn has_gaps(self) -> bool {
        matches!(self, DataType::U4x16Align16 | DataType::U6x16Align16)
    }

    /// The driver's name without its common prefix.
    pub const fn name(self) -> &'static str {
        match self {
            DataType::U8 => "UINT8",
            DataType::U16 => "UINT16",
            DataType::U32 => "UINT32",
            DataType::S32 => "INT32",
            DataType::U64 => "UINT64",
            DataType::S64 => "INT64",
            DataType::F16 => "FLOAT16",
            DataType::F32 => "FLOAT32",
            DataType::F64 => "FLOAT64",
            DataType::BF16 => "BFLOAT16",
            DataType::F32Ftz => "FLOAT32_FTZ",
            DataType::TF32 => "TFLOAT32",
            DataType::TF32Ftz => "TFLOAT32_FTZ",
            DataType::U4x16Align8 => "16U4_ALIGN8B",
            DataType::U4x16Align16 => "16U4_ALIGN16B",
            DataType::U6x16Align16 => "16U6_ALIGN16B",
        }
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The grouping of channels in global memory (`CUtensorMapInterleave`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Interleave {
    /// No grouping.
    #[default]
    None,
    /// Slices of 16 bytes.
    B16,
    /// Slices of 32 bytes.
    B32,
}

impl Interleave {
    /// The driver's name without its common prefix.
    pub const fn name(self) -> &'static str {
        match self {
            Interleave::None => "INTERLEAVE_NONE",
            Interleave::B16 => "INTERLEAVE_16B",
            Interleave::B32 => "INTERLEAVE_32B",
        }
    }
}

/// The granularity of L2 fetches (`CUtensorMapL2promotion`). Every choice is legal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum L2Promotion {
    /// No promotion.
    #[default]
    None,
    /// 64 bytes.
    B64,
    /// 128 bytes.
    B128,
    /// 256 bytes.
    B256,
}

/// The value of out-of-bounds elements (`CUtensorMapFloatOOBfill`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OobFill {
    /// Zero.
    #[default]
    Zero,
    /// A NaN that a fused multiply-add treats as zero; floating-point types only.
    NanRequestZeroFma,
}
