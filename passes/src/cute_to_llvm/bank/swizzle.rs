//! Swizzles of addresses.

use tilewright_irs::core::{OpId, Translated, Value};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Signedness};
use tilewright_irs::literal::Literal;
use tilewright_irs::llvm::LlvmType;

use super::pointers::{address, at_address, integer, pointer, same};
use crate::cute_to_llvm::emit::{Cx, constant};

/// `p ^ ((p & mask) >> shift)`: some bits of the address are changed by others above them.
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
    let (mask, shift) = (swizzle.source_mask(), swizzle.shift());
    let mask = constant(cx, Literal::new(scalar, mask));
    let bits = cx.value(
        ArithOp::AndI {
            lhs: address,
            rhs: mask,
        },
        number,
    );
    let count = constant(cx, Literal::new(scalar, u64::from(shift.unsigned_abs())));
    let bits = match shift {
        0.. => {
            let signedness = Signedness::Unsigned;
            cx.value(
                ArithOp::ShrI {
                    lhs: bits,
                    rhs: count,
                    signedness,
                },
                number,
            )
        }
        _ => {
            let overflow = Overflow::Wraps;
            cx.value(
                ArithOp::ShlI {
                    lhs: bits,
                    rhs: count,
                    overflow,
                },
                number,
            )
        }
    };
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
