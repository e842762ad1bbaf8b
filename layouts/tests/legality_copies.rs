//! Every limit of bulk copies and of their barriers, at and beyond the boundary.

use tilewright_layouts::SwizzleMode;
use tilewright_layouts::legality::*;

use crate::tensor_maps::{corners, interleaved, packed, tiled, wide};
use crate::violations::fields;

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
    // A store has no barrier.
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
    // Loads may have negative coordinates, stores may not.
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
    // Every second element along one dimension: half of it.
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
        // Stores have no offsets.
        assert_eq!(
            copied(&map, LoadMode::Im2col { offsets: vec![] }, STORE).check(),
            Ok(())
        );
        let found = fields(copied(&map, mode(0), STORE).check());
        assert_eq!(found, [BulkCopyField::OffsetCount]);
    }
    // The box of a store is within the tensor.
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
