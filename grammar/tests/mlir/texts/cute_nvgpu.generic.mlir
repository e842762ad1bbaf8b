!bytes = !cute.ptr<i8, smem, align<1024>>
!barrier = !cute.ptr<i64, smem, align<8>>
!global = !cute.ptr<f16, gmem, align<16>>
!shared = !cute.ptr<f16, smem, align<128>, S<3,4,3>>
!tensor = !cute.ptr<f32, tmem, align<16>>
!map = !cute.ptr<!cute_nvgpu.tma_descriptor_tiled, generic, align<64>>
!array = !cute.memref<f16, gmem, align<16>, "(128,64):(64,1)">
!load = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!store = !cute_nvgpu.atom.non_exec_tiled_tma_store<f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!executable = !cute_nvgpu.atom.tma_load<f16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,128):(1@1,1@0)">>
!wgmma = !cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>
!layout = !cute.layout<"(128,64):(64,1)">
!corner = !cute.int_tuple<"(0,0)">
"builtin.module"() ({
  "gpu.module"() <{sym_name = "kernels"}> ({
    "cuda.kernel"() <{arg_attrs = [{cute_nvgpu.grid_constant}, {}, {}, {}, {}, {}, {}, {}, {}], function_type = (!load, !array, i32, i16, i64, !global, !shared, !tensor, !map) -> (), sym_name = "k"}> ({
    ^bb0(%atom: !load, %array: !array, %i: i32, %mask: i16, %l: i64, %global: !global, %shared: !shared, %tensor: !tensor, %map: !map):
      %layout = "cute.static"() : () -> !layout
      %smem_layout = "cute.static"() : () -> !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
      %corner = "cute.static"() : () -> !corner
      %shape = "cute.make_shape"() : () -> !cute.shape<"(128,64)">
      %yes = "arith.constant"() <{value = true}> : () -> i1
      %bytes = "cute_nvgpu.arch.get_dyn_smem"() : () -> !bytes
      %size = "cute_nvgpu.arch.get_dyn_smem_size"() : () -> i32
      %uniform = "cute_nvgpu.arch.make_warp_uniform"(%i) : (i32) -> i32
      %registers = "cute_nvgpu.arch.alloc_rmem"(%i) : (i32) -> !cute.ptr<f32, rmem>
      %block = "cute_nvgpu.arch.alloc_smem"() <{input = 1024 : i32}> : () -> !cute.ptr<f16, smem, align<128>>
      %barrier = "cute.recast_iter"(%bytes) : (!bytes) -> !barrier
      %slot = "cute.recast_iter"(%bytes) : (!bytes) -> !cute.ptr<i32, smem, align<8>>
      %made:2 = "cute_nvgpu.atom.make_non_exec_tiled_tma_load"(%array, %smem_layout, %layout) <{kind = #cute_nvgpu.tiled_tma_load<sm_90>, num_multicast = 1 : i32}> : (!array, !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">, !layout) -> (!load, !cute.coord_tensor<"(0,0)", "(128,64):(1@1,1@0)">)
      %formatted:2 = "cute_nvgpu.atom.make_non_exec_tiled_tma_load"(%array, %smem_layout, %layout) <{kind = #cute_nvgpu.tiled_tma_load<sm_90_multicast>, num_multicast = 2 : i32, tma_format = #cute_nvgpu.tma_data_format<U16>}> : (!array, !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">, !layout) -> (!load, !cute.coord_tensor<"(0,0)", "(128,64):(1@1,1@0)">)
      %stored:2 = "cute_nvgpu.atom.make_non_exec_tiled_tma_store"(%array, %smem_layout, %layout) : (!array, !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">, !layout) -> (!store, !cute.coord_tensor<"(0,0)", "(128,64):(1@1,1@0)">)
      %combined:2 = "cute_nvgpu.atom.make_non_exec_tiled_tma_reduce"(%array, %smem_layout, %layout) <{kind = #cute_nvgpu.reduction_kind<ADD>}> : (!array, !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">, !layout) -> (!store, !cute.coord_tensor<"(0,0)", "(128,64):(1@1,1@0)">)
      %gathered:2 = "cute_nvgpu.atom.make_non_exec_2d_gather4_tma_load"(%array, %layout, %smem_layout, %layout) <{kind = #cute_nvgpu.tiled_tma_load<sm_90>}> : (!array, !layout, !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">, !layout) -> (!load, !cute.coord_tensor<"(0,0)", "(128,64):(1@1,1@0)">)
      %scattered:2 = "cute_nvgpu.atom.make_non_exec_2d_scatter4_tma_store"(%array, %layout, %smem_layout, %layout) : (!array, !layout, !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">, !layout) -> (!store, !cute.coord_tensor<"(0,0)", "(128,64):(1@1,1@0)">)
      %pixels:2 = "cute_nvgpu.atom.make_non_exec_im2col_tma_load"(%array, %smem_layout, %layout, %corner, %corner, %corner, %corner, %corner, %corner, %corner) <{kind = #cute_nvgpu.tiled_tma_load<sm_90>}> : (!array, !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">, !layout, !corner, !corner, !corner, !corner, !corner, !corner, !corner) -> (!load, !cute.coord_tensor<"(0,0)", "(128,64):(1@1,1@0)">)
      %pixels_stored:2 = "cute_nvgpu.atom.make_non_exec_im2col_tma_store"(%array, %smem_layout, %layout) : (!array, !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">, !layout) -> (!store, !cute.coord_tensor<"(0,0)", "(128,64):(1@1,1@0)">)
      %executable = "cute_nvgpu.atom.make_exec_tma"(%atom) : (!load) -> !executable
      %with_barrier = "cute_nvgpu.atom.set_value"(%executable, %barrier) <{field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>}> : (!executable, !barrier) -> !executable
      %its_barrier = "cute_nvgpu.atom.get_value"(%with_barrier) <{field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>}> : (!executable) -> !barrier
      %product = "cute.make_atom"(%yes) : (i1) -> !wgmma
      %adding = "cute_nvgpu.atom.set_value"(%product, %yes) <{field = #cute_nvgpu.atom_mma_field_sm90<accum_c>}> : (!wgmma, i1) -> !wgmma
      %coord = "cute.make_coord"() : () -> !cute.coord<"0">
      %one = "cute.static"() : () -> !cute.layout<"1:0">
      %partition:2 = "cute_nvgpu.atom.tma_partition"(%atom, %coord, %one, %array, %made#1) : (!load, !cute.coord<"0">, !cute.layout<"1:0">, !array, !cute.coord_tensor<"(0,0)", "(128,64):(1@1,1@0)">) -> (!array, !cute.coord_tensor<"(0,0)", "(128,64):(1@1,1@0)">)
      "cute_nvgpu.prefetch_tma_desc"(%atom) : (!load) -> ()
      "cute_nvgpu.arch.prefetch_tma_desc"(%map) : (!map) -> ()
      %coordinates = "cute_nvgpu.atom.get_coord_tensor"(%executable, %shape) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!executable, !cute.shape<"(128,64)">) -> !cute.coord_tensor<"(0,0)", "(128,64):(1@1,1@0)">
      %residue = "cute_nvgpu.atom.make_tma_residue_tensor"(%atom, %array) : (!load, !array) -> !cute.coord_tensor<"(?,?)", "(?,?):(-1@1,-1@0)">
      %in_tensor_memory = "cute.make_view"(%tensor, %one) : (!tensor, !cute.layout<"1:0">) -> !cute.memref<f32, tmem, align<16>, "1:0">
      %tensor_atom = "cute.make_atom"() : () -> !cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x1>
      %tensor_copy = "cute_nvgpu.atom.make_tmem_copy"(%tensor_atom, %in_tensor_memory) : (!cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x1>, !cute.memref<f32, tmem, align<16>, "1:0">) -> !cute.tiled_copy<!cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x1>, layout_copy_tv = <"(128,1):(1,0)">, tiler_mn = <"[128:1]">>
      %shared_atom = "cute.make_atom"() : () -> !cute_nvgpu.atom.s2t_copy<f8E8M0FNU, 32 DP, 128 bit, 1 cta, x4>
      %shared_copy = "cute_nvgpu.atom.make_s2t_copy"(%shared_atom, %in_tensor_memory) : (!cute_nvgpu.atom.s2t_copy<f8E8M0FNU, 32 DP, 128 bit, 1 cta, x4>, !cute.memref<f32, tmem, align<16>, "1:0">) -> !cute.tiled_copy<!cute_nvgpu.atom.s2t_copy<f8E8M0FNU, 32 DP, 128 bit, 1 cta, x4>, layout_copy_tv = <"(1,1):(0,0)">, tiler_mn = <"[1:0]">>
      %descriptors = "cute_nvgpu.atom.get_copy_s2t_smem_desc_view"(%shared_atom, %array) : (!cute_nvgpu.atom.s2t_copy<f8E8M0FNU, 32 DP, 128 bit, 1 cta, x4>, !array) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "1:0">
      %later_descriptors = "cute_nvgpu.atom.sm107.get_copy_s2t_smem_desc_view"(%shared_atom, %array) : (!cute_nvgpu.atom.s2t_copy<f8E8M0FNU, 32 DP, 128 bit, 1 cta, x4>, !array) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "1:0">
      "cute_nvgpu.arch.sm100.alloc_tmem"(%i, %slot) : (i32, !cute.ptr<i32, smem, align<8>>) -> ()
      "cute_nvgpu.arch.sm100.alloc_tmem"(%i, %slot) <{is_two_cta}> : (i32, !cute.ptr<i32, smem, align<8>>) -> ()
      "cute_nvgpu.arch.sm100.relinquish_tmem_alloc_permit"() : () -> ()
      "cute_nvgpu.arch.sm100.relinquish_tmem_alloc_permit"() <{is_two_cta}> : () -> ()
      %address = "cute_nvgpu.arch.sm100.retrieve_tmem_ptr"(%slot) : (!cute.ptr<i32, smem, align<8>>) -> !tensor
      "cute_nvgpu.arch.sm100.dealloc_tmem"(%address, %i) : (!tensor, i32) -> ()
      "cute_nvgpu.arch.copy.SM90.bulk_copy_g2s"(%global, %shared, %barrier) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, size = 128 : i32}> : (!global, !shared, !barrier) -> ()
      "cute_nvgpu.arch.copy.SM90.bulk_copy_s2g"(%shared, %global, %l) <{operandSegmentSizes = array<i32: 1, 1, 0, 1>, size = 128 : i32}> : (!shared, !global, i64) -> ()
      "cute_nvgpu.arch.copy.SM90.bulk_copy_s2s"(%shared, %shared, %barrier, %i) <{size = 128 : i32}> : (!shared, !shared, !barrier, i32) -> ()
      "cute_nvgpu.arch.copy.SM100.tma_load"(%map, %shared, %barrier, %i, %i) <{mode = #cute_nvgpu.tma_load_mode<tiled>, num_cta = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0, 0>}> : (!map, !shared, !barrier, i32, i32) -> ()
      "cute_nvgpu.arch.copy.SM100.tma_store"(%map, %shared, %i, %i) <{mode = #cute_nvgpu.tma_store_mode<tiled>, operandSegmentSizes = array<i32: 1, 1, 2, 0>}> : (!map, !shared, i32, i32) -> ()
      "cute_nvgpu.arch.copy.SM100.tma_reduce"(%map, %shared, %i, %i) <{kind = #cute_nvgpu.reduction_kind<ADD>, mode = #cute_nvgpu.tma_store_mode<tiled>, operandSegmentSizes = array<i32: 1, 1, 2, 0>}> : (!map, !shared, i32, i32) -> ()
      "cute_nvgpu.arch.copy.SM107.tma_load_override"(%map, %shared, %barrier, %i, %mask, %i, %i) <{mode = #cute_nvgpu.tma_load_mode<tiled>, num_cta = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 1, 0, 0>}> : (!map, !shared, !barrier, i32, i16, i32, i32) -> ()
      "cute_nvgpu.arch.copy.SM107.tma_store_override"(%map, %shared, %i, %mask, %i, %i) <{mode = #cute_nvgpu.tma_store_mode<tiled>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1, 0>}> : (!map, !shared, i32, i16, i32, i32) -> ()
      "cute_nvgpu.arch.copy.SM100.copy_s2t"(%l, %tensor) <{bits = 128 : i32, broadcast = #cute_nvgpu.s2t_broadcast<x4>, cta = 1 : i32, dp = 32 : i32}> : (i64, !tensor) -> ()
      %loaded = "cute_nvgpu.arch.copy.SM100.tmem_load"(%tensor) <{num_b = 32 : i32, num_dp = 32 : i32, num_rep = 1 : i32}> : (!tensor) -> vector<1xi32>
      "cute_nvgpu.arch.copy.SM100.tmem_store"(%tensor, %loaded) <{expand_16, num_b = 32 : i32, num_dp = 32 : i32, num_rep = 1 : i32}> : (!tensor, vector<1xi32>) -> ()
      "cute_nvgpu.arch.mma.SM107.umma"(%l, %l, %tensor, %i, %yes, %i) <{a_collector_op = #cute_nvgpu.collector_op<discard>, a_type = f16, b_collector_op = #cute_nvgpu.collector_op<discard>, b_type = f16, num_cta = 1 : i32, scale = 0 : i32, shape_k = 32 : i32}> : (i64, i64, !tensor, i32, i1, i32) -> ()
      "cute_nvgpu.arch.mma.SM107.umma_sparse"(%l, %l, %tensor, %i, %i, %yes) <{a_collector_op = #cute_nvgpu.collector_op<discard>, a_type = f16, b_collector_op = #cute_nvgpu.collector_op<discard>, b_type = f16, num_cta = 1 : i32, scale = 0 : i32, shape_k = 32 : i32}> : (i64, i64, !tensor, i32, i32, i1) -> ()
      "cute_nvgpu.arch.mma.SM107.umma_block_scaled"(%l, %l, %tensor, %tensor, %tensor, %i, %yes) <{a_collector_op = #cute_nvgpu.collector_op<discard>, a_type = f8E5M2, b_collector_op = #cute_nvgpu.collector_op<discard>, b_type = f8E5M2, num_cta = 1 : i32, shape_k = 32 : i32, vec_size = 32 : i32}> : (i64, i64, !tensor, !tensor, !tensor, i32, i1) -> ()
      "cute_nvgpu.arch.mma.SM107.umma_block_scaled_sparse"(%l, %l, %tensor, %tensor, %tensor, %i, %i, %yes) <{a_collector_op = #cute_nvgpu.collector_op<discard>, a_type = f8E5M2, b_collector_op = #cute_nvgpu.collector_op<discard>, b_type = f8E5M2, num_cta = 1 : i32, shape_k = 32 : i32, vec_size = 32 : i32}> : (i64, i64, !tensor, !tensor, !tensor, i32, i32, i1) -> ()
      %scaled:2 = "cute_nvgpu.arch.mma.SM120.block_scaled"(%i, %i, %i, %i, %i, %mask, %mask) <{a_type = f4E2M1FN, b_type = f4E2M1FN, operandSegmentSizes = array<i32: 2, 1, 2, 1, 1, 0, 0>, sf_type = f8E8M0FNU, shape_MNK = #cute.shape<"(16,8,32)">, thread_id_a = 0 : i16, vec_size = 32 : i32}> : (i32, i32, i32, i32, i32, i16, i16) -> (i32, i32)
      %matrix = "cute_nvgpu.make_gmma_smem_desc"(%shared) <{layout = #cute.layout<"((64,16),1):((64,1),0)">, major = #cute_nvgpu.major<k>}> : (!shared) -> !cute_nvgpu.smem_desc
      %matrix_of_blackwell = "cute_nvgpu.make_umma_smem_desc"(%shared) <{layout = #cute.layout<"((64,16),1):((64,1),0)">, major = #cute_nvgpu.major<k>}> : (!shared) -> !cute_nvgpu.smem_desc
      %ring = "cute_nvgpu.sm103.make_umma_smem_desc_circular"(%shared, %shared) <{layout = #cute.layout<"((64,16),1):((64,1),0)">, major = #cute_nvgpu.major<k>}> : (!shared, !shared) -> !cute_nvgpu.smem_desc
      %later = "cute_nvgpu.sm107.make_umma_smem_desc"(%shared) <{layout = #cute.layout<"((64,16),1):((64,1),0)">, major = #cute_nvgpu.major<k>}> : (!shared) -> !cute_nvgpu.smem_desc
      %later_ring = "cute_nvgpu.sm107.make_umma_smem_desc_circular"(%shared) <{layout = #cute.layout<"((64,16),1):((64,1),0)">, major = #cute_nvgpu.major<k>}> : (!shared) -> !cute_nvgpu.smem_desc
      %of_atom = "cute_nvgpu.get_tma_desc_addr"(%executable) : (!executable) -> !cute.ptr<generic, align<64>>
      %parameter = "cute_nvgpu.get_grid_constant_pointer"(%atom) : (!load) -> !map
      %number = "cute_nvgpu.cast_tma_desc_to_integer"(%map) : (!map) -> i64
      "cute_nvgpu.copy_tma_desc"(%atom, %barrier) : (!load, !barrier) -> ()
      "cute_nvgpu.update_tma_desc"(%atom, %array, %barrier) : (!load, !array, !barrier) -> ()
      %boxes = "cute_nvgpu.make_tma_desc_tiled"(%array, %smem_layout, %layout) <{mode = #cute_nvgpu.tma_load_mode<tiled>, num_multicast = 1 : i32}> : (!array, !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">, !layout) -> !map
      "cute_nvgpu.make_tma_desc_tiled_at"(%array, %smem_layout, %layout, %map) <{mode = #cute_nvgpu.tma_load_mode<tiled>}> : (!array, !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">, !layout, !map) -> ()
      %of_pixels = "cute_nvgpu.make_tma_desc_im2col"(%array, %smem_layout, %layout, %corner, %corner, %corner, %corner, %corner, %corner, %corner) : (!array, !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">, !layout, !corner, !corner, !corner, !corner, !corner, !corner, !corner) -> !map
      "cute_nvgpu.make_tma_desc_im2col_at"(%array, %smem_layout, %layout, %corner, %corner, %corner, %corner, %corner, %corner, %corner, %map) : (!array, !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">, !layout, !corner, !corner, !corner, !corner, !corner, !corner, !corner, !map) -> ()
      "cuda.return"() : () -> ()
    }) {cute.kernel} : () -> ()
  }) : () -> ()
}) : () -> ()
