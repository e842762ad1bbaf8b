//! Round trips through shared memory, simulated element by element.

use proptest::prelude::*;
use tilewright_layouts::bank::{Access, access_cost};
use tilewright_layouts::{
    BankCost, Blocked, Bytes, Dim, LayoutError, LinearLayout, RegisterMap, SharedRoundTrip,
};

const LANE_BITS: usize = 5;

/// A tensor's layout from output words.
fn layout(shape_bits: &[u32], parts: [&[u64]; 3]) -> LinearLayout {
    let split = |word: &u64| {
        let mut rest = *word;
        let mut vector: Vec<u64> = shape_bits
            .iter()
            .rev()
            .map(|bits| {
                let part = rest & ((1 << bits) - 1);
                rest >>= bits;
                part
            })
            .collect();
        vector.reverse();
        vector
    };
    let bases: Vec<_> = [Dim::Register, Dim::Lane, Dim::Warp]
        .into_iter()
        .zip(parts)
        .map(|(dim, words)| (dim, words.iter().map(split).collect()))
        .collect();
    let shape: Vec<u64> = shape_bits.iter().map(|bits| 1 << bits).collect();
    LinearLayout::from_parts(&bases, &shape).unwrap()
}

/// Layouts of a whole tensor: the columns of a bijection assigned at random, and columns that make
/// copies.
fn whole(shape_bits: Vec<u32>, warp_bits: usize) -> impl Strategy<Value = LinearLayout> {
    let total = shape_bits.iter().sum::<u32>() as usize;
    let mixed = prop::collection::vec((0..total.max(1), 0..total.max(1)), 0..12).prop_map(move |steps| {
        let mut words: Vec<u64> = (0..total).map(|bit| 1 << bit).collect();
        for (a, b) in steps.into_iter().filter(|(a, b)| a != b) {
            words[a] ^= words[b];
        }
        words
    });
    let plain = Just((0..total).map(|bit| 1u64 << bit).collect::<Vec<_>>());
    let copy = prop_oneof![3 => Just(0u64), 1 => 0u64..1 << total];
    let extra = prop::collection::vec((copy, any::<prop::sample::Index>()), 0..4);
    (
        prop_oneof![mixed, plain].prop_shuffle(),
        extra,
        0..=LANE_BITS,
        0..=warp_bits,
    )
        .prop_map(move |(words, extra, lanes, warps)| {
            let (lane, rest) = words.split_at(lanes.min(total));
            let (warp, register) = rest.split_at(warps.min(rest.len()));
            let (mut register, mut lane, mut warp) = (register.to_vec(), lane.to_vec(), warp.to_vec());
            for (word, index) in extra {
                let target = match index.index(3) {
                    0 if lane.len() < LANE_BITS => &mut lane,
                    1 if warp.len() < warp_bits => &mut warp,
                    _ if register.len() < 8 => &mut register,
                    _ => continue,
                };
                let at = index.index(target.len() + 1);
                target.insert(at, word);
            }
            layout(&shape_bits, [&register, &lane, &warp])
        })
}

#[derive(Clone, Debug)]
struct Case {
    source: LinearLayout,
    wanted: LinearLayout,
    warps: u32,
    bytes: u32,
}

fn case() -> impl Strategy<Value = Case> {
    (prop::collection::vec(0u32..6, 1..4), 0usize..3, 0u32..5)
        .prop_filter("registers have to be few", |(bits, warps, _)| {
            bits.iter().sum::<u32>() as usize <= 6 + LANE_BITS + warps
        })
        .prop_flat_map(|(bits, warps, log_bytes)| {
            (
                whole(bits.clone(), warps),
                whole(bits, warps),
                Just(warps),
                Just(log_bytes),
            )
        })
        .prop_map(|(source, wanted, warps, log_bytes)| Case {
            source,
            wanted,
            warps: 1 << warps,
            bytes: 1 << log_bytes,
        })
}

fn threads(warps: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..warps).flat_map(|warp| (0..32).map(move |lane| (lane, warp)))
}

/// The value of an element, as bytes that identify it and its parts.
fn value(element: u64, bytes: u32) -> Vec<u8> {
    (0..bytes)
        .map(|byte| (element.wrapping_mul(151) >> (byte % 3 * 4)) as u8 ^ (byte as u8 * 17))
        .collect()
}

