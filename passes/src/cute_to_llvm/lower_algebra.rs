//! Lowers values of the layout algebra to machine values: a tuple or a layout to its dynamic leaves, a tensor to its
//! pointer and the leaves of its layout; static values need none.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{OpId, Operation, Origin, Translated, Value};
use tilewright_irs::dialects::cute::{
    AlgebraType, AlgebraValue, CuteOp, CuteSpace, Operands, Pointer, View, infer_primitive, leaf_scalar,
};
use tilewright_irs::dialects::memory::MemoryOrder;
use tilewright_irs::llvm::{AddressSpace, LlvmDialect, LlvmType};
use tilewright_layouts::cute::Nested;

use super::emit::{Cx, unsupported};
use super::lower_addresses;
use crate::cute_expressions::evaluate;

/// The error for an op without a lowering.
pub(super) fn not_lowered(cx: &Cx<'_>, id: OpId) -> Diagnostic<Origin> {
    let old = cx.old(id);
    let message = format!("`{}` is not lowered yet", old.kind.name());
    Diagnostic::error(Code::UnsupportedOp, message).at(old.origin, "")
}

fn pointer_type(pointer: &Pointer) -> Result<LlvmType, Diagnostic<Origin>> {
    let space = match pointer.space {
        CuteSpace::Global => AddressSpace::Global,
        CuteSpace::Shared => AddressSpace::Shared,
        CuteSpace::Generic
        | CuteSpace::Register
        | CuteSpace::Tensor
        | CuteSpace::ClusterShared
        | CuteSpace::Constant => {
            let message = format!("a pointer to `{}` is not supported yet", pointer.space);
            return Err(unsupported(Origin::FUNCTION, message));
        }
    };
    if !pointer.swizzle.is_identity() {
        return Err(unsupported(
            Origin::FUNCTION,
            "a pointer with a swizzle is not supported yet",
        ));
    }
    Ok(LlvmType::Ptr(space))
}

/// The machine values of a value of this type.
pub(super) fn types(ty: &AlgebraType) -> Result<Vec<LlvmType>, Diagnostic<Origin>> {
    let mut types = Vec::new();
    if let AlgebraType::Pointer(pointer) | AlgebraType::Memref(View { pointer, .. }) = ty {
        types.push(pointer_type(pointer)?);
    }
    types.extend(
        ty.dynamic_leaves()
            .iter()
            .map(|leaf| LlvmType::Scalar(leaf_scalar(leaf))),
    );
    Ok(types)
}

/// The dynamic leaves of an operand, without the pointer of a tensor.
fn leaves(cx: &Cx<'_>, value: Value) -> Vec<Value> {
    let all = cx.all(value);
    match cx.from.ty(value).algebra() {
        Some(AlgebraType::Memref(_) | AlgebraType::Pointer(_)) => all.get(1..).unwrap_or_default().to_vec(),
        _ => all.to_vec(),
    }
}

/// The inferred type of an op, with expressions of its operands' leaves.
fn inferred(
    cx: &Cx<'_>,
    id: OpId,
    op: &CuteOp,
) -> Result<(AlgebraType, Vec<Vec<Value>>), Diagnostic<Origin>> {
    let operands = op.operand_list();
    let types = operands
        .iter()
        .filter_map(|&value| cx.from.ty(value).algebra().cloned());
    let ty = Operands::new(types)
        .ok_or_else(|| "no such operands".to_owned())
        .and_then(|operands| infer_primitive(op, &operands))
        .map_err(|why| unsupported(cx.old(id).origin, why))?;
    let leaves = operands.iter().map(|&value| leaves(cx, value)).collect();
    Ok((ty, leaves))
}

/// The address of a tensor's element.
fn element(cx: &mut Cx<'_>, view: Value, coord: Value) -> Result<Value, Diagnostic<Origin>> {
    let origin = cx.origin();
    let types = [view, coord].map(|value| cx.from.ty(value).algebra().cloned());
    let (Some(AlgebraType::Memref(tensor)), Some(place)) = (&types[0], &types[1]) else {
        return Err(unsupported(origin, "an access of something that is no tensor"));
    };
    let bytes = tensor.pointer.element.bytes().unwrap_or(1);
    // As inferred for crd2idx.
    let op = CuteOp::Crd2Idx { coord, layout: view };
    let index = Operands::new([place.clone(), AlgebraType::Memref(tensor.clone())])
        .ok_or_else(|| "no such operands".to_owned())
        .and_then(|operands| infer_primitive(&op, &operands))
        .map_err(|why| unsupported(origin, why))?;
    let leaves = [leaves(cx, coord), leaves(cx, view)];
    let Some(&base) = cx.all(view).first() else {
        return Err(unsupported(origin, "a tensor without a pointer"));
    };
    match index {
        AlgebraType::IntTuple(Nested::Leaf(index)) => match index.as_static() {
            Some(index) => {
                let offset = index.saturating_mul(u64::from(bytes));
                Ok(lower_addresses::at_byte(
                    cx,
                    base,
                    i64::try_from(offset).unwrap_or(i64::MAX),
                ))
            }
            None => {
                let index = evaluate(&mut cx.build(), &index, &leaves, LlvmType::Scalar);
                Ok(lower_addresses::moved(cx, base, index, bytes))
            }
        },
        _ => Err(unsupported(origin, "an index of several integers")),
    }
}

