//! Dynamic leaves: results hold for every value of them. Also the text form.

use std::num::NonZeroU64;

use crate::cute_model::*;
use proptest::prelude::*;
use tilewright_layouts::cute::{
    Coord, CuteError, Int, IntTuple, Layout, Nested, ParseCuteError, Symbol, Tiler, Width,
};

/// Replaces some leaves of the layout by dynamic integers; returns their values by number.
fn forget(layout: &Layout, which: u32, first: u32) -> (Layout, Vec<(u32, u64)>) {
    let (mut number, mut values) = (first, Vec::new());
    // In a complement, a dynamic extent of 1 would keep its mode and the gap below its stride.
    let mut hide = |int: &Int, least: u64| {
        let value = int.as_static().expect("static");
        number += 1;
        if which >> (number - first) & 1 == 0 || value < least {
            return Int::Static(value);
        }
        values.push((number, value));
        let divisor = NonZeroU64::new(if number % 2 == 0 { value } else { 1 });
        Int::from(Symbol::numbered(number).divisible_by(divisor.expect("not 0")))
    };
    let shape = layout.shape().map(&mut |extent| hide(extent, 2));
    let stride = layout.stride().map(&mut |stride| hide(stride, 1));
    (Layout::new(shape, stride).expect("congruent"), values)
}

fn know(layout: &Layout, values: &[(u32, u64)]) -> Layout {
    let value = |symbol: &Symbol| {
        let known = values
            .iter()
            .find(|(number, _)| Symbol::numbered(*number).name() == symbol.name());
        known.map(|(_, value)| *value)
    };
    layout.substitute(&value).expect("these values make a layout")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn values_may_be_put_in_before_or_after(
        a in gapped_layout(), b in gapped_layout(), which in any::<u32>(), other in any::<u32>()
    ) {
        let (x, mut values) = forget(&a, which, 0);
        let (y, more) = forget(&b, other & which, 100);
        values.extend(more);
        prop_assert_eq!(know(&x, &values), a.clone());
        prop_assert_eq!(table(&know(&x.coalesce(), &values)), table(&a));
        prop_assert_eq!(know(&Layout::from_modes([Layout::column_major(&x.shape()).unwrap()]), &values).shape(),
            Layout::from_modes([a.clone()]).shape());
        let compare = |symbolic: Result<Layout, CuteError>, known: Result<Layout, CuteError>| {
            if let Ok(symbolic) = symbolic {
                let known = known.expect("what holds for all values holds for these");
                assert_eq!(table(&know(&symbolic, &values)), table(&known), "{symbolic}");
            }
        };
        compare(x.composition(&y), a.composition(&b));
        compare(x.complement(&y.shape()), a.complement(&b.shape()));
        if let Ok(inverse) = x.left_inverse() {
            let (mine, known) = (know(&inverse, &values), a.left_inverse().unwrap());
            for index in table(&a) {
                prop_assert_eq!(eval(&leaves(&mine), index), eval(&leaves(&known), index));
            }
        }
        compare(x.logical_product(&y.clone().into()), a.logical_product(&b.clone().into()));
        compare(x.logical_divide(&y.clone().into()), a.logical_divide(&b.clone().into()));
        // It may stop earlier at a dynamic stride, but its result is correct.
        let inverse = know(&x.right_inverse().unwrap(), &values);
        for (index, flat) in (0..).zip(table(&inverse)) {
            prop_assert_eq!(eval(&leaves(&a), flat), index);
        }
        for (text, int) in [(x.size(), a.size()), (x.cosize(), a.cosize())] {
            let known = text.unwrap().substitute(&|symbol| {
                values.iter().find(|(number, _)| Symbol::numbered(*number).name() == symbol.name()).map(|(_, v)| *v)
            });
            prop_assert_eq!(known, int);
        }
    }

    #[test]
    fn texts_of_layouts_parse_back(a in some_layout(), b in some_layout(), which in any::<u32>()) {
        let (x, _) = forget(&a, which, 0);
        prop_assert_eq!(x.to_string().parse::<Layout>().unwrap(), x.clone());
        prop_assert_eq!(x.shape().to_string().parse::<IntTuple>().unwrap(), x.shape());
        let coord = Coord::from(x.stride());
        prop_assert_eq!(coord.to_string().parse::<Coord>().unwrap(), coord);
        if let Ok(composed) = x.composition(&b) {
            prop_assert_eq!(composed.to_string().parse::<Layout>().unwrap(), composed);
        }
        if let Ok(rest) = b.complement(&x.shape()) {
            prop_assert_eq!(rest.to_string().parse::<Layout>().unwrap(), rest);
        }
        let tiler = Tiler::Modes(vec![x.into(), Tiler::All, Tiler::Modes(vec![b.into()])]);
        prop_assert_eq!(tiler.to_string().parse::<Tiler>().unwrap(), tiler);
    }

    #[test]
    fn any_text_is_parsed_or_refused(text in "[(),:0-9?{}%a-z_+*/\\[\\]; -]{0,40}") {
        let _ = text.parse::<Layout>();
        let _ = text.parse::<Coord>();
        let _ = text.parse::<Tiler>();
        let _ = format!("?{{{text}}}").parse::<Int>();
    }

    #[test]
    fn large_numbers_are_refused_not_wrapped(
        numbers in prop::collection::vec((1u64.., any::<u64>()), 1..4),
        more in prop::collection::vec((1u64.., any::<u64>()), 1..4),
        shift in 0u32..64
    ) {
        let cut = |pairs: &[(u64, u64)]| {
            let pairs: Vec<_> = pairs.iter().map(|(n, d)| ((n >> shift).max(1), d >> (shift / 2))).collect();
            nested(&pairs, &[])
        };
        let (a, b) = (cut(&numbers), cut(&more));
        let _ = (a.size(), a.cosize(), a.at(u64::MAX), a.index(&u64::MAX.into()), a.coalesce());
        let _ = (a.composition(&b), a.complement(&b.shape()), a.right_inverse(), a.left_inverse());
        let tiler = Tiler::from(b.clone());
        let _ = (a.zipped_divide(&tiler), a.flat_product(&tiler), a.raked_product(&b));
        if let Ok(rest) = a.complement(&b.shape()) {
            prop_assert!(rest.cosize().is_ok() || rest.size().is_err() || rest.is_static());
        }
    }
}

