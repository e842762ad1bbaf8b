//! Thread and block indices, shuffles, barriers.

use tilewright_diagnostics::Code;
use tilewright_layouts::legality::{Barrier, MAX_BARRIER_COUNT};

use super::memory::{FenceKind, FenceOrder, MemoryScope};
use crate::core::{Body, Flag, Language, OpData, Operation, Value, ValueType};
use crate::element::{ElementType, ScalarType};
use crate::format::MAX_VALUES;
use crate::isa::Target;
use crate::isa::rules::forms;
use crate::machine::{LANES, NAMED_BARRIERS};

crate::keywords! {
    /// The operation by which the lanes of a warp combine their values.
    pub enum WarpReduction {
        /// Sum of integers; wraps.
        Add = "add",
        /// Minimum of signed integers.
        MinSigned = "mins",
        /// Maximum of signed integers.
        MaxSigned = "maxs",
        /// Minimum of unsigned integers.
        MinUnsigned = "minu",
        /// Maximum of unsigned integers.
        MaxUnsigned = "maxu",
        /// Bitwise and.
        And = "and",
        /// Bitwise or.
        Or = "or",
        /// Bitwise exclusive or.
        Xor = "xor",
        /// Minimum of floats, NaNs left out.
        MinNumber = "minnum",
        /// Maximum of floats, NaNs left out.
        MaxNumber = "maxnum",
        /// Minimum of floats; a NaN if there is one.
        Minimum = "minimum",
        /// Maximum of floats; a NaN if there is one.
        Maximum = "maximum",
    }
}

impl WarpReduction {
    /// Whether it combines floats; the others combine integers.
    pub const fn is_float(self) -> bool {
        matches!(
            self,
            Self::MinNumber | Self::MaxNumber | Self::Minimum | Self::Maximum
        )
    }
}

