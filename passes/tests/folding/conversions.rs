//! Conversions between all formats.

use num_bigint::BigInt;
use tilewright_irs::core::{Flag, Value};
use tilewright_irs::cuda_tile::{CastOp, RoundingMode, Signedness};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::Literal;

use crate::exact::{Exact, Number, decode, encode, power};
use crate::integers::{OVERFLOWS, SIGNS, in_range, integer, low, pairs, promised};
use crate::rounded_floats::{ROUNDINGS, samples, signed, step};
use crate::{check, folded};

pub(crate) const FLOATS: [ScalarType; 10] = [
    ScalarType::F16,
    ScalarType::BF16,
    ScalarType::F32,
    ScalarType::TF32,
    ScalarType::F64,
    ScalarType::F8E4M3FN,
    ScalarType::F8E5M2,
    ScalarType::F8E8M0FNU,
    ScalarType::F4E2M1FN,
    ScalarType::F8E5M3FNU,
];

/// Every code of a small format, and samples of others.
pub(crate) fn codes(ty: ScalarType) -> Vec<Vec<Literal>> {
    let bits: Vec<u64> = match ty.bits() {
        bits @ 0..=8 => (0..1 << bits).collect(),
        16 => (0..1 << 16).step_by(61).collect(),
        _ => samples(ty, 60),
    };
    bits.into_iter()
        .map(|bits| vec![Literal::new(ty, bits)])
        .collect()
}

#[test]
fn conversions_between_all_floats_are_exact_or_rounded_once() {
    for from in FLOATS {
        let mut cases = codes(from);
        if from == ScalarType::F32 {
            // Values between the numbers of small formats, and on them.
            for small in [
                ScalarType::F8E4M3FN,
                ScalarType::F8E5M2,
                ScalarType::F4E2M1FN,
                ScalarType::F8E5M3FNU,
            ] {
                for code in 0..1u64 << small.bits() {
                    if let Number::Finite(negative, m) = decode(small, code) {
                        let bits = encode(from, negative, &m, RoundingMode::Zero).expect("it fits");
                        let half = 1 << 19;
                        let near = [
                            bits,
                            bits + 1,
                            bits.wrapping_sub(1),
                            bits + half,
                            bits + half / 2,
                            bits + half - 1,
                        ];
                        cases.extend(near.map(|bits| vec![Literal::new(from, bits)]));
                    }
                }
            }
        }
        for to in FLOATS {
            if from == to {
                continue;
            }
            let modes: &[RoundingMode] = match to {
                ScalarType::F8E8M0FNU => &[RoundingMode::Zero, RoundingMode::PositiveInf],
                ScalarType::F8E4M3FN | ScalarType::F8E5M2 | ScalarType::F4E2M1FN | ScalarType::F8E5M3FNU => {
                    &[RoundingMode::NearestEven]
                }
                ScalarType::TF32 => &[
                    RoundingMode::NearestEven,
                    RoundingMode::Zero,
                    RoundingMode::NearestAway,
                ],
                _ => &ROUNDINGS,
            };
            for &mode in modes {
                let small = to.bits() <= 8;
                let want = |c: &[Literal]| match decode(from, c[0].bits) {
                    Number::Nan => None,
                    Number::Infinity(negative) => (!small).then(|| {
                        let sign = if negative { (to.mask() >> 1) + 1 } else { 0 };
                        (step(to) * ((to.mask() >> 1) / step(to))) | sign
                    }),
                    Number::Finite(negative, m) => {
                        let bits = encode(to, negative, &m, mode)?;
                        // Values beyond the range of a small format are target-dependent.
                        (!small || matches!(decode(to, bits), Number::Finite(..))).then_some(bits)
                    }
                };
                let want = |c: &[Literal]| {
                    let bits = want(c)?;
                    let beyond = match (decode(from, c[0].bits), to) {
                        // Rounded down to the largest power of two.
                        (Number::Finite(_, m), ScalarType::F8E8M0FNU) => m > power(127),
                        _ => false,
                    };
                    (!beyond).then_some(bits)
                };
                let op = |v: &[Value]| {
                    CastOp::FToF {
                        from: v[0],
                        rounding_mode: mode,
                    }
                    .into()
                };
                let have = folded(&op, to, &cases);
                let mut count = 0;
                for (case, have) in cases.iter().zip(have) {
                    let want = want(case).map(|bits| Literal::new(to, bits));
                    assert_eq!(have, want, "{from:?} to {to:?} {mode:?}: {case:x?}");
                    count += usize::from(have.is_some());
                }
                assert!(count > 0, "{from:?} to {to:?}");
            }
        }
    }
}

