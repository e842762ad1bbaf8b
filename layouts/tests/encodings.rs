//! Slices and clusters against elementwise definitions, and inconsistent parameters.

use proptest::prelude::*;
use tilewright_layouts::distributed::{
    Cluster, Encoding, InCluster, InstructionTile, MmaOperand, MmaSync, MmaTile, Slice, WarpsAlong,
};
use tilewright_layouts::{Blocked, Dim, LayoutError, LinearLayout};

fn power(bits: std::ops::Range<u32>) -> impl Strategy<Value = u32> {
    bits.prop_map(|bits| 1 << bits)
}

/// A blocked encoding of this rank with a cluster, and a tile.
fn clustered() -> impl Strategy<Value = (InCluster<Blocked>, Vec<u32>)> {
    (1usize..4).prop_flat_map(|rank| {
        let each = |bits| prop::collection::vec(power(0..bits), rank);
        let order = || Just((0..rank).collect::<Vec<_>>()).prop_shuffle();
        let blocked = (each(3), each(3), each(2), order());
        let blocked = blocked.prop_map(
            |(size_per_thread, threads_per_warp, warps_per_cta, order)| Blocked {
                size_per_thread,
                threads_per_warp,
                warps_per_cta,
                order,
            },
        );
        let cluster = (each(3), each(3), order()).prop_map(|(ctas, splits, order)| Cluster {
            splits: ctas
                .iter()
                .zip(splits)
                .map(|(ctas, split)| split.min(*ctas))
                .collect(),
            ctas,
            order,
        });
        (cluster, blocked, each(6)).prop_map(|(cluster, cta, shape)| (InCluster { cluster, cta }, shape))
    })
}

fn mma() -> impl Strategy<Value = (MmaTile, Vec<u32>)> {
    let choice = (
        prop::sample::select(&MmaSync::ALL[..]),
        prop::sample::select(&MmaOperand::ALL[..]),
    );
    (choice, 2usize..4).prop_flat_map(|((instruction, operand), rank)| {
        let each = |bits| prop::collection::vec(power(0..bits), rank);
        let order = Just((0..rank).collect::<Vec<_>>()).prop_shuffle();
        (each(3), order, each(5)).prop_map(move |(warps_per_cta, order, shape)| {
            (
                MmaTile {
                    instruction,
                    operand,
                    warps_per_cta,
                    order,
                },
                shape,
            )
        })
    })
}

/// Sampled positions of each dimension: single bits suffice by linearity, and some sums verify it.
fn probes(size: u32) -> Vec<u32> {
    let bits = (0..size.ilog2()).map(|bit| 1 << bit);
    bits.chain([0, size - 1, size / 3]).collect()
}

proptest! {
    #[test]
    fn clusters_are_their_definition((encoding, shape) in clustered()) {
        let layout = encoding.to_linear(&shape).unwrap();
        let Cluster { ctas, splits, order } = &encoding.cluster;
        let rank = shape.len();
        let parts: Vec<u32> = (0..rank).map(|a| splits[a].min(shape[a])).collect();
        let part: Vec<u32> = (0..rank).map(|a| shape[a] / parts[a]).collect();
        let own = encoding.cta.to_linear(&part).unwrap();
        let blocks: u32 = ctas.iter().product();
        prop_assert_eq!(layout.in_size(Dim::Block), blocks);
        prop_assert!(layout.is_surjective());
        for block in 0..blocks {
            let mut rest = block;
            let mut which = vec![0; rank];
            for axis in order {
                which[*axis] = rest % ctas[*axis] % splits[*axis] % parts[*axis];
                rest /= ctas[*axis];
            }
            for warp in 0..own.in_size(Dim::Warp) {
                for lane in 0..own.in_size(Dim::Lane) {
                    for register in 0..own.in_size(Dim::Register) {
                        let inner = own.at(register, lane, warp, 0);
                        let expected: Vec<u32> =
                            (0..rank).map(|a| inner[a] + part[a] * which[a]).collect();
                        prop_assert_eq!(layout.at(register, lane, warp, block).to_vec(), expected);
                    }
                }
            }
        }
    }

    /// A thread of the slice holds exactly the rows of which it held elements, each once, in the
    /// order of its first register with that row.
    #[test]
    fn slices_hold_the_rows_of_their_parent(
        (parent, shape) in clustered(), axis in 0usize..3, extent in power(0..5),
    ) {
        check_slice(&parent, shape, axis, extent)?;
    }

    #[test]
    fn slices_of_matrices_hold_the_rows_of_their_parent(
        (parent, shape) in mma(), axis in 0usize..3, extent in power(0..6),
    ) {
        check_slice(&parent, shape, axis, extent)?;
    }

    #[test]
    fn slices_nest((parent, mut shape) in mma()) {
        let outer = Slice { parent: Slice { parent: &parent, axis: 1 }, axis: 0 };
        let swapped = Slice { parent: Slice { parent: &parent, axis: 0 }, axis: 0 };
        shape.drain(..2);
        prop_assert_eq!(outer.to_linear(&shape), swapped.to_linear(&shape));
    }
}

