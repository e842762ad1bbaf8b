//! Integer constant folding and algebraic identities for ops of `arith`, used by every pass that folds. (The
//! evaluator of `cuda_tile` has an implementation of its own, as an independent witness.)

use crate::dialects::arith::{ArithOp, Overflow, Predicate, QuotientRounding, Signedness};
use crate::element::ScalarType;
use crate::literal::Literal;

/// The result of an op with a known operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Its left operand.
    Left,
    /// A constant, independent of the other operand.
    Constant(Literal),
}

/// The value of an integer.
pub fn number(literal: Literal, signedness: Signedness) -> i128 {
    match signedness {
        Signedness::Unsigned => i128::from(literal.bits),
        Signedness::Signed => {
            let shift = 128 - literal.ty.bits();
            (i128::from(literal.bits) << shift) >> shift
        }
    }
}

/// The integer with the low bits of a number.
pub fn wrapped(ty: ScalarType, value: i128) -> Literal {
    // The low 64 bits; a literal keeps those of its type.
    Literal::new(ty, (value & i128::from(u64::MAX)) as u64)
}

/// The minimum and the maximum of an integer type.
pub fn range(ty: ScalarType, signedness: Signedness) -> (i128, i128) {
    match signedness {
        Signedness::Unsigned => (0, i128::from(ty.mask())),
        Signedness::Signed => {
            let half = 1i128 << (ty.bits() - 1);
            (-half, half - 1)
        }
    }
}

/// Whether a number is in the range of an integer type.
pub fn is_in_range(ty: ScalarType, signedness: Signedness, value: i128) -> bool {
    let (low, high) = range(ty, signedness);
    (low..=high).contains(&value)
}

/// The result of a comparison.
pub fn holds<T: PartialOrd>(predicate: Predicate, lhs: &T, rhs: &T) -> bool {
    match predicate {
        Predicate::Equal => lhs == rhs,
        Predicate::NotEqual => lhs != rhs,
        Predicate::Less => lhs < rhs,
        Predicate::LessEqual => lhs <= rhs,
        Predicate::Greater => lhs > rhs,
        Predicate::GreaterEqual => lhs >= rhs,
    }
}

/// An integer result that respects the promise about overflow. `signed` and `unsigned` are the exact results for
/// operands read as signed and as unsigned. `None` if the promise is violated.
pub fn kept(ty: ScalarType, overflow: Overflow, signed: i128, unsigned: i128) -> Option<Literal> {
    let (no_signed, no_unsigned) = match overflow {
        Overflow::Wraps => (false, false),
        Overflow::NoSigned => (true, false),
        Overflow::NoUnsigned => (false, true),
        Overflow::None => (true, true),
    };
    let kept = (!no_signed || is_in_range(ty, Signedness::Signed, signed))
        && (!no_unsigned || is_in_range(ty, Signedness::Unsigned, unsigned));
    kept.then(|| wrapped(ty, signed))
}

/// Folds an op on constant integers to an integer of type `to`. `None` for an op that is not on integers, or whose
/// result is undefined.
pub fn fold(op: &ArithOp, operands: &[Literal], to: ScalarType) -> Option<Literal> {
    match *operands {
        [source] => unary(op, source, to),
        [lhs, rhs] => binary(op, lhs, rhs),
        _ => None,
    }
}

fn unary(op: &ArithOp, source: Literal, to: ScalarType) -> Option<Literal> {
    let value = number(source, Signedness::Signed);
    match op {
        ArithOp::NegI { overflow, .. } => {
            // The negation of a number other than 0 is never unsigned, so that promise is ignored.
            let overflow = match overflow {
                Overflow::Wraps | Overflow::NoUnsigned => Overflow::Wraps,
                Overflow::NoSigned | Overflow::None => Overflow::NoSigned,
            };
            kept(to, overflow, -value, -value)
        }
        ArithOp::AbsI { .. } => Some(wrapped(to, value.abs())),
        ArithOp::ExtI { signedness, .. } => Some(wrapped(to, number(source, *signedness))),
        ArithOp::TruncI { .. } => Some(wrapped(to, value)),
        ArithOp::Bitcast { .. } => (source.ty.bits() == to.bits()).then(|| Literal::new(to, source.bits)),
        _ => None,
    }
}

