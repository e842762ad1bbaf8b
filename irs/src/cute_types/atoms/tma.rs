//! Copies by tensor maps: as the host makes them, and as a kernel uses them.

use std::num::NonZeroU32;

use tilewright_layouts::cute::{Fact, Nested, Scaled, TypeLayout};

use crate::cute_types::element::Element;
use crate::cute_types::reader::{part, words};

words! {
    /// The form of a load.
    pub enum TmaArch {
        /// To one block.
        Sm90 = "sm_90",
        /// To several.
        Sm90Multicast = "sm_90_multicast",
        /// To a pair of blocks.
        Sm100Pair = "sm_100_2sm",
        /// To several pairs.
        Sm100PairMulticast = "sm_100_2sm_multicast",
    }

    /// The form of a load of four rows.
    pub enum GatherArch {
        /// To one block.
        Sm100 = "sm_100",
        /// To several.
        Sm100Multicast = "sm_100_multicast",
        /// To a pair of blocks.
        Sm100Pair = "sm_100_2sm",
        /// To several pairs.
        Sm100PairMulticast = "sm_100_2sm_multicast",
    }

    /// The elements as the tensor map says them.
    pub enum TmaFormat {
        /// 8 bits.
        U8 = "U8",
        /// 16 bits.
        U16 = "U16",
        /// 32 bits.
        U32 = "U32",
        /// 32 bits, signed.
        S32 = "S32",
        /// 64 bits.
        U64 = "U64",
        /// 64 bits, signed.
        S64 = "S64",
        /// binary16.
        F16 = "F16_RN",
        /// binary32.
        F32 = "F32_RN",
        /// binary32, without subnormal numbers.
        F32Ftz = "F32_FTZ_RN",
        /// binary64.
        F64 = "F64_RN",
        /// bfloat16.
        BF16 = "BF16_RN",
        /// 4 bits.
        U4 = "U4",
        /// 4 bits, a byte each in shared memory.
        U4Unpacked = "U4_UNPACK_U8",
        /// 6 bits, a byte each in shared memory.
        U6Unpacked = "U6_UNPACK_U8",
        /// TensorFloat-32.
        TF32 = "TF32_RN",
        /// TensorFloat-32, without subnormal numbers.
        TF32Ftz = "TF32_FTZ_RN",
    }

    /// What a reduction does.
    pub enum Reduction {
        /// Sum.
        Add = "ADD",
        /// Minimum.
        Min = "MIN",
        /// Maximum.
        Max = "MAX",
        /// Up to a limit, then 0.
        Inc = "INC",
        /// Down to 0, then a limit.
        Dec = "DEC",
        /// Bitwise and.
        And = "AND",
        /// Bitwise or.
        Or = "OR",
        /// Bitwise exclusive or.
        Xor = "XOR",
    }

    /// What the coordinates of a tensor map name.
    pub enum TmaMode {
        /// A box of a tensor.
        Tiled = "tiled",
        /// Pixels of an image.
        Im2col = "im2col",
        /// Four rows to load.
        Gather4 = "gather4",
        /// Four rows to store.
        Scatter4 = "scatter4",
    }
}

impl TmaFormat {
    /// The bits of an element of the tensor map.
    pub const fn bits(self) -> u64 {
        match self {
            Self::U4 => 4,
            Self::U8 | Self::U4Unpacked | Self::U6Unpacked => 8,
            Self::U16 | Self::F16 | Self::BF16 => 16,
            Self::U32 | Self::S32 | Self::F32 | Self::F32Ftz | Self::TF32 | Self::TF32Ftz => 32,
            Self::U64 | Self::S64 | Self::F64 => 64,
        }
    }
}

