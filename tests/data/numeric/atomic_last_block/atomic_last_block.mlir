cuda_tile.module @memory {
  entry @atomic_last_block(%values: tile<ptr<i32>>, %rows: tile<ptr<i32>>, %counter: tile<ptr<i32>>, %out: tile<ptr<i32>>) {
    %i = iota : tile<128xi32>
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %n = constant <i32: 128> : tile<i32>
    %first = muli %bx, %n : tile<i32>
    %firsts_1 = reshape %first : tile<i32> -> tile<1xi32>
    %firsts = broadcast %firsts_1 : tile<1xi32> -> tile<128xi32>
    %g = addi %firsts, %i : tile<128xi32>
    %from_b_1 = reshape %values : tile<ptr<i32>> -> tile<1xptr<i32>>
    %from_b = broadcast %from_b_1 : tile<1xptr<i32>> -> tile<128xptr<i32>>
    %from = offset %from_b, %g : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
    %v, %v_t = load_ptr_tko weak %from : tile<128xptr<i32>> -> tile<128xi32>, token
    %twice = addi %v, %v : tile<128xi32>
    %row_b_1 = reshape %rows : tile<ptr<i32>> -> tile<1xptr<i32>>
    %row_b = broadcast %row_b_1 : tile<1xptr<i32>> -> tile<128xptr<i32>>
    %row = offset %row_b, %g : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
    %s = store_ptr_tko weak %row, %twice token=%v_t : tile<128xptr<i32>>, tile<128xi32> -> token
    %one = constant <i32: 1> : tile<i32>
    %last = constant <i32: 4> : tile<i32>
    %before, %t = atomic_rmw_tko acq_rel device %counter, add, %one token=%s : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %is_last = cmpi equal %before, %last, signed : tile<i32> -> tile<i1>
    if %is_last {
    %zero = constant <i32: 0> : tile<128xi32>
    %o0 = constant <i32: 0> : tile<128xi32>
    %k0 = addi %i, %o0 : tile<128xi32>
    %r0_b_1 = reshape %rows : tile<ptr<i32>> -> tile<1xptr<i32>>
    %r0_b = broadcast %r0_b_1 : tile<1xptr<i32>> -> tile<128xptr<i32>>
    %r0 = offset %r0_b, %k0 : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
    %w0, %w0_t = load_ptr_tko weak %r0 token=%t : tile<128xptr<i32>> -> tile<128xi32>, token
    %a0 = addi %zero, %w0 : tile<128xi32>
    %o1 = constant <i32: 128> : tile<128xi32>
    %k1 = addi %i, %o1 : tile<128xi32>
    %r1_b_1 = reshape %rows : tile<ptr<i32>> -> tile<1xptr<i32>>
    %r1_b = broadcast %r1_b_1 : tile<1xptr<i32>> -> tile<128xptr<i32>>
    %r1 = offset %r1_b, %k1 : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
    %w1, %w1_t = load_ptr_tko weak %r1 token=%t : tile<128xptr<i32>> -> tile<128xi32>, token
    %a1 = addi %a0, %w1 : tile<128xi32>
    %o2 = constant <i32: 256> : tile<128xi32>
    %k2 = addi %i, %o2 : tile<128xi32>
    %r2_b_1 = reshape %rows : tile<ptr<i32>> -> tile<1xptr<i32>>
    %r2_b = broadcast %r2_b_1 : tile<1xptr<i32>> -> tile<128xptr<i32>>
    %r2 = offset %r2_b, %k2 : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
    %w2, %w2_t = load_ptr_tko weak %r2 token=%t : tile<128xptr<i32>> -> tile<128xi32>, token
    %a2 = addi %a1, %w2 : tile<128xi32>
    %o3 = constant <i32: 384> : tile<128xi32>
    %k3 = addi %i, %o3 : tile<128xi32>
    %r3_b_1 = reshape %rows : tile<ptr<i32>> -> tile<1xptr<i32>>
    %r3_b = broadcast %r3_b_1 : tile<1xptr<i32>> -> tile<128xptr<i32>>
    %r3 = offset %r3_b, %k3 : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
    %w3, %w3_t = load_ptr_tko weak %r3 token=%t : tile<128xptr<i32>> -> tile<128xi32>, token
    %a3 = addi %a2, %w3 : tile<128xi32>
    %o4 = constant <i32: 512> : tile<128xi32>
    %k4 = addi %i, %o4 : tile<128xi32>
    %r4_b_1 = reshape %rows : tile<ptr<i32>> -> tile<1xptr<i32>>
    %r4_b = broadcast %r4_b_1 : tile<1xptr<i32>> -> tile<128xptr<i32>>
    %r4 = offset %r4_b, %k4 : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
    %w4, %w4_t = load_ptr_tko weak %r4 token=%t : tile<128xptr<i32>> -> tile<128xi32>, token
    %a4 = addi %a3, %w4 : tile<128xi32>
    %to_b_1 = reshape %out : tile<ptr<i32>> -> tile<1xptr<i32>>
    %to_b = broadcast %to_b_1 : tile<1xptr<i32>> -> tile<128xptr<i32>>
    %to = offset %to_b, %i : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
    %done = store_ptr_tko weak %to, %a4 token=%w4_t : tile<128xptr<i32>>, tile<128xi32> -> token
    }
    return
  }
}
