cuda_tile.module @memory {
  entry @atomic_results_i32(%memory: tile<ptr<i32>>, %swapped: tile<ptr<i32>>, %new: tile<ptr<i32>>, %compare: tile<ptr<i32>>, %old: tile<ptr<i32>>, %found: tile<ptr<i32>>) optimization_hints=<default = {num_worker_warps_per_cta = 4}> {
    %i = iota : tile<16xi32>
    %p_memory_b_1 = reshape %memory : tile<ptr<i32>> -> tile<1xptr<i32>>
    %p_memory_b = broadcast %p_memory_b_1 : tile<1xptr<i32>> -> tile<16xptr<i32>>
    %p_memory = offset %p_memory_b, %i : tile<16xptr<i32>>, tile<16xi32> -> tile<16xptr<i32>>
    %p_swapped_b_1 = reshape %swapped : tile<ptr<i32>> -> tile<1xptr<i32>>
    %p_swapped_b = broadcast %p_swapped_b_1 : tile<1xptr<i32>> -> tile<16xptr<i32>>
    %p_swapped = offset %p_swapped_b, %i : tile<16xptr<i32>>, tile<16xi32> -> tile<16xptr<i32>>
    %p_new_b_1 = reshape %new : tile<ptr<i32>> -> tile<1xptr<i32>>
    %p_new_b = broadcast %p_new_b_1 : tile<1xptr<i32>> -> tile<16xptr<i32>>
    %p_new = offset %p_new_b, %i : tile<16xptr<i32>>, tile<16xi32> -> tile<16xptr<i32>>
    %p_compare_b_1 = reshape %compare : tile<ptr<i32>> -> tile<1xptr<i32>>
    %p_compare_b = broadcast %p_compare_b_1 : tile<1xptr<i32>> -> tile<16xptr<i32>>
    %p_compare = offset %p_compare_b, %i : tile<16xptr<i32>>, tile<16xi32> -> tile<16xptr<i32>>
    %p_old_b_1 = reshape %old : tile<ptr<i32>> -> tile<1xptr<i32>>
    %p_old_b = broadcast %p_old_b_1 : tile<1xptr<i32>> -> tile<16xptr<i32>>
    %p_old = offset %p_old_b, %i : tile<16xptr<i32>>, tile<16xi32> -> tile<16xptr<i32>>
    %p_found_b_1 = reshape %found : tile<ptr<i32>> -> tile<1xptr<i32>>
    %p_found_b = broadcast %p_found_b_1 : tile<1xptr<i32>> -> tile<16xptr<i32>>
    %p_found = offset %p_found_b, %i : tile<16xptr<i32>>, tile<16xi32> -> tile<16xptr<i32>>
    %v, %v_t = load_ptr_tko weak %p_new : tile<16xptr<i32>> -> tile<16xi32>, token
    %c, %c_t = load_ptr_tko weak %p_compare : tile<16xptr<i32>> -> tile<16xi32>, token
    %three = constant <i32: 3> : tile<16xi32>
    %mask = cmpi not_equal %i, %three, signed : tile<16xi32> -> tile<16xi1>
    %x, %x_t = atomic_rmw_tko acquire device %p_memory, xchg, %v : tile<16xptr<i32>>, tile<16xi32> -> tile<16xi32>, token
    %y, %y_t = atomic_cas_tko acq_rel sys %p_swapped, %c, %v, %mask token=%x_t : tile<16xptr<i32>>, tile<16xi32>, tile<16xi1> -> tile<16xi32>, token
    %s1 = store_ptr_tko weak %p_old, %x token=%x_t : tile<16xptr<i32>>, tile<16xi32> -> token
    %s2 = store_ptr_tko weak %p_found, %y token=%y_t : tile<16xptr<i32>>, tile<16xi32> -> token
    return
  }
}
