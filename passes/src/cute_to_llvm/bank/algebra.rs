//! Layout algebra: a result is packed from its leaves, which are arithmetic on those of the operands.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{OpId, Operation, Origin, Translated, Value};
use tilewright_irs::cute_types::{CuteType, Kind, View};
use tilewright_irs::dialects::cute::{AlgebraOp, AlgebraValue, algebra};
use tilewright_layouts::cute::{Nested, Traced};

use super::leaves::{algebra as type_of, packing};
use super::pointers;
use crate::cute_to_llvm::emit::{Cx, unsupported};
use crate::leaf_arithmetic::{emit, known};

/// Computes a result by the rule that infers its type.
pub(in super::super) fn convert(cx: &mut Cx<'_>, id: OpId, op: &AlgebraOp) -> Translated {
    let computed = algebra::computed(cx.from, op)
        .map_err(|refusal| Diagnostic::error(Code::OperandType, refusal.to_string()).at(cx.origin(), ""))?;
    let mut inputs = Vec::new();
    op.operands(&mut |operand| inputs.push(operand));
    let inputs = leaves_of_all(cx, &inputs)?;
    let result = cx.old(id).result(0);
    let ty = type_of(cx, result)?;
    let facts = ty.kind().dynamic_leaves();
    let leaves = emit(cx, &computed.leaves, &facts, &inputs);
    let address = match ty.kind() {
        Kind::View(_) => Some(start(cx, op, computed.start.as_ref(), &inputs)?),
        _ => None,
    };
    let packed = packing(cx, result)?.pack(cx, address, &leaves);
    cx.bind(result, packed);
    Ok(())
}

/// The dynamic leaves of the operands, one after the other; an integer is its own.
fn leaves_of_all(cx: &mut Cx<'_>, operands: &[Value]) -> Result<Vec<Value>, Diagnostic<Origin>> {
    let mut leaves = Vec::new();
    for &operand in operands {
        let value = cx.all(operand).first().copied();
        match cx.from.ty(operand).algebra() {
            Some(_) => leaves.extend(packing(cx, operand)?.unpack(cx, value)),
            None => leaves.extend(value),
        }
    }
    Ok(leaves)
}

/// The address of a part of a tensor: that of the tensor, moved.
fn start(
    cx: &mut Cx<'_>,
    op: &AlgebraOp,
    distance: Option<&Nested<Traced>>,
    inputs: &[Value],
) -> Result<Value, Diagnostic<Origin>> {
    let mut tensor = None;
    op.operands(&mut |operand| {
        if let Some(Kind::View(view)) = cx.from.ty(operand).algebra().map(CuteType::kind) {
            tensor.get_or_insert((operand, view.clone()));
        }
    });
    let Some((tensor, View { pointer, .. })) = tensor else {
        return Err(unsupported(cx.origin(), "a part of no tensor in memory"));
    };
    let base = super::views::address(cx, tensor)?;
    let distance = match distance {
        None => return Ok(base),
        Some(Nested::Leaf(distance)) => distance,
        Some(Nested::Tuple(_)) => {
            return Err(unsupported(
                cx.origin(),
                "an address that is moved by several integers",
            ));
        }
    };
    let fact = known(distance);
    let moved = emit(cx, std::slice::from_ref(distance), &[fact], inputs);
    pointers::moved(cx, base, &pointer, fact, moved.first().copied())
}
