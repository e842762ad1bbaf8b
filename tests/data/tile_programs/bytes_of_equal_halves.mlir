// Bytes of a constant of halves are numbers of another type.
// array f32 count=516 from=4 fill=zero seed=662927426
// number i32 256
// launch k 1 1 1
cuda_tile.module @m {
entry @k(%p0: tile<ptr<f32>>, %p1: tile<i32>) {
%bx, %by, %bz = get_tile_block_id : tile<i32>
%107 = constant <bf16: 1.0> : tile<1024xbf16>
%108 = pack %107 : tile<1024xbf16> -> tile<2048xi8>
%109 = unpack %108 : tile<2048xi8> -> tile<512xf32>
%156 = make_tensor_view %p0, shape = [%p1], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
%157 = make_strided_view %156 : strided_view<tile=(512), traversal_strides=[513], tensor_view<?xf32, strides=[1]>>
%158 = store_view_tko weak %109, %157[%by] : tile<512xf32>, strided_view<tile=(512), traversal_strides=[513], tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
}
}
