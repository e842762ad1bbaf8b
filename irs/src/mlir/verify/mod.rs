//! What holds of a well-formed function beyond the declarations: the rules of the library's verifiers, by classes of ops.
//!
//! The types of results are those that follow from operands ([`stated`]). Ops of other dialects have the rules of MLIR.

mod accesses;
mod arith;
mod control;
mod instructions;
mod launches;
mod leaves;
mod nvgpu;
mod op;
mod products;
mod stated;
mod typing;

pub use launches::verify_module;

use rustc_hash::FxHashSet;

use super::Mlir;
use super::dialects::UbOp;
use super::ops::MlirOp;
use crate::core::{Func, Operation as _, Problems};
use op::{Checked, Op};

/// Checks a function. An op whose operands come from one that is wrong is not judged.
pub(super) fn verify(func: &Func<Mlir>, problems: &mut Problems) {
    let body = &func.body;
    let mut doubtful = FxHashSet::default();
    for id in body.walk() {
        let op = Op::new(func, body.op(id));
        let mut doubted = false;
        if !doubtful.is_empty() {
            op.data
                .kind
                .operands(&mut |value| doubted |= doubtful.contains(&value));
        }
        let checked = match doubted {
            true => None,
            false => rules(op).and_then(|()| stated::results(op)).err(),
        };
        if checked.is_some() || doubted {
            doubtful.extend(op.data.results());
            op.data.kind.regions(&mut |region| {
                let blocks = &body.region(region).blocks;
                doubtful.extend(
                    blocks
                        .iter()
                        .flat_map(|&block| body.block(block).args.iter().copied()),
                );
            });
        }
        if let Some(wrong) = checked {
            problems.error_at(op.data.origin, wrong.part, wrong.code, wrong.message);
        }
    }
    if problems.list.is_empty() {
        control::returns(func, problems);
    }
}

/// The rules of an op's dialect and class.
fn rules(op: Op<'_>) -> Checked {
    match &op.data.kind {
        MlirOp::Arith(kind) => arith::arith(op, kind),
        MlirOp::Math(kind) => arith::math(op, kind),
        MlirOp::Vector(kind) => arith::vector(op, kind),
        MlirOp::Scf(kind) => control::scf(op, kind),
        MlirOp::Cf(kind) => control::cf(op, kind),
        MlirOp::Ub(UbOp::Poison { .. }) => Ok(()),
        MlirOp::Builtin(kind) => control::builtin(op, kind),
        // Returns end the function, which says what they return.
        MlirOp::Func(_) => Ok(()),
        MlirOp::Llvm(kind) => control::llvm(op, kind),
        MlirOp::Cuda(kind) => launches::cuda(op, kind),
        MlirOp::Nvvm(kind) => instructions::nvvm(op, kind),
        // Inference says all.
        MlirOp::Open(_) => leaves::positive(op),
        MlirOp::Cute(kind) => leaves::positive(op).and_then(|()| typing::cute(op, kind)),
        MlirOp::CuteNvgpu(kind) => leaves::positive(op).and_then(|()| nvgpu::cute_nvgpu(op, kind)),
    }
}