crate::dialect! {
    /// Thread and block indices, shuffles, barriers.
    pub enum GpuOp: "gpu" {
        /// The thread's index in its block along an axis, the first one unless another is named, an i32.
        ThreadIdx "thread_idx" { axis: Option<u32> } -> 1, Pure, Free;
        /// The block's index in the grid along an axis, an i32.
        BlockIdx "block_idx" { axis: u32 } -> 1, Pure, Free;
        /// The rank of the block in its cluster, an i32.
        BlockRank "block_rank" {} -> 1, Pure, Free;
        /// The grid's extent along an axis, an i32.
        GridDim "grid_dim" { axis: u32 } -> 1, Pure, Free;
        /// The cluster's index in the grid along an axis, an i32. (PTX ISA, `%clusterid`.)
        ClusterIdx "cluster_idx" { axis: u32 } -> 1, Pure, Free;
        /// The number of clusters of the grid along an axis, an i32. (PTX ISA, `%nclusterid`.)
        NumClusters "num_clusters" { axis: u32 } -> 1, Pure, Free;
        /// The value of another lane of the warp: of the one whose index differs by `mask` (exclusive or). The value is
        /// one element or a fragment; all lanes of the warp take part. (PTX ISA, `shfl.sync`, for this op and the next
        /// one.)
        ShuffleXor "shuffle_xor" { value: Value, mask: u32 } -> 1, Pure, Free [convergent];
        /// The value of lane `lane`, an i32 below 32, of the warp.
        ShuffleIdx "shuffle_idx" { value: Value, lane: Value } -> 1, Pure, Free [convergent];
        /// Barrier `id` of `threads` threads of the block; memory accesses before it are visible to all of them after
        /// it.
        Barrier "barrier" { id: u32, threads: u32 } -> 0, Updates(Global, Shared, Barrier), Free [convergent];
        /// Arrives at barrier `id` of `threads` threads without waiting.
        BarrierArrive "barrier_arrive" { id: u32, threads: u32 } -> 0, Updates(Global, Shared, Barrier), Free [convergent];
        /// Barrier of all threads of the cluster; memory accesses before it are visible to all of them after it. (PTX ISA,
        /// `barrier.cluster`.)
        ClusterBarrier "cluster_barrier" {} -> 0, Updates(Global, Shared, Barrier), Free [convergent];
        /// Synchronises the accesses of this thread with what is outside of the block.
        Fence "fence" { kind: FenceKind } -> 0, Updates(Global, Barrier), Free;
        /// Orders this thread's accesses before it and after it, as the threads of the scope see them. Only fences can be
        /// sequentially consistent: an access that is to be so follows such a fence. (PTX ISA, `fence`.)
        ThreadFence "thread_fence" { order: FenceOrder, scope: MemoryScope } -> 0, Updates(Global, Shared, Barrier), Free;
        /// Initialises the 8 bytes at a pointer to shared memory as an mbarrier whose phases complete after `count`
        /// arrivals. (PTX ISA, `mbarrier`, for this op and the next ones.)
        MbarrierInit "mbarrier_init" { barrier: Value, count: u32 } -> 0, Writes(Shared, Barrier), Free;
        /// Arrives at an mbarrier.
        MbarrierArrive "mbarrier_arrive" { barrier: Value } -> 0, Updates(Global, Shared, Barrier), Free;
        /// Arrives at the mbarrier that the block of rank `rank`, an i32, has at this place in its shared memory. (PTX ISA,
        /// `mapa`.)
        MbarrierArriveAt "mbarrier_arrive_at" { barrier: Value, rank: Value } -> 0, Updates(Global, Shared, Barrier), Free;
        /// Arrives at an mbarrier when all earlier asynchronous copies of this thread are complete.
        MbarrierArriveAsync "mbarrier_arrive_async" { barrier: Value } -> 0, Updates(Global, Shared, Barrier), Free;
        /// Arrives at an mbarrier, and expects this many bytes of asynchronous copies in the current phase.
        MbarrierExpectTx "mbarrier_arrive_expect_tx" { barrier: Value, bytes: u32 } -> 0, Updates(Global, Shared, Barrier), Free;
        /// Makes the initialisation of mbarriers visible to asynchronous copies and to the cluster. (PTX ISA,
        /// `fence.mbarrier_init`.)
        MbarrierInitFence "mbarrier_init_fence" {} -> 0, Updates(Shared, Barrier), Free;
        /// Waits until the phase of an mbarrier with this parity, an i32, is complete.
        MbarrierWait "mbarrier_wait" { barrier: Value, parity: Value } -> 0, Updates(Global, Shared, Barrier), Free;
        /// Commits this thread's pending asynchronous copies to a new group.
        AsyncCommit "async_commit" {} -> 0, Updates(Shared, Barrier), Free;
        /// An i1 that is true in one lane of the warp, always the same. (PTX ISA, `elect.sync`.)
        Elect "elect" {} -> 1, Pure, Free [convergent];
        /// Sets the registers of each thread of the warp group: with `more` it waits until there are enough, else it
        /// releases some. (PTX ISA, `setmaxnreg`.)
        SetMaxRegisters "set_max_registers" { registers: u32, more: Flag } -> 0, Writes(Barrier), Free [convergent];
        /// Orders this thread's accesses to shared memory before those of asynchronous copies and matrix products. (PTX
        /// ISA, `fence.proxy.async`.)
        FenceProxyAsync "fence_proxy_async" {} -> 0, Updates(Shared, Barrier), Free;
        /// Makes a group of this thread's bulk copies out of shared memory since the last one. (PTX ISA,
        /// `cp.async.bulk.commit_group`.)
        BulkCommit "bulk_commit" {} -> 0, Updates(Shared, Barrier), Free;
        /// Waits until at most `in_flight` of this thread's latest groups of bulk copies are pending: until they have read
        /// shared memory, or, unless `read`, also written global memory.
        BulkWait "bulk_wait" { in_flight in Staging: u32, read: Flag } -> 0, Updates(Global, Shared, Barrier), Free;
        /// Waits until all lanes of the warp are here.
        WarpSync "warp_sync" {} -> 0, Updates(Barrier), Free [convergent];
        /// What the values of the lanes of the warp are together: i32, or f32 for the operations on floats, which need
        /// sm_100a. All lanes have the result. (PTX ISA, `redux.sync`.)
        WarpReduce "warp_reduce" { source: Value, op: WarpReduction } -> 1, Pure, Same [convergent];
        /// Prints the text, in which each `%` form is replaced by a value: an i32, an i64 or an f64.
        Printf "printf" { format: String, values: Vec<Value> } -> 0, Writes(Output), Free;
        /// Ends the kernel with an error.
        Trap "trap" {} -> 0, Writes(Control), Free;
        /// Waits until at most `in_flight` of this thread's latest groups of asynchronous copies are pending.
        AsyncWait "async_wait" { in_flight in Staging: u32 } -> 0, Updates(Shared, Barrier), Free;
    }
}

