// Producer: a test
global private  constant @table alignment = 16 <i16: [1, 2, 3, -1]> : tile<4xi16>
entry @everything(%arg0: tile<ptr<f32>> {cuda_tile.name = "p"}, %arg1: tile<ptr<f32, <multicast>>>) optimization_hints=<default = {num_worker_warps_per_cta = 8}> {
  %cst_f32 = constant <f32: 1.401300e-45> : tile<8xf32>
  %0 = absf %cst_f32 : tile<8xf32>
  %1 = addf %cst_f32, %cst_f32 rounding<negative_inf> flush_to_zero : tile<8xf32>
  %2 = subf %cst_f32, %cst_f32 rounding<negative_inf> flush_to_zero : tile<8xf32>
  %3 = mulf %cst_f32, %cst_f32  : tile<8xf32>
  %4 = divf %cst_f32, %cst_f32 rounding<approx> flush_to_zero : tile<8xf32>
  %5 = remf %cst_f32, %cst_f32 : tile<8xf32>
  %6 = fma %cst_f32, %cst_f32, %cst_f32 rounding<negative_inf> flush_to_zero : tile<8xf32>
  %7 = negf %cst_f32 : tile<8xf32>
  %8 = maxf %cst_f32, %cst_f32 propagate_nan : tile<8xf32>
  %9 = minf %cst_f32, %cst_f32 flush_to_zero : tile<8xf32>
  %10 = ceil %cst_f32 : tile<8xf32>
  %11 = floor %cst_f32 : tile<8xf32>
  %12 = sqrt %cst_f32 rounding<approx> flush_to_zero : tile<8xf32>
  %13 = rsqrt %cst_f32 flush_to_zero : tile<8xf32>
  %14 = exp %cst_f32 rounding<approx> : tile<8xf32>
  %15 = exp2 %cst_f32 flush_to_zero : tile<8xf32>
  %16 = log %cst_f32 : tile<8xf32>
  %17 = log2 %cst_f32 : tile<8xf32>
  %18 = fpowf %cst_f32, %cst_f32 : tile<8xf32>
  %19 = sin %cst_f32 : tile<8xf32>
  %20 = cos %cst_f32 : tile<8xf32>
  %21 = tan %cst_f32 : tile<8xf32>
  %22 = sinh %cst_f32 : tile<8xf32>
  %23 = cosh %cst_f32 : tile<8xf32>
  %24 = tanh %cst_f32 rounding<approx> : tile<8xf32>
  %25 = atan2 %cst_f32, %cst_f32 : tile<8xf32>
  %cst_1_i32 = constant <i32: 1> : tile<8xi32>
  %26 = fpowi %cst_f32, %cst_1_i32 : tile<8xf32>, tile<8xi32>
  %27 = cmpf less_than unordered %cst_f32, %cst_f32 : tile<8xf32> -> tile<8xi1>
  %cst_1_i32_0 = constant <i32: 1> : tile<8xi32>
  %28 = absi %cst_1_i32_0 : tile<8xi32>
  %29 = addi %cst_1_i32_0, %cst_1_i32_0 overflow<no_signed_wrap> : tile<8xi32>
  %30 = subi %cst_1_i32_0, %cst_1_i32_0 overflow<no_signed_wrap> : tile<8xi32>
  %31 = muli %cst_1_i32_0, %cst_1_i32_0 : tile<8xi32>
  %32 = mulhii %cst_1_i32_0, %cst_1_i32_0 : tile<8xi32>
  %33 = divi %cst_1_i32_0, %cst_1_i32_0 signed rounding<negative_inf> : tile<8xi32>
  %34 = remi %cst_1_i32_0, %cst_1_i32_0 signed : tile<8xi32>
  %35 = negi %cst_1_i32_0 overflow<no_signed_wrap> : tile<8xi32>
  %36 = maxi %cst_1_i32_0, %cst_1_i32_0 signed : tile<8xi32>
  %37 = mini %cst_1_i32_0, %cst_1_i32_0 unsigned : tile<8xi32>
  %38 = andi %cst_1_i32_0, %cst_1_i32_0 : tile<8xi32>
  %39 = ori %cst_1_i32_0, %cst_1_i32_0 : tile<8xi32>
  %40 = xori %cst_1_i32_0, %cst_1_i32_0 : tile<8xi32>
  %41 = shli %cst_1_i32_0, %cst_1_i32_0 overflow<no_wrap> : tile<8xi32>
  %42 = shri %cst_1_i32_0, %cst_1_i32_0 signed : tile<8xi32>
  %43 = cmpi greater_than_or_equal %cst_1_i32_0, %cst_1_i32_0, signed : tile<8xi32> -> tile<8xi1>
  %cst_1_i32_1 = constant <i32: 1> : tile<8xi32>
  %cst_f32_2 = constant <f32: 1.401300e-45> : tile<8xf32>
  %44 = bitcast %cst_1_i32_1 : tile<8xi32> -> tile<8xf32>
  %45 = exti %cst_1_i32_1 unsigned : tile<8xi32> -> tile<8xi64>
  %46 = trunci %cst_1_i32_1 overflow<no_wrap> : tile<8xi32> -> tile<8xi8>
  %47 = ftof %cst_f32_2 rounding<nearest_away> : tile<8xf32> -> tile<8xf64>
  %48 = ftoi %cst_f32_2 unsigned  saturating : tile<8xf32> -> tile<8xi16>
  %49 = itof %cst_1_i32_1 unsigned  : tile<8xi32> -> tile<8xbf16>
  %50 = int_to_ptr %45 : tile<8xi64> -> tile<8xptr<f32>>
  %51 = ptr_to_int %50 : tile<8xptr<f32>> -> tile<8xi64>
  %52 = ptr_to_ptr %50 : tile<8xptr<f32>> -> tile<8xptr<i8>>
  %53 = pack %cst_f32_2 : tile<8xf32> -> tile<32xi8>
  %54 = unpack %53 : tile<32xi8> -> tile<64xf4E2M1FN>
  %cst_f32_3 = constant <f32: 1.401300e-45> : tile<4x8xf32>
  %cst_1_i32_4 = constant <i32: 1> : tile<i32>
  %cst_i1 = constant <i1: [true, false, false, true]> : tile<4xi1>
  %cst_tf32 = constant <tf32: [1.147940e-41, 2.295890e-41]> : tile<2xtf32>
  %55 = iota : tile<64xi8>
  %reshape = reshape %cst_f32_3 : tile<4x8xf32> -> tile<1x32xf32>
  %bcast = broadcast %reshape : tile<1x32xf32> -> tile<4x32xf32>
  %56 = permute %cst_f32_3 [1, 0] : tile<4x8xf32> -> tile<8x4xf32>
  %57 = cat %cst_f32_3, %cst_f32_3 dim = 1 : tile<4x8xf32>, tile<4x8xf32> -> tile<4x16xf32>
  %58 = extract %cst_f32_3[%cst_1_i32_4, %cst_1_i32_4] : tile<4x8xf32> -> tile<2x2xf32>
  %59 = insert %58, %cst_f32_3[%cst_1_i32_4, %cst_1_i32_4] : tile<2x2xf32>, tile<4x8xf32>
  %true = constant <i1: true> : tile<4x8xi1>
  %60 = select %true, %cst_f32_3, %cst_f32_3 : tile<4x8xi1>, tile<4x8xf32>
  %cst_1_i32_5 = constant <i32: 1> : tile<4x8xi32>
  %assume_cst_1_i32 = assume div_by<16, every 4 along 1>, %cst_1_i32_5 : tile<4x8xi32>
  %assume_cst_1_i32_6 = assume same_elements<[1, 8]>, %cst_1_i32_5 : tile<4x8xi32>
  %assume_cst_1_i32_7 = assume bounded<-3, 5>, %cst_1_i32_5 : tile<4x8xi32>
  %reduce = reduce %cst_f32_3 dim=1 identities=[-0.000000e+00 : f32] : tile<4x8xf32> -> tile<4xf32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %85 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
    yield %85 : tile<f32>
  }
  %61 = scan %cst_f32_3 dim=0 reverse=true identities=[-0.000000e+00 : f32] : tile<4x8xf32> -> tile<4x8xf32> 
  (%arg2: tile<f32>, %arg3: tile<f32>) {
    %85 = addf %arg2, %arg3  : tile<f32>
    yield %85 : tile<f32>
  }
  %cst_f16 = constant <f16: 5.960460e-08> : tile<4x8xf16>
  %cst_f16_8 = constant <f16: 5.960460e-08> : tile<8x16xf16>
  %cst_f32_9 = constant <f32: 1.401300e-45> : tile<4x16xf32>
  %62 = mmaf %cst_f16, %cst_f16_8, %cst_f32_9 fast_acc : tile<4x8xf16>, tile<8x16xf16>, tile<4x16xf32>
  %cst_1_i8 = constant <i8: 1> : tile<4x8xi8>
  %cst_1_i8_10 = constant <i8: 1> : tile<8x16xi8>
  %cst_1_i32_11 = constant <i32: 1> : tile<4x16xi32>
  %63 = mmai %cst_1_i8, %cst_1_i8_10, %cst_1_i32_11 signed unsigned : tile<4x8xi8>, tile<8x16xi8>, tile<4x16xi32>
  %cst_f8E5M2 = constant <f8E5M2: 1.525880e-05> : tile<4x64xf8E5M2>
  %cst_f8E5M2_12 = constant <f8E5M2: 1.525880e-05> : tile<64x16xf8E5M2>
  %cst_f8E8M0FNU = constant <f8E8M0FNU: 1.175490e-38> : tile<4x2xf8E8M0FNU>
  %cst_f8E8M0FNU_13 = constant <f8E8M0FNU: 1.175490e-38> : tile<2x16xf8E8M0FNU>
  %cst_f32_14 = constant <f32: 1.401300e-45> : tile<4x16xf32>
  %64 = mmaf_scaled %cst_f8E5M2, %cst_f8E5M2_12, %cst_f32_14, %cst_f8E8M0FNU, %cst_f8E8M0FNU_13 : tile<4x64xf8E5M2>, tile<64x16xf8E5M2>, tile<4x16xf32>, tile<4x2xf8E8M0FNU>, tile<2x16xf8E8M0FNU>
  %65 = make_token : token
  %reshape_15 = reshape %arg0 : tile<ptr<f32>> -> tile<1xptr<f32>>
  %bcast_16 = broadcast %reshape_15 : tile<1xptr<f32>> -> tile<8xptr<f32>>
  %66 = iota : tile<8xi32>
  %67 = offset %bcast_16, %66 : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
  %true_17 = constant <i1: true> : tile<8xi1>
  %cst_f32_18 = constant <f32: 1.401300e-45> : tile<8xf32>
  %result, %result_token = load_ptr_tko acquire sys %67, %true_17, %cst_f32_18 token=%65 optimization_hints = <sm_90 = {latency = 3}> : tile<8xptr<f32>>, tile<8xi1>, tile<8xf32> -> tile<8xf32>, token
  %68 = store_ptr_tko weak %67, %cst_f32_18 token=%65 : tile<8xptr<f32>>, tile<8xf32> -> token
  %result_19, %result_token_20 = atomic_cas_tko acq_rel device %67, %cst_f32_18, %cst_f32_18, %true_17 : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> tile<8xf32>, token
  %result_21, %result_token_22 = atomic_rmw_tko acq_rel device %67, addf, %cst_f32_18 token=%65 : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token
  %69 = get_global @table : tile<ptr<i16>>
  %70 = alloca num_elem = 64, alignment = 16 global : tile<ptr<f64>>
  %71 = join_tokens %65, %65 : token
  %72 = memory_fence_alias_tko %65
  %73 = gdc_launch_dependents_tko -> token
  %74 = gdc_wait_tko token = %65 -> token
  %cst_1_i32_23 = constant <i32: 1> : tile<i32>
  %75 = make_token : token
  %tview = make_tensor_view %arg0, shape = [%cst_1_i32_23, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
  %pview = make_partition_view %tview : partition_view<tile=(4x8), padding_value = neg_inf, tensor_view<?x64xf32, strides=[64,1]>>
  %sview = make_strided_view %tview : strided_view<tile=(4x8), traversal_strides=[3,5], tensor_view<?x64xf32, strides=[64,1]>, dim_map=[1, 0]>
  %gsview = make_gather_scatter_view %tview : gather_scatter_view<tile=(4x8), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>
  %76:2 = get_tensor_shape %tview : tensor_view<?x64xf32, strides=[64,1]> -> tile<i32>
  %77:2 = get_index_space_shape %sview : strided_view<tile=(4x8), traversal_strides=[3,5], tensor_view<?x64xf32, strides=[64,1]>, dim_map=[1, 0]> -> tile<i32>
  %cst_1_i32_24 = constant <i32: 1> : tile<4xi32>
  %tile, %result_token_25 = load_view_tko weak %gsview[%cst_1_i32_24, %cst_1_i32_23] token = %75 optimization_hints = <sm_90 = {latency = 3}> : gather_scatter_view<tile=(4x8), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x8xf32>, token
  %tile_26, %result_token_27 = load_view_tko weak %pview[%cst_1_i32_23, %cst_1_i32_23] token = %75 optimization_hints = <sm_90 = {latency = 3}> inbounds = [true, false] : partition_view<tile=(4x8), padding_value = neg_inf, tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
  %78 = store_view_tko release tl_blk %tile_26, %pview[%cst_1_i32_23, %cst_1_i32_23] inbounds = [true, true] : tile<4x8xf32>, partition_view<tile=(4x8), padding_value = neg_inf, tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
  %79 = atomic_red_view_tko relaxed device %pview[%cst_1_i32_23, %cst_1_i32_23], addf, %tile_26 inbounds = [true, true] : tile<4x8xf32>, partition_view<tile=(4x8), padding_value = neg_inf, tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
  %tview_28 = make_tensor_view %arg1, shape = [%cst_1_i32_23, 64], strides = [64, 1] : tile<ptr<f32, <multicast>>>, tile<i32> -> tensor_view<?x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>
  %pview_29 = make_partition_view %tview_28 : partition_view<tile=(4x8), padding_value = neg_inf, tensor_view<?x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>
  %reduced_values, %result_token_30 = multimem_load_reduce_view_tko relaxed device %pview_29[%cst_1_i32_23, %cst_1_i32_23] token = %75 inbounds = [true, true] : partition_view<tile=(4x8), padding_value = neg_inf, tensor_view<?x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32>, token -> tile<4x8xf32>, token
  %80 = multimem_reduce_view_tko relaxed device %pview_29, %tile_26[%cst_1_i32_23, %cst_1_i32_23] inbounds = [true, true] : partition_view<tile=(4x8), padding_value = neg_inf, tensor_view<?x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<4x8xf32>, tile<i32> -> token
  %81 = multimem_store_view_tko weak %pview_29, %tile_26[%cst_1_i32_23, %cst_1_i32_23] inbounds = [true, true] : partition_view<tile=(4x8), padding_value = neg_inf, tensor_view<?x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<4x8xf32>, tile<i32> -> token
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>
  %true_31 = constant <i1: true> : tile<i1>
  assert %true_31, "it \22holds\22" : tile<i1>
  %82 = print_tko "i=%5d%%\0A", %blockId_x : tile<i32> -> token
  %for = for unsigned %loopIdx in (%blockId_x to %blockId_x, step %blockId_x) : tile<i32> iter_values(%iterArg0 = %blockId_x) -> (tile<i32>) {
    continue %iterArg0 : tile<i32>
  }
  %83 = loop iter_values(%arg2 = %blockId_x) : tile<i32> -> tile<i1> {
    if %true_31 {
      break %true_31 : tile<i1>
    }
    continue %arg2 : tile<i32>
  }
  %84 = if %true_31 -> (tile<i32>) {
    yield %blockId_x : tile<i32>
  } else {
    return
  }
  return
}
