entry @polynomial(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<f32>>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token loc(#loc16)
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>> loc(#loc17)
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>> loc(#loc18)
  %assume_1 = assume div_by<16>, %arg7 : tile<ptr<f32>> loc(#loc19)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc16)
  %cst_1_i32_2 = constant <i32: 1> : tile<i32> loc(#loc16)
  %cst_1_i64 = constant <i64: 1> : tile<i64> loc(#loc20)
  %assume_3 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc16)
  %tview = make_tensor_view %assume, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]> loc(#loc16)
  %assume_4 = assume bounded<0, ?>, %arg4 : tile<i32> loc(#loc16)
  %assume_5 = assume bounded<0, ?>, %arg8 : tile<i32> loc(#loc16)
  %tview_6 = make_tensor_view %assume_1, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]> loc(#loc16)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc21)
  %pview = make_partition_view %tview : partition_view<tile=(256), tensor_view<?xf32, strides=[1]>> loc(#loc22)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token loc(#loc22)
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<256xf32> loc(#loc23)
  %cst_1_i32_7 = constant <i32: 1> : tile<i32> loc(#loc24)
  %1 = addi %arg6, %cst_1_i32_7 : tile<i32> loc(#loc25)
  %cst_0_i32 = constant <i32: 0> : tile<i32> loc(#loc26)
  %cst_1_i32_8 = constant <i32: 1> : tile<i32> loc(#loc26)
  %2 = exti %assume_4 signed : tile<i32> -> tile<i64> loc(#loc20)
  %cst_0_f32_9 = constant <f32: 0.000000e+00> : tile<f32> loc(#loc20)
  %for = for %loopIdx in (%cst_0_i32 to %1, step %cst_1_i32_8) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<256xf32>) {
    %4 = exti %loopIdx signed : tile<i32> -> tile<i64> loc(#loc20)
    %5 = cmpi less_than %4, %2, unsigned : tile<i64> -> tile<i1> loc(#loc20)
    %6 = muli %4, %cst_1_i64 : tile<i64> loc(#loc20)
    %7 = offset %assume_0, %6 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>> loc(#loc20)
    %assume_11 = assume div_by<4>, %7 : tile<ptr<f32>> loc(#loc20)
    %result, %result_token_12 = load_ptr_tko weak %assume_11, %5, %cst_0_f32_9 token=%0 : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token loc(#loc20)
    %reshape = reshape %result : tile<f32> -> tile<1xf32> loc(#loc31)
    %bcast = broadcast %reshape : tile<1xf32> -> tile<256xf32> loc(#loc31)
    %8 = fma %iterArg0, %tile, %bcast  : tile<256xf32> loc(#loc31)
    continue %8 : tile<256xf32> loc(#loc27)
  } loc(#loc27)
  %pview_10 = make_partition_view %tview_6 : partition_view<tile=(256), tensor_view<?xf32, strides=[1]>> loc(#loc30)
  %3 = store_view_tko weak %for, %pview_10[%blockId_x] token = %0 : tile<256xf32>, partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token loc(#loc30)
  return loc(#loc15)
} loc(#loc16)
#di_file = #cuda_tile.di_file<"polynomial.py" in "">
#loc = loc("polynomial.py":11:0)
#loc1 = loc("polynomial.py":11:15)
#loc2 = loc("polynomial.py":11:18)
#loc3 = loc("polynomial.py":11:40)
#loc4 = loc("polynomial.py":16:35)
#loc5 = loc("polynomial.py":12:8)
#loc6 = loc("polynomial.py":13:9)
#loc7 = loc("polynomial.py":14:10)
#loc8 = loc("polynomial.py":15:28)
#loc9 = loc("polynomial.py":15:19)
#loc10 = loc("polynomial.py":15:13)
#loc11 = loc("polynomial.py":15:4)
#loc12 = loc("polynomial.py":7:11)
#loc13 = loc("polynomial.py":16:14)
#loc14 = loc("polynomial.py":17:4)
#loc15 = loc(unknown)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 10, name = "polynomial", linkageName = "polynomial", compileUnit = #di_compile_unit, scopeLine = 10>
#di_subprogram1 = #cuda_tile.di_subprogram<file = #di_file, line = 6, name = "horner_step", linkageName = "horner_step@polynomial:6:1_s0", compileUnit = #di_compile_unit, scopeLine = 6>
#loc16 = #cuda_tile.di_loc<#loc in #di_subprogram>
#loc17 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc18 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
#loc19 = #cuda_tile.di_loc<#loc3 in #di_subprogram>
#loc20 = #cuda_tile.di_loc<#loc4 in #di_subprogram>
#loc21 = #cuda_tile.di_loc<#loc5 in #di_subprogram>
#loc22 = #cuda_tile.di_loc<#loc6 in #di_subprogram>
#loc23 = #cuda_tile.di_loc<#loc7 in #di_subprogram>
#loc24 = #cuda_tile.di_loc<#loc8 in #di_subprogram>
#loc25 = #cuda_tile.di_loc<#loc9 in #di_subprogram>
#loc26 = #cuda_tile.di_loc<#loc10 in #di_subprogram>
#loc27 = #cuda_tile.di_loc<#loc11 in #di_subprogram>
#loc28 = #cuda_tile.di_loc<#loc12 in #di_subprogram1>
#loc29 = #cuda_tile.di_loc<#loc13 in #di_subprogram>
#loc30 = #cuda_tile.di_loc<#loc14 in #di_subprogram>
#loc31 = loc(callsite(#loc28 at #loc29))
