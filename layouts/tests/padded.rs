//! Padded shared-memory layouts against elementwise definitions.

use std::collections::HashMap;

use proptest::prelude::*;
use tilewright_layouts::bank::{Access, access_cost};
use tilewright_layouts::shared::{Padded, Padding};
use tilewright_layouts::{Blocked, Dim, LinearLayout};

proptest! {
    #[test]
    fn padding_is_its_definition(
        log_size in 0u32..10, paddings in prop::collection::vec((1u32..40, 0u32..9), 0..3),
    ) {
        let linear = LinearLayout::identity_1d(1 << log_size, Dim::Offset, Dim::Axis(0)).unwrap();
        let list: Vec<Padding> =
            paddings.iter().map(|(interval, amount)| Padding { interval: *interval, amount: *amount }).collect();
        let padded = Padded::new(linear, &list).unwrap();
        // One element after the other.
        let (mut place, mut places) = (0u64, HashMap::new());
        for offset in 0..1 << log_size {
            for (interval, amount) in &paddings {
                place += if offset > 0 && offset % interval == 0 { u64::from(*amount) } else { 0 };
            }
            prop_assert_eq!(padded.place(offset), place);
            places.insert(place, offset);
            place += 1;
        }
        prop_assert_eq!(padded.size(), place);
        for place in 0..place + 5 {
            prop_assert_eq!(padded.offset(place), places.get(&place).copied());
        }
    }

    #[test]
    fn the_cost_of_a_padded_tile_is_that_of_its_accesses(
        (rows, columns) in (3u32..6, 3u32..6), amount in 0u32..9, log_vector in 0u32..3, column_first in any::<bool>(),
    ) {
        let (shape, vector) = ([1u32 << rows, 1 << columns], 1 << log_vector);
        let padded = Padded::rows(&shape, &[1, 0], amount * vector).unwrap();
        let order = if column_first { [0, 1] } else { [1, 0] };
        let width = if column_first { 1 } else { vector };
        let access = Blocked::coalesced(&shape, width, &order, 2).unwrap().to_linear(&shape).unwrap();
        let width = width.min(access.in_size(Dim::Register));
        let offsets = access.compose(&padded.linear().invert().unwrap()).unwrap();
        let mut cycles = 0;
        for (warp, register) in (0..2).flat_map(|w| (0..access.in_size(Dim::Register)).step_by(width as usize).map(move |r| (w, r))) {
            let addresses = std::array::from_fn(|lane| {
                let element = access.at(register, lane as u32, warp, 0);
                (element[0] * (shape[1] + amount * vector) + element[1]) * 4
            });
            cycles += access_cost(Access::Store, &addresses, width * 4).unwrap().cycles;
        }
        prop_assert_eq!(padded.cost(&offsets, width, 4).unwrap().cycles, cycles);
    }
}

/// No smaller padding, and no other below 128 bytes, does better; one word a row frees a transposition.
#[test]
fn the_cheapest_padding_is_found() {
    let tile = [32, 64];
    let rows = Blocked::coalesced(&tile, 4, &[1, 0], 4)
        .unwrap()
        .to_linear(&tile)
        .unwrap();
    let columns = Blocked::coalesced(&tile, 1, &[0, 1], 4)
        .unwrap()
        .to_linear(&tile)
        .unwrap();
    for (accesses, amount) in [
        (vec![(&rows, 1), (&columns, 1)], 1),
        (vec![(&rows, 4), (&columns, 1)], 4),
        (vec![(&rows, 4)], 0),
    ] {
        let found = Padded::cheapest_rows(&tile, &[1, 0], &accesses, 4).unwrap();
        let cycles = |padded: &Padded| -> u64 {
            let offsets = padded.linear().invert().unwrap();
            let cost = |(access, vector): &(&LinearLayout, u32)| {
                padded
                    .cost(&access.compose(&offsets).unwrap(), *vector, 4)
                    .unwrap()
                    .cycles
            };
            accesses.iter().map(cost).sum()
        };
        let widest = accesses.iter().map(|(_, vector)| *vector).max().unwrap();
        for other in (0..32).step_by(widest as usize) {
            let other_cycles = cycles(&Padded::rows(&tile, &[1, 0], other).unwrap());
            assert!(
                other_cycles > cycles(&found)
                    || other >= found.paddings()[0].amount && other_cycles == cycles(&found)
            );
        }
        assert_eq!(found.paddings()[0].amount, amount);
    }
}

#[test]
fn what_cannot_be_padded_or_accessed_is_refused() {
    let line = LinearLayout::identity_1d(1 << 31, Dim::Offset, Dim::Axis(0)).unwrap();
    assert!(
        Padded::new(
            line.clone(),
            &[Padding {
                interval: 0,
                amount: 1
            }]
        )
        .is_err()
    );
    assert!(
        Padded::new(
            line,
            &[Padding {
                interval: 1,
                amount: u32::MAX
            }]
        )
        .is_err()
    );
    let rows = Padded::rows(&[8, 8], &[1, 0], 1).unwrap();
    let offsets = LinearLayout::identity_1d(32, Dim::Lane, Dim::Offset).unwrap();
    assert!(rows.cost(&offsets, 16, 1).is_err());
    assert!(rows.cost(&offsets, 0, 4).is_err());
    // A lane has one element of the two that it would move.
    assert!(rows.cost(&offsets, 1, 4).is_ok());
    let even = LinearLayout::strided_1d(32, 2, Dim::Lane, Dim::Offset).unwrap();
    assert_eq!(
        rows.cost(&even, 2, 4).unwrap_err().to_string(),
        "vector is 2; it has to be the length of aligned runs of consecutive registers and offsets"
    );
}
