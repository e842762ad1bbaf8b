entry @transpose(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token loc(#loc20)
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>> loc(#loc21)
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f32>> loc(#loc22)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc20)
  %cst_1_i32_1 = constant <i32: 1> : tile<i32> loc(#loc20)
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc20)
  %assume_3 = assume bounded<0, ?>, %arg2 : tile<i32> loc(#loc20)
  %assume_4 = assume bounded<0, ?>, %arg3 : tile<i32> loc(#loc20)
  %tview = make_tensor_view %assume, shape = [%assume_2, %assume_3], strides = [%assume_4, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]> loc(#loc20)
  %assume_5 = assume bounded<0, ?>, %arg6 : tile<i32> loc(#loc20)
  %assume_6 = assume bounded<0, ?>, %arg7 : tile<i32> loc(#loc20)
  %assume_7 = assume bounded<0, ?>, %arg8 : tile<i32> loc(#loc20)
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_5, %assume_6], strides = [%assume_7, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]> loc(#loc20)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc23)
  %blockId_x_9, %blockId_y_10, %blockId_z_11 = get_tile_block_id : tile<i32> loc(#loc24)
  %pview = make_partition_view %tview : partition_view<tile=(32x16), tensor_view<?x?xf32, strides=[?,1]>> loc(#loc25)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %blockId_y_10] token = %0 : partition_view<tile=(32x16), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<32x16xf32>, token loc(#loc25)
  %1 = permute %tile [1, 0] : tile<32x16xf32> -> tile<16x32xf32> loc(#loc26)
  %pview_12 = make_partition_view %tview_8 : partition_view<tile=(16x32), tensor_view<?x?xf32, strides=[?,1]>> loc(#loc27)
  %2 = store_view_tko weak %1, %pview_12[%blockId_y_10, %blockId_x] token = %0 : tile<16x32xf32>, partition_view<tile=(16x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token loc(#loc27)
  return loc(#loc8)
} loc(#loc20)
entry @rotate_axes(%arg0: tile<ptr<i8>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<i8>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token loc(#loc28)
  %assume = assume div_by<16>, %arg0 : tile<ptr<i8>> loc(#loc29)
  %assume_0 = assume div_by<16>, %arg7 : tile<ptr<i8>> loc(#loc30)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc28)
  %cst_1_i32_1 = constant <i32: 1> : tile<i32> loc(#loc28)
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc28)
  %assume_3 = assume bounded<0, ?>, %arg2 : tile<i32> loc(#loc28)
  %assume_4 = assume bounded<0, ?>, %arg3 : tile<i32> loc(#loc28)
  %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32> loc(#loc28)
  %assume_6 = assume bounded<0, ?>, %arg5 : tile<i32> loc(#loc28)
  %tview = make_tensor_view %assume, shape = [%assume_2, %assume_3, %assume_4], strides = [%assume_5, %assume_6, 1] : tile<i32> -> tensor_view<?x?x?xi8, strides=[?,?,1]> loc(#loc28)
  %assume_7 = assume bounded<0, ?>, %arg8 : tile<i32> loc(#loc28)
  %assume_8 = assume bounded<0, ?>, %arg9 : tile<i32> loc(#loc28)
  %assume_9 = assume bounded<0, ?>, %arg10 : tile<i32> loc(#loc28)
  %assume_10 = assume bounded<0, ?>, %arg11 : tile<i32> loc(#loc28)
  %assume_11 = assume bounded<0, ?>, %arg12 : tile<i32> loc(#loc28)
  %tview_12 = make_tensor_view %assume_0, shape = [%assume_7, %assume_8, %assume_9], strides = [%assume_10, %assume_11, 1] : tile<i32> -> tensor_view<?x?x?xi8, strides=[?,?,1]> loc(#loc28)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc31)
  %cst_0_i32 = constant <i32: 0> : tile<i32> loc(#loc32)
  %cst_0_i32_13 = constant <i32: 0> : tile<i32> loc(#loc33)
  %cst_0_i32_14 = constant <i32: 0> : tile<i32> loc(#loc34)
  %cst_0_i32_15 = constant <i32: 0> : tile<i32> loc(#loc35)
  %pview = make_partition_view %tview : partition_view<tile=(4x8x16), tensor_view<?x?x?xi8, strides=[?,?,1]>> loc(#loc36)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32_14, %cst_0_i32_15] token = %0 : partition_view<tile=(4x8x16), tensor_view<?x?x?xi8, strides=[?,?,1]>>, tile<i32> -> tile<4x8x16xi8>, token loc(#loc36)
  %1 = permute %tile [1, 2, 0] : tile<4x8x16xi8> -> tile<8x16x4xi8> loc(#loc37)
  %pview_16 = make_partition_view %tview_12 : partition_view<tile=(8x16x4), tensor_view<?x?x?xi8, strides=[?,?,1]>> loc(#loc38)
  %2 = store_view_tko weak %1, %pview_16[%cst_0_i32, %cst_0_i32_13, %blockId_x] token = %0 : tile<8x16x4xi8>, partition_view<tile=(8x16x4), tensor_view<?x?x?xi8, strides=[?,?,1]>>, tile<i32> -> token loc(#loc38)
  return loc(#loc8)
} loc(#loc28)
#di_file = #cuda_tile.di_file<"transpose.py" in "">
#loc = loc("transpose.py":7:0)
#loc1 = loc("transpose.py":7:14)
#loc2 = loc("transpose.py":7:17)
#loc3 = loc("transpose.py":8:8)
#loc4 = loc("transpose.py":9:8)
#loc5 = loc("transpose.py":10:39)
#loc6 = loc("transpose.py":10:26)
#loc7 = loc("transpose.py":10:4)
#loc8 = loc(unknown)
#loc9 = loc("transpose.py":14:0)
#loc10 = loc("transpose.py":14:16)
#loc11 = loc("transpose.py":14:19)
#loc12 = loc("transpose.py":15:8)
#loc13 = loc("transpose.py":16:19)
#loc14 = loc("transpose.py":16:22)
#loc15 = loc("transpose.py":16:55)
#loc16 = loc("transpose.py":16:58)
#loc17 = loc("transpose.py":16:40)
#loc18 = loc("transpose.py":16:29)
#loc19 = loc("transpose.py":16:4)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 6, name = "transpose", linkageName = "transpose", compileUnit = #di_compile_unit, scopeLine = 6>
#di_subprogram1 = #cuda_tile.di_subprogram<file = #di_file, line = 13, name = "rotate_axes", linkageName = "rotate_axes", compileUnit = #di_compile_unit, scopeLine = 13>
#loc20 = #cuda_tile.di_loc<#loc in #di_subprogram>
#loc21 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc22 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
#loc23 = #cuda_tile.di_loc<#loc3 in #di_subprogram>
#loc24 = #cuda_tile.di_loc<#loc4 in #di_subprogram>
#loc25 = #cuda_tile.di_loc<#loc5 in #di_subprogram>
#loc26 = #cuda_tile.di_loc<#loc6 in #di_subprogram>
#loc27 = #cuda_tile.di_loc<#loc7 in #di_subprogram>
#loc28 = #cuda_tile.di_loc<#loc9 in #di_subprogram1>
#loc29 = #cuda_tile.di_loc<#loc10 in #di_subprogram1>
#loc30 = #cuda_tile.di_loc<#loc11 in #di_subprogram1>
#loc31 = #cuda_tile.di_loc<#loc12 in #di_subprogram1>
#loc32 = #cuda_tile.di_loc<#loc13 in #di_subprogram1>
#loc33 = #cuda_tile.di_loc<#loc14 in #di_subprogram1>
#loc34 = #cuda_tile.di_loc<#loc15 in #di_subprogram1>
#loc35 = #cuda_tile.di_loc<#loc16 in #di_subprogram1>
#loc36 = #cuda_tile.di_loc<#loc17 in #di_subprogram1>
#loc37 = #cuda_tile.di_loc<#loc18 in #di_subprogram1>
#loc38 = #cuda_tile.di_loc<#loc19 in #di_subprogram1>
