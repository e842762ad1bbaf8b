//! Limits of tensor maps: the descriptors of bulk tensor copies. (CUDA driver API,
//! `cuTensorMapEncodeTiled`, `cuTensorMapEncodeIm2col` and `cuTensorMapEncodeIm2colWide`.)

mod box_mode;
mod choices;
mod field;

use crate::shared::SwizzleMode;

use super::violation::{Checker, Limit, Source, Violations};

pub use box_mode::{BoxMode, Im2colWideMode};
pub use choices::{DataType, Interleave, L2Promotion, OobFill};
pub use field::TensorMapField;

/// The most dimensions of a tensor map.
const MAX_RANK: i128 = 5;
/// The largest size of a dimension. References of CUDA 13.0 and before say 2^32; the later and stricter
/// number is the one used here.
const MAX_DIM: i128 = 1 << 31;
/// Addresses are below this.
const ADDRESS_END: i128 = 1 << 57;
/// Strides are below this, in bytes.
const STRIDE_END: i128 = 1 << 40;
/// The largest extent of a box.
const MAX_BOX: i128 = 256;
/// The most bytes of a box: the shared memory of a multiprocessor of compute capability 9.0 or 10.0.
const MAX_BOX_BYTES: i128 = 228 << 10;
/// What a row of a box, or the channels of a pixel, have a multiple of, in bits.
const ROW_BITS: i128 = 128;
/// The most pixels of a column.
const MAX_PIXELS: i128 = 1024;
/// The largest element stride.
const MAX_ELEMENT_STRIDE: i128 = 8;
/// Elements in the box of a packed type with gaps, along dimension 0, and what its tensor has a multiple of.
const PACKED_BOX: i128 = 128;

/// Everything that is encoded into a tensor map.
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
/// The programming guide's section on swizzling asks for global memory that is aligned to 128 bytes; the
/// driver's reference does not, and neither does this.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorMap {
    /// The element type.
    pub data_type: DataType,
    /// The address of the tensor's first element, in bytes.
    pub global_address: u64,
    /// The size of each dimension, in elements. Its length is the rank.
    pub global_dim: Vec<u64>,
    /// The stride of each dimension but the first, in bytes. That of the first is one element.
    pub global_strides: Vec<u64>,
    /// The step along each dimension, in elements, from 1 to 8; the first has no effect without interleaving.
    pub element_strides: Vec<u32>,
    /// The grouping of channels.
    pub interleave: Interleave,
    /// The permutation in shared memory.
    pub swizzle: SwizzleMode,
    /// How much the L2 cache fetches.
    pub l2_promotion: L2Promotion,
    /// What elements outside read as.
    pub oob_fill: OobFill,
    /// Which elements one copy takes.
    pub mode: BoxMode,
}

impl TensorMap {
    /// Checks the address of a descriptor: a multiple of 64.
    ///
    /// # Errors
    /// It is not.
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

    /// Elements along dimension 0 that one copy takes.
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
    /// Every rule that is broken.
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

    /// For what no document says and the driver refuses.
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

    fn check_box(&self, check: &mut Checker<TensorMapField>) {
        match &self.mode {
            BoxMode::Tiled { box_dim } => self.check_tiled(check, box_dim),
            BoxMode::Im2col {
                lower_corner,
                upper_corner,
                channels_per_pixel,
                pixels_per_column,
            } => {
                let spatial = self.rank().saturating_sub(2);
                let bits = match spatial {
                    0 | 1 => 15,
                    2 => 7,
                    _ => 4,
                };
                let source = self.source("pixelBoxLowerCorner");
                check.length(TensorMapField::CornerCount, lower_corner.len(), spatial, source);
                let source = self.source("pixelBoxUpperCorner");
                check.length(TensorMapField::CornerCount, upper_corner.len(), spatial, source);
                self.check_corners(check, lower_corner, upper_corner, bits);
                self.check_column(check, *channels_per_pixel, Some(*pixels_per_column));
            }
            BoxMode::Im2colWide {
                lower_corner_width,
                upper_corner_width,
                channels_per_pixel,
                pixels_per_column,
                mode,
            } => {
                // Along H and D, the bounding box is that of the tensor.
                let lower = [*lower_corner_width, 0, 0];
                let upper = [*upper_corner_width, 0, 0];
                let spatial = self.rank().saturating_sub(2).clamp(1, lower.len());
                self.check_corners(check, &lower[..spatial], &upper[..spatial], 15);
                let pixels = match mode {
                    Im2colWideMode::W => Some(*pixels_per_column),
                    Im2colWideMode::W128 => None,
                };
                self.check_column(check, *channels_per_pixel, pixels);
            }
        }
        if self.interleave == Interleave::None && self.swizzle != SwizzleMode::None {
            let bits = u64::from(self.box_row()) * u64::from(self.data_type.bits());
            let source = self.source("interleave");
            check.at_most(
                TensorMapField::BoxRowBytes,
                bits.div_ceil(8),
                i128::from(self.swizzle.span().0),
                source,
            );
        }
    }

