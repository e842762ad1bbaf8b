//! Helpers that emit common ops of this lowering.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Block, Origin, Translation, Value};
use tilewright_irs::cute_desugared::CuteDesugared;
use tilewright_irs::dialects::arith::{ArithOp, Predicate, Signedness};
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::Address;
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::llvm::{Llvm, LlvmType};

/// The translation state of this lowering.
pub(super) type Cx<'a> = Translation<'a, CuteDesugared, Llvm>;

/// The type of an integer of 32 bits.
pub(super) const I32: LlvmType = LlvmType::Scalar(ScalarType::I32);
/// The type of an integer of 64 bits.
pub(super) const I64: LlvmType = LlvmType::Scalar(ScalarType::I64);
/// The type of a condition.
pub(super) const I1: LlvmType = LlvmType::Scalar(ScalarType::I1);
/// All lanes of a warp.
pub(super) const WARP: u32 = u32::MAX;

/// Unsupported constructs.
pub(super) fn unsupported(origin: Origin, message: impl Into<String>) -> Diagnostic<Origin> {
    Diagnostic::error(Code::UnsupportedFeature, message).at(origin, "")
}

/// The address of a pointer.
pub(super) fn at(pointer: Value) -> Address<Value> {
    Address::from((pointer, 0))
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

/// A constant of 32 bits.
pub(super) fn i32(cx: &mut Cx<'_>, value: u32) -> Value {
    constant(cx, Literal::new(ScalarType::I32, u64::from(value)))
}

/// A constant of 64 bits.
pub(super) fn i64(cx: &mut Cx<'_>, value: u64) -> Value {
    constant(cx, Literal::new(ScalarType::I64, value))
}

/// Compares two integers.
pub(super) fn compare(
    cx: &mut Cx<'_>,
    lhs: Value,
    predicate: Predicate,
    rhs: Value,
    signedness: Signedness,
) -> Value {
    let op = ArithOp::CmpI {
        lhs,
        rhs,
        predicate,
        signedness,
    };
    cx.value(op, I1)
}

/// Whether two integers are equal.
pub(super) fn equal(cx: &mut Cx<'_>, lhs: Value, rhs: Value) -> Value {
    compare(cx, lhs, Predicate::Equal, rhs, Signedness::Unsigned)
}
