//! Changes of dimensions against definitions by single elements: concat, resize, rename, reshape, flatten.

use proptest::prelude::*;
use tilewright_layouts::{Dim, LayoutError, LinearLayout, Spread};

#[path = "support/random.rs"]
mod random;

use random::{HARDWARE, any_layout, at, layout_of, positions, row_major};

/// The number of a position when its dimensions are counted in this order, the first one fastest.
fn number(layout: &LinearLayout, position: [u32; 4], order: &[usize]) -> u32 {
    let digits = order.iter().rev();
    digits.fold(0, |sum, which| {
        sum * layout.in_size(HARDWARE[*which]) + position[*which]
    })
}

fn order_of(len: usize) -> impl Strategy<Value = Vec<usize>> {
    Just((0..len).collect::<Vec<_>>()).prop_shuffle()
}

proptest! {
    #[test]
    fn concatenated_inputs_add_up(layout in any_layout(), split in 0usize..5) {
        let axes: Vec<Dim> = layout.out_dims().map(|(dim, _)| dim).collect();
        let (one, two) = HARDWARE.split_at(split);
        let (one, two) = (layout.sublayout(one, &axes), layout.sublayout(two, &axes));
        prop_assert_eq!(one.concat_ins(&two).unwrap(), layout.clone());
        prop_assert_eq!(two.concat_ins(&one).unwrap(), layout.clone());
        for p in positions(&layout) {
            let sum: Vec<u32> = at(&one, p).iter().zip(at(&two, p)).map(|(a, b)| a ^ b).collect();
            prop_assert_eq!(at(&layout, p), sum);
        }
        if layout.total_in_bits() > 0 {
            prop_assert!(layout.concat_ins(&layout).is_err());
        }
    }

    #[test]
    fn concatenated_outputs_stand_side_by_side(layout in layout_of(vec![1, 2, 1, 2]), chosen in prop::collection::vec(any::<bool>(), 4)) {
        let axes = |wanted| (0..4).filter(|axis| chosen[*axis] == wanted).map(|axis| Dim::Axis(axis as u8)).collect::<Vec<_>>();
        let (one, two) = (layout.sublayout(&HARDWARE, &axes(true)), layout.sublayout(&HARDWARE, &axes(false)));
        prop_assert_eq!(one.concat_outs(&two).unwrap(), layout.clone());
        prop_assert_eq!(two.concat_outs(&one).unwrap(), layout.clone());
        for p in positions(&layout) {
            let (mut first, mut second) = (at(&one, p).into_iter(), at(&two, p).into_iter());
            let both: Vec<u32> = chosen.iter().map(|c| if *c { first.next() } else { second.next() }.unwrap()).collect();
            prop_assert_eq!(at(&layout, p), both);
        }
        prop_assert!(layout.concat_outs(&layout).is_err());
        let other = layout.resize_in(Dim::Warp, layout.in_size(Dim::Warp) * 2).unwrap();
        let other = other.rename_outs(&[4, 5, 6, 7].map(Dim::Axis)).unwrap();
        prop_assert!(layout.concat_outs(&other).is_err());
    }

    #[test]
    fn broadcast_elements_go_where_they_are_said_to(layout in layout_of(vec![1, 0, 2]), bits in 0u32..5, copies in any::<bool>()) {
        let spread = if copies { Spread::CopiesFirst } else { Spread::Registers };
        let wide = layout.broadcast(1, 1 << bits, spread).unwrap();
        // The bits that so far select copies, lane bits first.
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
            // Bits past the size have no influence.
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
    fn flattened_inputs_count_positions(layout in any_layout(), order in order_of(4)) {
        let canonical = layout.flatten_ins(Dim::Offset).unwrap();
        let ordered = layout.flatten_ins_in(&order.iter().map(|i| HARDWARE[*i]).collect::<Vec<_>>(), Dim::Lane).unwrap();
        for p in positions(&layout) {
            let flat = |order: &[usize], dim| [(dim, number(&layout, p, order))];
            prop_assert_eq!(canonical.apply(&flat(&[0, 1, 2, 3], Dim::Offset)).to_vec(), at(&layout, p));
            prop_assert_eq!(ordered.apply(&flat(&order, Dim::Lane)).to_vec(), at(&layout, p));
        }
        let sizes: Vec<(Dim, u32)> = order.iter().map(|i| (HARDWARE[*i], layout.in_size(HARDWARE[*i]))).collect();
        prop_assert_eq!(ordered.reshape_ins(&sizes).unwrap(), layout.clone());
        let sizes: Vec<(Dim, u32)> = layout.in_dims().collect();
        prop_assert_eq!(canonical.reshape_ins(&sizes).unwrap(), layout);
    }

    #[test]
    fn reshaped_inputs_keep_their_number(layout in any_layout(), low in 0u32..10, swapped in any::<bool>()) {
        let bits = layout.total_in_bits();
        let low = low.min(bits);
        let (first, second) = if swapped { (Dim::Warp, Dim::Register) } else { (Dim::Register, Dim::Warp) };
        let reshaped = layout.reshape_ins(&[(first, 1 << low), (second, 1 << (bits - low))]).unwrap();
        for p in positions(&layout) {
            let index = number(&layout, p, &[0, 1, 2, 3]);
            let found = reshaped.apply(&[(first, index % (1 << low)), (second, index >> low)]);
            prop_assert_eq!(found.to_vec(), at(&layout, p));
        }
        prop_assert!(layout.reshape_ins(&[(first, 1 << bits), (second, 2)]).is_err());
    }

    #[test]
    fn flattened_outputs_count_elements(layout in layout_of(vec![1, 2, 3]), order in order_of(3)) {
        let dims: Vec<Dim> = order.iter().map(|axis| Dim::Axis(*axis as u8)).collect();
        let flat = layout.flatten_outs_in(&dims, Dim::Offset).unwrap();
        let sizes: Vec<u32> = order.iter().map(|axis| layout.shape()[*axis]).collect();
        for p in positions(&layout) {
            let c = at(&layout, p);
            let ordered: Vec<u32> = order.iter().map(|axis| c[*axis]).collect();
            prop_assert_eq!(at(&flat, p), vec![row_major(&ordered, &sizes)]);
        }
        let named: Vec<(Dim, u32)> = dims.into_iter().zip(sizes).collect();
        prop_assert_eq!(flat.reshape_out_dims(&named).unwrap(), layout.clone());
        // As a transposition of the tensor, then a flattening.
        prop_assert_eq!(layout.permute_axes(&order).unwrap().flatten_outs(Dim::Offset).unwrap(), flat);
    }

    #[test]
    fn sublayouts_leave_out_the_rest(layout in layout_of(vec![1, 2, 1]), ins in 0u32..16, outs in 0u32..8) {
        let kept_ins: Vec<Dim> = (0..4).filter(|bit| ins >> bit & 1 == 1).map(|bit| HARDWARE[bit]).collect();
        let kept_outs: Vec<usize> = (0..3).filter(|bit| outs >> bit & 1 == 1).collect();
        let names: Vec<Dim> = kept_outs.iter().map(|axis| Dim::Axis(*axis as u8)).collect();
        let part = layout.sublayout(&kept_ins, &names);
        let mut zero = true;
        for mut p in positions(&layout) {
            (0..4).filter(|bit| ins >> bit & 1 == 0).for_each(|bit| p[bit] = 0);
            let whole = at(&layout, p);
            let expected: Vec<u32> = kept_outs.iter().map(|axis| whole[*axis]).collect();
            zero &= expected.iter().all(|value| *value == 0);
            prop_assert_eq!(at(&part, p), expected);
        }
        prop_assert_eq!(layout.sublayout_is_zero(&kept_ins, &names), zero);
    }

    #[test]
    fn renaming_keeps_the_map(layout in layout_of(vec![2, 1])) {
        let inputs = layout.rename_in(Dim::Warp, Dim::Offset).unwrap();
        let outputs = layout.rename_outs(&[Dim::Axis(3), Dim::Block]).unwrap();
        for p in positions(&layout) {
            let named = [(Dim::Register, p[0]), (Dim::Lane, p[1]), (Dim::Offset, p[2]), (Dim::Block, p[3])];
            prop_assert_eq!(inputs.apply(&named).to_vec(), at(&layout, p));
            // In the order of dimensions, `block` comes first.
            let mut expected = at(&layout, p);
            expected.reverse();
            prop_assert_eq!(at(&outputs, p), expected);
        }
        if layout.in_bits(Dim::Warp) > 0 && layout.in_bits(Dim::Lane) > 0 {
            prop_assert_eq!(layout.rename_in(Dim::Warp, Dim::Lane), Err(LayoutError::DuplicateDim { dim: Dim::Lane }));
        }
    }
}

#[test]
fn orders_name_every_dimension_once() {
    let d = Dim::Axis(0);
    let layout = LinearLayout::identity_1d(4, Dim::Lane, d).unwrap();
    assert_eq!(
        layout.flatten_ins_in(&[Dim::Register], Dim::Lane),
        Err(LayoutError::UnlistedDim { dim: Dim::Lane })
    );
    assert_eq!(
        layout.flatten_outs_in(&[d, d], Dim::Offset),
        Err(LayoutError::DuplicateDim { dim: d })
    );
    assert_eq!(
        layout.reshape_out_dims(&[(d, 2)]),
        Err(LayoutError::ElementCount {
            found_bits: 1,
            expected_bits: 2
        })
    );
}
