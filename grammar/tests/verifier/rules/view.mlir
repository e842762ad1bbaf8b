// Tensors and views.
//
// A comment `// CODE `TEXT`: WORDS` says what the verifier reports on its line: the code, the text that the report points at,
// and words of the message. A line without one is legal.

entry @view(%p: tile<ptr<f32>>, %ph: tile<ptr<f16>>, %pi: tile<ptr<i32>>, %pu: tile<ptr<f32, <unicast>>>) {
  %k = constant <i32: 1> : tile<i32>
  %l = constant <i64: 1> : tile<i64>
  %s = constant <f32: 1.0> : tile<f32>
  %kk = constant <i32: 1> : tile<1xi32>
  %k4 = constant <i32: 1> : tile<4xi32>
  %k8 = constant <i32: 1> : tile<8xi32>
  %k44 = constant <i32: 1> : tile<4x1xi32>
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8x4xf32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %t = make_token : token
  %tv = make_tensor_view %p, shape = [%k, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
  %th = make_tensor_view %ph, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf16, strides=[64,1]>
  %ti = make_tensor_view %pi, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xi32, strides=[64,1]>
  %pv = make_partition_view %tv : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>
  %pp = make_partition_view %tv : partition_view<tile=(4x8), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>
  %ph1 = make_partition_view %th : partition_view<tile=(4x8), tensor_view<64x64xf16, strides=[64,1]>>
  %pi1 = make_partition_view %ti : partition_view<tile=(4x8), tensor_view<64x64xi32, strides=[64,1]>>
  %sv = make_strided_view %tv : strided_view<tile=(4x8), traversal_strides=[3,5], tensor_view<?x64xf32, strides=[64,1]>>
  %gv = make_gather_scatter_view %tv : gather_scatter_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>
  %_9 = make_tensor_view %pu, shape = [64], strides = [1] : tile<ptr<f32, <unicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<unicast>>
  %_10 = make_tensor_view %p, shape = [%l], strides = [%l] : tile<i64> -> tensor_view<?xf32, strides=[?]>
  %_11 = make_tensor_view %p, shape = [], strides = [] : tensor_view<f32>
  %_12 = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf16, strides=[1]> // E0305 `%p`: operand `base` is `tile<ptr<f32>>`, but the result is `tensor_view<64xf16, strides=[1]>`: expected the same elements
  %_13 = make_tensor_view %pu, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>> // E0305 `%pu`: expected the same ptr_attr
  %_16 = make_tensor_view %p, shape = [%k], strides = [%l] : tile<i32> -> tensor_view<?xf32, strides=[?]> // E0305 `%l`: operand 0 of `dynamic_strides` is `tile<i64>`, but operand 0 of `dynamic_shape` is `tile<i32>`
  %_17 = make_tensor_view %p, shape = [%kk], strides = [1] : tile<1xi32> -> tensor_view<?xf32, strides=[1]> // E0315 `%kk`: operand #1 (`dynamic_shape`) must be a scalar
  %_18 = make_tensor_view %s, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]> // E0315 `%s`: operand #0 (`base`) must be a scalar pointer
  %_19 = make_tensor_view %p, shape = [64], strides = [1] : tile<f32> // E0315 `tile<f32>`: result #0 (`result`) must be a tensor_view
  %_21 = make_partition_view %tv : strided_view<tile=(4x8), traversal_strides=[3,5], tensor_view<?x64xf32, strides=[64,1]>> // E0315 `strided_view<tile=(4x8), traversal_strides=[3,5], tensor_view<?x64xf32, strides=[64,1]>>`: result #0 (`result`) must be a partition_view
  %_24 = make_strided_view %tv : gather_scatter_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0> // E0315 `gather_scatter_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>`: result #0 (`result`) must be a strided_view
  %_26 = make_gather_scatter_view %tv : strided_view<tile=(4x8), traversal_strides=[3,5], tensor_view<?x64xf32, strides=[64,1]>> // E0315 `strided_view<tile=(4x8), traversal_strides=[3,5], tensor_view<?x64xf32, strides=[64,1]>>`: result #0 (`result`) must be a gather_scatter_view
  %_27:2 = get_index_space_shape %sv : strided_view<tile=(4x8), traversal_strides=[3,5], tensor_view<?x64xf32, strides=[64,1]>> -> tile<i64>
  %_28 = get_index_space_shape %sv : strided_view<tile=(4x8), traversal_strides=[3,5], tensor_view<?x64xf32, strides=[64,1]>> -> tile<i64> // E0304 `get_index_space_shape`: has 1 result, expected 2: one for each dimension of the view or tensor
  %_29:2 = get_index_space_shape %sv : strided_view<tile=(4x8), traversal_strides=[3,5], tensor_view<?x64xf32, strides=[64,1]>> -> tile<f32> // E0315 `tile<f32>`: result #0 (`result`) must be a scalar
  %_30:2 = get_index_space_shape %tv : tensor_view<?x64xf32, strides=[64,1]> -> tile<i32> // E0315 `%tv`: operand #0 (`src`) must be a partition_view, strided_view or gather_scatter_view
  %_31, %_tk31 = load_view_tko weak %pv[%k, %k] token = %t : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
  %_32, %_tk32 = load_view_tko weak %pv[%l, %l] : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i64> -> tile<4x8xf32>, token
  %_33, %_tk33 = load_view_tko acquire device %sv[%k, %k] inbounds = [true, false] : strided_view<tile=(4x8), traversal_strides=[3,5], tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
  %_34, %_tk34 = load_view_tko weak %gv[%k4, %k] : gather_scatter_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x8xf32>, token
  %_35, %_tk35 = load_view_tko weak %pv[%k] : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token // E0303 `%k`: has 1 operand `index`, but the view has 2 dimensions
  %_36, %_tk36 = load_view_tko weak %pv[%k, %k, %k] : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token // E0303 `%k, %k, %k`: has 3 operands `index`, but the view has 2 dimensions
  %_37, %_tk37 = load_view_tko weak %pv[%k, %l] : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32>, tile<i64> -> tile<4x8xf32>, token // E0305 `%l`: operand 1 of `index` is `tile<i64>`, but operand 0 of `index` is `tile<i32>`
  %_38, %_tk38 = load_view_tko weak %pv[%s, %s] : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<f32> -> tile<4x8xf32>, token // E0315 `%s`: operand #1 (`index`) must be a tile of i1 // E0315 `%s`: operand #2 (`index`) must be a tile of i1
  %_39, %_tk39 = load_view_tko weak %pv[%k4, %k] : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<4xi32>, tile<i32> -> tile<4x8xf32>, token // E0315 `%k4`: index 0 is `tile<4xi32>`, expected a scalar integer (a tile of rank 0)
  %_40, %_tk40 = load_view_tko weak %gv[%k, %k] : gather_scatter_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, tile<i32>, tile<i32> -> tile<4x8xf32>, token // E0315 `%k`: index 0 is `tile<i32>`, expected 4 positions along the sparse dimension
  %_41, %_tk41 = load_view_tko weak %gv[%k8, %k] : gather_scatter_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> tile<4x8xf32>, token // E0315 `%k8`: index 0 is `tile<8xi32>`, expected 4 positions
  %_42, %_tk42 = load_view_tko weak %gv[%k44, %k] : gather_scatter_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, tile<4x1xi32>, tile<i32> -> tile<4x8xf32>, token // E0315 `%k44`: index 0 is `tile<4x1xi32>`, expected 4 positions
  %_43, %_tk43 = load_view_tko weak %gv[%k4, %k4] : gather_scatter_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, tile<4xi32>, tile<4xi32> -> tile<4x8xf32>, token // E0315 `%k4`: index 1 is `tile<4xi32>`, expected a scalar integer
  %_44, %_tk44 = load_view_tko weak %pv[%k, %k] : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x4xf32>, token // E0305 `tile<8x4xf32>`: result `tile` is `tile<8x4xf32>`, but a tile of the view's shape and elements is `tile<4x8xf32>`
  %_45, %_tk45 = load_view_tko weak %pv[%k, %k] : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf16>, token // E0305 `tile<4x8xf16>`: result `tile` is `tile<4x8xf16>`, but a tile of the view's shape and elements is `tile<4x8xf32>`
  %_46, %_tk46 = load_view_tko release device %pv[%k, %k] : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token // E0314 `release`: attribute `ordering` is release, expected weak, relaxed or acquire
  %_47, %_tk47 = load_view_tko acquire %pv[%k, %k] : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token // E0308 `acquire`: attribute `scope` is missing
  %_48, %_tk48 = load_view_tko weak device %pv[%k, %k] : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token // E0314 `device`: a weak access has none
  %_49, %_tk49 = load_view_tko weak %pv[%k, %k] inbounds = [true] : partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token // E0314 `[true]`: attribute `inbounds` has 1 entry, but the op has 2 operands `index`
  %_50, %_tk50 = load_view_tko weak %tv[%k, %k] : tensor_view<?x64xf32, strides=[64,1]>, tile<i32> -> tile<4x8xf32>, token // E0315 `%tv`: operand #0 (`view`) must be a partition_view, strided_view or gather_scatter_view
  %_51 = store_view_tko weak %f, %pv[%k, %k] : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
  %_52 = store_view_tko release tl_blk %f, %gv[%k4, %k] token = %t : tile<4x8xf32>, gather_scatter_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> token
  %_53 = store_view_tko weak %g, %pv[%k, %k] : tile<8x4xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token // E0305 `%g`: operand `tile` is `tile<8x4xf32>`, but a tile of the view's shape and elements is `tile<4x8xf32>`
  %_54 = store_view_tko weak %h, %pv[%k, %k] : tile<4x8xf16>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token // E0305 `%h`: operand `tile` is `tile<4x8xf16>`, but a tile of the view's shape and elements is `tile<4x8xf32>`
  %_55 = store_view_tko acquire sys %f, %pv[%k, %k] : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token // E0314 `acquire`: attribute `ordering` is acquire, expected weak, relaxed or release
  %_56 = store_view_tko relaxed %f, %pv[%k, %k] : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token // E0308 `relaxed`: attribute `scope` is missing
  %_57 = store_view_tko weak sys %f, %pv[%k, %k] : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token // E0314 `sys`: a weak access has none
  %_58 = store_view_tko weak %f, %pv[%k] : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token // E0303 `%k`: has 1 operand `index`
  %_59 = store_view_tko weak %f, %pv[%k, %l] : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32>, tile<i64> -> token // E0305 `%l`: operand 1 of `index` is
  %_60 = store_view_tko weak %f, %pv[%k, %k] inbounds = [true, true, true] : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token // E0314 `[true, true, true]`: attribute `inbounds` has 3 entries
  %_61 = atomic_red_view_tko relaxed device %pv[%k, %k], addf, %f : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
  %_62 = atomic_red_view_tko relaxed tl_blk %sv[%k, %k], addf, %f token = %t inbounds = [true, true] : tile<4x8xf32>, strided_view<tile=(4x8), traversal_strides=[3,5], tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
  %_63 = atomic_red_view_tko relaxed device %pv[%k, %l], addf, %f : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32>, tile<i64> -> token
  %_64 = atomic_red_view_tko relaxed device %pp[%k, %k], addf, %f : tile<4x8xf32>, partition_view<tile=(4x8), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
  %_65 = atomic_red_view_tko relaxed device %ph1[%k, %k], addf, %h : tile<4x8xf16>, partition_view<tile=(4x8), tensor_view<64x64xf16, strides=[64,1]>>, tile<i32> -> token
  %_66 = atomic_red_view_tko relaxed device %gv[%k4, %k], addf, %f : tile<4x8xf32>, gather_scatter_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> token // E0315 `%gv`: expected a partition_view or a strided_view
  %_67 = atomic_red_view_tko relaxed device %pv[%k, %k], xchg, %f : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token // E0314 `xchg`: attribute `mode` is xchg, expected
  %_68 = atomic_red_view_tko relaxed device %pv[%k, %k], add, %f : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token // E0315 `%pv`: but add takes i32 or i64
  %_69 = atomic_red_view_tko relaxed device %pi1[%k, %k], addf, %i : tile<4x8xi32>, partition_view<tile=(4x8), tensor_view<64x64xi32, strides=[64,1]>>, tile<i32> -> token // E0315 `%pi1`: but addf takes f16, bf16, f32 or f64
  %_70 = atomic_red_view_tko acquire device %pv[%k, %k], addf, %f : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token // E0314 `acquire`: attribute `ordering` is acquire, expected relaxed
  %_71 = atomic_red_view_tko relaxed sys %pv[%k, %k], addf, %f : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token // E0314 `sys`: attribute `scope` is sys, expected tl_blk or device
  %_72 = atomic_red_view_tko relaxed device %pv[%k, %k], addf, %g : tile<8x4xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token // E0305 `%g`: operand `value` is `tile<8x4xf32>`, but a tile of the view
  %_73 = atomic_red_view_tko relaxed device %pv[%k], addf, %f : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token // E0303 `%k`: has 1 operand `index`
  %_74 = atomic_red_view_tko relaxed device %pv[%k, %k4], addf, %f : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32>, tile<4xi32> -> token // E0315 `%k4`: index 1 is `tile<4xi32>`, expected a scalar integer
  %_75 = atomic_red_view_tko relaxed device %pv[%k, %k], addf, %f inbounds = [true] : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token // E0314 `[true]`: attribute `inbounds` has 1 entry
}
// -----
entry @more_view(%p: tile<ptr<f32>>, %n: tile<i32>) {
  %v = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %_0 = "cuda_tile.make_partition_view"(%v) : (tensor_view<64x64xf32, strides=[64,1]>) -> partition_view<tile=(4x8), tensor_view<32x64xf32, strides=[64,1]>> // E0305 `partition_view<tile=(4x8), tensor_view<32x64xf32, strides=[64,1]>>`: operand `tensor_view` is `tensor_view<64x64xf32, strides=[64,1]>`, but the result is over `tensor_view<32x64xf32, strides=[64,1]>`
  %_1 = "cuda_tile.make_strided_view"(%v) : (tensor_view<64x64xf32, strides=[64,1]>) -> strided_view<tile=(4x8), traversal_strides=[3,5], tensor_view<32x64xf32, strides=[64,1]>> // E0305 `strided_view<tile=(4x8), traversal_strides=[3,5], tensor_view<32x64xf32, strides=[64,1]>>`: operand `tensor_view` is `tensor_view<64x64xf32, strides=[64,1]>`, but the result is over `tensor_view<32x64xf32, strides=[64,1]>`
  %_2 = "cuda_tile.make_gather_scatter_view"(%v) : (tensor_view<64x64xf32, strides=[64,1]>) -> gather_scatter_view<tile=(4x8), tensor_view<32x64xf32, strides=[64,1]>, sparse_dim=0> // E0305 `gather_scatter_view<tile=(4x8), tensor_view<32x64xf32, strides=[64,1]>, sparse_dim=0>`: operand `tensor_view` is `tensor_view<64x64xf32, strides=[64,1]>`, but the result is over `tensor_view<32x64xf32, strides=[64,1]>`
  %_3 = "cuda_tile.make_tensor_view"(%p, %n) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tile<ptr<f32>>, tile<i32>) -> tensor_view<64xf32, strides=[1]> // E0303 `%n`: has 1 operand `dynamic_shape`, but `tensor_view<64xf32, strides=[1]>` leaves 0 open
  %_4 = "cuda_tile.make_tensor_view"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tile<ptr<f32>>) -> tensor_view<?xf32, strides=[1]> // E0303 `"cuda_tile.make_tensor_view"`: has 0 operands `dynamic_shape`, but `tensor_view<?xf32, strides=[1]>` leaves 1 open
  %_5 = "cuda_tile.make_tensor_view"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tile<ptr<f32>>) -> tensor_view<64xf32, strides=[?]> // E0303 `"cuda_tile.make_tensor_view"`: has 0 operands `dynamic_strides`, but `tensor_view<64xf32, strides=[?]>` leaves 1 open
  %g = make_gather_scatter_view %v : gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>
  %t = constant <f32: 1.0> : tile<4x8xf32>
  %w = constant <i32: 0> : tile<8xi32>
  %t0 = store_view_tko weak %t, %g[%w, %n] : tile<4x8xf32>, gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> token // E0315 `%w`: index 0 is `tile<8xi32>`, expected 4 positions along the sparse dimension: a tile of integers of rank 1
  return
}
