//! Folds integer ops on constants, in two's complement of the op's width.

use tilewright_irs::core::Operation;
use tilewright_irs::cuda_tile::IntOp;
use tilewright_irs::element::ScalarType;
use tilewright_irs::folding;
use tilewright_irs::literal::{Dense, Literal};

use super::dense;
use super::look::Look;
use crate::cuda_tile::as_arith;

/// Folds an op on constants to elements of type `to`.
pub(super) fn fold(look: &Look<'_, '_>, op: &IntOp, to: ScalarType) -> Option<Dense> {
    let arith = as_arith::int(op).ok()?;
    let operands = op.operand_list().into_iter();
    let sources: Option<Vec<&Dense>> = operands.map(|value| look.dense(value)).collect();
    dense::map(&sources?, to, |items| {
        if shifts_everything_out(op, items) {
            return None;
        }
        folding::fold(&arith, items, to)
    })
}

/// Whether an op shifts by its width or more, which is undefined in this language.
fn shifts_everything_out(op: &IntOp, operands: &[Literal]) -> bool {
    match (op, operands) {
        (IntOp::ShlI { .. } | IntOp::ShrI { .. }, [_, amount]) => amount.bits >= u64::from(amount.ty.bits()),
        _ => false,
    }
}
