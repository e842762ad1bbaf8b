//! Lowers mbarriers, fences, arrivals at named barriers, and groups of asynchronous copies.

use tilewright_irs::core::{Successor, Value};
use tilewright_irs::dialects::memory::{FenceKind, FenceOrder, MemoryScope};
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::{
    self, Aligned, AlignedWord, Arrival, ArrivalMode, ArriveWord, Cta, Instruction, Noinc, OpResult, Proxy,
    RegisterChange, Space, SyncWord, Type, WithPredicate,
};
use tilewright_irs::llvm::{LlvmDialect, LlvmType};
use tilewright_irs::nvvm::memory_scope;

use super::emit::{Cx, I32, I64, WARP, at, i32, new_block};

/// Initialises an mbarrier in 8 bytes of shared memory.
pub(super) fn init(cx: &mut Cx<'_>, barrier: Value, count: u32) {
    let (a, count) = (at(cx.one(barrier)), i32(cx, count));
    cx.build().effect(Instruction::MbarrierInit {
        space: Some(Space::Shared),
        ty: Type::B64,
        a,
        count,
    });
}

/// Arrives at an mbarrier.
pub(super) fn arrive(cx: &mut Cx<'_>, barrier: Value) {
    arrive_with(cx, barrier, None, None);
}

/// Arrives at an mbarrier, and expects bytes in its phase.
pub(super) fn arrive_expecting(cx: &mut Cx<'_>, barrier: Value, bytes: u32) {
    let bytes = i32(cx, bytes);
    arrive_with(cx, barrier, Some(ArrivalMode::ExpectTx), Some(bytes));
}

fn arrive_with(cx: &mut Cx<'_>, barrier: Value, mode: Option<ArrivalMode>, count: Option<Value>) {
    let a = at(cx.one(barrier));
    // The returned state is not used.
    cx.value(
        Instruction::MbarrierArrive {
            arrival: Arrival::Arrive,
            mode,
            order: None,
            scope: None,
            space: Some(Space::Shared),
            ty: Type::B64,
            d: OpResult,
            a,
            count,
        },
        I64,
    );
}

/// The address of the same place in the shared memory of another block of the cluster.
pub(super) fn in_block(cx: &mut Cx<'_>, a: Value, rank: Value) -> Value {
    let there = Instruction::Mapa {
        space: Some(Space::SharedCluster),
        ty: Type::U32,
        d: OpResult,
        a,
        rank,
    };
    cx.value(there, I32)
}

/// Arrives at the mbarrier at the same place in another block of the cluster.
pub(super) fn arrive_at(cx: &mut Cx<'_>, barrier: Value, rank: Value) {
    let (a, rank) = (cx.one(barrier), cx.one(rank));
    let there = in_block(cx, a, rank);
    let space = Some(Space::SharedCluster);
    cx.build().effect(Instruction::MbarrierArriveRemote {
        arrival: Arrival::Arrive,
        mode: None,
        order: None,
        scope: None,
        space,
        ty: Type::B64,
        d: (),
        a: at(there),
        count: None,
    });
}

/// Waits for all threads of the cluster.
pub(super) fn cluster(cx: &mut Cx<'_>) {
    let (order, aligned) = (None, Aligned(true));
    cx.build().effect(Instruction::ClusterArrive { order, aligned });
    cx.build().effect(Instruction::ClusterWait { order, aligned });
}

/// Whether this lane is the elected one of its warp.
pub(super) fn elect(cx: &mut Cx<'_>) -> Value {
    let mask = i32(cx, WARP);
    let d = WithPredicate {
        register: OpResult,
        predicate: Some(OpResult),
    };
    let types = [I32, LlvmType::Scalar(ScalarType::I1)];
    let made = cx.build().op(Instruction::ElectSync { d, mask }, types);
    cx.new_body().op(made).result(1)
}

/// Changes the number of registers of each thread of the warp group.
pub(super) fn set_max_registers(cx: &mut Cx<'_>, registers: u32, more: bool) {
    cx.build().effect(Instruction::SetMaxRegisters {
        change: if more {
            RegisterChange::Inc
        } else {
            RegisterChange::Dec
        },
        sync: SyncWord,
        aligned: AlignedWord,
        ty: Type::U32,
        count: registers,
    });
}

