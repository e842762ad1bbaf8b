//! Elementary functions.

use tilewright_irs::core::{Flag, OpId, Translated, Value};
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Precision};
use tilewright_irs::dialects::fast_math::FastMathFlag;
use tilewright_irs::dialects::math::MathOp;
use tilewright_irs::mlir::dialects::MathOp as Mlir;
use tilewright_irs::mlir::enums::FastMath;

use super::arith::flags;
use super::state::{Cx, not_lowered};
use super::types::number;

/// Whether denormals become zeros: where the flags allow an approximation, as the library does.
fn approximated(fastmath: FastMath) -> Flag {
    Flag(fastmath.has(FastMathFlag::Approximate.word()))
}

/// Lowers an op.
pub(super) fn lower(cx: &mut Cx<'_>, id: OpId, op: &Mlir) -> Translated {
    let result = cx.old(id).result(0);
    let Some(ty) = number(cx.from.ty(result)) else {
        return Err(not_lowered(cx, id));
    };
    let one = |value: &Value| cx.one(*value);
    let (flush_to_zero, approximate) = (Flag(false), Flag(false));
    let value = match op {
        Mlir::Exp2 { operand, fastmath } => {
            let (source, fast_math) = (one(operand), flags(*fastmath));
            let flush_to_zero = approximated(*fastmath);
            cx.value(
                MathOp::Exp2 {
                    source,
                    flush_to_zero,
                    fast_math,
                },
                ty,
            )
        }
        Mlir::Exp { operand, fastmath } => {
            let (source, fast_math) = (one(operand), flags(*fastmath));
            cx.value(
                MathOp::Exp {
                    source,
                    approximate,
                    fast_math,
                },
                ty,
            )
        }
        Mlir::Log { operand, fastmath } => {
            let (source, fast_math) = (one(operand), flags(*fastmath));
            cx.value(MathOp::Log { source, fast_math }, ty)
        }
        Mlir::Log2 { operand, fastmath } => {
            let (source, fast_math) = (one(operand), flags(*fastmath));
            cx.value(MathOp::Log2 { source, fast_math }, ty)
        }
        Mlir::Sin { operand, fastmath } => {
            let (source, fast_math) = (one(operand), flags(*fastmath));
            cx.value(MathOp::Sin { source, fast_math }, ty)
        }
        Mlir::Cos { operand, fastmath } => {
            let (source, fast_math) = (one(operand), flags(*fastmath));
            cx.value(MathOp::Cos { source, fast_math }, ty)
        }
        Mlir::Tanh { operand, fastmath } => {
            let (source, fast_math) = (one(operand), flags(*fastmath));
            cx.value(
                MathOp::Tanh {
                    source,
                    approximate,
                    fast_math,
                },
                ty,
            )
        }
        Mlir::Rsqrt { operand, fastmath } => {
            let (source, fast_math) = (one(operand), flags(*fastmath));
            let flush_to_zero = approximated(*fastmath);
            cx.value(
                ArithOp::RsqrtF {
                    source,
                    flush_to_zero,
                    fast_math,
                },
                ty,
            )
        }
        Mlir::Sqrt { operand, fastmath } => {
            let (source, precision, fast_math) = (one(operand), Precision::NearestEven, flags(*fastmath));
            cx.value(
                ArithOp::SqrtF {
                    source,
                    precision,
                    flush_to_zero,
                    fast_math,
                },
                ty,
            )
        }
        Mlir::AbsF { operand, fastmath } => {
            let (source, fast_math) = (one(operand), flags(*fastmath));
            cx.value(ArithOp::AbsF { source, fast_math }, ty)
        }
        Mlir::Floor { operand, fastmath } => {
            let (source, fast_math) = (one(operand), flags(*fastmath));
            cx.value(ArithOp::FloorF { source, fast_math }, ty)
        }
        Mlir::Fma { a, b, c, fastmath } => {
            let (lhs, rhs, acc, fast_math) = (one(a), one(b), one(c), flags(*fastmath));
            let rounding = FloatRounding::NearestEven;
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
        Mlir::AbsI { operand } => {
            let source = one(operand);
            cx.value(ArithOp::AbsI { source }, ty)
        }
        Mlir::Erf { .. } | Mlir::Cttz { .. } | Mlir::Ctlz { .. } | Mlir::Ctpop { .. } => {
            return Err(not_lowered(cx, id));
        }
    };
    cx.bind(result, [value]);
    Ok(())
}
