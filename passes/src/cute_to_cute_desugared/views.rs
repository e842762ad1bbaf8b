//! Tensors: where they begin, their layouts, parts of them.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{OpId, Origin, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::cute_types::{CuteType, Kind, View};
use tilewright_irs::dialects::cute::{AlgebraValue, CuteOp};
use tilewright_layouts::cute::{Nested, Traced};

use super::leaves::{flat, leaves_of};
use super::state::{Cx, unsupported};
use super::values::{algebra, bind_flat};
use crate::leaf_arithmetic::{emit, known};

/// Whether a value is a tensor in memory.
pub(super) fn is_memory(cx: &Cx<'_>, value: Value) -> bool {
    algebra(cx, value).is_ok_and(|ty| matches!(ty.kind(), Kind::View(_)))
}

/// The view of a tensor in memory.
pub(super) fn memory_view<'a>(cx: &Cx<'a>, value: Value) -> Result<&'a View, Diagnostic<Origin>> {
    match algebra(cx, value)?.kind() {
        Kind::View(view) => Ok(view),
        _ => Err(unsupported(cx.origin(), "a tensor that is not in memory")),
    }
}

/// The pointer of a new tensor in memory.
pub(super) fn pointer_of(cx: &mut Cx<'_>, tensor: Value, view: &View) -> Value {
    let ty = DesugaredType::Cute(Kind::Pointer(view.pointer.clone()).into());
    cx.value(CuteOp::GetIter { view: tensor }, ty)
}

/// Where a tensor begins.
pub(super) fn get_iter(cx: &mut Cx<'_>, id: OpId, source: Value) -> Translated {
    let result = cx.old(id).result(0);
    let tensor = cx.one(source);
    match algebra(cx, source)?.kind() {
        Kind::View(view) => {
            let pointer = pointer_of(cx, tensor, view);
            cx.bind(result, [pointer]);
            Ok(())
        }
        Kind::CoordTensor(of) => {
            let count = Kind::IntTuple(of.origin.clone()).dynamic_leaves().len();
            let mut leaves = leaves_of(cx, tensor);
            leaves.truncate(count);
            bind_flat(cx, id, leaves)
        }
        _ => Err(super::state::not_lowered(cx, id)),
    }
}

/// The layout of a tensor.
pub(super) fn get_layout(cx: &mut Cx<'_>, id: OpId, source: Value) -> Translated {
    let result = cx.old(id).result(0);
    let tensor = cx.one(source);
    match algebra(cx, source)?.kind() {
        Kind::View(_) => {
            let ty = DesugaredType::Cute(algebra(cx, result)?.clone());
            let layout = cx.value(CuteOp::GetLayout { view: tensor }, ty);
            cx.bind(result, [layout]);
            Ok(())
        }
        Kind::CoordTensor(of) => {
            let count = Kind::IntTuple(of.origin.clone()).dynamic_leaves().len();
            let leaves = leaves_of(cx, tensor);
            let leaves = leaves.get(count..).unwrap_or_default().to_vec();
            bind_flat(cx, id, leaves)
        }
        _ => Err(super::state::not_lowered(cx, id)),
    }
}

/// A tensor of an iterator and a layout.
pub(super) fn make_view(cx: &mut Cx<'_>, id: OpId, iter: Value, layout: Option<Value>) -> Translated {
    let result = cx.old(id).result(0);
    let start = cx.one(iter);
    match algebra(cx, result)?.kind() {
        Kind::View(view) => {
            let layout = match layout {
                Some(layout) => cx.one(layout),
                None => flat(cx, Kind::from(&view.layout).into(), Vec::new()),
            };
            let ty = DesugaredType::Cute(algebra(cx, result)?.clone());
            let tensor = cx.value(CuteOp::MakeView { iter: start, layout }, ty);
            cx.bind(result, [tensor]);
            Ok(())
        }
        Kind::CoordTensor(_) => {
            let mut leaves = leaves_of(cx, start);
            if let Some(layout) = layout {
                let layout = cx.one(layout);
                leaves.extend(leaves_of(cx, layout));
            }
            bind_flat(cx, id, leaves)
        }
        _ => Err(super::state::not_lowered(cx, id)),
    }
}

/// A pointer so many elements on.
pub(super) fn moved(
    cx: &mut Cx<'_>,
    pointer: Value,
    offset: &Traced,
    inputs: &[Value],
) -> Result<Value, Diagnostic<Origin>> {
    let fact = known(offset);
    if fact.value() == Some(0) {
        return Ok(pointer);
    }
    let Some(Kind::Pointer(from)) = cx.ty(pointer).algebra().map(CuteType::kind) else {
        return Err(unsupported(cx.origin(), "a tensor that has no pointer"));
    };
    let from = from.clone();
    let leaves = match fact.value() {
        Some(_) => Vec::new(),
        None => emit(cx, std::slice::from_ref(offset), &[fact], inputs),
    };
    let distance: CuteType = Kind::IntTuple(Nested::Leaf(fact)).into();
    let offset = flat(cx, distance, leaves);
    let bits = fact.divisor().saturating_mul(u64::from(from.element_bits()));
    let ty = DesugaredType::Cute(Kind::Pointer(from.moved(bits)).into());
    Ok(cx.value(CuteOp::AddOffset { pointer, offset }, ty))
}

/// The tensor with this layout, `start` elements behind the beginning of another one.
pub(super) fn part(
    cx: &mut Cx<'_>,
    of: Value,
    view: &View,
    leaves: Vec<Value>,
    start: &Traced,
    inputs: &[Value],
) -> Result<Value, Diagnostic<Origin>> {
    let whole = memory_view(cx, of)?;
    let tensor = cx.one(of);
    let pointer = pointer_of(cx, tensor, whole);
    let moved = moved(cx, pointer, start, inputs)?;
    let iter = as_type(cx, moved, Kind::Pointer(view.pointer.clone()).into());
    let layout = flat(cx, Kind::from(&view.layout).into(), leaves);
    let ty = DesugaredType::Cute(Kind::View(view.clone()).into());
    Ok(cx.value(CuteOp::MakeView { iter, layout }, ty))
}

/// A pointer as one of a type that says more or less of it.
pub(super) fn as_type(cx: &mut Cx<'_>, pointer: Value, ty: CuteType) -> Value {
    let ty = DesugaredType::Cute(ty);
    match *cx.ty(pointer) == ty {
        true => pointer,
        false => cx.value(CuteOp::RecastIter { pointer }, ty),
    }
}
