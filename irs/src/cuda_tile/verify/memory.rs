//! Rules of memory ops through pointers.

use tilewright_diagnostics::{Code, counted};

use super::Check;
use super::check::RESULT;
use crate::core::{Part, Value};
use crate::cuda_tile::enums::AtomicRmwMode;
use crate::cuda_tile::ops::{MemoryOp, TileOp};
use crate::cuda_tile::types::{Element, Tile};
use crate::element::ScalarType as S;

/// Checks pointers to the elements of a tile, of the same shape.
fn points_to(check: &mut Check<'_>, (from, pointers): (Part, &Tile), (part, tile): (Part, &Tile)) {
    check.same_shape(part, tile, from, pointers);
    if let Some(pointer) = pointers.element.pointer()
        && tile.element != Element::Scalar(pointer.pointee)
    {
        let message = format!(
            "{} is `{pointers}`, but {} is `{tile}`: expected pointers to {}",
            check.noun(from),
            check.noun(part),
            tile.element
        );
        check.error_at(from, Code::TypeMismatch, message);
    }
}

fn mask_fits(check: &mut Check<'_>, mask: Option<Value>, (part, pointers): (Part, &Tile)) {
    if let Some(mask) = mask.and_then(|v| check.tile(v)) {
        check.same_shape(check.part("mask"), mask, part, pointers);
    }
}

/// `load_ptr_tko`
pub(in crate::cuda_tile) fn load(check: &mut Check<'_>) {
    let TileOp::Memory(MemoryOp::LoadPtrTko {
        source,
        mask,
        padding_value,
        ..
    }) = check.op.kind
    else {
        return;
    };
    let (Some(pointers), Some(result)) = (check.tile(source), check.result_tile()) else {
        return;
    };
    let from = (check.part("source"), pointers);
    points_to(check, from, (RESULT, result));
    mask_fits(check, mask, from);
    if let Some(padding) = padding_value.and_then(|v| check.tile(v)) {
        let part = check.part("padding_value");
        check.same_shape(part, padding, RESULT, result);
        check.same_element(part, padding, RESULT, result);
    }
}

/// `store_ptr_tko`
pub(in crate::cuda_tile) fn store(check: &mut Check<'_>) {
    let TileOp::Memory(MemoryOp::StorePtrTko {
        destination,
        value,
        mask,
        ..
    }) = check.op.kind
    else {
        return;
    };
    let (Some(pointers), Some(value)) = (check.tile(destination), check.tile(value)) else {
        return;
    };
    let to = (check.part("destination"), pointers);
    points_to(check, to, (check.part("value"), value));
    mask_fits(check, mask, to);
}

/// `atomic_cas_tko`
pub(in crate::cuda_tile) fn compare_and_swap(check: &mut Check<'_>) {
    let TileOp::Memory(MemoryOp::AtomicCasTko {
        pointers,
        cmp,
        val,
        mask,
        ..
    }) = check.op.kind
    else {
        return;
    };
    let (compared, new) = (check.ty(cmp), check.ty(val));
    let new_is = check.part("val");
    check.same_type(check.part("cmp"), compared, new_is, new);
    if let Some(result) = check.result() {
        check.same_type(RESULT, result, new_is, new);
    }
    let (Some(pointers), Some(val)) = (check.tile(pointers), check.tile(val)) else {
        return;
    };
    let at = (check.part("pointers"), pointers);
    points_to(check, at, (new_is, val));
    mask_fits(check, mask, at);
    if !matches!(val.element, Element::Scalar(S::I32 | S::I64 | S::F32 | S::F64)) {
        let message = format!("operand `val` is `{val}`, expected a tile of i32, i64, f32 or f64");
        check.error_at(new_is, Code::OperandType, message);
    }
}

