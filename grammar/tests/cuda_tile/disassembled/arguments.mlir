entry @args(%arg0: tile<ptr<f32>> {cuda_tile.align = 16 : i32, cuda_tile.d = 1.000000e-01 : f64, cuda_tile.f = 1.500000e+00 : f32, cuda_tile.flag = true, cuda_tile.list = [1 : i32, 2, 1.000000e-01, [4], true], cuda_tile.long = 3 : i64, cuda_tile.name = "x"}, %arg1: tile<i32>) {
  %cst_1_i64 = constant <i64: 1> : tile<8xi64>
  %cst_1_f64 = constant <f64: 1.000000e+00> : tile<8xf64>
  %true = constant <i1: true> : tile<8xi1>
  %reduce:3 = reduce %cst_1_i64, %cst_1_f64, %true dim=0 identities=[-1, 0.000000e+00, true] : tile<8xi64>, tile<8xf64>, tile<8xi1> -> tile<i64>, tile<f64>, tile<i1> 
  (%reduce_lhs0: tile<i64>, %reduce_rhs0: tile<i64>, %reduce_lhs1: tile<f64>, %reduce_rhs1: tile<f64>, %reduce_lhs2: tile<i1>, %reduce_rhs2: tile<i1>) {
    yield %reduce_lhs0, %reduce_lhs1, %reduce_lhs2 : tile<i64>, tile<f64>, tile<i1>
  }
  return
}