crate::dialect! {
    /// The grids before and after this one on the same stream, which may run at the same time.
    pub enum GridOp: "gpu" {
        /// Allows the grid that depends on this one to start, when all blocks have executed this or ended. (PTX ISA,
        /// `griddepcontrol`, for this op and the next one.)
        LaunchDependents "launch_dependents" {} -> 0, Writes(Barrier), Free;
        /// Waits until the grids that this one depends on have ended; what they have written is visible to the thread.
        WaitForGrids "wait_for_grids" {} -> 0, Updates(Global, Barrier), Free;
    }
}

impl GridOp {
    /// Checks that a target has the op.
    ///
    /// # Errors
    /// The error.
    pub fn check(&self, target: Target) -> Result<(), (Code, String)> {
        match forms::grid_dependence() {
            Some(need) if !target.provides(need) => {
                let message = format!("`{}` needs {need}; the target is {target}", self.name());
                Err((Code::TargetLacksFeature, message))
            }
            _ => Ok(()),
        }
    }
}

/// Verifies these ops. `address` tells where in shared memory a pointer points, as far as that is known.
///
/// # Errors
/// The error.
pub fn check<L: Language>(
    body: &Body<L>,
    op: &OpData<L>,
    own: &GpuOp,
    address: &dyn Fn(Value) -> Option<u32>,
) -> Result<(), (Code, String)> {
    check_rules(body, op, own)?;
    let (barrier, arrivals) = match own {
        GpuOp::MbarrierInit { barrier, count } => (*barrier, *count),
        GpuOp::MbarrierArrive { barrier }
        | GpuOp::MbarrierArriveAt { barrier, .. }
        | GpuOp::MbarrierExpectTx { barrier, .. }
        | GpuOp::MbarrierArriveAsync { barrier }
        | GpuOp::MbarrierWait { barrier, .. } => (*barrier, 1),
        _ => return Ok(()),
    };
    let address = address(barrier).unwrap_or(0);
    let mbarrier = Barrier { address, arrivals };
    mbarrier
        .check()
        .map_err(|violations| (Code::HardwareLimit, violations.to_string()))
}

