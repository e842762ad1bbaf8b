//! Canonical operand order: constants on the right, products on the left of float sums, other operands of integer ops
//! in the order of their definitions.

use tilewright_irs::core::{Commutes, Operation, Value};
use tilewright_irs::cuda_tile::{ComparisonPredicate, FloatOp, IntOp, TileOp};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::Dense;

use super::floats;
use super::look::{Look, Simpler};
use crate::cleanup::substitute::commuted;

/// The op with its operands exchanged, if that is the canonical order.
pub(super) fn ordered(look: &Look<'_, '_>, op: &TileOp) -> Option<Simpler> {
    let [lhs, rhs, ..] = *op.operand_list().as_slice() else {
        return None;
    };
    let other = match (op, op.spec().properties.commutes) {
        (TileOp::Int(IntOp::CmpI { .. }), _) | (_, Commutes::Always) => in_order(look, lhs, rhs),
        (TileOp::Float(FloatOp::AddF { .. }), _) => {
            number_first(look, lhs, rhs) || product_last(look, lhs, rhs)
        }
        (TileOp::Float(FloatOp::CmpF { .. }), _) | (_, Commutes::Numbers) => number_first(look, lhs, rhs),
        (_, Commutes::Never) => false,
    };
    other.then(|| {
        let mut op = commuted(op);
        if let TileOp::Int(IntOp::CmpI { predicate, .. }) | TileOp::Float(FloatOp::CmpF { predicate, .. }) =
            &mut op
        {
            *predicate = mirrored(*predicate);
        }
        Simpler::Op(op)
    })
}

/// Whether only the left operand is a constant, or the right one was defined first and neither or both are constants.
fn in_order(look: &Look<'_, '_>, lhs: Value, rhs: Value) -> bool {
    let (left, right) = (look.dense(lhs).is_some(), look.dense(rhs).is_some());
    if left == right { rhs < lhs } else { left }
}

/// Whether only the left operand is a constant, and not a NaN: of two NaNs the first one may be the result.
fn number_first(look: &Look<'_, '_>, lhs: Value, rhs: Value) -> bool {
    let number = match look.dense(lhs) {
        Some(Dense::Splat(literal)) => !floats::is_nan(*literal),
        Some(Dense::Elements(..)) | None => false,
    };
    number && look.dense(rhs).is_none()
}

/// Whether only the right operand is a product, in formats where arithmetic has a single NaN: all but f64.
fn product_last(look: &Look<'_, '_>, lhs: Value, rhs: Value) -> bool {
    let is_product = |value: Value| matches!(look.op(value), Some(TileOp::Float(FloatOp::MulF { .. })));
    let element = look.tile(rhs).and_then(|tile| tile.element.scalar());
    let one_nan = element.is_some_and(|element| element != ScalarType::F64);
    one_nan && is_product(rhs) && !is_product(lhs)
}

/// The comparison of `b, a` that is equivalent to this one of `a, b`.
pub(in crate::cuda_tile) fn mirrored(predicate: ComparisonPredicate) -> ComparisonPredicate {
    match predicate {
        ComparisonPredicate::Equal => ComparisonPredicate::Equal,
        ComparisonPredicate::NotEqual => ComparisonPredicate::NotEqual,
        ComparisonPredicate::LessThan => ComparisonPredicate::GreaterThan,
        ComparisonPredicate::LessThanOrEqual => ComparisonPredicate::GreaterThanOrEqual,
        ComparisonPredicate::GreaterThan => ComparisonPredicate::LessThan,
        ComparisonPredicate::GreaterThanOrEqual => ComparisonPredicate::LessThanOrEqual,
    }
}
