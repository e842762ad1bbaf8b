//! Conversion patterns of CuTe's algebra: one for each op, without branches on the target.
//!
//! A tuple, a layout or a tensor becomes one struct of all its leaves ([`structs`]), which `dissolve_structs` takes apart later.

pub(super) mod algebra;
mod architecture;
pub(super) mod division;
pub(super) mod iterator;
mod leaves;
mod memory;
mod pointers;
mod signature;
mod structs;
mod swizzle;
mod views;

use tilewright_irs::core::{OpId, Translated};
use tilewright_irs::dialects::cute::CuteOp;

use super::emit::Cx;
use super::lower_warp::Packed;

pub(super) use architecture::architecture;
pub(super) use memory::Arrays;
pub(super) use signature::parameters;
pub(super) use structs::types;

/// Converts an op.
pub(super) fn convert(
    cx: &mut Cx<'_>,
    (arrays, words): (&mut Arrays, &mut Packed),
    id: OpId,
    op: &CuteOp,
) -> Translated {
    match op {
        CuteOp::Static {} => leaves::static_value(cx, id),
        CuteOp::Flat { leaves } => leaves::flat(cx, id, leaves),
        CuteOp::GetScalars { source } => leaves::get_scalars(cx, id, *source),
        CuteOp::MakeView { iter, layout } => views::make_view(cx, id, *iter, *layout),
        CuteOp::GetIter { view } => views::get_iter(cx, id, *view),
        CuteOp::GetLayout { view } => views::get_layout(cx, id, *view),
        CuteOp::AddOffset { pointer, offset } => pointers::add_offset(cx, id, *pointer, *offset),
        CuteOp::RecastIter { pointer } | CuteOp::Address { pointer } => pointers::same(cx, id, *pointer),
        CuteOp::IntToPtr { source } => pointers::int_to_ptr(cx, id, *source),
        CuteOp::PtrToInt { pointer } => pointers::ptr_to_int(cx, id, *pointer),
        CuteOp::ApplySwizzle { pointer } => swizzle::apply(cx, id, *pointer),
        CuteOp::Alloca {} => arrays.alloca(cx, id),
        CuteOp::PtrLoad {
            pointer,
            pred,
            cache,
            prefetch,
        } => memory::load(words, cx, id, *pointer, *pred, (*cache, *prefetch)),
        CuteOp::PtrStore { value, pointer, pred } => memory::store(words, cx, *value, *pointer, *pred),
    }
}
