//! Float ops that round.

use num_bigint::BigInt;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tilewright_irs::core::{Flag, Value};
use tilewright_irs::cuda_tile::{FloatOp, RoundingMode};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::Literal;

use crate::exact::{Exact, Number, decode, encode, power};
use crate::{binary, check, folded};

pub(crate) const ROUNDINGS: [RoundingMode; 4] = [
    RoundingMode::NearestEven,
    RoundingMode::Zero,
    RoundingMode::NegativeInf,
    RoundingMode::PositiveInf,
];
pub(crate) const ARITHMETIC: [ScalarType; 4] = [
    ScalarType::F16,
    ScalarType::BF16,
    ScalarType::F32,
    ScalarType::F64,
];

/// Bits of a float type: edge cases of the format, and random ones, many of which are close to each other.
pub(crate) fn samples(ty: ScalarType, random: usize) -> Vec<u64> {
    let mut rng = ChaCha8Rng::seed_from_u64(7 + u64::from(ty.bits()));
    let one = encode(ty, false, &power(0), RoundingMode::Zero).expect("one");
    let two = encode(ty, false, &power(1), RoundingMode::Zero).expect("two");
    let step = two - one;
    let sign = (ty.mask() >> 1) + 1;
    let infinity = sign - step;
    let mut list = vec![
        0,
        1,
        2,
        step - 1,
        step,
        step + 1,
        one,
        one + 1,
        one - 1,
        two,
        infinity - 1,
        infinity,
        infinity + 1,
    ];
    list.extend((0..random).map(|_| rng.random::<u64>() & (sign - 1)));
    list.extend((0..random).map(|_| one + (rng.random::<u64>() % (4 * step)) - 2 * step));
    list.iter().flat_map(|&bits| [bits, bits | sign]).collect()
}

pub(crate) fn is_subnormal(ty: ScalarType, bits: u64) -> bool {
    let magnitude = bits & (ty.mask() >> 1);
    let two = encode(ty, false, &power(1), RoundingMode::Zero).expect("two");
    let one = encode(ty, false, &power(0), RoundingMode::Zero).expect("one");
    magnitude != 0 && magnitude < two - one
}

pub(crate) fn flushed(ty: ScalarType, bits: u64, flush: bool) -> u64 {
    if flush && is_subnormal(ty, bits) {
        bits & !(ty.mask() >> 1)
    } else {
        bits
    }
}

/// The bits of an exact result; a zero has this sign. `None` if the result may or may not be flushed.
pub(crate) fn rounded(
    ty: ScalarType,
    value: &Exact,
    zero: bool,
    mode: RoundingMode,
    flush: bool,
) -> Option<u64> {
    let none = Exact::from(BigInt::from(0));
    let negative = if *value == none { zero } else { *value < none };
    let magnitude = if negative { -value } else { value.clone() };
    let bits = encode(ty, negative, &magnitude, mode)?;
    let least = encode(ty, false, &none, mode)? + step(ty);
    if flush && bits & (ty.mask() >> 1) == least && decode(ty, least) != Number::Finite(false, magnitude) {
        return None;
    }
    Some(flushed(ty, bits, flush))
}

pub(crate) fn step(ty: ScalarType) -> u64 {
    let code = |exponent| encode(ty, false, &power(exponent), RoundingMode::Zero).expect("a power");
    code(1) - code(0)
}

pub(crate) fn signed(negative: bool, magnitude: &Exact) -> Exact {
    if negative { -magnitude } else { magnitude.clone() }
}

/// `a * b + c` in every case without a NaN result.
pub(crate) fn multiply_add(
    ty: ScalarType,
    [a, b, c]: [Number; 3],
    mode: RoundingMode,
    flush: bool,
) -> Option<u64> {
    let infinity = |negative| {
        let code = step(ty) * ((ty.mask() >> 1) / step(ty));
        let sign = if negative { (ty.mask() >> 1) + 1 } else { 0 };
        Some(code | sign)
    };
    let zero = Exact::from(BigInt::from(0));
    let product = match (a, b) {
        (Number::Nan, _) | (_, Number::Nan) => return None,
        (Number::Infinity(p), Number::Infinity(q)) => Number::Infinity(p != q),
        (Number::Infinity(p), Number::Finite(q, m)) | (Number::Finite(q, m), Number::Infinity(p)) => {
            if m == zero {
                return None;
            }
            Number::Infinity(p != q)
        }
        (Number::Finite(p, m), Number::Finite(q, n)) => Number::Finite(p != q, m * n),
    };
    match (product, c) {
        (Number::Nan, _) | (_, Number::Nan) => None,
        (Number::Infinity(p), Number::Infinity(q)) if p != q => None,
        (Number::Infinity(p), _) | (_, Number::Infinity(p)) => infinity(p),
        (Number::Finite(p, m), Number::Finite(q, n)) => {
            let sum = signed(p, &m) + signed(q, &n);
            // Zeros of one sign give that zero; other cancellation gives `+0`, or `-0` when rounding down.
            let sign = if p == q {
                p
            } else {
                mode == RoundingMode::NegativeInf
            };
            rounded(ty, &sum, sign, mode, flush)
        }
    }
}

pub(crate) fn triples(ty: ScalarType) -> Vec<Vec<Literal>> {
    let mut rng = ChaCha8Rng::seed_from_u64(99);
    let list = samples(ty, 12);
    let pick = |rng: &mut ChaCha8Rng| Literal::new(ty, list[rng.random_range(0..list.len())]);
    (0..160)
        .map(|_| vec![pick(&mut rng), pick(&mut rng), pick(&mut rng)])
        .collect()
}

