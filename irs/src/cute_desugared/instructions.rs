//! Rules of instructions that a program names itself.

use tilewright_diagnostics::Code;

use super::CuteDesugared;
use super::ops::CuteDesugaredOp;
use super::types::DesugaredType;
use crate::core::{Func, OpData, OpId, Operation as _, Problems, SideTable, Value};
use crate::dialects::arith::ArithOp;
use crate::dialects::memory_rules::check_ordering;
use crate::element::{ElementType, ScalarType};
use crate::isa::{Class, Held, Immediate, SsaOperand, SsaOperands, TargetOp, check_form, nth_source, unfit};
use crate::literal::Dense;

/// In what a value is held as an operand of an instruction. Addresses are integers.
fn held(ty: &DesugaredType) -> Held {
    let DesugaredType::Scalar(ElementType::Scalar(scalar)) = ty else {
        return Held::Nowhere;
    };
    match scalar {
        ScalarType::I1 => Held::In(Class::Pred),
        ScalarType::I8 => Held::Byte,
        ScalarType::I16 | ScalarType::F16 | ScalarType::BF16 => Held::In(Class::B16),
        ScalarType::I32 => Held::In(Class::B32),
        ScalarType::I64 => Held::In(Class::B64),
        ScalarType::F32 => Held::In(Class::F32),
        ScalarType::F64 => Held::In(Class::F64),
        _ => Held::Later,
    }
}

/// Checks an instruction: that PTX has its form and the target it, and the types of its operands and results.
pub(super) fn verify(
    func: &Func<CuteDesugared>,
    definitions: &SideTable<Value, OpId>,
    op: &OpData<CuteDesugared>,
    own: &TargetOp,
    problems: &mut Problems,
) {
    let body = &func.body;
    let name = own.name();
    let constant = |value: Value| match &body.op(*definitions.get(value)?).kind {
        CuteDesugaredOp::Arith(ArithOp::Constant {
            value: Dense::Splat(literal),
        }) => Immediate::of(*literal),
        _ => None,
    };
    if let Some((at, want)) = unfit(own, |value| held(body.ty(value)), constant) {
        let message = format!("operand {at} of `{name}` must be {want}, and is not");
        problems.error_at(op.origin, nth_source(own, at), Code::OperandType, message);
    }
    let mut results = op.results();
    let mut wrong = None;
    own.instruction.visit(&mut SsaOperands(&mut |operand| {
        if let SsaOperand::Result(want) = operand
            && let Some(result) = results.next()
            && !held(body.ty(result)).fits(want)
        {
            wrong = wrong.or(Some(want));
        }
    }));
    if let Some(want) = wrong {
        let message = format!("a result of `{name}` must be {want}, and is not");
        problems.error(op.origin, Code::TypeMismatch, message);
    }
    if let Some(guard) = own.guard
        && held(body.ty(guard)) != Held::In(Class::Pred)
    {
        let message = format!("the guard of `{name}` is no i1");
        problems.error_at(op.origin, own.guard_part(), Code::OperandType, message);
    }
    let mut pairs = own.otherwise.iter().zip(op.results());
    if pairs.any(|(&value, result)| body.ty(value) != body.ty(result)) {
        let message = format!("`{name}` and what stands for it where its guard does not hold differ in type");
        problems.error(op.origin, Code::OperandType, message);
    }
    if let Some(ordering) = own.instruction.ordering()
        && !check_ordering(op, ordering, problems)
    {
        return;
    }
    check_form(op, own, problems);
    if let Some(need) = own.instruction.need()
        && !func.attrs.target.provides(need)
    {
        let message = format!("`{name}` needs {need}; the target is {}", func.attrs.target);
        problems.error(op.origin, Code::TargetLacksFeature, message);
    }
}
