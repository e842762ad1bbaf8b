cuda_tile.module @kernels {
  entry @kernel(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %offsets = iota : tile<128xi32> loc(#line11)
    %xs = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>> loc(#line11)
    %xb = broadcast %xs : tile<1xptr<f32>> -> tile<128xptr<f32>> loc(#line11)
    %xp = offset %xb, %offsets : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>> loc(#line11)
    %a, %t = load_ptr_tko weak %xp : tile<128xptr<f32>> -> tile<128xf32>, token loc(#line11)
    %b = mulf %a, %a : tile<128xf32> loc(#line12)
    %c = mulf %a, %a : tile<128xf32> loc(#line13)
    %d = addf %b, %c : tile<128xf32> loc(#inner)
    %e = subf %d, %a : tile<128xf32> loc(#inner)
    %f = divf %e, %d rounding<nearest_even> : tile<128xf32> loc(unknown)
    %ys = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>> loc(#line16)
    %yb = broadcast %ys : tile<1xptr<f32>> -> tile<128xptr<f32>> loc(#line16)
    %yp = offset %yb, %offsets : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>> loc(#line16)
    %u = store_ptr_tko weak %yp, %f : tile<128xptr<f32>>, tile<128xf32> -> token loc(#line16)
    return loc(#line16)
  } loc(#line10)
}
#kernel_file = #cuda_tile.di_file<"kernel.py" in "/home/user">
#kernel_unit = #cuda_tile.di_compile_unit<file = #kernel_file>
#kernel = #cuda_tile.di_subprogram<file = #kernel_file, line = 10, name = "kernel", linkageName = "kernel", compileUnit = #kernel_unit, scopeLine = 10>
#library_file = #cuda_tile.di_file<"library.py" in "/home/user">
#library_unit = #cuda_tile.di_compile_unit<file = #library_file>
#helper = #cuda_tile.di_subprogram<file = #library_file, line = 2, name = "helper", linkageName = "helper", compileUnit = #library_unit, scopeLine = 2>
#inner_function = #cuda_tile.di_subprogram<file = #library_file, line = 20, name = "inner", linkageName = "inner", compileUnit = #library_unit, scopeLine = 20>
#at10 = loc("/home/user/kernel.py":10:0)
#at11 = loc("/home/user/kernel.py":11:3)
#at12 = loc("/home/user/kernel.py":12:3)
#at13 = loc("/home/user/kernel.py":13:3)
#at15 = loc("/home/user/kernel.py":15:3)
#at16 = loc("/home/user/kernel.py":16:3)
#at3 = loc("/home/user/library.py":3:8)
#at21 = loc("/home/user/library.py":21:4)
#line10 = #cuda_tile.di_loc<#at10 in #kernel>
#line11 = #cuda_tile.di_loc<#at11 in #kernel>
#line12 = #cuda_tile.di_loc<#at12 in #kernel>
#line13 = #cuda_tile.di_loc<#at13 in #kernel>
#line15 = #cuda_tile.di_loc<#at15 in #kernel>
#line16 = #cuda_tile.di_loc<#at16 in #kernel>
#in_helper = #cuda_tile.di_loc<#at3 in #helper>
#in_inner = #cuda_tile.di_loc<#at21 in #inner_function>
#helper_call = loc(callsite(#in_helper at #line15))
#inner = loc(callsite(#in_inner at #helper_call))
