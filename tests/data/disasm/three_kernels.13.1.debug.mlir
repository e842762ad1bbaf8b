entry @scale(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<f32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token loc(#loc17)
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>> loc(#loc18)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc17)
  %assume_0 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc17)
  %tview = make_tensor_view %assume, shape = [%assume_0], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]> loc(#loc17)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc19)
  %pview = make_partition_view %tview : partition_view<tile=(256), tensor_view<?xf32, strides=[1]>> loc(#loc20)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token loc(#loc20)
  %1 = join_tokens %0, %result_token : token loc(#loc20)
  %reshape = reshape %arg3 : tile<f32> -> tile<1xf32> loc(#loc20)
  %bcast = broadcast %reshape : tile<1xf32> -> tile<256xf32> loc(#loc20)
  %2 = mulf %tile, %bcast  : tile<256xf32> loc(#loc20)
  %pview_1 = make_partition_view %tview : partition_view<tile=(256), tensor_view<?xf32, strides=[1]>> loc(#loc21)
  %3 = store_view_tko weak %2, %pview_1[%blockId_x] token = %1 : tile<256xf32>, partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token loc(#loc21)
  return loc(#loc5)
} loc(#loc17)
entry @shift(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<f32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token loc(#loc22)
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>> loc(#loc23)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc22)
  %assume_0 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc22)
  %tview = make_tensor_view %assume, shape = [%assume_0], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]> loc(#loc22)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc24)
  %pview = make_partition_view %tview : partition_view<tile=(256), tensor_view<?xf32, strides=[1]>> loc(#loc25)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token loc(#loc25)
  %1 = join_tokens %0, %result_token : token loc(#loc25)
  %reshape = reshape %arg3 : tile<f32> -> tile<1xf32> loc(#loc25)
  %bcast = broadcast %reshape : tile<1xf32> -> tile<256xf32> loc(#loc25)
  %2 = addf %tile, %bcast  : tile<256xf32> loc(#loc25)
  %pview_1 = make_partition_view %tview : partition_view<tile=(256), tensor_view<?xf32, strides=[1]>> loc(#loc26)
  %3 = store_view_tko weak %2, %pview_1[%blockId_x] token = %1 : tile<256xf32>, partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token loc(#loc26)
  return loc(#loc5)
} loc(#loc22)
entry @square(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>) optimization_hints=<sm_90 = {}> {
  %0 = make_token : token loc(#loc27)
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>> loc(#loc28)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc27)
  %assume_0 = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc27)
  %tview = make_tensor_view %assume, shape = [%assume_0], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]> loc(#loc27)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc29)
  %pview = make_partition_view %tview : partition_view<tile=(256), tensor_view<?xf32, strides=[1]>> loc(#loc30)
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token loc(#loc30)
  %1 = join_tokens %0, %result_token : token loc(#loc30)
  %2 = mulf %tile, %tile  : tile<256xf32> loc(#loc31)
  %pview_1 = make_partition_view %tview : partition_view<tile=(256), tensor_view<?xf32, strides=[1]>> loc(#loc32)
  %3 = store_view_tko weak %2, %pview_1[%blockId_x] token = %1 : tile<256xf32>, partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token loc(#loc32)
  return loc(#loc5)
} loc(#loc27)
#di_file = #cuda_tile.di_file<"three_kernels.py" in "">
#loc = loc("three_kernels.py":7:0)
#loc1 = loc("three_kernels.py":7:10)
#loc2 = loc("three_kernels.py":8:8)
#loc3 = loc("three_kernels.py":9:22)
#loc4 = loc("three_kernels.py":9:4)
#loc5 = loc(unknown)
#loc6 = loc("three_kernels.py":13:0)
#loc7 = loc("three_kernels.py":13:10)
#loc8 = loc("three_kernels.py":14:8)
#loc9 = loc("three_kernels.py":15:22)
#loc10 = loc("three_kernels.py":15:4)
#loc11 = loc("three_kernels.py":19:0)
#loc12 = loc("three_kernels.py":19:11)
#loc13 = loc("three_kernels.py":20:8)
#loc14 = loc("three_kernels.py":21:8)
#loc15 = loc("three_kernels.py":22:22)
#loc16 = loc("three_kernels.py":22:4)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 6, name = "scale", linkageName = "scale", compileUnit = #di_compile_unit, scopeLine = 6>
#di_subprogram1 = #cuda_tile.di_subprogram<file = #di_file, line = 12, name = "shift", linkageName = "shift", compileUnit = #di_compile_unit, scopeLine = 12>
#di_subprogram2 = #cuda_tile.di_subprogram<file = #di_file, line = 18, name = "square", linkageName = "square", compileUnit = #di_compile_unit, scopeLine = 18>
#loc17 = #cuda_tile.di_loc<#loc in #di_subprogram>
#loc18 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc19 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
#loc20 = #cuda_tile.di_loc<#loc3 in #di_subprogram>
#loc21 = #cuda_tile.di_loc<#loc4 in #di_subprogram>
#loc22 = #cuda_tile.di_loc<#loc6 in #di_subprogram1>
#loc23 = #cuda_tile.di_loc<#loc7 in #di_subprogram1>
#loc24 = #cuda_tile.di_loc<#loc8 in #di_subprogram1>
#loc25 = #cuda_tile.di_loc<#loc9 in #di_subprogram1>
#loc26 = #cuda_tile.di_loc<#loc10 in #di_subprogram1>
#loc27 = #cuda_tile.di_loc<#loc11 in #di_subprogram2>
#loc28 = #cuda_tile.di_loc<#loc12 in #di_subprogram2>
#loc29 = #cuda_tile.di_loc<#loc13 in #di_subprogram2>
#loc30 = #cuda_tile.di_loc<#loc14 in #di_subprogram2>
#loc31 = #cuda_tile.di_loc<#loc15 in #di_subprogram2>
#loc32 = #cuda_tile.di_loc<#loc16 in #di_subprogram2>
