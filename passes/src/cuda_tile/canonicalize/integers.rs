//! What integer ops on constants are: two's complement of the op's own width.

use tilewright_irs::cuda_tile::{ComparisonPredicate, IntOp, IntegerOverflow, RoundingMode, Signedness};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::{Dense, Literal};

use super::{Look, dense};
use crate::cuda_tile::behaviour::number;

/// The constant that an op on constants is.
pub(super) fn fold(look: &Look<'_, '_>, op: &IntOp) -> Option<Dense> {
    match op {
        IntOp::AbsI { source } | IntOp::NegI { source, .. } => {
            let source = look.dense(*source)?;
            dense::map(&[source], source.ty(), |items| match items {
                [item] => unary(op, *item),
                _ => None,
            })
        }
        IntOp::AddI { lhs, rhs, .. }
        | IntOp::SubI { lhs, rhs, .. }
        | IntOp::MulI { lhs, rhs, .. }
        | IntOp::MulHiI { x: lhs, y: rhs }
        | IntOp::DivI { lhs, rhs, .. }
        | IntOp::RemI { lhs, rhs, .. }
        | IntOp::MaxI { lhs, rhs, .. }
        | IntOp::MinI { lhs, rhs, .. }
        | IntOp::AndI { lhs, rhs }
        | IntOp::OrI { lhs, rhs }
        | IntOp::XorI { lhs, rhs }
        | IntOp::ShlI { lhs, rhs, .. }
        | IntOp::ShrI { lhs, rhs, .. }
        | IntOp::CmpI { lhs, rhs, .. } => {
            let (lhs, rhs) = (look.dense(*lhs)?, look.dense(*rhs)?);
            let to = match op {
                IntOp::CmpI { .. } => ScalarType::I1,
                _ => lhs.ty(),
            };
            dense::map(&[lhs, rhs], to, |items| match items {
                [lhs, rhs] => binary(op, *lhs, *rhs),
                _ => None,
            })
        }
    }
}

/// The low bits of a number.
pub(super) fn wrapped(ty: ScalarType, value: i128) -> Literal {
    // A literal keeps the bits of its type.
    Literal::new(ty, (value & i128::from(u64::MAX)) as u64)
}

/// Whether a number is one of a type's, read as signed or not.
pub(in crate::cuda_tile) fn is_in_range(ty: ScalarType, signedness: Signedness, value: i128) -> bool {
    let (low, high) = range(ty, signedness);
    (low..=high).contains(&value)
}

/// The least and the greatest number of a type.
pub(super) fn range(ty: ScalarType, signedness: Signedness) -> (i128, i128) {
    match signedness {
        Signedness::Unsigned => (0, i128::from(ty.mask())),
        Signedness::Signed => {
            let half = 1i128 << (ty.bits() - 1);
            (-half, half - 1)
        }
    }
}

/// A result whose promise of no overflow holds: what it is exactly when its operands are read as signed, and as not.
fn promised(ty: ScalarType, overflow: IntegerOverflow, signed: i128, unsigned: i128) -> Option<Literal> {
    let (no_signed, no_unsigned) = promises(overflow);
    let kept = (!no_signed || is_in_range(ty, Signedness::Signed, signed))
        && (!no_unsigned || is_in_range(ty, Signedness::Unsigned, unsigned));
    kept.then(|| wrapped(ty, signed))
}

/// Whether a signed and an unsigned overflow are ruled out.
pub(super) fn promises(overflow: IntegerOverflow) -> (bool, bool) {
    match overflow {
        IntegerOverflow::None => (false, false),
        IntegerOverflow::NoSignedWrap => (true, false),
        IntegerOverflow::NoUnsignedWrap => (false, true),
        IntegerOverflow::NoWrap => (true, true),
    }
}

fn unary(op: &IntOp, source: Literal) -> Option<Literal> {
    let value = number(source, Signedness::Signed);
    match op {
        IntOp::AbsI { .. } => Some(wrapped(source.ty, value.abs())),
        IntOp::NegI { overflow, .. } => {
            let (no_signed, _) = promises(*overflow);
            let kept = !no_signed || is_in_range(source.ty, Signedness::Signed, -value);
            kept.then(|| wrapped(source.ty, -value))
        }
        _ => None,
    }
}

