//! Lowers instructions that a program names itself: they stay what they are, with the values of their operands.

use tilewright_irs::core::{Block, OpId, Operation as _, Remap, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::element::ElementType;
use tilewright_irs::isa::TargetOp;
use tilewright_irs::llvm::{LlvmOp, LlvmType};

use super::emit::{Cx, unsupported};

/// Lowers an instruction.
pub(super) fn lower(cx: &mut Cx<'_>, id: OpId, op: &TargetOp) -> Translated {
    let mut types = Vec::new();
    for result in cx.old(id).results() {
        match cx.from.ty(result) {
            DesugaredType::Scalar(ElementType::Scalar(scalar)) => types.push(LlvmType::Scalar(*scalar)),
            _ => return Err(unsupported(cx.origin(), "an instruction gives numbers")),
        }
    }
    let mut op = op.clone();
    op.remap(&mut New(cx));
    let made = cx.build().op(LlvmOp::from(op), types);
    let results: Vec<Value> = cx.new_body().op(made).results().collect();
    cx.bind_results(id, results);
    Ok(())
}

/// Replaces operands by what they became.
struct New<'a, 'b>(&'a Cx<'b>);

impl Remap for New<'_, '_> {
    fn value(&mut self, value: Value) -> Value {
        self.0.one(value)
    }
    fn block(&mut self, block: Block) -> Block {
        block
    }
}
