entry @tail_pointers(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<ptr<i32>>, %arg5: tile<i32>, %arg6: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token loc(#loc12)
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>> loc(#loc13)
  %assume_0 = assume div_by<16>, %arg4 : tile<ptr<i32>> loc(#loc14)
  %cst_0_i32 = constant <i32: 0> : tile<128xi32> loc(#loc15)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc16)
  %cst_128_i32 = constant <i32: 128> : tile<i32> loc(#loc17)
  %1 = muli %blockId_x, %cst_128_i32 : tile<i32> loc(#loc16)
  %2 = iota : tile<128xi32> loc(#loc18)
  %reshape = reshape %1 : tile<i32> -> tile<1xi32> loc(#loc16)
  %bcast = broadcast %reshape : tile<1xi32> -> tile<128xi32> loc(#loc16)
  %3 = addi %bcast, %2 : tile<128xi32> loc(#loc16)
  %reshape_1 = reshape %arg3 : tile<i32> -> tile<1xi32> loc(#loc19)
  %bcast_2 = broadcast %reshape_1 : tile<1xi32> -> tile<128xi32> loc(#loc19)
  %4 = cmpi less_than %3, %bcast_2, signed : tile<128xi32> -> tile<128xi1> loc(#loc19)
  %5 = exti %3 signed : tile<128xi32> -> tile<128xi64> loc(#loc15)
  %reshape_3 = reshape %assume : tile<ptr<i32>> -> tile<1xptr<i32>> loc(#loc15)
  %bcast_4 = broadcast %reshape_3 : tile<1xptr<i32>> -> tile<128xptr<i32>> loc(#loc15)
  %6 = offset %bcast_4, %5 : tile<128xptr<i32>>, tile<128xi64> -> tile<128xptr<i32>> loc(#loc15)
  %result, %result_token = load_ptr_tko weak %6, %4, %cst_0_i32 token=%0 : tile<128xptr<i32>>, tile<128xi1>, tile<128xi32> -> tile<128xi32>, token loc(#loc15)
  %7 = addi %result, %result : tile<128xi32> loc(#loc20)
  %reshape_5 = reshape %arg3 : tile<i32> -> tile<1xi32> loc(#loc21)
  %bcast_6 = broadcast %reshape_5 : tile<1xi32> -> tile<128xi32> loc(#loc21)
  %8 = cmpi less_than %3, %bcast_6, signed : tile<128xi32> -> tile<128xi1> loc(#loc21)
  %9 = exti %3 signed : tile<128xi32> -> tile<128xi64> loc(#loc22)
  %reshape_7 = reshape %assume_0 : tile<ptr<i32>> -> tile<1xptr<i32>> loc(#loc22)
  %bcast_8 = broadcast %reshape_7 : tile<1xptr<i32>> -> tile<128xptr<i32>> loc(#loc22)
  %10 = offset %bcast_8, %9 : tile<128xptr<i32>>, tile<128xi64> -> tile<128xptr<i32>> loc(#loc22)
  %11 = store_ptr_tko weak %10, %7, %8 token=%0 : tile<128xptr<i32>>, tile<128xi32>, tile<128xi1> -> token loc(#loc22)
  return loc(#loc11)
} loc(#loc12)
#di_file = #cuda_tile.di_file<"tail_pointers.py" in "">
#loc = loc("tail_pointers.py":7:0)
#loc1 = loc("tail_pointers.py":7:18)
#loc2 = loc("tail_pointers.py":7:24)
#loc3 = loc("tail_pointers.py":9:12)
#loc4 = loc("tail_pointers.py":8:8)
#loc5 = loc("tail_pointers.py":8:20)
#loc6 = loc("tail_pointers.py":8:26)
#loc7 = loc("tail_pointers.py":9:51)
#loc8 = loc("tail_pointers.py":10:41)
#loc9 = loc("tail_pointers.py":10:61)
#loc10 = loc("tail_pointers.py":10:4)
#loc11 = loc(unknown)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 6, name = "tail_pointers", linkageName = "tail_pointers", compileUnit = #di_compile_unit, scopeLine = 6>
#loc12 = #cuda_tile.di_loc<#loc in #di_subprogram>
#loc13 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc14 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
#loc15 = #cuda_tile.di_loc<#loc3 in #di_subprogram>
#loc16 = #cuda_tile.di_loc<#loc4 in #di_subprogram>
#loc17 = #cuda_tile.di_loc<#loc5 in #di_subprogram>
#loc18 = #cuda_tile.di_loc<#loc6 in #di_subprogram>
#loc19 = #cuda_tile.di_loc<#loc7 in #di_subprogram>
#loc20 = #cuda_tile.di_loc<#loc8 in #di_subprogram>
#loc21 = #cuda_tile.di_loc<#loc9 in #di_subprogram>
#loc22 = #cuda_tile.di_loc<#loc10 in #di_subprogram>
