//! The instructions by which the lanes of a warp combine their values, for the pass that asks whether a target has one
//! and the pass that emits it.

use tilewright_irs::core::Value;
use tilewright_irs::dialects::gpu::WarpReduction;
use tilewright_irs::isa::{Abs, Instruction, Nan, OpResult, Redux, Type};

/// The instruction for a reduction of the values `a` of the lanes of a member mask.
pub(crate) fn instruction(reduction: WarpReduction, a: Value, mask: Value) -> Instruction<Value> {
    let integers = |op, ty| Instruction::ReduxSync {
        op,
        ty,
        d: OpResult,
        a,
        mask,
    };
    let floats = |op, nan| Instruction::ReduxFloat {
        op,
        abs: Abs(false),
        nan: Nan(nan),
        ty: Type::F32,
        d: OpResult,
        a,
        mask,
    };
    match reduction {
        WarpReduction::Add => integers(Redux::Add, Type::U32),
        WarpReduction::MinSigned => integers(Redux::Min, Type::S32),
        WarpReduction::MaxSigned => integers(Redux::Max, Type::S32),
        WarpReduction::MinUnsigned => integers(Redux::Min, Type::U32),
        WarpReduction::MaxUnsigned => integers(Redux::Max, Type::U32),
        WarpReduction::And => integers(Redux::And, Type::B32),
        WarpReduction::Or => integers(Redux::Or, Type::B32),
        WarpReduction::Xor => integers(Redux::Xor, Type::B32),
        WarpReduction::MinNumber => floats(Redux::Min, false),
        WarpReduction::MaxNumber => floats(Redux::Max, false),
        WarpReduction::Minimum => floats(Redux::Min, true),
        WarpReduction::Maximum => floats(Redux::Max, true),
    }
}
