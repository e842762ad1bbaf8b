entry @gather_scatter(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<f32>>, %arg10: tile<i32>, %arg11: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i32>>
  %assume_2 = assume div_by<16>, %arg9 : tile<ptr<f32>>
  %cst_1_i64 = constant <i64: 1> : tile<256xi64>
  %cst_-1_i32 = constant <i32: -1> : tile<256xi32>
  %cst_1_i64_3 = constant <i64: 1> : tile<256xi64>
  %cst_1_i64_4 = constant <i64: 1> : tile<256xi64>
  %cst_-1_i32_5 = constant <i32: -1> : tile<256xi32>
  %cst_1_i64_6 = constant <i64: 1> : tile<256xi64>
  %assume_7 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg4 : tile<i32>
  %assume_9 = assume bounded<0, ?>, %arg7 : tile<i32>
  %assume_10 = assume bounded<0, ?>, %arg10 : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_256_i32 = constant <i32: 256> : tile<i32>
  %1 = muli %blockId_x, %cst_256_i32 : tile<i32>
  %2 = iota : tile<256xi32>
  %reshape = reshape %1 : tile<i32> -> tile<1xi32>
  %bcast = broadcast %reshape : tile<1xi32> -> tile<256xi32>
  %3 = addi %bcast, %2 : tile<256xi32>
  %4 = exti %3 signed : tile<256xi32> -> tile<256xi64>
  %5 = exti %assume_8 signed : tile<i32> -> tile<i64>
  %reshape_11 = reshape %5 : tile<i64> -> tile<1xi64>
  %bcast_12 = broadcast %reshape_11 : tile<1xi64> -> tile<256xi64>
  %6 = cmpi less_than %4, %bcast_12, unsigned : tile<256xi64> -> tile<256xi1>
  %7 = muli %4, %cst_1_i64 : tile<256xi64>
  %reshape_13 = reshape %assume_0 : tile<ptr<i32>> -> tile<1xptr<i32>>
  %bcast_14 = broadcast %reshape_13 : tile<1xptr<i32>> -> tile<256xptr<i32>>
  %8 = offset %bcast_14, %7 : tile<256xptr<i32>>, tile<256xi64> -> tile<256xptr<i32>>
  %result, %result_token = load_ptr_tko weak %8, %6, %cst_-1_i32 token=%0 : tile<256xptr<i32>>, tile<256xi1>, tile<256xi32> -> tile<256xi32>, token
  %cst_f32 = constant <f32: -1.000000e+00> : tile<f32>
  %9 = exti %result signed : tile<256xi32> -> tile<256xi64>
  %10 = exti %assume_7 signed : tile<i32> -> tile<i64>
  %reshape_15 = reshape %10 : tile<i64> -> tile<1xi64>
  %bcast_16 = broadcast %reshape_15 : tile<1xi64> -> tile<256xi64>
  %11 = cmpi less_than %9, %bcast_16, unsigned : tile<256xi64> -> tile<256xi1>
  %12 = muli %9, %cst_1_i64_3 : tile<256xi64>
  %reshape_17 = reshape %assume : tile<ptr<f32>> -> tile<1xptr<f32>>
  %bcast_18 = broadcast %reshape_17 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %13 = offset %bcast_18, %12 : tile<256xptr<f32>>, tile<256xi64> -> tile<256xptr<f32>>
  %reshape_19 = reshape %cst_f32 : tile<f32> -> tile<1xf32>
  %bcast_20 = broadcast %reshape_19 : tile<1xf32> -> tile<256xf32>
  %result_21, %result_token_22 = load_ptr_tko weak %13, %11, %bcast_20 token=%0 : tile<256xptr<f32>>, tile<256xi1>, tile<256xf32> -> tile<256xf32>, token
  %14 = exti %3 signed : tile<256xi32> -> tile<256xi64>
  %15 = exti %assume_9 signed : tile<i32> -> tile<i64>
  %reshape_23 = reshape %15 : tile<i64> -> tile<1xi64>
  %bcast_24 = broadcast %reshape_23 : tile<1xi64> -> tile<256xi64>
  %16 = cmpi less_than %14, %bcast_24, unsigned : tile<256xi64> -> tile<256xi1>
  %17 = muli %14, %cst_1_i64_4 : tile<256xi64>
  %reshape_25 = reshape %assume_1 : tile<ptr<i32>> -> tile<1xptr<i32>>
  %bcast_26 = broadcast %reshape_25 : tile<1xptr<i32>> -> tile<256xptr<i32>>
  %18 = offset %bcast_26, %17 : tile<256xptr<i32>>, tile<256xi64> -> tile<256xptr<i32>>
  %result_27, %result_token_28 = load_ptr_tko weak %18, %16, %cst_-1_i32_5 token=%0 : tile<256xptr<i32>>, tile<256xi1>, tile<256xi32> -> tile<256xi32>, token
  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>
  %reshape_29 = reshape %cst_1_f32 : tile<f32> -> tile<1xf32>
  %bcast_30 = broadcast %reshape_29 : tile<1xf32> -> tile<256xf32>
  %19 = addf %result_21, %bcast_30  : tile<256xf32>
  %cst_f32_31 = constant <f32: -5.000000e-01> : tile<f32>
  %reshape_32 = reshape %cst_f32_31 : tile<f32> -> tile<1xf32>
  %bcast_33 = broadcast %reshape_32 : tile<1xf32> -> tile<256xf32>
  %20 = cmpf greater_than ordered %result_21, %bcast_33 : tile<256xf32> -> tile<256xi1>
  %21 = exti %result_27 signed : tile<256xi32> -> tile<256xi64>
  %22 = exti %assume_10 signed : tile<i32> -> tile<i64>
  %reshape_34 = reshape %22 : tile<i64> -> tile<1xi64>
  %bcast_35 = broadcast %reshape_34 : tile<1xi64> -> tile<256xi64>
  %23 = cmpi less_than %21, %bcast_35, unsigned : tile<256xi64> -> tile<256xi1>
  %24 = muli %21, %cst_1_i64_6 : tile<256xi64>
  %reshape_36 = reshape %assume_2 : tile<ptr<f32>> -> tile<1xptr<f32>>
  %bcast_37 = broadcast %reshape_36 : tile<1xptr<f32>> -> tile<256xptr<f32>>
  %25 = offset %bcast_37, %24 : tile<256xptr<f32>>, tile<256xi64> -> tile<256xptr<f32>>
  %26 = andi %23, %20 : tile<256xi1>
  %27 = store_ptr_tko weak %25, %19, %26 token=%0 : tile<256xptr<f32>>, tile<256xf32>, tile<256xi1> -> token
  return
}
