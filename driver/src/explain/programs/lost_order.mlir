// Waits for a flag, and passes it on.
cuda_tile.module @m {
  entry @pass_on(%from: tile<ptr<i32>>, %to: tile<ptr<i32>>) {
    %flag, %read = load_ptr_tko acquire device %from : tile<ptr<i32>> -> tile<i32>, token
    %written = store_ptr_tko release device %to, %flag token = %read : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
