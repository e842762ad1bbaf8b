// Reductions and scans.
//
// A comment `// CODE `TEXT`: WORDS` says what the verifier reports on its line: the code, the text that the report points at,
// and words of the message. A line without one is legal.

entry @fold() {
  %tok = make_token : token
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_0 = reduce %f dim=0 identities=[0.0 : f32] : tile<4x8xf32> -> tile<8xf32>
  (%x: tile<f32>, %y: tile<f32>) {
    %z = addf %x, %y : tile<f32>
    yield %z : tile<f32>
  }
  %_1 = reduce %f dim=1 identities=[0.0 : f32] : tile<4x8xf32> -> tile<4xf32>
  (%x: tile<f32>, %y: tile<f32>) {
    %z = addf %x, %y : tile<f32>
    yield %z : tile<f32>
  }
  %_2 = reduce %g dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32>
  (%x: tile<f32>, %y: tile<f32>) {
    %z = addf %x, %y : tile<f32>
    yield %z : tile<f32>
  }
  %_3 = reduce %h dim=0 identities=[0.0 : bf16] : tile<4x8xf16> -> tile<8xf16>
  (%x: tile<f16>, %y: tile<f16>) {
    yield %x : tile<f16>
  }
  %_4 = reduce %c dim=0 identities=[true] : tile<4x8xi1> -> tile<8xi1>
  (%x: tile<i1>, %y: tile<i1>) {
    yield %x : tile<i1>
  }
  %_5:2 = reduce %f, %i dim=0 identities=[0.0 : f32, 0 : i32] : tile<4x8xf32>, tile<4x8xi32> -> tile<8xf32>, tile<8xi32>
  (%x: tile<f32>, %y: tile<f32>, %v: tile<i32>, %w: tile<i32>) {
    yield %x, %v : tile<f32>, tile<i32>
  }
  %_6 = scan %f dim=1 reverse=false identities=[0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32>
  (%x: tile<f32>, %y: tile<f32>) {
    %z = addf %x, %y : tile<f32>
    yield %z : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_7 = reduce %f dim=2 identities=[0.0 : f32] : tile<4x8xf32> -> tile<8xf32> // E0314 `2`: attribute `dim` is 2, out of bounds: `tile<4x8xf32>` has 2 dimensions, from 0 on
  (%x: tile<f32>, %y: tile<f32>) {
    %z = addf %x, %y : tile<f32>
    yield %z : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_8 = reduce %f dim=-1 identities=[0.0 : f32] : tile<4x8xf32> -> tile<8xf32> // E0314 `-1`: attribute `dim` is -1
  (%x: tile<f32>, %y: tile<f32>) {
    %z = addf %x, %y : tile<f32>
    yield %z : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_9 = reduce %s dim=0 identities=[0.0 : f32] : tile<f32> -> tile<f32> // E0314 `0`: attribute `dim` is 0, out of bounds: `tile<f32>` has 0 dimensions, from 0 on
  (%x: tile<f32>, %y: tile<f32>) {
    %z = addf %x, %y : tile<f32>
    yield %z : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_10 = reduce %f dim=0 identities=[0.0 : f32, 0.0 : f32] : tile<4x8xf32> -> tile<8xf32> // E0314 `[0.0 : f32, 0.0 : f32]`: attribute `identities` has 2 entries for 1 operand
  (%x: tile<f32>, %y: tile<f32>) {
    %z = addf %x, %y : tile<f32>
    yield %z : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_11 = reduce %f dim=0 identities=[0 : i32] : tile<4x8xf32> -> tile<8xf32> // E0309 `0 : i32`: identity 0 is of type i32, expected the element type of operand 0, `tile<4x8xf32>`
  (%x: tile<f32>, %y: tile<f32>) {
    %z = addf %x, %y : tile<f32>
    yield %z : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_12 = reduce %f dim=0 identities=[0.0 : f16] : tile<4x8xf32> -> tile<8xf32> // E0309 `0.0 : f16`: identity 0 is of type f16, expected the element type of operand 0, `tile<4x8xf32>`
  (%x: tile<f32>, %y: tile<f32>) {
    %z = addf %x, %y : tile<f32>
    yield %z : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_13 = reduce %f dim=0 identities=[true] : tile<4x8xf32> -> tile<8xf32> // E0309 `true`: identity 0 is no number, expected the element type of operand 0, `tile<4x8xf32>`
  (%x: tile<f32>, %y: tile<f32>) {
    %z = addf %x, %y : tile<f32>
    yield %z : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_14:2 = reduce %f, %g dim=0 identities=[0.0 : f32, 0.0 : f32] : tile<4x8xf32>, tile<8xf32> -> tile<8xf32>, tile<f32> // E0305 `%g`: operand 1 of `operands` is `tile<8xf32>`, but operand 0 of `operands` is `tile<4x8xf32>`: expected the same shape
  (%x: tile<f32>, %y: tile<f32>, %v: tile<f32>, %w: tile<f32>) {
    yield %x, %v : tile<f32>, tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_15:2 = reduce %f dim=0 identities=[0.0 : f32] : tile<4x8xf32> -> tile<8xf32>, tile<8xf32> // E0304 `tile<8xf32>`: has 2 results for 1 operand
  (%x: tile<f32>, %y: tile<f32>) {
    %z = addf %x, %y : tile<f32>
    yield %z : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_16 = reduce %f dim=0 identities=[0.0 : f32] : tile<4x8xf32> -> tile<4xf32> // E0305 `tile<4xf32>`: is `tile<4xf32>`
  (%x: tile<f32>, %y: tile<f32>) {
    %z = addf %x, %y : tile<f32>
    yield %z : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_17 = reduce %f dim=0 identities=[0.0 : f32] : tile<4x8xf32> -> tile<8xf32>
  (%x: tile<f32>, %y: tile<f16>) { // E0313 `%y`: argument 1 of the body is `tile<f16>`, expected `tile<f32>`
    yield %x : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_18 = reduce %f dim=0 identities=[0.0 : f32] : tile<4x8xf32> -> tile<8xf32>
  (%x: tile<f32>, %y: tile<f32>) {
    yield %x, %y : tile<f32>, tile<f32> // E0313 `%y`: the body yields 2 values, expected 1
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_19 = reduce %f dim=0 identities=[0.0 : f32] : tile<4x8xf32> -> tile<8xf32>
  (%x: tile<f32>, %y: tile<f32>) {
    %z = ftof %x : tile<f32> -> tile<f16>
    yield %z : tile<f16> // E0313 `%z`: value 0 of `yield` is `tile<f16>`, expected elements of f32
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_20 = reduce %f dim=0 identities=[0.0 : f32] : tile<4x8xf32> -> tile<8xf32>
  (%x: tile<f32>, %y: tile<f32>) {
    %t = print_tko "x" -> token // E0307 `print_tko`: has an effect on memory, in the body of `cuda_tile.reduce`
    yield %x : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_21 = reduce %f dim=0 identities=[0.0 : f32] : tile<4x8xf32> -> tile<8xf32>
  (%x: tile<f32>, %y: tile<f32>) {
    %t = constant <i1: true> : tile<i1>
    if %t {
      %u = print_tko "x" -> token // E0307 `print_tko`: has an effect on memory, in the body of `cuda_tile.reduce`
    }
    yield %x : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_22 = reduce %f dim=0 identities=[0.0 : f32] : tile<4x8xf32> -> tile<8xf32>
  (%x: tile<f32>, %y: tile<f32>) {
    return // E0307 `return`: stands in a
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_23 = reduce %f dim=0 identities=[0.0 : f32] : tile<4x8xf32> -> tile<8xf32> // E0313 `reduce`: the body takes 1 argument, expected 2
  (%x: tile<f32>) {
    yield %x : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_24 = scan %f dim=2 reverse=false identities=[0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32> // E0314 `2`: attribute `dim` is 2, out of bounds: `tile<4x8xf32>` has 2 dimensions, from 0 on
  (%x: tile<f32>, %y: tile<f32>) {
    %z = addf %x, %y : tile<f32>
    yield %z : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_25 = scan %f dim=-1 reverse=false identities=[0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32> // E0314 `-1`: attribute `dim` is -1
  (%x: tile<f32>, %y: tile<f32>) {
    %z = addf %x, %y : tile<f32>
    yield %z : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_26 = scan %s dim=0 reverse=false identities=[0.0 : f32] : tile<f32> -> tile<f32> // E0314 `0`: attribute `dim` is 0, out of bounds: `tile<f32>` has 0 dimensions, from 0 on
  (%x: tile<f32>, %y: tile<f32>) {
    %z = addf %x, %y : tile<f32>
    yield %z : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_27 = scan %f dim=0 reverse=false identities=[0.0 : f32, 0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32> // E0314 `[0.0 : f32, 0.0 : f32]`: attribute `identities` has 2 entries for 1 operand
  (%x: tile<f32>, %y: tile<f32>) {
    %z = addf %x, %y : tile<f32>
    yield %z : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_28 = scan %f dim=0 reverse=false identities=[0 : i32] : tile<4x8xf32> -> tile<4x8xf32> // E0309 `0 : i32`: identity 0 is of type i32, expected the element type of operand 0, `tile<4x8xf32>`
  (%x: tile<f32>, %y: tile<f32>) {
    %z = addf %x, %y : tile<f32>
    yield %z : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_29 = scan %f dim=0 reverse=false identities=[0.0 : f16] : tile<4x8xf32> -> tile<4x8xf32> // E0309 `0.0 : f16`: identity 0 is of type f16, expected the element type of operand 0, `tile<4x8xf32>`
  (%x: tile<f32>, %y: tile<f32>) {
    %z = addf %x, %y : tile<f32>
    yield %z : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_30 = scan %f dim=0 reverse=false identities=[true] : tile<4x8xf32> -> tile<4x8xf32> // E0309 `true`: identity 0 is no number, expected the element type of operand 0, `tile<4x8xf32>`
  (%x: tile<f32>, %y: tile<f32>) {
    %z = addf %x, %y : tile<f32>
    yield %z : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_31:2 = scan %f, %g dim=0 reverse=false identities=[0.0 : f32, 0.0 : f32] : tile<4x8xf32>, tile<8xf32> -> tile<4x8xf32>, tile<8xf32> // E0305 `%g`: operand 1 of `operands` is `tile<8xf32>`, but operand 0 of `operands` is `tile<4x8xf32>`: expected the same shape
  (%x: tile<f32>, %y: tile<f32>, %v: tile<f32>, %w: tile<f32>) {
    yield %x, %v : tile<f32>, tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_32:2 = scan %f dim=0 reverse=false identities=[0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32>, tile<4x8xf32> // E0304 `tile<4x8xf32>`: has 2 results for 1 operand
  (%x: tile<f32>, %y: tile<f32>) {
    %z = addf %x, %y : tile<f32>
    yield %z : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_33 = scan %f dim=0 reverse=false identities=[0.0 : f32] : tile<4x8xf32> -> tile<4xf32> // E0305 `tile<4xf32>`: is `tile<4xf32>`
  (%x: tile<f32>, %y: tile<f32>) {
    %z = addf %x, %y : tile<f32>
    yield %z : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_34 = scan %f dim=0 reverse=false identities=[0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32>
  (%x: tile<f32>, %y: tile<f16>) { // E0313 `%y`: argument 1 of the body is `tile<f16>`, expected `tile<f32>`
    yield %x : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_35 = scan %f dim=0 reverse=false identities=[0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32>
  (%x: tile<f32>, %y: tile<f32>) {
    yield %x, %y : tile<f32>, tile<f32> // E0313 `%y`: the body yields 2 values, expected 1
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_36 = scan %f dim=0 reverse=false identities=[0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32>
  (%x: tile<f32>, %y: tile<f32>) {
    %z = ftof %x : tile<f32> -> tile<f16>
    yield %z : tile<f16> // E0313 `%z`: value 0 of `yield` is `tile<f16>`, expected elements of f32
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_37 = scan %f dim=0 reverse=false identities=[0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32>
  (%x: tile<f32>, %y: tile<f32>) {
    %t = print_tko "x" -> token // E0307 `print_tko`: has an effect on memory, in the body of `cuda_tile.scan`
    yield %x : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_38 = scan %f dim=0 reverse=false identities=[0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32>
  (%x: tile<f32>, %y: tile<f32>) {
    %t = constant <i1: true> : tile<i1>
    if %t {
      %u = print_tko "x" -> token // E0307 `print_tko`: has an effect on memory, in the body of `cuda_tile.scan`
    }
    yield %x : tile<f32>
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_39 = scan %f dim=0 reverse=false identities=[0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32>
  (%x: tile<f32>, %y: tile<f32>) {
    return // E0307 `return`: stands in a
  }
}
// -----
entry @fold() {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %g = constant <f32: 1.0> : tile<8xf32>
  %s = constant <f32: 1.0> : tile<f32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %i = constant <i32: 1> : tile<4x8xi32>
  %c = constant <i1: true> : tile<4x8xi1>
  %_40 = scan %f dim=0 reverse=false identities=[0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32> // E0313 `scan`: the body takes 1 argument, expected 2
  (%x: tile<f32>) {
    yield %x : tile<f32>
  }
}
