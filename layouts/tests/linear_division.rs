//! Division inverts products, and quotients remove identities: random layouts against search and elementwise
//! definitions.

use proptest::prelude::*;
use tilewright_layouts::{Dim, LayoutError, LinearLayout};

use crate::random::{bijection, layout_of, positions};

/// All small layouts: up to one register and one lane bit, to this many bits of one axis.
fn every_small_layout(out_bits: u32) -> Vec<LinearLayout> {
    let mut all = Vec::new();
    let choices = |most: u32| (0..=most).map(|v| vec![vec![u64::from(v)]]).chain([vec![]]);
    for registers in choices((1 << out_bits) - 1) {
        for lanes in choices((1 << out_bits) - 1) {
            let bases = [(Dim::Register, registers.clone()), (Dim::Lane, lanes)];
            all.push(LinearLayout::from_parts(&bases, &[1 << out_bits]).unwrap());
        }
    }
    all
}

proptest! {
    #[test]
    fn division_undoes_a_product(a in layout_of(vec![2, 1]), b in layout_of(vec![1, 2, 1])) {
        let ab = a.product(&b).unwrap();
        let ba = b.product(&a).unwrap();
        let quotient = ab.divide_left(&a).unwrap();
        prop_assert_eq!(&quotient, &b);
        prop_assert_eq!(a.product(&quotient).unwrap(), ab.clone());
        // The third axis stays in the quotient, with size 1 if the divisor exhausts it.
        let quotient = ab.divide_right(&b).unwrap();
        prop_assert_eq!(quotient.shape(), [a.shape(), vec![1]].concat());
        prop_assert_eq!(quotient.product(&b).unwrap(), ab.clone());
        let quotient = ba.divide_left(&b).unwrap();
        prop_assert_eq!(b.product(&quotient).unwrap(), ba.clone());
        prop_assert_eq!(ba.divide_right(&a).unwrap(), b);
        // By itself, and by the empty layout.
        prop_assert_eq!(ab.divide_left(&LinearLayout::empty()).unwrap(), ab.clone());
        prop_assert_eq!(ab.divide_right(&LinearLayout::empty()).unwrap(), ab.clone());
        prop_assert_eq!(ab.divide_left(&ab).unwrap().total_in_bits(), 0);
    }

    #[test]
    fn a_chain_of_products_divides_on_both_sides(
        a in layout_of(vec![1]), b in layout_of(vec![2]), c in layout_of(vec![1]),
    ) {
        let all = a.product(&b).unwrap().product(&c).unwrap();
        prop_assert_eq!(all.divide_left(&a).unwrap().divide_right(&c).unwrap(), b.clone());
        prop_assert_eq!(all.divide_right(&c).unwrap().divide_left(&a).unwrap(), b.clone());
        let ab = a.product(&b).unwrap();
        prop_assert_eq!(all.divide_left(&ab).unwrap(), c);
    }

    #[test]
    fn a_quotient_drops_an_identity(layout in layout_of(vec![2, 1]), bits in 0u32..3, other in bijection(Dim::Block, Dim::Block)) {
        let layout = layout.resize_in(Dim::Block, 1).unwrap();
        let identity = LinearLayout::identity_1d(1 << bits, Dim::Block, Dim::Block).unwrap();
        let whole = layout.product(&identity).unwrap();
        prop_assert_eq!(whole.quotient(&[Dim::Block]).unwrap(), layout.clone());
        prop_assert!(whole.is_trivial_over(&[Dim::Block]));
        let whole = layout.product(&other).unwrap();
        let trivial = (0..64).all(|block| other.at(0, 0, 0, block)[0] == block);
        prop_assert_eq!(whole.is_trivial_over(&[Dim::Block]), trivial);
        prop_assert_eq!(whole.is_identity_on_out(Dim::Block), trivial);
        let expected = if trivial { Ok(layout) } else { Err(LayoutError::NotTrivial { dim: Dim::Block }) };
        prop_assert_eq!(whole.quotient(&[Dim::Block]), expected);
    }

    #[test]
    fn triviality_is_what_elements_say(
        vectors in prop::collection::vec((0u64..4, 0u64..2), 0..4), split in 0usize..4, near in any::<bool>(),
    ) {
        // Close to the identity on blocks in half of the cases, which would be rare otherwise.
        let split = if near { vectors.len().min(2) } else { split.min(vectors.len()) };
        let vectors: Vec<Vec<u64>> = vectors
            .iter()
            .enumerate()
            .map(|(bit, (block, offset))| {
                let identity = if bit < split { 1 << bit } else { 0 };
                vec![if near { identity } else { *block }, *offset]
            })
            .collect();
        let (blocks, warps) = vectors.split_at(split);
        let narrow = |vectors: &[Vec<u64>]| vectors.iter().map(|v| vec![v[0] as u32, v[1] as u32]).collect();
        let layout = LinearLayout::from_bases(
            &[(Dim::Block, narrow(blocks)), (Dim::Warp, narrow(warps))],
            &[(Dim::Block, 4), (Dim::Offset, 2)],
        ).unwrap();
        // In the order of out-dimensions: block, then offset.
        let value = |warp: u32, block: u32| { let v = layout.at(0, 0, warp, block); (v[0], v[1]) };
        let square = layout.in_size(Dim::Block) == 4;
        let all = || positions(&layout).into_iter().map(|p| (p[2], p[3]));
        let on_out = square && all().all(|(warp, block)| value(warp, block).0 == block);
        let nothing_else = all().all(|(_, block)| value(0, block).1 == 0);
        prop_assert_eq!(layout.is_identity_on_out(Dim::Block), on_out);
        prop_assert_eq!(layout.is_trivial_over(&[Dim::Block]), on_out && nothing_else);
    }
}

