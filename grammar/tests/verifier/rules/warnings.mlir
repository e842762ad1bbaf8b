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
  %4 = insert %p, %f[%a, %b] : tile<2x8xf32>, tile<4x8xf32> // warning E0316 `%b`: index 1 is 1, but `tile<4x8xf32>` has 1 parts
}
