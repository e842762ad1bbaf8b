//! A reference model of CuTe layouts, as lists of leaves, and random layouts.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use proptest::prelude::*;
use tilewright_layouts::cute::{Coord, Int, IntTuple, Layout, Mode, Nested, Slot};

/// The extent and stride of each leaf, from left to right.
pub(crate) fn leaves(layout: &Layout) -> Vec<(u64, u64)> {
    let known = |int: &Int| int.as_static().expect("static");
    let pair = |mode: &Mode| (known(&mode.shape), known(&mode.stride));
    layout.tree().leaves().map(pair).collect()
}

/// The index of a flat coordinate: colexicographic, the last leaf unbounded.
pub(crate) fn eval(leaves: &[(u64, u64)], flat: u64) -> u64 {
    let (mut rest, mut sum) = (flat, 0);
    for (number, (extent, stride)) in leaves.iter().enumerate() {
        let part = if number + 1 == leaves.len() {
            rest
        } else {
            rest % extent
        };
        rest /= extent;
        sum += part * stride;
    }
    sum
}

pub(crate) fn size(layout: &Layout) -> u64 {
    leaves(layout).iter().map(|(extent, _)| extent).product()
}

/// All indices in the order of the flat coordinate.
pub(crate) fn table(layout: &Layout) -> Vec<u64> {
    let leaves = leaves(layout);
    (0..size(layout)).map(|flat| eval(&leaves, flat)).collect()
}

pub(crate) fn sorted(mut values: Vec<u64>) -> Vec<u64> {
    values.sort_unstable();
    values
}

pub(crate) fn injective(table: &[u64]) -> bool {
    let all = sorted(table.to_vec());
    all.windows(2).all(|pair| pair[0] != pair[1])
}

pub(crate) fn parse(text: &str) -> Layout {
    text.parse().expect(text)
}

/// The natural coordinate of a flat one, computed by a reference implementation.
pub(crate) fn natural(tree: &Nested<Mode>, rest: &mut u64) -> Coord {
    match tree {
        Nested::Leaf(mode) => {
            let extent = mode.shape.as_static().expect("static");
            let part = *rest % extent;
            *rest /= extent;
            Nested::Leaf(Slot::At(Int::Static(part)))
        }
        Nested::Tuple(modes) => Nested::Tuple(modes.iter().map(|mode| natural(mode, rest)).collect()),
    }
}

/// The coordinate of a flat one with some tuples, selected by `choices`, replaced by a single
/// integer.
pub(crate) fn coarse(tree: &Nested<Mode>, rest: &mut u64, choices: &mut u32) -> Coord {
    let flat = *choices & 1 == 1;
    *choices >>= 1;
    match tree {
        Nested::Tuple(modes) if !flat => {
            Nested::Tuple(modes.iter().map(|mode| coarse(mode, rest, choices)).collect())
        }
        Nested::Leaf(_) | Nested::Tuple(_) => {
            let size = size(&Layout::from_modes([sub(tree)]));
            let part = *rest % size;
            *rest /= size;
            Nested::Leaf(Slot::At(Int::Static(part)))
        }
    }
}

fn sub(tree: &Nested<Mode>) -> Layout {
    let part = |leaf: fn(&Mode) -> &Int| tree.map(&mut |mode| leaf(mode).clone());
    Layout::new(part(|mode| &mode.shape), part(|mode| &mode.stride)).expect("a part of a layout")
}

/// Constructs a layout from leaves, then groups modes.
pub(crate) fn nested(leaves: &[(u64, u64)], groups: &[(usize, usize)]) -> Layout {
    let tuple = |values: Vec<u64>| IntTuple::from(values.as_slice());
    let (shape, stride) = leaves.iter().copied().unzip();
    let mut layout = Layout::new(tuple(shape), tuple(stride)).expect("extents are positive");
    for (start, length) in groups {
        let start = start % (layout.rank() + 1);
        let end = (start + length).min(layout.rank());
        if end > start {
            layout = layout.group(start..end).expect("a range of modes");
        }
    }
    if leaves.len() == 1 && groups.is_empty() {
        return layout.mode(&[0]).expect("a leaf");
    }
    layout
}

fn groups() -> impl Strategy<Value = Vec<(usize, usize)>> {
    prop::collection::vec((0usize..5, 1usize..4), 0..3)
}

const EXTENTS: [u64; 8] = [1, 2, 2, 3, 4, 4, 6, 8];

/// Any extents, any strides.
pub(crate) fn any_layout() -> impl Strategy<Value = Layout> {
    let leaf = (prop::sample::select(EXTENTS.to_vec()), 0u64..20);
    (prop::collection::vec(leaf, 1..5), groups()).prop_map(|(leaves, groups)| nested(&leaves, &groups))
}

/// Modes in any order of strides, with some gaps and some strides of 0.
pub(crate) fn ordered_layout(gaps: &'static [u64]) -> impl Strategy<Value = Layout> {
    let extent = prop::sample::select(EXTENTS.to_vec());
    let leaf = (extent, any::<u16>(), prop::sample::select(gaps.to_vec()));
    (prop::collection::vec(leaf, 1..5), groups()).prop_map(|(leaves, groups)| {
        let mut order: Vec<usize> = (0..leaves.len()).collect();
        order.sort_by_key(|number| leaves[*number].1);
        let mut pairs = vec![(1, 0); leaves.len()];
        let mut next = 1;
        for number in order {
            let (extent, _, gap) = leaves[number];
            pairs[number] = (extent, next * gap);
            next *= extent * gap.max(1);
        }
        nested(&pairs, &groups)
    })
}

/// A bijection onto `0..size`.
pub(crate) fn compact_layout() -> impl Strategy<Value = Layout> {
    ordered_layout(&[1])
}

/// Layouts with gaps and strides of 0.
pub(crate) fn gapped_layout() -> impl Strategy<Value = Layout> {
    ordered_layout(&[1, 1, 1, 2, 3, 0])
}

/// One of the kinds above.
pub(crate) fn some_layout() -> impl Strategy<Value = Layout> {
    prop_oneof![any_layout(), gapped_layout(), compact_layout()]
}
