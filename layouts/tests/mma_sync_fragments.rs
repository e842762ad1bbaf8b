//! Every `mma.sync` fragment against the row and column formulas of the PTX ISA, element by element.

use proptest::prelude::*;
use tilewright_layouts::distributed::{
    Encoding, MajorOrder, MmaOperand, MmaShape, MmaSync, MmaTile, MmaVolta, VoltaAccumulator,
};
use tilewright_layouts::{Dim, ElementWidth, LinearLayout};

/// Row and column of element `i` of a lane's fragment, as the PTX ISA gives them for each shape in
/// "Matrix Fragments for mma.m…n…k…".
fn ptx(instruction: MmaSync, operand: MmaOperand, lane: u32, i: u32) -> [u32; 2] {
    use MmaOperand::{A, Accumulator, B};
    use MmaSync::*;
    let (group, t) = (lane >> 2, lane % 4);
    let low = |condition: bool| if condition { group } else { group + 8 };
    match (instruction, operand) {
        // Accumulators.
        (M8N8K4B64 | M8N8K16B8 | M8N8K32B4 | M8N8K128B1, Accumulator) => [group, t * 2 + (i & 1)],
        (_, Accumulator) => [low(i < 2), t * 2 + (i & 1)],
        // m8n8k4, f64.
        (M8N8K4B64, A) => [lane >> 2, lane % 4],
        (M8N8K4B64, B) => [lane % 4, lane >> 2],
        // m8n8k16, m8n8k32, m8n8k128.
        (M8N8K16B8, A) => [group, t * 4 + i],
        (M8N8K16B8, B) => [t * 4 + i, group],
        (M8N8K32B4, A) => [group, t * 8 + i],
        (M8N8K32B4, B) => [t * 8 + i, group],
        (M8N8K128B1, A) => [group, t * 32 + i],
        (M8N8K128B1, B) => [t * 32 + i, group],
        // m16n8k4.
        (M16N8K4B32 | M16N8K4B64, A) => [low(i == 0), t],
        (M16N8K4B32 | M16N8K4B64, B) => [t, group],
        // m16n8k8.
        (M16N8K8B16, A) => [low(i == 0 || i == 1), t * 2 + (i & 1)],
        (M16N8K8B16, B) => [t * 2 + i, group],
        (M16N8K8B32 | M16N8K8B64, A) => [low(i == 0 || i == 2), if i < 2 { t } else { t + 4 }],
        (M16N8K8B32 | M16N8K8B64, B) => [if i == 0 { t } else { t + 4 }, group],
        // m16n8k16, floating point.
        (M16N8K16B16, A) => {
            let column = t * 2 + (i & 1);
            [
                low(i < 2 || (4..6).contains(&i)),
                if i < 4 { column } else { column + 8 },
            ]
        }
        (M16N8K16B16, B) => [t * 2 + (i & 1) + if i < 2 { 0 } else { 8 }, group],
        (M16N8K16B64, A) => [
            low(i & 1 == 0),
            if i & 1 == 0 { i * 2 + t } else { i * 2 - 2 + t },
        ],
        (M16N8K16B64, B) => [t + i * 4, group],
        // m16n8k16, bytes.
        (M16N8K16B8, A) => [low(i < 4), t * 4 + (i & 3)],
        (M16N8K16B8, B) => [t * 4 + i, group],
        // m16n8k32.
        (M16N8K32B4, A) => [low(i < 8), t * 8 + (i & 7)],
        (M16N8K32B4, B) => [t * 8 + (i & 7), group],
        (M16N8K32B8, A) => {
            let column = t * 4 + (i & 3);
            [
                low(i < 4 || (8..12).contains(&i)),
                if i < 8 { column } else { column + 16 },
            ]
        }
        (M16N8K32B8, B) => [t * 4 + (i & 3) + if i < 4 { 0 } else { 16 }, group],
        // m16n8k64.
        (M16N8K64B4, A) => {
            let column = t * 8 + (i & 7);
            [
                low(i < 8 || (16..24).contains(&i)),
                if i < 16 { column } else { column + 32 },
            ]
        }
        (M16N8K64B4, B) => [t * 8 + (i & 7) + if i < 8 { 0 } else { 32 }, group],
        // m16n8k128.
        (M16N8K128B1, A) => [low(i < 32), t * 32 + (i & 0x1f)],
        (M16N8K128B1, B) => [t * 32 + i, group],
        // m16n8k256, with the mask that the formula for i < 64 lacks.
        (M16N8K256B1, A) => {
            let column = t * 32 + (i & 0x1f);
            [
                low(i < 32 || (64..96).contains(&i)),
                if i < 64 { column } else { column + 128 },
            ]
        }
        (M16N8K256B1, B) => [t * 32 + (i & 0x1f) + if i < 32 { 0 } else { 128 }, group],
    }
}

