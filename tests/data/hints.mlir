// Hints of accesses, of which something else becomes at each.
cuda_tile.module @m {
  entry @threads(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>) {
    %c0 = constant <i32: 0> : tile<i32>
    %va = make_tensor_view %a, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
    %vb = make_tensor_view %b, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
    %pa = make_partition_view %va : partition_view<tile=(128), tensor_view<1024xf32, strides=[1]>>
    %pb = make_partition_view %vb : partition_view<tile=(128), tensor_view<1024xf32, strides=[1]>>
    %t, %u = load_view_tko weak %pa[%c0] optimization_hints = <sm_90 = {latency = 9, allow_tma = true}> : partition_view<tile=(128), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %v = store_view_tko weak %t, %pb[%c0] optimization_hints = <sm_90 = {latency = 7, allow_tma = true}> : tile<128xf32>, partition_view<tile=(128), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> token
    return
  }

  entry @pointers(%a: tile<ptr<f32>>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %i = iota : tile<128xi32>
    %p = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>
    %q = broadcast %p : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %none = constant <f32: 0.0> : tile<128xf32>
    %sum = for %j in (%zero to %n, step %one) : tile<i32> iter_values(%s = %none) -> (tile<128xf32>) {
      %k = reshape %j : tile<i32> -> tile<1xi32>
      %l = broadcast %k : tile<1xi32> -> tile<128xi32>
      %m = addi %l, %i : tile<128xi32>
      %r = offset %q, %m : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
      %v, %t = load_ptr_tko weak %r optimization_hints = <sm_90 = {latency = 3}> : tile<128xptr<f32>> -> tile<128xf32>, token
      %w = addf %s, %v rounding<nearest_even> : tile<128xf32>
      continue %w : tile<128xf32>
    }
    %at = offset %q, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %o = store_ptr_tko weak %at, %sum optimization_hints = <sm_90 = {latency = 2}> : tile<128xptr<f32>>, tile<128xf32> -> token
    return
  }

  entry @gathers(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>) {
    %i = iota : tile<16xi32>
    %c0 = constant <i32: 0> : tile<i32>
    %va = make_tensor_view %a, shape = [1024, 64], strides = [64, 1] : tensor_view<1024x64xf32, strides=[64,1]>
    %vb = make_tensor_view %b, shape = [1024, 64], strides = [64, 1] : tensor_view<1024x64xf32, strides=[64,1]>
    %pa = make_gather_scatter_view %va : gather_scatter_view<tile=(16x64), sparse_dim = 0, tensor_view<1024x64xf32, strides=[64,1]>>
    %pb = make_gather_scatter_view %vb : gather_scatter_view<tile=(16x64), sparse_dim = 0, tensor_view<1024x64xf32, strides=[64,1]>>
    %t, %u = load_view_tko weak %pa[%i, %c0] optimization_hints = <sm_90 = {allow_tma = true, latency = 8}> : gather_scatter_view<tile=(16x64), sparse_dim = 0, tensor_view<1024x64xf32, strides=[64,1]>>, tile<16xi32>, tile<i32> -> tile<16x64xf32>, token
    %v = store_view_tko weak %t, %pb[%i, %c0] optimization_hints = <sm_90 = {allow_tma = true, latency = 4}> : tile<16x64xf32>, gather_scatter_view<tile=(16x64), sparse_dim = 0, tensor_view<1024x64xf32, strides=[64,1]>>, tile<16xi32>, tile<i32> -> token
    return
  }

  entry @repeats(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>) {
    %c0 = constant <i32: 0> : tile<i32>
    %va = make_tensor_view %a, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
    %vb = make_tensor_view %b, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
    %pa = make_partition_view %va : partition_view<tile=(128), tensor_view<1024xf32, strides=[1]>>
    %pb = make_partition_view %vb : partition_view<tile=(128), tensor_view<1024xf32, strides=[1]>>
    %t, %k = load_view_tko weak %pa[%c0] : partition_view<tile=(128), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %u, %l = load_view_tko weak %pa[%c0] optimization_hints = <sm_90 = {latency = 6, allow_tma = false}> : partition_view<tile=(128), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %w = addf %t, %u rounding<nearest_even> : tile<128xf32>
    %v = store_view_tko weak %w, %pb[%c0] : tile<128xf32>, partition_view<tile=(128), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> token
    return
  }

  entry @products(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>, %k: tile<i32>) {
    %t = make_token : token
    %pa = assume div_by<16>, %a : tile<ptr<f16>>
    %pb = assume div_by<16>, %b : tile<ptr<f16>>
    %pc = assume div_by<16>, %c : tile<ptr<f32>>
    %k8 = assume div_by<8>, %k : tile<i32>
    %n8 = assume div_by<8>, %n : tile<i32>
    %va = make_tensor_view %pa, shape = [%m, %k8], strides = [%k8, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %vb = make_tensor_view %pb, shape = [%k8, %n8], strides = [%n8, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %vc = make_tensor_view %pc, shape = [%m, %n8], strides = [%n8, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %lo = constant <i32: 0> : tile<i32>
    %st = constant <i32: 1> : tile<i32>
    %ta = make_partition_view %va : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %tb = make_partition_view %vb : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %tc = make_partition_view %vc : partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>
    %sh:2 = get_index_space_shape %ta : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>> -> tile<i32>
    %r = for %i in (%lo to %sh#1, step %st) : tile<i32> iter_values(%s = %zero) -> (tile<64x64xf32>) {
      %la, %t1 = load_view_tko weak %ta[%x, %i] token = %t optimization_hints = <sm_90 = {latency = 1}> : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x32xf16>, token
      %lb, %t2 = load_view_tko weak %tb[%i, %y] token = %t optimization_hints = <sm_90 = {latency = 5}> : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<32x64xf16>, token
      %p = mmaf %la, %lb, %s : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
      continue %p : tile<64x64xf32>
    }
    %o = store_view_tko weak %r, %tc[%x, %y] token = %t optimization_hints = <sm_90 = {allow_tma = true}> : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
