entry @vector_add_2d(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f32>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token loc(#loc11)
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>> loc(#loc12)
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f32>> loc(#loc13)
  %assume_1 = assume div_by<16>, %arg10 : tile<ptr<f32>> loc(#loc14)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc11)
  %cst_1_i32_2 = constant <i32: 1> : tile<i32> loc(#loc11)
  %cst_1_i32_3 = constant <i32: 1> : tile<i32> loc(#loc11)
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc11)
  %assume_5 = assume bounded<0, ?>, %arg2 : tile<i32> loc(#loc11)
  %assume_6 = assume bounded<0, ?>, %arg3 : tile<i32> loc(#loc11)
  %tview = make_tensor_view %assume, shape = [%assume_4, %assume_5], strides = [%assume_6, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]> loc(#loc11)
  %assume_7 = assume bounded<0, ?>, %arg6 : tile<i32> loc(#loc11)
  %assume_8 = assume bounded<0, ?>, %arg7 : tile<i32> loc(#loc11)
  %assume_9 = assume bounded<0, ?>, %arg8 : tile<i32> loc(#loc11)
  %tview_10 = make_tensor_view %assume_0, shape = [%assume_7, %assume_8], strides = [%assume_9, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]> loc(#loc11)
  %assume_11 = assume bounded<0, ?>, %arg11 : tile<i32> loc(#loc11)
  %assume_12 = assume bounded<0, ?>, %arg12 : tile<i32> loc(#loc11)
  %assume_13 = assume bounded<0, ?>, %arg13 : tile<i32> loc(#loc11)
  %tview_14 = make_tensor_view %assume_1, shape = [%assume_11, %assume_12], strides = [%assume_13, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]> loc(#loc11)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc15)
  %blockId_x_15, %blockId_y_16, %blockId_z_17 = get_tile_block_id : tile<i32> loc(#loc16)
  %pview = make_partition_view %tview : partition_view<tile=(32x64), tensor_view<?x?xf32, strides=[?,1]>> loc(#loc17)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %blockId_y_16] token = %0 : partition_view<tile=(32x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<32x64xf32>, token loc(#loc17)
  %pview_18 = make_partition_view %tview_10 : partition_view<tile=(32x64), tensor_view<?x?xf32, strides=[?,1]>> loc(#loc18)
  %tile_19, %result_token_20 = load_view_tko weak %pview_18[%blockId_x, %blockId_y_16] token = %0 : partition_view<tile=(32x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<32x64xf32>, token loc(#loc18)
  %1 = addf %tile, %tile_19  : tile<32x64xf32> loc(#loc19)
  %pview_21 = make_partition_view %tview_14 : partition_view<tile=(32x64), tensor_view<?x?xf32, strides=[?,1]>> loc(#loc20)
  %2 = store_view_tko weak %1, %pview_21[%blockId_x, %blockId_y_16] token = %0 : tile<32x64xf32>, partition_view<tile=(32x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token loc(#loc20)
  return loc(#loc10)
} loc(#loc11)
#di_file = #cuda_tile.di_file<"vector_add_2d.py" in "">
#loc = loc("vector_add_2d.py":7:0)
#loc1 = loc("vector_add_2d.py":7:18)
#loc2 = loc("vector_add_2d.py":7:21)
#loc3 = loc("vector_add_2d.py":7:24)
#loc4 = loc("vector_add_2d.py":8:8)
#loc5 = loc("vector_add_2d.py":9:8)
#loc6 = loc("vector_add_2d.py":10:9)
#loc7 = loc("vector_add_2d.py":11:9)
#loc8 = loc("vector_add_2d.py":12:26)
#loc9 = loc("vector_add_2d.py":12:4)
#loc10 = loc(unknown)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 6, name = "vector_add_2d", linkageName = "vector_add_2d", compileUnit = #di_compile_unit, scopeLine = 6>
#loc11 = #cuda_tile.di_loc<#loc in #di_subprogram>
#loc12 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc13 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
#loc14 = #cuda_tile.di_loc<#loc3 in #di_subprogram>
#loc15 = #cuda_tile.di_loc<#loc4 in #di_subprogram>
#loc16 = #cuda_tile.di_loc<#loc5 in #di_subprogram>
#loc17 = #cuda_tile.di_loc<#loc6 in #di_subprogram>
#loc18 = #cuda_tile.di_loc<#loc7 in #di_subprogram>
#loc19 = #cuda_tile.di_loc<#loc8 in #di_subprogram>
#loc20 = #cuda_tile.di_loc<#loc9 in #di_subprogram>
