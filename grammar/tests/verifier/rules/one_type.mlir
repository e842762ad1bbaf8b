// Ops of which all operands and results are of one type. Their own text has one type only, so that these are in MLIR's
// generic form.
//
// A comment `// CODE `TEXT`: WORDS` says what the verifier reports on its line: the code, the text that the report points at,
// and words of the message. A line without one is legal.

entry @one_type() {
  %f = constant <f32: 1.0> : tile<8xf32>
  %g = constant <f32: 1.0> : tile<16xf32>
  %h = constant <f16: 1.0> : tile<8xf16>
  %i = constant <i32: 1> : tile<8xi32>
  %j = constant <i32: 1> : tile<16xi32>
  %s = constant <i8: 1> : tile<8xi8>
  %_0 = "cuda_tile.absf"(%f) : (tile<8xf32>) -> tile<8xf32>
  %_1 = "cuda_tile.absf"(%f) : (tile<8xf32>) -> tile<16xf32> // E0305 `tile<16xf32>`: the result is `tile<16xf32>`, but operand `source` is `tile<8xf32>`
  %_2 = "cuda_tile.ceil"(%f) : (tile<8xf32>) -> tile<8xf32>
  %_3 = "cuda_tile.ceil"(%f) : (tile<8xf32>) -> tile<16xf32> // E0305 `tile<16xf32>`: the result is `tile<16xf32>`, but operand `source` is `tile<8xf32>`
  %_4 = "cuda_tile.cos"(%f) : (tile<8xf32>) -> tile<8xf32>
  %_5 = "cuda_tile.cos"(%f) : (tile<8xf32>) -> tile<16xf32> // E0305 `tile<16xf32>`: the result is `tile<16xf32>`, but operand `source` is `tile<8xf32>`
  %_6 = "cuda_tile.cosh"(%f) : (tile<8xf32>) -> tile<8xf32>
  %_7 = "cuda_tile.cosh"(%f) : (tile<8xf32>) -> tile<16xf32> // E0305 `tile<16xf32>`: the result is `tile<16xf32>`, but operand `source` is `tile<8xf32>`
  %_8 = "cuda_tile.exp"(%f) : (tile<8xf32>) -> tile<8xf32>
  %_9 = "cuda_tile.exp"(%f) : (tile<8xf32>) -> tile<16xf32> // E0305 `tile<16xf32>`: the result is `tile<16xf32>`, but operand `source` is `tile<8xf32>`
  %_10 = "cuda_tile.exp2"(%f) : (tile<8xf32>) -> tile<8xf32>
  %_11 = "cuda_tile.exp2"(%f) : (tile<8xf32>) -> tile<16xf32> // E0305 `tile<16xf32>`: the result is `tile<16xf32>`, but operand `source` is `tile<8xf32>`
  %_12 = "cuda_tile.floor"(%f) : (tile<8xf32>) -> tile<8xf32>
  %_13 = "cuda_tile.floor"(%f) : (tile<8xf32>) -> tile<16xf32> // E0305 `tile<16xf32>`: the result is `tile<16xf32>`, but operand `source` is `tile<8xf32>`
  %_14 = "cuda_tile.log"(%f) : (tile<8xf32>) -> tile<8xf32>
  %_15 = "cuda_tile.log"(%f) : (tile<8xf32>) -> tile<16xf32> // E0305 `tile<16xf32>`: the result is `tile<16xf32>`, but operand `source` is `tile<8xf32>`
  %_16 = "cuda_tile.log2"(%f) : (tile<8xf32>) -> tile<8xf32>
  %_17 = "cuda_tile.log2"(%f) : (tile<8xf32>) -> tile<16xf32> // E0305 `tile<16xf32>`: the result is `tile<16xf32>`, but operand `source` is `tile<8xf32>`
  %_18 = "cuda_tile.negf"(%f) : (tile<8xf32>) -> tile<8xf32>
  %_19 = "cuda_tile.negf"(%f) : (tile<8xf32>) -> tile<16xf32> // E0305 `tile<16xf32>`: the result is `tile<16xf32>`, but operand `source` is `tile<8xf32>`
  %_20 = "cuda_tile.rsqrt"(%f) : (tile<8xf32>) -> tile<8xf32>
  %_21 = "cuda_tile.rsqrt"(%f) : (tile<8xf32>) -> tile<16xf32> // E0305 `tile<16xf32>`: the result is `tile<16xf32>`, but operand `source` is `tile<8xf32>`
  %_22 = "cuda_tile.sin"(%f) : (tile<8xf32>) -> tile<8xf32>
  %_23 = "cuda_tile.sin"(%f) : (tile<8xf32>) -> tile<16xf32> // E0305 `tile<16xf32>`: the result is `tile<16xf32>`, but operand `source` is `tile<8xf32>`
  %_24 = "cuda_tile.sinh"(%f) : (tile<8xf32>) -> tile<8xf32>
  %_25 = "cuda_tile.sinh"(%f) : (tile<8xf32>) -> tile<16xf32> // E0305 `tile<16xf32>`: the result is `tile<16xf32>`, but operand `source` is `tile<8xf32>`
  %_26 = "cuda_tile.sqrt"(%f) : (tile<8xf32>) -> tile<8xf32>
  %_27 = "cuda_tile.sqrt"(%f) : (tile<8xf32>) -> tile<16xf32> // E0305 `tile<16xf32>`: the result is `tile<16xf32>`, but operand `source` is `tile<8xf32>`
  %_28 = "cuda_tile.tan"(%f) : (tile<8xf32>) -> tile<8xf32>
  %_29 = "cuda_tile.tan"(%f) : (tile<8xf32>) -> tile<16xf32> // E0305 `tile<16xf32>`: the result is `tile<16xf32>`, but operand `source` is `tile<8xf32>`
  %_30 = "cuda_tile.tanh"(%f) : (tile<8xf32>) -> tile<8xf32>
  %_31 = "cuda_tile.tanh"(%f) : (tile<8xf32>) -> tile<16xf32> // E0305 `tile<16xf32>`: the result is `tile<16xf32>`, but operand `source` is `tile<8xf32>`
  %_32 = "cuda_tile.addf"(%f, %f) : (tile<8xf32>, tile<8xf32>) -> tile<8xf32>
  %_33 = "cuda_tile.addf"(%f, %g) : (tile<8xf32>, tile<16xf32>) -> tile<8xf32> // E0305 `%g`: operand `rhs` is `tile<16xf32>`, but operand `lhs` is `tile<8xf32>`
  %_34 = "cuda_tile.addf"(%f, %f) : (tile<8xf32>, tile<8xf32>) -> tile<8xf16> // E0305 `tile<8xf16>`: the result is `tile<8xf16>`, but operand `lhs` is `tile<8xf32>`
  %_35 = "cuda_tile.subf"(%f, %f) : (tile<8xf32>, tile<8xf32>) -> tile<8xf32>
  %_36 = "cuda_tile.subf"(%f, %g) : (tile<8xf32>, tile<16xf32>) -> tile<8xf32> // E0305 `%g`: operand `rhs` is `tile<16xf32>`, but operand `lhs` is `tile<8xf32>`
  %_37 = "cuda_tile.subf"(%f, %f) : (tile<8xf32>, tile<8xf32>) -> tile<16xf32> // E0305 `tile<16xf32>`: the result is `tile<16xf32>`, but operand `lhs` is `tile<8xf32>`
  %_38 = "cuda_tile.mulf"(%f, %f) : (tile<8xf32>, tile<8xf32>) -> tile<8xf32>
  %_39 = "cuda_tile.mulf"(%f, %g) : (tile<8xf32>, tile<16xf32>) -> tile<8xf32> // E0305 `%g`: operand `rhs` is `tile<16xf32>`, but operand `lhs` is `tile<8xf32>`
  %_40 = "cuda_tile.mulf"(%f, %f) : (tile<8xf32>, tile<8xf32>) -> tile<8xf16> // E0305 `tile<8xf16>`: the result is `tile<8xf16>`, but operand `lhs` is `tile<8xf32>`
  %_41 = "cuda_tile.divf"(%f, %f) : (tile<8xf32>, tile<8xf32>) -> tile<8xf32>
  %_42 = "cuda_tile.divf"(%f, %g) : (tile<8xf32>, tile<16xf32>) -> tile<8xf32> // E0305 `%g`: operand `rhs` is `tile<16xf32>`, but operand `lhs` is `tile<8xf32>`
  %_43 = "cuda_tile.divf"(%f, %f) : (tile<8xf32>, tile<8xf32>) -> tile<16xf32> // E0305 `tile<16xf32>`: the result is `tile<16xf32>`, but operand `lhs` is `tile<8xf32>`
  %_44 = "cuda_tile.remf"(%f, %f) : (tile<8xf32>, tile<8xf32>) -> tile<8xf32>
  %_45 = "cuda_tile.remf"(%f, %g) : (tile<8xf32>, tile<16xf32>) -> tile<8xf32> // E0305 `%g`: operand `rhs` is `tile<16xf32>`, but operand `lhs` is `tile<8xf32>`
  %_46 = "cuda_tile.remf"(%f, %f) : (tile<8xf32>, tile<8xf32>) -> tile<8xf16> // E0305 `tile<8xf16>`: the result is `tile<8xf16>`, but operand `lhs` is `tile<8xf32>`
  %_47 = "cuda_tile.maxf"(%f, %f) : (tile<8xf32>, tile<8xf32>) -> tile<8xf32>
  %_48 = "cuda_tile.maxf"(%f, %g) : (tile<8xf32>, tile<16xf32>) -> tile<8xf32> // E0305 `%g`: operand `rhs` is `tile<16xf32>`, but operand `lhs` is `tile<8xf32>`
  %_49 = "cuda_tile.maxf"(%f, %f) : (tile<8xf32>, tile<8xf32>) -> tile<16xf32> // E0305 `tile<16xf32>`: the result is `tile<16xf32>`, but operand `lhs` is `tile<8xf32>`
  %_50 = "cuda_tile.minf"(%f, %f) : (tile<8xf32>, tile<8xf32>) -> tile<8xf32>
  %_51 = "cuda_tile.minf"(%f, %g) : (tile<8xf32>, tile<16xf32>) -> tile<8xf32> // E0305 `%g`: operand `rhs` is `tile<16xf32>`, but operand `lhs` is `tile<8xf32>`
  %_52 = "cuda_tile.minf"(%f, %f) : (tile<8xf32>, tile<8xf32>) -> tile<8xf16> // E0305 `tile<8xf16>`: the result is `tile<8xf16>`, but operand `lhs` is `tile<8xf32>`
  %_53 = "cuda_tile.fpowf"(%f, %f) : (tile<8xf32>, tile<8xf32>) -> tile<8xf32>
  %_54 = "cuda_tile.fpowf"(%f, %g) : (tile<8xf32>, tile<16xf32>) -> tile<8xf32> // E0305 `%g`: operand `exponent` is `tile<16xf32>`, but operand `source` is `tile<8xf32>`
  %_55 = "cuda_tile.fpowf"(%f, %f) : (tile<8xf32>, tile<8xf32>) -> tile<16xf32> // E0305 `tile<16xf32>`: the result is `tile<16xf32>`, but operand `source` is `tile<8xf32>`
  %_56 = "cuda_tile.atan2"(%f, %f) : (tile<8xf32>, tile<8xf32>) -> tile<8xf32>
  %_57 = "cuda_tile.atan2"(%f, %g) : (tile<8xf32>, tile<16xf32>) -> tile<8xf32> // E0305 `%g`: operand `y` is `tile<16xf32>`, but operand `x` is `tile<8xf32>`
  %_58 = "cuda_tile.atan2"(%f, %f) : (tile<8xf32>, tile<8xf32>) -> tile<8xf16> // E0305 `tile<8xf16>`: the result is `tile<8xf16>`, but operand `x` is `tile<8xf32>`
  %_59 = "cuda_tile.fma"(%f, %f, %f) : (tile<8xf32>, tile<8xf32>, tile<8xf32>) -> tile<8xf32>
  %_60 = "cuda_tile.fma"(%f, %g, %f) : (tile<8xf32>, tile<16xf32>, tile<8xf32>) -> tile<8xf32> // E0305 `%g`: operand `rhs` is `tile<16xf32>`, but operand `lhs` is `tile<8xf32>`
  %_61 = "cuda_tile.fma"(%f, %f, %h) : (tile<8xf32>, tile<8xf32>, tile<8xf16>) -> tile<8xf32> // E0305 `%h`: operand `acc` is `tile<8xf16>`, but operand `lhs` is `tile<8xf32>`
  %_62 = "cuda_tile.fma"(%f, %f, %f) : (tile<8xf32>, tile<8xf32>, tile<8xf32>) -> tile<8xf16> // E0305 `tile<8xf16>`: the result is `tile<8xf16>`, but operand `lhs` is `tile<8xf32>`
  %_63 = "cuda_tile.absi"(%i) : (tile<8xi32>) -> tile<8xi32>
  %_64 = "cuda_tile.absi"(%i) : (tile<8xi32>) -> tile<8xi8> // E0305 `tile<8xi8>`: the result is `tile<8xi8>`, but operand `source` is `tile<8xi32>`
  %_65 = "cuda_tile.negi"(%i) : (tile<8xi32>) -> tile<8xi32>
  %_66 = "cuda_tile.negi"(%i) : (tile<8xi32>) -> tile<8xi8> // E0305 `tile<8xi8>`: the result is `tile<8xi8>`, but operand `source` is `tile<8xi32>`
  %_67 = "cuda_tile.addi"(%i, %i) : (tile<8xi32>, tile<8xi32>) -> tile<8xi32>
  %_68 = "cuda_tile.addi"(%i, %j) : (tile<8xi32>, tile<16xi32>) -> tile<8xi32> // E0305 `%j`: operand `rhs` is `tile<16xi32>`, but operand `lhs` is `tile<8xi32>`
  %_69 = "cuda_tile.addi"(%i, %i) : (tile<8xi32>, tile<8xi32>) -> tile<16xi32> // E0305 `tile<16xi32>`: the result is `tile<16xi32>`, but operand `lhs` is `tile<8xi32>`
  %_70 = "cuda_tile.subi"(%i, %i) : (tile<8xi32>, tile<8xi32>) -> tile<8xi32>
  %_71 = "cuda_tile.subi"(%i, %j) : (tile<8xi32>, tile<16xi32>) -> tile<8xi32> // E0305 `%j`: operand `rhs` is `tile<16xi32>`, but operand `lhs` is `tile<8xi32>`
  %_72 = "cuda_tile.subi"(%i, %i) : (tile<8xi32>, tile<8xi32>) -> tile<8xi8> // E0305 `tile<8xi8>`: the result is `tile<8xi8>`, but operand `lhs` is `tile<8xi32>`
  %_73 = "cuda_tile.muli"(%i, %i) : (tile<8xi32>, tile<8xi32>) -> tile<8xi32>
  %_74 = "cuda_tile.muli"(%i, %j) : (tile<8xi32>, tile<16xi32>) -> tile<8xi32> // E0305 `%j`: operand `rhs` is `tile<16xi32>`, but operand `lhs` is `tile<8xi32>`
  %_75 = "cuda_tile.muli"(%i, %i) : (tile<8xi32>, tile<8xi32>) -> tile<16xi32> // E0305 `tile<16xi32>`: the result is `tile<16xi32>`, but operand `lhs` is `tile<8xi32>`
  %_76 = "cuda_tile.mulhii"(%i, %i) : (tile<8xi32>, tile<8xi32>) -> tile<8xi32>
  %_77 = "cuda_tile.mulhii"(%i, %j) : (tile<8xi32>, tile<16xi32>) -> tile<8xi32> // E0305 `%j`: operand `y` is `tile<16xi32>`, but operand `x` is `tile<8xi32>`
  %_78 = "cuda_tile.mulhii"(%i, %i) : (tile<8xi32>, tile<8xi32>) -> tile<8xi8> // E0305 `tile<8xi8>`: the result is `tile<8xi8>`, but operand `x` is `tile<8xi32>`
  %_79 = "cuda_tile.divi"(%i, %i) <{signedness = 1 : i32}> : (tile<8xi32>, tile<8xi32>) -> tile<8xi32>
  %_80 = "cuda_tile.divi"(%i, %j) <{signedness = 1 : i32}> : (tile<8xi32>, tile<16xi32>) -> tile<8xi32> // E0305 `%j`: operand `rhs` is `tile<16xi32>`, but operand `lhs` is `tile<8xi32>`
  %_81 = "cuda_tile.divi"(%i, %i) <{signedness = 1 : i32}> : (tile<8xi32>, tile<8xi32>) -> tile<16xi32> // E0305 `tile<16xi32>`: the result is `tile<16xi32>`, but operand `lhs` is `tile<8xi32>`
  %_82 = "cuda_tile.remi"(%i, %i) <{signedness = 1 : i32}> : (tile<8xi32>, tile<8xi32>) -> tile<8xi32>
  %_83 = "cuda_tile.remi"(%i, %j) <{signedness = 1 : i32}> : (tile<8xi32>, tile<16xi32>) -> tile<8xi32> // E0305 `%j`: operand `rhs` is `tile<16xi32>`, but operand `lhs` is `tile<8xi32>`
  %_84 = "cuda_tile.remi"(%i, %i) <{signedness = 1 : i32}> : (tile<8xi32>, tile<8xi32>) -> tile<8xi8> // E0305 `tile<8xi8>`: the result is `tile<8xi8>`, but operand `lhs` is `tile<8xi32>`
  %_85 = "cuda_tile.maxi"(%i, %i) <{signedness = 1 : i32}> : (tile<8xi32>, tile<8xi32>) -> tile<8xi32>
  %_86 = "cuda_tile.maxi"(%i, %j) <{signedness = 1 : i32}> : (tile<8xi32>, tile<16xi32>) -> tile<8xi32> // E0305 `%j`: operand `rhs` is `tile<16xi32>`, but operand `lhs` is `tile<8xi32>`
  %_87 = "cuda_tile.maxi"(%i, %i) <{signedness = 1 : i32}> : (tile<8xi32>, tile<8xi32>) -> tile<16xi32> // E0305 `tile<16xi32>`: the result is `tile<16xi32>`, but operand `lhs` is `tile<8xi32>`
  %_88 = "cuda_tile.mini"(%i, %i) <{signedness = 1 : i32}> : (tile<8xi32>, tile<8xi32>) -> tile<8xi32>
  %_89 = "cuda_tile.mini"(%i, %j) <{signedness = 1 : i32}> : (tile<8xi32>, tile<16xi32>) -> tile<8xi32> // E0305 `%j`: operand `rhs` is `tile<16xi32>`, but operand `lhs` is `tile<8xi32>`
  %_90 = "cuda_tile.mini"(%i, %i) <{signedness = 1 : i32}> : (tile<8xi32>, tile<8xi32>) -> tile<8xi8> // E0305 `tile<8xi8>`: the result is `tile<8xi8>`, but operand `lhs` is `tile<8xi32>`
  %_91 = "cuda_tile.andi"(%i, %i) : (tile<8xi32>, tile<8xi32>) -> tile<8xi32>
  %_92 = "cuda_tile.andi"(%i, %j) : (tile<8xi32>, tile<16xi32>) -> tile<8xi32> // E0305 `%j`: operand `rhs` is `tile<16xi32>`, but operand `lhs` is `tile<8xi32>`
  %_93 = "cuda_tile.andi"(%i, %i) : (tile<8xi32>, tile<8xi32>) -> tile<16xi32> // E0305 `tile<16xi32>`: the result is `tile<16xi32>`, but operand `lhs` is `tile<8xi32>`
  %_94 = "cuda_tile.ori"(%i, %i) : (tile<8xi32>, tile<8xi32>) -> tile<8xi32>
  %_95 = "cuda_tile.ori"(%i, %j) : (tile<8xi32>, tile<16xi32>) -> tile<8xi32> // E0305 `%j`: operand `rhs` is `tile<16xi32>`, but operand `lhs` is `tile<8xi32>`
  %_96 = "cuda_tile.ori"(%i, %i) : (tile<8xi32>, tile<8xi32>) -> tile<8xi8> // E0305 `tile<8xi8>`: the result is `tile<8xi8>`, but operand `lhs` is `tile<8xi32>`
  %_97 = "cuda_tile.xori"(%i, %i) : (tile<8xi32>, tile<8xi32>) -> tile<8xi32>
  %_98 = "cuda_tile.xori"(%i, %j) : (tile<8xi32>, tile<16xi32>) -> tile<8xi32> // E0305 `%j`: operand `rhs` is `tile<16xi32>`, but operand `lhs` is `tile<8xi32>`
  %_99 = "cuda_tile.xori"(%i, %i) : (tile<8xi32>, tile<8xi32>) -> tile<16xi32> // E0305 `tile<16xi32>`: the result is `tile<16xi32>`, but operand `lhs` is `tile<8xi32>`
  %_100 = "cuda_tile.shli"(%i, %i) : (tile<8xi32>, tile<8xi32>) -> tile<8xi32>
  %_101 = "cuda_tile.shli"(%i, %j) : (tile<8xi32>, tile<16xi32>) -> tile<8xi32> // E0305 `%j`: operand `rhs` is `tile<16xi32>`, but operand `lhs` is `tile<8xi32>`
  %_102 = "cuda_tile.shli"(%i, %i) : (tile<8xi32>, tile<8xi32>) -> tile<8xi8> // E0305 `tile<8xi8>`: the result is `tile<8xi8>`, but operand `lhs` is `tile<8xi32>`
  %_103 = "cuda_tile.shri"(%i, %i) <{signedness = 1 : i32}> : (tile<8xi32>, tile<8xi32>) -> tile<8xi32>
  %_104 = "cuda_tile.shri"(%i, %j) <{signedness = 1 : i32}> : (tile<8xi32>, tile<16xi32>) -> tile<8xi32> // E0305 `%j`: operand `rhs` is `tile<16xi32>`, but operand `lhs` is `tile<8xi32>`
  %_105 = "cuda_tile.shri"(%i, %i) <{signedness = 1 : i32}> : (tile<8xi32>, tile<8xi32>) -> tile<16xi32> // E0305 `tile<16xi32>`: the result is `tile<16xi32>`, but operand `lhs` is `tile<8xi32>`
  return
}
