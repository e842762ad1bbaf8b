//! Instructions of NVIDIA's GPUs.
//!
//! What every kernel has, such as indices and barriers of the block, are ops of `gpu`; the others stay the instructions that they
//! name.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Flag, OpId, Origin, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::cute_types::Space as CuteSpace;
use tilewright_irs::dialects::arith::{ArithOp, Precision, Predicate, Signedness};
use tilewright_irs::dialects::cute::CuteOp;
use tilewright_irs::dialects::fast_math::FastMathOf;
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::dialects::gpu::GpuOp;
use tilewright_irs::dialects::memory::{FenceOrder, MemoryScope};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::isa::limits::NAMED_BARRIERS;
use tilewright_irs::isa::{
    self, Abs, Aligned, AlignedWord, Arrival, ArrivalMode, ArriveWord, BarrierLogic, CacheHint, CasWord,
    CopyCache, Cta, Eviction, Instruction, LoadCache, MatrixCount, MatrixShape, Nan, Noftz, Noinc, OpResult,
    Order, PopcWord, PrefetchLevel, Proxy, ReadOnly, RedWord, Redux, Results, Scope, Shuffle, Sources, Space,
    Special, StoreCache, SyncWord, TargetOp, Trans, Type, Vote, Width, WithPredicate,
};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::machine::LANES;
use tilewright_irs::mlir::Attribute;
use tilewright_irs::mlir::dialects::NvvmOp;
use tilewright_irs::mlir::enums::{
    AtomicKind, AtomicOrdering, AtomicScope, BarrierReduction, CacheLevel, CachePriority, CopyModifier,
    EvictKind, FloatRounding, L2Prefetch, LoadFormat, LoadModifier, LoadShape, MatchKind, MatrixLayout,
    MbarrierWait, MemOrder, MemScope, ProxyKind, ReductionKind, RegisterChange, Saturation, SharedSpace,
    ShuffleKind, StoreModifier, StoreShape, VoteKind,
};
use tilewright_irs::nvvm::memory_scope;

use super::inline_ptx::{self, WithRoles};
use super::instructions::{address, effect, emit, i32, of, one, special};
use super::pointers::pointer;
use super::state::{Cx, Desugar, not_lowered, unsupported};
use super::types::number;
use crate::leaf_arithmetic::constant;

const I32: DesugaredType = DesugaredType::Scalar(ElementType::I32);

/// The clamp of a shuffle among all lanes of a warp. (PTX ISA, `shfl.sync`, operand `c`.)
const WHOLE_WARP: i64 = 31;

/// The special register that an op reads, unless an op of `gpu` does.
const fn register(op: &NvvmOp) -> Option<Special> {
    Some(match op {
        NvvmOp::NtidX { .. } => Special::NtidX,
        NvvmOp::NtidY { .. } => Special::NtidY,
        NvvmOp::NtidZ { .. } => Special::NtidZ,
        NvvmOp::ClusterCtaidX { .. } => Special::ClusterCtaidX,
        NvvmOp::ClusterCtaidY { .. } => Special::ClusterCtaidY,
        NvvmOp::ClusterCtaidZ { .. } => Special::ClusterCtaidZ,
        NvvmOp::ClusterNctaidX { .. } => Special::ClusterNctaidX,
        NvvmOp::ClusterNctaidY { .. } => Special::ClusterNctaidY,
        NvvmOp::ClusterNctaidZ { .. } => Special::ClusterNctaidZ,
        NvvmOp::Laneid { .. } => Special::Laneid,
        NvvmOp::Warpid { .. } => Special::Warpid,
        NvvmOp::Smid { .. } => Special::Smid,
        NvvmOp::LanemaskEq { .. } => Special::LanemaskEq,
        NvvmOp::LanemaskLt { .. } => Special::LanemaskLt,
        NvvmOp::LanemaskLe { .. } => Special::LanemaskLe,
        NvvmOp::LanemaskGt { .. } => Special::LanemaskGt,
        NvvmOp::LanemaskGe { .. } => Special::LanemaskGe,
        NvvmOp::Clock {} => Special::Clock,
        NvvmOp::Clock64 {} => Special::Clock64,
        NvvmOp::Globaltimer {} => Special::Globaltimer,
        NvvmOp::GlobaltimerLo {} => Special::GlobaltimerLo,
        NvvmOp::Nwarpid { .. } => Special::Nwarpid,
        NvvmOp::Nsmid { .. } => Special::Nsmid,
        NvvmOp::Gridid { .. } => Special::Gridid,
        NvvmOp::ClusterNctarank { .. } => Special::ClusterNctarank,
        NvvmOp::DynamicSmemSize {} => Special::DynamicSmemSize,
        _ => return None,
    })
}

