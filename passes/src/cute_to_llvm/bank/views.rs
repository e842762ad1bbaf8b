//! Tensors in memory: their address, their layout, and both together.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{OpId, Origin, Translated, Value};
use tilewright_irs::cute_types::Kind;
use tilewright_irs::llvm::{LlvmDialect, LlvmType};

use super::leaves::{algebra, packing};
use super::structs::space;
use crate::cute_to_llvm::emit::{Cx, unsupported};

/// A struct of the address and of the leaves of the layout.
pub(super) fn make_view(cx: &mut Cx<'_>, id: OpId, iter: Value, layout: Value) -> Translated {
    let result = cx.old(id).result(0);
    let from = packing(cx, layout)?;
    let value = cx.all(layout).first().copied();
    let leaves = from.unpack(cx, value);
    let address = cx.one(iter);
    let packed = packing(cx, result)?.pack(cx, Some(address), &leaves);
    cx.bind(result, packed);
    Ok(())
}

/// The address.
pub(super) fn get_iter(cx: &mut Cx<'_>, id: OpId, view: Value) -> Translated {
    let address = address(cx, view)?;
    cx.bind(cx.old(id).result(0), [address]);
    Ok(())
}

/// The address of a tensor in memory: its first field.
pub(super) fn address(cx: &mut Cx<'_>, view: Value) -> Result<Value, Diagnostic<Origin>> {
    let Kind::View(of) = algebra(cx, view)?.kind() else {
        return Err(unsupported(cx.origin(), "a tensor that is not in memory"));
    };
    let ty = LlvmType::Ptr(space(&of.pointer)?);
    let from = cx.one(view);
    Ok(match cx.ty(from) {
        LlvmType::Struct(_) => cx.value(LlvmDialect::ExtractValue { from, path: vec![0] }, ty),
        _ => from,
    })
}

/// The layout, packed from its dynamic leaves.
pub(super) fn get_layout(cx: &mut Cx<'_>, id: OpId, view: Value) -> Translated {
    let result = cx.old(id).result(0);
    let from = cx.one(view);
    let leaves = packing(cx, view)?.unpack(cx, Some(from));
    let packed = packing(cx, result)?.pack(cx, None, &leaves);
    cx.bind(result, packed);
    Ok(())
}
