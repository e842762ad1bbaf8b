//! Arithmetic, comparisons and conversions: element by element, so only words change.

use tilewright_irs::core::{OpId, Translated, ValueType};
use tilewright_irs::cuda_tile::{CastOp, ComparisonOrdering, ComparisonPredicate, FloatOp, IntOp};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};

use super::types;
use super::{Lowering, Pass};

impl Pass {
    pub(super) fn float(&mut self, cx: &mut Lowering<'_>, id: OpId, op: &FloatOp, name: &str) -> Translated {
        let one = |v| cx.one(v);
        let lowered = match *op {
            FloatOp::AddF {
                lhs,
                rhs,
                rounding_mode,
                flush_to_zero,
            } => ArithOp::AddF {
                lhs: one(lhs),
                rhs: one(rhs),
                rounding: types::rounding(rounding_mode, name)?,
                flush_to_zero,
            },
            FloatOp::SubF {
                lhs,
                rhs,
                rounding_mode,
                flush_to_zero,
            } => ArithOp::SubF {
                lhs: one(lhs),
                rhs: one(rhs),
                rounding: types::rounding(rounding_mode, name)?,
                flush_to_zero,
            },
            FloatOp::MulF {
                lhs,
                rhs,
                rounding_mode,
                flush_to_zero,
            } => ArithOp::MulF {
                lhs: one(lhs),
                rhs: one(rhs),
                rounding: types::rounding(rounding_mode, name)?,
                flush_to_zero,
            },
            FloatOp::DivF {
                lhs,
                rhs,
                rounding_mode,
                flush_to_zero,
            } => ArithOp::DivF {
                lhs: one(lhs),
                rhs: one(rhs),
                precision: types::precision(rounding_mode, name)?,
                flush_to_zero,
            },
            FloatOp::Fma {
                lhs,
                rhs,
                acc,
                rounding_mode,
                flush_to_zero,
            } => ArithOp::Fma {
                lhs: one(lhs),
                rhs: one(rhs),
                acc: one(acc),
                rounding: types::rounding(rounding_mode, name)?,
                flush_to_zero,
            },
            FloatOp::RemF { lhs, rhs } => ArithOp::RemF {
                lhs: one(lhs),
                rhs: one(rhs),
            },
            FloatOp::MaxF {
                lhs,
                rhs,
                propagate_nan,
                flush_to_zero,
            } => ArithOp::MaxF {
                lhs: one(lhs),
                rhs: one(rhs),
                propagate_nan,
                flush_to_zero,
            },
            FloatOp::MinF {
                lhs,
                rhs,
                propagate_nan,
                flush_to_zero,
            } => ArithOp::MinF {
                lhs: one(lhs),
                rhs: one(rhs),
                propagate_nan,
                flush_to_zero,
            },
            FloatOp::AbsF { source } => ArithOp::AbsF { source: one(source) },
            FloatOp::NegF { source } => ArithOp::NegF { source: one(source) },
            FloatOp::Ceil { source } => ArithOp::CeilF { source: one(source) },
            FloatOp::Floor { source } => ArithOp::FloorF { source: one(source) },
            FloatOp::Sqrt {
                source,
                rounding_mode,
                flush_to_zero,
            } => ArithOp::SqrtF {
                source: one(source),
                precision: types::precision(rounding_mode, name)?,
                flush_to_zero,
            },
            FloatOp::Rsqrt {
                source,
                flush_to_zero,
            } => ArithOp::RsqrtF {
                source: one(source),
                flush_to_zero,
            },
            FloatOp::CmpF {
                lhs,
                rhs,
                predicate,
                ordering,
            } => ArithOp::CmpF {
                lhs: one(lhs),
                rhs: one(rhs),
                predicate: types::predicate(predicate),
                ordering: types::ordering(ordering),
            },
            FloatOp::Exp { .. }
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
            | FloatOp::Atan2 { .. } => return Self::unsupported_op(name),
        };
        Self::replace(cx, id, lowered)
    }