/// Lowers an op.
pub(super) fn lower(pass: &Desugar, cx: &mut Cx<'_>, id: OpId, op: &NvvmOp) -> Translated {
    let index = match op {
        NvvmOp::TidX { .. } => Some(GpuOp::ThreadIdx { axis: None }),
        NvvmOp::TidY { .. } => Some(GpuOp::ThreadIdx { axis: Some(1) }),
        NvvmOp::TidZ { .. } => Some(GpuOp::ThreadIdx { axis: Some(2) }),
        NvvmOp::CtaidX { .. } => Some(GpuOp::BlockIdx { axis: 0 }),
        NvvmOp::CtaidY { .. } => Some(GpuOp::BlockIdx { axis: 1 }),
        NvvmOp::CtaidZ { .. } => Some(GpuOp::BlockIdx { axis: 2 }),
        NvvmOp::NctaidX { .. } => Some(GpuOp::GridDim { axis: 0 }),
        NvvmOp::NctaidY { .. } => Some(GpuOp::GridDim { axis: 1 }),
        NvvmOp::NctaidZ { .. } => Some(GpuOp::GridDim { axis: 2 }),
        NvvmOp::ClusteridX { .. } => Some(GpuOp::ClusterIdx { axis: 0 }),
        NvvmOp::ClusteridY { .. } => Some(GpuOp::ClusterIdx { axis: 1 }),
        NvvmOp::ClusteridZ { .. } => Some(GpuOp::ClusterIdx { axis: 2 }),
        NvvmOp::NclusteridX { .. } => Some(GpuOp::NumClusters { axis: 0 }),
        NvvmOp::NclusteridY { .. } => Some(GpuOp::NumClusters { axis: 1 }),
        NvvmOp::NclusteridZ { .. } => Some(GpuOp::NumClusters { axis: 2 }),
        NvvmOp::ClusterCtarank { .. } => Some(GpuOp::BlockRank {}),
        _ => None,
    };
    if let Some(index) = index {
        let value = cx.value(index, I32);
        cx.bind(cx.old(id).result(0), [value]);
        return Ok(());
    }
    if let Some(register) = register(op) {
        let value = special(cx, pass.target, register)?;
        cx.bind(cx.old(id).result(0), [value]);
        return Ok(());
    }
    match op {
        NvvmOp::Barrier {
            id: number,
            threads,
            predicate: None,
            ..
        } => block_barrier(pass, cx, id, *number, *threads),
        NvvmOp::Barrier {
            id: number,
            threads,
            predicate: Some(predicate),
            reduction,
        } => {
            let kind = match reduction {
                Some(kind) if kind.body_of("nvvm.reduction") == Some("and") => BarrierReduction::And,
                Some(kind) if kind.body_of("nvvm.reduction") == Some("or") => BarrierReduction::Or,
                Some(kind) if kind.body_of("nvvm.reduction") == Some("popc") => BarrierReduction::Popc,
                Some(_) | None => return Err(not_lowered(cx, id)),
            };
            let lhs = cx.one(*predicate);
            let rhs = i32(cx, 0);
            let (predicate, signedness) = (Predicate::NotEqual, Signedness::Unsigned);
            let holds = ArithOp::CmpI {
                lhs,
                rhs,
                predicate,
                signedness,
            };
            let holds = cx.value(holds, of(ScalarType::I1));
            let number = barrier_number(pass, cx, *number)?;
            let threads = barrier_threads(pass, cx, *threads)?;
            barrier_reduction(pass, cx, id, holds, (number, threads, true), kind)
        }
        NvvmOp::BarrierArrive { id: number, threads } => {
            let a = barrier_number(pass, cx, *number)?;
            let Some(b) = barrier_threads(pass, cx, Some(*threads))? else {
                return Err(not_lowered(cx, id));
            };
            let (cta, arrive) = (Cta(false), ArriveWord);
            effect(cx, pass.target, Instruction::BarArrive { cta, arrive, a, b })
        }
        NvvmOp::BarrierCtaSync {
            id: number,
            threads,
            aligned,
        } => {
            let a = barrier_number(pass, cx, Some(*number))?;
            let b = barrier_threads(pass, cx, *threads)?;
            let (cta, sync, aligned) = (Cta(false), SyncWord, Aligned(*aligned));
            let sync = Instruction::BarrierSync {
                cta,
                sync,
                aligned,
                a,
                b,
            };
            effect(cx, pass.target, sync)
        }
        NvvmOp::BarrierCtaArrive {
            id: number,
            threads,
            aligned,
        } => {
            let a = barrier_number(pass, cx, Some(*number))?;
            let Some(b) = barrier_threads(pass, cx, Some(*threads))? else {
                return Err(not_lowered(cx, id));
            };
            let (cta, arrive, aligned) = (Cta(false), ArriveWord, Aligned(*aligned));
            let arrive = Instruction::BarrierArrive {
                cta,
                arrive,
                aligned,
                a,
                b,
            };
            effect(cx, pass.target, arrive)
        }
        NvvmOp::BarrierCtaRed {
            pred,
            id: number,
            threads,
            aligned,
            kind,
        } => {
            let holds = cx.one(*pred);
            let number = barrier_number(pass, cx, Some(*number))?;
            let threads = barrier_threads(pass, cx, *threads)?;
            barrier_reduction(pass, cx, id, holds, (number, threads, *aligned), *kind)
        }
        NvvmOp::BarWarpSync { mask } => {
            let mask = cx.one(*mask);
            effect(cx, pass.target, Instruction::BarWarpSync { mask })
        }
        NvvmOp::Warpsize { .. } => {
            let lanes = i32(cx, i64::from(LANES));
            cx.bind(cx.old(id).result(0), [lanes]);
            Ok(())
        }
        NvvmOp::InlinePtx {
            read,
            changed,
            predicate,
            code,
        } => {
            let op = WithRoles {
                code,
                read,
                changed,
                predicate: *predicate,
            };
            inline_ptx::lower_with_roles(pass, cx, id, op)
        }
        NvvmOp::AddF {
            lhs,
            rhs,
            rnd,
            sat,
            ftz,
        } => {
            let words = (rounding(*rnd), *ftz, saturation(cx, *sat)?);
            float_instruction(pass, cx, id, ("add", words, ""), &[*lhs, *rhs])
        }
        NvvmOp::SubF {
            lhs,
            rhs,
            rnd,
            sat,
            ftz,
        } => {
            let words = (rounding(*rnd), *ftz, saturation(cx, *sat)?);
            float_instruction(pass, cx, id, ("sub", words, ""), &[*lhs, *rhs])
        }
        NvvmOp::Fma {
            a,
            b,
            c,
            rnd,
            sat,
            ftz,
            relu,
            oob,
        } => {
            let words = (rounding(*rnd), *ftz, saturation(cx, *sat)?);
            let after = match (relu, oob) {
                (false, false) => "",
                (true, false) => ".relu",
                (false, true) => ".oob",
                (true, true) => ".oob.relu",
            };
            float_instruction(pass, cx, id, ("fma", words, after), &[*a, *b, *c])
        }
        NvvmOp::FAbs { value, ftz } => {
            float_instruction(pass, cx, id, ("abs", ("", *ftz, ""), ""), &[*value])
        }
        NvvmOp::AddPacked { a, b, ftz, rnd } => {
            float_instruction(pass, cx, id, ("add", (rounding(*rnd), *ftz, ""), ""), &[*a, *b])
        }
        NvvmOp::SubPacked { a, b, ftz, rnd } => {
            float_instruction(pass, cx, id, ("sub", (rounding(*rnd), *ftz, ""), ""), &[*a, *b])
        }
        NvvmOp::MulPacked { a, b, ftz, rnd } => {
            float_instruction(pass, cx, id, ("mul", (rounding(*rnd), *ftz, ""), ""), &[*a, *b])
        }
        NvvmOp::FmaPacked { a, b, c, ftz, rnd } => float_instruction(
            pass,
            cx,
            id,
            ("fma", (rounding(*rnd), *ftz, ""), ""),
            &[*a, *b, *c],
        ),
        NvvmOp::Prefetch {
            addr,
            predicate,
            level,
            evict,
            tensormap: Flag(false),
            uniform: Flag(false),
            parameter: Flag(false),
        } => {
            let level = match (level, evict) {
                (Some(CacheLevel::L1), None) => PrefetchLevel::L1,
                (Some(CacheLevel::L2), None) => PrefetchLevel::L2,
                (Some(CacheLevel::L2), Some(CachePriority::Normal)) => PrefetchLevel::L2EvictNormal,
                (Some(CacheLevel::L2), Some(CachePriority::Last)) => PrefetchLevel::L2EvictLast,
                (Some(_), Some(evict)) => {
                    let message = format!("no line is brought into this cache with `{}`", evict.word());
                    return Err(Diagnostic::error(Code::AttributeValue, message).at(cx.origin(), ""));
                }
                (None, _) => return Err(not_lowered(cx, id)),
            };
            let pointer = cx.one(*addr);
            let (a, space) = address(cx, pointer)?;
            let prefetch = TargetOp {
                instruction: Instruction::PrefetchLine { space, level, a },
                guard: predicate.map(|predicate| cx.one(predicate)),
                otherwise: Vec::new(),
            };
            effect(cx, pass.target, prefetch)
        }
        NvvmOp::Nanosleep { duration } => {
            let (ty, a) = (Type::U32, cx.one(*duration));
            effect(cx, pass.target, Instruction::Nanosleep { ty, a })
        }
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
        NvvmOp::AtomicRmw {
            op: kind,
            ptr,
            a,
            b,
            order,
            scope,
        } => atomic(pass, cx, id, (*kind, *ptr, *a, *b), (*order, *scope)),
        NvvmOp::Red {
            a: ptr,
            b: value,
            cache_hint: None,
            op: kind,
            ty,
            order,
            scope,
        } => {
            let order = match order {
                None => None,
                Some(order) => Some(atomic_order(cx, *order)?),
            };
            let (pointer, value) = (cx.one(*ptr), cx.one(*value));
            let (a, space) = address(cx, pointer)?;
            let (Some(op), Some(ty)) = (isa::AtomicOp::from_word(kind.word()), Type::from_word(ty.word()))
            else {
                return Err(not_lowered(cx, id));
            };
            let noftz = Noftz(matches!(ty, Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2));
            let value = exchanged(cx, value)?;
            let red = Instruction::Red {
                order,
                scope: scope.map(mem_scope),
                space,
                op,
                noftz,
                width: None,
                ty,
                a,
                b: Sources(vec![value]),
            };
            effect(cx, pass.target, red)
        }
        NvvmOp::LoadExt {
            addr,
            cache_hint: None,
            order,
            scope,
            prefetch,
            evict,
            modifier,
            space,
            ..
        } if *space != Some(SharedSpace::Cluster) => {
            let order = match order {
                None | Some(MemOrder::Weak) => None,
                Some(order) => Some(load_order(cx, id, *order)?),
            };
            let cache = match modifier {
                None | Some(LoadModifier::None) => None,
                Some(LoadModifier::Ca) => Some(LoadCache::Ca),
                Some(LoadModifier::Cg) => Some(LoadCache::Cg),
                Some(LoadModifier::Cs) => Some(LoadCache::Cs),
                Some(LoadModifier::Lu) => Some(LoadCache::Lu),
                Some(LoadModifier::Cv) => Some(LoadCache::Cv),
            };
            let prefetch = match prefetch {
                None | Some(L2Prefetch::None) => None,
                Some(L2Prefetch::Bytes64) => Some(isa::Prefetch::B64),
                Some(L2Prefetch::Bytes128) => Some(isa::Prefetch::B128),
                Some(L2Prefetch::Bytes256) => Some(isa::Prefetch::B256),
                Some(L2Prefetch::Reserved) => return Err(not_lowered(cx, id)),
            };
            let access = Access {
                order,
                scope: scope.map(mem_scope),
                eviction: eviction(*evict),
            };
            load(pass, cx, id, *addr, access, (cache, prefetch))
        }
        NvvmOp::StoreExt {
            value,
            addr,
            cache_hint: None,
            order,
            scope,
            evict,
            modifier,
            space,
        } if *space != Some(SharedSpace::Cluster) => {
            let order = match order {
                None | Some(MemOrder::Weak) => None,
                Some(order) => Some(load_order(cx, id, *order)?),
            };
            let cache = match modifier {
                None | Some(StoreModifier::None) => None,
                Some(StoreModifier::Wb) => Some(StoreCache::Wb),
                Some(StoreModifier::Cg) => Some(StoreCache::Cg),
                Some(StoreModifier::Cs) => Some(StoreCache::Cs),
                Some(StoreModifier::Wt) => Some(StoreCache::Wt),
            };
            let access = Access {
                order,
                scope: scope.map(mem_scope),
                eviction: eviction(*evict),
            };
            store(pass, cx, id, (*value, *addr), access, cache)
        }
        NvvmOp::Ldmatrix {
            ptr,
            num,
            layout,
            shape: LoadShape::M8n8,
            format: LoadFormat::B8,
        } => {
            let pointer = cx.one(*ptr);
            let (a, space) = address(cx, pointer)?;
            let (count, number) = match num {
                1 => (MatrixCount::X1, 1),
                2 => (MatrixCount::X2, 2),
                4 => (MatrixCount::X4, 4),
                _ => return Err(not_lowered(cx, id)),
            };
            let load = Instruction::LdMatrix {
                shape: MatrixShape::M8n8,
                count,
                trans: Trans(*layout == MatrixLayout::Col),
                space,
                ty: Type::B16,
                d: Results(vec![OpResult; number]),
                a,
            };
            let made = emit(cx, pass.target, load, vec![I32; number])?;
            cx.bind(cx.old(id).result(0), made);
            Ok(())
        }
        NvvmOp::Stmatrix {
            ptr,
            sources,
            layout,
            shape: StoreShape::M8n8,
        } => {
            let pointer = cx.one(*ptr);
            let (a, space) = address(cx, pointer)?;
            let count = match sources.len() {
                1 => MatrixCount::X1,
                2 => MatrixCount::X2,
                4 => MatrixCount::X4,
                _ => return Err(not_lowered(cx, id)),
            };
            let b = Sources(sources.iter().map(|&source| cx.one(source)).collect());
            let store = Instruction::StMatrix {
                shape: MatrixShape::M8n8,
                count,
                trans: Trans(*layout == MatrixLayout::Col),
                space,
                ty: Type::B16,
                a,
                b,
            };
            effect(cx, pass.target, store)
        }
        NvvmOp::CpAsyncShared {
            dst,
            src,
            bytes,
            size,
            modifier,
        } => {
            let (to, from) = (cx.one(*dst), cx.one(*src));
            let ((target, _), (source, _)) = (address(cx, to)?, address(cx, from)?);
            let cache = match modifier {
                CopyModifier::Ca => CopyCache::Ca,
                CopyModifier::Cg => CopyCache::Cg,
                CopyModifier::Cs | CopyModifier::Lu | CopyModifier::Cv => return Err(not_lowered(cx, id)),
            };
            let Ok(size) = u32::try_from(*size) else {
                return Err(not_lowered(cx, id));
            };
            let copy = Instruction::CpAsync {
                cache,
                to: Space::Shared,
                from: Space::Global,
                hint: CacheHint(false),
                prefetch: None,
                target,
                source,
                size,
                source_size: bytes.map(|bytes| cx.one(bytes)),
                policy: None,
            };
            effect(cx, pass.target, copy)
        }
        NvvmOp::CpAsyncMbarrierArrive { addr, noinc } => {
            let pointer = cx.one(*addr);
            let (a, space) = address(cx, pointer)?;
            let (noinc, ty) = (Noinc(*noinc), Type::B64);
            effect(
                cx,
                pass.target,
                Instruction::CpAsyncArrive { noinc, space, ty, a },
            )
        }
        NvvmOp::FenceMbarrierInit {} => effect(cx, pass.target, Instruction::FenceMbarrierInit {}),
        NvvmOp::MbarrierInit {
            addr,
            count,
            predicate,
            ..
        } => {
            let (pointer, count) = (cx.one(*addr), cx.one(*count));
            let (a, space) = address(cx, pointer)?;
            let ty = Type::B64;
            let instruction = Instruction::MbarrierInit { space, ty, a, count };
            let guard = predicate.map(|predicate| cx.one(predicate));
            let otherwise = Vec::new();
            let init = TargetOp {
                instruction,
                guard,
                otherwise,
            };
            effect(cx, pass.target, init)
        }
        NvvmOp::MbarrierArrive {
            addr,
            count,
            multicast: None,
            relaxed,
            scope,
        } => {
            let count = count.map(|count| cx.one(count));
            arrive(pass, cx, id, *addr, (None, count), (*relaxed, *scope))
        }
        NvvmOp::MbarrierArriveExpectTx {
            addr,
            txcount,
            multicast: None,
            predicate: None,
            relaxed,
            scope,
        } => {
            let bytes = Some(cx.one(*txcount));
            let what = (Some(ArrivalMode::ExpectTx), bytes);
            arrive(pass, cx, id, *addr, what, (*relaxed, *scope))
        }
        NvvmOp::MbarrierExpectTx {
            addr,
            txcount,
            multicast: None,
            scope,
        } => {
            let (order, scope) = match scope {
                MemScope::Cta => (None, None),
                MemScope::Cluster => (Some(Order::Relaxed), Some(Scope::Cluster)),
                MemScope::Gpu | MemScope::Sys => return Err(not_lowered(cx, id)),
            };
            let (pointer, bytes) = (cx.one(*addr), cx.one(*txcount));
            let (a, space) = address(cx, pointer)?;
            let expect = Instruction::MbarrierExpectTx {
                order,
                scope,
                space,
                ty: Type::B64,
                a,
                bytes,
            };
            effect(cx, pass.target, expect)
        }
        NvvmOp::SetMaxRegister { action, count } => {
            let Ok(count) = u32::try_from(*count) else {
                return Err(not_lowered(cx, id));
            };
            let change = match action {
                RegisterChange::Increase => isa::RegisterChange::Inc,
                RegisterChange::Decrease => isa::RegisterChange::Dec,
            };
            let (sync, aligned, ty) = (SyncWord, AlignedWord, Type::U32);
            let change = Instruction::SetMaxRegisters {
                change,
                sync,
                aligned,
                ty,
                count,
            };
            effect(cx, pass.target, change)
        }
        NvvmOp::BulkCommit {} => effect(cx, pass.target, Instruction::BulkCommit {}),
        NvvmOp::BulkWait { group, read } => match u32::try_from(*group) {
            Ok(groups) => {
                let read = ReadOnly(read.0);
                effect(cx, pass.target, Instruction::BulkWait { read, groups })
            }
            Err(_) => Err(not_lowered(cx, id)),
        },
        NvvmOp::MbarrierTryWaitLimit {
            addr,
            phase,
            limit,
            order,
            ..
        } if is_acquire(order) => {
            let limit = cx.one(*limit);
            let done = phase_ended(pass, cx, (*addr, *phase), Some(Some(limit)))?;
            cx.bind(cx.old(id).result(0), [done]);
            Ok(())
        }
        NvvmOp::MbarrierWaitParity {
            addr,
            phase,
            kind,
            order,
            ..
        } if is_acquire(order) => {
            let suspended = match kind {
                MbarrierWait::Try => Some(None),
                MbarrierWait::Test => None,
            };
            let done = phase_ended(pass, cx, (*addr, *phase), suspended)?;
            cx.bind(cx.old(id).result(0), [done]);
            Ok(())
        }
        NvvmOp::MbarrierTryWaitParity { addr, phase, .. } => {
            let pointer = cx.one(*addr);
            let shared = self::pointer(cx, pointer)?.space() == CuteSpace::Shared;
            if !shared {
                return Err(not_lowered(cx, id));
            }
            let barrier = cx.value(
                CuteOp::Address { pointer },
                DesugaredType::SharedPtr(ScalarType::I64),
            );
            let parity = cx.one(*phase);
            cx.build().effect(GpuOp::MbarrierWait { barrier, parity });
            Ok(())
        }
        NvvmOp::ClusterArrive { aligned } => {
            let (order, aligned) = (None, Aligned(aligned.0));
            effect(cx, pass.target, Instruction::ClusterArrive { order, aligned })
        }
        NvvmOp::ClusterArriveRelaxed { aligned } => {
            let (order, aligned) = (Some(Order::Relaxed), Aligned(aligned.0));
            effect(cx, pass.target, Instruction::ClusterArrive { order, aligned })
        }
        NvvmOp::ClusterWait { aligned } => {
            let (order, aligned) = (None, Aligned(aligned.0));
            effect(cx, pass.target, Instruction::ClusterWait { order, aligned })
        }
        NvvmOp::FenceProxy { kind, space } => {
            let (proxy, space) = match (kind, space) {
                (ProxyKind::Alias, _) => (Proxy::Alias, None),
                (ProxyKind::Async, _) => (Proxy::Async, None),
                (ProxyKind::AsyncGlobal, _) => (Proxy::Async, Some(Space::Global)),
                (ProxyKind::AsyncShared, Some(SharedSpace::Cluster)) => {
                    (Proxy::Async, Some(Space::SharedCluster))
                }
                (ProxyKind::AsyncShared, _) => (Proxy::Async, Some(Space::SharedCta)),
                (ProxyKind::Tensormap | ProxyKind::Generic, _) => return Err(not_lowered(cx, id)),
            };
            effect(cx, pass.target, Instruction::FenceProxy { proxy, space })
        }
        NvvmOp::CpAsyncCommit {} => {
            cx.build().effect(GpuOp::AsyncCommit {});
            Ok(())
        }
        NvvmOp::CpAsyncWait { n } => match u32::try_from(*n) {
            Ok(in_flight) => {
                cx.build().effect(GpuOp::AsyncWait { in_flight });
                Ok(())
            }
            Err(_) => Err(not_lowered(cx, id)),
        },
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
        NvvmOp::Fmax {
            a,
            b,
            c,
            abs: Flag(false),
            ftz,
            nan,
        }
        | NvvmOp::Fmin {
            a,
            b,
            c,
            abs: Flag(false),
            ftz,
            nan,
        } => {
            let result = cx.old(id).result(0);
            let Some(ty) = number(cx.from.ty(result)) else {
                return Err(not_lowered(cx, id));
            };
            let mut lhs = cx.one(*a);
            for other in [Some(*b), *c].into_iter().flatten() {
                let (rhs, propagate_nan, flush_to_zero) = (cx.one(other), *nan, *ftz);
                let fast_math = FastMathOf::NONE;
                let of_both = match op {
                    NvvmOp::Fmin { .. } => ArithOp::MinF {
                        lhs,
                        rhs,
                        propagate_nan,
                        flush_to_zero,
                        fast_math,
                    },
                    _ => ArithOp::MaxF {
                        lhs,
                        rhs,
                        propagate_nan,
                        flush_to_zero,
                        fast_math,
                    },
                };
                lhs = cx.value(of_both, ty.clone());
            }
            cx.bind(result, [lhs]);
            Ok(())
        }
        NvvmOp::RcpApprox { arg } => {
            let ty = DesugaredType::Scalar(ScalarType::F32.into());
            let one = Dense::Splat(Literal::new(ScalarType::F32, u64::from(1f32.to_bits())));
            let lhs = cx.value(ArithOp::Constant { value: one }, ty.clone());
            let op = ArithOp::DivF {
                lhs,
                rhs: cx.one(*arg),
                precision: Precision::Approx,
                flush_to_zero: Flag(true),
                fast_math: FastMathOf::NONE,
            };
            let value = cx.value(op, ty);
            cx.bind(cx.old(id).result(0), [value]);
            Ok(())
        }
        _ => Err(not_lowered(cx, id)),
    }
}

