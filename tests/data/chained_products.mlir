// The sum over i of A B_i C_i for matrices of f16: 64 rows a block, B in tiles of 128 columns, C in tiles of 128 rows.
cuda_tile.module @m {
entry @chain(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f16>>, %d: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>) {
  %t = make_token : token
  %pa = assume div_by<16>, %a : tile<ptr<f16>>
  %pb = assume div_by<16>, %b : tile<ptr<f16>>
  %pc = assume div_by<16>, %c : tile<ptr<f16>>
  %pd = assume div_by<16>, %d : tile<ptr<f32>>
  %n8 = assume div_by<8>, %n : tile<i32>
  %va = make_tensor_view %pa, shape = [%m, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf16, strides=[64,1]>
  %vb = make_tensor_view %pb, shape = [64, %n8], strides = [%n8, 1] : tile<i32> -> tensor_view<64x?xf16, strides=[?,1]>
  %vc = make_tensor_view %pc, shape = [%n8, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf16, strides=[64,1]>
  %vd = make_tensor_view %pd, shape = [%m, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <f32: 0.0> : tile<64x64xf32>
  %none = constant <f32: 0.0> : tile<64x128xf32>
  %lo = constant <i32: 0> : tile<i32>
  %st = constant <i32: 1> : tile<i32>
  %ta = make_partition_view %va : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x64xf16, strides=[64,1]>>
  %tb = make_partition_view %vb : partition_view<tile=(64x128), padding_value = zero, tensor_view<64x?xf16, strides=[?,1]>>
  %tc = make_partition_view %vc : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x64xf16, strides=[64,1]>>
  %td = make_partition_view %vd : partition_view<tile=(64x64), tensor_view<?x64xf32, strides=[64,1]>>
  %sh:2 = get_index_space_shape %tb : partition_view<tile=(64x128), padding_value = zero, tensor_view<64x?xf16, strides=[?,1]>> -> tile<i32>
  %la, %t0 = load_view_tko weak %ta[%x, %lo] token = %t : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x64xf16, strides=[64,1]>>, tile<i32> -> tile<64x64xf16>, token
  %r = for %i in (%lo to %sh#1, step %st) : tile<i32> iter_values(%s = %zero) -> (tile<64x64xf32>) {
    %lb, %t1 = load_view_tko weak %tb[%lo, %i] token = %t : partition_view<tile=(64x128), padding_value = zero, tensor_view<64x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x128xf16>, token
    %p = mmaf %la, %lb, %none : tile<64x64xf16>, tile<64x128xf16>, tile<64x128xf32>
    %h = ftof %p : tile<64x128xf32> -> tile<64x128xf16>
    %lc, %t2 = load_view_tko weak %tc[%i, %lo] token = %t : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x64xf16, strides=[64,1]>>, tile<i32> -> tile<128x64xf16>, token
    %q = mmaf %h, %lc, %s : tile<64x128xf16>, tile<128x64xf16>, tile<64x64xf32>
    continue %q : tile<64x64xf32>
  }
  %o = store_view_tko weak %r, %td[%x, %lo] token = %t : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
  return
}
}
