//! What memory ops through pointers ask for.

use tilewright_diagnostics::Code;

use super::Check;
use crate::core::Value;
use crate::cuda_tile::enums::AtomicRmwMode;
use crate::cuda_tile::ops::{MemoryOp, TileOp};
use crate::cuda_tile::types::{Element, Tile};
use crate::element::ScalarType as S;

/// Pointers to the elements of a tile, in its shape.
fn points_to(check: &mut Check<'_>, name: &str, pointers: &Tile, what: &str, tile: &Tile) {
    let what_is = format!("operand `{name}`");
    check.same_shape(what, tile, &what_is, pointers);
    if let Some(pointer) = pointers.element.pointer()
        && tile.element != Element::Scalar(pointer.pointee)
    {
        let message = format!(
            "{what_is} is `{pointers}`, but {what} is `{tile}`: expected pointers to {}",
            tile.element
        );
        check.error(Code::TypeMismatch, message);
    }
}

fn mask_fits(check: &mut Check<'_>, mask: Option<Value>, name: &str, pointers: &Tile) {
    if let Some(mask) = mask.and_then(|v| check.tile(v)) {
        check.same_shape("operand `mask`", mask, format_args!("operand `{name}`"), pointers);
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
    points_to(check, "source", pointers, "the result", result);
    mask_fits(check, mask, "source", pointers);
    if let Some(padding) = padding_value.and_then(|v| check.tile(v)) {
        check.same_shape("operand `padding_value`", padding, "the result", result);
        check.same_element("operand `padding_value`", padding, "the result", result);
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
    points_to(check, "destination", pointers, "operand `value`", value);
    mask_fits(check, mask, "destination", pointers);
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
    check.same_type("operand `cmp`", compared, "operand `val`", new);
    if let Some(result) = check.result() {
        check.same_type("the result", result, "operand `val`", new);
    }
    let (Some(pointers), Some(val)) = (check.tile(pointers), check.tile(val)) else {
        return;
    };
    points_to(check, "pointers", pointers, "operand `val`", val);
    mask_fits(check, mask, "pointers", pointers);
    if !matches!(val.element, Element::Scalar(S::I32 | S::I64 | S::F32 | S::F64)) {
        let message = format!("operand `val` is `{val}`, expected a tile of i32, i64, f32 or f64");
        check.error(Code::OperandType, message);
    }
}

/// Whether an atomic op exists for an element type; if not, which types it has.
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
        check.same_type("the result", result, "operand `arg`", check.ty(arg));
    }
    let (Some(pointers), Some(arg)) = (check.tile(pointers), check.tile(arg)) else {
        return;
    };
    points_to(check, "pointers", pointers, "operand `arg`", arg);
    mask_fits(check, mask, "pointers", pointers);
    if let Err(expected) = atomic_mode(mode, arg.element) {
        let message = format!("operand `arg` is `{arg}`, but {mode} takes {expected}");
        check.error(Code::OperandType, message);
    }
}

/// `offset`
pub(in crate::cuda_tile) fn offset(check: &mut Check<'_>) {
    let TileOp::Memory(MemoryOp::Offset { ptr, offset }) = check.op.kind else {
        return;
    };
    if let Some(result) = check.result() {
        check.same_type("the result", result, "operand `ptr`", check.ty(ptr));
    }
    if let (Some(ptr), Some(offset)) = (check.tile(ptr), check.tile(offset)) {
        check.same_shape("operand `offset`", offset, "operand `ptr`", ptr);
    }
}

/// `join_tokens`: at least two.
pub(in crate::cuda_tile) fn join_tokens(check: &mut Check<'_>) {
    let count = check.operands().len();
    if count < 2 {
        check.error(
            Code::OperandCount,
            format!("joins {count} tokens, expected at least 2"),
        );
    }
}

/// `alloca`: room for elements, aligned at least as they must be.
pub(in crate::cuda_tile) fn alloca(check: &mut Check<'_>) {
    let TileOp::Memory(MemoryOp::Alloca {
        num_elem, alignment, ..
    }) = check.op.kind
    else {
        return;
    };
    if num_elem < 0 {
        let message = format!("attribute `num_elem` is {num_elem}, expected 0 or more");
        check.error(Code::AttributeValue, message);
    }
    let Some(pointer) = check.result_tile().and_then(|tile| tile.element.pointer()) else {
        return;
    };
    // Whole bytes of the bits: i1 takes one, tf32 three, a pair of f4E2M1FN half of one each.
    let bytes = match pointer.pointee {
        S::F4E2M1FN | S::I4 => 0,
        other => i64::from(other.bits().div_ceil(8)),
    };
    let power = u64::try_from(alignment).is_ok_and(u64::is_power_of_two);
    if !power || alignment < bytes {
        let message = format!(
            "attribute `alignment` is {alignment}, expected a power of two of at least {} for {}",
            bytes.max(1),
            pointer.pointee
        );
        check.error(Code::AttributeValue, message);
    }
}
