cuda_tile.module @spills {
  entry @converted_atomics(%to: tile<ptr<f32>>, %from: tile<ptr<i32>>, %rows: tile<i32>, %columns: tile<i32>) {
    %t = make_token : token
    %sums = make_tensor_view %to, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %terms = make_tensor_view %from, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %a = make_partition_view %terms : partition_view<tile=(128x128), tensor_view<?x?xi32, strides=[?,1]>>
    %b = make_partition_view %sums : partition_view<tile=(128x128), tensor_view<?x?xf32, strides=[?,1]>>
    %i, %t1 = load_view_tko weak %a[%x, %y] token = %t : partition_view<tile=(128x128), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> tile<128x128xi32>, token
    %f = itof %i signed : tile<128x128xi32> -> tile<128x128xf32>
    %t2 = atomic_red_view_tko relaxed device %b[%x, %y], addf, %f token = %t : tile<128x128xf32>, partition_view<tile=(128x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
