// The least index of 64 bits, which twice as many parts as tiles would wrap to the first one.
// array i64 count=259 from=3 fill=exact:0:3 seed=2363197407
// number i64 2
// number i64 -9223372036854775808
// array i64 count=262 from=2 fill=zero seed=4093758388
// launch k 1 1 1
cuda_tile.module @m {
entry @k(%p0: tile<ptr<i64>>, %p1: tile<i64>, %p2: tile<i64>, %p3: tile<ptr<i64>>) optimization_hints=<default = {num_cta_in_cga = 2}> {
%a = make_tensor_view %p0, shape = [%p1], strides = [1] : tile<i64> -> tensor_view<?xi64, strides=[1]>
%v = make_partition_view %a : partition_view<tile=(2), padding_value = zero, tensor_view<?xi64, strides=[1]>>
%x, %t = load_view_tko weak %v[%p2] : partition_view<tile=(2), padding_value = zero, tensor_view<?xi64, strides=[1]>>, tile<i64> -> tile<2xi64>, token
%b = make_tensor_view %p3, shape = [2], strides = [1] : tensor_view<2xi64, strides=[1]>
%w = make_partition_view %b : partition_view<tile=(2), tensor_view<2xi64, strides=[1]>>
%i = constant <i32: 0> : tile<i32>
%s = store_view_tko weak %x, %w[%i] : tile<2xi64>, partition_view<tile=(2), tensor_view<2xi64, strides=[1]>>, tile<i32> -> token
return
}
}
