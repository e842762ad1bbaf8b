//! Pointers and iterators of coordinates.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{OpId, Origin, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::cute_types::{Dialect, Kind, Pointer, Space};
use tilewright_irs::dialects::cute::CuteOp;
use tilewright_irs::element::ElementType;
use tilewright_irs::mlir::property::SwizzleAttribute;

use super::state::{Cx, not_lowered, unsupported};
use super::types::types;
use super::values::algebra;
use crate::leaf_arithmetic::resized;

/// The type of a new pointer.
pub(super) fn pointer(cx: &Cx<'_>, value: Value) -> Result<Pointer, Diagnostic<Origin>> {
    match cx.ty(value) {
        DesugaredType::Cute(ty) if let Kind::Pointer(pointer) = ty.kind() => Ok(pointer.clone()),
        _ => Err(unsupported(cx.origin(), "a value that is no pointer")),
    }
}

/// An iterator so many elements on.
pub(super) fn add_offset(cx: &mut Cx<'_>, id: OpId, source: Value, offset: Value) -> Translated {
    let result = cx.old(id).result(0);
    match algebra(cx, source)?.kind() {
        Kind::Pointer(_) => {
            let (pointer, offset) = (cx.one(source), cx.one(offset));
            let ty = DesugaredType::Cute(algebra(cx, result)?.clone());
            let moved = cx.value(CuteOp::AddOffset { pointer, offset }, ty);
            cx.bind(result, [moved]);
            Ok(())
        }
        Kind::CoordIterator(_) => super::computed::computed(cx, id, Dialect::Library),
        _ => Err(not_lowered(cx, id)),
    }
}

/// The same address as another type.
pub(super) fn recast(cx: &mut Cx<'_>, id: OpId, source: Value) -> Translated {
    let result = cx.old(id).result(0);
    let pointer = cx.one(source);
    let ty = DesugaredType::Cute(algebra(cx, result)?.clone());
    let cast = match *cx.ty(pointer) == ty {
        true => pointer,
        false => cx.value(CuteOp::RecastIter { pointer }, ty),
    };
    cx.bind(result, [cast]);
    Ok(())
}

/// An integer as a pointer.
pub(super) fn int_to_ptr(cx: &mut Cx<'_>, id: OpId, source: Value) -> Translated {
    let result = cx.old(id).result(0);
    let number = cx.one(source);
    let ty = algebra(cx, result)?.clone();
    let width = match ty.kind() {
        Kind::Pointer(pointer) => address_type(pointer),
        _ => return Err(not_lowered(cx, id)),
    };
    let source = match width {
        ElementType::Scalar(scalar) => resized(cx, number, scalar),
        ElementType::Ptr(_) => number,
    };
    let pointer = cx.value(CuteOp::IntToPtr { source }, DesugaredType::Cute(ty));
    cx.bind(result, [pointer]);
    Ok(())
}

/// A pointer as an integer.
pub(super) fn ptr_to_int(cx: &mut Cx<'_>, id: OpId, source: Value) -> Translated {
    let result = cx.old(id).result(0);
    let from = cx.one(source);
    let ty = address_type(&pointer(cx, from)?);
    let address = cx.value(CuteOp::PtrToInt { pointer: from }, DesugaredType::Scalar(ty));
    let number = match types(cx.from.ty(result))?.as_slice() {
        [DesugaredType::Scalar(ElementType::Scalar(scalar))] => resized(cx, address, *scalar),
        _ => return Err(not_lowered(cx, id)),
    };
    cx.bind(result, [number]);
    Ok(())
}

/// The integer type of a pointer's address.
pub(super) fn address_type(pointer: &Pointer) -> ElementType {
    match pointer.space() {
        Space::Shared | Space::Register | Space::Tensor => ElementType::I32,
        Space::Generic | Space::Global | Space::ClusterShared | Space::Constant => ElementType::I64,
    }
}

/// The address that an access at a pointer means, or one of such a swizzle; the type stays.
pub(super) fn apply_swizzle(
    cx: &mut Cx<'_>,
    id: OpId,
    source: Value,
    swizzle: Option<SwizzleAttribute>,
) -> Translated {
    let result = cx.old(id).result(0);
    let mut from = cx.one(source);
    if let Some(SwizzleAttribute(swizzle)) = swizzle {
        let of = pointer(cx, from)?;
        let to = Pointer::new(of.element().cloned(), of.space(), of.align(), Some(swizzle));
        from = super::views::as_type(cx, from, Kind::Pointer(to).into());
    }
    let plain = unswizzled(cx, from)?;
    let types = types(cx.from.ty(result))?;
    let [ty] = types.as_slice() else {
        return Err(not_lowered(cx, id));
    };
    let ty = ty.clone();
    let pointer = match *cx.ty(plain) == ty {
        true => plain,
        false => cx.value(CuteOp::RecastIter { pointer: plain }, ty),
    };
    cx.bind(result, [pointer]);
    Ok(())
}

/// A pointer without a swizzle to what an access at a pointer means.
pub(super) fn unswizzled(cx: &mut Cx<'_>, from: Value) -> Result<Value, Diagnostic<Origin>> {
    let of = pointer(cx, from)?;
    if of.swizzle().is_none() {
        return Ok(from);
    }
    let ty = DesugaredType::Cute(Kind::Pointer(of.without_swizzle()).into());
    Ok(cx.value(CuteOp::ApplySwizzle { pointer: from }, ty))
}
