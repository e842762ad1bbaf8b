//! Integer ops.

use num_bigint::BigInt;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tilewright_irs::core::Value;
use tilewright_irs::cuda_tile::{ComparisonPredicate, IntOp, IntegerOverflow, RoundingMode, Signedness};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::Literal;

use crate::exact::Exact;
use crate::{binary, check, unary};

pub(crate) const OVERFLOWS: [IntegerOverflow; 4] = [
    IntegerOverflow::None,
    IntegerOverflow::NoSignedWrap,
    IntegerOverflow::NoUnsignedWrap,
    IntegerOverflow::NoWrap,
];
pub(crate) const SIGNS: [Signedness; 2] = [Signedness::Signed, Signedness::Unsigned];

pub(crate) fn integer(literal: Literal, signedness: Signedness) -> BigInt {
    let value = BigInt::from(literal.bits);
    let half = BigInt::from(1) << (literal.ty.bits() - 1);
    if signedness == Signedness::Signed && value >= half {
        value - half * 2
    } else {
        value
    }
}

pub(crate) fn in_range(ty: ScalarType, signedness: Signedness, value: &BigInt) -> bool {
    let full = BigInt::from(1) << ty.bits();
    match signedness {
        Signedness::Unsigned => *value >= BigInt::from(0) && *value < full,
        Signedness::Signed => {
            let half: BigInt = full / 2;
            *value >= -half.clone() && *value < half
        }
    }
}

/// The low bits of a value.
pub(crate) fn low(ty: ScalarType, value: &BigInt) -> u64 {
    let full = BigInt::from(1) << ty.bits();
    let rest = ((value % &full) + &full) % &full;
    u64::try_from(rest).expect("few bits")
}

pub(crate) fn promised(
    ty: ScalarType,
    overflow: IntegerOverflow,
    signed: &BigInt,
    unsigned: &BigInt,
) -> Option<u64> {
    let signed_holds = in_range(ty, Signedness::Signed, signed);
    let unsigned_holds = in_range(ty, Signedness::Unsigned, unsigned);
    let holds = match overflow {
        IntegerOverflow::None => true,
        IntegerOverflow::NoSignedWrap => signed_holds,
        IntegerOverflow::NoUnsignedWrap => unsigned_holds,
        IntegerOverflow::NoWrap => signed_holds && unsigned_holds,
    };
    holds.then(|| low(ty, signed))
}

/// Pairs of integers: for 8 bits, all values paired with some; for others, edge cases and random ones.
pub(crate) fn pairs(ty: ScalarType) -> Vec<Vec<Literal>> {
    let mut rng = ChaCha8Rng::seed_from_u64(u64::from(ty.bits()));
    let mask = ty.mask();
    let mut edges = vec![
        0,
        1,
        2,
        3,
        7,
        mask,
        mask - 1,
        mask >> 1,
        (mask >> 1) + 1,
        (mask >> 1).wrapping_sub(1),
        mask >> 3,
    ];
    edges.extend((0..8).map(|_| rng.random::<u64>()));
    let left: Vec<u64> = if ty == ScalarType::I8 {
        (0..256).collect()
    } else {
        edges.clone()
    };
    let pair = |a: u64, b: u64| vec![Literal::new(ty, a), Literal::new(ty, b)];
    left.iter()
        .flat_map(|&a| edges.iter().map(move |&b| pair(a, b)))
        .collect()
}

/// An op on two operands.
type Build<'a> = &'a dyn Fn(Value, Value) -> IntOp;
/// The exact operation.
type Combine = fn(&BigInt, &BigInt) -> BigInt;

