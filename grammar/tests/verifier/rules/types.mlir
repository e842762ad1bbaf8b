// The types themselves.
//
// A comment `// CODE `TEXT`: WORDS` says what the verifier reports on its line: the code, the text that the report points at,
// and words of the message. A line without one is legal.

entry @types(%p: tile<ptr<f32>>, %pi: tile<ptr<i32>>) {
  %k = constant <i32: 1> : tile<i32>
  %tv = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %ti = make_tensor_view %pi, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xi32, strides=[64,1]>
  %_0 = constant <f32: 1.0> : tile<16777216xf32>
  %_1 = constant <f32: 1.0> : tile<4096x4096xf32>
  %_2 = constant <f32: 1.0> : tile<1x1x1x1x1x1x1x1x1xf32>
  %_3 = constant <f32: 1.0> : tile<f32>
  %_4 = constant <f4E2M1FN: 1.0> : tile<2xf4E2M1FN>
  %_5 = constant <f4E2M1FN: 1.0> : tile<1x2xf4E2M1FN>
  %_6 = constant <f32: 1.0> : tile<3xf32> // E0401 `tile<3xf32>`: extent 0 of `tile<3xf32>` is 3, which is not a power of two; the next one is 4
  %_7 = constant <f32: 1.0> : tile<4x0xf32> // E0401 `tile<4x0xf32>`: extent 1 of `tile<4x0xf32>` is 0
  %_8 = constant <f32: 1.0> : tile<33554432xf32> // E0402 `tile<33554432xf32>`: has 33554432 elements; a tile holds at most 16777216
  %_9 = constant <f32: 1.0> : tile<8192x4096xf32> // E0402 `tile<8192x4096xf32>`: has 33554432 elements
  %_10 = constant <f4E2M1FN: 1.0> : tile<f4E2M1FN> // E0403 `tile<f4E2M1FN>`: needs an even extent
  %_11 = constant <f4E2M1FN: 1.0> : tile<1xf4E2M1FN> // E0403 `tile<1xf4E2M1FN>`: needs an even extent
  %_12 = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<i4>> // E0403 `tile<ptr<i4>>`: a pointer is to i4, expected elements that memory holds one by one
  %_12a = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<f4E2M1FN>>
  %_12b = reshape %_12a : tile<ptr<f4E2M1FN>> -> tile<1xptr<f4E2M1FN>> // E0403 `tile<1xptr<f4E2M1FN>>`: has rank 1, expected 0: two f4E2M1FN share an address
  %_13 = make_tensor_view %p, shape = [64], strides = [3] : tensor_view<64xf32, strides=[3]>
  %_14 = make_tensor_view %p, shape = [64, 0], strides = [1, 1] : tensor_view<64x0xf32, strides=[1,1]> // E0407 `tensor_view<64x0xf32, strides=[1,1]>`: extent 1 of `tensor_view<64x0xf32, strides=[1,1]>` is 0, expected a positive number or `?`
  %_16 = make_tensor_view %p, shape = [64, 64], strides = [1] : tensor_view<64x64xf32, strides=[1]> // E0405 `tensor_view<64x64xf32, strides=[1]>`: has 2 extents and 1 stride
  %_17 = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xi4, strides=[1]> // E0403 `tensor_view<64xi4, strides=[1]>`: `tensor_view<64xi4, strides=[1]>` holds i4, expected elements that memory holds one by one
  %_18 = make_partition_view %tv : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>
  %_19 = make_partition_view %tv : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, dim_map=[1, 0]>
  %_20 = make_partition_view %tv : partition_view<tile=(4x8), padding_value = zero, tensor_view<64x64xf32, strides=[64,1]>>
  %_21 = make_partition_view %ti : partition_view<tile=(4x8), padding_value = zero, tensor_view<64x64xi32, strides=[64,1]>>
  %_22 = make_partition_view %tv : partition_view<tile=(4x8), padding_value = neg_zero, tensor_view<64x64xf32, strides=[64,1]>>
  %_23 = make_partition_view %ti : partition_view<tile=(4x8), padding_value = neg_zero, tensor_view<64x64xi32, strides=[64,1]>> // E0406 `partition_view<tile=(4x8), padding_value = neg_zero, tensor_view<64x64xi32, strides=[64,1]>>`: padding value neg_zero of
  %_24 = make_partition_view %tv : partition_view<tile=(4x8), padding_value = nan, tensor_view<64x64xf32, strides=[64,1]>>
  %_25 = make_partition_view %ti : partition_view<tile=(4x8), padding_value = nan, tensor_view<64x64xi32, strides=[64,1]>> // E0406 `partition_view<tile=(4x8), padding_value = nan, tensor_view<64x64xi32, strides=[64,1]>>`: padding value nan of
  %_26 = make_partition_view %tv : partition_view<tile=(4x8), padding_value = pos_inf, tensor_view<64x64xf32, strides=[64,1]>>
  %_27 = make_partition_view %ti : partition_view<tile=(4x8), padding_value = pos_inf, tensor_view<64x64xi32, strides=[64,1]>> // E0406 `partition_view<tile=(4x8), padding_value = pos_inf, tensor_view<64x64xi32, strides=[64,1]>>`: padding value pos_inf of
  %_28 = make_partition_view %tv : partition_view<tile=(4x8), padding_value = neg_inf, tensor_view<64x64xf32, strides=[64,1]>>
  %_29 = make_partition_view %ti : partition_view<tile=(4x8), padding_value = neg_inf, tensor_view<64x64xi32, strides=[64,1]>> // E0406 `partition_view<tile=(4x8), padding_value = neg_inf, tensor_view<64x64xi32, strides=[64,1]>>`: padding value neg_inf of
  %_30 = make_partition_view %tv : partition_view<tile=(4), tensor_view<64x64xf32, strides=[64,1]>> // E0405 `partition_view<tile=(4), tensor_view<64x64xf32, strides=[64,1]>>`: has 1 dimension, but its tensor has 2
  %_31 = make_partition_view %tv : partition_view<tile=(4x8x2), tensor_view<64x64xf32, strides=[64,1]>> // E0405 `partition_view<tile=(4x8x2), tensor_view<64x64xf32, strides=[64,1]>>`: has 3 dimensions, but its tensor has 2
  %_32 = make_partition_view %tv : partition_view<tile=(4x6), tensor_view<64x64xf32, strides=[64,1]>> // E0401 `partition_view<tile=(4x6), tensor_view<64x64xf32, strides=[64,1]>>`: extent 1 of `tile<4x6xf32>` is 6
  %_33 = make_partition_view %tv : partition_view<tile=(4x0), tensor_view<64x64xf32, strides=[64,1]>> // E0401 `partition_view<tile=(4x0), tensor_view<64x64xf32, strides=[64,1]>>`: extent 1 of `tile<4x0xf32>` is 0
  %_34 = make_partition_view %tv : partition_view<tile=(8192x4096), tensor_view<64x64xf32, strides=[64,1]>> // E0402 `partition_view<tile=(8192x4096), tensor_view<64x64xf32, strides=[64,1]>>`: has 33554432 elements
  %_35 = make_partition_view %tv : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, dim_map=[0, 0]> // E0404 `partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, dim_map=[0, 0]>`: entry 1 of dim_map
  %_36 = make_partition_view %tv : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, dim_map=[0, 2]> // E0404 `partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, dim_map=[0, 2]>`: entry 1 of dim_map
  %_37 = make_partition_view %tv : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, dim_map=[0]> // E0404 `partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, dim_map=[0]>`: has 1 entry
  %_38 = make_strided_view %tv : strided_view<tile=(4x8), traversal_strides=[3,5], tensor_view<64x64xf32, strides=[64,1]>>
  %_39 = make_strided_view %tv : strided_view<tile=(4x8), traversal_strides=[1,100], padding_value = nan, tensor_view<64x64xf32, strides=[64,1]>, dim_map=[1, 0]>
  %_41 = make_strided_view %tv : strided_view<tile=(4x8), traversal_strides=[3], tensor_view<64x64xf32, strides=[64,1]>> // E0405 `strided_view<tile=(4x8), traversal_strides=[3], tensor_view<64x64xf32, strides=[64,1]>>`: has 1 traversal stride, but its tile has 2 dimensions
  %_42 = make_strided_view %tv : strided_view<tile=(4), traversal_strides=[3], tensor_view<64x64xf32, strides=[64,1]>> // E0405 `strided_view<tile=(4), traversal_strides=[3], tensor_view<64x64xf32, strides=[64,1]>>`: has 1 dimension, but its tensor has 2
  %_43 = make_strided_view %tv : strided_view<tile=(4x6), traversal_strides=[3,5], tensor_view<64x64xf32, strides=[64,1]>> // E0401 `strided_view<tile=(4x6), traversal_strides=[3,5], tensor_view<64x64xf32, strides=[64,1]>>`: extent 1 of
  %_44 = make_strided_view %tv : strided_view<tile=(4x8), traversal_strides=[3,5], tensor_view<64x64xf32, strides=[64,1]>, dim_map=[1, 1]> // E0404 `strided_view<tile=(4x8), traversal_strides=[3,5], tensor_view<64x64xf32, strides=[64,1]>, dim_map=[1, 1]>`: names dimension 1 a second time
  %_45 = make_strided_view %ti : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = nan, tensor_view<64x64xi32, strides=[64,1]>> // E0406 `strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = nan, tensor_view<64x64xi32, strides=[64,1]>>`: padding value nan of
  %_46 = make_gather_scatter_view %tv : gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>
  %_47 = make_gather_scatter_view %tv : gather_scatter_view<tile=(4x8), padding_value = pos_inf, tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=1>
  %_48 = make_gather_scatter_view %tv : gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=2> // E0404 `gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=2>`: the sparse dimension of
  %_49 = make_gather_scatter_view %tv : gather_scatter_view<tile=(4), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0> // E0405 `gather_scatter_view<tile=(4), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>`: has 1 dimension, but its tensor has 2
  %_50 = make_gather_scatter_view %tv : gather_scatter_view<tile=(4x6), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0> // E0401 `gather_scatter_view<tile=(4x6), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>`: extent 1 of
  %_51 = make_gather_scatter_view %ti : gather_scatter_view<tile=(4x8), padding_value = neg_inf, tensor_view<64x64xi32, strides=[64,1]>, sparse_dim=0> // E0406 `gather_scatter_view<tile=(4x8), padding_value = neg_inf, tensor_view<64x64xi32, strides=[64,1]>, sparse_dim=0>`: padding value neg_inf of
}
// -----
entry @a_bad_type_is_reported_where_it_appears_first() {
  %a = constant <f32: 1.0> : tile<3xf32> // E0401 `tile<3xf32>`: extent 0 of `tile<3xf32>` is 3
  %b = addf %a, %a : tile<3xf32>
  %c = addf %a, %b : tile<8xf32>
}
// -----
entry @and_in_every_kernel_again() {
  %a = constant <f32: 1.0> : tile<3xf32> // E0401 `tile<3xf32>`: extent 0 of
  %b = constant <f32: 1.0> : tile<5xf32> // E0401 `tile<5xf32>`: extent 0 of
}
entry @second() {
  %a = constant <f32: 1.0> : tile<3xf32> // E0401 `tile<3xf32>`: extent 0 of
}
// -----
entry @more_types(%p: tile<ptr<f32>>) {
  %tv = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %t0 = make_tensor_view %p, shape = [], strides = [] : tensor_view<f32>
  %_0 = make_tensor_view %p, shape = [64], strides = [0] : tensor_view<64xf32, strides=[0]> // E0207 `0`: a stride is 0, expected an integer of 1 or more
  %_1 = make_strided_view %tv : strided_view<tile=(4x8), traversal_strides=[0,5], tensor_view<64x64xf32, strides=[64,1]>> // E0207 `0`: a traversal stride is 0, expected an integer of 1 or more
  %_3 = ptr_to_ptr %p : tile<ptr<f32>> -> ptr<f32> // E0201 `ptr`: unexpected `ptr`: expected a type
  %_2 = make_partition_view %t0 : partition_view<tile=(), tensor_view<f32>> // E0405 `partition_view<tile=(), tensor_view<f32>>`: the tile of `partition_view<tile=(), tensor_view<f32>>` has no dimension, expected 1
  return
}
