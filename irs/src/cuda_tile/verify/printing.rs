//! Rules of `print_tko`.

use tilewright_diagnostics::Code;

use super::Check;
use crate::cuda_tile::ops::{ControlOp, TileOp};

/// Conversion letters.
const CONVERSIONS: &str = "diouxXeEfFgGaAcsSpn";

/// `print_tko`: one conversion for each value.
pub(in crate::cuda_tile) fn print(check: &mut Check<'_>) {
    let op = check.op;
    let TileOp::Control(ControlOp::PrintTko { str: text, args, .. }) = &op.kind else {
        return;
    };
    let mut conversions = 0usize;
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        if byte != b'%' {
            continue;
        }
        // Flags, width, precision and length may stand between the sign and the conversion.
        let end = bytes.find(|(_, b)| !b"-+ #0123456789.*hlLqjzt'".contains(b));
        match end.map(|(_, b)| b) {
            Some(b'%') => {}
            Some(b) if CONVERSIONS.as_bytes().contains(&b) => conversions += 1,
            Some(_) | None => {
                let message = format!(
                    "attribute `str` has a `%` at byte {at} that begins no conversion, expected one of `{CONVERSIONS}` \
                     after it; write `%%` for the sign itself"
                );
                check.error_at(check.part("str"), Code::AttributeValue, message);
                return;
            }
        }
    }
    if conversions != args.len() {
        let message = format!(
            "attribute `str` has {conversions} conversions, but there are {} operands",
            args.len()
        );
        check.error_at(check.part("str"), Code::OperandCount, message);
    }
}
