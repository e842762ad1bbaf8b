//! Instructions of NVIDIA's GPUs: the types of their operands, and the numbers that they allow.

use tilewright_diagnostics::Code;

use super::op::{Checked, Op};
use crate::core::{Flag, Value};
use crate::mlir::dialects::NvvmOp;
use crate::mlir::enums::{AtomicKind, CopyModifier, MatchKind, MemOrder, ProxyKind, ReductionKind, VoteKind};
use crate::mlir::types::{FloatFormat, Type};

/// The address spaces of any memory, of global memory, of the thread's, of the block's shared memory, of constants, and of the
/// cluster's shared memory.
const ANY: u32 = 0;
const GLOBAL: u32 = 1;
const LOCAL: u32 = 5;
const SHARED: u32 = 3;
const CONSTANT: u32 = 4;
const CLUSTER: u32 = 7;

/// A pointer into one of these spaces.
fn pointer(op: Op<'_>, value: Value, spaces: &[u32]) -> Checked {
    let holds = matches!(op.ty(value), Type::Pointer(space) if spaces.contains(space));
    let spaces: Vec<String> = spaces.iter().map(u32::to_string).collect();
    op.needs(
        value,
        &format!("a pointer into address space {}", spaces.join(" or ")),
        holds,
    )
}

/// A number that atomic accesses exchange.
fn is_exchanged(ty: &Type) -> bool {
    match ty {
        Type::Integer(_, bits) => matches!(bits, 16 | 32 | 64),
        Type::Float(format) => matches!(
            format,
            FloatFormat::F16 | FloatFormat::Bf16 | FloatFormat::F32 | FloatFormat::F64
        ),
        Type::Vector(vector) => {
            vector.shape == [2] && matches!(vector.element, Type::Float(FloatFormat::F16 | FloatFormat::Bf16))
        }
        _ => false,
    }
}

/// All operands and the result are `ty`.
fn all_are(op: Op<'_>, what: &str, holds: fn(&Type) -> bool) -> Checked {
    op.operands()
        .into_iter()
        .try_for_each(|value| op.needs(value, what, holds(op.ty(value))))?;
    op.gives(0, what, holds)
}

fn f32(ty: &Type) -> bool {
    *ty == Type::Float(FloatFormat::F32)
}

/// `vector<2xf32>`
fn pair(ty: &Type) -> bool {
    matches!(ty, Type::Vector(vector) if vector.shape == [2] && f32(&vector.element))
}

/// Checks what an arrival at an mbarrier gives: its state, unless the mbarrier may be another block's.
fn state(op: Op<'_>, addr: Value) -> Checked {
    op.gives_all(&Type::I64)?;
    let results = op.results().len();
    match (results, op.ty(addr)) {
        (0, _) => Ok(()),
        (1, Type::Pointer(space)) if *space != CLUSTER => Ok(()),
        (1, _) => op.refuse(
            Code::ResultCount,
            "an mbarrier of the cluster has no state to give",
        ),
        _ => op.refuse(
            Code::ResultCount,
            format_args!("it has {results} results, where at most 1 is possible"),
        ),
    }
}

/// Numbers of registers that a warp may ask for.
const REGISTERS: std::ops::RangeInclusive<i32> = 24..=256;