fn binary(op: &ArithOp, lhs: Literal, rhs: Literal) -> Option<Literal> {
    let ty = lhs.ty;
    let (a, b) = (number(lhs, Signedness::Signed), number(rhs, Signedness::Signed));
    let (ua, ub) = (i128::from(lhs.bits), i128::from(rhs.bits));
    // Sums of 64-bit numbers fit in 128 bits; an unsigned product may need all of them.
    match *op {
        ArithOp::AddI { overflow, .. } => kept(ty, overflow, a + b, ua + ub),
        ArithOp::SubI { overflow, .. } => kept(ty, overflow, a - b, ua - ub),
        ArithOp::MulI { overflow, .. } => kept(ty, overflow, a * b, ua.checked_mul(ub).unwrap_or(i128::MAX)),
        ArithOp::MulHiU { .. } => {
            let product = u128::from(lhs.bits) * u128::from(rhs.bits);
            let high = (product >> ty.bits()) & u128::from(u64::MAX);
            Some(Literal::new(ty, high as u64))
        }
        ArithOp::DivI {
            signedness, rounding, ..
        } => quotient(lhs, rhs, signedness, rounding),
        ArithOp::RemI { signedness, .. } => {
            let (a, b) = (number(lhs, signedness), number(rhs, signedness));
            // The quotient of the minimum and -1 is out of range.
            let defined = b != 0 && is_in_range(ty, signedness, a / b);
            defined.then(|| wrapped(ty, a % b))
        }
        ArithOp::MinI { signedness, .. } => {
            let smaller = number(lhs, signedness) <= number(rhs, signedness);
            Some(if smaller { lhs } else { rhs })
        }
        ArithOp::MaxI { signedness, .. } => {
            let larger = number(lhs, signedness) >= number(rhs, signedness);
            Some(if larger { lhs } else { rhs })
        }
        ArithOp::AndI { .. } => Some(Literal::new(ty, lhs.bits & rhs.bits)),
        ArithOp::OrI { .. } => Some(Literal::new(ty, lhs.bits | rhs.bits)),
        ArithOp::XorI { .. } => Some(Literal::new(ty, lhs.bits ^ rhs.bits)),
        ArithOp::ShlI { overflow, .. } => {
            // A shift by more than the width equals one by the width.
            let amount = rhs.bits.min(u64::from(ty.bits()));
            kept(ty, overflow, a << amount, ua << amount)
        }
        ArithOp::ShrI { signedness, .. } => Some(wrapped(ty, number(lhs, signedness) >> rhs.bits.min(127))),
        ArithOp::CmpI {
            predicate,
            signedness,
            ..
        } => {
            let (a, b) = (number(lhs, signedness), number(rhs, signedness));
            Some(Literal::i1(holds(predicate, &a, &b)))
        }
        _ => None,
    }
}

fn quotient(
    lhs: Literal,
    rhs: Literal,
    signedness: Signedness,
    rounding: QuotientRounding,
) -> Option<Literal> {
    let (a, b) = (number(lhs, signedness), number(rhs, signedness));
    let quotient = a.checked_div(b)?;
    let inexact = quotient * b != a;
    let negative = (a < 0) != (b < 0);
    let rounded = match rounding {
        QuotientRounding::Zero => quotient,
        QuotientRounding::Down => quotient - i128::from(inexact && negative),
        QuotientRounding::Up => quotient + i128::from(inexact && !negative),
    };
    is_in_range(lhs.ty, signedness, rounded).then(|| wrapped(lhs.ty, rounded))
}

/// Simplifies an integer op with this constant as its right operand.
pub fn with_right(op: &ArithOp, rhs: Literal) -> Option<Identity> {
    let constant = |bits: u64| Some(Identity::Constant(Literal::new(rhs.ty, bits)));
    let left_if = |holds: bool| holds.then_some(Identity::Left);
    match op {
        ArithOp::AddI { .. }
        | ArithOp::SubI { .. }
        | ArithOp::XorI { .. }
        | ArithOp::ShlI { .. }
        | ArithOp::ShrI { .. } => left_if(rhs.bits == 0),
        // The constant 1 of an i1 is -1 when it is signed, but the product is the same in one bit.
        ArithOp::MulI { .. } => match rhs.bits {
            0 => constant(0),
            bits => left_if(bits == 1),
        },
        // The high half of a product with 1 is 0, also in one bit.
        ArithOp::MulHiU { .. } => {
            if rhs.bits <= 1 {
                constant(0)
            } else {
                None
            }
        }
        ArithOp::DivI { signedness, .. } => left_if(number(rhs, *signedness) == 1),
        ArithOp::RemI { signedness, .. } => {
            if number(rhs, *signedness) == 1 {
                constant(0)
            } else {
                None
            }
        }
        ArithOp::AndI { .. } => match rhs.bits {
            0 => constant(0),
            bits => left_if(bits == rhs.ty.mask()),
        },
        ArithOp::OrI { .. } => match rhs.bits {
            0 => Some(Identity::Left),
            bits if bits == rhs.ty.mask() => constant(bits),
            _ => None,
        },
        _ => None,
    }
}

