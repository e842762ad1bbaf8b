// Control flow, block ids, printing.
//
// A comment `// CODE `TEXT`: WORDS` says what the verifier reports on its line: the code, the text that the report points at,
// and words of the message. A line without one is legal.

entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  for %j in (%i to %i, step %i) : tile<i32> {
    continue
  }
  %g0:2 = for unsigned %j in (%l to %l, step %l) : tile<i64> iter_values(%x = %f, %y = %t) -> (tile<f32>, token) {
    if %b {
      continue %x, %y : tile<f32>, token
    }
    continue %x, %y : tile<f32>, token
  }
  %g1 = loop iter_values(%x = %i) : tile<i32> -> tile<f32> {
    if %b {
      break %f : tile<f32>
    } else {
      continue %x : tile<i32>
    }
    continue %x : tile<i32>
  }
  loop {
    if %b {
      return
    }
    break
  }
  loop {
    return
  }
  %g2 = if %b -> (tile<f32>) {
    yield %f : tile<f32>
  } else {
    return
  }
  if %b {
    return
  }
  for %j in (%i to %i, step %i) : tile<i32> {
    loop {
      break
    }
    continue
  }
  %x, %y, %z = get_tile_block_id : tile<i32>
  %gx, %gy, %gz = get_num_tile_blocks : tile<i32>
  assert %c8, "fine" : tile<8xi1>
  assert %b, "" : tile<i1>
  %g3 = print_tko "no values, 100%%" -> token
  %g4 = print_tko "%d %5.2f %-3x %+lld %s %p" , %i, %f, %i, %l, %i, %i token=%t : tile<i32>, tile<f32>, tile<i32>, tile<i64>, tile<i32>, tile<i32> -> token
  %g5 = print_tko "%i%u%o%X%e%E%F%g%G%a%A%c%S%n", %i, %i, %i, %i, %f, %f, %f, %f, %f, %f, %f, %i, %i, %i : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<i32>, tile<i32>, tile<i32> -> token
  %a, %c, %d = get_tile_block_id : tile<i64> // E0315 `tile<i64>`: result #0 (`block_id_x`) must be a scalar i32
  %a1, %c1, %d1 = get_num_tile_blocks : tile<1xi32> // E0315 `tile<1xi32>`: result #0 (`grid_size_x`) must be a scalar i32
  assert %f8, "no" : tile<8xf32> // E0315 `%f8`: operand #0 (`condition`) must be a tile of i1
  %e0 = print_tko "%d %d", %i : tile<i32> -> token // E0303 `"%d %d"`: attribute `str` has 2 conversions, but the op has 1 operand
  %e1 = print_tko "none", %i : tile<i32> -> token // E0303 `"none"`: attribute `str` has 0 conversions, but the op has 1 operand
  %e2 = print_tko "50% " -> token // E0314 `"50% "`: attribute `str` has a `%` at byte 2 that begins no conversion, expected one of `diouxXeEfFgGaAcsSpn` after it; write `%%` for the sign itself
  %e3 = print_tko "%k", %i : tile<i32> -> token // E0314 `"%k"`: begins no conversion
  %e4 = print_tko "%", %i : tile<i32> -> token // E0314 `"%"`: begins no conversion
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %r = for %j in (%i to %i, step %i) : tile<i32> iter_values(%x = %f) -> (tile<i32>) { // E0313 `tile<i32>`: the results: value 0 is `tile<i32>`, but the list of initial values has `tile<f32>`
    continue %i : tile<i32>
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %r = for %j in (%i to %i, step %i) : tile<i32> iter_values(%x = %f) -> (tile<f32>) {
    continue %i : tile<i32> // E0313 `%i`: the operands: value 0 is `tile<i32>`, but the list of the results of the `for` has `tile<f32>`
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %r = for %j in (%i to %i, step %i) : tile<i32> iter_values(%x = %f) -> (tile<f32>) {
    continue // E0313 `continue`: the operands: 0 values, but the list of the results of the `for` has 1 (`tile<f32>`)
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  for %j in (%i to %i, step %i) : tile<i32> {
    continue %i : tile<i32> // E0313 `%i`: the operands: 1 value (`tile<i32>`), but the list of the results of the `for` has 0
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %r = for %j in (%i to %i, step %i) : tile<i32> iter_values(%x = %tv) -> (tensor_view<64xf32, strides=[1]>) { // E0315 `%tv`: loop-carried value 0 is `tensor_view<64xf32, strides=[1]>`, expected a tile or a token
    continue %x : tensor_view<64xf32, strides=[1]>
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  for %j in (%i to %i, step %i) : tile<i32> {
    break // E0307 `break`: leaves a `for`, expected the innermost op around, but for `if`, to be a `loop`
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  for %j in (%i to %i, step %i) : tile<i32> {
    if %b {
      break // E0307 `break`: leaves a `for`
    }
    continue
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  loop {
    for %j in (%i to %i, step %i) : tile<i32> {
      if %b {
        break // E0307 `break`: leaves a `for`
      }
      continue
    }
    break
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  for %j in (%i to %i, step %i) : tile<i32> {
    return // E0307 `return`: stands in a `for`, expected `if` and `loop` alone
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  for %j in (%i to %i, step %i) : tile<i32> {
    if %b {
      return // E0307 `return`: stands in a `for`
    }
    continue
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  for %j in (%i to %i, step %i) : tile<i32> {
    loop {
      return // E0307 `return`: stands in a `for`
    }
    continue
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  for %j in (%i to %i, step %i) : tile<i32> {
    yield // E0307 `yield`: stands outside of an `if`, `reduce` or `scan`
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  for %j in (%i to %i, step %i) : tile<i32> {
    continue // E0307 `continue`: ends its block, but ops follow it
    continue
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %r = loop iter_values(%x = %i) : tile<i32> -> tile<f32> {
    break %x : tile<i32> // E0313 `%x`: the operands: value 0 is `tile<i32>`, but the list of the loop's results has `tile<f32>`
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %r = loop iter_values(%x = %i) : tile<i32> -> tile<f32> {
    continue %f : tile<f32> // E0313 `%f`: value 0 is `tile<f32>`, but the list of the loop's initial values has `tile<i32>`
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  loop {
    break %f : tile<f32> // E0313 `%f`: the operands: 1 value (`tile<f32>`), but the list of the loop's results has 0
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %r = loop iter_values(%x = %tv) : tensor_view<64xf32, strides=[1]> -> tile<f32> { // E0315 `%tv`: loop-carried value 0 is
    break %f : tile<f32>
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %r = loop : tensor_view<64xf32, strides=[1]> { // E0315 `tensor_view<64xf32, strides=[1]>`: result 0 is `tensor_view<64xf32, strides=[1]>`, expected a tile or a token
    break %tv : tensor_view<64xf32, strides=[1]>
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  loop {
    yield // E0307 `yield`: stands outside of an `if`, `reduce` or `scan`
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  break // E0307 `break`: stands outside of a `loop`
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  continue // E0307 `continue`: stands outside of a `for` or `loop`
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  yield // E0307 `yield`: stands outside of an `if`, `reduce` or `scan`
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  if %b {
    break // E0307 `break`: stands outside of a `loop`
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  if %b {
    continue // E0307 `continue`: stands outside of a `for` or `loop`
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %r = if %b -> (tile<f32>) { // E0312 `if`: has 1 result, so it needs an else region
    yield %f : tile<f32>
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %r = if %b -> (tile<f32>) {
    yield %f : tile<f32>
  } else {
    yield %i : tile<i32> // E0313 `%i`: `yield` of the else region: value 0 is `tile<i32>`, but the list of results has `tile<f32>`
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %r = if %b -> (tile<f32>) {
    yield // E0313 `yield`: `yield` of the then region: 0 values, but the list of results has 1
  } else {
    yield %f : tile<f32>
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  if %b {
    yield %f : tile<f32> // E0313 `%f`: `yield` of the then region: 1 value (`tile<f32>`), but the list of results has 0
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %r = if %b -> (tensor_view<64xf32, strides=[1]>) { // E0315 `tensor_view<64xf32, strides=[1]>`: result 0 is `tensor_view<64xf32, strides=[1]>`, expected a tile or a token
    yield %tv : tensor_view<64xf32, strides=[1]>
  } else {
    yield %tv : tensor_view<64xf32, strides=[1]>
  }
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  return %i : tile<i32> // E0303 `%i`: has 1 operand, but a kernel returns nothing
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  return // E0307 `return`: ends its block, but ops follow it
  return
}
// -----
entry @control(%b: tile<i1>, %i: tile<i32>, %l: tile<i64>, %f: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %c8 = constant <i1: true> : tile<8xi1>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  if %b {
    return // E0307 `return`: ends its block, but ops follow it
    %q = addi %i, %i : tile<i32>
  }
}
// -----
entry @control(%b: tile<i1>, %n: tile<i32>, %l: tile<i64>) {
  %f = constant <f32: 1.0> : tile<f32>
  loop {
    break // E0307 `break`: `cuda_tile.break` ends its block, but ops follow it
    %_0 = negf %f : tile<f32>
    break
  }
  return
}
// -----
entry @control(%b: tile<i1>, %n: tile<i32>, %l: tile<i64>) {
  %f = constant <f32: 1.0> : tile<f32>
  %_1 = if %b -> (tile<f32>) {
    yield %f : tile<f32> // E0307 `yield`: `cuda_tile.yield` ends its block, but ops follow it
    yield %f : tile<f32>
  } else {
    yield %f : tile<f32>
  }
  return
}
// -----
entry @control(%b: tile<i1>, %n: tile<i32>, %l: tile<i64>) {
  %f = constant <f32: 1.0> : tile<f32>
  if %n { // E0305 `%n`: `%n` (operand `condition`) has the type `tile<i32>`, not `tile<i1>`
  }
  return
}
// -----
entry @control(%b: tile<i1>, %n: tile<i32>, %l: tile<i64>) {
  %f = constant <f32: 1.0> : tile<f32>
  "cuda_tile.if"(%n) ({ // E0315 `%n`: operand #0 (`condition`) must be a scalar i1 (a tile of rank 0), but got `tile<i32>`
    "cuda_tile.yield"() : () -> ()
  }, {}) : (tile<i32>) -> ()
  return
}
// -----
entry @control(%b: tile<i1>, %n: tile<i32>, %l: tile<i64>) {
  %f = constant <f32: 1.0> : tile<f32>
  "cuda_tile.if"(%b) ({}, {}) : (tile<i1>) -> () // E0312 `"cuda_tile.if"`: the then region has 0 blocks, expected one
  return
}
// -----
entry @control(%b: tile<i1>, %n: tile<i32>, %l: tile<i64>) {
  %f = constant <f32: 1.0> : tile<f32>
  "cuda_tile.for"(%n, %l, %n) ({ // E0305 `%l`: operand `upper_bound` is `tile<i64>`, but operand `lower_bound` is `tile<i32>`
  ^bb0(%i: tile<i32>):
    "cuda_tile.continue"() : () -> ()
  }) : (tile<i32>, tile<i64>, tile<i32>) -> ()
  return
}
// -----
entry @control(%b: tile<i1>, %n: tile<i32>, %l: tile<i64>) {
  %f = constant <f32: 1.0> : tile<f32>
  "cuda_tile.for"(%n, %n, %n) ({ // E0313 `"cuda_tile.for"`: the body takes no argument, expected at least the counter
    "cuda_tile.continue"() : () -> ()
  }) : (tile<i32>, tile<i32>, tile<i32>) -> ()
  return
}
// -----
entry @control(%b: tile<i1>, %n: tile<i32>, %l: tile<i64>) {
  %f = constant <f32: 1.0> : tile<f32>
  "cuda_tile.for"(%n, %n, %n) ({
  ^bb0(%i: tile<i64>): // E0305 `%i`: argument 0 of the body is `tile<i64>`, but operand `lower_bound` is `tile<i32>`
    "cuda_tile.continue"() : () -> ()
  }) : (tile<i32>, tile<i32>, tile<i32>) -> ()
  return
}
// -----
entry @control(%b: tile<i1>, %n: tile<i32>, %l: tile<i64>) {
  %f = constant <f32: 1.0> : tile<f32>
  %_2 = "cuda_tile.for"(%n, %n, %n, %f) ({
  ^bb0(%i: tile<i32>, %x: tile<i32>): // E0313 `%x`: the arguments of the body: value 0 is `tile<i32>`, but the list of initial values has `tile<f32>`
    "cuda_tile.continue"(%f) : (tile<f32>) -> ()
  }) : (tile<i32>, tile<i32>, tile<i32>, tile<f32>) -> tile<f32>
  return
}
// -----
entry @control(%b: tile<i1>, %n: tile<i32>, %l: tile<i64>) {
  %f = constant <f32: 1.0> : tile<f32>
  %_3 = "cuda_tile.loop"(%f) ({
  ^bb0(%x: tile<i32>): // E0313 `%x`: the arguments of the body: value 0 is `tile<i32>`, but the list of initial values has `tile<f32>`
    "cuda_tile.break"(%f) : (tile<f32>) -> ()
  }) : (tile<f32>) -> tile<f32>
  return
}
// -----
entry @control(%b: tile<i1>, %n: tile<i32>, %l: tile<i64>) {
  %f = constant <f32: 1.0> : tile<f32>
  "cuda_tile.loop"() ({
    %_4 = "cuda_tile.negf"(%f) : (tile<f32>) -> tile<f32> // E0306 `"cuda_tile.negf"`: the block ends with `cuda_tile.negf`, which is no terminator
  }) : () -> ()
  return
}
// -----
entry @control(%b: tile<i1>, %n: tile<i32>, %l: tile<i64>) {
  %f = constant <f32: 1.0> : tile<f32>
  "cuda_tile.for"(%n, %n, %n) ({
  ^bb0(%i: tile<i32>):
    %_5 = "cuda_tile.negf"(%f) : (tile<f32>) -> tile<f32> // E0306 `"cuda_tile.negf"`: the block ends with `cuda_tile.negf`, which is no terminator
  }) : (tile<i32>, tile<i32>, tile<i32>) -> ()
  return
}