fn elements(layout: &LinearLayout) -> u32 {
    layout.shape().iter().product()
}

#[test]
fn fragments_are_the_formulas_of_the_isa() {
    let mut compared = 0;
    for instruction in MmaSync::ALL {
        for operand in MmaOperand::ALL {
            let layout = instruction.fragment(operand).unwrap();
            assert_eq!(layout.shape(), instruction.shape().of(operand), "{instruction}");
            assert!(layout.is_invertible(), "{instruction} {operand:?}");
            assert_eq!(layout.in_size(Dim::Lane), 32);
            for lane in 0..32 {
                for i in 0..elements(&layout) / 32 {
                    let expected = ptx(instruction, operand, lane, i);
                    assert_eq!(
                        *layout.at(i, lane, 0, 0),
                        expected,
                        "{instruction} {operand:?} {lane} {i}"
                    );
                    compared += 1;
                }
            }
        }
    }
    assert_eq!(compared, 19_008);
}

#[test]
fn an_instruction_is_found_by_its_shape_and_width() {
    for instruction in MmaSync::ALL {
        let MmaShape { m, n, k } = instruction.shape();
        assert_eq!(MmaSync::of(m, n, k, instruction.width()), Some(instruction));
    }
    assert_eq!(MmaSync::of(8, 8, 4, ElementWidth::B16), None);
    assert_eq!(MmaSync::of(16, 8, 8, ElementWidth::B8), None);
    assert_eq!(MmaSync::M16N8K256B1.to_string(), "m16n8k256.b1");
}

#[test]
fn volta_fragments_are_the_formulas_of_the_isa() {
    let orders = [MajorOrder::Row, MajorOrder::Column];
    let accumulators = [VoltaAccumulator::F16, VoltaAccumulator::F32];
    for (a, b, accumulator) in orders
        .into_iter()
        .flat_map(|a| orders.map(|b| (a, b)))
        .flat_map(|(a, b)| accumulators.map(|c| (a, b, c)))
    {
        let mma = MmaVolta { a, b, accumulator };
        let [left, right, sum] = MmaOperand::ALL.map(|operand| mma.fragment(operand).unwrap());
        assert!(left.is_invertible() && right.is_invertible() && sum.is_invertible());
        for lane in 0..32 {
            // Computation 1 is lanes 0–3 and 16–19, computation 2 lanes 4–7 and 20–23, and so on.
            let product = lane % 16 / 4;
            let half = if lane < 16 { 0 } else { 4 };
            for i in 0..4 {
                let expected = match a {
                    MajorOrder::Row => [product, lane % 4 + half, i],
                    MajorOrder::Column => [product, i % 4 + half, lane % 4],
                };
                assert_eq!(*left.at(i, lane, 0, 0), expected);
                let expected = match b {
                    MajorOrder::Row => [product, lane % 4, i + half],
                    MajorOrder::Column => [product, i, lane % 4 + half],
                };
                assert_eq!(*right.at(i, lane, 0, 0), expected);
            }
            for i in 0..8 {
                let expected = match accumulator {
                    VoltaAccumulator::F16 => [product, lane % 4 + half, i],
                    VoltaAccumulator::F32 => {
                        let x = (lane & 1) + (i & 2);
                        [product, x + half, (i & 4) + (lane & 2) + (i & 1)]
                    }
                };
                assert_eq!(*sum.at(i, lane, 0, 0), expected);
            }
        }
    }
}