#[test]
fn division_succeeds_exactly_where_a_product_does() {
    let candidates: Vec<Vec<LinearLayout>> = (0..=2).map(every_small_layout).collect();
    let mut found = [0usize; 2];
    for whole in &candidates[2] {
        for factor in candidates.iter().flatten() {
            let rest_bits = 2 - factor.total_out_bits();
            let all = || candidates[rest_bits as usize].iter();
            let left = all().find(|c| factor.product(c).as_ref() == Ok(whole));
            assert_eq!(
                whole.divide_left(factor).ok().as_ref(),
                left,
                "{whole} by {factor}"
            );
            let right = all().find(|c| c.product(factor).as_ref() == Ok(whole));
            assert_eq!(
                whole.divide_right(factor).ok().as_ref(),
                right,
                "{whole} by {factor}"
            );
            found[0] += usize::from(left.is_some());
            found[1] += usize::from(right.is_some());
        }
    }
    // Every layout has at least itself and the empty layout as factors.
    assert!(
        found.iter().all(|found| *found > 2 * candidates[2].len()),
        "{found:?}"
    );
}

#[test]
fn refusals_name_what_stands_against_them() {
    let d = Dim::Axis(0);
    let lanes = LinearLayout::identity_1d(4, Dim::Lane, d).unwrap();
    let stride = LinearLayout::strided_1d(2, 2, Dim::Lane, d).unwrap();
    assert_eq!(
        lanes.divide_left(&stride),
        Err(LayoutError::NotFactor {
            dim: Dim::Lane,
            index: 0
        })
    );
    let wide = LinearLayout::identity_1d(8, Dim::Lane, d).unwrap();
    assert_eq!(
        lanes.divide_left(&wide),
        Err(LayoutError::FactorTooLarge {
            dim: d,
            factor: 8,
            size: 4
        })
    );
    let elsewhere = LinearLayout::identity_1d(2, Dim::Lane, Dim::Offset).unwrap();
    assert_eq!(
        lanes.divide_right(&elsewhere),
        Err(LayoutError::MissingDim { dim: Dim::Offset })
    );
}
