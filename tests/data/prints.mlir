cuda_tile.module @prints {
  global @table <i16: [-3, 5, 700, -32768, 1, 2, 3, 4]> : tile<8xi16>
  global @ones <f64: 1.0> : tile<4xf64>

  entry @every_type() {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %i = iota : tile<8xi32>
    %three = constant <i32: 3> : tile<8xi32>
    %n = subi %i, %three : tile<8xi32>
    %i1 = cmpi less_than %i, %three, signed : tile<8xi32> -> tile<8xi1>
    %i8 = trunci %n : tile<8xi32> -> tile<8xi8>
    %i16 = trunci %n : tile<8xi32> -> tile<8xi16>
    %i64 = exti %n signed : tile<8xi32> -> tile<8xi64>
    %f16 = itof %n signed : tile<8xi32> -> tile<8xf16>
    %bf16 = itof %n signed : tile<8xi32> -> tile<8xbf16>
    %f32 = itof %n signed : tile<8xi32> -> tile<8xf32>
    %f64 = itof %n signed : tile<8xi32> -> tile<8xf64>
    %0 = print_tko "i1 %d, i8 %d %u %x\n", %i1, %i8, %i8, %i8 : tile<8xi1>, tile<8xi8>, tile<8xi8>, tile<8xi8> -> token
    %1 = print_tko "i16 %i %hu %X\n", %i16, %i16, %i16 : tile<8xi16>, tile<8xi16>, tile<8xi16> -> token
    %2 = print_tko "i32 %d %u %o\n", %n, %n, %n : tile<8xi32>, tile<8xi32>, tile<8xi32> -> token
    %3 = print_tko "i64 %d %lld %llu %lx\n", %i64, %i64, %i64, %i64 : tile<8xi64>, tile<8xi64>, tile<8xi64>, tile<8xi64> -> token
    %4 = print_tko "f16 %f bf16 %.3f\n", %f16, %bf16 : tile<8xf16>, tile<8xbf16> -> token
    %5 = print_tko "f32 %.5f %e f64 %.2lf %.0f\n", %f32, %f32, %f64, %f64 : tile<8xf32>, tile<8xf32>, tile<8xf64>, tile<8xf64> -> token
    %6 = print_tko "100%% of block %d, %5d|%-5d|%05d|%+d|%8.2f|\n", %x, %i, %i, %n, %n, %f32 : tile<i32>, tile<8xi32>, tile<8xi32>, tile<8xi32>, tile<8xi32>, tile<8xf32> -> token
    %7 = print_tko "no value and no line end" -> token
    return
  }

  entry @shapes() {
    %i = iota : tile<64xi32>
    %square = reshape %i : tile<64xi32> -> tile<8x8xi32>
    %cube = reshape %i : tile<64xi32> -> tile<2x1x32xi32>
    %deep = reshape %i : tile<64xi32> -> tile<2x2x2x2x2x2xi32>
    %turned = permute %square [1, 0] : tile<8x8xi32> -> tile<8x8xi32>
    %few = iota : tile<4xi32>
    %small = reshape %few : tile<4xi32> -> tile<2x1x2xi32>
    %one = constant <i32: 7> : tile<1x1xi32>
    %scalar = constant <i32: -9> : tile<i32>
    %0 = print_tko "%d and %d and %d\n", %small, %one, %scalar : tile<2x1x2xi32>, tile<1x1xi32>, tile<i32> -> token
    %1 = print_tko "row %d, square %d\nturned %3d\n", %scalar, %square, %turned token=%0 : tile<i32>, tile<8x8xi32>, tile<8x8xi32> -> token
    %2 = print_tko "cube %d, deep %d", %cube, %deep token=%1 : tile<2x1x32xi32>, tile<2x2x2x2x2x2xi32> -> token
    return
  }

  entry @larger_than_shared_memory() {
    %i = iota : tile<32768xi32>
    %wide = exti %i signed : tile<32768xi32> -> tile<32768xi64>
    %rows = reshape %wide : tile<32768xi64> -> tile<2x16384xi64>
    %turned = permute %rows [1, 0] : tile<2x16384xi64> -> tile<16384x2xi64>
    %0 = print_tko "%x\n", %turned : tile<16384x2xi64> -> token
    return
  }

  entry @in_loops() {
    %lower = constant <i32: 0> : tile<i32>
    %upper = constant <i32: 3> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %i = iota : tile<4xi32>
    for %k in (%lower to %upper, step %step) : tile<i32> {
      %one = reshape %k : tile<i32> -> tile<1xi32>
      %ks = broadcast %one : tile<1xi32> -> tile<4xi32>
      %sum = addi %i, %ks : tile<4xi32>
      %0 = print_tko "%d: %d\n", %k, %sum : tile<i32>, tile<4xi32> -> token
      %top = cmpi equal %k, %lower, signed : tile<i32> -> tile<i1>
      if %top {
        %1 = print_tko "the first\n" -> token
        yield
      }
      continue
    }
    return
  }

  entry @globals() {
    %start = get_global @table : tile<ptr<i16>>
    %first = reshape %start : tile<ptr<i16>> -> tile<1xptr<i16>>
    %all = broadcast %first : tile<1xptr<i16>> -> tile<8xptr<i16>>
    %i = iota : tile<8xi32>
    %p = offset %all, %i : tile<8xptr<i16>>, tile<8xi32> -> tile<8xptr<i16>>
    %0 = make_token : token
    %1 = gdc_wait_tko token = %0 -> token
    %values, %2 = load_ptr_tko weak %p token=%1 : tile<8xptr<i16>> -> tile<8xi16>, token
    %double = addi %values, %values : tile<8xi16>
    %3 = store_ptr_tko weak %p, %double token=%2 : tile<8xptr<i16>>, tile<8xi16> -> token
    %4 = memory_fence_alias_tko %3
    %again, %5 = load_ptr_tko weak %p token=%4 : tile<8xptr<i16>> -> tile<8xi16>, token
    %6 = gdc_launch_dependents_tko token = %5 -> token
    %ones = get_global @ones : tile<ptr<f64>>
    %one, %7 = load_ptr_tko weak %ones token=%6 : tile<ptr<f64>> -> tile<f64>, token
    %8 = print_tko "%d, doubled %d, %f\n", %values, %again, %one token=%7 : tile<8xi16>, tile<8xi16>, tile<f64> -> token
    return
  }

  entry @fails_at_an_element() {
    %i = iota : tile<1024xi32>
    %limit = constant <i32: 777> : tile<1024xi32>
    %square = reshape %i : tile<1024xi32> -> tile<32x32xi32>
    %limits = reshape %limit : tile<1024xi32> -> tile<32x32xi32>
    %all = cmpi greater_than_or_equal %square, %square, signed : tile<32x32xi32> -> tile<32x32xi1>
    assert %all, "holds" : tile<32x32xi1>
    %holds = cmpi less_than %square, %limits, signed : tile<32x32xi32> -> tile<32x32xi1>
    assert %holds, "100% too large" : tile<32x32xi1>
    return
  }

  entry @fails_as_a_whole(%n: tile<i32>) {
    %limit = constant <i32: 4> : tile<i32>
    %holds = cmpi less_than %n, %limit, signed : tile<i32> -> tile<i1>
    assert %holds, "too large" : tile<i1>
    %0 = print_tko "%d is small\n", %n : tile<i32> -> token
    return
  }
}
