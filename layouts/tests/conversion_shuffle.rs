//! Warp shuffles, executed on a model of a warp.

use proptest::prelude::*;
use tilewright_layouts::{Dim, LaneShuffles, LinearLayout};

const LANES: u32 = 32;

fn layout(bits: usize, [register, lane, warp, block]: [&[u32]; 4]) -> LinearLayout {
    let vectors = |columns: &[u32]| columns.iter().map(|column| vec![*column]).collect::<Vec<_>>();
    let bases = [
        (Dim::Register, vectors(register)),
        (Dim::Lane, vectors(lane)),
        (Dim::Warp, vectors(warp)),
        (Dim::Block, vectors(block)),
    ];
    LinearLayout::from_bases(&bases, &[(Dim::Axis(0), 1 << bits)]).unwrap()
}

fn sum(columns: &[u32], index: u32) -> u32 {
    let picked = columns
        .iter()
        .enumerate()
        .filter(|(bit, _)| index >> bit & 1 == 1);
    picked.fold(0, |sum, (_, column)| sum ^ column)
}

#[derive(Clone, Debug)]
struct Case {
    source: LinearLayout,
    wanted: LinearLayout,
    warps: u32,
    bytes: u32,
}

/// Any source, and a wanted layout whose warps hold sums of elements of the same warps of the source.
fn case() -> impl Strategy<Value = Case> {
    let column = || prop_oneof![1 => Just(0u32), 3 => (0u32..9).prop_map(|bit| 1 << bit), 2 => 0u32..1 << 9];
    let columns = move |most| prop::collection::vec(column(), 0..=most);
    let all = || (columns(4), columns(5), columns(2), columns(1));
    let mixed = |most: usize| {
        prop::collection::vec(
            (
                prop_oneof![(0u32..9).prop_map(|bit| 1 << bit), 0u32..1 << 9],
                any::<bool>(),
            ),
            0..=most,
        )
    };
    let deal = (mixed(4), mixed(5), mixed(2), mixed(1));
    (all(), deal, any::<bool>(), 0u32..5).prop_map(|((r, l, w, b), deal, permute, log_bytes)| {
        let own = [&r[..], &l[..]].concat();
        // Mostly whole columns; with `permute`, each of them once.
        let mut left: Vec<u32> = own.clone();
        let mut pick = |choice: &[(u32, bool)]| {
            let each = choice
                .iter()
                .map(|(pick, zero)| match (permute, left.is_empty()) {
                    (true, false) => left.remove(*pick as usize % left.len()),
                    (true, true) => 0,
                    (false, _) if *zero && *pick > 256 => 0,
                    (false, _) => sum(&own, *pick),
                });
            each.collect::<Vec<_>>()
        };
        let (register, lane) = (pick(&deal.0), pick(&deal.1));
        let shift = |old: &[u32], choice: &[(u32, bool)]| {
            let at = |bit: usize| choice.get(bit).copied().unwrap_or((0, true));
            let shifted = old.iter().enumerate().map(|(bit, column)| match at(bit) {
                (_, true) => *column,
                (pick, false) => column ^ sum(&own, pick),
            });
            shifted.collect::<Vec<_>>()
        };
        Case {
            source: layout(9, [&r, &l, &w, &b]),
            wanted: layout(9, [&register, &lane, &shift(&w, &deal.2), &shift(&b, &deal.3)]),
            warps: 4,
            bytes: 1 << log_bytes,
        }
    })
}

/// Executes a plan for one warp and returns the elements of its wanted registers by lane.
fn carried_out(case: &Case, plan: &LaneShuffles, warp: u32, block: u32) -> Vec<Vec<Option<u64>>> {
    let size = plan.word_elements;
    let count = |layout: &LinearLayout| layout.out_size(Dim::Register).unwrap();
    let word_of = |lane: u32, word: u32| -> Vec<u64> {
        let registers = (0..size).map(|position| plan.source_words.source(word * size + position));
        registers
            .map(|register| case.source.word_at(register, lane, warp, block))
            .collect()
    };
    let mut words = vec![vec![vec![None; size as usize]; count(&plan.land) as usize]; LANES as usize];
    for round in 0..plan.rounds {
        let at = |map: &LinearLayout, lane| map.at(round, lane, warp, block)[0];
        let offered: Vec<_> = (0..LANES)
            .map(|lane| word_of(lane, at(&plan.send, lane)))
            .collect();
        for lane in 0..LANES {
            let from = at(&plan.from, lane);
            assert!(round >= plan.local_rounds || from == lane);
            if at(&plan.keep, lane) == 0 {
                let turn = at(&plan.turn, lane);
                for position in 0..size {
                    let place = &mut words[lane as usize][at(&plan.land, lane) as usize];
                    let old =
                        place[(position ^ turn) as usize].replace(offered[from as usize][position as usize]);
                    assert_eq!(old, None, "a place is filled twice");
                }
            }
        }
    }
    let registers = |lane: u32| {
        let at = |register| {
            let element = plan.wanted_words.source(register);
            words[lane as usize][(element / size) as usize][(element % size) as usize]
        };
        (0..case.wanted.in_size(Dim::Register)).map(at).collect()
    };
    (0..LANES).map(registers).collect()
}

