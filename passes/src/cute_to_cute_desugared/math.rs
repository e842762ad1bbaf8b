//! Elementary functions.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Flag, OpId, Origin, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Overflow, Precision, Signedness};
use tilewright_irs::dialects::fast_math::{FastMathFlag, FastMathOf};
use tilewright_irs::dialects::math::MathOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::isa::{Instruction, OpResult, Type};
use tilewright_irs::mlir::dialects::MathOp as Mlir;
use tilewright_irs::mlir::enums::FastMath;

use super::arith::flags;
use super::composed::{Composed, composed};
use super::floats::{copy_sign, float, product};
use super::instructions::of;
use super::state::{Cx, not_lowered};
use super::types::number;
use crate::leaf_arithmetic::{constant, resized};

/// Whether denormals become zeros: where the flags allow an approximation, as the library does.
fn approximated(fastmath: FastMath) -> Flag {
    Flag(fastmath.has(FastMathFlag::Approximate.word()))
}

/// The other coordinate of a point of the unit circle, the root of `(1 - x) * (1 + x)`: both factors are exact where it is small.
fn other_coordinate(cx: &mut Cx<'_>, x: Value, ty: &DesugaredType) -> Option<Value> {
    let one = float(cx, ty, 1.0)?;
    let (rounding, flush_to_zero) = (FloatRounding::NearestEven, Flag(false));
    let below = ArithOp::SubF {
        lhs: one,
        rhs: x,
        rounding,
        flush_to_zero,
        fast_math: FastMathOf::NONE,
    };
    let above = ArithOp::AddF {
        lhs: one,
        rhs: x,
        rounding,
        flush_to_zero,
        fast_math: FastMathOf::NONE,
    };
    let (below, above) = (cx.value(below, ty.clone()), cx.value(above, ty.clone()));
    let source = product(cx, below, above, ty.clone());
    let root = ArithOp::SqrtF {
        source,
        precision: Precision::NearestEven,
        flush_to_zero,
        fast_math: FastMathOf::NONE,
    };
    Some(cx.value(root, ty.clone()))
}

/// What is counted in an integer.
#[derive(Clone, Copy)]
enum Counted {
    Ones,
    Leading,
    Trailing,
}

/// A number of bits of an integer.
fn counted(
    cx: &mut Cx<'_>,
    id: OpId,
    source: Value,
    ty: &DesugaredType,
    what: Counted,
) -> Result<Value, Diagnostic<Origin>> {
    let (form, wide, missing) = match ty {
        DesugaredType::Scalar(ElementType::Scalar(scalar)) if scalar.is_int() => match scalar.bits() {
            bits @ 1..=32 => (Type::B32, ScalarType::I32, i64::from(32 - bits)),
            64 => (Type::B64, ScalarType::I64, 0),
            _ => return Err(not_lowered(cx, id)),
        },
        _ => return Err(not_lowered(cx, id)),
    };
    let a = match *cx.ty(source) == of(wide) {
        true => source,
        false => {
            let signedness = Signedness::Unsigned;
            cx.value(ArithOp::ExtI { source, signedness }, of(wide))
        }
    };
    let (ty_of_bits, d) = (form, OpResult);
    let zeros = |a| Instruction::Clz { ty: ty_of_bits, d, a };
    let i32 = of(ScalarType::I32);
    let count = match what {
        Counted::Ones => cx.value(Instruction::Popc { ty: form, d, a }, i32),
        Counted::Leading => {
            let lhs = cx.value(zeros(a), i32.clone());
            let rhs = constant(cx, ScalarType::I32, missing);
            let overflow = Overflow::Wraps;
            cx.value(ArithOp::SubI { lhs, rhs, overflow }, i32)
        }
        Counted::Trailing => {
            let reversed = cx.value(Instruction::Brev { ty: form, d, a }, of(wide));
            let count = cx.value(zeros(reversed), i32.clone());
            let rhs = constant(cx, ScalarType::I32, i64::from(wide.bits()) - missing);
            // Of zero, all bits of its own width.
            let (lhs, signedness) = (count, Signedness::Unsigned);
            cx.value(ArithOp::MinI { lhs, rhs, signedness }, i32)
        }
    };
    let DesugaredType::Scalar(ElementType::Scalar(own)) = ty else {
        return Err(not_lowered(cx, id));
    };
    Ok(resized(cx, count, *own))
}

