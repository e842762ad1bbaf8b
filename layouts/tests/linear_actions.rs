//! Permutations of the bits of a dimension: layout and values stay consistent; contiguity by search.

use proptest::prelude::*;
use tilewright_layouts::{ColumnAction, Dim, LayoutError, LinearLayout};

use crate::random::{HARDWARE, any_layout, at, positions};

/// Any action on this many bits of `dim`: some of them, in some order.
fn action_on(dim: Dim, bits: u32) -> impl Strategy<Value = ColumnAction> {
    let order = Just((0..bits as usize).collect::<Vec<_>>()).prop_shuffle();
    (order, 0..=bits as usize).prop_map(move |(mut order, kept)| {
        order.truncate(kept);
        ColumnAction::new(dim, bits, &order).unwrap()
    })
}

fn layout_and_action() -> impl Strategy<Value = (LinearLayout, ColumnAction)> {
    (any_layout(), 0usize..4).prop_flat_map(|(layout, dim)| {
        let dim = HARDWARE[dim];
        let bits = layout.in_bits(dim);
        (Just(layout), action_on(dim, bits))
    })
}

/// The value of each position along the action's dimension, with the others at `rest`.
fn values(layout: &LinearLayout, dim: Dim, rest: [u32; 4]) -> Vec<Vec<u32>> {
    let which = HARDWARE.iter().position(|d| *d == dim).unwrap();
    let position = |value| {
        let mut position = rest;
        position[which] = value;
        position
    };
    (0..layout.in_size(dim))
        .map(|value| at(layout, position(value)))
        .collect()
}

proptest! {
    #[test]
    fn layout_and_values_stay_together((layout, action) in layout_and_action()) {
        let moved = action.apply(&layout).unwrap();
        prop_assert_eq!(moved.in_bits(action.dim()), action.target_bits());
        for p in positions(&layout) {
            let (before, after) = (values(&layout, action.dim(), p), values(&moved, action.dim(), p));
            prop_assert_eq!(action.apply_to(&before).unwrap(), after);
        }
    }

    #[test]
    fn values_move_bit_by_bit((layout, action) in layout_and_action()) {
        let all: Vec<u32> = (0..layout.in_size(action.dim())).collect();
        let selected: Vec<u32> = action.selected().collect();
        let expected: Vec<u32> = (0..1u32 << selected.len())
            .map(|new| (0..selected.len()).filter(|bit| new >> bit & 1 == 1).map(|bit| 1 << selected[bit]).sum())
            .collect();
        prop_assert_eq!(action.apply_to(&all).unwrap(), expected);
        prop_assert_eq!(action.is_identity(), action.apply_to(&all).unwrap() == all);
        prop_assert_eq!(action.is_identity(), action == ColumnAction::identity(action.dim(), action.source_bits()).unwrap());
    }

    #[test]
    fn actions_compose_and_undo(
        (layout, first, second) in layout_and_action().prop_flat_map(|(layout, first)| {
            let second = action_on(first.dim(), first.target_bits());
            (Just(layout), Just(first), second)
        }),
    ) {
        let both = first.then(&second).unwrap();
        let in_turn = second.apply(&first.apply(&layout).unwrap()).unwrap();
        prop_assert_eq!(both.apply(&layout).unwrap(), in_turn);
        let all: Vec<u32> = (0..layout.in_size(first.dim())).collect();
        let in_turn = second.apply_to(&first.apply_to(&all).unwrap()).unwrap();
        prop_assert_eq!(both.apply_to(&all).unwrap(), in_turn);
        let identity = |bits| ColumnAction::identity(first.dim(), bits).unwrap();
        prop_assert_eq!(identity(first.source_bits()).then(&first).unwrap(), first.clone());
        prop_assert_eq!(first.then(&identity(first.target_bits())).unwrap(), first.clone());
        match first.inverse() {
            Some(back) => {
                prop_assert!(first.is_permutation());
                prop_assert!(first.then(&back).unwrap().is_identity() && back.then(&first).unwrap().is_identity());
                prop_assert_eq!(back.apply(&first.apply(&layout).unwrap()).unwrap(), layout);
                prop_assert_eq!(back.inverse(), Some(first));
            }
            None => prop_assert!(!first.is_permutation()),
        }
    }

    #[test]
    fn expanding_is_undone((layout, action) in layout_and_action()) {
        let kept: Vec<u32> = (0..1 << action.target_bits()).collect();
        let expanded: Vec<u32> = action.expand(&kept).unwrap().copied().collect();
        prop_assert_eq!(expanded.len() as u32, layout.in_size(action.dim()));
        prop_assert_eq!(action.apply_to(&expanded).unwrap(), kept);
    }

    #[test]
    fn dropping_copies_loses_nothing(layout in any_layout(), dim in 0usize..4) {
        let dim = HARDWARE[dim];
        let action = ColumnAction::drop_copies(&layout, dim);
        let small = action.apply(&layout).unwrap();
        prop_assert_eq!(&small, &layout.drop_copies(dim));
        prop_assert_eq!(small.copy_mask(dim), 0);
        prop_assert_eq!(small.rank(), layout.rank());
        for p in positions(&layout) {
            let all = values(&layout, dim, p);
            let kept = action.apply_to(&all).unwrap();
            prop_assert_eq!(action.expand(&kept).unwrap().cloned().collect::<Vec<_>>(), all);
        }
    }

    #[test]
    fn no_order_of_bits_is_more_contiguous(layout in any_layout()) {
        for axis in 0..layout.shape().len() {
            let out = Dim::Axis(axis as u8);
            for dim in [Dim::Register, Dim::Lane] {
                let bits = layout.in_bits(dim) as usize;
                let best = orders(bits).iter()
                    .map(|order| layout.permute_bits(dim, order).unwrap().num_consecutive(dim, out))
                    .max().unwrap();
                let moved = ColumnAction::contiguous_first(&layout, dim, out).apply(&layout).unwrap();
                prop_assert_eq!(moved.num_consecutive(dim, out), best);
            }
        }
    }

    #[test]
    fn consecutive_positions_are_counted(layout in any_layout(), dim in 0usize..4, axis in 0usize..4) {
        let axis = axis % layout.shape().len();
        let runs = |n: u32| {
            n <= layout.in_size(HARDWARE[dim]) && n <= layout.shape()[axis] && positions(&layout).into_iter().all(|p| {
                let mut start = p;
                start[dim] -= p[dim] % n;
                let mut expected = at(&layout, start);
                let aligned = expected[axis].is_multiple_of(n);
                expected[axis] += p[dim] % n;
                aligned && at(&layout, p) == expected
            })
        };
        let best = (0..5).map(|bit| 1 << bit).filter(|n| runs(*n)).max().unwrap();
        prop_assert_eq!(layout.num_consecutive(HARDWARE[dim], Dim::Axis(axis as u8)), best);
    }
}