#[test]
fn float_arithmetic_is_rational_arithmetic_rounded_once() {
    for ty in ARITHMETIC {
        let cases = triples(ty);
        let (plus, minus) = (
            encode(ty, false, &power(0), RoundingMode::Zero).expect("one"),
            (ty.mask() >> 1) + 1,
        );
        let flushes: &[bool] = if ty == ScalarType::F32 {
            &[false, true]
        } else {
            &[false]
        };
        for (mode, &flush) in ROUNDINGS
            .iter()
            .flat_map(|&mode| flushes.iter().map(move |flush| (mode, flush)))
        {
            let read = |literal: Literal| decode(ty, flushed(ty, literal.bits, flush));
            let one = || decode(ty, plus);
            let flag = Flag(flush);
            let negative = |literal: Literal| decode(ty, flushed(ty, literal.bits ^ minus, flush));
            // The result for a NaN is unspecified if it is neither changed nor rounded; the rules pass it through.
            let through = |case: &[Literal]| read(case[0]) == Number::Nan;
            let proper: Vec<_> = cases.iter().filter(|case| !through(case)).cloned().collect();
            let add = |c: &[Literal]| multiply_add(ty, [read(c[0]), one(), read(c[1])], mode, flush);
            check(
                "addf",
                &binary(|lhs, rhs| FloatOp::AddF {
                    lhs,
                    rhs,
                    rounding_mode: mode,
                    flush_to_zero: flag,
                }),
                ty,
                &proper,
                &add,
            );
            let sub = |c: &[Literal]| multiply_add(ty, [read(c[0]), one(), negative(c[1])], mode, flush);
            check(
                "subf",
                &binary(|lhs, rhs| FloatOp::SubF {
                    lhs,
                    rhs,
                    rounding_mode: mode,
                    flush_to_zero: flag,
                }),
                ty,
                &proper,
                &sub,
            );
            let mul = |c: &[Literal]| {
                let sign = (c[0].bits ^ c[1].bits) & minus != 0;
                let zero = Number::Finite(sign, Exact::from(BigInt::from(0)));
                multiply_add(ty, [read(c[0]), read(c[1]), zero], mode, flush)
            };
            check(
                "mulf",
                &binary(|lhs, rhs| FloatOp::MulF {
                    lhs,
                    rhs,
                    rounding_mode: mode,
                    flush_to_zero: flag,
                }),
                ty,
                &proper,
                &mul,
            );
            let fma = |c: &[Literal]| multiply_add(ty, [read(c[0]), read(c[1]), read(c[2])], mode, flush);
            let op = |v: &[Value]| {
                let (lhs, rhs, acc) = (v[0], v[1], v[2]);
                FloatOp::Fma {
                    lhs,
                    rhs,
                    acc,
                    rounding_mode: mode,
                    flush_to_zero: flag,
                }
                .into()
            };
            check("fma", &op, ty, &cases, &fma);
            let div = |c: &[Literal]| match (read(c[0]), read(c[1])) {
                (Number::Finite(p, m), Number::Finite(q, n)) if n != Exact::from(BigInt::from(0)) => {
                    rounded(ty, &signed(p != q, &(m / n)), p != q, mode, flush)
                }
                _ => None,
            };
            let finite = |case: &&Vec<Literal>| {
                let zero = Exact::from(BigInt::from(0));
                matches!(read(case[0]), Number::Finite(..))
                    && matches!(read(case[1]), Number::Finite(_, n) if n != zero)
            };
            let finite: Vec<_> = proper.iter().filter(finite).cloned().collect();
            check(
                "divf",
                &binary(|lhs, rhs| FloatOp::DivF {
                    lhs,
                    rhs,
                    rounding_mode: mode,
                    flush_to_zero: flag,
                }),
                ty,
                &finite,
                &div,
            );
            roots(ty, mode, flush, &cases);
        }
    }
}

/// Checks that a root is correct: the squares of its neighbours, or of the midpoints between, enclose its square.
pub(crate) fn roots(ty: ScalarType, mode: RoundingMode, flush: bool, cases: &[Vec<Literal>]) {
    let op = |v: &[Value]| {
        let source = v[0];
        FloatOp::Sqrt {
            source,
            rounding_mode: mode,
            flush_to_zero: Flag(flush),
        }
        .into()
    };
    let zero = Exact::from(BigInt::from(0));
    let magnitude = |bits: u64| match decode(ty, bits) {
        Number::Finite(_, magnitude) => magnitude,
        other => panic!("{other:?}"),
    };
    for (case, root) in cases.iter().zip(folded(&op, ty, cases)) {
        match decode(ty, flushed(ty, case[0].bits, flush)) {
            Number::Nan | Number::Infinity(true) => assert_eq!(root, None),
            Number::Finite(true, value) if value != zero => assert_eq!(root, None),
            Number::Infinity(false) => assert_eq!(root, Some(case[0])),
            Number::Finite(negative, value) if value == zero => {
                let sign = if negative { (ty.mask() >> 1) + 1 } else { 0 };
                assert_eq!(root, Some(Literal::new(ty, sign)));
            }
            Number::Finite(_, value) => {
                let root = root.expect("a root").bits;
                let (below, here, above) = (magnitude(root - 1), magnitude(root), magnitude(root + 1));
                let two = Exact::from(BigInt::from(2));
                let square = |x: &Exact| x * x;
                let right = match mode {
                    RoundingMode::NearestEven => {
                        let (low, high) = ((&below + &here) / &two, (&here + &above) / &two);
                        square(&low) < value && value < square(&high)
                    }
                    RoundingMode::PositiveInf => square(&below) < value && value <= square(&here),
                    _ => square(&here) <= value && value < square(&above),
                };
                assert!(right, "sqrt {mode:?} of {case:x?} is not {root:x}");
            }
        }
    }
}
