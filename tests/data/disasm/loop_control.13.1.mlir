entry @loop_control(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<ptr<i32>>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<i32>>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg4 : tile<ptr<i32>>
  %assume_1 = assume div_by<16>, %arg7 : tile<ptr<i32>>
  %cst_1_i64 = constant <i64: 1> : tile<i64>
  %false = constant <i1: false> : tile<i1>
  %true = constant <i1: true> : tile<i1>
  %cst_1_i64_2 = constant <i64: 1> : tile<i64>
  %cst_1_i64_3 = constant <i64: 1> : tile<i64>
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_5 = assume bounded<0, ?>, %arg5 : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg8 : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %1 = exti %blockId_x signed : tile<i32> -> tile<i64>
  %2 = exti %assume_4 signed : tile<i32> -> tile<i64>
  %3 = cmpi less_than %1, %2, unsigned : tile<i64> -> tile<i1>
  %4 = muli %1, %cst_1_i64 : tile<i64>
  %5 = offset %assume, %4 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
  %assume_7 = assume div_by<4>, %5 : tile<ptr<i32>>
  %result, %result_token = load_ptr_tko weak %assume_7, %3, %cst_0_i32 token=%0 : tile<ptr<i32>>, tile<i1>, tile<i32> -> tile<i32>, token
  %cst_0_i32_8 = constant <i32: 0> : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_9 = constant <i32: 1> : tile<i32>
  %cst_2_i32 = constant <i32: 2> : tile<i32>
  %cst_0_i32_10 = constant <i32: 0> : tile<i32>
  %false_11 = constant <i1: false> : tile<i1>
  %cst_0_i32_12 = constant <i32: 0> : tile<i32>
  %cst_3_i32 = constant <i32: 3> : tile<i32>
  %cst_1_i32_13 = constant <i32: 1> : tile<i32>
  %6:3 = loop iter_values(%arg10 = %cst_0_i32_8, %arg11 = %result, %arg12 = %result) : tile<i32>, tile<i32>, tile<i32> -> tile<i32>, tile<i32>, tile<i32> {
    %20 = cmpi less_than_or_equal %arg11, %cst_1_i32, signed : tile<i32> -> tile<i1>
    if %20 {
      break %arg10, %arg11, %arg12 : tile<i32>, tile<i32>, tile<i32>
    } else {
    }
    %21 = cmpi greater_than_or_equal %arg10, %arg3, signed : tile<i32> -> tile<i1>
    if %21 {
      %cst_-1_i32 = constant <i32: -1> : tile<i32>
      break %cst_-1_i32, %arg11, %arg12 : tile<i32>, tile<i32>, tile<i32>
    } else {
    }
    %22 = addi %arg10, %cst_1_i32_9 : tile<i32>
    %23 = remi %arg11, %cst_2_i32 signed : tile<i32>
    %24 = cmpi less_than %23, %cst_0_i32_10, signed : tile<i32> -> tile<i1>
    %25 = xori %24, %false_11 : tile<i1>
    %26 = cmpi not_equal %23, %cst_0_i32_10, signed : tile<i32> -> tile<i1>
    %27 = andi %25, %26 : tile<i1>
    %28 = addi %23, %cst_2_i32 : tile<i32>
    %29 = select %27, %28, %23 : tile<i1>, tile<i32>
    %30 = cmpi equal %29, %cst_0_i32_12, signed : tile<i32> -> tile<i1>
    if %30 {
      %cst_2_i32_23 = constant <i32: 2> : tile<i32>
      %35 = divi %arg11, %cst_2_i32_23 signed rounding<negative_inf> : tile<i32>
      continue %22, %35, %arg12 : tile<i32>, tile<i32>, tile<i32>
    } else {
    }
    %31 = muli %cst_3_i32, %arg11 : tile<i32>
    %32 = addi %31, %cst_1_i32_13 : tile<i32>
    %33 = cmpi greater_than %32, %arg12, signed : tile<i32> -> tile<i1>
    %34 = if %33 -> (tile<i32>) {
      yield %32 : tile<i32>
    } else {
      yield %arg12 : tile<i32>
    }
    continue %22, %32, %34 : tile<i32>, tile<i32>, tile<i32>
  }
  %cst_0_i32_14 = constant <i32: 0> : tile<i32>
  %cst_0_i32_15 = constant <i32: 0> : tile<i32>
  %cst_1_i32_16 = constant <i32: 1> : tile<i32>
  %cst_2_i32_17 = constant <i32: 2> : tile<i32>
  %cst_0_i32_18 = constant <i32: 0> : tile<i32>
  %false_19 = constant <i1: false> : tile<i1>
  %cst_0_i32_20 = constant <i32: 0> : tile<i32>
  %cst_8_i32 = constant <i32: 8> : tile<i32>
  %for:2 = for %loopIdx in (%cst_0_i32_15 to %arg3, step %cst_1_i32_16) : tile<i32> iter_values(%iterArg0 = %cst_0_i32_14, %iterArg1 = %false) -> (tile<i32>, tile<i1>) {
    if %iterArg1 {
      continue %iterArg0, %iterArg1 : tile<i32>, tile<i1>
    } else {
    }
    %20 = remi %loopIdx, %cst_2_i32_17 signed : tile<i32>
    %21 = cmpi less_than %20, %cst_0_i32_18, signed : tile<i32> -> tile<i1>
    %22 = xori %21, %false_19 : tile<i1>
    %23 = cmpi not_equal %20, %cst_0_i32_18, signed : tile<i32> -> tile<i1>
    %24 = andi %22, %23 : tile<i1>
    %25 = addi %20, %cst_2_i32_17 : tile<i32>
    %26 = select %24, %25, %20 : tile<i1>, tile<i32>
    %27 = cmpi equal %26, %cst_0_i32_20, signed : tile<i32> -> tile<i1>
    if %27 {
      continue %iterArg0, %iterArg1 : tile<i32>, tile<i1>
    } else {
    }
    %28 = cmpi greater_than %loopIdx, %6#2, signed : tile<i32> -> tile<i1>
    if %28 {
      continue %iterArg0, %true : tile<i32>, tile<i1>
    } else {
    }
    %29 = cmpi greater_than %loopIdx, %cst_8_i32, signed : tile<i32> -> tile<i1>
    %30 = if %29 -> (tile<i32>) {
      %cst_2_i32_23 = constant <i32: 2> : tile<i32>
      %31 = addi %iterArg0, %cst_2_i32_23 : tile<i32>
      yield %31 : tile<i32>
    } else {
      %cst_3_i32_23 = constant <i32: 3> : tile<i32>
      %31 = cmpi equal %loopIdx, %cst_3_i32_23, signed : tile<i32> -> tile<i1>
      %32 = if %31 -> (tile<i32>) {
        %cst_5_i32 = constant <i32: 5> : tile<i32>
        %33 = addi %iterArg0, %cst_5_i32 : tile<i32>
        yield %33 : tile<i32>
      } else {
        %cst_1_i32_24 = constant <i32: 1> : tile<i32>
        %33 = addi %iterArg0, %cst_1_i32_24 : tile<i32>
        yield %33 : tile<i32>
      }
      yield %32 : tile<i32>
    }
    continue %30, %iterArg1 : tile<i32>, tile<i1>
  }
  %7 = exti %blockId_x signed : tile<i32> -> tile<i64>
  %8 = exti %assume_5 signed : tile<i32> -> tile<i64>
  %9 = cmpi less_than %7, %8, unsigned : tile<i64> -> tile<i1>
  %10 = muli %7, %cst_1_i64_2 : tile<i64>
  %11 = offset %assume_0, %10 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
  %assume_21 = assume div_by<4>, %11 : tile<ptr<i32>>
  %12 = store_ptr_tko weak %assume_21, %6#0, %9 token=%0 : tile<ptr<i32>>, tile<i32>, tile<i1> -> token
  %13 = addi %6#2, %for#0 : tile<i32>
  %14 = exti %blockId_x signed : tile<i32> -> tile<i64>
  %15 = exti %assume_6 signed : tile<i32> -> tile<i64>
  %16 = cmpi less_than %14, %15, unsigned : tile<i64> -> tile<i1>
  %17 = muli %14, %cst_1_i64_3 : tile<i64>
  %18 = offset %assume_1, %17 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
  %assume_22 = assume div_by<4>, %18 : tile<ptr<i32>>
  %19 = store_ptr_tko weak %assume_22, %13, %16 token=%0 : tile<ptr<i32>>, tile<i32>, tile<i1> -> token
  return
}
entry @stepped_sum(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i32>>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg6 : tile<ptr<i32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_1 = constant <i32: 1> : tile<i32>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_3 = assume bounded<0, ?>, %arg7 : tile<i32>
  %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<64xi32>
  %cst_3_i32 = constant <i32: 3> : tile<i32>
  %cst_0_i32_5 = constant <i32: 0> : tile<i32>
  %false = constant <i1: false> : tile<i1>
  %cst_0_i32_6 = constant <i32: 0> : tile<i32>
  %for = for %loopIdx in (%arg3 to %arg4, step %arg5) : tile<i32> iter_values(%iterArg0 = %cst_0_i32) -> (tile<64xi32>) {
    %pview_7 = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview_7[%loopIdx] token = %0 : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %2 = remi %loopIdx, %cst_3_i32 signed : tile<i32>
    %3 = cmpi less_than %2, %cst_0_i32_5, signed : tile<i32> -> tile<i1>
    %4 = xori %3, %false : tile<i1>
    %5 = cmpi not_equal %2, %cst_0_i32_5, signed : tile<i32> -> tile<i1>
    %6 = andi %4, %5 : tile<i1>
    %7 = addi %2, %cst_3_i32 : tile<i32>
    %8 = select %6, %7, %2 : tile<i1>, tile<i32>
    %9 = cmpi equal %8, %cst_0_i32_6, signed : tile<i32> -> tile<i1>
    %10 = if %9 -> (tile<64xi32>) {
      %11 = subi %iterArg0, %tile : tile<64xi32>
      yield %11 : tile<64xi32>
    } else {
      %reshape = reshape %loopIdx : tile<i32> -> tile<1xi32>
      %bcast = broadcast %reshape : tile<1xi32> -> tile<64xi32>
      %11 = muli %tile, %bcast : tile<64xi32>
      %12 = addi %iterArg0, %11 : tile<64xi32>
      yield %12 : tile<64xi32>
    }
    continue %10 : tile<64xi32>
  }
  %pview = make_partition_view %tview_4 : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>
  %1 = store_view_tko weak %for, %pview[%blockId_x] token = %0 : tile<64xi32>, partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
  return
}
