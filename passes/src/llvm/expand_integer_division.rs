//! Expands integer division that rounds up or down to truncating division with a correction.
//!
//! In: `llvm_like`. Out: no `arith.divi` that rounds up or down, except of i1, which needs no correction. The
//! truncated quotient is too large if the exact one is negative and inexact (rounding down), and too small if it is
//! positive and inexact (rounding up).

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Func, OpData, OpId, Origin, Value};
use tilewright_irs::dialects::arith::{ArithOp, Predicate, QuotientRounding, Signedness};
use tilewright_irs::element::ScalarType;
use tilewright_irs::llvm::{Llvm, LlvmOp, LlvmType};

use super::rewrite::{Rewrite, Rewriter, Rewritten, rewrite};
use super::scalars::Scalars;

/// Expands floor and ceiling division; see [the module](self).
pub fn expand_integer_division(func: &Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>> {
    rewrite(func, &mut ExpandIntegerDivision)
}

struct ExpandIntegerDivision;

impl Rewriter for ExpandIntegerDivision {
    fn concerns(&self, _: &Body<Llvm>, op: &OpData<Llvm>) -> bool {
        matches!(op.kind, LlvmOp::Arith(ArithOp::DivI { .. }))
    }

    fn op(&mut self, cx: &mut Rewrite<'_>, id: OpId) -> Rewritten {
        let old = cx.old(id);
        if let LlvmOp::Arith(ArithOp::DivI {
            lhs,
            rhs,
            signedness,
            rounding,
        }) = old.kind
            && rounding != QuotientRounding::Zero
            && let LlvmType::Scalar(scalar) = *cx.from.ty(lhs)
            && scalar != ScalarType::I1
        {
            let (lhs, rhs) = (cx.new_value(lhs), cx.new_value(rhs));
            let quotient = divide(&mut Scalars(cx), (lhs, rhs), scalar, signedness, rounding);
            cx.bind(old.result(0), quotient);
            return Ok(());
        }
        cx.keep(id);
        Ok(())
    }
}

fn divide(
    s: &mut Scalars<'_, '_>,
    (lhs, rhs): (Value, Value),
    scalar: ScalarType,
    signedness: Signedness,
    rounding: QuotientRounding,
) -> Value {
    let truncated = ArithOp::DivI {
        lhs,
        rhs,
        signedness,
        rounding: QuotientRounding::Zero,
    };
    let quotient = s.op(truncated, scalar);
    let product = s.mul(quotient, rhs);
    let rest = s.sub(lhs, product);
    let zero = s.constant(scalar, 0);
    let inexact = s.compare(rest, Predicate::NotEqual, zero, Signedness::Unsigned);
    // Different signs of the operands: the exact quotient is negative.
    let negative = match signedness {
        Signedness::Signed => {
            let signs = s.xor(lhs, rhs);
            Some(s.compare(signs, Predicate::Less, zero, Signedness::Signed))
        }
        Signedness::Unsigned => None,
    };
    let one = s.constant(scalar, 1);
    match (rounding, negative) {
        (QuotientRounding::Zero, _) | (QuotientRounding::Down, None) => quotient,
        (QuotientRounding::Down, Some(negative)) => {
            let wrong = s.and(inexact, negative);
            let less = s.sub(quotient, one);
            s.select(wrong, less, quotient)
        }
        (QuotientRounding::Up, negative) => {
            let wrong = match negative {
                Some(negative) => {
                    let yes = s.constant(ScalarType::I1, 1);
                    let positive = s.xor(negative, yes);
                    s.and(inexact, positive)
                }
                None => inexact,
            };
            let more = s.add(quotient, one);
            s.select(wrong, more, quotient)
        }
    }
}
