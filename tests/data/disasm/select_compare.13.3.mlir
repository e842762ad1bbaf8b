entry @compare_floats(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i32>>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %cst_1_i32_4 = constant <i32: 1> : tile<128xi32>
  %cst_0_i32 = constant <i32: 0> : tile<128xi32>
  %cst_2_i32 = constant <i32: 2> : tile<128xi32>
  %cst_0_i32_5 = constant <i32: 0> : tile<128xi32>
  %cst_4_i32 = constant <i32: 4> : tile<128xi32>
  %cst_0_i32_6 = constant <i32: 0> : tile<128xi32>
  %cst_8_i32 = constant <i32: 8> : tile<128xi32>
  %cst_0_i32_7 = constant <i32: 0> : tile<128xi32>
  %cst_16_i32 = constant <i32: 16> : tile<128xi32>
  %cst_0_i32_8 = constant <i32: 0> : tile<128xi32>
  %cst_32_i32 = constant <i32: 32> : tile<128xi32>
  %cst_0_i32_9 = constant <i32: 0> : tile<128xi32>
  %cst_64_i32 = constant <i32: 64> : tile<128xi32>
  %cst_0_i32_10 = constant <i32: 0> : tile<128xi32>
  %assume_11 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_12 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_13 = make_tensor_view %assume_0, shape = [%assume_12], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_14 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_15 = make_tensor_view %assume_1, shape = [%assume_14], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
  %pview_16 = make_partition_view %tview_13 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
  %tile_17, %result_token_18 = load_view_tko weak %pview_16[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
  %1 = cmpf less_than ordered %tile, %tile_17 : tile<128xf32> -> tile<128xi1>
  %2 = select %1, %cst_1_i32_4, %cst_0_i32 : tile<128xi1>, tile<128xi32>
  %3 = cmpf less_than_or_equal ordered %tile, %tile_17 : tile<128xf32> -> tile<128xi1>
  %4 = select %3, %cst_2_i32, %cst_0_i32_5 : tile<128xi1>, tile<128xi32>
  %5 = addi %2, %4 : tile<128xi32>
  %6 = cmpf greater_than ordered %tile, %tile_17 : tile<128xf32> -> tile<128xi1>
  %7 = select %6, %cst_4_i32, %cst_0_i32_6 : tile<128xi1>, tile<128xi32>
  %8 = addi %5, %7 : tile<128xi32>
  %9 = cmpf greater_than_or_equal ordered %tile, %tile_17 : tile<128xf32> -> tile<128xi1>
  %10 = select %9, %cst_8_i32, %cst_0_i32_7 : tile<128xi1>, tile<128xi32>
  %11 = addi %8, %10 : tile<128xi32>
  %12 = cmpf equal ordered %tile, %tile_17 : tile<128xf32> -> tile<128xi1>
  %13 = select %12, %cst_16_i32, %cst_0_i32_8 : tile<128xi1>, tile<128xi32>
  %14 = addi %11, %13 : tile<128xi32>
  %15 = cmpf not_equal unordered %tile, %tile_17 : tile<128xf32> -> tile<128xi1>
  %16 = select %15, %cst_32_i32, %cst_0_i32_9 : tile<128xi1>, tile<128xi32>
  %17 = addi %14, %16 : tile<128xi32>
  %18 = cmpf not_equal unordered %tile, %tile : tile<128xf32> -> tile<128xi1>
  %19 = select %18, %cst_64_i32, %cst_0_i32_10 : tile<128xi1>, tile<128xi32>
  %20 = addi %17, %19 : tile<128xi32>
  %pview_19 = make_partition_view %tview_15 : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>
  %21 = store_view_tko weak %20, %pview_19[%blockId_x] token = %0 : tile<128xi32>, partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  return
}
entry @compare_integers(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i64>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<i64>>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<ptr<i32>>, %arg13: tile<i32>, %arg14: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i64>>
  %assume_2 = assume div_by<16>, %arg9 : tile<ptr<i64>>
  %assume_3 = assume div_by<16>, %arg12 : tile<ptr<i32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_4 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %cst_1_i32_6 = constant <i32: 1> : tile<i32>
  %cst_1_i32_7 = constant <i32: 1> : tile<i32>
  %cst_1_i32_8 = constant <i32: 1> : tile<128xi32>
  %cst_0_i32 = constant <i32: 0> : tile<128xi32>
  %cst_2_i32 = constant <i32: 2> : tile<128xi32>
  %cst_0_i32_9 = constant <i32: 0> : tile<128xi32>
  %cst_4_i32 = constant <i32: 4> : tile<128xi32>
  %cst_0_i32_10 = constant <i32: 0> : tile<128xi32>
  %cst_8_i32 = constant <i32: 8> : tile<128xi32>
  %cst_0_i32_11 = constant <i32: 0> : tile<128xi32>
  %cst_16_i32 = constant <i32: 16> : tile<128xi32>
  %cst_0_i32_12 = constant <i32: 0> : tile<128xi32>
  %cst_32_i32 = constant <i32: 32> : tile<128xi32>
  %cst_0_i32_13 = constant <i32: 0> : tile<128xi32>
  %cst_64_i32 = constant <i32: 64> : tile<128xi32>
  %cst_0_i32_14 = constant <i32: 0> : tile<128xi32>
  %cst_128_i32 = constant <i32: 128> : tile<128xi32>
  %cst_0_i32_15 = constant <i32: 0> : tile<128xi32>
  %cst_256_i32 = constant <i32: 256> : tile<128xi32>
  %cst_0_i32_16 = constant <i32: 0> : tile<128xi32>
  %cst_512_i32 = constant <i32: 512> : tile<128xi32>
  %cst_0_i32_17 = constant <i32: 0> : tile<128xi32>
  %cst_1024_i32 = constant <i32: 1024> : tile<128xi32>
  %cst_0_i32_18 = constant <i32: 0> : tile<128xi32>
  %cst_2048_i32 = constant <i32: 2048> : tile<128xi32>
  %cst_0_i32_19 = constant <i32: 0> : tile<128xi32>
  %cst_4096_i32 = constant <i32: 4096> : tile<128xi32>
  %cst_0_i32_20 = constant <i32: 0> : tile<128xi32>
  %assume_21 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_21], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_22 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_23 = make_tensor_view %assume_0, shape = [%assume_22], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_24 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_25 = make_tensor_view %assume_1, shape = [%assume_24], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %assume_26 = assume bounded<0, ?>, %arg10 : tile<i32>
  %tview_27 = make_tensor_view %assume_2, shape = [%assume_26], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %assume_28 = assume bounded<0, ?>, %arg13 : tile<i32>
  %tview_29 = make_tensor_view %assume_3, shape = [%assume_28], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
  %pview_30 = make_partition_view %tview_23 : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>
  %tile_31, %result_token_32 = load_view_tko weak %pview_30[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
  %pview_33 = make_partition_view %tview_25 : partition_view<tile=(128), tensor_view<?xi64, strides=[1]>>
  %tile_34, %result_token_35 = load_view_tko weak %pview_33[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xi64, strides=[1]>>, tile<i32> -> tile<128xi64>, token
  %pview_36 = make_partition_view %tview_27 : partition_view<tile=(128), tensor_view<?xi64, strides=[1]>>
  %tile_37, %result_token_38 = load_view_tko weak %pview_36[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xi64, strides=[1]>>, tile<i32> -> tile<128xi64>, token
  %1 = cmpi less_than %tile, %tile_31, signed : tile<128xi32> -> tile<128xi1>
  %2 = select %1, %cst_1_i32_8, %cst_0_i32 : tile<128xi1>, tile<128xi32>
  %3 = cmpi less_than_or_equal %tile, %tile_31, signed : tile<128xi32> -> tile<128xi1>
  %4 = select %3, %cst_2_i32, %cst_0_i32_9 : tile<128xi1>, tile<128xi32>
  %5 = addi %2, %4 : tile<128xi32>
  %6 = cmpi greater_than %tile, %tile_31, signed : tile<128xi32> -> tile<128xi1>
  %7 = select %6, %cst_4_i32, %cst_0_i32_10 : tile<128xi1>, tile<128xi32>
  %8 = addi %5, %7 : tile<128xi32>
  %9 = cmpi greater_than_or_equal %tile, %tile_31, signed : tile<128xi32> -> tile<128xi1>
  %10 = select %9, %cst_8_i32, %cst_0_i32_11 : tile<128xi1>, tile<128xi32>
  %11 = addi %8, %10 : tile<128xi32>
  %12 = cmpi equal %tile, %tile_31, signed : tile<128xi32> -> tile<128xi1>
  %13 = select %12, %cst_16_i32, %cst_0_i32_12 : tile<128xi1>, tile<128xi32>
  %14 = addi %11, %13 : tile<128xi32>
  %15 = cmpi not_equal %tile, %tile_31, signed : tile<128xi32> -> tile<128xi1>
  %16 = select %15, %cst_32_i32, %cst_0_i32_13 : tile<128xi1>, tile<128xi32>
  %17 = addi %14, %16 : tile<128xi32>
  %18 = cmpi less_than %tile_34, %tile_37, unsigned : tile<128xi64> -> tile<128xi1>
  %19 = select %18, %cst_64_i32, %cst_0_i32_14 : tile<128xi1>, tile<128xi32>
  %20 = addi %17, %19 : tile<128xi32>
  %21 = cmpi less_than_or_equal %tile_34, %tile_37, unsigned : tile<128xi64> -> tile<128xi1>
  %22 = select %21, %cst_128_i32, %cst_0_i32_15 : tile<128xi1>, tile<128xi32>
  %23 = addi %20, %22 : tile<128xi32>
  %24 = cmpi greater_than %tile_34, %tile_37, unsigned : tile<128xi64> -> tile<128xi1>
  %25 = select %24, %cst_256_i32, %cst_0_i32_16 : tile<128xi1>, tile<128xi32>
  %26 = addi %23, %25 : tile<128xi32>
  %27 = cmpi greater_than_or_equal %tile_34, %tile_37, unsigned : tile<128xi64> -> tile<128xi1>
  %28 = select %27, %cst_512_i32, %cst_0_i32_17 : tile<128xi1>, tile<128xi32>
  %29 = addi %26, %28 : tile<128xi32>
  %30 = cmpi less_than %tile, %tile_31, signed : tile<128xi32> -> tile<128xi1>
  %31 = cmpi less_than %tile_34, %tile_37, unsigned : tile<128xi64> -> tile<128xi1>
  %32 = andi %30, %31 : tile<128xi1>
  %33 = cmpi less_than %tile, %tile_31, signed : tile<128xi32> -> tile<128xi1>
  %34 = cmpi less_than %tile_34, %tile_37, unsigned : tile<128xi64> -> tile<128xi1>
  %35 = ori %33, %34 : tile<128xi1>
  %36 = cmpi less_than %tile, %tile_31, signed : tile<128xi32> -> tile<128xi1>
  %37 = cmpi less_than %tile_34, %tile_37, unsigned : tile<128xi64> -> tile<128xi1>
  %38 = xori %36, %37 : tile<128xi1>
  %39 = select %32, %cst_1024_i32, %cst_0_i32_18 : tile<128xi1>, tile<128xi32>
  %40 = addi %29, %39 : tile<128xi32>
  %41 = select %35, %cst_2048_i32, %cst_0_i32_19 : tile<128xi1>, tile<128xi32>
  %42 = addi %40, %41 : tile<128xi32>
  %43 = select %38, %cst_4096_i32, %cst_0_i32_20 : tile<128xi1>, tile<128xi32>
  %44 = addi %42, %43 : tile<128xi32>
  %pview_39 = make_partition_view %tview_29 : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>
  %45 = store_view_tko weak %44, %pview_39[%blockId_x] token = %0 : tile<128xi32>, partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  return
}
