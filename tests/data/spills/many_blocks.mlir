cuda_tile.module @spills {
  entry @many_blocks(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %rows: tile<ptr<i32>>, %c: tile<ptr<f16>>, %n: tile<i32>) optimization_hints=<default = {occupancy = 8}> {
    %t = make_token : token
    %x, %y, %z = get_tile_block_id : tile<i32>
    %a_aligned = assume div_by<16>, %a : tile<ptr<f16>>
    %b_aligned = assume div_by<16>, %b : tile<ptr<f16>>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %av = make_tensor_view %a_aligned, shape = [4096, 4096], strides = [4096, 1] : tensor_view<4096x4096xf16, strides=[4096,1]>
    %bv = make_tensor_view %b_aligned, shape = [4096, 4096], strides = [4096, 1] : tensor_view<4096x4096xf16, strides=[4096,1]>
    %ap = make_partition_view %av : partition_view<tile=(64x64), tensor_view<4096x4096xf16, strides=[4096,1]>>
    %bp = make_partition_view %bv : partition_view<tile=(64x128), tensor_view<4096x4096xf16, strides=[4096,1]>>
    %none = constant <f32: 0.0> : tile<64x128xf32>
    %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %none) -> (tile<64x128xf32>) {
      %at, %t1 = load_view_tko weak %ap[%x, %k] token = %t : partition_view<tile=(64x64), tensor_view<4096x4096xf16, strides=[4096,1]>>, tile<i32> -> tile<64x64xf16>, token
      %bt, %t2 = load_view_tko weak %bp[%k, %y] token = %t : partition_view<tile=(64x128), tensor_view<4096x4096xf16, strides=[4096,1]>>, tile<i32> -> tile<64x128xf16>, token
      %next = mmaf %at, %bt, %acc : tile<64x64xf16>, tile<64x128xf16>, tile<64x128xf32>
      continue %next : tile<64x128xf32>
    }
    %i = iota : tile<64xi32>
    %row_base = reshape %rows : tile<ptr<i32>> -> tile<1xptr<i32>>
    %row_bases = broadcast %row_base : tile<1xptr<i32>> -> tile<64xptr<i32>>
    %row_ptrs = offset %row_bases, %i : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
    %row, %t3 = load_ptr_tko weak %row_ptrs token = %t : tile<64xptr<i32>> -> tile<64xi32>, token
    %row2 = reshape %row : tile<64xi32> -> tile<64x1xi32>
    %row_all = broadcast %row2 : tile<64x1xi32> -> tile<64x128xi32>
    %j = iota : tile<128xi32>
    %j2 = reshape %j : tile<128xi32> -> tile<1x128xi32>
    %column = broadcast %j2 : tile<1x128xi32> -> tile<64x128xi32>
    %width = constant <i32: 4096> : tile<64x128xi32>
    %scaled = muli %row_all, %width : tile<64x128xi32>
    %place = addi %scaled, %column : tile<64x128xi32>
    %base = reshape %c : tile<ptr<f16>> -> tile<1x1xptr<f16>>
    %bases = broadcast %base : tile<1x1xptr<f16>> -> tile<64x128xptr<f16>>
    %pointers = offset %bases, %place : tile<64x128xptr<f16>>, tile<64x128xi32> -> tile<64x128xptr<f16>>
    %half = ftof %sum : tile<64x128xf32> -> tile<64x128xf16>
    %t4 = store_ptr_tko weak %pointers, %half token = %t : tile<64x128xptr<f16>>, tile<64x128xf16> -> token
    return
  }
}
