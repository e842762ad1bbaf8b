entry @polynomial(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<f32>>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
  %assume_1 = assume div_by<16>, %arg7 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %cst_1_i64 = constant <i64: 1> : tile<i64>
  %assume_3 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_4 = assume bounded<0, ?>, %arg4 : tile<i32>
  %assume_5 = assume bounded<0, ?>, %arg8 : tile<i32>
  %tview_6 = make_tensor_view %assume_1, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<256xf32>
  %cst_1_i32_7 = constant <i32: 1> : tile<i32>
  %1 = addi %arg6, %cst_1_i32_7 : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_1_i32_8 = constant <i32: 1> : tile<i32>
  %2 = exti %assume_4 signed : tile<i32> -> tile<i64>
  %cst_0_f32_9 = constant <f32: 0.000000e+00> : tile<f32>
  %for = for %loopIdx in (%cst_0_i32 to %1, step %cst_1_i32_8) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<256xf32>) {
    %4 = exti %loopIdx signed : tile<i32> -> tile<i64>
    %5 = cmpi less_than %4, %2, unsigned : tile<i64> -> tile<i1>
    %6 = muli %4, %cst_1_i64 : tile<i64>
    %7 = offset %assume_0, %6 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
    %assume_11 = assume div_by<4>, %7 : tile<ptr<f32>>
    %result, %result_token_12 = load_ptr_tko weak %assume_11, %5, %cst_0_f32_9 token=%0 : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token
    %reshape = reshape %result : tile<f32> -> tile<1xf32>
    %bcast = broadcast %reshape : tile<1xf32> -> tile<256xf32>
    %8 = fma %iterArg0, %tile, %bcast  : tile<256xf32>
    continue %8 : tile<256xf32>
  }
  %pview_10 = make_partition_view %tview_6 : partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>
  %3 = store_view_tko weak %for, %pview_10[%blockId_x] token = %0 : tile<256xf32>, partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