fn play(case: &Case, trip: &SharedRoundTrip) -> Result<(), TestCaseError> {
    let Case {
        source,
        wanted,
        warps,
        bytes,
    } = case;
    let (loads, size) = (trip.load.in_size(Dim::Register), *bytes as usize);
    let place = |register: u32, lane: u32, warp: u32| ((warp * 32 + lane) * loads + register) as usize * size;
    let mut loaded = vec![0u8; place(0, 0, *warps)];
    let part = |layout: &LinearLayout, piece: u32| {
        let count = layout.in_size(Dim::Register) / trip.pieces;
        (piece * count..(piece + 1) * count).collect::<Vec<_>>()
    };
    let elements = trip.bytes / u64::from(*bytes);
    let mut buffer = vec![0u8; trip.bytes as usize];
    for piece in 0..trip.pieces {
        buffer.fill(0xee);
        let address = |layout: &LinearLayout, register, lane, warp| {
            (u64::from(layout.at(register, lane, warp, 0)[0]) % elements) as usize * *bytes as usize
        };
        for (lane, warp) in threads(*warps) {
            for first in part(&trip.store, piece).chunks(trip.store_vector as usize) {
                let start = address(&trip.store, first[0], lane, warp);
                prop_assert_eq!(start as u32 % (trip.store_vector * bytes), 0);
                let data = first.iter().flat_map(|register| {
                    let held = trip.store_registers.source(*register);
                    value(source.word_at(held, lane, warp, 0), *bytes)
                });
                let data: Vec<u8> = data.collect();
                buffer[start..start + data.len()].copy_from_slice(&data);
            }
        }
        for (lane, warp) in threads(*warps) {
            for first in part(&trip.load, piece).chunks(trip.load_vector as usize) {
                let start = address(&trip.load, first[0], lane, warp);
                prop_assert_eq!(start as u32 % (trip.load_vector * bytes), 0);
                let (to, length) = (place(first[0], lane, warp), first.len() * size);
                loaded[to..to + length].copy_from_slice(&buffer[start..start + length]);
            }
        }
    }
    for (lane, warp) in threads(*warps) {
        for register in 0..wanted.in_size(Dim::Register) {
            let at = place(trip.load_registers.source(register), lane, warp);
            let expected = value(wanted.word_at(register, lane, warp, 0), *bytes);
            prop_assert_eq!(&loaded[at..at + size], &expected[..]);
        }
    }
    Ok(())
}

/// The cost of all accesses of each warp, lane by lane.
fn enumerated(access: Access, offsets: &LinearLayout, vector: u32, bytes: u32, warp: u32) -> BankCost {
    let starts = (0..offsets.in_size(Dim::Register)).step_by(vector as usize);
    let costs = starts.map(|register| {
        let addresses = std::array::from_fn(|lane| offsets.at(register, lane as u32, warp, 0)[0] * bytes);
        access_cost(access, &addresses, vector * bytes).unwrap()
    });
    costs.fold(BankCost::default(), |sum, cost| sum + cost)
}

/// The element bits that neither the lanes nor the warps of either layout change.
fn bits_of_registers(source: &LinearLayout, wanted: &LinearLayout) -> u32 {
    let mut threads = vec![0];
    for layout in [source, wanted] {
        for column in (0..5).flat_map(|bit| {
            [
                layout.word_at(0, 1 << bit, 0, 0),
                layout.word_at(0, 0, 1 << bit, 0),
            ]
        }) {
            if !threads.contains(&column) {
                threads.extend(threads.clone().iter().map(|old| old ^ column));
            }
        }
    }
    source.total_out_bits() - threads.len().ilog2()
}

