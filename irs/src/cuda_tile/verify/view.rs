//! Rules of ops on tensors and views.

use tilewright_diagnostics::{Code, counted};

use super::Check;
use super::check::RESULT;
use super::memory::atomic_mode;
use crate::core::{Part, Value};
use crate::cuda_tile::enums::{MultimemReduction, PtrAttr};
use crate::cuda_tile::ops::{TileOp, ViewOp};
use crate::cuda_tile::types::{TensorView, TileType, View};
use crate::element::ScalarType as S;

/// Reports the first value whose type differs from that of the first one.
fn one_type(check: &mut Check<'_>, values: &[(Part, Value)]) {
    let Some((&(first, value), rest)) = values.split_first() else {
        return;
    };
    let wanted = check.ty(value);
    let other = rest.iter().find(|&&(_, value)| check.ty(value) != wanted);
    if let Some(&(part, value)) = other {
        let message = format!(
            "{} is `{}`, but {} is `{wanted}`: expected one type (index)",
            check.noun(part),
            check.ty(value),
            check.noun(first)
        );
        check.error_at(part, Code::TypeMismatch, message);
    }
}

/// The entries of a list of operands as parts.
fn entries(check: &Check<'_>, name: &str, values: &[Value]) -> Vec<(Part, Value)> {
    let parts = (0..).map(|i| check.entry(name, i));
    parts.zip(values.iter().copied()).collect()
}

/// `make_tensor_view`: a value for each dynamic extent and stride.
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
        check.error_at(check.part("base"), Code::TypeMismatch, message);
    }
    let kind = |attr: Option<PtrAttr>| attr.unwrap_or(PtrAttr::None);
    if kind(pointer.attr) != kind(tensor.attr) {
        let message =
            format!("operand `base` is `{base}`, but the result is `{tensor}`: expected the same ptr_attr");
        check.error_at(check.part("base"), Code::TypeMismatch, message);
    }
    let open = |list: &[Option<u64>]| list.iter().filter(|n| n.is_none()).count();
    for (name, have, wanted) in [
        ("dynamic_shape", dynamic_shape.len(), open(&tensor.shape)),
        ("dynamic_strides", dynamic_strides.len(), open(&tensor.strides)),
    ] {
        if have != wanted {
            let message = format!(
                "has {} `{name}`, but `{tensor}` leaves {wanted} open",
                counted(have, "operand")
            );
            check.error_at(check.part(name), Code::OperandCount, message);
        }
    }
    let mut all = entries(check, "dynamic_shape", dynamic_shape);
    all.extend(entries(check, "dynamic_strides", dynamic_strides));
    one_type(check, &all);
}

/// `make_partition_view`, `make_strided_view`, `make_gather_scatter_view`: the operand is the tensor of the view's
/// type.
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
        check.error_at(RESULT, Code::TypeMismatch, message);
    }
}