#[test]
fn conversions_between_integers_and_floats() {
    for int in [ScalarType::I8, ScalarType::I16, ScalarType::I32, ScalarType::I64] {
        let numbers: Vec<_> = pairs(int).into_iter().map(|pair| pair[..1].to_vec()).collect();
        for (float, signedness) in FLOATS.iter().flat_map(|&float| SIGNS.map(|sign| (float, sign))) {
            if float != ScalarType::F8E8M0FNU {
                let want = |c: &[Literal]| {
                    let value = integer(c[0], signedness);
                    let negative = value < BigInt::from(0);
                    let magnitude = Exact::from(if negative { -value } else { value });
                    let bits = encode(float, negative, &magnitude, RoundingMode::NearestEven)?;
                    (float.bits() > 8 || matches!(decode(float, bits), Number::Finite(..))).then_some(bits)
                };
                let op = |v: &[Value]| {
                    let rounding_mode = RoundingMode::NearestEven;
                    CastOp::IToF {
                        from: v[0],
                        signedness,
                        rounding_mode,
                    }
                    .into()
                };
                check("itof", &op, float, &numbers, &want);
            }
            for saturating in [false, true] {
                let want = |c: &[Literal]| {
                    let bound = |high: bool| {
                        let full = BigInt::from(1) << int.bits();
                        match (signedness, high) {
                            (Signedness::Unsigned, false) => BigInt::from(0),
                            (Signedness::Unsigned, true) => full - 1,
                            (Signedness::Signed, false) => BigInt::from(0) - full / 2,
                            (Signedness::Signed, true) => full / 2 - 1,
                        }
                    };
                    match decode(float, c[0].bits) {
                        Number::Nan => saturating.then_some(0),
                        Number::Infinity(negative) => saturating.then(|| low(int, &bound(!negative))),
                        Number::Finite(negative, m) => {
                            let value = signed(negative, &m).trunc().to_integer();
                            if saturating {
                                return Some(low(int, &value.clamp(bound(false), bound(true))));
                            }
                            in_range(int, signedness, &value).then(|| low(int, &value))
                        }
                    }
                };
                let op = |v: &[Value]| {
                    let (from, rounding_mode) = (v[0], RoundingMode::NearestIntToZero);
                    CastOp::FToI {
                        from,
                        signedness,
                        rounding_mode,
                        saturating: Flag(saturating),
                    }
                    .into()
                };
                check("ftoi", &op, int, &codes(float), &want);
            }
        }
    }
}

#[test]
fn widening_and_narrowing_of_integers() {
    let types = [
        ScalarType::I1,
        ScalarType::I8,
        ScalarType::I16,
        ScalarType::I32,
        ScalarType::I64,
    ];
    for from in types {
        let cases: Vec<_> = pairs(from).into_iter().map(|pair| pair[..1].to_vec()).collect();
        for to in types {
            if to.bits() > from.bits() {
                for signedness in SIGNS {
                    let want = |items: &[Literal]| Some(low(to, &integer(items[0], signedness)));
                    check(
                        "exti",
                        &|v| {
                            CastOp::ExtI {
                                from: v[0],
                                signedness,
                            }
                            .into()
                        },
                        to,
                        &cases,
                        &want,
                    );
                }
            }
            if to.bits() < from.bits() {
                for overflow in OVERFLOWS {
                    let want = |items: &[Literal]| {
                        let (a, ua) = (
                            integer(items[0], Signedness::Signed),
                            integer(items[0], Signedness::Unsigned),
                        );
                        promised(to, overflow, &a, &ua)
                    };
                    check(
                        "trunci",
                        &|v| CastOp::TruncI { from: v[0], overflow }.into(),
                        to,
                        &cases,
                        &want,
                    );
                }
            }
        }
    }
}
