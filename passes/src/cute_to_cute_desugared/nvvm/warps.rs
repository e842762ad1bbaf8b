//! What the threads of a warp do together.

use tilewright_irs::core::{OpId, Translated};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::gpu::GpuOp;
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::{Abs, Instruction, Nan, OpResult, Redux, Shuffle, Type, Vote, WithPredicate};
use tilewright_irs::machine::LANES;
use tilewright_irs::mlir::dialects::NvvmOp;
use tilewright_irs::mlir::enums::{MatchKind, ReductionKind, ShuffleKind, VoteKind};

use crate::cute_to_cute_desugared::instructions::{I32, emit, i32, of, one};
use crate::cute_to_cute_desugared::state::{Cx, Desugar, not_lowered};

/// The clamp of a shuffle among all lanes of a warp. (PTX ISA, `shfl.sync`, operand `c`.)
const WHOLE_WARP: i64 = 31;

/// Lowers an op.
pub(super) fn lower(pass: &Desugar, cx: &mut Cx<'_>, id: OpId, op: &NvvmOp) -> Translated {
    match op {
        NvvmOp::ElectSync { mask } => {
            let mask = match mask {
                Some(mask) => cx.one(*mask),
                None => i32(cx, -1),
            };
            let d = WithPredicate {
                register: OpResult,
                predicate: Some(OpResult),
            };
            let types = [I32, of(ScalarType::I1)];
            let made = emit(cx, pass.target, Instruction::ElectSync { d, mask }, types)?;
            cx.bind(cx.old(id).result(0), made.last().copied());
            Ok(())
        }
        NvvmOp::VoteSync { mask, pred, kind } => {
            let (mask, a) = (cx.one(*mask), cx.one(*pred));
            let d = OpResult;
            let vote = |mode| Instruction::VoteSync {
                mode,
                ty: Type::Pred,
                d,
                a,
                mask,
            };
            let (vote, ty) = match kind {
                VoteKind::Any => (vote(Vote::Any), of(ScalarType::I1)),
                VoteKind::All => (vote(Vote::All), of(ScalarType::I1)),
                VoteKind::Uni => (vote(Vote::Uni), of(ScalarType::I1)),
                VoteKind::Ballot => {
                    let ty = Type::B32;
                    (Instruction::VoteBallot { ty, d, a, mask }, I32)
                }
            };
            let value = one(cx, pass.target, vote, ty)?;
            cx.bind(cx.old(id).result(0), [value]);
            Ok(())
        }
        NvvmOp::MatchSync { mask, value, kind } => {
            let (mask, a) = (cx.one(*mask), cx.one(*value));
            let ty = match *cx.ty(a) == I32 {
                true => Type::B32,
                false => Type::B64,
            };
            let made = match kind {
                MatchKind::Any => {
                    let d = OpResult;
                    emit(cx, pass.target, Instruction::MatchAny { ty, d, a, mask }, [I32])?
                }
                MatchKind::All => {
                    let d = WithPredicate {
                        register: OpResult,
                        predicate: Some(OpResult),
                    };
                    let types = [I32, of(ScalarType::I1)];
                    emit(cx, pass.target, Instruction::MatchAll { ty, d, a, mask }, types)?
                }
            };
            cx.bind(cx.old(id).result(0), made);
            Ok(())
        }
        NvvmOp::ReduxSync {
            value,
            mask,
            kind,
            abs,
            nan,
        } => {
            let (a, mask, d) = (cx.one(*value), cx.one(*mask), OpResult);
            let integers = |op, ty| Instruction::ReduxSync { op, ty, d, a, mask };
            let floats = |op| Instruction::ReduxFloat {
                op,
                abs: Abs(*abs),
                nan: Nan(*nan),
                ty: Type::F32,
                d,
                a,
                mask,
            };
            let (redux, ty) = match kind {
                ReductionKind::Add => (integers(Redux::Add, Type::S32), I32),
                ReductionKind::And => (integers(Redux::And, Type::B32), I32),
                ReductionKind::Or => (integers(Redux::Or, Type::B32), I32),
                ReductionKind::Xor => (integers(Redux::Xor, Type::B32), I32),
                ReductionKind::Max => (integers(Redux::Max, Type::S32), I32),
                ReductionKind::Min => (integers(Redux::Min, Type::S32), I32),
                ReductionKind::Umax => (integers(Redux::Max, Type::U32), I32),
                ReductionKind::Umin => (integers(Redux::Min, Type::U32), I32),
                ReductionKind::Fmin => (floats(Redux::Min), of(ScalarType::F32)),
                ReductionKind::Fmax => (floats(Redux::Max), of(ScalarType::F32)),
            };
            let value = one(cx, pass.target, redux, ty)?;
            cx.bind(cx.old(id).result(0), [value]);
            Ok(())
        }
        NvvmOp::ShflSync {
            mask,
            value,
            offset,
            clamp,
            kind,
            with_predicate,
        } => {
            let whole = pass.constant(*mask) == Some(-1) && pass.constant(*clamp) == Some(WHOLE_WARP);
            let source = cx.one(*value);
            let ty = cx.ty(source).clone();
            let distance = pass
                .constant(*offset)
                .and_then(|offset| u32::try_from(offset).ok());
            let result = cx.old(id).result(0);
            match (kind, distance, whole && !with_predicate.0) {
                (ShuffleKind::Bfly, Some(mask @ 0..LANES), true) => {
                    let moved = cx.value(GpuOp::ShuffleXor { value: source, mask }, ty);
                    cx.bind(result, [moved]);
                }
                (ShuffleKind::Idx, _, true) => {
                    let lane = cx.one(*offset);
                    let moved = cx.value(GpuOp::ShuffleIdx { value: source, lane }, ty);
                    cx.bind(result, [moved]);
                }
                _ => {
                    let mode = match kind {
                        ShuffleKind::Bfly => Shuffle::Bfly,
                        ShuffleKind::Up => Shuffle::Up,
                        ShuffleKind::Down => Shuffle::Down,
                        ShuffleKind::Idx => Shuffle::Idx,
                    };
                    let a = match ty == I32 {
                        true => source,
                        false => cx.value(ArithOp::Bitcast { source }, I32),
                    };
                    let shuffle = Instruction::ShflSync {
                        mode,
                        ty: Type::B32,
                        d: WithPredicate {
                            register: OpResult,
                            predicate: with_predicate.0.then_some(OpResult),
                        },
                        a,
                        b: cx.one(*offset),
                        c: cx.one(*clamp),
                        mask: cx.one(*mask),
                    };
                    let types = [I32, of(ScalarType::I1)].into_iter();
                    let types = types.take(1 + usize::from(with_predicate.0));
                    let mut made = emit(cx, pass.target, shuffle, types)?;
                    if let Some(source) = made.first_mut().filter(|_| ty != I32) {
                        *source = cx.value(ArithOp::Bitcast { source: *source }, ty);
                    }
                    cx.bind(result, made);
                }
            }
            Ok(())
        }
        _ => Err(not_lowered(cx, id)),
    }
}
