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
!layout = !cute.layout<"(128,64):(1@0,1@1)">
!box = !cute.memref<f16, smem, align<128>, S<3,4,3>, "(128,64):(64,1)">
!scales = !cute.memref<f8E8M0FNU, tmem, align<16>, "((32,4),16):((262144,8388608),1)">
!corner = !cute.int_tuple<"(0,0)">
"builtin.module"() ({
  "gpu.module"() <{sym_name = "kernels"}> ({
    "cuda.kernel"() <{arg_attrs = [{cute_nvgpu.grid_constant}, {}, {}, {}, {}, {}, {}, {}, {}], function_type = (!load, !array, i32, i16, i64, !global, !shared, !tensor, !map) -> (), sym_name = "k"}> ({
    ^bb0(%atom: !load, %array: !array, %i: i32, %mask: i16, %l: i64, %global: !global, %shared: !shared, %tensor: !tensor, %map: !map):
      %layout = "cute.static"() : () -> !layout
      %rows = "cute.static"() : () -> !cute.layout<"(128,64):(64,1)">
      %smem_layout = "cute.static"() : () -> !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
      %corner = "cute.static"() : () -> !corner
      %shape = "cute.make_shape"() : () -> !cute.shape<"(128,64)">
      %yes = "arith.constant"() <{value = true}> : () -> i1
      %bytes = "cute_nvgpu.arch.get_dyn_smem"() : () -> !bytes
      %size = "cute_nvgpu.arch.get_dyn_smem_size"() : () -> i32
      %uniform = "cute_nvgpu.arch.make_warp_uniform"(%i) : (i32) -> i32
      %registers = "cute_nvgpu.arch.alloc_rmem"(%i) : (i32) -> !cute.ptr<f32, rmem>
      %block = "cute_nvgpu.arch.alloc_smem"() <{input = 1024 : i32}> : () -> !cute.ptr<f16, smem, align<128>>
      %barrier = "cute_nvgpu.arch.alloc_smem"() <{input = 1 : i32}> : () -> !barrier
      %slot = "cute_nvgpu.arch.alloc_smem"() <{input = 1 : i32}> : () -> !cute.ptr<i32, smem, align<8>>
      %made:2 = "cute_nvgpu.atom.make_non_exec_tiled_tma_load"(%array, %smem_layout, %layout) <{kind = #cute_nvgpu.tiled_tma_load<sm_90>, num_multicast = 1 : i32}> : (!array, !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">, !layout) -> (!load, !cute.coord_tensor<"(0,0)", "(128,64):(1@1,1@0)">)
      %formatted:2 = "cute_nvgpu.atom.make_non_exec_tiled_tma_load"(%array, %smem_layout, %layout) <{kind = #cute_nvgpu.tiled_tma_load<sm_90_multicast>, num_multicast = 2 : i32, tma_format = #cute_nvgpu.tma_data_format<U16>}> : (!array, !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">, !layout) -> (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90_multicast, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = U16>, !cute.coord_tensor<"(0,0)", "(128,64):(1@1,1@0)">)
      %stored:2 = "cute_nvgpu.atom.make_non_exec_tiled_tma_store"(%array, %smem_layout, %layout) : (!array, !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">, !layout) -> (!store, !cute.coord_tensor<"(0,0)", "(128,64):(1@1,1@0)">)
      %combined:2 = "cute_nvgpu.atom.make_non_exec_tiled_tma_reduce"(%array, %smem_layout, %layout) <{kind = #cute_nvgpu.tma_reduce_kind<ADD>}> : (!array, !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">, !layout) -> (!cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>, !cute.coord_tensor<"(0,0)", "(128,64):(1@1,1@0)">)
      %gathered:2 = "cute_nvgpu.atom.make_non_exec_2d_gather4_tma_load"(%array, %rows, %smem_layout, %layout) <{kind = #cute_nvgpu.gather_scatter_tma_load<sm_100>}> : (!array, !cute.layout<"(128,64):(64,1)">, !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">, !layout) -> (!cute_nvgpu.atom.non_exec_2d_gather4_tma_load<sm_100, f16, copy_bits = 4096, tma_gbasis = <"(64,1):(1@1,1@0)">, tma_format = F16_RN>, !cute.coord_tensor<"(0,0)", "(128,64):(1@1,1@0)">)
      %scattered:2 = "cute_nvgpu.atom.make_non_exec_2d_scatter4_tma_store"(%array, %rows, %smem_layout, %layout) : (!array, !cute.layout<"(128,64):(64,1)">, !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">, !layout) -> (!cute_nvgpu.atom.non_exec_2d_scatter4_tma_store<f16, copy_bits = 4096, tma_gbasis = <"(64,1):(1@1,1@0)">, tma_format = F16_RN>, !cute.coord_tensor<"(0,0)", "(128,64):(1@1,1@0)">)
      %pixels:2 = "cute_nvgpu.atom.make_non_exec_im2col_tma_load"(%array, %smem_layout, %layout, %corner, %corner, %corner, %corner, %corner, %corner, %corner) <{kind = #cute_nvgpu.im2col_tma_load<sm_90>}> : (!array, !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">, !layout, !corner, !corner, !corner, !corner, !corner, !corner, !corner) -> (!cute_nvgpu.atom.non_exec_im2col_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>, !cute.coord_tensor<"(0,0)", "(128,64):(1@1,1@0)">)
      %pixels_stored:2 = "cute_nvgpu.atom.make_non_exec_im2col_tma_store"(%array, %smem_layout, %layout) : (!array, !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">, !layout) -> (!cute_nvgpu.atom.non_exec_im2col_tma_store<f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>, !cute.coord_tensor<"(0,0)", "(128,64):(1@1,1@0)">)
      %executable = "cute_nvgpu.atom.make_exec_tma"(%atom) : (!load) -> !executable
      %with_barrier = "cute_nvgpu.atom.set_value"(%executable, %barrier) <{field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>}> : (!executable, !barrier) -> !executable
      %its_barrier = "cute_nvgpu.atom.get_value"(%with_barrier) <{field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>}> : (!executable) -> !barrier
      %product = "cute.make_atom"(%yes) : (i1) -> !wgmma
      %adding = "cute_nvgpu.atom.set_value"(%product, %yes) <{field = #cute_nvgpu.atom_mma_field_sm90<accum_c>}> : (!wgmma, i1) -> !wgmma
      %box = "cute.make_view"(%shared, %rows) : (!shared, !cute.layout<"(128,64):(64,1)">) -> !box
      %coord = "cute.make_coord"() : () -> !cute.coord<"0">
      %one = "cute.static"() : () -> !cute.layout<"1:0">
      %partition:2 = "cute_nvgpu.atom.tma_partition"(%atom, %coord, %one, %box, %made#1) : (!load, !cute.coord<"0">, !cute.layout<"1:0">, !box, !cute.coord_tensor<"(0,0)", "(128,64):(1@1,1@0)">) -> (!cute.memref<f16, smem, align<128>, S<3,4,3>, "((8192,1),64):((64,0),1)">, !cute.coord_tensor<"(0,0)", "((8192,1),64):((1@1,0),1@0)">)
      "cute_nvgpu.prefetch_tma_desc"(%atom) : (!load) -> ()
      "cute_nvgpu.arch.prefetch_tma_desc"(%map) : (!map) -> ()
      %strided = "cute.make_atom"() : () -> !cute_nvgpu.atom.tma_load<f16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"(1@1,1@0)"> tma_gbasis = <"(64,128):(1@1,1@0)">>
      %coordinates = "cute_nvgpu.atom.get_coord_tensor"(%strided, %shape) : (!cute_nvgpu.atom.tma_load<f16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"(1@1,1@0)"> tma_gbasis = <"(64,128):(1@1,1@0)">>, !cute.shape<"(128,64)">) -> !cute.coord_tensor<"(0,0)", "(128,64):(1@1,1@0)">
      %residue = "cute_nvgpu.atom.make_tma_residue_tensor"(%atom, %array) : (!load, !array) -> !cute.coord_tensor<"(64,128)", "(128,64):(-1@1,-1@0)">
      %lanes = "cute.static"() : () -> !cute.layout<"(128,1):(65536,1)">
      %in_tensor_memory = "cute.make_view"(%tensor, %lanes) : (!tensor, !cute.layout<"(128,1):(65536,1)">) -> !cute.memref<f32, tmem, align<16>, "(128,1):(65536,1)">
      %tensor_atom = "cute.make_atom"() : () -> !cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x1>
      %tensor_copy = "cute_nvgpu.atom.make_tmem_copy"(%tensor_atom, %in_tensor_memory) : (!cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x1>, !cute.memref<f32, tmem, align<16>, "(128,1):(65536,1)">) -> !cute.tiled_copy<!cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x1>, layout_copy_tv = <"((32,4),(1,32)):((0,1),(0,4))">, tiler_mn = <"[(4,32):(32,1);1:0]">>
      %shared_atom = "cute.make_atom"() : () -> !cute_nvgpu.atom.s2t_copy<f8E8M0FNU, 32 DP, 128 bit, 1 cta, x4>
      %scales = "cute.recast_iter"(%tensor) : (!tensor) -> !cute.ptr<f8E8M0FNU, tmem, align<16>>
      %scale_layout = "cute.static"() : () -> !cute.layout<"((32,4),16):((262144,8388608),1)">
      %scale_tensor = "cute.make_view"(%scales, %scale_layout) : (!cute.ptr<f8E8M0FNU, tmem, align<16>>, !cute.layout<"((32,4),16):((262144,8388608),1)">) -> !scales
      %shared_copy = "cute_nvgpu.atom.make_s2t_copy"(%shared_atom, %scale_tensor) : (!cute_nvgpu.atom.s2t_copy<f8E8M0FNU, 32 DP, 128 bit, 1 cta, x4>, !scales) -> !cute.tiled_copy<!cute_nvgpu.atom.s2t_copy<f8E8M0FNU, 32 DP, 128 bit, 1 cta, x4>, layout_copy_tv = <"(1,(32,16,4)):(0,(1,128,32))">, tiler_mn = <"[128:1;16:1]">>
      %descriptors = "cute_nvgpu.atom.get_copy_s2t_smem_desc_view"(%shared_atom, %box) : (!cute_nvgpu.atom.s2t_copy<f8E8M0FNU, 32 DP, 128 bit, 1 cta, x4>, !box) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(128,8):(8,1)">
      %later_descriptors = "cute_nvgpu.atom.sm107.get_copy_s2t_smem_desc_view"(%shared_atom, %box) : (!cute_nvgpu.atom.s2t_copy<f8E8M0FNU, 32 DP, 128 bit, 1 cta, x4>, !box) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.sm107.smem_desc, "(128,8):(8,1)">
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
      "cute_nvgpu.arch.copy.SM100.tma_reduce"(%map, %shared, %i, %i) <{kind = #cute_nvgpu.tma_reduce_kind<ADD>, mode = #cute_nvgpu.tma_store_mode<tiled>, operandSegmentSizes = array<i32: 1, 1, 2, 0>}> : (!map, !shared, i32, i32) -> ()
      "cute_nvgpu.arch.copy.SM107.tma_load_override"(%map, %shared, %barrier, %global, %mask, %mask, %i, %i) <{mode = #cute_nvgpu.tma_load_mode<tiled>, num_cta = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 2, 1, 0, 1, 0, 0>}> : (!map, !shared, !barrier, !global, i16, i16, i32, i32) -> ()
      "cute_nvgpu.arch.copy.SM107.tma_store_override"(%map, %shared, %global, %mask, %mask, %i, %i) <{mode = #cute_nvgpu.tma_store_mode<tiled>, operandSegmentSizes = array<i32: 1, 1, 1, 2, 1, 0, 1, 0>}> : (!map, !shared, !global, i16, i16, i32, i32) -> ()
      %matrix = "cute_nvgpu.make_umma_smem_desc"(%shared) <{layout = #cute.layout<"((8,8),(8,2)):((8,64),(1,512))">, major = #cute_nvgpu.major<k>}> : (!shared) -> !cute_nvgpu.smem_desc
      %later = "cute_nvgpu.sm107.make_umma_smem_desc"(%shared) <{layout = #cute.layout<"((8,8),(8,2)):((8,64),(1,512))">, major = #cute_nvgpu.major<k>}> : (!shared) -> !cute_nvgpu.sm107.smem_desc
      %sparse = "cute.recast_iter"(%tensor) : (!tensor) -> !cute.ptr<ui8, tmem, align<16>>
      "cute_nvgpu.arch.copy.SM100.copy_s2t"(%matrix, %tensor) <{bits = 128 : i32, broadcast = #cute_nvgpu.copy_s2t_broadcast_mode<x4>, cta = 1 : i32, dp = 32 : i32}> : (!cute_nvgpu.smem_desc, !tensor) -> ()
      %loaded = "cute_nvgpu.arch.copy.SM100.tmem_load"(%tensor) <{num_b = 32 : i32, num_dp = 32 : i32, num_rep = 1 : i32}> : (!tensor) -> vector<1xi32>
      "cute_nvgpu.arch.copy.SM100.tmem_store"(%tensor, %loaded) <{expand_16, num_b = 32 : i32, num_dp = 32 : i32, num_rep = 1 : i32}> : (!tensor, vector<1xi32>) -> ()
      %word = "arith.constant"() <{value = dense<0> : vector<4xi32>}> : () -> vector<4xi32>
      "cute_nvgpu.arch.mma.SM107.umma"(%later, %later, %tensor, %i, %yes, %word) <{a_collector_op = #cute_nvgpu.mma_collector_op<discard>, a_type = f16, b_collector_op = #cute_nvgpu.mma_collector_op<discard>, b_type = f16, num_cta = 1 : i32, scale = 0 : i32, shape_k = 32 : i32}> : (!cute_nvgpu.sm107.smem_desc, !cute_nvgpu.sm107.smem_desc, !tensor, i32, i1, vector<4xi32>) -> ()
      "cute_nvgpu.arch.mma.SM107.umma_sparse"(%later, %later, %tensor, %sparse, %i, %yes) <{a_collector_op = #cute_nvgpu.mma_collector_op<discard>, a_type = f16, b_collector_op = #cute_nvgpu.mma_collector_op<discard>, b_type = f16, num_cta = 1 : i32, scale = 0 : i32, shape_k = 32 : i32}> : (!cute_nvgpu.sm107.smem_desc, !cute_nvgpu.sm107.smem_desc, !tensor, !cute.ptr<ui8, tmem, align<16>>, i32, i1) -> ()
      "cute_nvgpu.arch.mma.SM107.umma_block_scaled"(%later, %later, %tensor, %scales, %scales, %i, %yes) <{a_collector_op = #cute_nvgpu.mma_collector_op<discard>, a_type = f8E5M2, b_collector_op = #cute_nvgpu.mma_collector_op<discard>, b_type = f8E5M2, num_cta = 1 : i32, shape_k = 32 : i32, vec_size = 32 : i32}> : (!cute_nvgpu.sm107.smem_desc, !cute_nvgpu.sm107.smem_desc, !tensor, !cute.ptr<f8E8M0FNU, tmem, align<16>>, !cute.ptr<f8E8M0FNU, tmem, align<16>>, i32, i1) -> ()
      "cute_nvgpu.arch.mma.SM107.umma_block_scaled_sparse"(%later, %later, %tensor, %scales, %scales, %sparse, %i, %yes) <{a_collector_op = #cute_nvgpu.mma_collector_op<discard>, a_type = f8E5M2, b_collector_op = #cute_nvgpu.mma_collector_op<discard>, b_type = f8E5M2, num_cta = 1 : i32, shape_k = 32 : i32, vec_size = 32 : i32}> : (!cute_nvgpu.sm107.smem_desc, !cute_nvgpu.sm107.smem_desc, !tensor, !cute.ptr<f8E8M0FNU, tmem, align<16>>, !cute.ptr<f8E8M0FNU, tmem, align<16>>, !cute.ptr<ui8, tmem, align<16>>, i32, i1) -> ()
      %float = "arith.constant"() <{value = 0.0 : f32}> : () -> f32
      %scaled:4 = "cute_nvgpu.arch.mma.SM120.block_scaled"(%i, %i, %i, %i, %i, %i, %float, %float, %float, %float, %mask, %mask, %mask, %mask) <{a_type = f4E2M1FN, b_type = f4E2M1FN, operandSegmentSizes = array<i32: 4, 2, 4, 1, 1, 1, 1>, sf_type = f8E8M0FNU, shape_MNK = #cute.shape<"(16,8,64)">, thread_id_b = 1 : i16, vec_size = 32 : i32}> : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32, i16, i16, i16, i16) -> (f32, f32, f32, f32)
      %matrix_of_hopper = "cute_nvgpu.make_gmma_smem_desc"(%shared) <{layout = #cute.layout<"((8,8),(8,2)):((8,64),(1,512))">, major = #cute_nvgpu.major<k>}> : (!shared) -> !cute_nvgpu.smem_desc
      %ring = "cute_nvgpu.sm103.make_umma_smem_desc_circular"(%shared, %shared) <{layout = #cute.layout<"((64,16),1):((64,1),0)">, major = #cute_nvgpu.major<k>}> : (!shared, !shared) -> !cute_nvgpu.smem_desc
      %later_ring = "cute_nvgpu.sm107.make_umma_smem_desc_circular"(%shared) <{layout = #cute.layout<"((64,16),1):((64,1),0)">, major = #cute_nvgpu.major<k>}> : (!shared) -> !cute_nvgpu.sm107.smem_desc
      %of_atom = "cute_nvgpu.get_tma_desc_addr"(%executable) : (!executable) -> !cute.ptr<generic, align<64>>
      %parameter = "cute_nvgpu.get_grid_constant_pointer"(%i) : (i32) -> !cute.ptr<i32, generic>
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