/// When a line leaves the cache, if something is said of it.
fn eviction(kind: Option<EvictKind>) -> Option<Eviction> {
    match kind {
        None | Some(EvictKind::None) => None,
        Some(EvictKind::Normal) => Some(Eviction::Normal),
        Some(EvictKind::First) => Some(Eviction::First),
        Some(EvictKind::Last) => Some(Eviction::Last),
        Some(EvictKind::Unchanged) => Some(Eviction::Unchanged),
        Some(EvictKind::NoAllocate) => Some(Eviction::NoAllocate),
    }
}

/// The modifier of a rounding.
const fn rounding(rounding: FloatRounding) -> &'static str {
    match rounding {
        FloatRounding::None => "",
        FloatRounding::Nearest => ".rn",
        FloatRounding::Down => ".rm",
        FloatRounding::Up => ".rp",
        FloatRounding::Zero => ".rz",
        FloatRounding::Away => ".rna",
        FloatRounding::Stochastic => ".rs",
    }
}

/// The modifier of a saturation.
fn saturation(cx: &Cx<'_>, saturation: Saturation) -> Result<&'static str, Diagnostic<Origin>> {
    match saturation {
        Saturation::None => Ok(""),
        Saturation::Unit => Ok(".sat"),
        Saturation::Finite => {
            let message = "no instruction bounds such a result by finite numbers";
            Err(Diagnostic::error(Code::AttributeValue, message).at(cx.origin(), ""))
        }
    }
}

/// An instruction on floats, with modifiers for rounding, denormals and saturation, and others after them.
fn float_instruction(
    pass: &Desugar,
    cx: &mut Cx<'_>,
    id: OpId,
    (name, (rounding, ftz, saturation), after): (&str, (&str, bool, &str), &str),
    operands: &[Value],
) -> Translated {
    let ty = number(cx.from.ty(cx.old(id).result(0)));
    let Some(ty) = ty.as_ref().and_then(float_word) else {
        return Err(not_lowered(cx, id));
    };
    let ftz = if ftz { ".ftz" } else { "" };
    let words = format!("{name}{rounding}{ftz}{saturation}{after}.{ty}");
    inline_ptx::lower_to(pass, cx, id, &words, operands)
}

/// The word of a type of floats in the names of instructions.
pub(super) fn float_word(ty: &DesugaredType) -> Option<&'static str> {
    Some(match ty {
        DesugaredType::Scalar(ElementType::Scalar(ScalarType::F16)) => "f16",
        DesugaredType::Scalar(ElementType::Scalar(ScalarType::BF16)) => "bf16",
        DesugaredType::Scalar(ElementType::Scalar(ScalarType::F32)) => "f32",
        DesugaredType::Scalar(ElementType::Scalar(ScalarType::F64)) => "f64",
        DesugaredType::Fragment(2, ElementType::Scalar(ScalarType::F16)) => "f16x2",
        DesugaredType::Fragment(2, ElementType::Scalar(ScalarType::BF16)) => "bf16x2",
        DesugaredType::Fragment(2, ElementType::Scalar(ScalarType::F32)) => "f32x2",
        _ => return None,
    })
}

