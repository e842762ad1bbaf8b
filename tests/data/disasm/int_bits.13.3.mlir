entry @popcount(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<256xi32>
  %cst_1431655765_i32 = constant <i32: 1431655765> : tile<256xi32>
  %cst_858993459_i32 = constant <i32: 858993459> : tile<256xi32>
  %cst_2_i32 = constant <i32: 2> : tile<256xi32>
  %cst_858993459_i32_3 = constant <i32: 858993459> : tile<256xi32>
  %cst_4_i32 = constant <i32: 4> : tile<256xi32>
  %cst_252645135_i32 = constant <i32: 252645135> : tile<256xi32>
  %cst_16843009_i32 = constant <i32: 16843009> : tile<256xi32>
  %cst_24_i32 = constant <i32: 24> : tile<256xi32>
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(256), tensor_view<?xi32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(256), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<256xi32>, token
  %1 = shri %tile, %cst_1_i32_2 unsigned : tile<256xi32>
  %2 = andi %1, %cst_1431655765_i32 : tile<256xi32>
  %3 = subi %tile, %2 : tile<256xi32>
  %4 = andi %3, %cst_858993459_i32 : tile<256xi32>
  %5 = shri %3, %cst_2_i32 unsigned : tile<256xi32>
  %6 = andi %5, %cst_858993459_i32_3 : tile<256xi32>
  %7 = addi %4, %6 : tile<256xi32>
  %8 = shri %7, %cst_4_i32 unsigned : tile<256xi32>
  %9 = addi %7, %8 : tile<256xi32>
  %10 = andi %9, %cst_252645135_i32 : tile<256xi32>
  %11 = muli %10, %cst_16843009_i32 : tile<256xi32>
  %12 = shri %11, %cst_24_i32 unsigned : tile<256xi32>
  %pview_7 = make_partition_view %tview_6 : partition_view<tile=(256), tensor_view<?xi32, strides=[1]>>
  %13 = store_view_tko weak %12, %pview_7[%blockId_x] token = %0 : tile<256xi32>, partition_view<tile=(256), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  return
}
entry @signed_bits(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i32>>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %cst_31_i32 = constant <i32: 31> : tile<256xi32>
  %cst_1_i32_4 = constant <i32: 1> : tile<256xi32>
  %cst_3_i32 = constant <i32: 3> : tile<256xi32>
  %cst_1_i32_5 = constant <i32: 1> : tile<256xi32>
  %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_7 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_9 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_10 = make_tensor_view %assume_1, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(256), tensor_view<?xi32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(256), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<256xi32>, token
  %pview_11 = make_partition_view %tview_8 : partition_view<tile=(256), tensor_view<?xi32, strides=[1]>>
  %tile_12, %result_token_13 = load_view_tko weak %pview_11[%blockId_x] token = %0 : partition_view<tile=(256), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<256xi32>, token
  %1 = andi %tile_12, %cst_31_i32 : tile<256xi32>
  %2 = ori %tile_12, %cst_1_i32_4 : tile<256xi32>
  %3 = shli %tile, %1 : tile<256xi32>
  %4 = xori %tile, %3 : tile<256xi32>
  %5 = shri %tile, %1 signed : tile<256xi32>
  %6 = addi %4, %5 : tile<256xi32>
  %7 = divi %tile, %2 signed rounding<negative_inf> : tile<256xi32>
  %8 = xori %6, %7 : tile<256xi32>
  %9 = divi %tile, %2 signed rounding<positive_inf> : tile<256xi32>
  %10 = xori %8, %9 : tile<256xi32>
  %11 = remi %tile, %2 signed : tile<256xi32>
  %cst_0_i32 = constant <i32: 0> : tile<256xi32>
  %12 = cmpi less_than %11, %cst_0_i32, signed : tile<256xi32> -> tile<256xi1>
  %13 = cmpi less_than %2, %cst_0_i32, signed : tile<256xi32> -> tile<256xi1>
  %14 = xori %12, %13 : tile<256xi1>
  %15 = cmpi not_equal %11, %cst_0_i32, signed : tile<256xi32> -> tile<256xi1>
  %16 = andi %14, %15 : tile<256xi1>
  %17 = addi %11, %2 : tile<256xi32>
  %18 = select %16, %17, %11 : tile<256xi1>, tile<256xi32>
  %19 = muli %18, %cst_3_i32 : tile<256xi32>
  %20 = subi %10, %19 : tile<256xi32>
  %21 = mini %tile, %tile_12 signed : tile<256xi32>
  %22 = xori %20, %21 : tile<256xi32>
  %23 = maxi %tile, %tile_12 signed : tile<256xi32>
  %cst_-1_i32 = constant <i32: -1> : tile<256xi32>
  %24 = xori %23, %cst_-1_i32 : tile<256xi32>
  %25 = xori %22, %24 : tile<256xi32>
  %26 = shri %tile, %cst_1_i32_5 signed : tile<256xi32>
  %27 = absi %26 : tile<256xi32>
  %28 = addi %25, %27 : tile<256xi32>
  %29 = negi %tile_12 : tile<256xi32>
  %30 = subi %28, %29 : tile<256xi32>
  %pview_14 = make_partition_view %tview_10 : partition_view<tile=(256), tensor_view<?xi32, strides=[1]>>
  %31 = store_view_tko weak %30, %pview_14[%blockId_x] token = %0 : tile<256xi32>, partition_view<tile=(256), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  return
}
entry @unsigned_bits(%arg0: tile<ptr<i64>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i64>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i64>>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i64>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i64>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i64>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %cst_1_i64 = constant <i64: 1> : tile<256xi64>
  %cst_63_i64 = constant <i64: 63> : tile<256xi64>
  %cst_63_i64_4 = constant <i64: 63> : tile<256xi64>
  %cst_5_i64 = constant <i64: 5> : tile<256xi64>
  %assume_5 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %assume_6 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_7 = make_tensor_view %assume_0, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %assume_8 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_9 = make_tensor_view %assume_1, shape = [%assume_8], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(256), tensor_view<?xi64, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(256), tensor_view<?xi64, strides=[1]>>, tile<i32> -> tile<256xi64>, token
  %pview_10 = make_partition_view %tview_7 : partition_view<tile=(256), tensor_view<?xi64, strides=[1]>>
  %tile_11, %result_token_12 = load_view_tko weak %pview_10[%blockId_x] token = %0 : partition_view<tile=(256), tensor_view<?xi64, strides=[1]>>, tile<i32> -> tile<256xi64>, token
  %1 = ori %tile_11, %cst_1_i64 : tile<256xi64>
  %2 = remi %tile, %1 unsigned : tile<256xi64>
  %cst_0_i64 = constant <i64: 0> : tile<256xi64>
  %3 = cmpi less_than %2, %cst_0_i64, unsigned : tile<256xi64> -> tile<256xi1>
  %4 = cmpi less_than %1, %cst_0_i64, unsigned : tile<256xi64> -> tile<256xi1>
  %5 = xori %3, %4 : tile<256xi1>
  %6 = cmpi not_equal %2, %cst_0_i64, unsigned : tile<256xi64> -> tile<256xi1>
  %7 = andi %5, %6 : tile<256xi1>
  %8 = addi %2, %1 : tile<256xi64>
  %9 = select %7, %8, %2 : tile<256xi1>, tile<256xi64>
  %10 = divi %tile, %1 unsigned rounding<positive_inf> : tile<256xi64>
  %11 = xori %9, %10 : tile<256xi64>
  %12 = andi %tile_11, %cst_63_i64 : tile<256xi64>
  %13 = shri %tile, %12 unsigned : tile<256xi64>
  %14 = addi %11, %13 : tile<256xi64>
  %15 = andi %tile_11, %cst_63_i64_4 : tile<256xi64>
  %16 = shli %tile, %15 : tile<256xi64>
  %17 = addi %14, %16 : tile<256xi64>
  %18 = mini %tile, %tile_11 unsigned : tile<256xi64>
  %19 = xori %17, %18 : tile<256xi64>
  %20 = maxi %tile, %tile_11 unsigned : tile<256xi64>
  %21 = muli %20, %cst_5_i64 : tile<256xi64>
  %22 = xori %19, %21 : tile<256xi64>
  %pview_13 = make_partition_view %tview_9 : partition_view<tile=(256), tensor_view<?xi64, strides=[1]>>
  %23 = store_view_tko weak %22, %pview_13[%blockId_x] token = %0 : tile<256xi64>, partition_view<tile=(256), tensor_view<?xi64, strides=[1]>>, tile<i32> -> token
  return
}
