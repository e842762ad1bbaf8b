cuda_tile.module @m {
  global @table alignment = 16 <f32: [1.0, 2.0]> : tile<2xf32>
  global @other alignment = 32 <f32: [3.0, 4.0]> : tile<2xf32>
  entry @stores(%a: tile<ptr<f32>>, %n: tile<i32>, %x: tile<f32>) {
    %v = make_tensor_view %a, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
    %x1 = reshape %x : tile<f32> -> tile<1xf32>
    %s0 = store_ptr_tko release device %a, %x : tile<ptr<f32>>, tile<f32> -> token
    %s1 = store_view_tko release device %x1, %p[%n] token = %s0 : tile<1xf32>, partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @atomics(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>, %n: tile<i32>) {
    %v = make_tensor_view %b, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
    %old, %t = atomic_rmw_tko relaxed device %a, add, %n : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %x = reshape %old : tile<i32> -> tile<1xi32>
    %r = atomic_red_view_tko relaxed device %p[%n], add, %x token = %t : tile<1xi32>, partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @temporaries(%a: tile<ptr<f32>>, %x: tile<f32>, %n: tile<i32>) {
    %m = alloca num_elem = 64, alignment = 16 : tile<ptr<f32>>
    %p = offset %m, %n : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %s = store_ptr_tko weak %m, %x : tile<ptr<f32>>, tile<f32> -> token
    %y, %t = load_ptr_tko weak %p token = %s : tile<ptr<f32>> -> tile<f32>, token
    %o = store_ptr_tko weak %a, %y token = %t : tile<ptr<f32>>, tile<f32> -> token
    return
  }
  entry @globals(%a: tile<ptr<f32>>) {
    %g = get_global @table : tile<ptr<f32>>
    %h = get_global @other : tile<ptr<f32>>
    %x, %t = load_ptr_tko weak %g : tile<ptr<f32>> -> tile<f32>, token
    %y, %u = load_ptr_tko weak %h : tile<ptr<f32>> -> tile<f32>, token
    %z = addf %x, %y : tile<f32>
    %o = store_ptr_tko weak %a, %z : tile<ptr<f32>>, tile<f32> -> token
    return
  }
  entry @assertion(%n: tile<i32>) {
    %0 = constant <i32: 0> : tile<i32>
    %c = cmpi greater_than %n, %0, signed : tile<i32> -> tile<i1>
    assert %c, "n is positive" : tile<i1>
    return
  }
  entry @parameters(%a: tile<ptr<f32>> {cuda_tile.name = "p"}, %x: tile<f32>) {
    %o = store_ptr_tko weak %a, %x : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
