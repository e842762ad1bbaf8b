//! The laws of swizzles and of swizzled layouts, against bit-by-bit computation.

use proptest::prelude::*;
use tilewright_layouts::cute::{MAX_SWIZZLE_BITS, Swizzle, SwizzleError};

/// The definition, bit by bit: target bit `i` is flipped by source bit `i`.
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
fn a_wider_element_is_refused_exactly_when_it_is_torn_apart() {
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
