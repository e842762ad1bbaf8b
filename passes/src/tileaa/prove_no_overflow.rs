//! Marks sums, differences and products that provably do not overflow. `tileaa` to `tileaa`.
//!
//! In: any function, with facts in its types. Out: the same ops, where the signed result of `arith.addi`, `arith.subi` or
//! `arith.muli` has no overflow (`overflow = no_signed`) if the bounds of the operands prove that it is in the range of its type.
//! Existing promises are kept.
//!
//! Such a sum can be extended before or after the addition, so that the constant part of a 32-bit index becomes the constant
//! offset of an address.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Func, Origin, Value, ValueType};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Signedness};
use tilewright_irs::element::ElementType;
use tilewright_irs::folding;
use tilewright_irs::tileaa::{TileAa, TileAaOp};

/// Marks integer arithmetic that facts prove not to overflow.
///
/// Never fails; the result's type is that of every pass.
pub fn prove_no_overflow(func: &Func<TileAa>) -> Result<Func<TileAa>, Vec<Diagnostic<Origin>>> {
    let mut out = func.clone();
    let body = &func.body;
    for (id, op) in body.ops() {
        if let TileAaOp::Arith(op) = &op.kind
            && is_exact(body, op)
            && let TileAaOp::Arith(
                ArithOp::AddI { overflow, .. }
                | ArithOp::SubI { overflow, .. }
                | ArithOp::MulI { overflow, .. },
            ) = &mut out.body.op_mut(id).kind
        {
            *overflow = match *overflow {
                Overflow::Wraps | Overflow::NoSigned => Overflow::NoSigned,
                Overflow::NoUnsigned | Overflow::None => Overflow::None,
            };
        }
    }
    Ok(out)
}

/// Whether the exact signed result is in the range of the type, for all operands that facts allow.
fn is_exact(body: &Body<TileAa>, op: &ArithOp) -> bool {
    let (lhs, rhs, exact): (_, _, fn(i128, i128) -> i128) = match *op {
        ArithOp::AddI { lhs, rhs, .. } => (lhs, rhs, |a, b| a + b),
        ArithOp::SubI { lhs, rhs, .. } => (lhs, rhs, |a, b| a - b),
        ArithOp::MulI { lhs, rhs, .. } => (lhs, rhs, |a, b| a * b),
        _ => return false,
    };
    let Some(ElementType::Scalar(ty)) = body.ty(lhs).element() else {
        return false;
    };
    let bounds = |value: Value| {
        let facts = &body.ty(value).facts;
        let (least, most) = folding::range(ty, Signedness::Signed);
        [
            facts.min.map_or(least, i128::from),
            facts.max.map_or(most, i128::from),
        ]
    };
    // Each function is monotone in each operand, so its extremes are at the corners.
    let (left, right) = (bounds(lhs), bounds(rhs));
    let mut corners = left.into_iter().flat_map(|a| right.map(|b| exact(a, b)));
    corners.all(|result| folding::is_in_range(ty, Signedness::Signed, result))
}
