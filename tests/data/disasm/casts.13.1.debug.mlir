entry @float_chain(%arg0: tile<ptr<f64>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f64>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token loc(#loc69)
  %assume = assume div_by<16>, %arg0 : tile<ptr<f64>> loc(#loc70)
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f64>> loc(#loc71)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc69)
  %cst_1_i32_1 = constant <i32: 1> : tile<i32> loc(#loc69)
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc69)
  %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xf64, strides=[1]> loc(#loc69)
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32> loc(#loc69)
  %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xf64, strides=[1]> loc(#loc69)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc72)
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xf64, strides=[1]>> loc(#loc73)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xf64, strides=[1]>>, tile<i32> -> tile<128xf64>, token loc(#loc73)
  %1 = ftof %tile  : tile<128xf64> -> tile<128xf32> loc(#loc74)
  %2 = ftof %1  : tile<128xf32> -> tile<128xf16> loc(#loc75)
  %3 = ftof %2  : tile<128xf16> -> tile<128xf32> loc(#loc76)
  %4 = ftof %3  : tile<128xf32> -> tile<128xbf16> loc(#loc77)
  %5 = ftof %4  : tile<128xbf16> -> tile<128xf32> loc(#loc78)
  %6 = ftoi %5 signed  : tile<128xf32> -> tile<128xi32> loc(#loc79)
  %7 = exti %6 signed : tile<128xi32> -> tile<128xi64> loc(#loc80)
  %8 = itof %7 signed  : tile<128xi64> -> tile<128xf64> loc(#loc81)
  %9 = ftof %4  : tile<128xbf16> -> tile<128xf64> loc(#loc82)
  %10 = addf %8, %9  : tile<128xf64> loc(#loc83)
  %11 = ftof %2  : tile<128xf16> -> tile<128xf64> loc(#loc84)
  %12 = addf %10, %11  : tile<128xf64> loc(#loc83)
  %13 = ftof %1  : tile<128xf32> -> tile<128xf64> loc(#loc85)
  %14 = addf %12, %13  : tile<128xf64> loc(#loc86)
  %pview_5 = make_partition_view %tview_4 : partition_view<tile=(128), tensor_view<?xf64, strides=[1]>> loc(#loc87)
  %15 = store_view_tko weak %14, %pview_5[%blockId_x] token = %0 : tile<128xf64>, partition_view<tile=(128), tensor_view<?xf64, strides=[1]>>, tile<i32> -> token loc(#loc87)
  return loc(#loc19)
} loc(#loc69)
entry @integer_chain(%arg0: tile<ptr<i64>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i64>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token loc(#loc88)
  %assume = assume div_by<16>, %arg0 : tile<ptr<i64>> loc(#loc89)
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i64>> loc(#loc90)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc88)
  %cst_1_i32_1 = constant <i32: 1> : tile<i32> loc(#loc88)
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc88)
  %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]> loc(#loc88)
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32> loc(#loc88)
  %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]> loc(#loc88)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc91)
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xi64, strides=[1]>> loc(#loc92)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xi64, strides=[1]>>, tile<i32> -> tile<128xi64>, token loc(#loc92)
  %1 = trunci %tile : tile<128xi64> -> tile<128xi32> loc(#loc93)
  %2 = trunci %1 : tile<128xi32> -> tile<128xi16> loc(#loc94)
  %3 = trunci %2 : tile<128xi16> -> tile<128xi8> loc(#loc95)
  %4 = exti %3 unsigned : tile<128xi8> -> tile<128xi16> loc(#loc96)
  %5 = exti %4 unsigned : tile<128xi16> -> tile<128xi32> loc(#loc97)
  %6 = trunci %tile : tile<128xi64> -> tile<128xi32> loc(#loc98)
  %7 = addi %5, %6 : tile<128xi32> loc(#loc97)
  %8 = exti %7 unsigned : tile<128xi32> -> tile<128xi64> loc(#loc99)
  %9 = exti %2 signed : tile<128xi16> -> tile<128xi64> loc(#loc100)
  %10 = addi %8, %9 : tile<128xi64> loc(#loc99)
  %11 = exti %3 signed : tile<128xi8> -> tile<128xi64> loc(#loc101)
  %12 = addi %10, %11 : tile<128xi64> loc(#loc102)
  %pview_5 = make_partition_view %tview_4 : partition_view<tile=(128), tensor_view<?xi64, strides=[1]>> loc(#loc103)
  %13 = store_view_tko weak %12, %pview_5[%blockId_x] token = %0 : tile<128xi64>, partition_view<tile=(128), tensor_view<?xi64, strides=[1]>>, tile<i32> -> token loc(#loc103)
  return loc(#loc19)
} loc(#loc88)
entry @mixed_chain(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token loc(#loc104)
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>> loc(#loc105)
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>> loc(#loc106)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc104)
  %cst_1_i32_1 = constant <i32: 1> : tile<i32> loc(#loc104)
  %cst_1_i32_2 = constant <i32: 1> : tile<128xi32> loc(#loc107)
  %cst_1_i32_3 = constant <i32: 1> : tile<128xi32> loc(#loc108)
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc104)
  %tview = make_tensor_view %assume, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]> loc(#loc104)
  %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32> loc(#loc104)
  %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]> loc(#loc104)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc109)
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>> loc(#loc110)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token loc(#loc110)
  %1 = andi %tile, %cst_1_i32_2 : tile<128xi32> loc(#loc107)
  %cst_0_i32 = constant <i32: 0> : tile<128xi32> loc(#loc111)
  %2 = cmpi not_equal %1, %cst_0_i32, signed : tile<128xi32> -> tile<128xi1> loc(#loc111)
  %3 = itof %2 unsigned  : tile<128xi1> -> tile<128xf32> loc(#loc112)
  %4 = exti %2 unsigned : tile<128xi1> -> tile<128xi32> loc(#loc113)
  %5 = itof %4 signed  : tile<128xi32> -> tile<128xf32> loc(#loc114)
  %6 = addf %3, %5  : tile<128xf32> loc(#loc112)
  %7 = trunci %tile : tile<128xi32> -> tile<128xi8> loc(#loc115)
  %8 = itof %7 signed  : tile<128xi8> -> tile<128xf16> loc(#loc116)
  %9 = ftof %8  : tile<128xf16> -> tile<128xf32> loc(#loc117)
  %10 = trunci %tile : tile<128xi32> -> tile<128xi8> loc(#loc118)
  %11 = itof %10 unsigned  : tile<128xi8> -> tile<128xbf16> loc(#loc119)
  %12 = ftof %11  : tile<128xbf16> -> tile<128xf32> loc(#loc120)
  %13 = itof %tile unsigned  : tile<128xi32> -> tile<128xf32> loc(#loc121)
  %14 = exti %tile signed : tile<128xi32> -> tile<128xi64> loc(#loc122)
  %15 = itof %14 unsigned  : tile<128xi64> -> tile<128xf32> loc(#loc123)
  %cst_200_f32 = constant <f32: 2.000000e+02> : tile<f32> loc(#loc124)
  %reshape = reshape %cst_200_f32 : tile<f32> -> tile<1xf32> loc(#loc125)
  %bcast = broadcast %reshape : tile<1xf32> -> tile<128xf32> loc(#loc125)
  %16 = addf %9, %bcast  : tile<128xf32> loc(#loc125)
  %17 = ftoi %16 unsigned  : tile<128xf32> -> tile<128xi32> loc(#loc126)
  %18 = itof %17 unsigned  : tile<128xi32> -> tile<128xf32> loc(#loc127)
  %19 = itof %2 unsigned  : tile<128xi1> -> tile<128xf32> loc(#loc128)
  %20 = ftoi %19 unsigned  : tile<128xf32> -> tile<128xi1> loc(#loc129)
  %21 = itof %20 unsigned  : tile<128xi1> -> tile<128xf32> loc(#loc130)
  %22 = bitcast %13 : tile<128xf32> -> tile<128xi32> loc(#loc108)
  %23 = xori %22, %cst_1_i32_3 : tile<128xi32> loc(#loc108)
  %24 = bitcast %23 : tile<128xi32> -> tile<128xf32> loc(#loc131)
  %25 = addf %6, %9  : tile<128xf32> loc(#loc132)
  %26 = addf %25, %12  : tile<128xf32> loc(#loc132)
  %27 = addf %26, %18  : tile<128xf32> loc(#loc132)
  %28 = addf %27, %21  : tile<128xf32> loc(#loc132)
  %cst_2_f32 = constant <f32: 2.000000e+00> : tile<f32> loc(#loc133)
  %reshape_7 = reshape %cst_2_f32 : tile<f32> -> tile<1xf32> loc(#loc134)
  %bcast_8 = broadcast %reshape_7 : tile<1xf32> -> tile<128xf32> loc(#loc134)
  %29 = fma %13, %bcast_8, %28  : tile<128xf32> loc(#loc135)
  %30 = subf %29, %15  : tile<128xf32> loc(#loc135)
  %31 = addf %30, %24  : tile<128xf32> loc(#loc135)
  %pview_9 = make_partition_view %tview_6 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>> loc(#loc136)
  %32 = store_view_tko weak %31, %pview_9[%blockId_x] token = %0 : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token loc(#loc136)
  return loc(#loc19)
} loc(#loc104)
#di_file = #cuda_tile.di_file<"casts.py" in "">
#loc = loc("casts.py":7:0)
#loc1 = loc("casts.py":7:16)
#loc2 = loc("casts.py":7:19)
#loc3 = loc("casts.py":8:8)
#loc4 = loc("casts.py":9:8)
#loc5 = loc("casts.py":10:13)
#loc6 = loc("casts.py":11:11)
#loc7 = loc("casts.py":12:22)
#loc8 = loc("casts.py":12:12)
#loc9 = loc("casts.py":13:22)
#loc10 = loc("casts.py":13:12)
#loc11 = loc("casts.py":14:21)
#loc12 = loc("casts.py":14:11)
#loc13 = loc("casts.py":15:19)
#loc14 = loc("casts.py":15:12)
#loc15 = loc("casts.py":15:50)
#loc16 = loc("casts.py":16:32)
#loc17 = loc("casts.py":16:24)
#loc18 = loc("casts.py":16:4)
#loc19 = loc(unknown)
#loc20 = loc("casts.py":20:0)
#loc21 = loc("casts.py":20:18)
#loc22 = loc("casts.py":20:21)
#loc23 = loc("casts.py":21:8)
#loc24 = loc("casts.py":22:8)
#loc25 = loc("casts.py":23:22)
#loc26 = loc("casts.py":23:12)
#loc27 = loc("casts.py":24:11)
#loc28 = loc("casts.py":25:20)
#loc29 = loc("casts.py":26:20)
#loc30 = loc("casts.py":26:58)
#loc31 = loc("casts.py":27:11)
#loc32 = loc("casts.py":27:49)
#loc33 = loc("casts.py":28:52)
#loc34 = loc("casts.py":28:24)
#loc35 = loc("casts.py":28:4)
#loc36 = loc("casts.py":32:0)
#loc37 = loc("casts.py":32:16)
#loc38 = loc("casts.py":32:19)
#loc39 = loc("casts.py":35:20)
#loc40 = loc("casts.py":43:22)
#loc41 = loc("casts.py":33:8)
#loc42 = loc("casts.py":34:8)
#loc43 = loc("casts.py":35:10)
#loc44 = loc("casts.py":36:16)
#loc45 = loc("casts.py":36:55)
#loc46 = loc("casts.py":36:45)
#loc47 = loc("casts.py":37:36)
#loc48 = loc("casts.py":37:26)
#loc49 = loc("casts.py":37:16)
#loc50 = loc("casts.py":38:45)
#loc51 = loc("casts.py":38:35)
#loc52 = loc("casts.py":38:25)
#loc53 = loc("casts.py":39:16)
#loc54 = loc("casts.py":40:26)
#loc55 = loc("casts.py":40:16)
#loc56 = loc("casts.py":41:43)
#loc57 = loc("casts.py":41:31)
#loc58 = loc("casts.py":41:21)
#loc59 = loc("casts.py":41:11)
#loc60 = loc("casts.py":42:34)
#loc61 = loc("casts.py":42:24)
#loc62 = loc("casts.py":42:14)
#loc63 = loc("casts.py":43:11)
#loc64 = loc("casts.py":44:12)
#loc65 = loc("casts.py":45:44)
#loc66 = loc("casts.py":45:32)
#loc67 = loc("casts.py":45:24)
#loc68 = loc("casts.py":45:4)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 6, name = "float_chain", linkageName = "float_chain", compileUnit = #di_compile_unit, scopeLine = 6>
#di_subprogram1 = #cuda_tile.di_subprogram<file = #di_file, line = 19, name = "integer_chain", linkageName = "integer_chain", compileUnit = #di_compile_unit, scopeLine = 19>
#di_subprogram2 = #cuda_tile.di_subprogram<file = #di_file, line = 31, name = "mixed_chain", linkageName = "mixed_chain", compileUnit = #di_compile_unit, scopeLine = 31>
#loc69 = #cuda_tile.di_loc<#loc in #di_subprogram>
#loc70 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc71 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
#loc72 = #cuda_tile.di_loc<#loc3 in #di_subprogram>
#loc73 = #cuda_tile.di_loc<#loc4 in #di_subprogram>
#loc74 = #cuda_tile.di_loc<#loc5 in #di_subprogram>
#loc75 = #cuda_tile.di_loc<#loc6 in #di_subprogram>
#loc76 = #cuda_tile.di_loc<#loc7 in #di_subprogram>
#loc77 = #cuda_tile.di_loc<#loc8 in #di_subprogram>
#loc78 = #cuda_tile.di_loc<#loc9 in #di_subprogram>
#loc79 = #cuda_tile.di_loc<#loc10 in #di_subprogram>
#loc80 = #cuda_tile.di_loc<#loc11 in #di_subprogram>
#loc81 = #cuda_tile.di_loc<#loc12 in #di_subprogram>
#loc82 = #cuda_tile.di_loc<#loc13 in #di_subprogram>
#loc83 = #cuda_tile.di_loc<#loc14 in #di_subprogram>
#loc84 = #cuda_tile.di_loc<#loc15 in #di_subprogram>
#loc85 = #cuda_tile.di_loc<#loc16 in #di_subprogram>
#loc86 = #cuda_tile.di_loc<#loc17 in #di_subprogram>
#loc87 = #cuda_tile.di_loc<#loc18 in #di_subprogram>
#loc88 = #cuda_tile.di_loc<#loc20 in #di_subprogram1>
#loc89 = #cuda_tile.di_loc<#loc21 in #di_subprogram1>
#loc90 = #cuda_tile.di_loc<#loc22 in #di_subprogram1>
#loc91 = #cuda_tile.di_loc<#loc23 in #di_subprogram1>
#loc92 = #cuda_tile.di_loc<#loc24 in #di_subprogram1>
#loc93 = #cuda_tile.di_loc<#loc25 in #di_subprogram1>
#loc94 = #cuda_tile.di_loc<#loc26 in #di_subprogram1>
#loc95 = #cuda_tile.di_loc<#loc27 in #di_subprogram1>
#loc96 = #cuda_tile.di_loc<#loc28 in #di_subprogram1>
#loc97 = #cuda_tile.di_loc<#loc29 in #di_subprogram1>
#loc98 = #cuda_tile.di_loc<#loc30 in #di_subprogram1>
#loc99 = #cuda_tile.di_loc<#loc31 in #di_subprogram1>
#loc100 = #cuda_tile.di_loc<#loc32 in #di_subprogram1>
#loc101 = #cuda_tile.di_loc<#loc33 in #di_subprogram1>
#loc102 = #cuda_tile.di_loc<#loc34 in #di_subprogram1>
#loc103 = #cuda_tile.di_loc<#loc35 in #di_subprogram1>
#loc104 = #cuda_tile.di_loc<#loc36 in #di_subprogram2>
#loc105 = #cuda_tile.di_loc<#loc37 in #di_subprogram2>
#loc106 = #cuda_tile.di_loc<#loc38 in #di_subprogram2>
#loc107 = #cuda_tile.di_loc<#loc39 in #di_subprogram2>
#loc108 = #cuda_tile.di_loc<#loc40 in #di_subprogram2>
#loc109 = #cuda_tile.di_loc<#loc41 in #di_subprogram2>
#loc110 = #cuda_tile.di_loc<#loc42 in #di_subprogram2>
#loc111 = #cuda_tile.di_loc<#loc43 in #di_subprogram2>
#loc112 = #cuda_tile.di_loc<#loc44 in #di_subprogram2>
#loc113 = #cuda_tile.di_loc<#loc45 in #di_subprogram2>
#loc114 = #cuda_tile.di_loc<#loc46 in #di_subprogram2>
#loc115 = #cuda_tile.di_loc<#loc47 in #di_subprogram2>
#loc116 = #cuda_tile.di_loc<#loc48 in #di_subprogram2>
#loc117 = #cuda_tile.di_loc<#loc49 in #di_subprogram2>
#loc118 = #cuda_tile.di_loc<#loc50 in #di_subprogram2>
#loc119 = #cuda_tile.di_loc<#loc51 in #di_subprogram2>
#loc120 = #cuda_tile.di_loc<#loc52 in #di_subprogram2>
#loc121 = #cuda_tile.di_loc<#loc53 in #di_subprogram2>
#loc122 = #cuda_tile.di_loc<#loc54 in #di_subprogram2>
#loc123 = #cuda_tile.di_loc<#loc55 in #di_subprogram2>
#loc124 = #cuda_tile.di_loc<#loc56 in #di_subprogram2>
#loc125 = #cuda_tile.di_loc<#loc57 in #di_subprogram2>
#loc126 = #cuda_tile.di_loc<#loc58 in #di_subprogram2>
#loc127 = #cuda_tile.di_loc<#loc59 in #di_subprogram2>
#loc128 = #cuda_tile.di_loc<#loc60 in #di_subprogram2>
#loc129 = #cuda_tile.di_loc<#loc61 in #di_subprogram2>
#loc130 = #cuda_tile.di_loc<#loc62 in #di_subprogram2>
#loc131 = #cuda_tile.di_loc<#loc63 in #di_subprogram2>
#loc132 = #cuda_tile.di_loc<#loc64 in #di_subprogram2>
#loc133 = #cuda_tile.di_loc<#loc65 in #di_subprogram2>
#loc134 = #cuda_tile.di_loc<#loc66 in #di_subprogram2>
#loc135 = #cuda_tile.di_loc<#loc67 in #di_subprogram2>
#loc136 = #cuda_tile.di_loc<#loc68 in #di_subprogram2>
