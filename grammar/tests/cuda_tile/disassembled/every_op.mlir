// Producer: a "producer"
global  @g0 alignment = 16 <f32: [0.000000e+00, 1.000000e+00]> : tile<2xf32>
global  constant @"odd name" <i8: 3> : tile<1xi8>
entry @ops(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i64>, %arg3: tile<i1>, %arg4: tile<ptr<i8>>) optimization_hints=<default = {}, sm_90 = {num_cta_in_cga = 1, occupancy = 2}> {
  %cst_f32 = constant <f32: 1.500000e+00> : tile<8xf32>
  %cst_f32_0 = constant <f32: [1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00, 7.000000e+00, 1.000000e-01]> : tile<8xf32>
  %cst_i32 = constant <i32: [1, 2, 3, 4, 5, 6, 7, -8]> : tile<8xi32>
  %cst_-7_i32 = constant <i32: -7> : tile<8xi32>
  %cst_i1 = constant <i1: [true, false, true, true, false, false, true, false]> : tile<8xi1>
  %cst_i32_1 = constant <i32: [[1, 2], [3, 4]]> : tile<2x2xi32>
  %cst_NaN_f32 = constant <f32: 0x7FC00000> : tile<f32>
  %cst_f32_2 = constant <f32: 0xFF800000> : tile<f32>
  %cst_16777216_f32 = constant <f32: 0x4B800000> : tile<f32>
  %cst_f32_3 = constant <f32: -3.000000e+00> : tile<f32>
  %cst_f32_4 = constant <f32: 0.333333343> : tile<f32>
  %cst_f16 = constant <f16: 9.997550e-02> : tile<f16>
  %cst_f64 = constant <f64: 1.000000e-01> : tile<f64>
  %cst_f64_5 = constant <f64: 0.30000000000000004> : tile<f64>
  %cst_448_f8E4M3FN = constant <f8E4M3FN: 4.480000e+02> : tile<4xf8E4M3FN>
  %cst_f8E5M2 = constant <f8E5M2: 2.500000e-01> : tile<4xf8E5M2>
  %cst_tf32 = constant <tf32: 1.500000e+00> : tile<4xtf32>
  %cst_bf16 = constant <bf16: 1.000260e+30> : tile<4xbf16>
  %cst_f32_6 = constant <f32: 9.99999974E-6> : tile<f32>
  %cst_f32_7 = constant <f32: 3.400000e+38> : tile<f32>
  %0 = absf %cst_f32 : tile<8xf32>
  %1 = addf %cst_f32, %cst_f32_0  : tile<8xf32>
  %2 = addf %cst_f32, %cst_f32_0 rounding<zero> flush_to_zero : tile<8xf32>
  %3 = subf %cst_f32, %cst_f32_0 rounding<negative_inf> : tile<8xf32>
  %4 = mulf %cst_f32, %cst_f32_0  flush_to_zero : tile<8xf32>
  %5 = divf %cst_f32, %cst_f32_0 rounding<approx> : tile<8xf32>
  %6 = divf %cst_f32, %cst_f32_0 rounding<full> flush_to_zero : tile<8xf32>
  %7 = remf %cst_f32, %cst_f32_0 : tile<8xf32>
  %8 = fma %cst_f32, %cst_f32_0, %cst_f32 rounding<positive_inf> : tile<8xf32>
  %9 = negf %cst_f32 : tile<8xf32>
  %10 = maxf %cst_f32, %cst_f32_0 flush_to_zero propagate_nan : tile<8xf32>
  %11 = minf %cst_f32, %cst_f32_0 propagate_nan : tile<8xf32>
  %12 = ceil %cst_f32 : tile<8xf32>
  %13 = floor %cst_f32 : tile<8xf32>
  %14 = sqrt %cst_f32 rounding<approx> flush_to_zero : tile<8xf32>
  %15 = sqrt %cst_f32  : tile<8xf32>
  %16 = rsqrt %cst_f32 flush_to_zero : tile<8xf32>
  %17 = exp %cst_f32  : tile<8xf32>
  %18 = exp2 %cst_f32 flush_to_zero : tile<8xf32>
  %19 = log %cst_f32 : tile<8xf32>
  %20 = log2 %cst_f32 : tile<8xf32>
  %21 = fpowf %cst_f32, %cst_f32_0 : tile<8xf32>
  %22 = fpowi %cst_f32, %cst_i32 : tile<8xf32>, tile<8xi32>
  %23 = sin %cst_f32 : tile<8xf32>
  %24 = cos %cst_f32 : tile<8xf32>
  %25 = tan %cst_f32 : tile<8xf32>
  %26 = sinh %cst_f32 : tile<8xf32>
  %27 = cosh %cst_f32 : tile<8xf32>
  %28 = tanh %cst_f32  : tile<8xf32>
  %29 = tanh %cst_f32 rounding<approx> : tile<8xf32>
  %30 = atan2 %cst_f32, %cst_f32_0 : tile<8xf32>
  %31 = cmpf less_than ordered %cst_f32, %cst_f32_0 : tile<8xf32> -> tile<8xi1>
  %32 = cmpf not_equal unordered %cst_f32, %cst_f32_0 : tile<8xf32> -> tile<8xi1>
  %33 = absi %cst_i32 : tile<8xi32>
  %34 = addi %cst_i32, %cst_-7_i32 overflow<no_signed_wrap> : tile<8xi32>
  %35 = subi %cst_i32, %cst_-7_i32 overflow<no_wrap> : tile<8xi32>
  %36 = muli %cst_i32, %cst_-7_i32 : tile<8xi32>
  %37 = mulhii %cst_i32, %cst_-7_i32 : tile<8xi32>
  %38 = divi %cst_i32, %cst_-7_i32 signed : tile<8xi32>
  %39 = divi %cst_i32, %cst_-7_i32 unsigned rounding<positive_inf> : tile<8xi32>
  %40 = remi %cst_i32, %cst_-7_i32 signed : tile<8xi32>
  %41 = negi %cst_i32 overflow<no_signed_wrap> : tile<8xi32>
  %42 = maxi %cst_i32, %cst_-7_i32 signed : tile<8xi32>
  %43 = mini %cst_i32, %cst_-7_i32 unsigned : tile<8xi32>
  %44 = andi %cst_i32, %cst_-7_i32 : tile<8xi32>
  %45 = ori %cst_i32, %cst_-7_i32 : tile<8xi32>
  %46 = xori %cst_i32, %cst_-7_i32 : tile<8xi32>
  %47 = shli %cst_i32, %cst_-7_i32 overflow<no_unsigned_wrap> : tile<8xi32>
  %48 = shri %cst_i32, %cst_-7_i32 signed : tile<8xi32>
  %49 = cmpi greater_than_or_equal %cst_i32, %cst_-7_i32, unsigned : tile<8xi32> -> tile<8xi1>
  %50 = bitcast %cst_f32 : tile<8xf32> -> tile<8xi32>
  %51 = exti %cst_i32 signed : tile<8xi32> -> tile<8xi64>
  %52 = trunci %cst_i32 overflow<no_wrap> : tile<8xi32> -> tile<8xi16>
  %53 = ftof %cst_f32  : tile<8xf32> -> tile<8xf16>
  %54 = ftoi %cst_f32 signed  saturating : tile<8xf32> -> tile<8xi32>
  %55 = ftoi %cst_f32 unsigned  : tile<8xf32> -> tile<8xi32>
  %56 = itof %cst_i32 unsigned  : tile<8xi32> -> tile<8xf32>
  %57 = int_to_ptr %arg2 : tile<i64> -> tile<ptr<f32>>
  %58 = ptr_to_int %arg0 : tile<ptr<f32>> -> tile<i64>
  %59 = ptr_to_ptr %arg0 : tile<ptr<f32>> -> tile<ptr<i32>>
  %60 = pack %cst_f32 : tile<8xf32> -> tile<32xi8>
  %61 = unpack %60 : tile<32xi8> -> tile<16xf16>
  %62 = iota : tile<8xi32>
  %reshape = reshape %cst_f32 : tile<8xf32> -> tile<2x4xf32>
  %reshape_8 = reshape %arg1 : tile<i32> -> tile<1xi32>
  %bcast = broadcast %reshape_8 : tile<1xi32> -> tile<8xi32>
  %63 = permute %reshape [1, 0] : tile<2x4xf32> -> tile<4x2xf32>
  %64 = cat %cst_f32, %cst_f32_0 dim = 0 : tile<8xf32>, tile<8xf32> -> tile<16xf32>
  %65 = extract %cst_f32[%arg1] : tile<8xf32> -> tile<4xf32>
  %66 = insert %65, %cst_f32[%arg1] : tile<4xf32>, tile<8xf32>
  %67 = select %cst_i1, %cst_f32, %cst_f32_0 : tile<8xi1>, tile<8xf32>
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_cst_i32 = assume div_by<8, every 4 along 0>, %cst_i32 : tile<8xi32>
  %assume_9 = assume bounded<-3, 5>, %arg1 : tile<i32>
  %assume_assume = assume bounded<?, ?>, %assume_9 : tile<i32>
  %assume_bcast = assume same_elements<[4]>, %bcast : tile<8xi32>
  %assume_cst_-7_i32 = assume bounded<?, 7>, %cst_-7_i32 : tile<8xi32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>
  %assume_blockId_y = assume bounded<0, ?>, %blockId_y : tile<i32>
  assert %arg3, "message \22quoted\22 \\ \C3\A9" : tile<i1>
  %68 = make_token : token
  %69 = print_tko "x=%f %d\0A", %cst_f32, %arg1 : tile<8xf32>, tile<i32> -> token
  %70 = print_tko "y" token=%69 -> token
  %71 = join_tokens %68, %69, %70 : token
  %72 = get_global @g0 : tile<ptr<f32>>
  %73 = alloca num_elem = 16, alignment = 16 : tile<ptr<f32>>
  %reshape_10 = reshape %arg0 : tile<ptr<f32>> -> tile<1xptr<f32>>
  %bcast_11 = broadcast %reshape_10 : tile<1xptr<f32>> -> tile<8xptr<f32>>
  %74 = offset %bcast_11, %62 : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
  %result, %result_token = load_ptr_tko weak %74 : tile<8xptr<f32>> -> tile<8xf32>, token
  %result_12, %result_token_13 = load_ptr_tko acquire sys %74, %cst_i1, %cst_f32 token=%71 optimization_hints = <sm_90 = {latency = 3}> : tile<8xptr<f32>>, tile<8xi1>, tile<8xf32> -> tile<8xf32>, token
  %result_14, %result_token_15 = load_ptr_tko relaxed device %74, %cst_i1 token=%71 : tile<8xptr<f32>>, tile<8xi1> -> tile<8xf32>, token
  %75 = store_ptr_tko weak %74, %cst_f32 : tile<8xptr<f32>>, tile<8xf32> -> token
  %76 = store_ptr_tko release tl_blk %74, %cst_f32, %cst_i1 token=%result_token_13 optimization_hints = <sm_100 = {latency = 1}> : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> token
  %77 = ptr_to_ptr %74 : tile<8xptr<f32>> -> tile<8xptr<i32>>
  %result_16, %result_token_17 = atomic_cas_tko relaxed device %77, %cst_i32, %cst_-7_i32 : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token
  %result_18, %result_token_19 = atomic_cas_tko acq_rel sys %77, %cst_i32, %cst_-7_i32, %cst_i1 token=%result_token_17 : tile<8xptr<i32>>, tile<8xi32>, tile<8xi1> -> tile<8xi32>, token
  %result_20, %result_token_21 = atomic_rmw_tko release device %77, umax, %cst_i32 token=%result_token_19 : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token
  %result_22, %result_token_23 = atomic_rmw_tko relaxed device %74, addf, %cst_f32, %cst_i1 : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> tile<8xf32>, token
  %78 = gdc_wait_tko token = %result_token_21 -> token
  %79 = gdc_wait_tko -> token
  %80 = gdc_launch_dependents_tko token = %78 -> token
  %81 = memory_fence_alias_tko %80
  %tview = make_tensor_view %arg0, shape = [%arg1, 16], strides = [%arg1, 1] : tile<i32> -> tensor_view<?x16xf32, strides=[?,1]>
  %tview_24 = make_tensor_view %arg0, shape = [4, 16], strides = [16, 1] : tensor_view<4x16xf32, strides=[16,1]>
  %tview_25 = make_tensor_view %arg0, shape = [], strides = [] : tensor_view<f32>
  %pview = make_partition_view %tview : partition_view<tile=(4x8), padding_value = neg_inf, tensor_view<?x16xf32, strides=[?,1]>, dim_map=[1, 0]>
  %pview_26 = make_partition_view %tview_24 : partition_view<tile=(4x8), tensor_view<4x16xf32, strides=[16,1]>>
  %sview = make_strided_view %tview : strided_view<tile=(4x8), traversal_strides=[2,8], padding_value = zero, tensor_view<?x16xf32, strides=[?,1]>>
  %gsview = make_gather_scatter_view %tview : gather_scatter_view<tile=(8x4), tensor_view<?x16xf32, strides=[?,1]>, sparse_dim=0>
  %82:2 = get_tensor_shape %tview : tensor_view<?x16xf32, strides=[?,1]> -> tile<i32>
  %83:2 = get_index_space_shape %pview : partition_view<tile=(4x8), padding_value = neg_inf, tensor_view<?x16xf32, strides=[?,1]>, dim_map=[1, 0]> -> tile<i32>
  %tile, %result_token_27 = load_view_tko weak %pview_26[%arg1, %82#0] token = %81 optimization_hints = <sm_90 = {allow_tma = false, latency = 4}> inbounds = [true, false] : partition_view<tile=(4x8), tensor_view<4x16xf32, strides=[16,1]>>, tile<i32> -> tile<4x8xf32>, token
  %tile_28, %result_token_29 = load_view_tko relaxed device %sview[%arg1, %82#1] : strided_view<tile=(4x8), traversal_strides=[2,8], padding_value = zero, tensor_view<?x16xf32, strides=[?,1]>>, tile<i32> -> tile<4x8xf32>, token
  %tile_30, %result_token_31 = load_view_tko weak %gsview[%cst_i32, %arg1] : gather_scatter_view<tile=(8x4), tensor_view<?x16xf32, strides=[?,1]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> tile<8x4xf32>, token
  %84 = store_view_tko weak %tile, %pview_26[%arg1, %arg1] token = %result_token_27 : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<4x16xf32, strides=[16,1]>>, tile<i32> -> token
  %85 = store_view_tko weak %tile_30, %gsview[%cst_i32, %arg1] token = %result_token_27 : tile<8x4xf32>, gather_scatter_view<tile=(8x4), tensor_view<?x16xf32, strides=[?,1]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> token
  %86 = atomic_red_view_tko relaxed device %pview_26[%arg1, %arg1], addf, %tile token = %84 : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<4x16xf32, strides=[16,1]>>, tile<i32> -> token
  %cst_1_f16 = constant <f16: 1.000000e+00> : tile<4x8xf16>
  %cst_2_f16 = constant <f16: 2.000000e+00> : tile<8x4xf16>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<4x4xf32>
  %87 = mmaf %cst_1_f16, %cst_2_f16, %cst_0_f32 : tile<4x8xf16>, tile<8x4xf16>, tile<4x4xf32>
  %cst_1_i8 = constant <i8: 1> : tile<4x8xi8>
  %cst_2_i8 = constant <i8: 2> : tile<8x4xi8>
  %cst_0_i32 = constant <i32: 0> : tile<4x4xi32>
  %88 = mmai %cst_1_i8, %cst_2_i8, %cst_0_i32 signed unsigned : tile<4x8xi8>, tile<8x4xi8>, tile<4x4xi32>
  %reduce = reduce %cst_f32 dim=0 identities=[0.000000e+00 : f32] : tile<8xf32> -> tile<f32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %92 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
    yield %92 : tile<f32>
  }
  %reduce_32:2 = reduce %cst_f32, %cst_i32 dim=0 identities=[0.000000e+00 : f32, -1 : i32] : tile<8xf32>, tile<8xi32> -> tile<f32>, tile<i32> 
  (%reduce_lhs0: tile<f32>, %reduce_rhs0: tile<f32>, %reduce_lhs1: tile<i32>, %reduce_rhs1: tile<i32>) {
    %92 = addf %reduce_lhs0, %reduce_rhs0  : tile<f32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %93 = addi %reduce_lhs1, %cst_1_i32 : tile<i32>
    yield %92, %93 : tile<f32>, tile<i32>
  }
  %89 = scan %cst_f32 dim=0 reverse=true identities=[1.000000e+00 : f32] : tile<8xf32> -> tile<8xf32> 
  (%arg5: tile<f32>, %arg6: tile<f32>) {
    %92 = mulf %arg5, %arg6  : tile<f32>
    yield %92 : tile<f32>
  }
  for %loopIdx in (%arg1 to %assume_9, step %blockId_x) : tile<i32> {
    %92 = addi %loopIdx, %arg1 : tile<i32>
  }
  %for:2 = for unsigned %loopIdx in (%arg1 to %assume_9, step %blockId_x) : tile<i32> iter_values(%iterArg0 = %cst_f32, %iterArg1 = %arg1) -> (tile<8xf32>, tile<i32>) {
    %for_35 = for %loopIdx_36 in (%arg1 to %assume_9, step %blockId_x) : tile<i32> iter_values(%iterArg0_37 = %iterArg0) -> (tile<8xf32>) {
      continue %iterArg0_37 : tile<8xf32>
    }
    continue %for_35, %loopIdx : tile<8xf32>, tile<i32>
  }
  %assume_ = assume bounded<0, ?>, %for#1 : tile<i32>
  if %arg3 {
    return
  } else {
  }
  %90:2 = if %arg3 -> (tile<i32>, tile<i32>) {
    yield %arg1, %blockId_x : tile<i32>, tile<i32>
  } else {
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    yield %cst_1_i32, %arg1 : tile<i32>, tile<i32>
  }
  %assume__33 = assume bounded<0, ?>, %90#1 : tile<i32>
  loop {
    if %arg3 {
      break
    } else {
      continue
    }
  }
  %91 = loop iter_values(%arg5 = %arg1, %arg6 = %cst_f32) : tile<i32>, tile<8xf32> -> tile<i32> {
    if %arg3 {
      break %arg5 : tile<i32>
    } else {
    }
    continue %arg5, %arg6 : tile<i32>, tile<8xf32>
  }
  %assume__34 = assume bounded<0, ?>, %91 : tile<i32>
  return
}
entry @second(%arg0: tile<i32>) {
  %0 = addi %arg0, %arg0 : tile<i32>
  return
}
