//! The laws of linear layouts, on random layouts, against elementwise computation.

use proptest::prelude::*;
use tilewright_layouts::{ColumnAction, Dim, LayoutError, LinearLayout, Spread};

use crate::random::{HARDWARE, any_layout, at, bijection, layout_of, positions, row_major, two_layouts};

proptest! {
    #[test]
    fn apply_is_the_sum_of_basis_vectors(layout in any_layout()) {
        for position in positions(&layout) {
            let mut sum = vec![0; layout.shape().len()];
            for (dim, value) in HARDWARE.into_iter().zip(position) {
                for (bit, vector) in layout.bases(dim).enumerate() {
                    if value >> bit & 1 == 1 {
                        sum.iter_mut().zip(vector.iter()).for_each(|(s, v)| *s ^= v);
                    }
                }
            }
            prop_assert_eq!(&at(&layout, position), &sum);
            let named: Vec<_> = HARDWARE.into_iter().zip(position).collect();
            prop_assert_eq!(layout.apply(&named).to_vec(), sum.clone());
            let [r, l, w, b] = position;
            prop_assert_eq!(layout.word_at(r, l, w, b), u64::from(row_major(&sum, &layout.shape())));
        }
    }

    #[test]
    fn rank_and_jectivity_are_what_counting_says(layout in any_layout()) {
        let mut reached: Vec<_> = positions(&layout).into_iter().map(|p| at(&layout, p)).collect();
        let held = reached.len();
        reached.sort();
        reached.dedup();
        prop_assert_eq!(1 << layout.rank(), reached.len());
        prop_assert_eq!(layout.is_injective(), held == reached.len());
        let elements: u32 = layout.shape().iter().product();
        prop_assert_eq!(layout.is_surjective(), elements as usize == reached.len());
    }

    #[test]
    fn owners_are_unique_and_complete(layout in any_layout()) {
        let owner = |p: &[u32; 4]| {
            HARDWARE.into_iter().zip(p).all(|(dim, value)| layout.free_mask(dim) & value == 0)
        };
        let mut all: Vec<_> = positions(&layout).into_iter().map(|p| at(&layout, p)).collect();
        let mut owned: Vec<_> = positions(&layout).into_iter().filter(owner).map(|p| at(&layout, p)).collect();
        all.sort();
        all.dedup();
        owned.sort();
        prop_assert_eq!(all, owned);
    }

    #[test]
    fn product_shifts_shared_dimensions(a in layout_of(vec![2, 1]), b in layout_of(vec![1, 3])) {
        let ab = a.product(&b).unwrap();
        for position in positions(&ab) {
            let inner: Vec<u32> = HARDWARE.iter().zip(position).map(|(d, v)| v % a.in_size(*d)).collect();
            let outer: Vec<u32> = HARDWARE.iter().zip(position).map(|(d, v)| v / a.in_size(*d)).collect();
            let low = at(&a, inner.try_into().unwrap());
            let high = at(&b, outer.try_into().unwrap());
            prop_assert_eq!(at(&ab, position), vec![low[0] + 4 * high[0], low[1] + 2 * high[1]]);
        }
    }

    #[test]
    fn product_is_associative(a in layout_of(vec![2, 1]), b in layout_of(vec![1, 2]), c in layout_of(vec![1])) {
        prop_assert_eq!((&(&a * &b).unwrap() * &c).unwrap(), (&a * &(&b * &c).unwrap()).unwrap());
        prop_assert_eq!((&a * &LinearLayout::empty()).unwrap(), a.clone());
        prop_assert_eq!((&LinearLayout::empty() * &a).unwrap(), a);
    }

    #[test]
    fn compose_applies_one_after_the_other(
        a in bijection(Dim::Lane, Dim::Offset),
        b in bijection(Dim::Offset, Dim::Axis(0)),
        c in bijection(Dim::Axis(0), Dim::Axis(1)),
    ) {
        let ab = a.compose(&b).unwrap();
        for lane in 0..64 {
            let middle = a.at(0, lane, 0, 0)[0];
            prop_assert_eq!(ab.at(0, lane, 0, 0), b.apply(&[(Dim::Offset, middle)]));
        }
        prop_assert_eq!(ab.compose(&c).unwrap(), a.compose(&b.compose(&c).unwrap()).unwrap());
    }

    #[test]
    fn compose_is_associative_between_any_layouts(
        a in layout_of(vec![2, 1]), b in layout_of(vec![1, 2, 1]), c in layout_of(vec![3]), grown in 0u32..2,
    ) {
        // The inputs of the next are the outputs of the one before, or larger.
        let onto = |layout: &LinearLayout, ins: &[(Dim, u32)]| {
            let bits: u32 = ins.iter().map(|(_, size)| size.ilog2()).sum();
            let flat = layout.flatten_ins(Dim::Offset).unwrap();
            flat.resize_in(Dim::Offset, 1 << bits).unwrap().reshape_ins(ins).unwrap()
        };
        let b = onto(&b, &[(Dim::Axis(0), 4 << grown), (Dim::Axis(1), 2)]);
        let c = onto(&c, &[(Dim::Axis(0), 2), (Dim::Axis(1), 4), (Dim::Axis(2), 2 << grown)]);
        let (ab, bc) = (a.compose(&b).unwrap(), b.compose(&c).unwrap());
        prop_assert_eq!(ab.compose(&c).unwrap(), a.compose(&bc).unwrap());
        for p in positions(&a) {
            let middle = at(&a, p);
            let expected = b.apply(&[(Dim::Axis(0), middle[0]), (Dim::Axis(1), middle[1])]);
            prop_assert_eq!(at(&ab, p), expected.to_vec());
        }
        let neutral = LinearLayout::from_bases(
            &[(Dim::Axis(0), vec![vec![1, 0], vec![2, 0]]), (Dim::Axis(1), vec![vec![0, 1]])],
            &[(Dim::Axis(0), 4), (Dim::Axis(1), 2)],
        ).unwrap();
        prop_assert_eq!(a.compose(&neutral).unwrap(), a);
    }

    #[test]
    fn invert_undoes(a in bijection(Dim::Lane, Dim::Axis(0)), b in bijection(Dim::Offset, Dim::Axis(0))) {
        let back = a.invert().unwrap();
        prop_assert!(a.compose(&back).unwrap().is_trivial_over(&[Dim::Lane]));
        prop_assert!(back.compose(&a).unwrap().is_trivial_over(&[Dim::Axis(0)]));
        prop_assert_eq!(back.invert().unwrap(), a.clone());
        prop_assert_eq!(a.invert_and_compose(&b).unwrap(), a.compose(&b.invert().unwrap()).unwrap());
    }

    #[test]
    fn pseudo_inverse_is_the_smallest_right_inverse((layout, _) in two_layouts()) {
        let back = layout.pseudo_inverse().unwrap();
        let axes: Vec<_> = layout.out_dims().map(|(dim, _)| dim).collect();
        let place = |coordinate: &[u32]| {
            let named: Vec<_> = axes.iter().copied().zip(coordinate.iter().copied()).collect();
            let found = back.apply(&named);
            let mut position = [0; 4];
            for ((dim, _), value) in back.out_dims().zip(found.iter()) {
                position[HARDWARE.iter().position(|d| *d == dim).unwrap()] = *value;
            }
            position
        };
        for position in positions(&layout) {
            let coordinate = at(&layout, position);
            let first = positions(&layout).into_iter().find(|p| at(&layout, *p) == coordinate).unwrap();
            prop_assert_eq!(place(&coordinate), first);
        }
        // Also on outputs outside of the image: G(L(G(y))) = G(y).
        let all = layout.shape().iter().product::<u32>();
        for index in 0..all {
            let mut rest = index;
            let mut y = layout.shape();
            for size in y.iter_mut().rev() {
                (rest, *size) = (rest / *size, rest % *size);
            }
            prop_assert_eq!(place(&at(&layout, place(&y))), place(&y));
        }
    }

    #[test]
    fn invert_and_compose_is_the_smallest_of_all_solutions((a, b) in two_layouts()) {
        if let Ok(c) = a.invert_and_compose(&b) {
            let all = positions(&b);
            let placed: Vec<_> = all.iter().map(|p| at(&b, *p)).collect();
            for p in positions(&a) {
                let held = at(&a, p);
                // The positions are in numerical order: the first solution is the smallest.
                let first = placed.iter().position(|found| *found == held).map(|index| all[index]);
                let found: Vec<(Dim, u32)> = c.out_dims().map(|(dim, _)| dim).zip(at(&c, p)).collect();
                let found = HARDWARE.map(|dim| {
                    found.iter().find(|(known, _)| *known == dim).map_or(0, |(_, value)| *value)
                });
                prop_assert_eq!(Some(found), first);
            }
        }
    }

    #[test]
    fn invert_and_compose_finds_what_is_held((a, b) in two_layouts()) {
        let reached: Vec<_> = positions(&b).into_iter().map(|p| at(&b, p)).collect();
        let covered = positions(&a).into_iter().all(|p| reached.contains(&at(&a, p)));
        match a.invert_and_compose(&b) {
            Ok(c) => {
                prop_assert!(covered);
                for p in positions(&a) {
                    let found = c.at(p[0], p[1], p[2], p[3]);
                    let named: Vec<_> = c.out_dims().map(|(d, _)| d).zip(found.iter().copied()).collect();
                    prop_assert_eq!(b.apply(&named).to_vec(), at(&a, p));
                }
            }
            Err(LayoutError::NotCovered { .. }) => prop_assert!(!covered),
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    #[test]
    fn reshape_keeps_row_major_indices(layout in layout_of(vec![2, 3, 1]), to in 0usize..4) {
        let shape = [vec![64], vec![8, 8], vec![2, 1, 32], vec![4, 2, 2, 2, 2]][to].clone();
        let reshaped = layout.reshape_outs(&shape).unwrap();
        for p in positions(&layout) {
            prop_assert_eq!(row_major(&at(&reshaped, p), &shape), row_major(&at(&layout, p), &[4, 8, 2]));
        }
        prop_assert_eq!(reshaped.reshape_outs(&[4, 8, 2]).unwrap(), layout);
    }

    #[test]
    fn permute_moves_axes(layout in layout_of(vec![1, 2, 3]), order in Just(vec![0, 1, 2]).prop_shuffle()) {
        let permuted = layout.permute_axes(&order).unwrap();
        for p in positions(&layout) {
            let old = at(&layout, p);
            let new: Vec<u32> = order.iter().map(|axis| old[*axis]).collect();
            prop_assert_eq!(at(&permuted, p), new);
        }
    }

    #[test]
    fn slice_then_broadcast_changes_one_axis(layout in layout_of(vec![1, 2, 2]), axis in 0usize..3, to in 0u32..4) {
        let sliced = layout.slice(axis).unwrap();
        for p in positions(&layout) {
            let mut expected = at(&layout, p);
            expected[axis] = 0;
            prop_assert_eq!(at(&sliced, p), expected.clone());
            expected.remove(axis);
            prop_assert_eq!(at(&sliced.remove_axis(axis).unwrap(), p), expected);
        }
        prop_assert_eq!(sliced.remove_axis(axis).unwrap().insert_axis(axis).unwrap(), sliced.clone());
        for spread in [Spread::Registers, Spread::CopiesFirst] {
            let wide = sliced.broadcast(axis, 1 << to, spread).unwrap();
            prop_assert_eq!(wide.slice(axis).unwrap().drop_copies(Dim::Register), sliced.drop_copies(Dim::Register));
            // Each element of the axis is reached, with the other coordinates reached before.
            prop_assert_eq!(wide.rank(), sliced.rank() + to as usize);
        }
    }

    #[test]
    fn consecutive_registers_are_counted((layout, _) in two_layouts()) {
        for first in [false, true] {
            for axis in 0..layout.shape().len() {
                let dim = Dim::Axis(axis as u8);
                let layout = if first {
                    ColumnAction::contiguous_first(&layout, Dim::Register, dim).apply(&layout).unwrap()
                } else {
                    layout.clone()
                };
                let runs = |n: u32| {
                    n <= layout.in_size(Dim::Register) && n <= layout.shape()[axis] && positions(&layout).into_iter().all(|p| {
                        let mut start = p;
                        start[0] -= p[0] % n;
                        let mut expected = at(&layout, start);
                        let aligned = expected[axis].is_multiple_of(n);
                        expected[axis] += p[0] % n;
                        aligned && at(&layout, p) == expected
                    })
                };
                let best = (0..5).map(|bit| 1 << bit).filter(|n| runs(*n)).max().unwrap();
                prop_assert_eq!(layout.num_consecutive_in_out(dim), best);
            }
        }
    }

    #[test]
    fn register_maps_are_found_exactly((a, b) in two_layouts()) {
        // Brute force: a source register for each wanted register that is correct in every thread.
        let same_thread = |r: u32, s: u32| {
            (0..8).all(|l| (0..4).all(|w| (0..2).all(|k| a.at(r, l, w, k) == b.at(s, l, w, k))))
        };
        let sources: Option<Vec<u32>> = (0..a.in_size(Dim::Register))
            .map(|r| (0..b.in_size(Dim::Register)).find(|s| same_thread(r, *s)))
            .collect();
        prop_assert_eq!(a.registers_from(&b).map(|map| map.sources().collect::<Vec<_>>()), sources);
        let reversed: Vec<usize> = (0..b.in_bits(Dim::Register) as usize).rev().collect();
        let other = b.permute_bits(Dim::Register, &reversed).unwrap();
        prop_assert!(b.equal_up_to_registers(&other));
    }
}

#[test]
fn impossible_layouts_are_refused() {
    let d0 = Dim::Axis(0);
    assert_eq!(
        LinearLayout::identity_1d(12, Dim::Lane, d0),
        Err(LayoutError::NotPowerOfTwo {
            dim: Dim::Lane,
            size: 12
        })
    );
    assert_eq!(
        LinearLayout::from_parts(&[], &[1 << 40]),
        Err(LayoutError::DimTooLarge { dim: d0, bits: 40 })
    );
    assert_eq!(
        LinearLayout::from_parts(&[], &[2; 9]),
        Err(LayoutError::RankTooLarge { rank: 9 })
    );
    assert_eq!(
        LinearLayout::from_parts(&[], &[1 << 31, 1 << 31]),
        Err(LayoutError::TooManyBits { bits: 62 })
    );
    assert_eq!(
        LinearLayout::from_parts(&[(Dim::Lane, vec![vec![4]])], &[4]),
        Err(LayoutError::BasisOutOfRange {
            dim: Dim::Lane,
            index: 0,
            out: d0,
            value: 4,
            size: 4
        })
    );
    assert_eq!(
        LinearLayout::from_parts(&[(Dim::Lane, vec![]), (Dim::Lane, vec![])], &[4]),
        Err(LayoutError::DuplicateDim { dim: Dim::Lane })
    );
}

#[test]
fn scalars_have_a_layout() {
    let scalar: LinearLayout = "linear<lane = [[], []], shape = []>".parse().unwrap();
    assert_eq!(scalar.free_mask(Dim::Lane), 3);
    assert!(scalar.at(0, 1, 0, 0).is_empty());
    assert_eq!(scalar.to_string(), "linear<lane = [[], []], shape = []>");
}
