//! What is known of ops of `cuda_tile` by the ops that define their operands.

use tilewright_irs::core::{Operation, Value};
use tilewright_irs::cuda_tile::{CastOp, ControlOp, IntOp, IntegerOverflow, ShapeOp, Signedness, TileOp};
use tilewright_irs::element::ScalarType;
use tilewright_irs::folding;
use tilewright_irs::literal::{Dense, Literal};

use super::as_arith::words;

/// Finds the op that defines a value.
pub(super) type Find<'a> = &'a dyn Fn(Value) -> Option<&'a TileOp>;

/// The one number that every element of a value is.
pub(super) fn splat(find: Find<'_>, value: Value) -> Option<Literal> {
    match find(value)? {
        TileOp::Shape(ShapeOp::Constant {
            value: Dense::Splat(literal),
        }) => Some(*literal),
        _ => None,
    }
}

/// What a value is the negation of.
pub(super) fn negated(find: Find<'_>, value: Value) -> Option<Value> {
    match find(value)? {
        TileOp::Int(IntOp::XorI { lhs, rhs }) => (splat(find, *rhs)? == Literal::i1(true)).then_some(*lhs),
        _ => None,
    }
}

/// An integer as a number, read as signed or not.
pub(super) fn number(literal: Literal, signedness: Signedness) -> i128 {
    folding::number(literal, words::signedness(signedness))
}

/// Whether a number is one of an integer type's, read as signed or not.
pub(super) fn is_in_range(ty: ScalarType, signedness: Signedness, value: i128) -> bool {
    folding::is_in_range(ty, words::signedness(signedness), value)
}

/// How often a `for` runs, if that is known; as many turns as two are reported as two.
pub(super) fn trip_count(find: Find<'_>, op: &TileOp) -> Option<u8> {
    let TileOp::Control(ControlOp::For {
        lower_bound,
        upper_bound,
        step,
        unsigned_cmp,
        ..
    }) = op
    else {
        return None;
    };
    if lower_bound == upper_bound {
        return Some(0);
    }
    let signedness = if unsigned_cmp.0 {
        Signedness::Unsigned
    } else {
        Signedness::Signed
    };
    let lower = number(splat(find, *lower_bound)?, signedness);
    let upper = number(splat(find, *upper_bound)?, signedness);
    if lower >= upper {
        return Some(0);
    }
    // The step is positive by the rules of the language; as a number of the counter's type it may wrap.
    let step = number(splat(find, *step)?, Signedness::Unsigned);
    Some(if step > 0 && lower + step >= upper { 1 } else { 2 })
}

/// Whether an op has a result whatever its operands are, as far as they are not known.
pub(super) fn has_result(find: Find<'_>, op: &TileOp) -> bool {
    if op.effects().is_speculatable() {
        return true;
    }
    // What the declaration cannot know: the numbers that operands are, and a flag that says what was undefined.
    match op {
        TileOp::Int(IntOp::ShlI { rhs, overflow, .. }) => {
            *overflow == IntegerOverflow::None && is_shift_amount(splat(find, *rhs))
        }
        TileOp::Int(IntOp::ShrI { rhs, .. }) => is_shift_amount(splat(find, *rhs)),
        TileOp::Int(IntOp::DivI { rhs, .. } | IntOp::RemI { rhs, .. }) => {
            // The least number divided by -1 overflows.
            splat(find, *rhs).is_some_and(|divisor| divisor.bits != 0 && divisor.bits != divisor.ty.mask())
        }
        TileOp::Cast(CastOp::FToI { saturating, .. }) => saturating.0,
        _ => false,
    }
}

fn is_shift_amount(amount: Option<Literal>) -> bool {
    amount.is_some_and(|amount| amount.bits < u64::from(amount.ty.bits()))
}
