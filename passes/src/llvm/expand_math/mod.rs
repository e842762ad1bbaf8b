//! Expands elementary functions of floats to arithmetic and the hardware's approximations.
//!
//! In: `llvm_like`. Out: no `math` op, and no `arith.rsqrtf` of f64, whose instruction is too inaccurate. f16 and bf16 are
//! computed in f32 and rounded once. `approximate` has what instructions approximate if an op may be: functions, quotients and
//! roots. `single` has the functions of f32 that equal CUDA's; the others, and those of f64, are
//! accurate to the table below, with minimax polynomials of our own.
//!
//! The greatest errors that `tests/math_accuracy.rs` allows, in units in the last place: in f32 of the exact result, in
//! f64 of the correctly rounded one. Those of CUDA's documentation (CUDA C++ Programming Guide, "Mathematical Functions")
//! are no smaller:
//!
//! | function | f32 | f64 |
//! |---|---|---|
//! | `log`, `log2` | 1 | 1 |
//! | `exp`, `exp2`, `rsqrtf`, `sin`, `cos`, `cosh`, `tanh` | 2 | 1 |
//! | `tan` | 4 | 1 |
//! | `erf` | 2 | 2 |
//! | `sinh`, `atan2`, `powf`, `powi` | 2 | 2 |
//!
//! Subnormal operands and results are exact to the same bounds, arguments of trigonometric functions are reduced over the
//! whole range, and infinities, zeros and NaNs give what C gives.

mod approximate;
mod arc_tangent;
mod error_function;
mod exponential;
mod floats;
mod hyperbolic;
mod logarithm;
mod power;
mod reduce_angle;
mod root;
mod single;
mod tables;
mod trigonometric;

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Func, OpData, OpId, Operation, Origin, Value};
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding};
use tilewright_irs::dialects::math::MathOp;
use tilewright_irs::element::ScalarType;
use tilewright_irs::llvm::{Llvm, LlvmOp, LlvmType};

use self::floats::{Floats, Format};
use super::rewrite::{Rewrite, Rewriter, Rewritten, has_element, rewrite};
use super::scalars::Scalars;

/// Expands elementary functions; see [the module](self).
pub fn expand_math(func: &Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>> {
    rewrite(func, &mut ExpandMath)
}

struct ExpandMath;

impl Rewriter for ExpandMath {
    fn concerns(&self, body: &Body<Llvm>, op: &OpData<Llvm>) -> bool {
        match &op.kind {
            LlvmOp::Math(_) => true,
            LlvmOp::Arith(ArithOp::RsqrtF { .. }) => {
                has_element(body, op, |scalar| scalar == ScalarType::F64)
            }
            LlvmOp::Arith(op @ (ArithOp::DivF { .. } | ArithOp::SqrtF { .. })) => approximate::is_allowed(op),
            LlvmOp::Arith(_) | LlvmOp::Llvm(_) | LlvmOp::Target(_) => false,
        }
    }

    fn op(&mut self, cx: &mut Rewrite<'_>, id: OpId) -> Rewritten {
        let old = cx.old(id);
        let result = old.results().next();
        let scalar = result.and_then(|result| cx.from.ty(result).scalar());
        let operands = old.kind.operand_list();
        let new = match (&old.kind, scalar, operands.as_slice()) {
            (LlvmOp::Math(op), Some(scalar), [x, more @ ..]) => {
                let operands = [*x, more.first().copied().unwrap_or(*x)];
                Some(function(cx, op, operands, scalar))
            }
            (LlvmOp::Arith(ArithOp::RsqrtF { source, .. }), Some(ScalarType::F64), _) => {
                let source = cx.new_value(*source);
                Some(root::reciprocal(&mut Floats::new(cx, Format::F64), source))
            }
            (LlvmOp::Arith(op), Some(scalar), _)
                if scalar != ScalarType::F64 && approximate::is_allowed(op) =>
            {
                let new = match cx.renamed(id) {
                    LlvmOp::Arith(op) => approximate::arith(op),
                    _ => None,
                };
                new.map(|op| cx.value(op, LlvmType::Scalar(scalar)))
            }
            _ => None,
        };
        match result.zip(new) {
            Some((result, new)) => cx.bind(result, new),
            None => cx.keep(id),
        }
        Ok(())
    }
}

/// The function in its own type, or in f32 for a smaller one; of one operand, which stands twice, or of two.
fn function(cx: &mut Rewrite<'_>, op: &MathOp, operands: [Value; 2], scalar: ScalarType) -> Value {
    let format = match scalar {
        ScalarType::F64 => Format::F64,
        _ => Format::F32,
    };
    let [x, y] = operands.map(|value| {
        let value = cx.new_value(value);
        match cx.ty(value) {
            LlvmType::Scalar(scalar) if scalar.is_float() => {
                Scalars(cx).float(value, FloatRounding::NearestEven, format.float)
            }
            LlvmType::Scalar(_)
            | LlvmType::Ptr(_)
            | LlvmType::Vector(..)
            | LlvmType::TensorMap
            | LlvmType::Passed(_)
            | LlvmType::Struct(_) => value,
        }
    });
    let single = format == Format::F32;
    let m = &mut Floats::new(cx, format);
    if let Some(result) = approximate::function(m, op, x) {
        return Scalars(cx).float(result, FloatRounding::NearestEven, scalar);
    }
    let result = match op {
        MathOp::Exp { .. } if single => single::exp(m, x),
        MathOp::Exp { .. } => exponential::exp(m, x),
        MathOp::Exp2 { flush_to_zero, .. } if single => single::exp2(m, x, *flush_to_zero),
        MathOp::Exp2 { .. } => exponential::exp2(m, x),
        MathOp::Log { .. } if single => single::log(m, x),
        MathOp::Log { .. } => logarithm::log(m, x),
        MathOp::Log2 { .. } if single => single::log2(m, x),
        MathOp::Log2 { .. } => logarithm::log2(m, x),
        MathOp::Sin { .. } if single => single::sin(m, x),
        MathOp::Sin { .. } => trigonometric::sin(m, x),
        MathOp::Cos { .. } if single => single::cos(m, x),
        MathOp::Cos { .. } => trigonometric::cos(m, x),
        MathOp::Tan { .. } if single => single::tan(m, x),
        MathOp::Tan { .. } => trigonometric::tan(m, x),
        MathOp::Sinh { .. } if single => single::sinh(m, x),
        MathOp::Sinh { .. } => hyperbolic::sinh(m, x),
        MathOp::Cosh { .. } if single => single::cosh(m, x),
        MathOp::Cosh { .. } => hyperbolic::cosh(m, x),
        MathOp::Tanh { .. } if single => single::tanh(m, x),
        MathOp::Tanh { .. } => hyperbolic::tanh(m, x),
        MathOp::Erf { .. } if single => error_function::single(m, x),
        MathOp::Erf { .. } => error_function::double(m, x),
        MathOp::Atan2 { .. } => arc_tangent::atan2(m, x, y),
        MathOp::PowF { .. } => power::float(m, x, y),
        MathOp::PowI { .. } => power::integer(m, x, y),
    };
    Scalars(cx).float(result, FloatRounding::NearestEven, scalar)
}
