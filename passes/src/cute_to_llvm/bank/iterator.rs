//! Iterators over tiles: a struct of the base address, the number of the tile and the distance of tiles.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{OpId, Origin, Translated, Value};
use tilewright_irs::cute_types::{CuteType, Kind, Pointer};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, QuotientRounding, Signedness};
use tilewright_irs::dialects::cute::{AlgebraValue, IteratorOp};
use tilewright_irs::llvm::{AddressSpace, LlvmDialect, LlvmType, StructType};
use tilewright_layouts::cute::{Bits, Fact};

use super::memory::Arrays;
use super::pointers;
use super::structs::space;
use crate::cute_to_llvm::emit::{Cx, I32, i32, unsupported};

/// The fields of an iterator.
const BASE: u32 = 0;
const INDEX: u32 = 1;
const STRIDE: u32 = 2;

/// The machine type of iterators with a base pointer of this type.
pub(in super::super) fn iterator_type(base: &CuteType) -> Result<LlvmType, Diagnostic<Origin>> {
    let Kind::Pointer(pointer) = base.kind() else {
        return Err(unsupported(Origin::FUNCTION, "an iterator that has no pointer"));
    };
    of_space(space(pointer)?)
}

fn of_space(space: AddressSpace) -> Result<LlvmType, Diagnostic<Origin>> {
    let fields = StructType::new(&[LlvmType::Ptr(space), I32, I32]);
    let fields = fields.ok_or_else(|| unsupported(Origin::FUNCTION, "an iterator of no fields"))?;
    Ok(LlvmType::Struct(fields))
}

/// Converts an op.
pub(in super::super) fn convert(
    cx: &mut Cx<'_>,
    arrays: &mut Arrays,
    id: OpId,
    op: &IteratorOp,
) -> Translated {
    match op {
        IteratorOp::MakeTileIterator {
            base,
            extent,
            tile,
            stride,
        } => make(cx, arrays, id, [*base, *extent, *tile, *stride]),
        IteratorOp::Advance { iterator, tiles } => advance(cx, id, *iterator, *tiles),
        IteratorOp::Rewind { iterator, tiles } => rewind(cx, id, *iterator, *tiles),
        IteratorOp::DerefTile { iterator } => deref(cx, id, *iterator),
    }
}

/// `MakeDescriptorIteratorOpLowering`: the number of tiles, a slot for the state, and the state at tile 0.
fn make(cx: &mut Cx<'_>, arrays: &mut Arrays, id: OpId, operands: [Value; 4]) -> Translated {
    let [base, lhs, rhs, stride] = operands.map(|operand| cx.one(operand));
    let (signedness, rounding) = (Signedness::Signed, QuotientRounding::Up);
    let quotient = ArithOp::DivI {
        lhs,
        rhs,
        signedness,
        rounding,
    };
    let count = cx.value(quotient, I32);
    let LlvmType::Ptr(space) = *cx.ty(base) else {
        return Err(unsupported(cx.origin(), "an iterator whose base is no pointer"));
    };
    let ty = of_space(space)?;
    arrays.slot(cx, ITERATOR_BYTES, ITERATOR_ALIGN);
    let zero = i32(cx, 0);
    let mut state = cx.value(LlvmDialect::Undef {}, ty);
    for (field, value) in [(BASE, base), (INDEX, zero), (STRIDE, stride)] {
        state = insert(cx, state, field, value);
    }
    let [iterator, tiles] = [0, 1].map(|number| cx.old(id).result(number));
    cx.bind(iterator, [state]);
    cx.bind(tiles, [count]);
    Ok(())
}

/// Size of the slot of an iterator: a pointer of at most 64 bits and two i32, in bytes.
const ITERATOR_BYTES: u32 = 16;
const ITERATOR_ALIGN: u32 = 8;

/// `DescriptorAdvanceOpLowering`: adds to the number of the tile.
fn advance(cx: &mut Cx<'_>, id: OpId, iterator: Value, tiles: Value) -> Translated {
    let overflow = Overflow::NoSigned;
    stepped(cx, id, iterator, tiles, |lhs, rhs| ArithOp::AddI {
        lhs,
        rhs,
        overflow,
    })
}

/// `DescriptorRewindOpLowering`: subtracts from the number of the tile.
fn rewind(cx: &mut Cx<'_>, id: OpId, iterator: Value, tiles: Value) -> Translated {
    let overflow = Overflow::NoSigned;
    stepped(cx, id, iterator, tiles, |lhs, rhs| ArithOp::SubI {
        lhs,
        rhs,
        overflow,
    })
}

fn stepped(
    cx: &mut Cx<'_>,
    id: OpId,
    iterator: Value,
    tiles: Value,
    op: impl FnOnce(Value, Value) -> ArithOp,
) -> Translated {
    let (state, tiles) = (cx.one(iterator), cx.one(tiles));
    let index = extract(cx, state, INDEX, I32);
    let index = cx.value(op(index, tiles), I32);
    let state = insert(cx, state, INDEX, index);
    cx.bind(cx.old(id).result(0), [state]);
    Ok(())
}

/// The base, moved by the number of the tile times the distance of tiles.
fn deref(cx: &mut Cx<'_>, id: OpId, iterator: Value) -> Translated {
    let pointer = base_pointer(cx, iterator)?;
    let state = cx.one(iterator);
    let base = extract(cx, state, BASE, LlvmType::Ptr(space(&pointer)?));
    let lhs = extract(cx, state, INDEX, I32);
    let rhs = extract(cx, state, STRIDE, I32);
    let overflow = Overflow::NoSigned;
    let offset = cx.value(ArithOp::MulI { lhs, rhs, overflow }, I32);
    let moved = pointers::moved(cx, base, &pointer, Fact::opaque(Bits::B32), Some(offset))?;
    cx.bind(cx.old(id).result(0), [moved]);
    Ok(())
}

fn base_pointer(cx: &Cx<'_>, iterator: Value) -> Result<Pointer, Diagnostic<Origin>> {
    match cx.from.ty(iterator).tile_iterator().map(CuteType::kind) {
        Some(Kind::Pointer(pointer)) => Ok(pointer.clone()),
        _ => Err(unsupported(cx.origin(), "a value that is no iterator over tiles")),
    }
}

fn extract(cx: &mut Cx<'_>, from: Value, field: u32, ty: LlvmType) -> Value {
    let path = vec![field];
    cx.value(LlvmDialect::ExtractValue { from, path }, ty)
}

fn insert(cx: &mut Cx<'_>, into: Value, field: u32, value: Value) -> Value {
    let (ty, path) = (*cx.ty(into), vec![field]);
    cx.value(LlvmDialect::InsertValue { value, into, path }, ty)
}
