// Matrix products.
//
// A comment `// CODE `TEXT`: WORDS` says what the verifier reports on its line: the code, the text that the report points at,
// and words of the message. A line without one is legal.

entry @matrix() {
  %h_4x64 = constant <f16: 1.0> : tile<4x64xf16>
  %h_64x16 = constant <f16: 1.0> : tile<64x16xf16>
  %h_4x16 = constant <f16: 1.0> : tile<4x16xf16>
  %bb_4x64 = constant <bf16: 1.0> : tile<4x64xbf16>
  %bb_64x16 = constant <bf16: 1.0> : tile<64x16xbf16>
  %bb_4x16 = constant <bf16: 1.0> : tile<4x16xbf16>
  %f_4x64 = constant <f32: 1.0> : tile<4x64xf32>
  %f_64x16 = constant <f32: 1.0> : tile<64x16xf32>
  %f_4x16 = constant <f32: 1.0> : tile<4x16xf32>
  %d_4x64 = constant <f64: 1.0> : tile<4x64xf64>
  %d_64x16 = constant <f64: 1.0> : tile<64x16xf64>
  %d_4x16 = constant <f64: 1.0> : tile<4x16xf64>
  %t_4x64 = constant <tf32: 1.0> : tile<4x64xtf32>
  %t_64x16 = constant <tf32: 1.0> : tile<64x16xtf32>
  %t_4x16 = constant <tf32: 1.0> : tile<4x16xtf32>
  %q_4x64 = constant <f8E4M3FN: 1.0> : tile<4x64xf8E4M3FN>
  %q_64x16 = constant <f8E4M3FN: 1.0> : tile<64x16xf8E4M3FN>
  %q_4x16 = constant <f8E4M3FN: 1.0> : tile<4x16xf8E4M3FN>
  %r_4x64 = constant <f8E5M2: 1.0> : tile<4x64xf8E5M2>
  %r_64x16 = constant <f8E5M2: 1.0> : tile<64x16xf8E5M2>
  %r_4x16 = constant <f8E5M2: 1.0> : tile<4x16xf8E5M2>
  %e_4x64 = constant <f8E8M0FNU: 1.0> : tile<4x64xf8E8M0FNU>
  %e_64x16 = constant <f8E8M0FNU: 1.0> : tile<64x16xf8E8M0FNU>
  %e_4x16 = constant <f8E8M0FNU: 1.0> : tile<4x16xf8E8M0FNU>
  %m_4x64 = constant <f4E2M1FN: 1.0> : tile<4x64xf4E2M1FN>
  %m_64x16 = constant <f4E2M1FN: 1.0> : tile<64x16xf4E2M1FN>
  %m_4x16 = constant <f4E2M1FN: 1.0> : tile<4x16xf4E2M1FN>
  %i8_4x64 = constant <i8: 1> : tile<4x64xi8>
  %i8_64x16 = constant <i8: 1> : tile<64x16xi8>
  %i8_4x16 = constant <i8: 1> : tile<4x16xi8>
  %i32_4x64 = constant <i32: 1> : tile<4x64xi32>
  %i32_64x16 = constant <i32: 1> : tile<64x16xi32>
  %i32_4x16 = constant <i32: 1> : tile<4x16xi32>
  %e_4x2 = constant <f8E8M0FNU: 1.0> : tile<4x2xf8E8M0FNU>
  %e_2x16 = constant <f8E8M0FNU: 1.0> : tile<2x16xf8E8M0FNU>
  %e_4x4 = constant <f8E8M0FNU: 1.0> : tile<4x4xf8E8M0FNU>
  %e_8x2 = constant <f8E8M0FNU: 1.0> : tile<8x2xf8E8M0FNU>
  %e_2x8 = constant <f8E8M0FNU: 1.0> : tile<2x8xf8E8M0FNU>
  %e_4x1 = constant <f8E8M0FNU: 1.0> : tile<4x1xf8E8M0FNU>
  %e_1x16 = constant <f8E8M0FNU: 1.0> : tile<1x16xf8E8M0FNU>
  %e_4x128 = constant <f8E8M0FNU: 1.0> : tile<4x128xf8E8M0FNU>
  %e_128x16 = constant <f8E8M0FNU: 1.0> : tile<128x16xf8E8M0FNU>
  %q_4x4 = constant <f8E4M3FN: 1.0> : tile<4x4xf8E4M3FN>
  %q_4x2 = constant <f8E4M3FN: 1.0> : tile<4x2xf8E4M3FN>
  %q_2x16 = constant <f8E4M3FN: 1.0> : tile<2x16xf8E4M3FN>
  %b1 = constant <f16: 1.0> : tile<2x4x64xf16>
  %b2 = constant <f16: 1.0> : tile<2x64x16xf16>
  %b3 = constant <f32: 1.0> : tile<2x4x16xf32>
  %b4 = constant <f16: 1.0> : tile<4x64x16xf16>
  %v = constant <f16: 1.0> : tile<64xf16>
  %n_4x2 = constant <fnv8E5M3FNU: 1.0> : tile<4x2xfnv8E5M3FNU>
  %n_2x16 = constant <fnv8E5M3FNU: 1.0> : tile<2x16xfnv8E5M3FNU>
  %n_4x4 = constant <fnv8E5M3FNU: 1.0> : tile<4x4xfnv8E5M3FNU>
  %n_4x16 = constant <fnv8E5M3FNU: 1.0> : tile<4x16xfnv8E5M3FNU>
  %g1 = constant <f8E4M3FN: 1.0> : tile<2x4x64xf8E4M3FN>
  %g2 = constant <f8E4M3FN: 1.0> : tile<2x64x16xf8E4M3FN>
  %g3 = constant <f8E8M0FNU: 1.0> : tile<2x4x2xf8E8M0FNU>
  %g4 = constant <f8E8M0FNU: 1.0> : tile<2x2x16xf8E8M0FNU>
  %g5 = constant <f8E8M0FNU: 1.0> : tile<4x4x2xf8E8M0FNU>
  %_0 = mmaf %h_4x64, %h_64x16, %h_4x16 : tile<4x64xf16>, tile<64x16xf16>, tile<4x16xf16>
  %_1 = mmaf %h_4x64, %h_64x16, %f_4x16 : tile<4x64xf16>, tile<64x16xf16>, tile<4x16xf32>
  %_2 = mmaf %h_4x64, %h_64x16, %d_4x16 : tile<4x64xf16>, tile<64x16xf16>, tile<4x16xf64> // E0315 `%d_4x16`: 'cuda_tile.mmaf' op operand `acc` is `tile<4x16xf64>`, but operand `lhs` is `tile<4x64xf16>`: products of f16 are accumulated in f16 or f32, not in f64
  %_3 = mmaf %bb_4x64, %bb_64x16, %h_4x16 : tile<4x64xbf16>, tile<64x16xbf16>, tile<4x16xf16> // E0315 `%h_4x16`: 'cuda_tile.mmaf' op operand `acc` is `tile<4x16xf16>`, but operand `lhs` is `tile<4x64xbf16>`: products of bf16 are accumulated in f32, not in f16
  %_4 = mmaf %bb_4x64, %bb_64x16, %f_4x16 : tile<4x64xbf16>, tile<64x16xbf16>, tile<4x16xf32>
  %_5 = mmaf %bb_4x64, %bb_64x16, %d_4x16 : tile<4x64xbf16>, tile<64x16xbf16>, tile<4x16xf64> // E0315 `%d_4x16`: 'cuda_tile.mmaf' op operand `acc` is `tile<4x16xf64>`, but operand `lhs` is `tile<4x64xbf16>`: products of bf16 are accumulated in f32, not in f64
  %_6 = mmaf %t_4x64, %t_64x16, %h_4x16 : tile<4x64xtf32>, tile<64x16xtf32>, tile<4x16xf16> // E0315 `%h_4x16`: 'cuda_tile.mmaf' op operand `acc` is `tile<4x16xf16>`, but operand `lhs` is `tile<4x64xtf32>`: products of tf32 are accumulated in f32, not in f16
  %_7 = mmaf %t_4x64, %t_64x16, %f_4x16 : tile<4x64xtf32>, tile<64x16xtf32>, tile<4x16xf32>
  %_8 = mmaf %t_4x64, %t_64x16, %d_4x16 : tile<4x64xtf32>, tile<64x16xtf32>, tile<4x16xf64> // E0315 `%d_4x16`: 'cuda_tile.mmaf' op operand `acc` is `tile<4x16xf64>`, but operand `lhs` is `tile<4x64xtf32>`: products of tf32 are accumulated in f32, not in f64
  %_9 = mmaf %f_4x64, %f_64x16, %h_4x16 : tile<4x64xf32>, tile<64x16xf32>, tile<4x16xf16> // E0315 `%h_4x16`: 'cuda_tile.mmaf' op operand `acc` is `tile<4x16xf16>`, but operand `lhs` is `tile<4x64xf32>`: products of f32 are accumulated in f32, not in f16
  %_10 = mmaf %f_4x64, %f_64x16, %f_4x16 : tile<4x64xf32>, tile<64x16xf32>, tile<4x16xf32>
  %_11 = mmaf %f_4x64, %f_64x16, %d_4x16 : tile<4x64xf32>, tile<64x16xf32>, tile<4x16xf64> // E0315 `%d_4x16`: 'cuda_tile.mmaf' op operand `acc` is `tile<4x16xf64>`, but operand `lhs` is `tile<4x64xf32>`: products of f32 are accumulated in f32, not in f64
  %_12 = mmaf %d_4x64, %d_64x16, %h_4x16 : tile<4x64xf64>, tile<64x16xf64>, tile<4x16xf16> // E0315 `%h_4x16`: 'cuda_tile.mmaf' op operand `acc` is `tile<4x16xf16>`, but operand `lhs` is `tile<4x64xf64>`: products of f64 are accumulated in f64, not in f16
  %_13 = mmaf %d_4x64, %d_64x16, %f_4x16 : tile<4x64xf64>, tile<64x16xf64>, tile<4x16xf32> // E0315 `%f_4x16`: 'cuda_tile.mmaf' op operand `acc` is `tile<4x16xf32>`, but operand `lhs` is `tile<4x64xf64>`: products of f64 are accumulated in f64, not in f32
  %_14 = mmaf %d_4x64, %d_64x16, %d_4x16 : tile<4x64xf64>, tile<64x16xf64>, tile<4x16xf64>
  %_15 = mmaf %q_4x64, %q_64x16, %h_4x16 : tile<4x64xf8E4M3FN>, tile<64x16xf8E4M3FN>, tile<4x16xf16>
  %_16 = mmaf %q_4x64, %q_64x16, %f_4x16 : tile<4x64xf8E4M3FN>, tile<64x16xf8E4M3FN>, tile<4x16xf32>
  %_17 = mmaf %q_4x64, %q_64x16, %d_4x16 : tile<4x64xf8E4M3FN>, tile<64x16xf8E4M3FN>, tile<4x16xf64> // E0315 `%d_4x16`: 'cuda_tile.mmaf' op operand `acc` is `tile<4x16xf64>`, but operand `lhs` is `tile<4x64xf8E4M3FN>`: products of f8E4M3FN are accumulated in f16 or f32, not in f64
  %_18 = mmaf %r_4x64, %r_64x16, %h_4x16 : tile<4x64xf8E5M2>, tile<64x16xf8E5M2>, tile<4x16xf16>
  %_19 = mmaf %r_4x64, %r_64x16, %f_4x16 : tile<4x64xf8E5M2>, tile<64x16xf8E5M2>, tile<4x16xf32>
  %_20 = mmaf %r_4x64, %r_64x16, %d_4x16 : tile<4x64xf8E5M2>, tile<64x16xf8E5M2>, tile<4x16xf64> // E0315 `%d_4x16`: 'cuda_tile.mmaf' op operand `acc` is `tile<4x16xf64>`, but operand `lhs` is `tile<4x64xf8E5M2>`: products of f8E5M2 are accumulated in f16 or f32, not in f64
  %_21 = mmaf %m_4x64, %m_64x16, %f_4x16 : tile<4x64xf4E2M1FN>, tile<64x16xf4E2M1FN>, tile<4x16xf32> // E0315 `%m_4x64`: operand #0 (`lhs`) must be a tile of f16, bf16, f32, f64, tf32, f8E4M3FN or f8E5M2 // E0315 `%m_64x16`: operand #1 (`rhs`) must be
  %_22 = mmaf %h_4x64, %h_64x16, %bb_4x16 : tile<4x64xf16>, tile<64x16xf16>, tile<4x16xbf16> // E0315 `%bb_4x16`: operand #2 (`acc`) must be a tile of f16, f32 or f64
  %_23 = mmaf %h_4x64, %bb_64x16, %f_4x16 : tile<4x64xf16>, tile<64x16xbf16>, tile<4x16xf32> // E0305 `%bb_64x16`: operand `rhs` is `tile<64x16xbf16>`, but operand `lhs` is `tile<4x64xf16>`: expected the same elements
  %_24 = mmaf %b1, %b2, %b3 : tile<2x4x64xf16>, tile<2x64x16xf16>, tile<2x4x16xf32>
  %_25 = mmaf %b1, %b4, %b3 : tile<2x4x64xf16>, tile<4x64x16xf16>, tile<2x4x16xf32> // E0305 `%b4`: operand `lhs` is `tile<2x4x64xf16>` and operand `rhs` is `tile<4x64x16xf16>`: dimension 0 of `lhs` is 2, but dimension 0 of `rhs` is 4
  %_26 = mmaf %b1, %h_64x16, %b3 : tile<2x4x64xf16>, tile<64x16xf16>, tile<2x4x16xf32> // E0405 `%h_64x16`: with 3, 2 and 3 dimensions: expected 2 or 3 each
  %_27 = mmaf %v, %v, %v : tile<64xf16>, tile<64xf16>, tile<64xf16> // E0405 `%v`: with 1, 1 and 1 dimensions
  %_28 = mmaf %h_4x64, %h_4x16, %f_4x16 : tile<4x64xf16>, tile<4x16xf16>, tile<4x16xf32> // E0305 `%h_4x16`: operand `lhs` is `tile<4x64xf16>` and operand `rhs` is `tile<4x16xf16>`: dimension 1 of `lhs` is 64, but dimension 0 of `rhs` is 4
  %_29 = mmaf %h_4x64, %h_64x16, %f_64x16 : tile<4x64xf16>, tile<64x16xf16>, tile<64x16xf32> // E0305 `%f_64x16`: operand `lhs` is `tile<4x64xf16>` and operand `acc` is `tile<64x16xf32>`: dimension 0 of `lhs` is 4, but dimension 0 of `acc` is 64
  %_30 = mmai %i8_4x64, %i8_64x16, %i32_4x16 signed unsigned : tile<4x64xi8>, tile<64x16xi8>, tile<4x16xi32>
  %_31 = mmai %i32_4x64, %i8_64x16, %i32_4x16 signed signed : tile<4x64xi32>, tile<64x16xi8>, tile<4x16xi32> // E0315 `%i32_4x64`: operand #0 (`lhs`) must be a tile of i8
  %_32 = mmai %i8_4x64, %i32_64x16, %i32_4x16 signed signed : tile<4x64xi8>, tile<64x16xi32>, tile<4x16xi32> // E0315 `%i32_64x16`: operand #1 (`rhs`) must be a tile of i8
  %_33 = mmai %i8_4x64, %i8_64x16, %i8_4x16 signed signed : tile<4x64xi8>, tile<64x16xi8>, tile<4x16xi8> // E0315 `%i8_4x16`: operand #2 (`acc`) must be a tile of i32
  %_34 = mmai %i8_4x64, %i8_4x16, %i32_4x16 signed signed : tile<4x64xi8>, tile<4x16xi8>, tile<4x16xi32> // E0305 `%i8_4x16`: operand `lhs` is `tile<4x64xi8>` and operand `rhs` is `tile<4x16xi8>`: dimension 1 of `lhs` is 64, but dimension 0 of `rhs` is 4
  %_35 = mmaf_scaled %q_4x64, %q_64x16, %f_4x16, %e_4x2, %e_2x16 : tile<4x64xf8E4M3FN>, tile<64x16xf8E4M3FN>, tile<4x16xf32>, tile<4x2xf8E8M0FNU>, tile<2x16xf8E8M0FNU>
  %_36 = mmaf_scaled %r_4x64, %r_64x16, %f_4x16, %e_4x2, %e_2x16 : tile<4x64xf8E5M2>, tile<64x16xf8E5M2>, tile<4x16xf32>, tile<4x2xf8E8M0FNU>, tile<2x16xf8E8M0FNU>
  %_37 = mmaf_scaled %m_4x64, %m_64x16, %f_4x16, %e_4x2, %e_2x16 : tile<4x64xf4E2M1FN>, tile<64x16xf4E2M1FN>, tile<4x16xf32>, tile<4x2xf8E8M0FNU>, tile<2x16xf8E8M0FNU>
  %_38 = mmaf_scaled %m_4x64, %m_64x16, %f_4x16, %e_4x4, %e_4x16 : tile<4x64xf4E2M1FN>, tile<64x16xf4E2M1FN>, tile<4x16xf32>, tile<4x4xf8E8M0FNU>, tile<4x16xf8E8M0FNU>
  %_39 = mmaf_scaled %m_4x64, %m_64x16, %f_4x16, %q_4x4, %q_4x16 : tile<4x64xf4E2M1FN>, tile<64x16xf4E2M1FN>, tile<4x16xf32>, tile<4x4xf8E4M3FN>, tile<4x16xf8E4M3FN>
  %_40 = mmaf_scaled %m_4x64, %m_64x16, %f_4x16, %q_4x2, %q_2x16 : tile<4x64xf4E2M1FN>, tile<64x16xf4E2M1FN>, tile<4x16xf32>, tile<4x2xf8E4M3FN>, tile<2x16xf8E4M3FN> // E0315 `%q_4x2`: scales f4E2M1FN by f8E4M3FN in blocks of 32
  %_41 = mmaf_scaled %m_4x64, %m_64x16, %f_4x16, %n_4x2, %n_2x16 : tile<4x64xf4E2M1FN>, tile<64x16xf4E2M1FN>, tile<4x16xf32>, tile<4x2xfnv8E5M3FNU>, tile<2x16xfnv8E5M3FNU>
  %_42 = mmaf_scaled %m_4x64, %m_64x16, %f_4x16, %n_4x4, %n_4x16 : tile<4x64xf4E2M1FN>, tile<64x16xf4E2M1FN>, tile<4x16xf32>, tile<4x4xfnv8E5M3FNU>, tile<4x16xfnv8E5M3FNU>
  %_43 = mmaf_scaled %q_4x64, %q_64x16, %f_4x16, %n_4x2, %n_2x16 : tile<4x64xf8E4M3FN>, tile<64x16xf8E4M3FN>, tile<4x16xf32>, tile<4x2xfnv8E5M3FNU>, tile<2x16xfnv8E5M3FNU> // E0315 `%n_4x2`: scales f8E4M3FN by fnv8E5M3FNU in blocks of 32
  %_44 = mmaf_scaled %q_4x64, %q_64x16, %f_4x16, %e_4x4, %e_4x16 : tile<4x64xf8E4M3FN>, tile<64x16xf8E4M3FN>, tile<4x16xf32>, tile<4x4xf8E8M0FNU>, tile<4x16xf8E8M0FNU> // E0315 `%e_4x4`: scales f8E4M3FN by f8E8M0FNU in blocks of 16
  %_45 = mmaf_scaled %q_4x64, %q_64x16, %f_4x16, %q_4x2, %q_2x16 : tile<4x64xf8E4M3FN>, tile<64x16xf8E4M3FN>, tile<4x16xf32>, tile<4x2xf8E4M3FN>, tile<2x16xf8E4M3FN> // E0315 `%q_4x2`: scales f8E4M3FN by f8E4M3FN in blocks of 32
  %_46 = mmaf_scaled %q_4x64, %r_64x16, %f_4x16, %e_4x2, %e_2x16 : tile<4x64xf8E4M3FN>, tile<64x16xf8E5M2>, tile<4x16xf32>, tile<4x2xf8E8M0FNU>, tile<2x16xf8E8M0FNU> // E0305 `%r_64x16`: operand `rhs` is
  %_47 = mmaf_scaled %q_4x64, %q_64x16, %f_4x16, %e_8x2, %e_2x16 : tile<4x64xf8E4M3FN>, tile<64x16xf8E4M3FN>, tile<4x16xf32>, tile<8x2xf8E8M0FNU>, tile<2x16xf8E8M0FNU> // E0305 `%e_8x2`: operand `lhs` is `tile<4x64xf8E4M3FN>` and operand `lhs_scale` is `tile<8x2xf8E8M0FNU>`: dimension 0 of `lhs` is 4, but dimension 0 of `lhs_scale` is 8
  %_48 = mmaf_scaled %q_4x64, %q_64x16, %f_4x16, %e_4x2, %e_2x8 : tile<4x64xf8E4M3FN>, tile<64x16xf8E4M3FN>, tile<4x16xf32>, tile<4x2xf8E8M0FNU>, tile<2x8xf8E8M0FNU> // E0305 `%e_2x8`: operand `rhs` is `tile<64x16xf8E4M3FN>` and operand `rhs_scale` is `tile<2x8xf8E8M0FNU>`: dimension 1 of `rhs` is 16, but dimension 1 of `rhs_scale` is 8
  %_49 = mmaf_scaled %q_4x64, %q_64x16, %f_4x16, %e_4x2, %e_1x16 : tile<4x64xf8E4M3FN>, tile<64x16xf8E4M3FN>, tile<4x16xf32>, tile<4x2xf8E8M0FNU>, tile<1x16xf8E8M0FNU> // E0305 `%e_1x16`: operand `lhs_scale` is `tile<4x2xf8E8M0FNU>` and operand `rhs_scale` is `tile<1x16xf8E8M0FNU>`: dimension 1 of `lhs_scale` is 2, but dimension 0 of `rhs_scale` is 1
  %_50 = mmaf_scaled %q_4x64, %q_64x16, %f_4x16, %e_4x2, %q_2x16 : tile<4x64xf8E4M3FN>, tile<64x16xf8E4M3FN>, tile<4x16xf32>, tile<4x2xf8E8M0FNU>, tile<2x16xf8E4M3FN> // E0305 `%q_2x16`: operand `rhs_scale` is `tile<2x16xf8E4M3FN>`, but operand `lhs_scale` is
  %_51 = mmaf_scaled %q_4x64, %q_64x16, %f_4x16, %e_4x128, %e_128x16 : tile<4x64xf8E4M3FN>, tile<64x16xf8E4M3FN>, tile<4x16xf32>, tile<4x128xf8E8M0FNU>, tile<128x16xf8E8M0FNU> // E0305 `%e_4x128`: 'cuda_tile.mmaf_scaled' op operand `lhs_scale` is `tile<4x128xf8E8M0FNU>`, but operand `lhs` is `tile<4x64xf8E4M3FN>`: 128 scales for an extent of 64 along K, expected a divisor of 64
  %_52 = mmaf_scaled %q_4x64, %q_64x16, %f_4x16, %h_4x16, %e_2x16 : tile<4x64xf8E4M3FN>, tile<64x16xf8E4M3FN>, tile<4x16xf32>, tile<4x16xf16>, tile<2x16xf8E8M0FNU> // E0315 `%h_4x16`: operand #3 (`lhs_scale`) must be a tile of f8E8M0FNU, f8E4M3FN or fnv8E5M3FNU
  %_53 = mmaf_scaled %q_4x64, %q_64x16, %f_4x16, %e_4x2, %g4 : tile<4x64xf8E4M3FN>, tile<64x16xf8E4M3FN>, tile<4x16xf32>, tile<4x2xf8E8M0FNU>, tile<2x2x16xf8E8M0FNU> // E0405 `%g4`: operand `rhs_scale` is `tile<2x2x16xf8E8M0FNU>` with 3 dimensions
  %_54 = mmaf_scaled %q_4x64, %q_64x16, %f_4x16, %g3, %e_2x16 : tile<4x64xf8E4M3FN>, tile<64x16xf8E4M3FN>, tile<4x16xf32>, tile<2x4x2xf8E8M0FNU>, tile<2x16xf8E8M0FNU> // E0405 `%g3`: operand `lhs_scale` is
  %_55 = mmaf_scaled %h_4x64, %h_64x16, %f_4x16, %e_4x2, %e_2x16 : tile<4x64xf16>, tile<64x16xf16>, tile<4x16xf32>, tile<4x2xf8E8M0FNU>, tile<2x16xf8E8M0FNU> // E0315 `%h_4x64`: operand #0 (`lhs`) must be a tile of f8E4M3FN, f8E5M2 or f4E2M1FN // E0315 `%h_64x16`: operand #1 (`rhs`) must be
  %_56 = mmaf_scaled %q_4x64, %q_64x16, %h_4x16, %e_4x2, %e_2x16 : tile<4x64xf8E4M3FN>, tile<64x16xf8E4M3FN>, tile<4x16xf16>, tile<4x2xf8E8M0FNU>, tile<2x16xf8E8M0FNU> // E0315 `%h_4x16`: operand #2 (`acc`) must be a tile of f32
  %_57 = mmaf_scaled %g1, %g2, %b3, %g3, %g4 : tile<2x4x64xf8E4M3FN>, tile<2x64x16xf8E4M3FN>, tile<2x4x16xf32>, tile<2x4x2xf8E8M0FNU>, tile<2x2x16xf8E8M0FNU>
  %_58 = mmaf_scaled %g1, %g2, %b3, %g5, %g4 : tile<2x4x64xf8E4M3FN>, tile<2x64x16xf8E4M3FN>, tile<2x4x16xf32>, tile<4x4x2xf8E8M0FNU>, tile<2x2x16xf8E8M0FNU> // E0305 `%g5`: operand `lhs` is `tile<2x4x64xf8E4M3FN>` and operand `lhs_scale` is `tile<4x4x2xf8E8M0FNU>`: dimension 0 of `lhs` is 2, but dimension 0 of `lhs_scale` is 4
}
// -----
entry @more_matrix() {
  %a = constant <f16: 1.0> : tile<4x64xf16>
  %b = constant <f16: 1.0> : tile<64x16xf16>
  %c = constant <f32: 1.0> : tile<4x16xf32>
  %s = constant <i8: 1> : tile<4x64xi8>
  %t = constant <i8: 1> : tile<64x16xi8>
  %u = constant <i32: 1> : tile<4x16xi32>
  %v = constant <i32: 1> : tile<8x16xi32>
  %o = constant <i8: 1> : tile<64xi8>
  %_0 = "cuda_tile.mmaf"(%a, %b, %c) : (tile<4x64xf16>, tile<64x16xf16>, tile<4x16xf32>) -> tile<8x16xf32> // E0305 `tile<8x16xf32>`: the result is `tile<8x16xf32>`, but operand `acc` is `tile<4x16xf32>`: expected the same shape
  %_1 = "cuda_tile.mmai"(%s, %t, %u) <{signedness_lhs = 1 : i32, signedness_rhs = 1 : i32}> : (tile<4x64xi8>, tile<64x16xi8>, tile<4x16xi32>) -> tile<8x16xi32> // E0305 `tile<8x16xi32>`: the result is `tile<8x16xi32>`, but operand `acc` is `tile<4x16xi32>`: expected the same shape
  %_2 = mmai %s, %t, %v signed signed : tile<4x64xi8>, tile<64x16xi8>, tile<8x16xi32> // E0305 `%v`: operand `lhs` is `tile<4x64xi8>` and operand `acc` is `tile<8x16xi32>`: dimension 0 of `lhs` is 4, but dimension 0 of `acc` is 8
  %_3 = mmai %o, %o, %u signed signed : tile<64xi8>, tile<64xi8>, tile<4x16xi32> // E0405 `%o`: takes `lhs` of `tile<64xi8>`, `rhs` of `tile<64xi8>` and `acc` of `tile<4x16xi32>` with 1, 1 and 2 dimensions: expected 2 or 3 each
  return
}
// -----
entry @scaled() {
  %q_4x64 = constant <f8E4M3FN: 1.0> : tile<4x64xf8E4M3FN>
  %q_64x16 = constant <f8E4M3FN: 1.0> : tile<64x16xf8E4M3FN>
  %q_4x16 = constant <f8E4M3FN: 1.0> : tile<4x16xf8E4M3FN>
  %q_64 = constant <f8E4M3FN: 1.0> : tile<64xf8E4M3FN>
  %f_4x16 = constant <f32: 1.0> : tile<4x16xf32>
  %f_8x16 = constant <f32: 1.0> : tile<8x16xf32>
  %e_4x2 = constant <f8E8M0FNU: 1.0> : tile<4x2xf8E8M0FNU>
  %e_2x16 = constant <f8E8M0FNU: 1.0> : tile<2x16xf8E8M0FNU>
  %_0 = mmaf_scaled %q_4x64, %q_64x16, %f_4x16, %e_4x2, %e_2x16 : tile<4x64xf8E4M3FN>, tile<64x16xf8E4M3FN>, tile<4x16xf32>, tile<4x2xf8E8M0FNU>, tile<2x16xf8E8M0FNU>
  %_1 = mmaf_scaled %q_4x64, %q_4x16, %f_4x16, %e_4x2, %e_2x16 : tile<4x64xf8E4M3FN>, tile<4x16xf8E4M3FN>, tile<4x16xf32>, tile<4x2xf8E8M0FNU>, tile<2x16xf8E8M0FNU> // E0305 `%q_4x16`: operand `lhs` is `tile<4x64xf8E4M3FN>` and operand `rhs` is `tile<4x16xf8E4M3FN>`: dimension 1 of `lhs` is 64, but dimension 0 of `rhs` is 4
  %_2 = mmaf_scaled %q_64, %q_64x16, %f_4x16, %e_4x2, %e_2x16 : tile<64xf8E4M3FN>, tile<64x16xf8E4M3FN>, tile<4x16xf32>, tile<4x2xf8E8M0FNU>, tile<2x16xf8E8M0FNU> // E0405 `%q_64`: takes `lhs` of `tile<64xf8E4M3FN>`, `rhs` of `tile<64x16xf8E4M3FN>` and `acc` of `tile<4x16xf32>` with 1, 2 and 2 dimensions: expected 2 or 3 each
  %_3 = mmaf_scaled %q_4x64, %q_64x16, %f_8x16, %e_4x2, %e_2x16 : tile<4x64xf8E4M3FN>, tile<64x16xf8E4M3FN>, tile<8x16xf32>, tile<4x2xf8E8M0FNU>, tile<2x16xf8E8M0FNU> // E0305 `%f_8x16`: operand `lhs` is `tile<4x64xf8E4M3FN>` and operand `acc` is `tile<8x16xf32>`: dimension 0 of `lhs` is 4, but dimension 0 of `acc` is 8
  %_4 = "cuda_tile.mmaf_scaled"(%q_4x64, %q_64x16, %f_4x16, %e_4x2, %e_2x16) : (tile<4x64xf8E4M3FN>, tile<64x16xf8E4M3FN>, tile<4x16xf32>, tile<4x2xf8E8M0FNU>, tile<2x16xf8E8M0FNU>) -> tile<8x16xf32> // E0305 `tile<8x16xf32>`: the result is `tile<8x16xf32>`, but operand `acc` is `tile<4x16xf32>`: expected the same shape
  return
}
