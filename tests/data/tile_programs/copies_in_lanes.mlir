// array i16 count=57 from=0 fill=zero seed=871005330
// number i64 0
// number i64 0
// array bf16 count=72 from=8 fill=zero seed=1037753480
// array bf16 count=261 from=1 fill=zero seed=3072039599
// launch k_1 1 1 1
cuda_tile.module @m {
entry @k_1(%p0: tile<ptr<i16>>, %p1: tile<i64>, %p2: tile<i64>, %p3: tile<ptr<bf16>>, %p4: tile<ptr<bf16>>) {
%bx, %by, %bz = get_tile_block_id : tile<i32>
%block = constant <i32: 0> : tile<i32>
%108 = make_tensor_view %p0, shape = [19, %p1], strides = [1, %p2] : tile<i64> -> tensor_view<19x?xi16, strides=[1,?]>
%109 = make_partition_view %108 : partition_view<tile=(64x4), padding_value = zero, tensor_view<19x?xi16, strides=[1,?]>>
%110, %111 = load_view_tko weak %109[%bx, %bx] : partition_view<tile=(64x4), padding_value = zero, tensor_view<19x?xi16, strides=[1,?]>>, tile<i32> -> tile<64x4xi16>, token
%116 = itof %110 signed : tile<64x4xi16> -> tile<64x4xbf16>
%117, %118 = reduce %116, %116 dim=1 identities=[0.0 : bf16, 0x7F80 : bf16] : tile<64x4xbf16>, tile<64x4xbf16> -> tile<64xbf16>, tile<64xbf16>
(%e0: tile<bf16>, %a0: tile<bf16>, %e1: tile<bf16>, %a1: tile<bf16>) {
%s0 = constant <bf16: 1.0> : tile<bf16>
%s1 = constant <bf16: 1.0> : tile<bf16>
yield %s0, %s1 : tile<bf16>, tile<bf16>
}
%136 = assume div_by<16>, %p3 : tile<ptr<bf16>>
%137 = make_tensor_view %136, shape = [64], strides = [1] : tensor_view<64xbf16, strides=[1]>
%138 = make_partition_view %137 : partition_view<tile=(64), tensor_view<64xbf16, strides=[1]>>
%139 = store_view_tko weak %118, %138[%block] : tile<64xbf16>, partition_view<tile=(64), tensor_view<64xbf16, strides=[1]>>, tile<i32> -> token
%159 = iota : tile<4xi32>
%160 = reshape %159 : tile<4xi32> -> tile<1x4xi32>
%161 = broadcast %160 : tile<1x4xi32> -> tile<64x4xi32>
%168 = reshape %p4 : tile<ptr<bf16>> -> tile<1x1xptr<bf16>>
%169 = broadcast %168 : tile<1x1xptr<bf16>> -> tile<64x4xptr<bf16>>
%170 = offset %169, %161 : tile<64x4xptr<bf16>>, tile<64x4xi32> -> tile<64x4xptr<bf16>>
%171 = store_ptr_tko weak %170, %116 : tile<64x4xptr<bf16>>, tile<64x4xbf16> -> token
}
}
