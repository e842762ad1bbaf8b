//! Facts about ops of `cuda_tile` from the definitions of their operands.

use tilewright_irs::core::{Operation, Value};
use tilewright_irs::cuda_tile::{CastOp, ControlOp, IntOp, IntegerOverflow, ShapeOp, Signedness, TileOp};
use tilewright_irs::element::ScalarType;
use tilewright_irs::folding;
use tilewright_irs::literal::{Dense, Literal};

use super::as_arith::words;

/// Finds the op that defines a value.
pub(super) type Find<'a> = &'a dyn Fn(Value) -> Option<&'a TileOp>;

/// The common value of all elements, if constant.
pub(super) fn splat(find: Find<'_>, value: Value) -> Option<Literal> {
    match find(value)? {
        TileOp::Shape(ShapeOp::Constant {
            value: Dense::Splat(literal),
        }) => Some(*literal),
        _ => None,
    }
}

/// The operand of a negation that defines the value.
pub(super) fn negated(find: Find<'_>, value: Value) -> Option<Value> {
    match find(value)? {
        TileOp::Int(IntOp::XorI { lhs, rhs }) => (splat(find, *rhs)? == Literal::i1(true)).then_some(*lhs),
        _ => None,
    }
}

/// The value of an integer, read as signed or unsigned.
pub(super) fn number(literal: Literal, signedness: Signedness) -> i128 {
    folding::number(literal, words::signedness(signedness))
}

/// Whether a number is in the range of an integer type, read as signed or unsigned.
pub(super) fn is_in_range(ty: ScalarType, signedness: Signedness, value: i128) -> bool {
    folding::is_in_range(ty, words::signedness(signedness), value)
}

/// The trip count of a `for`, if known; counts above one are reported as two.
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
    // The step is positive by the rules of the language; its bits may be negative in the counter's type.
    let step = number(splat(find, *step)?, Signedness::Unsigned);
    Some(if step > 0 && lower + step >= upper { 1 } else { 2 })
}

/// Whether an op is defined for all possible operands, given those that are known.
pub(super) fn has_result(find: Find<'_>, op: &TileOp) -> bool {
    if op.effects().is_speculatable() {
        return true;
    }
    // Cases beyond the declarations: constant operands, and flags that define the result.
    match op {
        TileOp::Int(IntOp::ShlI { rhs, overflow, .. }) => {
            *overflow == IntegerOverflow::None && is_shift_amount(splat(find, *rhs))
        }
        TileOp::Int(IntOp::ShrI { rhs, .. }) => is_shift_amount(splat(find, *rhs)),
        TileOp::Int(IntOp::DivI { rhs, .. } | IntOp::RemI { rhs, .. }) => {
            // The minimum divided by -1 overflows.
            splat(find, *rhs).is_some_and(|divisor| divisor.bits != 0 && divisor.bits != divisor.ty.mask())
        }
        TileOp::Cast(CastOp::FToI { saturating, .. }) => saturating.0,
        _ => false,
    }
}

fn is_shift_amount(amount: Option<Literal>) -> bool {
    amount.is_some_and(|amount| amount.bits < u64::from(amount.ty.bits()))
}
