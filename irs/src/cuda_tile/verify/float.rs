//! Rules of float ops beyond type constraints.

use tilewright_diagnostics::Code;

use super::Check;
use super::check::RESULT;
use crate::cuda_tile::ops::{FloatOp, TileOp};
use crate::cuda_tile::types::Element;
use crate::element::ScalarType;

/// `fpowi`: an exponent of up to 32 bits for each element.
pub(in crate::cuda_tile) fn power(check: &mut Check<'_>) {
    let TileOp::Float(FloatOp::PowI { source, exponent }) = check.op.kind else {
        return;
    };
    let (Some(source), Some(exponent)) = (check.tile(source), check.tile(exponent)) else {
        return;
    };
    if exponent.element == Element::Scalar(ScalarType::I64) {
        let message = format!("operand `exponent` is `{exponent}`, expected a tile of i1, i8, i16 or i32");
        check.error_at(check.part("exponent"), Code::OperandType, message);
    }
    let from = check.part("source");
    check.same_shape(check.part("exponent"), exponent, from, source);
    if let Some(result) = check.result_tile() {
        check.same_shape(RESULT, result, from, source);
        check.same_element(RESULT, result, from, source);
    }
}