/// Every order of up to three bits.
fn orders(bits: usize) -> Vec<Vec<usize>> {
    match bits {
        0 => vec![vec![]],
        _ => {
            let insert = |shorter: Vec<usize>| {
                (0..bits).map(move |at| {
                    let mut order = shorter.clone();
                    order.insert(at, bits - 1);
                    order
                })
            };
            orders(bits - 1).into_iter().flat_map(insert).collect()
        }
    }
}

#[test]
fn impossible_actions_are_refused() {
    let select = |bits, selected: &[usize]| ColumnAction::new(Dim::Lane, bits, selected);
    let refused = |bit, bits| {
        Err(LayoutError::BitSelection {
            dim: Dim::Lane,
            bit,
            bits,
        })
    };
    assert_eq!(select(3, &[3]), refused(3, 3));
    assert_eq!(select(3, &[1, 0, 1]), refused(1, 3));
    assert_eq!(
        select(32, &[]),
        Err(LayoutError::DimTooLarge {
            dim: Dim::Lane,
            bits: 32
        })
    );
    assert!(ColumnAction::identity(Dim::Lane, u32::MAX).is_err());
    let action = select(2, &[1]).unwrap();
    assert_eq!(
        action.apply_to(&[0, 1]),
        Err(LayoutError::LengthMismatch {
            found: 2,
            expected: 4
        })
    );
    assert!(action.expand(&[0, 1, 2]).is_err());
    assert!(action.apply(&LinearLayout::empty()).is_err());
    // One bit remains; the next action has to be on a single bit.
    for bits in [0, 2] {
        let next = ColumnAction::identity(Dim::Lane, bits).unwrap();
        assert_eq!(
            action.then(&next),
            Err(LayoutError::SizeMismatch {
                dim: Dim::Lane,
                found: 2,
                expected: 1 << bits
            })
        );
    }
    let other = ColumnAction::identity(Dim::Warp, 1).unwrap();
    assert_eq!(
        action.then(&other),
        Err(LayoutError::MissingDim { dim: Dim::Warp })
    );
    assert_eq!(action.to_string(), "lane [1] of 2 bits");
}
