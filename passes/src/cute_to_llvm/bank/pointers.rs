//! Pointers: moved, cast, as integers.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{OpId, Origin, Translated, Value};
use tilewright_irs::cute_types::{Kind, Pointer};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::llvm::{LlvmDialect, LlvmType};
use tilewright_layouts::cute::{Fact, Nested};

use super::leaves::{algebra, packing};
use crate::cute_to_llvm::emit::{Cx, I32, I64, unsupported};
use crate::cute_to_llvm::lower_addresses;

/// The type of a pointer.
pub(super) fn pointer<'a>(cx: &Cx<'a>, value: Value) -> Result<&'a Pointer, Diagnostic<Origin>> {
    match algebra(cx, value)?.kind() {
        Kind::Pointer(pointer) => Ok(pointer),
        _ => Err(unsupported(cx.origin(), "a value that is no pointer")),
    }
}

/// One `getelementptr`: by an integer forward or backward.
pub(super) fn add_offset(cx: &mut Cx<'_>, id: OpId, from: Value, offset: Value) -> Translated {
    let base = cx.one(from);
    let Kind::IntTuple(Nested::Leaf(fact)) = algebra(cx, offset)?.kind() else {
        return Err(unsupported(cx.origin(), "an offset that is no integer"));
    };
    let offset = cx.all(offset).first().copied();
    let moved = moved(cx, base, pointer(cx, from)?, *fact, offset)?;
    cx.bind(cx.old(id).result(0), [moved]);
    Ok(())
}

/// The address so many elements on: a number, or an integer.
pub(super) fn moved(
    cx: &mut Cx<'_>,
    base: Value,
    pointer: &Pointer,
    fact: Fact,
    offset: Option<Value>,
) -> Result<Value, Diagnostic<Origin>> {
    let bits = pointer.element_bits();
    if !bits.is_multiple_of(8) {
        let message = format!("a pointer to elements of {bits} bits is not moved yet");
        return Err(unsupported(cx.origin(), message));
    }
    let bytes = bits / 8;
    match (fact.value(), offset) {
        (Some(distance), _) => Ok(lower_addresses::at_byte(
            cx,
            base,
            distance.saturating_mul(i64::from(bytes)),
        )),
        (None, Some(offset)) => Ok(lower_addresses::moved(cx, base, offset, bytes)),
        (None, None) => Err(unsupported(cx.origin(), "an offset that is no integer")),
    }
}

/// The same address.
pub(super) fn same(cx: &mut Cx<'_>, id: OpId, from: Value) -> Translated {
    let address = cx.one(from);
    cx.bind(cx.old(id).result(0), [address]);
    Ok(())
}

/// The integer type of an address.
pub(super) fn integer(ty: LlvmType) -> LlvmType {
    match ty {
        LlvmType::Ptr(space) if space.is_narrow() => I32,
        _ => I64,
    }
}

/// The number of a pointer's address.
pub(super) fn address(cx: &mut Cx<'_>, pointer: Value) -> Value {
    let ty = *cx.ty(pointer);
    match ty {
        LlvmType::Ptr(space) if space.is_narrow() => cx.value(LlvmDialect::PtrToInt { pointer }, I32),
        _ => cx.value(ArithOp::PtrToInt { source: pointer }, I64),
    }
}

/// The pointer of this type to an address.
pub(super) fn at_address(cx: &mut Cx<'_>, source: Value, ty: LlvmType) -> Value {
    match ty {
        LlvmType::Ptr(space) if space.is_narrow() => cx.value(LlvmDialect::IntToPtr { source }, ty),
        _ => cx.value(ArithOp::IntToPtr { source }, ty),
    }
}

/// An address as a pointer.
pub(super) fn int_to_ptr(cx: &mut Cx<'_>, id: OpId, source: Value) -> Translated {
    let result = cx.old(id).result(0);
    let Some(ty) = packing(cx, result)?.ty else {
        return Ok(());
    };
    let source = cx.one(source);
    let pointer = at_address(cx, source, ty);
    cx.bind(result, [pointer]);
    Ok(())
}

/// A pointer as an address.
pub(super) fn ptr_to_int(cx: &mut Cx<'_>, id: OpId, from: Value) -> Translated {
    let source = cx.one(from);
    let address = address(cx, source);
    cx.bind(cx.old(id).result(0), [address]);
    Ok(())
}
