//! A zero of which ptxas knows no bit, to hide from it what it computes wrongly.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Block, Body, Builder, OpId, Origin, Value};
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::{Ftz, OpResult, Sat, Special, Type};
use tilewright_irs::literal::Literal;
use tilewright_irs::nvvm::{Instruction, Nvvm, NvvmDialect, NvvmOp, NvvmType};

/// A 32-bit zero at the kernel's start, which ptxas cannot fold: bit 31 of the number of blocks along x, which is below
/// 2^31, shifted as `ty` says. ptxas knows all bits but the lowest of an unsigned one, and none of a signed one.
pub(super) fn unknown_zero(body: &mut Body<Nvvm>, entry: Block, ty: Type) -> Value {
    at_start(body, entry, |build| zero(build, ty))
}

/// The same in 64 bits, of which ptxas knows none.
pub(super) fn unknown_zero_64(body: &mut Body<Nvvm>, entry: Block) -> Value {
    at_start(body, entry, |build| {
        let widened = Instruction::Cvt {
            rounding: None,
            ftz: Ftz(false),
            sat: Sat(false),
            to: Type::S64,
            from: Type::S32,
            d: OpResult,
            a: zero(build, Type::S32),
        };
        build.value(widened, NvvmType::B64)
    })
}

fn zero(build: &mut Builder<'_, Nvvm>, ty: Type) -> Value {
    let blocks = Instruction::ReadSpecial {
        ty: Type::U32,
        d: OpResult,
        register: Special::NctaidX,
    };
    let a = build.value(blocks, NvvmType::B32);
    let value = Literal::new(ScalarType::I32, 31);
    let b = build.value(NvvmDialect::Constant { value }, NvvmType::B32);
    let d = OpResult;
    build.value(Instruction::Shr { ty, d, a, b }, NvvmType::B32)
}

/// Builds ops at the start of a block.
fn at_start(
    body: &mut Body<Nvvm>,
    block: Block,
    build: impl FnOnce(&mut Builder<'_, Nvvm>) -> Value,
) -> Value {
    let old = body.block(block).ops.len();
    let value = build(&mut Builder::new(body, block, Origin::FUNCTION));
    let mut ops = body.block(block).ops.clone();
    ops.rotate_left(old);
    body.arrange_ops(block, ops);
    value
}

/// Hides operands from ptxas: each that `endangered` gives of an op is combined with a zero by an instruction of `combine`,
/// once in a block, and `replace` puts the result in the place of the old value.
pub(super) fn hide(
    body: &mut Body<Nvvm>,
    ty: NvvmType,
    endangered: &impl Fn(OpId, &NvvmOp) -> Vec<Value>,
    combine: &impl Fn(Value) -> Instruction,
    replace: &impl Fn(&mut Instruction, Value, Value),
) {
    for block in body.region(body.root()).blocks.clone() {
        let old = body.block(block).ops.clone();
        let mut new = Vec::with_capacity(old.len());
        let mut hidden: FxHashMap<Value, Value> = FxHashMap::default();
        for id in old {
            for value in endangered(id, &body.op(id).kind) {
                let replacement = *hidden.entry(value).or_insert_with(|| {
                    let origin = body.op(id).origin;
                    let combined = Builder::new(body, block, origin).op(combine(value), [ty]);
                    new.push(combined);
                    body.op(combined).result(0)
                });
                if let NvvmOp::Target(op) = &mut body.op_mut(id).kind {
                    replace(&mut op.instruction, value, replacement);
                }
            }
            new.push(id);
        }
        body.arrange_ops(block, new);
    }
}