    pub(super) fn int(&mut self, cx: &mut Lowering<'_>, id: OpId, op: &IntOp, name: &str) -> Translated {
        let one = |v| cx.one(v);
        let lowered = match *op {
            IntOp::AddI { lhs, rhs, overflow } => ArithOp::AddI {
                lhs: one(lhs),
                rhs: one(rhs),
                overflow: types::overflow(overflow),
            },
            IntOp::SubI { lhs, rhs, overflow } => ArithOp::SubI {
                lhs: one(lhs),
                rhs: one(rhs),
                overflow: types::overflow(overflow),
            },
            IntOp::MulI { lhs, rhs, overflow } => ArithOp::MulI {
                lhs: one(lhs),
                rhs: one(rhs),
                overflow: types::overflow(overflow),
            },
            IntOp::MulHiI { x, y } => ArithOp::MulHiU {
                lhs: one(x),
                rhs: one(y),
            },
            IntOp::DivI {
                lhs,
                rhs,
                signedness,
                rounding,
            } => ArithOp::DivI {
                lhs: one(lhs),
                rhs: one(rhs),
                signedness: types::signedness(signedness),
                rounding: types::quotient(rounding, name)?,
            },
            IntOp::RemI { lhs, rhs, signedness } => ArithOp::RemI {
                lhs: one(lhs),
                rhs: one(rhs),
                signedness: types::signedness(signedness),
            },
            IntOp::NegI { source, overflow } => ArithOp::NegI {
                source: one(source),
                overflow: types::overflow(overflow),
            },
            IntOp::AbsI { source } => ArithOp::AbsI { source: one(source) },
            IntOp::MaxI { lhs, rhs, signedness } => ArithOp::MaxI {
                lhs: one(lhs),
                rhs: one(rhs),
                signedness: types::signedness(signedness),
            },
            IntOp::MinI { lhs, rhs, signedness } => ArithOp::MinI {
                lhs: one(lhs),
                rhs: one(rhs),
                signedness: types::signedness(signedness),
            },
            IntOp::AndI { lhs, rhs } => ArithOp::AndI {
                lhs: one(lhs),
                rhs: one(rhs),
            },
            IntOp::OrI { lhs, rhs } => ArithOp::OrI {
                lhs: one(lhs),
                rhs: one(rhs),
            },
            IntOp::XorI { lhs, rhs } => ArithOp::XorI {
                lhs: one(lhs),
                rhs: one(rhs),
            },
            IntOp::ShlI { lhs, rhs, overflow } => ArithOp::ShlI {
                lhs: one(lhs),
                rhs: one(rhs),
                overflow: types::overflow(overflow),
            },
            IntOp::ShrI { lhs, rhs, signedness } => ArithOp::ShrI {
                lhs: one(lhs),
                rhs: one(rhs),
                signedness: types::signedness(signedness),
            },
            IntOp::CmpI {
                lhs,
                rhs,
                predicate,
                signedness,
            } => ArithOp::CmpI {
                lhs: one(lhs),
                rhs: one(rhs),
                predicate: types::predicate(predicate),
                signedness: types::signedness(signedness),
            },
        };
        Self::replace(cx, id, lowered)
    }

    pub(super) fn cast(&mut self, cx: &mut Lowering<'_>, id: OpId, op: &CastOp, name: &str) -> Translated {
        let one = |v| cx.one(v);
        let lowered = match *op {
            CastOp::Bitcast { source } => ArithOp::Bitcast { source: one(source) },
            CastOp::ExtI { from, signedness } => ArithOp::ExtI {
                source: one(from),
                signedness: types::signedness(signedness),
            },
            // What the program promises of the bits that are cut off is worth nothing to any later stage.
            CastOp::TruncI { from, .. } => ArithOp::TruncI { source: one(from) },
            CastOp::FToF { from, rounding_mode } => ArithOp::FToF {
                source: one(from),
                rounding: types::rounding(rounding_mode, name)?,
            },
            // To a truth value: whether it is not zero, which a NaN is not either.
            CastOp::FToI { from, .. } if is_truth(cx, id) => {
                let ty = types::value(cx.from.ty(from))?;
                let scalar = ty.element().and_then(ElementType::scalar);
                let value = Dense::Splat(Literal::new(scalar.unwrap_or(ScalarType::F32), 0));
                let rhs = cx.value(ArithOp::Constant { value }, ty);
                ArithOp::CmpF {
                    lhs: cx.one(from),
                    rhs,
                    predicate: types::predicate(ComparisonPredicate::NotEqual),
                    ordering: types::ordering(ComparisonOrdering::Unordered),
                }
            }
            // The only rounding that the language allows here is toward zero.
            CastOp::FToI {
                from,
                signedness,
                saturating,
                ..
            } => ArithOp::FToI {
                source: one(from),
                signedness: types::signedness(signedness),
                saturating,
            },
            CastOp::IToF {
                from,
                signedness,
                rounding_mode,
            } => ArithOp::IToF {
                source: one(from),
                signedness: types::signedness(signedness),
                rounding: types::rounding(rounding_mode, name)?,
            },
            CastOp::IntToPtr { source } => ArithOp::IntToPtr { source: one(source) },
            CastOp::PtrToInt { source } => ArithOp::PtrToInt { source: one(source) },
            CastOp::PtrToPtr { source } => ArithOp::PtrToPtr { source: one(source) },
            CastOp::Pack { .. } | CastOp::Unpack { .. } => return Self::unsupported_op(name),
        };
        Self::replace(cx, id, lowered)
    }
}

/// Whether an op gives truth values.
fn is_truth(cx: &Lowering<'_>, id: OpId) -> bool {
    let tile = cx
        .old(id)
        .results()
        .next()
        .and_then(|value| cx.from.ty(value).as_tile());
    tile.and_then(|tile| tile.element.scalar()) == Some(ScalarType::I1)
}