    fn check_tiled(&self, check: &mut Checker<TensorMapField>, box_dim: &[u32]) {
        let source = self.source("boxDim");
        check.length(TensorMapField::BoxDimCount, box_dim.len(), self.rank(), source);
        for (index, extent) in box_dim.iter().enumerate() {
            check.range(TensorMapField::BoxDim(index), *extent, 1, MAX_BOX, source);
        }
        let Some(row) = box_dim.first() else { return };
        if self.data_type.has_gaps() {
            check.exactly(TensorMapField::BoxDim(0), *row, PACKED_BOX, source);
        } else {
            let source = match self.interleave {
                Interleave::None => source,
                Interleave::B16 | Interleave::B32 => self.measured("boxDim"),
            };
            let bits = u64::from(*row) * u64::from(self.data_type.bits());
            check.multiple_of(TensorMapField::BoxRowBits, bits, ROW_BITS, source);
        }
        let steps = self.element_strides.iter().enumerate().map(|(index, step)| {
            let ignored = index == 0 && self.interleave == Interleave::None;
            if ignored { 1 } else { (*step).max(1) }
        });
        let taken = box_dim
            .iter()
            .zip(steps)
            .map(|(extent, step)| extent.div_ceil(step));
        self.check_bytes(check, taken, "boxDim");
    }

    /// Checks the bytes of so many elements along each dimension.
    fn check_bytes(
        &self,
        check: &mut Checker<TensorMapField>,
        extents: impl Iterator<Item = u32>,
        item: &'static str,
    ) {
        let elements = extents.fold(1i128, |product, extent| product.saturating_mul(extent.into()));
        let bytes = elements.saturating_mul(self.data_type.shared_bits().into()) / 8;
        check.at_most(
            TensorMapField::BoxBytes,
            bytes,
            MAX_BOX_BYTES,
            self.measured(item),
        );
    }

    /// `bits` is how many bits a corner has beside its sign.
    fn check_corners(&self, check: &mut Checker<TensorMapField>, lower: &[i32], upper: &[i32], bits: u32) {
        let end = 1i128 << bits;
        let source = self.source("pixelBoxLowerCorner");
        for (index, corner) in lower.iter().enumerate() {
            check.range(TensorMapField::LowerCorner(index), *corner, -end, end - 1, source);
        }
        let source = self.source("pixelBoxUpperCorner");
        for (index, corner) in upper.iter().enumerate() {
            check.range(TensorMapField::UpperCorner(index), *corner, -end, end - 1, source);
        }
        // Interleaved tensors have no dimension of single channels before W.
        let channels = usize::from(self.interleave == Interleave::None);
        let sizes = self.global_dim.iter().skip(channels);
        let measured = self.measured("pixelBoxUpperCorner");
        for (index, ((lower, upper), size)) in lower.iter().zip(upper).zip(sizes).enumerate() {
            let end = i128::from(*size) + i128::from(*upper);
            check.at_most(
                TensorMapField::BoundingBoxEnd(index),
                end,
                i32::MAX.into(),
                measured,
            );
            let extent = end - i128::from(*lower);
            check.at_least(TensorMapField::BoundingBox(index), extent, 1, source);
        }
    }

