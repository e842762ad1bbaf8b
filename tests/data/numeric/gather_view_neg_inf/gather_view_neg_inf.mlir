cuda_tile.module @memory {
  entry @gather_view_neg_inf(%values: tile<ptr<f16>>, %positions: tile<ptr<i32>>, %to: tile<ptr<i32>>, %out: tile<ptr<f16>>) {
    %i = iota : tile<8xi32>
    %start = constant <i32: 13> : tile<i32>
    %pp_b_1 = reshape %positions : tile<ptr<i32>> -> tile<1xptr<i32>>
    %pp_b = broadcast %pp_b_1 : tile<1xptr<i32>> -> tile<8xptr<i32>>
    %pp = offset %pp_b, %i : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
    %k, %k_t = load_ptr_tko weak %pp : tile<8xptr<i32>> -> tile<8xi32>, token
    %tp_b_1 = reshape %to : tile<ptr<i32>> -> tile<1xptr<i32>>
    %tp_b = broadcast %tp_b_1 : tile<1xptr<i32>> -> tile<8xptr<i32>>
    %tp = offset %tp_b, %i : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
    %m, %m_t = load_ptr_tko weak %tp : tile<8xptr<i32>> -> tile<8xi32>, token
    %values_v = make_tensor_view %values, shape = [37, 24], strides = [24, 1] : tensor_view<37x24xf16, strides=[24,1]>
    %out_v = make_tensor_view %out, shape = [37, 24], strides = [24, 1] : tensor_view<37x24xf16, strides=[24,1]>
    %from = make_gather_scatter_view %values_v : gather_scatter_view<tile=(8x16), padding_value = neg_inf, tensor_view<37x24xf16, strides=[24,1]>, sparse_dim=0>
    %into = make_gather_scatter_view %out_v : gather_scatter_view<tile=(8x16), tensor_view<37x24xf16, strides=[24,1]>, sparse_dim=0>
    %x, %x_t = load_view_tko weak %from[%k, %start] : gather_scatter_view<tile=(8x16), padding_value = neg_inf, tensor_view<37x24xf16, strides=[24,1]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> tile<8x16xf16>, token
    %s = store_view_tko weak %x, %into[%m, %start] token = %x_t : tile<8x16xf16>, gather_scatter_view<tile=(8x16), tensor_view<37x24xf16, strides=[24,1]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> token
    return
  }
}
