//! Lowers shape ops to register permutations, determined by the layouts in the types; no element may move to another
//! thread.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{OpId, Origin, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Signedness};
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::Dense;
use tilewright_irs::tileas::{TileAsType, shape_registers};
use tilewright_layouts::Dim;

use super::agent::Agent;
use super::emit::{Cx, I32, I64, at, bug, count, fragment_type};
use super::placement::{register_coordinate, span_mask, thread_bases};

/// Lowers a shape op.
pub(super) fn lower(cx: &mut Cx<'_>, id: OpId, op: &TileOp, agent: Agent) -> Translated {
    let (origin, result) = (cx.origin(), cx.old(id).result(0));
    let old = cx.from.ty(result);
    let Some(ty) = fragment_type(old) else {
        return Err(bug(origin, "a shape op gives a tile"));
    };
    let new = match op {
        TileOp::Splat { source } => {
            let source = cx.one(*source);
            match ty {
                DesugaredType::Fragment(..) => cx.value(FragmentOp::Splat { source }, ty),
                DesugaredType::Scalar(_)
                | DesugaredType::SharedPtr(_)
                | DesugaredType::Cute(_)
                | DesugaredType::TileIterator(_)
                | DesugaredType::TmaDescriptor(_)
                | DesugaredType::Pipe(_) => source,
            }
        }
        TileOp::Iota {} => iota(cx, old, ty, agent)?,
        TileOp::Broadcast { source } | TileOp::Reshape { source } | TileOp::Permute { source, .. } => {
            moved(cx, op, *source, old)?
        }
        TileOp::PtrAdd { pointer, offset } => {
            let (pointer, offset) = (cx.one(*pointer), cx.one(*offset));
            let offset = wide_offset(cx, offset);
            cx.value(FragmentOp::AddOffset { pointer, offset }, ty)
        }
    };
    cx.bind(result, [new]);
    Ok(())
}

/// An offset extended to at least 32 bits.
fn wide_offset(cx: &mut Cx<'_>, offset: Value) -> Value {
    use tilewright_irs::core::ValueType;
    let ty = cx.ty(offset).clone();
    match ty.element().and_then(ElementType::scalar) {
        Some(ScalarType::I32 | ScalarType::I64) | None => offset,
        Some(_) => {
            let wide = ty.with_element(ElementType::I32);
            let (source, signedness) = (offset, Signedness::Signed);
            cx.value(ArithOp::ExtI { source, signedness }, wide)
        }
    }
}

/// The result of an op that moves no element.
fn moved(
    cx: &mut Cx<'_>,
    op: &TileOp,
    source: Value,
    result: &TileAsType,
) -> Result<Value, Diagnostic<Origin>> {
    let origin = cx.origin();
    let (new, from) = (cx.one(source), cx.from.ty(source));
    if let Some(map) = shape_registers(op, from, result).map_err(|message| bug(origin, message))? {
        return Ok(at(cx).rearrange(new, map.sources().collect()));
    }
    match (from.layout(), result.layout()) {
        // A scalar, and a tile of one element, is in every thread.
        (None, Some(layout)) => {
            let registers = layout.in_size(Dim::Register);
            match *cx.ty(new) {
                DesugaredType::Scalar(element) => Ok(at(cx).splat(new, registers, element)),
                DesugaredType::SharedPtr(_)
                | DesugaredType::Fragment(..)
                | DesugaredType::Cute(_)
                | DesugaredType::TileIterator(_)
                | DesugaredType::TmaDescriptor(_)
                | DesugaredType::Pipe(_) => Ok(new),
            }
        }
        (Some(_), None) => Ok(at(cx).extract(new, 0)),
        (Some(_), Some(_)) | (None, None) => Ok(new),
    }
}

/// 0, 1, 2, …: the coordinate of each register.
fn iota(
    cx: &mut Cx<'_>,
    old: &TileAsType,
    ty: DesugaredType,
    agent: Agent,
) -> Result<Value, Diagnostic<Origin>> {
    let origin = cx.origin();
    let (Some(layout), DesugaredType::Fragment(registers, ElementType::Scalar(scalar))) =
        (old.layout(), ty.clone())
    else {
        return Err(bug(origin, "`tile.iota` gives a tile of integers"));
    };
    let bases = thread_bases(layout, 0);
    let coordinates: Vec<u32> = (0..registers)
        .map(|r| register_coordinate(layout, r, 0))
        .collect();
    let mask = span_mask(&bases);
    let sum = coordinates.iter().all(|&c| i64::from(c) & mask == 0);
    let mut emit = at(cx);
    let thread = match scalar {
        ScalarType::I64 => emit.linear_index(agent.thread, bases, I64),
        _ => emit.linear_index(agent.thread, bases, I32),
    };
    let single = DesugaredType::Scalar(ElementType::Scalar(scalar));
    let thread = match scalar.bits() {
        32 | 64 => thread,
        _ => emit.0.value(ArithOp::TruncI { source: thread }, single),
    };
    let lhs = emit.splat(thread, count(coordinates.len()), ElementType::Scalar(scalar));
    let bits = coordinates
        .iter()
        .map(|&c| u64::from(c) & scalar.mask())
        .collect();
    let value = Dense::Elements(scalar, bits);
    let rhs = emit.0.value(ArithOp::Constant { value }, ty.clone());
    let op = if sum {
        // Both parts are below the extent, so the sum is exact unless the type is too small for the extent.
        let exact = layout.total_out_bits() < scalar.bits();
        let overflow = if exact { Overflow::None } else { Overflow::Wraps };
        ArithOp::AddI { lhs, rhs, overflow }
    } else {
        ArithOp::XorI { lhs, rhs }
    };
    Ok(emit.0.value(op, ty))
}
