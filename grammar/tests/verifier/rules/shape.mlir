// Tiles as a whole, and what is assumed of them.
//
// A comment `// CODE `TEXT`: WORDS` says what the verifier reports on its line: the code, the text that the report points at,
// and words of the message. A line without one is legal.

entry @shape(%p: tile<ptr<f32>>) {
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %f2 = constant <f32: 1.0> : tile<2x8xf32>
  %f1 = constant <f32: 1.0> : tile<8xf32>
  %h = constant <f16: 1.0> : tile<4x8xf16>
  %m = constant <f4E2M1FN: 1.0> : tile<4x8xf4E2M1FN>
  %i = constant <i32: 1> : tile<4x8xi32>
  %k = constant <i32: 0> : tile<i32>
  %kk = constant <i32: 1> : tile<1xi32>
  %l = constant <i64: 0> : tile<i64>
  %c = constant <i1: true> : tile<4x8xi1>
  %c1 = constant <i1: true> : tile<8xi1>
  %tv = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %_0 = constant <i16: [[1, 2], [3, 4]]> : tile<2x2xi16>
  %_1 = constant <f64: 0.5> : tile<f64>
  %_2 = constant <i32: 1> : tile<8xf32> // E0305 `<i32: 1>`: the constant holds i32 elements, but its type is `tile<8xf32>`
  %_3 = constant <i4: 1> : tile<8xi4> // E0315 `tile<8xi4>`: result #0 (`result`) must be a tile of numbers other than i4
  %_4 = constant <i64: 1> : tile<8xptr<f32>> // E0315 `tile<8xptr<f32>>`: result #0 (`result`) must be a tile of numbers
  %_5 = iota : tile<16xi32>
  %_6 = iota : tile<256xi8>
  %_7 = iota : tile<2xi1>
  %_8 = iota : tile<512xi8> // E0305 `tile<512xi8>`: the result is `tile<512xi8>`, expected an extent of at most 256: as many numbers have 8 bits
  %_9 = iota : tile<4xi1> // E0305 `tile<4xi1>`: the result is `tile<4xi1>`, expected an extent of at most 2: as many numbers have 1 bit
  %_10 = iota : tile<4x4xi32> // E0405 `tile<4x4xi32>`: expected one dimension, not 2
  %_11 = iota : tile<i32> // E0405 `tile<i32>`: expected one dimension, not 0
  %_12 = iota : tile<8xf32> // E0315 `tile<8xf32>`: result #0 (`result`) must be a tile of i1, i8, i16, i32 or i64
  %_13 = iota : tile<8xi4> // E0315 `tile<8xi4>`: result #0 (`result`) must be
  %_14 = reshape %f : tile<4x8xf32> -> tile<32xf32>
  %_15 = reshape %kk : tile<1xi32> -> tile<i32>
  %_16 = reshape %f : tile<4x8xf32> -> tile<16xf32> // E0305 `tile<16xf32>`: the result is `tile<16xf32>` with 16 elements, but operand `source` is `tile<4x8xf32>` with 32: expected the same number
  %_17 = reshape %f : tile<4x8xf32> -> tile<32xi32> // E0305 `tile<32xi32>`: expected the same elements
  %_18 = broadcast %kk : tile<1xi32> -> tile<16xi32>
  %_19 = broadcast %f : tile<4x8xf32> -> tile<4x8xf32>
  %_20 = broadcast %f : tile<4x8xf32> -> tile<8x8xf32> // E0305 `%f`: 'cuda_tile.broadcast' op operand `source` is `tile<4x8xf32>`, but the result is `tile<8x8xf32>`: extent 0 is 4, expected 1 or 8
  %_21 = broadcast %kk : tile<1xi32> -> tile<4x8xi32> // E0405 `tile<4x8xi32>`: with 2 dimensions, but operand `source` is `tile<1xi32>` with 1
  %_22 = broadcast %kk : tile<1xi32> -> tile<8xi64> // E0305 `tile<8xi64>`: expected the same elements
  %_23 = permute %f [1, 0] : tile<4x8xf32> -> tile<8x4xf32>
  %_24 = permute %f [0, 1] : tile<4x8xf32> -> tile<4x8xf32>
  %_25 = permute %f [0, 0] : tile<4x8xf32> -> tile<8x4xf32> // E0404 `0`: entry 1 of attribute `permutation` names dimension 0 a second time
  %_26 = permute %f [0, 2] : tile<4x8xf32> -> tile<8x4xf32> // E0404 `2`: entry 1 of attribute `permutation` is 2, expected 0 to 1
  %_27 = permute %f [0, -1] : tile<4x8xf32> -> tile<8x4xf32> // E0404 `-1`: entry 1 of attribute `permutation` is -1, expected 0 to 1
  %_28 = permute %f [0] : tile<4x8xf32> -> tile<8x4xf32> // E0404 `[0]`: attribute `permutation` has 1 entry, expected 2
  %_29 = permute %f [1, 0] : tile<4x8xf32> -> tile<4x8xf32> // E0305 `tile<4x8xf32>`: extent 0 of the result `tile<4x8xf32>` must be extent 1 of `tile<4x8xf32>`, which is 8 // E0305 `tile<4x8xf32>`: extent 1 of the result
  %_30 = permute %f [1, 0] : tile<4x8xf32> -> tile<8x4xf16> // E0305 `tile<8x4xf16>`: expected the same elements
  %_31 = permute %f [1, 0] : tile<4x8xf32> -> tile<32xf32> // E0405 `tile<32xf32>`: with 1 dimension
  %_32 = permute %f1 [0] : tile<8xf32> -> tile<8xf32> // E0405 `%f1`: operand `source` is `tile<8xf32>` of rank 1, expected at least 2 dimensions
  %_33 = cat %f, %f dim = 0 : tile<4x8xf32>, tile<4x8xf32> -> tile<8x8xf32>
  %_34 = cat %f, %f dim = 1 : tile<4x8xf32>, tile<4x8xf32> -> tile<4x16xf32>
  %_35 = cat %f, %f dim = 2 : tile<4x8xf32>, tile<4x8xf32> -> tile<8x8xf32> // E0314 `2`: attribute `dim` is 2, expected 0 to 1: `tile<4x8xf32>` has 2 dimensions
  %_36 = cat %f, %f dim = -1 : tile<4x8xf32>, tile<4x8xf32> -> tile<8x8xf32> // E0314 `-1`: attribute `dim` is -1
  %_37 = cat %f, %f dim = 0 : tile<4x8xf32>, tile<4x8xf32> -> tile<4x8xf32> // E0305 `tile<4x8xf32>`: the result is `tile<4x8xf32>`, but operand `lhs` is `tile<4x8xf32>` and operand `rhs` is `tile<4x8xf32>`, joined along dimension 0: extent 0 is 4, expected 8
  %_38 = cat %f, %f dim = 0 : tile<4x8xf32>, tile<4x8xf32> -> tile<8x16xf32> // E0305 `tile<8x16xf32>`: extent 1 is 16
  %_39 = cat %f, %f2 dim = 0 : tile<4x8xf32>, tile<2x8xf32> -> tile<8x8xf32> // E0305 `tile<8x8xf32>`: extent 0 is 8
  %_40 = cat %f, %h dim = 0 : tile<4x8xf32>, tile<4x8xf16> -> tile<8x8xf32> // E0305 `%h`: expected the same elements
  %_41 = cat %f, %f1 dim = 0 : tile<4x8xf32>, tile<8xf32> -> tile<8x8xf32> // E0405 `%f1`: operand `rhs` is `tile<8xf32>` with 1 dimension
  %_42 = cat %f, %f dim = 0 : tile<4x8xf32>, tile<4x8xf32> -> tile<8x8xf16> // E0305 `tile<8x8xf16>`: expected the same elements
  %_43 = extract %f[%k, %k] : tile<4x8xf32> -> tile<2x2xf32>
  %_44 = extract %f[%k, %k] : tile<4x8xf32> -> tile<4x8xf32>
  %_45 = extract %f[%k, %k] : tile<4x8xf32> -> tile<8x8xf32> // E0305 `tile<8x8xf32>`: extent 0 is 8, expected a divisor of 4
  %_46 = extract %f[%k] : tile<4x8xf32> -> tile<2x2xf32> // E0303 `%k`: has 1 operand `indices`, expected 2
  %_47 = extract %f[%k, %k] : tile<4x8xf32> -> tile<2xf32> // E0405 `tile<2xf32>`: with 1 dimension
  %_48 = extract %f[%k, %k] : tile<4x8xf32> -> tile<2x2xf16> // E0305 `tile<2x2xf16>`: expected the same elements
  %_51 = insert %f2, %f[%k, %k] : tile<2x8xf32>, tile<4x8xf32>
  %_52 = insert %f, %f2[%k, %k] : tile<4x8xf32>, tile<2x8xf32> // E0305 `%f`: extent 0 is 4, expected a divisor of 2
  %_53 = insert %h, %f[%k, %k] : tile<4x8xf16>, tile<4x8xf32> // E0305 `%h`: expected the same elements
  %_54 = insert %f1, %f[%k, %k] : tile<8xf32>, tile<4x8xf32> // E0405 `%f1`: operand `source` is `tile<8xf32>` with 1 dimension
  %_55 = insert %f2, %f[%k] : tile<2x8xf32>, tile<4x8xf32> // E0303 `%k`: has 1 operand `indices`, expected 2
  %_57 = select %c, %f, %f : tile<4x8xi1>, tile<4x8xf32>
  %_58 = select %c, %i, %i : tile<4x8xi1>, tile<4x8xi32>
  %_59 = select %i, %f, %f : tile<4x8xi32>, tile<4x8xf32> // E0315 `%i`: operand #0 (`cond`) must be a tile of i1
  %_60 = select %c1, %f, %f : tile<8xi1>, tile<4x8xf32> // E0305 `%c1`: operand `cond` is `tile<8xi1>`, but operand `val_if_true` is `tile<4x8xf32>`
  %_62 = select %c, %m, %m : tile<4x8xi1>, tile<4x8xf4E2M1FN> // E0315 `%m`: operand `val_if_true` is `tile<4x8xf4E2M1FN>`, expected elements other than f4E2M1FN
  %_63 = assume div_by<16>, %i : tile<4x8xi32>
  %_64 = assume div_by<1>, %i : tile<4x8xi32>
  %_65 = assume div_by<4611686018427387904>, %i : tile<4x8xi32>
  %_66 = assume div_by<16>, %p : tile<ptr<f32>>
  %_67 = assume div_by<16>, %tv : tensor_view<64xf32, strides=[1]>
  %_68 = assume div_by<4, every 8 along 1>, %i : tile<4x8xi32>
  %_69 = assume div_by<12>, %i : tile<4x8xi32> // E0314 `12`: div_by has the divisor 12, expected a power of two from 1 to 2^62
  %_70 = assume div_by<0>, %i : tile<4x8xi32> // E0314 `0`: div_by has the divisor 0
  %_71 = assume div_by<9223372036854775808>, %i : tile<4x8xi32> // E0314 `9223372036854775808`: div_by has the divisor 9223372036854775808
  %_72 = assume div_by<16>, %f : tile<4x8xf32> // E0315 `%f`: div_by needs a tile of integers or pointers, or a tensor_view
  %_73 = assume div_by<4, every 9 along 1>, %i : tile<4x8xi32> // E0314 `9`: div_by has `every` 9, expected 0 to 8
  %_74 = assume div_by<4, every 4 along 2>, %i : tile<4x8xi32> // E0314 `2`: div_by has `along` 2
  %_75 = assume div_by<4, every 4 along -1>, %i : tile<4x8xi32> // E0314 `-1`: div_by has `along` -1
  %_76 = assume div_by<4, every 1 along 0>, %k : tile<i32> // E0314 `div_by<4, every 1 along 0>`: div_by has `every` and `along`, but `tile<i32>` has no dimensions
  %_77 = assume div_by<4, every 1 along 0>, %tv : tensor_view<64xf32, strides=[1]> // E0314 `div_by<4, every 1 along 0>`: has no dimensions
  %_78 = assume div_by<4> , %f1 : tile<8xf32> // E0315 `%f1`: div_by needs
  %_79 = assume same_elements<[4, 8]>, %i : tile<4x8xi32>
  %_80 = assume same_elements<[0, 1]>, %i : tile<4x8xi32>
  %_81 = assume same_elements<[]>, %p : tile<ptr<f32>>
  %_82 = assume same_elements<[4]>, %i : tile<4x8xi32> // E0314 `same_elements<[4]>`: same_elements has 1 entry, but `tile<4x8xi32>` has 2 dimensions
  %_83 = assume same_elements<[4, 9]>, %i : tile<4x8xi32> // E0314 `9`: entry 1 of same_elements is 9, expected 0 to 8
  %_84 = assume same_elements<[-1, 8]>, %i : tile<4x8xi32> // E0314 `-1`: entry 0 of same_elements is -1
  %_85 = assume same_elements<[4, 8]>, %f : tile<4x8xf32> // E0315 `%f`: same_elements needs a tile of integers or pointers
  %_86 = assume bounded<-5, 7>, %i : tile<4x8xi32>
  %_87 = assume bounded<?, ?>, %i : tile<4x8xi32>
  %_88 = assume bounded<-2147483648, 2147483647>, %i : tile<4x8xi32>
  %_89 = assume bounded<8, 7>, %i : tile<4x8xi32> // E0314 `bounded<8, 7>`: bounded has the lower bound 8 above the upper bound 7
  %_90 = assume bounded<-2147483649, ?>, %i : tile<4x8xi32> // E0314 `-2147483649`: bounded has the lower bound -2147483649, expected -2147483648 to 2147483647 for i32
  %_91 = assume bounded<?, 2147483648>, %i : tile<4x8xi32> // E0314 `2147483648`: bounded has the upper bound 2147483648
  %_92 = assume bounded<0, 1>, %p : tile<ptr<f32>> // E0315 `%p`: bounded needs a tile of integers
  %_93 = assume bounded<0, 1>, %f : tile<4x8xf32> // E0315 `%f`: bounded needs a tile of integers
  %_94:2 = get_tensor_shape %tv : tensor_view<64xf32, strides=[1]> -> tile<i32> // E0304 `get_tensor_shape`: has 2 results, expected 1: one for each dimension of the view or tensor
  %_95 = get_tensor_shape %tv : tensor_view<64xf32, strides=[1]> -> tile<i64>
  %_96 = get_tensor_shape %tv : tensor_view<64xf32, strides=[1]> -> tile<1xi64> // E0315 `tile<1xi64>`: result #0 (`result`) must be a scalar i1, i8, i16, i32 or i64
  %_97 = get_tensor_shape %tv : tensor_view<64xf32, strides=[1]> -> tile<f32> // E0315 `tile<f32>`: result #0 (`result`) must be a scalar
  %_98 = get_tensor_shape %k : tile<i32> -> tile<i32> // E0315 `%k`: operand #0 (`src`) must be a tensor_view
}
// -----
entry @more_shape() {
  %a = constant <f32: 1.0> : tile<4x8xf32>
  %i = constant <i32: 0> : tile<i32>
  %l = constant <i64: 0> : tile<i64>
  %p = constant <f32: 1.0> : tile<2x8xf32>
  %n = constant <f32: 1.0> : tile<4xf32>
  %m = constant <f32: 1.0> : tile<8xf32>
  %i8 = constant <i32: 1> : tile<8xi32>
  %_0 = "cuda_tile.assume"(%i8) <{predicate = #cuda_tile.div_by<2>}> : (tile<8xi32>) -> tile<16xi32> // E0305 `tile<16xi32>`: the result is `tile<16xi32>`, but operand `value` is `tile<8xi32>`
  %_1 = cat %n, %m dim = 0 : tile<4xf32>, tile<8xf32> -> tile<12xf32> // E0401 `tile<12xf32>`: extent 0 of `tile<12xf32>` is 12, which is not a power of two; the next one is 16
  %_2 = constant <i8: [1, 2, 3]> : tile<2xi8> // E0123 `<i8: [1, 2, 3]>`: the literal has the shape [3], but its type has [2]
  %_4 = "cuda_tile.insert"(%p, %a, %i, %l) : (tile<2x8xf32>, tile<4x8xf32>, tile<i32>, tile<i64>) -> tile<4x8xf32> // E0315 `%l`: operand #3 (`indices`) must be a scalar i32 (a tile of rank 0), but got `tile<i64>`
  %_6 = "cuda_tile.extract"(%a, %i, %l) : (tile<4x8xf32>, tile<i32>, tile<i64>) -> tile<2x8xf32> // E0315 `%l`: operand #2 (`indices`) must be a scalar i32 (a tile of rank 0), but got `tile<i64>`
  %_5 = "cuda_tile.insert"(%p, %a, %i, %i) : (tile<2x8xf32>, tile<4x8xf32>, tile<i32>, tile<i32>) -> tile<8x8xf32> // E0305 `tile<8x8xf32>`: the result is `tile<8x8xf32>`, but operand `destination` is `tile<4x8xf32>`
  return
}