#[test]
fn indices_that_are_too_large_say_which_number() {
    let largest = u64::MAX;
    let layout = parse(&format!("(2,2):({largest},1)"));
    assert_eq!(layout.at(1), Ok(largest));
    let said = |flat| layout.at(flat).unwrap_err().to_string();
    let range = "is not an integer from 0 to 2^64 - 1";
    assert_eq!(said(3), format!("the sum of {largest} and 1 {range}"));
    let column = parse(&format!("4:{largest}"));
    assert_eq!(
        column.at(2).unwrap_err().to_string(),
        format!("the product of 2 and {largest} {range}")
    );
}

fn error(text: &str) -> String {
    text.parse::<Layout>().expect_err(text).to_string()
}

#[test]
fn errors_of_texts_say_where_and_what() {
    assert_eq!(error("(4,8):(1"), "expected `,` or `)` at byte 8");
    assert_eq!(
        error("(4,8):(1,(2,3))"),
        "(4,8) and (1,(2,3)) are not nested in the same way"
    );
    assert_eq!(
        error("(0,8)"),
        "a shape has an extent of 0; extents are 1 or more"
    );
    assert_eq!(error("4:-1"), "expected a number from 0 to 2^64 - 1 at byte 2");
    assert_eq!(
        error(&"(".repeat(100)),
        "expected no deeper nesting, as this is 32 deep at byte 33"
    );
    assert_eq!(
        error("(4294967296,4294967296)"),
        "the product of 4294967296 and 4294967296 is not an integer from 0 to 2^64 - 1"
    );
}

#[test]
fn the_published_forms_of_unknowns() -> Result<(), ParseCuteError> {
    let layout: Layout = "(100,?{div=8}):(?{i64 div=8},1)".parse()?;
    assert_eq!(layout.to_string(), "(100,?{div=8}):(?{i64 div=8},1)");
    let eight = NonZeroU64::new(8).expect("not 0");
    let first = Symbol::numbered(0).divisible_by(eight);
    assert_eq!(layout.mode(&[1])?.shape(), Nested::Leaf(Int::from(first)));
    let second = Symbol::numbered(1).divisible_by(eight).of_width(Width::I64);
    assert_eq!(layout.mode(&[0])?.stride(), Nested::Leaf(Int::from(second)));
    assert_eq!(
        "(?,?):(1,?)".parse::<Layout>()?.select(&[1, 0])?.to_string(),
        "(?{%1},?):(?{%2},1)"
    );
    Ok(())
}