/// Arrives at an mbarrier: with a count, or with bytes that it is to expect.
fn arrive(
    pass: &Desugar,
    cx: &mut Cx<'_>,
    id: OpId,
    addr: Value,
    (mode, count): (Option<ArrivalMode>, Option<Value>),
    (relaxed, scope): (bool, MemScope),
) -> Translated {
    let (order, scope) = match (relaxed, scope) {
        (false, MemScope::Cta) => (None, None),
        (true, MemScope::Cta) => (Some(Order::Relaxed), Some(Scope::Cta)),
        (false, MemScope::Cluster) => (Some(Order::Release), Some(Scope::Cluster)),
        (true, MemScope::Cluster) => (Some(Order::Relaxed), Some(Scope::Cluster)),
        (_, MemScope::Gpu | MemScope::Sys) => return Err(not_lowered(cx, id)),
    };
    let pointer = cx.one(addr);
    let (a, space) = address(cx, pointer)?;
    let arrive = Instruction::MbarrierArrive {
        arrival: Arrival::Arrive,
        mode,
        order,
        scope,
        space,
        ty: Type::B64,
        d: OpResult,
        a,
        count,
    };
    let state = one(cx, pass.target, arrive, of(ScalarType::I64))?;
    if let Some(result) = cx.old(id).results().next() {
        cx.bind(result, [state]);
    }
    Ok(())
}

