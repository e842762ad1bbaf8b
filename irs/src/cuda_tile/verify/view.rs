//! What ops on tensors and views ask for.

use tilewright_diagnostics::Code;

use super::memory::atomic_mode;
use super::{AttrRef, Check, FieldRef};
use crate::core::Value;
use crate::cuda_tile::enums::{MultimemReduction, PtrAttr};
use crate::cuda_tile::ops::{TileOp, ViewOp};
use crate::cuda_tile::types::{TensorView, TileType, View};
use crate::element::ScalarType as S;

/// Reports unless the values are of one type.
fn one_type(check: &mut Check<'_>, values: &[Value], what: &str) {
    let mut types = values.iter().map(|&v| check.ty(v));
    let Some(first) = types.next() else { return };
    if let Some((i, other)) = types.enumerate().find(|(_, ty)| *ty != first) {
        let message = format!(
            "has {what} of the types `{first}` (index 0) and `{other}` (index {}), expected one type",
            i + 1
        );
        check.error(Code::TypeMismatch, message);
    }
}

/// `make_tensor_view`: a value for each extent and stride that the type leaves open.
pub(in crate::cuda_tile) fn make_tensor(check: &mut Check<'_>) {
    let op = check.op;
    let TileOp::View(ViewOp::MakeTensorView {
        base,
        dynamic_shape,
        dynamic_strides,
    }) = &op.kind
    else {
        return;
    };
    let (Some(base), Some(tensor)) = (
        check.tile(*base),
        check.result().and_then(TileType::as_tensor_view),
    ) else {
        return;
    };
    let Some(pointer) = base.element.pointer() else {
        return;
    };
    if pointer.pointee != tensor.element {
        let message =
            format!("operand `base` is `{base}`, but the result is `{tensor}`: expected the same elements");
        check.error(Code::TypeMismatch, message);
    }
    let kind = |attr: Option<PtrAttr>| attr.unwrap_or(PtrAttr::None);
    if kind(pointer.attr) != kind(tensor.attr) {
        let message =
            format!("operand `base` is `{base}`, but the result is `{tensor}`: expected the same ptr_attr");
        check.error(Code::TypeMismatch, message);
    }
    let open = |list: &[Option<u64>]| list.iter().filter(|n| n.is_none()).count();
    for (name, have, wanted) in [
        ("dynamic_shape", dynamic_shape.len(), open(&tensor.shape)),
        ("dynamic_strides", dynamic_strides.len(), open(&tensor.strides)),
    ] {
        if have != wanted {
            let message = format!("has {have} operands `{name}`, but `{tensor}` leaves {wanted} open");
            check.error(Code::OperandCount, message);
        }
    }
    let all: Vec<Value> = dynamic_shape.iter().chain(dynamic_strides).copied().collect();
    one_type(check, &all, "dynamic operands");
}

/// `make_partition_view`, `make_strided_view`, `make_gather_scatter_view`: the tensor is the view's own.
pub(in crate::cuda_tile) fn make_view(check: &mut Check<'_>) {
    let Some(&(_, tensor)) = check.operands().first() else {
        return;
    };
    let tensor: Option<&TensorView> = check.ty(tensor).as_tensor_view();
    let (Some(tensor), Some(view)) = (tensor, check.result().and_then(TileType::as_view)) else {
        return;
    };
    if view.tensor != tensor {
        let message = format!(
            "operand `tensor_view` is `{tensor}`, but the result is over `{}`",
            view.tensor
        );
        check.error(Code::TypeMismatch, message);
    }
}

fn one_result_per_dimension(check: &mut Check<'_>, rank: usize) {
    let have = check.op.results().len();
    if have != rank {
        check.error(
            Code::ResultCount,
            format!("has {have} results, expected {rank}: one for each dimension of the view or tensor"),
        );
    }
}

/// `get_tensor_shape`
pub(in crate::cuda_tile) fn tensor_shape(check: &mut Check<'_>) {
    let source = check.operands().first().map(|&(_, v)| check.ty(v));
    if let Some(tensor) = source.and_then(TileType::as_tensor_view) {
        one_result_per_dimension(check, tensor.shape.len());
    }
}

/// `get_index_space_shape`
pub(in crate::cuda_tile) fn index_space_shape(check: &mut Check<'_>) {
    let source = check.operands().first().map(|&(_, v)| check.ty(v));
    if let Some(view) = source.and_then(TileType::as_view) {
        one_result_per_dimension(check, view.tile.len());
    }
}

/// An access to one tile of a view: its view, its indices, the tile that is moved, and what that is called.
struct Access<'a> {
    view: View<'a>,
    indices: &'a [Value],
    tile: (&'static str, Option<&'a TileType>),
    /// Whether the indices may differ in type.
    mixed: bool,
}

