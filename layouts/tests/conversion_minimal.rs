//! The cost of the round trip against the minimum over all linear shared-memory layouts, by exhaustive search on
//! small machines.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tilewright_layouts::bank::{Access, BankModel};
use tilewright_layouts::{Dim, LinearLayout, SharedRoundTrip};

/// All bijections of `bits` bits, by the images of the powers of two.
fn bijections(bits: usize) -> Vec<Vec<u32>> {
    let mut all = vec![(Vec::new(), vec![0u32])];
    for _ in 0..bits {
        all = all
            .into_iter()
            .flat_map(|(images, span)| {
                (1..1u32 << bits)
                    .filter(|image| !span.contains(image))
                    .map(|image| {
                        let grown = span.iter().copied().chain(span.iter().map(|old| old ^ image));
                        let images = images.iter().copied().chain([image]).collect::<Vec<_>>();
                        (images, grown.collect::<Vec<_>>())
                    })
                    .collect::<Vec<_>>()
            })
            .collect();
    }
    all.into_iter().map(|(images, _)| images).collect()
}

fn sum(columns: &[u32], index: u32) -> u32 {
    let picked = columns
        .iter()
        .enumerate()
        .filter(|(bit, _)| index >> bit & 1 == 1);
    picked.fold(0, |sum, (_, column)| sum ^ column)
}

/// Columns of a layout of one axis: registers, lanes of one access, other threads.
#[derive(Clone, Debug)]
struct Columns {
    registers: Vec<u32>,
    lanes: Vec<u32>,
    warps: Vec<u32>,
}

impl Columns {
    fn layout(&self, bits: usize) -> LinearLayout {
        let vectors = |columns: &[u32]| columns.iter().map(|column| vec![*column]).collect::<Vec<_>>();
        LinearLayout::from_bases(
            &[
                (Dim::Register, vectors(&self.registers)),
                (Dim::Lane, vectors(&self.lanes)),
                (Dim::Warp, vectors(&self.warps)),
            ],
            &[(Dim::Axis(0), 1 << bits)],
        )
        .unwrap()
    }
}

/// The smallest (cycles, accesses) of one warp through a shared-memory layout, over all vector
/// lengths.
fn side_cost(
    columns: &Columns,
    placement: &[u32],
    access: Access,
    model: BankModel,
    machine: &Sizes,
) -> (u64, u64) {
    let at = |columns: &[u32], index| sum(placement, sum(columns, index));
    let distinct = |mut offsets: Vec<u32>| {
        offsets.sort_unstable();
        offsets.dedup();
        offsets.len() as u64
    };
    let threads = [&columns.lanes[..], &columns.warps[..]].concat();
    let held: Vec<u32> = (0..1 << columns.registers.len())
        .map(|r| at(&columns.registers, r))
        .collect();
    let starts: Vec<u32> = (0..1 << threads.len()).map(|t| at(&threads, t)).collect();
    let everything = distinct(
        held.iter()
            .flat_map(|r| starts.iter().map(move |t| r ^ t))
            .collect(),
    );
    let transfers = match access {
        Access::Load => distinct(held.clone()),
        // Each store of all threads writes one element per distinct thread, which gives the lower
        // bound.
        Access::Store => everything / distinct(starts.clone()),
    };
    let mut best = (u64::MAX, u64::MAX);
    for vector_bits in 0..=machine.access_bits - machine.element_bits {
        let vector = 1u32 << vector_bits;
        // The low offset bits may depend on registers only, and every vector has to be whole.
        let aligned = starts.iter().all(|start| start % vector == 0);
        let whole = held
            .iter()
            .all(|offset| (0..vector).all(|low| held.contains(&(offset / vector * vector + low))));
        if !aligned || !whole {
            continue;
        }
        let bytes = 1 << machine.element_bits;
        let addresses: Vec<u32> = (0..1 << machine.lane_bits)
            .map(|lane| at(&columns.lanes, lane) * bytes)
            .collect();
        let once = model.access_cost(access, &addresses, vector * bytes).unwrap();
        let accesses = transfers / u64::from(vector);
        best = best.min((once.cycles * accesses, accesses));
    }
    best
}

#[derive(Clone, Copy, Debug)]
struct Sizes {
    lane_bits: u32,
    word_bits: u32,
    access_bits: u32,
    element_bits: u32,
}

