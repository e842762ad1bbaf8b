//! Target instructions that a kernel names itself: their operands, and what a target has to provide.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Operation as _, Origin, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::cute_types::Space as CuteSpace;
use tilewright_irs::dialects::cute::CuteOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::isa::{Address, Instruction, Space, Target, TargetOp};

use super::pointers::{address_type, pointer};
use super::state::{Cx, unsupported};
use crate::leaf_arithmetic::constant;

/// An integer of 32 bits.
pub(super) const I32: DesugaredType = DesugaredType::Scalar(ElementType::I32);

/// The type of a number.
pub(super) const fn of(scalar: ScalarType) -> DesugaredType {
    DesugaredType::Scalar(ElementType::Scalar(scalar))
}

/// Emits an instruction with results of these types, if the target has it.
pub(super) fn emit(
    cx: &mut Cx<'_>,
    target: Target,
    op: impl Into<TargetOp>,
    types: impl IntoIterator<Item = DesugaredType>,
) -> Result<Vec<Value>, Diagnostic<Origin>> {
    let op: TargetOp = op.into();
    let name = op.name();
    match op.instruction.need() {
        None => {
            let message = format!("PTX has no such form of `{name}`");
            return Err(Diagnostic::error(Code::AttributeValue, message).at(cx.origin(), ""));
        }
        Some(need) if !target.provides(need) => {
            let message = format!("`{name}` needs {need}; the target is {target}");
            return Err(Diagnostic::error(Code::TargetLacksFeature, message).at(cx.origin(), ""));
        }
        Some(_) => {}
    }
    let made = cx.build().op(op, types);
    Ok(cx.new_body().op(made).results().collect())
}

/// Emits an instruction without results, if the target has it.
pub(super) fn effect(
    cx: &mut Cx<'_>,
    target: Target,
    op: impl Into<TargetOp>,
) -> Result<(), Diagnostic<Origin>> {
    emit(cx, target, op, []).map(|_| ())
}

/// A constant of 32 bits.
pub(super) fn i32(cx: &mut Cx<'_>, value: i64) -> Value {
    constant(cx, ScalarType::I32, value)
}

/// The address of a new pointer as a number.
pub(super) fn number_of(cx: &mut Cx<'_>, pointer: Value) -> Result<Value, Diagnostic<Origin>> {
    let ty = address_type(&self::pointer(cx, pointer)?);
    Ok(cx.value(CuteOp::PtrToInt { pointer }, DesugaredType::Scalar(ty)))
}

/// What an instruction accesses at a new pointer: the address, and the memory.
pub(super) fn address(
    cx: &mut Cx<'_>,
    pointer: Value,
) -> Result<(Address<Value>, Option<Space>), Diagnostic<Origin>> {
    let space = match self::pointer(cx, pointer)?.space() {
        CuteSpace::Global => Some(Space::Global),
        CuteSpace::Shared => Some(Space::Shared),
        CuteSpace::Register => Some(Space::Local),
        CuteSpace::Generic => None,
        CuteSpace::Tensor | CuteSpace::ClusterShared | CuteSpace::Constant => {
            return Err(unsupported(cx.origin(), "an access of such memory"));
        }
    };
    let number = number_of(cx, pointer)?;
    Ok((Address::from((number, 0)), space))
}

/// Emits the instruction that reads a special register.
pub(super) fn special(
    cx: &mut Cx<'_>,
    target: Target,
    register: tilewright_irs::isa::Special,
) -> Result<Value, Diagnostic<Origin>> {
    let ty = register.ty();
    let scalar = match ty.bits() {
        64 => ScalarType::I64,
        _ => ScalarType::I32,
    };
    let read = Instruction::ReadSpecial {
        ty,
        d: tilewright_irs::isa::OpResult,
        register,
    };
    one(cx, target, read, of(scalar))
}

/// Emits an instruction with one result.
pub(super) fn one(
    cx: &mut Cx<'_>,
    target: Target,
    op: impl Into<TargetOp>,
    ty: DesugaredType,
) -> Result<Value, Diagnostic<Origin>> {
    let made = emit(cx, target, op, [ty])?;
    made.first()
        .copied()
        .ok_or_else(|| unsupported(cx.origin(), "an instruction without a result"))
}
