//! Float ops that do not round, and comparisons.

use num_bigint::BigInt;
use tilewright_irs::core::{Flag, Value};
use tilewright_irs::cuda_tile::{ComparisonOrdering, ComparisonPredicate, FloatOp, RoundingMode};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::Literal;

use crate::exact::{Exact, Number, decode};
use crate::integers::holds;
use crate::rounded_floats::{ARITHMETIC, rounded, signed, triples};
use crate::{binary, check, unary};

#[test]
fn other_float_ops_are_exact() {
    for ty in ARITHMETIC {
        let cases = triples(ty);
        let sign = (ty.mask() >> 1) + 1;
        let nan = |literal: Literal| decode(ty, literal.bits) == Number::Nan;
        let flip = |c: &[Literal]| (!nan(c[0])).then_some(c[0].bits ^ sign);
        check(
            "negf",
            &unary(|source| FloatOp::NegF { source }),
            ty,
            &cases,
            &flip,
        );
        let clear = |c: &[Literal]| (!nan(c[0])).then_some(c[0].bits & !sign);
        check(
            "absf",
            &unary(|source| FloatOp::AbsF { source }),
            ty,
            &cases,
            &clear,
        );
        for up in [false, true] {
            let whole = |c: &[Literal]| match decode(ty, c[0].bits) {
                Number::Nan => None,
                Number::Infinity(_) => Some(c[0].bits),
                Number::Finite(negative, m) => {
                    let value = signed(negative, &m);
                    let value = if up { value.ceil() } else { value.floor() };
                    rounded(ty, &value, negative, RoundingMode::NearestEven, false)
                }
            };
            let op = |v: &[Value]| {
                let source = v[0];
                if up {
                    FloatOp::Ceil { source }.into()
                } else {
                    FloatOp::Floor { source }.into()
                }
            };
            check("ceil and floor", &op, ty, &cases, &whole);
        }
        let rest = |c: &[Literal]| match (decode(ty, c[0].bits), decode(ty, c[1].bits)) {
            (Number::Finite(..), Number::Infinity(_)) => Some(c[0].bits),
            (Number::Finite(p, m), Number::Finite(_, n)) if n != Exact::from(BigInt::from(0)) => {
                let quotient = (&m / &n).trunc();
                rounded(
                    ty,
                    &signed(p, &(m - quotient * n)),
                    p,
                    RoundingMode::NearestEven,
                    false,
                )
            }
            _ => None,
        };
        check(
            "remf",
            &binary(|lhs, rhs| FloatOp::RemF { lhs, rhs }),
            ty,
            &cases,
            &rest,
        );
        comparisons(ty, &cases);
    }
}

/// The rank of numbers in order: negative ones before positive ones, `-0` before `+0` if it matters.
pub(crate) fn rank(ty: ScalarType, bits: u64) -> i128 {
    let sign = (ty.mask() >> 1) + 1;
    let magnitude = i128::from(bits & !sign);
    if bits & sign == 0 {
        magnitude
    } else {
        -magnitude - 1
    }
}

pub(crate) fn comparisons(ty: ScalarType, cases: &[Vec<Literal>]) {
    let nan = |literal: Literal| decode(ty, literal.bits) == Number::Nan;
    for propagate in [false, true] {
        for larger in [false, true] {
            let want = |c: &[Literal]| match (nan(c[0]), nan(c[1])) {
                (true, true) => None,
                (true, false) | (false, true) if propagate => None,
                (true, false) => Some(c[1].bits),
                (false, true) => Some(c[0].bits),
                (false, false) => {
                    let first_is_larger = rank(ty, c[0].bits) > rank(ty, c[1].bits);
                    Some(if first_is_larger == larger {
                        c[0].bits
                    } else {
                        c[1].bits
                    })
                }
            };
            let op = |v: &[Value]| {
                let (lhs, rhs, propagate_nan, flush_to_zero) = (v[0], v[1], Flag(propagate), Flag(false));
                if larger {
                    FloatOp::MaxF {
                        lhs,
                        rhs,
                        propagate_nan,
                        flush_to_zero,
                    }
                    .into()
                } else {
                    FloatOp::MinF {
                        lhs,
                        rhs,
                        propagate_nan,
                        flush_to_zero,
                    }
                    .into()
                }
            };
            check("maxf and minf", &op, ty, cases, &want);
        }
    }
    for &predicate in ComparisonPredicate::ALL {
        for &ordering in ComparisonOrdering::ALL {
            let want = |c: &[Literal]| {
                if nan(c[0]) || nan(c[1]) {
                    return Some(u64::from(ordering == ComparisonOrdering::Unordered));
                }
                // The two zeros are equal.
                let place = |bits: u64| rank(ty, if bits == (ty.mask() >> 1) + 1 { 0 } else { bits });
                Some(u64::from(holds(predicate, &place(c[0].bits), &place(c[1].bits))))
            };
            let op = binary(|lhs, rhs| FloatOp::CmpF {
                lhs,
                rhs,
                predicate,
                ordering,
            });
            check("cmpf", &op, ScalarType::I1, cases, &want);
        }
    }
}