fn parts<'a>(check: &Check<'a>) -> Option<Access<'a>> {
    let TileOp::View(op) = &check.op.kind else {
        return None;
    };
    let result = check.result();
    let (view, indices, tile, mixed) = match op {
        ViewOp::LoadViewTko { view, index, .. } => (view, index, ("the result", result), false),
        ViewOp::StoreViewTko {
            view, index, tile, ..
        } => (view, index, ("operand `tile`", Some(check.ty(*tile))), false),
        ViewOp::AtomicRedViewTko {
            view, index, value, ..
        } => (view, index, ("operand `value`", Some(check.ty(*value))), true),
        ViewOp::MultimemLoadReduceViewTko { view, index, .. } => (view, index, ("the result", result), false),
        ViewOp::MultimemReduceViewTko {
            view, index, tile, ..
        }
        | ViewOp::MultimemStoreViewTko {
            view, index, tile, ..
        } => (view, index, ("operand `tile`", Some(check.ty(*tile))), false),
        ViewOp::MakeTensorView { .. }
        | ViewOp::MakePartitionView { .. }
        | ViewOp::MakeStridedView { .. }
        | ViewOp::MakeGatherScatterView { .. }
        | ViewOp::GetTensorShape { .. }
        | ViewOp::GetIndexSpaceShape { .. } => return None,
    };
    Some(Access {
        view: check.ty(*view).as_view()?,
        indices,
        tile,
        mixed,
    })
}

/// The tile is the view's, and there is an index for each of its dimensions.
pub(in crate::cuda_tile) fn access(check: &mut Check<'_>) {
    let Some(Access {
        view,
        indices,
        tile: (what, ty),
        mixed,
    }) = parts(check)
    else {
        return;
    };
    if let Some(ty) = ty {
        check.same_type(
            what,
            ty,
            "a tile of the view's shape and elements",
            &TileType::Tile(view.tile_type()),
        );
    }
    if indices.len() != view.tile.len() {
        let message = format!(
            "has {} operands `index`, but the view has {} dimensions",
            indices.len(),
            view.tile.len()
        );
        check.error(Code::OperandCount, message);
        return;
    }
    let sparse = view.sparse_dim.and_then(|dim| usize::try_from(dim).ok());
    let mut dense = Vec::new();
    for (i, &index) in indices.iter().enumerate() {
        let Some(tile) = check.tile(index) else { continue };
        if sparse == Some(i) {
            if tile.shape.len() != 1 || tile.shape.first() != view.tile.get(i) {
                let message = format!(
                    "index {i} is `{tile}`, expected {} positions along the sparse dimension",
                    view.tile.get(i).copied().unwrap_or(0)
                );
                check.error(Code::OperandType, message);
            }
        } else if tile.shape.is_empty() {
            dense.push(index);
        } else {
            let message = format!("index {i} is `{tile}`, expected a scalar integer (a tile of rank 0)");
            check.error(Code::OperandType, message);
        }
    }
    if !mixed {
        one_type(check, &dense, "indices");
    }
}

/// `atomic_red_view_tko`: no gather, and an op that the elements have.
pub(in crate::cuda_tile) fn atomic_reduction(check: &mut Check<'_>) {
    let TileOp::View(ViewOp::AtomicRedViewTko { view, mode, .. }) = check.op.kind else {
        return;
    };
    let ty = check.ty(view);
    if matches!(ty, TileType::GatherScatterView(_)) {
        let message = format!("operand `view` is `{ty}`, expected a partition_view or a strided_view");
        check.error(Code::OperandType, message);
        return;
    }
    if let Some(view) = ty.as_view()
        && let Err(expected) = atomic_mode(mode, view.tensor.element.into())
    {
        let message = format!("operand `view` is `{ty}`, but {mode} takes {expected}");
        check.error(Code::OperandType, message);
    }
}

/// The multimem ops: multicast tensors, and an op that the elements have.
pub(in crate::cuda_tile) fn multimem(check: &mut Check<'_>) {
    let Some(Access { view, .. }) = parts(check) else {
        return;
    };
    let tensor = view.tensor;
    if tensor.attr != Some(PtrAttr::Multicast) {
        let message = format!("operand `view` is over `{tensor}`, expected a tensor with ptr_attr multicast");
        check.error(Code::OperandType, message);
    }
    let (float, half, int) = match tensor.element {
        S::F16 | S::BF16 => (true, true, false),
        S::F32 | S::F64 => (true, false, false),
        S::I32 | S::I64 => (false, false, true),
        _ => (false, false, false),
    };
    if !float && !int {
        let message = format!(
            "operand `view` holds {}, expected f16, bf16, f32, f64, i32 or i64",
            tensor.element
        );
        check.error(Code::OperandType, message);
        return;
    }
    let Some(FieldRef::Attr(Some(AttrRef::Enum(code)))) = check.field("reduction") else {
        return;
    };
    let Some(reduction) = MultimemReduction::from_code(code) else {
        return;
    };
    let loads = matches!(
        check.op.kind,
        TileOp::View(ViewOp::MultimemLoadReduceViewTko { .. })
    );
    let allowed = match reduction {
        MultimemReduction::Add => true,
        MultimemReduction::Min | MultimemReduction::Max => int || (loads && half),
        MultimemReduction::And
        | MultimemReduction::Or
        | MultimemReduction::Xor
        | MultimemReduction::UMin
        | MultimemReduction::UMax => int,
    };
    if !allowed {
        let message = format!(
            "attribute `reduction` is {reduction}, which {} does not have here",
            tensor.element
        );
        check.error(Code::AttributeValue, message);
    }
}