fn check_rules<L: Language>(body: &Body<L>, op: &OpData<L>, own: &GpuOp) -> Result<(), (Code, String)> {
    let is_i32 = |value: Value| {
        let ty = body.ty(value);
        ty.is_single() && ty.element() == Some(ElementType::I32)
    };
    let number = |op: &WarpReduction| match op.is_float() {
        true => ScalarType::F32,
        false => ScalarType::I32,
    };
    let refuse = |code: Code, message: &str| Err((code, message.to_owned()));
    match own {
        GpuOp::ThreadIdx { axis: Some(3..) } => refuse(Code::AttributeValue, "a block has axes 0 to 2"),
        GpuOp::ThreadIdx { .. } if !is_i32(op.result(0)) => {
            refuse(Code::TypeMismatch, "a thread index is an i32")
        }
        GpuOp::BlockIdx { axis }
        | GpuOp::GridDim { axis }
        | GpuOp::ClusterIdx { axis }
        | GpuOp::NumClusters { axis }
            if *axis >= 3 =>
        {
            refuse(Code::AttributeValue, "a grid has axes 0 to 2")
        }
        GpuOp::BlockIdx { .. }
        | GpuOp::GridDim { .. }
        | GpuOp::ClusterIdx { .. }
        | GpuOp::NumClusters { .. }
            if !is_i32(op.result(0)) =>
        {
            refuse(Code::TypeMismatch, "a grid coordinate is an i32")
        }
        GpuOp::BlockRank {} if !is_i32(op.result(0)) => {
            refuse(Code::TypeMismatch, "the rank of a block is an i32")
        }
        GpuOp::MbarrierArriveAt { rank, .. } if !is_i32(*rank) => {
            refuse(Code::OperandType, "the rank of a block is an i32")
        }
        GpuOp::Barrier { id, .. } | GpuOp::BarrierArrive { id, .. } if *id >= NAMED_BARRIERS => refuse(
            Code::AttributeValue,
            &format!(
                "there are barriers 0 to {} (PTX ISA, `barrier`)",
                NAMED_BARRIERS - 1
            ),
        ),
        GpuOp::Barrier { threads, .. } | GpuOp::BarrierArrive { threads, .. }
            if threads % LANES != 0 || *threads == 0 =>
        {
            refuse(Code::AttributeValue, "whole warps meet at a barrier")
        }
        GpuOp::MbarrierInit { barrier, .. }
        | GpuOp::MbarrierArrive { barrier }
        | GpuOp::MbarrierArriveAt { barrier, .. }
        | GpuOp::MbarrierExpectTx { barrier, .. }
        | GpuOp::MbarrierArriveAsync { barrier }
        | GpuOp::MbarrierWait { barrier, .. }
            if body.ty(*barrier).element().is_some() =>
        {
            refuse(
                Code::OperandType,
                "an mbarrier is where a pointer to shared memory points",
            )
        }
        GpuOp::MbarrierExpectTx { bytes, .. } if *bytes > MAX_BARRIER_COUNT => {
            let message = format!(
                "a phase of an mbarrier expects at most {MAX_BARRIER_COUNT} bytes, not {bytes} (PTX ISA, `mbarrier`)"
            );
            Err((Code::HardwareLimit, message))
        }
        GpuOp::SetMaxRegisters { registers, .. }
            if !(24..=256).contains(registers) || !registers.is_multiple_of(8) =>
        {
            let message = format!(
                "a thread has 24 to 256 registers, a multiple of 8, not {registers} (PTX ISA, `setmaxnreg`)"
            );
            Err((Code::HardwareLimit, message))
        }
        GpuOp::Elect {}
            if !body.ty(op.result(0)).is_single()
                || body.ty(op.result(0)).element() != Some(ElementType::I1) =>
        {
            refuse(Code::TypeMismatch, "whether a lane is elected is an i1")
        }
        GpuOp::MbarrierWait { parity, .. } if !is_i32(*parity) => {
            refuse(Code::OperandType, "the parity of a phase is an i32")
        }
        GpuOp::ShuffleXor { value, .. } | GpuOp::ShuffleIdx { value, .. }
            if body.ty(*value).element().is_none() || body.ty(*value) != body.ty(op.result(0)) =>
        {
            refuse(
                Code::TypeMismatch,
                "a shuffle moves elements and keeps their type",
            )
        }
        GpuOp::ShuffleXor { mask, .. } if *mask >= 32 => {
            let message = format!("the lanes of a warp differ by a mask of 0 to 31, not {mask}");
            Err((Code::AttributeValue, message))
        }
        GpuOp::ShuffleIdx { lane, .. } if !is_i32(*lane) => {
            refuse(Code::OperandType, "the index of a lane is an i32")
        }
        GpuOp::WarpReduce { source, op }
            if !body.ty(*source).is_single()
                || body.ty(*source).element() != Some(ElementType::Scalar(number(op))) =>
        {
            let message = format!("`{op}` of a warp combines values of {}", number(op));
            Err((Code::OperandType, message))
        }
        GpuOp::Printf { format, values } => {
            let types = values.iter().map(|&value| {
                let ty = body.ty(value);
                ty.element().filter(|_| ty.is_single())
            });
            check_printf(format, types)
        }
        GpuOp::ThreadIdx { .. }
        | GpuOp::ShuffleXor { .. }
        | GpuOp::ShuffleIdx { .. }
        | GpuOp::WarpSync {}
        | GpuOp::WarpReduce { .. }
        | GpuOp::Trap {}
        | GpuOp::BlockIdx { .. }
        | GpuOp::GridDim { .. }
        | GpuOp::ClusterIdx { .. }
        | GpuOp::NumClusters { .. }
        | GpuOp::Barrier { .. }
        | GpuOp::BarrierArrive { .. }
        | GpuOp::Fence { .. }
        | GpuOp::ThreadFence { .. }
        | GpuOp::MbarrierInit { .. }
        | GpuOp::MbarrierArrive { .. }
        | GpuOp::MbarrierArriveAt { .. }
        | GpuOp::BlockRank {}
        | GpuOp::ClusterBarrier {}
        | GpuOp::MbarrierArriveAsync { .. }
        | GpuOp::MbarrierWait { .. }
        | GpuOp::MbarrierExpectTx { .. }
        | GpuOp::MbarrierInitFence {}
        | GpuOp::Elect {}
        | GpuOp::SetMaxRegisters { .. }
        | GpuOp::FenceProxyAsync {}
        | GpuOp::BulkCommit {}
        | GpuOp::BulkWait { .. }
        | GpuOp::AsyncCommit {}
        | GpuOp::AsyncWait { .. } => Ok(()),
    }
}

