//! Blocked encodings against their elementwise definition.

use proptest::prelude::*;
use tilewright_layouts::{Blocked, Dim};

fn power(bits: std::ops::Range<u32>) -> impl Strategy<Value = u32> {
    bits.prop_map(|bits| 1 << bits)
}

fn blocked() -> impl Strategy<Value = (Blocked, Vec<u32>)> {
    (1usize..4).prop_flat_map(|rank| {
        let each = |bits| prop::collection::vec(power(0..bits), rank);
        let order = Just((0..rank).collect::<Vec<_>>()).prop_shuffle();
        (each(3), each(3), each(2), order, each(6)).prop_map(|(spt, tpw, wpc, order, shape)| {
            (
                Blocked {
                    size_per_thread: spt,
                    threads_per_warp: tpw,
                    warps_per_cta: wpc,
                    order,
                },
                shape,
            )
        })
    })
}

/// Splits number `index` into one digit for each axis, axis `order[0]` fastest.
fn digits(mut index: u32, counts: &[u32], order: &[usize]) -> Vec<u32> {
    let mut digits = vec![0; counts.len()];
    for axis in order {
        digits[*axis] = index % counts[*axis];
        index /= counts[*axis];
    }
    digits
}

proptest! {
    #[test]
    fn blocked_is_its_definition((blocked, shape) in blocked()) {
        let layout = blocked.to_linear(&shape).unwrap();
        let rank = shape.len();
        let order = &blocked.order;
        // A thread's block, clipped to the tensor, and the number of times the tile of the CTA wraps.
        let own: Vec<u32> = (0..rank).map(|a| blocked.size_per_thread[a].min(shape[a])).collect();
        let tile: Vec<u32> = (0..rank)
            .map(|a| blocked.size_per_thread[a] * blocked.threads_per_warp[a] * blocked.warps_per_cta[a])
            .collect();
        let wraps: Vec<u32> = (0..rank).map(|a| (shape[a] / tile[a]).max(1)).collect();
        let block: u32 = own.iter().product();
        let (lanes, warps): (u32, u32) =
            (blocked.threads_per_warp.iter().product(), blocked.warps_per_cta.iter().product());
        prop_assert_eq!(layout.in_size(Dim::Register), block * wraps.iter().product::<u32>());
        prop_assert_eq!(layout.in_size(Dim::Lane), lanes);
        prop_assert_eq!(layout.in_size(Dim::Warp), warps);
        prop_assert!(layout.is_surjective());
        for register in 0..layout.in_size(Dim::Register) {
            let r = digits(register % block, &own, order);
            let wrap = digits(register / block, &wraps, order);
            for lane in 0..lanes {
                let l = digits(lane, &blocked.threads_per_warp, order);
                for warp in 0..warps {
                    let w = digits(warp, &blocked.warps_per_cta, order);
                    let expected: Vec<u32> = (0..rank)
                        .map(|a| {
                            let thread = l[a] + blocked.threads_per_warp[a] * w[a];
                            (r[a] + blocked.size_per_thread[a] * thread + tile[a] * wrap[a]) % shape[a]
                        })
                        .collect();
                    prop_assert_eq!(layout.at(register, lane, warp, 0).to_vec(), expected);
                }
            }
        }
    }

    #[test]
    fn coalesced_covers_with_whole_warps(
        bits in prop::collection::vec(0u32..8, 1..4), vector in power(0..5), warps in power(0..4),
    ) {
        let shape: Vec<u32> = bits.iter().map(|bits| 1 << bits).collect();
        let order: Vec<usize> = (0..shape.len()).rev().collect();
        let blocked = Blocked::coalesced(&shape, vector, &order, warps).unwrap();
        let layout = blocked.to_linear(&shape).unwrap();
        prop_assert_eq!(layout.in_size(Dim::Lane), 32);
        prop_assert_eq!(layout.in_size(Dim::Warp), warps);
        prop_assert!(layout.is_surjective());
        prop_assert_eq!(layout.free_mask(Dim::Register), 0);
        let elements: u32 = shape.iter().product();
        let last = Dim::Axis(shape.len() as u8 - 1);
        let widest = vector.min(shape[shape.len() - 1]).min((elements / (32 * warps)).max(1));
        prop_assert!(layout.num_consecutive_in_out(last) >= widest);
        // No thread is idle while another holds more than one element.
        prop_assert_eq!(layout.in_size(Dim::Register), (elements / (32 * warps)).max(1));
    }
}
