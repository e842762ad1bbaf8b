// ptxas 13.0 and 13.5 negate this constant wrongly where they see it: see the pass hide_product_constants.
// array f32 count=64 from=0 fill=bits seed=1
// launch k 1 1 1
cuda_tile.module @m {
entry @k(%p0: tile<ptr<f32>>) {
%zero = constant <i32: 0> : tile<i32>
%a = constant <f16: 2.0> : tile<8x8xf16>
%b = constant <f16: -1.5> : tile<8x8xf16>
%c = constant <f32: 4.0> : tile<8x8xf32>
%d = mmaf %a, %b, %c : tile<8x8xf16>, tile<8x8xf16>, tile<8x8xf32>
%t = make_tensor_view %p0, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
%v = make_partition_view %t : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
%k = store_view_tko weak %d, %v[%zero, %zero] : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> token
return
}
}
