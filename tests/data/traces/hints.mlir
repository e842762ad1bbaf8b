// Each hint that a kernel may have, and a load that another thread's store is ordered before.
cuda_tile.module @m {
  entry @ordered(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %flag: tile<ptr<i32>>) optimization_hints = <sm_90 = {num_worker_warps_per_cta = 8, num_cta_in_cga = 2, occupancy = 4}, sm_100 = {occupancy = 1}> {
    %c0 = constant <i32: 0> : tile<i32>
    %f, %u = load_ptr_tko acquire device %flag : tile<ptr<i32>> -> tile<i32>, token
    %va = make_tensor_view %a, shape = [4096], strides = [1] : tensor_view<4096xf32, strides=[1]>
    %vb = make_tensor_view %b, shape = [4096], strides = [1] : tensor_view<4096xf32, strides=[1]>
    %pa = make_partition_view %va : partition_view<tile=(2048), tensor_view<4096xf32, strides=[1]>>
    %pb = make_partition_view %vb : partition_view<tile=(2048), tensor_view<4096xf32, strides=[1]>>
    %t, %v = load_view_tko weak %pa[%c0] token = %u : partition_view<tile=(2048), tensor_view<4096xf32, strides=[1]>>, tile<i32> -> tile<2048xf32>, token
    %s = addf %t, %t rounding<nearest_even> : tile<2048xf32>
    %w = store_view_tko weak %s, %pb[%f] : tile<2048xf32>, partition_view<tile=(2048), tensor_view<4096xf32, strides=[1]>>, tile<i32> -> token
    return
  }

  entry @clustered(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>) optimization_hints = <sm_90 = {num_cta_in_cga = 2, occupancy = 4}, sm_80 = {occupancy = 1}> {
    %c0 = constant <i32: 0> : tile<i32>
    %va = make_tensor_view %a, shape = [4096], strides = [1] : tensor_view<4096xf32, strides=[1]>
    %vb = make_tensor_view %b, shape = [4096], strides = [1] : tensor_view<4096xf32, strides=[1]>
    %pa = make_partition_view %va : partition_view<tile=(2048), tensor_view<4096xf32, strides=[1]>>
    %pb = make_partition_view %vb : partition_view<tile=(2048), tensor_view<4096xf32, strides=[1]>>
    %t, %v = load_view_tko weak %pa[%c0] : partition_view<tile=(2048), tensor_view<4096xf32, strides=[1]>>, tile<i32> -> tile<2048xf32>, token
    %s = addf %t, %t rounding<zero> : tile<2048xf32>
    %w = store_view_tko weak %s, %pb[%c0] : tile<2048xf32>, partition_view<tile=(2048), tensor_view<4096xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
