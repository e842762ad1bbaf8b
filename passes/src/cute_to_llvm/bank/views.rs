//! Tensors in memory: their address, their layout, and both together.

use tilewright_irs::core::{OpId, Translated, Value};
use tilewright_irs::llvm::{LlvmDialect, LlvmType};

use super::leaves::packing;
use crate::cute_to_llvm::emit::Cx;

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

/// The address: the first field.
pub(super) fn get_iter(cx: &mut Cx<'_>, id: OpId, view: Value) -> Translated {
    let result = cx.old(id).result(0);
    let Some(ty) = packing(cx, result)?.ty else {
        return Ok(());
    };
    let from = cx.one(view);
    let address = match cx.ty(from) {
        LlvmType::Struct(_) => cx.value(LlvmDialect::ExtractValue { from, path: vec![0] }, ty),
        _ => from,
    };
    cx.bind(result, [address]);
    Ok(())
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
