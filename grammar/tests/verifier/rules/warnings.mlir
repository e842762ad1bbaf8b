// What is allowed and may not be meant.
//
// A comment `// CODE `TEXT`: WORDS` says what the verifier reports on its line: the code, the text that the report points at,
// and words of the message. A line without one is legal.

entry @extract() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %p = constant <f32: 1.0> : tile<2x8xf32>
  %a = constant <i32: 0> : tile<i32>
  %b = constant <i32: 1> : tile<i32>
  %c = constant <i32: 2> : tile<i32>
  %d = constant <i32: -1> : tile<i32>
  %0 = extract %f[%b, %a] : tile<4x8xf32> -> tile<2x8xf32>
  %1 = extract %f[%c, %a] : tile<4x8xf32> -> tile<2x8xf32> // warning E0316 `%c`: index 0 is 2, but `tile<4x8xf32>` has 2 parts of `tile<2x8xf32>` along dimension 0
  %2 = extract %f[%a, %d] : tile<4x8xf32> -> tile<2x8xf32> // warning E0316 `%d`: index 1 is -1
  %3 = insert %p, %f[%b, %a] : tile<2x8xf32>, tile<4x8xf32>
  %4 = insert %p, %f[%a, %b] : tile<2x8xf32>, tile<4x8xf32> // warning E0316 `%b`: index 1 is 1, but `tile<4x8xf32>` has 1 part
}
// -----
entry @hints(%p: tile<ptr<f32>>) {
  %v = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %w = make_partition_view %v : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
  %i = constant <i32: 0> : tile<i32>
  %a, %at = load_view_tko weak %w[%i] optimization_hints=<sm_90 = {latency = 3, allow_tma = false}, default = {latency = 10}> : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
  %b, %bt = load_view_tko weak %w[%i] optimization_hints=<sm_95 = {latency = 3}> : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token // warning E0601 `sm_95`: unknown architecture `sm_95` as the key of a hint
  %c, %ct = load_view_tko weak %w[%i] optimization_hints=<sm_107 = {latency = 11, allow_tma = 1, occupancy = 2}> : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token // warning E0602 `11`: the hint `sm_107.latency` is 11, and ignored: it must be an integer value from 1 to 10 // warning E0602 `1`: the hint `sm_107.allow_tma` is 1, and ignored: it must be a truth value // warning E0601 `occupancy`: `occupancy` is no hint here
  %d, %dt = load_ptr_tko weak %p optimization_hints=<default = {latency = 1}> : tile<ptr<f32>> -> tile<f32>, token
  %e, %et = load_ptr_tko weak %p optimization_hints=<default = {allow_tma = true}> : tile<ptr<f32>> -> tile<f32>, token // warning E0601 `allow_tma`: `allow_tma` is no hint here
}
// -----
entry @kernel_hints() optimization_hints=<sm_80 = {num_cta_in_cga = 2}, sm_90 = {num_cta_in_cga = 3, num_worker_warps_per_cta = 64, occupancy = 0, latency = 1}> { // warning E0602 `2`: the hint `sm_80.num_cta_in_cga` is 2, and ignored: it must be an integer value of 1 // warning E0602 `3`: the hint `sm_90.num_cta_in_cga` is 3 // warning E0602 `64`: the hint `sm_90.num_worker_warps_per_cta` is 64 // warning E0602 `0`: the hint `sm_90.occupancy` is 0 // warning E0601 `latency`: `latency` is no hint here
}
