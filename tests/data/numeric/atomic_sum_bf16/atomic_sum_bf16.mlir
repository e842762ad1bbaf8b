cuda_tile.module @memory {
  entry @atomic_sum_bf16(%values: tile<ptr<bf16>>, %sums: tile<ptr<bf16>>) optimization_hints=<default = {num_worker_warps_per_cta = 4}> {
    %i = iota : tile<64xi32>
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %n = constant <i32: 64> : tile<i32>
    %first = muli %bx, %n : tile<i32>
    %firsts_1 = reshape %first : tile<i32> -> tile<1xi32>
    %firsts = broadcast %firsts_1 : tile<1xi32> -> tile<64xi32>
    %g = addi %firsts, %i : tile<64xi32>
    %at_b_1 = reshape %values : tile<ptr<bf16>> -> tile<1xptr<bf16>>
    %at_b = broadcast %at_b_1 : tile<1xptr<bf16>> -> tile<64xptr<bf16>>
    %at = offset %at_b, %g : tile<64xptr<bf16>>, tile<64xi32> -> tile<64xptr<bf16>>
    %v, %v_t = load_ptr_tko weak %at : tile<64xptr<bf16>> -> tile<64xbf16>, token
    %c = constant <i32: 15> : tile<64xi32>
    %low = andi %i, %c : tile<64xi32>
    %h = constant <i32: 32> : tile<64xi32>
    %mask = cmpi less_than %i, %h, signed : tile<64xi32> -> tile<64xi1>
    %p_b_1 = reshape %sums : tile<ptr<bf16>> -> tile<1xptr<bf16>>
    %p_b = broadcast %p_b_1 : tile<1xptr<bf16>> -> tile<64xptr<bf16>>
    %p = offset %p_b, %low : tile<64xptr<bf16>>, tile<64xi32> -> tile<64xptr<bf16>>
    %r, %t = atomic_rmw_tko relaxed device %p, addf, %v, %mask : tile<64xptr<bf16>>, tile<64xbf16>, tile<64xi1> -> tile<64xbf16>, token
    return
  }
}
