cuda_tile.module @memory {
  entry @atomic_scalar(%counter: tile<ptr<i32>>, %out: tile<ptr<i32>>) optimization_hints=<default = {num_worker_warps_per_cta = 4}> {
    %i = iota : tile<256xi32>
    %five = constant <i32: 5> : tile<i32>
    %hundred = constant <i32: 100> : tile<i32>
    %a, %a_t = atomic_rmw_tko acq_rel device %counter, add, %five : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %b, %b_t = atomic_cas_tko relaxed tl_blk %counter, %five, %hundred token=%a_t : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %c, %c_t = load_ptr_tko acquire device %counter token=%b_t : tile<ptr<i32>> -> tile<i32>, token
    %ab = addi %a, %b : tile<i32>
    %abc = addi %ab, %c : tile<i32>
    %sum_1 = reshape %abc : tile<i32> -> tile<1xi32>
    %sum = broadcast %sum_1 : tile<1xi32> -> tile<256xi32>
    %v = addi %sum, %i : tile<256xi32>
    %p_b_1 = reshape %out : tile<ptr<i32>> -> tile<1xptr<i32>>
    %p_b = broadcast %p_b_1 : tile<1xptr<i32>> -> tile<256xptr<i32>>
    %p = offset %p_b, %i : tile<256xptr<i32>>, tile<256xi32> -> tile<256xptr<i32>>
    %s = store_ptr_tko weak %p, %v token=%c_t : tile<256xptr<i32>>, tile<256xi32> -> token
    return
  }
}