/// Lowers an op of the algebra.
pub(super) fn lower(cx: &mut Cx<'_>, id: OpId, op: &CuteOp) -> Translated {
    let old = cx.old(id);
    match op {
        CuteOp::Static {} | CuteOp::MakeAtom {} => cx.bind(old.result(0), []),
        CuteOp::MakeIntTuple { leaves }
        | CuteOp::MakeCoord { leaves }
        | CuteOp::MakeShape { leaves }
        | CuteOp::MakeStride { leaves } => {
            let leaves: Vec<Value> = leaves.iter().map(|&leaf| cx.one(leaf)).collect();
            cx.bind(old.result(0), leaves);
        }
        CuteOp::GetScalars { source } => {
            for (result, leaf) in old.results().zip(leaves(cx, *source)) {
                cx.bind(result, [leaf]);
            }
        }
        CuteOp::RecastIter { pointer } | CuteOp::GetIter { view: pointer } => {
            let pointer = cx.all(*pointer).first().copied();
            cx.bind(old.result(0), Vec::from_iter(pointer));
        }
        CuteOp::AddOffset { pointer, offset } => {
            let (base, offset) = (cx.one(*pointer), *offset);
            let bytes = match cx.from.ty(old.result(0)).algebra() {
                Some(AlgebraType::Pointer(pointer)) => pointer.element.bytes().unwrap_or(1),
                _ => 1,
            };
            let moved = match (cx.from.ty(offset).algebra(), cx.all(offset)) {
                (_, &[offset]) => lower_addresses::moved(cx, base, offset, bytes),
                (Some(AlgebraType::IntTuple(Nested::Leaf(int))), _) => {
                    let distance = int.as_static().unwrap_or(0).saturating_mul(u64::from(bytes));
                    lower_addresses::at_byte(cx, base, i64::try_from(distance).unwrap_or(i64::MAX))
                }
                _ => base,
            };
            cx.bind(old.result(0), [moved]);
        }
        CuteOp::MemrefLoad {
            view,
            coord,
            cache,
            prefetch,
        } => {
            let pointer = element(cx, *view, *coord)?;
            let Some(scalar) = tilewright_irs::core::ValueType::element(cx.from.ty(old.result(0)))
                .and_then(tilewright_irs::element::ElementType::scalar)
            else {
                return Err(unsupported(old.origin, "a load of something that is no number"));
            };
            let op = LlvmDialect::Load {
                pointer,
                mask: None,
                other: None,
                align: scalar.bytes().unwrap_or(1),
                order: MemoryOrder::Weak,
                scope: None,
                cache_policy: None,
                cache: *cache,
                prefetch: *prefetch,
            };
            let value = cx.value(op, LlvmType::Scalar(scalar));
            cx.bind(old.result(0), [value]);
        }
        CuteOp::MemrefStore {
            view,
            coord,
            value,
            cache,
        } => {
            let pointer = element(cx, *view, *coord)?;
            let value = cx.one(*value);
            let align = match *cx.ty(value) {
                LlvmType::Scalar(scalar) => scalar.bytes().unwrap_or(1),
                LlvmType::Ptr(_)
                | LlvmType::Vector(..)
                | LlvmType::TensorMap
                | LlvmType::Passed(_)
                | LlvmType::Struct(_) => 8,
            };
            cx.build().effect(LlvmDialect::Store {
                pointer,
                value,
                mask: None,
                align,
                order: MemoryOrder::Weak,
                scope: None,
                cache_policy: None,
                cache: *cache,
            });
        }
        CuteOp::MemrefAlloca { .. } | CuteOp::Copy { .. } | CuteOp::Gemm { .. } => {
            return Err(not_lowered(cx, id));
        }
        CuteOp::MakeLayout { .. }
        | CuteOp::MakeView { .. }
        | CuteOp::GetLayout { .. }
        | CuteOp::GetShape { .. }
        | CuteOp::GetStride { .. }
        | CuteOp::Size { .. }
        | CuteOp::Cosize { .. }
        | CuteOp::Crd2Idx { .. }
        | CuteOp::TupleAdd { .. }
        | CuteOp::TupleMul { .. } => {
            let (ty, operands) = inferred(cx, id, op)?;
            let mut values = Vec::new();
            if let (CuteOp::MakeView { pointer, .. }, AlgebraType::Memref(_)) = (op, &ty) {
                values.push(cx.one(*pointer));
            }
            for leaf in ty.dynamic_leaves() {
                values.push(evaluate(&mut cx.build(), &leaf, &operands, LlvmType::Scalar));
            }
            cx.bind(old.result(0), values);
        }
    }
    Ok(())
}
