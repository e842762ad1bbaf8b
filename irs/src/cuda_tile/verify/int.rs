//! Rules of integer ops beyond type constraints.

use tilewright_diagnostics::Code;

use super::Check;
use crate::cuda_tile::enums::{RoundingMode, Signedness};
use crate::cuda_tile::ops::{IntOp, TileOp};

/// `divi`: rounding down requires signed operands.
pub(in crate::cuda_tile) fn division(check: &mut Check<'_>) {
    if let TileOp::Int(IntOp::DivI {
        signedness: Signedness::Unsigned,
        rounding: RoundingMode::NegativeInf,
        ..
    }) = check.op.kind
    {
        check.error_at(
            check.part("rounding"),
            Code::AttributeValue,
            "attribute `rounding` is negative_inf, which an unsigned division does not have",
        );
    }
}
