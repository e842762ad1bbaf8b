// The product of two matrices of f16, 64 x 64 a block, in steps of 32 along K; the left one is loaded through pointers.
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
    %n0 = iota : tile<64xi32>
    %n1 = iota : tile<32xi32>
    %c64 = constant <i32: 64> : tile<i32>
    %c32 = constant <i32: 32> : tile<i32>
    %x64 = muli %x, %c64 : tile<i32>
    %i32 = muli %i, %c32 : tile<i32>
    %rx0 = reshape %x64 : tile<i32> -> tile<1xi32>
    %rx1 = broadcast %rx0 : tile<1xi32> -> tile<64xi32>
    %rx = addi %n0, %rx1 : tile<64xi32>
    %cx0 = reshape %i32 : tile<i32> -> tile<1xi32>
    %cx1 = broadcast %cx0 : tile<1xi32> -> tile<32xi32>
    %cx = addi %n1, %cx1 : tile<32xi32>
    %rr = reshape %rx : tile<64xi32> -> tile<64x1xi32>
    %rows = broadcast %rr : tile<64x1xi32> -> tile<64x32xi32>
    %cr = reshape %cx : tile<32xi32> -> tile<1x32xi32>
    %columns = broadcast %cr : tile<1x32xi32> -> tile<64x32xi32>
    %m0 = reshape %m : tile<i32> -> tile<1x1xi32>
    %m1 = broadcast %m0 : tile<1x1xi32> -> tile<64x32xi32>
    %k0 = reshape %k8 : tile<i32> -> tile<1x1xi32>
    %k1 = broadcast %k0 : tile<1x1xi32> -> tile<64x32xi32>
    %in0 = cmpi less_than %rows, %m1, signed : tile<64x32xi32> -> tile<64x32xi1>
    %in1 = cmpi less_than %columns, %k1, signed : tile<64x32xi32> -> tile<64x32xi1>
    %in = andi %in0, %in1 : tile<64x32xi1>
    %o0 = muli %rows, %k1 : tile<64x32xi32>
    %o1 = addi %o0, %columns : tile<64x32xi32>
    %p0 = reshape %pa : tile<ptr<f16>> -> tile<1x1xptr<f16>>
    %p1 = broadcast %p0 : tile<1x1xptr<f16>> -> tile<64x32xptr<f16>>
    %p2 = offset %p1, %o1 : tile<64x32xptr<f16>>, tile<64x32xi32> -> tile<64x32xptr<f16>>
    %none = constant <f16: 0.0> : tile<64x32xf16>
    %la, %t1 = load_ptr_tko weak %p2, %in, %none token = %t : tile<64x32xptr<f16>>, tile<64x32xi1>, tile<64x32xf16> -> tile<64x32xf16>, token
    %lb, %t2 = load_view_tko weak %tb[%i, %y] token = %t : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<32x64xf16>, token
    %p = mmaf %la, %lb, %s : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
    continue %p : tile<64x64xf32>
  }
  %o = store_view_tko weak %r, %tc[%x, %y] token = %t : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  return
}
}
