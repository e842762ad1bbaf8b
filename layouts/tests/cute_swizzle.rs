//! The laws of swizzles and of swizzled layouts, against bitwise computation.

use proptest::prelude::*;
use tilewright_layouts::cute::{
    Composed, Coord, Int, Layout, MAX_SWIZZLE_BITS, Nested, Slot, Swizzle, SwizzleError,
};

/// The definition by bits: target bit `i` is flipped by source bit `i`.
fn by_definition(bits: u32, base: u32, shift: i32, x: u64) -> u64 {
    let (source, target) = if shift >= 0 {
        (base + shift as u32, base)
    } else {
        (base, base + (-shift) as u32)
    };
    (0..bits).fold(x, |y, i| y ^ ((x >> (source + i) & 1) << (target + i)))
}

fn small() -> impl Strategy<Value = (u32, u32, i32)> {
    (0u32..5, 0u32..6, 0i32..5, any::<bool>()).prop_map(|(bits, base, more, down)| {
        let shift = bits as i32 + more;
        (bits, base, if down { -shift } else { shift })
    })
}

fn swizzle() -> impl Strategy<Value = Swizzle> {
    small().prop_map(|(bits, base, shift)| Swizzle::new(bits, base, shift).unwrap())
}

/// Every swizzle whose fields end at bit `most` or below.
fn all(most: u32) -> Vec<Swizzle> {
    let mut found = Vec::new();
    for bits in 0..=most {
        for base in 0..=most {
            for shift in -(most as i32)..=most as i32 {
                if shift.unsigned_abs() >= bits && bits + base + shift.unsigned_abs() <= most {
                    found.push(Swizzle::new(bits, base, shift).unwrap());
                }
            }
        }
    }
    found
}

proptest! {
    #[test]
    fn apply_is_the_definition((bits, base, shift) in small(), x in any::<u64>()) {
        let sw = Swizzle::new(bits, base, shift).unwrap();
        prop_assert_eq!(sw.apply(x), by_definition(bits, base, shift, x));
        prop_assert_eq!(sw.apply(sw.apply(x)), x);
        prop_assert_eq!((sw.bits(), sw.base(), sw.shift()), (bits, base, shift));
    }

    #[test]
    fn swizzles_are_linear(sw in swizzle(), a in any::<u64>(), b in any::<u64>()) {
        prop_assert_eq!(sw.apply(a ^ b), sw.apply(a) ^ sw.apply(b));
    }

    #[test]
    fn swizzles_repeat_with_their_period(sw in swizzle(), a in 0u64..1 << 40) {
        let period = sw.period();
        prop_assert!((0..1 << 10).all(|x| sw.apply(x % period) < period));
        prop_assert_eq!(sw.apply(a), a / period * period + sw.apply(a % period));
    }

    #[test]
    fn masks_determine_the_swizzle(sw in swizzle()) {
        let again = Swizzle::from_masks(sw.source_mask(), sw.target_mask()).unwrap();
        prop_assert_eq!(again, if sw.is_identity() { Swizzle::IDENTITY } else { sw });
        prop_assert_eq!(sw.source_mask() & sw.target_mask(), 0);
    }

    #[test]
    fn text_is_read_back(sw in swizzle()) {
        let text = sw.to_string();
        prop_assert_eq!(text.parse::<Swizzle>(), Ok(sw));
        prop_assert_eq!(text.replace("Sw", " Swizzle ").replace(',', " , ").parse::<Swizzle>(), Ok(sw));
    }

    #[test]
    fn any_text_is_refused_without_panic(text in "(Sw|S)?<?[-0-9,<> ]{0,12}>?") {
        if let Ok(sw) = text.parse::<Swizzle>() {
            prop_assert_eq!(sw.to_string().parse::<Swizzle>(), Ok(sw));
        }
    }

    #[test]
    fn any_numbers_are_checked(bits in any::<u32>(), base in any::<u32>(), shift in any::<i32>()) {
        let possible = shift.unsigned_abs() >= bits
            && u64::from(bits) + u64::from(base) + u64::from(shift.unsigned_abs()) <= u64::from(MAX_SWIZZLE_BITS);
        prop_assert_eq!(Swizzle::new(bits, base, shift).is_ok(), possible);
    }

    #[test]
    fn casts_count_in_other_elements(sw in swizzle(), log in 0u32..8, x in 0u64..1 << 30) {
        let n = 1u64 << log;
        let wide = sw.downcast(n).unwrap();
        prop_assert_eq!(wide.apply(x) / n, sw.apply(x / n));
        prop_assert_eq!(wide.apply(x) % n, x % n);
        prop_assert_eq!(wide.upcast(n), Ok(sw));
    }
}