    fn check_column(&self, check: &mut Checker<TensorMapField>, channels: u32, pixels: Option<u32>) {
        let source = self.source("channelsPerPixel");
        let field = TensorMapField::ChannelsPerPixel;
        check.at_most(field, channels, MAX_BOX, source);
        if self.data_type.has_gaps() {
            check.exactly(field, channels, PACKED_BOX, source);
        } else {
            let measured = self.measured("channelsPerPixel");
            check.at_least(field, channels, 1, measured);
            let bits = u64::from(channels) * u64::from(self.data_type.bits());
            check.multiple_of(TensorMapField::ChannelBits, bits, ROW_BITS, measured);
        }
        if let Some(pixels) = pixels {
            let field = TensorMapField::PixelsPerColumn;
            check.at_least(field, pixels, 1, self.measured("pixelsPerColumn"));
            check.at_most(field, pixels, MAX_PIXELS, self.source("pixelsPerColumn"));
            self.check_bytes(check, [channels, pixels].into_iter(), "pixelsPerColumn");
        }
    }

    /// The rules among interleave, swizzle, type and fill.
    fn check_modes(&self, check: &mut Checker<TensorMapField>) {
        let wide = matches!(self.mode, BoxMode::Im2colWide { .. });
        let interleave = self.interleave.name();
        if self.data_type == DataType::U6x16Align16 {
            check.require(
                self.interleave == Interleave::None,
                TensorMapField::Interleave,
                interleave,
                Limit::Choice("INTERLEAVE_NONE for 16U6_ALIGN16B"),
                self.source("interleave"),
            );
        }
        if wide {
            check.require(
                self.interleave == Interleave::None,
                TensorMapField::Interleave,
                interleave,
                Limit::Choice("INTERLEAVE_NONE for im2col-wide"),
                Source::ptx("tensors", "interleave layout"),
            );
        }
        let swizzle = self.swizzle.driver_name();
        let source = self.source("swizzle");
        if self.interleave == Interleave::B32 {
            check.require(
                self.swizzle == SwizzleMode::B32,
                TensorMapField::Swizzle,
                swizzle,
                Limit::Choice("SWIZZLE_32B for INTERLEAVE_32B"),
                source,
            );
        }
        let (allowed, limit) = self.swizzles(wide);
        check.require(allowed, TensorMapField::Swizzle, swizzle, limit, source);
        check.require(
            self.oob_fill == OobFill::Zero || self.data_type.is_float(),
            TensorMapField::OobFill,
            "FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA",
            Limit::Choice("FLOAT_OOB_FILL_NONE for a type that is not of floating point"),
            self.source("oobFill"),
        );
    }

    /// Whether the element type admits the swizzle, and the swizzles that it admits.
    fn swizzles(&self, wide: bool) -> (bool, Limit) {
        use SwizzleMode::{B32, B64, B128, B128Atom32, B128Atom32Flip8, B128Atom64, None};
        match (self.data_type, wide) {
            (DataType::U6x16Align16, false) => (
                match self.swizzle {
                    None | B128 | B128Atom32 | B128Atom64 => true,
                    B32 | B64 | B128Atom32Flip8 => false,
                },
                Limit::Choice(
                    "SWIZZLE_NONE, SWIZZLE_128B, SWIZZLE_128B_ATOM_32B or SWIZZLE_128B_ATOM_64B for 16U6_ALIGN16B",
                ),
            ),
            (DataType::U4x16Align16, false) => (
                match self.swizzle {
                    None | B128 | B128Atom32 => true,
                    B32 | B64 | B128Atom32Flip8 | B128Atom64 => false,
                },
                Limit::Choice("SWIZZLE_NONE, SWIZZLE_128B or SWIZZLE_128B_ATOM_32B for 16U4_ALIGN16B"),
            ),
            (DataType::U4x16Align16, true) => (
                match self.swizzle {
                    B128 | B128Atom32 => true,
                    None | B32 | B64 | B128Atom32Flip8 | B128Atom64 => false,
                },
                Limit::Choice("SWIZZLE_128B or SWIZZLE_128B_ATOM_32B for im2col-wide and 16U4_ALIGN16B"),
            ),
            (_, true) => (
                match self.swizzle {
                    B64 | B128 | B128Atom32 => true,
                    None | B32 | B128Atom32Flip8 | B128Atom64 => false,
                },
                Limit::Choice("SWIZZLE_64B, SWIZZLE_128B or SWIZZLE_128B_ATOM_32B for im2col-wide"),
            ),
            (_, false) => (true, Limit::Choice("any swizzle")),
        }
    }
}
