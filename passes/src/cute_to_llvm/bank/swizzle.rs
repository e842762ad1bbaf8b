//! Swizzles of addresses.

use tilewright_irs::core::{OpId, Translated, Value};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Signedness};
use tilewright_irs::literal::Literal;
use tilewright_irs::llvm::LlvmType;

use super::pointers::{address, at_address, integer, pointer, same};
use crate::cute_to_llvm::emit::{Cx, constant};

/// `p ^ ((p >> shift) & mask)`: some bits of the address are changed by others above them.
pub(super) fn apply(cx: &mut Cx<'_>, id: OpId, from: Value) -> Translated {
    let Some(swizzle) = pointer(cx, from)?.swizzle() else {
        return same(cx, id, from);
    };
    let source = cx.one(from);
    let ty = *cx.ty(source);
    let number = integer(ty);
    let LlvmType::Scalar(scalar) = number else {
        return Ok(());
    };
    let address = address(cx, source);
    // Shifted first, the mask and the exclusive or are one instruction of three operands.
    let shift = swizzle.shift();
    let count = constant(cx, Literal::new(scalar, u64::from(shift.unsigned_abs())));
    let (lhs, rhs) = (address, count);
    let moved = match shift {
        0.. => {
            let signedness = Signedness::Unsigned;
            ArithOp::ShrI { lhs, rhs, signedness }
        }
        _ => {
            let overflow = Overflow::Wraps;
            ArithOp::ShlI { lhs, rhs, overflow }
        }
    };
    let lhs = cx.value(moved, number);
    let rhs = constant(cx, Literal::new(scalar, swizzle.target_mask()));
    let bits = cx.value(ArithOp::AndI { lhs, rhs }, number);
    let source = cx.value(
        ArithOp::XorI {
            lhs: address,
            rhs: bits,
        },
        number,
    );
    let swizzled = at_address(cx, source, ty);
    cx.bind(cx.old(id).result(0), [swizzled]);
    Ok(())
}
