//! The types of results as a text states them, against those that follow from the operands.

use tilewright_diagnostics::Code;

use super::op::{Checked, Op};
use crate::core::Part;
use crate::mlir::infer::{follows, result_types};
use crate::mlir::types::{Type, write_results};

/// Checks the types of the results: those that follow, or coordinates of which more is known.
pub(super) fn results(op: Op<'_>) -> Checked {
    let spec = op.data.kind.mlir_spec();
    let operands: Vec<Type> = op
        .operands()
        .into_iter()
        .map(|value| op.ty(value).clone())
        .collect();
    let inferred = match result_types(op.dialect, spec, &operands, &op.data.kind.properties()) {
        None => return Ok(()),
        Some(Err(message)) => return Err(op.wrong(Part::Op, Code::OperandType, message)),
        Some(Ok(inferred)) => inferred,
    };
    let stated: Vec<Type> = op
        .results()
        .into_iter()
        .map(|value| op.ty(value).clone())
        .collect();
    let pairs = stated.iter().zip(&inferred).enumerate();
    let mut wrong = pairs.filter(|(_, (stated, inferred))| !follows(stated, inferred));
    let part = match (wrong.next(), stated.len() == inferred.len()) {
        (None, true) => return Ok(()),
        (Some((number, _)), true) => Part::result(number),
        (_, false) => Part::Op,
    };
    let mut shown = [String::new(), String::new()];
    for (text, types) in shown.iter_mut().zip([&inferred, &stated]) {
        // A string takes any text.
        let _ = write_results(types, text);
    }
    let [inferred, stated] = shown;
    let message = format!(
        "`{}` gives `{inferred}` for these operands, and not `{stated}`",
        op.name()
    );
    Err(op.wrong(part, Code::TypeMismatch, message))
}
