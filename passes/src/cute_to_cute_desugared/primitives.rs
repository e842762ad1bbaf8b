//! Ops of layout algebra that stay, for the conversion to `llvm` to compute.

use tilewright_irs::core::{OpId, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::cute_types::{CuteType, Kind};
use tilewright_irs::dialects::cute::{AlgebraOp, AlgebraValue, CuteOp, DivisionOp, division};

use super::leaves::flat;
use super::state::{Cx, not_lowered};
use super::values::algebra;
use super::views::pointer_of;
use crate::leaf_arithmetic::resized;

/// The result of an op: of a type that says it all, no op is needed.
fn value(cx: &mut Cx<'_>, op: AlgebraOp, ty: CuteType) -> Value {
    match ty.kind().dynamic_leaves().is_empty() && ty.kind().has_no_address() {
        true => flat(cx, ty, Vec::new()),
        false => cx.value(op, DesugaredType::Cute(ty)),
    }
}

/// Hands an op on.
pub(super) fn hand_on(cx: &mut Cx<'_>, id: OpId, op: AlgebraOp) -> Translated {
    let result = cx.old(id).result(0);
    let ty = algebra(cx, result)?.clone();
    let value = value(cx, op, ty);
    cx.bind(result, [value]);
    Ok(())
}

/// Hands an op on; of a tensor in memory that of its layout, which with the same pointer makes the result.
pub(super) fn of_layout(
    cx: &mut Cx<'_>,
    id: OpId,
    input: Value,
    op: impl FnOnce(Value) -> AlgebraOp,
) -> Translated {
    let from = cx.one(input);
    let result = cx.old(id).result(0);
    let (Kind::View(whole), Kind::View(made)) = (algebra(cx, input)?.kind(), algebra(cx, result)?.kind())
    else {
        return hand_on(cx, id, op(from));
    };
    let ty = DesugaredType::Cute(Kind::from(&whole.layout).into());
    let layout = cx.value(CuteOp::GetLayout { view: from }, ty);
    let layout = value(cx, op(layout), Kind::from(&made.layout).into());
    let iter = pointer_of(cx, from, whole);
    let iter = super::views::as_type(cx, iter, Kind::Pointer(made.pointer.clone()).into());
    let ty = DesugaredType::Cute(Kind::View(made.clone()).into());
    let tensor = cx.value(CuteOp::MakeView { iter, layout }, ty);
    cx.bind(result, [tensor]);
    Ok(())
}

/// Quotient and remainder by a prepared divisor.
pub(super) fn divide(cx: &mut Cx<'_>, id: OpId, dividend: Value, divisor: Value) -> Translated {
    let number = match cx.ty(divisor).algebra().map(CuteType::kind) {
        Some(Kind::FastDivisor(divisor)) => division::number(divisor),
        _ => return Err(not_lowered(cx, id)),
    };
    let dividend = resized(cx, dividend, number);
    let ty = DesugaredType::Scalar(number.into());
    let op = cx
        .build()
        .op(DivisionOp::Divide { dividend, divisor }, [ty.clone(), ty]);
    let made: Vec<Value> = cx.new_body().op(op).results().collect();
    cx.bind_results(id, made);
    Ok(())
}
