cuda_tile.module @spills {
  entry @least_of_all(%from: tile<ptr<f16>>, %to: tile<ptr<i32>>) {
    %t = make_token : token
    %aligned = assume div_by<16>, %from : tile<ptr<f16>>
    %terms = make_tensor_view %aligned, shape = [65536], strides = [1] : tensor_view<65536xf16, strides=[1]>
    %zero = constant <i32: 0> : tile<i32>
    %a = make_partition_view %terms : partition_view<tile=(65536), tensor_view<65536xf16, strides=[1]>>
    %v, %t1 = load_view_tko weak %a[%zero] token = %t : partition_view<tile=(65536), tensor_view<65536xf16, strides=[1]>>, tile<i32> -> tile<65536xf16>, token
    %i = iota : tile<65536xi32>
    %least, %at = reduce %v, %i dim=0 identities=[0x7C00 : f16, 0 : i32] : tile<65536xf16>, tile<65536xi32> -> tile<f16>, tile<i32>
    (%p: tile<f16>, %q: tile<f16>, %m: tile<i32>, %n: tile<i32>) {
      %less = cmpf less_than ordered %p, %q : tile<f16> -> tile<i1>
      %equal = cmpf equal ordered %p, %q : tile<f16> -> tile<i1>
      %before = cmpi less_than %m, %n, signed : tile<i32> -> tile<i1>
      %tie = andi %equal, %before : tile<i1>
      %first = ori %less, %tie : tile<i1>
      %value = select %first, %p, %q : tile<i1>, tile<f16>
      %place = select %first, %m, %n : tile<i1>, tile<i32>
      yield %value, %place : tile<f16>, tile<i32>
    }
    %t2 = store_ptr_tko weak %to, %at token = %t : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
