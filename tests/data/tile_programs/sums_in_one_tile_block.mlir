// Two blocks of a cluster add to the same elements of one tile block, in whose scope the additions are atomic.
// array i32 count=1024 from=0 fill=exact:0:3 seed=17
// array i32 count=1024 from=0 fill=zero seed=1
// launch k 1 1 1
cuda_tile.module @m {
entry @k(%p0: tile<ptr<i32>>, %p1: tile<ptr<i32>>) optimization_hints=<default = {num_cta_in_cga = 2}> {
%i = constant <i32: 0> : tile<i32>
%j = constant <i32: 1> : tile<i32>
%a = make_tensor_view %p0, shape = [1024], strides = [1] : tensor_view<1024xi32, strides=[1]>
%b = make_tensor_view %p1, shape = [1024], strides = [1] : tensor_view<1024xi32, strides=[1]>
%v = make_partition_view %a : partition_view<tile=(128), tensor_view<1024xi32, strides=[1]>>
%w = make_strided_view %b : strided_view<tile=(128), traversal_strides=[64], tensor_view<1024xi32, strides=[1]>>
%x, %t = load_view_tko weak %v[%i] : partition_view<tile=(128), tensor_view<1024xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
%s = atomic_red_view_tko relaxed tl_blk %w[%i], add, %x : tile<128xi32>, strided_view<tile=(128), traversal_strides=[64], tensor_view<1024xi32, strides=[1]>>, tile<i32> -> token
%u = atomic_red_view_tko relaxed tl_blk %w[%j], add, %x : tile<128xi32>, strided_view<tile=(128), traversal_strides=[64], tensor_view<1024xi32, strides=[1]>>, tile<i32> -> token
return
}
}
