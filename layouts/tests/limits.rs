//! The laws at the largest sizes; larger sizes are refused without a panic.

use proptest::prelude::*;
use tilewright_layouts::conversion::CostModel;
use tilewright_layouts::distributed::{Blocked, WgmmaAccumulator, WgmmaN};
use tilewright_layouts::shared::{Nvmma, NvmmaElement, SwizzleMode, TileOrder};
use tilewright_layouts::{Conversion, Dim, LayoutError, LinearLayout, MAX_DIM_BITS, MAX_TOTAL_BITS};

/// A bijection between 60 bits on either side, in dimensions of up to 31 bits.
fn large_bijection() -> impl Strategy<Value = LinearLayout> {
    let sides = |count: usize| {
        prop::collection::vec(1u32..12, count - 1).prop_map(move |mut bits| {
            let used: u32 = bits.iter().sum();
            let rest = MAX_TOTAL_BITS.saturating_sub(used);
            bits.push(rest.min(MAX_DIM_BITS));
            let last = bits.len() - 2;
            bits[last] += rest - rest.min(MAX_DIM_BITS);
            bits
        })
    };
    let steps = prop::collection::vec((0usize..60, 0usize..60), 0..400);
    (sides(4), sides(6), steps).prop_filter_map("60 bits", |(ins, outs, steps)| {
        let mut words: Vec<u64> = (0..MAX_TOTAL_BITS).map(|bit| 1 << bit).collect();
        for (a, b) in steps.into_iter().filter(|(a, b)| a != b) {
            words[a] ^= words[b];
        }
        let shape: Vec<u64> = outs.iter().map(|bits| 1 << bits).collect();
        let split = |word: &u64| {
            let mut rest = *word;
            let mut vector = shape.clone();
            for size in vector.iter_mut().rev() {
                (rest, *size) = (rest / *size, rest % *size);
            }
            vector
        };
        let mut vectors = words.iter().map(split);
        let mut take = |bits: u32| vectors.by_ref().take(bits as usize).collect::<Vec<_>>();
        let dims = [Dim::Register, Dim::Lane, Dim::Warp, Dim::Block];
        let bases: Vec<_> = dims
            .into_iter()
            .zip(ins)
            .map(|(dim, bits)| (dim, take(bits)))
            .collect();
        let layout = LinearLayout::from_parts(&bases, &shape).ok()?;
        (layout.total_in_bits() == MAX_TOTAL_BITS).then_some(layout)
    })
}

proptest! {
    #[test]
    fn laws_hold_at_60_bits(a in large_bijection(), b in large_bijection()) {
        prop_assert!(a.is_invertible());
        let back = a.invert().unwrap();
        prop_assert_eq!(back.invert().unwrap(), a.clone());
        let dims = [Dim::Register, Dim::Lane, Dim::Warp, Dim::Block];
        prop_assert!(a.compose(&back).unwrap().is_trivial_over(&dims));
        prop_assert_eq!(a.to_string().parse(), Ok(a.clone()));
        prop_assert_eq!(a.to_triton().unwrap().parse(), Ok(a.clone()));
        prop_assert_eq!((&a * &LinearLayout::empty()).unwrap(), a.clone());
        prop_assert!(a.product(&b).is_err());
        prop_assert_eq!(a.divide_left(&a).unwrap().total_out_bits(), 0);
        prop_assert_eq!(a.divide_right(&LinearLayout::empty()).unwrap(), a.clone());
        if let Ok(c) = a.invert_and_compose(&b) {
            prop_assert_eq!(c.compose(&b), Ok(a.clone()));
        }
        // Nothing can be converted through memory without offsets that number it, and nothing panics.
        let prices = CostModel { shuffle: 1, select: 1, bank_cycle: 1, barrier: 1 };
        prop_assert!(Conversion::plan(&a, &a, 16, prices).is_ok());
        let _ = Conversion::plan(&a, &b, 16, prices);
    }
}

#[test]
fn tiles_larger_than_an_offset_can_number_are_refused() {
    let tile = Nvmma {
        swizzle: SwizzleMode::B128,
        element: NvmmaElement::B8,
        order: TileOrder::RowMajor,
    };
    for rank in 2..=8 {
        assert_eq!(
            tile.to_linear(&vec![1 << 31; rank]),
            Err(LayoutError::DimTooLarge {
                dim: Dim::Offset,
                bits: 31 * rank
            })
        );
    }
    assert!(tile.to_linear(&[1 << 15, 1 << 16]).is_ok());
}

#[test]
fn vectors_of_tiles_larger_than_integers_are_powers_of_two() {
    let shape = [1 << 31; 8];
    let order = [7, 6, 5, 4, 3, 2, 1, 0];
    for (vector, warps) in [(1 << 31, 1 << 31), (1 << 30, 1 << 31), (4, 1)] {
        let blocked = Blocked::coalesced(&shape, vector, &order, warps).unwrap();
        assert_eq!(blocked.size_per_thread, [1, 1, 1, 1, 1, 1, 1, vector]);
    }
    // 2^31 elements for 2^8 threads: 2^23 each.
    let blocked = Blocked::coalesced(&[1 << 31], 1 << 30, &[0], 8).unwrap();
    assert_eq!(blocked.size_per_thread, [1 << 23]);
}

#[test]
fn holders_past_what_numbers_can_say_are_refused() {
    let tile = |warpgroups| WgmmaAccumulator {
        n: WgmmaN::new(8).unwrap(),
        warpgroups,
    };
    let corner = |shape: [u32; 2]| shape.map(|size| size - 1);
    // More values of a thread, then more warps, than a `u32` can number.
    let shape = [1 << 31, 1 << 31];
    let too_many = |dim| Err(LayoutError::DimTooLarge { dim, bits: 32 });
    assert_eq!(tile([1, 1]).holder(shape, corner(shape)), too_many(Dim::Register));
    assert_eq!(
        tile([1 << 25, 1 << 28]).holder(shape, corner(shape)),
        too_many(Dim::Warp)
    );
    // The largest possible number: 2^30 warps of four values.
    let shape = [1 << 31, 1 << 8];
    let holder = tile([1 << 25, 1 << 3])
        .holder(shape, corner(shape))
        .unwrap()
        .unwrap();
    assert_eq!(
        (holder.warp, holder.lane, holder.register),
        ((1 << 30) - 1, 31, 15)
    );
}
