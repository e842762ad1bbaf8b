cuda_tile.module @spills {
  entry @maximum_of_two_axes(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %rows: tile<i32>) {
    %t = make_token : token
    %terms = make_tensor_view %from, shape = [%rows, 32, 64], strides = [2048, 64, 1] : tile<i32> -> tensor_view<?x32x64xf32, strides=[2048,64,1]>
    %most = make_tensor_view %to, shape = [%rows], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %a = make_partition_view %terms : partition_view<tile=(16x32x64), tensor_view<?x32x64xf32, strides=[2048,64,1]>>
    %b = make_partition_view %most : partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>
    %v, %t1 = load_view_tko weak %a[%x, %zero, %zero] token = %t : partition_view<tile=(16x32x64), tensor_view<?x32x64xf32, strides=[2048,64,1]>>, tile<i32> -> tile<16x32x64xf32>, token
    %r = reduce %v dim=1 identities=[0xFF800000 : f32] : tile<16x32x64xf32> -> tile<16x64xf32>
    (%p: tile<f32>, %q: tile<f32>) {
      %m = maxf %p, %q : tile<f32>
      yield %m : tile<f32>
    }
    %s = reduce %r dim=1 identities=[0xFF800000 : f32] : tile<16x64xf32> -> tile<16xf32>
    (%p: tile<f32>, %q: tile<f32>) {
      %m = maxf %p, %q : tile<f32>
      yield %m : tile<f32>
    }
    %t2 = store_view_tko weak %s, %b[%x] token = %t : tile<16xf32>, partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
