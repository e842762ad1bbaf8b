//! Barriers of blocks, warps and clusters, `mbarrier`s and fences.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{OpId, Origin, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::cute_types::Space as CuteSpace;
use tilewright_irs::dialects::arith::{ArithOp, Predicate, Signedness};
use tilewright_irs::dialects::cute::CuteOp;
use tilewright_irs::dialects::gpu::GpuOp;
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::limits::NAMED_BARRIERS;
use tilewright_irs::isa::{
    Aligned, Arrival, ArrivalMode, ArriveWord, BarrierLogic, Cta, Instruction, Noinc, OpResult, Order,
    PopcWord, Proxy, RedWord, Scope, Space, SyncWord, TargetOp, Type,
};
use tilewright_irs::machine::LANES;
use tilewright_irs::mlir::Attribute;
use tilewright_irs::mlir::dialects::NvvmOp;
use tilewright_irs::mlir::enums::{BarrierReduction, MbarrierWait, MemScope, ProxyKind, SharedSpace};

use crate::cute_to_cute_desugared::instructions::{I32, address, effect, i32, of, one};
use crate::cute_to_cute_desugared::pointers::pointer;
use crate::cute_to_cute_desugared::state::{Cx, Desugar, not_lowered};

/// Lowers an op.
pub(super) fn lower(pass: &Desugar, cx: &mut Cx<'_>, id: OpId, op: &NvvmOp) -> Translated {
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
        _ => Err(not_lowered(cx, id)),
    }
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
