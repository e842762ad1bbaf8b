//! Every limit of im2col tensor maps, at and beyond the boundary.

use tilewright_layouts::SwizzleMode;
use tilewright_layouts::legality::*;

use crate::tensor_maps::{after, corners, wide};
use crate::violations::fields;

#[test]
fn im2col_corners_narrow_with_the_rank() {
    for (rank, bits) in [(3, 15), (4, 7), (5, 4)] {
        let end = 1 << bits;
        assert_eq!(fields(corners(rank, -end).check()), []);
        assert_eq!(fields(corners(rank, end - 1).check()), []);
        let outside = fields(corners(rank, end).check());
        assert_eq!(outside.len(), 2 * (rank - 2));
        assert_eq!(fields(corners(rank, -end - 1).check()).len(), 2 * (rank - 2));
    }
}

#[test]
fn im2col_boxes_are_not_empty() {
    let extent = |lower, upper| {
        after(corners(3, 0), |map| {
            map.global_dim[1] = 10;
            map.mode = BoxMode::Im2col {
                lower_corner: vec![lower],
                upper_corner: vec![upper],
                channels_per_pixel: 64,
                pixels_per_column: 1024,
            }
        })
    };
    assert_eq!(extent(0, -9), []);
    assert_eq!(extent(0, -10), [TensorMapField::BoundingBox(0)]);
    assert_eq!(extent(9, 0), []);
    assert_eq!(extent(10, 0), [TensorMapField::BoundingBox(0)]);
    // Its end is a signed 32-bit number.
    let end = |width, lower, upper| {
        after(corners(3, 0), |map| {
            map.global_dim[1] = width;
            map.mode = BoxMode::Im2col {
                lower_corner: vec![lower],
                upper_corner: vec![upper],
                channels_per_pixel: 64,
                pixels_per_column: 64,
            }
        })
    };
    assert_eq!(end(i32::MAX as u64, -4, 0), []);
    assert_eq!(end(i32::MAX as u64, 1, 1), [TensorMapField::BoundingBoxEnd(0)]);
    // Interleaved tensors start with W.
    let interleaved = |lower| {
        after(corners(3, 0), |map| {
            map.global_dim = vec![10, 1, 1];
            map.interleave = Interleave::B16;
            map.mode = BoxMode::Im2col {
                lower_corner: vec![lower],
                upper_corner: vec![0],
                channels_per_pixel: 64,
                pixels_per_column: 64,
            }
        })
    };
    assert_eq!(interleaved(9), []);
    assert_eq!(interleaved(10), [TensorMapField::BoundingBox(0)]);
}

#[test]
fn im2col_columns() {
    let column = |channels, pixels| {
        after(corners(3, 0), |map| {
            map.swizzle = SwizzleMode::None;
            map.mode = BoxMode::Im2col {
                lower_corner: vec![0],
                upper_corner: vec![0],
                channels_per_pixel: channels,
                pixels_per_column: pixels,
            }
        })
    };
    assert_eq!(column(64, 1024), []);
    assert_eq!(column(256, 456), []);
    assert_eq!(column(256, 457), [TensorMapField::BoxBytes]);
    assert_eq!(column(264, 64), [TensorMapField::ChannelsPerPixel]);
    assert_eq!(column(60, 64), [TensorMapField::ChannelBits]);
    assert_eq!(column(0, 64), [TensorMapField::ChannelsPerPixel]);
    assert_eq!(column(64, 1025), [TensorMapField::PixelsPerColumn]);
    assert_eq!(column(64, 0), [TensorMapField::PixelsPerColumn]);
    assert_eq!(
        after(corners(3, 0), |map| {
            map.data_type = DataType::U4x16Align16;
            map.global_dim[0] = 128;
        }),
        [TensorMapField::ChannelsPerPixel]
    );
}

#[test]
fn im2col_wide() {
    use SwizzleMode::{B64, B128, B128Atom32};
    for swizzle in SwizzleMode::ALL {
        let found = fields(wide(swizzle, 64, Im2colWideMode::W).check());
        let legal = [B64, B128, B128Atom32].contains(&swizzle);
        assert_eq!(!found.contains(&TensorMapField::Swizzle), legal, "{swizzle}");
    }
    assert_eq!(
        fields(wide(B128, 1025, Im2colWideMode::W).check()),
        [TensorMapField::PixelsPerColumn]
    );
    assert_eq!(fields(wide(B128, 1025, Im2colWideMode::W128).check()), []);
    let corner = |lower| {
        after(wide(B128, 64, Im2colWideMode::W), |map| {
            map.global_dim[1] = 1 << 20;
            if let BoxMode::Im2colWide {
                lower_corner_width, ..
            } = &mut map.mode
            {
                *lower_corner_width = lower;
            }
        })
    };
    assert_eq!(corner(-32768), []);
    assert_eq!(corner(-32769), [TensorMapField::LowerCorner(0)]);
    assert_eq!(corner(32767), []);
    assert_eq!(corner(32768), [TensorMapField::LowerCorner(0)]);
    let found = after(wide(B128, 64, Im2colWideMode::W), |map| {
        map.interleave = Interleave::B16
    });
    assert_eq!(found, [TensorMapField::Interleave]);
}
