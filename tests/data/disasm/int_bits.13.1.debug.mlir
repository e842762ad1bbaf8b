entry @popcount(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token loc(#loc66)
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>> loc(#loc67)
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>> loc(#loc68)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc66)
  %cst_1_i32_1 = constant <i32: 1> : tile<i32> loc(#loc66)
  %cst_1_i32_2 = constant <i32: 1> : tile<256xi32> loc(#loc69)
  %cst_1431655765_i32 = constant <i32: 1431655765> : tile<256xi32> loc(#loc70)
  %cst_858993459_i32 = constant <i32: 858993459> : tile<256xi32> loc(#loc71)
  %cst_2_i32 = constant <i32: 2> : tile<256xi32> loc(#loc72)
  %cst_858993459_i32_3 = constant <i32: 858993459> : tile<256xi32> loc(#loc73)
  %cst_4_i32 = constant <i32: 4> : tile<256xi32> loc(#loc74)
  %cst_252645135_i32 = constant <i32: 252645135> : tile<256xi32> loc(#loc75)
  %cst_16843009_i32 = constant <i32: 16843009> : tile<256xi32> loc(#loc76)
  %cst_24_i32 = constant <i32: 24> : tile<256xi32> loc(#loc77)
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc66)
  %tview = make_tensor_view %assume, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]> loc(#loc66)
  %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32> loc(#loc66)
  %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]> loc(#loc66)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc78)
  %pview = make_partition_view %tview : partition_view<tile=(256), tensor_view<?xi32, strides=[1]>> loc(#loc79)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(256), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<256xi32>, token loc(#loc79)
  %1 = shri %tile, %cst_1_i32_2 unsigned : tile<256xi32> loc(#loc69)
  %2 = andi %1, %cst_1431655765_i32 : tile<256xi32> loc(#loc70)
  %3 = subi %tile, %2 : tile<256xi32> loc(#loc80)
  %4 = andi %3, %cst_858993459_i32 : tile<256xi32> loc(#loc71)
  %5 = shri %3, %cst_2_i32 unsigned : tile<256xi32> loc(#loc72)
  %6 = andi %5, %cst_858993459_i32_3 : tile<256xi32> loc(#loc73)
  %7 = addi %4, %6 : tile<256xi32> loc(#loc81)
  %8 = shri %7, %cst_4_i32 unsigned : tile<256xi32> loc(#loc74)
  %9 = addi %7, %8 : tile<256xi32> loc(#loc82)
  %10 = andi %9, %cst_252645135_i32 : tile<256xi32> loc(#loc75)
  %11 = muli %10, %cst_16843009_i32 : tile<256xi32> loc(#loc76)
  %12 = shri %11, %cst_24_i32 unsigned : tile<256xi32> loc(#loc77)
  %pview_7 = make_partition_view %tview_6 : partition_view<tile=(256), tensor_view<?xi32, strides=[1]>> loc(#loc83)
  %13 = store_view_tko weak %12, %pview_7[%blockId_x] token = %0 : tile<256xi32>, partition_view<tile=(256), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token loc(#loc83)
  return loc(#loc18)
} loc(#loc66)
entry @signed_bits(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i32>>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token loc(#loc84)
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>> loc(#loc85)
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>> loc(#loc86)
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i32>> loc(#loc87)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc84)
  %cst_1_i32_2 = constant <i32: 1> : tile<i32> loc(#loc84)
  %cst_1_i32_3 = constant <i32: 1> : tile<i32> loc(#loc84)
  %cst_31_i32 = constant <i32: 31> : tile<256xi32> loc(#loc88)
  %cst_1_i32_4 = constant <i32: 1> : tile<256xi32> loc(#loc89)
  %cst_3_i32 = constant <i32: 3> : tile<256xi32> loc(#loc90)
  %cst_1_i32_5 = constant <i32: 1> : tile<256xi32> loc(#loc91)
  %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc84)
  %tview = make_tensor_view %assume, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]> loc(#loc84)
  %assume_7 = assume bounded<0, ?>, %arg4 : tile<i32> loc(#loc84)
  %tview_8 = make_tensor_view %assume_0, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]> loc(#loc84)
  %assume_9 = assume bounded<0, ?>, %arg7 : tile<i32> loc(#loc84)
  %tview_10 = make_tensor_view %assume_1, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]> loc(#loc84)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc92)
  %pview = make_partition_view %tview : partition_view<tile=(256), tensor_view<?xi32, strides=[1]>> loc(#loc93)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(256), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<256xi32>, token loc(#loc93)
  %pview_11 = make_partition_view %tview_8 : partition_view<tile=(256), tensor_view<?xi32, strides=[1]>> loc(#loc94)
  %tile_12, %result_token_13 = load_view_tko weak %pview_11[%blockId_x] token = %0 : partition_view<tile=(256), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<256xi32>, token loc(#loc94)
  %1 = andi %tile_12, %cst_31_i32 : tile<256xi32> loc(#loc88)
  %2 = ori %tile_12, %cst_1_i32_4 : tile<256xi32> loc(#loc89)
  %3 = shli %tile, %1 : tile<256xi32> loc(#loc95)
  %4 = xori %tile, %3 : tile<256xi32> loc(#loc96)
  %5 = shri %tile, %1 signed : tile<256xi32> loc(#loc97)
  %6 = addi %4, %5 : tile<256xi32> loc(#loc98)
  %7 = divi %tile, %2 signed rounding<negative_inf> : tile<256xi32> loc(#loc99)
  %8 = xori %6, %7 : tile<256xi32> loc(#loc100)
  %9 = divi %tile, %2 signed rounding<positive_inf> : tile<256xi32> loc(#loc101)
  %10 = xori %8, %9 : tile<256xi32> loc(#loc100)
  %11 = remi %tile, %2 signed : tile<256xi32> loc(#loc90)
  %cst_0_i32 = constant <i32: 0> : tile<256xi32> loc(#loc90)
  %12 = cmpi less_than %11, %cst_0_i32, signed : tile<256xi32> -> tile<256xi1> loc(#loc90)
  %13 = cmpi less_than %2, %cst_0_i32, signed : tile<256xi32> -> tile<256xi1> loc(#loc90)
  %14 = xori %12, %13 : tile<256xi1> loc(#loc90)
  %15 = cmpi not_equal %11, %cst_0_i32, signed : tile<256xi32> -> tile<256xi1> loc(#loc90)
  %16 = andi %14, %15 : tile<256xi1> loc(#loc90)
  %17 = addi %11, %2 : tile<256xi32> loc(#loc90)
  %18 = select %16, %17, %11 : tile<256xi1>, tile<256xi32> loc(#loc90)
  %19 = muli %18, %cst_3_i32 : tile<256xi32> loc(#loc90)
  %20 = subi %10, %19 : tile<256xi32> loc(#loc102)
  %21 = mini %tile, %tile_12 signed : tile<256xi32> loc(#loc103)
  %22 = xori %20, %21 : tile<256xi32> loc(#loc104)
  %23 = maxi %tile, %tile_12 signed : tile<256xi32> loc(#loc105)
  %cst_-1_i32 = constant <i32: -1> : tile<256xi32> loc(#loc106)
  %24 = xori %23, %cst_-1_i32 : tile<256xi32> loc(#loc106)
  %25 = xori %22, %24 : tile<256xi32> loc(#loc104)
  %26 = shri %tile, %cst_1_i32_5 signed : tile<256xi32> loc(#loc91)
  %27 = absi %26 : tile<256xi32> loc(#loc107)
  %28 = addi %25, %27 : tile<256xi32> loc(#loc108)
  %29 = negi %tile_12 : tile<256xi32> loc(#loc109)
  %30 = subi %28, %29 : tile<256xi32> loc(#loc108)
  %pview_14 = make_partition_view %tview_10 : partition_view<tile=(256), tensor_view<?xi32, strides=[1]>> loc(#loc110)
  %31 = store_view_tko weak %30, %pview_14[%blockId_x] token = %0 : tile<256xi32>, partition_view<tile=(256), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token loc(#loc110)
  return loc(#loc18)
} loc(#loc84)
entry @unsigned_bits(%arg0: tile<ptr<i64>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i64>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i64>>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token loc(#loc111)
  %assume = assume div_by<16>, %arg0 : tile<ptr<i64>> loc(#loc112)
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i64>> loc(#loc113)
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i64>> loc(#loc114)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc111)
  %cst_1_i32_2 = constant <i32: 1> : tile<i32> loc(#loc111)
  %cst_1_i32_3 = constant <i32: 1> : tile<i32> loc(#loc111)
  %cst_1_i64 = constant <i64: 1> : tile<256xi64> loc(#loc115)
  %cst_63_i64 = constant <i64: 63> : tile<256xi64> loc(#loc116)
  %cst_63_i64_4 = constant <i64: 63> : tile<256xi64> loc(#loc117)
  %cst_5_i64 = constant <i64: 5> : tile<256xi64> loc(#loc118)
  %assume_5 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc111)
  %tview = make_tensor_view %assume, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]> loc(#loc111)
  %assume_6 = assume bounded<0, ?>, %arg4 : tile<i32> loc(#loc111)
  %tview_7 = make_tensor_view %assume_0, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]> loc(#loc111)
  %assume_8 = assume bounded<0, ?>, %arg7 : tile<i32> loc(#loc111)
  %tview_9 = make_tensor_view %assume_1, shape = [%assume_8], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]> loc(#loc111)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc119)
  %pview = make_partition_view %tview : partition_view<tile=(256), tensor_view<?xi64, strides=[1]>> loc(#loc120)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(256), tensor_view<?xi64, strides=[1]>>, tile<i32> -> tile<256xi64>, token loc(#loc120)
  %pview_10 = make_partition_view %tview_7 : partition_view<tile=(256), tensor_view<?xi64, strides=[1]>> loc(#loc121)
  %tile_11, %result_token_12 = load_view_tko weak %pview_10[%blockId_x] token = %0 : partition_view<tile=(256), tensor_view<?xi64, strides=[1]>>, tile<i32> -> tile<256xi64>, token loc(#loc121)
  %1 = ori %tile_11, %cst_1_i64 : tile<256xi64> loc(#loc115)
  %2 = remi %tile, %1 unsigned : tile<256xi64> loc(#loc122)
  %cst_0_i64 = constant <i64: 0> : tile<256xi64> loc(#loc122)
  %3 = cmpi less_than %2, %cst_0_i64, unsigned : tile<256xi64> -> tile<256xi1> loc(#loc122)
  %4 = cmpi less_than %1, %cst_0_i64, unsigned : tile<256xi64> -> tile<256xi1> loc(#loc122)
  %5 = xori %3, %4 : tile<256xi1> loc(#loc122)
  %6 = cmpi not_equal %2, %cst_0_i64, unsigned : tile<256xi64> -> tile<256xi1> loc(#loc122)
  %7 = andi %5, %6 : tile<256xi1> loc(#loc122)
  %8 = addi %2, %1 : tile<256xi64> loc(#loc122)
  %9 = select %7, %8, %2 : tile<256xi1>, tile<256xi64> loc(#loc122)
  %10 = divi %tile, %1 unsigned rounding<positive_inf> : tile<256xi64> loc(#loc123)
  %11 = xori %9, %10 : tile<256xi64> loc(#loc124)
  %12 = andi %tile_11, %cst_63_i64 : tile<256xi64> loc(#loc116)
  %13 = shri %tile, %12 unsigned : tile<256xi64> loc(#loc125)
  %14 = addi %11, %13 : tile<256xi64> loc(#loc126)
  %15 = andi %tile_11, %cst_63_i64_4 : tile<256xi64> loc(#loc117)
  %16 = shli %tile, %15 : tile<256xi64> loc(#loc127)
  %17 = addi %14, %16 : tile<256xi64> loc(#loc126)
  %18 = mini %tile, %tile_11 unsigned : tile<256xi64> loc(#loc128)
  %19 = xori %17, %18 : tile<256xi64> loc(#loc129)
  %20 = maxi %tile, %tile_11 unsigned : tile<256xi64> loc(#loc118)
  %21 = muli %20, %cst_5_i64 : tile<256xi64> loc(#loc118)
  %22 = xori %19, %21 : tile<256xi64> loc(#loc129)
  %pview_13 = make_partition_view %tview_9 : partition_view<tile=(256), tensor_view<?xi64, strides=[1]>> loc(#loc130)
  %23 = store_view_tko weak %22, %pview_13[%blockId_x] token = %0 : tile<256xi64>, partition_view<tile=(256), tensor_view<?xi64, strides=[1]>>, tile<i32> -> token loc(#loc130)
  return loc(#loc18)
} loc(#loc111)
#di_file = #cuda_tile.di_file<"int_bits.py" in "">
#loc = loc("int_bits.py":7:0)
#loc1 = loc("int_bits.py":7:13)
#loc2 = loc("int_bits.py":7:16)
#loc3 = loc("int_bits.py":10:14)
#loc4 = loc("int_bits.py":10:13)
#loc5 = loc("int_bits.py":11:9)
#loc6 = loc("int_bits.py":11:29)
#loc7 = loc("int_bits.py":11:28)
#loc8 = loc("int_bits.py":12:14)
#loc9 = loc("int_bits.py":12:8)
#loc10 = loc("int_bits.py":13:25)
#loc11 = loc("int_bits.py":13:24)
#loc12 = loc("int_bits.py":8:8)
#loc13 = loc("int_bits.py":9:8)
#loc14 = loc("int_bits.py":10:8)
#loc15 = loc("int_bits.py":11:8)
#loc16 = loc("int_bits.py":12:9)
#loc17 = loc("int_bits.py":13:4)
#loc18 = loc(unknown)
#loc19 = loc("int_bits.py":17:0)
#loc20 = loc("int_bits.py":17:16)
#loc21 = loc("int_bits.py":17:19)
#loc22 = loc("int_bits.py":17:22)
#loc23 = loc("int_bits.py":21:13)
#loc24 = loc("int_bits.py":22:14)
#loc25 = loc("int_bits.py":25:20)
#loc26 = loc("int_bits.py":27:36)
#loc27 = loc("int_bits.py":18:8)
#loc28 = loc("int_bits.py":19:8)
#loc29 = loc("int_bits.py":20:8)
#loc30 = loc("int_bits.py":23:18)
#loc31 = loc("int_bits.py":23:13)
#loc32 = loc("int_bits.py":23:35)
#loc33 = loc("int_bits.py":23:12)
#loc34 = loc("int_bits.py":24:21)
#loc35 = loc("int_bits.py":24:12)
#loc36 = loc("int_bits.py":24:37)
#loc37 = loc("int_bits.py":25:12)
#loc38 = loc("int_bits.py":26:20)
#loc39 = loc("int_bits.py":26:12)
#loc40 = loc("int_bits.py":26:40)
#loc41 = loc("int_bits.py":26:39)
#loc42 = loc("int_bits.py":27:32)
#loc43 = loc("int_bits.py":27:24)
#loc44 = loc("int_bits.py":27:47)
#loc45 = loc("int_bits.py":27:4)
#loc46 = loc("int_bits.py":31:0)
#loc47 = loc("int_bits.py":31:18)
#loc48 = loc("int_bits.py":31:21)
#loc49 = loc("int_bits.py":31:24)
#loc50 = loc("int_bits.py":35:14)
#loc51 = loc("int_bits.py":37:27)
#loc52 = loc("int_bits.py":37:45)
#loc53 = loc("int_bits.py":38:52)
#loc54 = loc("int_bits.py":32:8)
#loc55 = loc("int_bits.py":33:8)
#loc56 = loc("int_bits.py":34:8)
#loc57 = loc("int_bits.py":36:13)
#loc58 = loc("int_bits.py":36:28)
#loc59 = loc("int_bits.py":36:12)
#loc60 = loc("int_bits.py":37:21)
#loc61 = loc("int_bits.py":37:12)
#loc62 = loc("int_bits.py":37:39)
#loc63 = loc("int_bits.py":38:32)
#loc64 = loc("int_bits.py":38:24)
#loc65 = loc("int_bits.py":38:4)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 6, name = "popcount", linkageName = "popcount", compileUnit = #di_compile_unit, scopeLine = 6>
#di_subprogram1 = #cuda_tile.di_subprogram<file = #di_file, line = 16, name = "signed_bits", linkageName = "signed_bits", compileUnit = #di_compile_unit, scopeLine = 16>
#di_subprogram2 = #cuda_tile.di_subprogram<file = #di_file, line = 30, name = "unsigned_bits", linkageName = "unsigned_bits", compileUnit = #di_compile_unit, scopeLine = 30>
#loc66 = #cuda_tile.di_loc<#loc in #di_subprogram>
#loc67 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc68 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
#loc69 = #cuda_tile.di_loc<#loc3 in #di_subprogram>
#loc70 = #cuda_tile.di_loc<#loc4 in #di_subprogram>
#loc71 = #cuda_tile.di_loc<#loc5 in #di_subprogram>
#loc72 = #cuda_tile.di_loc<#loc6 in #di_subprogram>
#loc73 = #cuda_tile.di_loc<#loc7 in #di_subprogram>
#loc74 = #cuda_tile.di_loc<#loc8 in #di_subprogram>
#loc75 = #cuda_tile.di_loc<#loc9 in #di_subprogram>
#loc76 = #cuda_tile.di_loc<#loc10 in #di_subprogram>
#loc77 = #cuda_tile.di_loc<#loc11 in #di_subprogram>
#loc78 = #cuda_tile.di_loc<#loc12 in #di_subprogram>
#loc79 = #cuda_tile.di_loc<#loc13 in #di_subprogram>
#loc80 = #cuda_tile.di_loc<#loc14 in #di_subprogram>
#loc81 = #cuda_tile.di_loc<#loc15 in #di_subprogram>
#loc82 = #cuda_tile.di_loc<#loc16 in #di_subprogram>
#loc83 = #cuda_tile.di_loc<#loc17 in #di_subprogram>
#loc84 = #cuda_tile.di_loc<#loc19 in #di_subprogram1>
#loc85 = #cuda_tile.di_loc<#loc20 in #di_subprogram1>
#loc86 = #cuda_tile.di_loc<#loc21 in #di_subprogram1>
#loc87 = #cuda_tile.di_loc<#loc22 in #di_subprogram1>
#loc88 = #cuda_tile.di_loc<#loc23 in #di_subprogram1>
#loc89 = #cuda_tile.di_loc<#loc24 in #di_subprogram1>
#loc90 = #cuda_tile.di_loc<#loc25 in #di_subprogram1>
#loc91 = #cuda_tile.di_loc<#loc26 in #di_subprogram1>
#loc92 = #cuda_tile.di_loc<#loc27 in #di_subprogram1>
#loc93 = #cuda_tile.di_loc<#loc28 in #di_subprogram1>
#loc94 = #cuda_tile.di_loc<#loc29 in #di_subprogram1>
#loc95 = #cuda_tile.di_loc<#loc30 in #di_subprogram1>
#loc96 = #cuda_tile.di_loc<#loc31 in #di_subprogram1>
#loc97 = #cuda_tile.di_loc<#loc32 in #di_subprogram1>
#loc98 = #cuda_tile.di_loc<#loc33 in #di_subprogram1>
#loc99 = #cuda_tile.di_loc<#loc34 in #di_subprogram1>
#loc100 = #cuda_tile.di_loc<#loc35 in #di_subprogram1>
#loc101 = #cuda_tile.di_loc<#loc36 in #di_subprogram1>
#loc102 = #cuda_tile.di_loc<#loc37 in #di_subprogram1>
#loc103 = #cuda_tile.di_loc<#loc38 in #di_subprogram1>
#loc104 = #cuda_tile.di_loc<#loc39 in #di_subprogram1>
#loc105 = #cuda_tile.di_loc<#loc40 in #di_subprogram1>
#loc106 = #cuda_tile.di_loc<#loc41 in #di_subprogram1>
#loc107 = #cuda_tile.di_loc<#loc42 in #di_subprogram1>
#loc108 = #cuda_tile.di_loc<#loc43 in #di_subprogram1>
#loc109 = #cuda_tile.di_loc<#loc44 in #di_subprogram1>
#loc110 = #cuda_tile.di_loc<#loc45 in #di_subprogram1>
#loc111 = #cuda_tile.di_loc<#loc46 in #di_subprogram2>
#loc112 = #cuda_tile.di_loc<#loc47 in #di_subprogram2>
#loc113 = #cuda_tile.di_loc<#loc48 in #di_subprogram2>
#loc114 = #cuda_tile.di_loc<#loc49 in #di_subprogram2>
#loc115 = #cuda_tile.di_loc<#loc50 in #di_subprogram2>
#loc116 = #cuda_tile.di_loc<#loc51 in #di_subprogram2>
#loc117 = #cuda_tile.di_loc<#loc52 in #di_subprogram2>
#loc118 = #cuda_tile.di_loc<#loc53 in #di_subprogram2>
#loc119 = #cuda_tile.di_loc<#loc54 in #di_subprogram2>
#loc120 = #cuda_tile.di_loc<#loc55 in #di_subprogram2>
#loc121 = #cuda_tile.di_loc<#loc56 in #di_subprogram2>
#loc122 = #cuda_tile.di_loc<#loc57 in #di_subprogram2>
#loc123 = #cuda_tile.di_loc<#loc58 in #di_subprogram2>
#loc124 = #cuda_tile.di_loc<#loc59 in #di_subprogram2>
#loc125 = #cuda_tile.di_loc<#loc60 in #di_subprogram2>
#loc126 = #cuda_tile.di_loc<#loc61 in #di_subprogram2>
#loc127 = #cuda_tile.di_loc<#loc62 in #di_subprogram2>
#loc128 = #cuda_tile.di_loc<#loc63 in #di_subprogram2>
#loc129 = #cuda_tile.di_loc<#loc64 in #di_subprogram2>
#loc130 = #cuda_tile.di_loc<#loc65 in #di_subprogram2>
