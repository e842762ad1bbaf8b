//! Promotes 8-bit integer arithmetic to 32 bits.
//!
//! In: `llvm_like`. Out: i8 only in constants, selections, extensions, truncations, conversions from and to floats
//! that do not saturate, bit casts, loads, stores and block arguments. i1 is kept: predicates have their own
//! arithmetic. i4 is not supported yet.
//!
//! Extending by the op's signedness and truncating the result is exact, since every result depends on the low bits
//! alone or equals that of the extended operands.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Body, Flag, Func, OpData, OpId, Operation, Origin, TypeRule, Value};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Signedness};
use tilewright_irs::element::ScalarType;
use tilewright_irs::llvm::{Llvm, LlvmOp, LlvmType};

use super::rewrite::{Rewrite, Rewriter, Rewritten, has_element, rewrite};
use super::scalars::{InOrder, Scalars};

/// Promotes the arithmetic of small integers; see [the module](self).
pub fn legalize_small_integers(func: &Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>> {
    rewrite(func, &mut LegalizeSmallIntegers)
}

struct LegalizeSmallIntegers;

const I8: LlvmType = LlvmType::Scalar(ScalarType::I8);
const I32: ScalarType = ScalarType::I32;
const SIGNED: Signedness = Signedness::Signed;
const UNSIGNED: Signedness = Signedness::Unsigned;

/// The extension of the operands; `None` for ops that support i8: all but integer arithmetic.
fn extension(op: &ArithOp) -> Option<Signedness> {
    match op {
        ArithOp::DivI { signedness, .. }
        | ArithOp::RemI { signedness, .. }
        | ArithOp::MinI { signedness, .. }
        | ArithOp::MaxI { signedness, .. }
        | ArithOp::ShrI { signedness, .. }
        | ArithOp::CmpI { signedness, .. } => Some(*signedness),
        ArithOp::AbsI { .. } => Some(SIGNED),
        _ => (op.spec().rule == TypeRule::SameInt).then_some(UNSIGNED),
    }
}

/// The op in 32 bits, without its promises, which are about 8 bits.
fn without_promises(op: ArithOp) -> ArithOp {
    let overflow = Overflow::Wraps;
    match op {
        ArithOp::AddI { lhs, rhs, .. } => ArithOp::AddI { lhs, rhs, overflow },
        ArithOp::SubI { lhs, rhs, .. } => ArithOp::SubI { lhs, rhs, overflow },
        ArithOp::MulI { lhs, rhs, .. } => ArithOp::MulI { lhs, rhs, overflow },
        ArithOp::NegI { source, .. } => ArithOp::NegI { source, overflow },
        ArithOp::ShlI { lhs, rhs, .. } => ArithOp::ShlI { lhs, rhs, overflow },
        other => other,
    }
}

impl Rewriter for LegalizeSmallIntegers {
    fn concerns(&self, body: &Body<Llvm>, op: &OpData<Llvm>) -> bool {
        has_element(body, op, |scalar| {
            matches!(scalar, ScalarType::I4 | ScalarType::I8)
        })
    }

    fn op(&mut self, cx: &mut Rewrite<'_>, id: OpId) -> Rewritten {
        let old = cx.old(id);
        for value in old.results().chain(old.kind.operand_list()) {
            if *cx.from.ty(value) == LlvmType::Scalar(ScalarType::I4) {
                let message = "integers of 4 bits are not supported yet";
                return Err(Diagnostic::error(Code::UnsupportedType, message).at(old.origin, ""));
            }
        }
        let LlvmOp::Arith(op) = &old.kind else {
            cx.keep(id);
            return Ok(());
        };
        let operands = op.operand_list();
        let small = operands.first().is_some_and(|&value| *cx.from.ty(value) == I8);
        let result = old.result(0);
        if let ArithOp::FToI {
            source,
            signedness,
            saturating: Flag(true),
        } = *op
            && *cx.from.ty(result) == I8
        {
            let source = cx.new_value(source);
            let new = saturated(&mut Scalars(cx), source, signedness);
            cx.bind(result, new);
            return Ok(());
        }
        match extension(op) {
            Some(signedness) if small => {
                let narrow: Vec<Value> = operands.iter().map(|&value| cx.new_value(value)).collect();
                let new = widened(&mut Scalars(cx), op, &narrow, signedness);
                cx.bind(result, new);
            }
            Some(_) | None => cx.keep(id),
        }
        Ok(())
    }
}

fn widened(s: &mut Scalars<'_, '_>, op: &ArithOp, narrow: &[Value], signedness: Signedness) -> Value {
    let shift = matches!(op, ArithOp::ShlI { .. } | ArithOp::ShrI { .. });
    let wide: Vec<Value> = narrow
        .iter()
        .enumerate()
        .map(|(i, &value)| {
            // The amount of a shift is unsigned, whatever the signedness of the op.
            let signedness = if shift && i == 1 { UNSIGNED } else { signedness };
            s.extend(value, signedness, I32)
        })
        .collect();
    if let (ArithOp::MulHiU { .. }, [lhs, rhs]) = (op, wide.as_slice()) {
        let product = s.mul(*lhs, *rhs);
        let eight = s.constant(I32, 8);
        let high = s.shr(product, eight);
        return s.truncate(high, ScalarType::I8);
    }
    let mut op = without_promises(op.clone());
    op.remap(&mut InOrder(wide.into_iter()));
    if matches!(op, ArithOp::CmpI { .. }) {
        return s.op(op, ScalarType::I1);
    }
    let wide = s.op(op, I32);
    s.truncate(wide, ScalarType::I8)
}

/// A float converted to i8 with saturation.
fn saturated(s: &mut Scalars<'_, '_>, source: Value, signedness: Signedness) -> Value {
    let saturating = Flag(true);
    let wide = s.op(
        ArithOp::FToI {
            source,
            signedness,
            saturating,
        },
        I32,
    );
    let (low, high) = match signedness {
        Signedness::Signed => (i64::from(i8::MIN), i64::from(i8::MAX)),
        Signedness::Unsigned => (0, i64::from(u8::MAX)),
    };
    let (low, high) = (
        s.constant(I32, low.cast_unsigned()),
        s.constant(I32, high.cast_unsigned()),
    );
    let wide = s.op(
        ArithOp::MaxI {
            lhs: wide,
            rhs: low,
            signedness,
        },
        I32,
    );
    let wide = s.op(
        ArithOp::MinI {
            lhs: wide,
            rhs: high,
            signedness,
        },
        I32,
    );
    s.truncate(wide, ScalarType::I8)
}