/// The value of a function that is composed of others.
fn of_others(
    cx: &mut Cx<'_>,
    id: OpId,
    operand: Value,
    ty: &DesugaredType,
    function: Composed,
) -> Result<Value, Diagnostic<Origin>> {
    let source = cx.one(operand);
    composed(cx, function, source, ty).ok_or_else(|| not_lowered(cx, id))
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
        Mlir::Erf { operand, fastmath } => {
            let (source, fast_math) = (one(operand), flags(*fastmath));
            cx.value(MathOp::Erf { source, fast_math }, ty)
        }
        Mlir::Tan { operand, fastmath } => {
            let (source, fast_math) = (one(operand), flags(*fastmath));
            cx.value(MathOp::Tan { source, fast_math }, ty)
        }
        Mlir::Atan2 { lhs, rhs, fastmath } => {
            let (y, x, fast_math) = (one(lhs), one(rhs), flags(*fastmath));
            cx.value(MathOp::Atan2 { y, x, fast_math }, ty)
        }
        Mlir::PowF { lhs, rhs, fastmath } => {
            let (base, exponent, fast_math) = (one(lhs), one(rhs), flags(*fastmath));
            cx.value(
                MathOp::PowF {
                    base,
                    exponent,
                    fast_math,
                },
                ty,
            )
        }
        Mlir::Ceil { operand, fastmath } => {
            let (source, fast_math) = (one(operand), flags(*fastmath));
            cx.value(ArithOp::CeilF { source, fast_math }, ty)
        }
        Mlir::Log10 { operand, .. } => {
            // The binary logarithm over that of 10.
            let (source, fast_math) = (one(operand), FastMathOf::NONE);
            let log = cx.value(MathOp::Log2 { source, fast_math }, ty.clone());
            let Some(factor) = float(cx, &ty, std::f64::consts::LOG10_2) else {
                return Err(not_lowered(cx, id));
            };
            product(cx, log, factor, ty)
        }
        Mlir::Atan { operand, .. } => {
            let Some(x) = float(cx, &ty, 1.0) else {
                return Err(not_lowered(cx, id));
            };
            let (y, fast_math) = (cx.one(*operand), FastMathOf::NONE);
            cx.value(MathOp::Atan2 { y, x, fast_math }, ty)
        }
        Mlir::Asin { operand, .. } | Mlir::Acos { operand, .. } => {
            // The angle of a point of the unit circle, of which one coordinate is known.
            let known = cx.one(*operand);
            let Some(other) = other_coordinate(cx, known, &ty) else {
                return Err(not_lowered(cx, id));
            };
            let (y, x) = match op {
                Mlir::Asin { .. } => (known, other),
                _ => (other, known),
            };
            let fast_math = FastMathOf::NONE;
            cx.value(MathOp::Atan2 { y, x, fast_math }, ty)
        }
        Mlir::CopySign { lhs, rhs, .. } => {
            let (magnitude, sign) = (one(lhs), one(rhs));
            match copy_sign(cx, magnitude, sign, &ty) {
                Some(value) => value,
                None => return Err(not_lowered(cx, id)),
            }
        }
        Mlir::Sinh { operand, fastmath } => {
            let (source, fast_math) = (one(operand), flags(*fastmath));
            cx.value(MathOp::Sinh { source, fast_math }, ty)
        }
        Mlir::Cosh { operand, fastmath } => {
            let (source, fast_math) = (one(operand), flags(*fastmath));
            cx.value(MathOp::Cosh { source, fast_math }, ty)
        }
        Mlir::SinCos { operand, fastmath } => {
            let (source, fast_math) = (one(operand), flags(*fastmath));
            let sine = cx.value(MathOp::Sin { source, fast_math }, ty.clone());
            let fast_math = flags(*fastmath);
            let cosine = cx.value(MathOp::Cos { source, fast_math }, ty);
            let second = cx.old(id).result(1);
            cx.bind(second, [cosine]);
            sine
        }
        Mlir::Trunc { operand, .. } => of_others(cx, id, *operand, &ty, Composed::Trunc)?,
        Mlir::Round { operand, .. } => of_others(cx, id, *operand, &ty, Composed::Round)?,
        Mlir::RoundEven { operand, .. } => of_others(cx, id, *operand, &ty, Composed::RoundEven)?,
        Mlir::ExpM1 { operand, .. } => of_others(cx, id, *operand, &ty, Composed::ExpM1)?,
        Mlir::Log1P { operand, .. } => of_others(cx, id, *operand, &ty, Composed::Log1P)?,
        Mlir::Asinh { operand, .. } => of_others(cx, id, *operand, &ty, Composed::Asinh)?,
        Mlir::Acosh { operand, .. } => of_others(cx, id, *operand, &ty, Composed::Acosh)?,
        Mlir::Atanh { operand, .. } => of_others(cx, id, *operand, &ty, Composed::Atanh)?,
        Mlir::Cbrt { operand, .. } => of_others(cx, id, *operand, &ty, Composed::Cbrt)?,
        Mlir::Ctpop { operand } => counted(cx, id, one(operand), &ty, Counted::Ones)?,
        Mlir::Ctlz { operand } => counted(cx, id, one(operand), &ty, Counted::Leading)?,
        Mlir::Cttz { operand } => counted(cx, id, one(operand), &ty, Counted::Trailing)?,
    };
    cx.bind(result, [value]);
    Ok(())
}
