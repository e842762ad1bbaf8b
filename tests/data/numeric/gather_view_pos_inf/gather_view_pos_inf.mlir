cuda_tile.module @memory {
  entry @gather_view_pos_inf(%values: tile<ptr<f32>>, %positions: tile<ptr<i64>>, %to: tile<ptr<i64>>, %out: tile<ptr<f32>>) {
    %i = iota : tile<16xi32>
    %start = constant <i64: 13> : tile<i64>
    %pp_b_1 = reshape %positions : tile<ptr<i64>> -> tile<1xptr<i64>>
    %pp_b = broadcast %pp_b_1 : tile<1xptr<i64>> -> tile<16xptr<i64>>
    %pp = offset %pp_b, %i : tile<16xptr<i64>>, tile<16xi32> -> tile<16xptr<i64>>
    %k, %k_t = load_ptr_tko weak %pp : tile<16xptr<i64>> -> tile<16xi64>, token
    %tp_b_1 = reshape %to : tile<ptr<i64>> -> tile<1xptr<i64>>
    %tp_b = broadcast %tp_b_1 : tile<1xptr<i64>> -> tile<16xptr<i64>>
    %tp = offset %tp_b, %i : tile<16xptr<i64>>, tile<16xi32> -> tile<16xptr<i64>>
    %m, %m_t = load_ptr_tko weak %tp : tile<16xptr<i64>> -> tile<16xi64>, token
    %values_v = make_tensor_view %values, shape = [37, 24], strides = [24, 1] : tensor_view<37x24xf32, strides=[24,1]>
    %out_v = make_tensor_view %out, shape = [37, 24], strides = [24, 1] : tensor_view<37x24xf32, strides=[24,1]>
    %from = make_gather_scatter_view %values_v : gather_scatter_view<tile=(8x16), padding_value = pos_inf, tensor_view<37x24xf32, strides=[24,1]>, sparse_dim=1>
    %into = make_gather_scatter_view %out_v : gather_scatter_view<tile=(8x16), tensor_view<37x24xf32, strides=[24,1]>, sparse_dim=1>
    %x, %x_t = load_view_tko weak %from[%start, %k] : gather_scatter_view<tile=(8x16), padding_value = pos_inf, tensor_view<37x24xf32, strides=[24,1]>, sparse_dim=1>, tile<i64>, tile<16xi64> -> tile<8x16xf32>, token
    %s = store_view_tko weak %x, %into[%start, %m] token = %x_t : tile<8x16xf32>, gather_scatter_view<tile=(8x16), tensor_view<37x24xf32, strides=[24,1]>, sparse_dim=1>, tile<i64>, tile<16xi64> -> token
    return
  }
}
