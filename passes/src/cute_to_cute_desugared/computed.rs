//! Results that are computed by the rules that infer their types.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{OpId, Operation, Origin, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::cute_types::infer::{Computed, INFERRED};
use tilewright_irs::cute_types::{CuteType, Dialect, Kind};
use tilewright_irs::element::ElementType;
use tilewright_irs::mlir::{Type, compute};
use tilewright_layouts::cute::{Nested, Traced};

use super::leaves::flat;
use super::state::{Cx, not_lowered, unsupported};
use super::types::types;
use super::values::inputs;
use super::views;
use crate::leaf_arithmetic::{emit, resized};

/// What inference computes for an op by the rules of a dialect.
fn answers(cx: &Cx<'_>, id: OpId, dialect: Dialect) -> Result<Vec<Computed>, Diagnostic<Origin>> {
    let op = &cx.old(id).kind;
    let operands: Vec<Type> = op
        .operand_list()
        .into_iter()
        .map(|value| cx.from.ty(value).clone())
        .collect();
    if !INFERRED.contains(&op.name()) {
        return Err(not_lowered(cx, id));
    }
    compute(dialect, op.name(), &operands, &op.properties())
        .map_err(|refusal| Diagnostic::error(Code::OperandType, refusal).at(cx.origin(), ""))
}

/// Computes the results of an op of pure algebra.
pub(super) fn computed(cx: &mut Cx<'_>, id: OpId, dialect: Dialect) -> Translated {
    let answers = answers(cx, id, dialect)?;
    let operands = cx.old(id).kind.operand_list();
    let inputs = inputs(cx, &operands);
    let results: Vec<Value> = cx.old(id).results().collect();
    if results.len() != answers.len() {
        return Err(not_lowered(cx, id));
    }
    for (result, answer) in results.into_iter().zip(answers) {
        let traced = &answer.leaves;
        match types(cx.from.ty(result))?.as_slice() {
            [] => cx.bind(result, []),
            [DesugaredType::Cute(ty)] => {
                let leaves = results_of(cx, ty, traced, &inputs)?;
                let value = match ty.kind() {
                    Kind::View(view) => {
                        let Some(&tensor) = operands.iter().find(|&&operand| views::is_memory(cx, operand))
                        else {
                            return Err(not_lowered(cx, id));
                        };
                        let start = match answer.start {
                            Some(Nested::Leaf(start)) => start,
                            Some(Nested::Tuple(_)) => return Err(not_lowered(cx, id)),
                            None => Traced::from(0),
                        };
                        views::part(cx, tensor, view, leaves, &start, &inputs)?
                    }
                    _ => flat(cx, ty.clone(), leaves),
                };
                cx.bind(result, [value]);
            }
            [DesugaredType::Scalar(ElementType::Scalar(scalar))] => {
                let Some(leaf) = traced.first() else {
                    return Err(not_lowered(cx, id));
                };
                let emitted = emit(cx, std::slice::from_ref(leaf), &[leaf.fact()], &inputs);
                let value = emitted.first().map(|value| resized(cx, *value, *scalar));
                cx.bind(result, value);
            }
            _ => return Err(not_lowered(cx, id)),
        }
    }
    Ok(())
}

/// The dynamic leaves of a result whose type may say more of them than inference finds.
fn results_of(
    cx: &mut Cx<'_>,
    ty: &CuteType,
    traced: &[Traced],
    inputs: &[Value],
) -> Result<Vec<Value>, Diagnostic<Origin>> {
    let facts = ty.kind().dynamic_leaves();
    if facts.len() != traced.len() {
        let message = format!(
            "`{ty}` has {} dynamic leaves, and {} are computed",
            facts.len(),
            traced.len()
        );
        return Err(unsupported(cx.origin(), message));
    }
    Ok(emit(cx, traced, &facts, inputs))
}
