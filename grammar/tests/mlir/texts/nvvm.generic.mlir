"builtin.module"() ({
  "func.func"() <{function_type = (i32, i16, f32, vector<2xf32>, !llvm.ptr<3>) -> (), sym_name = "nvvm"}> ({
  ^bb0(%i: i32, %m: i16, %f: f32, %v: vector<2xf32>, %s: !llvm.ptr<3>):
    %tid_x = "nvvm.read.ptx.sreg.tid.x"() : () -> i32
    %tid_y = "nvvm.read.ptx.sreg.tid.y"() : () -> i32
    %tid_z = "nvvm.read.ptx.sreg.tid.z"() : () -> i32
    %ntid_x = "nvvm.read.ptx.sreg.ntid.x"() : () -> i32
    %ntid_y = "nvvm.read.ptx.sreg.ntid.y"() : () -> i32
    %ntid_z = "nvvm.read.ptx.sreg.ntid.z"() : () -> i32
    %ctaid_x = "nvvm.read.ptx.sreg.ctaid.x"() : () -> i32
    %ctaid_y = "nvvm.read.ptx.sreg.ctaid.y"() : () -> i32
    %ctaid_z = "nvvm.read.ptx.sreg.ctaid.z"() : () -> i32
    %nctaid_x = "nvvm.read.ptx.sreg.nctaid.x"() : () -> i32
    %nctaid_y = "nvvm.read.ptx.sreg.nctaid.y"() : () -> i32
    %nctaid_z = "nvvm.read.ptx.sreg.nctaid.z"() : () -> i32
    %cluster_ctaid_x = "nvvm.read.ptx.sreg.cluster.ctaid.x"() : () -> i32
    %cluster_ctaid_y = "nvvm.read.ptx.sreg.cluster.ctaid.y"() : () -> i32
    %cluster_ctaid_z = "nvvm.read.ptx.sreg.cluster.ctaid.z"() : () -> i32
    %cluster_nctaid_x = "nvvm.read.ptx.sreg.cluster.nctaid.x"() : () -> i32
    %cluster_nctaid_y = "nvvm.read.ptx.sreg.cluster.nctaid.y"() : () -> i32
    %cluster_nctaid_z = "nvvm.read.ptx.sreg.cluster.nctaid.z"() : () -> i32
    %clusterid_x = "nvvm.read.ptx.sreg.clusterid.x"() : () -> i32
    %clusterid_y = "nvvm.read.ptx.sreg.clusterid.y"() : () -> i32
    %clusterid_z = "nvvm.read.ptx.sreg.clusterid.z"() : () -> i32
    %nclusterid_x = "nvvm.read.ptx.sreg.nclusterid.x"() : () -> i32
    %nclusterid_y = "nvvm.read.ptx.sreg.nclusterid.y"() : () -> i32
    %nclusterid_z = "nvvm.read.ptx.sreg.nclusterid.z"() : () -> i32
    %cluster_ctarank = "nvvm.read.ptx.sreg.cluster.ctarank"() : () -> i32
    %laneid = "nvvm.read.ptx.sreg.laneid"() : () -> i32
    %add = "nvvm.add.packed.f32x2"(%v, %v) <{ftz = false, rnd = #nvvm.fp_rnd_mode<rn>}> : (vector<2xf32>, vector<2xf32>) -> vector<2xf32>
    %mul = "nvvm.mul.packed.f32x2"(%v, %v) <{ftz = true, rnd = #nvvm.fp_rnd_mode<rn>}> : (vector<2xf32>, vector<2xf32>) -> vector<2xf32>
    %fma = "nvvm.fma.packed.f32x2"(%v, %v, %v) <{ftz = false, rnd = #nvvm.fp_rnd_mode<rn>}> : (vector<2xf32>, vector<2xf32>, vector<2xf32>) -> vector<2xf32>
    %max = "nvvm.fmax"(%f, %f) : (f32, f32) -> f32
    %max_of_three = "nvvm.fmax"(%f, %f, %f) <{ftz, nan}> : (f32, f32, f32) -> f32
    %reciprocal = "nvvm.rcp.approx.ftz.f"(%f) : (f32) -> f32
    "nvvm.barrier"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> ()
    "nvvm.barrier"(%i) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()
    "nvvm.barrier"(%i, %i) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> ()
    "nvvm.cluster.arrive"() : () -> ()
    "nvvm.cluster.arrive.relaxed"() <{aligned}> : () -> ()
    "nvvm.cluster.wait"() : () -> ()
    "nvvm.cp.async.bulk.commit.group"() : () -> ()
    "nvvm.cp.async.bulk.wait_group"() <{group = 2 : i32, read}> : () -> ()
    "nvvm.cp.async.bulk.wait_group"() <{group = 0 : i32}> : () -> ()
    "nvvm.cp.async.commit.group"() : () -> ()
    "nvvm.cp.async.wait.group"() <{n = 0 : i32}> : () -> ()
    %elected = "nvvm.elect.sync"() : () -> i1
    "nvvm.fence.mbarrier.init"() : () -> ()
    "nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}> : () -> ()
    "nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<alias>}> : () -> ()
    %remote = "nvvm.mapa"(%s, %i) : (!llvm.ptr<3>, i32) -> !llvm.ptr<7>
    %state = "nvvm.mbarrier.arrive"(%s, %i) <{operandSegmentSizes = array<i32: 1, 1, 0>, relaxed = false, scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>, i32) -> i64
    "nvvm.mbarrier.arrive"(%remote) <{operandSegmentSizes = array<i32: 1, 0, 0>, relaxed = true, scope = #nvvm.mem_scope<cluster>}> : (!llvm.ptr<7>) -> ()
    %expected = "nvvm.mbarrier.arrive.expect_tx"(%s, %i) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, relaxed = false, scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>, i32) -> i64
    "nvvm.mbarrier.expect_tx"(%s, %i) <{scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>, i32) -> ()
    "nvvm.mbarrier.init"(%s, %i) <{layout = #nvvm.mbarrier_layout<v0>}> : (!llvm.ptr<3>, i32) -> ()
    "nvvm.mbarrier.try_wait.parity"(%s, %i, %i) <{useIntrinsic = false}> : (!llvm.ptr<3>, i32, i32) -> ()
    %in_time = "nvvm.mbarrier.try_wait.parity.timelimit"(%s, %i, %i) <{scope = #nvvm.mbar_scope<cta>}> : (!llvm.ptr<3>, i32, i32) -> i1
    %ended = "nvvm.mbarrier.wait.parity"(%s, %i) <{kind = #nvvm.mbar_wait<try>, scope = #nvvm.mbar_scope<cta>}> : (!llvm.ptr<3>, i32) -> i1
    "nvvm.setmaxregister"() <{action = #nvvm<action decrease>, regCount = 32 : i32}> : () -> ()
    %shuffled = "nvvm.shfl.sync"(%i, %f, %i, %i) <{kind = #nvvm<shfl_kind bfly>}> : (i32, f32, i32, i32) -> f32
    "nvvm.tcgen05.commit"(%s) <{group = #nvvm.cta_group<cta_1>}> : (!llvm.ptr<3>) -> ()
    "nvvm.tcgen05.commit"(%s, %m) <{group = #nvvm.cta_group<cta_2>}> : (!llvm.ptr<3>, i16) -> ()
    "nvvm.tcgen05.wait"() <{kind = #nvvm.tcgen05_wait<load>}> : () -> ()
    %votes = "nvvm.vote.sync"(%i, %elected) <{kind = #nvvm<vote_sync_kind ballot>}> : (i32, i1) -> i32
    "nvvm.wgmma.fence.aligned"() : () -> ()
    "nvvm.wgmma.commit.group.sync.aligned"() : () -> ()
    "nvvm.wgmma.wait.group.sync.aligned"() <{group = 1 : i64}> : () -> ()
    %warpid = "nvvm.read.ptx.sreg.warpid"() : () -> i32
    %smid = "nvvm.read.ptx.sreg.smid"() : () -> i32
    %lanemask_eq = "nvvm.read.ptx.sreg.lanemask.eq"() : () -> i32
    %lanemask_lt = "nvvm.read.ptx.sreg.lanemask.lt"() : () -> i32
    %lanemask_le = "nvvm.read.ptx.sreg.lanemask.le"() : () -> i32
    %lanemask_gt = "nvvm.read.ptx.sreg.lanemask.gt"() : () -> i32
    %lanemask_ge = "nvvm.read.ptx.sreg.lanemask.ge"() : () -> i32
    %clock = "nvvm.read.ptx.sreg.clock"() : () -> i32
    %clock64 = "nvvm.read.ptx.sreg.clock64"() : () -> i64
    %globaltimer = "nvvm.read.ptx.sreg.globaltimer"() : () -> i64
    "nvvm.barrier.arrive"(%i) : (i32) -> ()
    "nvvm.barrier.arrive"(%i, %i) : (i32, i32) -> ()
    "nvvm.barrier.cta.sync"(%i) <{aligned = false}> : (i32) -> ()
    "nvvm.barrier.cta.sync"(%i, %i) <{aligned = true}> : (i32, i32) -> ()
    "nvvm.barrier.cta.arrive"(%i, %i) <{aligned = false}> : (i32, i32) -> ()
    %all = "nvvm.barrier.cta.red"(%elected, %i, %i) <{aligned = false, kind = #nvvm.barrier_redux_kind<and>}> : (i1, i32, i32) -> i32
    %counted = "nvvm.barrier.cta.red"(%elected, %i) <{aligned = true, kind = #nvvm.barrier_redux_kind<popc>}> : (i1, i32) -> i32
    "nvvm.bar.warp.sync"(%i) : (i32) -> ()
    %old = "nvvm.atomicrmw"(%s, %i) <{memOrder = #nvvm.mem_order<relaxed>, op = #nvvm<atomic_op add>, syncscope = #nvvm.mem_scope<gpu>}> : (!llvm.ptr<3>, i32) -> i32
    %swapped = "nvvm.atomicrmw"(%s, %i, %i) <{memOrder = #nvvm.mem_order<acq_rel>, op = #nvvm<atomic_op cas>, syncscope = #nvvm.mem_scope<sys>}> : (!llvm.ptr<3>, i32, i32) -> i32
    "nvvm.red"(%s, %i) <{memOrder = #nvvm.mem_order<relaxed>, memScope = #nvvm.mem_scope<cta>, op = #nvvm.red_op<add>, type = #nvvm.red_type<s32>}> : (!llvm.ptr<3>, i32) -> ()
    "nvvm.red"(%s, %i) <{op = #nvvm.red_op<max>, type = #nvvm.red_type<u32>}> : (!llvm.ptr<3>, i32) -> ()
    %loaded = "nvvm.load.ext"(%s) <{order = #nvvm.mem_order<acquire>, scope = #nvvm.mem_scope<gpu>}> : (!llvm.ptr<3>) -> i32
    %streamed = "nvvm.load.ext"(%s, %clock64) <{cacheModifier = #nvvm.load_cache_modifier_ext<cs>}> : (!llvm.ptr<3>, i64) -> vector<4xi32>
    "nvvm.store.ext"(%i, %s) <{order = #nvvm.mem_order<release>, scope = #nvvm.mem_scope<gpu>}> : (i32, !llvm.ptr<3>) -> ()
    "nvvm.store.ext"(%i, %s) <{cacheModifier = #nvvm.store_cache_modifier<cg>}> : (i32, !llvm.ptr<3>) -> ()
    %reduced = "nvvm.redux.sync"(%i, %i) <{abs = false, kind = #nvvm<reduction_kind umax>, nan = false}> : (i32, i32) -> i32
    %least = "nvvm.redux.sync"(%f, %i) <{abs = true, kind = #nvvm<reduction_kind fmin>, nan = true}> : (f32, i32) -> f32
    %matched = "nvvm.match.sync"(%i, %i) <{kind = #nvvm<match_sync_kind any>}> : (i32, i32) -> i32
    %equal = "nvvm.match.sync"(%i, %clock64) <{kind = #nvvm<match_sync_kind all>}> : (i32, i64) -> !llvm.struct<(i32, i1)>
    %matrix = "nvvm.ldmatrix"(%s) <{layout = #nvvm.mma_layout<row>, num = 1 : i32, shape = #nvvm.load_shape<m8n8>, srcFormat = #nvvm.load_src_format<b8>}> : (!llvm.ptr<3>) -> i32
    %matrices = "nvvm.ldmatrix"(%s) <{layout = #nvvm.mma_layout<col>, num = 2 : i32, shape = #nvvm.load_shape<m8n8>, srcFormat = #nvvm.load_src_format<b8>}> : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
    "nvvm.stmatrix"(%s, %i, %i) <{layout = #nvvm.mma_layout<row>, shape = #nvvm.store_shape<m8n8>}> : (!llvm.ptr<3>, i32, i32) -> ()
    %g = "llvm.inttoptr"(%clock64) : (i64) -> !llvm.ptr<1>
    "nvvm.cp.async.shared.global"(%s, %g) <{modifier = #nvvm<load_cache_modifier cg>, size = 16 : i32}> : (!llvm.ptr<3>, !llvm.ptr<1>) -> ()
    "nvvm.cp.async.shared.global"(%s, %g, %i) <{modifier = #nvvm<load_cache_modifier ca>, size = 4 : i32}> : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    "nvvm.cp.async.mbarrier.arrive"(%s) <{noinc = true}> : (!llvm.ptr<3>) -> ()
    "nvvm.nanosleep"(%i) : (i32) -> ()
    %nctarank = "nvvm.read.ptx.sreg.cluster.nctarank"() : () -> i32
    %nwarpid = "nvvm.read.ptx.sreg.nwarpid"() : () -> i32
    %nsmid = "nvvm.read.ptx.sreg.nsmid"() : () -> i32
    %gridid = "nvvm.read.ptx.sreg.gridid"() : () -> i32
    %warpsize = "nvvm.read.ptx.sreg.warpsize"() : () -> i32
    %dynamic = "nvvm.read.ptx.sreg.dynamic.smem.size"() : () -> i32
    %timer_lo = "nvvm.read.ptx.sreg.globaltimer.lo"() : () -> i32
    %difference = "nvvm.sub.packed.f32x2"(%v, %v) <{ftz = true, rnd = #nvvm.fp_rnd_mode<rz>}> : (vector<2xf32>, vector<2xf32>) -> vector<2xf32>
    %lesser = "nvvm.fmin"(%f, %f) <{ftz, nan}> : (f32, f32) -> f32
    %added = "nvvm.addf"(%f, %f) <{ftz = true, rnd = #nvvm.fp_rnd_mode<rm>, sat = #nvvm.sat_mode<sat>}> : (f32, f32) -> f32
    %taken = "nvvm.subf"(%f, %f) <{ftz = false, rnd = #nvvm.fp_rnd_mode<none>, sat = #nvvm.sat_mode<none>}> : (f32, f32) -> f32
    %fused = "nvvm.fma"(%f, %f, %f) <{ftz = false, oob = false, relu = false, rnd = #nvvm.fp_rnd_mode<rp>, sat = #nvvm.sat_mode<none>}> : (f32, f32, f32) -> f32
    %size = "nvvm.fabs"(%f) <{ftz = true}> : (f32) -> f32
    "nvvm.prefetch"(%g) <{cacheLevel = #nvvm<prefetch_cache_level L1>}> : (!llvm.ptr<1>) -> ()
    "nvvm.prefetch"(%g, %elected) <{cacheLevel = #nvvm<prefetch_cache_level L2>, evictPriority = #nvvm<cache_eviction_priority evict_last>}> : (!llvm.ptr<1>, i1) -> ()
    %first_out = "nvvm.load.ext"(%g) <{evict = #nvvm.evict_kind<evict_first>, prefetch = #nvvm.l2_prefetch<size_128b>}> : (!llvm.ptr<1>) -> i32
    "nvvm.store.ext"(%i, %g) <{evict = #nvvm.evict_kind<evict_no_allocate>}> : (i32, !llvm.ptr<1>) -> ()
    %one = "nvvm.inline_ptx"(%i, %i) <{operandSegmentSizes = array<i32: 2, 0, 0>, ptxCode = "add.s32 {$w0}, {$r0}, {$r1};"}> : (i32, i32) -> i32
    %more:2 = "nvvm.inline_ptx"(%i, %f, %elected) <{operandSegmentSizes = array<i32: 2, 0, 1>, ptxCode = "mov.b32 {$w0}, {$r0}; mov.b32 {$w1}, {$r1};"}> : (i32, f32, i1) -> (i32, f32)
    "nvvm.inline_ptx"(%g, %i, %i) <{operandSegmentSizes = array<i32: 2, 1, 0>, ptxCode = "st.global.b32 [{$r0}], {$rw0};"}> : (!llvm.ptr<1>, i32, i32) -> ()
    "nvvm.inline_ptx"() <{operandSegmentSizes = array<i32: 0, 0, 0>, ptxCode = "membar.gl;"}> : () -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
