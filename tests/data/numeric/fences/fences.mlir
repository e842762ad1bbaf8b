cuda_tile.module @memory {
  entry @fences(%values: tile<ptr<i32>>, %out: tile<ptr<i32>>) optimization_hints=<default = {num_worker_warps_per_cta = 4}> {
    %i = iota : tile<256xi32>
    %last = constant <i32: 255> : tile<256xi32>
    %t0 = gdc_wait_tko -> token
    %p_b_1 = reshape %values : tile<ptr<i32>> -> tile<1xptr<i32>>
    %p_b = broadcast %p_b_1 : tile<1xptr<i32>> -> tile<256xptr<i32>>
    %p = offset %p_b, %i : tile<256xptr<i32>>, tile<256xi32> -> tile<256xptr<i32>>
    %v, %v_t = load_ptr_tko weak %p token=%t0 : tile<256xptr<i32>> -> tile<256xi32>, token
    %back = subi %last, %i : tile<256xi32>
    %q_b_1 = reshape %values : tile<ptr<i32>> -> tile<1xptr<i32>>
    %q_b = broadcast %q_b_1 : tile<1xptr<i32>> -> tile<256xptr<i32>>
    %q = offset %q_b, %back : tile<256xptr<i32>>, tile<256xi32> -> tile<256xptr<i32>>
    %s = store_ptr_tko weak %q, %v token=%v_t : tile<256xptr<i32>>, tile<256xi32> -> token
    %t1 = memory_fence_alias_tko %s
    %t2 = gdc_launch_dependents_tko token = %t1 -> token
    %w, %w_t = load_ptr_tko weak %p token=%t2 : tile<256xptr<i32>> -> tile<256xi32>, token
    %sum = addi %v, %w : tile<256xi32>
    %o_b_1 = reshape %out : tile<ptr<i32>> -> tile<1xptr<i32>>
    %o_b = broadcast %o_b_1 : tile<1xptr<i32>> -> tile<256xptr<i32>>
    %o = offset %o_b, %i : tile<256xptr<i32>>, tile<256xi32> -> tile<256xptr<i32>>
    %s2 = store_ptr_tko weak %o, %sum token=%w_t : tile<256xptr<i32>>, tile<256xi32> -> token
    return
  }
}