/// A tensor map before it is bound: the kinds differ by what comes first.
macro_rules! unbound {
    ($($(#[$doc:meta])* $Name:ident { $($(#[doc = $fdoc:literal])* $first:ident: $First:ty)? })+) => {
        $(part! {
            $(#[$doc])*
            pub struct $Name {
                $($(#[doc = $fdoc])* $first: $First,)?
                /// The elements.
                value: Element,
                /// The bits of one instruction.
                bits: NonZeroU32,
                /// From an index in shared memory to a coordinate of the tensor.
                basis: TypeLayout,
                /// The elements as the tensor map says them.
                format: TmaFormat,
            }
            $($first ", ")? value ", copy_bits = " bits ", tma_gbasis = <" basis ">, tma_format = " format
        })+
    };
}

unbound! {
    /// For loads: `!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = …, …>`.
    TiledLoad {
        /// The form of the load.
        arch: TmaArch
    }
    /// For stores: `!cute_nvgpu.atom.non_exec_tiled_tma_store<f16, copy_bits = …, …>`.
    TiledStore {}
    /// For reductions: `!cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, f16, copy_bits = …, …>`.
    TiledReduce {
        /// What is done.
        kind: Reduction
    }
    /// For loads of an image: `!cute_nvgpu.atom.non_exec_im2col_tma_load<sm_90, f16, copy_bits = …, …>`.
    Im2colLoad {
        /// The form of the load.
        arch: TmaArch
    }
    /// For stores of an image: `!cute_nvgpu.atom.non_exec_im2col_tma_store<f16, copy_bits = …, …>`.
    Im2colStore {}
    /// For loads of four rows: `!cute_nvgpu.atom.non_exec_2d_gather4_tma_load<sm_100, f16, copy_bits = …, …>`.
    Gather {
        /// The form of the load.
        arch: GatherArch
    }
    /// For stores of four rows: `!cute_nvgpu.atom.non_exec_2d_scatter4_tma_store<f16, copy_bits = …, …>`.
    Scatter {}
}

part! {
    /// Loads by a tensor map: `!cute_nvgpu.atom.tma_load<f16, copy_bits = …, mode = tiled, num_cta = 1, …>`.
    pub struct TmaLoad {
        /// The elements.
        value: Element,
        /// The bits of one instruction.
        bits: NonZeroU32,
        /// What the coordinates name.
        mode: TmaMode,
        /// The blocks that take part.
        blocks: NonZeroU32,
        /// Strides of the tensor that the instruction overrides.
        strides: Nested<Scaled<Fact>>,
        /// Whether several blocks get the data.
        multicast: bool,
        /// From an index in shared memory to a coordinate of the tensor.
        basis: TypeLayout,
    }
    value ", copy_bits = " bits ", mode = " mode ", num_cta = " blocks ", g_stride = <" strides ">"
    [" mcast = true" if multicast] " tma_gbasis = <" basis ">"
}

part! {
    /// Stores by a tensor map: `!cute_nvgpu.atom.tma_store<f16, copy_bits = …, mode = tiled, …>`.
    pub struct TmaStore {
        /// The elements.
        value: Element,
        /// The bits of one instruction.
        bits: NonZeroU32,
        /// What the coordinates name.
        mode: TmaMode,
        /// Strides of the tensor that the instruction overrides.
        strides: Nested<Scaled<Fact>>,
        /// From an index in shared memory to a coordinate of the tensor.
        basis: TypeLayout,
    }
    value ", copy_bits = " bits ", mode = " mode ", g_stride = <" strides "> tma_gbasis = <" basis ">"
}

part! {
    /// Reductions by a tensor map: `!cute_nvgpu.atom.tma_reduce<f16, copy_bits = …, mode = tiled, kind = ADD, …>`.
    pub struct TmaReduce {
        /// The elements.
        value: Element,
        /// The bits of one instruction.
        bits: NonZeroU32,
        /// What the coordinates name.
        mode: TmaMode,
        /// What is done.
        kind: Reduction,
        /// Strides of the tensor that the instruction overrides.
        strides: Nested<Scaled<Fact>>,
        /// From an index in shared memory to a coordinate of the tensor.
        basis: TypeLayout,
    }
    value ", copy_bits = " bits ", mode = " mode ", kind = " kind ", g_stride = <" strides "> tma_gbasis = <" basis ">"
}
