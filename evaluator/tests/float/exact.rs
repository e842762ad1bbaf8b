//! Float arithmetic against rational numbers: all pairs of codes of the 4- and 8-bit formats, special and random
//! codes of the others, in every rounding mode.

use crate::oracle::{MODES, Meaning, compare, layout};
use crate::samples::samples;
use num_bigint::BigInt;
use num_rational::Ratio;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::cmp::Ordering;
use tilewright_evaluator::number::{Format, Overflow, convert, float};
use tilewright_irs::cuda_tile::{ComparisonOrdering, ComparisonPredicate, RoundingMode};

const SMALL: [Format; 5] = [
    Format::F4E2M1FN,
    Format::F8E4M3FN,
    Format::F8E5M2,
    Format::F8E5M3FNU,
    Format::F8E8M0FNU,
];
const LARGE: [Format; 5] = [Format::F16, Format::BF16, Format::TF32, Format::F32, Format::F64];

/// An operation, with its rounding mode and without flushing.
type Binary = fn(Format, RoundingMode, bool, u64, u64) -> u64;

fn every_code(format: Format) -> Vec<u64> {
    (0..1 << format.ty().bits()).collect()
}

fn binary(format: Format, a: u64, b: u64) {
    let layout = layout(format);
    let (x, y) = (layout.meaning(a), layout.meaning(b));
    let operations: [(&str, [u64; 5], Binary); 4] = [
        ("add", x.sum_codes(&y, layout), float::add),
        ("sub", x.sum_codes(&y.negated(), layout), float::sub),
        ("mul", layout.codes(&x.product(&y), Overflow::Ieee), float::mul),
        ("div", layout.codes(&x.quotient(&y), Overflow::Ieee), float::div),
    ];
    for (name, expected, operation) in operations {
        let found = MODES.map(|mode| operation(format, mode, false, a, b));
        assert_eq!(found, expected, "{name} {} {a:#x} {b:#x}", format.ty());
    }
    order(format, (a, &x), (b, &y));
}

fn remainder(format: Format, a: u64, b: u64) {
    let layout = layout(format);
    let rest = layout.meaning(a).remainder(&layout.meaning(b));
    let expected = layout.nearest(&rest);
    assert_eq!(
        float::rem(format, a, b),
        expected,
        "rem {} {a:#x} {b:#x}",
        format.ty()
    );
}

/// The order of two numbers; a NaN has none.
fn ordering(x: &Meaning, y: &Meaning) -> Option<Ordering> {
    let sign = |negative| {
        if negative {
            Ordering::Less
        } else {
            Ordering::Greater
        }
    };
    match (x, y) {
        (Meaning::Nan, _) | (_, Meaning::Nan) => None,
        (Meaning::Infinity(a), Meaning::Infinity(b)) => Some(b.cmp(a)),
        (Meaning::Infinity(negative), _) => Some(sign(*negative)),
        (_, Meaning::Infinity(negative)) => Some(sign(*negative).reverse()),
        (Meaning::Number(a, x), Meaning::Number(b, y)) => Some(match (a, b) {
            (false, false) => compare(x, y),
            (true, true) => compare(y, x),
            (_, _) if *x.numer() == 0.into() && *y.numer() == 0.into() => Ordering::Equal,
            (_, _) => sign(*a),
        }),
    }
}

fn order(format: Format, (a, x): (u64, &Meaning), (b, y): (u64, &Meaning)) {
    let ordering = ordering(x, y);
    let case = format!("{} {a:#x} {b:#x}", format.ty());
    for &predicate in ComparisonPredicate::ALL {
        let holds = ordering.map(|ordering| match predicate {
            ComparisonPredicate::Equal => ordering == Ordering::Equal,
            ComparisonPredicate::NotEqual => ordering != Ordering::Equal,
            ComparisonPredicate::LessThan => ordering == Ordering::Less,
            ComparisonPredicate::LessThanOrEqual => ordering != Ordering::Greater,
            ComparisonPredicate::GreaterThan => ordering == Ordering::Greater,
            ComparisonPredicate::GreaterThanOrEqual => ordering != Ordering::Less,
        });
        let found = [ComparisonOrdering::Ordered, ComparisonOrdering::Unordered]
            .map(|ordering| float::compare(format, predicate, ordering, a, b));
        assert_eq!(
            found,
            [holds.unwrap_or(false), holds.unwrap_or(true)],
            "{predicate} {case}"
        );
    }
    let nan = layout(format).nan();
    let number = |x: &Meaning| *x != Meaning::Nan;
    for propagate in [false, true] {
        let (max, min) = match ordering {
            Some(Ordering::Less) => (b, a),
            Some(Ordering::Greater) => (a, b),
            // Zeros of different sign: the sign bit is the negative one's.
            Some(Ordering::Equal) => (a & b, a | b),
            None if propagate || (!number(x) && !number(y)) => (nan, nan),
            None => {
                if number(x) {
                    (a, a)
                } else {
                    (b, b)
                }
            }
        };
        assert_eq!(float::max(format, propagate, false, a, b), max, "max {case}");
        assert_eq!(float::min(format, propagate, false, a, b), min, "min {case}");
    }
}

