cuda_tile.module @m {
  global constant @table alignment = 64 <i32: [1, 2]> : tile<2xi32>
  global @unused alignment = 64 <i32: [3, 4]> : tile<2xi32>
  global private @hidden alignment = 64 <i32: [5, 6]> : tile<2xi32>
  entry @k(%a: tile<ptr<i32>> {tt.divisibility = 16 : i32}) {
    %g = get_global @table : tile<ptr<i32>>
    %v, %t = load_ptr_tko weak %g : tile<ptr<i32>> -> tile<i32>, token
    %s = store_ptr_tko weak %a, %v : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
