// Functions that are implemented outside of the module, and calls of them.

preview$func extern @f(%arg0: tile<8xi32> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>})
preview$func extern @g<[N: index, S: !cuda_tile<preview$shape>, D: !cuda_tile<preview$Datatype>, W: !cuda_tile<preview$string>]>(%arg0: tile<[N]x8xpreview$sym_t<D>> {cuda_tile.preview$access = #cuda_tile<preview$access<inout>>}, %arg1: tile<f32> {a.b = #cuda_tile<preview$expr_add<#cuda_tile<preview$expr_var<"N">>, #cuda_tile<preview$expr_int<1>>>>, cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) -> tile<[N]x8xpreview$sym_t<D>>
preview$func extern @two(%arg0: tile<8xf32> {cuda_tile.preview$access = #cuda_tile<preview$access<out>>}, %arg1: tile<8xptr<f32>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) -> (tile<8xf32>, tile<i32>)
preview$func extern @nothing() // E0303 `@nothing`: has no inputs, expected at least one
preview$func extern @token(%arg0: token {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) // E0315 `@token`: input 0 is `token`, expected a tile
preview$func extern @number(%arg0: i32 {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) // E0315 `@number`: input 0 is `i32`, expected a tile
preview$func extern @result(%arg0: tile<i32> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) -> token // E0315 `@result`: result 0 is `token`, expected a tile
preview$func extern @part(%arg0: preview$fragment<8xf32, local, mem_layout = <(8):(1)>, fragmap = <(1, 1, 8):(0, 0, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) // E0315 `@part`: expected a tile
preview$func extern @silent(%arg0: tile<i32>) // E0308 `@silent`: argument 0 has no `cuda_tile.preview$access`
preview$func extern @wrong(%arg0: tile<i32> {cuda_tile.preview$access = 3 : i32}) // E0308 `@wrong`: argument 0 has no `cuda_tile.preview$access`
preview$func extern @plain(%arg0: tile<i32> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>, key = 3 : i32}) // E0314 `@plain`: the attribute `key` of argument 0 names no dialect
preview$func extern @twice<[N: index, N: index]>(%arg0: tile<i32> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) // E0310 `@twice`: has the constant parameter `N` twice
preview$func extern @open(%arg0: tile<[M]xi32> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) // E0301 `@open`: input 0 depends on `M`
preview$func extern @written(%arg0: tile<i32> {cuda_tile.preview$access = #cuda_tile<preview$access<out>>}) // E0304 `@written`: writes more arguments than it has results
preview$func extern @other(%arg0: tile<i32> {cuda_tile.preview$access = #cuda_tile<preview$access<out>>}) -> tile<f32> // E0305 `@other`: result 0 is `tile<f32>`
preview$extern_impl @scalar implements @f (%arg0: preview$fragment<8xi32, local, mem_layout = <(8):(1)>, fragmap = <(1, 1, 8):(0, 0, 1)>, alignment = 4> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>})
preview$extern_impl @warp implements @f (%arg0: preview$fragment<1xi32, local, mem_layout = <(1):(7)>, fragmap = <((1,), (4, 8), 1):((0,), (0, 1), 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) synchronization = #cuda_tile<preview$synchronization<warp>> arch = ["sm_90", "sm_100"] scratch {smem.size = #cuda_tile<preview$expr_mul<#cuda_tile<preview$expr_builtin<"context.threads", index>>, #cuda_tile<preview$expr_int<4>>>>, smem.alignment = #cuda_tile<preview$expr_int<16>>} {frontendABI = {a = true, b = [1, "x"]}, provider_score = -3 : i64}
preview$extern_impl @generic<[N: index, S: !cuda_tile<preview$shape>, D: !cuda_tile<preview$Datatype>, W: !cuda_tile<preview$string>]> implements @g<[N, S, D, W]> (%arg0: preview$fragment<[N]x8xpreview$sym_t<D>, local, mem_layout = <(N * 8):(1)>, fragmap = <(1, N / 2 + 1, -N):(0, 0, N /+ 2 - 1)>, alignment = (N+2)*(N-1)> {cuda_tile.preview$access = #cuda_tile<preview$access<inout>>}, %arg1: preview$fragment<f32, local, mem_layout = <():()>, fragmap = <(1, N / 2 + 1, 1):(0, 0, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>})
preview$extern_impl @elsewhere implements @unknown (%arg0: preview$fragment<8xi32, local, mem_layout = <(2, 4):(4, 1)>, fragmap = <(1, 1, 8):(0, 0, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) synchronization = #cuda_tile<preview$synchronization<cta>> arch = ["sm_100"]
preview$extern_impl @shared implements @f (%arg0: preview$fragment<8xi32, smem, mem_layout = <(8):(1)>, fragmap = <(1, (4, 8), 8):(0, (0, 0), 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) synchronization = #cuda_tile<preview$synchronization<none>> {frontendABI = {}}
preview$extern_impl @divided implements @f (%arg0: preview$fragment<1xi32, smem, mem_layout = <(1):(1)>, fragmap = <(1, 8, 1):(0, 1, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) // E0408 `@divided`: the fragment is in shared memory, where all have the same: expected strides of 0
preview$extern_impl @none implements @f () // E0303 `@none`: has no inputs, expected at least one
preview$extern_impl @tile implements @f (%arg0: tile<8xi32> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) // E0315 `@tile`: input 0 is `tile<8xi32>`, expected a preview$fragment
preview$extern_impl @gives implements @f (%arg0: preview$fragment<8xi32, local, mem_layout = <(8):(1)>, fragmap = <(1, 1, 8):(0, 0, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) -> tile<8xi32> // E0304 `@gives`: has 1 result, expected none
preview$extern_impl @configured implements @f (%arg0: preview$fragment<8xi32, local, mem_layout = <(8):(1)>, fragmap = <(1, 1, 8):(0, 0, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) {config = {}} // E0314 `@configured`: has the attribute `config`
preview$extern_impl @quiet implements @f (%arg0: preview$fragment<8xi32, local, mem_layout = <(8):(1)>, fragmap = <(1, 1, 8):(0, 0, 1)>>) // E0308 `@quiet`: argument 0 has no `cuda_tile.preview$access`
preview$extern_impl @flat implements @f (%arg0: preview$fragment<8xi32, local, mem_layout = <(8):(1)>, fragmap = <(1, 8):(0, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) // E0408 `@flat`: the fragmap of argument 0 has 2 modes, expected 3
preview$extern_impl @small implements @f (%arg0: preview$fragment<8xi32, local, mem_layout = <(8):(1)>, fragmap = <(1, 1, 4):(0, 0, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) // E0408 `@small`: has a footprint of 4 elements, but the fragment has 8
preview$extern_impl @huge implements @f (%arg0: preview$fragment<8xi32, local, mem_layout = <(8):(1)>, fragmap = <(1, 4611686018427387904 * 4, 8):(0, 0, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) // E0408 `@huge`: mode 1 of the fragmap of argument 0 needs more than 64 bits
preview$extern_impl @much implements @f (%arg0: preview$fragment<16xi32, local, mem_layout = <(16):(1)>, fragmap = <(1, 1, 16):(0, 0, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) // E0408 `@much`: covers 1 invocation, 1 participant and 16 elements of each, 16 elements in all, but the tile has 8
preview$extern_impl @half implements @f (%arg0: preview$fragment<1xi32, local, mem_layout = <(1):(1)>, fragmap = <(1, 8, 1):(0, 1, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) synchronization = #cuda_tile<preview$synchronization<warpgroup>> // E0408 `@half`: has 8 participants, expected a multiple of 128
preview$extern_impl @unequal implements @unknown (%arg0: preview$fragment<1xi32, local, mem_layout = <(1):(1)>, fragmap = <(1, 8, 1):(0, 1, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}, %arg1: preview$fragment<1xi32, local, mem_layout = <(1):(1)>, fragmap = <(1, 16, 1):(0, 1, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) // E0408 `@unequal`: has 16 participants, but that of argument 0 has 8
preview$extern_impl @free implements @f (%arg0: preview$fragment<8xi32, local, mem_layout = <(8):(M)>, fragmap = <(1, 1, 8):(0, 0, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) // E0301 `@free`: the mem_layout of argument 0 depends on `M`
preview$extern_impl @kernel implements @scalar (%arg0: preview$fragment<8xi32, local, mem_layout = <(8):(1)>, fragmap = <(1, 1, 8):(0, 0, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) // E0311 `@kernel`: implements `@scalar`, which is no extern preview$func
preview$extern_impl @more implements @f (%arg0: preview$fragment<8xi32, local, mem_layout = <(8):(1)>, fragmap = <(1, 1, 8):(0, 0, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}, %arg1: preview$fragment<8xi32, local, mem_layout = <(8):(1)>, fragmap = <(1, 1, 8):(0, 0, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) // E0303 `@more`: has 2 inputs, but `@f` has 1
preview$extern_impl @writes implements @f (%arg0: preview$fragment<8xi32, local, mem_layout = <(8):(1)>, fragmap = <(1, 1, 8):(0, 0, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<out>>}) // E0305 `@writes`: the access of argument 0 is `out`, but that of `@f` is `in`
preview$extern_impl @args implements @f<[1]> (%arg0: preview$fragment<8xi32, local, mem_layout = <(8):(1)>, fragmap = <(1, 1, 8):(0, 0, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) // E0303 `@args`: has 1 constant argument, but `@f` has 0 constant parameters
preview$extern_impl @params<[N: index]> implements @f (%arg0: preview$fragment<8xi32, local, mem_layout = <(8):(1)>, fragmap = <(1, 1, 8):(0, 0, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>})
preview$extern_impl @params2<[N: index]> implements @g<[N, N, N, N]> (%arg0: preview$fragment<8xi32, local, mem_layout = <(8):(1)>, fragmap = <(1, 1, 8):(0, 0, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) // E0303 `@params2`: has 1 constant parameter, but `@g` has 4
preview$extern_impl @f implements @f (%arg0: preview$fragment<8xi32, local, mem_layout = <(8):(1)>, fragmap = <(1, 1, 8):(0, 0, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) // E0310 `@f`: `@f` is defined twice
preview$extern_impl @gap implements @f (%arg0: preview$fragment<8xi32, local, mem_layout = <(8):(2)>, fragmap = <(1, 1, 8):(0, 0, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) // E0408 `preview$fragment<8xi32, local, mem_layout = <(8):(2)>, fragmap = <(1, 1, 8):(0, 0, 1)>>`: must put them at 8 places without a gap
preview$extern_impl @odd implements @f (%arg0: preview$fragment<8xi32, local, mem_layout = <(8):(1)>, fragmap = <(1, 1, 8):(0, 0, 1)>, alignment = 3> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) // E0314 `preview$fragment<8xi32, local, mem_layout = <(8):(1)>, fragmap = <(1, 1, 8):(0, 0, 1)>, alignment = 3>`: expected a power of two
preview$extern_impl @zero implements @f (%arg0: preview$fragment<8xi32, local, mem_layout = <(8):(1)>, fragmap = <(1, 0, 8):(0, 0, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) // E0407 `<(1, 0, 8):(0, 0, 1)>`: the extent of mode 1 of a layout is 0
preview$extern_impl @nested implements @f (%arg0: preview$fragment<8xi32, local, mem_layout = <((2, 4)):(1)>, fragmap = <(1, 1, 8):(0, 0, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) // E0405 `<((2, 4)):(1)>`: nested otherwise in mode 0
preview$extern_impl @fast implements @f (%arg0: preview$fragment<8xi32, local, mem_layout = <(8):(1)>, fragmap = <(1, 1, 8):(0, 0, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) scratch {smem.size = #cuda_tile<preview$expr_neg<#cuda_tile<preview$expr_int<1>>>>, smem.alignment = #cuda_tile<preview$expr_int<16>>} // E0314 `smem.size = #cuda_tile<preview$expr_neg<#cuda_tile<preview$expr_int<1>>>>, smem.alignment = #cuda_tile<preview$expr_int<16>>`: the size of scratch memory is -1
entry @calls(%i: tile<i32>) {
  %a = iota : tile<8xi32>
  %b = constant <f32: 1.0> : tile<8xf32>
  %c = constant <i32: 3> : tile<4x8xi32>
  %d = constant <f32: 1.0> : tile<f32>
  %t = make_token : token
  %p = constant <i64: 0> : tile<8xi64>
  %q = int_to_ptr %p : tile<8xi64> -> tile<8xptr<f32>>
  preview$call @f(%a) : (!cuda_tile.tile<8xi32>) -> ()
  %t1 = preview$call @f(%a, %t) {arg_attrs = [{a.b = 3 : i32}], res_attrs = []} : (!cuda_tile.tile<8xi32>, !cuda_tile.token) -> !cuda_tile.token
  %r0 = preview$call @g<[(1+3)*1, (8, (4,), -1), i32, "a\22b"]>(%c, %d) : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<4x8xi32>
  %r1 = preview$call @g<[#cuda_tile<preview$expr_builtin<"context.n", index>>, #cuda_tile<preview$symbolic_tuple<[#cuda_tile<preview$expr_int<8>>]>>, #cuda_tile<preview$concrete_type<!cuda_tile.tile<8xf32>>>, #cuda_tile<preview$expr_const_str<"">>]>(%c, %d) : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<4x8xi32>
  %r2:2 = preview$call @two(%b, %q) : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xptr<f32>>) -> (!cuda_tile.tile<8xf32>, !cuda_tile.tile<i32>)
  preview$call @gone(%a) : (!cuda_tile.tile<8xi32>) -> () // E0311 `@gone`: calls `@gone`, which the module does not declare
  preview$call @calls(%a) : (!cuda_tile.tile<8xi32>) -> () // E0311 `@calls`: calls `@calls`, which is no extern preview$func
  preview$call @f(%a, %a) : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> () // E0303 `%a`: has 2 operands besides tokens, but `@f` has 1 input
  preview$call @f(%b) : (!cuda_tile.tile<8xf32>) -> () // E0305 `%b`: operand #0 is `tile<8xf32>`, but `@f` has `tile<8xi32>` there
  %x0 = preview$call @f(%a) : (!cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32> // E0304 `!cuda_tile.tile<8xi32>`: has 1 result besides tokens, but `@f` has 0 results
  %x1:2 = preview$call @two(%b, %q) : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xptr<f32>>) -> (!cuda_tile.tile<8xf32>, !cuda_tile.tile<f32>) // E0305 `!cuda_tile.tile<f32>`: result #1 is `tile<f32>`, but `@two` has `tile<i32>` there
  preview$call @f<[1]>(%a) : (!cuda_tile.tile<8xi32>) -> () // E0303 `<[1]>`: has 1 constant argument, but `@f` has 0 constant parameters
  %x2 = preview$call @g<[f32, (8,), i32, "x"]>(%c, %d) : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<4x8xi32> // E0314 `f32`: constant argument 0, for `N` of `@g`, must be an integer
  %x3 = preview$call @g<[4, 8, i32, "x"]>(%c, %d) : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<4x8xi32> // E0314 `8`: constant argument 1, for `S` of `@g`, must be a tuple of integers
  %x4 = preview$call @g<[4, (), i32, "x"]>(%c, %d) : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<4x8xi32> // E0314 `()`: constant argument 1, for `S` of `@g`, must be a tuple of integers: it is empty
  %x5 = preview$call @g<[4, (8,), 3, "x"]>(%c, %d) : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<4x8xi32> // E0314 `3`: constant argument 2, for `D` of `@g`, must be a type
  %x6 = preview$call @g<[4, (8,), i32, 3]>(%c, %d) : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<4x8xi32> // E0314 `3`: constant argument 3, for `W` of `@g`, must be a string
  %x7 = preview$call @g<[M, (8,), i32, "x"]>(%c, %d) : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<4x8xi32> // E0314 `M`: it depends on the variable `M`
  preview$call @f(%a) {arg_attrs = [3]} : (!cuda_tile.tile<8xi32>) -> () // E0309 `{arg_attrs = [3]}`: entry 0 of `arg_attrs` is not a dictionary
  return
}
// -----
// Texts that stand for nothing.
preview$func extern @g<[N: index]>(%arg0: tile<f32> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>})
entry @divides(%i: tile<i32>) {
  %c = constant <f32: 1.0> : tile<f32>
  preview$call @g<[4 / 0]>(%c) : (!cuda_tile.tile<f32>) -> () // E0314 `4 / 0`: an expression divides by zero
  preview$call @g<[a.b]>(%c) : (!cuda_tile.tile<f32>) -> () // E0314 `a.b`: the builtin value `a.b` is not in the namespace
  preview$call @g<[#cuda_tile<preview$expr_var<"a.b">>]>(%c) : (!cuda_tile.tile<f32>) -> () // E0314 `<"a.b">`: the symbolic variable `a.b` has a dot
  preview$call @g<[#cuda_tile<preview$expr_pow<1, 2>>]>(%c) : (!cuda_tile.tile<f32>) -> () // E0206 `<`: there is no symbolic expression
  preview$call @g<[1 + ]>(%c) : (!cuda_tile.tile<f32>) -> () // E0201 `]`: expected an expression
  preview$call @g<[(1, 2]>(%c) : (!cuda_tile.tile<f32>) -> () // E0201 `]`: unexpected `]`: expected `,` or `)`
  preview$call @g<[1]>(%c) {key = 3} : (!cuda_tile.tile<f32>) -> () // E0206 `{key = 3}`: has no attribute `key`
  preview$call @g<[1]>(%c) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> () // E0303 `!cuda_tile.tile<f32>, !cuda_tile.tile<f32>)`: expected a type for each operand, not 2 types for 1 operand
  return
}
