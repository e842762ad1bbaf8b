entry @float_chain(%arg0: tile<ptr<f64>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f64>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f64>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f64>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xf64, strides=[1]>
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xf64, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xf64, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xf64, strides=[1]>>, tile<i32> -> tile<128xf64>, token
  %1 = ftof %tile  : tile<128xf64> -> tile<128xf32>
  %2 = ftof %1  : tile<128xf32> -> tile<128xf16>
  %3 = ftof %2  : tile<128xf16> -> tile<128xf32>
  %4 = ftof %3  : tile<128xf32> -> tile<128xbf16>
  %5 = ftof %4  : tile<128xbf16> -> tile<128xf32>
  %6 = ftoi %5 signed  : tile<128xf32> -> tile<128xi32>
  %7 = exti %6 signed : tile<128xi32> -> tile<128xi64>
  %8 = itof %7 signed  : tile<128xi64> -> tile<128xf64>
  %9 = ftof %4  : tile<128xbf16> -> tile<128xf64>
  %10 = addf %8, %9  : tile<128xf64>
  %11 = ftof %2  : tile<128xf16> -> tile<128xf64>
  %12 = addf %10, %11  : tile<128xf64>
  %13 = ftof %1  : tile<128xf32> -> tile<128xf64>
  %14 = addf %12, %13  : tile<128xf64>
  %pview_5 = make_partition_view %tview_4 : partition_view<tile=(128), tensor_view<?xf64, strides=[1]>>
  %15 = store_view_tko weak %14, %pview_5[%blockId_x] token = %0 : tile<128xf64>, partition_view<tile=(128), tensor_view<?xf64, strides=[1]>>, tile<i32> -> token
  return
}
entry @integer_chain(%arg0: tile<ptr<i64>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i64>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i64>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i64>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xi64, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xi64, strides=[1]>>, tile<i32> -> tile<128xi64>, token
  %1 = trunci %tile : tile<128xi64> -> tile<128xi32>
  %2 = trunci %1 : tile<128xi32> -> tile<128xi16>
  %3 = trunci %2 : tile<128xi16> -> tile<128xi8>
  %4 = exti %3 unsigned : tile<128xi8> -> tile<128xi16>
  %5 = exti %4 unsigned : tile<128xi16> -> tile<128xi32>
  %6 = trunci %tile : tile<128xi64> -> tile<128xi32>
  %7 = addi %5, %6 : tile<128xi32>
  %8 = exti %7 unsigned : tile<128xi32> -> tile<128xi64>
  %9 = exti %2 signed : tile<128xi16> -> tile<128xi64>
  %10 = addi %8, %9 : tile<128xi64>
  %11 = exti %3 signed : tile<128xi8> -> tile<128xi64>
  %12 = addi %10, %11 : tile<128xi64>
  %pview_5 = make_partition_view %tview_4 : partition_view<tile=(128), tensor_view<?xi64, strides=[1]>>
  %13 = store_view_tko weak %12, %pview_5[%blockId_x] token = %0 : tile<128xi64>, partition_view<tile=(128), tensor_view<?xi64, strides=[1]>>, tile<i32> -> token
  return
}
entry @mixed_chain(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<128xi32>
  %cst_1_i32_3 = constant <i32: 1> : tile<128xi32>
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
  %1 = andi %tile, %cst_1_i32_2 : tile<128xi32>
  %cst_0_i32 = constant <i32: 0> : tile<128xi32>
  %2 = cmpi not_equal %1, %cst_0_i32, signed : tile<128xi32> -> tile<128xi1>
  %3 = itof %2 unsigned  : tile<128xi1> -> tile<128xf32>
  %4 = exti %2 unsigned : tile<128xi1> -> tile<128xi32>
  %5 = itof %4 signed  : tile<128xi32> -> tile<128xf32>
  %6 = addf %3, %5  : tile<128xf32>
  %7 = trunci %tile : tile<128xi32> -> tile<128xi8>
  %8 = itof %7 signed  : tile<128xi8> -> tile<128xf16>
  %9 = ftof %8  : tile<128xf16> -> tile<128xf32>
  %10 = trunci %tile : tile<128xi32> -> tile<128xi8>
  %11 = itof %10 unsigned  : tile<128xi8> -> tile<128xbf16>
  %12 = ftof %11  : tile<128xbf16> -> tile<128xf32>
  %13 = itof %tile unsigned  : tile<128xi32> -> tile<128xf32>
  %14 = exti %tile signed : tile<128xi32> -> tile<128xi64>
  %15 = itof %14 unsigned  : tile<128xi64> -> tile<128xf32>
  %cst_200_f32 = constant <f32: 2.000000e+02> : tile<f32>
  %reshape = reshape %cst_200_f32 : tile<f32> -> tile<1xf32>
  %bcast = broadcast %reshape : tile<1xf32> -> tile<128xf32>
  %16 = addf %9, %bcast  : tile<128xf32>
  %17 = ftoi %16 unsigned  : tile<128xf32> -> tile<128xi32>
  %18 = itof %17 unsigned  : tile<128xi32> -> tile<128xf32>
  %19 = itof %2 unsigned  : tile<128xi1> -> tile<128xf32>
  %20 = ftoi %19 unsigned  : tile<128xf32> -> tile<128xi1>
  %21 = itof %20 unsigned  : tile<128xi1> -> tile<128xf32>
  %22 = bitcast %13 : tile<128xf32> -> tile<128xi32>
  %23 = xori %22, %cst_1_i32_3 : tile<128xi32>
  %24 = bitcast %23 : tile<128xi32> -> tile<128xf32>
  %25 = addf %6, %9  : tile<128xf32>
  %26 = addf %25, %12  : tile<128xf32>
  %27 = addf %26, %18  : tile<128xf32>
  %28 = addf %27, %21  : tile<128xf32>
  %cst_2_f32 = constant <f32: 2.000000e+00> : tile<f32>
  %reshape_7 = reshape %cst_2_f32 : tile<f32> -> tile<1xf32>
  %bcast_8 = broadcast %reshape_7 : tile<1xf32> -> tile<128xf32>
  %29 = fma %13, %bcast_8, %28  : tile<128xf32>
  %30 = subf %29, %15  : tile<128xf32>
  %31 = addf %30, %24  : tile<128xf32>
  %pview_9 = make_partition_view %tview_6 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
  %32 = store_view_tko weak %31, %pview_9[%blockId_x] token = %0 : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
