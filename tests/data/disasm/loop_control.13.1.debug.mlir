entry @loop_control(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<ptr<i32>>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<i32>>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token loc(#loc71)
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>> loc(#loc72)
  %assume_0 = assume div_by<16>, %arg4 : tile<ptr<i32>> loc(#loc73)
  %assume_1 = assume div_by<16>, %arg7 : tile<ptr<i32>> loc(#loc74)
  %cst_1_i64 = constant <i64: 1> : tile<i64> loc(#loc75)
  %false = constant <i1: false> : tile<i1> loc(#loc76)
  %true = constant <i1: true> : tile<i1> loc(#loc76)
  %cst_1_i64_2 = constant <i64: 1> : tile<i64> loc(#loc77)
  %cst_1_i64_3 = constant <i64: 1> : tile<i64> loc(#loc78)
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc71)
  %assume_5 = assume bounded<0, ?>, %arg5 : tile<i32> loc(#loc71)
  %assume_6 = assume bounded<0, ?>, %arg8 : tile<i32> loc(#loc71)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc79)
  %cst_0_i32 = constant <i32: 0> : tile<i32> loc(#loc75)
  %1 = exti %blockId_x signed : tile<i32> -> tile<i64> loc(#loc75)
  %2 = exti %assume_4 signed : tile<i32> -> tile<i64> loc(#loc75)
  %3 = cmpi less_than %1, %2, unsigned : tile<i64> -> tile<i1> loc(#loc75)
  %4 = muli %1, %cst_1_i64 : tile<i64> loc(#loc75)
  %5 = offset %assume, %4 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>> loc(#loc75)
  %assume_7 = assume div_by<4>, %5 : tile<ptr<i32>> loc(#loc75)
  %result, %result_token = load_ptr_tko weak %assume_7, %3, %cst_0_i32 token=%0 : tile<ptr<i32>>, tile<i1>, tile<i32> -> tile<i32>, token loc(#loc75)
  %cst_0_i32_8 = constant <i32: 0> : tile<i32> loc(#loc80)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc81)
  %cst_1_i32_9 = constant <i32: 1> : tile<i32> loc(#loc82)
  %cst_2_i32 = constant <i32: 2> : tile<i32> loc(#loc83)
  %cst_0_i32_10 = constant <i32: 0> : tile<i32> loc(#loc84)
  %false_11 = constant <i1: false> : tile<i1> loc(#loc84)
  %cst_0_i32_12 = constant <i32: 0> : tile<i32> loc(#loc85)
  %cst_3_i32 = constant <i32: 3> : tile<i32> loc(#loc86)
  %cst_1_i32_13 = constant <i32: 1> : tile<i32> loc(#loc87)
  %6:3 = loop iter_values(%arg10 = %cst_0_i32_8, %arg11 = %result, %arg12 = %result) : tile<i32>, tile<i32>, tile<i32> -> tile<i32>, tile<i32>, tile<i32> {
    %20 = cmpi less_than_or_equal %arg11, %cst_1_i32, signed : tile<i32> -> tile<i1> loc(#loc89)
    if %20 {
      break %arg10, %arg11, %arg12 : tile<i32>, tile<i32>, tile<i32> loc(#loc91)
    } else {
    } loc(#loc90)
    %21 = cmpi greater_than_or_equal %arg10, %arg3, signed : tile<i32> -> tile<i1> loc(#loc92)
    if %21 {
      %cst_-1_i32 = constant <i32: -1> : tile<i32> loc(#loc94)
      break %cst_-1_i32, %arg11, %arg12 : tile<i32>, tile<i32>, tile<i32> loc(#loc95)
    } else {
    } loc(#loc93)
    %22 = addi %arg10, %cst_1_i32_9 : tile<i32> loc(#loc96)
    %23 = remi %arg11, %cst_2_i32 signed : tile<i32> loc(#loc84)
    %24 = cmpi less_than %23, %cst_0_i32_10, signed : tile<i32> -> tile<i1> loc(#loc84)
    %25 = xori %24, %false_11 : tile<i1> loc(#loc84)
    %26 = cmpi not_equal %23, %cst_0_i32_10, signed : tile<i32> -> tile<i1> loc(#loc84)
    %27 = andi %25, %26 : tile<i1> loc(#loc84)
    %28 = addi %23, %cst_2_i32 : tile<i32> loc(#loc84)
    %29 = select %27, %28, %23 : tile<i1>, tile<i32> loc(#loc84)
    %30 = cmpi equal %29, %cst_0_i32_12, signed : tile<i32> -> tile<i1> loc(#loc84)
    if %30 {
      %cst_2_i32_23 = constant <i32: 2> : tile<i32> loc(#loc98)
      %35 = divi %arg11, %cst_2_i32_23 signed rounding<negative_inf> : tile<i32> loc(#loc99)
      continue %22, %35, %arg12 : tile<i32>, tile<i32>, tile<i32> loc(#loc100)
    } else {
    } loc(#loc97)
    %31 = muli %cst_3_i32, %arg11 : tile<i32> loc(#loc86)
    %32 = addi %31, %cst_1_i32_13 : tile<i32> loc(#loc86)
    %33 = cmpi greater_than %32, %arg12, signed : tile<i32> -> tile<i1> loc(#loc101)
    %34 = if %33 -> (tile<i32>) {
      yield %32 : tile<i32> loc(#loc102)
    } else {
      yield %arg12 : tile<i32> loc(#loc102)
    } loc(#loc102)
    continue %22, %32, %34 : tile<i32>, tile<i32>, tile<i32> loc(#loc88)
  } loc(#loc88)
  %cst_0_i32_14 = constant <i32: 0> : tile<i32> loc(#loc103)
  %cst_0_i32_15 = constant <i32: 0> : tile<i32> loc(#loc104)
  %cst_1_i32_16 = constant <i32: 1> : tile<i32> loc(#loc104)
  %cst_2_i32_17 = constant <i32: 2> : tile<i32> loc(#loc105)
  %cst_0_i32_18 = constant <i32: 0> : tile<i32> loc(#loc106)
  %false_19 = constant <i1: false> : tile<i1> loc(#loc106)
  %cst_0_i32_20 = constant <i32: 0> : tile<i32> loc(#loc107)
  %cst_8_i32 = constant <i32: 8> : tile<i32> loc(#loc108)
  %for:2 = for %loopIdx in (%cst_0_i32_15 to %arg3, step %cst_1_i32_16) : tile<i32> iter_values(%iterArg0 = %cst_0_i32_14, %iterArg1 = %false) -> (tile<i32>, tile<i1>) {
    if %iterArg1 {
      continue %iterArg0, %iterArg1 : tile<i32>, tile<i1> loc(#loc76)
    } else {
    } loc(#loc76)
    %20 = remi %loopIdx, %cst_2_i32_17 signed : tile<i32> loc(#loc106)
    %21 = cmpi less_than %20, %cst_0_i32_18, signed : tile<i32> -> tile<i1> loc(#loc106)
    %22 = xori %21, %false_19 : tile<i1> loc(#loc106)
    %23 = cmpi not_equal %20, %cst_0_i32_18, signed : tile<i32> -> tile<i1> loc(#loc106)
    %24 = andi %22, %23 : tile<i1> loc(#loc106)
    %25 = addi %20, %cst_2_i32_17 : tile<i32> loc(#loc106)
    %26 = select %24, %25, %20 : tile<i1>, tile<i32> loc(#loc106)
    %27 = cmpi equal %26, %cst_0_i32_20, signed : tile<i32> -> tile<i1> loc(#loc106)
    if %27 {
      continue %iterArg0, %iterArg1 : tile<i32>, tile<i1> loc(#loc110)
    } else {
    } loc(#loc109)
    %28 = cmpi greater_than %loopIdx, %6#2, signed : tile<i32> -> tile<i1> loc(#loc111)
    if %28 {
      continue %iterArg0, %true : tile<i32>, tile<i1> loc(#loc113)
    } else {
    } loc(#loc112)
    %29 = cmpi greater_than %loopIdx, %cst_8_i32, signed : tile<i32> -> tile<i1> loc(#loc114)
    %30 = if %29 -> (tile<i32>) {
      %cst_2_i32_23 = constant <i32: 2> : tile<i32> loc(#loc116)
      %31 = addi %iterArg0, %cst_2_i32_23 : tile<i32> loc(#loc117)
      yield %31 : tile<i32> loc(#loc115)
    } else {
      %cst_3_i32_23 = constant <i32: 3> : tile<i32> loc(#loc118)
      %31 = cmpi equal %loopIdx, %cst_3_i32_23, signed : tile<i32> -> tile<i1> loc(#loc119)
      %32 = if %31 -> (tile<i32>) {
        %cst_5_i32 = constant <i32: 5> : tile<i32> loc(#loc121)
        %33 = addi %iterArg0, %cst_5_i32 : tile<i32> loc(#loc122)
        yield %33 : tile<i32> loc(#loc120)
      } else {
        %cst_1_i32_24 = constant <i32: 1> : tile<i32> loc(#loc123)
        %33 = addi %iterArg0, %cst_1_i32_24 : tile<i32> loc(#loc124)
        yield %33 : tile<i32> loc(#loc120)
      } loc(#loc120)
      yield %32 : tile<i32> loc(#loc115)
    } loc(#loc115)
    continue %30, %iterArg1 : tile<i32>, tile<i1> loc(#loc76)
  } loc(#loc76)
  %7 = exti %blockId_x signed : tile<i32> -> tile<i64> loc(#loc77)
  %8 = exti %assume_5 signed : tile<i32> -> tile<i64> loc(#loc77)
  %9 = cmpi less_than %7, %8, unsigned : tile<i64> -> tile<i1> loc(#loc77)
  %10 = muli %7, %cst_1_i64_2 : tile<i64> loc(#loc77)
  %11 = offset %assume_0, %10 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>> loc(#loc77)
  %assume_21 = assume div_by<4>, %11 : tile<ptr<i32>> loc(#loc77)
  %12 = store_ptr_tko weak %assume_21, %6#0, %9 token=%0 : tile<ptr<i32>>, tile<i32>, tile<i1> -> token loc(#loc77)
  %13 = addi %6#2, %for#0 : tile<i32> loc(#loc125)
  %14 = exti %blockId_x signed : tile<i32> -> tile<i64> loc(#loc78)
  %15 = exti %assume_6 signed : tile<i32> -> tile<i64> loc(#loc78)
  %16 = cmpi less_than %14, %15, unsigned : tile<i64> -> tile<i1> loc(#loc78)
  %17 = muli %14, %cst_1_i64_3 : tile<i64> loc(#loc78)
  %18 = offset %assume_1, %17 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>> loc(#loc78)
  %assume_22 = assume div_by<4>, %18 : tile<ptr<i32>> loc(#loc78)
  %19 = store_ptr_tko weak %assume_22, %13, %16 token=%0 : tile<ptr<i32>>, tile<i32>, tile<i1> -> token loc(#loc78)
  return loc(#loc55)
} loc(#loc71)
entry @stepped_sum(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i32>>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token loc(#loc126)
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>> loc(#loc127)
  %assume_0 = assume div_by<16>, %arg6 : tile<ptr<i32>> loc(#loc128)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc126)
  %cst_1_i32_1 = constant <i32: 1> : tile<i32> loc(#loc126)
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc126)
  %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]> loc(#loc126)
  %assume_3 = assume bounded<0, ?>, %arg7 : tile<i32> loc(#loc126)
  %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]> loc(#loc126)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc129)
  %cst_0_i32 = constant <i32: 0> : tile<64xi32> loc(#loc130)
  %cst_3_i32 = constant <i32: 3> : tile<i32> loc(#loc131)
  %cst_0_i32_5 = constant <i32: 0> : tile<i32> loc(#loc132)
  %false = constant <i1: false> : tile<i1> loc(#loc132)
  %cst_0_i32_6 = constant <i32: 0> : tile<i32> loc(#loc133)
  %for = for %loopIdx in (%arg3 to %arg4, step %arg5) : tile<i32> iter_values(%iterArg0 = %cst_0_i32) -> (tile<64xi32>) {
    %pview_7 = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>> loc(#loc135)
    %tile, %result_token = load_view_tko weak %pview_7[%loopIdx] token = %0 : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token loc(#loc135)
    %2 = remi %loopIdx, %cst_3_i32 signed : tile<i32> loc(#loc132)
    %3 = cmpi less_than %2, %cst_0_i32_5, signed : tile<i32> -> tile<i1> loc(#loc132)
    %4 = xori %3, %false : tile<i1> loc(#loc132)
    %5 = cmpi not_equal %2, %cst_0_i32_5, signed : tile<i32> -> tile<i1> loc(#loc132)
    %6 = andi %4, %5 : tile<i1> loc(#loc132)
    %7 = addi %2, %cst_3_i32 : tile<i32> loc(#loc132)
    %8 = select %6, %7, %2 : tile<i1>, tile<i32> loc(#loc132)
    %9 = cmpi equal %8, %cst_0_i32_6, signed : tile<i32> -> tile<i1> loc(#loc132)
    %10 = if %9 -> (tile<64xi32>) {
      %11 = subi %iterArg0, %tile : tile<64xi32> loc(#loc137)
      yield %11 : tile<64xi32> loc(#loc136)
    } else {
      %reshape = reshape %loopIdx : tile<i32> -> tile<1xi32> loc(#loc138)
      %bcast = broadcast %reshape : tile<1xi32> -> tile<64xi32> loc(#loc138)
      %11 = muli %tile, %bcast : tile<64xi32> loc(#loc138)
      %12 = addi %iterArg0, %11 : tile<64xi32> loc(#loc139)
      yield %12 : tile<64xi32> loc(#loc136)
    } loc(#loc136)
    continue %10 : tile<64xi32> loc(#loc134)
  } loc(#loc134)
  %pview = make_partition_view %tview_4 : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>> loc(#loc140)
  %1 = store_view_tko weak %for, %pview[%blockId_x] token = %0 : tile<64xi32>, partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token loc(#loc140)
  return loc(#loc55)
} loc(#loc126)
#di_file = #cuda_tile.di_file<"loop_control.py" in "">
#loc = loc("loop_control.py":7:0)
#loc1 = loc("loop_control.py":7:17)
#loc2 = loc("loop_control.py":7:31)
#loc3 = loc("loop_control.py":7:38)
#loc4 = loc("loop_control.py":9:8)
#loc5 = loc("loop_control.py":26:4)
#loc6 = loc("loop_control.py":38:4)
#loc7 = loc("loop_control.py":39:4)
#loc8 = loc("loop_control.py":8:8)
#loc9 = loc("loop_control.py":10:12)
#loc10 = loc("loop_control.py":13:16)
#loc11 = loc("loop_control.py":18:24)
#loc12 = loc("loop_control.py":19:15)
#loc13 = loc("loop_control.py":19:11)
#loc14 = loc("loop_control.py":19:20)
#loc15 = loc("loop_control.py":22:12)
#loc16 = loc("loop_control.py":22:20)
#loc17 = loc("loop_control.py":12:4)
#loc18 = loc("loop_control.py":13:11)
#loc19 = loc("loop_control.py":13:8)
#loc20 = loc("loop_control.py":14:12)
#loc21 = loc("loop_control.py":15:11)
#loc22 = loc("loop_control.py":15:8)
#loc23 = loc("loop_control.py":16:20)
#loc24 = loc("loop_control.py":17:12)
#loc25 = loc("loop_control.py":18:16)
#loc26 = loc("loop_control.py":19:8)
#loc27 = loc("loop_control.py":20:21)
#loc28 = loc("loop_control.py":20:16)
#loc29 = loc("loop_control.py":21:12)
#loc30 = loc("loop_control.py":23:11)
#loc31 = loc("loop_control.py":23:8)
#loc32 = loc("loop_control.py":25:10)
#loc33 = loc("loop_control.py":26:13)
#loc34 = loc("loop_control.py":27:15)
#loc35 = loc("loop_control.py":27:11)
#loc36 = loc("loop_control.py":27:20)
#loc37 = loc("loop_control.py":31:15)
#loc38 = loc("loop_control.py":27:8)
#loc39 = loc("loop_control.py":28:12)
#loc40 = loc("loop_control.py":29:11)
#loc41 = loc("loop_control.py":29:8)
#loc42 = loc("loop_control.py":30:12)
#loc43 = loc("loop_control.py":31:11)
#loc44 = loc("loop_control.py":31:8)
#loc45 = loc("loop_control.py":32:24)
#loc46 = loc("loop_control.py":32:18)
#loc47 = loc("loop_control.py":34:20)
#loc48 = loc("loop_control.py":34:15)
#loc49 = loc("loop_control.py":34:12)
#loc50 = loc("loop_control.py":35:28)
#loc51 = loc("loop_control.py":35:22)
#loc52 = loc("loop_control.py":37:28)
#loc53 = loc("loop_control.py":37:22)
#loc54 = loc("loop_control.py":39:24)
#loc55 = loc(unknown)
#loc56 = loc("loop_control.py":43:0)
#loc57 = loc("loop_control.py":43:16)
#loc58 = loc("loop_control.py":43:38)
#loc59 = loc("loop_control.py":44:8)
#loc60 = loc("loop_control.py":45:12)
#loc61 = loc("loop_control.py":48:15)
#loc62 = loc("loop_control.py":48:11)
#loc63 = loc("loop_control.py":48:20)
#loc64 = loc("loop_control.py":46:4)
#loc65 = loc("loop_control.py":47:15)
#loc66 = loc("loop_control.py":48:8)
#loc67 = loc("loop_control.py":49:20)
#loc68 = loc("loop_control.py":51:28)
#loc69 = loc("loop_control.py":51:20)
#loc70 = loc("loop_control.py":52:4)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 6, name = "loop_control", linkageName = "loop_control", compileUnit = #di_compile_unit, scopeLine = 6>
#di_subprogram1 = #cuda_tile.di_subprogram<file = #di_file, line = 42, name = "stepped_sum", linkageName = "stepped_sum", compileUnit = #di_compile_unit, scopeLine = 42>
#loc71 = #cuda_tile.di_loc<#loc in #di_subprogram>
#loc72 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc73 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
#loc74 = #cuda_tile.di_loc<#loc3 in #di_subprogram>
#loc75 = #cuda_tile.di_loc<#loc4 in #di_subprogram>
#loc76 = #cuda_tile.di_loc<#loc5 in #di_subprogram>
#loc77 = #cuda_tile.di_loc<#loc6 in #di_subprogram>
#loc78 = #cuda_tile.di_loc<#loc7 in #di_subprogram>
#loc79 = #cuda_tile.di_loc<#loc8 in #di_subprogram>
#loc80 = #cuda_tile.di_loc<#loc9 in #di_subprogram>
#loc81 = #cuda_tile.di_loc<#loc10 in #di_subprogram>
#loc82 = #cuda_tile.di_loc<#loc11 in #di_subprogram>
#loc83 = #cuda_tile.di_loc<#loc12 in #di_subprogram>
#loc84 = #cuda_tile.di_loc<#loc13 in #di_subprogram>
#loc85 = #cuda_tile.di_loc<#loc14 in #di_subprogram>
#loc86 = #cuda_tile.di_loc<#loc15 in #di_subprogram>
#loc87 = #cuda_tile.di_loc<#loc16 in #di_subprogram>
#loc88 = #cuda_tile.di_loc<#loc17 in #di_subprogram>
#loc89 = #cuda_tile.di_loc<#loc18 in #di_subprogram>
#loc90 = #cuda_tile.di_loc<#loc19 in #di_subprogram>
#loc91 = #cuda_tile.di_loc<#loc20 in #di_subprogram>
#loc92 = #cuda_tile.di_loc<#loc21 in #di_subprogram>
#loc93 = #cuda_tile.di_loc<#loc22 in #di_subprogram>
#loc94 = #cuda_tile.di_loc<#loc23 in #di_subprogram>
#loc95 = #cuda_tile.di_loc<#loc24 in #di_subprogram>
#loc96 = #cuda_tile.di_loc<#loc25 in #di_subprogram>
#loc97 = #cuda_tile.di_loc<#loc26 in #di_subprogram>
#loc98 = #cuda_tile.di_loc<#loc27 in #di_subprogram>
#loc99 = #cuda_tile.di_loc<#loc28 in #di_subprogram>
#loc100 = #cuda_tile.di_loc<#loc29 in #di_subprogram>
#loc101 = #cuda_tile.di_loc<#loc30 in #di_subprogram>
#loc102 = #cuda_tile.di_loc<#loc31 in #di_subprogram>
#loc103 = #cuda_tile.di_loc<#loc32 in #di_subprogram>
#loc104 = #cuda_tile.di_loc<#loc33 in #di_subprogram>
#loc105 = #cuda_tile.di_loc<#loc34 in #di_subprogram>
#loc106 = #cuda_tile.di_loc<#loc35 in #di_subprogram>
#loc107 = #cuda_tile.di_loc<#loc36 in #di_subprogram>
#loc108 = #cuda_tile.di_loc<#loc37 in #di_subprogram>
#loc109 = #cuda_tile.di_loc<#loc38 in #di_subprogram>
#loc110 = #cuda_tile.di_loc<#loc39 in #di_subprogram>
#loc111 = #cuda_tile.di_loc<#loc40 in #di_subprogram>
#loc112 = #cuda_tile.di_loc<#loc41 in #di_subprogram>
#loc113 = #cuda_tile.di_loc<#loc42 in #di_subprogram>
#loc114 = #cuda_tile.di_loc<#loc43 in #di_subprogram>
#loc115 = #cuda_tile.di_loc<#loc44 in #di_subprogram>
#loc116 = #cuda_tile.di_loc<#loc45 in #di_subprogram>
#loc117 = #cuda_tile.di_loc<#loc46 in #di_subprogram>
#loc118 = #cuda_tile.di_loc<#loc47 in #di_subprogram>
#loc119 = #cuda_tile.di_loc<#loc48 in #di_subprogram>
#loc120 = #cuda_tile.di_loc<#loc49 in #di_subprogram>
#loc121 = #cuda_tile.di_loc<#loc50 in #di_subprogram>
#loc122 = #cuda_tile.di_loc<#loc51 in #di_subprogram>
#loc123 = #cuda_tile.di_loc<#loc52 in #di_subprogram>
#loc124 = #cuda_tile.di_loc<#loc53 in #di_subprogram>
#loc125 = #cuda_tile.di_loc<#loc54 in #di_subprogram>
#loc126 = #cuda_tile.di_loc<#loc56 in #di_subprogram1>
#loc127 = #cuda_tile.di_loc<#loc57 in #di_subprogram1>
#loc128 = #cuda_tile.di_loc<#loc58 in #di_subprogram1>
#loc129 = #cuda_tile.di_loc<#loc59 in #di_subprogram1>
#loc130 = #cuda_tile.di_loc<#loc60 in #di_subprogram1>
#loc131 = #cuda_tile.di_loc<#loc61 in #di_subprogram1>
#loc132 = #cuda_tile.di_loc<#loc62 in #di_subprogram1>
#loc133 = #cuda_tile.di_loc<#loc63 in #di_subprogram1>
#loc134 = #cuda_tile.di_loc<#loc64 in #di_subprogram1>
#loc135 = #cuda_tile.di_loc<#loc65 in #di_subprogram1>
#loc136 = #cuda_tile.di_loc<#loc66 in #di_subprogram1>
#loc137 = #cuda_tile.di_loc<#loc67 in #di_subprogram1>
#loc138 = #cuda_tile.di_loc<#loc68 in #di_subprogram1>
#loc139 = #cuda_tile.di_loc<#loc69 in #di_subprogram1>
#loc140 = #cuda_tile.di_loc<#loc70 in #di_subprogram1>
