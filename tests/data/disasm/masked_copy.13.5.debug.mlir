entry @masked_copy_zero(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token loc(#loc36)
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>> loc(#loc37)
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f32>> loc(#loc38)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc36)
  %cst_1_i32_1 = constant <i32: 1> : tile<i32> loc(#loc36)
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc36)
  %assume_3 = assume bounded<0, ?>, %arg2 : tile<i32> loc(#loc36)
  %assume_4 = assume bounded<0, ?>, %arg3 : tile<i32> loc(#loc36)
  %tview = make_tensor_view %assume, shape = [%assume_2, %assume_3], strides = [%assume_4, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]> loc(#loc36)
  %assume_5 = assume bounded<0, ?>, %arg6 : tile<i32> loc(#loc36)
  %assume_6 = assume bounded<0, ?>, %arg7 : tile<i32> loc(#loc36)
  %assume_7 = assume bounded<0, ?>, %arg8 : tile<i32> loc(#loc36)
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_5, %assume_6], strides = [%assume_7, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]> loc(#loc36)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc39)
  %blockId_x_9, %blockId_y_10, %blockId_z_11 = get_tile_block_id : tile<i32> loc(#loc40)
  %pview = make_partition_view %tview : partition_view<tile=(16x32), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>> loc(#loc41)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %blockId_y_10] token = %0 : partition_view<tile=(16x32), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<16x32xf32>, token loc(#loc41)
  %pview_12 = make_partition_view %tview_8 : partition_view<tile=(16x32), tensor_view<?x?xf32, strides=[?,1]>> loc(#loc42)
  %1 = store_view_tko weak %tile, %pview_12[%blockId_x, %blockId_y_10] token = %0 : tile<16x32xf32>, partition_view<tile=(16x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token loc(#loc42)
  return loc(#loc7)
} loc(#loc36)
entry @masked_copy_neg_zero(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token loc(#loc43)
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>> loc(#loc44)
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f32>> loc(#loc45)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc43)
  %cst_1_i32_1 = constant <i32: 1> : tile<i32> loc(#loc43)
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc43)
  %assume_3 = assume bounded<0, ?>, %arg2 : tile<i32> loc(#loc43)
  %assume_4 = assume bounded<0, ?>, %arg3 : tile<i32> loc(#loc43)
  %tview = make_tensor_view %assume, shape = [%assume_2, %assume_3], strides = [%assume_4, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]> loc(#loc43)
  %assume_5 = assume bounded<0, ?>, %arg6 : tile<i32> loc(#loc43)
  %assume_6 = assume bounded<0, ?>, %arg7 : tile<i32> loc(#loc43)
  %assume_7 = assume bounded<0, ?>, %arg8 : tile<i32> loc(#loc43)
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_5, %assume_6], strides = [%assume_7, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]> loc(#loc43)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc46)
  %blockId_x_9, %blockId_y_10, %blockId_z_11 = get_tile_block_id : tile<i32> loc(#loc47)
  %pview = make_partition_view %tview : partition_view<tile=(16x32), padding_value = neg_zero, tensor_view<?x?xf32, strides=[?,1]>> loc(#loc48)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %blockId_y_10] token = %0 : partition_view<tile=(16x32), padding_value = neg_zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<16x32xf32>, token loc(#loc48)
  %pview_12 = make_partition_view %tview_8 : partition_view<tile=(16x32), tensor_view<?x?xf32, strides=[?,1]>> loc(#loc49)
  %1 = store_view_tko weak %tile, %pview_12[%blockId_x, %blockId_y_10] token = %0 : tile<16x32xf32>, partition_view<tile=(16x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token loc(#loc49)
  return loc(#loc7)
} loc(#loc43)
entry @masked_copy_nan(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token loc(#loc50)
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>> loc(#loc51)
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f32>> loc(#loc52)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc50)
  %cst_1_i32_1 = constant <i32: 1> : tile<i32> loc(#loc50)
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc50)
  %assume_3 = assume bounded<0, ?>, %arg2 : tile<i32> loc(#loc50)
  %assume_4 = assume bounded<0, ?>, %arg3 : tile<i32> loc(#loc50)
  %tview = make_tensor_view %assume, shape = [%assume_2, %assume_3], strides = [%assume_4, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]> loc(#loc50)
  %assume_5 = assume bounded<0, ?>, %arg6 : tile<i32> loc(#loc50)
  %assume_6 = assume bounded<0, ?>, %arg7 : tile<i32> loc(#loc50)
  %assume_7 = assume bounded<0, ?>, %arg8 : tile<i32> loc(#loc50)
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_5, %assume_6], strides = [%assume_7, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]> loc(#loc50)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc53)
  %blockId_x_9, %blockId_y_10, %blockId_z_11 = get_tile_block_id : tile<i32> loc(#loc54)
  %pview = make_partition_view %tview : partition_view<tile=(16x32), padding_value = nan, tensor_view<?x?xf32, strides=[?,1]>> loc(#loc55)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %blockId_y_10] token = %0 : partition_view<tile=(16x32), padding_value = nan, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<16x32xf32>, token loc(#loc55)
  %pview_12 = make_partition_view %tview_8 : partition_view<tile=(16x32), tensor_view<?x?xf32, strides=[?,1]>> loc(#loc56)
  %1 = store_view_tko weak %tile, %pview_12[%blockId_x, %blockId_y_10] token = %0 : tile<16x32xf32>, partition_view<tile=(16x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token loc(#loc56)
  return loc(#loc7)
} loc(#loc50)
entry @masked_copy_pos_inf(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token loc(#loc57)
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>> loc(#loc58)
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f32>> loc(#loc59)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc57)
  %cst_1_i32_1 = constant <i32: 1> : tile<i32> loc(#loc57)
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc57)
  %assume_3 = assume bounded<0, ?>, %arg2 : tile<i32> loc(#loc57)
  %assume_4 = assume bounded<0, ?>, %arg3 : tile<i32> loc(#loc57)
  %tview = make_tensor_view %assume, shape = [%assume_2, %assume_3], strides = [%assume_4, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]> loc(#loc57)
  %assume_5 = assume bounded<0, ?>, %arg6 : tile<i32> loc(#loc57)
  %assume_6 = assume bounded<0, ?>, %arg7 : tile<i32> loc(#loc57)
  %assume_7 = assume bounded<0, ?>, %arg8 : tile<i32> loc(#loc57)
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_5, %assume_6], strides = [%assume_7, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]> loc(#loc57)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc60)
  %blockId_x_9, %blockId_y_10, %blockId_z_11 = get_tile_block_id : tile<i32> loc(#loc61)
  %pview = make_partition_view %tview : partition_view<tile=(16x32), padding_value = pos_inf, tensor_view<?x?xf32, strides=[?,1]>> loc(#loc62)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %blockId_y_10] token = %0 : partition_view<tile=(16x32), padding_value = pos_inf, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<16x32xf32>, token loc(#loc62)
  %pview_12 = make_partition_view %tview_8 : partition_view<tile=(16x32), tensor_view<?x?xf32, strides=[?,1]>> loc(#loc63)
  %1 = store_view_tko weak %tile, %pview_12[%blockId_x, %blockId_y_10] token = %0 : tile<16x32xf32>, partition_view<tile=(16x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token loc(#loc63)
  return loc(#loc7)
} loc(#loc57)
entry @masked_copy_neg_inf(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token loc(#loc64)
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>> loc(#loc65)
  %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f32>> loc(#loc66)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc64)
  %cst_1_i32_1 = constant <i32: 1> : tile<i32> loc(#loc64)
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc64)
  %assume_3 = assume bounded<0, ?>, %arg2 : tile<i32> loc(#loc64)
  %assume_4 = assume bounded<0, ?>, %arg3 : tile<i32> loc(#loc64)
  %tview = make_tensor_view %assume, shape = [%assume_2, %assume_3], strides = [%assume_4, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]> loc(#loc64)
  %assume_5 = assume bounded<0, ?>, %arg6 : tile<i32> loc(#loc64)
  %assume_6 = assume bounded<0, ?>, %arg7 : tile<i32> loc(#loc64)
  %assume_7 = assume bounded<0, ?>, %arg8 : tile<i32> loc(#loc64)
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_5, %assume_6], strides = [%assume_7, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]> loc(#loc64)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc67)
  %blockId_x_9, %blockId_y_10, %blockId_z_11 = get_tile_block_id : tile<i32> loc(#loc68)
  %pview = make_partition_view %tview : partition_view<tile=(16x32), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>> loc(#loc69)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %blockId_y_10] token = %0 : partition_view<tile=(16x32), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<16x32xf32>, token loc(#loc69)
  %pview_12 = make_partition_view %tview_8 : partition_view<tile=(16x32), tensor_view<?x?xf32, strides=[?,1]>> loc(#loc70)
  %1 = store_view_tko weak %tile, %pview_12[%blockId_x, %blockId_y_10] token = %0 : tile<16x32xf32>, partition_view<tile=(16x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token loc(#loc70)
  return loc(#loc7)
} loc(#loc64)
#di_file = #cuda_tile.di_file<"masked_copy.py" in "">
#loc = loc("masked_copy.py":7:0)
#loc1 = loc("masked_copy.py":7:21)
#loc2 = loc("masked_copy.py":7:24)
#loc3 = loc("masked_copy.py":8:13)
#loc4 = loc("masked_copy.py":8:24)
#loc5 = loc("masked_copy.py":9:25)
#loc6 = loc("masked_copy.py":9:4)
#loc7 = loc(unknown)
#loc8 = loc("masked_copy.py":13:0)
#loc9 = loc("masked_copy.py":13:25)
#loc10 = loc("masked_copy.py":13:28)
#loc11 = loc("masked_copy.py":14:13)
#loc12 = loc("masked_copy.py":14:24)
#loc13 = loc("masked_copy.py":15:25)
#loc14 = loc("masked_copy.py":15:4)
#loc15 = loc("masked_copy.py":19:0)
#loc16 = loc("masked_copy.py":19:20)
#loc17 = loc("masked_copy.py":19:23)
#loc18 = loc("masked_copy.py":20:13)
#loc19 = loc("masked_copy.py":20:24)
#loc20 = loc("masked_copy.py":21:25)
#loc21 = loc("masked_copy.py":21:4)
#loc22 = loc("masked_copy.py":25:0)
#loc23 = loc("masked_copy.py":25:24)
#loc24 = loc("masked_copy.py":25:27)
#loc25 = loc("masked_copy.py":26:13)
#loc26 = loc("masked_copy.py":26:24)
#loc27 = loc("masked_copy.py":27:25)
#loc28 = loc("masked_copy.py":27:4)
#loc29 = loc("masked_copy.py":31:0)
#loc30 = loc("masked_copy.py":31:24)
#loc31 = loc("masked_copy.py":31:27)
#loc32 = loc("masked_copy.py":32:13)
#loc33 = loc("masked_copy.py":32:24)
#loc34 = loc("masked_copy.py":33:25)
#loc35 = loc("masked_copy.py":33:4)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 6, name = "masked_copy_zero", linkageName = "masked_copy_zero", compileUnit = #di_compile_unit, scopeLine = 6>
#di_subprogram1 = #cuda_tile.di_subprogram<file = #di_file, line = 12, name = "masked_copy_neg_zero", linkageName = "masked_copy_neg_zero", compileUnit = #di_compile_unit, scopeLine = 12>
#di_subprogram2 = #cuda_tile.di_subprogram<file = #di_file, line = 18, name = "masked_copy_nan", linkageName = "masked_copy_nan", compileUnit = #di_compile_unit, scopeLine = 18>
#di_subprogram3 = #cuda_tile.di_subprogram<file = #di_file, line = 24, name = "masked_copy_pos_inf", linkageName = "masked_copy_pos_inf", compileUnit = #di_compile_unit, scopeLine = 24>
#di_subprogram4 = #cuda_tile.di_subprogram<file = #di_file, line = 30, name = "masked_copy_neg_inf", linkageName = "masked_copy_neg_inf", compileUnit = #di_compile_unit, scopeLine = 30>
#loc36 = #cuda_tile.di_loc<#loc in #di_subprogram>
#loc37 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc38 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
#loc39 = #cuda_tile.di_loc<#loc3 in #di_subprogram>
#loc40 = #cuda_tile.di_loc<#loc4 in #di_subprogram>
#loc41 = #cuda_tile.di_loc<#loc5 in #di_subprogram>
#loc42 = #cuda_tile.di_loc<#loc6 in #di_subprogram>
#loc43 = #cuda_tile.di_loc<#loc8 in #di_subprogram1>
#loc44 = #cuda_tile.di_loc<#loc9 in #di_subprogram1>
#loc45 = #cuda_tile.di_loc<#loc10 in #di_subprogram1>
#loc46 = #cuda_tile.di_loc<#loc11 in #di_subprogram1>
#loc47 = #cuda_tile.di_loc<#loc12 in #di_subprogram1>
#loc48 = #cuda_tile.di_loc<#loc13 in #di_subprogram1>
#loc49 = #cuda_tile.di_loc<#loc14 in #di_subprogram1>
#loc50 = #cuda_tile.di_loc<#loc15 in #di_subprogram2>
#loc51 = #cuda_tile.di_loc<#loc16 in #di_subprogram2>
#loc52 = #cuda_tile.di_loc<#loc17 in #di_subprogram2>
#loc53 = #cuda_tile.di_loc<#loc18 in #di_subprogram2>
#loc54 = #cuda_tile.di_loc<#loc19 in #di_subprogram2>
#loc55 = #cuda_tile.di_loc<#loc20 in #di_subprogram2>
#loc56 = #cuda_tile.di_loc<#loc21 in #di_subprogram2>
#loc57 = #cuda_tile.di_loc<#loc22 in #di_subprogram3>
#loc58 = #cuda_tile.di_loc<#loc23 in #di_subprogram3>
#loc59 = #cuda_tile.di_loc<#loc24 in #di_subprogram3>
#loc60 = #cuda_tile.di_loc<#loc25 in #di_subprogram3>
#loc61 = #cuda_tile.di_loc<#loc26 in #di_subprogram3>
#loc62 = #cuda_tile.di_loc<#loc27 in #di_subprogram3>
#loc63 = #cuda_tile.di_loc<#loc28 in #di_subprogram3>
#loc64 = #cuda_tile.di_loc<#loc29 in #di_subprogram4>
#loc65 = #cuda_tile.di_loc<#loc30 in #di_subprogram4>
#loc66 = #cuda_tile.di_loc<#loc31 in #di_subprogram4>
#loc67 = #cuda_tile.di_loc<#loc32 in #di_subprogram4>
#loc68 = #cuda_tile.di_loc<#loc33 in #di_subprogram4>
#loc69 = #cuda_tile.di_loc<#loc34 in #di_subprogram4>
#loc70 = #cuda_tile.di_loc<#loc35 in #di_subprogram4>