/// Simplifies an integer op, with elements of type `to`, whose operands are the same value.
pub fn of_equals(op: &ArithOp, to: ScalarType) -> Option<Identity> {
    match op {
        ArithOp::SubI { .. } | ArithOp::XorI { .. } => Some(Identity::Constant(Literal::new(to, 0))),
        ArithOp::AndI { .. } | ArithOp::OrI { .. } | ArithOp::MinI { .. } | ArithOp::MaxI { .. } => {
            Some(Identity::Left)
        }
        ArithOp::CmpI { predicate, .. } => Some(Identity::Constant(Literal::i1(holds(*predicate, &0, &0)))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{Entity, Value};

    fn value() -> Value {
        Value::new(0)
    }

    fn shl(overflow: Overflow) -> ArithOp {
        ArithOp::ShlI {
            lhs: value(),
            rhs: value(),
            overflow,
        }
    }

    fn shr(signedness: Signedness) -> ArithOp {
        ArithOp::ShrI {
            lhs: value(),
            rhs: value(),
            signedness,
        }
    }

    fn folded(op: &ArithOp, lhs: i32, rhs: i32) -> Option<i64> {
        fold(op, &[Literal::i32(lhs), Literal::i32(rhs)], ScalarType::I32).map(Literal::signed)
    }

    #[test]
    fn shifts_past_the_width_give_zero_or_the_sign() {
        let wraps = shl(Overflow::Wraps);
        assert_eq!(folded(&wraps, 1, 31), Some(i64::from(i32::MIN)));
        assert_eq!(folded(&wraps, 1, 32), Some(0));
        assert_eq!(folded(&wraps, -1, -1), Some(0));
        assert_eq!(folded(&shl(Overflow::NoSigned), 1, 31), None);
        assert_eq!(
            folded(&shl(Overflow::NoUnsigned), 1, 31),
            Some(i64::from(i32::MIN))
        );
        assert_eq!(folded(&shl(Overflow::NoUnsigned), 1, 32), None);
        assert_eq!(folded(&shr(Signedness::Signed), -5, -1), Some(-1));
        assert_eq!(folded(&shr(Signedness::Unsigned), -5, 32), Some(0));
        let wide = [Literal::i64(-1), Literal::i64(200)];
        assert_eq!(fold(&wraps, &wide, ScalarType::I64), Some(Literal::i64(0)));
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
            folded(&op, a, b)
        };
        assert_eq!(div(QuotientRounding::Down, -7, 2), Some(-4));
        assert_eq!(div(QuotientRounding::Up, -7, 2), Some(-3));
        assert_eq!(div(QuotientRounding::Up, 7, 2), Some(4));
        assert_eq!(div(QuotientRounding::Zero, 7, -2), Some(-3));
        assert_eq!(div(QuotientRounding::Zero, 7, 0), None);
        assert_eq!(div(QuotientRounding::Zero, i32::MIN, -1), None);
    }

    #[test]
    fn violated_overflow_flags_are_not_folded() {
        let add = |overflow| ArithOp::AddI {
            lhs: value(),
            rhs: value(),
            overflow,
        };
        assert_eq!(
            folded(&add(Overflow::Wraps), i32::MAX, 1),
            Some(i64::from(i32::MIN))
        );
        assert_eq!(folded(&add(Overflow::NoSigned), i32::MAX, 1), None);
        assert_eq!(
            folded(&add(Overflow::NoUnsigned), i32::MAX, 1),
            Some(i64::from(i32::MIN))
        );
        assert_eq!(folded(&add(Overflow::NoUnsigned), -1, 1), None);
        assert_eq!(folded(&add(Overflow::None), -1, 1), None);
    }

    #[test]
    fn extensions_read_the_sign_as_asked() {
        let ext = |signedness| {
            let source = value();
            let op = ArithOp::ExtI { source, signedness };
            fold(&op, &[Literal::new(ScalarType::I8, 0x80)], ScalarType::I64).map(Literal::signed)
        };
        assert_eq!(ext(Signedness::Signed), Some(-128));
        assert_eq!(ext(Signedness::Unsigned), Some(128));
    }

    /// The integer ops on two operands, with every attribute that they can have.
    fn binary_ops() -> Vec<ArithOp> {
        let (lhs, rhs) = (value(), value());
        let mut ops = vec![
            ArithOp::MulHiU { lhs, rhs },
            ArithOp::AndI { lhs, rhs },
            ArithOp::OrI { lhs, rhs },
            ArithOp::XorI { lhs, rhs },
        ];
        for &overflow in Overflow::ALL {
            ops.push(ArithOp::AddI { lhs, rhs, overflow });
            ops.push(ArithOp::SubI { lhs, rhs, overflow });
            ops.push(ArithOp::MulI { lhs, rhs, overflow });
            ops.push(ArithOp::ShlI { lhs, rhs, overflow });
        }
        for &signedness in Signedness::ALL {
            ops.push(ArithOp::RemI { lhs, rhs, signedness });
            ops.push(ArithOp::MinI { lhs, rhs, signedness });
            ops.push(ArithOp::MaxI { lhs, rhs, signedness });
            ops.push(ArithOp::ShrI { lhs, rhs, signedness });
            for &rounding in QuotientRounding::ALL {
                ops.push(ArithOp::DivI {
                    lhs,
                    rhs,
                    signedness,
                    rounding,
                });
            }
            for &predicate in Predicate::ALL {
                ops.push(ArithOp::CmpI {
                    lhs,
                    rhs,
                    predicate,
                    signedness,
                });
            }
        }
        ops
    }

    fn bytes() -> Vec<Literal> {
        (0..256).map(|bits| Literal::new(ScalarType::I8, bits)).collect()
    }

    /// The declared properties of each op, compared with folding on every 8-bit number.
    #[test]
    fn declared_properties_hold_for_every_byte() {
        use crate::core::{Commutes, Operation, Undefined};
        let bytes = bytes();
        for op in binary_ops() {
            let (mut undefined, mut differs) = (false, false);
            for &lhs in &bytes {
                for &rhs in &bytes {
                    let is = binary(&op, lhs, rhs);
                    undefined |= is.is_none();
                    differs |= is != binary(&op, rhs, lhs);
                }
            }
            let declared = op.effects().undefined;
            assert_eq!(undefined, declared != Undefined::Never, "{op:?}");
            // Equality is commutative, but the predicate is an attribute.
            let equality = matches!(
                op,
                ArithOp::CmpI {
                    predicate: Predicate::Equal | Predicate::NotEqual,
                    ..
                }
            );
            let commutes = op.spec().properties.commutes == Commutes::Always;
            assert_eq!(differs, !commutes && !equality, "{op:?}");
        }
    }

    /// Each identity, compared with folding on every 8-bit number.
    #[test]
    fn identities_hold_for_every_byte() {
        let holds = |op: &ArithOp, identity: Identity, lhs: Literal, rhs: Literal| {
            let wanted = match identity {
                Identity::Left => lhs,
                Identity::Constant(literal) => literal,
            };
            // Where the op is undefined, any result is allowed.
            assert!(
                binary(op, lhs, rhs).is_none_or(|is| is == wanted),
                "{op:?} {lhs:?} {rhs:?} {wanted:?}"
            );
        };
        let (mut right, mut equal) = (0, 0);
        let literals = bytes();
        for op in &binary_ops() {
            for &rhs in &literals {
                if let Some(identity) = with_right(op, rhs) {
                    right += 1;
                    literals.iter().for_each(|&lhs| holds(op, identity, lhs, rhs));
                }
                if let Some(identity) = of_equals(op, ScalarType::I8) {
                    equal += 1;
                    holds(op, identity, rhs, rhs);
                }
            }
        }
        // Of mulhi 2, and 2, or 2, xor 1; for each promise add 1, sub 1, mul 2, shl 1; for each sign rem 1, shr 1 and
        // div in three roundings. Of equals: and, or, xor, sub for each promise, min, max and six comparisons for each
        // sign.
        assert_eq!((right, equal), (7 + 4 * 5 + 2 * 5, 256 * (3 + 4 + 2 * 8)));
    }
}
