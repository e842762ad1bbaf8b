//! Accesses of memory by one thread: elements, vectors, allocations and printed values.

use tilewright_diagnostics::Code;
use tilewright_layouts::cute::{Fact, Leaf as _};

use super::leaves::is_static;
use super::op::{Checked, Op, of};
use crate::core::Value;
use crate::cute_types::{Element, Kind, Pointer, Space, ViewLayout};
use crate::mlir::dialects::CuteOp;
use crate::mlir::types::Type;

/// Checks that a thread can access elements of such a pointer one by one.
fn accessible(op: Op<'_>, value: Value, pointer: &Pointer) -> Checked {
    let space = match pointer.space() {
        Space::Generic | Space::Global | Space::Shared | Space::Register | Space::ClusterShared => true,
        Space::Tensor | Space::Constant => false,
    };
    op.needs(value, "memory that a thread can access by elements", space)?;
    let Some(element) = pointer.element() else {
        return op.needs(value, "elements of a type", false);
    };
    let bits = element.bits();
    op.needs(value, "elements of whole bytes", bits % 8 == 0 || bits == 1)?;
    let masked = bits == 1 && pointer.space() != Space::Register;
    op.needs(value, "truth values in registers", !masked)
}

/// Checks that a value is an element of a pointer's type.
fn element(op: Op<'_>, value: Value, pointer: &Pointer) -> Checked {
    let stored = pointer.element().map(ToString::to_string).unwrap_or_default();
    op.needs(value, &format!("`{stored}`"), op.ty(value).to_string() == stored)
}

/// The number of elements of a static tensor in memory that vectors can be read from.
fn vector_size(op: Op<'_>, value: Value) -> Checked<u64> {
    let view = op.view(value)?;
    op.needs(
        value,
        "memory that a thread can access by vectors",
        view.pointer.space() != Space::Tensor,
    )?;
    let size = view.layout.layout().size().ok().and_then(Fact::value);
    let is_static = view.layout.layout().shape().leaves().all(Fact::is_static);
    let size = size
        .filter(|_| is_static)
        .and_then(|size| u64::try_from(size).ok());
    size.ok_or_else(|| op.needed(value, "a tensor of a static shape"))
}

/// Checks that a value is a vector of so many elements.
fn vector(op: Op<'_>, value: Value, size: u64, element: &str) -> Checked {
    let what = format!("`vector<{size}x{element}>`");
    op.needs(
        value,
        &what,
        op.ty(value).to_string() == format!("vector<{size}x{element}>"),
    )
}

/// The element of a tensor, as in the type of a vector of them.
fn element_of(op: Op<'_>, value: Value) -> Checked<String> {
    let element = op.view(value)?.pointer.element();
    element
        .map(ToString::to_string)
        .ok_or_else(|| op.needed(value, "elements of a type"))
}