fn one_result_per_dimension(check: &mut Check<'_>, rank: usize) {
    let have = check.op.results().len();
    if have != rank {
        check.error(
            Code::ResultCount,
            format!(
                "has {}, expected {rank}: one for each dimension of the view or tensor",
                counted(have, "result")
            ),
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

/// An access to one tile of a view: the view, the indices, the tile, and its name in messages.
struct Access<'a> {
    view: View<'a>,
    indices: &'a [Value],
    tile: (Part, Option<&'a TileType>),
    /// Whether the types of the indices may differ.
    mixed: bool,
}

fn parts<'a>(check: &Check<'a>) -> Option<Access<'a>> {
    let TileOp::View(op) = &check.op.kind else {
        return None;
    };
    let result = (RESULT, check.result());
    let operand = |name: &str, value: &Value| (check.part(name), Some(check.ty(*value)));
    let (view, indices, tile, mixed) = match op {
        ViewOp::LoadViewTko { view, index, .. } => (view, index, result, false),
        ViewOp::StoreViewTko {
            view, index, tile, ..
        } => (view, index, operand("tile", tile), false),
        ViewOp::AtomicRedViewTko {
            view, index, value, ..
        } => (view, index, operand("value", value), true),
        ViewOp::MultimemLoadReduceViewTko { view, index, .. } => (view, index, result, false),
        ViewOp::MultimemReduceViewTko {
            view, index, tile, ..
        }
        | ViewOp::MultimemStoreViewTko {
            view, index, tile, ..
        } => (view, index, operand("tile", tile), false),
        _ => return None,
    };
    Some(Access {
        view: check.ty(*view).as_view()?,
        indices,
        tile,
        mixed,
    })
}

/// The tile type is the view's, and there is an index for each of its dimensions.
pub(in crate::cuda_tile) fn access(check: &mut Check<'_>) {
    let Some(Access {
        view,
        indices,
        tile: (part, ty),
        mixed,
    }) = parts(check)
    else {
        return;
    };
    if let Some(ty) = ty {
        let wanted = TileType::Tile(view.tile_type());
        if *ty != wanted {
            let message = format!(
                "{} is `{ty}`, but a tile of the view's shape and elements is `{wanted}`",
                check.noun(part)
            );
            check.error_at(part, Code::TypeMismatch, message);
        }
    }
    if indices.len() != view.tile.len() {
        let message = format!(
            "has {} `index`, but the view has {}",
            counted(indices.len(), "operand"),
            counted(view.tile.len(), "dimension")
        );
        check.error_at(check.part("index"), Code::OperandCount, message);
        return;
    }
    let sparse = view.sparse_dim.and_then(|dim| usize::try_from(dim).ok());
    let mut dense = Vec::new();
    for (i, (part, index)) in entries(check, "index", indices).into_iter().enumerate() {
        let Some(tile) = check.tile(index) else { continue };
        if sparse == Some(i) {
            if tile.shape.len() != 1 || tile.shape.first() != view.tile.get(i) {
                let message = format!(
                    "index {i} is `{tile}`, expected {} positions along the sparse dimension: a tile of integers of rank 1",
                    view.tile.get(i).copied().unwrap_or(0)
                );
                check.error_at(part, Code::OperandType, message);
            }
        } else if tile.shape.is_empty() {
            dense.push((part, index));
        } else {
            let message = format!("index {i} is `{tile}`, expected a scalar integer (a tile of rank 0)");
            check.error_at(part, Code::OperandType, message);
        }
    }
    if !mixed {
        one_type(check, &dense);
    }
}

/// `atomic_red_view_tko`: no gather-scatter view, and an operation that the element type supports.
pub(in crate::cuda_tile) fn atomic_reduction(check: &mut Check<'_>) {
    let TileOp::View(ViewOp::AtomicRedViewTko { view, mode, .. }) = check.op.kind else {
        return;
    };
    let ty = check.ty(view);
    if matches!(ty, TileType::GatherScatterView(_)) {
        let message = format!("operand `view` is `{ty}`, expected a partition_view or a strided_view");
        check.error_at(check.part("view"), Code::OperandType, message);
        return;
    }
    if let Some(view) = ty.as_view()
        && let Err(expected) = atomic_mode(mode, view.tensor.element.into())
    {
        let message = format!("operand `view` is `{ty}`, but {mode} takes {expected}");
        check.error_at(check.part("view"), Code::OperandType, message);
    }
}

/// The multimem ops: multicast tensors, and an operation that the element type supports.
pub(in crate::cuda_tile) fn multimem(check: &mut Check<'_>) {
    let Some(Access { view, .. }) = parts(check) else {
        return;
    };
    let tensor = view.tensor;
    if tensor.attr != Some(PtrAttr::Multicast) {
        let message = format!("operand `view` is over `{tensor}`, expected a tensor with ptr_attr multicast");
        check.error_at(check.part("view"), Code::OperandType, message);
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
        check.error_at(check.part("view"), Code::OperandType, message);
        return;
    }
    // Halves are accessed in pairs.
    let elements = view.tile.iter().product::<u64>();
    if half && !elements.is_multiple_of(2) {
        let message = format!(
            "the view's tiles have {} of 16 bits, expected a multiple of 4 bytes of floats",
            counted(elements, "element")
        );
        check.error_at(check.part("view"), Code::OperandType, message);
        return;
    }
    let Some(reduction) = check.case("reduction").and_then(MultimemReduction::from_code) else {
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
            "attribute `reduction` is {reduction}, expected {} for {}",
            if loads && half { "add, min or max" } else { "add" },
            tensor.element
        );
        check.error_at(check.part("reduction"), Code::AttributeValue, message);
    }
}
