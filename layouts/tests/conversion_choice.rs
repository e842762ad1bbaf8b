//! The mechanism planned for a conversion.

use proptest::prelude::*;
use tilewright_layouts::conversion::{CostModel, Means};
use tilewright_layouts::{
    Blocked, Bytes, Conversion, Dim, LaneShuffles, LayoutError, LinearLayout, SharedRoundTrip,
};

use crate::random::two_layouts;

/// Half cycles of a multiprocessor.
const PRICES: CostModel = CostModel {
    shuffle: 2,
    select: 1,
    bank_cycle: 2,
    barrier: 50,
};

fn parse(text: &str) -> LinearLayout {
    text.parse().unwrap()
}

fn with(source: &LinearLayout, wanted: &LinearLayout, means: Means) -> Result<Conversion, LayoutError> {
    Conversion::plan_with(source, wanted, 4, means, PRICES)
}

#[test]
fn the_cheapest_conversion_is_chosen() {
    let a = parse("linear<register = [[1],[2]], lane = [[4],[8],[16],[32],[64]], shape = [128]>");
    let swapped = parse("linear<register = [[2],[1]], lane = [[4],[8],[16],[32],[64]], shape = [128]>");
    let strided = parse("linear<register = [[32],[64]], lane = [[1],[2],[4],[8],[16]], shape = [128]>");
    assert_eq!(Conversion::plan(&a, &a, 4, PRICES), Ok(Conversion::Noop));
    let Ok(Conversion::RegisterPermutation(map)) = with(&a, &swapped, Means::REGISTERS) else {
        panic!()
    };
    assert_eq!(map.sources().collect::<Vec<_>>(), [0, 2, 1, 3]);
    let Ok(Conversion::LaneShuffles(plan)) = Conversion::plan(&a, &strided, 4, PRICES) else {
        panic!()
    };
    assert_eq!(plan.shuffles, 4);
    let Ok(Conversion::SharedRoundTrip(trip)) = with(&a, &strided, Means::WITHOUT_SHUFFLES) else {
        panic!()
    };
    assert_eq!((trip.store_vector, trip.load_vector, trip.conflicts()), (4, 1, 0));
}

#[test]
fn means_that_do_not_suffice_are_named() {
    let warps = parse("linear<register = [[1]], lane = [[2]], warp = [[4]], shape = [8]>");
    let others = parse("linear<register = [[4]], lane = [[2]], warp = [[1]], shape = [8]>");
    assert_eq!(
        with(&warps, &others, Means::REGISTERS),
        Err(LayoutError::OutOfMeans)
    );
    let shuffles = Means {
        lane_shuffles: true,
        shared: None,
    };
    assert_eq!(with(&warps, &others, shuffles), Err(LayoutError::OutOfMeans));
    let little = Means {
        lane_shuffles: true,
        shared: Some(Bytes(8)),
    };
    assert_eq!(
        with(&warps, &others, little),
        Err(LayoutError::BufferTooSmall { bytes: 32, limit: 8 })
    );
}

#[test]
fn elements_have_a_width_even_if_nothing_moves() {
    let layout = parse("linear<lane = [[1],[2],[4],[8],[16]], shape = [32]>");
    for bytes in [0, 3, 32] {
        assert_eq!(
            Conversion::plan(&layout, &layout, bytes, PRICES),
            Err(LayoutError::ElementBytes { bytes })
        );
    }
}

