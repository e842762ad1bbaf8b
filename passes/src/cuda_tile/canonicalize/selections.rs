//! Selections: by known conditions, by negations, of values that the condition implies.

use tilewright_irs::core::Value;
use tilewright_irs::cuda_tile::{CastOp, ComparisonPredicate, IntOp, ShapeOp, Signedness, TileOp, TileType};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::Literal;

use super::dense;
use super::look::{Look, Simpler};
use crate::cuda_tile::behaviour::negated;

/// A selection.
#[derive(Clone, Copy)]
struct Selection {
    cond: Value,
    yes: Value,
    no: Value,
}

impl Selection {
    fn op(self) -> Simpler {
        let op = ShapeOp::Select {
            cond: self.cond,
            val_if_true: self.yes,
            val_if_false: self.no,
        };
        Simpler::Op(op.into())
    }
}

/// Applies one rule, if any matches.
pub(super) fn step(look: &Look<'_, '_>, op: &TileOp, ty: &TileType) -> Option<Simpler> {
    let TileOp::Shape(ShapeOp::Select {
        cond,
        val_if_true,
        val_if_false,
    }) = *op
    else {
        return None;
    };
    let select = Selection {
        cond,
        yes: val_if_true,
        no: val_if_false,
    };
    folded(look, select)
        .or_else(|| known(look, select).map(Simpler::Value))
        .or_else(|| truth(look, select, ty))
        .or_else(|| swapped(look, select))
        .or_else(|| nested(look, select))
}

/// Folds a selection of constants by a constant.
fn folded(look: &Look<'_, '_>, Selection { cond, yes, no }: Selection) -> Option<Simpler> {
    let (cond, yes, no) = (look.dense(cond)?, look.dense(yes)?, look.dense(no)?);
    let picked = dense::map(&[cond, yes, no], yes.ty(), |items| match items {
        [cond, yes, no] => Some(if cond.bits == 1 { *yes } else { *no }),
        _ => None,
    });
    picked.map(Simpler::Constant)
}

/// The selected operand, or the operand that equals the other one.
fn known(look: &Look<'_, '_>, Selection { cond, yes, no }: Selection) -> Option<Value> {
    if yes == no {
        return Some(yes);
    }
    if let Some(known) = look.splat(cond) {
        return Some(if known.bits == 1 { yes } else { no });
    }
    let Some(TileOp::Int(IntOp::CmpI {
        lhs, rhs, predicate, ..
    })) = look.op(cond)
    else {
        return None;
    };
    // If two integers are equal, either one replaces both.
    if (*lhs, *rhs) != (yes, no) && (*rhs, *lhs) != (yes, no) {
        return None;
    }
    match predicate {
        ComparisonPredicate::Equal => Some(no),
        ComparisonPredicate::NotEqual => Some(yes),
        ComparisonPredicate::LessThan
        | ComparisonPredicate::LessThanOrEqual
        | ComparisonPredicate::GreaterThan
        | ComparisonPredicate::GreaterThanOrEqual => None,
    }
}

/// A selection of 1 and 0: the condition itself, extended to the type; of 0 and 1: its negation.
fn truth(look: &Look<'_, '_>, Selection { cond, yes, no }: Selection, ty: &TileType) -> Option<Simpler> {
    let scalar = ty.as_tile()?.element.scalar()?;
    let is = |value: Value, bits: u64| look.splat(value) == Some(Literal::new(scalar, bits));
    let straight = is(yes, 1) && is(no, 0);
    if !scalar.is_int() || !(straight || is(yes, 0) && is(no, 1)) {
        return None;
    }
    let widened = move |from: Value| {
        let signedness = Signedness::Unsigned;
        TileOp::from(CastOp::ExtI { from, signedness })
    };
    Some(match (straight, scalar == ScalarType::I1) {
        (true, true) => Simpler::Value(cond),
        (true, false) => Simpler::Op(widened(cond)),
        (false, true) => Simpler::Not(cond),
        (false, false) => Simpler::OnNot(cond, Box::new(widened)),
    })
}

/// By a negation: exchanges the operands.
fn swapped(look: &Look<'_, '_>, Selection { cond, yes, no }: Selection) -> Option<Simpler> {
    let cond = negated(&|value| look.op(value), cond)?;
    let (yes, no) = (no, yes);
    Some(Selection { cond, yes, no }.op())
}

/// Of a selection by the same condition, one operand is never selected.
fn nested(look: &Look<'_, '_>, Selection { cond, yes, no }: Selection) -> Option<Simpler> {
    let within = |value: Value| match look.op(value) {
        Some(TileOp::Shape(ShapeOp::Select {
            cond: same,
            val_if_true,
            val_if_false,
        })) if *same == cond => Some((*val_if_true, *val_if_false)),
        _ => None,
    };
    let (yes, no) = match (within(yes), within(no)) {
        (Some((inner, _)), _) => (inner, no),
        (None, Some((_, inner))) => (yes, inner),
        (None, None) => return None,
    };
    Some(Selection { cond, yes, no }.op())
}
