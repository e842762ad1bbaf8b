// The product of two matrices of f16, 64 x 64 a block, in steps of 32 along K.
cuda_tile.module @m {
entry @product(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>, %k: tile<i32>) {
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
    %la, %t1 = load_view_tko weak %ta[%x, %i] token = %t : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x32xf16>, token
    %lb, %t2 = load_view_tko weak %tb[%i, %y] token = %t : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<32x64xf16>, token
    %p = mmaf %la, %lb, %s : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
    continue %p : tile<64x64xf32>
  }
  %o = store_view_tko weak %r, %tc[%x, %y] token = %t : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  return
}
}