#[test]
fn unknowns_in_tiling() -> Result<(), Box<dyn std::error::Error>> {
    let matrix: Layout = "(?{M},?{K div=64}):(1,?{M})".parse()?;
    let tile: Tiler = "[128:1;64:1]".parse()?;
    assert_eq!(
        matrix.zipped_divide(&tile)?.to_string(),
        "((128,64),(?{ceil_div(M,128)},?{K{div=64}/64})):((1,?{M}),(128,?{64*M}))"
    );
    let refused = "(?{M},8):(1,?{L})".parse::<Layout>()?.composition(&parse("16:1"));
    let text = "composition depends on ?{M}, which is not known before run time";
    assert_eq!(refused.expect_err("M may be less than 16").to_string(), text);
    Ok(())
}

#[test]
fn unknowns_get_only_values_that_they_can_have() {
    let layout: Layout = "(?{M div=8},4):(1,?{M div=8})".parse().unwrap();
    let with = |value: u64| {
        layout
            .substitute(&|_| Some(value))
            .map(|layout| layout.to_string())
    };
    assert_eq!(with(16).unwrap(), "(16,4):(1,16)");
    for value in [0, 3, 12] {
        let text = format!("{value} is no value of ?{{M div=8}}, which is a positive multiple of 8");
        assert_eq!(with(value).unwrap_err().to_string(), text);
    }
    let (m, n) = (Symbol::named("M"), Symbol::named("N"));
    let (m, n) = (Int::from(m), Int::from(n));
    let value =
        |m: u64, n: u64| move |symbol: &Symbol| Some(if *symbol == Symbol::named("M") { m } else { n });
    let left = m.minus(&n).unwrap();
    assert_eq!(left.substitute(&value(5, 2)), Ok(Int::Static(3)));
    assert_eq!(
        left.substitute(&value(2, 5)).unwrap_err().to_string(),
        "with these values ?{M-N} is not an integer from 0 to 2^64 - 1"
    );
    // A divisor that becomes 0, or negative.
    for above in [Int::Static(5), m.clone(), left.clone()] {
        let quotient = above.ceil_div(&left).unwrap();
        if quotient != Int::ONE {
            assert!(quotient.substitute(&value(3, 3)).is_err());
            assert!(quotient.substitute(&value(3, 4)).is_err());
        }
        assert!(quotient.substitute(&value(4, 3)).is_ok());
    }
}

#[test]
fn expressions_stay_small() {
    let m = Int::from(Symbol::named("M"));
    let mut power = m.clone();
    let squarings = (0..100).take_while(|_| match power.times(&power) {
        Ok(square) => {
            power = square;
            true
        }
        Err(_) => false,
    });
    assert_eq!(squarings.count(), 10);
    assert_eq!(power.to_string().parse::<Int>(), Ok(power));
    let mut tiles = m;
    let divisions = (0..1000).take_while(|_| {
        let next = tiles
            .plus(&Int::ONE)
            .and_then(|sum| sum.ceil_div(&Int::Static(7)));
        next.map(|next| tiles = next).is_ok()
    });
    assert_eq!(divisions.count(), 31);
    assert_eq!(tiles.to_string().parse::<Int>(), Ok(tiles));
    let long = format!("?{{{}}}", vec!["M"; 4000].join("*"));
    assert!(long.parse::<Int>().is_err());
}

#[test]
fn the_largest_expressions_parse_back() {
    let m = Int::from(Symbol::named("M"));
    let most = Int::Static(u64::MAX);
    assert_eq!(m.plus(&most).unwrap().to_string(), "?{M+18446744073709551615}");
    assert!(m.plus(&most).unwrap().plus(&Int::ONE).is_err());
    assert!(m.times(&most).unwrap().plus(&m).is_err());
    for text in [
        "?{18446744073709551615*M-18446744073709551615}",
        "?{18446744073709551613*K{div=18446744073709551615}/18446744073709551615}",
        "?{14*M{div=18446744073709551615}*N{div=18446744073709551615}/17}",
    ] {
        assert_eq!(text.parse::<Int>().unwrap().to_string(), text);
    }
    // Nothing is known of products of divisors that overflow.
    let huge: Int = "?{K{div=9223372036854775807}*M{div=9223372036854775807}*N{div=3}+3*L}"
        .parse()
        .unwrap();
    assert_eq!(huge.known_divisor(), 1);
}