#[test]
fn integer_folding_agrees_with_big_integers() {
    for ty in [
        ScalarType::I1,
        ScalarType::I8,
        ScalarType::I16,
        ScalarType::I32,
        ScalarType::I64,
    ] {
        let cases = pairs(ty);
        let both =
            |items: &[Literal], signedness| (integer(items[0], signedness), integer(items[1], signedness));
        for overflow in OVERFLOWS {
            let ops: [(&str, Build<'_>, Combine); 3] = [
                ("addi", &|lhs, rhs| IntOp::AddI { lhs, rhs, overflow }, |a, b| {
                    a + b
                }),
                ("subi", &|lhs, rhs| IntOp::SubI { lhs, rhs, overflow }, |a, b| {
                    a - b
                }),
                ("muli", &|lhs, rhs| IntOp::MulI { lhs, rhs, overflow }, |a, b| {
                    a * b
                }),
            ];
            for (name, op, combine) in ops {
                let want = |items: &[Literal]| {
                    let ((a, b), (ua, ub)) =
                        (both(items, Signedness::Signed), both(items, Signedness::Unsigned));
                    // The result of an op with an operand of zero or one is independent of overflow flags.
                    let identity = match name {
                        "muli" => items[1].bits < 2,
                        _ => items[1].bits == 0,
                    };
                    let overflow = if identity { IntegerOverflow::None } else { overflow };
                    promised(ty, overflow, &combine(&a, &b), &combine(&ua, &ub))
                };
                // An identity may fold a case with a violated overflow assumption; those cases are excluded.
                let strict: Vec<_> = cases
                    .iter()
                    .filter(|case| case[0].bits > 1 && case[0] != case[1])
                    .cloned()
                    .collect();
                if !strict.is_empty() {
                    check(name, &binary(op), ty, &strict, &want);
                }
            }
            let shl = |items: &[Literal]| {
                if items[1].bits >= u64::from(ty.bits()) {
                    return None;
                }
                let factor = BigInt::from(1) << items[1].bits;
                let (a, _) = both(items, Signedness::Signed);
                let (ua, _) = both(items, Signedness::Unsigned);
                promised(ty, overflow, &(a * &factor), &(ua * &factor))
            };
            check(
                "shli",
                &binary(|lhs, rhs| IntOp::ShlI { lhs, rhs, overflow }),
                ty,
                &cases,
                &shl,
            );
        }
        let mulhi = |items: &[Literal]| {
            let (a, b) = both(items, Signedness::Unsigned);
            Some(low(ty, &((a * b) >> ty.bits())))
        };
        check(
            "mulhii",
            &binary(|x, y| IntOp::MulHiI { x, y }),
            ty,
            &cases,
            &mulhi,
        );
        let abs = |items: &[Literal]| {
            let a = integer(items[0], Signedness::Signed);
            Some(low(ty, &if a < BigInt::from(0) { -a } else { a }))
        };
        check("absi", &unary(|source| IntOp::AbsI { source }), ty, &cases, &abs);
        for overflow in [
            IntegerOverflow::None,
            IntegerOverflow::NoSignedWrap,
            IntegerOverflow::NoWrap,
        ] {
            let neg = |items: &[Literal]| {
                let a = -integer(items[0], Signedness::Signed);
                (overflow == IntegerOverflow::None || in_range(ty, Signedness::Signed, &a))
                    .then(|| low(ty, &a))
            };
            check(
                "negi",
                &unary(|source| IntOp::NegI { source, overflow }),
                ty,
                &cases,
                &neg,
            );
        }
        for signedness in SIGNS {
            two_sided(ty, signedness, &cases);
        }
    }
}

/// The ops whose operands have a signedness.
pub(crate) fn two_sided(ty: ScalarType, signedness: Signedness, cases: &[Vec<Literal>]) {
    let both = |items: &[Literal]| (integer(items[0], signedness), integer(items[1], signedness));
    let zero = BigInt::from(0);
    for rounding in [
        RoundingMode::Zero,
        RoundingMode::NegativeInf,
        RoundingMode::PositiveInf,
    ] {
        let want = |items: &[Literal]| {
            let (a, b) = both(items);
            if b == zero {
                return None;
            }
            let quotient = Exact::new(a, b);
            let rounded = match rounding {
                RoundingMode::NegativeInf => quotient.floor(),
                RoundingMode::PositiveInf => quotient.ceil(),
                _ => quotient.trunc(),
            };
            in_range(ty, signedness, rounded.numer()).then(|| low(ty, rounded.numer()))
        };
        let op = binary(|lhs, rhs| IntOp::DivI {
            lhs,
            rhs,
            signedness,
            rounding,
        });
        check("divi", &op, ty, cases, &want);
    }
    let rest = |items: &[Literal]| {
        let (a, b) = both(items);
        if b == zero
            || (signedness == Signedness::Signed && b == BigInt::from(-1) && !in_range(ty, signedness, &-&a))
        {
            return None;
        }
        // The remainder of truncating division.
        let quotient = Exact::new(a.clone(), b.clone()).trunc().to_integer();
        Some(low(ty, &(a - quotient * b)))
    };
    check(
        "remi",
        &binary(|lhs, rhs| IntOp::RemI { lhs, rhs, signedness }),
        ty,
        cases,
        &rest,
    );
    let max = |items: &[Literal]| {
        let (a, b) = both(items);
        Some(low(ty, &a.max(b)))
    };
    check(
        "maxi",
        &binary(|lhs, rhs| IntOp::MaxI { lhs, rhs, signedness }),
        ty,
        cases,
        &max,
    );
    let min = |items: &[Literal]| {
        let (a, b) = both(items);
        Some(low(ty, &a.min(b)))
    };
    check(
        "mini",
        &binary(|lhs, rhs| IntOp::MinI { lhs, rhs, signedness }),
        ty,
        cases,
        &min,
    );
    let shr = |items: &[Literal]| {
        let (a, _) = both(items);
        let divisor = BigInt::from(1) << items[1].bits.min(100);
        let kept = items[1].bits < u64::from(ty.bits());
        kept.then(|| low(ty, &Exact::new(a, divisor).floor().to_integer()))
    };
    check(
        "shri",
        &binary(|lhs, rhs| IntOp::ShrI { lhs, rhs, signedness }),
        ty,
        cases,
        &shr,
    );
    for &predicate in ComparisonPredicate::ALL {
        let want = |items: &[Literal]| {
            let (a, b) = both(items);
            Some(u64::from(holds(predicate, &a, &b)))
        };
        let op = binary(|lhs, rhs| IntOp::CmpI {
            lhs,
            rhs,
            predicate,
            signedness,
        });
        check("cmpi", &op, ScalarType::I1, cases, &want);
    }
}

pub(crate) fn holds<T: Ord>(predicate: ComparisonPredicate, a: &T, b: &T) -> bool {
    match predicate {
        ComparisonPredicate::Equal => a == b,
        ComparisonPredicate::NotEqual => a != b,
        ComparisonPredicate::LessThan => a < b,
        ComparisonPredicate::LessThanOrEqual => a <= b,
        ComparisonPredicate::GreaterThan => a > b,
        ComparisonPredicate::GreaterThanOrEqual => a >= b,
    }
}