pub(super) fn nvvm(op: Op<'_>, kind: &NvvmOp) -> Checked {
    match kind {
        NvvmOp::TidX { .. }
        | NvvmOp::TidY { .. }
        | NvvmOp::TidZ { .. }
        | NvvmOp::NtidX { .. }
        | NvvmOp::NtidY { .. }
        | NvvmOp::NtidZ { .. }
        | NvvmOp::CtaidX { .. }
        | NvvmOp::CtaidY { .. }
        | NvvmOp::CtaidZ { .. }
        | NvvmOp::NctaidX { .. }
        | NvvmOp::NctaidY { .. }
        | NvvmOp::NctaidZ { .. }
        | NvvmOp::ClusterCtaidX { .. }
        | NvvmOp::ClusterCtaidY { .. }
        | NvvmOp::ClusterCtaidZ { .. }
        | NvvmOp::ClusterNctaidX { .. }
        | NvvmOp::ClusterNctaidY { .. }
        | NvvmOp::ClusterNctaidZ { .. }
        | NvvmOp::ClusteridX { .. }
        | NvvmOp::ClusteridY { .. }
        | NvvmOp::ClusteridZ { .. }
        | NvvmOp::NclusteridX { .. }
        | NvvmOp::NclusteridY { .. }
        | NvvmOp::NclusteridZ { .. }
        | NvvmOp::ClusterCtarank { .. }
        | NvvmOp::Laneid { .. }
        | NvvmOp::Warpid { .. }
        | NvvmOp::Smid { .. }
        | NvvmOp::ClusterNctarank { .. }
        | NvvmOp::Nwarpid { .. }
        | NvvmOp::Nsmid { .. }
        | NvvmOp::Gridid { .. }
        | NvvmOp::Warpsize { .. }
        | NvvmOp::DynamicSmemSize {}
        | NvvmOp::GlobaltimerLo {}
        | NvvmOp::LanemaskEq { .. }
        | NvvmOp::LanemaskLt { .. }
        | NvvmOp::LanemaskLe { .. }
        | NvvmOp::LanemaskGt { .. }
        | NvvmOp::LanemaskGe { .. }
        | NvvmOp::Clock {} => op.gives_all(&Type::I32),
        NvvmOp::Clock64 {} | NvvmOp::Globaltimer {} => op.gives_all(&Type::I64),
        NvvmOp::BarrierArrive { id, threads } => op.all(id.iter().copied().chain([*threads]), &Type::I32),
        NvvmOp::BarrierCtaSync { id, threads, .. } => {
            op.all([Some(*id), *threads].into_iter().flatten(), &Type::I32)
        }
        NvvmOp::BarrierCtaArrive { id, threads, .. } => op.all([*id, *threads], &Type::I32),
        NvvmOp::BarrierCtaRed {
            pred, id, threads, ..
        } => {
            op.all([*pred], &Type::I1)?;
            op.all([Some(*id), *threads].into_iter().flatten(), &Type::I32)?;
            op.gives_all(&Type::I32)
        }
        NvvmOp::BarWarpSync { mask } => op.all([*mask], &Type::I32),
        NvvmOp::AtomicRmw {
            op: what, ptr, a, b, ..
        } => {
            pointer(op, *ptr, &[ANY, GLOBAL, SHARED, CLUSTER])?;
            let ty = op.ty(*a);
            op.needs(*a, "a number of 16, 32 or 64 bits", is_exchanged(ty))?;
            match (what, b) {
                (AtomicKind::Cas, Some(b)) => op.all([*b], ty),
                (AtomicKind::Cas, None) => op.refuse(
                    Code::OperandCount,
                    "`cas` takes what has to be there and what takes its place",
                ),
                (_, None) => Ok(()),
                (_, Some(_)) => op.refuse(Code::OperandCount, "only `cas` takes two values"),
            }
        }
        NvvmOp::Red { a, b, cache_hint, .. } => {
            pointer(op, *a, &[ANY, GLOBAL, SHARED, CLUSTER])?;
            op.needs(*b, "a number of 16, 32 or 64 bits", is_exchanged(op.ty(*b)))?;
            op.all(*cache_hint, &Type::I64)
        }
        NvvmOp::LoadExt {
            addr,
            cache_hint,
            order,
            ..
        } => {
            pointer(op, *addr, &[ANY, GLOBAL, SHARED, LOCAL, CLUSTER])?;
            op.all(*cache_hint, &Type::I64)?;
            match order {
                Some(MemOrder::Release | MemOrder::AcqRel | MemOrder::Sc) => {
                    op.refuse(Code::AttributeValue, "a load has no such order")
                }
                _ => Ok(()),
            }
        }
        NvvmOp::StoreExt {
            addr,
            cache_hint,
            order,
            ..
        } => {
            pointer(op, *addr, &[ANY, GLOBAL, SHARED, LOCAL, CLUSTER])?;
            op.all(*cache_hint, &Type::I64)?;
            match order {
                Some(MemOrder::Acquire | MemOrder::AcqRel | MemOrder::Sc | MemOrder::Constant) => {
                    op.refuse(Code::AttributeValue, "a store has no such order")
                }
                _ => Ok(()),
            }
        }
        NvvmOp::ReduxSync {
            value,
            mask,
            kind,
            abs,
            nan,
        } => {
            op.all([*mask], &Type::I32)?;
            let floats = matches!(kind, ReductionKind::Fmin | ReductionKind::Fmax);
            let ty = match floats {
                true => Type::Float(FloatFormat::F32),
                false => Type::I32,
            };
            op.all([*value], &ty)?;
            op.gives_all(&ty)?;
            match (*abs || *nan) && !floats {
                true => op.refuse(Code::AttributeValue, "only of floats there are `abs` and `nan`"),
                false => Ok(()),
            }
        }
        NvvmOp::MatchSync { mask, value, kind } => {
            op.all([*mask], &Type::I32)?;
            let ty = op.ty(*value);
            op.needs(*value, "`i32` or `i64`", *ty == Type::I32 || *ty == Type::I64)?;
            match kind {
                MatchKind::Any => op.gives_all(&Type::I32),
                MatchKind::All => op.gives_all(&Type::Struct([Type::I32, Type::I1].into())),
            }
        }
        NvvmOp::Ldmatrix { ptr, num, .. } => {
            pointer(op, *ptr, &[SHARED])?;
            let Some(count) = usize::try_from(*num)
                .ok()
                .filter(|count| [1, 2, 4].contains(count))
            else {
                return op.refuse(
                    Code::AttributeValue,
                    format_args!("it loads 1, 2 or 4 matrices, not {num}"),
                );
            };
            match count {
                1 => op.gives_all(&Type::I32),
                _ => op.gives_all(&Type::Struct(vec![Type::I32; count].into())),
            }
        }
        NvvmOp::Stmatrix { ptr, sources, .. } => {
            pointer(op, *ptr, &[SHARED])?;
            op.all(sources.iter().copied(), &Type::I32)?;
            match sources.len() {
                1 | 2 | 4 => Ok(()),
                count => op.refuse(
                    Code::OperandCount,
                    format_args!("it stores 1, 2 or 4 matrices, not {count}"),
                ),
            }
        }
        NvvmOp::CpAsyncShared {
            dst,
            src,
            bytes,
            size,
            modifier,
        } => {
            pointer(op, *dst, &[SHARED])?;
            pointer(op, *src, &[GLOBAL])?;
            op.all(*bytes, &Type::I32)?;
            match (modifier, size) {
                (CopyModifier::Ca, 4 | 8 | 16) | (CopyModifier::Cg, 16) => Ok(()),
                (CopyModifier::Ca, _) => op.refuse(
                    Code::AttributeValue,
                    format_args!("it copies 4, 8 or 16 bytes, not {size}"),
                ),
                (CopyModifier::Cg, _) => op.refuse(
                    Code::AttributeValue,
                    format_args!("with `cg` it copies 16 bytes, not {size}"),
                ),
                (CopyModifier::Cs | CopyModifier::Lu | CopyModifier::Cv, _) => {
                    op.refuse(Code::AttributeValue, "a copy uses the caches as `ca` or `cg` do")
                }
            }
        }
        NvvmOp::CpAsyncMbarrierArrive { addr, .. } => pointer(op, *addr, &[ANY, SHARED]),
        NvvmOp::Nanosleep { duration } => op.all([*duration], &Type::I32),
        NvvmOp::AddPacked { .. }
        | NvvmOp::SubPacked { .. }
        | NvvmOp::MulPacked { .. }
        | NvvmOp::FmaPacked { .. } => all_are(op, "`vector<2xf32>`", pair),
        NvvmOp::Fmax { .. } | NvvmOp::Fmin { .. } | NvvmOp::RcpApprox { .. } => all_are(op, "`f32`", f32),
        NvvmOp::AddF { .. } | NvvmOp::SubF { .. } | NvvmOp::Fma { .. } | NvvmOp::FAbs { .. } => {
            all_are(op, "a float or a vector of floats", |ty| {
                matches!(ty.scalar(), Type::Float(_))
            })?;
            let own = op.operands().first().map(|&value| op.ty(value));
            own.map_or(Ok(()), |ty| {
                op.all(op.operands(), ty)?;
                op.gives_all(ty)
            })
        }
        NvvmOp::Prefetch {
            addr,
            predicate,
            level,
            tensormap,
            ..
        } => {
            pointer(op, *addr, &[ANY, GLOBAL, LOCAL, CONSTANT])?;
            op.all(*predicate, &Type::I1)?;
            match (level, tensormap) {
                (Some(_), Flag(true)) => op.refuse(
                    Code::AttributeValue,
                    "it brings a tensor map or a line of a cache, not both",
                ),
                (None, Flag(false)) => op.refuse(Code::AttributeValue, "it names no cache"),
                _ => Ok(()),
            }
        }
        NvvmOp::InlinePtx { predicate, .. } => op.all(*predicate, &Type::I1),
        NvvmOp::Barrier {
            id,
            threads,
            predicate,
            ..
        } => {
            op.all([*id, *threads, *predicate].into_iter().flatten(), &Type::I32)?;
            match (id, threads) {
                (None, Some(_)) => op.refuse(
                    Code::OperandCount,
                    "it counts threads at a barrier that it does not name",
                ),
                _ => Ok(()),
            }
        }
        NvvmOp::BulkWait { group, .. } if *group < 0 => op.refuse(
            Code::AttributeValue,
            format_args!("it leaves {group} groups pending"),
        ),
        NvvmOp::ClusterArrive { .. }
        | NvvmOp::ClusterArriveRelaxed { .. }
        | NvvmOp::ClusterWait { .. }
        | NvvmOp::BulkCommit {}
        | NvvmOp::BulkWait { .. }
        | NvvmOp::CpAsyncCommit {}
        | NvvmOp::FenceMbarrierInit {}
        | NvvmOp::WgmmaFence {}
        | NvvmOp::WgmmaCommit {}
        | NvvmOp::Tcgen05Wait { .. } => Ok(()),
        NvvmOp::CpAsyncWait { n } if *n < 0 => {
            op.refuse(Code::AttributeValue, format_args!("it leaves {n} groups pending"))
        }
        NvvmOp::WgmmaWait { group } if *group < 0 => op.refuse(
            Code::AttributeValue,
            format_args!("it leaves {group} groups pending"),
        ),
        NvvmOp::CpAsyncWait { .. } | NvvmOp::WgmmaWait { .. } => Ok(()),
        NvvmOp::ElectSync { mask } => {
            op.all(*mask, &Type::I32)?;
            op.gives_all(&Type::I1)
        }
        NvvmOp::FenceProxy { kind, space } => match (kind, space) {
            (ProxyKind::AsyncShared, None) => op.refuse(
                Code::MissingAttribute,
                "a fence of shared memory says whose, by `space`",
            ),
            (ProxyKind::Tensormap | ProxyKind::Generic, _) => op.refuse(
                Code::AttributeValue,
                "the proxies are not `tensormap` or `generic`",
            ),
            (ProxyKind::Alias | ProxyKind::Async | ProxyKind::AsyncGlobal, Some(_)) => op.refuse(
                Code::ConflictingAttributes,
                "only a fence of `async.shared` has a `space`",
            ),
            _ => Ok(()),
        },
        NvvmOp::Mapa { a, b } => {
            pointer(op, *a, &[ANY, SHARED])?;
            op.all([*b], &Type::I32)?;
            let space = match op.ty(*a) {
                Type::Pointer(SHARED) => CLUSTER,
                _ => ANY,
            };
            op.gives_all(&Type::Pointer(space))
        }
        NvvmOp::MbarrierArrive {
            addr,
            count,
            multicast,
            ..
        } => {
            pointer(op, *addr, &[ANY, SHARED, CLUSTER])?;
            op.all([*count, *multicast].into_iter().flatten(), &Type::I32)?;
            state(op, *addr)
        }
        NvvmOp::MbarrierArriveExpectTx {
            addr,
            txcount,
            multicast,
            predicate,
            ..
        } => {
            pointer(op, *addr, &[ANY, SHARED, CLUSTER])?;
            op.all([Some(*txcount), *multicast].into_iter().flatten(), &Type::I32)?;
            op.all(*predicate, &Type::I1)?;
            state(op, *addr)
        }
        NvvmOp::MbarrierExpectTx {
            addr,
            txcount,
            multicast,
            ..
        } => {
            pointer(op, *addr, &[SHARED, CLUSTER])?;
            op.all([Some(*txcount), *multicast].into_iter().flatten(), &Type::I32)
        }
        NvvmOp::MbarrierInit {
            addr,
            count,
            predicate,
            ..
        } => {
            pointer(op, *addr, &[ANY, SHARED])?;
            op.all([*count], &Type::I32)?;
            op.all(*predicate, &Type::I1)
        }
        NvvmOp::MbarrierTryWaitParity {
            addr, phase, ticks, ..
        } => {
            pointer(op, *addr, &[ANY, SHARED])?;
            op.all([*phase, *ticks], &Type::I32)
        }
        NvvmOp::MbarrierTryWaitLimit {
            addr, phase, limit, ..
        } => {
            pointer(op, *addr, &[ANY, SHARED, CLUSTER])?;
            op.all([*phase, *limit], &Type::I32)?;
            op.gives_all(&Type::I1)
        }
        NvvmOp::MbarrierWaitParity { addr, phase, .. } => {
            pointer(op, *addr, &[ANY, SHARED, CLUSTER])?;
            op.all([*phase], &Type::I32)?;
            op.gives_all(&Type::I1)
        }
        NvvmOp::SetMaxRegister { count, .. } if !REGISTERS.contains(count) || count % 8 != 0 => op.refuse(
            Code::AttributeValue,
            format_args!(
                "{count} registers, where a multiple of 8 from {} to {} is needed",
                REGISTERS.start(),
                REGISTERS.end()
            ),
        ),
        NvvmOp::SetMaxRegister { .. } => Ok(()),
        NvvmOp::ShflSync {
            mask,
            value,
            offset,
            clamp,
            with_predicate,
            ..
        } => {
            op.all([*mask, *offset, *clamp], &Type::I32)?;
            let ty = op.ty(*value);
            op.needs(*value, "`i32` or `f32`", *ty == Type::I32 || f32(ty))?;
            match with_predicate.0 {
                true => op.gives_all(&Type::Struct([ty.clone(), Type::I1].into())),
                false => op.gives_all(ty),
            }
        }
        NvvmOp::Tcgen05Commit { addr, multicast, .. } => {
            pointer(op, *addr, &[ANY, SHARED, CLUSTER])?;
            multicast.map_or(Ok(()), |mask| {
                let holds = matches!(op.ty(mask), Type::Integer(_, 16 | 32));
                op.needs(mask, "an integer of 16 or 32 bits", holds)
            })
        }
        NvvmOp::VoteSync { mask, pred, kind } => {
            op.all([*mask], &Type::I32)?;
            op.all([*pred], &Type::I1)?;
            match kind {
                VoteKind::Ballot => op.gives_all(&Type::I32),
                VoteKind::Any | VoteKind::All | VoteKind::Uni => op.gives_all(&Type::I1),
            }
        }
    }
}
