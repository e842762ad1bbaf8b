//! Every limit of the hardware, just inside and just outside.

use proptest::prelude::*;
use tilewright_layouts::SwizzleMode;
use tilewright_layouts::descriptor::Major;
use tilewright_layouts::legality::*;

/// The fields of all violations.
fn fields<F: Copy>(result: Result<(), Violations<F>>) -> Vec<F> {
    result.map_or_else(
        |found| found.iter().map(|one| one.field).collect(),
        |()| Vec::new(),
    )
}

/// A legal tensor map: tiles of 128 by 64 halves.
fn tiled() -> TensorMap {
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
fn interleaved() -> TensorMap {
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
fn packed(data_type: DataType) -> TensorMap {
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

fn corners(rank: usize, corner: i32) -> TensorMap {
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

fn wide(swizzle: SwizzleMode, pixels_per_column: u32, mode: Im2colWideMode) -> TensorMap {
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
fn after(map: TensorMap, change: impl FnOnce(&mut TensorMap)) -> Vec<TensorMapField> {
    let mut map = map;
    change(&mut map);
    fields(map.check())
}

fn box_dim(map: &mut TensorMap, index: usize, extent: u32) {
    let BoxMode::Tiled { box_dim } = &mut map.mode else {
        panic!("not tiled")
    };
    box_dim[index] = extent;
}

#[test]
fn legal_maps_pass() {
    assert_eq!(tiled().check(), Ok(()));
    assert_eq!(interleaved().check(), Ok(()));
    assert_eq!(packed(DataType::U4x16Align16).check(), Ok(()));
    assert_eq!(packed(DataType::U6x16Align16).check(), Ok(()));
    for rank in 3..=5 {
        assert_eq!(corners(rank, -1).check(), Ok(()));
    }
    assert_eq!(wide(SwizzleMode::B64, 1024, Im2colWideMode::W).check(), Ok(()));
}

#[test]
fn map_address_is_aligned_to_64() {
    assert_eq!(TensorMap::check_address(128), Ok(()));
    assert_eq!(fields(TensorMap::check_address(32)), [TensorMapField::MapAddress]);
}

#[test]
fn rank() {
    let of_rank = |rank: usize| TensorMap {
        global_dim: vec![64; rank],
        global_strides: vec![128; rank.saturating_sub(1)],
        element_strides: vec![1; rank],
        mode: BoxMode::Tiled {
            box_dim: [64, 8, 8, 4, 4, 1][..rank].to_vec(),
        },
        ..tiled()
    };
    for rank in 1..=5 {
        assert_eq!(of_rank(rank).check(), Ok(()), "{rank}");
    }
    for rank in [0, 6] {
        assert_eq!(fields(of_rank(rank).check()), [TensorMapField::Rank]);
    }
    let two = |map: &mut TensorMap| {
        map.global_dim.pop();
        map.global_strides.pop();
        map.element_strides.pop();
        map.mode = BoxMode::Tiled { box_dim: vec![16, 8] };
    };
    assert_eq!(after(interleaved(), two), [TensorMapField::Rank]);
    let flat = |map: &mut TensorMap| {
        map.global_dim.truncate(2);
        map.global_strides.truncate(1);
        map.element_strides.truncate(2);
        if let BoxMode::Im2col {
            lower_corner,
            upper_corner,
            ..
        } = &mut map.mode
        {
            lower_corner.clear();
            upper_corner.clear();
        }
    };
    assert_eq!(after(corners(3, 0), flat), [TensorMapField::Rank]);
}

#[test]
fn list_lengths() {
    assert_eq!(
        after(tiled(), |map| map.global_strides.push(16)),
        [TensorMapField::StrideCount]
    );
    assert_eq!(
        after(tiled(), |map| map.element_strides.push(1)),
        [TensorMapField::ElementStrideCount]
    );
    assert_eq!(
        after(tiled(), |map| map.mode = BoxMode::Tiled { box_dim: vec![64] }),
        [TensorMapField::BoxDimCount]
    );
    let short = |map: &mut TensorMap| {
        if let BoxMode::Im2col { lower_corner, .. } = &mut map.mode {
            lower_corner.pop();
        }
    };
    assert_eq!(after(corners(4, 0), short), [TensorMapField::CornerCount]);
}

#[test]
fn global_address() {
    let address = |map, address| after(map, |map| map.global_address = address);
    assert_eq!(address(tiled(), 16), []);
    assert_eq!(address(tiled(), 8), [TensorMapField::GlobalAddress]);
    assert_eq!(address(tiled(), (1 << 57) - 16), []);
    assert_eq!(address(tiled(), 1 << 57), [TensorMapField::GlobalAddress]);
    for map in [
        interleaved(),
        packed(DataType::U4x16Align16),
        packed(DataType::U6x16Align16),
    ] {
        assert_eq!(address(map.clone(), 32), []);
        assert_eq!(address(map, 16), [TensorMapField::GlobalAddress]);
    }
}

#[test]
fn global_dim() {
    let dim = |map, index: usize, size| after(map, |map: &mut TensorMap| map.global_dim[index] = size);
    for index in 0..2 {
        for (size, legal) in [(0, false), (1, true), (1 << 31, true), ((1 << 31) + 1, false)] {
            let expected = if legal {
                vec![]
            } else {
                vec![TensorMapField::GlobalDim(index)]
            };
            assert_eq!(dim(tiled(), index, size), expected, "{index} {size}");
        }
    }
    for data_type in [DataType::U4x16Align16, DataType::U6x16Align16] {
        assert_eq!(dim(packed(data_type), 0, 256), []);
        assert_eq!(dim(packed(data_type), 0, 192), [TensorMapField::GlobalDim(0)]);
    }
    let nibbles = TensorMap {
        data_type: DataType::U4x16Align8,
        ..tiled()
    };
    assert_eq!(dim(nibbles.clone(), 0, 62), []);
    assert_eq!(dim(nibbles, 0, 63), [TensorMapField::GlobalDim(0)]);
}

#[test]
fn global_strides() {
    let stride = |map, stride| after(map, |map: &mut TensorMap| map.global_strides[0] = stride);
    assert_eq!(stride(tiled(), (1 << 40) - 16), []);
    assert_eq!(stride(tiled(), 1 << 40), [TensorMapField::GlobalStride(0)]);
    assert_eq!(stride(tiled(), 48), []);
    assert_eq!(stride(tiled(), 8200), [TensorMapField::GlobalStride(0)]);
    for map in [
        interleaved(),
        packed(DataType::U4x16Align16),
        packed(DataType::U6x16Align16),
    ] {
        assert_eq!(stride(map.clone(), 96), []);
        assert_eq!(stride(map, 48), [TensorMapField::GlobalStride(0)]);
    }
    // Both at once.
    let both = stride(tiled(), (1 << 40) + 1);
    assert_eq!(both, [TensorMapField::GlobalStride(0); 2]);
}

#[test]
fn box_dimensions() {
    let extent = |map, index, extent| after(map, |map| box_dim(map, index, extent));
    for (size, legal) in [(0, false), (1, true), (256, true), (257, false)] {
        let expected = if legal {
            vec![]
        } else {
            vec![TensorMapField::BoxDim(1)]
        };
        assert_eq!(extent(tiled(), 1, size), expected);
    }
    assert_eq!(extent(tiled(), 0, 8), []);
    assert_eq!(extent(tiled(), 0, 12), [TensorMapField::BoxRowBits]);
    // 16 bytes are 32 elements of four bits.
    let nibbles = TensorMap {
        data_type: DataType::U4x16Align8,
        ..tiled()
    };
    assert_eq!(extent(nibbles.clone(), 0, 32), []);
    assert_eq!(extent(nibbles, 0, 16), [TensorMapField::BoxRowBits]);
    assert_eq!(extent(interleaved(), 0, 12), [TensorMapField::BoxRowBits]);
    for data_type in [DataType::U4x16Align16, DataType::U6x16Align16] {
        assert_eq!(extent(packed(data_type), 0, 64), [TensorMapField::BoxDim(0)]);
    }
}

#[test]
fn boxes_fit_the_shared_memory_of_a_multiprocessor() {
    let words = TensorMap {
        data_type: DataType::F32,
        global_strides: vec![4 * 4096],
        swizzle: SwizzleMode::None,
        ..tiled()
    };
    let rows = |rows, step| {
        after(words.clone(), |map| {
            box_dim(map, 0, 256);
            box_dim(map, 1, rows);
            map.element_strides = vec![2, step];
        })
    };
    // 228 rows of 1024 bytes are all there is; every other row of 256 is less. The first step has no effect.
    assert_eq!(rows(228, 1), []);
    assert_eq!(rows(229, 1), [TensorMapField::BoxBytes]);
    assert_eq!(rows(256, 2), []);
}

#[test]
fn box_rows_fit_the_swizzle() {
    for swizzle in SwizzleMode::ALL {
        let map = TensorMap { swizzle, ..tiled() };
        let widest = match swizzle {
            SwizzleMode::None => 256,
            SwizzleMode::B32 => 16,
            SwizzleMode::B64 => 32,
            _ => 64,
        };
        assert_eq!(after(map.clone(), |map| box_dim(map, 0, widest)), []);
        if swizzle != SwizzleMode::None {
            let beyond = after(map, |map| box_dim(map, 0, widest + 8));
            assert_eq!(beyond, [TensorMapField::BoxRowBytes]);
        }
    }
    // With interleaving there is no such rule.
    let sixteen = |map: &mut TensorMap| {
        map.interleave = Interleave::B16;
        box_dim(map, 0, 64);
    };
    assert_eq!(after(interleaved(), sixteen), []);
}

#[test]
fn element_strides() {
    let step = |map, index, step| after(map, |map: &mut TensorMap| map.element_strides[index] = step);
    for (stride, legal) in [(0, false), (1, true), (8, true), (9, false)] {
        let expected = |index| {
            if legal {
                vec![]
            } else {
                vec![TensorMapField::ElementStride(index)]
            }
        };
        assert_eq!(step(tiled(), 1, stride), expected(1));
        assert_eq!(step(tiled(), 0, stride), expected(0));
        assert_eq!(step(interleaved(), 0, stride), expected(0));
    }
}

#[test]
fn interleave_and_swizzle_agree() {
    for swizzle in SwizzleMode::ALL {
        let expected = if swizzle == SwizzleMode::B32 {
            vec![]
        } else {
            vec![TensorMapField::Swizzle]
        };
        assert_eq!(after(interleaved(), |map| map.swizzle = swizzle), expected);
        let sixteen = |map: &mut TensorMap| {
            map.interleave = Interleave::B16;
            map.swizzle = swizzle;
        };
        assert_eq!(after(interleaved(), sixteen), []);
    }
    let six = |map: &mut TensorMap| {
        map.data_type = DataType::U6x16Align16;
        map.global_dim[0] = 128;
        map.swizzle = SwizzleMode::None;
        map.interleave = Interleave::B16;
        box_dim(map, 0, 128);
    };
    assert_eq!(after(interleaved(), six), [TensorMapField::Interleave]);
}

#[test]
fn packed_types_have_few_swizzles() {
    use SwizzleMode::{B128, B128Atom32, B128Atom64, None};
    for swizzle in SwizzleMode::ALL {
        let six = after(packed(DataType::U6x16Align16), |map| map.swizzle = swizzle);
        let legal = [None, B128, B128Atom32, B128Atom64].contains(&swizzle);
        assert_eq!(!six.contains(&TensorMapField::Swizzle), legal, "{swizzle}");
        let four = after(packed(DataType::U4x16Align16), |map| map.swizzle = swizzle);
        let legal = [None, B128, B128Atom32].contains(&swizzle);
        assert_eq!(!four.contains(&TensorMapField::Swizzle), legal, "{swizzle}");
    }
}

#[test]
fn fill_is_for_floating_point() {
    for data_type in DataType::ALL {
        let mut map = if data_type.has_gaps() {
            packed(data_type)
        } else {
            tiled()
        };
        map.data_type = data_type;
        map.oob_fill = OobFill::NanRequestZeroFma;
        let float = data_type.name().contains("FLOAT");
        assert_eq!(!fields(map.check()).contains(&TensorMapField::OobFill), float);
    }
}

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
    // Its end is a signed number of 32 bits.
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
    // Interleaved tensors begin with W.
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

#[test]
fn everything_wrong_is_reported_at_once() {
    let map = TensorMap {
        data_type: DataType::U8,
        global_address: 1,
        global_dim: vec![0, 1 << 32],
        global_strides: vec![17],
        element_strides: vec![0, 0],
        interleave: Interleave::None,
        swizzle: SwizzleMode::B32,
        l2_promotion: L2Promotion::B256,
        oob_fill: OobFill::NanRequestZeroFma,
        mode: BoxMode::Tiled { box_dim: vec![40, 0] },
    };
    let found = map.check().unwrap_err();
    assert_eq!(
        found.iter().map(|one| one.field).collect::<Vec<_>>(),
        [
            TensorMapField::GlobalAddress,
            TensorMapField::GlobalDim(0),
            TensorMapField::GlobalDim(1),
            TensorMapField::GlobalStride(0),
            TensorMapField::ElementStride(0),
            TensorMapField::ElementStride(1),
            TensorMapField::BoxDim(1),
            TensorMapField::BoxRowBits,
            TensorMapField::BoxRowBytes,
            TensorMapField::OobFill,
        ]
    );
    assert_eq!(found.to_string().lines().count(), 10);
    assert_eq!(
        found[3].to_string(),
        "globalStrides[0] is 17; it has to be a multiple of 16 \
         (CUDA driver API, cuTensorMapEncodeTiled, globalStrides)"
    );
}

#[test]
fn tiles_of_strided_tensors() {
    let new = |shape: &[u64], strides: &[u64], tile: &[u32]| {
        TiledTensor::new(DataType::F16, 0, shape, strides, tile, SwizzleMode::None)
    };
    // Column major: the first mode is the contiguous one.
    let column = new(&[256, 512], &[1, 256], &[64, 8]).unwrap();
    assert_eq!(column.modes, [0, 1]);
    assert_eq!(column.map.global_strides, [512]);
    // Modes of size 1 vanish, whatever their stride.
    let unit = new(&[1, 256, 1, 512], &[7, 512, 3, 1], &[1, 8, 1, 64]).unwrap();
    assert_eq!(unit.modes, [3, 1]);
    assert_eq!(unit.map.global_dim, [512, 256]);
    // Six modes of size 2 are too many.
    let many = new(
        &[16, 2, 2, 2, 2, 2],
        &[1, 16, 32, 64, 128, 256],
        &[16, 1, 1, 1, 1, 1],
    );
    assert_eq!(many.unwrap_err()[0].field, TensorMapField::Rank);
    // No contiguous mode.
    let strided = new(&[256, 512], &[2, 512], &[64, 8]).unwrap_err();
    assert_eq!(strided[0].field, TensorMapField::InnerStride);
    assert_eq!(strided[0].value, Value::Number(2));
    // Half a byte of stride.
    let odd = TiledTensor::new(
        DataType::U4x16Align8,
        0,
        &[64, 4],
        &[1, 65],
        &[64, 1],
        SwizzleMode::None,
    );
    let found = odd.unwrap_err();
    assert!(found[0].to_string().contains("whole number of bytes"));
    // Lists of different length.
    assert_eq!(
        new(&[4], &[], &[4]).unwrap_err()[0].field,
        TensorMapField::StrideCount
    );
    assert_eq!(
        new(&[4], &[1], &[]).unwrap_err()[0].field,
        TensorMapField::BoxDimCount
    );
}

proptest! {
    /// What comes out addresses the same elements: for each coordinate, the byte the map computes is the
    /// byte of the strided tensor.
    #[test]
    fn tiled_tensors_address_the_same_elements(
        sizes in prop::collection::vec(1u64..6, 1..5),
        order in Just(()).prop_perturb(|(), mut rng| rng.random::<u64>()),
        coordinate in prop::collection::vec(0u64..6, 5),
    ) {
        let rank = sizes.len();
        let mut modes: Vec<usize> = (0..rank).collect();
        modes.sort_by_key(|mode| order.rotate_left(*mode as u32 * 13) & 0xffff);
        let mut strides = vec![0; rank];
        let mut next = 1;
        for mode in &modes {
            strides[*mode] = next;
            next = (next * sizes[*mode]).div_ceil(16) * 16;
        }
        let mut tile = vec![1; rank];
        tile[modes[0]] = 16;
        let tensor = TiledTensor::new(DataType::U8, 0, &sizes, &strides, &tile, SwizzleMode::None);
        let tensor = tensor.unwrap();
        let at: Vec<u64> = sizes.iter().zip(&coordinate).map(|(size, c)| c % size).collect();
        let wanted: u64 = at.iter().zip(&strides).map(|(c, stride)| c * stride).sum();
        let bytes = std::iter::once(1).chain(tensor.map.global_strides.iter().copied());
        let found: u64 = tensor.modes.iter().zip(bytes).map(|(mode, stride)| at[*mode] * stride).sum();
        prop_assert_eq!(found, wanted);
        prop_assert!(tensor.map.global_strides.is_sorted());
        prop_assert_eq!(tensor.map.check(), Ok(()));
    }
}

fn bulk() -> BulkCopy {
    BulkCopy {
        target: Target::Sm90a,
        direction: Direction::GlobalToShared,
        source: 16,
        destination: 32,
        size: 4096,
        barrier: 8,
    }
}

#[test]
fn bulk_copies() {
    let wrong = |change: &dyn Fn(&mut BulkCopy)| {
        let mut copy = bulk();
        change(&mut copy);
        fields(copy.check())
    };
    assert_eq!(wrong(&|_| {}), []);
    assert_eq!(wrong(&|copy| copy.size = 8), [BulkCopyField::Size]);
    assert_eq!(wrong(&|copy| copy.source = 8), [BulkCopyField::Source]);
    assert_eq!(wrong(&|copy| copy.destination = 24), [BulkCopyField::Destination]);
    assert_eq!(wrong(&|copy| copy.barrier = 4), [BulkCopyField::Barrier]);
    assert_eq!(wrong(&|copy| copy.target = Target::Sm80), [BulkCopyField::Target]);
    assert_eq!(wrong(&|copy| copy.size = (1 << 20) - 16), []);
    assert_eq!(wrong(&|copy| copy.size = 1 << 20), [BulkCopyField::TxCount]);
    // Nothing counts the bytes of a store.
    let store = |copy: &mut BulkCopy| {
        copy.direction = Direction::SharedToGlobal;
        copy.barrier = 4;
        copy.size = 1 << 20;
    };
    assert_eq!(wrong(&store), []);
}

fn copied<'a>(map: &'a TensorMap, mode: LoadMode, direction: Direction) -> TensorCopy<'a> {
    let coordinates = match mode {
        LoadMode::Gather4 | LoadMode::Scatter4 => 5,
        _ => map.rank(),
    };
    TensorCopy {
        target: Target::Sm100a,
        direction,
        mode,
        map,
        coordinates: vec![0; coordinates],
        shared_address: 1024,
        barrier: 0,
    }
}

const LOAD: Direction = Direction::GlobalToShared;
const STORE: Direction = Direction::SharedToGlobal;

#[test]
fn tensor_copies_of_boxes() {
    let map = tiled();
    let copy = copied(&map, LoadMode::Tile, LOAD);
    assert_eq!(copy.check(), Ok(()));
    assert_eq!(copy.shared_bytes(), 128 * 64 * 2);
    let wrong = |change: &dyn Fn(&mut TensorCopy)| {
        let mut copy = copy.clone();
        change(&mut copy);
        fields(copy.check())
    };
    assert_eq!(wrong(&|copy| copy.target = Target::Sm80), [BulkCopyField::Target]);
    assert_eq!(
        wrong(&|copy| copy.shared_address = 64),
        [BulkCopyField::SharedAddress]
    );
    assert_eq!(wrong(&|copy| copy.barrier = 4), [BulkCopyField::Barrier]);
    assert_eq!(
        wrong(&|copy| copy.coordinates.push(0)),
        [BulkCopyField::CoordinateCount]
    );
    assert_eq!(
        wrong(&|copy| copy.direction = Direction::SharedToCluster),
        [BulkCopyField::Direction]
    );
    assert_eq!(
        wrong(&|copy| copy.mode = LoadMode::Im2colWide { halo: 0, offset: 0 }),
        [BulkCopyField::LoadMode]
    );
    // Loads may begin before the tensor, stores may not.
    assert_eq!(wrong(&|copy| copy.coordinates[1] = -1), []);
    let before = |copy: &mut TensorCopy| {
        copy.direction = STORE;
        copy.coordinates[1] = -1;
    };
    assert_eq!(wrong(&before), [BulkCopyField::Coordinate(1)]);
}

#[test]
fn boxes_of_more_bytes_than_a_barrier_counts() {
    let map = TensorMap {
        global_dim: vec![256; 3],
        global_strides: vec![512, 512 * 256],
        element_strides: vec![1, 1, 1],
        swizzle: SwizzleMode::None,
        mode: BoxMode::Tiled {
            box_dim: vec![256, 256, 8],
        },
        ..tiled()
    };
    assert_eq!(
        fields(copied(&map, LoadMode::Tile, LOAD).check()),
        [BulkCopyField::TxCount]
    );
    assert_eq!(fields(copied(&map, LoadMode::Tile, STORE).check()), []);
    // Every other element along one dimension: half of it.
    let map = TensorMap {
        element_strides: vec![1, 1, 2],
        ..map
    };
    assert_eq!(fields(copied(&map, LoadMode::Tile, LOAD).check()), []);
}

#[test]
fn gather_and_scatter() {
    let map = TensorMap {
        mode: BoxMode::Tiled { box_dim: vec![64, 1] },
        ..tiled()
    };
    assert_eq!(copied(&map, LoadMode::Gather4, LOAD).check(), Ok(()));
    assert_eq!(copied(&map, LoadMode::Gather4, LOAD).shared_bytes(), 4 * 128);
    assert_eq!(copied(&map, LoadMode::Scatter4, STORE).check(), Ok(()));
    assert_eq!(
        fields(copied(&map, LoadMode::Gather4, STORE).check()),
        [BulkCopyField::LoadMode]
    );
    assert_eq!(
        fields(copied(&map, LoadMode::Scatter4, LOAD).check()),
        [BulkCopyField::LoadMode]
    );
    let mut four = copied(&map, LoadMode::Gather4, LOAD);
    four.coordinates.pop();
    assert_eq!(fields(four.check()), [BulkCopyField::CoordinateCount]);
    let mut hopper = copied(&map, LoadMode::Gather4, LOAD);
    hopper.target = Target::Sm90a;
    assert_eq!(fields(hopper.check()), [BulkCopyField::LoadMode]);
    assert_eq!(
        fields(copied(&tiled(), LoadMode::Gather4, LOAD).check()),
        [BulkCopyField::BoxRows]
    );
    let slices = interleaved();
    let found = fields(copied(&slices, LoadMode::Gather4, LOAD).check());
    assert_eq!(
        found,
        [
            BulkCopyField::Rank,
            BulkCopyField::BoxRows,
            BulkCopyField::Interleave
        ]
    );
}

#[test]
fn im2col_offsets() {
    for (rank, max) in [(3, u16::MAX), (4, 255), (5, 31)] {
        let map = corners(rank, 0);
        let mode = |offset| LoadMode::Im2col {
            offsets: vec![offset; rank - 2],
        };
        assert_eq!(copied(&map, mode(max), LOAD).check(), Ok(()));
        if max < u16::MAX {
            let found = fields(copied(&map, mode(max + 1), LOAD).check());
            assert_eq!(found.len(), rank - 2);
        }
        // Stores have none.
        assert_eq!(
            copied(&map, LoadMode::Im2col { offsets: vec![] }, STORE).check(),
            Ok(())
        );
        let found = fields(copied(&map, mode(0), STORE).check());
        assert_eq!(found, [BulkCopyField::OffsetCount]);
    }
    // The box of a store stays within the tensor.
    let lower = corners(3, -1);
    let none = LoadMode::Im2col { offsets: vec![] };
    assert_eq!(
        fields(copied(&lower, none.clone(), STORE).check()),
        [BulkCopyField::LowerCorner(0)]
    );
    let upper = corners(3, 1);
    assert_eq!(
        fields(copied(&upper, none, STORE).check()),
        [BulkCopyField::UpperCorner(0)]
    );
}

#[test]
fn im2col_wide_copies() {
    let load = |mode, halo, offset| {
        let map = wide(SwizzleMode::B128, 64, mode);
        fields(copied(&map, LoadMode::Im2colWide { halo, offset }, LOAD).check())
    };
    assert_eq!(load(Im2colWideMode::W, 511, 31), []);
    assert_eq!(load(Im2colWideMode::W, 512, 31), [BulkCopyField::Halo]);
    assert_eq!(load(Im2colWideMode::W, 0, 32), [BulkCopyField::Offset(0)]);
    assert_eq!(load(Im2colWideMode::W128, 31, 0), []);
    assert_eq!(load(Im2colWideMode::W128, 32, 0), [BulkCopyField::Halo]);
}

#[test]
fn packed_copies() {
    let (four, six) = (packed(DataType::U4x16Align16), packed(DataType::U6x16Align16));
    let at = |map, direction, first, target| {
        let mut copy = copied(map, LoadMode::Tile, direction);
        copy.coordinates[0] = first;
        copy.target = target;
        fields(copy.check())
    };
    assert_eq!(at(&four, LOAD, 128, Target::Sm100a), []);
    assert_eq!(
        at(&four, LOAD, 64, Target::Sm100a),
        [BulkCopyField::Coordinate(0)]
    );
    assert_eq!(at(&four, STORE, 128, Target::Sm100a), [BulkCopyField::DataType]);
    assert_eq!(
        at(&six, STORE, 64, Target::Sm100a),
        [BulkCopyField::Coordinate(0)]
    );
    assert_eq!(at(&six, STORE, 64, Target::Sm103a), []);
    assert_eq!(
        at(&six, STORE, 32, Target::Sm103a),
        [BulkCopyField::Coordinate(0)]
    );
    assert_eq!(at(&six, LOAD, 64, Target::Sm103a), [BulkCopyField::Coordinate(0)]);
    assert_eq!(at(&six, LOAD, 0, Target::Sm90a), [BulkCopyField::DataType]);
    let cluster = Direction::GlobalToCluster;
    assert_eq!(at(&six, cluster, 0, Target::Sm120a), [BulkCopyField::DataType]);
    assert_eq!(at(&six, LOAD, 0, Target::Sm120a), []);
    let coarse = TensorMap {
        swizzle: SwizzleMode::B128Atom64,
        ..packed(DataType::U6x16Align16)
    };
    assert_eq!(at(&coarse, LOAD, 0, Target::Sm100a), [BulkCopyField::Swizzle]);
    assert_eq!(at(&coarse, STORE, 0, Target::Sm100a), []);
    let flip = TensorMap {
        swizzle: SwizzleMode::B128Atom32Flip8,
        ..tiled()
    };
    assert_eq!(at(&flip, LOAD, 0, Target::Sm100a), []);
    assert_eq!(at(&flip, STORE, 0, Target::Sm100a), [BulkCopyField::Swizzle]);
    let wide_chunks = TensorMap {
        swizzle: SwizzleMode::B128Atom32,
        ..tiled()
    };
    assert_eq!(
        at(&wide_chunks, cluster, 0, Target::Sm120a),
        [BulkCopyField::Swizzle]
    );
}

#[test]
fn barriers() {
    let barrier = |address, arrivals| fields(Barrier { address, arrivals }.check());
    assert_eq!(barrier(8, 1), []);
    assert_eq!(barrier(8, (1 << 20) - 1), []);
    assert_eq!(barrier(8, 0), [BarrierField::ExpectedArrivals]);
    assert_eq!(barrier(8, 1 << 20), [BarrierField::ExpectedArrivals]);
    assert_eq!(barrier(12, 1), [BarrierField::Address]);
    let one = Barrier {
        address: 0,
        arrivals: 1,
    };
    for (pending, legal) in [(0, true), ((1 << 20) - 1, true), (1 << 20, false)] {
        assert_eq!(one.check_pending(pending).is_ok(), legal);
    }
    for (count, legal) in [
        (-(1 << 20), false),
        (1 - (1 << 20), true),
        ((1 << 20) - 1, true),
        (1 << 20, false),
    ] {
        assert_eq!(one.check_tx_count(count).is_ok(), legal, "{count}");
    }
    use BarrierOperation::{Arrive, ArriveDrop, ArriveWithState, CompleteTx, ExpectTx, Init};
    use BarrierOperation::{Invalidate, TestWait, TryWait};
    for operation in [Arrive, ArriveDrop, CompleteTx, ExpectTx] {
        assert_eq!(operation.check(BarrierSpace::Cluster), Ok(()));
    }
    for operation in [ArriveWithState, Init, Invalidate, TestWait, TryWait] {
        assert_eq!(operation.check(BarrierSpace::Cta), Ok(()));
        assert_eq!(
            fields(operation.check(BarrierSpace::Cluster)),
            [BarrierField::Operation]
        );
    }
}

#[test]
fn tensor_memory_columns() {
    for columns in 0..=1100 {
        let legal = [32, 64, 128, 256, 512].contains(&columns);
        assert_eq!(Allocation { columns }.check().is_ok(), legal, "{columns}");
        let smallest = [32, 64, 128, 256, 512]
            .into_iter()
            .find(|found| *found >= columns);
        assert_eq!(
            Allocation::for_columns(columns).map(|found| found.columns),
            smallest
        );
    }
    assert_eq!(Allocation::for_columns(u32::MAX), None);
}

#[test]
fn tensor_memory_lives() {
    use AllocationEvent::{Alloc, Dealloc, Relinquish};
    let of = |columns| Alloc(Allocation { columns });
    let check = |events: &[AllocationEvent]| fields(check_allocations(events));
    assert_eq!(check(&[]), []);
    assert_eq!(check(&[of(256), of(256), Relinquish, Dealloc(0), Dealloc(1)]), []);
    assert_eq!(check(&[of(512), Dealloc(0), of(512), Dealloc(1)]), []);
    assert_eq!(check(&[of(32)]), [TensorMemoryField::Allocation]);
    assert_eq!(
        check(&[of(32), Dealloc(0), Dealloc(0)]),
        [TensorMemoryField::Allocation]
    );
    assert_eq!(check(&[Dealloc(0)]), [TensorMemoryField::Allocation]);
    assert_eq!(
        check(&[Relinquish, of(32), Dealloc(0)]),
        [TensorMemoryField::Allocation]
    );
    assert_eq!(
        check(&[of(32), of(64), Dealloc(0), Dealloc(1)]),
        [TensorMemoryField::Columns]
    );
    assert_eq!(
        check(&[of(512), of(32), Dealloc(0), Dealloc(1)]),
        [TensorMemoryField::LiveColumns]
    );
}

#[test]
fn tensor_memory_lanes() {
    for warp in 0..8 {
        for lane in (0..160).step_by(16) {
            let address = TensorMemoryAddress { lane, column: 0 };
            for lanes in [16, 32] {
                let access = TensorMemoryAccess {
                    warp,
                    address,
                    lanes,
                    columns: 1,
                };
                let first = (warp % 4) * 32;
                let legal = u32::from(lane) >= first && u32::from(lane) + lanes <= first + 32;
                assert_eq!(access.check().is_ok(), legal, "{access:?}");
            }
        }
    }
    let columns = |column, columns| {
        let address = TensorMemoryAddress { lane: 0, column };
        fields(
            TensorMemoryAccess {
                warp: 0,
                address,
                lanes: 32,
                columns,
            }
            .check(),
        )
    };
    assert_eq!(columns(511, 1), []);
    assert_eq!(columns(511, 2), [TensorMemoryField::ColumnEnd]);
    assert_eq!(columns(512, 0), [TensorMemoryField::Column]);
    assert!(TensorMemoryAddress { lane: 96, column: 8 }.check_shift().is_ok());
    assert!(TensorMemoryAddress { lane: 16, column: 8 }.check_shift().is_err());
}

const PLAIN: OperandPlace = OperandPlace::Shared {
    major: Major::K,
    swizzle: SwizzleMode::B128,
};

fn wgmma(input: WgmmaInput) -> Wgmma {
    let d_type = if input.is_integer() {
        WgmmaAccumulator::S32
    } else {
        WgmmaAccumulator::F32
    };
    Wgmma {
        m: 64,
        n: 64,
        k: Wgmma::k_of(input, false),
        sparse: false,
        a_type: input,
        b_type: input,
        d_type,
        a: PLAIN,
        b: PLAIN,
    }
}

#[test]
fn wgmma_shapes() {
    let ks = [16, 16, 8, 32, 32, 32, 32, 256];
    for (input, k) in WgmmaInput::ALL.into_iter().zip(ks) {
        let legal = wgmma(input);
        assert_eq!(legal.k, k);
        assert_eq!(legal.check(), Ok(()), "{input:?}");
        assert_eq!(fields(Wgmma { m: 128, ..legal }.check()), [MatrixField::M]);
        assert_eq!(fields(Wgmma { k: k * 2, ..legal }.check()), [MatrixField::K]);
        for n in 0..=272 {
            // The list of the PTX ISA, written out.
            let short = [8, 16, 24, 32];
            let listed = if input.is_integer() {
                short.contains(&n) || (48..=256).step_by(16).any(|listed| listed == n)
            } else {
                (8..=256).step_by(8).any(|listed| listed == n)
            };
            assert_eq!(Wgmma { n, ..legal }.check().is_ok(), listed, "{input:?} {n}");
        }
        let sparse = Wgmma {
            sparse: true,
            k: k * 2,
            ..legal
        };
        assert_eq!(sparse.check().is_ok(), input != WgmmaInput::B1);
    }
}

#[test]
fn wgmma_operands() {
    for input in WgmmaInput::ALL {
        for major in [Major::K, Major::Mn] {
            for swizzle in SwizzleMode::ALL {
                let operand = OperandPlace::Shared { major, swizzle };
                let transposes = [WgmmaInput::F16, WgmmaInput::BF16].contains(&input);
                let legal = (major == Major::K || transposes) && swizzle.atom().0 == 16;
                let one = Wgmma {
                    a: operand,
                    ..wgmma(input)
                };
                assert_eq!(one.check().is_ok(), legal, "{input:?} {major} {swizzle}");
                let other = Wgmma {
                    b: operand,
                    ..wgmma(input)
                };
                assert_eq!(other.check().is_ok(), legal);
            }
        }
        let registers = Wgmma {
            a: OperandPlace::Fragment,
            ..wgmma(input)
        };
        assert_eq!(registers.check(), Ok(()));
        let wrong = Wgmma {
            b: OperandPlace::Fragment,
            ..wgmma(input)
        };
        assert_eq!(fields(wrong.check()), [MatrixField::PlaceB]);
    }
}

#[test]
fn wgmma_types() {
    use WgmmaAccumulator::{F16, F32, S32};
    // Each row of the table: A, B and every D.
    for a_type in WgmmaInput::ALL {
        for b_type in WgmmaInput::ALL {
            for d_type in [F16, F32, S32] {
                let byte_floats = [WgmmaInput::E4M3, WgmmaInput::E5M2];
                let legal = match a_type {
                    WgmmaInput::U8 | WgmmaInput::S8 | WgmmaInput::B1 => b_type == a_type && d_type == S32,
                    WgmmaInput::F16 => b_type == a_type && d_type != S32,
                    WgmmaInput::BF16 | WgmmaInput::TF32 => b_type == a_type && d_type == F32,
                    WgmmaInput::E4M3 | WgmmaInput::E5M2 => byte_floats.contains(&b_type) && d_type != S32,
                };
                let one = Wgmma {
                    b_type,
                    d_type,
                    ..wgmma(a_type)
                };
                assert_eq!(one.check().is_ok(), legal, "{a_type:?} {b_type:?} {d_type:?}");
            }
        }
    }
}

fn mma(kind: Tcgen05Kind) -> Tcgen05Mma {
    Tcgen05Mma {
        target: Target::Sm100a,
        kind,
        cta_group: CtaGroup::One,
        weight_stationary: false,
        sparse: false,
        m: 128,
        n: 128,
        k: kind.k(false),
        a: PLAIN,
        b: PLAIN,
        narrow: false,
    }
}

/// The rows of the table of shapes: M and N for a kind, a group, `.ws` and sparsity.
fn listed(one: &Tcgen05Mma) -> bool {
    use Tcgen05Kind::{I8, Mxf4, Mxf4nvf4, Mxf8f6f4};
    let scaled = matches!(one.kind, Mxf8f6f4 | Mxf4 | Mxf4nvf4);
    let pair = one.cta_group == CtaGroup::Two;
    if one.weight_stationary {
        let ns: &[u32] = if one.sparse { &[64, 128] } else { &[64, 128, 256] };
        return !scaled && !pair && [32, 64, 128].contains(&one.m) && ns.contains(&one.n);
    }
    let ms: &[u32] = match (pair, scaled, one.sparse) {
        (false, false, _) => &[64, 128],
        (false, true, _) => &[128],
        (true, true, true) => &[256],
        (true, ..) => &[128, 256],
    };
    let n = one.n;
    let ns = match (one.kind, pair) {
        (I8, false) => [8, 16, 24, 32].contains(&n) || n.is_multiple_of(16) && (48..=256).contains(&n),
        (I8, true) => n.is_multiple_of(32) && (32..=256).contains(&n),
        (_, false) => n.is_multiple_of(8) && (8..=256).contains(&n),
        (_, true) => n.is_multiple_of(16) && (16..=256).contains(&n),
    };
    ms.contains(&one.m) && ns
}

#[test]
fn tcgen05_shapes() {
    let ks = [16, 8, 32, 32, 32, 64, 64];
    for (kind, k) in Tcgen05Kind::ALL.into_iter().zip(ks) {
        for (cta_group, weight_stationary, sparse) in [CtaGroup::One, CtaGroup::Two]
            .into_iter()
            .flat_map(|group| [(group, false), (group, true)])
            .flat_map(|(group, ws)| [(group, ws, false), (group, ws, true)])
        {
            let k = if sparse { 2 * k } else { k };
            let base = Tcgen05Mma {
                cta_group,
                weight_stationary,
                sparse,
                k,
                ..mma(kind)
            };
            for m in [16, 32, 64, 96, 128, 192, 256, 512] {
                for n in 0..=264 {
                    let one = Tcgen05Mma { m, n, ..base };
                    assert_eq!(one.check().is_ok(), listed(&one), "{one:?}");
                }
            }
        }
        assert_eq!(
            fields(
                Tcgen05Mma {
                    k: k + 8,
                    ..mma(kind)
                }
                .check()
            ),
            [MatrixField::K]
        );
    }
    // K of 96 on one target, for four bits, in a pair.
    let wide = Tcgen05Mma {
        target: Target::Sm103a,
        cta_group: CtaGroup::Two,
        m: 256,
        k: 96,
        ..mma(Tcgen05Kind::Mxf4)
    };
    assert_eq!(wide.check(), Ok(()));
    assert_eq!(
        fields(
            Tcgen05Mma {
                target: Target::Sm100a,
                ..wide
            }
            .check()
        ),
        [MatrixField::K]
    );
    assert_eq!(fields(Tcgen05Mma { m: 128, ..wide }.check()), [MatrixField::K]);
    let hopper = Tcgen05Mma {
        target: Target::Sm90a,
        ..mma(Tcgen05Kind::F16)
    };
    assert_eq!(fields(hopper.check()), [MatrixField::Target]);
}

#[test]
fn tcgen05_operands() {
    for kind in Tcgen05Kind::ALL {
        for major in [Major::K, Major::Mn] {
            for swizzle in SwizzleMode::ALL {
                let operand = OperandPlace::Shared { major, swizzle };
                let sixteen = swizzle.atom().0 == 16;
                let legal = match (kind, major) {
                    (_, Major::K) => sixteen,
                    (Tcgen05Kind::Tf32, Major::Mn) => swizzle == SwizzleMode::B128Atom32,
                    (Tcgen05Kind::Mxf4 | Tcgen05Kind::Mxf4nvf4, Major::Mn) => false,
                    (_, Major::Mn) => sixteen,
                };
                let one = Tcgen05Mma {
                    a: operand,
                    ..mma(kind)
                };
                assert_eq!(one.check().is_ok(), legal, "{kind:?} {major} {swizzle}");
                let one = Tcgen05Mma {
                    b: operand,
                    ..mma(kind)
                };
                assert_eq!(one.check().is_ok(), legal, "{kind:?} {major} {swizzle}");
            }
        }
    }
    // Eight bits, B transposed: N in steps of 16, and of 32 for a pair.
    let b = OperandPlace::Shared {
        major: Major::Mn,
        swizzle: SwizzleMode::B64,
    };
    let bytes = Tcgen05Mma {
        b,
        ..mma(Tcgen05Kind::F8f6f4)
    };
    assert_eq!(fields(Tcgen05Mma { n: 48, ..bytes }.check()), []);
    assert_eq!(fields(Tcgen05Mma { n: 40, ..bytes }.check()), [MatrixField::N]);
    let pair = Tcgen05Mma {
        cta_group: CtaGroup::Two,
        ..bytes
    };
    assert_eq!(fields(Tcgen05Mma { n: 64, ..pair }.check()), []);
    assert_eq!(fields(Tcgen05Mma { n: 48, ..pair }.check()), [MatrixField::N]);
    assert_eq!(
        fields(
            Tcgen05Mma {
                narrow: true,
                ..bytes
            }
            .check()
        ),
        [MatrixField::MajorB]
    );
}