/// Checks that an atomic op exists for an element type.
pub(super) fn atomic_mode(mode: AtomicRmwMode, element: Element) -> Result<(), &'static str> {
    use AtomicRmwMode as M;
    let scalar = element.scalar();
    let (allowed, expected) = match mode {
        M::And | M::Or | M::Xor | M::Add | M::Max | M::Min | M::UMax | M::UMin => {
            (matches!(scalar, Some(S::I32 | S::I64)), "i32 or i64")
        }
        M::AddF => (
            matches!(scalar, Some(S::F16 | S::BF16 | S::F32 | S::F64)),
            "f16, bf16, f32 or f64",
        ),
        M::Xchg => (
            matches!(scalar, Some(S::I32 | S::I64 | S::F32 | S::F64)),
            "i32, i64, f32 or f64",
        ),
    };
    if allowed { Ok(()) } else { Err(expected) }
}

/// `atomic_rmw_tko`
pub(in crate::cuda_tile) fn read_modify_write(check: &mut Check<'_>) {
    let TileOp::Memory(MemoryOp::AtomicRmwTko {
        pointers,
        arg,
        mask,
        mode,
        ..
    }) = check.op.kind
    else {
        return;
    };
    if let Some(result) = check.result() {
        check.same_type(RESULT, result, check.part("arg"), check.ty(arg));
    }
    let (Some(pointers), Some(arg)) = (check.tile(pointers), check.tile(arg)) else {
        return;
    };
    let at = (check.part("pointers"), pointers);
    points_to(check, at, (check.part("arg"), arg));
    mask_fits(check, mask, at);
    if let Err(expected) = atomic_mode(mode, arg.element) {
        let message = format!("operand `arg` is `{arg}`, but {mode} takes {expected}");
        check.error_at(check.part("arg"), Code::OperandType, message);
    }
}

/// `offset`
pub(in crate::cuda_tile) fn offset(check: &mut Check<'_>) {
    let TileOp::Memory(MemoryOp::Offset { ptr, offset }) = check.op.kind else {
        return;
    };
    if let Some(result) = check.result() {
        check.same_type(RESULT, result, check.part("ptr"), check.ty(ptr));
    }
    if let (Some(ptr), Some(offset)) = (check.tile(ptr), check.tile(offset)) {
        check.same_shape(check.part("offset"), offset, check.part("ptr"), ptr);
    }
}

/// `join_tokens`: at least two.
pub(in crate::cuda_tile) fn join_tokens(check: &mut Check<'_>) {
    let count = check.operands().len();
    if count < 2 {
        check.error(
            Code::OperandCount,
            format!("joins {}, expected at least 2", counted(count, "token")),
        );
    }
}

/// `alloca`: whole elements, with at least their natural alignment.
pub(in crate::cuda_tile) fn alloca(check: &mut Check<'_>) {
    let TileOp::Memory(MemoryOp::Alloca {
        num_elem, alignment, ..
    }) = check.op.kind
    else {
        return;
    };
    if num_elem < 0 {
        let message = format!("attribute `num_elem` is {num_elem}, expected 0 or more");
        check.error_at(check.part("num_elem"), Code::AttributeValue, message);
    }
    let Some(pointer) = check.result_tile().and_then(|tile| tile.element.pointer()) else {
        return;
    };
    // Size in whole bytes: i1 takes one, tf32 three, a pair of f4E2M1FN half of one each.
    let bytes = match pointer.pointee {
        S::F4E2M1FN | S::I4 => 0,
        other => i64::from(other.bits().div_ceil(8)),
    };
    let power = u64::try_from(alignment).is_ok_and(u64::is_power_of_two);
    if !power || alignment < bytes {
        let sign = if alignment < 0 {
            "a 64-bit integer of at least 0, and "
        } else {
            ""
        };
        let message = format!(
            "attribute `alignment` is {alignment}, expected {sign}a power of two of at least {} for {}",
            bytes.max(1),
            pointer.pointee
        );
        check.error_at(check.part("alignment"), Code::AttributeValue, message);
    }
}
