//! The hardware's approximations: where the program asks for them, and where the flag `afn` of an op of f32, or of a smaller
//! type, which is computed in f32, allows them.
//!
//! | op | instructions | error |
//! |---|---|---|
//! | `divf`, to nearest | `div.full` | 2 units in the last place |
//! | `sqrtf`, to nearest | `sqrt.approx` | 2^-23 of the result |
//! | `exp2` | `ex2.approx` | 2^-22 of the result |
//! | `exp` | `ex2.approx` of `x log2(e)` | 2^-22 + `abs(x)` 2^-23 of the result |
//! | `log2` | `lg2.approx` | 2^-22, and 2^-22 of the result outside of 0.5 to 2 |
//! | `log` | `lg2.approx` times `ln(2)` | 2^-22, and 2^-21 of the result outside of 0.5 to 2 |
//! | `sin`, `cos` | `sin.approx`, `cos.approx` | 2^-20 between -2 pi and 2 pi, more with the size of the angle |
//! | `tan` | the quotient of the two | that of the two |
//! | `tanh` | `tanh.approx` | 2^-11 of the result |
//!
//! The errors of the instructions are those of the PTX ISA. The other functions have no instruction, and f64 has none for any
//! of these.

use tilewright_irs::core::{Flag, Value};
use tilewright_irs::dialects::arith::{ArithOp, Precision};
use tilewright_irs::dialects::fast_math::{FastMathFlag, HasFastMath};
use tilewright_irs::dialects::math::MathOp;
use tilewright_irs::isa::{Approximation, Ftz, Instruction, OpResult, Type};
use tilewright_irs::nvvm::float_type;

use super::exponential::ex2;
use super::floats::{Floats, Format};
use super::hyperbolic;
use super::tables::{LN2, LOG2_E};

const APPROX: Approximation = Approximation::Approx;

/// Whether an op may be approximated.
pub(super) fn is_allowed(op: &impl HasFastMath) -> bool {
    op.fast_math().has(FastMathFlag::Approximate)
}

/// The op with an instruction that approximates it, if it is rounded to nearest: the other directions are asked for.
pub(super) fn arith(mut op: ArithOp) -> Option<ArithOp> {
    let (precision, new) = match &mut op {
        ArithOp::DivF { precision, .. } => (precision, Precision::Full),
        ArithOp::SqrtF { precision, .. } => (precision, Precision::Approx),
        _ => return None,
    };
    (std::mem::replace(precision, new) == Precision::NearestEven).then_some(op)
}

/// The approximation of a function, if the program wants it and there is one.
pub(super) fn function(m: &mut Floats<'_, '_>, op: &MathOp, x: Value) -> Option<Value> {
    match op {
        MathOp::Exp {
            approximate: Flag(true),
            ..
        } => return Some(exp(m, x)),
        MathOp::Tanh {
            approximate: Flag(true),
            ..
        } => return Some(tanh(m, x)),
        _ => {}
    }
    if m.format != Format::F32 || !is_allowed(op) {
        return None;
    }
    match op {
        MathOp::Exp { .. } => Some(exp(m, x)),
        MathOp::Exp2 { flush_to_zero, .. } => Some(ex2(m, x, *flush_to_zero)),
        MathOp::Log { .. } => {
            let log = log2(m, x);
            let ln2 = m.part(&LN2, 0);
            Some(m.mul(log, ln2))
        }
        MathOp::Log2 { .. } => Some(log2(m, x)),
        MathOp::Sin { .. } => Some(sin(m, x)),
        MathOp::Cos { .. } => Some(cos(m, x)),
        MathOp::Tan { .. } => {
            let (sine, cosine) = (sin(m, x), cos(m, x));
            Some(m.div_roughly(sine, cosine))
        }
        MathOp::Tanh { .. } => Some(tanh(m, x)),
        MathOp::Sinh { .. }
        | MathOp::Cosh { .. }
        | MathOp::Erf { .. }
        | MathOp::Atan2 { .. }
        | MathOp::PowF { .. }
        | MathOp::PowI { .. } => None,
    }
}

fn exp(m: &mut Floats<'_, '_>, x: Value) -> Value {
    let log2_e = m.part(&LOG2_E, 0);
    let scaled = m.mul(x, log2_e);
    ex2(m, scaled, Flag(false))
}

fn log2(m: &mut Floats<'_, '_>, a: Value) -> Value {
    m.instruction(Instruction::Lg2 {
        approximation: APPROX,
        ftz: Ftz(false),
        ty: Type::F32,
        d: OpResult,
        a,
    })
}

fn sin(m: &mut Floats<'_, '_>, a: Value) -> Value {
    m.instruction(Instruction::Sin {
        approximation: APPROX,
        ftz: Ftz(false),
        ty: Type::F32,
        d: OpResult,
        a,
    })
}

fn cos(m: &mut Floats<'_, '_>, a: Value) -> Value {
    m.instruction(Instruction::Cos {
        approximation: APPROX,
        ftz: Ftz(false),
        ty: Type::F32,
        d: OpResult,
        a,
    })
}

fn tanh(m: &mut Floats<'_, '_>, a: Value) -> Value {
    let Some(ty) = float_type(m.format.float) else {
        return hyperbolic::tanh(m, a);
    };
    m.instruction(Instruction::Tanh {
        approximation: APPROX,
        ty,
        d: OpResult,
        a,
    })
}
