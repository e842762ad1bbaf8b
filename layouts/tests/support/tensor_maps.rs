//! Legal tensor maps, and their modifications.

#![allow(dead_code, reason = "each test uses some of it")]

use tilewright_layouts::SwizzleMode;
use tilewright_layouts::legality::*;

use crate::violations::fields;

/// A legal tensor map: tiles of 128 by 64 halves.
pub(crate) fn tiled() -> TensorMap {
    TensorMap {
        data_type: DataType::F16,
        global_address: 0x1000,
        global_dim: vec![4096, 8192],
        global_strides: vec![8192],
        element_strides: vec![1, 1],
        interleave: Interleave::None,
        swizzle: SwizzleMode::B128,
        l2_promotion: L2Promotion::None,
        oob_fill: OobFill::Zero,
        mode: BoxMode::Tiled {
            box_dim: vec![64, 128],
        },
    }
}

/// A legal three-dimensional tensor map of interleaved channels.
pub(crate) fn interleaved() -> TensorMap {
    TensorMap {
        global_dim: vec![16, 100, 100],
        global_strides: vec![32, 3200],
        element_strides: vec![1, 1, 1],
        interleave: Interleave::B32,
        swizzle: SwizzleMode::B32,
        mode: BoxMode::Tiled {
            box_dim: vec![16, 8, 8],
        },
        ..tiled()
    }
}

/// A legal tensor map of a packed type with gaps.
pub(crate) fn packed(data_type: DataType) -> TensorMap {
    TensorMap {
        data_type,
        global_dim: vec![1280, 256],
        global_strides: vec![960],
        mode: BoxMode::Tiled {
            box_dim: vec![128, 64],
        },
        ..tiled()
    }
}

pub(crate) fn corners(rank: usize, corner: i32) -> TensorMap {
    let spatial = rank - 2;
    TensorMap {
        global_dim: vec![64, 1 << 20, 1 << 20, 1 << 20, 16][..rank - 1]
            .iter()
            .copied()
            .chain([16])
            .collect(),
        global_strides: vec![1 << 10; rank - 1],
        element_strides: vec![1; rank],
        mode: BoxMode::Im2col {
            lower_corner: vec![corner; spatial],
            upper_corner: vec![corner; spatial],
            channels_per_pixel: 64,
            pixels_per_column: 128,
        },
        ..tiled()
    }
}

pub(crate) fn wide(swizzle: SwizzleMode, pixels_per_column: u32, mode: Im2colWideMode) -> TensorMap {
    TensorMap {
        global_dim: vec![64, 128, 128, 4],
        global_strides: vec![1 << 10; 3],
        element_strides: vec![1; 4],
        swizzle,
        mode: BoxMode::Im2colWide {
            lower_corner_width: -1,
            upper_corner_width: -1,
            channels_per_pixel: 32,
            pixels_per_column,
            mode,
        },
        ..tiled()
    }
}

/// Applies a change and returns the fields reported.
pub(crate) fn after(map: TensorMap, change: impl FnOnce(&mut TensorMap)) -> Vec<TensorMapField> {
    let mut map = map;
    change(&mut map);
    fields(map.check())
}

pub(crate) fn box_dim(map: &mut TensorMap, index: usize, extent: u32) {
    let BoxMode::Tiled { box_dim } = &mut map.mode else {
        panic!("not tiled")
    };
    box_dim[index] = extent;
}
