entry @float_arithmetic_f64(%arg0: tile<ptr<f64>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f64>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f64>>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token loc(#loc34)
  %assume = assume div_by<16>, %arg0 : tile<ptr<f64>> loc(#loc35)
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f64>> loc(#loc36)
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<f64>> loc(#loc37)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc34)
  %cst_1_i32_2 = constant <i32: 1> : tile<i32> loc(#loc34)
  %cst_1_i32_3 = constant <i32: 1> : tile<i32> loc(#loc34)
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc34)
  %tview = make_tensor_view %assume, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xf64, strides=[1]> loc(#loc34)
  %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32> loc(#loc34)
  %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xf64, strides=[1]> loc(#loc34)
  %assume_7 = assume bounded<0, ?>, %arg7 : tile<i32> loc(#loc34)
  %tview_8 = make_tensor_view %assume_1, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xf64, strides=[1]> loc(#loc34)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc38)
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xf64, strides=[1]>> loc(#loc39)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xf64, strides=[1]>>, tile<i32> -> tile<128xf64>, token loc(#loc39)
  %pview_9 = make_partition_view %tview_6 : partition_view<tile=(128), tensor_view<?xf64, strides=[1]>> loc(#loc40)
  %tile_10, %result_token_11 = load_view_tko weak %pview_9[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xf64, strides=[1]>>, tile<i32> -> tile<128xf64>, token loc(#loc40)
  %1 = subf %tile, %tile_10  : tile<128xf64> loc(#loc41)
  %2 = divf %1, %tile_10  : tile<128xf64> loc(#loc42)
  %3 = fma %tile, %tile_10, %2  : tile<128xf64> loc(#loc43)
  %4 = negf %tile : tile<128xf64> loc(#loc44)
  %5 = minf %3, %4 : tile<128xf64> loc(#loc45)
  %6 = absf %2 : tile<128xf64> loc(#loc46)
  %7 = absf %tile_10 : tile<128xf64> loc(#loc47)
  %8 = sqrt %7  : tile<128xf64> loc(#loc48)
  %9 = maxf %6, %8 : tile<128xf64> loc(#loc49)
  %10 = floor %5 : tile<128xf64> loc(#loc50)
  %11 = ceil %9 : tile<128xf64> loc(#loc51)
  %12 = addf %10, %11  : tile<128xf64> loc(#loc50)
  %13 = fma %5, %9, %12  : tile<128xf64> loc(#loc50)
  %pview_12 = make_partition_view %tview_8 : partition_view<tile=(128), tensor_view<?xf64, strides=[1]>> loc(#loc52)
  %14 = store_view_tko weak %13, %pview_12[%blockId_x] token = %0 : tile<128xf64>, partition_view<tile=(128), tensor_view<?xf64, strides=[1]>>, tile<i32> -> token loc(#loc52)
  return loc(#loc19)
} loc(#loc34)
entry @float_arithmetic_f32(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f32>>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token loc(#loc53)
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>> loc(#loc54)
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>> loc(#loc55)
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<f32>> loc(#loc56)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc53)
  %cst_1_i32_2 = constant <i32: 1> : tile<i32> loc(#loc53)
  %cst_1_i32_3 = constant <i32: 1> : tile<i32> loc(#loc53)
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc53)
  %tview = make_tensor_view %assume, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]> loc(#loc53)
  %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32> loc(#loc53)
  %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]> loc(#loc53)
  %assume_7 = assume bounded<0, ?>, %arg7 : tile<i32> loc(#loc53)
  %tview_8 = make_tensor_view %assume_1, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]> loc(#loc53)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc57)
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>> loc(#loc58)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token loc(#loc58)
  %pview_9 = make_partition_view %tview_6 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>> loc(#loc59)
  %tile_10, %result_token_11 = load_view_tko weak %pview_9[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token loc(#loc59)
  %1 = subf %tile, %tile_10  : tile<128xf32> loc(#loc60)
  %2 = divf %1, %tile_10  : tile<128xf32> loc(#loc61)
  %3 = fma %tile, %tile_10, %2  : tile<128xf32> loc(#loc62)
  %4 = negf %tile : tile<128xf32> loc(#loc63)
  %5 = minf %3, %4 : tile<128xf32> loc(#loc64)
  %6 = absf %2 : tile<128xf32> loc(#loc65)
  %7 = absf %tile_10 : tile<128xf32> loc(#loc66)
  %8 = sqrt %7  : tile<128xf32> loc(#loc67)
  %9 = maxf %6, %8 : tile<128xf32> loc(#loc68)
  %10 = floor %5 : tile<128xf32> loc(#loc69)
  %11 = ceil %9 : tile<128xf32> loc(#loc70)
  %12 = addf %10, %11  : tile<128xf32> loc(#loc69)
  %13 = fma %5, %9, %12  : tile<128xf32> loc(#loc69)
  %pview_12 = make_partition_view %tview_8 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>> loc(#loc71)
  %14 = store_view_tko weak %13, %pview_12[%blockId_x] token = %0 : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token loc(#loc71)
  return loc(#loc19)
} loc(#loc53)
entry @float_arithmetic_f16(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f16>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f16>>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token loc(#loc72)
  %assume = assume div_by<16>, %arg0 : tile<ptr<f16>> loc(#loc73)
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f16>> loc(#loc74)
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<f16>> loc(#loc75)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc72)
  %cst_1_i32_2 = constant <i32: 1> : tile<i32> loc(#loc72)
  %cst_1_i32_3 = constant <i32: 1> : tile<i32> loc(#loc72)
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc72)
  %tview = make_tensor_view %assume, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xf16, strides=[1]> loc(#loc72)
  %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32> loc(#loc72)
  %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xf16, strides=[1]> loc(#loc72)
  %assume_7 = assume bounded<0, ?>, %arg7 : tile<i32> loc(#loc72)
  %tview_8 = make_tensor_view %assume_1, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xf16, strides=[1]> loc(#loc72)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc76)
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xf16, strides=[1]>> loc(#loc77)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xf16, strides=[1]>>, tile<i32> -> tile<128xf16>, token loc(#loc77)
  %pview_9 = make_partition_view %tview_6 : partition_view<tile=(128), tensor_view<?xf16, strides=[1]>> loc(#loc78)
  %tile_10, %result_token_11 = load_view_tko weak %pview_9[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xf16, strides=[1]>>, tile<i32> -> tile<128xf16>, token loc(#loc78)
  %1 = subf %tile, %tile_10  : tile<128xf16> loc(#loc79)
  %2 = divf %1, %tile_10  : tile<128xf16> loc(#loc80)
  %3 = fma %tile, %tile_10, %2  : tile<128xf16> loc(#loc81)
  %4 = negf %tile : tile<128xf16> loc(#loc82)
  %5 = minf %3, %4 : tile<128xf16> loc(#loc83)
  %6 = absf %2 : tile<128xf16> loc(#loc84)
  %7 = absf %tile_10 : tile<128xf16> loc(#loc85)
  %8 = sqrt %7  : tile<128xf16> loc(#loc86)
  %9 = maxf %6, %8 : tile<128xf16> loc(#loc87)
  %10 = floor %5 : tile<128xf16> loc(#loc88)
  %11 = ceil %9 : tile<128xf16> loc(#loc89)
  %12 = addf %10, %11  : tile<128xf16> loc(#loc88)
  %13 = fma %5, %9, %12  : tile<128xf16> loc(#loc88)
  %pview_12 = make_partition_view %tview_8 : partition_view<tile=(128), tensor_view<?xf16, strides=[1]>> loc(#loc90)
  %14 = store_view_tko weak %13, %pview_12[%blockId_x] token = %0 : tile<128xf16>, partition_view<tile=(128), tensor_view<?xf16, strides=[1]>>, tile<i32> -> token loc(#loc90)
  return loc(#loc19)
} loc(#loc72)
entry @float_arithmetic_bf16(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<bf16>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<bf16>>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token loc(#loc91)
  %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>> loc(#loc92)
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<bf16>> loc(#loc93)
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<bf16>> loc(#loc94)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc91)
  %cst_1_i32_2 = constant <i32: 1> : tile<i32> loc(#loc91)
  %cst_1_i32_3 = constant <i32: 1> : tile<i32> loc(#loc91)
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc91)
  %tview = make_tensor_view %assume, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xbf16, strides=[1]> loc(#loc91)
  %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32> loc(#loc91)
  %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xbf16, strides=[1]> loc(#loc91)
  %assume_7 = assume bounded<0, ?>, %arg7 : tile<i32> loc(#loc91)
  %tview_8 = make_tensor_view %assume_1, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xbf16, strides=[1]> loc(#loc91)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc95)
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xbf16, strides=[1]>> loc(#loc96)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xbf16, strides=[1]>>, tile<i32> -> tile<128xbf16>, token loc(#loc96)
  %pview_9 = make_partition_view %tview_6 : partition_view<tile=(128), tensor_view<?xbf16, strides=[1]>> loc(#loc97)
  %tile_10, %result_token_11 = load_view_tko weak %pview_9[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xbf16, strides=[1]>>, tile<i32> -> tile<128xbf16>, token loc(#loc97)
  %1 = subf %tile, %tile_10  : tile<128xbf16> loc(#loc98)
  %2 = divf %1, %tile_10  : tile<128xbf16> loc(#loc99)
  %3 = fma %tile, %tile_10, %2  : tile<128xbf16> loc(#loc100)
  %4 = negf %tile : tile<128xbf16> loc(#loc101)
  %5 = minf %3, %4 : tile<128xbf16> loc(#loc102)
  %6 = absf %2 : tile<128xbf16> loc(#loc103)
  %7 = absf %tile_10 : tile<128xbf16> loc(#loc104)
  %8 = sqrt %7  : tile<128xbf16> loc(#loc105)
  %9 = maxf %6, %8 : tile<128xbf16> loc(#loc106)
  %10 = floor %5 : tile<128xbf16> loc(#loc107)
  %11 = ceil %9 : tile<128xbf16> loc(#loc108)
  %12 = addf %10, %11  : tile<128xbf16> loc(#loc107)
  %13 = fma %5, %9, %12  : tile<128xbf16> loc(#loc107)
  %pview_12 = make_partition_view %tview_8 : partition_view<tile=(128), tensor_view<?xbf16, strides=[1]>> loc(#loc109)
  %14 = store_view_tko weak %13, %pview_12[%blockId_x] token = %0 : tile<128xbf16>, partition_view<tile=(128), tensor_view<?xbf16, strides=[1]>>, tile<i32> -> token loc(#loc109)
  return loc(#loc19)
} loc(#loc91)
entry @directed_rounding(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f32>>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token loc(#loc110)
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>> loc(#loc111)
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>> loc(#loc112)
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<f32>> loc(#loc113)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc110)
  %cst_1_i32_2 = constant <i32: 1> : tile<i32> loc(#loc110)
  %cst_1_i32_3 = constant <i32: 1> : tile<i32> loc(#loc110)
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc110)
  %tview = make_tensor_view %assume, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]> loc(#loc110)
  %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32> loc(#loc110)
  %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]> loc(#loc110)
  %assume_7 = assume bounded<0, ?>, %arg7 : tile<i32> loc(#loc110)
  %tview_8 = make_tensor_view %assume_1, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]> loc(#loc110)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc114)
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>> loc(#loc115)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token loc(#loc115)
  %pview_9 = make_partition_view %tview_6 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>> loc(#loc116)
  %tile_10, %result_token_11 = load_view_tko weak %pview_9[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token loc(#loc116)
  %1 = addf %tile, %tile_10 rounding<negative_inf> : tile<128xf32> loc(#loc117)
  %2 = mulf %tile, %tile_10 rounding<positive_inf> : tile<128xf32> loc(#loc118)
  %3 = subf %tile, %tile_10 rounding<zero> : tile<128xf32> loc(#loc119)
  %4 = divf %2, %tile_10 rounding<zero> : tile<128xf32> loc(#loc120)
  %5 = addf %1, %3  flush_to_zero : tile<128xf32> loc(#loc121)
  %6 = addf %5, %4 rounding<positive_inf> : tile<128xf32> loc(#loc122)
  %pview_12 = make_partition_view %tview_8 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>> loc(#loc123)
  %7 = store_view_tko weak %6, %pview_12[%blockId_x] token = %0 : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token loc(#loc123)
  return loc(#loc19)
} loc(#loc110)
#di_file = #cuda_tile.di_file<"float_arithmetic.py" in "">
#loc = loc("float_arithmetic.py":7:0)
#loc1 = loc("float_arithmetic.py":7:21)
#loc2 = loc("float_arithmetic.py":7:24)
#loc3 = loc("float_arithmetic.py":7:27)
#loc4 = loc("float_arithmetic.py":8:8)
#loc5 = loc("float_arithmetic.py":9:8)
#loc6 = loc("float_arithmetic.py":10:8)
#loc7 = loc("float_arithmetic.py":11:16)
#loc8 = loc("float_arithmetic.py":11:15)
#loc9 = loc("float_arithmetic.py":12:12)
#loc10 = loc("float_arithmetic.py":13:28)
#loc11 = loc("float_arithmetic.py":13:10)
#loc12 = loc("float_arithmetic.py":14:22)
#loc13 = loc("float_arithmetic.py":14:45)
#loc14 = loc("float_arithmetic.py":14:37)
#loc15 = loc("float_arithmetic.py":14:11)
#loc16 = loc("float_arithmetic.py":15:24)
#loc17 = loc("float_arithmetic.py":15:40)
#loc18 = loc("float_arithmetic.py":15:4)
#loc19 = loc(unknown)
#loc20 = loc("float_arithmetic.py":19:0)
#loc21 = loc("float_arithmetic.py":19:22)
#loc22 = loc("float_arithmetic.py":19:25)
#loc23 = loc("float_arithmetic.py":19:28)
#loc24 = loc("float_arithmetic.py":20:8)
#loc25 = loc("float_arithmetic.py":21:8)
#loc26 = loc("float_arithmetic.py":22:8)
#loc27 = loc("float_arithmetic.py":23:11)
#loc28 = loc("float_arithmetic.py":24:9)
#loc29 = loc("float_arithmetic.py":25:10)
#loc30 = loc("float_arithmetic.py":26:12)
#loc31 = loc("float_arithmetic.py":27:31)
#loc32 = loc("float_arithmetic.py":27:24)
#loc33 = loc("float_arithmetic.py":27:4)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 6, name = "float_arithmetic", linkageName = "float_arithmetic_f64", compileUnit = #di_compile_unit, scopeLine = 6>
#di_subprogram1 = #cuda_tile.di_subprogram<file = #di_file, line = 6, name = "float_arithmetic", linkageName = "float_arithmetic_f32", compileUnit = #di_compile_unit, scopeLine = 6>
#di_subprogram2 = #cuda_tile.di_subprogram<file = #di_file, line = 6, name = "float_arithmetic", linkageName = "float_arithmetic_f16", compileUnit = #di_compile_unit, scopeLine = 6>
#di_subprogram3 = #cuda_tile.di_subprogram<file = #di_file, line = 6, name = "float_arithmetic", linkageName = "float_arithmetic_bf16", compileUnit = #di_compile_unit, scopeLine = 6>
#di_subprogram4 = #cuda_tile.di_subprogram<file = #di_file, line = 18, name = "directed_rounding", linkageName = "directed_rounding", compileUnit = #di_compile_unit, scopeLine = 18>
#loc34 = #cuda_tile.di_loc<#loc in #di_subprogram>
#loc35 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc36 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
#loc37 = #cuda_tile.di_loc<#loc3 in #di_subprogram>
#loc38 = #cuda_tile.di_loc<#loc4 in #di_subprogram>
#loc39 = #cuda_tile.di_loc<#loc5 in #di_subprogram>
#loc40 = #cuda_tile.di_loc<#loc6 in #di_subprogram>
#loc41 = #cuda_tile.di_loc<#loc7 in #di_subprogram>
#loc42 = #cuda_tile.di_loc<#loc8 in #di_subprogram>
#loc43 = #cuda_tile.di_loc<#loc9 in #di_subprogram>
#loc44 = #cuda_tile.di_loc<#loc10 in #di_subprogram>
#loc45 = #cuda_tile.di_loc<#loc11 in #di_subprogram>
#loc46 = #cuda_tile.di_loc<#loc12 in #di_subprogram>
#loc47 = #cuda_tile.di_loc<#loc13 in #di_subprogram>
#loc48 = #cuda_tile.di_loc<#loc14 in #di_subprogram>
#loc49 = #cuda_tile.di_loc<#loc15 in #di_subprogram>
#loc50 = #cuda_tile.di_loc<#loc16 in #di_subprogram>
#loc51 = #cuda_tile.di_loc<#loc17 in #di_subprogram>
#loc52 = #cuda_tile.di_loc<#loc18 in #di_subprogram>
#loc53 = #cuda_tile.di_loc<#loc in #di_subprogram1>
#loc54 = #cuda_tile.di_loc<#loc1 in #di_subprogram1>
#loc55 = #cuda_tile.di_loc<#loc2 in #di_subprogram1>
#loc56 = #cuda_tile.di_loc<#loc3 in #di_subprogram1>
#loc57 = #cuda_tile.di_loc<#loc4 in #di_subprogram1>
#loc58 = #cuda_tile.di_loc<#loc5 in #di_subprogram1>
#loc59 = #cuda_tile.di_loc<#loc6 in #di_subprogram1>
#loc60 = #cuda_tile.di_loc<#loc7 in #di_subprogram1>
#loc61 = #cuda_tile.di_loc<#loc8 in #di_subprogram1>
#loc62 = #cuda_tile.di_loc<#loc9 in #di_subprogram1>
#loc63 = #cuda_tile.di_loc<#loc10 in #di_subprogram1>
#loc64 = #cuda_tile.di_loc<#loc11 in #di_subprogram1>
#loc65 = #cuda_tile.di_loc<#loc12 in #di_subprogram1>
#loc66 = #cuda_tile.di_loc<#loc13 in #di_subprogram1>
#loc67 = #cuda_tile.di_loc<#loc14 in #di_subprogram1>
#loc68 = #cuda_tile.di_loc<#loc15 in #di_subprogram1>
#loc69 = #cuda_tile.di_loc<#loc16 in #di_subprogram1>
#loc70 = #cuda_tile.di_loc<#loc17 in #di_subprogram1>
#loc71 = #cuda_tile.di_loc<#loc18 in #di_subprogram1>
#loc72 = #cuda_tile.di_loc<#loc in #di_subprogram2>
#loc73 = #cuda_tile.di_loc<#loc1 in #di_subprogram2>
#loc74 = #cuda_tile.di_loc<#loc2 in #di_subprogram2>
#loc75 = #cuda_tile.di_loc<#loc3 in #di_subprogram2>
#loc76 = #cuda_tile.di_loc<#loc4 in #di_subprogram2>
#loc77 = #cuda_tile.di_loc<#loc5 in #di_subprogram2>
#loc78 = #cuda_tile.di_loc<#loc6 in #di_subprogram2>
#loc79 = #cuda_tile.di_loc<#loc7 in #di_subprogram2>
#loc80 = #cuda_tile.di_loc<#loc8 in #di_subprogram2>
#loc81 = #cuda_tile.di_loc<#loc9 in #di_subprogram2>
#loc82 = #cuda_tile.di_loc<#loc10 in #di_subprogram2>
#loc83 = #cuda_tile.di_loc<#loc11 in #di_subprogram2>
#loc84 = #cuda_tile.di_loc<#loc12 in #di_subprogram2>
#loc85 = #cuda_tile.di_loc<#loc13 in #di_subprogram2>
#loc86 = #cuda_tile.di_loc<#loc14 in #di_subprogram2>
#loc87 = #cuda_tile.di_loc<#loc15 in #di_subprogram2>
#loc88 = #cuda_tile.di_loc<#loc16 in #di_subprogram2>
#loc89 = #cuda_tile.di_loc<#loc17 in #di_subprogram2>
#loc90 = #cuda_tile.di_loc<#loc18 in #di_subprogram2>
#loc91 = #cuda_tile.di_loc<#loc in #di_subprogram3>
#loc92 = #cuda_tile.di_loc<#loc1 in #di_subprogram3>
#loc93 = #cuda_tile.di_loc<#loc2 in #di_subprogram3>
#loc94 = #cuda_tile.di_loc<#loc3 in #di_subprogram3>
#loc95 = #cuda_tile.di_loc<#loc4 in #di_subprogram3>
#loc96 = #cuda_tile.di_loc<#loc5 in #di_subprogram3>
#loc97 = #cuda_tile.di_loc<#loc6 in #di_subprogram3>
#loc98 = #cuda_tile.di_loc<#loc7 in #di_subprogram3>
#loc99 = #cuda_tile.di_loc<#loc8 in #di_subprogram3>
#loc100 = #cuda_tile.di_loc<#loc9 in #di_subprogram3>
#loc101 = #cuda_tile.di_loc<#loc10 in #di_subprogram3>
#loc102 = #cuda_tile.di_loc<#loc11 in #di_subprogram3>
#loc103 = #cuda_tile.di_loc<#loc12 in #di_subprogram3>
#loc104 = #cuda_tile.di_loc<#loc13 in #di_subprogram3>
#loc105 = #cuda_tile.di_loc<#loc14 in #di_subprogram3>
#loc106 = #cuda_tile.di_loc<#loc15 in #di_subprogram3>
#loc107 = #cuda_tile.di_loc<#loc16 in #di_subprogram3>
#loc108 = #cuda_tile.di_loc<#loc17 in #di_subprogram3>
#loc109 = #cuda_tile.di_loc<#loc18 in #di_subprogram3>
#loc110 = #cuda_tile.di_loc<#loc20 in #di_subprogram4>
#loc111 = #cuda_tile.di_loc<#loc21 in #di_subprogram4>
#loc112 = #cuda_tile.di_loc<#loc22 in #di_subprogram4>
#loc113 = #cuda_tile.di_loc<#loc23 in #di_subprogram4>
#loc114 = #cuda_tile.di_loc<#loc24 in #di_subprogram4>
#loc115 = #cuda_tile.di_loc<#loc25 in #di_subprogram4>
#loc116 = #cuda_tile.di_loc<#loc26 in #di_subprogram4>
#loc117 = #cuda_tile.di_loc<#loc27 in #di_subprogram4>
#loc118 = #cuda_tile.di_loc<#loc28 in #di_subprogram4>
#loc119 = #cuda_tile.di_loc<#loc29 in #di_subprogram4>
#loc120 = #cuda_tile.di_loc<#loc30 in #di_subprogram4>
#loc121 = #cuda_tile.di_loc<#loc31 in #di_subprogram4>
#loc122 = #cuda_tile.di_loc<#loc32 in #di_subprogram4>
#loc123 = #cuda_tile.di_loc<#loc33 in #di_subprogram4>