#[test]
fn a_wider_element_is_refused_exactly_when_it_is_split() {
    for sw in all(7) {
        for log in 0..6 {
            let n = 1u64 << log;
            let whole = (0..1 << 8).all(|x| sw.apply(x) == sw.apply(x / n * n) + x % n);
            let up = sw.upcast(n);
            assert_eq!(up.is_ok(), whole, "{sw} by {n}");
            if let Ok(up) = up {
                assert!(
                    (0..1 << 8).all(|x| up.apply(x / n) == sw.apply(x) / n),
                    "{sw} by {n}"
                );
            }
        }
    }
    let refused = Swizzle::new(1, 1, 1).unwrap().upcast(3);
    assert_eq!(refused, Err(SwizzleError::FactorNotPowerOfTwo { factor: 3 }));
}

#[test]
fn composition_is_found_exactly_when_there_is_one() {
    let all = all(5);
    let units = || (0..6).map(|bit| 1u64 << bit);
    let mut refused = 0;
    for &outer in &all {
        for &inner in &all {
            let composed = |x| outer.apply(inner.apply(x));
            let exists = all.iter().any(|sw| units().all(|x| sw.apply(x) == composed(x)));
            match outer.compose(inner) {
                Ok(sw) => assert!((0..1 << 7).all(|x| sw.apply(x) == composed(x)), "{outer} {inner}"),
                Err(error) => {
                    assert!(!exists, "{outer} after {inner} exists");
                    assert_eq!(error, SwizzleError::Composition { outer, inner });
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 100);
}

#[test]
fn refusals_name_the_reason() {
    let text = |result: Result<Swizzle, SwizzleError>| result.unwrap_err().to_string();
    assert_eq!(
        text(Swizzle::new(3, 0, 2)),
        "the shift 2 of a swizzle is less than its 3 bits"
    );
    assert_eq!(
        text(Swizzle::new(1, 62, 1)),
        "the swizzle of 1 bits at base 62 with shift 1 reaches past bit 62"
    );
    assert_eq!(
        text(Swizzle::from_masks(0b101, 0b11000)),
        "the mask 0b101 is not one run of set bits"
    );
    assert_eq!(
        text(Swizzle::from_masks(0b1, 0b110)),
        "the masks 0b1 and 0b110 have 1 and 2 bits"
    );
    assert_eq!(text("Sw<1,2>".parse()), "expected a swizzle `Sw<B,M,S>`");
    assert_eq!(
        text(Swizzle::new(3, 3, 3).unwrap().upcast(16)),
        "Sw<3,3,3> keeps 8 elements together, not the 16 that make a new one"
    );
}

fn leaf() -> impl Strategy<Value = Layout> {
    (1u64..6, 0u64..40).prop_map(|(size, stride)| Layout::strided(size, stride).unwrap())
}

fn composed() -> impl Strategy<Value = Composed> {
    let mode = prop::collection::vec(leaf(), 1..3).prop_map(Layout::from_modes);
    let layout = prop::collection::vec(mode, 1..3).prop_map(Layout::from_modes);
    (swizzle(), 0u64..100, layout).prop_map(|(sw, offset, layout)| Composed::new(sw, offset, layout))
}

fn number(int: &Int) -> u64 {
    int.as_static().unwrap()
}

#[test]
fn cosizes_are_whole_blocks_that_the_swizzle_keeps() {
    for sw in all(6) {
        // The smallest power of two such that every index stays within its block of that size.
        let block = (0..7).map(|bit| 1u64 << bit);
        let kept = |block: &u64| (0..1 << 7).all(|x| sw.apply(x) / block == x / block);
        let block = block.filter(kept).min().unwrap();
        for reach in 1..=65 {
            let layout = Composed::new(sw, 0, Layout::strided(reach, 1).unwrap());
            let expected = reach.div_ceil(block) * block;
            assert_eq!(layout.cosize(), Ok(Int::Static(expected)), "{layout}");
        }
    }
}

proptest! {
    #[test]
    fn a_swizzled_layout_is_one_function_after_another(layout in composed()) {
        let size = number(&layout.size().unwrap());
        let cosize = number(&layout.cosize().unwrap());
        for flat in 0..size {
            let inner = layout.layout().at(flat).unwrap() + number(layout.offset());
            let sw = layout.swizzle();
            let index = by_definition(sw.bits(), sw.base(), sw.shift(), inner);
            prop_assert_eq!(layout.at(flat).unwrap(), index);
            let coord = layout.layout().natural_coord(flat).unwrap();
            prop_assert_eq!(layout.index(&Coord::from(coord)), Ok(Int::Static(index)));
            prop_assert!(index < cosize);
        }
        prop_assert_eq!(layout.shape().product().unwrap(), Int::Static(size));
        prop_assert_eq!((layout.rank(), layout.depth()), (layout.layout().rank(), layout.layout().depth()));
    }

    #[test]
    fn a_swizzled_layout_is_read_back(layout in composed()) {
        let text = layout.to_string();
        prop_assert_eq!(text.parse::<Composed>(), Ok(layout.clone()));
        prop_assert_eq!(text.replace(" o ", "o").parse::<Composed>(), Ok(layout.clone()));
        let plain = layout.layout().to_string().parse::<Composed>().unwrap();
        prop_assert_eq!(plain.as_plain(), Some(layout.layout()));
    }

    #[test]
    fn any_swizzled_text_is_refused_without_panic(text in "[-S<>w0-4,o ():?{}_a]{0,24}") {
        if let Ok(layout) = text.parse::<Composed>() {
            prop_assert_eq!(layout.to_string().parse::<Composed>(), Ok(layout));
        }
    }

    #[test]
    fn slices_and_offsets_move_the_origin(layout in composed(), seed in any::<u64>()) {
        let rank = layout.rank();
        let sizes: Vec<_> = layout.layout().modes().map(|mode| number(&mode.size().unwrap())).collect();
        let fixed = sizes.iter().map(|size| Coord::from(seed % size));
        let kept = seed as usize % rank;
        let at = |free: Option<u64>| {
            let slots = fixed.clone().enumerate().map(|(mode, coord)| match free {
                _ if mode != kept => coord,
                Some(free) => Coord::from(free),
                None => Nested::Leaf(Slot::All),
            });
            Coord::Tuple(slots.collect())
        };
        let slice = layout.slice(&at(None)).unwrap();
        for free in 0..sizes[kept] {
            let index = layout.index(&at(Some(free))).unwrap();
            prop_assert_eq!(slice.at(free).unwrap(), number(&index));
        }
        let coord = at(Some(0));
        let moved = layout.domain_offset(&coord).unwrap();
        prop_assert_eq!(moved.at(0).unwrap(), number(&layout.index(&coord).unwrap()));
        prop_assert_eq!(moved.size(), layout.size());
        let mode = layout.mode(&[kept]).unwrap();
        let simple = layout.coalesce();
        prop_assert!((0..sizes[kept]).all(|i| mode.at(i) == layout.at(i * sizes[..kept].iter().product::<u64>())));
        prop_assert!((0..number(&layout.size().unwrap())).all(|i| simple.at(i) == layout.at(i)));
    }
}

#[test]
fn unknowns_are_kept_where_no_swizzle_needs_them() {
    let plain: Composed = "Sw<0,4,3> o ?{P} o 8:2".parse().unwrap();
    assert_eq!(plain.index(&Coord::from(3)).unwrap().to_string(), "?{P+6}");
    assert_eq!(plain.cosize().unwrap().to_string(), "?{P+15}");
    let swizzled: Composed = "Sw<1,0,1> o ?{P} o 8:2".parse().unwrap();
    let error = swizzled.index(&Coord::from(3)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the index of a coordinate depends on ?{P+6}, which is not known before run time"
    );
    assert!(swizzled.at(3).is_err());
}

#[test]
fn texts_that_are_no_swizzled_layout_say_where() {
    let error = |text: &str| text.parse::<Composed>().unwrap_err().to_string();
    assert_eq!(
        error("Sw<3,4> o 0 o 8:1"),
        "expected a swizzle `Sw<B,M,S>` at byte 0"
    );
    assert_eq!(
        error("Sw<3,4,2> o 0 o 8:1"),
        "the shift 2 of a swizzle is less than its 3 bits"
    );
    assert_eq!(
        error("Sw<3,4,3> o x o 8:1"),
        "expected a number from 0 to 2^64 - 1 at byte 12"
    );
    assert_eq!(error("Sw<3,4,3> o 0 o (8,2:1"), "expected `,` or `)` at byte 20");
    assert_eq!(
        error("Sw<3,4,3> o 8:1"),
        "expected a layout, or a swizzle, an offset and a layout with ` o ` between them at byte 11"
    );
}