/// Whether the order of a wait is the usual one.
fn is_acquire(order: &Option<Attribute>) -> bool {
    match order {
        None => true,
        Some(order) => order.body_of("nvvm.mem_order") == Some("acquire"),
    }
}

/// The number of a barrier; 0 if none is named.
fn barrier_number(
    pass: &Desugar,
    cx: &mut Cx<'_>,
    number: Option<Value>,
) -> Result<Value, Diagnostic<Origin>> {
    let Some(number) = number else {
        return Ok(i32(cx, 0));
    };
    match pass.constant(number) {
        Some(known) if !(0..i64::from(NAMED_BARRIERS)).contains(&known) => {
            let message = format!("there are barriers 0 to {}, not {known}", NAMED_BARRIERS - 1);
            Err(Diagnostic::error(Code::AttributeValue, message).at(cx.origin(), ""))
        }
        _ => Ok(cx.one(number)),
    }
}

/// The threads of a barrier.
fn barrier_threads(
    pass: &Desugar,
    cx: &mut Cx<'_>,
    threads: Option<Value>,
) -> Result<Option<Value>, Diagnostic<Origin>> {
    let Some(threads) = threads else {
        return Ok(None);
    };
    match pass.constant(threads) {
        Some(known) if known <= 0 || known % i64::from(LANES) != 0 => {
            let message = format!("whole warps meet at a barrier, not {known} threads");
            Err(Diagnostic::error(Code::AttributeValue, message).at(cx.origin(), ""))
        }
        _ => Ok(Some(cx.one(threads))),
    }
}

