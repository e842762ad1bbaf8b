// All factors are constants, which the instruction takes in registers only.
// array f32 count=256 from=0 fill=bits seed=1
// array i32 count=256 from=0 fill=bits seed=2
// launch k 1 1 1
cuda_tile.module @m {
entry @k(%p0: tile<ptr<f32>>, %p1: tile<ptr<i32>>) {
%zero = constant <i32: 0> : tile<i32>
%a = constant <tf32: 3.0> : tile<16x16xtf32>
%c = constant <f32: 1.0> : tile<16x16xf32>
%d = mmaf %a, %a, %c : tile<16x16xtf32>, tile<16x16xtf32>, tile<16x16xf32>
%t = make_tensor_view %p0, shape = [16, 16], strides = [16, 1] : tensor_view<16x16xf32, strides=[16,1]>
%v = make_partition_view %t : partition_view<tile=(16x16), tensor_view<16x16xf32, strides=[16,1]>>
%k = store_view_tko weak %d, %v[%zero, %zero] : tile<16x16xf32>, partition_view<tile=(16x16), tensor_view<16x16xf32, strides=[16,1]>>, tile<i32> -> token
%ai = constant <i8: -3> : tile<16x16xi8>
%ci = constant <i32: 1> : tile<16x16xi32>
%di = mmai %ai, %ai, %ci signed signed : tile<16x16xi8>, tile<16x16xi8>, tile<16x16xi32>
%ti = make_tensor_view %p1, shape = [16, 16], strides = [16, 1] : tensor_view<16x16xi32, strides=[16,1]>
%vi = make_partition_view %ti : partition_view<tile=(16x16), tensor_view<16x16xi32, strides=[16,1]>>
%ki = store_view_tko weak %di, %vi[%zero, %zero] : tile<16x16xi32>, partition_view<tile=(16x16), tensor_view<16x16xi32, strides=[16,1]>>, tile<i32> -> token
return
}
}
