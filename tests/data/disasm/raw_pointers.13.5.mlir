entry @raw_pointers(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<ptr<i32>>) {
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume bounded<0, 64>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_0, 4], strides = [4, 1] : tile<i32> -> tensor_view<?x4xi32, strides=[4,1]>
  %0:2 = get_tensor_shape %tview : tensor_view<?x4xi32, strides=[4,1]> -> tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(16x4), tensor_view<?x4xi32, strides=[4,1]>>
  %1:2 = get_index_space_shape %pview : partition_view<tile=(16x4), tensor_view<?x4xi32, strides=[4,1]>> -> tile<i32>
  %2 = muli %0#0, %0#1 : tile<i32>
  %3 = addi %1#0, %1#1 overflow<no_signed_wrap> : tile<i32>
  %4 = addi %2, %3 : tile<i32>
  %5 = iota : tile<64xi32>
  %reshape = reshape %assume_0 : tile<i32> -> tile<1xi32>
  %bcast = broadcast %reshape : tile<1xi32> -> tile<64xi32>
  %6 = cmpi less_than %5, %bcast, signed : tile<64xi32> -> tile<64xi1>
  %cst_0_i32 = constant <i32: 0> : tile<64xi32>
  %7 = make_token : token
  %reshape_1 = reshape %assume : tile<ptr<i32>> -> tile<1xptr<i32>>
  %bcast_2 = broadcast %reshape_1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %8 = offset %bcast_2, %5 : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %result, %result_token = load_ptr_tko weak %8, %6, %cst_0_i32 token=%7 : tile<64xptr<i32>>, tile<64xi1>, tile<64xi32> -> tile<64xi32>, token
  %cst_4_i64 = constant <i64: 4> : tile<64xi64>
  %9 = ptr_to_int %bcast_2 : tile<64xptr<i32>> -> tile<64xi64>
  %10 = exti %5 signed : tile<64xi32> -> tile<64xi64>
  %11 = muli %10, %cst_4_i64 : tile<64xi64>
  %12 = addi %9, %11 : tile<64xi64>
  %13 = int_to_ptr %12 : tile<64xi64> -> tile<64xptr<i32>>
  %result_3, %result_token_4 = load_ptr_tko weak %13, %6, %cst_0_i32 token=%7 : tile<64xptr<i32>>, tile<64xi1>, tile<64xi32> -> tile<64xi32>, token
  %14 = ptr_to_ptr %assume : tile<ptr<i32>> -> tile<ptr<f32>>
  %reshape_5 = reshape %14 : tile<ptr<f32>> -> tile<1xptr<f32>>
  %bcast_6 = broadcast %reshape_5 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %15 = offset %bcast_6, %5 : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<64xf32>
  %result_7, %result_token_8 = load_ptr_tko weak %15, %6, %cst_0_f32 token=%7 : tile<64xptr<f32>>, tile<64xi1>, tile<64xf32> -> tile<64xf32>, token
  %16 = bitcast %result_7 : tile<64xf32> -> tile<64xi32>
  %17 = mulhii %result, %result_3 : tile<64xi32>
  %18 = exti %16 unsigned : tile<64xi32> -> tile<64xi64>
  %19 = trunci %18 : tile<64xi64> -> tile<64xi32>
  %20 = xori %17, %19 : tile<64xi32>
  %21 = negi %result : tile<64xi32>
  %22 = absi %21 : tile<64xi32>
  %23 = addi %20, %22 : tile<64xi32>
  %cst_3_i32 = constant <i32: 3> : tile<64xi32>
  %24 = addi %5, %cst_3_i32 overflow<no_wrap> : tile<64xi32>
  %25 = divi %16, %24 unsigned : tile<64xi32>
  %26 = addi %23, %25 : tile<64xi32>
  %cst_f32 = constant <f32: 7.500000e+00> : tile<64xf32>
  %27 = itof %5 signed  : tile<64xi32> -> tile<64xf32>
  %28 = remf %27, %cst_f32 : tile<64xf32>
  %29 = addf %28, %28  : tile<64xf32>
  %30 = ftoi %29 signed  : tile<64xf32> -> tile<64xi32>
  %cst_i32 = constant <i32: [-100, -99, -96, -91, -84, -75, -64, -51, -36, -19, 0, 21, 44, 69, 96, 125, 156, 189, 224, 261, 300, 341, 384, 429, 476, 525, 576, 629, 684, 741, 800, 861, 924, 989, 1056, 1125, 1196, 1269, 1344, 1421, 1500, 1581, 1664, 1749, 1836, 1925, 2016, 2109, 2204, 2301, 2400, 2501, 2604, 2709, 2816, 2925, 3036, 3149, 3264, 3381, 3500, 3621, 3744, 3869]> : tile<64xi32>
  %31 = addi %26, %30 : tile<64xi32>
  %reshape_9 = reshape %4 : tile<i32> -> tile<1xi32>
  %bcast_10 = broadcast %reshape_9 : tile<1xi32> -> tile<64xi32>
  %32 = addi %cst_i32, %bcast_10 : tile<64xi32>
  %33 = addi %31, %32 : tile<64xi32>
  %34 = join_tokens %result_token, %result_token_4, %result_token_8 : token
  %reshape_11 = reshape %arg2 : tile<ptr<i32>> -> tile<1xptr<i32>>
  %bcast_12 = broadcast %reshape_11 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %35 = offset %bcast_12, %5 : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %36 = store_ptr_tko weak %35, %33, %6 token=%34 : tile<64xptr<i32>>, tile<64xi32>, tile<64xi1> -> token
  return
}