fn binary(op: &IntOp, lhs: Literal, rhs: Literal) -> Option<Literal> {
    let ty = lhs.ty;
    let bits = ty.bits();
    let (a, b) = (number(lhs, Signedness::Signed), number(rhs, Signedness::Signed));
    let (ua, ub) = (i128::from(lhs.bits), i128::from(rhs.bits));
    // Numbers of 64 bits and their sums fit easily; an unsigned product may take all of 128 bits.
    match op {
        IntOp::AddI { overflow, .. } => promised(ty, *overflow, a + b, ua + ub),
        IntOp::SubI { overflow, .. } => promised(ty, *overflow, a - b, ua - ub),
        IntOp::MulI { overflow, .. } => {
            let unsigned = ua.checked_mul(ub).unwrap_or(i128::MAX);
            promised(ty, *overflow, a * b, unsigned)
        }
        IntOp::MulHiI { .. } => {
            let product = u128::from(lhs.bits) * u128::from(rhs.bits);
            Some(Literal::new(
                ty,
                ((product >> bits) & u128::from(u64::MAX)) as u64,
            ))
        }
        IntOp::DivI {
            signedness, rounding, ..
        } => quotient(lhs, rhs, *signedness, *rounding),
        IntOp::RemI { signedness, .. } => {
            let (a, b) = (number(lhs, *signedness), number(rhs, *signedness));
            // The quotient of the least number and -1 is no number of the type.
            let defined = b != 0 && is_in_range(ty, *signedness, a / b);
            defined.then(|| wrapped(ty, a % b))
        }
        IntOp::MaxI { signedness, .. } => {
            let larger = number(lhs, *signedness) >= number(rhs, *signedness);
            Some(if larger { lhs } else { rhs })
        }
        IntOp::MinI { signedness, .. } => {
            let smaller = number(lhs, *signedness) <= number(rhs, *signedness);
            Some(if smaller { lhs } else { rhs })
        }
        IntOp::AndI { .. } => Some(Literal::new(ty, lhs.bits & rhs.bits)),
        IntOp::OrI { .. } => Some(Literal::new(ty, lhs.bits | rhs.bits)),
        IntOp::XorI { .. } => Some(Literal::new(ty, lhs.bits ^ rhs.bits)),
        IntOp::ShlI { overflow, .. } => {
            if rhs.bits >= u64::from(bits) {
                return None;
            }
            promised(ty, *overflow, a << rhs.bits, ua << rhs.bits)
        }
        IntOp::ShrI { signedness, .. } => {
            if rhs.bits >= u64::from(bits) {
                return None;
            }
            Some(wrapped(ty, number(lhs, *signedness) >> rhs.bits))
        }
        IntOp::CmpI {
            predicate,
            signedness,
            ..
        } => {
            let (a, b) = (number(lhs, *signedness), number(rhs, *signedness));
            Some(Literal::i1(holds(*predicate, &a, &b)))
        }
        IntOp::AbsI { .. } | IntOp::NegI { .. } => None,
    }
}

fn quotient(lhs: Literal, rhs: Literal, signedness: Signedness, rounding: RoundingMode) -> Option<Literal> {
    let (a, b) = (number(lhs, signedness), number(rhs, signedness));
    let quotient = a.checked_div(b)?;
    let inexact = quotient * b != a;
    let negative = (a < 0) != (b < 0);
    let rounded = match rounding {
        RoundingMode::Zero => quotient,
        RoundingMode::NegativeInf => quotient - i128::from(inexact && negative),
        RoundingMode::PositiveInf => quotient + i128::from(inexact && !negative),
        RoundingMode::NearestEven
        | RoundingMode::Approx
        | RoundingMode::Full
        | RoundingMode::NearestIntToZero
        | RoundingMode::NearestAway => return None,
    };
    is_in_range(lhs.ty, signedness, rounded).then(|| wrapped(lhs.ty, rounded))
}

/// Whether a comparison holds of two values that can be compared.
pub(super) fn holds<T: PartialOrd>(predicate: ComparisonPredicate, lhs: &T, rhs: &T) -> bool {
    match predicate {
        ComparisonPredicate::Equal => lhs == rhs,
        ComparisonPredicate::NotEqual => lhs != rhs,
        ComparisonPredicate::LessThan => lhs < rhs,
        ComparisonPredicate::LessThanOrEqual => lhs <= rhs,
        ComparisonPredicate::GreaterThan => lhs > rhs,
        ComparisonPredicate::GreaterThanOrEqual => lhs >= rhs,
    }
}
