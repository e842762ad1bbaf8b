cuda_tile.module @m {
  entry @shapes(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %d: tile<ptr<f32>>) {
    %v = make_tensor_view %a, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %p = make_partition_view %v : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
    %w = make_tensor_view %b, shape = [16, 8], strides = [8, 1] : tensor_view<16x8xf32, strides=[8,1]>
    %q = make_partition_view %w : partition_view<tile=(8x8), tensor_view<16x8xf32, strides=[8,1]>>
    %k = make_tensor_view %d, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
    %u = make_partition_view %k : partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>
    %0 = constant <i32: 0> : tile<i32>
    %1 = constant <i32: 1> : tile<i32>
    %x, %t = load_view_tko weak %p[%0, %0] : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> tile<8x8xf32>, token
    %y = permute %x [1, 0] : tile<8x8xf32> -> tile<8x8xf32>
    %c = cat %x, %y dim = 0 : tile<8x8xf32>, tile<8x8xf32> -> tile<16x8xf32>
    %e = extract %c[%1, %0] : tile<16x8xf32> -> tile<8x8xf32>
    %s0 = store_view_tko weak %e, %q[%0, %0] : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<16x8xf32, strides=[8,1]>>, tile<i32> -> token
    %s = scan %x dim=0 reverse=false identities=[0.0 : f32] : tile<8x8xf32> -> tile<8x8xf32>
      (%h: tile<f32>, %j: tile<f32>) {
        %n = addf %h, %j : tile<f32>
        yield %n : tile<f32>
      }
    %s1 = store_view_tko weak %s, %q[%1, %0] : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<16x8xf32, strides=[8,1]>>, tile<i32> -> token
    %r = reduce %y dim=0 identities=[0.0 : f32] : tile<8x8xf32> -> tile<8xf32>
      (%h: tile<f32>, %j: tile<f32>) {
        %n = maxf %h, %j : tile<f32>
        yield %n : tile<f32>
      }
    %s2 = store_view_tko weak %r, %u[%0] : tile<8xf32>, partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @concatenation(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>) {
    %v = make_tensor_view %a, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xf32, strides=[8,1]>
    %p = make_partition_view %v : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
    %0 = constant <i32: 0> : tile<i32>
    %x, %t = load_view_tko weak %p[%0, %0] : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> tile<8x8xf32>, token
    %y = addf %x, %x : tile<8x8xf32>
    %c = cat %x, %y dim = 0 : tile<8x8xf32>, tile<8x8xf32> -> tile<16x8xf32>
    %f = reshape %c : tile<16x8xf32> -> tile<128xf32>
    %i = iota : tile<128xi32>
    %b1 = reshape %b : tile<ptr<f32>> -> tile<1xptr<f32>>
    %b2 = broadcast %b1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %b3 = offset %b2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %s = store_ptr_tko weak %b3, %f : tile<128xptr<f32>>, tile<128xf32> -> token
    return
  }
  entry @product(%a: tile<ptr<f8E4M3FN>>, %b: tile<ptr<f8E4M3FN>>, %d: tile<ptr<f32>>, %n: tile<i32>) {
    %v = make_tensor_view %a, shape = [64, 4096], strides = [4096, 1] : tensor_view<64x4096xf8E4M3FN, strides=[4096,1]>
    %p = make_partition_view %v : partition_view<tile=(64x64), tensor_view<64x4096xf8E4M3FN, strides=[4096,1]>>
    %w = make_tensor_view %b, shape = [4096, 64], strides = [1, 4096] : tensor_view<4096x64xf8E4M3FN, strides=[1,4096]>
    %q = make_partition_view %w : partition_view<tile=(64x64), tensor_view<4096x64xf8E4M3FN, strides=[1,4096]>>
    %k = make_tensor_view %d, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %u = make_partition_view %k : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>
    %0 = constant <i32: 0> : tile<i32>
    %1 = constant <i32: 1> : tile<i32>
    %z = constant <f32: 0.0> : tile<64x64xf32>
    %s = for %i in (%0 to %n, step %1) : tile<i32> iter_values(%c = %z) -> (tile<64x64xf32>) {
      %x, %t0 = load_view_tko weak %p[%0, %i] : partition_view<tile=(64x64), tensor_view<64x4096xf8E4M3FN, strides=[4096,1]>>, tile<i32> -> tile<64x64xf8E4M3FN>, token
      %y, %t1 = load_view_tko weak %q[%i, %0] : partition_view<tile=(64x64), tensor_view<4096x64xf8E4M3FN, strides=[1,4096]>>, tile<i32> -> tile<64x64xf8E4M3FN>, token
      %m = mmaf %x, %y, %c : tile<64x64xf8E4M3FN>, tile<64x64xf8E4M3FN>, tile<64x64xf32>
      continue %m : tile<64x64xf32>
    }
    %t2 = store_view_tko weak %s, %u[%0, %0] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
}
