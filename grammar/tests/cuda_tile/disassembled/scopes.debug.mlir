global  @g <f32: 2.000000e+00> : tile<1xf32> loc(#loc)
entry @dbg(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i1>) {
  %cst_f32 = constant <f32: 1.500000e+00> : tile<8xf32> loc(#loc8)
  %0 = negf %cst_f32 : tile<8xf32> loc(#loc6)
  %1 = negf %cst_f32 : tile<8xf32> loc(#loc9)
  if %arg2 {
    %2 = negf %cst_f32 : tile<8xf32> loc(#loc12)
  } loc(#loc11)
  for %loopIdx in (%arg1 to %arg1, step %arg1) : tile<i32> {
    %2 = negf %cst_f32 : tile<8xf32> loc(#loc)
  } loc(#loc10)
  return loc(#loc5)
} loc(#loc5)
#di_file = #cuda_tile.di_file<"a \22b\22.py" in "/dir">
#loc = loc(unknown)
#loc1 = loc("a.py":2:0)
#loc2 = loc("a.py":10:1)
#loc3 = loc("a.py":11:2)
#loc4 = loc("a.py":21:2)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 2, name = "fn", linkageName = "dbg", compileUnit = #di_compile_unit, scopeLine = 3>
#di_subprogram1 = #cuda_tile.di_subprogram<file = #di_file, line = 20, name = "other", linkageName = "other", compileUnit = #di_compile_unit, scopeLine = 20>
#di_lexical_block = #cuda_tile.di_lexical_block<scope = #di_subprogram, file = #di_file, line = 4, column = 5>
#loc5 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc6 = #cuda_tile.di_loc<#loc3 in #di_subprogram>
#loc7 = #cuda_tile.di_loc<#loc4 in #di_subprogram1>
#di_lexical_block1 = #cuda_tile.di_lexical_block<scope = #di_lexical_block, file = #di_file, line = 6, column = 7>
#loc8 = #cuda_tile.di_loc<#loc2 in #di_lexical_block>
#loc9 = loc(callsite(#loc8 at #loc6))
#loc10 = #cuda_tile.di_loc<#loc2 in #di_lexical_block1>
#loc11 = loc(callsite(#loc7 at #loc10))
#loc12 = loc(callsite(#loc7 at #loc9))
