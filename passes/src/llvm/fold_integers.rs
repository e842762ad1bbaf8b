//! What integer ops on constants are, and ops that do nothing.

use tilewright_irs::dialects::arith::{ArithOp, Predicate, QuotientRounding, Signedness};
use tilewright_irs::literal::Literal;

/// The numbers that a comparison sees, as ones of a type that holds both signednesses.
fn read(literal: Literal, signedness: Signedness) -> i128 {
    match signedness {
        Signedness::Unsigned => i128::from(literal.bits),
        Signedness::Signed => {
            let shift = 128 - literal.ty.bits();
            (i128::from(literal.bits) << shift) >> shift
        }
    }
}

fn holds(predicate: Predicate, lhs: i128, rhs: i128) -> bool {
    match predicate {
        Predicate::Equal => lhs == rhs,
        Predicate::NotEqual => lhs != rhs,
        Predicate::Less => lhs < rhs,
        Predicate::LessEqual => lhs <= rhs,
        Predicate::Greater => lhs > rhs,
        Predicate::GreaterEqual => lhs >= rhs,
    }
}

/// The low bits of a number.
fn wrapped(value: i128, like: Literal) -> Literal {
    // The low 64 bits; a literal keeps those of its type.
    Literal::new(like.ty, (value & i128::from(u64::MAX)) as u64)
}

/// An op on two constant integers. `None` for ops that are not folded, and where the result is undefined.
pub(super) fn binary(op: &ArithOp, lhs: Literal, rhs: Literal) -> Option<Literal> {
    let (a, b) = (i128::from(lhs.bits), i128::from(rhs.bits));
    let number = match op {
        ArithOp::AddI { .. } => a + b,
        ArithOp::SubI { .. } => a - b,
        ArithOp::MulI { .. } => a.wrapping_mul(b),
        ArithOp::MulHiU { .. } => {
            let product = u128::from(lhs.bits) * u128::from(rhs.bits);
            ((product >> lhs.ty.bits()) & u128::from(u64::MAX)) as i128
        }
        ArithOp::AndI { .. } => a & b,
        ArithOp::OrI { .. } => a | b,
        ArithOp::XorI { .. } => a ^ b,
        ArithOp::ShlI { .. } => {
            if rhs.bits >= u64::from(lhs.ty.bits()) {
                0
            } else {
                a << rhs.bits
            }
        }
        ArithOp::ShrI { signedness, .. } => {
            let amount = rhs.bits.min(127);
            read(lhs, *signedness) >> amount
        }
        ArithOp::MinI { signedness, .. } => read(lhs, *signedness).min(read(rhs, *signedness)),
        ArithOp::MaxI { signedness, .. } => read(lhs, *signedness).max(read(rhs, *signedness)),
        ArithOp::DivI {
            signedness, rounding, ..
        } => {
            let (a, b) = (read(lhs, *signedness), read(rhs, *signedness));
            let quotient = a.checked_div(b)?;
            let inexact = quotient * b != a;
            let negative = (a < 0) != (b < 0);
            match rounding {
                QuotientRounding::Zero => quotient,
                QuotientRounding::Down => quotient - i128::from(inexact && negative),
                QuotientRounding::Up => quotient + i128::from(inexact && !negative),
            }
        }
        ArithOp::RemI { signedness, .. } => read(lhs, *signedness).checked_rem(read(rhs, *signedness))?,
        ArithOp::CmpI {
            predicate,
            signedness,
            ..
        } => {
            let holds = holds(*predicate, read(lhs, *signedness), read(rhs, *signedness));
            return Some(Literal::i1(holds));
        }
        _ => return None,
    };
    Some(wrapped(number, lhs))
}

/// An op on one constant integer; `result` is any literal of the result's type.
pub(super) fn unary(op: &ArithOp, source: Literal, result: Literal) -> Option<Literal> {
    Some(match op {
        ArithOp::NegI { .. } => wrapped(-i128::from(source.bits), source),
        ArithOp::AbsI { .. } => wrapped(read(source, Signedness::Signed).abs(), source),
        ArithOp::ExtI { signedness, .. } => wrapped(read(source, *signedness), result),
        ArithOp::TruncI { .. } => wrapped(i128::from(source.bits), result),
        ArithOp::Bitcast { .. } => Literal::new(result.ty, source.bits),
        _ => return None,
    })
}

/// Whether the op with this constant on the right gives its left operand.
pub(super) fn keeps_lhs(op: &ArithOp, rhs: Literal) -> bool {
    match op {
        ArithOp::AddI { .. }
        | ArithOp::SubI { .. }
        | ArithOp::OrI { .. }
        | ArithOp::XorI { .. }
        | ArithOp::ShlI { .. }
        | ArithOp::ShrI { .. } => rhs.bits == 0,
        // The constant 1 of an i1 is -1 when it is signed, but times that is the same in one bit.
        ArithOp::MulI { .. } => rhs.bits == 1,
        ArithOp::DivI { signedness, .. } => read(rhs, *signedness) == 1,
        ArithOp::AndI { .. } => rhs.bits == rhs.ty.mask(),
        _ => false,
    }
}

/// Whether the op with this constant on the right is 0.
pub(super) fn is_zero(op: &ArithOp, rhs: Literal) -> bool {
    match op {
        ArithOp::MulI { .. } | ArithOp::AndI { .. } => rhs.bits == 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_irs::core::{Entity, Value};
    use tilewright_irs::dialects::arith::Overflow;
    use tilewright_irs::element::ScalarType;

    fn value() -> Value {
        Value::new(0)
    }

    #[test]
    fn shifts_past_the_width_move_everything_out() {
        let (lhs, rhs, overflow) = (value(), value(), Overflow::Wraps);
        let shl = ArithOp::ShlI { lhs, rhs, overflow };
        assert_eq!(
            binary(&shl, Literal::i32(1), Literal::i32(32)),
            Some(Literal::i32(0))
        );
        let signedness = Signedness::Signed;
        let shr = ArithOp::ShrI { lhs, rhs, signedness };
        assert_eq!(
            binary(&shr, Literal::i32(-5), Literal::i32(-1)),
            Some(Literal::i32(-1))
        );
        let signedness = Signedness::Unsigned;
        let shr = ArithOp::ShrI { lhs, rhs, signedness };
        assert_eq!(
            binary(&shr, Literal::i32(-5), Literal::i32(32)),
            Some(Literal::i32(0))
        );
    }

    #[test]
    fn quotients_round_as_asked() {
        let div = |rounding, a, b| {
            let op = ArithOp::DivI {
                lhs: value(),
                rhs: value(),
                signedness: Signedness::Signed,
                rounding,
            };
            binary(&op, Literal::i32(a), Literal::i32(b)).map(Literal::signed)
        };
        assert_eq!(div(QuotientRounding::Down, -7, 2), Some(-4));
        assert_eq!(div(QuotientRounding::Up, -7, 2), Some(-3));
        assert_eq!(div(QuotientRounding::Up, 7, 2), Some(4));
        assert_eq!(div(QuotientRounding::Zero, 7, -2), Some(-3));
        assert_eq!(div(QuotientRounding::Zero, 7, 0), None);
    }

    #[test]
    fn extensions_read_the_sign_as_asked() {
        let ext = |signedness| {
            let op = ArithOp::ExtI {
                source: value(),
                signedness,
            };
            unary(&op, Literal::new(ScalarType::I8, 0x80), Literal::i64(0)).map(Literal::signed)
        };
        assert_eq!(ext(Signedness::Signed), Some(-128));
        assert_eq!(ext(Signedness::Unsigned), Some(128));
    }
}