fn sizes() -> impl Strategy<Value = Sizes> {
    (0u32..4, 0u32..2, 0u32..3, 0u32..3).prop_filter_map(
        "a machine",
        |(lane_bits, word_bits, more, element_bits)| {
            let access_bits = word_bits + more.min(lane_bits.saturating_sub(1));
            (element_bits <= access_bits).then_some(Sizes {
                lane_bits,
                word_bits,
                access_bits,
                element_bits,
            })
        },
    )
}

/// Layouts of all `2^bits` elements: a bijection's columns assigned to registers, lanes and warps,
/// optionally with columns that make copies.
fn columns(bits: usize, lane_bits: usize) -> impl Strategy<Value = Columns> {
    let images = prop::collection::vec((0..bits, 0..bits), 0..12).prop_map(move |steps| {
        let mut images: Vec<u32> = (0..bits).map(|bit| 1 << bit).collect();
        for (a, b) in steps.into_iter().filter(|(a, b)| a != b) {
            images[a] ^= images[b];
        }
        images
    });
    let nice = Just((0..bits).map(|bit| 1 << bit).collect::<Vec<u32>>());
    let images = prop_oneof![images, nice].prop_shuffle();
    let extra = prop::collection::vec(prop_oneof![Just(0), 0u32..1 << bits], 0..3);
    (images, extra, 0..=lane_bits, 0..=bits, 0usize..3, 0usize..3).prop_map(
        move |(images, extra, own_lanes, registers, copies_at, turn)| {
            let own_lanes = own_lanes.min(bits);
            let (lanes, rest) = images.split_at(own_lanes);
            let (registers, warps) = rest.split_at(registers.min(rest.len()));
            let mut all = Columns {
                registers: registers.to_vec(),
                lanes: lanes.to_vec(),
                warps: warps.to_vec(),
            };
            for (index, column) in extra.into_iter().enumerate() {
                match (index + copies_at) % 3 {
                    0 => all.registers.push(column),
                    1 if all.lanes.len() < lane_bits => all.lanes.push(column),
                    _ => all.warps.push(column),
                }
            }
            // Copies are not always last.
            let turn_by = |columns: &mut Vec<u32>| {
                if !columns.is_empty() {
                    let by = turn % columns.len();
                    columns.rotate_left(by);
                }
            };
            turn_by(&mut all.registers);
            turn_by(&mut all.lanes);
            all
        },
    )
}

fn check(bits: usize, cases: u32) {
    let placements = bijections(bits);
    let mut runner = TestRunner::new(Config::with_cases(cases));
    let case = sizes().prop_flat_map(move |sizes| {
        let lanes = sizes.lane_bits as usize;
        (Just(sizes), columns(bits, lanes), columns(bits, lanes))
    });
    let result = runner.run(&case, |(sizes, source, wanted)| {
        let model = BankModel::new(sizes.lane_bits, sizes.word_bits, sizes.access_bits).unwrap();
        let least = placements
            .iter()
            .map(|placement| {
                let store = side_cost(&source, placement, Access::Store, model, &sizes);
                let load = side_cost(&wanted, placement, Access::Load, model, &sizes);
                (store.0 + load.0, store.1 + load.1)
            })
            .min()
            .unwrap();
        let trip = SharedRoundTrip::plan_on(
            model,
            &source.layout(bits),
            &wanted.layout(bits),
            1 << sizes.element_bits,
        )
        .unwrap();
        prop_assert_eq!((trip.cycles(), trip.accesses()), least);
        Ok(())
    });
    result.unwrap();
}

#[test]
fn there_are_as_many_placements_as_the_general_linear_group_has_elements() {
    assert_eq!(
        [1, 2, 3, 4].map(|bits| bijections(bits).len()),
        [1, 6, 168, 20160]
    );
}

#[test]
fn no_placement_of_8_elements_is_cheaper() {
    check(3, 2000);
}

#[test]
fn no_placement_of_16_elements_is_cheaper() {
    check(4, 40);
}

/// Ten million shared-memory layouts per case, which takes minutes.
#[test]
#[ignore = "takes minutes"]
fn no_placement_of_32_elements_is_cheaper() {
    check(5, 12);
}
