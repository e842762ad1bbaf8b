global private  constant @p0 <f32: 2.000000e+00> : tile<1xf32>
entry @more(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i1>, %arg3: tile<ptr<f32, <multicast>>>, %arg4: tile<ptr<f32, <unicast>>>) {
  %cst_1_f8E4M3FN = constant <f8E4M3FN: 1.000000e+00> : tile<16x64xf8E4M3FN>
  %cst_1_f8E4M3FN_0 = constant <f8E4M3FN: 1.000000e+00> : tile<64x16xf8E4M3FN>
  %cst_1_f8E8M0FNU = constant <f8E8M0FNU: 1.000000e+00> : tile<16x2xf8E8M0FNU>
  %cst_1_f8E8M0FNU_1 = constant <f8E8M0FNU: 1.000000e+00> : tile<2x16xf8E8M0FNU>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<16x16xf32>
  %0 = mmaf_scaled %cst_1_f8E4M3FN, %cst_1_f8E4M3FN_0, %cst_0_f32, %cst_1_f8E8M0FNU, %cst_1_f8E8M0FNU_1 : tile<16x64xf8E4M3FN>, tile<64x16xf8E4M3FN>, tile<16x16xf32>, tile<16x2xf8E8M0FNU>, tile<2x16xf8E8M0FNU>
  %cst_1_f8E5M2 = constant <f8E5M2: 1.000000e+00> : tile<16x16xf8E5M2>
  %cst_0_f16 = constant <f16: 0.000000e+00> : tile<16x16xf16>
  %1 = mmaf %cst_1_f8E5M2, %cst_1_f8E5M2, %cst_0_f16 fast_acc : tile<16x16xf8E5M2>, tile<16x16xf8E5M2>, tile<16x16xf16>
  %2 = alloca num_elem = 16, alignment = 32 global : tile<ptr<f32>>
  %cst_f32 = constant <f32: 1.500000e+00> : tile<8xf32>
  %3 = make_token : token
  %tview = make_tensor_view %arg3, shape = [4, 16], strides = [16, 1] : tile<ptr<f32, <multicast>>> -> tensor_view<4x16xf32, strides=[16,1], #cuda_tile.ptr_attr<multicast>>
  %pview = make_partition_view %tview : partition_view<tile=(4x8), tensor_view<4x16xf32, strides=[16,1], #cuda_tile.ptr_attr<multicast>>>
  %reduced_values, %result_token = multimem_load_reduce_view_tko relaxed device %pview[%arg1, %arg1] token = %3 inbounds = [true, true] : partition_view<tile=(4x8), tensor_view<4x16xf32, strides=[16,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32>, token -> tile<4x8xf32>, token
  %reduced_values_2, %result_token_3 = multimem_load_reduce_view_tko weak %pview[%arg1, %arg1]  : partition_view<tile=(4x8), tensor_view<4x16xf32, strides=[16,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4x8xf32>, token
  %4 = multimem_reduce_view_tko relaxed sys %pview, %reduced_values[%arg1, %arg1] token = %result_token  : partition_view<tile=(4x8), tensor_view<4x16xf32, strides=[16,1], #cuda_tile.ptr_attr<multicast>>>, tile<4x8xf32>, tile<i32>, token -> token
  %5 = multimem_store_view_tko weak %pview, %reduced_values[%arg1, %arg1]  : partition_view<tile=(4x8), tensor_view<4x16xf32, strides=[16,1], #cuda_tile.ptr_attr<multicast>>>, tile<4x8xf32>, tile<i32> -> token
  %6 = ptr_to_ptr %arg3 : tile<ptr<f32, <multicast>>> -> tile<ptr<i32, <multicast>>>
  %tview_4 = make_tensor_view %6, shape = [%arg1, 16], strides = [16, 1] : tile<ptr<i32, <multicast>>>, tile<i32> -> tensor_view<?x16xi32, strides=[16,1], #cuda_tile.ptr_attr<multicast>>
  %pview_5 = make_partition_view %tview_4 : partition_view<tile=(4x8), tensor_view<?x16xi32, strides=[16,1], #cuda_tile.ptr_attr<multicast>>>
  %reduced_values_6, %result_token_7 = multimem_load_reduce_view_tko relaxed device %pview_5[%arg1, %arg1] token = %3 inbounds = [true, false] attributes {reduction = #cuda_tile.multimem_reduction_kind<max>} : partition_view<tile=(4x8), tensor_view<?x16xi32, strides=[16,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32>, token -> tile<4x8xi32>, token
  %reduced_values_8, %result_token_9 = multimem_load_reduce_view_tko weak %pview_5[%arg1, %arg1]  attributes {reduction = #cuda_tile.multimem_reduction_kind<umin>} : partition_view<tile=(4x8), tensor_view<?x16xi32, strides=[16,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4x8xi32>, token
  %tview_10 = make_tensor_view %arg4, shape = [4, 16], strides = [%arg1, 1] : tile<ptr<f32, <unicast>>>, tile<i32> -> tensor_view<4x16xf32, strides=[?,1], #cuda_tile.ptr_attr<unicast>>
  %cst_-128_i8 = constant <i8: -128> : tile<4xi8>
  %cst_-9223372036854775808_i64 = constant <i64: -9223372036854775808> : tile<i64>
  %true = constant <i1: true> : tile<8xi1>
  %cst_i16 = constant <i16: [1, -1]> : tile<2xi16>
  %7 = unpack %cst_-128_i8 : tile<4xi8> -> tile<8xi4>
  %cst_f32_11 = constant <f32: -0.000000e+00> : tile<f32>
  %cst_9007199254740992_f64 = constant <f64: 0x4340000000000000> : tile<f64>
  %reduce = reduce %cst_f32 dim=0 identities=[0.000000e+00 : f32] : tile<8xf32> -> tile<f32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %13 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
    yield %13 : tile<f32>
  }
  %8 = bitcast %reduce : tile<f32> -> tile<i32>
  %assume = assume div_by<8>, %8 : tile<i32>
  %9 = scan %cst_f32 dim=0 reverse=false identities=[1.000000e+00 : f32] : tile<8xf32> -> tile<8xf32> 
  (%arg5: tile<f32>, %arg6: tile<f32>) {
    %13 = mulf %arg5, %arg6  : tile<f32>
    yield %13 : tile<f32>
  }
  %10 = bitcast %9 : tile<8xf32> -> tile<8xi32>
  %assume_12 = assume div_by<4>, %10 : tile<8xi32>
  %assume_13 = assume div_by<4>, %arg1 : tile<i32>
  %assume_assume = assume div_by<4>, %assume_13 : tile<i32>
  %assume_assume_assume = assume div_by<4>, %assume_assume : tile<i32>
  %11 = loop : tile<i32> {
    break %arg1 : tile<i32>
  }
  loop iter_values(%arg5 = %arg1) : tile<i32> {
    if %arg2 {
      break
    }
    continue %arg5 : tile<i32>
  }
  for %loopIdx in (%arg1 to %arg1, step %arg1) : tile<i32> {
    for %loopIdx_14 in (%arg1 to %arg1, step %arg1) : tile<i32> {
      %13 = addi %loopIdx, %loopIdx_14 : tile<i32>
      loop {
        break
      }
    }
    if %arg2 {
      %13 = addi %loopIdx, %loopIdx : tile<i32>
      %cst_5_i32_14 = constant <i32: 5> : tile<i32>
    } else {
      %13 = addi %loopIdx, %loopIdx : tile<i32>
      %cst_5_i32_14 = constant <i32: 5> : tile<i32>
    }
    %cst_5_i32 = constant <i32: 5> : tile<i32>
  }
  %12 = addi %arg1, %arg1 : tile<i32>
  return
}