#[test]
fn nothing_is_done_only_if_all_registers_stay() {
    let four = parse("linear<register = [[1],[2]], lane = [[4],[8],[16],[32],[64]], shape = [128]>");
    let copies = parse("linear<register = [[1],[2],[0]], lane = [[4],[8],[16],[32],[64]], shape = [128]>");
    let two = parse("linear<register = [[1]], lane = [[4],[8],[16],[32],[64]], shape = [128]>");
    let sources = |source: &LinearLayout, wanted: &LinearLayout| match with(source, wanted, Means::ALL) {
        Ok(Conversion::RegisterPermutation(map)) => map.sources().collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    assert_eq!(sources(&four, &two), [0, 1]);
    assert_eq!(sources(&copies, &four), [0, 1, 2, 3]);
    assert_eq!(sources(&four, &copies), [0, 1, 2, 3, 0, 1, 2, 3]);
    for layout in [&four, &copies, &two] {
        assert_eq!(with(layout, layout, Means::ALL), Ok(Conversion::Noop));
    }
}

#[test]
fn prices_are_those_of_the_parts() {
    let rows = |order: [usize; 2]| {
        let blocked = Blocked::coalesced(&[128, 128], 4, &order, 1).unwrap();
        blocked.to_linear(&[128, 128]).unwrap()
    };
    let prices = CostModel {
        shuffle: 1_000_000,
        select: 1_000,
        bank_cycle: 1,
        barrier: 100_000,
    };
    let (source, wanted) = (rows([1, 0]), rows([0, 1]));
    for (limit, pieces) in [(64 << 10, 1), (48 << 10, 2), (16 << 10, 4)] {
        let trip = SharedRoundTrip::plan_within(&source, &wanted, 4, Bytes(limit)).unwrap();
        assert_eq!(trip.pieces, pieces);
        let barriers = 2 * u64::from(pieces) * 100_000;
        assert_eq!(prices.of_round_trip(&trip), barriers + trip.cycles());
    }
    let plan = LaneShuffles::plan(&source, &wanted, 4).unwrap().unwrap();
    assert_eq!(
        prices.of_shuffles(&plan),
        plan.shuffles * 1_000_000 + plan.selects * 1_000
    );
}

#[test]
fn equally_dear_shuffles_come_first() {
    let a = parse("linear<register = [[1]], lane = [[2],[4],[8],[16],[32]], shape = [64]>");
    let b = parse("linear<register = [[2]], lane = [[1],[4],[8],[16],[32]], shape = [64]>");
    let trip = SharedRoundTrip::plan(&a, &b, 4).unwrap();
    let plan = LaneShuffles::plan(&a, &b, 4).unwrap().unwrap();
    // The shuffle price at which both are equal, and a slightly higher one.
    let prices = |shuffle| CostModel {
        shuffle,
        select: 0,
        bank_cycle: plan.shuffles,
        barrier: 0,
    };
    let plan_at = |shuffle| Conversion::plan_with(&a, &b, 4, Means::ALL, prices(shuffle)).unwrap();
    assert!(matches!(plan_at(trip.cycles()), Conversion::LaneShuffles(_)));
    assert!(matches!(
        plan_at(trip.cycles() + 1),
        Conversion::SharedRoundTrip(_)
    ));
}

/// Many registers and few local ones: a wide round trip is cheaper than one shuffle each.
#[test]
fn many_shuffles_cost_more_than_a_round_trip() {
    let blocked = |order: [usize; 2]| {
        Blocked::coalesced(&[128, 64], 4, &order, 1)
            .unwrap()
            .to_linear(&[128, 64])
            .unwrap()
    };
    let (rows, columns) = (blocked([1, 0]), blocked([0, 1]));
    let trip = SharedRoundTrip::plan(&rows, &columns, 4).unwrap();
    let shuffles = LaneShuffles::plan(&rows, &columns, 4).unwrap().unwrap();
    let prices = PRICES;
    assert!(prices.of_shuffles(&shuffles) > prices.of_round_trip(&trip));
    assert_eq!(
        Conversion::plan(&rows, &columns, 4, PRICES),
        Ok(Conversion::SharedRoundTrip(Box::new(trip)))
    );
}

/// Two layouts, often such that values stay in their thread.
fn pairs() -> impl Strategy<Value = (LinearLayout, LinearLayout)> {
    (two_layouts(), 0usize..4, any::<prop::sample::Index>()).prop_map(|((a, b), kind, index)| {
        let bits = a.in_bits(Dim::Register) as usize;
        let turned: Vec<usize> = (0..bits)
            .map(|bit| (bit + index.index(4)) % bits.max(1))
            .collect();
        let other = match kind {
            0 => a.clone(),
            1 => a.permute_bits(Dim::Register, &turned).unwrap(),
            2 => a.resize_in(Dim::Register, 1 << index.index(5)).unwrap(),
            _ => b,
        };
        (a, other)
    })
}

proptest! {
    /// A no-op exactly if every register of every thread already holds its wanted element; a register
    /// move exactly if one selection of registers is correct in every thread.
    #[test]
    fn nothing_leaves_its_thread_without_need((source, wanted) in pairs()) {
        let same = |register: u32, from: u32| {
            (0..8).all(|l| (0..4).all(|w| (0..2).all(|k| wanted.at(register, l, w, k) == source.at(from, l, w, k))))
        };
        let sizes = (wanted.in_size(Dim::Register), source.in_size(Dim::Register));
        let stays = sizes.0 == sizes.1 && (0..sizes.0).all(|register| same(register, register));
        let by_registers = (0..sizes.0).all(|register| (0..sizes.1).any(|from| same(register, from)));
        let plan = Conversion::plan(&source, &wanted, 4, PRICES);
        prop_assert_eq!(plan == Ok(Conversion::Noop), stays);
        prop_assert_eq!(matches!(plan, Ok(Conversion::RegisterPermutation(_))), by_registers && !stays);
        if let Ok(Conversion::RegisterPermutation(map)) = plan {
            prop_assert!((0..).zip(map.sources()).all(|(register, from)| same(register, from)));
        }
    }

    #[test]
    fn no_other_means_are_cheaper(
        log_shape in (3u32..8, 3u32..8), vectors in (0u32..4, 0u32..4), turn in any::<bool>(), log_warps in 0u32..3,
        log_bytes in 0u32..5,
    ) {
        let shape = [1 << log_shape.0, 1 << log_shape.1];
        let blocked = |vector: u32, order: [usize; 2]| {
            Blocked::coalesced(&shape, 1 << vector, &order, 1 << log_warps).unwrap().to_linear(&shape).unwrap()
        };
        let (source, wanted) = (blocked(vectors.0, [1, 0]), blocked(vectors.1, if turn { [0, 1] } else { [1, 0] }));
        let (bytes, prices) = (1 << log_bytes, PRICES);
        let price = prices.of(&Conversion::plan(&source, &wanted, bytes, PRICES).unwrap());
        let trip = SharedRoundTrip::plan(&source, &wanted, bytes).unwrap();
        prop_assert!(price <= prices.of_round_trip(&trip));
        if let Some(plan) = LaneShuffles::plan(&source, &wanted, bytes).unwrap() {
            prop_assert!(price <= prices.of_shuffles(&plan));
        }
    }
}
