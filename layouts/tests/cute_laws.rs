//! The laws of CuTe layouts: functions, simplification, composition, complements and inverses, by brute
//! force over all coordinates of random layouts.

use crate::cute_model::*;
use proptest::prelude::*;
use tilewright_layouts::cute::{Coord, CuteError, Int, IntTuple, Layout};

/// The fewest leaves of any layout that is this function: the shortest path from 1 to the size by
/// extents, each of which has to be a repetition.
fn fewest_leaves(table: &[u64]) -> usize {
    let repeats = |period: usize, extent: usize| {
        (0..period * extent).all(|i| table[i] == table[i % period] + (i / period) as u64 * table[period])
    };
    let mut fewest = vec![None; table.len() + 1];
    fewest[1] = Some(0);
    for period in 1..table.len() {
        let Some(so_far) = fewest[period] else { continue };
        for extent in (2..=table.len() / period).filter(|extent| table.len().is_multiple_of(period * extent))
        {
            if repeats(period, extent) {
                let next = &mut fewest[period * extent];
                *next = Some(next.map_or(so_far + 1, |known: usize| known.min(so_far + 1)));
            }
        }
    }
    fewest[table.len()]
        .expect("the leaves of a layout are such a way")
        .max(1)
}

/// Whether the documented conditions of composition hold for the leaves of `inner` after the
/// coalesced `outer`.
pub(crate) fn admissible(outer: &[(u64, u64)], inner: &[(u64, u64)]) -> bool {
    let mut reached = vec![0; outer.len()];
    inner
        .iter()
        .all(|(s, d)| leaf_admissible(outer, *s, *d, &mut reached))
        && reached[..outer.len() - 1]
            .iter()
            .zip(outer)
            .all(|(reached, (n, _))| reached < n)
}

fn leaf_admissible(outer: &[(u64, u64)], mut s: u64, mut d: u64, reached: &mut [u64]) -> bool {
    if s == 1 || d == 0 {
        return true;
    }
    for ((n, _), reached) in outer[..outer.len() - 1].iter().zip(reached) {
        if (s - 1) * d < *n {
            *reached += (s - 1) * d;
            return true;
        }
        if d.is_multiple_of(*n) {
            d /= n;
        } else if n.is_multiple_of(d) && s.is_multiple_of(n / d) {
            *reached += n - d;
            (s, d) = (s / (n / d), 1);
        } else {
            return false;
        }
    }
    true
}

/// A reference coalesce that keeps the last extent, which determines coordinates beyond the shape.
fn open_ended(leaves: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut result: Vec<(u64, u64)> = Vec::new();
    for (number, (extent, stride)) in leaves.iter().copied().enumerate() {
        if extent == 1 && number + 1 < leaves.len() {
            continue;
        }
        match result.last_mut() {
            Some((n, d)) if *n * *d == stride => *n *= extent,
            _ => result.push((extent, stride)),
        }
    }
    result
}

fn is_composition(result: &Layout, outer: &Layout, inner: &Layout) -> bool {
    let (outer, result) = (leaves(outer), leaves(result));
    let inner = table(inner);
    inner
        .iter()
        .enumerate()
        .all(|(c, index)| eval(&result, c as u64) == eval(&outer, *index))
}

