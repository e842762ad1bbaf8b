entry @reshape_broadcast(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
  %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i32>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_2 = constant <i32: 1> : tile<i32>
  %cst_1_i32_3 = constant <i32: 1> : tile<i32>
  %cst_3_i32 = constant <i32: 3> : tile<16x32xi32>
  %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32>
  %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_7 = assume bounded<0, ?>, %arg7 : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg8 : tile<i32>
  %assume_9 = assume bounded<0, ?>, %arg9 : tile<i32>
  %tview_10 = make_tensor_view %assume_1, shape = [%assume_7, %assume_8], strides = [%assume_9, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %blockId_x_11, %blockId_y_12, %blockId_z_13 = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<16xi32>, token
  %reshape = reshape %tile : tile<16xi32> -> tile<16x1xi32>
  %pview_14 = make_partition_view %tview_6 : partition_view<tile=(32), tensor_view<?xi32, strides=[1]>>
  %tile_15, %result_token_16 = load_view_tko weak %pview_14[%blockId_y_12] token = %0 : partition_view<tile=(32), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<32xi32>, token
  %reshape_17 = reshape %tile_15 : tile<32xi32> -> tile<1x32xi32>
  %1 = iota : tile<512xi32>
  %reshape_18 = reshape %1 : tile<512xi32> -> tile<16x32xi32>
  %bcast = broadcast %reshape : tile<16x1xi32> -> tile<16x32xi32>
  %2 = muli %bcast, %cst_3_i32 : tile<16x32xi32>
  %bcast_19 = broadcast %reshape_17 : tile<1x32xi32> -> tile<16x32xi32>
  %3 = addi %2, %bcast_19 : tile<16x32xi32>
  %4 = addi %3, %reshape_18 : tile<16x32xi32>
  %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>
  %cst_1000_i32 = constant <i32: 1000> : tile<i32>
  %5 = muli %gridSize_x, %cst_1000_i32 : tile<i32>
  %gridSize_x_20, %gridSize_y_21, %gridSize_z_22 = get_num_tile_blocks : tile<i32>
  %cst_100_i32 = constant <i32: 100> : tile<i32>
  %6 = muli %gridSize_y_21, %cst_100_i32 : tile<i32>
  %7 = addi %5, %6 : tile<i32>
  %gridSize_x_23, %gridSize_y_24, %gridSize_z_25 = get_num_tile_blocks : tile<i32>
  %8 = addi %7, %gridSize_z_25 : tile<i32>
  %pview_26 = make_partition_view %tview_10 : partition_view<tile=(16x32), tensor_view<?x?xi32, strides=[?,1]>>
  %9:2 = get_index_space_shape %pview_26 : partition_view<tile=(16x32), tensor_view<?x?xi32, strides=[?,1]>> -> tile<i32>
  %cst_10_i32 = constant <i32: 10> : tile<i32>
  %10 = muli %9#0, %cst_10_i32 : tile<i32>
  %pview_27 = make_partition_view %tview_10 : partition_view<tile=(16x32), tensor_view<?x?xi32, strides=[?,1]>>
  %11:2 = get_index_space_shape %pview_27 : partition_view<tile=(16x32), tensor_view<?x?xi32, strides=[?,1]>> -> tile<i32>
  %12 = addi %10, %11#1 : tile<i32>
  %reshape_28 = reshape %8 : tile<i32> -> tile<1x1xi32>
  %bcast_29 = broadcast %reshape_28 : tile<1x1xi32> -> tile<16x32xi32>
  %13 = addi %4, %bcast_29 : tile<16x32xi32>
  %reshape_30 = reshape %12 : tile<i32> -> tile<1x1xi32>
  %bcast_31 = broadcast %reshape_30 : tile<1x1xi32> -> tile<16x32xi32>
  %14 = addi %13, %bcast_31 : tile<16x32xi32>
  %reshape_32 = reshape %assume_7 : tile<i32> -> tile<1x1xi32>
  %bcast_33 = broadcast %reshape_32 : tile<1x1xi32> -> tile<16x32xi32>
  %15 = addi %14, %bcast_33 : tile<16x32xi32>
  %reshape_34 = reshape %assume_8 : tile<i32> -> tile<1x1xi32>
  %bcast_35 = broadcast %reshape_34 : tile<1x1xi32> -> tile<16x32xi32>
  %16 = subi %15, %bcast_35 : tile<16x32xi32>
  %pview_36 = make_partition_view %tview_10 : partition_view<tile=(16x32), tensor_view<?x?xi32, strides=[?,1]>>
  %17 = store_view_tko weak %16, %pview_36[%blockId_x, %blockId_y_12] token = %0 : tile<16x32xi32>, partition_view<tile=(16x32), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
  return
}
