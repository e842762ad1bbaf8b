//! Random layouts, and their values by position.

// Each test uses only part of this module.
#![allow(dead_code)]

use proptest::prelude::*;
use tilewright_layouts::{Dim, LinearLayout};

pub(crate) const HARDWARE: [Dim; 4] = [Dim::Register, Dim::Lane, Dim::Warp, Dim::Block];

/// Any layout from up to 2+3+2+1 hardware bits to a tensor of these bits along each axis.
pub(crate) fn layout_of(bits: Vec<u32>) -> impl Strategy<Value = LinearLayout> {
    let vector = bits.iter().map(|bits| 0..1u64 << bits).collect::<Vec<_>>();
    let vectors = move |most| prop::collection::vec(vector.clone(), 0..=most);
    (vectors(3), vectors(3), vectors(2), vectors(1)).prop_map(move |(r, l, w, b)| {
        let bases = HARDWARE.into_iter().zip([r, l, w, b]).collect::<Vec<_>>();
        let shape = bits.iter().map(|bits| 1 << bits).collect::<Vec<_>>();
        LinearLayout::from_parts(&bases, &shape).expect("in range by construction")
    })
}

pub(crate) fn shape_bits() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(0u32..4, 1..4)
}

pub(crate) fn any_layout() -> impl Strategy<Value = LinearLayout> {
    shape_bits().prop_flat_map(layout_of)
}

pub(crate) fn two_layouts() -> impl Strategy<Value = (LinearLayout, LinearLayout)> {
    shape_bits().prop_flat_map(|bits| (layout_of(bits.clone()), layout_of(bits)))
}

/// Random bijections: identity followed by additions of one basis vector to another.
pub(crate) fn bijection(from: Dim, to: Dim) -> impl Strategy<Value = LinearLayout> {
    prop::collection::vec((0usize..6, 0usize..6), 0..24).prop_map(move |steps| {
        let mut columns: Vec<u32> = (0..6).map(|bit| 1 << bit).collect();
        for (a, b) in steps.into_iter().filter(|(a, b)| a != b) {
            columns[a] ^= columns[b];
        }
        let vectors = columns.into_iter().map(|column| vec![column]).collect();
        LinearLayout::from_bases(&[(from, vectors)], &[(to, 64)]).expect("in range by construction")
    })
}

/// Every position of a layout, as arguments of `at`, numbered with registers lowest.
pub(crate) fn positions(layout: &LinearLayout) -> Vec<[u32; 4]> {
    let sizes = HARDWARE.map(|dim| layout.in_size(dim));
    let mut all = Vec::new();
    for block in 0..sizes[3] {
        for warp in 0..sizes[2] {
            for lane in 0..sizes[1] {
                for register in 0..sizes[0] {
                    all.push([register, lane, warp, block]);
                }
            }
        }
    }
    all
}

pub(crate) fn at(layout: &LinearLayout, [register, lane, warp, block]: [u32; 4]) -> Vec<u32> {
    layout.at(register, lane, warp, block).to_vec()
}

pub(crate) fn row_major(coordinate: &[u32], shape: &[u32]) -> u32 {
    coordinate
        .iter()
        .zip(shape)
        .fold(0, |index, (c, size)| index * size + c)
}
