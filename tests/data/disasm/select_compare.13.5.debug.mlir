entry @compare_floats(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i32>>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token loc(#loc77)
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>> loc(#loc78)
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>> loc(#loc79)
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i32>> loc(#loc80)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc77)
  %cst_1_i32_2 = constant <i32: 1> : tile<i32> loc(#loc77)
  %cst_1_i32_3 = constant <i32: 1> : tile<i32> loc(#loc77)
  %cst_1_i32_4 = constant <i32: 1> : tile<128xi32> loc(#loc81)
  %cst_0_i32 = constant <i32: 0> : tile<128xi32> loc(#loc81)
  %cst_2_i32 = constant <i32: 2> : tile<128xi32> loc(#loc82)
  %cst_0_i32_5 = constant <i32: 0> : tile<128xi32> loc(#loc82)
  %cst_4_i32 = constant <i32: 4> : tile<128xi32> loc(#loc83)
  %cst_0_i32_6 = constant <i32: 0> : tile<128xi32> loc(#loc83)
  %cst_8_i32 = constant <i32: 8> : tile<128xi32> loc(#loc84)
  %cst_0_i32_7 = constant <i32: 0> : tile<128xi32> loc(#loc84)
  %cst_16_i32 = constant <i32: 16> : tile<128xi32> loc(#loc85)
  %cst_0_i32_8 = constant <i32: 0> : tile<128xi32> loc(#loc85)
  %cst_32_i32 = constant <i32: 32> : tile<128xi32> loc(#loc86)
  %cst_0_i32_9 = constant <i32: 0> : tile<128xi32> loc(#loc86)
  %cst_64_i32 = constant <i32: 64> : tile<128xi32> loc(#loc87)
  %cst_0_i32_10 = constant <i32: 0> : tile<128xi32> loc(#loc87)
  %assume_11 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc77)
  %tview = make_tensor_view %assume, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]> loc(#loc77)
  %assume_12 = assume bounded<0, ?>, %arg4 : tile<i32> loc(#loc77)
  %tview_13 = make_tensor_view %assume_0, shape = [%assume_12], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]> loc(#loc77)
  %assume_14 = assume bounded<0, ?>, %arg7 : tile<i32> loc(#loc77)
  %tview_15 = make_tensor_view %assume_1, shape = [%assume_14], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]> loc(#loc77)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc88)
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>> loc(#loc89)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token loc(#loc89)
  %pview_16 = make_partition_view %tview_13 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>> loc(#loc90)
  %tile_17, %result_token_18 = load_view_tko weak %pview_16[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token loc(#loc90)
  %1 = cmpf less_than ordered %tile, %tile_17 : tile<128xf32> -> tile<128xi1> loc(#loc91)
  %2 = select %1, %cst_1_i32_4, %cst_0_i32 : tile<128xi1>, tile<128xi32> loc(#loc81)
  %3 = cmpf less_than_or_equal ordered %tile, %tile_17 : tile<128xf32> -> tile<128xi1> loc(#loc92)
  %4 = select %3, %cst_2_i32, %cst_0_i32_5 : tile<128xi1>, tile<128xi32> loc(#loc82)
  %5 = addi %2, %4 : tile<128xi32> loc(#loc93)
  %6 = cmpf greater_than ordered %tile, %tile_17 : tile<128xf32> -> tile<128xi1> loc(#loc94)
  %7 = select %6, %cst_4_i32, %cst_0_i32_6 : tile<128xi1>, tile<128xi32> loc(#loc83)
  %8 = addi %5, %7 : tile<128xi32> loc(#loc95)
  %9 = cmpf greater_than_or_equal ordered %tile, %tile_17 : tile<128xf32> -> tile<128xi1> loc(#loc96)
  %10 = select %9, %cst_8_i32, %cst_0_i32_7 : tile<128xi1>, tile<128xi32> loc(#loc84)
  %11 = addi %8, %10 : tile<128xi32> loc(#loc97)
  %12 = cmpf equal ordered %tile, %tile_17 : tile<128xf32> -> tile<128xi1> loc(#loc98)
  %13 = select %12, %cst_16_i32, %cst_0_i32_8 : tile<128xi1>, tile<128xi32> loc(#loc85)
  %14 = addi %11, %13 : tile<128xi32> loc(#loc99)
  %15 = cmpf not_equal unordered %tile, %tile_17 : tile<128xf32> -> tile<128xi1> loc(#loc100)
  %16 = select %15, %cst_32_i32, %cst_0_i32_9 : tile<128xi1>, tile<128xi32> loc(#loc86)
  %17 = addi %14, %16 : tile<128xi32> loc(#loc101)
  %18 = cmpf not_equal unordered %tile, %tile : tile<128xf32> -> tile<128xi1> loc(#loc102)
  %19 = select %18, %cst_64_i32, %cst_0_i32_10 : tile<128xi1>, tile<128xi32> loc(#loc87)
  %20 = addi %17, %19 : tile<128xi32> loc(#loc103)
  %pview_19 = make_partition_view %tview_15 : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>> loc(#loc104)
  %21 = store_view_tko weak %20, %pview_19[%blockId_x] token = %0 : tile<128xi32>, partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token loc(#loc104)
  return loc(#loc28)
} loc(#loc77)
entry @compare_integers(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i64>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<i64>>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<ptr<i32>>, %arg13: tile<i32>, %arg14: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token loc(#loc105)
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>> loc(#loc106)
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>> loc(#loc107)
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i64>> loc(#loc108)
  %assume_2 = assume div_by<16>, %arg9 : tile<ptr<i64>> loc(#loc109)
  %assume_3 = assume div_by<16>, %arg12 : tile<ptr<i32>> loc(#loc110)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc105)
  %cst_1_i32_4 = constant <i32: 1> : tile<i32> loc(#loc105)
  %cst_1_i32_5 = constant <i32: 1> : tile<i32> loc(#loc105)
  %cst_1_i32_6 = constant <i32: 1> : tile<i32> loc(#loc105)
  %cst_1_i32_7 = constant <i32: 1> : tile<i32> loc(#loc105)
  %cst_1_i32_8 = constant <i32: 1> : tile<128xi32> loc(#loc111)
  %cst_0_i32 = constant <i32: 0> : tile<128xi32> loc(#loc111)
  %cst_2_i32 = constant <i32: 2> : tile<128xi32> loc(#loc112)
  %cst_0_i32_9 = constant <i32: 0> : tile<128xi32> loc(#loc112)
  %cst_4_i32 = constant <i32: 4> : tile<128xi32> loc(#loc113)
  %cst_0_i32_10 = constant <i32: 0> : tile<128xi32> loc(#loc113)
  %cst_8_i32 = constant <i32: 8> : tile<128xi32> loc(#loc114)
  %cst_0_i32_11 = constant <i32: 0> : tile<128xi32> loc(#loc114)
  %cst_16_i32 = constant <i32: 16> : tile<128xi32> loc(#loc115)
  %cst_0_i32_12 = constant <i32: 0> : tile<128xi32> loc(#loc115)
  %cst_32_i32 = constant <i32: 32> : tile<128xi32> loc(#loc116)
  %cst_0_i32_13 = constant <i32: 0> : tile<128xi32> loc(#loc116)
  %cst_64_i32 = constant <i32: 64> : tile<128xi32> loc(#loc117)
  %cst_0_i32_14 = constant <i32: 0> : tile<128xi32> loc(#loc117)
  %cst_128_i32 = constant <i32: 128> : tile<128xi32> loc(#loc118)
  %cst_0_i32_15 = constant <i32: 0> : tile<128xi32> loc(#loc118)
  %cst_256_i32 = constant <i32: 256> : tile<128xi32> loc(#loc119)
  %cst_0_i32_16 = constant <i32: 0> : tile<128xi32> loc(#loc119)
  %cst_512_i32 = constant <i32: 512> : tile<128xi32> loc(#loc120)
  %cst_0_i32_17 = constant <i32: 0> : tile<128xi32> loc(#loc120)
  %cst_1024_i32 = constant <i32: 1024> : tile<128xi32> loc(#loc121)
  %cst_0_i32_18 = constant <i32: 0> : tile<128xi32> loc(#loc121)
  %cst_2048_i32 = constant <i32: 2048> : tile<128xi32> loc(#loc122)
  %cst_0_i32_19 = constant <i32: 0> : tile<128xi32> loc(#loc122)
  %cst_4096_i32 = constant <i32: 4096> : tile<128xi32> loc(#loc123)
  %cst_0_i32_20 = constant <i32: 0> : tile<128xi32> loc(#loc123)
  %assume_21 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc105)
  %tview = make_tensor_view %assume, shape = [%assume_21], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]> loc(#loc105)
  %assume_22 = assume bounded<0, ?>, %arg4 : tile<i32> loc(#loc105)
  %tview_23 = make_tensor_view %assume_0, shape = [%assume_22], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]> loc(#loc105)
  %assume_24 = assume bounded<0, ?>, %arg7 : tile<i32> loc(#loc105)
  %tview_25 = make_tensor_view %assume_1, shape = [%assume_24], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]> loc(#loc105)
  %assume_26 = assume bounded<0, ?>, %arg10 : tile<i32> loc(#loc105)
  %tview_27 = make_tensor_view %assume_2, shape = [%assume_26], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]> loc(#loc105)
  %assume_28 = assume bounded<0, ?>, %arg13 : tile<i32> loc(#loc105)
  %tview_29 = make_tensor_view %assume_3, shape = [%assume_28], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]> loc(#loc105)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc124)
  %pview = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>> loc(#loc125)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token loc(#loc125)
  %pview_30 = make_partition_view %tview_23 : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>> loc(#loc126)
  %tile_31, %result_token_32 = load_view_tko weak %pview_30[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token loc(#loc126)
  %pview_33 = make_partition_view %tview_25 : partition_view<tile=(128), tensor_view<?xi64, strides=[1]>> loc(#loc127)
  %tile_34, %result_token_35 = load_view_tko weak %pview_33[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xi64, strides=[1]>>, tile<i32> -> tile<128xi64>, token loc(#loc127)
  %pview_36 = make_partition_view %tview_27 : partition_view<tile=(128), tensor_view<?xi64, strides=[1]>> loc(#loc128)
  %tile_37, %result_token_38 = load_view_tko weak %pview_36[%blockId_x] token = %0 : partition_view<tile=(128), tensor_view<?xi64, strides=[1]>>, tile<i32> -> tile<128xi64>, token loc(#loc128)
  %1 = cmpi less_than %tile, %tile_31, signed : tile<128xi32> -> tile<128xi1> loc(#loc129)
  %2 = select %1, %cst_1_i32_8, %cst_0_i32 : tile<128xi1>, tile<128xi32> loc(#loc111)
  %3 = cmpi less_than_or_equal %tile, %tile_31, signed : tile<128xi32> -> tile<128xi1> loc(#loc130)
  %4 = select %3, %cst_2_i32, %cst_0_i32_9 : tile<128xi1>, tile<128xi32> loc(#loc112)
  %5 = addi %2, %4 : tile<128xi32> loc(#loc111)
  %6 = cmpi greater_than %tile, %tile_31, signed : tile<128xi32> -> tile<128xi1> loc(#loc131)
  %7 = select %6, %cst_4_i32, %cst_0_i32_10 : tile<128xi1>, tile<128xi32> loc(#loc113)
  %8 = addi %5, %7 : tile<128xi32> loc(#loc111)
  %9 = cmpi greater_than_or_equal %tile, %tile_31, signed : tile<128xi32> -> tile<128xi1> loc(#loc132)
  %10 = select %9, %cst_8_i32, %cst_0_i32_11 : tile<128xi1>, tile<128xi32> loc(#loc114)
  %11 = addi %8, %10 : tile<128xi32> loc(#loc133)
  %12 = cmpi equal %tile, %tile_31, signed : tile<128xi32> -> tile<128xi1> loc(#loc134)
  %13 = select %12, %cst_16_i32, %cst_0_i32_12 : tile<128xi1>, tile<128xi32> loc(#loc115)
  %14 = addi %11, %13 : tile<128xi32> loc(#loc133)
  %15 = cmpi not_equal %tile, %tile_31, signed : tile<128xi32> -> tile<128xi1> loc(#loc135)
  %16 = select %15, %cst_32_i32, %cst_0_i32_13 : tile<128xi1>, tile<128xi32> loc(#loc116)
  %17 = addi %14, %16 : tile<128xi32> loc(#loc133)
  %18 = cmpi less_than %tile_34, %tile_37, unsigned : tile<128xi64> -> tile<128xi1> loc(#loc136)
  %19 = select %18, %cst_64_i32, %cst_0_i32_14 : tile<128xi1>, tile<128xi32> loc(#loc117)
  %20 = addi %17, %19 : tile<128xi32> loc(#loc137)
  %21 = cmpi less_than_or_equal %tile_34, %tile_37, unsigned : tile<128xi64> -> tile<128xi1> loc(#loc138)
  %22 = select %21, %cst_128_i32, %cst_0_i32_15 : tile<128xi1>, tile<128xi32> loc(#loc118)
  %23 = addi %20, %22 : tile<128xi32> loc(#loc137)
  %24 = cmpi greater_than %tile_34, %tile_37, unsigned : tile<128xi64> -> tile<128xi1> loc(#loc139)
  %25 = select %24, %cst_256_i32, %cst_0_i32_16 : tile<128xi1>, tile<128xi32> loc(#loc119)
  %26 = addi %23, %25 : tile<128xi32> loc(#loc137)
  %27 = cmpi greater_than_or_equal %tile_34, %tile_37, unsigned : tile<128xi64> -> tile<128xi1> loc(#loc140)
  %28 = select %27, %cst_512_i32, %cst_0_i32_17 : tile<128xi1>, tile<128xi32> loc(#loc120)
  %29 = addi %26, %28 : tile<128xi32> loc(#loc141)
  %30 = cmpi less_than %tile, %tile_31, signed : tile<128xi32> -> tile<128xi1> loc(#loc142)
  %31 = cmpi less_than %tile_34, %tile_37, unsigned : tile<128xi64> -> tile<128xi1> loc(#loc143)
  %32 = andi %30, %31 : tile<128xi1> loc(#loc144)
  %33 = cmpi less_than %tile, %tile_31, signed : tile<128xi32> -> tile<128xi1> loc(#loc145)
  %34 = cmpi less_than %tile_34, %tile_37, unsigned : tile<128xi64> -> tile<128xi1> loc(#loc146)
  %35 = ori %33, %34 : tile<128xi1> loc(#loc147)
  %36 = cmpi less_than %tile, %tile_31, signed : tile<128xi32> -> tile<128xi1> loc(#loc148)
  %37 = cmpi less_than %tile_34, %tile_37, unsigned : tile<128xi64> -> tile<128xi1> loc(#loc149)
  %38 = xori %36, %37 : tile<128xi1> loc(#loc150)
  %39 = select %32, %cst_1024_i32, %cst_0_i32_18 : tile<128xi1>, tile<128xi32> loc(#loc121)
  %40 = addi %29, %39 : tile<128xi32> loc(#loc151)
  %41 = select %35, %cst_2048_i32, %cst_0_i32_19 : tile<128xi1>, tile<128xi32> loc(#loc122)
  %42 = addi %40, %41 : tile<128xi32> loc(#loc151)
  %43 = select %38, %cst_4096_i32, %cst_0_i32_20 : tile<128xi1>, tile<128xi32> loc(#loc123)
  %44 = addi %42, %43 : tile<128xi32> loc(#loc151)
  %pview_39 = make_partition_view %tview_29 : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>> loc(#loc152)
  %45 = store_view_tko weak %44, %pview_39[%blockId_x] token = %0 : tile<128xi32>, partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token loc(#loc152)
  return loc(#loc28)
} loc(#loc105)
#di_file = #cuda_tile.di_file<"select_compare.py" in "">
#loc = loc("select_compare.py":7:0)
#loc1 = loc("select_compare.py":7:19)
#loc2 = loc("select_compare.py":7:22)
#loc3 = loc("select_compare.py":7:25)
#loc4 = loc("select_compare.py":11:11)
#loc5 = loc("select_compare.py":12:18)
#loc6 = loc("select_compare.py":13:18)
#loc7 = loc("select_compare.py":14:18)
#loc8 = loc("select_compare.py":15:18)
#loc9 = loc("select_compare.py":16:18)
#loc10 = loc("select_compare.py":17:18)
#loc11 = loc("select_compare.py":8:8)
#loc12 = loc("select_compare.py":9:8)
#loc13 = loc("select_compare.py":10:8)
#loc14 = loc("select_compare.py":11:20)
#loc15 = loc("select_compare.py":12:27)
#loc16 = loc("select_compare.py":12:11)
#loc17 = loc("select_compare.py":13:27)
#loc18 = loc("select_compare.py":13:11)
#loc19 = loc("select_compare.py":14:27)
#loc20 = loc("select_compare.py":14:11)
#loc21 = loc("select_compare.py":15:27)
#loc22 = loc("select_compare.py":15:11)
#loc23 = loc("select_compare.py":16:27)
#loc24 = loc("select_compare.py":16:11)
#loc25 = loc("select_compare.py":17:27)
#loc26 = loc("select_compare.py":17:11)
#loc27 = loc("select_compare.py":18:4)
#loc28 = loc(unknown)
#loc29 = loc("select_compare.py":22:0)
#loc30 = loc("select_compare.py":22:21)
#loc31 = loc("select_compare.py":22:24)
#loc32 = loc("select_compare.py":22:27)
#loc33 = loc("select_compare.py":22:30)
#loc34 = loc("select_compare.py":22:33)
#loc35 = loc("select_compare.py":28:11)
#loc36 = loc("select_compare.py":28:35)
#loc37 = loc("select_compare.py":28:60)
#loc38 = loc("select_compare.py":29:18)
#loc39 = loc("select_compare.py":29:43)
#loc40 = loc("select_compare.py":29:69)
#loc41 = loc("select_compare.py":30:18)
#loc42 = loc("select_compare.py":30:43)
#loc43 = loc("select_compare.py":30:70)
#loc44 = loc("select_compare.py":31:18)
#loc45 = loc("select_compare.py":35:18)
#loc46 = loc("select_compare.py":35:44)
#loc47 = loc("select_compare.py":35:72)
#loc48 = loc("select_compare.py":23:8)
#loc49 = loc("select_compare.py":24:8)
#loc50 = loc("select_compare.py":25:8)
#loc51 = loc("select_compare.py":26:8)
#loc52 = loc("select_compare.py":27:8)
#loc53 = loc("select_compare.py":28:20)
#loc54 = loc("select_compare.py":28:44)
#loc55 = loc("select_compare.py":28:69)
#loc56 = loc("select_compare.py":29:27)
#loc57 = loc("select_compare.py":29:11)
#loc58 = loc("select_compare.py":29:52)
#loc59 = loc("select_compare.py":29:78)
#loc60 = loc("select_compare.py":30:27)
#loc61 = loc("select_compare.py":30:11)
#loc62 = loc("select_compare.py":30:52)
#loc63 = loc("select_compare.py":30:79)
#loc64 = loc("select_compare.py":31:27)
#loc65 = loc("select_compare.py":31:11)
#loc66 = loc("select_compare.py":32:12)
#loc67 = loc("select_compare.py":32:22)
#loc68 = loc("select_compare.py":32:11)
#loc69 = loc("select_compare.py":33:14)
#loc70 = loc("select_compare.py":33:24)
#loc71 = loc("select_compare.py":33:13)
#loc72 = loc("select_compare.py":34:11)
#loc73 = loc("select_compare.py":34:21)
#loc74 = loc("select_compare.py":34:10)
#loc75 = loc("select_compare.py":35:11)
#loc76 = loc("select_compare.py":36:4)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 6, name = "compare_floats", linkageName = "compare_floats", compileUnit = #di_compile_unit, scopeLine = 6>
#di_subprogram1 = #cuda_tile.di_subprogram<file = #di_file, line = 21, name = "compare_integers", linkageName = "compare_integers", compileUnit = #di_compile_unit, scopeLine = 21>
#loc77 = #cuda_tile.di_loc<#loc in #di_subprogram>
#loc78 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc79 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
#loc80 = #cuda_tile.di_loc<#loc3 in #di_subprogram>
#loc81 = #cuda_tile.di_loc<#loc4 in #di_subprogram>
#loc82 = #cuda_tile.di_loc<#loc5 in #di_subprogram>
#loc83 = #cuda_tile.di_loc<#loc6 in #di_subprogram>
#loc84 = #cuda_tile.di_loc<#loc7 in #di_subprogram>
#loc85 = #cuda_tile.di_loc<#loc8 in #di_subprogram>
#loc86 = #cuda_tile.di_loc<#loc9 in #di_subprogram>
#loc87 = #cuda_tile.di_loc<#loc10 in #di_subprogram>
#loc88 = #cuda_tile.di_loc<#loc11 in #di_subprogram>
#loc89 = #cuda_tile.di_loc<#loc12 in #di_subprogram>
#loc90 = #cuda_tile.di_loc<#loc13 in #di_subprogram>
#loc91 = #cuda_tile.di_loc<#loc14 in #di_subprogram>
#loc92 = #cuda_tile.di_loc<#loc15 in #di_subprogram>
#loc93 = #cuda_tile.di_loc<#loc16 in #di_subprogram>
#loc94 = #cuda_tile.di_loc<#loc17 in #di_subprogram>
#loc95 = #cuda_tile.di_loc<#loc18 in #di_subprogram>
#loc96 = #cuda_tile.di_loc<#loc19 in #di_subprogram>
#loc97 = #cuda_tile.di_loc<#loc20 in #di_subprogram>
#loc98 = #cuda_tile.di_loc<#loc21 in #di_subprogram>
#loc99 = #cuda_tile.di_loc<#loc22 in #di_subprogram>
#loc100 = #cuda_tile.di_loc<#loc23 in #di_subprogram>
#loc101 = #cuda_tile.di_loc<#loc24 in #di_subprogram>
#loc102 = #cuda_tile.di_loc<#loc25 in #di_subprogram>
#loc103 = #cuda_tile.di_loc<#loc26 in #di_subprogram>
#loc104 = #cuda_tile.di_loc<#loc27 in #di_subprogram>
#loc105 = #cuda_tile.di_loc<#loc29 in #di_subprogram1>
#loc106 = #cuda_tile.di_loc<#loc30 in #di_subprogram1>
#loc107 = #cuda_tile.di_loc<#loc31 in #di_subprogram1>
#loc108 = #cuda_tile.di_loc<#loc32 in #di_subprogram1>
#loc109 = #cuda_tile.di_loc<#loc33 in #di_subprogram1>
#loc110 = #cuda_tile.di_loc<#loc34 in #di_subprogram1>
#loc111 = #cuda_tile.di_loc<#loc35 in #di_subprogram1>
#loc112 = #cuda_tile.di_loc<#loc36 in #di_subprogram1>
#loc113 = #cuda_tile.di_loc<#loc37 in #di_subprogram1>
#loc114 = #cuda_tile.di_loc<#loc38 in #di_subprogram1>
#loc115 = #cuda_tile.di_loc<#loc39 in #di_subprogram1>
#loc116 = #cuda_tile.di_loc<#loc40 in #di_subprogram1>
#loc117 = #cuda_tile.di_loc<#loc41 in #di_subprogram1>
#loc118 = #cuda_tile.di_loc<#loc42 in #di_subprogram1>
#loc119 = #cuda_tile.di_loc<#loc43 in #di_subprogram1>
#loc120 = #cuda_tile.di_loc<#loc44 in #di_subprogram1>
#loc121 = #cuda_tile.di_loc<#loc45 in #di_subprogram1>
#loc122 = #cuda_tile.di_loc<#loc46 in #di_subprogram1>
#loc123 = #cuda_tile.di_loc<#loc47 in #di_subprogram1>
#loc124 = #cuda_tile.di_loc<#loc48 in #di_subprogram1>
#loc125 = #cuda_tile.di_loc<#loc49 in #di_subprogram1>
#loc126 = #cuda_tile.di_loc<#loc50 in #di_subprogram1>
#loc127 = #cuda_tile.di_loc<#loc51 in #di_subprogram1>
#loc128 = #cuda_tile.di_loc<#loc52 in #di_subprogram1>
#loc129 = #cuda_tile.di_loc<#loc53 in #di_subprogram1>
#loc130 = #cuda_tile.di_loc<#loc54 in #di_subprogram1>
#loc131 = #cuda_tile.di_loc<#loc55 in #di_subprogram1>
#loc132 = #cuda_tile.di_loc<#loc56 in #di_subprogram1>
#loc133 = #cuda_tile.di_loc<#loc57 in #di_subprogram1>
#loc134 = #cuda_tile.di_loc<#loc58 in #di_subprogram1>
#loc135 = #cuda_tile.di_loc<#loc59 in #di_subprogram1>
#loc136 = #cuda_tile.di_loc<#loc60 in #di_subprogram1>
#loc137 = #cuda_tile.di_loc<#loc61 in #di_subprogram1>
#loc138 = #cuda_tile.di_loc<#loc62 in #di_subprogram1>
#loc139 = #cuda_tile.di_loc<#loc63 in #di_subprogram1>
#loc140 = #cuda_tile.di_loc<#loc64 in #di_subprogram1>
#loc141 = #cuda_tile.di_loc<#loc65 in #di_subprogram1>
#loc142 = #cuda_tile.di_loc<#loc66 in #di_subprogram1>
#loc143 = #cuda_tile.di_loc<#loc67 in #di_subprogram1>
#loc144 = #cuda_tile.di_loc<#loc68 in #di_subprogram1>
#loc145 = #cuda_tile.di_loc<#loc69 in #di_subprogram1>
#loc146 = #cuda_tile.di_loc<#loc70 in #di_subprogram1>
#loc147 = #cuda_tile.di_loc<#loc71 in #di_subprogram1>
#loc148 = #cuda_tile.di_loc<#loc72 in #di_subprogram1>
#loc149 = #cuda_tile.di_loc<#loc73 in #di_subprogram1>
#loc150 = #cuda_tile.di_loc<#loc74 in #di_subprogram1>
#loc151 = #cuda_tile.di_loc<#loc75 in #di_subprogram1>
#loc152 = #cuda_tile.di_loc<#loc76 in #di_subprogram1>
