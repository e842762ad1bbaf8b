"builtin.module"() ({
  "func.func"() <{function_type = (i32, i32, f32, f32, f16, vector<4xf32>) -> (), sym_name = "arith"}> ({
  ^bb0(%i: i32, %j: i32, %f: f32, %g: f32, %h: f16, %v: vector<4xf32>):
    %addf = "arith.addf"(%f, %g) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %subf = "arith.subf"(%f, %g) <{fastmath = #arith.fastmath<fast>}> : (f32, f32) -> f32
    %mulf = "arith.mulf"(%f, %g) <{fastmath = #arith.fastmath<nnan,contract>}> : (f32, f32) -> f32
    %divf = "arith.divf"(%f, %g) <{fastmath = #arith.fastmath<reassoc>}> : (f32, f32) -> f32
    %remf = "arith.remf"(%f, %g) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %maximumf = "arith.maximumf"(%f, %g) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %minimumf = "arith.minimumf"(%f, %g) <{fastmath = #arith.fastmath<nnan>}> : (f32, f32) -> f32
    %maxnumf = "arith.maxnumf"(%f, %g) <{fastmath = #arith.fastmath<ninf,nsz,arcp>}> : (f32, f32) -> f32
    %minnumf = "arith.minnumf"(%f, %g) <{fastmath = #arith.fastmath<afn>}> : (f32, f32) -> f32
    %negf = "arith.negf"(%v) <{fastmath = #arith.fastmath<none>}> : (vector<4xf32>) -> vector<4xf32>
    %addi = "arith.addi"(%i, %j) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %subi = "arith.subi"(%i, %j) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
    %muli = "arith.muli"(%i, %j) <{overflowFlags = #arith.overflow<nuw>}> : (i32, i32) -> i32
    %shli = "arith.shli"(%i, %j) <{overflowFlags = #arith.overflow<nsw, nuw>}> : (i32, i32) -> i32
    %shrsi = "arith.shrsi"(%i, %j) : (i32, i32) -> i32
    %shrui = "arith.shrui"(%i, %j) : (i32, i32) -> i32
    %andi = "arith.andi"(%i, %j) : (i32, i32) -> i32
    %ori = "arith.ori"(%i, %j) : (i32, i32) -> i32
    %xori = "arith.xori"(%i, %j) : (i32, i32) -> i32
    %divsi = "arith.divsi"(%i, %j) : (i32, i32) -> i32
    %divui = "arith.divui"(%i, %j) : (i32, i32) -> i32
    %remsi = "arith.remsi"(%i, %j) : (i32, i32) -> i32
    %remui = "arith.remui"(%i, %j) : (i32, i32) -> i32
    %floordivsi = "arith.floordivsi"(%i, %j) : (i32, i32) -> i32
    %ceildivsi = "arith.ceildivsi"(%i, %j) : (i32, i32) -> i32
    %ceildivui = "arith.ceildivui"(%i, %j) : (i32, i32) -> i32
    %maxsi = "arith.maxsi"(%i, %j) : (i32, i32) -> i32
    %maxui = "arith.maxui"(%i, %j) : (i32, i32) -> i32
    %minsi = "arith.minsi"(%i, %j) : (i32, i32) -> i32
    %minui = "arith.minui"(%i, %j) : (i32, i32) -> i32
    %trunci = "arith.trunci"(%i) <{overflowFlags = #arith.overflow<nsw>}> : (i32) -> i8
    %extui = "arith.extui"(%trunci) : (i8) -> i32
    %extsi = "arith.extsi"(%trunci) : (i8) -> i64
    %index = "arith.index_cast"(%i) : (i32) -> index
    %sitofp = "arith.sitofp"(%i) : (i32) -> f32
    %uitofp = "arith.uitofp"(%i) : (i32) -> f32
    %fptosi = "arith.fptosi"(%f) : (f32) -> i32
    %fptoui = "arith.fptoui"(%f) : (f32) -> i32
    %bitcast = "arith.bitcast"(%f) : (f32) -> i32
    %extf = "arith.extf"(%h) : (f16) -> f32
    %truncf = "arith.truncf"(%v) : (vector<4xf32>) -> vector<4xf16>
    %eq = "arith.cmpi"(%i, %j) <{predicate = 0 : i64}> : (i32, i32) -> i1
    %ne = "arith.cmpi"(%i, %j) <{predicate = 1 : i64}> : (i32, i32) -> i1
    %slt = "arith.cmpi"(%i, %j) <{predicate = 2 : i64}> : (i32, i32) -> i1
    %sle = "arith.cmpi"(%i, %j) <{predicate = 3 : i64}> : (i32, i32) -> i1
    %sgt = "arith.cmpi"(%i, %j) <{predicate = 4 : i64}> : (i32, i32) -> i1
    %sge = "arith.cmpi"(%i, %j) <{predicate = 5 : i64}> : (i32, i32) -> i1
    %ult = "arith.cmpi"(%i, %j) <{predicate = 6 : i64}> : (i32, i32) -> i1
    %ule = "arith.cmpi"(%i, %j) <{predicate = 7 : i64}> : (i32, i32) -> i1
    %ugt = "arith.cmpi"(%i, %j) <{predicate = 8 : i64}> : (i32, i32) -> i1
    %uge = "arith.cmpi"(%i, %j) <{predicate = 9 : i64}> : (i32, i32) -> i1
    %f_false = "arith.cmpf"(%v, %v) <{fastmath = #arith.fastmath<none>, predicate = 0 : i64}> : (vector<4xf32>, vector<4xf32>) -> vector<4xi1>
    %f_oeq = "arith.cmpf"(%v, %v) <{fastmath = #arith.fastmath<fast>, predicate = 1 : i64}> : (vector<4xf32>, vector<4xf32>) -> vector<4xi1>
    %f_ogt = "arith.cmpf"(%v, %v) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (vector<4xf32>, vector<4xf32>) -> vector<4xi1>
    %f_oge = "arith.cmpf"(%v, %v) <{fastmath = #arith.fastmath<none>, predicate = 3 : i64}> : (vector<4xf32>, vector<4xf32>) -> vector<4xi1>
    %f_olt = "arith.cmpf"(%v, %v) <{fastmath = #arith.fastmath<none>, predicate = 4 : i64}> : (vector<4xf32>, vector<4xf32>) -> vector<4xi1>
    %f_ole = "arith.cmpf"(%v, %v) <{fastmath = #arith.fastmath<none>, predicate = 5 : i64}> : (vector<4xf32>, vector<4xf32>) -> vector<4xi1>
    %f_one = "arith.cmpf"(%v, %v) <{fastmath = #arith.fastmath<none>, predicate = 6 : i64}> : (vector<4xf32>, vector<4xf32>) -> vector<4xi1>
    %f_ord = "arith.cmpf"(%v, %v) <{fastmath = #arith.fastmath<none>, predicate = 7 : i64}> : (vector<4xf32>, vector<4xf32>) -> vector<4xi1>
    %f_ueq = "arith.cmpf"(%v, %v) <{fastmath = #arith.fastmath<none>, predicate = 8 : i64}> : (vector<4xf32>, vector<4xf32>) -> vector<4xi1>
    %f_ugtf = "arith.cmpf"(%v, %v) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (vector<4xf32>, vector<4xf32>) -> vector<4xi1>
    %f_ugef = "arith.cmpf"(%v, %v) <{fastmath = #arith.fastmath<none>, predicate = 10 : i64}> : (vector<4xf32>, vector<4xf32>) -> vector<4xi1>
    %f_ultf = "arith.cmpf"(%v, %v) <{fastmath = #arith.fastmath<none>, predicate = 11 : i64}> : (vector<4xf32>, vector<4xf32>) -> vector<4xi1>
    %f_ulef = "arith.cmpf"(%v, %v) <{fastmath = #arith.fastmath<none>, predicate = 12 : i64}> : (vector<4xf32>, vector<4xf32>) -> vector<4xi1>
    %f_une = "arith.cmpf"(%v, %v) <{fastmath = #arith.fastmath<none>, predicate = 13 : i64}> : (vector<4xf32>, vector<4xf32>) -> vector<4xi1>
    %f_uno = "arith.cmpf"(%v, %v) <{fastmath = #arith.fastmath<none>, predicate = 14 : i64}> : (vector<4xf32>, vector<4xf32>) -> vector<4xi1>
    %f_true = "arith.cmpf"(%v, %v) <{fastmath = #arith.fastmath<none>, predicate = 15 : i64}> : (vector<4xf32>, vector<4xf32>) -> vector<4xi1>
    %select = "arith.select"(%eq, %v, %v) : (i1, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %select_each = "arith.select"(%f_oeq, %v, %v) : (vector<4xi1>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %c0 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %c1 = "arith.constant"() <{value = -1 : i64}> : () -> i64
    %c2 = "arith.constant"() <{value = true}> : () -> i1
    %c3 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %c4 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %c5 = "arith.constant"() <{value = 0.707106769 : f32}> : () -> f32
    %c6 = "arith.constant"() <{value = -1.25 : f16}> : () -> f16
    %c7 = "arith.constant"() <{value = 0x7FC0 : bf16}> : () -> bf16
    %c8 = "arith.constant"() <{value = 1.0e-300 : f64}> : () -> f64
    %c9 = "arith.constant"() <{value = 7 : index}> : () -> index
    %c10 = "arith.constant"() <{value = dense<0.0> : vector<4xf32>}> : () -> vector<4xf32>
    %c11 = "arith.constant"() <{value = dense<[1, 2, 3, 4]> : vector<4xi8>}> : () -> vector<4xi8>
    %c12 = "arith.constant"() <{value = dense<[true, false]> : vector<2xi1>}> : () -> vector<2xi1>
    %c13 = "arith.constant"() <{value = 0x7F : f8E4M3FN}> : () -> f8E4M3FN
    %c14 = "arith.constant"() <{value = -128 : i8}> : () -> i8
    %tagged = "arith.addi"(%i, %j) <{overflowFlags = #arith.overflow<none>}> {mine, other.list = [1 : i32, "text", [@a, @b::@c]], other.type = (i32) -> (f32, i1)} : (i32, i32) -> i32
    %halves:2 = "arith.mului_extended"(%i, %j) : (i32, i32) -> (i32, i32)
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