/// The elements that a lane wants, those that it has, and their intersection; the largest number over
/// lanes of `wanted` words that have to come from other lanes.
fn received_at_least(case: &Case, word_elements: u32) -> u64 {
    let held = |layout: &LinearLayout, lane, warp, block| {
        let mut all: Vec<u64> = (0..layout.in_size(Dim::Register))
            .map(|r| layout.word_at(r, lane, warp, block))
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let mut most = 0;
    for (lane, warp) in (0..LANES).flat_map(|lane| (0..case.warps).map(move |warp| (lane, warp))) {
        for block in 0..2 {
            let (has, wants) = (
                held(&case.source, lane, warp, block),
                held(&case.wanted, lane, warp, block),
            );
            let missing = wants.iter().filter(|element| !has.contains(element)).count() as u64;
            most = most.max(missing.div_ceil(u64::from(word_elements)));
        }
    }
    most
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn every_value_arrives(case in case()) {
        let plan = LaneShuffles::plan(&case.source, &case.wanted, case.bytes).unwrap();
        let plan = plan.expect("everything wanted is in the warp");
        for (warp, block) in (0..case.warps).flat_map(|warp| [(warp, 0), (warp, 1)]) {
            let result = carried_out(&case, &plan, warp, block);
            for lane in 0..LANES {
                let wanted = (0..case.wanted.in_size(Dim::Register)).map(|r| Some(case.wanted.word_at(r, lane, warp, block)));
                prop_assert_eq!(&result[lane as usize], &wanted.collect::<Vec<_>>());
            }
        }
        // The number of instructions, which is minimal unless rounds are repeated.
        let pieces = u64::from(case.bytes.div_ceil(4));
        prop_assert!(plan.word_elements * case.bytes <= 4 || plan.word_elements == 1);
        prop_assert_eq!(plan.shuffles, u64::from(plan.rounds - plan.local_rounds) * pieces);
        if plan.keep.out_size(Dim::Register) == Some(1) {
            prop_assert_eq!(plan.shuffles, received_at_least(&case, plan.word_elements) * pieces);
        }
    }

    /// A plan exists exactly if each warp holds its wanted elements.
    #[test]
    fn only_exchanges_within_warps_have_a_plan(
        columns in prop::collection::vec(0u32..64, 10), cuts in (0usize..3, 0usize..4), cuts_b in (0usize..3, 0usize..4),
        own in any::<bool>(),
    ) {
        let of = |columns: &[u32], (registers, lanes): (usize, usize)| {
            let (register, rest) = columns.split_at(registers.min(columns.len()));
            let (lane, rest) = rest.split_at(lanes.min(rest.len()));
            layout(6, [register, lane, &rest[..rest.len().min(1)], &[]])
        };
        let source = of(&columns[..5], cuts);
        let wanted = if own { of(&[columns[1], columns[0], columns[2] ^ columns[3], columns[3], columns[4]], cuts_b) } else { of(&columns[5..], cuts_b) };
        let held = |layout: &LinearLayout, warp| -> Vec<u64> {
            (0..4).flat_map(|register| (0..LANES).map(move |lane| (register, lane))).map(|(register, lane)| layout.word_at(register, lane, warp, 0)).collect()
        };
        let possible = (0..2).all(|warp| {
            let has = held(&source, warp);
            held(&wanted, warp).iter().all(|element| has.contains(element))
        });
        prop_assert_eq!(LaneShuffles::plan(&source, &wanted, 4).unwrap().is_some(), possible);
    }
}

#[test]
fn known_exchanges_take_the_known_number_of_shuffles() {
    let shuffles = |source: &str, wanted: &str, bytes| {
        let parse = |text: &str| text.parse::<LinearLayout>().unwrap();
        let plan = LaneShuffles::plan(&parse(source), &parse(wanted), bytes)
            .unwrap()
            .unwrap();
        (plan.rounds, plan.local_rounds, plan.shuffles)
    };
    let a = "linear<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], shape = [128]>";
    // Four-by-four transpositions over four lanes: three exchanges, not four.
    let transposed = "linear<register = [[4], [8]], lane = [[1], [2], [16], [32], [64]], shape = [128]>";
    assert_eq!(shuffles(a, transposed, 4), (4, 1, 3));
    assert_eq!(shuffles(a, transposed, 8), (4, 1, 6));
    // A permutation of lanes: one exchange per register, of two elements at once if they fit a word.
    let rotated = "linear<register = [[1], [2]], lane = [[64], [4], [8], [16], [32]], shape = [128]>";
    assert_eq!(shuffles(a, rotated, 4), (4, 0, 4));
    assert_eq!(shuffles(a, rotated, 2), (2, 0, 2));
    assert_eq!(shuffles(a, rotated, 1), (1, 0, 1));
    // A broadcast of what one lane holds.
    let first = "linear<register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], shape = [128]>";
    assert_eq!(shuffles(a, first, 4), (4, 0, 4));
    // One lane has all elements that the warp wants.
    let spread = "linear<register = [], lane = [[1], [2], [0], [0], [0]], shape = [128]>";
    assert_eq!(shuffles(a, spread, 4), (4, 0, 4));
}

#[test]
fn only_warps_of_up_to_32_lanes_exchange() {
    let plan = |source: &str, wanted: &str| {
        let parse = |text: &str| text.parse::<LinearLayout>().unwrap();
        LaneShuffles::plan(&parse(source), &parse(wanted), 4).unwrap()
    };
    let lanes = "linear<lane = [[1], [2], [4], [8], [16]], shape = [64]>";
    let wide = "linear<lane = [[1], [2], [4], [8], [16], [32]], shape = [64]>";
    assert!(plan(lanes, lanes).is_some());
    assert_eq!(plan(wide, wide), None);
    assert_eq!(plan(wide, lanes), None);
    assert_eq!(plan(lanes, wide), None);
    // Dimensions other than threads exchange nothing.
    let offsets = "linear<offset = [[1], [2]], shape = [64]>";
    assert_eq!(plan(offsets, offsets), None);
    assert_eq!(plan(lanes, offsets), None);
}
