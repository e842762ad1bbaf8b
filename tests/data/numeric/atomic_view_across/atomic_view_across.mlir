cuda_tile.module @memory {
  entry @atomic_view_across(%sums: tile<ptr<f32>>, %values: tile<ptr<f32>>) optimization_hints=<default = {num_worker_warps_per_cta = 4}> {
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %vt = make_tensor_view %values, shape = [16, 4], strides = [4, 1] : tensor_view<16x4xf32, strides=[4,1]>
    %vp = make_partition_view %vt : partition_view<tile=(16x4), tensor_view<16x4xf32, strides=[4,1]>>
    %v, %v_t = load_view_tko weak %vp[%zero, %zero] : partition_view<tile=(16x4), tensor_view<16x4xf32, strides=[4,1]>>, tile<i32> -> tile<16x4xf32>, token
    %st = make_tensor_view %sums, shape = [13, 21], strides = [21, 1] : tensor_view<13x21xf32, strides=[21,1]>
    %sp = make_partition_view %st : partition_view<tile=(16x4), tensor_view<13x21xf32, strides=[21,1]>, dim_map=[1, 0]>
    %t = atomic_red_view_tko relaxed device %sp[%bx, %by], addf, %v : tile<16x4xf32>, partition_view<tile=(16x4), tensor_view<13x21xf32, strides=[21,1]>, dim_map=[1, 0]>, tile<i32> -> token
    return
  }
}