/// A barrier of the block: an op of `gpu` where number and threads are known.
fn block_barrier(
    pass: &Desugar,
    cx: &mut Cx<'_>,
    id: OpId,
    number: Option<Value>,
    threads: Option<Value>,
) -> Translated {
    let known = |value: Option<Value>, default: u32| match value {
        None => Some(default),
        Some(value) => pass.constant(value).and_then(|value| u32::try_from(value).ok()),
    };
    let a = barrier_number(pass, cx, number)?;
    let b = barrier_threads(pass, cx, threads)?;
    match (known(number, 0), known(threads, pass.threads)) {
        (Some(number), Some(threads)) if threads % LANES == 0 => {
            let op = GpuOp::Barrier { id: number, threads };
            cx.build().effect(op);
            Ok(())
        }
        _ if number.is_none() && threads.is_some() => Err(not_lowered(cx, id)),
        _ => {
            let (cta, sync) = (Cta(false), SyncWord);
            effect(cx, pass.target, Instruction::BarSync { cta, sync, a, b })
        }
    }
}

/// What the conditions of the threads that meet at a barrier are together, as an i32.
fn barrier_reduction(
    pass: &Desugar,
    cx: &mut Cx<'_>,
    id: OpId,
    c: Value,
    (a, b, aligned): (Value, Option<Value>, bool),
    kind: BarrierReduction,
) -> Translated {
    let (cta, red, aligned, d) = (Cta(false), RedWord, Aligned(aligned), OpResult);
    let logic = |op| Instruction::BarrierRedLogic {
        cta,
        red,
        op,
        aligned,
        ty: Type::Pred,
        d,
        a,
        b,
        c,
    };
    let value = match kind {
        BarrierReduction::Popc => {
            let count = Instruction::BarrierRedPopc {
                cta,
                red,
                popc: PopcWord,
                aligned,
                ty: Type::U32,
                d,
                a,
                b,
                c,
            };
            one(cx, pass.target, count, I32)?
        }
        BarrierReduction::And | BarrierReduction::Or => {
            let op = match kind {
                BarrierReduction::And => BarrierLogic::And,
                BarrierReduction::Or | BarrierReduction::Popc => BarrierLogic::Or,
            };
            let source = one(cx, pass.target, logic(op), of(ScalarType::I1))?;
            let signedness = Signedness::Unsigned;
            cx.value(ArithOp::ExtI { source, signedness }, I32)
        }
    };
    cx.bind(cx.old(id).result(0), [value]);
    Ok(())
}

const fn mem_scope(scope: MemScope) -> Scope {
    match scope {
        MemScope::Cta => Scope::Cta,
        MemScope::Cluster => Scope::Cluster,
        MemScope::Gpu => Scope::Gpu,
        MemScope::Sys => Scope::Sys,
    }
}

/// The order of an access that changes what is there.
fn atomic_order(cx: &Cx<'_>, order: MemOrder) -> Result<isa::AtomicOrder, Diagnostic<Origin>> {
    match order {
        MemOrder::Weak | MemOrder::Relaxed => Ok(isa::AtomicOrder::Relaxed),
        MemOrder::Acquire => Ok(isa::AtomicOrder::Acquire),
        MemOrder::Release => Ok(isa::AtomicOrder::Release),
        MemOrder::AcqRel => Ok(isa::AtomicOrder::AcqRel),
        MemOrder::Sc | MemOrder::Mmio | MemOrder::Volatile | MemOrder::Constant => {
            let message = format!("an atomic access has no order `{}`", order.word());
            Err(Diagnostic::error(Code::AttributeValue, message).at(cx.origin(), ""))
        }
    }
}

/// The order of a load or a store that is not weak.
fn load_order(cx: &Cx<'_>, id: OpId, order: MemOrder) -> Result<Order, Diagnostic<Origin>> {
    match order {
        MemOrder::Relaxed => Ok(Order::Relaxed),
        MemOrder::Acquire => Ok(Order::Acquire),
        MemOrder::Release => Ok(Order::Release),
        MemOrder::Volatile => Ok(Order::Volatile),
        MemOrder::Weak | MemOrder::AcqRel | MemOrder::Sc | MemOrder::Mmio | MemOrder::Constant => {
            Err(not_lowered(cx, id))
        }
    }
}

/// The number of an atomic access in a register: two halves side by side in one.
fn exchanged(cx: &mut Cx<'_>, source: Value) -> Result<Value, Diagnostic<Origin>> {
    match *cx.ty(source) {
        DesugaredType::Scalar(ElementType::Scalar(_)) => Ok(source),
        DesugaredType::Fragment(2, ElementType::Scalar(scalar)) if scalar.bits() == 16 => {
            let mut halves = Vec::new();
            for index in 0..2 {
                let source = cx.value(FragmentOp::Extract { source, index }, of(scalar));
                halves.push(cx.value(ArithOp::Bitcast { source }, of(ScalarType::I16)));
            }
            let (ty, d, a) = (Type::B32, OpResult, Sources(halves));
            Ok(cx.value(Instruction::Pack { ty, d, a }, I32))
        }
        _ => Err(unsupported(cx.origin(), "an atomic access of such a value")),
    }
}

