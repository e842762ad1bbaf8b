cuda_tile.module @m {
  entry @multimem(%a: tile<ptr<i32, <multicast>>>, %n: tile<i32>, %k: tile<i32>) {
    %v = make_tensor_view %a, shape = [%n], strides = [1] : tile<ptr<i32, <multicast>>>, tile<i32> -> tensor_view<?xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %p = make_partition_view %v : partition_view<tile=(4), tensor_view<?xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x, %t0 = multimem_load_reduce_view_tko relaxed device %p[%k] attributes {reduction = #cuda_tile.multimem_reduction_kind<min>} : partition_view<tile=(4), tensor_view<?xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4xi32>, token
    %t1 = multimem_reduce_view_tko relaxed device %p, %x[%n] token = %t0 : partition_view<tile=(4), tensor_view<?xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<4xi32>, tile<i32>, token -> token
    %t2 = multimem_store_view_tko release device %p, %x[%n] token = %t1 : partition_view<tile=(4), tensor_view<?xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<4xi32>, tile<i32>, token -> token
    return
  }
}
