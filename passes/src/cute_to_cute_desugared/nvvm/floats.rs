//! Arithmetic of floats with roundings of its own.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Flag, OpId, Origin, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::arith::{ArithOp, Precision};
use tilewright_irs::dialects::fast_math::FastMathOf;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::mlir::dialects::NvvmOp;
use tilewright_irs::mlir::enums::{FloatRounding, Saturation};

use crate::cute_to_cute_desugared::inline_ptx;
use crate::cute_to_cute_desugared::state::{Cx, Desugar, not_lowered};
use crate::cute_to_cute_desugared::types::number;

/// Lowers an op.
pub(super) fn lower(pass: &Desugar, cx: &mut Cx<'_>, id: OpId, op: &NvvmOp) -> Translated {
    match op {
        NvvmOp::AddF {
            lhs,
            rhs,
            rnd,
            sat,
            ftz,
        } => {
            let words = (rounding(*rnd), *ftz, saturation(cx, *sat)?);
            float_instruction(pass, cx, id, ("add", words, ""), &[*lhs, *rhs])
        }
        NvvmOp::SubF {
            lhs,
            rhs,
            rnd,
            sat,
            ftz,
        } => {
            let words = (rounding(*rnd), *ftz, saturation(cx, *sat)?);
            float_instruction(pass, cx, id, ("sub", words, ""), &[*lhs, *rhs])
        }
        NvvmOp::Fma {
            a,
            b,
            c,
            rnd,
            sat,
            ftz,
            relu,
            oob,
        } => {
            let words = (rounding(*rnd), *ftz, saturation(cx, *sat)?);
            let after = match (relu, oob) {
                (false, false) => "",
                (true, false) => ".relu",
                (false, true) => ".oob",
                (true, true) => ".oob.relu",
            };
            float_instruction(pass, cx, id, ("fma", words, after), &[*a, *b, *c])
        }
        NvvmOp::FAbs { value, ftz } => {
            float_instruction(pass, cx, id, ("abs", ("", *ftz, ""), ""), &[*value])
        }
        NvvmOp::AddPacked { a, b, ftz, rnd } => {
            float_instruction(pass, cx, id, ("add", (rounding(*rnd), *ftz, ""), ""), &[*a, *b])
        }
        NvvmOp::SubPacked { a, b, ftz, rnd } => {
            float_instruction(pass, cx, id, ("sub", (rounding(*rnd), *ftz, ""), ""), &[*a, *b])
        }
        NvvmOp::MulPacked { a, b, ftz, rnd } => {
            float_instruction(pass, cx, id, ("mul", (rounding(*rnd), *ftz, ""), ""), &[*a, *b])
        }
        NvvmOp::FmaPacked { a, b, c, ftz, rnd } => float_instruction(
            pass,
            cx,
            id,
            ("fma", (rounding(*rnd), *ftz, ""), ""),
            &[*a, *b, *c],
        ),
        NvvmOp::Fmax {
            a,
            b,
            c,
            abs: Flag(false),
            ftz,
            nan,
        }
        | NvvmOp::Fmin {
            a,
            b,
            c,
            abs: Flag(false),
            ftz,
            nan,
        } => {
            let result = cx.old(id).result(0);
            let Some(ty) = number(cx.from.ty(result)) else {
                return Err(not_lowered(cx, id));
            };
            let mut lhs = cx.one(*a);
            for other in [Some(*b), *c].into_iter().flatten() {
                let (rhs, propagate_nan, flush_to_zero) = (cx.one(other), *nan, *ftz);
                let fast_math = FastMathOf::NONE;
                let of_both = match op {
                    NvvmOp::Fmin { .. } => ArithOp::MinF {
                        lhs,
                        rhs,
                        propagate_nan,
                        flush_to_zero,
                        fast_math,
                    },
                    _ => ArithOp::MaxF {
                        lhs,
                        rhs,
                        propagate_nan,
                        flush_to_zero,
                        fast_math,
                    },
                };
                lhs = cx.value(of_both, ty.clone());
            }
            cx.bind(result, [lhs]);
            Ok(())
        }
        NvvmOp::RcpApprox { arg } => {
            let ty = DesugaredType::Scalar(ScalarType::F32.into());
            let one = Dense::Splat(Literal::new(ScalarType::F32, u64::from(1f32.to_bits())));
            let lhs = cx.value(ArithOp::Constant { value: one }, ty.clone());
            let op = ArithOp::DivF {
                lhs,
                rhs: cx.one(*arg),
                precision: Precision::Approx,
                flush_to_zero: Flag(true),
                fast_math: FastMathOf::NONE,
            };
            let value = cx.value(op, ty);
            cx.bind(cx.old(id).result(0), [value]);
            Ok(())
        }
        _ => Err(not_lowered(cx, id)),
    }
}

/// The modifier of a rounding.
const fn rounding(rounding: FloatRounding) -> &'static str {
    match rounding {
        FloatRounding::None => "",
        FloatRounding::Nearest => ".rn",
        FloatRounding::Down => ".rm",
        FloatRounding::Up => ".rp",
        FloatRounding::Zero => ".rz",
        FloatRounding::Away => ".rna",
        FloatRounding::Stochastic => ".rs",
    }
}

/// The modifier of a saturation.
fn saturation(cx: &Cx<'_>, saturation: Saturation) -> Result<&'static str, Diagnostic<Origin>> {
    match saturation {
        Saturation::None => Ok(""),
        Saturation::Unit => Ok(".sat"),
        Saturation::Finite => {
            let message = "no instruction bounds such a result by finite numbers";
            Err(Diagnostic::error(Code::AttributeValue, message).at(cx.origin(), ""))
        }
    }
}

/// An instruction on floats, with modifiers for rounding, denormals and saturation, and others after them.
fn float_instruction(
    pass: &Desugar,
    cx: &mut Cx<'_>,
    id: OpId,
    (name, (rounding, ftz, saturation), after): (&str, (&str, bool, &str), &str),
    operands: &[Value],
) -> Translated {
    let ty = number(cx.from.ty(cx.old(id).result(0)));
    let Some(ty) = ty.as_ref().and_then(float_word) else {
        return Err(not_lowered(cx, id));
    };
    let ftz = if ftz { ".ftz" } else { "" };
    let words = format!("{name}{rounding}{ftz}{saturation}{after}.{ty}");
    inline_ptx::lower_to(pass, cx, id, &words, operands)
}

/// The word of a type of floats in the names of instructions.
pub(in super::super) fn float_word(ty: &DesugaredType) -> Option<&'static str> {
    Some(match ty {
        DesugaredType::Scalar(ElementType::Scalar(ScalarType::F16)) => "f16",
        DesugaredType::Scalar(ElementType::Scalar(ScalarType::BF16)) => "bf16",
        DesugaredType::Scalar(ElementType::Scalar(ScalarType::F32)) => "f32",
        DesugaredType::Scalar(ElementType::Scalar(ScalarType::F64)) => "f64",
        DesugaredType::Fragment(2, ElementType::Scalar(ScalarType::F16)) => "f16x2",
        DesugaredType::Fragment(2, ElementType::Scalar(ScalarType::BF16)) => "bf16x2",
        DesugaredType::Fragment(2, ElementType::Scalar(ScalarType::F32)) => "f32x2",
        _ => return None,
    })
}