fn check_slice(
    parent: &dyn Encoding,
    mut shape: Vec<u32>,
    axis: usize,
    extent: u32,
) -> Result<(), TestCaseError> {
    let axis = axis % shape.len();
    shape[axis] = extent;
    let whole = parent.to_linear(&shape).unwrap();
    let mut rows = shape.clone();
    rows.remove(axis);
    let slice = Slice { parent, axis }.to_linear(&rows).unwrap();
    for dim in [Dim::Lane, Dim::Warp, Dim::Block] {
        prop_assert_eq!(slice.in_size(dim), whole.in_size(dim));
    }
    for block in probes(whole.in_size(Dim::Block)) {
        for warp in probes(whole.in_size(Dim::Warp)) {
            for lane in probes(whole.in_size(Dim::Lane)) {
                let mut expected: Vec<Vec<u32>> = Vec::new();
                for register in 0..whole.in_size(Dim::Register) {
                    let mut row = whole.at(register, lane, warp, block).to_vec();
                    row.remove(axis);
                    if !expected.contains(&row) {
                        expected.push(row);
                    }
                }
                let held: Vec<Vec<u32>> = (0..slice.in_size(Dim::Register))
                    .map(|register| slice.at(register, lane, warp, block).to_vec())
                    .collect();
                prop_assert_eq!(held, expected);
            }
        }
    }
    Ok(())
}

#[test]
fn a_single_cta_changes_nothing() {
    let cta = Blocked::coalesced(&[64, 32], 4, &[1, 0], 4).unwrap();
    let plain = cta.to_linear(&[64, 32]).unwrap();
    let cluster = Cluster::single(2);
    assert_eq!(InCluster { cluster, cta }.to_linear(&[64, 32]), Ok(plain));
}

/// The left multiplicand of a product over a cluster: CTAs along N share it.
#[test]
fn a_multiplicand_is_shared_along_the_axis_it_lacks() {
    let grid = Cluster {
        ctas: vec![2, 4],
        splits: vec![2, 4],
        order: vec![1, 0],
    };
    let cta = MmaTile {
        instruction: MmaSync::M16N8K16B16,
        operand: MmaOperand::A,
        warps_per_cta: vec![2, 2],
        order: vec![1, 0],
    };
    let layout = InCluster {
        cluster: grid.shared_along(1),
        cta,
    }
    .to_linear(&[128, 64])
    .unwrap();
    assert_eq!(layout.copy_mask(Dim::Block), 0b011);
    assert_eq!(*layout.at(0, 0, 0, 4), [64, 0]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let cluster = |ctas: &[u32], splits: &[u32]| Cluster {
        ctas: ctas.to_vec(),
        splits: splits.to_vec(),
        order: vec![1, 0],
    };
    let blocks = |ctas: &[u32], splits: &[u32]| cluster(ctas, splits).blocks(&[8, 8]);
    assert_eq!(
        blocks(&[2, 1], &[2, 2]),
        Err(LayoutError::SizeMismatch {
            dim: Dim::Block,
            found: 2,
            expected: 1
        })
    );
    assert_eq!(
        blocks(&[3, 1], &[1, 1]),
        Err(LayoutError::NotPowerOfTwo {
            dim: Dim::Block,
            size: 3
        })
    );
    assert_eq!(
        blocks(&[2], &[2]),
        Err(LayoutError::LengthMismatch {
            found: 1,
            expected: 2
        })
    );
    let mma = |warps: &[u32], order: &[usize]| {
        let tile = MmaTile {
            instruction: MmaSync::M16N8K8B32,
            operand: MmaOperand::B,
            warps_per_cta: warps.to_vec(),
            order: order.to_vec(),
        };
        tile.to_linear(&[8, 8])
    };
    assert!(mma(&[2, 2], &[1, 0]).is_ok());
    assert_eq!(
        mma(&[2], &[0]),
        Err(LayoutError::LengthMismatch {
            found: 1,
            expected: 2
        })
    );
    assert_eq!(mma(&[2, 2], &[1, 1]), Err(LayoutError::NotPermutation { len: 2 }));
    assert_eq!(mma(&[1; 9], &[0; 9]), Err(LayoutError::RankTooLarge { rank: 9 }));
    assert_eq!(
        mma(&[1, 1, 1], &[2, 1, 0]),
        Err(LayoutError::NotPermutation { len: 2 })
    );
    let one = LinearLayout::identity_1d(32, Dim::Lane, Dim::Axis(0)).unwrap();
    let tile = InstructionTile {
        fragment: one.clone(),
        warps: vec![WarpsAlong {
            axis: Some(1),
            count: 2,
        }],
        order: vec![0],
    };
    assert_eq!(
        tile.to_linear(&[64]),
        Err(LayoutError::MissingDim { dim: Dim::Axis(1) })
    );
    let tile = InstructionTile {
        fragment: one,
        warps: Vec::new(),
        order: vec![0],
    };
    assert_eq!(
        tile.to_linear(&[12]),
        Err(LayoutError::NotPowerOfTwo {
            dim: Dim::Axis(0),
            size: 12
        })
    );
    let slice = |axis| Slice { parent: &tile, axis }.to_linear(&[]);
    assert!(slice(0).is_ok());
    assert_eq!(slice(1), Err(LayoutError::MissingDim { dim: Dim::Axis(1) }));
}