pub(super) fn verify(op: Op<'_>, kind: &CuteOp) -> Checked {
    match kind {
        CuteOp::MemrefLoad { src, .. } => match op.kind(*src) {
            Some(Kind::View(view)) => accessible(op, *src, &view.pointer),
            _ => Ok(()),
        },
        CuteOp::MemrefStore { dst, coord, value } => {
            let view = op.view(*dst)?;
            accessible(op, *dst, &view.pointer)?;
            let Some(Kind::Coord(at)) = op.kind(*coord) else {
                return op.needs(*coord, "a coordinate", false);
            };
            if let Err(error) = view.layout.layout().index_of(at) {
                let message = format!("`{}`: {error}", op.name());
                return Err(op.wrong(op.data.operand(*coord), Code::OperandType, message));
            }
            element(op, *value, &view.pointer)
        }
        CuteOp::MemrefLoadVec { src, mask, pass_thru } => {
            let (size, element) = (vector_size(op, *src)?, element_of(op, *src)?);
            if let Some(mask) = *mask {
                vector(op, mask, size, "i1")?;
            } else if pass_thru.is_some() {
                return op.refuse(
                    Code::OperandCount,
                    "it has values for what a mask leaves out, and no mask",
                );
            }
            pass_thru.map_or(Ok(()), |other| vector(op, other, size, &element))
        }
        CuteOp::MemrefStoreVec { value, dst, mask } => {
            let (size, element) = (vector_size(op, *dst)?, element_of(op, *dst)?);
            let view = op.view(*dst)?;
            op.needs(
                *dst,
                "memory that can be written",
                view.pointer.space() != Space::Constant,
            )?;
            op.needs(
                *dst,
                "a layout that is not composed",
                matches!(view.layout, ViewLayout::Plain(_)),
            )?;
            vector(op, *value, size, &element)?;
            mask.map_or(Ok(()), |mask| vector(op, mask, size, "i1"))
        }
        CuteOp::MemrefAlloca { layout } => alloca(op, *layout),
        CuteOp::MemrefAllocSmem {} => op.gives(0, "a tensor in shared memory with a static layout", |ty| {
            let Type::Cute(ty) = ty else { return false };
            matches!(ty.kind(), Kind::View(view) if view.pointer.space() == Space::Shared
                && is_static(&Kind::from(&view.layout)))
        }),
        CuteOp::PtrLoad { ptr } => {
            let bits = op.pointer(*ptr)?.element().map_or(0, Element::bits);
            op.needs(
                *ptr,
                "a pointer to elements of whole bytes",
                bits % 8 == 0 || bits == 1,
            )
        }
        CuteOp::PtrStore { value, ptr } => element(op, *value, op.pointer(*ptr)?),
        CuteOp::LoadScaledIndex { ptr_b, index, .. } => {
            let holds = op
                .pointer(*ptr_b)?
                .element()
                .is_some_and(|element| matches!(element.bits(), 32 | 64));
            op.needs(*ptr_b, "a pointer to integers of 32 or 64 bits", holds)?;
            let holds = matches!(op.kind(*index), Some(Kind::IntTuple(tuple)) if tuple.is_leaf())
                || matches!(op.ty(*index), Type::Integer(_, 32 | 64));
            op.needs(*index, "an integer", holds)
        }
        CuteOp::Print {
            values,
            operand_signed,
            ..
        } => {
            for &value in values {
                let holds = match op.ty(value) {
                    Type::Cute(ty) => !matches!(ty.kind(), Kind::Opaque(_) | Kind::Descriptor(_)),
                    ty => matches!(ty, Type::Integer(..) | Type::Float(_) | Type::Index),
                };
                op.needs(value, "what can be printed", holds)?;
            }
            match operand_signed {
                Some(signed) => op.count("sign", signed.len(), values.len()),
                None => Ok(()),
            }
        }
        CuteOp::PrintView { src, coord, .. } => {
            let holds = matches!(
                op.kind(*src),
                Some(Kind::View(_) | Kind::CoordTensor(_) | Kind::DescriptorView(_))
            );
            op.needs(*src, "a tensor", holds)?;
            coord.map_or(Ok(()), |coord| {
                op.needs(
                    coord,
                    "a coordinate",
                    matches!(op.kind(coord), Some(Kind::Coord(_))),
                )
            })
        }
        CuteOp::PrintTmaDescTiled { input, fd } | CuteOp::PrintTmaDescIm2col { input, fd } => {
            op.all([*input], &Type::I64)?;
            op.all([*fd], &Type::I32)
        }
        _ => Ok(()),
    }
}

/// Memory of a thread or a block, with a layout from an operand where that is dynamic.
fn alloca(op: Op<'_>, layout: Option<Value>) -> Checked {
    let result = op.result()?;
    let Some(Kind::View(view)) = op.kind(result) else {
        return op.gives(0, "a tensor in memory", |_| false);
    };
    let space = match view.pointer.space() {
        Space::Generic | Space::Register | Space::Shared => true,
        Space::Global | Space::Tensor | Space::ClusterShared | Space::Constant => false,
    };
    op.gives(0, "registers or shared memory", |_| space)?;
    let own = Kind::from(&view.layout);
    match layout {
        Some(layout) => op.all([layout], &of(own)),
        None if is_static(&own) => Ok(()),
        None => op.refuse(
            Code::OperandCount,
            format_args!(
                "the layout of `{}` is dynamic, and no operand gives it",
                op.ty(result)
            ),
        ),
    }
}
