//! The multiply-add of one thread.

use tilewright_irs::core::Value;
use tilewright_irs::core::{Flag, Translated};
use tilewright_irs::dialects::arith::Signedness;
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Overflow};
use tilewright_irs::dialects::fast_math::FastMathOf;
use tilewright_irs::element::ScalarType;

use super::elements::Tensor;
use crate::cute_to_cute_desugared::state::{Cx, unsupported};

/// `d = a * b + c` of one element each, rounded once.
pub(super) fn lower(cx: &mut Cx<'_>, d: &Tensor, [a, b]: &[Tensor; 2], c: &Tensor) -> Translated {
    if [d, a, b, c].into_iter().any(|tensor| tensor.indices.len() != 1) {
        return Err(unsupported(
            cx.origin(),
            "a multiply-add of more than one element",
        ));
    }
    let mut load = |tensor: &Tensor| -> Result<Value, _> {
        let value = tensor.load(cx, None)?;
        Ok(widened(cx, value, tensor.scalar, d))
    };
    let (lhs, rhs, acc) = (load(a)?, load(b)?, load(c)?);
    let ty = d.ty(1);
    let sum = match d.scalar.is_float() {
        true => {
            let (rounding, flush_to_zero) = (FloatRounding::NearestEven, Flag(false));
            let fast_math = FastMathOf::NONE;
            cx.value(
                ArithOp::Fma {
                    lhs,
                    rhs,
                    acc,
                    rounding,
                    flush_to_zero,
                    fast_math,
                },
                ty,
            )
        }
        false => {
            let overflow = Overflow::Wraps;
            let product = cx.value(ArithOp::MulI { lhs, rhs, overflow }, ty.clone());
            cx.value(
                ArithOp::AddI {
                    lhs: product,
                    rhs: acc,
                    overflow,
                },
                ty,
            )
        }
    };
    d.store(cx, sum, None)
}

/// A factor in the type of the sum.
fn widened(cx: &mut Cx<'_>, source: Value, from: ScalarType, sum: &Tensor) -> Value {
    let ty = sum.ty(1);
    if from == sum.scalar {
        return source;
    }
    match (from.is_float(), sum.scalar.is_float()) {
        (true, _) => {
            let rounding = FloatRounding::NearestEven;
            cx.value(ArithOp::FToF { source, rounding }, ty)
        }
        (false, _) => {
            let signedness = Signedness::Signed;
            cx.value(ArithOp::ExtI { source, signedness }, ty)
        }
    }
}
