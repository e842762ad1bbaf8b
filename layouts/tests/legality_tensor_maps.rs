//! Every limit of tensor maps, at and beyond the boundary.

use proptest::prelude::*;
use tilewright_layouts::SwizzleMode;
use tilewright_layouts::legality::*;

use crate::tensor_maps::{after, box_dim, corners, interleaved, packed, tiled, wide};
use crate::violations::fields;

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
    // Both violations at once.
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
    // 228 rows of 1024 bytes are the limit; every second row of 256 is less. The first step has no
    // effect.
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
    // With interleaving the rule does not apply.
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
    // Modes of size 1 are removed, whatever their stride.
    let unit = new(&[1, 256, 1, 512], &[7, 512, 3, 1], &[1, 8, 1, 64]).unwrap();
    assert_eq!(unit.modes, [3, 1]);
    assert_eq!(unit.map.global_dim, [512, 256]);
    // Six modes of size 2 exceed the limit.
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
    // Lists of different lengths.
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
    /// The map addresses the same elements: for each coordinate, its byte address is that of the
    /// strided tensor.
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