fn fused(format: Format, a: u64, b: u64, c: u64) {
    let layout = layout(format);
    let product = layout.meaning(a).product(&layout.meaning(b));
    let expected = product.sum_codes(&layout.meaning(c), layout);
    let found = MODES.map(|mode| float::fma(format, mode, false, a, b, c));
    assert_eq!(found, expected, "fma {} {a:#x} {b:#x} {c:#x}", format.ty());
}

fn unary(format: Format, a: u64) {
    let layout = layout(format);
    let x = layout.meaning(a);
    let case = || format!("{} {a:#x}", format.ty());
    let rounded = |place| MODES.map(|mode| layout.round(false, &place, mode, Overflow::Ieee));
    let one = Ratio::from(BigInt::from(1));
    let (root, reciprocal) = match &x {
        zero if zero.is_zero() => ([a; 5], layout.nearest(&Meaning::Infinity(format.is_negative(a)))),
        Meaning::Number(false, magnitude) => (
            // The root compares with a number as the magnitude does with its square.
            rounded(layout.place(|other| compare(magnitude, &(other * other)))),
            rounded(layout.place(|other| compare(&one, &(other * other * magnitude))))[0],
        ),
        Meaning::Infinity(false) => ([a; 5], 0),
        Meaning::Nan | Meaning::Infinity(true) | Meaning::Number(true, _) => {
            ([layout.nan(); 5], layout.nan())
        }
    };
    let found = MODES.map(|mode| float::sqrt(format, mode, false, a));
    assert_eq!(found, root, "sqrt {}", case());
    assert_eq!(float::rsqrt(format, false, a), reciprocal, "rsqrt {}", case());
    let code = |meaning: Meaning| layout.nearest(&meaning);
    assert_eq!(
        float::ceil(format, a),
        code(x.to_integral(true)),
        "ceil {}",
        case()
    );
    assert_eq!(
        float::floor(format, a),
        code(x.to_integral(false)),
        "floor {}",
        case()
    );
    if x != Meaning::Nan && format.is_signed() {
        assert_eq!(float::neg(format, a), code(x.negated()), "neg {}", case());
        let magnitude = if format.is_negative(a) { x.negated() } else { x };
        assert_eq!(float::abs(format, a), code(magnitude), "abs {}", case());
    }
}

fn conversions(from: Format, a: u64) {
    let meaning = layout(from).meaning(a);
    for to in Format::ALL {
        for overflow in [Overflow::Ieee, Overflow::Saturate] {
            let expected = layout(to).codes(&meaning, overflow);
            let found = MODES.map(|mode| convert::float_to_float(from, to, mode, overflow, a));
            assert_eq!(
                found,
                expected,
                "{} {a:#x} to {} {overflow:?}",
                from.ty(),
                to.ty()
            );
        }
    }
}

#[test]
fn every_pair_of_a_small_format() {
    for format in SMALL {
        let codes = every_code(format);
        for &a in &codes {
            unary(format, a);
            conversions(format, a);
            for &b in &codes {
                binary(format, a, b);
                remainder(format, a, b);
            }
        }
    }
}

#[test]
fn every_triple_of_4_bits() {
    let format = Format::F4E2M1FN;
    for code in 0..1 << 12 {
        fused(format, code & 15, (code >> 4) & 15, code >> 8);
    }
}

#[test]
fn samples_of_every_format() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for format in SMALL.into_iter().chain(LARGE) {
        let samples = samples(format, 1500, &mut rng);
        for &[a, b, c] in samples.as_chunks().0 {
            unary(format, a);
            conversions(format, b);
            binary(format, a, b);
            binary(format, c, a);
            fused(format, a, b, c);
            // A sum that cancels all but the last bits of a product.
            let product = float::mul(format, RoundingMode::NearestEven, false, a, b);
            fused(format, a, b, float::neg(format, product));
            binary(format, product, c);
            remainder(format, a, b);
        }
    }
}

#[test]
fn every_pair_of_special_numbers() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for format in LARGE {
        let special = samples(format, 14, &mut rng);
        let special: Vec<u64> = special
            .iter()
            .flat_map(|&code| [code, float::neg(format, code)])
            .collect();
        for &a in &special {
            for &b in &special {
                binary(format, a, b);
                remainder(format, a, b);
            }
        }
    }
}
