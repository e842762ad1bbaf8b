//! The cost of the round trip against the minimum over all linear shared-memory layouts, by exhaustive search on
//! small machines.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tilewright_layouts::bank::Access;
use tilewright_layouts::{Dim, LinearLayout, SharedRoundTrip};

use crate::side_cost::{Columns, Sizes, side_cost};

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

fn layout(held: &Columns, bits: usize) -> LinearLayout {
    let vectors = |columns: &[u32]| columns.iter().map(|column| vec![*column]).collect::<Vec<_>>();
    LinearLayout::from_bases(
        &[
            (Dim::Register, vectors(&held.registers)),
            (Dim::Lane, vectors(&held.lanes)),
            (Dim::Warp, vectors(&held.warps)),
        ],
        &[(Dim::Axis(0), 1 << bits)],
    )
    .unwrap()
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
        let least = placements
            .iter()
            .map(|placement| {
                let store = side_cost(&source, placement, Access::Store, &sizes);
                let load = side_cost(&wanted, placement, Access::Load, &sizes);
                (store.0 + load.0, store.1 + load.1)
            })
            .min()
            .unwrap();
        let trip = SharedRoundTrip::plan_on(
            sizes.model(),
            &layout(&source, bits),
            &layout(&wanted, bits),
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
