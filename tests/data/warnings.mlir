cuda_tile.module @warnings {
  entry @hints(%p: tile<ptr<f32>>) optimization_hints=<sm_90 = {occupancy = 99}, sm_95 = {occupancy = 2}> {
    %f = constant <f32: 1.0> : tile<4xf32>
    %c = constant <i32: 2> : tile<i32>
    %x = extract %f[%c] : tile<4xf32> -> tile<2xf32>
    return
  }
}
