//! Helpers that emit common ops of this lowering.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Block, Origin, Translation, Value};
use tilewright_irs::cute_desugared::CuteDesugared;
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::llvm::{Llvm, LlvmType};

/// The translation state of this lowering.
pub(super) type Cx<'a> = Translation<'a, CuteDesugared, Llvm>;

/// The type of an integer of 32 bits.
pub(super) const I32: LlvmType = LlvmType::Scalar(ScalarType::I32);
/// The type of an integer of 64 bits.
pub(super) const I64: LlvmType = LlvmType::Scalar(ScalarType::I64);

/// Unsupported constructs.
pub(super) fn unsupported(origin: Origin, message: impl Into<String>) -> Diagnostic<Origin> {
    Diagnostic::error(Code::UnsupportedFeature, message).at(origin, "")
}

/// A new block with arguments.
pub(super) fn new_block(cx: &mut Cx<'_>, types: &[LlvmType]) -> (Block, Vec<Value>) {
    let body = cx.body_mut();
    let root = body.root();
    let block = body.add_block(root);
    let args = types.iter().map(|&ty| body.add_arg(block, ty)).collect();
    (block, args)
}

/// A constant.
pub(super) fn constant(cx: &mut Cx<'_>, literal: Literal) -> Value {
    let value = Dense::Splat(literal);
    cx.value(ArithOp::Constant { value }, LlvmType::Scalar(literal.ty))
}
