// An index whose product with the rows of a tile is 2^32.
// array f16 count=1272 from=8 fill=exact:0:1 seed=1720859281
// number i32 80
// number i64 268435456
// array f16 count=24584 from=8 fill=zero seed=2652281805
// launch k 1 1 1
cuda_tile.module @m {
entry @k(%p0: tile<ptr<f16>>, %p1: tile<i32>, %p2: tile<i64>, %p3: tile<ptr<f16>>) {
%i0 = constant <i32: 0> : tile<i32>
%i1 = constant <i32: 1> : tile<i32>
%ones = constant <f16: 1.0> : tile<64x64xf16>
%a = constant <f16: 1.0> : tile<64x16xf16>
%p = assume div_by<16>, %p0 : tile<ptr<f16>>
%stride = assume div_by<16>, %p1 : tile<i32>
%view = make_tensor_view %p, shape = [%i1, 64], strides = [%stride, 1] : tile<i32> -> tensor_view<?x64xf16, strides=[?,1]>
%tiles = make_partition_view %view : partition_view<tile=(16x64), padding_value = zero, tensor_view<?x64xf16, strides=[?,1]>>
%sum = for %i in (%i0 to %i1, step %i1) : tile<i32> iter_values(%acc = %ones) -> (tile<64x64xf16>) {
%wide = exti %i signed : tile<i32> -> tile<i64>
%b, %t = load_view_tko weak %tiles[%p2, %wide] : partition_view<tile=(16x64), padding_value = zero, tensor_view<?x64xf16, strides=[?,1]>>, tile<i64> -> tile<16x64xf16>, token
%c = mmaf %a, %b, %acc : tile<64x16xf16>, tile<16x64xf16>, tile<64x64xf16>
continue %c : tile<64x64xf16>
}
%r = make_tensor_view %p3, shape = [192, 64], strides = [64, 1] : tensor_view<192x64xf16, strides=[64,1]>
%w = make_partition_view %r : partition_view<tile=(64x64), tensor_view<192x64xf16, strides=[64,1]>, dim_map=[1, 0]>
%s = store_view_tko weak %sum, %w[%i0, %i0] : tile<64x64xf16>, partition_view<tile=(64x64), tensor_view<192x64xf16, strides=[64,1]>, dim_map=[1, 0]>, tile<i32> -> token
return
}
}
