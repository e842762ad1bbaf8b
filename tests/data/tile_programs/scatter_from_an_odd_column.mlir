// The tile begins in the middle of a vector of the base.
// array f32 count=388 from=4 fill=zero seed=832728169
// number i32 1
// launch k 1 1 1
cuda_tile.module @m {
entry @k(%p0: tile<ptr<f32>>, %p1: tile<i32>) {
%i0 = constant <i32: 0> : tile<i32>
%192 = constant <f32: 1.0> : tile<4x8x2xf32>
%229 = assume div_by<8>, %p0 : tile<ptr<f32>>
%230 = constant <i32: 0> : tile<i32>
%231 = make_tensor_view %229, shape = [%p1, 8, 6], strides = [%230, 6, 1] : tile<i32> -> tensor_view<?x8x6xf32, strides=[?,6,1]>
%232 = make_gather_scatter_view %231 : gather_scatter_view<tile=(4x8x2), tensor_view<?x8x6xf32, strides=[?,6,1]>, sparse_dim=0>
%241 = constant <i32: 0> : tile<4xi32>
%242 = constant <i32: 1> : tile<i32>
%243 = store_view_tko weak %192, %232[%241, %i0, %242] : tile<4x8x2xf32>, gather_scatter_view<tile=(4x8x2), tensor_view<?x8x6xf32, strides=[?,6,1]>, sparse_dim=0>, tile<4xi32>, tile<i32>, tile<i32> -> token
}
}