/// Orders this thread's accesses to shared memory before those through the asynchronous proxy.
pub(super) fn fence_async(cx: &mut Cx<'_>) {
    cx.build().effect(Instruction::FenceProxy {
        proxy: Proxy::Async,
        space: Some(Space::SharedCta),
    });
}

/// Arrives at an mbarrier when this thread's asynchronous copies are complete. The arrival is one of the expected
/// ones.
pub(super) fn arrive_async(cx: &mut Cx<'_>, barrier: Value) {
    let a = at(cx.one(barrier));
    cx.build().effect(Instruction::CpAsyncArrive {
        noinc: Noinc(true),
        space: Some(Space::Shared),
        ty: Type::B64,
        a,
    });
}

/// Waits until the phase of this parity is complete, by polling: from `sm_90` on each test may block for a while. The
/// lanes of a warp may leave the loop one by one; they reconverge after it.
pub(super) fn wait(cx: &mut Cx<'_>, barrier: Value, parity: Value, sm: u16) {
    let (pointer, parity) = (cx.one(barrier), cx.one(parity));
    let (again, _) = new_block(cx, &[]);
    let (done, _) = new_block(cx, &[]);
    let go = |block| Successor {
        block,
        args: Vec::new(),
    };
    cx.build().effect(LlvmDialect::Br { target: go(again) });
    cx.go_on_in(again);
    let (order, scope, space, ty, d, a) = (None, None, Some(Space::Shared), Type::B64, OpResult, at(pointer));
    let ask = if sm >= 90 {
        Instruction::MbarrierTryWaitParity {
            order,
            scope,
            space,
            ty,
            d,
            a,
            parity,
            nanoseconds: None,
        }
    } else {
        Instruction::MbarrierTestWaitParity {
            order,
            scope,
            space,
            ty,
            d,
            a,
            parity,
        }
    };
    let condition = cx.value(ask, LlvmType::Scalar(ScalarType::I1));
    cx.build().effect(LlvmDialect::CondBr {
        unroll: None,
        condition,
        yes: go(done),
        no: go(again),
    });
    cx.go_on_in(done);
    sync_warp(cx);
}

/// Waits for all lanes of the warp.
pub(super) fn sync_warp(cx: &mut Cx<'_>) {
    let mask = i32(cx, WARP);
    cx.build().effect(Instruction::BarWarpSync { mask });
}

/// Arrives at a named barrier without waiting.
pub(super) fn arrive_named(cx: &mut Cx<'_>, id: u32, threads: u32) {
    let (a, b) = (i32(cx, id), i32(cx, threads));
    cx.build().effect(Instruction::BarArrive {
        cta: Cta(false),
        arrive: ArriveWord,
        a,
        b,
    });
}

/// Commits a group of asynchronous copies.
pub(super) fn commit(cx: &mut Cx<'_>) {
    cx.build().effect(Instruction::CpAsyncCommit {});
}

/// Waits for all groups but the last ones.
pub(super) fn wait_groups(cx: &mut Cx<'_>, in_flight: u32) {
    cx.build().effect(Instruction::CpAsyncWait { groups: in_flight });
}

/// Orders the accesses of the thread.
pub(super) fn thread_fence(cx: &mut Cx<'_>, order: FenceOrder, scope: MemoryScope) {
    let order = match order {
        FenceOrder::AcqRel => isa::FenceOrder::AcqRel,
        FenceOrder::Sc => isa::FenceOrder::Sc,
    };
    cx.build().effect(Instruction::Fence {
        order: Some(order),
        scope: memory_scope(scope),
    });
}

/// Synchronises with what is outside of the block.
pub(super) fn fence(cx: &mut Cx<'_>, kind: FenceKind) {
    cx.build().effect(match kind {
        FenceKind::Alias => Instruction::FenceProxy {
            proxy: Proxy::Alias,
            space: None,
        },
        FenceKind::LaunchDependents => Instruction::LaunchDependents {},
        FenceKind::WaitForGrids => Instruction::WaitForGrids {},
    });
}