#[test]
fn composition_is_exact_on_all_small_layouts() {
    let (mut admitted, mut refused) = (0, 0);
    let pairs = || (1..=6u64).flat_map(|n| [0, 1, 2, 3, 7].map(|d| (n, d)));
    for first in pairs() {
        for second in pairs() {
            let outer = nested(&[first, second, (5, 100)], &[]);
            let flat = open_ended(&leaves(&outer));
            for (s, d) in (1..=12).flat_map(|s| (0..=12).map(move |d| (s, d))) {
                let inner = Layout::strided(s, d).unwrap();
                match outer.composition(&inner) {
                    Ok(result) => {
                        admitted += 1;
                        assert!(admissible(&flat, &[(s, d)]), "{outer} after {inner} is {result}");
                        assert!(
                            is_composition(&result, &outer, &inner),
                            "{outer} after {inner}: {result}"
                        );
                    }
                    Err(error) => {
                        refused += 1;
                        assert!(!admissible(&flat, &[(s, d)]), "{outer} after {inner}: {error}");
                    }
                }
            }
        }
    }
    assert_eq!((admitted, refused), (53_693, 86_707));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn all_kinds_of_coordinates_have_one_index(layout in some_layout(), choices in any::<u32>()) {
        let expected = table(&layout);
        prop_assert_eq!(layout.size().unwrap(), Int::Static(expected.len() as u64));
        let largest = expected.iter().max().unwrap();
        prop_assert_eq!(layout.cosize().unwrap(), Int::Static(largest + 1));
        for (flat, index) in (0..).zip(&expected) {
            let index = Int::Static(*index);
            prop_assert_eq!(Int::Static(layout.at(flat).unwrap()), index.clone());
            prop_assert_eq!(layout.index(&Coord::from(flat)).unwrap(), index.clone());
            let by_hand = natural(layout.tree(), &mut flat.clone());
            prop_assert_eq!(Coord::from(layout.natural_coord(flat).unwrap()), by_hand.clone());
            prop_assert_eq!(layout.index(&by_hand).unwrap(), index.clone());
            let coarse = coarse(layout.tree(), &mut flat.clone(), &mut choices.clone());
            prop_assert_eq!(layout.index(&coarse).unwrap(), index);
        }
        let beyond = layout.size().unwrap().as_static().unwrap() * 3;
        prop_assert_eq!(layout.at(beyond).unwrap(), eval(&leaves(&layout), beyond));
    }

    #[test]
    fn coordinates_of_indices_invert_compact_layouts(layout in compact_layout()) {
        for (flat, index) in (0..).zip(table(&layout)) {
            let coord = layout.coord_of_index(index).unwrap();
            prop_assert_eq!(coord, layout.natural_coord(flat).unwrap());
        }
    }

    #[test]
    fn compact_layouts_count_through_their_shape(layout in some_layout(), keys in any::<[u8; 4]>()) {
        let shape = layout.shape();
        let size = size(&layout);
        let columns = Layout::column_major(&shape).unwrap();
        prop_assert_eq!(table(&columns), (0..size).collect::<Vec<_>>());
        let rows = Layout::row_major(&shape).unwrap();
        let reversed: Vec<_> = leaves(&rows).into_iter().rev().collect();
        prop_assert_eq!((0..size).map(|i| eval(&reversed, i)).collect::<Vec<_>>(), (0..size).collect::<Vec<_>>());
        let mut order: Vec<u64> = (0..layout.rank() as u64).collect();
        order.sort_by_key(|mode| keys[*mode as usize]);
        let ordered = Layout::ordered(&shape, &match shape.is_leaf() {
            true => IntTuple::from(0),
            false => IntTuple::from(order.as_slice()),
        }).unwrap();
        // Enumerating the modes in their order is counting.
        let mut places: Vec<usize> = (0..layout.rank()).collect();
        places.sort_by_key(|mode| order[*mode]);
        let counting = ordered.select(&places).unwrap();
        prop_assert_eq!(table(&counting), (0..size).collect::<Vec<_>>());
        prop_assert_eq!(ordered.shape(), shape);
    }

    #[test]
    fn coalesce_is_the_same_function_with_the_fewest_leaves(layout in some_layout()) {
        let simple = layout.coalesce();
        prop_assert_eq!(table(&simple), table(&layout));
        prop_assert!(simple.depth() <= 1);
        prop_assert_eq!(leaves(&simple).len(), fewest_leaves(&table(&layout)));
        prop_assert_eq!(simple.coalesce(), simple.clone());
        let by_mode = layout.coalesce_by(layout.flatten().tree());
        if layout.depth() > 1 {
            prop_assert!(by_mode.is_ok() || layout.flatten().rank() > layout.rank());
        }
        let modes = IntTuple::from(vec![1u64; layout.rank()].as_slice());
        let kept = layout.coalesce_by(&modes).unwrap();
        prop_assert_eq!(kept.rank(), layout.rank());
        for (mine, whole) in kept.modes().zip(layout.modes()) {
            prop_assert_eq!(mine, whole.coalesce());
        }
    }

    #[test]
    fn filter_keeps_the_set_of_indices(layout in some_layout()) {
        let unique = |layout: &Layout| { let mut all = sorted(table(layout)); all.dedup(); all };
        let simple = layout.filter();
        prop_assert_eq!(unique(&simple), unique(&layout));
        prop_assert!(simple == Layout::unit() || leaves(&simple).iter().all(|(n, d)| *n > 1 && *d > 0));
        let zeros = layout.filter_zeros();
        prop_assert_eq!(zeros.stride(), layout.stride());
        for ((n, d), (was, _)) in leaves(&zeros).into_iter().zip(leaves(&layout)) {
            prop_assert_eq!(n, if d == 0 { 1 } else { was });
        }
        prop_assert_eq!(zeros.coalesce(), simple);
    }

    #[test]
    fn composition_is_composition(outer in some_layout(), inner in some_layout()) {
        let flat = open_ended(&leaves(&outer));
        let should = admissible(&flat, &leaves(&inner));
        match outer.composition(&inner) {
            Ok(result) => {
                prop_assert!(should, "{outer} after {inner}: {result}");
                prop_assert!(is_composition(&result, &outer, &inner));
                prop_assert!(inner.shape().compatible(&result.shape()));
            }
            Err(CuteError::StrideDivisibility { extent, stride }) => {
                let (extent, stride) = (extent.as_static().unwrap(), stride.as_static().unwrap());
                prop_assert!(!should && extent % stride != 0 && stride % extent != 0);
            }
            Err(CuteError::ShapeDivisibility { extent, part }) => {
                prop_assert!(!should && extent.as_static().unwrap() % part.as_static().unwrap() != 0);
            }
            Err(CuteError::Carry { extent, reached, .. }) => prop_assert!(!should && reached >= extent),
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    #[test]
    fn identities_of_composition(layout in some_layout()) {
        let domain = Layout::strided(size(&layout), 1).unwrap();
        if let Ok(same) = layout.composition(&domain) {
            prop_assert_eq!(table(&same), table(&layout));
        }
        let shaped = Layout::column_major(&layout.shape()).unwrap();
        prop_assert_eq!(table(&layout.composition(&shaped).unwrap()), table(&layout));
        let codomain = Layout::strided(layout.cosize().unwrap(), 1).unwrap();
        prop_assert_eq!(codomain.composition(&layout).unwrap(), layout);
    }

    #[test]
    fn composition_is_associative(a in gapped_layout(), b in gapped_layout(), c in gapped_layout()) {
        // Where the middle one exceeds its shape, the first composition extends it differently.
        if let (Ok(ab), Ok(bc)) = (a.composition(&b), b.composition(&c))
            && c.cosize().unwrap() <= b.size().unwrap()
            && let (Ok(left), Ok(right)) = (ab.composition(&c), a.composition(&bc))
        {
            prop_assert_eq!(table(&left), table(&right));
        }
    }

    #[test]
    fn complement_is_disjoint_ordered_and_covers(layout in some_layout(), target in 1u64..200) {
        let mut modes = leaves(&layout.filter());
        modes.retain(|mode| *mode != (1, 0));
        modes.sort_by_key(|(_, stride)| *stride);
        let mut reach = 1;
        let (mut apart, mut exact) = (true, true);
        for (extent, stride) in &modes {
            apart &= *stride >= reach;
            exact &= stride % reach == 0;
            reach = extent * stride;
        }
        let Ok(rest) = layout.complement(&target.into()) else {
            prop_assert!(!apart);
            return Ok(());
        };
        prop_assert!(apart);
        let (mine, others) = (table(&layout.filter()), table(&rest));
        prop_assert!(others.windows(2).all(|pair| pair[0] < pair[1]), "ordered");
        let both: Vec<u64> = mine.iter().flat_map(|a| others.iter().map(move |b| a + b)).collect();
        prop_assert!(injective(&both), "disjoint");
        if exact {
            let all = sorted(both.clone());
            let covered = all.len() as u64;
            prop_assert_eq!(&all, &(0..covered).collect::<Vec<_>>());
            prop_assert!(covered >= target);
            // The last mode is minimal.
            prop_assert!(covered < target + reach || covered == reach);
        }
        prop_assert_eq!(rest.coalesce(), rest);
    }

    #[test]
    fn right_inverse_finds_the_first_indices(layout in some_layout()) {
        let inverse = layout.right_inverse().unwrap();
        let mine = leaves(&layout);
        for (index, flat) in (0..).zip(table(&inverse)) {
            prop_assert_eq!(eval(&mine, flat), index);
        }
        if let Ok(identity) = layout.composition(&inverse) {
            prop_assert_eq!(table(&identity), (0..size(&inverse)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn inverses_of_bijections_are_inverse(layout in compact_layout()) {
        let (right, left) = (layout.right_inverse().unwrap(), layout.left_inverse().unwrap());
        prop_assert_eq!(size(&right), size(&layout));
        prop_assert_eq!(&table(&right), &table(&left));
        let back = leaves(&right);
        for (flat, index) in (0..).zip(table(&layout)) {
            prop_assert_eq!(eval(&back, index), flat);
        }
        let identity = layout.composition(&right).unwrap();
        prop_assert_eq!(identity.coalesce(), Layout::strided(size(&layout), u64::from(size(&layout) > 1)).unwrap());
        prop_assert_eq!(table(&right.right_inverse().unwrap()), table(&layout));
    }

    #[test]
    fn left_inverse_finds_the_coordinate(layout in some_layout()) {
        let mut modes = leaves(&layout.coalesce());
        modes.retain(|(_, stride)| *stride != 0);
        modes.sort_by_key(|(_, stride)| *stride);
        let admissible = modes.windows(2).all(|pair| {
            pair[1].1 % pair[0].1 == 0 && pair[1].1 >= pair[0].0 * pair[0].1
        });
        let Ok(inverse) = layout.left_inverse() else {
            prop_assert!(!admissible);
            return Ok(());
        };
        prop_assert!(admissible);
        let (mine, back) = (leaves(&layout), leaves(&inverse));
        let zeros = leaves(&layout).iter().any(|(extent, stride)| *extent > 1 && *stride == 0);
        for (flat, index) in (0..).zip(table(&layout)) {
            prop_assert_eq!(eval(&mine, eval(&back, index)), index);
            if !zeros {
                prop_assert_eq!(eval(&back, index), flat);
            }
        }
        if let (false, Ok(identity)) = (zeros, inverse.composition(&layout)) {
            prop_assert_eq!(table(&identity), (0..size(&layout)).collect::<Vec<_>>());
        }
    }
}
