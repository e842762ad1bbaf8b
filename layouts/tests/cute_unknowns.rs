//! Arithmetic on dynamic integers against arithmetic on their values; and the algebra of layouts with dynamic leaves
//! against that of the layouts with values substituted.

use std::num::NonZeroU64;

use crate::cute_model::*;
use proptest::prelude::*;
use tilewright_layouts::cute::{Composed, Coord, CuteError, Int, Layout, Nested, Slot, Symbol, Tiler};

const NAMES: [&str; 3] = ["K", "M", "N"];

/// Dynamic integers with their divisors and values, multiples of these.
fn unknowns() -> impl Strategy<Value = Vec<(Symbol, u64)>> {
    let one = (prop::sample::select(vec![1u64, 1, 2, 4, 6, 8]), 1u64..20);
    prop::array::uniform3(one).prop_map(|choices| {
        let named = NAMES.into_iter().zip(choices);
        named
            .map(|(name, (divisor, times))| {
                let divisor = NonZeroU64::new(divisor).expect("not 0");
                (Symbol::named(name).divisible_by(divisor), divisor.get() * times)
            })
            .collect()
    })
}

fn value(unknowns: &[(Symbol, u64)]) -> impl Fn(&Symbol) -> Option<u64> + '_ {
    |symbol| {
        unknowns
            .iter()
            .find(|(known, _)| known == symbol)
            .map(|(_, value)| *value)
    }
}

/// An expression and its value, built in steps of an operation and an operand.
fn build(unknowns: &[(Symbol, u64)], steps: &[(u8, u8, u64)]) -> (Int, u64) {
    let leaf = |which: u8, number: u64| match unknowns.get(usize::from(which % 5)) {
        Some((symbol, value)) => (Int::from(symbol.clone()), *value),
        None => (Int::Static(number), number),
    };
    let mut found = leaf(steps[0].1, steps[0].2);
    for (op, which, number) in steps {
        let (int, value) = &found;
        let (other, by) = leaf(*which, *number);
        let next = match op % 5 {
            0 => int.plus(&other).ok().zip(value.checked_add(by)),
            1 => int.times(&other).ok().zip(value.checked_mul(by)),
            // The caller ensures that a difference is not negative.
            2 => int.minus(&other).ok().zip(value.checked_sub(by)),
            3 if by > 0 => int.ceil_div(&other).ok().zip(Some(value.div_ceil(by))),
            _ => int.exact_quotient(&other).zip(value.checked_div(by)),
        };
        found = next.unwrap_or(found);
    }
    found
}

fn steps() -> impl Strategy<Value = Vec<(u8, u8, u64)>> {
    prop::collection::vec((any::<u8>(), any::<u8>(), 1u64..12), 1..8)
}

/// Replaces some leaves by dynamic integers of equal value, where they exist.
fn forget(layout: &Layout, which: u32, unknowns: &[(Symbol, u64)]) -> Layout {
    let mut number = 0;
    let mut hide = |int: &Int, least: u64| {
        number += 1;
        let value = int.as_static().expect("static");
        let same = unknowns
            .iter()
            .find(|(_, known)| *known == value && value >= least);
        match same {
            Some((symbol, _)) if which >> number & 1 == 1 => Int::from(symbol.clone()),
            Some(_) | None => int.clone(),
        }
    };
    let shape = layout.shape().map(&mut |extent| hide(extent, 2));
    let stride = layout.stride().map(&mut |stride| hide(stride, 1));
    Layout::new(shape, stride).expect("congruent")
}

/// Values that leaves of the random layouts often have.
fn common() -> impl Strategy<Value = Vec<(Symbol, u64)>> {
    prop::array::uniform3((prop::sample::select(vec![2u64, 3, 4, 6, 8]), any::<bool>())).prop_map(|choices| {
        let named = NAMES.into_iter().zip(choices);
        named
            .map(|(name, (value, divided))| {
                let divisor = NonZeroU64::new(if divided { value } else { 1 }).expect("not 0");
                (Symbol::named(name).divisible_by(divisor), value)
            })
            .collect()
    })
}

