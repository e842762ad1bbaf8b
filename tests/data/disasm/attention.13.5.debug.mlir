entry @attention(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f16>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<ptr<f32>>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token loc(#loc36)
  %assume = assume div_by<16>, %arg0 : tile<ptr<f16>> loc(#loc37)
  %assume_0 = assume div_by<16>, %arg1 : tile<i32> loc(#loc37)
  %assume_1 = assume div_by<16>, %arg2 : tile<i32> loc(#loc37)
  %assume_2 = assume div_by<16>, %arg3 : tile<i32> loc(#loc37)
  %assume_3 = assume div_by<16>, %arg5 : tile<ptr<f16>> loc(#loc38)
  %assume_4 = assume div_by<16>, %arg6 : tile<i32> loc(#loc38)
  %assume_5 = assume div_by<16>, %arg7 : tile<i32> loc(#loc38)
  %assume_6 = assume div_by<16>, %arg8 : tile<i32> loc(#loc38)
  %assume_7 = assume div_by<16>, %arg10 : tile<ptr<f16>> loc(#loc39)
  %assume_8 = assume div_by<16>, %arg11 : tile<i32> loc(#loc39)
  %assume_9 = assume div_by<16>, %arg12 : tile<i32> loc(#loc39)
  %assume_10 = assume div_by<16>, %arg13 : tile<i32> loc(#loc39)
  %assume_11 = assume div_by<16>, %arg15 : tile<ptr<f32>> loc(#loc40)
  %assume_12 = assume div_by<16>, %arg16 : tile<i32> loc(#loc40)
  %assume_13 = assume div_by<16>, %arg17 : tile<i32> loc(#loc40)
  %assume_14 = assume div_by<16>, %arg18 : tile<i32> loc(#loc40)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc36)
  %cst_1_i32_15 = constant <i32: 1> : tile<i32> loc(#loc36)
  %cst_1_i32_16 = constant <i32: 1> : tile<i32> loc(#loc36)
  %cst_1_i32_17 = constant <i32: 1> : tile<i32> loc(#loc36)
  %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32> loc(#loc36)
  %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32> loc(#loc36)
  %assume_assume_18 = assume bounded<0, ?>, %assume_1 : tile<i32> loc(#loc36)
  %assume_assume_assume_19 = assume div_by<16>, %assume_assume_18 : tile<i32> loc(#loc36)
  %assume_assume_20 = assume bounded<0, ?>, %assume_2 : tile<i32> loc(#loc36)
  %assume_assume_assume_21 = assume div_by<16>, %assume_assume_20 : tile<i32> loc(#loc36)
  %tview = make_tensor_view %assume, shape = [%assume_assume_assume, %assume_assume_assume_19], strides = [%assume_assume_assume_21, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]> loc(#loc36)
  %assume_assume_22 = assume bounded<0, ?>, %assume_4 : tile<i32> loc(#loc36)
  %assume_assume_assume_23 = assume div_by<16>, %assume_assume_22 : tile<i32> loc(#loc36)
  %assume_assume_24 = assume bounded<0, ?>, %assume_5 : tile<i32> loc(#loc36)
  %assume_assume_assume_25 = assume div_by<16>, %assume_assume_24 : tile<i32> loc(#loc36)
  %assume_assume_26 = assume bounded<0, ?>, %assume_6 : tile<i32> loc(#loc36)
  %assume_assume_assume_27 = assume div_by<16>, %assume_assume_26 : tile<i32> loc(#loc36)
  %tview_28 = make_tensor_view %assume_3, shape = [%assume_assume_assume_23, %assume_assume_assume_25], strides = [%assume_assume_assume_27, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]> loc(#loc36)
  %assume_assume_29 = assume bounded<0, ?>, %assume_8 : tile<i32> loc(#loc36)
  %assume_assume_assume_30 = assume div_by<16>, %assume_assume_29 : tile<i32> loc(#loc36)
  %assume_assume_31 = assume bounded<0, ?>, %assume_9 : tile<i32> loc(#loc36)
  %assume_assume_assume_32 = assume div_by<16>, %assume_assume_31 : tile<i32> loc(#loc36)
  %assume_assume_33 = assume bounded<0, ?>, %assume_10 : tile<i32> loc(#loc36)
  %assume_assume_assume_34 = assume div_by<16>, %assume_assume_33 : tile<i32> loc(#loc36)
  %tview_35 = make_tensor_view %assume_7, shape = [%assume_assume_assume_30, %assume_assume_assume_32], strides = [%assume_assume_assume_34, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]> loc(#loc36)
  %assume_assume_36 = assume bounded<0, ?>, %assume_12 : tile<i32> loc(#loc36)
  %assume_assume_assume_37 = assume div_by<16>, %assume_assume_36 : tile<i32> loc(#loc36)
  %assume_assume_38 = assume bounded<0, ?>, %assume_13 : tile<i32> loc(#loc36)
  %assume_assume_assume_39 = assume div_by<16>, %assume_assume_38 : tile<i32> loc(#loc36)
  %assume_assume_40 = assume bounded<0, ?>, %assume_14 : tile<i32> loc(#loc36)
  %assume_assume_assume_41 = assume div_by<16>, %assume_assume_40 : tile<i32> loc(#loc36)
  %tview_42 = make_tensor_view %assume_11, shape = [%assume_assume_assume_37, %assume_assume_assume_39], strides = [%assume_assume_assume_41, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]> loc(#loc36)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc41)
  %cst_0_i32 = constant <i32: 0> : tile<i32> loc(#loc42)
  %pview = make_partition_view %tview : partition_view<tile=(64x64), tensor_view<?x?xf16, strides=[?,1]>> loc(#loc43)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(64x64), tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x64xf16>, token loc(#loc43)
  %cst_f32 = constant <f32: 0xFF800000> : tile<64x1xf32> loc(#loc44)
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<64x1xf32> loc(#loc45)
  %cst_0_f32_43 = constant <f32: 0.000000e+00> : tile<64x64xf32> loc(#loc46)
  %cst_64_i32 = constant <i32: 64> : tile<i32> loc(#loc47)
  %1 = divi %assume_assume_assume_23, %cst_64_i32 signed rounding<positive_inf> : tile<i32> loc(#loc48)
  %cst_0_i32_44 = constant <i32: 0> : tile<i32> loc(#loc49)
  %cst_1_i32_45 = constant <i32: 1> : tile<i32> loc(#loc49)
  %cst_0_i32_46 = constant <i32: 0> : tile<i32> loc(#loc50)
  %pview_47 = make_partition_view %tview_28 : partition_view<tile=(64x64), tensor_view<?x?xf16, strides=[?,1]>, dim_map=[1, 0]> loc(#loc51)
  %cst_0_f32_48 = constant <f32: 0.000000e+00> : tile<64x64xf32> loc(#loc52)
  %cst_0_i32_49 = constant <i32: 0> : tile<i32> loc(#loc53)
  %pview_50 = make_partition_view %tview_35 : partition_view<tile=(64x64), tensor_view<?x?xf16, strides=[?,1]>> loc(#loc54)
  %for:3 = for %loopIdx in (%cst_0_i32_44 to %1, step %cst_1_i32_45) : tile<i32> iter_values(%iterArg0 = %cst_f32, %iterArg1 = %cst_0_f32_43, %iterArg2 = %cst_0_f32) -> (tile<64x1xf32>, tile<64x64xf32>, tile<64x1xf32>) {
    %tile_53, %result_token_54 = load_view_tko weak %pview_47[%cst_0_i32_46, %loopIdx] token = %0 : partition_view<tile=(64x64), tensor_view<?x?xf16, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> tile<64x64xf16>, token loc(#loc51)
    %4 = mmaf %tile, %tile_53, %cst_0_f32_48 : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32> loc(#loc56)
    %reduce = reduce %4 dim=1 identities=[0xFF800000 : f32] : tile<64x64xf32> -> tile<64xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %14 = maxf %reduce_lhs, %reduce_rhs : tile<f32> loc(#loc57)
      yield %14 : tile<f32> loc(#loc57)
    } loc(#loc57)
    %reshape = reshape %reduce : tile<64xf32> -> tile<64x1xf32> loc(#loc57)
    %5 = maxf %iterArg0, %reshape : tile<64x1xf32> loc(#loc58)
    %bcast_55 = broadcast %5 : tile<64x1xf32> -> tile<64x64xf32> loc(#loc59)
    %6 = subf %4, %bcast_55  : tile<64x64xf32> loc(#loc59)
    %7 = exp2 %6 : tile<64x64xf32> loc(#loc60)
    %8 = subf %iterArg0, %5  : tile<64x1xf32> loc(#loc61)
    %9 = exp2 %8 : tile<64x1xf32> loc(#loc62)
    %reduce_56 = reduce %7 dim=1 identities=[0.000000e+00 : f32] : tile<64x64xf32> -> tile<64xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %14 = addf %reduce_lhs, %reduce_rhs  : tile<f32> loc(#loc63)
      yield %14 : tile<f32> loc(#loc63)
    } loc(#loc63)
    %reshape_57 = reshape %reduce_56 : tile<64xf32> -> tile<64x1xf32> loc(#loc63)
    %10 = fma %iterArg2, %9, %reshape_57  : tile<64x1xf32> loc(#loc64)
    %tile_58, %result_token_59 = load_view_tko weak %pview_50[%loopIdx, %cst_0_i32_49] token = %0 : partition_view<tile=(64x64), tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x64xf16>, token loc(#loc54)
    %11 = ftof %7  : tile<64x64xf32> -> tile<64x64xf16> loc(#loc65)
    %bcast_60 = broadcast %9 : tile<64x1xf32> -> tile<64x64xf32> loc(#loc66)
    %12 = mulf %iterArg1, %bcast_60  : tile<64x64xf32> loc(#loc66)
    %13 = mmaf %11, %tile_58, %12 : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32> loc(#loc67)
    continue %5, %13, %10 : tile<64x1xf32>, tile<64x64xf32>, tile<64x1xf32> loc(#loc55)
  } loc(#loc55)
  %cst_0_i32_51 = constant <i32: 0> : tile<i32> loc(#loc68)
  %bcast = broadcast %for#2 : tile<64x1xf32> -> tile<64x64xf32> loc(#loc69)
  %2 = divf %for#1, %bcast  : tile<64x64xf32> loc(#loc69)
  %pview_52 = make_partition_view %tview_42 : partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>> loc(#loc70)
  %3 = store_view_tko weak %2, %pview_52[%blockId_x, %cst_0_i32_51] token = %0 : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token loc(#loc70)
  return loc(#loc35)
} loc(#loc36)
#di_file = #cuda_tile.di_file<"attention.py" in "">
#loc = loc("attention.py":8:0)
#loc1 = loc("attention.py":8:14)
#loc2 = loc("attention.py":8:23)
#loc3 = loc("attention.py":8:29)
#loc4 = loc("attention.py":8:37)
#loc5 = loc("attention.py":9:8)
#loc6 = loc("attention.py":10:33)
#loc7 = loc("attention.py":10:12)
#loc8 = loc("attention.py":11:11)
#loc9 = loc("attention.py":12:13)
#loc10 = loc("attention.py":13:12)
#loc11 = loc("attention.py":14:42)
#loc12 = loc("attention.py":14:19)
#loc13 = loc("attention.py":14:13)
#loc14 = loc("attention.py":15:29)
#loc15 = loc("attention.py":15:14)
#loc16 = loc("attention.py":16:36)
#loc17 = loc("attention.py":21:36)
#loc18 = loc("attention.py":21:16)
#loc19 = loc("attention.py":14:4)
#loc20 = loc("attention.py":16:17)
#loc21 = loc("attention.py":17:37)
#loc22 = loc("attention.py":17:20)
#loc23 = loc("attention.py":18:25)
#loc24 = loc("attention.py":18:17)
#loc25 = loc("attention.py":19:24)
#loc26 = loc("attention.py":19:16)
#loc27 = loc("attention.py":20:34)
#loc28 = loc("attention.py":20:17)
#loc29 = loc("attention.py":22:23)
#loc30 = loc("attention.py":22:61)
#loc31 = loc("attention.py":22:16)
#loc32 = loc("attention.py":24:22)
#loc33 = loc("attention.py":24:26)
#loc34 = loc("attention.py":24:4)
#loc35 = loc(unknown)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 7, name = "attention", linkageName = "attention", compileUnit = #di_compile_unit, scopeLine = 7>
#loc36 = #cuda_tile.di_loc<#loc in #di_subprogram>
#loc37 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc38 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
#loc39 = #cuda_tile.di_loc<#loc3 in #di_subprogram>
#loc40 = #cuda_tile.di_loc<#loc4 in #di_subprogram>
#loc41 = #cuda_tile.di_loc<#loc5 in #di_subprogram>
#loc42 = #cuda_tile.di_loc<#loc6 in #di_subprogram>
#loc43 = #cuda_tile.di_loc<#loc7 in #di_subprogram>
#loc44 = #cuda_tile.di_loc<#loc8 in #di_subprogram>
#loc45 = #cuda_tile.di_loc<#loc9 in #di_subprogram>
#loc46 = #cuda_tile.di_loc<#loc10 in #di_subprogram>
#loc47 = #cuda_tile.di_loc<#loc11 in #di_subprogram>
#loc48 = #cuda_tile.di_loc<#loc12 in #di_subprogram>
#loc49 = #cuda_tile.di_loc<#loc13 in #di_subprogram>
#loc50 = #cuda_tile.di_loc<#loc14 in #di_subprogram>
#loc51 = #cuda_tile.di_loc<#loc15 in #di_subprogram>
#loc52 = #cuda_tile.di_loc<#loc16 in #di_subprogram>
#loc53 = #cuda_tile.di_loc<#loc17 in #di_subprogram>
#loc54 = #cuda_tile.di_loc<#loc18 in #di_subprogram>
#loc55 = #cuda_tile.di_loc<#loc19 in #di_subprogram>
#loc56 = #cuda_tile.di_loc<#loc20 in #di_subprogram>
#loc57 = #cuda_tile.di_loc<#loc21 in #di_subprogram>
#loc58 = #cuda_tile.di_loc<#loc22 in #di_subprogram>
#loc59 = #cuda_tile.di_loc<#loc23 in #di_subprogram>
#loc60 = #cuda_tile.di_loc<#loc24 in #di_subprogram>
#loc61 = #cuda_tile.di_loc<#loc25 in #di_subprogram>
#loc62 = #cuda_tile.di_loc<#loc26 in #di_subprogram>
#loc63 = #cuda_tile.di_loc<#loc27 in #di_subprogram>
#loc64 = #cuda_tile.di_loc<#loc28 in #di_subprogram>
#loc65 = #cuda_tile.di_loc<#loc29 in #di_subprogram>
#loc66 = #cuda_tile.di_loc<#loc30 in #di_subprogram>
#loc67 = #cuda_tile.di_loc<#loc31 in #di_subprogram>
#loc68 = #cuda_tile.di_loc<#loc32 in #di_subprogram>
#loc69 = #cuda_tile.di_loc<#loc33 in #di_subprogram>
#loc70 = #cuda_tile.di_loc<#loc34 in #di_subprogram>