/// Checks the format of a call of `vprintf` and the types of its values.
///
/// # Errors
/// The error.
pub(crate) fn check_printf(
    format: &str,
    values: impl ExactSizeIterator<Item = Option<ElementType>>,
) -> Result<(), (Code, String)> {
    let count = values.len();
    if count > MAX_VALUES {
        let message = format!("`vprintf` takes at most {MAX_VALUES} values, not {count}");
        return Err((Code::HardwareLimit, message));
    }
    crate::format::check(format, count).map_err(|message| (Code::AttributeValue, message))?;
    for ty in values {
        let (Some(ElementType::I32 | ElementType::I64) | Some(ElementType::Scalar(ScalarType::F64))) = ty
        else {
            let message = "`vprintf` takes values of i32, i64 and f64".to_owned();
            return Err((Code::OperandType, message));
        };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_of_vprintf_has_a_conversion_for_each_of_at_most_32_values() {
        let check = |format: &str, types: &[ElementType]| {
            let types: Vec<_> = types.iter().copied().map(Some).collect();
            check_printf(format, types.into_iter()).map_err(|(code, _)| code)
        };
        let f64 = ElementType::Scalar(ScalarType::F64);
        let all = "%d".repeat(MAX_VALUES);
        assert_eq!(
            check("%d %lld %f", &[ElementType::I32, ElementType::I64, f64]),
            Ok(())
        );
        assert_eq!(check(&all, &[ElementType::I32; MAX_VALUES]), Ok(()));
        let one_more = check(&format!("{all}%d"), &[ElementType::I32; MAX_VALUES + 1]);
        assert_eq!(one_more, Err(Code::HardwareLimit));
        assert_eq!(check("%d", &[]), Err(Code::AttributeValue));
        assert_eq!(
            check("%f", &[ElementType::Scalar(ScalarType::F32)]),
            Err(Code::OperandType)
        );
    }
}
