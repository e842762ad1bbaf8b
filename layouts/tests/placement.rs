//! Blocked placements, conversions and bank conflicts against definitions by single elements.

use proptest::prelude::*;
use tilewright_layouts::bank::access_cost;
use tilewright_layouts::{Blocked, Conversion, Dim, LinearLayout, SharedRoundTrip};

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

/// Number `index` taken apart into one digit for each axis, axis `order[0]` fastest.
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
        // A thread's block, cut to the tensor, and how often the tile of the CTA wraps.
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
        // No thread idles while another holds more than one element.
        prop_assert_eq!(layout.in_size(Dim::Register), (elements / (32 * warps)).max(1));
    }

    #[test]
    fn bank_cycles_are_what_serving_takes(
        units in prop::collection::vec(0u32..512, 32), log_bytes in 0u32..5,
    ) {
        let bytes = 1 << log_bytes;
        let addresses: [u32; 32] = std::array::from_fn(|lane| units[lane] * bytes);
        // Serve word by word: in one cycle every bank gives one word to all lanes that wait for it.
        let lanes_at_once = if bytes <= 4 { 32 } else { 128 / bytes as usize };
        let mut cycles = 0;
        for group in addresses.chunks(lanes_at_once) {
            let mut waiting: Vec<u32> =
                group.iter().flat_map(|a| (0..bytes.max(4) / 4).map(move |word| a / 4 + word)).collect();
            while !waiting.is_empty() {
                let mut serving = [None; 32];
                for word in &waiting {
                    serving[*word as usize % 32].get_or_insert(*word);
                }
                waiting.retain(|word| serving[*word as usize % 32] != Some(*word));
                cycles += 1;
            }
        }
        let cost = access_cost(&addresses, bytes).unwrap();
        prop_assert_eq!(cost.cycles, cycles);
        prop_assert_eq!(cost.minimum, u64::from(bytes.div_ceil(4)));
    }

    #[test]
    fn a_round_trip_delivers_every_value(
        bits in prop::collection::vec(0u32..5, 1..4), log_bytes in 0u32..4, warps in power(0..3),
        vectors in (power(0..4), power(0..4)), seed in any::<prop::sample::Index>(),
    ) {
        let shape: Vec<u32> = bits.iter().map(|bits| 1 << bits).collect();
        let rows: Vec<usize> = (0..shape.len()).rev().collect();
        let mut other = rows.clone();
        other.rotate_left(seed.index(shape.len()));
        let from = Blocked::coalesced(&shape, vectors.0, &rows, warps).unwrap().to_linear(&shape).unwrap();
        let to = Blocked::coalesced(&shape, vectors.1, &other, warps).unwrap().to_linear(&shape).unwrap();
        let bytes = 1 << log_bytes;
        let trip = SharedRoundTrip::plan(&from, &to, bytes).unwrap();
        let elements: u32 = shape.iter().product();
        prop_assert_eq!(trip.bytes, u64::from(elements * bytes));
        let threads = || (0..warps).flat_map(|warp| (0..32).map(move |lane| (lane, warp)));
        let mut memory = vec![None; elements as usize];
        for (lane, warp) in threads() {
            for register in (0..from.in_size(Dim::Register)).filter(|r| r & trip.store_skip == 0) {
                let offset = trip.store.at(register, lane, warp, 0)[0];
                let base = trip.store.at(register / trip.store_vector * trip.store_vector, lane, warp, 0)[0];
                prop_assert_eq!(base % trip.store_vector, 0);
                prop_assert_eq!(offset, base + register % trip.store_vector);
                let held = from.at(register, lane, warp, 0);
                let before = memory[offset as usize].replace(held);
                prop_assert!(before.is_none_or(|before| before == held));
            }
        }
        for (lane, warp) in threads() {
            for register in 0..to.in_size(Dim::Register) {
                let offset = trip.load.at(register, lane, warp, 0)[0];
                let base = trip.load.at(register / trip.load_vector * trip.load_vector, lane, warp, 0)[0];
                prop_assert_eq!(offset, base + register % trip.load_vector);
                prop_assert_eq!(memory[offset as usize], Some(to.at(register, lane, warp, 0)));
            }
        }
        // The costs, access by access, in every warp.
        for (layout, vector, skip, cost) in [
            (&trip.store, trip.store_vector, trip.store_skip, trip.store_cost),
            (&trip.load, trip.load_vector, 0, trip.load_cost),
        ] {
            for warp in 0..warps {
                let starts = (0..layout.in_size(Dim::Register)).step_by(vector as usize).filter(|r| r & skip == 0);
                let cycles: u64 = starts
                    .map(|r| {
                        let addresses = std::array::from_fn(|lane| layout.at(r, lane as u32, warp, 0)[0] * bytes);
                        access_cost(&addresses, vector * bytes).unwrap().cycles
                    })
                    .sum();
                prop_assert_eq!(cycles, cost.cycles);
            }
        }
    }
}

#[test]
fn the_cheapest_conversion_is_chosen() {
    let parse = |text: &str| text.parse::<LinearLayout>().unwrap();
    let a = parse("linear<register = [[1],[2]], lane = [[4],[8],[16],[32],[64]], shape = [128]>");
    let swapped = parse("linear<register = [[2],[1]], lane = [[4],[8],[16],[32],[64]], shape = [128]>");
    let strided = parse("linear<register = [[32],[64]], lane = [[1],[2],[4],[8],[16]], shape = [128]>");
    assert_eq!(Conversion::plan(&a, &a, 4), Ok(Conversion::Noop));
    let Ok(Conversion::RegisterPermutation(map)) = Conversion::plan(&a, &swapped, 4) else {
        panic!()
    };
    assert_eq!(map.sources().collect::<Vec<_>>(), [0, 2, 1, 3]);
    let Ok(Conversion::SharedRoundTrip(trip)) = Conversion::plan(&a, &strided, 4) else {
        panic!()
    };
    assert_eq!((trip.store_vector, trip.load_vector, trip.conflicts()), (4, 1, 0));
}

/// Rows are stored and columns loaded, one word a lane: any order of axes without a swizzle puts one of
/// the two into a single bank.
#[test]
fn a_swizzle_makes_a_transposition_free_of_conflicts() {
    let rows = Blocked::coalesced(&[32, 32], 1, &[1, 0], 4)
        .unwrap()
        .to_linear(&[32, 32])
        .unwrap();
    let columns = Blocked::coalesced(&[32, 32], 1, &[0, 1], 4)
        .unwrap()
        .to_linear(&[32, 32])
        .unwrap();
    let trip = SharedRoundTrip::plan(&rows, &columns, 4).unwrap();
    assert_eq!(
        (trip.store_cost.cycles, trip.load_cost.cycles, trip.conflicts()),
        (8, 8, 0)
    );
}
