// Tiles that overlap are added to by a cluster of two blocks.
cuda_tile.module @m {
  entry @add(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>) optimization_hints = <sm_90 = {num_cta_in_cga = 2}> {
    %first = constant <i32: 0> : tile<i32>
    %second = constant <i32: 1> : tile<i32>
    %va = make_tensor_view %a, shape = [1024], strides = [1] : tensor_view<1024xi32, strides=[1]>
    %vb = make_tensor_view %b, shape = [1024], strides = [1] : tensor_view<1024xi32, strides=[1]>
    %pa = make_partition_view %va : partition_view<tile=(128), tensor_view<1024xi32, strides=[1]>>
    %pb = make_strided_view %vb : strided_view<tile=(128), traversal_strides=[64], tensor_view<1024xi32, strides=[1]>>
    %tile, %read = load_view_tko weak %pa[%first] : partition_view<tile=(128), tensor_view<1024xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
    %once = atomic_red_view_tko relaxed tl_blk %pb[%first], add, %tile : tile<128xi32>, strided_view<tile=(128), traversal_strides=[64], tensor_view<1024xi32, strides=[1]>>, tile<i32> -> token
    %twice = atomic_red_view_tko relaxed tl_blk %pb[%second], add, %tile : tile<128xi32>, strided_view<tile=(128), traversal_strides=[64], tensor_view<1024xi32, strides=[1]>>, tile<i32> -> token
    return
  }
}
