entry @row_statistics(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<i32>>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<ptr<i32>>, %arg12: tile<i32>, %arg13: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<i32>>
  %assume_1 = assume div_by<16>, %arg8 : tile<ptr<i32>>
  %assume_2 = assume div_by<16>, %arg11 : tile<ptr<i32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %cst_1_i32_4 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_7 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg3 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_6, %assume_7], strides = [%assume_8, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
  %assume_9 = assume bounded<0, ?>, %arg6 : tile<i32>
  %tview_10 = make_tensor_view %assume_0, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_11 = assume bounded<0, ?>, %arg9 : tile<i32>
  %tview_12 = make_tensor_view %assume_1, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_13 = assume bounded<0, ?>, %arg12 : tile<i32>
  %tview_14 = make_tensor_view %assume_2, shape = [%assume_13], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(16x64), padding_value = zero, tensor_view<?x?xi32, strides=[?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(16x64), padding_value = zero, tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> tile<16x64xi32>, token
  %reduce = reduce %tile dim=1 identities=[0 : i32] : tile<16x64xi32> -> tile<16xi32> 
  (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
    %5 = addi %reduce_lhs, %reduce_rhs : tile<i32>
    yield %5 : tile<i32>
  }
  %pview_15 = make_partition_view %tview_10 : partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>
  %1 = store_view_tko weak %reduce, %pview_15[%blockId_x] token = %0 : tile<16xi32>, partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  %reduce_16 = reduce %tile dim=1 identities=[-2147483648 : i32] : tile<16x64xi32> -> tile<16xi32> 
  (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
    %5 = maxi %reduce_lhs, %reduce_rhs signed : tile<i32>
    yield %5 : tile<i32>
  }
  %pview_17 = make_partition_view %tview_12 : partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>
  %2 = store_view_tko weak %reduce_16, %pview_17[%blockId_x] token = %0 : tile<16xi32>, partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  %3 = iota : tile<64xi32>
  %reshape = reshape %3 : tile<64xi32> -> tile<1x64xi32>
  %bcast = broadcast %reshape : tile<1x64xi32> -> tile<16x64xi32>
  %reduce_18:2 = reduce %tile, %bcast dim=1 identities=[-2147483648 : i32, 0 : i32] : tile<16x64xi32>, tile<16x64xi32> -> tile<16xi32>, tile<16xi32> 
  (%reduce_lhs0: tile<i32>, %reduce_rhs0: tile<i32>, %reduce_lhs1: tile<i32>, %reduce_rhs1: tile<i32>) {
    %5 = cmpi greater_than %reduce_lhs0, %reduce_rhs0, signed : tile<i32> -> tile<i1>
    %6 = cmpi equal %reduce_lhs0, %reduce_rhs0, signed : tile<i32> -> tile<i1>
    %7 = cmpi less_than %reduce_lhs1, %reduce_rhs1, signed : tile<i32> -> tile<i1>
    %8 = andi %6, %7 : tile<i1>
    %9 = ori %5, %8 : tile<i1>
    %10 = select %9, %reduce_lhs0, %reduce_rhs0 : tile<i1>, tile<i32>
    %11 = select %9, %reduce_lhs1, %reduce_rhs1 : tile<i1>, tile<i32>
    yield %10, %11 : tile<i32>, tile<i32>
  }
  %pview_19 = make_partition_view %tview_14 : partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>
  %4 = store_view_tko weak %reduce_18#1, %pview_19[%blockId_x] token = %0 : tile<16xi32>, partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  return
}
entry @total(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(2048), padding_value = zero, tensor_view<?xf32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(2048), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<2048xf32>, token
  %reduce = reduce %tile dim=0 identities=[0.000000e+00 : f32] : tile<2048xf32> -> tile<f32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %2 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
    yield %2 : tile<f32>
  }
  %reshape = reshape %reduce : tile<f32> -> tile<1xf32>
  %pview_5 = make_partition_view %tview_4 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
  %1 = store_view_tko weak %reshape, %pview_5[%blockId_x] token = %0 : tile<1xf32>, partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
entry @column_range(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f16>>, %arg6: tile<i32>, %arg7: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f16>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f16>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_3 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg3 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2, %assume_3], strides = [%assume_4, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
  %assume_5 = assume bounded<0, ?>, %arg6 : tile<i32>
  %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xf16, strides=[1]>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_0_i32_7 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(128x8), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%cst_0_i32, %cst_0_i32_7] token = %0 : partition_view<tile=(128x8), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<128x8xf16>, token
  %cst_0_i32_8 = constant <i32: 0> : tile<i32>
  %reduce = reduce %tile dim=0 identities=[0xFC00 : f16] : tile<128x8xf16> -> tile<8xf16> 
  (%reduce_lhs: tile<f16>, %reduce_rhs: tile<f16>) {
    %3 = maxf %reduce_lhs, %reduce_rhs : tile<f16>
    yield %3 : tile<f16>
  }
  %reduce_9 = reduce %tile dim=0 identities=[0x7C00 : f16] : tile<128x8xf16> -> tile<8xf16> 
  (%reduce_lhs: tile<f16>, %reduce_rhs: tile<f16>) {
    %3 = minf %reduce_lhs, %reduce_rhs : tile<f16>
    yield %3 : tile<f16>
  }
  %1 = subf %reduce, %reduce_9  : tile<8xf16>
  %pview_10 = make_partition_view %tview_6 : partition_view<tile=(8), tensor_view<?xf16, strides=[1]>>
  %2 = store_view_tko weak %1, %pview_10[%cst_0_i32_8] token = %0 : tile<8xf16>, partition_view<tile=(8), tensor_view<?xf16, strides=[1]>>, tile<i32> -> token
  return
}
entry @running_sums(%arg0: tile<ptr<i64>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i64>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<i64>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i64>>
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<i64>>
  %assume_1 = assume div_by<16>, %arg10 : tile<ptr<i64>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_5 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg3 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_4, %assume_5], strides = [%assume_6, 1] : tile<i32> -> tensor_view<?x?xi64, strides=[?,1]>
  %assume_7 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg7 : tile<i32>
  %assume_9 = assume bounded<0, ?>, %arg8 : tile<i32>
  %tview_10 = make_tensor_view %assume_0, shape = [%assume_7, %assume_8], strides = [%assume_9, 1] : tile<i32> -> tensor_view<?x?xi64, strides=[?,1]>
  %assume_11 = assume bounded<0, ?>, %arg11 : tile<i32>
  %assume_12 = assume bounded<0, ?>, %arg12 : tile<i32>
  %assume_13 = assume bounded<0, ?>, %arg13 : tile<i32>
  %tview_14 = make_tensor_view %assume_1, shape = [%assume_11, %assume_12], strides = [%assume_13, 1] : tile<i32> -> tensor_view<?x?xi64, strides=[?,1]>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_0_i32_15 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xi64, strides=[?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%cst_0_i32, %cst_0_i32_15] token = %0 : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xi64, strides=[?,1]>>, tile<i32> -> tile<64x32xi64>, token
  %cst_0_i32_16 = constant <i32: 0> : tile<i32>
  %cst_0_i32_17 = constant <i32: 0> : tile<i32>
  %1 = scan %tile dim=0 reverse=false identities=[0] : tile<64x32xi64> -> tile<64x32xi64> 
  (%arg15: tile<i64>, %arg16: tile<i64>) {
    %5 = addi %arg15, %arg16 : tile<i64>
    yield %5 : tile<i64>
  }
  %pview_18 = make_partition_view %tview_10 : partition_view<tile=(64x32), tensor_view<?x?xi64, strides=[?,1]>>
  %2 = store_view_tko weak %1, %pview_18[%cst_0_i32_16, %cst_0_i32_17] token = %0 : tile<64x32xi64>, partition_view<tile=(64x32), tensor_view<?x?xi64, strides=[?,1]>>, tile<i32> -> token
  %cst_0_i32_19 = constant <i32: 0> : tile<i32>
  %cst_0_i32_20 = constant <i32: 0> : tile<i32>
  %3 = scan %tile dim=1 reverse=true identities=[0] : tile<64x32xi64> -> tile<64x32xi64> 
  (%arg15: tile<i64>, %arg16: tile<i64>) {
    %5 = addi %arg15, %arg16 : tile<i64>
    yield %5 : tile<i64>
  }
  %pview_21 = make_partition_view %tview_14 : partition_view<tile=(64x32), tensor_view<?x?xi64, strides=[?,1]>>
  %4 = store_view_tko weak %3, %pview_21[%cst_0_i32_19, %cst_0_i32_20] token = %0 : tile<64x32xi64>, partition_view<tile=(64x32), tensor_view<?x?xi64, strides=[?,1]>>, tile<i32> -> token
  return
}
entry @linear_functions(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<i32>>, %arg10: tile<i32>, %arg11: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i32>>
  %assume_2 = assume div_by<16>, %arg9 : tile<ptr<i32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %cst_1_i32_4 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_7 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_9 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_10 = make_tensor_view %assume_1, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_11 = assume bounded<0, ?>, %arg10 : tile<i32>
  %tview_12 = make_tensor_view %assume_2, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(1024), padding_value = zero, tensor_view<?xi32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%cst_0_i32] token = %0 : partition_view<tile=(1024), padding_value = zero, tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<1024xi32>, token
  %cst_0_i32_13 = constant <i32: 0> : tile<i32>
  %pview_14 = make_partition_view %tview_8 : partition_view<tile=(1024), padding_value = zero, tensor_view<?xi32, strides=[1]>>
  %tile_15, %result_token_16 = load_view_tko weak %pview_14[%cst_0_i32_13] token = %0 : partition_view<tile=(1024), padding_value = zero, tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<1024xi32>, token
  %1:2 = scan %tile, %tile_15 dim=0 reverse=false identities=[1 : i32, 0 : i32] : tile<1024xi32>, tile<1024xi32> -> tile<1024xi32>, tile<1024xi32> 
  (%arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>) {
    %6 = muli %arg12, %arg13 : tile<i32>
    %7 = muli %arg12, %arg15 : tile<i32>
    %8 = addi %7, %arg14 : tile<i32>
    yield %6, %8 : tile<i32>, tile<i32>
  }
  %cst_0_i32_17 = constant <i32: 0> : tile<i32>
  %2 = addi %1#0, %1#1 : tile<1024xi32>
  %pview_18 = make_partition_view %tview_10 : partition_view<tile=(1024), tensor_view<?xi32, strides=[1]>>
  %3 = store_view_tko weak %2, %pview_18[%cst_0_i32_17] token = %0 : tile<1024xi32>, partition_view<tile=(1024), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  %reduce:2 = reduce %tile, %tile_15 dim=0 identities=[1 : i32, 0 : i32] : tile<1024xi32>, tile<1024xi32> -> tile<i32>, tile<i32> 
  (%reduce_lhs0: tile<i32>, %reduce_rhs0: tile<i32>, %reduce_lhs1: tile<i32>, %reduce_rhs1: tile<i32>) {
    %6 = muli %reduce_lhs0, %reduce_rhs0 : tile<i32>
    %7 = muli %reduce_lhs0, %reduce_rhs1 : tile<i32>
    %8 = addi %7, %reduce_lhs1 : tile<i32>
    yield %6, %8 : tile<i32>, tile<i32>
  }
  %cst_0_i32_19 = constant <i32: 0> : tile<i32>
  %4 = addi %reduce#0, %reduce#1 : tile<i32>
  %reshape = reshape %4 : tile<i32> -> tile<1xi32>
  %pview_20 = make_partition_view %tview_12 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
  %5 = store_view_tko weak %reshape, %pview_20[%cst_0_i32_19] token = %0 : tile<1xi32>, partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  return
}
