// Globals, kernels, symbols.
//
// A comment `// CODE `TEXT`: WORDS` says what the verifier reports on its line: the code, the text that the report points at,
// and words of the message. A line without one is legal.

global @a <f32: [1.0, 2.0]> : tile<2xf32>
global private constant @b alignment = 16 <i16: 1> : tile<64xi16>
global @i4 <i4: [1, 2]> : tile<2xi4>
global @e <i64: 1> : tile<2xptr<f32>> // E0315 `@e`: the type is `tile<2xptr<f32>>`
global @f <f32: 1.0> : tile<3xf32> // E0401 `@f`: extent 0 of `tile<3xf32>` is 3
entry @legal(%p: tile<ptr<f32>> {cuda_tile.name = "p"}, %i: tile<i64>, %h: tile<f16>) optimization_hints=<sm_90 = {occupancy = 2}> {
}
// -----
entry @scalars(%p: tile<8xf32>) { // E0315 `%p`: parameter 0 of `scalars` is `tile<8xf32>`, expected a scalar (a tile of rank 0)
}
// -----
entry @tokens(%i: tile<i32>, %p: token) { // E0315 `%p`: parameter 1 of `tokens` is `token`
}
// -----
entry @views(%p: tensor_view<64xf32, strides=[1]>) { // E0315 `%p`: parameter 0 of `views` is
}
// -----
entry private @hidden() { // E0314 `private`: the kernel `@hidden` is private, expected a public one
}
// -----
entry @prefix(%p: tile<i32> {name = "p"}) { // E0314 `name`: the attribute `name` of argument 0 of `@prefix` names no dialect, expected `dialect.name`
}
// -----
global @g <f32: 1.0> : tile<2x2xf32> // E0315 `tile<2x2xf32>`: the type of the global `@g` is `tile<2x2xf32>`, expected a tile of rank 1
entry @k() {
}
// -----
global @h <f32: 1.0> : tile<2xf32>
global @h <f32: 1.0> : tile<2xf32> // E0310 `@h`: `@h` is defined twice
entry @k() {
}
// -----
entry @k() -> tile<i32> { // E0201 `->`: the entry `@k` returns values: a kernel has no results
}
// -----
entry @k() {
}
entry @k() { // E0310 `@k`: `@k` is defined twice
}
// -----
global @k <f32: 1.0> : tile<2xf32>
entry @k() { // E0310 `@k`: `@k` is defined twice
}
// -----
entry @k() {
  return // E0307 `return`: `cuda_tile.return` ends its block, but ops follow it
  return
}
// -----
entry @k(%a: tile<i32> {align = 1}) { // E0314 `align`: the attribute `align` of argument 0 of `@k` names no dialect, expected `dialect.align`
}
// -----
entry @k() {
}
addi // E0307 `addi`: `addi` does not belong here: expected `entry` or `global`
