//! Hides constants that `ptxas` would negate wrongly in matrix products.
//!
//! In and out: `nvvm`. ptxas 13.0 and 13.5, from -O1 on, see the first register of operand B of some products as one
//! f32: where it is a constant with the sign bit set, or the negative of an f32, they give the product the positive
//! number and a negated operand (`HMMA.1688.F32 R8, R4, -R0, R8`). The constant loses the sign of its upper element
//! only, but the hardware negates all elements of a negated operand. SASS shows it on `sm_80` to `sm_120a` for
//!
//! - 16-bit floats where B is one register (`m16n8k8`), but never where it is two (`m16n8k16`);
//! - 8-bit floats where the target has an instruction for them (`QMMA` of `sm_89` and `sm_120a`), with one register or
//!   two.
//!
//! tf32, which has one element in a register, integers, operand A, and the registers of B after the first are right.
//!
//! Out: such a register, unless it is read from memory, a parameter or a special register, or computed from one, is
//! combined by `or` with a zero that ptxas does not know: bit 31 of the number of blocks along x, which is below 2^31.
//! What ptxas folds itself (`neg.f16x2` of a constant, a shuffle of one) counts as a constant, and so does an f32
//! whose sign it may take apart.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Func, Operation, Origin, SideTable, Value, reverse_postorder};
use tilewright_irs::isa::{MatrixType, OpResult, Type};
use tilewright_irs::nvvm::{Instruction, Nvvm, NvvmOp, NvvmType, TargetOp};

use super::unknown_zero::{hide, unknown_zero};

/// Hides constants from ptxas in matrix products; see [the module](self).
///
/// # Errors
/// None; the type is that of all passes.
pub fn hide_product_constants(func: &Func<Nvvm>) -> Result<Func<Nvvm>, Vec<Diagnostic<Origin>>> {
    let mut products = func.body.ops().filter_map(|(_, op)| endangered(&op.kind));
    let Some(entry) = func.body.entry().filter(|_| products.next().is_some()) else {
        return Ok(func.clone());
    };
    let read = from_outside(&func.body);
    let visible = |op: &NvvmOp| endangered(op).filter(|&value| read.get(value).is_none());
    if !func.body.ops().any(|(_, op)| visible(&op.kind).is_some()) {
        return Ok(func.clone());
    }
    let mut body = func.body.clone();
    let zero = unknown_zero(&mut body, entry, Type::U32);
    hide(
        &mut body,
        NvvmType::B32,
        &|_, op| visible(op).into_iter().collect(),
        &|a| Instruction::Or {
            ty: Type::B32,
            d: OpResult,
            a,
            b: zero,
        },
        &|instruction, _, new| {
            if let Instruction::Mma { b, .. } | Instruction::MmaBlockScaled { b, .. } = instruction
                && let Some(first) = b.0.first_mut()
            {
                *first = new;
            }
        },
    );
    Ok(Func {
        name: func.name.clone(),
        attrs: func.attrs.clone(),
        body: body.renumbered(),
    })
}

/// The register of a product that ptxas may negate, if it would negate it wrongly.
fn endangered(op: &NvvmOp) -> Option<Value> {
    let NvvmOp::Target(op) = op else { return None };
    let (element, b) = match &op.instruction {
        Instruction::Mma { b_type, b, .. } | Instruction::MmaBlockScaled { b_type, b, .. } => (b_type, &b.0),
        _ => return None,
    };
    let shared_sign = match element {
        MatrixType::F16 | MatrixType::Bf16 => b.len() == 1,
        MatrixType::E4m3 | MatrixType::E5m2 | MatrixType::E3m2 | MatrixType::E2m3 | MatrixType::E2m1 => true,
        MatrixType::Tf32
        | MatrixType::F32
        | MatrixType::F64
        | MatrixType::S8
        | MatrixType::U8
        | MatrixType::S4
        | MatrixType::U4
        | MatrixType::B1
        | MatrixType::S32 => false,
    };
    b.first().copied().filter(|_| shared_sign)
}

/// The values that are read from memory, a parameter or a special register, or depend on one other than by arithmetic
/// of f32.
fn from_outside(body: &Body<Nvvm>) -> SideTable<Value, ()> {
    let mut found = body.value_table();
    for &param in body.params() {
        found.set(param, ());
    }
    // Definitions precede uses; an argument of a later block may be a constant on every way to it.
    for block in reverse_postorder(body, body.root()) {
        for &id in &body.block(block).ops {
            let op = body.op(id);
            let special = matches!(
                &op.kind,
                NvvmOp::Target(TargetOp {
                    instruction: Instruction::ReadSpecial { .. },
                    ..
                })
            );
            let read = special || !op.kind.effects().touches().is_empty();
            let mut depends = false;
            op.kind
                .operands(&mut |operand| depends |= found.get(operand).is_some());
            for result in op.results() {
                if read || (depends && *body.ty(result) != NvvmType::F32) {
                    found.set(result, ());
                }
            }
        }
    }
    found
}
