entry @tail_pointers(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<ptr<i32>>, %arg5: tile<i32>, %arg6: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg4 : tile<ptr<i32>>
  %cst_0_i32 = constant <i32: 0> : tile<128xi32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_128_i32 = constant <i32: 128> : tile<i32>
  %1 = muli %blockId_x, %cst_128_i32 : tile<i32>
  %2 = iota : tile<128xi32>
  %reshape = reshape %1 : tile<i32> -> tile<1xi32>
  %bcast = broadcast %reshape : tile<1xi32> -> tile<128xi32>
  %3 = addi %bcast, %2 : tile<128xi32>
  %reshape_1 = reshape %arg3 : tile<i32> -> tile<1xi32>
  %bcast_2 = broadcast %reshape_1 : tile<1xi32> -> tile<128xi32>
  %4 = cmpi less_than %3, %bcast_2, signed : tile<128xi32> -> tile<128xi1>
  %5 = exti %3 signed : tile<128xi32> -> tile<128xi64>
  %reshape_3 = reshape %assume : tile<ptr<i32>> -> tile<1xptr<i32>>
  %bcast_4 = broadcast %reshape_3 : tile<1xptr<i32>> -> tile<128xptr<i32>>
  %6 = offset %bcast_4, %5 : tile<128xptr<i32>>, tile<128xi64> -> tile<128xptr<i32>>
  %result, %result_token = load_ptr_tko weak %6, %4, %cst_0_i32 token=%0 : tile<128xptr<i32>>, tile<128xi1>, tile<128xi32> -> tile<128xi32>, token
  %7 = addi %result, %result : tile<128xi32>
  %reshape_5 = reshape %arg3 : tile<i32> -> tile<1xi32>
  %bcast_6 = broadcast %reshape_5 : tile<1xi32> -> tile<128xi32>
  %8 = cmpi less_than %3, %bcast_6, signed : tile<128xi32> -> tile<128xi1>
  %9 = exti %3 signed : tile<128xi32> -> tile<128xi64>
  %reshape_7 = reshape %assume_0 : tile<ptr<i32>> -> tile<1xptr<i32>>
  %bcast_8 = broadcast %reshape_7 : tile<1xptr<i32>> -> tile<128xptr<i32>>
  %10 = offset %bcast_8, %9 : tile<128xptr<i32>>, tile<128xi64> -> tile<128xptr<i32>>
  %11 = store_ptr_tko weak %10, %7, %8 token=%0 : tile<128xptr<i32>>, tile<128xi32>, tile<128xi1> -> token
  return
}
