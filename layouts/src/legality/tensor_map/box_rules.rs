//! Limits of the elements of one copy.

use crate::legality::violation::Checker;
use crate::shared::SwizzleMode;

use super::{BoxMode, Im2colWideMode, Interleave, PACKED_BOX, TensorMap, TensorMapField};

/// The largest extent of a box.
const MAX_BOX: i128 = 256;
/// The largest size of a box in bytes: the shared memory of a multiprocessor of compute capability
/// 9.0 or 10.0.
const MAX_BOX_BYTES: i128 = 228 << 10;
/// The granularity in bits of a row of a box, or of the channels of a pixel.
const ROW_BITS: i128 = 128;
/// The largest number of pixels of a column.
const MAX_PIXELS: i128 = 1024;

impl TensorMap {
    pub(super) fn check_box(&self, check: &mut Checker<TensorMapField>) {
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

    /// Checks the bytes of a box with these extents.
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

    /// Checks the corners; `bits` is the number of bits of a corner without its sign.
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
        // Without interleaving, the channel dimension precedes W.
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
}