fn is_distinct(map: &RegisterMap) -> bool {
    let mut sources: Vec<u32> = map.sources().collect();
    sources.sort_unstable();
    sources.dedup();
    sources.len() as u32 == map.len()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn every_value_arrives(case in case()) {
        let trip = SharedRoundTrip::plan(&case.source, &case.wanted, case.bytes).unwrap();
        prop_assert!(trip.memory.is_invertible());
        prop_assert_eq!((trip.pieces, trip.bytes), (1, u64::from(case.bytes) << case.source.total_out_bits()));
        prop_assert!(is_distinct(&trip.store_registers));
        play(&case, &trip)?;
        for warp in 0..case.warps {
            let store = enumerated(Access::Store, &trip.store, trip.store_vector, case.bytes, warp);
            let load = enumerated(Access::Load, &trip.load, trip.load_vector, case.bytes, warp);
            prop_assert_eq!((store, load), (trip.store_cost, trip.load_cost));
        }
        // Registers record the register that they copy.
        for register in 0..trip.store.in_size(Dim::Register) {
            let element = case.source.at(trip.store_registers.source(register), 3, 1, 0);
            let axes: Vec<_> = (0..).map(Dim::Axis).zip(element.iter().copied()).collect();
            prop_assert_eq!(trip.memory.apply(&axes), trip.store.at(register, 3, 1, 0));
        }
    }

    /// The cycles equal those of a whole buffer, in the minimal number of pieces.
    #[test]
    fn every_value_arrives_through_a_small_buffer(case in case(), shrink in 1u32..4) {
        let whole = SharedRoundTrip::plan(&case.source, &case.wanted, case.bytes).unwrap();
        let limit = whole.bytes >> shrink.min(case.source.total_out_bits());
        match SharedRoundTrip::plan_within(&case.source, &case.wanted, case.bytes, Bytes(limit)) {
            Ok(trip) => {
                prop_assert_eq!(trip.bytes, limit);
                prop_assert_eq!(trip.bytes * u64::from(trip.pieces), whole.bytes);
                prop_assert_eq!((trip.cycles(), trip.accesses()), (whole.cycles(), whole.accesses()));
                play(&case, &trip)?;
            }
            Err(LayoutError::BufferTooSmall { bytes, limit: refused }) => {
                // The reported minimum suffices, and a smaller buffer is refused.
                prop_assert_eq!(refused, limit);
                let least = SharedRoundTrip::plan_within(&case.source, &case.wanted, case.bytes, Bytes(bytes));
                prop_assert_eq!(least.map(|trip| trip.bytes), Ok(bytes));
                // One bit less for each of the vectors, which may share bits.
                let (store, load) = (whole.store_vector.ilog2(), whole.load_vector.ilog2());
                let cuts = bits_of_registers(&case.source, &case.wanted);
                prop_assert!(bytes << cuts.saturating_sub(store.min(load)) >= whole.bytes);
                prop_assert!(bytes << cuts.saturating_sub(store.max(load)) <= whole.bytes);
            }
            Err(error) => prop_assert!(false, "{error}"),
        }
    }

    /// A wanted layout may omit elements, through whole buffers and through small ones.
    #[test]
    fn what_is_wanted_of_a_tile_arrives(
        case in case(), columns in prop::collection::vec((any::<u64>(), any::<bool>()), 9), cuts in (0usize..4, 0usize..6),
        shrink in 0u32..4,
    ) {
        let total = case.source.total_out_bits();
        let words: Vec<u64> = columns
            .into_iter()
            .map(|(word, single)| if single { 1u64.checked_shl((word % 16) as u32).unwrap_or(0) } else { word } & ((1 << total) - 1))
            .collect();
        let (register, rest) = words.split_at(cuts.0);
        let (lane, rest) = rest.split_at(cuts.1.min(5));
        let warp = &rest[..rest.len().min(case.warps.ilog2() as usize)];
        let shape_bits: Vec<u32> = case.source.shape().iter().map(|size| size.ilog2()).collect();
        let case = Case { wanted: layout(&shape_bits, [register, lane, warp]), ..case };
        let limit = u64::from(case.bytes) << total >> shrink.min(total);
        match SharedRoundTrip::plan_within(&case.source, &case.wanted, case.bytes, Bytes(limit)) {
            Ok(trip) => {
                play(&case, &trip)?;
                for warp in 0..case.warps {
                    let load = enumerated(Access::Load, &trip.load, trip.load_vector, case.bytes, warp);
                    prop_assert_eq!(load, trip.load_cost);
                }
            }
            Err(LayoutError::BufferTooSmall { .. }) => prop_assert!(shrink > 0),
            Err(error) => prop_assert!(false, "{error}"),
        }
    }

    #[test]
    fn a_blocked_transposition_has_no_conflicts(
        log_shape in (3u32..8, 3u32..8), vectors in (0u32..4, 0u32..4), log_warps in 0u32..4, log_bytes in 0u32..4,
    ) {
        let shape = [1 << log_shape.0, 1 << log_shape.1];
        let blocked = |vector: u32, order: [usize; 2]| {
            Blocked::coalesced(&shape, 1 << vector, &order, 1 << log_warps).unwrap().to_linear(&shape).unwrap()
        };
        let (rows, columns) = (blocked(vectors.0, [1, 0]), blocked(vectors.1, [0, 1]));
        let trip = SharedRoundTrip::plan(&rows, &columns, 1 << log_bytes).unwrap();
        prop_assert_eq!(trip.conflicts(), 0);
    }
}

/// Rows are stored and columns loaded, one word per lane: without a swizzle, any order of axes puts
/// one of the two into a single bank.
#[test]
fn a_swizzle_makes_a_transposition_free_of_conflicts() {
    let blocked = |order: [usize; 2]| {
        Blocked::coalesced(&[32, 32], 1, &order, 4)
            .unwrap()
            .to_linear(&[32, 32])
            .unwrap()
    };
    let trip = SharedRoundTrip::plan(&blocked([1, 0]), &blocked([0, 1]), 4).unwrap();
    assert_eq!(
        (trip.store_cost.cycles, trip.load_cost.cycles, trip.conflicts()),
        (8, 8, 0)
    );
}

#[test]
fn what_no_round_trip_can_do_is_refused() {
    let parse = |text: &str| text.parse::<LinearLayout>().unwrap();
    let blocks = parse("linear<lane = [[1]], block = [[2]], shape = [4]>");
    let swapped = parse("linear<lane = [[2]], block = [[1]], shape = [4]>");
    assert_eq!(
        SharedRoundTrip::plan(&blocks, &swapped, 4),
        Err(LayoutError::CrossesBlocks)
    );
    let half = parse("linear<lane = [[1]], shape = [4]>");
    let all = parse("linear<lane = [[1], [2]], shape = [4]>");
    assert!(matches!(
        SharedRoundTrip::plan(&half, &all, 4),
        Err(LayoutError::NotCovered { .. })
    ));
    assert_eq!(
        SharedRoundTrip::plan(&all, &all, 3),
        Err(LayoutError::ElementBytes { bytes: 3 })
    );
    let error = SharedRoundTrip::plan_within(&all, &half, 4, Bytes(8)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a buffer of 16 bytes where at most 8 are allowed"
    );
}
