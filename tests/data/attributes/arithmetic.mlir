cuda_tile.module @m {
  entry @exp(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %c: tile<ptr<f32>>) {
    %i = iota : tile<128xi32>
    %xp1 = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xp2 = broadcast %xp1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %xp = offset %xp2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %x, %xt = load_ptr_tko weak %xp : tile<128xptr<f32>> -> tile<128xf32>, token
    %yp1 = reshape %b : tile<ptr<f32>> -> tile<1xptr<f32>>
    %yp2 = broadcast %yp1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %yp = offset %yp2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %y, %yt = load_ptr_tko weak %yp : tile<128xptr<f32>> -> tile<128xf32>, token
    %z = exp %x rounding<approx> : tile<128xf32>
    %zq1 = reshape %c : tile<ptr<f32>> -> tile<1xptr<f32>>
    %zq2 = broadcast %zq1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %zq = offset %zq2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %zt = store_ptr_tko weak %zq, %z : tile<128xptr<f32>>, tile<128xf32> -> token
    return
  }
  entry @exp2(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %c: tile<ptr<f32>>) {
    %i = iota : tile<128xi32>
    %xp1 = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xp2 = broadcast %xp1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %xp = offset %xp2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %x, %xt = load_ptr_tko weak %xp : tile<128xptr<f32>> -> tile<128xf32>, token
    %yp1 = reshape %b : tile<ptr<f32>> -> tile<1xptr<f32>>
    %yp2 = broadcast %yp1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %yp = offset %yp2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %y, %yt = load_ptr_tko weak %yp : tile<128xptr<f32>> -> tile<128xf32>, token
    %z = exp2 %x : tile<128xf32>
    %zq1 = reshape %c : tile<ptr<f32>> -> tile<1xptr<f32>>
    %zq2 = broadcast %zq1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %zq = offset %zq2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %zt = store_ptr_tko weak %zq, %z : tile<128xptr<f32>>, tile<128xf32> -> token
    return
  }
  entry @rsqrt(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %c: tile<ptr<f32>>) {
    %i = iota : tile<128xi32>
    %xp1 = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xp2 = broadcast %xp1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %xp = offset %xp2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %x, %xt = load_ptr_tko weak %xp : tile<128xptr<f32>> -> tile<128xf32>, token
    %yp1 = reshape %b : tile<ptr<f32>> -> tile<1xptr<f32>>
    %yp2 = broadcast %yp1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %yp = offset %yp2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %y, %yt = load_ptr_tko weak %yp : tile<128xptr<f32>> -> tile<128xf32>, token
    %z = rsqrt %x : tile<128xf32>
    %zq1 = reshape %c : tile<ptr<f32>> -> tile<1xptr<f32>>
    %zq2 = broadcast %zq1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %zq = offset %zq2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %zt = store_ptr_tko weak %zq, %z : tile<128xptr<f32>>, tile<128xf32> -> token
    return
  }
  entry @maximum(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %c: tile<ptr<f32>>) {
    %i = iota : tile<128xi32>
    %xp1 = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xp2 = broadcast %xp1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %xp = offset %xp2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %x, %xt = load_ptr_tko weak %xp : tile<128xptr<f32>> -> tile<128xf32>, token
    %yp1 = reshape %b : tile<ptr<f32>> -> tile<1xptr<f32>>
    %yp2 = broadcast %yp1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %yp = offset %yp2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %y, %yt = load_ptr_tko weak %yp : tile<128xptr<f32>> -> tile<128xf32>, token
    %z = maxf %x, %y : tile<128xf32>
    %zq1 = reshape %c : tile<ptr<f32>> -> tile<1xptr<f32>>
    %zq2 = broadcast %zq1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %zq = offset %zq2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %zt = store_ptr_tko weak %zq, %z : tile<128xptr<f32>>, tile<128xf32> -> token
    return
  }
  entry @minimum(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %c: tile<ptr<f32>>) {
    %i = iota : tile<128xi32>
    %xp1 = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xp2 = broadcast %xp1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %xp = offset %xp2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %x, %xt = load_ptr_tko weak %xp : tile<128xptr<f32>> -> tile<128xf32>, token
    %yp1 = reshape %b : tile<ptr<f32>> -> tile<1xptr<f32>>
    %yp2 = broadcast %yp1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %yp = offset %yp2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %y, %yt = load_ptr_tko weak %yp : tile<128xptr<f32>> -> tile<128xf32>, token
    %z = minf %x, %y : tile<128xf32>
    %zq1 = reshape %c : tile<ptr<f32>> -> tile<1xptr<f32>>
    %zq2 = broadcast %zq1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %zq = offset %zq2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %zt = store_ptr_tko weak %zq, %z : tile<128xptr<f32>>, tile<128xf32> -> token
    return
  }
  entry @square_root(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %c: tile<ptr<f32>>) {
    %i = iota : tile<128xi32>
    %xp1 = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xp2 = broadcast %xp1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %xp = offset %xp2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %x, %xt = load_ptr_tko weak %xp : tile<128xptr<f32>> -> tile<128xf32>, token
    %yp1 = reshape %b : tile<ptr<f32>> -> tile<1xptr<f32>>
    %yp2 = broadcast %yp1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %yp = offset %yp2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %y, %yt = load_ptr_tko weak %yp : tile<128xptr<f32>> -> tile<128xf32>, token
    %z = sqrt %x rounding<nearest_even> : tile<128xf32>
    %zq1 = reshape %c : tile<ptr<f32>> -> tile<1xptr<f32>>
    %zq2 = broadcast %zq1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %zq = offset %zq2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %zt = store_ptr_tko weak %zq, %z : tile<128xptr<f32>>, tile<128xf32> -> token
    return
  }
  entry @tanh(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %c: tile<ptr<f32>>) {
    %i = iota : tile<128xi32>
    %xp1 = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xp2 = broadcast %xp1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %xp = offset %xp2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %x, %xt = load_ptr_tko weak %xp : tile<128xptr<f32>> -> tile<128xf32>, token
    %yp1 = reshape %b : tile<ptr<f32>> -> tile<1xptr<f32>>
    %yp2 = broadcast %yp1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %yp = offset %yp2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %y, %yt = load_ptr_tko weak %yp : tile<128xptr<f32>> -> tile<128xf32>, token
    %z = tanh %x rounding<approx> : tile<128xf32>
    %zq1 = reshape %c : tile<ptr<f32>> -> tile<1xptr<f32>>
    %zq2 = broadcast %zq1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %zq = offset %zq2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %zt = store_ptr_tko weak %zq, %z : tile<128xptr<f32>>, tile<128xf32> -> token
    return
  }
  entry @to_integers(%a: tile<ptr<f32>>, %c: tile<ptr<i32>>) {
    %i = iota : tile<128xi32>
    %xp1 = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xp2 = broadcast %xp1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %xp = offset %xp2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %x, %xt = load_ptr_tko weak %xp : tile<128xptr<f32>> -> tile<128xf32>, token
    %z = ftoi %x signed : tile<128xf32> -> tile<128xi32>
    %zq1 = reshape %c : tile<ptr<i32>> -> tile<1xptr<i32>>
    %zq2 = broadcast %zq1 : tile<1xptr<i32>> -> tile<128xptr<i32>>
    %zq = offset %zq2, %i : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
    %zt = store_ptr_tko weak %zq, %z : tile<128xptr<i32>>, tile<128xi32> -> token
    return
  }
  entry @to_bytes(%a: tile<ptr<f32>>, %c: tile<ptr<i8>>) {
    %i = iota : tile<128xi32>
    %xp1 = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xp2 = broadcast %xp1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %xp = offset %xp2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %x, %xt = load_ptr_tko weak %xp : tile<128xptr<f32>> -> tile<128xf32>, token
    %z = ftoi %x signed : tile<128xf32> -> tile<128xi8>
    %zq1 = reshape %c : tile<ptr<i8>> -> tile<1xptr<i8>>
    %zq2 = broadcast %zq1 : tile<1xptr<i8>> -> tile<128xptr<i8>>
    %zq = offset %zq2, %i : tile<128xptr<i8>>, tile<128xi32> -> tile<128xptr<i8>>
    %zt = store_ptr_tko weak %zq, %z : tile<128xptr<i8>>, tile<128xi8> -> token
    return
  }
  entry @to_floats(%a: tile<ptr<i32>>, %c: tile<ptr<f32>>) {
    %i = iota : tile<128xi32>
    %xp1 = reshape %a : tile<ptr<i32>> -> tile<1xptr<i32>>
    %xp2 = broadcast %xp1 : tile<1xptr<i32>> -> tile<128xptr<i32>>
    %xp = offset %xp2, %i : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
    %x, %xt = load_ptr_tko weak %xp : tile<128xptr<i32>> -> tile<128xi32>, token
    %z = itof %x signed : tile<128xi32> -> tile<128xf32>
    %zq1 = reshape %c : tile<ptr<f32>> -> tile<1xptr<f32>>
    %zq2 = broadcast %zq1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %zq = offset %zq2, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %zt = store_ptr_tko weak %zq, %z : tile<128xptr<f32>>, tile<128xf32> -> token
    return
  }
  entry @negation(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %x: tile<i32>) {
    %4 = constant <i32: 4> : tile<i32>
    %15 = constant <i32: 15> : tile<i32>
    %n = assume bounded<?, 0>, %x : tile<i32>
    %m = negi %n : tile<i32>
    %k = mini %m, %15 signed : tile<i32>
    %v = make_tensor_view %a, shape = [16], strides = [1] : tensor_view<16xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(1), tensor_view<16xf32, strides=[1]>>
    %y, %t0 = load_view_tko weak %p[%k] : partition_view<tile=(1), tensor_view<16xf32, strides=[1]>>, tile<i32> -> tile<1xf32>, token
    %z = reshape %y : tile<1xf32> -> tile<f32>
    %t1 = store_ptr_tko weak %b, %z : tile<ptr<f32>>, tile<f32> -> token
    return
  }
  entry @shift(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %x: tile<i32>) {
    %4 = constant <i32: 4> : tile<i32>
    %15 = constant <i32: 15> : tile<i32>
    %n = assume bounded<0, ?>, %x : tile<i32>
    %m = shli %n, %4 : tile<i32>
    %k = mini %m, %15 signed : tile<i32>
    %v = make_tensor_view %a, shape = [16], strides = [1] : tensor_view<16xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(1), tensor_view<16xf32, strides=[1]>>
    %y, %t0 = load_view_tko weak %p[%k] : partition_view<tile=(1), tensor_view<16xf32, strides=[1]>>, tile<i32> -> tile<1xf32>, token
    %z = reshape %y : tile<1xf32> -> tile<f32>
    %t1 = store_ptr_tko weak %b, %z : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
