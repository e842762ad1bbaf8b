//! Values of the algebra: the leaves of operands, and results made of leaves.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{OpId, Origin, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::cute_types::CuteType;
use tilewright_irs::dialects::cute::machine_integer;
use tilewright_irs::mlir::Type;

use super::leaves::{flat, leaves_of};
use super::state::{Cx, not_lowered, unsupported};
use super::types::types;
use crate::leaf_arithmetic::resized;

/// The type of a result that is a value of the algebra.
pub(super) fn algebra<'a>(cx: &Cx<'a>, value: Value) -> Result<&'a CuteType, Diagnostic<Origin>> {
    match cx.from.ty(value) {
        Type::Cute(ty) => Ok(ty),
        ty => Err(unsupported(
            cx.origin(),
            format!("`{ty}` is no type of CuTe's algebra"),
        )),
    }
}

/// Binds a result to the value of these leaves, one for each dynamic leaf of its type.
pub(super) fn bind_flat(cx: &mut Cx<'_>, id: OpId, leaves: Vec<Value>) -> Translated {
    let result = cx.old(id).result(0);
    let value = match types(cx.from.ty(result))?.as_slice() {
        [] => None,
        [DesugaredType::Cute(ty)] => {
            let facts = ty.kind().dynamic_leaves();
            if facts.len() != leaves.len() {
                let message = format!("`{ty}` has {} dynamic leaves, not {}", facts.len(), leaves.len());
                return Err(unsupported(cx.origin(), message));
            }
            let sized: Vec<Value> = leaves
                .into_iter()
                .zip(facts)
                .map(|(leaf, fact)| resized(cx, leaf, machine_integer(fact)))
                .collect();
            Some(flat(cx, ty.clone(), sized))
        }
        // A number.
        [_] => leaves.first().copied(),
        _ => return Err(not_lowered(cx, id)),
    };
    cx.bind(result, value);
    Ok(())
}

/// The dynamic leaves of the operands, one after the other, as inference numbers them.
pub(super) fn inputs(cx: &mut Cx<'_>, operands: &[Value]) -> Vec<Value> {
    let mut inputs = Vec::new();
    for &operand in operands {
        let values = cx.all(operand).to_vec();
        for value in values {
            inputs.extend(leaves_of(cx, value));
        }
    }
    inputs
}
