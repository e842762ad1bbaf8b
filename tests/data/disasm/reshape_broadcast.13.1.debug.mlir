entry @reshape_broadcast(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token loc(#loc24)
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>> loc(#loc25)
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>> loc(#loc26)
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i32>> loc(#loc27)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc24)
  %cst_1_i32_2 = constant <i32: 1> : tile<i32> loc(#loc24)
  %cst_1_i32_3 = constant <i32: 1> : tile<i32> loc(#loc24)
  %cst_3_i32 = constant <i32: 3> : tile<16x32xi32> loc(#loc28)
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc24)
  %tview = make_tensor_view %assume, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]> loc(#loc24)
  %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32> loc(#loc24)
  %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]> loc(#loc24)
  %assume_7 = assume bounded<0, ?>, %arg7 : tile<i32> loc(#loc24)
  %assume_8 = assume bounded<0, ?>, %arg8 : tile<i32> loc(#loc24)
  %assume_9 = assume bounded<0, ?>, %arg9 : tile<i32> loc(#loc24)
  %tview_10 = make_tensor_view %assume_1, shape = [%assume_7, %assume_8], strides = [%assume_9, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]> loc(#loc24)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc29)
  %blockId_x_11, %blockId_y_12, %blockId_z_13 = get_tile_block_id : tile<i32> loc(#loc30)
  %pview = make_partition_view %tview : partition_view<tile=(16), tensor_view<?xi32, strides=[1]>> loc(#loc31)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<16xi32>, token loc(#loc31)
  %reshape = reshape %tile : tile<16xi32> -> tile<16x1xi32> loc(#loc32)
  %pview_14 = make_partition_view %tview_6 : partition_view<tile=(32), tensor_view<?xi32, strides=[1]>> loc(#loc33)
  %tile_15, %result_token_16 = load_view_tko weak %pview_14[%blockId_y_12] token = %0 : partition_view<tile=(32), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<32xi32>, token loc(#loc33)
  %reshape_17 = reshape %tile_15 : tile<32xi32> -> tile<1x32xi32> loc(#loc34)
  %1 = iota : tile<512xi32> loc(#loc35)
  %reshape_18 = reshape %1 : tile<512xi32> -> tile<16x32xi32> loc(#loc36)
  %bcast = broadcast %reshape : tile<16x1xi32> -> tile<16x32xi32> loc(#loc28)
  %2 = muli %bcast, %cst_3_i32 : tile<16x32xi32> loc(#loc28)
  %bcast_19 = broadcast %reshape_17 : tile<1x32xi32> -> tile<16x32xi32> loc(#loc28)
  %3 = addi %2, %bcast_19 : tile<16x32xi32> loc(#loc28)
  %4 = addi %3, %reshape_18 : tile<16x32xi32> loc(#loc28)
  %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32> loc(#loc37)
  %cst_1000_i32 = constant <i32: 1000> : tile<i32> loc(#loc38)
  %5 = muli %gridSize_x, %cst_1000_i32 : tile<i32> loc(#loc37)
  %gridSize_x_20, %gridSize_y_21, %gridSize_z_22 = get_num_tile_blocks : tile<i32> loc(#loc39)
  %cst_100_i32 = constant <i32: 100> : tile<i32> loc(#loc40)
  %6 = muli %gridSize_y_21, %cst_100_i32 : tile<i32> loc(#loc39)
  %7 = addi %5, %6 : tile<i32> loc(#loc37)
  %gridSize_x_23, %gridSize_y_24, %gridSize_z_25 = get_num_tile_blocks : tile<i32> loc(#loc41)
  %8 = addi %7, %gridSize_z_25 : tile<i32> loc(#loc37)
  %pview_26 = make_partition_view %tview_10 : partition_view<tile=(16x32), tensor_view<?x?xi32, strides=[?,1]>> loc(#loc42)
  %9:2 = get_index_space_shape %pview_26 : partition_view<tile=(16x32), tensor_view<?x?xi32, strides=[?,1]>> -> tile<i32> loc(#loc42)
  %cst_10_i32 = constant <i32: 10> : tile<i32> loc(#loc43)
  %10 = muli %9#0, %cst_10_i32 : tile<i32> loc(#loc42)
  %pview_27 = make_partition_view %tview_10 : partition_view<tile=(16x32), tensor_view<?x?xi32, strides=[?,1]>> loc(#loc44)
  %11:2 = get_index_space_shape %pview_27 : partition_view<tile=(16x32), tensor_view<?x?xi32, strides=[?,1]>> -> tile<i32> loc(#loc44)
  %12 = addi %10, %11#1 : tile<i32> loc(#loc42)
  %reshape_28 = reshape %8 : tile<i32> -> tile<1x1xi32> loc(#loc45)
  %bcast_29 = broadcast %reshape_28 : tile<1x1xi32> -> tile<16x32xi32> loc(#loc45)
  %13 = addi %4, %bcast_29 : tile<16x32xi32> loc(#loc45)
  %reshape_30 = reshape %12 : tile<i32> -> tile<1x1xi32> loc(#loc45)
  %bcast_31 = broadcast %reshape_30 : tile<1x1xi32> -> tile<16x32xi32> loc(#loc45)
  %14 = addi %13, %bcast_31 : tile<16x32xi32> loc(#loc45)
  %reshape_32 = reshape %assume_7 : tile<i32> -> tile<1x1xi32> loc(#loc45)
  %bcast_33 = broadcast %reshape_32 : tile<1x1xi32> -> tile<16x32xi32> loc(#loc45)
  %15 = addi %14, %bcast_33 : tile<16x32xi32> loc(#loc45)
  %reshape_34 = reshape %assume_8 : tile<i32> -> tile<1x1xi32> loc(#loc45)
  %bcast_35 = broadcast %reshape_34 : tile<1x1xi32> -> tile<16x32xi32> loc(#loc45)
  %16 = subi %15, %bcast_35 : tile<16x32xi32> loc(#loc45)
  %pview_36 = make_partition_view %tview_10 : partition_view<tile=(16x32), tensor_view<?x?xi32, strides=[?,1]>> loc(#loc46)
  %17 = store_view_tko weak %16, %pview_36[%blockId_x, %blockId_y_12] token = %0 : tile<16x32xi32>, partition_view<tile=(16x32), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token loc(#loc46)
  return loc(#loc23)
} loc(#loc24)
#di_file = #cuda_tile.di_file<"reshape_broadcast.py" in "">
#loc = loc("reshape_broadcast.py":7:0)
#loc1 = loc("reshape_broadcast.py":7:22)
#loc2 = loc("reshape_broadcast.py":7:28)
#loc3 = loc("reshape_broadcast.py":7:37)
#loc4 = loc("reshape_broadcast.py":13:12)
#loc5 = loc("reshape_broadcast.py":8:8)
#loc6 = loc("reshape_broadcast.py":9:8)
#loc7 = loc("reshape_broadcast.py":10:19)
#loc8 = loc("reshape_broadcast.py":10:8)
#loc9 = loc("reshape_broadcast.py":11:19)
#loc10 = loc("reshape_broadcast.py":11:8)
#loc11 = loc("reshape_broadcast.py":12:22)
#loc12 = loc("reshape_broadcast.py":12:11)
#loc13 = loc("reshape_broadcast.py":14:13)
#loc14 = loc("reshape_broadcast.py":14:32)
#loc15 = loc("reshape_broadcast.py":14:39)
#loc16 = loc("reshape_broadcast.py":14:58)
#loc17 = loc("reshape_broadcast.py":14:64)
#loc18 = loc("reshape_broadcast.py":15:12)
#loc19 = loc("reshape_broadcast.py":15:45)
#loc20 = loc("reshape_broadcast.py":15:50)
#loc21 = loc("reshape_broadcast.py":16:26)
#loc22 = loc("reshape_broadcast.py":16:4)
#loc23 = loc(unknown)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 6, name = "reshape_broadcast", linkageName = "reshape_broadcast", compileUnit = #di_compile_unit, scopeLine = 6>
#loc24 = #cuda_tile.di_loc<#loc in #di_subprogram>
#loc25 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc26 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
#loc27 = #cuda_tile.di_loc<#loc3 in #di_subprogram>
#loc28 = #cuda_tile.di_loc<#loc4 in #di_subprogram>
#loc29 = #cuda_tile.di_loc<#loc5 in #di_subprogram>
#loc30 = #cuda_tile.di_loc<#loc6 in #di_subprogram>
#loc31 = #cuda_tile.di_loc<#loc7 in #di_subprogram>
#loc32 = #cuda_tile.di_loc<#loc8 in #di_subprogram>
#loc33 = #cuda_tile.di_loc<#loc9 in #di_subprogram>
#loc34 = #cuda_tile.di_loc<#loc10 in #di_subprogram>
#loc35 = #cuda_tile.di_loc<#loc11 in #di_subprogram>
#loc36 = #cuda_tile.di_loc<#loc12 in #di_subprogram>
#loc37 = #cuda_tile.di_loc<#loc13 in #di_subprogram>
#loc38 = #cuda_tile.di_loc<#loc14 in #di_subprogram>
#loc39 = #cuda_tile.di_loc<#loc15 in #di_subprogram>
#loc40 = #cuda_tile.di_loc<#loc16 in #di_subprogram>
#loc41 = #cuda_tile.di_loc<#loc17 in #di_subprogram>
#loc42 = #cuda_tile.di_loc<#loc18 in #di_subprogram>
#loc43 = #cuda_tile.di_loc<#loc19 in #di_subprogram>
#loc44 = #cuda_tile.di_loc<#loc20 in #di_subprogram>
#loc45 = #cuda_tile.di_loc<#loc21 in #di_subprogram>
#loc46 = #cuda_tile.di_loc<#loc22 in #di_subprogram>
