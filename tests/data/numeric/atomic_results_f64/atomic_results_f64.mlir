cuda_tile.module @memory {
  entry @atomic_results_f64(%memory: tile<ptr<f64>>, %swapped: tile<ptr<f64>>, %new: tile<ptr<f64>>, %compare: tile<ptr<f64>>, %old: tile<ptr<f64>>, %found: tile<ptr<f64>>) optimization_hints=<default = {num_worker_warps_per_cta = 4}> {
    %i = iota : tile<16xi32>
    %p_memory_b_1 = reshape %memory : tile<ptr<f64>> -> tile<1xptr<f64>>
    %p_memory_b = broadcast %p_memory_b_1 : tile<1xptr<f64>> -> tile<16xptr<f64>>
    %p_memory = offset %p_memory_b, %i : tile<16xptr<f64>>, tile<16xi32> -> tile<16xptr<f64>>
    %p_swapped_b_1 = reshape %swapped : tile<ptr<f64>> -> tile<1xptr<f64>>
    %p_swapped_b = broadcast %p_swapped_b_1 : tile<1xptr<f64>> -> tile<16xptr<f64>>
    %p_swapped = offset %p_swapped_b, %i : tile<16xptr<f64>>, tile<16xi32> -> tile<16xptr<f64>>
    %p_new_b_1 = reshape %new : tile<ptr<f64>> -> tile<1xptr<f64>>
    %p_new_b = broadcast %p_new_b_1 : tile<1xptr<f64>> -> tile<16xptr<f64>>
    %p_new = offset %p_new_b, %i : tile<16xptr<f64>>, tile<16xi32> -> tile<16xptr<f64>>
    %p_compare_b_1 = reshape %compare : tile<ptr<f64>> -> tile<1xptr<f64>>
    %p_compare_b = broadcast %p_compare_b_1 : tile<1xptr<f64>> -> tile<16xptr<f64>>
    %p_compare = offset %p_compare_b, %i : tile<16xptr<f64>>, tile<16xi32> -> tile<16xptr<f64>>
    %p_old_b_1 = reshape %old : tile<ptr<f64>> -> tile<1xptr<f64>>
    %p_old_b = broadcast %p_old_b_1 : tile<1xptr<f64>> -> tile<16xptr<f64>>
    %p_old = offset %p_old_b, %i : tile<16xptr<f64>>, tile<16xi32> -> tile<16xptr<f64>>
    %p_found_b_1 = reshape %found : tile<ptr<f64>> -> tile<1xptr<f64>>
    %p_found_b = broadcast %p_found_b_1 : tile<1xptr<f64>> -> tile<16xptr<f64>>
    %p_found = offset %p_found_b, %i : tile<16xptr<f64>>, tile<16xi32> -> tile<16xptr<f64>>
    %v, %v_t = load_ptr_tko weak %p_new : tile<16xptr<f64>> -> tile<16xf64>, token
    %c, %c_t = load_ptr_tko weak %p_compare : tile<16xptr<f64>> -> tile<16xf64>, token
    %three = constant <i32: 3> : tile<16xi32>
    %mask = cmpi not_equal %i, %three, signed : tile<16xi32> -> tile<16xi1>
    %x, %x_t = atomic_rmw_tko acquire device %p_memory, xchg, %v : tile<16xptr<f64>>, tile<16xf64> -> tile<16xf64>, token
    %y, %y_t = atomic_cas_tko acq_rel sys %p_swapped, %c, %v, %mask token=%x_t : tile<16xptr<f64>>, tile<16xf64>, tile<16xi1> -> tile<16xf64>, token
    %s1 = store_ptr_tko weak %p_old, %x token=%x_t : tile<16xptr<f64>>, tile<16xf64> -> token
    %s2 = store_ptr_tko weak %p_found, %y token=%y_t : tile<16xptr<f64>>, tile<16xf64> -> token
    return
  }
}