fn tiles() -> impl Strategy<Value = (MmaTile, Vec<u32>)> {
    let instruction = prop::sample::select(&MmaSync::ALL[..]);
    let operand = prop::sample::select(&MmaOperand::ALL[..]);
    (instruction, operand, 2usize..4).prop_flat_map(|(instruction, operand, rank)| {
        let warps = prop::collection::vec(0u32..3, rank);
        let order = Just((0..rank).collect::<Vec<_>>()).prop_shuffle();
        // Each axis from an eighth of the fragment to eight times it.
        let scale = prop::collection::vec(0u32..7, rank);
        (warps, order, scale).prop_map(move |(warps, order, scale)| {
            let mut sizes = vec![1; rank];
            sizes[rank - 2..].copy_from_slice(&instruction.shape().of(operand));
            let shape = sizes
                .iter()
                .zip(scale)
                .map(|(size, scale)| (size << scale >> 3).max(1));
            let tile = MmaTile {
                instruction,
                operand,
                warps_per_cta: warps.into_iter().map(|bits| 1 << bits).collect(),
                order,
            };
            (tile, shape.collect())
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn tiles_are_their_definition((tile, shape) in tiles()) {
        let layout = tile.to_linear(&shape).unwrap();
        let rank = shape.len();
        let mut fragment = vec![1; rank];
        fragment[rank - 2..].copy_from_slice(&tile.instruction.shape().of(tile.operand));
        let own = fragment[rank - 2] * fragment[rank - 1] / 32;
        // The warps along the axes of this matrix; those along the missing axis share.
        let mut warps = tile.warps_per_cta.clone();
        let (missing, order): (Option<usize>, Vec<usize>) = match tile.operand {
            MmaOperand::A => (Some(rank - 1), vec![rank - 1, rank - 2]),
            MmaOperand::B => (Some(rank - 2), vec![rank - 2, rank - 1]),
            MmaOperand::Accumulator => (None, vec![rank - 1, rank - 2]),
        };
        if let Some(axis) = missing {
            warps[axis] = 1;
        }
        let order: Vec<usize> = order.into_iter().chain((0..rank - 2).rev()).collect();
        let wraps: Vec<u32> = (0..rank).map(|a| (shape[a] / (fragment[a] * warps[a])).max(1)).collect();
        let all: u32 = tile.warps_per_cta.iter().product();
        prop_assert_eq!(layout.in_size(Dim::Register), own * wraps.iter().product::<u32>());
        prop_assert_eq!(layout.in_size(Dim::Warp), all);
        prop_assert!(layout.is_surjective());
        for warp in 0..all {
            let mut rest = warp;
            let mut w = vec![0; rank];
            for axis in &tile.order {
                let count = tile.warps_per_cta[*axis];
                if missing != Some(*axis) {
                    w[*axis] = rest % count;
                }
                rest /= count;
            }
            for register in 0..layout.in_size(Dim::Register) {
                let mut rest = register / own;
                let mut r = vec![0; rank];
                for axis in &order {
                    r[*axis] = rest % wraps[*axis];
                    rest /= wraps[*axis];
                }
                for lane in [0, 1, 2, 4, 8, 16, 13, 31] {
                    let mut x = vec![0; rank];
                    x[rank - 2..].copy_from_slice(&ptx(tile.instruction, tile.operand, lane, register % own));
                    let expected: Vec<u32> = (0..rank)
                        .map(|a| (x[a] + fragment[a] * (w[a] + warps[a] * r[a])) % shape[a])
                        .collect();
                    prop_assert_eq!(layout.at(register, lane, warp, 0).to_vec(), expected);
                }
            }
        }
    }
}
