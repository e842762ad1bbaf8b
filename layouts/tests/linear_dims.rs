//! Changes of dimensions against definitions by single elements: resize, rename, reshape, flatten.

use proptest::prelude::*;
use tilewright_layouts::{Dim, LayoutError, LinearLayout, Spread};

use crate::random::{HARDWARE, any_layout, at, layout_of, positions, row_major};

/// The number of a position, the first dimension fastest.
fn number(layout: &LinearLayout, position: [u32; 4]) -> u32 {
    let digits = HARDWARE.into_iter().zip(position).rev();
    digits.fold(0, |sum, (dim, digit)| sum * layout.in_size(dim) + digit)
}

fn order_of(len: usize) -> impl Strategy<Value = Vec<usize>> {
    Just((0..len).collect::<Vec<_>>()).prop_shuffle()
}

proptest! {
    #[test]
    fn broadcast_elements_go_where_they_are_said_to(layout in layout_of(vec![1, 0, 2]), bits in 0u32..5, copies in any::<bool>()) {
        let spread = if copies { Spread::CopiesFirst } else { Spread::Registers };
        let wide = layout.broadcast(1, 1 << bits, spread).unwrap();
        // The bits that select copies so far, lane bits first.
        let free: Vec<(usize, u32)> = (1..4)
            .flat_map(|which| (0..layout.in_bits(HARDWARE[which])).map(move |bit| (which, bit)))
            .filter(|(which, bit)| copies && layout.copy_mask(HARDWARE[*which]) >> bit & 1 == 1)
            .take(bits as usize)
            .collect();
        let registers = layout.in_size(Dim::Register);
        prop_assert_eq!(wide.in_size(Dim::Register), registers << (bits - free.len() as u32));
        for p in positions(&wide) {
            let mut narrow = p;
            narrow[0] %= registers;
            let mut expected = at(&layout, narrow);
            let low = free.iter().zip(0..).fold(0, |sum, ((which, bit), to)| sum | (p[*which] >> bit & 1) << to);
            expected[1] = low + ((p[0] / registers) << free.len());
            prop_assert_eq!(at(&wide, p), expected);
        }
    }

    #[test]
    fn resized_inputs_wrap(layout in any_layout(), which in 0usize..4, bits in 0u32..5) {
        let dim = HARDWARE[which];
        let resized = layout.resize_in(dim, 1 << bits).unwrap();
        prop_assert_eq!(resized.in_bits(dim), bits);
        for p in positions(&resized) {
            // Bits beyond the size have no effect.
            let mut old = p;
            old[which] %= layout.in_size(dim);
            prop_assert_eq!(at(&resized, p), at(&layout, old));
        }
        if bits >= layout.in_bits(dim) {
            prop_assert_eq!(resized.resize_in(dim, layout.in_size(dim)).unwrap(), layout);
        }
    }

    #[test]
    fn resized_outputs_wrap(layout in any_layout(), axis in 0usize..4, bits in 0u32..5) {
        let axis = axis % layout.shape().len();
        let dim = Dim::Axis(axis as u8);
        let resized = layout.resize_out(dim, 1 << bits).unwrap();
        prop_assert_eq!(resized.shape()[axis], 1 << bits);
        for p in positions(&layout) {
            let mut expected = at(&layout, p);
            expected[axis] %= 1 << bits;
            prop_assert_eq!(at(&resized, p), expected);
        }
        if bits >= layout.out_bits(dim).unwrap() {
            prop_assert_eq!(resized.resize_out(dim, layout.shape()[axis]).unwrap(), layout.clone());
        }
        prop_assert_eq!(layout.resize_out(Dim::Offset, 2), Err(LayoutError::MissingDim { dim: Dim::Offset }));
    }

    #[test]
    fn flattened_inputs_count_positions(layout in any_layout()) {
        let flat = layout.flatten_ins(Dim::Offset).unwrap();
        for p in positions(&layout) {
            prop_assert_eq!(flat.apply(&[(Dim::Offset, number(&layout, p))]).to_vec(), at(&layout, p));
        }
        let sizes: Vec<(Dim, u32)> = layout.in_dims().collect();
        prop_assert_eq!(flat.reshape_ins(&sizes).unwrap(), layout);
    }

    #[test]
    fn reshaped_inputs_keep_their_number(layout in any_layout(), low in 0u32..10, swapped in any::<bool>()) {
        let bits = layout.total_in_bits();
        let low = low.min(bits);
        let (first, second) = if swapped { (Dim::Warp, Dim::Register) } else { (Dim::Register, Dim::Warp) };
        let reshaped = layout.reshape_ins(&[(first, 1 << low), (second, 1 << (bits - low))]).unwrap();
        for p in positions(&layout) {
            let index = number(&layout, p);
            let found = reshaped.apply(&[(first, index % (1 << low)), (second, index >> low)]);
            prop_assert_eq!(found.to_vec(), at(&layout, p));
        }
        prop_assert!(layout.reshape_ins(&[(first, 1 << bits), (second, 2)]).is_err());
    }

    #[test]
    fn flattened_outputs_count_elements(layout in layout_of(vec![1, 2, 3]), order in order_of(3)) {
        let flat = layout.permute_axes(&order).unwrap().flatten_outs(Dim::Offset).unwrap();
        let sizes: Vec<u32> = order.iter().map(|axis| layout.shape()[*axis]).collect();
        for p in positions(&layout) {
            let c = at(&layout, p);
            let ordered: Vec<u32> = order.iter().map(|axis| c[*axis]).collect();
            prop_assert_eq!(at(&flat, p), vec![row_major(&ordered, &sizes)]);
        }
        let named: Vec<(Dim, u32)> = order.iter().map(|axis| Dim::Axis(*axis as u8)).zip(sizes).collect();
        prop_assert_eq!(flat.reshape_out_dims(&named).unwrap(), layout);
    }

    #[test]
    fn sublayouts_leave_out_the_rest(layout in layout_of(vec![1, 2, 1]), ins in 0u32..16, outs in 0u32..8) {
        let kept_ins: Vec<Dim> = (0..4).filter(|bit| ins >> bit & 1 == 1).map(|bit| HARDWARE[bit]).collect();
        let kept_outs: Vec<usize> = (0..3).filter(|bit| outs >> bit & 1 == 1).collect();
        let names: Vec<Dim> = kept_outs.iter().map(|axis| Dim::Axis(*axis as u8)).collect();
        let part = layout.sublayout(&kept_ins, &names);
        for mut p in positions(&layout) {
            (0..4).filter(|bit| ins >> bit & 1 == 0).for_each(|bit| p[bit] = 0);
            let whole = at(&layout, p);
            let expected: Vec<u32> = kept_outs.iter().map(|axis| whole[*axis]).collect();
            prop_assert_eq!(at(&part, p), expected);
        }
    }

    #[test]
    fn renaming_keeps_the_map(layout in layout_of(vec![2, 1])) {
        let outputs = layout.rename_outs(&[Dim::Axis(3), Dim::Block]).unwrap();
        for p in positions(&layout) {
            // In the order of dimensions, `block` is first.
            let mut expected = at(&layout, p);
            expected.reverse();
            prop_assert_eq!(at(&outputs, p), expected);
        }
    }
}

#[test]
fn elements_are_neither_lost_nor_added() {
    let d = Dim::Axis(0);
    let layout = LinearLayout::identity_1d(4, Dim::Lane, d).unwrap();
    assert_eq!(
        layout.reshape_out_dims(&[(d, 2)]),
        Err(LayoutError::ElementCount {
            found_bits: 1,
            expected_bits: 2
        })
    );
}