/// The size and the first indices.
fn beginning(layout: &Layout) -> (Int, Vec<u64>) {
    let leaves = leaves(layout);
    let size = layout.size().expect("it fits");
    let some = size.as_static().expect("static").min(1024);
    (size, (0..some).map(|flat| eval(&leaves, flat)).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn arithmetic_with_unknowns_is_arithmetic(unknowns in unknowns(), steps in steps(), more in steps()) {
        let (a, x) = build(&unknowns, &steps);
        let (b, y) = build(&unknowns, &more);
        let value = value(&unknowns);
        prop_assert_eq!(a.substitute(&value), Ok(Int::Static(x)), "{}", a);
        prop_assert!(x.is_multiple_of(a.known_divisor().max(1)), "{a} is {x}");
        match a.provably_le(&b) {
            Some(true) => prop_assert!(x <= y, "{a} <= {b}: {x}, {y}"),
            Some(false) => prop_assert!(x > y, "{a} > {b}: {x}, {y}"),
            None => prop_assert!(!(a.is_static() && b.is_static())),
        }
        // A divisor is not 0; a difference may be.
        if let (1.., Some(quotient)) = (y, a.exact_quotient(&b)) {
            prop_assert_eq!(quotient.substitute(&value), Ok(Int::Static(x / y)));
            prop_assert_eq!(x % y, 0);
            prop_assert_eq!(quotient.times(&b), Ok(a.clone()));
        }
        prop_assert_eq!(a.to_string().parse::<Int>(), Ok(a));
    }

    #[test]
    fn equal_expressions_are_equal(unknowns in unknowns(), s in steps(), t in steps(), u in steps(), by in 1u64..9) {
        let [a, b, c] = [s, t, u].map(|steps| build(&unknowns, &steps).0);
        let by = Int::Static(by);
        let laws = || {
            Ok::<_, CuteError>([
                (a.plus(&b)?, b.plus(&a)?),
                (a.times(&b)?, b.times(&a)?),
                (a.plus(&b)?.plus(&c)?, a.plus(&b.plus(&c)?)?),
                (a.times(&b)?.times(&c)?, a.times(&b.times(&c)?)?),
                (a.plus(&b)?.times(&c)?, a.times(&c)?.plus(&b.times(&c)?)?),
                (a.plus(&b)?.minus(&b)?, a.clone()),
                (a.times(&by)?.ceil_div(&by)?, a.clone()),
                (a.times(&by)?.ceil_div(&b.times(&by)?)?, a.ceil_div(&b)?),
            ])
        };
        for (left, right) in laws().into_iter().flatten() {
            prop_assert_eq!(left, right);
        }
        // A quotient of a quotient is one quotient, if of dynamic integers; a static quotient hides
        // the first one.
        let m = Int::from(unknowns[0].0.clone());
        let seven = Int::Static(7);
        let twice = m.ceil_div(&by).unwrap().ceil_div(&seven).unwrap();
        prop_assert_eq!(twice, m.ceil_div(&by.times(&seven).unwrap()).unwrap());
    }

    #[test]
    fn the_algebra_holds_for_every_value(
        a in gapped_layout(), b in gapped_layout(), unknowns in common(), which in any::<u32>(), flat in 0u64..64
    ) {
        let (x, y) = (forget(&a, which, &unknowns), forget(&b, which >> 12, &unknowns));
        let value = value(&unknowns);
        let know = |layout: &Layout| layout.substitute(&value).expect("these values make a layout");
        prop_assert_eq!((know(&x), know(&y)), (a.clone(), b.clone()));
        let check = |what: &str, symbolic: Result<Layout, CuteError>, known: Result<Layout, CuteError>| {
            if let Ok(symbolic) = symbolic {
                let known = known.expect("what holds for all values holds for these");
                assert_eq!(beginning(&know(&symbolic)), beginning(&known), "{what} of {x} and {y}: {symbolic}");
            }
        };
        let modes = |layout: &Layout| Tiler::Modes(layout.modes().map(Tiler::from).collect());
        check("coalesce_by", x.coalesce_by(x.tree()), a.coalesce_by(a.tree()));
        check("filter", Ok(x.filter()), Ok(a.filter()));
        check("filter_zeros", Ok(x.filter_zeros()), Ok(a.filter_zeros()));
        check("group", x.group(0..1), a.group(0..1));
        check("composition_by", x.composition_by(&modes(&y)), a.composition_by(&modes(&b)));
        for (many, tilers) in [(true, [modes(&y), modes(&b)]), (false, [y.clone().into(), b.clone().into()])] {
            let [t, u] = &tilers;
            check("zipped_divide", x.zipped_divide(t), a.zipped_divide(u));
            check("tiled_divide", x.tiled_divide(t), a.tiled_divide(u));
            check("flat_divide", x.flat_divide(t), a.flat_divide(u));
            if !many {
                check("zipped_product", x.zipped_product(t), a.zipped_product(u));
                check("tiled_product", x.tiled_product(t), a.tiled_product(u));
                check("flat_product", x.flat_product(t), a.flat_product(u));
            }
        }
        check("blocked_product", x.blocked_product(&y), a.blocked_product(&b));
        check("raked_product", x.raked_product(&y), a.raked_product(&b));
        check("tile_to_shape", x.tile_to_shape(&y.shape(), None), a.tile_to_shape(&b.shape(), None));
        for factor in [2, 3, 4] {
            check("upcast", x.upcast(factor), a.upcast(factor));
            check("downcast", x.downcast(factor), a.downcast(factor));
        }
        // With dynamic integers the result may be smaller, but it is correct.
        if let (Ok(seen), Ok(common)) = (x.max_common_vector(&y), a.max_common_vector(&b)) {
            prop_assert!(seen <= common);
        }
        for coord in [Coord::from(flat), coordinate(&a, flat)] {
            if let Ok(index) = x.index(&coord) {
                prop_assert_eq!(index.substitute(&value), a.index(&coord));
            }
        }
        let (ours, theirs) = (Composed::from(x.clone()), Composed::from(a.clone()));
        let tile = ours.local_tile(&modes(&y), &Coord::from(0));
        if let Ok(tile) = tile {
            let known = theirs.local_tile(&modes(&b), &Coord::from(0)).expect("as with unknowns");
            prop_assert_eq!(table(&know(tile.layout())), table(known.layout()));
        }
    }
}

/// The first mode at an element, the others at `_`.
fn coordinate(layout: &Layout, flat: u64) -> Coord {
    let mut slots = vec![Nested::Leaf(Slot::All); layout.rank()];
    slots[0] = Coord::from(flat % size(&Layout::from_modes(layout.modes().take(1))));
    Nested::Tuple(slots)
}
