//! Coordinates of threads and blocks, barriers.

use tilewright_diagnostics::Code;
use tilewright_layouts::legality::MAX_BARRIER_COUNT;

use crate::core::{Body, Language, OpData, Value, ValueType};
use crate::element::ElementType;

crate::dialect! {
    /// What every thread can ask of the GPU: its coordinates and barriers.
    pub enum GpuOp: "gpu" {
        /// The thread's number in its block, an i32.
        ThreadIdx "thread_idx" {} -> 1, Pure, Free;
        /// The block's coordinate in the grid along an axis, an i32.
        BlockIdx "block_idx" { axis: u32 } -> 1, Pure, Free;
        /// The grid's extent along an axis, an i32.
        GridDim "grid_dim" { axis: u32 } -> 1, Pure, Free;
        /// `threads` threads of the block meet at barrier `id`; what they did to memory before is seen after.
        Barrier "barrier" { id: u32, threads: u32 } -> 0, Updates(Global, Shared, Barrier), Free [convergent];
        /// Arrives at barrier `id`, where `threads` threads meet, without waiting for the others.
        BarrierArrive "barrier_arrive" { id: u32, threads: u32 } -> 0, Updates(Global, Shared, Barrier), Free [convergent];
        /// Makes the 8 bytes at a pointer to shared memory a barrier whose phases end when it was arrived at `count`
        /// times. (PTX ISA, `mbarrier`, for this op and the next ones.)
        MbarrierInit "mbarrier_init" { barrier: Value, count: u32 } -> 0, Writes(Shared, Barrier), Free;
        /// Arrives at a barrier in shared memory.
        MbarrierArrive "mbarrier_arrive" { barrier: Value } -> 0, Updates(Global, Shared, Barrier), Free;
        /// Arrives at a barrier in shared memory when all earlier asynchronous copies of this thread have arrived.
        MbarrierArriveAsync "mbarrier_arrive_async" { barrier: Value } -> 0, Updates(Global, Shared, Barrier), Free;
        /// Waits until the phase of a barrier with this parity, an i32, has ended.
        MbarrierWait "mbarrier_wait" { barrier: Value, parity: Value } -> 0, Updates(Global, Shared, Barrier), Free;
        /// Makes a group of this thread's asynchronous copies that belong to none yet.
        AsyncCommit "async_commit" {} -> 0, Updates(Shared, Barrier), Free;
        /// Waits for this thread's groups of asynchronous copies but the last `in_flight` ones.
        AsyncWait "async_wait" { in_flight: u32 } -> 0, Updates(Shared, Barrier), Free;
    }
}

/// The rules of these ops.
///
/// # Errors
/// What is wrong with the op.
pub fn check<L: Language>(body: &Body<L>, op: &OpData<L>, own: &GpuOp) -> Result<(), (Code, String)> {
    let is_i32 = |value: Value| {
        let ty = body.ty(value);
        ty.is_single() && ty.element() == Some(ElementType::I32)
    };
    let refuse = |code: Code, message: &str| Err((code, message.to_owned()));
    match own {
        GpuOp::ThreadIdx {} if !is_i32(op.result(0)) => {
            refuse(Code::TypeMismatch, "a thread index is an i32")
        }
        GpuOp::BlockIdx { axis } | GpuOp::GridDim { axis } if *axis >= 3 => {
            refuse(Code::AttributeValue, "a grid has axes 0 to 2")
        }
        GpuOp::BlockIdx { .. } | GpuOp::GridDim { .. } if !is_i32(op.result(0)) => {
            refuse(Code::TypeMismatch, "a grid coordinate is an i32")
        }
        GpuOp::Barrier { id, .. } | GpuOp::BarrierArrive { id, .. } if *id >= 16 => refuse(
            Code::AttributeValue,
            "there are barriers 0 to 15 (PTX ISA, `barrier`)",
        ),
        GpuOp::Barrier { threads, .. } | GpuOp::BarrierArrive { threads, .. }
            if threads % 32 != 0 || *threads == 0 =>
        {
            refuse(Code::AttributeValue, "whole warps meet at a barrier")
        }
        GpuOp::MbarrierInit { count, .. } if !(1..=MAX_BARRIER_COUNT).contains(count) => {
            let message =
                format!("a barrier is arrived at 1 to {MAX_BARRIER_COUNT} times in a phase, not {count}");
            Err((Code::HardwareLimit, message))
        }
        GpuOp::MbarrierWait { parity, .. } if !is_i32(*parity) => {
            refuse(Code::OperandType, "the parity of a phase is an i32")
        }
        GpuOp::ThreadIdx {}
        | GpuOp::BlockIdx { .. }
        | GpuOp::GridDim { .. }
        | GpuOp::Barrier { .. }
        | GpuOp::BarrierArrive { .. }
        | GpuOp::MbarrierInit { .. }
        | GpuOp::MbarrierArrive { .. }
        | GpuOp::MbarrierArriveAsync { .. }
        | GpuOp::MbarrierWait { .. }
        | GpuOp::AsyncCommit {}
        | GpuOp::AsyncWait { .. } => Ok(()),
    }
}
