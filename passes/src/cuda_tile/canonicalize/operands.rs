//! The order of operands: constants on the right, products on the left of float sums, other operands of integer ops as
//! they were defined.

use tilewright_irs::core::Value;
use tilewright_irs::cuda_tile::{ComparisonPredicate, FloatOp, IntOp, TileOp};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::Dense;

use super::{Look, Simpler, floats};

/// The op with its operands the other way round, where that is the form.
pub(super) fn ordered(look: &Look<'_, '_>, op: &TileOp) -> Option<Simpler> {
    let other: TileOp = match op {
        TileOp::Int(op) => integer(look, op)?.into(),
        TileOp::Float(op) => float(look, op)?.into(),
        TileOp::Cast(_)
        | TileOp::Shape(_)
        | TileOp::Memory(_)
        | TileOp::View(_)
        | TileOp::Control(_)
        | TileOp::Preview(_) => return None,
    };
    Some(Simpler::Op(other))
}

fn integer(look: &Look<'_, '_>, op: &IntOp) -> Option<IntOp> {
    let swap = |lhs: Value, rhs: Value| {
        let (left, right) = (look.dense(lhs).is_some(), look.dense(rhs).is_some());
        if left == right { rhs < lhs } else { left }
    };
    match *op {
        IntOp::AddI { lhs, rhs, overflow } if swap(lhs, rhs) => Some(IntOp::AddI {
            lhs: rhs,
            rhs: lhs,
            overflow,
        }),
        IntOp::MulI { lhs, rhs, overflow } if swap(lhs, rhs) => Some(IntOp::MulI {
            lhs: rhs,
            rhs: lhs,
            overflow,
        }),
        IntOp::MulHiI { x, y } if swap(x, y) => Some(IntOp::MulHiI { x: y, y: x }),
        IntOp::MaxI { lhs, rhs, signedness } if swap(lhs, rhs) => Some(IntOp::MaxI {
            lhs: rhs,
            rhs: lhs,
            signedness,
        }),
        IntOp::MinI { lhs, rhs, signedness } if swap(lhs, rhs) => Some(IntOp::MinI {
            lhs: rhs,
            rhs: lhs,
            signedness,
        }),
        IntOp::AndI { lhs, rhs } if swap(lhs, rhs) => Some(IntOp::AndI { lhs: rhs, rhs: lhs }),
        IntOp::OrI { lhs, rhs } if swap(lhs, rhs) => Some(IntOp::OrI { lhs: rhs, rhs: lhs }),
        IntOp::XorI { lhs, rhs } if swap(lhs, rhs) => Some(IntOp::XorI { lhs: rhs, rhs: lhs }),
        IntOp::CmpI {
            lhs,
            rhs,
            predicate,
            signedness,
        } if swap(lhs, rhs) => Some(IntOp::CmpI {
            lhs: rhs,
            rhs: lhs,
            predicate: mirrored(predicate),
            signedness,
        }),
        IntOp::AddI { .. }
        | IntOp::MulI { .. }
        | IntOp::MulHiI { .. }
        | IntOp::MaxI { .. }
        | IntOp::MinI { .. }
        | IntOp::AndI { .. }
        | IntOp::OrI { .. }
        | IntOp::XorI { .. }
        | IntOp::CmpI { .. }
        | IntOp::AbsI { .. }
        | IntOp::SubI { .. }
        | IntOp::DivI { .. }
        | IntOp::RemI { .. }
        | IntOp::NegI { .. }
        | IntOp::ShlI { .. }
        | IntOp::ShrI { .. } => None,
    }
}

/// Of two NaNs the first one may be the result, so only numbers change places, and products where there is but one NaN
/// that arithmetic gives, in all formats but f64.
fn float(look: &Look<'_, '_>, op: &FloatOp) -> Option<FloatOp> {
    let numbers = |value: Value| match look.dense(value) {
        Some(Dense::Splat(literal)) => !floats::is_nan(*literal),
        Some(Dense::Elements(..)) | None => false,
    };
    let swap = |lhs: Value, rhs: Value| numbers(lhs) && look.dense(rhs).is_none();
    let is_product = |value: Value| matches!(look.op(value), Some(TileOp::Float(FloatOp::MulF { .. })));
    let one_nan = |value: Value| {
        let element = look.tile(value).and_then(|tile| tile.element.scalar());
        element.is_some_and(|element| element != ScalarType::F64)
    };
    let mut other = op.clone();
    match &mut other {
        FloatOp::AddF { lhs, rhs, .. } => {
            let product = is_product(*rhs) && !is_product(*lhs) && one_nan(*rhs);
            if !product && !swap(*lhs, *rhs) {
                return None;
            }
            std::mem::swap(lhs, rhs);
        }
        FloatOp::MulF { lhs, rhs, .. }
        | FloatOp::Fma { lhs, rhs, .. }
        | FloatOp::MaxF { lhs, rhs, .. }
        | FloatOp::MinF { lhs, rhs, .. } => {
            if !swap(*lhs, *rhs) {
                return None;
            }
            std::mem::swap(lhs, rhs);
        }
        FloatOp::CmpF {
            lhs, rhs, predicate, ..
        } => {
            if !swap(*lhs, *rhs) {
                return None;
            }
            std::mem::swap(lhs, rhs);
            *predicate = mirrored(*predicate);
        }
        FloatOp::AbsF { .. }
        | FloatOp::SubF { .. }
        | FloatOp::DivF { .. }
        | FloatOp::RemF { .. }
        | FloatOp::NegF { .. }
        | FloatOp::Ceil { .. }
        | FloatOp::Floor { .. }
        | FloatOp::Sqrt { .. }
        | FloatOp::Rsqrt { .. }
        | FloatOp::Exp { .. }
        | FloatOp::Exp2 { .. }
        | FloatOp::Log { .. }
        | FloatOp::Log2 { .. }
        | FloatOp::PowF { .. }
        | FloatOp::PowI { .. }
        | FloatOp::Sin { .. }
        | FloatOp::Cos { .. }
        | FloatOp::Tan { .. }
        | FloatOp::Sinh { .. }
        | FloatOp::Cosh { .. }
        | FloatOp::Tanh { .. }
        | FloatOp::Atan2 { .. } => return None,
    }
    Some(other)
}

/// The comparison that holds of `b, a` when this one holds of `a, b`.
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
