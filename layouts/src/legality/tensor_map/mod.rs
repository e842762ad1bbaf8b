//! Limits of tensor maps: the descriptors of bulk tensor copies. (CUDA driver API,
//! `cuTensorMapEncodeTiled`, `cuTensorMapEncodeIm2col` and `cuTensorMapEncodeIm2colWide`.)

mod box_mode;
mod box_rules;
mod choice_rules;
mod choices;
mod field;

use crate::shared::SwizzleMode;

use super::violation::{Checker, Source, Violations};

pub use box_mode::{BoxMode, Im2colWideMode};
pub use choices::{DataType, Interleave, L2Promotion, OobFill};
pub use field::TensorMapField;

/// The largest rank of a tensor map.
const MAX_RANK: i128 = 5;
/// The largest size of a dimension. References up to CUDA 13.0 state 2^32; the later, stricter limit
/// is used here.
const MAX_DIM: i128 = 1 << 31;
/// The exclusive upper bound of addresses.
const ADDRESS_END: i128 = 1 << 57;
/// The exclusive upper bound of strides, in bytes.
const STRIDE_END: i128 = 1 << 40;
/// The largest element stride.
const MAX_ELEMENT_STRIDE: i128 = 8;
/// The box extent of a packed type with gaps along dimension 0, which also has to divide the
/// tensor's.
const PACKED_BOX: i128 = 128;

/// The parameters of a tensor map.
///
/// ```
/// use tilewright_layouts::{SwizzleMode, legality::*};
/// // Tiles of 128 rows and 64 columns of a row-major matrix of halves, ready for tensor cores.
/// let mut map = TensorMap {
///     data_type: DataType::F16,
///     global_address: 0x7000_0000,
///     global_dim: vec![4096, 8192],
///     global_strides: vec![4096 * 2],
///     element_strides: vec![1, 1],
///     interleave: Interleave::None,
///     swizzle: SwizzleMode::B128,
///     l2_promotion: L2Promotion::B128,
///     oob_fill: OobFill::Zero,
///     mode: BoxMode::Tiled { box_dim: vec![64, 128] },
/// };
/// assert!(map.check().is_ok());
/// map.mode = BoxMode::Tiled { box_dim: vec![128, 257] };
/// let violations = map.check().unwrap_err();
/// assert_eq!(
///     violations[0].to_string(),
///     "boxDim[1] is 257; it has to be from 1 to 256 (CUDA driver API, cuTensorMapEncodeTiled, boxDim)"
/// );
/// assert_eq!(
///     violations[1].to_string(),
///     "boxDim[0] in bytes is 256; it has to be at most 128 \
///      (CUDA driver API, cuTensorMapEncodeTiled, interleave)"
/// );
/// ```
///
/// The programming guide's section on swizzling requires 128-byte alignment of global memory; the
/// driver reference does not, and neither does this check.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorMap {
    /// The element type.
    pub data_type: DataType,
    /// The address of the tensor's first element, in bytes.
    pub global_address: u64,
    /// The size of each dimension, in elements. Its length is the rank.
    pub global_dim: Vec<u64>,
    /// The strides of all dimensions but the first, in bytes. That of the first is one element.
    pub global_strides: Vec<u64>,
    /// The step along each dimension, in elements, from 1 to 8; the first has no effect without interleaving.
    pub element_strides: Vec<u32>,
    /// The grouping of channels.
    pub interleave: Interleave,
    /// The permutation in shared memory.
    pub swizzle: SwizzleMode,
    /// The granularity of L2 fetches.
    pub l2_promotion: L2Promotion,
    /// The value of out-of-bounds elements.
    pub oob_fill: OobFill,
    /// The elements that one copy selects.
    pub mode: BoxMode,
}

impl TensorMap {
    /// Checks the address of a tensor map: a multiple of 64.
    ///
    /// # Errors
    /// The address is not a multiple of 64.
    pub fn check_address(address: u64) -> Result<(), Violations<TensorMapField>> {
        let mut check = Checker::new();
        let source = Source::driver("cuTensorMapEncodeTiled", "tensorMap");
        check.multiple_of(TensorMapField::MapAddress, address, 64, source);
        check.finish()
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.global_dim.len()
    }

    /// The number of elements along dimension 0 that one copy selects.
    pub fn box_row(&self) -> u32 {
        match &self.mode {
            BoxMode::Tiled { box_dim } => box_dim.first().copied().unwrap_or(0),
            BoxMode::Im2col {
                channels_per_pixel, ..
            }
            | BoxMode::Im2colWide {
                channels_per_pixel, ..
            } => *channels_per_pixel,
        }
    }

    /// Checks every rule.
    ///
    /// # Errors
    /// Every violated rule.
    pub fn check(&self) -> Result<(), Violations<TensorMapField>> {
        let mut check = Checker::new();
        self.check_rank(&mut check);
        self.check_global(&mut check);
        self.check_box(&mut check);
        self.check_modes(&mut check);
        check.finish()
    }

    fn source(&self, item: &'static str) -> Source {
        Source::driver(self.mode.function(), item)
    }

    /// The source of an undocumented rule of the driver.
    fn measured(&self, item: &'static str) -> Source {
        Source::measured(self.mode.function(), item)
    }

    fn check_rank(&self, check: &mut Checker<TensorMapField>) {
        let rank = self.rank();
        let source = self.source("tensorRank");
        let min = match (&self.mode, self.interleave) {
            (BoxMode::Tiled { .. }, Interleave::None) => 1,
            (BoxMode::Tiled { .. }, Interleave::B16 | Interleave::B32)
            | (BoxMode::Im2col { .. } | BoxMode::Im2colWide { .. }, _) => 3,
        };
        check.range(TensorMapField::Rank, rank as u64, min, MAX_RANK, source);
        let source = self.source("globalStrides");
        check.length(
            TensorMapField::StrideCount,
            self.global_strides.len(),
            rank.saturating_sub(1),
            source,
        );
        let source = self.source("elementStrides");
        check.length(
            TensorMapField::ElementStrideCount,
            self.element_strides.len(),
            rank,
            source,
        );
    }

    fn check_global(&self, check: &mut Checker<TensorMapField>) {
        let align = if self.interleave == Interleave::B32 || self.data_type.has_gaps() {
            32
        } else {
            16
        };
        let source = self.source("globalAddress");
        check.multiple_of(TensorMapField::GlobalAddress, self.global_address, align, source);
        let measured = self.measured("globalAddress");
        check.below(
            TensorMapField::GlobalAddress,
            self.global_address,
            ADDRESS_END,
            measured,
        );
        let source = self.source("globalDim");
        for (index, size) in self.global_dim.iter().enumerate() {
            check.range(TensorMapField::GlobalDim(index), *size, 1, MAX_DIM, source);
        }
        let unit = if self.data_type.has_gaps() {
            PACKED_BOX
        } else if self.data_type == DataType::U4x16Align8 {
            2
        } else {
            1
        };
        if let Some(size) = self.global_dim.first() {
            check.multiple_of(TensorMapField::GlobalDim(0), *size, unit, source);
        }
        let source = self.source("globalStrides");
        for (index, stride) in self.global_strides.iter().enumerate() {
            let field = TensorMapField::GlobalStride(index);
            check.multiple_of(field, *stride, align, source);
            check.below(field, *stride, STRIDE_END, source);
        }
        let source = self.source("elementStrides");
        for (index, stride) in self.element_strides.iter().enumerate() {
            let field = TensorMapField::ElementStride(index);
            check.range(field, *stride, 1, MAX_ELEMENT_STRIDE, source);
        }
    }
}
