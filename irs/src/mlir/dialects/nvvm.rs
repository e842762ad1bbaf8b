//! Instructions of NVIDIA's GPUs.

use super::{PLAIN, PLAIN_ARROW, PLAIN_OPERANDS};
use crate::core::{Flag, Value};
use crate::mlir::attribute::Attribute;
use crate::mlir::declare::mlir_ops;
use crate::mlir::enums::{
    AtomicKind, AtomicScope, BarrierReduction, CacheLevel, CachePriority, CopyModifier, CtaGroup, EvictKind,
    FloatRounding, L2Prefetch, LoadFormat, LoadModifier, LoadShape, MatchKind, MatrixLayout, MbarrierLayout,
    MbarrierScope, MbarrierWait, MemOrder, MemScope, ProxyKind, RedKind, RedType, ReductionKind,
    RegisterChange, Saturation, SharedSpace, ShuffleKind, StoreModifier, StoreShape, TensorWait, VoteKind,
};

/// `: T`, the type of the result.
const SPECIAL: &str = "{@} : {R}";

mlir_ops! {
    /// Instructions of NVIDIA's GPUs.
    pub enum NvvmOp: "nvvm" in Nvvm {
        /// The thread's index in its block, along x.
        TidX "read.ptx.sreg.tid.x" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The thread's index in its block, along y.
        TidY "read.ptx.sreg.tid.y" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The thread's index in its block, along z.
        TidZ "read.ptx.sreg.tid.z" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The extent of the block, along x.
        NtidX "read.ptx.sreg.ntid.x" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The extent of the block, along y.
        NtidY "read.ptx.sreg.ntid.y" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The extent of the block, along z.
        NtidZ "read.ptx.sreg.ntid.z" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The block's index in the grid, along x.
        CtaidX "read.ptx.sreg.ctaid.x" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The block's index in the grid, along y.
        CtaidY "read.ptx.sreg.ctaid.y" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The block's index in the grid, along z.
        CtaidZ "read.ptx.sreg.ctaid.z" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The extent of the grid, along x.
        NctaidX "read.ptx.sreg.nctaid.x" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The extent of the grid, along y.
        NctaidY "read.ptx.sreg.nctaid.y" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The extent of the grid, along z.
        NctaidZ "read.ptx.sreg.nctaid.z" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The block's index in its cluster, along x.
        ClusterCtaidX "read.ptx.sreg.cluster.ctaid.x" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The block's index in its cluster, along y.
        ClusterCtaidY "read.ptx.sreg.cluster.ctaid.y" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The block's index in its cluster, along z.
        ClusterCtaidZ "read.ptx.sreg.cluster.ctaid.z" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The extent of the cluster, along x.
        ClusterNctaidX "read.ptx.sreg.cluster.nctaid.x" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The extent of the cluster, along y.
        ClusterNctaidY "read.ptx.sreg.cluster.nctaid.y" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The extent of the cluster, along z.
        ClusterNctaidZ "read.ptx.sreg.cluster.nctaid.z" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The cluster's index, along x.
        ClusteridX "read.ptx.sreg.clusterid.x" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The cluster's index, along y.
        ClusteridY "read.ptx.sreg.clusterid.y" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The cluster's index, along z.
        ClusteridZ "read.ptx.sreg.clusterid.z" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The extent of the grid in clusters, along x.
        NclusteridX "read.ptx.sreg.nclusterid.x" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The extent of the grid in clusters, along y.
        NclusteridY "read.ptx.sreg.nclusterid.y" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The extent of the grid in clusters, along z.
        NclusteridZ "read.ptx.sreg.nclusterid.z" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The block's rank in its cluster.
        ClusterCtarank "read.ptx.sreg.cluster.ctarank" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The number of blocks of the cluster.
        ClusterNctarank "read.ptx.sreg.cluster.nctarank" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The thread's index in its warp.
        Laneid "read.ptx.sreg.laneid" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The warp's index in its block, which is not the same at every read.
        Warpid "read.ptx.sreg.warpid" { range: Option<Attribute> } -> 1 Written, Reads(Barrier), Other, SPECIAL;
        /// The multiprocessor's index, which is not the same at every read.
        Smid "read.ptx.sreg.smid" { range: Option<Attribute> } -> 1 Written, Reads(Barrier), Other, SPECIAL;
        /// The number of warps that a multiprocessor has place for.
        Nwarpid "read.ptx.sreg.nwarpid" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The number of multiprocessors.
        Nsmid "read.ptx.sreg.nsmid" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The launch's number.
        Gridid "read.ptx.sreg.gridid" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The number of threads of a warp.
        Warpsize "read.ptx.sreg.warpsize" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The bytes of the block's dynamic shared memory.
        DynamicSmemSize "read.ptx.sreg.dynamic.smem.size" {} -> 1 Written, Pure, Other, SPECIAL;
        /// The lane's bit.
        LanemaskEq "read.ptx.sreg.lanemask.eq" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The bits of the lanes below this one.
        LanemaskLt "read.ptx.sreg.lanemask.lt" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The bits of this lane and those below.
        LanemaskLe "read.ptx.sreg.lanemask.le" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The bits of the lanes above this one.
        LanemaskGt "read.ptx.sreg.lanemask.gt" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The bits of this lane and those above.
        LanemaskGe "read.ptx.sreg.lanemask.ge" { range: Option<Attribute> } -> 1 Written, Pure, Other, SPECIAL;
        /// The multiprocessor's clock.
        Clock "read.ptx.sreg.clock" {} -> 1 Written, Updates(Barrier), Other, SPECIAL;
        /// The multiprocessor's clock, in 64 bits.
        Clock64 "read.ptx.sreg.clock64" {} -> 1 Written, Updates(Barrier), Other, SPECIAL;
        /// The time in nanoseconds.
        Globaltimer "read.ptx.sreg.globaltimer" {} -> 1 Written, Updates(Barrier), Other, SPECIAL;
        /// The time in nanoseconds, its lower 32 bits.
        GlobaltimerLo "read.ptx.sreg.globaltimer.lo" {} -> 1 Written, Updates(Barrier), Other, SPECIAL;
        /// Two sums.
        AddPacked "add.packed.f32x2" { a["srcA"]: Value, b["srcB"]: Value, ftz: bool, rnd: FloatRounding } -> 1 Written, Pure, Other, PLAIN_ARROW;
        /// Two differences.
        SubPacked "sub.packed.f32x2" { a["srcA"]: Value, b["srcB"]: Value, ftz: bool, rnd: FloatRounding } -> 1 Written, Pure, Other, PLAIN_ARROW;
        /// Two products.
        MulPacked "mul.packed.f32x2" { a["srcA"]: Value, b["srcB"]: Value, ftz: bool, rnd: FloatRounding } -> 1 Written, Pure, Other, PLAIN_ARROW;
        /// Two products and sums, each rounded once.
        FmaPacked "fma.packed.f32x2" { a["srcA"]: Value, b["srcB"]: Value, c["srcC"]: Value, ftz: bool, rnd: FloatRounding } -> 1 Written, Pure, Other, PLAIN_ARROW;
        /// The greatest of two or three floats.
        Fmax "fmax" { a: Value, b: Value, c: Option<Value>, abs: Flag, ftz: Flag, nan: Flag } -> 1 First, Pure, Other, "(?ftz: ftz)(?nan: nan)(?abs: abs) {..}{@}";
        /// The least of two or three floats.
        Fmin "fmin" { a: Value, b: Value, c: Option<Value>, abs: Flag, ftz: Flag, nan: Flag } -> 1 First, Pure, Other, "(?ftz: ftz)(?nan: nan)(?abs: abs) {..}{@}";
        /// A sum, rounded as it says.
        AddF "addf" { lhs: Value, rhs: Value, rnd: FloatRounding, sat: Saturation, ftz: bool } -> 1 Written, Pure, Other, PLAIN;
        /// A difference, rounded as it says.
        SubF "subf" { lhs: Value, rhs: Value, rnd: FloatRounding, sat: Saturation, ftz: bool } -> 1 Written, Pure, Other, PLAIN;
        /// A product and a sum, rounded once, as it says.
        Fma "fma" { a: Value, b: Value, c: Value, rnd: FloatRounding, sat: Saturation, ftz: bool, relu: bool, oob: bool }
            -> 1 Written, Pure, Other, PLAIN;
        /// The magnitude.
        FAbs "fabs" { value: Value, ftz: bool } -> 1 Written, Pure, Other, PLAIN_ARROW;
        /// One over a float, approximately, subnormal numbers as zero.
        RcpApprox "rcp.approx.ftz.f" { arg: Value } -> 1 Written, Pure, Other, PLAIN;
        /// Waits for the threads of the block, or for so many of them.
        Barrier "barrier" { id["barrierId"]: Option<Value>, threads["numberOfThreads"]: Option<Value>, predicate["reductionPredicate"]: Option<Value>, reduction["reductionOp"]: Option<Attribute> }
            -> 0 Written, Updates(Barrier), Other, "(?barrierId: id = {barrierId})(?numberOfThreads: number_of_threads = {numberOfThreads}){@}";
        /// Arrives at a barrier of so many threads of the block without waiting.
        BarrierArrive "barrier.arrive" { id["barrierId"]: Option<Value>, threads["numberOfThreads"]: Value }
            -> 0 Written, Updates(Barrier), Other, "(?barrierId: id = {barrierId}) number_of_threads = {numberOfThreads}{@}";
        /// Waits for the threads of the block at a barrier, or for so many of them; unless aligned, the threads of a warp may come one by one.
        BarrierCtaSync "barrier.cta.sync" { id["barrierId"]: Value, threads["threadCount"]: Option<Value>, aligned: bool }
            -> 0 Written, Updates(Barrier), Other, PLAIN_OPERANDS;
        /// Arrives at a barrier of so many threads of the block without waiting; unless aligned, the threads of a warp may come one by one.
        BarrierCtaArrive "barrier.cta.arrive" { id["barrierId"]: Value, threads["threadCount"]: Value, aligned: bool }
            -> 0 Written, Updates(Barrier), Other, PLAIN_OPERANDS;
        /// Waits as `barrier.cta.sync` does; what the conditions of the threads are together.
        BarrierCtaRed "barrier.cta.red" {
            pred: Value, id["barrierId"]: Value, threads["threadCount"]: Option<Value>, aligned: bool, kind: BarrierReduction,
        } -> 1 Written, Updates(Barrier), Other, PLAIN_ARROW;
        /// Waits for these lanes of the warp.
        BarWarpSync "bar.warp.sync" { mask: Value } -> 0 Written, Updates(Barrier), Other, PLAIN_OPERANDS;
        /// Changes what is at an address, at once for all threads of the scope; what was there.
        AtomicRmw "atomicrmw" {
            op: AtomicKind, ptr: Value, a: Value, b: Option<Value>, order["memOrder"]: MemOrder, scope["syncscope"]: AtomicScope,
        } -> 1 Second, Updates(Global, Shared, Barrier), Other, " {op} {..}{@} : {T ..}";
        /// Changes what is at an address, at once for all threads of the scope.
        Red "red" {
            a: Value, b: Value, cache_hint["cacheHint"]: Option<Value>, op: RedKind, ty["type"]: RedType, order["memOrder"]: Option<MemOrder>,
            scope["memScope"]: Option<MemScope>,
        } -> 0 Written, Updates(Global, Shared, Barrier), Other, PLAIN_OPERANDS;
        /// What is at an address, with an order and a use of the caches.
        LoadExt "load.ext" {
            addr: Value, cache_hint["l2CacheHint"]: Option<Value>, order: Option<MemOrder>, scope: Option<MemScope>, prefetch: Option<L2Prefetch>,
            evict: Option<EvictKind>, modifier["cacheModifier"]: Option<LoadModifier>, space["sharedSpace"]: Option<SharedSpace>, unified: Option<bool>,
        } -> 1 Written, Updates(Global, Shared, Local, Barrier), Other, PLAIN_ARROW;
        /// Puts a value to an address, with an order and a use of the caches.
        StoreExt "store.ext" {
            value: Value, addr: Value, cache_hint["l2CacheHint"]: Option<Value>, order: Option<MemOrder>, scope: Option<MemScope>,
            evict: Option<EvictKind>, modifier["cacheModifier"]: Option<StoreModifier>, space["sharedSpace"]: Option<SharedSpace>,
        } -> 0 Written, Updates(Global, Shared, Local, Barrier), Other, PLAIN_OPERANDS;
        /// Brings the line at an address into a cache.
        Prefetch "prefetch" {
            addr: Value, predicate: Option<Value>, level["cacheLevel"]: Option<CacheLevel>, evict["evictPriority"]: Option<CachePriority>,
            tensormap: Flag, uniform: Flag, parameter["in_param_space"]: Flag,
        } -> 0 Written, Updates(Global, Barrier), Other,
            "(?cacheLevel: level = {cacheLevel})(?uniform: uniform)(?tensormap: tensormap)(?in_param_space: in_param_space), (?evictPriority:evict_priority = {evictPriority}, ){addr}(?predicate:, predicate = {predicate}){@} : {T addr}";
        /// What the values of these lanes of the warp are together.
        ReduxSync "redux.sync" { value["val"]: Value, mask["mask_and_clamp"]: Value, kind: ReductionKind, abs: bool, nan: bool }
            -> 1 Written, Updates(Barrier), Other, " {kind} {..}{@} : {T val} -> {R}";
        /// Which of these lanes of the warp have the value of this one, or whether all do.
        MatchSync "match.sync" { mask["thread_mask"]: Value, value["val"]: Value, kind: MatchKind }
            -> 1 Written, Updates(Barrier), Other, " {kind} {..}{@} : {T val} -> {R}";
        /// Matrices of 8 rows of 16 bytes, to which the lanes point, 4 bytes of each.
        Ldmatrix "ldmatrix" { ptr: Value, num: i32, layout: MatrixLayout, shape: LoadShape, format["srcFormat"]: LoadFormat }
            -> 1 Written, Reads(Shared), Other, " {ptr}{@} : ({T ptr}) -> {R}";
        /// Puts such matrices to the rows to which the lanes point.
        Stmatrix "stmatrix" { ptr: Value, sources: Vec<Value>, layout: MatrixLayout, shape: StoreShape }
            -> 0 Written, Writes(Shared), Other, PLAIN_OPERANDS;
        /// Copies bytes from global to shared memory, asynchronously; those beyond the number that is given are zeros.
        CpAsyncShared "cp.async.shared.global" { dst: Value, src: Value, bytes["cpSize"]: Option<Value>, size: i32, modifier: CopyModifier }
            -> 0 Written, Reads(Global) + Writes(Shared, Barrier), Other,
            " {dst}, {src}, {size}, cache = {modifier}(?cpSize:, {cpSize}){@} : {T ..}";
        /// Arrives at an mbarrier when the asynchronous copies of the thread before have ended.
        CpAsyncMbarrierArrive "cp.async.mbarrier.arrive" { addr: Value, noinc: bool } -> 0 Written, Updates(Shared, Barrier), Other, PLAIN_OPERANDS;
        /// Instructions as text, in which `{$r0}` is the first operand that is read, `{$w0}` the first result, and `{$rw0}` the first
        /// operand that is changed.
        InlinePtx "inline_ptx" {
            read["readOnlyArgs"]: Vec<Value>, changed["readWriteArgs"]: Vec<Value>, predicate: Option<Value>, code["ptxCode"]: String,
        } -> * Written, Anything, Other,
            " {ptxCode}(?readOnlyArgs: ro({readOnlyArgs} : {T readOnlyArgs}))(?readWriteArgs: rw({readWriteArgs} : {T readWriteArgs}))(?predicate:, predicate = {predicate}){@}(?->: -> {R ..})";
        /// Suspends the thread for about so many nanoseconds.
        Nanosleep "nanosleep" { duration: Value } -> 0 Written, Updates(Barrier), Other, " {duration}{@}";
        /// Arrives at the barrier of the cluster.
        ClusterArrive "cluster.arrive" { aligned: Flag } -> 0 Written, Updates(Barrier), Other, "{@}";
        /// Arrives at the barrier of the cluster without ordering memory.
        ClusterArriveRelaxed "cluster.arrive.relaxed" { aligned: Flag } -> 0 Written, Updates(Barrier), Other, "{@}";
        /// Waits for the blocks of the cluster.
        ClusterWait "cluster.wait" { aligned: Flag } -> 0 Written, Updates(Barrier), Other, "{@}";
        /// Ends a group of bulk copies.
        BulkCommit "cp.async.bulk.commit.group" {} -> 0 Written, Updates(Barrier), Other, "{@}";
        /// Waits until at most so many groups of bulk copies are pending, or have not been read.
        BulkWait "cp.async.bulk.wait_group" { group: i32, read: Flag } -> 0 Written, Updates(Barrier), Other, " {group}{@}";
        /// Ends a group of asynchronous copies.
        CpAsyncCommit "cp.async.commit.group" {} -> 0 Written, Updates(Barrier), Other, "{@}";
        /// Waits until at most so many groups of asynchronous copies are pending.
        CpAsyncWait "cp.async.wait.group" { n: i32 } -> 0 Written, Updates(Barrier), Other, " {n}{@}";
        /// Whether this is the one thread of the warp that is elected.
        ElectSync "elect.sync" { mask["membermask"]: Option<Value> } -> 1 Written, Updates(Barrier), Other, "(?membermask: {membermask}){@} -> {R}";
        /// Makes the initialisation of mbarriers visible.
        FenceMbarrierInit "fence.mbarrier.init" {} -> 0 Written, Updates(Barrier), Other, "{@}";
        /// Orders accesses of two proxies.
        FenceProxy "fence.proxy" { kind: ProxyKind, space: Option<SharedSpace> } -> 0 Written, Updates(Barrier), Other, "{@}";
        /// The address of the same place in another block of the cluster.
        Mapa "mapa" { a: Value, b: Value } -> 1 Written, Pure, Other, " {..}{@} : {T a} -> {R}";
        /// Arrives at an mbarrier.
        MbarrierArrive "mbarrier.arrive" { addr: Value, count: Option<Value>, multicast["multicastMask"]: Option<Value>, relaxed: bool, scope: MemScope }
            -> * Written, Updates(Shared, Barrier), Other, " {..}{@} : {T addr}(?->: -> {R})";
        /// Arrives at an mbarrier, which expects so many bytes.
        MbarrierArriveExpectTx "mbarrier.arrive.expect_tx" {
            addr: Value, txcount: Value, multicast["multicastMask"]: Option<Value>, predicate: Option<Value>, relaxed: bool, scope: MemScope,
        } -> * Written, Updates(Shared, Barrier), Other, " {..}{@} : {T ..}(?->: -> {R})";
        /// An mbarrier expects so many bytes.
        MbarrierExpectTx "mbarrier.expect_tx" { addr: Value, txcount: Value, multicast["multicastMask"]: Option<Value>, scope: MemScope }
            -> 0 Written, Updates(Shared, Barrier), Other, PLAIN_OPERANDS;
        /// Makes an mbarrier for so many arrivals.
        MbarrierInit "mbarrier.init" { addr: Value, count: Value, predicate: Option<Value>, layout: MbarrierLayout }
            -> 0 Written, Updates(Shared, Barrier), Other, PLAIN_OPERANDS;
        /// Waits for a phase of an mbarrier.
        MbarrierTryWaitParity "mbarrier.try_wait.parity" { addr: Value, phase: Value, ticks: Value, intrinsic["useIntrinsic"]: bool }
            -> 0 Written, Updates(Shared, Barrier, Control), Other, PLAIN_OPERANDS;
        /// Waits for a phase of an mbarrier for a time; whether it has ended.
        MbarrierTryWaitLimit "mbarrier.try_wait.parity.timelimit" { addr: Value, phase: Value, limit["timeLimit"]: Value, order: Option<Attribute>, scope: MbarrierScope }
            -> 1 Written, Updates(Shared, Barrier), Other, PLAIN_ARROW;
        /// Whether a phase of an mbarrier has ended.
        MbarrierWaitParity "mbarrier.wait.parity" { addr: Value, phase: Value, kind: MbarrierWait, order: Option<Attribute>, scope: MbarrierScope }
            -> 1 Written, Updates(Shared, Barrier), Other, PLAIN_ARROW;
        /// Changes the number of registers of the warp's threads.
        SetMaxRegister "setmaxregister" { action: RegisterChange, count["regCount"]: i32 } -> 0 Written, Updates(Barrier), Other, " {action} {regCount}{@}";
        /// A value of another lane.
        ShflSync "shfl.sync" {
            mask["thread_mask"]: Value, value["val"]: Value, offset: Value, clamp["mask_and_clamp"]: Value, kind: ShuffleKind,
            with_predicate["return_value_and_is_valid"]: Flag,
        } -> 1 Written, Updates(Barrier), Other, " {kind} {..}{@} : {T val} -> {R}";
        /// An mbarrier is arrived at when the matrix products before have ended.
        Tcgen05Commit "tcgen05.commit" { addr: Value, multicast["multicastMask"]: Option<Value>, group: CtaGroup, a_read["smem_a_read"]: Flag }
            -> 0 Written, Updates(Shared, Barrier), Other, " {addr}(?multicastMask:, multicast_mask = {multicastMask}){@} : {T ..}";
        /// Waits for accesses of tensor memory.
        Tcgen05Wait "tcgen05.wait" { kind: TensorWait } -> 0 Written, Updates(Tensor, Barrier), Other, " <{kind}>{@}";
        /// What the lanes of a warp say together.
        VoteSync "vote.sync" { mask: Value, pred: Value, kind: VoteKind } -> 1 Written, Updates(Barrier), Other, " {kind} {..}{@} -> {R}";
        /// Orders registers before matrix products of a warp group.
        WgmmaFence "wgmma.fence.aligned" {} -> 0 Written, Updates(Barrier), Other, "{@}";
        /// Ends a group of matrix products.
        WgmmaCommit "wgmma.commit.group.sync.aligned" {} -> 0 Written, Updates(Barrier), Other, "{@}";
        /// Waits until at most so many groups of matrix products are pending.
        WgmmaWait "wgmma.wait.group.sync.aligned" { group: i64 } -> 0 Written, Updates(Barrier), Other, " {group}{@}";
    }
}
