!view = !cute.memref<f32, gmem, align<16>, "(8,?):(1,?{div=8})">
!registers = !cute.memref<f32, rmem, align<32>, "(8,4):(1,8)">
!copy = !cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f32>, layout_copy_tv = <"((32,4),(4,4)):((64,4),(16,1))">, tiler_mn = <"[16:1;128:1]">>
!fetch = !cute_nvgpu.atom.tma_load<f16, copy_bits = 65536, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,64):(1@0,1@1)">>
!mma = !cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, atom_layout_MNK = <"(2,2,1):(1,2,0)">, permutation_MNK = <"[32:1;32:1;16:1]">>
"builtin.module"() ({
  "gpu.module"() <{sym_name = "kernels"}> ({
    "cuda.kernel"() <{function_type = () -> (), sym_name = "k"}> ({
      "cuda.return"() : () -> ()
    }) {cute.kernel} : () -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32, i64, !view, !cute.ptr<f32, gmem, align<16>>, !cute.memref<f32, gmem, align<16>, "(16,128):(128,1)">, !cute.memref<f16, gmem, align<16>, "(32,16):(16,1)">) -> (), sym_name = "algebra"}> ({
  ^bb0(%i: i32, %l: i64, %view: !view, %pointer: !cute.ptr<f32, gmem, align<16>>, %tile_of_floats: !cute.memref<f32, gmem, align<16>, "(16,128):(128,1)">, %tile_of_halves: !cute.memref<f16, gmem, align<16>, "(32,16):(16,1)">):
    %zero = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %float = "arith.constant"() <{value = 0.0 : f32}> : () -> f32
    %tuple = "cute.make_int_tuple"(%i) : (i32) -> !cute.int_tuple<"(?,4)">
    %coord = "cute.make_coord"() : () -> !cute.coord<"(0,0)">
    %free = "cute.make_coord"(%i) : (i32) -> !cute.coord<"(_,?)">
    %shape = "cute.make_shape"() : () -> !cute.shape<"(8,4)">
    %stride = "cute.make_stride"() : () -> !cute.stride<"(1,8)">
    %layout = "cute.make_layout"(%shape, %stride) <{operandSegmentSizes = array<i32: 1, 1>}> : (!cute.shape<"(8,4)">, !cute.stride<"(1,8)">) -> !cute.layout<"(8,4):(1,8)">
    %compact = "cute.make_layout"(%shape) <{operandSegmentSizes = array<i32: 1, 0>}> : (!cute.shape<"(8,4)">) -> !cute.layout<"(8,4):(1,8)">
    %tile = "cute.make_tile"() : () -> !cute.tile<"[4:1;2:1]">
    %one = "cute.static"() : () -> !cute.layout<"1:0">
    %swizzle = "cute.static"() : () -> !cute.swizzle<"S<3,3,3>">
    %offset = "cute.make_int_tuple"() : () -> !cute.int_tuple<"0">
    %order = "cute.make_int_tuple"() : () -> !cute.int_tuple<"(1,0)">
    %composed = "cute.make_composed_layout"(%swizzle, %offset, %layout) : (!cute.swizzle<"S<3,3,3>">, !cute.int_tuple<"0">, !cute.layout<"(8,4):(1,8)">) -> !cute.composed_layout<"S<3,3,3> o 0 o (8,4):(1,8)">
    %inner = "cute.composed_get_inner"(%composed) : (!cute.composed_layout<"S<3,3,3> o 0 o (8,4):(1,8)">) -> !cute.swizzle<"S<3,3,3>">
    %middle = "cute.composed_get_offset"(%composed) : (!cute.composed_layout<"S<3,3,3> o 0 o (8,4):(1,8)">) -> !cute.int_tuple<"0">
    %outer = "cute.composed_get_outer"(%composed) : (!cute.composed_layout<"S<3,3,3> o 0 o (8,4):(1,8)">) -> !cute.layout<"(8,4):(1,8)">
    %ordered = "cute.make_ordered_layout"(%shape, %order) : (!cute.shape<"(8,4)">, !cute.int_tuple<"(1,0)">) -> !cute.layout<"(8,4):(4,1)">
    %like = "cute.make_layout_like"(%ordered) : (!cute.layout<"(8,4):(4,1)">) -> !cute.layout<"(8,4):(4,1)">
    %fragment_like = "cute.make_fragment_like"(%layout) : (!cute.layout<"(8,4):(1,8)">) -> !cute.layout<"(8,4):(1,8)">
    %identity = "cute.make_identity_layout"(%shape) : (!cute.shape<"(8,4)">) -> !cute.layout<"(8,4):(1@0,1@1)">
    %coordinates = "cute.make_identity_tensor"(%shape) : (!cute.shape<"(8,4)">) -> !cute.coord_tensor<"(0,0)", "(8,4):(1@0,1@1)">
    %leaves:2 = "cute.get_leaves"(%tuple) : (!cute.int_tuple<"(?,4)">) -> (!cute.int_tuple<"?">, !cute.int_tuple<"4">)
    %scalars:2 = "cute.get_scalars"(%tuple) : (!cute.int_tuple<"(?,4)">) -> (i32, i32)
    %dynamic = "cute.get_scalars"(%tuple) <{only_dynamic}> : (!cute.int_tuple<"(?,4)">) -> i32
    %iterator = "cute.get_iter"(%view) : (!view) -> !cute.ptr<f32, gmem, align<16>>
    %of_view = "cute.get_layout"(%view) : (!view) -> !cute.layout<"(8,?):(1,?{div=8})">
    %its_shape = "cute.get_shape"(%of_view) : (!cute.layout<"(8,?):(1,?{div=8})">) -> !cute.shape<"(8,?)">
    %its_stride = "cute.get_stride"(%of_view) : (!cute.layout<"(8,?):(1,?{div=8})">) -> !cute.stride<"(1,?{div=8})">
    %as_tuple = "cute.to_int_tuple"(%its_shape) : (!cute.shape<"(8,?)">) -> !cute.int_tuple<"(8,?)">
    %size = "cute.size"(%view) <{mode = array<i32>}> : (!view) -> !cute.int_tuple<"?{div=8}">
    %size_of_mode = "cute.size"(%view) <{mode = array<i32: 0>}> : (!view) -> !cute.int_tuple<"8">
    %cosize = "cute.cosize"(%layout) <{mode = array<i32>}> : (!cute.layout<"(8,4):(1,8)">) -> !cute.int_tuple<"32">
    %first = "cute.get"(%layout) <{mode = array<i32: 0>}> : (!cute.layout<"(8,4):(1,8)">) -> !cute.layout<"8:1">
    %selected = "cute.select"(%layout) <{mode = array<i32: 1, 0>}> : (!cute.layout<"(8,4):(1,8)">) -> !cute.layout<"(4,8):(8,1)">
    %appended = "cute.append_to_rank"(%layout, %one) <{rank = 3 : si32}> : (!cute.layout<"(8,4):(1,8)">, !cute.layout<"1:0">) -> !cute.layout<"(8,4,1):(1,8,0)">
    %prepended = "cute.prepend_to_rank"(%layout, %one) <{rank = 3 : si32}> : (!cute.layout<"(8,4):(1,8)">, !cute.layout<"1:0">) -> !cute.layout<"(1,8,4):(0,1,8)">
    %grouped = "cute.group_modes"(%layout) <{begin = 0 : i32, end = 2 : i32}> : (!cute.layout<"(8,4):(1,8)">) -> !cute.layout<"((8,4)):((1,8))">
    %sliced = "cute.slice"(%layout, %free) : (!cute.layout<"(8,4):(1,8)">, !cute.coord<"(_,?)">) -> !cute.layout<"(8):(1)">
    %diced = "cute.dice"(%layout) <{coord = #cute.coord<"(1,_)">}> : (!cute.layout<"(8,4):(1,8)">) -> !cute.layout<"(8):(1)">
    %index = "cute.crd2idx"(%coord, %layout) : (!cute.coord<"(0,0)">, !cute.layout<"(8,4):(1,8)">) -> !cute.int_tuple<"0">
    %back = "cute.idx2crd"(%index, %shape) : (!cute.int_tuple<"0">, !cute.shape<"(8,4)">) -> !cute.coord<"(0,0)">
    %nested = "cute.get_hier_coord"(%i, %layout) : (i32, !cute.layout<"(8,4):(1,8)">) -> !cute.coord<"(?,?)">
    %flat = "cute.get_flat_coord"(%i, %layout) : (i32, !cute.layout<"(8,4):(1,8)">) -> !cute.coord<"(?,?)">
    %integral = "cute.get_integral_coord"(%i, %layout) : (i32, !cute.layout<"(8,4):(1,8)">) -> !cute.coord<"?">
    %next = "cute.increment_coord"(%coord, %shape) : (!cute.coord<"(0,0)">, !cute.shape<"(8,4)">) -> !cute.coord<"(1,0)">
    %sum = "cute.tuple_add"(%tuple, %as_tuple) : (!cute.int_tuple<"(?,4)">, !cute.int_tuple<"(8,?)">) -> !cute.int_tuple<"(?,?)">
    %difference = "cute.tuple_sub"(%tuple, %as_tuple) : (!cute.int_tuple<"(?,4)">, !cute.int_tuple<"(8,?)">) -> !cute.int_tuple<"(?,?)">
    %scaled = "cute.tuple_mul"(%leaves#0, %leaves#1) : (!cute.int_tuple<"?">, !cute.int_tuple<"4">) -> !cute.int_tuple<"?{div=4}">
    %quotient = "cute.tuple_div"(%scaled, %leaves#1) : (!cute.int_tuple<"?{div=4}">, !cute.int_tuple<"4">) -> !cute.int_tuple<"?">
    %remainder = "cute.tuple_mod"(%leaves#0, %leaves#1) : (!cute.int_tuple<"?">, !cute.int_tuple<"4">) -> !cute.int_tuple<"?">
    %product = "cute.tuple.product"(%tuple) : (!cute.int_tuple<"(?,4)">) -> !cute.int_tuple<"?{div=4}">
    %products = "cute.tuple.product_each"(%tuple) : (!cute.int_tuple<"(?,4)">) -> !cute.int_tuple<"(?,4)">
    %tiles = "cute.ceil_div"(%shape, %tile) : (!cute.shape<"(8,4)">, !cute.tile<"[4:1;2:1]">) -> !cute.shape<"(2,2)">
    %divided_shape = "cute.shape_div"(%shape, %shape) : (!cute.shape<"(8,4)">, !cute.shape<"(8,4)">) -> !cute.shape<"(1,1)">
    %less = "cute.elem_less"(%coord, %next) : (!cute.coord<"(0,0)">, !cute.coord<"(1,0)">) -> i1
    %equal = "cute.equal"(%shape, %shape) : (!cute.shape<"(8,4)">, !cute.shape<"(8,4)">) -> i1
    %after = "cute.composition"(%layout, %compact) : (!cute.layout<"(8,4):(1,8)">, !cute.layout<"(8,4):(1,8)">) -> !cute.layout<"(8,4):(1,8)">
    %coalesced = "cute.coalesce"(%layout) : (!cute.layout<"(8,4):(1,8)">) -> !cute.layout<"32:1">
    %by_profile = "cute.coalesce"(%layout, %next) : (!cute.layout<"(8,4):(1,8)">, !cute.coord<"(1,0)">) -> !cute.layout<"(8,4):(1,8)">
    %filtered = "cute.filter"(%appended) : (!cute.layout<"(8,4,1):(1,8,0)">) -> !cute.layout<"32:1">
    %without_zeros = "cute.filter_zeros"(%appended) : (!cute.layout<"(8,4,1):(1,8,0)">) -> !cute.layout<"(8,4,1):(1,8,0)">
    %complement = "cute.complement"(%first, %shape) : (!cute.layout<"8:1">, !cute.shape<"(8,4)">) -> !cute.layout<"4:8">
    %right = "cute.right_inverse"(%layout) : (!cute.layout<"(8,4):(1,8)">) -> !cute.layout<"32:1">
    %left = "cute.left_inverse"(%layout) : (!cute.layout<"(8,4):(1,8)">) -> !cute.layout<"32:1">
    %divided = "cute.logical_divide"(%layout, %tile) : (!cute.layout<"(8,4):(1,8)">, !cute.tile<"[4:1;2:1]">) -> !cute.layout<"((4,2),(2,2)):((1,4),(8,16))">
    %zipped = "cute.zipped_divide"(%layout, %tile) : (!cute.layout<"(8,4):(1,8)">, !cute.tile<"[4:1;2:1]">) -> !cute.layout<"((4,2),(2,2)):((1,8),(4,16))">
    %tiled = "cute.tiled_divide"(%layout, %tile) : (!cute.layout<"(8,4):(1,8)">, !cute.tile<"[4:1;2:1]">) -> !cute.layout<"((4,2),2,2):((1,8),4,16)">
    %flattened = "cute.flat_divide"(%layout, %tile) : (!cute.layout<"(8,4):(1,8)">, !cute.tile<"[4:1;2:1]">) -> !cute.layout<"(4,2,2,2):(1,8,4,16)">
    %local = "cute.local_tile"(%tile_of_floats, %tile, %coord) : (!cute.memref<f32, gmem, align<16>, "(16,128):(128,1)">, !cute.tile<"[4:1;2:1]">, !cute.coord<"(0,0)">) -> !cute.memref<f32, gmem, align<16>, "(4,2):(128,1)">
    %projected = "cute.local_tile"(%tile_of_floats, %tile, %coord) <{proj = #cute.coord<"(1,1)">}> : (!cute.memref<f32, gmem, align<16>, "(16,128):(128,1)">, !cute.tile<"[4:1;2:1]">, !cute.coord<"(0,0)">) -> !cute.memref<f32, gmem, align<16>, "(4,2):(128,1)">
    %partition = "cute.local_partition"(%tile_of_floats, %layout, %i) : (!cute.memref<f32, gmem, align<16>, "(16,128):(128,1)">, !cute.layout<"(8,4):(1,8)">, i32) -> !cute.memref<f32, gmem, "(2,32):(1024,4)">
    %overlapping = "cute.stencil_divide"(%layout, %tile) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}> : (!cute.layout<"(8,4):(1,8)">, !cute.tile<"[4:1;2:1]">) -> !cute.layout<"((4,2),(5,3)):((1,8),(1,8))">
    %ones = "cute.make_shape"() : () -> !cute.shape<"(1,1)">
    %step = "cute.make_stride"() : () -> !cute.stride<"(1,1)">
    %padded = "cute.stencil_divide"(%layout, %tile, %ones, %ones, %step) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}> : (!cute.layout<"(8,4):(1,8)">, !cute.tile<"[4:1;2:1]">, !cute.shape<"(1,1)">, !cute.shape<"(1,1)">, !cute.stride<"(1,1)">) -> !cute.layout<"((4,2),(7,5)):((1,8),(1,8))">
    %repeated = "cute.tile_to_shape"(%layout, %shape, %order) : (!cute.layout<"(8,4):(1,8)">, !cute.shape<"(8,4)">, !cute.int_tuple<"(1,0)">) -> !cute.layout<"((8,1),(4,1)):((1,0),(8,0))">
    %logical = "cute.logical_product"(%layout, %first) : (!cute.layout<"(8,4):(1,8)">, !cute.layout<"8:1">) -> !cute.layout<"((8,4),8):((1,8),32)">
    %zipped_product = "cute.zipped_product"(%layout, %first) : (!cute.layout<"(8,4):(1,8)">, !cute.layout<"8:1">) -> !cute.layout<"((8,4),8):((1,8),32)">
    %tiled_product = "cute.tiled_product"(%layout, %first) : (!cute.layout<"(8,4):(1,8)">, !cute.layout<"8:1">) -> !cute.layout<"((8,4),8):((1,8),32)">
    %flat_product = "cute.flat_product"(%layout, %first) : (!cute.layout<"(8,4):(1,8)">, !cute.layout<"8:1">) -> !cute.layout<"(8,4,8):(1,8,32)">
    %blocked = "cute.blocked_product"(%layout, %layout) : (!cute.layout<"(8,4):(1,8)">, !cute.layout<"(8,4):(1,8)">) -> !cute.layout<"((8,8),(4,4)):((1,32),(8,256))">
    %raked = "cute.raked_product"(%layout, %layout) : (!cute.layout<"(8,4):(1,8)">, !cute.layout<"(8,4):(1,8)">) -> !cute.layout<"((8,8),(4,4)):((32,1),(256,8))">
    %wider = "cute.recast_layout"(%layout) <{new_type_bits = 32 : i32, old_type_bits = 8 : i32}> : (!cute.layout<"(8,4):(1,8)">) -> !cute.layout<"(2,4):(1,2)">
    %layouts:2 = "cute.get_layouts_from_tile"(%tile) : (!cute.tile<"[4:1;2:1]">) -> (!cute.layout<"4:1">, !cute.layout<"2:1">)
    %further = "cute.add_offset"(%pointer, %index) : (!cute.ptr<f32, gmem, align<16>>, !cute.int_tuple<"0">) -> !cute.ptr<f32, gmem, align<16>>
    %bytes = "cute.recast_iter"(%pointer) : (!cute.ptr<f32, gmem, align<16>>) -> !cute.ptr<i8, gmem, align<16>>
    %swizzled = "cute.apply_swizzle"(%pointer) : (!cute.ptr<f32, gmem, align<16>>) -> !cute.ptr<f32, gmem, align<16>>
    %address = "cute.ptrtoint"(%pointer) : (!cute.ptr<f32, gmem, align<16>>) -> i64
    %again = "cute.inttoptr"(%address) : (i64) -> !cute.ptr<f32, gmem, align<1>>
    %known = "cute.assume"(%i) : (i32) -> !cute.i32<divby 8>
    %forgotten = "cute.derefine"(%scaled) : (!cute.int_tuple<"?{div=4}">) -> !cute.int_tuple<"?">
    %iterator_of_coordinates = "cute.make_arith_tuple_iter"(%tuple) : (!cute.int_tuple<"(?,4)">) -> !cute.arith_tuple_iter<"(?,4)">
    %coordinate = "cute.deref_arith_tuple_iter"(%iterator_of_coordinates) : (!cute.arith_tuple_iter<"(?,4)">) -> !cute.int_tuple<"(?,4)">
    %made = "cute.make_view"(%pointer, %layout) : (!cute.ptr<f32, gmem, align<16>>, !cute.layout<"(8,4):(1,8)">) -> !cute.memref<f32, gmem, align<16>, "(8,4):(1,8)">
    %registers = "cute.memref.alloca"() : () -> !registers
    %shared = "cute.memref.alloca"() {smem.partition_id = 1 : i32, smem.struct_fields = ["sA:128:0", "sB:128:128"]} : () -> !cute.memref<i8, smem, align<1024>, "256:1">
    %block = "cute.memref.alloc_smem"() : () -> !cute.memref<f32, smem, align<128>, "(8,4):(1,8)">
    %element = "cute.memref.load"(%registers, %coord) : (!registers, !cute.coord<"(0,0)">) -> f32
    "cute.memref.store"(%registers, %coord, %element) : (!registers, !cute.coord<"(0,0)">, f32) -> ()
    %elements = "cute.memref.load_vec"(%registers) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!registers) -> vector<32xf32>
    "cute.memref.store_vec"(%elements, %registers) : (vector<32xf32>, !registers) -> ()
    %loaded = "cute.ptr.load"(%pointer) : (!cute.ptr<f32, gmem, align<16>>) -> f32
    "cute.ptr.store"(%loaded, %pointer) : (f32, !cute.ptr<f32, gmem, align<16>>) -> ()
    %indices = "cute.recast_iter"(%pointer) : (!cute.ptr<f32, gmem, align<16>>) -> !cute.ptr<i32, gmem, align<16>>
    %gathered = "cute.load_scaled_index"(%pointer, %indices, %leaves#0, %scaled) : (!cute.ptr<f32, gmem, align<16>>, !cute.ptr<i32, gmem, align<16>>, !cute.int_tuple<"?">, !cute.int_tuple<"?{div=4}">) -> !cute.ptr<f32, gmem, align<16>>
    %reduced = "cute.reduce"(%elements, %shape, %float) <{reduction_op = #cute.reduction_op<ADD>}> : (vector<32xf32>, !cute.shape<"(8,4)">, f32) -> f32
    %by_modes:2 = "cute.reduce"(%elements, %shape, %float) <{reduction_op = #cute.reduction_op<MAX>, reduction_profile = #cute.coord<"(_,1)">}> : (vector<32xf32>, !cute.shape<"(8,4)">, f32) -> (vector<8xf32>, !cute.shape<"(8)">)
    %atom = "cute.make_atom"() : () -> !cute_nvgpu.atom.universal_copy<f32>
    %to_registers = "cute.make_atom"() : () -> !cute_nvgpu.atom.universal_copy<f32, 32 b, src_space = gmem, dst_space = rmem>
    %copy = "cute.make_tiled_copy"(%atom) : (!cute_nvgpu.atom.universal_copy<f32>) -> !copy
    %copy_again = "cute.make_tiled_copy_v2"(%atom) : (!cute_nvgpu.atom.universal_copy<f32>) -> !copy
    %thread = "cute.make_coord"(%i) : (i32) -> !cute.coord<"?">
    %source = "cute.tiled.copy.partition_S"(%copy, %tile_of_floats, %thread) : (!copy, !cute.memref<f32, gmem, align<16>, "(16,128):(128,1)">, !cute.coord<"?">) -> !cute.memref<f32, gmem, align<16>, "((1,(4,4)),1,1):((0,(1,128)),0,0)">
    %destination = "cute.tiled.copy.partition_D"(%copy, %tile_of_floats, %thread) : (!copy, !cute.memref<f32, gmem, align<16>, "(16,128):(128,1)">, !cute.coord<"?">) -> !cute.memref<f32, gmem, align<16>, "((1,(4,4)),1,1):((0,(1,128)),0,0)">
    %retiled = "cute.tiled.copy.retile"(%copy, %source) : (!copy, !cute.memref<f32, gmem, align<16>, "((1,(4,4)),1,1):((0,(1,128)),0,0)">) -> !cute.memref<f32, gmem, align<16>, "((1,(4,4)),1,1):((0,(1,128)),0,0)">
    %few_elements = "cute.static"() : () -> !cute.layout<"(4,1):(1,0)">
    %few = "cute.make_view"(%pointer, %few_elements) : (!cute.ptr<f32, gmem, align<16>>, !cute.layout<"(4,1):(1,0)">) -> !cute.memref<f32, gmem, align<16>, "(4,1):(1,0)">
    %part_of_copy = "cute.copy.make_fragment"(%to_registers, %few) <{operand_id = 1 : i32}> : (!cute_nvgpu.atom.universal_copy<f32, 32 b, src_space = gmem, dst_space = rmem>, !cute.memref<f32, gmem, align<16>, "(4,1):(1,0)">) -> !cute.memref<f32, rmem, align<16>, "(4,1):(1,0)">
    %in_registers = "cute.memref.alloca"() : () -> !cute.memref<f32, rmem, align<32>, "((1,(4,4)),1,1):((0,(1,4)),0,0)">
    "cute.copy"(%copy, %source, %in_registers) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (!copy, !cute.memref<f32, gmem, align<16>, "((1,(4,4)),1,1):((0,(1,128)),0,0)">, !cute.memref<f32, rmem, align<32>, "((1,(4,4)),1,1):((0,(1,4)),0,0)">) -> ()
    %one_of_source = "cute.memref.alloca"() : () -> !cute.memref<f32, rmem, "(1):(0)">
    "cute.copy_atom_call"(%atom, %one_of_source, %one_of_source) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (!cute_nvgpu.atom.universal_copy<f32>, !cute.memref<f32, rmem, "(1):(0)">, !cute.memref<f32, rmem, "(1):(0)">) -> ()
    %fetch = "cute.make_atom"() : () -> !fetch
    %box = "cute.static"() : () -> !cute.coord_tensor<"(0,0)", "((64,64),1):((1@0,1@1),0)">
    %one_box = "cute.static"() : () -> !cute.coord_tensor<"(0,0)", "((64,64)):((1@0,1@1))">
    "cute.prefetch"(%fetch, %box) : (!fetch, !cute.coord_tensor<"(0,0)", "((64,64),1):((1@0,1@1),0)">) -> ()
    "cute.prefetch_atom_call"(%fetch, %one_box) : (!fetch, !cute.coord_tensor<"(0,0)", "((64,64)):((1@0,1@1))">) -> ()
    %product_atom = "cute.make_atom"() : () -> !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >
    %mma = "cute.make_tiled_mma"(%product_atom) : (!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >) -> !mma
    %part_of_a = "cute.tiled.mma.partition"(%mma, %tile_of_halves, %thread) <{operand_id = 0 : i32}> : (!mma, !cute.memref<f16, gmem, align<16>, "(32,16):(16,1)">, !cute.coord<"?">) -> !cute.memref<f16, gmem, align<4>, "((2,2,2),1,1):((1,128,8),0,0)">
    %large = "cute.make_shape"() : () -> !cute.shape<"(64,32)">
    %shape_of_c = "cute.tiled.mma.partition_shape"(%mma, %large) <{operand_id = 2 : i32}> : (!mma, !cute.shape<"(64,32)">) -> !cute.shape<"((2,2),2,2)">
    %a = "cute.mma.make_fragment"(%mma, %part_of_a) <{operand_id = 0 : i32}> : (!mma, !cute.memref<f16, gmem, align<4>, "((2,2,2),1,1):((1,128,8),0,0)">) -> !cute.memref<f16, rmem, align<16>, "((2,2,2),1,1):((1,2,4),0,0)">
    %b = "cute.memref.alloca"() : () -> !cute.memref<f16, rmem, align<16>, "((2,2),2,1):((1,2),4,0)">
    %c = "cute.memref.alloca"() : () -> !cute.memref<f32, rmem, align<32>, "((2,2),1,2):((1,2),0,4)">
    "cute.gemm"(%mma, %c, %a, %b, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}> : (!mma, !cute.memref<f32, rmem, align<32>, "((2,2),1,2):((1,2),0,4)">, !cute.memref<f16, rmem, align<16>, "((2,2,2),1,1):((1,2,4),0,0)">, !cute.memref<f16, rmem, align<16>, "((2,2),2,1):((1,2),4,0)">, !cute.memref<f32, rmem, align<32>, "((2,2),1,2):((1,2),0,4)">) -> ()
    "cute.gemm"(%mma, %c, %a, %a, %b, %b, %c) <{operandSegmentSizes = array<i32: 1, 1, 2, 2, 1>}> : (!mma, !cute.memref<f32, rmem, align<32>, "((2,2),1,2):((1,2),0,4)">, !cute.memref<f16, rmem, align<16>, "((2,2,2),1,1):((1,2,4),0,0)">, !cute.memref<f16, rmem, align<16>, "((2,2,2),1,1):((1,2,4),0,0)">, !cute.memref<f16, rmem, align<16>, "((2,2),2,1):((1,2),4,0)">, !cute.memref<f16, rmem, align<16>, "((2,2),2,1):((1,2),4,0)">, !cute.memref<f32, rmem, align<32>, "((2,2),1,2):((1,2),0,4)">) -> ()
    %one_a = "cute.memref.alloca"() : () -> !cute.memref<f16, rmem, "((2,2,2)):((1,2,4))">
    %one_b = "cute.memref.alloca"() : () -> !cute.memref<f16, rmem, "((2,2)):((1,2))">
    %one_c = "cute.memref.alloca"() : () -> !cute.memref<f32, rmem, "((2,2)):((1,2))">
    "cute.mma_atom_call"(%product_atom, %one_c, %one_a, %one_b, %one_c) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}> : (!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, !cute.memref<f32, rmem, "((2,2)):((1,2))">, !cute.memref<f16, rmem, "((2,2,2)):((1,2,4))">, !cute.memref<f16, rmem, "((2,2)):((1,2))">, !cute.memref<f32, rmem, "((2,2)):((1,2))">) -> ()
    %divisor = "cute.fast_divmod.create_divisor"(%i) : (i32) -> !cute.fast_divmod_divisor<32>
    %both:2 = "cute.fast_divmod.compute"(%i, %divisor) : (i32, !cute.fast_divmod_divisor<32>) -> (i32, i32)
    %only_quotient = "cute.fast_divmod.divide"(%i, %divisor) : (i32, !cute.fast_divmod_divisor<32>) -> i32
    %aux:3 = "cute.fast_divmod.get_aux"(%divisor) : (!cute.fast_divmod_divisor<32>) -> (i32, i8, i8)
    %number = "cute.fast_divmod.get_divisor"(%divisor) : (!cute.fast_divmod_divisor<32>) -> i32
    %ready = "cute.fast_divmod.make_divisor"(%number, %aux#0, %aux#1, %aux#2) : (i32, i32, i8, i8) -> !cute.fast_divmod_divisor<32>
    %space = "cute.kernel_smem_size"() <{kernel_name = @kernels::@k}> : () -> i64
    %part_of_space = "cute.smem_partition_size"() <{partition_id = 0 : i32}> : () -> i64
    %space_up_to = "cute.smem_partition_size"() <{cumulative, partition_id = 1 : i32}> : () -> i64
    %named = "cute.symbolic"() <{name = "tile_m"}> : () -> i32
    "cute.random_delay"() : () -> ()
    "cute.print"(%i, %l) <{fmt = "{} and {}\0A"}> : (i32, i64) -> ()
    "cute.print"() <{fmt = "nothing"}> : () -> ()
    "cute.print_view"(%view) <{verbose = true}> : (!view) -> ()
    %descriptors = "cute.make_desc_iter"(%l) : (i64) -> !cute_nvgpu.smem_desc
    %descriptor = "cute.deref_desc_iter"(%descriptors) : (!cute_nvgpu.smem_desc) -> i64
    %sparse = "cute.make_sparse_elem"(%float) : (f32) -> !cute.sparse_elem<2, f32>
    %pair = "cute.make_tuple"(%shape, %i) : (!cute.shape<"(8,4)">, i32) -> !cute.tuple<!cute.shape<"(8,4)">, i32>
    %parts:2 = "cute.unpack_tuple"(%pair) : (!cute.tuple<!cute.shape<"(8,4)">, i32>) -> (!cute.shape<"(8,4)">, i32)
    "cute.print_tma_desc_tiled"(%l, %i) : (i64, i32) -> ()
    "cute.print_tma_desc_im2col"(%l, %i) : (i64, i32) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
