preview$func extern @scale<[N: index]>(%arg0: tile<[N]xf32> {cuda_tile.preview$access = #cuda_tile<preview$access<inout>>}) -> tile<[N]xf32> 
preview$extern_impl @scale_thread<[N: index]> implements @scale<[N]> (%arg0: preview$fragment<[N]xf32, local, mem_layout = <(N):(1)>, fragmap = <(1, 1, N):(0, 0, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<inout>>}) arch = ["sm_90"]
entry @calls() {
  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<8xf32>
  %0 = preview$call @scale<[8]>(%cst_1_f32) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  return
}
