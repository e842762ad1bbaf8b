//! Values that are known once what was stored is what is loaded.

use tilewright_irs::core::{Body, SideTable, Value, reverse_postorder};
use tilewright_irs::dialects::arith::{ArithOp, Predicate};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::Dense;
use tilewright_irs::llvm::{Llvm, LlvmDialect, LlvmOp, LlvmType};

/// Earlier values that equal later ones: an element of a vector that was built of it, a Boolean that was a byte, and a number that
/// was read as another type and is read as its own again.
pub(super) fn shortcuts(body: &Body<Llvm>) -> SideTable<Value, Value> {
    let definitions = body.definitions();
    let mut known = body.value_table();
    let kind = |value: Value| definitions.get(value).map(|&id| &body.op(id).kind);
    for block in reverse_postorder(body, body.root()) {
        for &id in &body.block(block).ops {
            let op = body.op(id);
            let resolved = |value: Value| known.get(value).copied().unwrap_or(value);
            let earlier = match &op.kind {
                LlvmOp::Llvm(LlvmDialect::ExtractElement { vector, index }) => {
                    match kind(resolved(*vector)) {
                        Some(LlvmOp::Llvm(LlvmDialect::BuildVector { elements })) => {
                            elements.get(*index as usize).copied()
                        }
                        _ => None,
                    }
                }
                LlvmOp::Arith(ArithOp::CmpI {
                    lhs,
                    rhs,
                    predicate: Predicate::NotEqual,
                    ..
                }) => match (kind(resolved(*lhs)), kind(*rhs)) {
                    (
                        Some(LlvmOp::Arith(ArithOp::ExtI { source, .. })),
                        Some(LlvmOp::Arith(ArithOp::Constant {
                            value: Dense::Splat(zero),
                        })),
                    ) if zero.bits == 0 => {
                        let is_bit = *body.ty(*source) == LlvmType::Scalar(ScalarType::I1);
                        is_bit.then_some(*source)
                    }
                    _ => None,
                },
                LlvmOp::Arith(ArithOp::Bitcast { source }) => match kind(resolved(*source)) {
                    Some(LlvmOp::Arith(ArithOp::Bitcast { source: first }))
                        if body.ty(*first) == body.ty(op.result(0)) =>
                    {
                        Some(*first)
                    }
                    _ => None,
                },
                _ => None,
            };
            if let Some(earlier) = earlier.map(resolved) {
                known.set(op.result(0), earlier);
            }
        }
    }
    known
}
