// A product of tiles of f32, with a flag of another dialect.
cuda_tile.module @m {
  entry @product(%p: tile<ptr<f32>>) {
    %i = iota : tile<256xi32>
    %p1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %ps = broadcast %p1 : tile<1xptr<f32>> -> tile<256xptr<f32>>
    %at = offset %ps, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
    %v, %read = load_ptr_tko weak %at : tile<256xptr<f32>> -> tile<256xf32>, token
    %a = reshape %v : tile<256xf32> -> tile<16x16xf32>
    %d = mmaf %a, %a, %a {arith.fastmath = "contract"} : tile<16x16xf32>, tile<16x16xf32>, tile<16x16xf32>
    %w = reshape %d : tile<16x16xf32> -> tile<256xf32>
    %written = store_ptr_tko weak %at, %w token = %read : tile<256xptr<f32>>, tile<256xf32> -> token
    return
  }
}
