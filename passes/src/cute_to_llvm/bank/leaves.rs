//! Values from their leaves, and leaves of values.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{OpId, Origin, Translated, Value};
use tilewright_irs::cute_types::CuteType;
use tilewright_irs::dialects::cute::AlgebraValue;

use super::structs::Packing;
use crate::cute_to_llvm::emit::{Cx, unsupported};

/// The packing of a value.
pub(super) fn packing(cx: &Cx<'_>, value: Value) -> Result<Packing, Diagnostic<Origin>> {
    Packing::of(algebra(cx, value)?)
}

/// The type of a value of the algebra.
pub(super) fn algebra<'a>(cx: &Cx<'a>, value: Value) -> Result<&'a CuteType, Diagnostic<Origin>> {
    let ty = cx.from.ty(value).algebra();
    ty.ok_or_else(|| unsupported(cx.origin(), "a value that is not of CuTe's algebra"))
}

/// A value that its type says: one constant.
pub(super) fn static_value(cx: &mut Cx<'_>, id: OpId) -> Translated {
    flat(cx, id, &[])
}

/// `insertvalue` of each leaf.
pub(super) fn flat(cx: &mut Cx<'_>, id: OpId, leaves: &[Value]) -> Translated {
    let result = cx.old(id).result(0);
    let packing = packing(cx, result)?;
    let leaves: Vec<Value> = leaves.iter().map(|&leaf| cx.one(leaf)).collect();
    let packed = packing.pack(cx, None, &leaves);
    cx.bind(result, packed);
    Ok(())
}

/// `extractvalue` of each dynamic leaf.
pub(super) fn get_scalars(cx: &mut Cx<'_>, id: OpId, source: Value) -> Translated {
    let packing = packing(cx, source)?;
    let value = cx.all(source).first().copied();
    let leaves = packing.unpack(cx, value);
    cx.bind_results(id, leaves);
    Ok(())
}
