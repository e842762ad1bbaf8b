//! Rules of `print_tko`.

use tilewright_diagnostics::{Code, counted};

use super::Check;
use crate::cuda_tile::ops::{ControlOp, TileOp};
use crate::format::{LETTERS, conversions};

/// `print_tko`: one conversion for each value.
pub(in crate::cuda_tile) fn print(check: &mut Check<'_>) {
    let op = check.op;
    let TileOp::Control(ControlOp::PrintTko { str: text, args, .. }) = &op.kind else {
        return;
    };
    match conversions(text) {
        Ok(count) if count == args.len() => {}
        Ok(count) => {
            let message = format!(
                "attribute `str` has {}, but the op has {}",
                counted(count, "conversion"),
                counted(args.len(), "operand")
            );
            check.error_at(check.part("str"), Code::OperandCount, message);
        }
        Err(at) => {
            let message = format!(
                "attribute `str` has a `%` at byte {at} that begins no conversion, expected one of `{LETTERS}` after \
                 it; write `%%` for the sign itself"
            );
            check.error_at(check.part("str"), Code::AttributeValue, message);
        }
    }
}