/// An access that changes what is at an address; what was there.
fn atomic(
    pass: &Desugar,
    cx: &mut Cx<'_>,
    id: OpId,
    (kind, ptr, value, other): (AtomicKind, Value, Value, Option<Value>),
    (order, scope): (MemOrder, AtomicScope),
) -> Translated {
    let result = cx.old(id).result(0);
    let order = Some(atomic_order(cx, order)?);
    let scope = Some(match scope {
        AtomicScope::Cta => Scope::Cta,
        AtomicScope::Cluster => Scope::Cluster,
        AtomicScope::Gpu => Scope::Gpu,
        AtomicScope::Sys => Scope::Sys,
    });
    let (pointer, value) = (cx.one(ptr), cx.one(value));
    let (a, space) = address(cx, pointer)?;
    let own = cx.ty(value).clone();
    let scalar = match own {
        DesugaredType::Scalar(ElementType::Scalar(scalar)) => scalar,
        DesugaredType::Fragment(2, ElementType::Scalar(scalar)) if kind == AtomicKind::Fadd => {
            let ty = match scalar {
                ScalarType::F16 => Type::F16x2,
                _ => Type::Bf16x2,
            };
            let both = inline_ptx::packed(cx, value, 2, scalar)?;
            let add = Instruction::Atom {
                order,
                scope,
                space,
                op: isa::AtomicOp::Add,
                noftz: Noftz(true),
                width: None,
                ty,
                d: Results(vec![OpResult]),
                a,
                b: Sources(vec![both]),
            };
            let old = one(cx, pass.target, add, I32)?;
            let old = inline_ptx::unpacked(cx, old, 2, scalar)?;
            cx.bind(result, [old]);
            return Ok(());
        }
        _ => return Err(not_lowered(cx, id)),
    };
    let bits = match scalar.bits() {
        16 => (Type::B16, ScalarType::I16),
        32 => (Type::B32, ScalarType::I32),
        64 => (Type::B64, ScalarType::I64),
        _ => return Err(not_lowered(cx, id)),
    };
    let as_bits = |cx: &mut Cx<'_>, source: Value, to: ScalarType| match *cx.ty(source) == of(to) {
        true => source,
        false => cx.value(ArithOp::Bitcast { source }, of(to)),
    };
    if kind == AtomicKind::Cas {
        let Some(other) = other else {
            return Err(not_lowered(cx, id));
        };
        let (ty, held) = bits;
        let other = cx.one(other);
        let (b, c) = (as_bits(cx, value, held), as_bits(cx, other, held));
        let (cas, d) = (CasWord, OpResult);
        let swap = Instruction::AtomCas {
            order,
            scope,
            space,
            cas,
            ty,
            d,
            a,
            b,
            c,
        };
        let old = one(cx, pass.target, swap, of(held))?;
        let old = as_bits(cx, old, scalar);
        cx.bind(result, [old]);
        return Ok(());
    }
    let wide = scalar.bits() == 64;
    let integer = |narrow, broad| match (scalar.is_int(), wide) {
        (true, false) => Some((narrow, ScalarType::I32)),
        (true, true) => Some((broad, ScalarType::I64)),
        (false, _) => None,
    };
    let mut value = value;
    let (op, form) = match kind {
        AtomicKind::Cas => return Err(not_lowered(cx, id)),
        AtomicKind::And => (isa::AtomicOp::And, integer(Type::B32, Type::B64)),
        AtomicKind::Or => (isa::AtomicOp::Or, integer(Type::B32, Type::B64)),
        AtomicKind::Xor => (isa::AtomicOp::Xor, integer(Type::B32, Type::B64)),
        AtomicKind::Exch => (isa::AtomicOp::Exch, Some(bits)),
        AtomicKind::Add => (isa::AtomicOp::Add, integer(Type::U32, Type::U64)),
        AtomicKind::Sub => {
            let lhs = constant(cx, scalar, 0);
            let overflow = tilewright_irs::dialects::arith::Overflow::Wraps;
            if scalar.is_int() {
                let rhs = value;
                value = cx.value(ArithOp::SubI { lhs, rhs, overflow }, own);
            }
            (isa::AtomicOp::Add, integer(Type::U32, Type::U64))
        }
        AtomicKind::Inc => (isa::AtomicOp::Inc, integer(Type::U32, Type::U64)),
        AtomicKind::Dec => (isa::AtomicOp::Dec, integer(Type::U32, Type::U64)),
        AtomicKind::Min => (isa::AtomicOp::Min, integer(Type::S32, Type::S64)),
        AtomicKind::Max => (isa::AtomicOp::Max, integer(Type::S32, Type::S64)),
        AtomicKind::Umin => (isa::AtomicOp::Min, integer(Type::U32, Type::U64)),
        AtomicKind::Umax => (isa::AtomicOp::Max, integer(Type::U32, Type::U64)),
        AtomicKind::Fadd => {
            let form = match scalar {
                ScalarType::F16 => Some((Type::F16, scalar)),
                ScalarType::BF16 => Some((Type::Bf16, scalar)),
                ScalarType::F32 => Some((Type::F32, scalar)),
                ScalarType::F64 => Some((Type::F64, scalar)),
                _ => None,
            };
            (isa::AtomicOp::Add, form)
        }
    };
    let Some((ty, held)) = form else {
        let message = format!("no atomic access computes `{}` of `{scalar}`", kind.word());
        return Err(Diagnostic::error(Code::OperandType, message).at(cx.origin(), ""));
    };
    let value = as_bits(cx, value, held);
    let noftz = Noftz(matches!(ty, Type::F16 | Type::Bf16));
    let change = Instruction::Atom {
        order,
        scope,
        space,
        op,
        noftz,
        width: None,
        ty,
        d: Results(vec![OpResult]),
        a,
        b: Sources(vec![value]),
    };
    let old = one(cx, pass.target, change, of(held))?;
    let old = as_bits(cx, old, scalar);
    cx.bind(result, [old]);
    Ok(())
}

/// How an access of LLVM's is ordered, unless it is as any other.
pub(super) const fn ordered(ordering: AtomicOrdering, volatile: bool) -> Option<AtomicOrdering> {
    match (ordering, volatile) {
        (AtomicOrdering::NotAtomic, false) => None,
        // Volatile accesses are relaxed ones of the system. (PTX ISA, `ld.volatile`.)
        (AtomicOrdering::NotAtomic, true) => Some(AtomicOrdering::Monotonic),
        (ordering, _) => Some(ordering),
    }
}

/// The order of an access, after a fence if it is in one order with all others.
fn after_fence(cx: &mut Cx<'_>, ordering: AtomicOrdering, scope: MemoryScope, strongest: Order) -> Order {
    match ordering {
        AtomicOrdering::NotAtomic | AtomicOrdering::Unordered | AtomicOrdering::Monotonic => Order::Relaxed,
        AtomicOrdering::Acquire | AtomicOrdering::Release | AtomicOrdering::AcqRel => strongest,
        AtomicOrdering::SeqCst => {
            let order = FenceOrder::Sc;
            cx.build().effect(GpuOp::ThreadFence { order, scope });
            strongest
        }
    }
}

