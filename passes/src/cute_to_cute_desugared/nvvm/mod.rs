//! Instructions of NVIDIA's GPUs.
//!
//! What every kernel has, such as indices and barriers of the block, are ops of `gpu`; the others stay the instructions that they
//! name.

mod accesses;
mod atomics;
mod barriers;
mod floats;
mod warps;

pub(super) use accesses::{ordered_load, ordered_store};
pub(super) use floats::float_word;

use tilewright_irs::core::{OpId, Translated};
use tilewright_irs::dialects::gpu::GpuOp;
use tilewright_irs::isa::{self, AlignedWord, Instruction, Special, SyncWord, Type};
use tilewright_irs::machine::LANES;
use tilewright_irs::mlir::dialects::NvvmOp;
use tilewright_irs::mlir::enums::{AtomicOrdering, RegisterChange};

use super::inline_ptx::{self, WithRoles};
use super::instructions::{I32, effect, i32, special};
use super::state::{Cx, Desugar, not_lowered};

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
        NvvmOp::Nanosleep { duration } => {
            let (ty, a) = (Type::U32, cx.one(*duration));
            effect(cx, pass.target, Instruction::Nanosleep { ty, a })
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
        NvvmOp::Barrier { .. }
        | NvvmOp::BarrierArrive { .. }
        | NvvmOp::BarrierCtaSync { .. }
        | NvvmOp::BarrierCtaArrive { .. }
        | NvvmOp::BarrierCtaRed { .. }
        | NvvmOp::BarWarpSync { .. }
        | NvvmOp::CpAsyncMbarrierArrive { .. }
        | NvvmOp::FenceMbarrierInit { .. }
        | NvvmOp::MbarrierInit { .. }
        | NvvmOp::MbarrierArrive { .. }
        | NvvmOp::MbarrierArriveExpectTx { .. }
        | NvvmOp::MbarrierExpectTx { .. }
        | NvvmOp::MbarrierTryWaitLimit { .. }
        | NvvmOp::MbarrierWaitParity { .. }
        | NvvmOp::MbarrierTryWaitParity { .. }
        | NvvmOp::ClusterArrive { .. }
        | NvvmOp::ClusterArriveRelaxed { .. }
        | NvvmOp::ClusterWait { .. }
        | NvvmOp::FenceProxy { .. } => barriers::lower(pass, cx, id, op),
        NvvmOp::AddF { .. }
        | NvvmOp::SubF { .. }
        | NvvmOp::Fma { .. }
        | NvvmOp::FAbs { .. }
        | NvvmOp::AddPacked { .. }
        | NvvmOp::SubPacked { .. }
        | NvvmOp::MulPacked { .. }
        | NvvmOp::FmaPacked { .. }
        | NvvmOp::Fmax { .. }
        | NvvmOp::Fmin { .. }
        | NvvmOp::RcpApprox { .. } => floats::lower(pass, cx, id, op),
        NvvmOp::ElectSync { .. }
        | NvvmOp::VoteSync { .. }
        | NvvmOp::MatchSync { .. }
        | NvvmOp::ReduxSync { .. }
        | NvvmOp::ShflSync { .. } => warps::lower(pass, cx, id, op),
        NvvmOp::AtomicRmw { .. } | NvvmOp::Red { .. } => atomics::lower(pass, cx, id, op),
        NvvmOp::Prefetch { .. }
        | NvvmOp::LoadExt { .. }
        | NvvmOp::StoreExt { .. }
        | NvvmOp::Ldmatrix { .. }
        | NvvmOp::Stmatrix { .. }
        | NvvmOp::CpAsyncShared { .. }
        | NvvmOp::BulkCommit { .. }
        | NvvmOp::BulkWait { .. }
        | NvvmOp::CpAsyncCommit { .. }
        | NvvmOp::CpAsyncWait { .. } => accesses::lower(pass, cx, id, op),
        _ => Err(not_lowered(cx, id)),
    }
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
