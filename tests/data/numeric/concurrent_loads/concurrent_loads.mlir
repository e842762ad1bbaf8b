cuda_tile.module @memory {
  entry @concurrent_loads(%small: tile<ptr<f32>>, %large: tile<ptr<f32>>) optimization_hints=<default = {num_worker_warps_per_cta = 4}> {
    %i = iota : tile<16xi32>
    %l = iota : tile<512xi32>
    %zero = constant <i32: 0> : tile<i32>
    %p_b_1 = reshape %small : tile<ptr<f32>> -> tile<1xptr<f32>>
    %p_b = broadcast %p_b_1 : tile<1xptr<f32>> -> tile<16xptr<f32>>
    %p = offset %p_b, %i : tile<16xptr<f32>>, tile<16xi32> -> tile<16xptr<f32>>
    %a, %a_t = load_ptr_tko relaxed device %p : tile<16xptr<f32>> -> tile<16xf32>, token
    %tv = make_tensor_view %small, shape = [16], strides = [1] : tensor_view<16xf32, strides=[1]>
    %pv = make_partition_view %tv : partition_view<tile=(16), padding_value = zero, tensor_view<16xf32, strides=[1]>>
    %b, %b_t = load_view_tko acquire device %pv[%zero] token = %a_t : partition_view<tile=(16), padding_value = zero, tensor_view<16xf32, strides=[1]>>, tile<i32> -> tile<16xf32>, token
    %c, %c_t = load_ptr_tko relaxed sys %small token=%b_t : tile<ptr<f32>> -> tile<f32>, token
    %cs_1 = reshape %c : tile<f32> -> tile<1xf32>
    %cs = broadcast %cs_1 : tile<1xf32> -> tile<16xf32>
    %ab = addf %a, %b : tile<16xf32>
    %abc = addf %ab, %cs : tile<16xf32>
    %row = reshape %abc : tile<16xf32> -> tile<1x16xf32>
    %rows = broadcast %row : tile<1x16xf32> -> tile<32x16xf32>
    %q_b_1 = reshape %large : tile<ptr<f32>> -> tile<1xptr<f32>>
    %q_b = broadcast %q_b_1 : tile<1xptr<f32>> -> tile<512xptr<f32>>
    %q = offset %q_b, %l : tile<512xptr<f32>>, tile<512xi32> -> tile<512xptr<f32>>
    %v, %v_t = load_ptr_tko weak %q : tile<512xptr<f32>> -> tile<512xf32>, token
    %w = reshape %v : tile<512xf32> -> tile<32x16xf32>
    %sum = addf %w, %rows : tile<32x16xf32>
    %flat = reshape %sum : tile<32x16xf32> -> tile<512xf32>
    %before = join_tokens %v_t, %c_t : token
    %s = store_ptr_tko weak %q, %flat token=%before : tile<512xptr<f32>>, tile<512xf32> -> token
    return
  }
}