/// A load of LLVM's with an order.
pub(super) fn ordered_load(
    pass: &Desugar,
    cx: &mut Cx<'_>,
    id: OpId,
    addr: Value,
    (ordering, scope): (AtomicOrdering, MemoryScope),
) -> Translated {
    let order = after_fence(cx, ordering, scope, Order::Acquire);
    let access = Access {
        order: Some(order),
        scope: Some(memory_scope(scope)),
        eviction: None,
    };
    load(pass, cx, id, addr, access, (None, None))
}

/// A store of LLVM's with an order.
pub(super) fn ordered_store(
    pass: &Desugar,
    cx: &mut Cx<'_>,
    id: OpId,
    access: (Value, Value),
    (ordering, scope): (AtomicOrdering, MemoryScope),
) -> Translated {
    let order = after_fence(cx, ordering, scope, Order::Release);
    let how = Access {
        order: Some(order),
        scope: Some(memory_scope(scope)),
        eviction: None,
    };
    store(pass, cx, id, access, how, None)
}

/// How the elements of a type are moved: the type of one, in which register it is, and how many there are.
fn moved(ty: &DesugaredType) -> Option<(Type, ScalarType, u32)> {
    let (scalar, count) = match ty {
        DesugaredType::Scalar(ElementType::Scalar(scalar)) => (*scalar, 1),
        DesugaredType::Fragment(count, ElementType::Scalar(scalar)) => (*scalar, *count),
        _ => return None,
    };
    let (ty, held) = match scalar {
        ScalarType::F32 => (Type::F32, ScalarType::F32),
        ScalarType::F64 => (Type::F64, ScalarType::F64),
        scalar => match scalar.bits() {
            8 => (Type::B8, ScalarType::I8),
            16 => (Type::B16, ScalarType::I16),
            32 => (Type::B32, ScalarType::I32),
            64 => (Type::B64, ScalarType::I64),
            _ => return None,
        },
    };
    Some((ty, held, count))
}

/// How an access is ordered, and when its line leaves the cache.
#[derive(Clone, Copy)]
struct Access {
    order: Option<Order>,
    scope: Option<Scope>,
    eviction: Option<Eviction>,
}

/// A load by the instruction.
fn load(
    pass: &Desugar,
    cx: &mut Cx<'_>,
    id: OpId,
    addr: Value,
    Access {
        order,
        scope,
        eviction,
    }: Access,
    (cache, prefetch): (Option<LoadCache>, Option<isa::Prefetch>),
) -> Translated {
    let result = cx.old(id).result(0);
    let Some(own) = number(cx.from.ty(result)) else {
        return Err(not_lowered(cx, id));
    };
    let Some((ty, held, count)) = moved(&own) else {
        return Err(not_lowered(cx, id));
    };
    let lanes = count as usize;
    let Some(width) = Width::of(lanes) else {
        return Err(not_lowered(cx, id));
    };
    let pointer = cx.one(addr);
    let (a, space) = address(cx, pointer)?;
    let load = Instruction::Ld {
        order,
        scope: scope.filter(|_| order.is_some_and(|order| order != Order::Volatile)),
        space,
        cache,
        eviction,
        hint: CacheHint(false),
        prefetch,
        width,
        ty,
        d: Results(vec![OpResult; lanes]),
        a,
        policy: None,
    };
    let made = emit(cx, pass.target, load, vec![of(held); lanes])?;
    let value = match (&own, made.as_slice()) {
        (DesugaredType::Scalar(_), [source]) => match of(held) == own {
            true => *source,
            false => cx.value(ArithOp::Bitcast { source: *source }, own),
        },
        (DesugaredType::Fragment(_, element), _) => {
            let one = DesugaredType::Scalar(*element);
            let mut elements = made;
            if of(held) != one {
                for source in &mut elements {
                    *source = cx.value(ArithOp::Bitcast { source: *source }, one.clone());
                }
            }
            cx.value(FragmentOp::Make { elements }, own)
        }
        _ => return Err(not_lowered(cx, id)),
    };
    cx.bind(result, [value]);
    Ok(())
}

/// A store by the instruction.
fn store(
    pass: &Desugar,
    cx: &mut Cx<'_>,
    id: OpId,
    (value, addr): (Value, Value),
    Access {
        order,
        scope,
        eviction,
    }: Access,
    cache: Option<StoreCache>,
) -> Translated {
    let (source, pointer) = (cx.one(value), cx.one(addr));
    let own = cx.ty(source).clone();
    let Some((ty, held, count)) = moved(&own) else {
        return Err(not_lowered(cx, id));
    };
    let lanes = count as usize;
    let Some(width) = Width::of(lanes) else {
        return Err(not_lowered(cx, id));
    };
    let elements: Vec<Value> = match &own {
        DesugaredType::Fragment(_, element) => {
            let one = DesugaredType::Scalar(*element);
            let each = (0..count).map(|index| cx.value(FragmentOp::Extract { source, index }, one.clone()));
            each.collect()
        }
        _ => vec![source],
    };
    let mut sources = Vec::new();
    for source in elements {
        sources.push(match *cx.ty(source) == of(held) {
            true => source,
            false => cx.value(ArithOp::Bitcast { source }, of(held)),
        });
    }
    let (a, space) = address(cx, pointer)?;
    let store = Instruction::St {
        order,
        scope: scope.filter(|_| order.is_some_and(|order| order != Order::Volatile)),
        space,
        cache,
        eviction,
        hint: CacheHint(false),
        width,
        ty,
        a,
        b: Sources(sources),
        policy: None,
    };
    effect(cx, pass.target, store)
}

/// Whether a phase of an mbarrier has ended; the thread may be suspended before, for a time if one is given, where the target can.
fn phase_ended(
    pass: &Desugar,
    cx: &mut Cx<'_>,
    (addr, phase): (Value, Value),
    suspended: Option<Option<Value>>,
) -> Result<Value, Diagnostic<Origin>> {
    let (pointer, parity) = (cx.one(addr), cx.one(phase));
    let (a, space) = address(cx, pointer)?;
    let (order, scope, ty, d) = (None, None, Type::B64, OpResult);
    let wait = |nanoseconds| Instruction::MbarrierTryWaitParity {
        order,
        scope,
        space,
        ty,
        d,
        a: a.clone(),
        parity,
        nanoseconds,
    };
    let has_wait = |wait: &Instruction<Value>| wait.need().is_some_and(|need| pass.target.provides(need));
    let ask = match suspended.map(wait).filter(has_wait) {
        Some(wait) => wait,
        None => Instruction::MbarrierTestWaitParity {
            order,
            scope,
            space,
            ty,
            d,
            a,
            parity,
        },
    };
    one(cx, pass.target, ask, of(ScalarType::I1))
}
