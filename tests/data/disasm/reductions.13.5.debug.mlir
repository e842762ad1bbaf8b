entry @row_statistics(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<i32>>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<ptr<i32>>, %arg12: tile<i32>, %arg13: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token loc(#loc68)
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>> loc(#loc69)
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<i32>> loc(#loc70)
  %assume_1 = assume div_by<16>, %arg8 : tile<ptr<i32>> loc(#loc71)
  %assume_2 = assume div_by<16>, %arg11 : tile<ptr<i32>> loc(#loc72)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc68)
  %cst_1_i32_3 = constant <i32: 1> : tile<i32> loc(#loc68)
  %cst_1_i32_4 = constant <i32: 1> : tile<i32> loc(#loc68)
  %cst_1_i32_5 = constant <i32: 1> : tile<i32> loc(#loc68)
  %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc68)
  %assume_7 = assume bounded<0, ?>, %arg2 : tile<i32> loc(#loc68)
  %assume_8 = assume bounded<0, ?>, %arg3 : tile<i32> loc(#loc68)
  %tview = make_tensor_view %assume, shape = [%assume_6, %assume_7], strides = [%assume_8, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]> loc(#loc68)
  %assume_9 = assume bounded<0, ?>, %arg6 : tile<i32> loc(#loc68)
  %tview_10 = make_tensor_view %assume_0, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]> loc(#loc68)
  %assume_11 = assume bounded<0, ?>, %arg9 : tile<i32> loc(#loc68)
  %tview_12 = make_tensor_view %assume_1, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]> loc(#loc68)
  %assume_13 = assume bounded<0, ?>, %arg12 : tile<i32> loc(#loc68)
  %tview_14 = make_tensor_view %assume_2, shape = [%assume_13], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]> loc(#loc68)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc73)
  %cst_0_i32 = constant <i32: 0> : tile<i32> loc(#loc74)
  %pview = make_partition_view %tview : partition_view<tile=(16x64), padding_value = zero, tensor_view<?x?xi32, strides=[?,1]>> loc(#loc75)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(16x64), padding_value = zero, tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> tile<16x64xi32>, token loc(#loc75)
  %reduce = reduce %tile dim=1 identities=[0 : i32] : tile<16x64xi32> -> tile<16xi32> 
  (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
    %5 = addi %reduce_lhs, %reduce_rhs : tile<i32> loc(#loc76)
    yield %5 : tile<i32> loc(#loc76)
  } loc(#loc76)
  %pview_15 = make_partition_view %tview_10 : partition_view<tile=(16), tensor_view<?xi32, strides=[1]>> loc(#loc77)
  %1 = store_view_tko weak %reduce, %pview_15[%blockId_x] token = %0 : tile<16xi32>, partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token loc(#loc77)
  %reduce_16 = reduce %tile dim=1 identities=[-2147483648 : i32] : tile<16x64xi32> -> tile<16xi32> 
  (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
    %5 = maxi %reduce_lhs, %reduce_rhs signed : tile<i32> loc(#loc78)
    yield %5 : tile<i32> loc(#loc78)
  } loc(#loc78)
  %pview_17 = make_partition_view %tview_12 : partition_view<tile=(16), tensor_view<?xi32, strides=[1]>> loc(#loc79)
  %2 = store_view_tko weak %reduce_16, %pview_17[%blockId_x] token = %0 : tile<16xi32>, partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token loc(#loc79)
  %3 = iota : tile<64xi32> loc(#loc80)
  %reshape = reshape %3 : tile<64xi32> -> tile<1x64xi32> loc(#loc80)
  %bcast = broadcast %reshape : tile<1x64xi32> -> tile<16x64xi32> loc(#loc80)
  %reduce_18:2 = reduce %tile, %bcast dim=1 identities=[-2147483648 : i32, 0 : i32] : tile<16x64xi32>, tile<16x64xi32> -> tile<16xi32>, tile<16xi32> 
  (%reduce_lhs0: tile<i32>, %reduce_rhs0: tile<i32>, %reduce_lhs1: tile<i32>, %reduce_rhs1: tile<i32>) {
    %5 = cmpi greater_than %reduce_lhs0, %reduce_rhs0, signed : tile<i32> -> tile<i1> loc(#loc80)
    %6 = cmpi equal %reduce_lhs0, %reduce_rhs0, signed : tile<i32> -> tile<i1> loc(#loc80)
    %7 = cmpi less_than %reduce_lhs1, %reduce_rhs1, signed : tile<i32> -> tile<i1> loc(#loc80)
    %8 = andi %6, %7 : tile<i1> loc(#loc80)
    %9 = ori %5, %8 : tile<i1> loc(#loc80)
    %10 = select %9, %reduce_lhs0, %reduce_rhs0 : tile<i1>, tile<i32> loc(#loc80)
    %11 = select %9, %reduce_lhs1, %reduce_rhs1 : tile<i1>, tile<i32> loc(#loc80)
    yield %10, %11 : tile<i32>, tile<i32> loc(#loc80)
  } loc(#loc80)
  %pview_19 = make_partition_view %tview_14 : partition_view<tile=(16), tensor_view<?xi32, strides=[1]>> loc(#loc81)
  %4 = store_view_tko weak %reduce_18#1, %pview_19[%blockId_x] token = %0 : tile<16xi32>, partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token loc(#loc81)
  return loc(#loc14)
} loc(#loc68)
entry @total(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token loc(#loc82)
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>> loc(#loc83)
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>> loc(#loc84)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc82)
  %cst_1_i32_1 = constant <i32: 1> : tile<i32> loc(#loc82)
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc82)
  %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]> loc(#loc82)
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32> loc(#loc82)
  %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]> loc(#loc82)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc85)
  %pview = make_partition_view %tview : partition_view<tile=(2048), padding_value = zero, tensor_view<?xf32, strides=[1]>> loc(#loc86)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(2048), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<2048xf32>, token loc(#loc86)
  %reduce = reduce %tile dim=0 identities=[0.000000e+00 : f32] : tile<2048xf32> -> tile<f32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %2 = addf %reduce_lhs, %reduce_rhs  : tile<f32> loc(#loc87)
    yield %2 : tile<f32> loc(#loc87)
  } loc(#loc87)
  %reshape = reshape %reduce : tile<f32> -> tile<1xf32> loc(#loc88)
  %pview_5 = make_partition_view %tview_4 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>> loc(#loc89)
  %1 = store_view_tko weak %reshape, %pview_5[%blockId_x] token = %0 : tile<1xf32>, partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token loc(#loc89)
  return loc(#loc14)
} loc(#loc82)
entry @column_range(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f16>>, %arg6: tile<i32>, %arg7: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token loc(#loc90)
  %assume = assume div_by<16>, %arg0 : tile<ptr<f16>> loc(#loc91)
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f16>> loc(#loc92)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc90)
  %cst_1_i32_1 = constant <i32: 1> : tile<i32> loc(#loc90)
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc90)
  %assume_3 = assume bounded<0, ?>, %arg2 : tile<i32> loc(#loc90)
  %assume_4 = assume bounded<0, ?>, %arg3 : tile<i32> loc(#loc90)
  %tview = make_tensor_view %assume, shape = [%assume_2, %assume_3], strides = [%assume_4, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]> loc(#loc90)
  %assume_5 = assume bounded<0, ?>, %arg6 : tile<i32> loc(#loc90)
  %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xf16, strides=[1]> loc(#loc90)
  %cst_0_i32 = constant <i32: 0> : tile<i32> loc(#loc93)
  %cst_0_i32_7 = constant <i32: 0> : tile<i32> loc(#loc94)
  %pview = make_partition_view %tview : partition_view<tile=(128x8), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>> loc(#loc95)
  %tile, %result_token = load_view_tko weak %pview[%cst_0_i32, %cst_0_i32_7] token = %0 : partition_view<tile=(128x8), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<128x8xf16>, token loc(#loc95)
  %cst_0_i32_8 = constant <i32: 0> : tile<i32> loc(#loc96)
  %reduce = reduce %tile dim=0 identities=[0xFC00 : f16] : tile<128x8xf16> -> tile<8xf16> 
  (%reduce_lhs: tile<f16>, %reduce_rhs: tile<f16>) {
    %3 = maxf %reduce_lhs, %reduce_rhs : tile<f16> loc(#loc97)
    yield %3 : tile<f16> loc(#loc97)
  } loc(#loc97)
  %reduce_9 = reduce %tile dim=0 identities=[0x7C00 : f16] : tile<128x8xf16> -> tile<8xf16> 
  (%reduce_lhs: tile<f16>, %reduce_rhs: tile<f16>) {
    %3 = minf %reduce_lhs, %reduce_rhs : tile<f16> loc(#loc98)
    yield %3 : tile<f16> loc(#loc98)
  } loc(#loc98)
  %1 = subf %reduce, %reduce_9  : tile<8xf16> loc(#loc97)
  %pview_10 = make_partition_view %tview_6 : partition_view<tile=(8), tensor_view<?xf16, strides=[1]>> loc(#loc99)
  %2 = store_view_tko weak %1, %pview_10[%cst_0_i32_8] token = %0 : tile<8xf16>, partition_view<tile=(8), tensor_view<?xf16, strides=[1]>>, tile<i32> -> token loc(#loc99)
  return loc(#loc14)
} loc(#loc90)
entry @running_sums(%arg0: tile<ptr<i64>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i64>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<i64>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token loc(#loc100)
  %assume = assume div_by<16>, %arg0 : tile<ptr<i64>> loc(#loc101)
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<i64>> loc(#loc102)
  %assume_1 = assume div_by<16>, %arg10 : tile<ptr<i64>> loc(#loc103)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc100)
  %cst_1_i32_2 = constant <i32: 1> : tile<i32> loc(#loc100)
  %cst_1_i32_3 = constant <i32: 1> : tile<i32> loc(#loc100)
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc100)
  %assume_5 = assume bounded<0, ?>, %arg2 : tile<i32> loc(#loc100)
  %assume_6 = assume bounded<0, ?>, %arg3 : tile<i32> loc(#loc100)
  %tview = make_tensor_view %assume, shape = [%assume_4, %assume_5], strides = [%assume_6, 1] : tile<i32> -> tensor_view<?x?xi64, strides=[?,1]> loc(#loc100)
  %assume_7 = assume bounded<0, ?>, %arg6 : tile<i32> loc(#loc100)
  %assume_8 = assume bounded<0, ?>, %arg7 : tile<i32> loc(#loc100)
  %assume_9 = assume bounded<0, ?>, %arg8 : tile<i32> loc(#loc100)
  %tview_10 = make_tensor_view %assume_0, shape = [%assume_7, %assume_8], strides = [%assume_9, 1] : tile<i32> -> tensor_view<?x?xi64, strides=[?,1]> loc(#loc100)
  %assume_11 = assume bounded<0, ?>, %arg11 : tile<i32> loc(#loc100)
  %assume_12 = assume bounded<0, ?>, %arg12 : tile<i32> loc(#loc100)
  %assume_13 = assume bounded<0, ?>, %arg13 : tile<i32> loc(#loc100)
  %tview_14 = make_tensor_view %assume_1, shape = [%assume_11, %assume_12], strides = [%assume_13, 1] : tile<i32> -> tensor_view<?x?xi64, strides=[?,1]> loc(#loc100)
  %cst_0_i32 = constant <i32: 0> : tile<i32> loc(#loc104)
  %cst_0_i32_15 = constant <i32: 0> : tile<i32> loc(#loc105)
  %pview = make_partition_view %tview : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xi64, strides=[?,1]>> loc(#loc106)
  %tile, %result_token = load_view_tko weak %pview[%cst_0_i32, %cst_0_i32_15] token = %0 : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xi64, strides=[?,1]>>, tile<i32> -> tile<64x32xi64>, token loc(#loc106)
  %cst_0_i32_16 = constant <i32: 0> : tile<i32> loc(#loc107)
  %cst_0_i32_17 = constant <i32: 0> : tile<i32> loc(#loc108)
  %1 = scan %tile dim=0 reverse=false identities=[0] : tile<64x32xi64> -> tile<64x32xi64> 
  (%arg15: tile<i64>, %arg16: tile<i64>) {
    %5 = addi %arg15, %arg16 : tile<i64> loc(#loc109)
    yield %5 : tile<i64> loc(#loc109)
  } loc(#loc109)
  %pview_18 = make_partition_view %tview_10 : partition_view<tile=(64x32), tensor_view<?x?xi64, strides=[?,1]>> loc(#loc110)
  %2 = store_view_tko weak %1, %pview_18[%cst_0_i32_16, %cst_0_i32_17] token = %0 : tile<64x32xi64>, partition_view<tile=(64x32), tensor_view<?x?xi64, strides=[?,1]>>, tile<i32> -> token loc(#loc110)
  %cst_0_i32_19 = constant <i32: 0> : tile<i32> loc(#loc111)
  %cst_0_i32_20 = constant <i32: 0> : tile<i32> loc(#loc112)
  %3 = scan %tile dim=1 reverse=true identities=[0] : tile<64x32xi64> -> tile<64x32xi64> 
  (%arg15: tile<i64>, %arg16: tile<i64>) {
    %5 = addi %arg15, %arg16 : tile<i64> loc(#loc113)
    yield %5 : tile<i64> loc(#loc113)
  } loc(#loc113)
  %pview_21 = make_partition_view %tview_14 : partition_view<tile=(64x32), tensor_view<?x?xi64, strides=[?,1]>> loc(#loc114)
  %4 = store_view_tko weak %3, %pview_21[%cst_0_i32_19, %cst_0_i32_20] token = %0 : tile<64x32xi64>, partition_view<tile=(64x32), tensor_view<?x?xi64, strides=[?,1]>>, tile<i32> -> token loc(#loc114)
  return loc(#loc14)
} loc(#loc100)
entry @linear_functions(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<i32>>, %arg10: tile<i32>, %arg11: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token loc(#loc115)
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>> loc(#loc116)
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>> loc(#loc117)
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i32>> loc(#loc118)
  %assume_2 = assume div_by<16>, %arg9 : tile<ptr<i32>> loc(#loc119)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc115)
  %cst_1_i32_3 = constant <i32: 1> : tile<i32> loc(#loc115)
  %cst_1_i32_4 = constant <i32: 1> : tile<i32> loc(#loc115)
  %cst_1_i32_5 = constant <i32: 1> : tile<i32> loc(#loc115)
  %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc115)
  %tview = make_tensor_view %assume, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]> loc(#loc115)
  %assume_7 = assume bounded<0, ?>, %arg4 : tile<i32> loc(#loc115)
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]> loc(#loc115)
  %assume_9 = assume bounded<0, ?>, %arg7 : tile<i32> loc(#loc115)
  %tview_10 = make_tensor_view %assume_1, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]> loc(#loc115)
  %assume_11 = assume bounded<0, ?>, %arg10 : tile<i32> loc(#loc115)
  %tview_12 = make_tensor_view %assume_2, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]> loc(#loc115)
  %cst_0_i32 = constant <i32: 0> : tile<i32> loc(#loc120)
  %pview = make_partition_view %tview : partition_view<tile=(1024), padding_value = zero, tensor_view<?xi32, strides=[1]>> loc(#loc121)
  %tile, %result_token = load_view_tko weak %pview[%cst_0_i32] token = %0 : partition_view<tile=(1024), padding_value = zero, tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<1024xi32>, token loc(#loc121)
  %cst_0_i32_13 = constant <i32: 0> : tile<i32> loc(#loc122)
  %pview_14 = make_partition_view %tview_8 : partition_view<tile=(1024), padding_value = zero, tensor_view<?xi32, strides=[1]>> loc(#loc123)
  %tile_15, %result_token_16 = load_view_tko weak %pview_14[%cst_0_i32_13] token = %0 : partition_view<tile=(1024), padding_value = zero, tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<1024xi32>, token loc(#loc123)
  %1:2 = scan %tile, %tile_15 dim=0 reverse=false identities=[1 : i32, 0 : i32] : tile<1024xi32>, tile<1024xi32> -> tile<1024xi32>, tile<1024xi32> 
  (%arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>) {
    %6 = muli %arg12, %arg13 : tile<i32> loc(#loc137)
    %7 = muli %arg12, %arg15 : tile<i32> loc(#loc138)
    %8 = addi %7, %arg14 : tile<i32> loc(#loc138)
    yield %6, %8 : tile<i32>, tile<i32> loc(#loc124)
  } loc(#loc124)
  %cst_0_i32_17 = constant <i32: 0> : tile<i32> loc(#loc127)
  %2 = addi %1#0, %1#1 : tile<1024xi32> loc(#loc128)
  %pview_18 = make_partition_view %tview_10 : partition_view<tile=(1024), tensor_view<?xi32, strides=[1]>> loc(#loc129)
  %3 = store_view_tko weak %2, %pview_18[%cst_0_i32_17] token = %0 : tile<1024xi32>, partition_view<tile=(1024), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token loc(#loc129)
  %reduce:2 = reduce %tile, %tile_15 dim=0 identities=[1 : i32, 0 : i32] : tile<1024xi32>, tile<1024xi32> -> tile<i32>, tile<i32> 
  (%reduce_lhs0: tile<i32>, %reduce_rhs0: tile<i32>, %reduce_lhs1: tile<i32>, %reduce_rhs1: tile<i32>) {
    %6 = muli %reduce_lhs0, %reduce_rhs0 : tile<i32> loc(#loc139)
    %7 = muli %reduce_lhs0, %reduce_rhs1 : tile<i32> loc(#loc140)
    %8 = addi %7, %reduce_lhs1 : tile<i32> loc(#loc140)
    yield %6, %8 : tile<i32>, tile<i32> loc(#loc130)
  } loc(#loc130)
  %cst_0_i32_19 = constant <i32: 0> : tile<i32> loc(#loc133)
  %4 = addi %reduce#0, %reduce#1 : tile<i32> loc(#loc134)
  %reshape = reshape %4 : tile<i32> -> tile<1xi32> loc(#loc135)
  %pview_20 = make_partition_view %tview_12 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>> loc(#loc136)
  %5 = store_view_tko weak %reshape, %pview_20[%cst_0_i32_19] token = %0 : tile<1xi32>, partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token loc(#loc136)
  return loc(#loc14)
} loc(#loc115)
#di_file = #cuda_tile.di_file<"reductions.py" in "">
#loc = loc("reductions.py":12:0)
#loc1 = loc("reductions.py":12:19)
#loc2 = loc("reductions.py":12:22)
#loc3 = loc("reductions.py":12:28)
#loc4 = loc("reductions.py":12:37)
#loc5 = loc("reductions.py":13:8)
#loc6 = loc("reductions.py":14:23)
#loc7 = loc("reductions.py":14:8)
#loc8 = loc("reductions.py":15:25)
#loc9 = loc("reductions.py":15:4)
#loc10 = loc("reductions.py":16:28)
#loc11 = loc("reductions.py":16:4)
#loc12 = loc("reductions.py":17:26)
#loc13 = loc("reductions.py":17:4)
#loc14 = loc(unknown)
#loc15 = loc("reductions.py":21:0)
#loc16 = loc("reductions.py":21:10)
#loc17 = loc("reductions.py":21:13)
#loc18 = loc("reductions.py":22:8)
#loc19 = loc("reductions.py":23:8)
#loc20 = loc("reductions.py":24:35)
#loc21 = loc("reductions.py":24:24)
#loc22 = loc("reductions.py":24:4)
#loc23 = loc("reductions.py":28:0)
#loc24 = loc("reductions.py":28:17)
#loc25 = loc("reductions.py":28:20)
#loc26 = loc("reductions.py":29:20)
#loc27 = loc("reductions.py":29:23)
#loc28 = loc("reductions.py":29:8)
#loc29 = loc("reductions.py":30:19)
#loc30 = loc("reductions.py":30:24)
#loc31 = loc("reductions.py":30:39)
#loc32 = loc("reductions.py":30:4)
#loc33 = loc("reductions.py":34:0)
#loc34 = loc("reductions.py":34:17)
#loc35 = loc("reductions.py":34:20)
#loc36 = loc("reductions.py":34:29)
#loc37 = loc("reductions.py":35:20)
#loc38 = loc("reductions.py":35:23)
#loc39 = loc("reductions.py":35:8)
#loc40 = loc("reductions.py":36:23)
#loc41 = loc("reductions.py":36:26)
#loc42 = loc("reductions.py":36:30)
#loc43 = loc("reductions.py":36:4)
#loc44 = loc("reductions.py":37:24)
#loc45 = loc("reductions.py":37:27)
#loc46 = loc("reductions.py":37:31)
#loc47 = loc("reductions.py":37:4)
#loc48 = loc("reductions.py":41:0)
#loc49 = loc("reductions.py":41:21)
#loc50 = loc("reductions.py":41:30)
#loc51 = loc("reductions.py":41:40)
#loc52 = loc("reductions.py":41:48)
#loc53 = loc("reductions.py":42:26)
#loc54 = loc("reductions.py":42:8)
#loc55 = loc("reductions.py":43:27)
#loc56 = loc("reductions.py":43:8)
#loc57 = loc("reductions.py":44:11)
#loc58 = loc("reductions.py":8:11)
#loc59 = loc("reductions.py":8:18)
#loc60 = loc("reductions.py":45:22)
#loc61 = loc("reductions.py":45:27)
#loc62 = loc("reductions.py":45:4)
#loc63 = loc("reductions.py":46:11)
#loc64 = loc("reductions.py":47:21)
#loc65 = loc("reductions.py":47:37)
#loc66 = loc("reductions.py":47:26)
#loc67 = loc("reductions.py":47:4)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 11, name = "row_statistics", linkageName = "row_statistics", compileUnit = #di_compile_unit, scopeLine = 11>
#di_subprogram1 = #cuda_tile.di_subprogram<file = #di_file, line = 20, name = "total", linkageName = "total", compileUnit = #di_compile_unit, scopeLine = 20>
#di_subprogram2 = #cuda_tile.di_subprogram<file = #di_file, line = 27, name = "column_range", linkageName = "column_range", compileUnit = #di_compile_unit, scopeLine = 27>
#di_subprogram3 = #cuda_tile.di_subprogram<file = #di_file, line = 33, name = "running_sums", linkageName = "running_sums", compileUnit = #di_compile_unit, scopeLine = 33>
#di_subprogram4 = #cuda_tile.di_subprogram<file = #di_file, line = 40, name = "linear_functions", linkageName = "linear_functions", compileUnit = #di_compile_unit, scopeLine = 40>
#di_subprogram5 = #cuda_tile.di_subprogram<file = #di_file, line = 6, name = "compose", linkageName = "compose@reductions:6:1_s0", compileUnit = #di_compile_unit, scopeLine = 6>
#di_subprogram6 = #cuda_tile.di_subprogram<file = #di_file, line = 6, name = "compose", linkageName = "compose@reductions:6:1_s1", compileUnit = #di_compile_unit, scopeLine = 6>
#loc68 = #cuda_tile.di_loc<#loc in #di_subprogram>
#loc69 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc70 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
#loc71 = #cuda_tile.di_loc<#loc3 in #di_subprogram>
#loc72 = #cuda_tile.di_loc<#loc4 in #di_subprogram>
#loc73 = #cuda_tile.di_loc<#loc5 in #di_subprogram>
#loc74 = #cuda_tile.di_loc<#loc6 in #di_subprogram>
#loc75 = #cuda_tile.di_loc<#loc7 in #di_subprogram>
#loc76 = #cuda_tile.di_loc<#loc8 in #di_subprogram>
#loc77 = #cuda_tile.di_loc<#loc9 in #di_subprogram>
#loc78 = #cuda_tile.di_loc<#loc10 in #di_subprogram>
#loc79 = #cuda_tile.di_loc<#loc11 in #di_subprogram>
#loc80 = #cuda_tile.di_loc<#loc12 in #di_subprogram>
#loc81 = #cuda_tile.di_loc<#loc13 in #di_subprogram>
#loc82 = #cuda_tile.di_loc<#loc15 in #di_subprogram1>
#loc83 = #cuda_tile.di_loc<#loc16 in #di_subprogram1>
#loc84 = #cuda_tile.di_loc<#loc17 in #di_subprogram1>
#loc85 = #cuda_tile.di_loc<#loc18 in #di_subprogram1>
#loc86 = #cuda_tile.di_loc<#loc19 in #di_subprogram1>
#loc87 = #cuda_tile.di_loc<#loc20 in #di_subprogram1>
#loc88 = #cuda_tile.di_loc<#loc21 in #di_subprogram1>
#loc89 = #cuda_tile.di_loc<#loc22 in #di_subprogram1>
#loc90 = #cuda_tile.di_loc<#loc23 in #di_subprogram2>
#loc91 = #cuda_tile.di_loc<#loc24 in #di_subprogram2>
#loc92 = #cuda_tile.di_loc<#loc25 in #di_subprogram2>
#loc93 = #cuda_tile.di_loc<#loc26 in #di_subprogram2>
#loc94 = #cuda_tile.di_loc<#loc27 in #di_subprogram2>
#loc95 = #cuda_tile.di_loc<#loc28 in #di_subprogram2>
#loc96 = #cuda_tile.di_loc<#loc29 in #di_subprogram2>
#loc97 = #cuda_tile.di_loc<#loc30 in #di_subprogram2>
#loc98 = #cuda_tile.di_loc<#loc31 in #di_subprogram2>
#loc99 = #cuda_tile.di_loc<#loc32 in #di_subprogram2>
#loc100 = #cuda_tile.di_loc<#loc33 in #di_subprogram3>
#loc101 = #cuda_tile.di_loc<#loc34 in #di_subprogram3>
#loc102 = #cuda_tile.di_loc<#loc35 in #di_subprogram3>
#loc103 = #cuda_tile.di_loc<#loc36 in #di_subprogram3>
#loc104 = #cuda_tile.di_loc<#loc37 in #di_subprogram3>
#loc105 = #cuda_tile.di_loc<#loc38 in #di_subprogram3>
#loc106 = #cuda_tile.di_loc<#loc39 in #di_subprogram3>
#loc107 = #cuda_tile.di_loc<#loc40 in #di_subprogram3>
#loc108 = #cuda_tile.di_loc<#loc41 in #di_subprogram3>
#loc109 = #cuda_tile.di_loc<#loc42 in #di_subprogram3>
#loc110 = #cuda_tile.di_loc<#loc43 in #di_subprogram3>
#loc111 = #cuda_tile.di_loc<#loc44 in #di_subprogram3>
#loc112 = #cuda_tile.di_loc<#loc45 in #di_subprogram3>
#loc113 = #cuda_tile.di_loc<#loc46 in #di_subprogram3>
#loc114 = #cuda_tile.di_loc<#loc47 in #di_subprogram3>
#loc115 = #cuda_tile.di_loc<#loc48 in #di_subprogram4>
#loc116 = #cuda_tile.di_loc<#loc49 in #di_subprogram4>
#loc117 = #cuda_tile.di_loc<#loc50 in #di_subprogram4>
#loc118 = #cuda_tile.di_loc<#loc51 in #di_subprogram4>
#loc119 = #cuda_tile.di_loc<#loc52 in #di_subprogram4>
#loc120 = #cuda_tile.di_loc<#loc53 in #di_subprogram4>
#loc121 = #cuda_tile.di_loc<#loc54 in #di_subprogram4>
#loc122 = #cuda_tile.di_loc<#loc55 in #di_subprogram4>
#loc123 = #cuda_tile.di_loc<#loc56 in #di_subprogram4>
#loc124 = #cuda_tile.di_loc<#loc57 in #di_subprogram4>
#loc125 = #cuda_tile.di_loc<#loc58 in #di_subprogram5>
#loc126 = #cuda_tile.di_loc<#loc59 in #di_subprogram5>
#loc127 = #cuda_tile.di_loc<#loc60 in #di_subprogram4>
#loc128 = #cuda_tile.di_loc<#loc61 in #di_subprogram4>
#loc129 = #cuda_tile.di_loc<#loc62 in #di_subprogram4>
#loc130 = #cuda_tile.di_loc<#loc63 in #di_subprogram4>
#loc131 = #cuda_tile.di_loc<#loc58 in #di_subprogram6>
#loc132 = #cuda_tile.di_loc<#loc59 in #di_subprogram6>
#loc133 = #cuda_tile.di_loc<#loc64 in #di_subprogram4>
#loc134 = #cuda_tile.di_loc<#loc65 in #di_subprogram4>
#loc135 = #cuda_tile.di_loc<#loc66 in #di_subprogram4>
#loc136 = #cuda_tile.di_loc<#loc67 in #di_subprogram4>
#loc137 = loc(callsite(#loc125 at #loc124))
#loc138 = loc(callsite(#loc126 at #loc124))
#loc139 = loc(callsite(#loc131 at #loc130))
#loc140 = loc(callsite(#loc132 at #loc130))
