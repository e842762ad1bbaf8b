"builtin.module"() ({
  "func.func"() <{function_type = (f32, i32, vector<16xf32>, index) -> (), sym_name = "math_and_vector"}> ({
  ^bb0(%f: f32, %i: i32, %v: vector<16xf32>, %x: index):
    %exp2 = "math.exp2"(%f) <{fastmath = #arith.fastmath<fast>}> : (f32) -> f32
    %exp = "math.exp"(%f) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %log = "math.log"(%f) <{fastmath = #arith.fastmath<fast>}> : (f32) -> f32
    %log2 = "math.log2"(%f) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %erf = "math.erf"(%f) <{fastmath = #arith.fastmath<fast>}> : (f32) -> f32
    %rsqrt = "math.rsqrt"(%f) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %sqrt = "math.sqrt"(%f) <{fastmath = #arith.fastmath<fast>}> : (f32) -> f32
    %sin = "math.sin"(%f) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %cos = "math.cos"(%f) <{fastmath = #arith.fastmath<fast>}> : (f32) -> f32
    %tanh = "math.tanh"(%f) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %absf = "math.absf"(%f) <{fastmath = #arith.fastmath<fast>}> : (f32) -> f32
    %floor = "math.floor"(%f) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %fma = "math.fma"(%f, %f, %f) <{fastmath = #arith.fastmath<none>}> : (f32, f32, f32) -> f32
    %absi = "math.absi"(%i) : (i32) -> i32
    %element = "vector.extract"(%v) <{static_position = array<i64: 3>}> : (vector<16xf32>) -> f32
    %at = "vector.extract"(%v, %x) <{static_position = array<i64: -9223372036854775808>}> : (vector<16xf32>, index) -> f32
    %pair = "vector.from_elements"(%f, %element) : (f32, f32) -> vector<2xf32>
    %same = "vector.broadcast"(%f) : (f32) -> vector<16xf32>
    %sum = "vector.reduction"(%v, %f) <{fastmath = #arith.fastmath<none>, kind = #vector.kind<add>}> : (vector<16xf32>, f32) -> f32
    %max = "vector.reduction"(%v) <{fastmath = #arith.fastmath<nnan>, kind = #vector.kind<maximumf>}> : (vector<16xf32>) -> f32
    %cttz = "math.cttz"(%i) : (i32) -> i32
    %ctlz = "math.ctlz"(%i) : (i32) -> i32
    %ctpop = "math.ctpop"(%i) : (i32) -> i32
    %log10 = "math.log10"(%f) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %tan = "math.tan"(%f) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %asin = "math.asin"(%f) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %acos = "math.acos"(%f) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %atan = "math.atan"(%f) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %atan2 = "math.atan2"(%f, %f) <{fastmath = #arith.fastmath<fast>}> : (f32, f32) -> f32
    %powf = "math.powf"(%f, %f) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %copysign = "math.copysign"(%f, %f) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %ceil = "math.ceil"(%f) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %trunc = "math.trunc"(%f) <{fastmath = #arith.fastmath<fast>}> : (f32) -> f32
    %round = "math.round"(%f) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %roundeven = "math.roundeven"(%f) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %expm1 = "math.expm1"(%f) <{fastmath = #arith.fastmath<fast>}> : (f32) -> f32
    %log1p = "math.log1p"(%f) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %sinh = "math.sinh"(%f) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %cosh = "math.cosh"(%f) <{fastmath = #arith.fastmath<fast>}> : (f32) -> f32
    %asinh = "math.asinh"(%f) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %acosh = "math.acosh"(%f) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %atanh = "math.atanh"(%f) <{fastmath = #arith.fastmath<fast>}> : (f32) -> f32
    %cbrt = "math.cbrt"(%f) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %sine:2 = "math.sincos"(%v) <{fastmath = #arith.fastmath<none>}> : (vector<16xf32>) -> (vector<16xf32>, vector<16xf32>)
    %inserted = "vector.insert"(%f, %pair) <{static_position = array<i64: 1>}> : (f32, vector<2xf32>) -> vector<2xf32>
    %put = "vector.insert"(%f, %v, %x) <{static_position = array<i64: -9223372036854775808>}> : (f32, vector<16xf32>, index) -> vector<16xf32>
    %matrix = "vector.shape_cast"(%v) : (vector<16xf32>) -> vector<2x4x2xf32>
    %rows = "vector.multi_reduction"(%matrix, %pair) <{kind = #vector.kind<add>, reduction_dims = array<i64: 0, 1>}> : (vector<2x4x2xf32>, vector<2xf32>) -> vector<2xf32>
    %both:2 = "vector.to_elements"(%pair) : (vector<2xf32>) -> (f32, f32)
    %shuffled = "vector.shuffle"(%pair, %pair) <{mask = array<i64: 3, 0, -1>}> : (vector<2xf32>, vector<2xf32>) -> vector<3xf32>
    %square = "vector.shape_cast"(%v) : (vector<16xf32>) -> vector<4x4xf32>
    %halves = "vector.bitcast"(%v) : (vector<16xf32>) -> vector<32xf16>
    %outer = "vector.outerproduct"(%pair, %shuffled) <{kind = #vector.kind<add>}> : (vector<2xf32>, vector<3xf32>) -> vector<2x3xf32>
    %slice = "vector.extract_strided_slice"(%square) <{offsets = [1], sizes = [2], strides = [1]}> : (vector<4x4xf32>) -> vector<2x4xf32>
    %patched = "vector.insert_strided_slice"(%pair, %square) <{offsets = [3, 2], strides = [1]}> : (vector<2xf32>, vector<4x4xf32>) -> vector<4x4xf32>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
