// Memory through pointers, atomics, globals, tokens.
//
// A comment `// CODE `TEXT`: WORDS` says what the verifier reports on its line: the code, the text that the report points at,
// and words of the message. A line without one is legal.

global @table <f32: [1.0, 2.0]> : tile<2xf32>
entry @memory(%p: tile<ptr<f32>>, %mc: tile<ptr<f32, <multicast>>>, %uc: tile<ptr<f32, <unicast>>>) {
  %f = constant <f32: 1.0> : tile<8xf32>
  %g = constant <f32: 1.0> : tile<16xf32>
  %h = constant <f16: 1.0> : tile<8xf16>
  %bb = constant <bf16: 1.0> : tile<8xbf16>
  %d = constant <f64: 1.0> : tile<8xf64>
  %i = constant <i32: 1> : tile<8xi32>
  %i16 = constant <i32: 1> : tile<16xi32>
  %l = constant <i64: 1> : tile<8xi64>
  %s = constant <i8: 1> : tile<8xi8>
  %c = constant <i1: true> : tile<8xi1>
  %c16 = constant <i1: true> : tile<16xi1>
  %t = make_token : token
  %t2 = make_token : token
  %n4 = trunci %i : tile<8xi32> -> tile<8xi4>
  %pf = int_to_ptr %l : tile<8xi64> -> tile<8xptr<f32>>
  %ph = int_to_ptr %l : tile<8xi64> -> tile<8xptr<f16>>
  %pb = int_to_ptr %l : tile<8xi64> -> tile<8xptr<bf16>>
  %pd = int_to_ptr %l : tile<8xi64> -> tile<8xptr<f64>>
  %pi = int_to_ptr %l : tile<8xi64> -> tile<8xptr<i32>>
  %pl = int_to_ptr %l : tile<8xi64> -> tile<8xptr<i64>>
  %ps = int_to_ptr %l : tile<8xi64> -> tile<8xptr<i8>>
  %off = constant <i64: 1> : tile<i64>
  %one = constant <f32: 1.0> : tile<f32>
  %_0, %_tk0 = load_ptr_tko weak %pf : tile<8xptr<f32>> -> tile<8xf32>, token
  %_1, %_tk1 = load_ptr_tko weak %uc : tile<ptr<f32, <unicast>>> -> tile<f32>, token
  %_2, %_tk2 = load_ptr_tko weak %pf, %c, %f token=%t : tile<8xptr<f32>>, tile<8xi1>, tile<8xf32> -> tile<8xf32>, token
  %_3, %_tk3 = load_ptr_tko relaxed device %pf : tile<8xptr<f32>> -> tile<8xf32>, token
  %_4, %_tk4 = load_ptr_tko acquire sys %pf : tile<8xptr<f32>> -> tile<8xf32>, token
  %_5, %_tk5 = load_ptr_tko release sys %pf : tile<8xptr<f32>> -> tile<8xf32>, token // E0314 `release`: attribute `ordering` is release, expected weak, relaxed or acquire
  %_6, %_tk6 = load_ptr_tko acq_rel sys %pf : tile<8xptr<f32>> -> tile<8xf32>, token // E0314 `acq_rel`: attribute `ordering` is acq_rel
  %_7, %_tk7 = load_ptr_tko relaxed %pf : tile<8xptr<f32>> -> tile<8xf32>, token // E0308 `relaxed`: attribute `scope` is missing: the ordering is relaxed
  %_8, %_tk8 = load_ptr_tko weak device %pf : tile<8xptr<f32>> -> tile<8xf32>, token // E0314 `device`: attribute `scope` is given, but a weak access has none
  %_9, %_tk9 = load_ptr_tko weak %pf : tile<8xptr<f32>> -> tile<8xi32>, token // E0305 `%pf`: operand `source` is `tile<8xptr<f32>>`, but result `result` is `tile<8xi32>`: expected pointers to i32
  %_10, %_tk10 = load_ptr_tko weak %pf : tile<8xptr<f32>> -> tile<16xf32>, token // E0305 `tile<16xf32>`: expected the same shape
  %_11, %_tk11 = load_ptr_tko weak %f : tile<8xf32> -> tile<8xf32>, token // E0315 `%f`: operand #0 (`source`) must be a tile of pointers
  %_12, %_tk12 = load_ptr_tko weak %pf, %c16 : tile<8xptr<f32>>, tile<16xi1> -> tile<8xf32>, token // E0305 `%c16`: operand `mask` is `tile<16xi1>`, but operand `source` is `tile<8xptr<f32>>`
  %_13, %_tk13 = load_ptr_tko weak %pf, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xf32>, token // E0315 `%i`: operand #1 (`mask`) must be a tile of i1
  %_14, %_tk14 = load_ptr_tko weak %pf, %c, %g : tile<8xptr<f32>>, tile<8xi1>, tile<16xf32> -> tile<8xf32>, token // E0305 `%g`: operand `padding_value` is `tile<16xf32>`
  %_15, %_tk15 = load_ptr_tko weak %pf, %c, %h : tile<8xptr<f32>>, tile<8xi1>, tile<8xf16> -> tile<8xf32>, token // E0305 `%h`: expected the same elements
  %_16, %_tk16 = load_ptr_tko weak %mc : tile<ptr<f32, <multicast>>> -> tile<f32>, token // E0315 `%mc`: only multimem ops take multicast addresses
  %_18 = store_ptr_tko weak %pf, %f : tile<8xptr<f32>>, tile<8xf32> -> token
  %_19 = store_ptr_tko release tl_blk %pf, %f, %c token=%t : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> token
  %_20 = store_ptr_tko acquire tl_blk %pf, %f : tile<8xptr<f32>>, tile<8xf32> -> token // E0314 `acquire`: attribute `ordering` is acquire, expected weak, relaxed or release
  %_21 = store_ptr_tko release %pf, %f : tile<8xptr<f32>>, tile<8xf32> -> token // E0308 `release`: attribute `scope` is missing
  %_22 = store_ptr_tko weak sys %pf, %f : tile<8xptr<f32>>, tile<8xf32> -> token // E0314 `sys`: a weak access has none
  %_23 = store_ptr_tko weak %pf, %i : tile<8xptr<f32>>, tile<8xi32> -> token // E0305 `%pf`: operand `destination` is `tile<8xptr<f32>>`, but operand `value` is `tile<8xi32>`: expected pointers to i32
  %_24 = store_ptr_tko weak %pf, %g : tile<8xptr<f32>>, tile<16xf32> -> token // E0305 `%g`: expected the same shape
  %_25 = store_ptr_tko weak %pf, %f, %c16 : tile<8xptr<f32>>, tile<8xf32>, tile<16xi1> -> token // E0305 `%c16`: operand `mask` is
  %_26 = store_ptr_tko weak %f, %f : tile<8xf32>, tile<8xf32> -> token // E0315 `%f`: operand #0 (`destination`) must be a tile of pointers
  %_27 = store_ptr_tko weak %mc, %one : tile<ptr<f32, <multicast>>>, tile<f32> -> token // E0315 `%mc`: only multimem ops
  %_28, %_tk28 = atomic_cas_tko relaxed device %pf, %f, %f : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token
  %_29, %_tk29 = atomic_cas_tko acq_rel sys %pi, %i, %i, %c token=%t : tile<8xptr<i32>>, tile<8xi32>, tile<8xi1> -> tile<8xi32>, token
  %_30, %_tk30 = atomic_cas_tko acquire tl_blk %pl, %l, %l : tile<8xptr<i64>>, tile<8xi64> -> tile<8xi64>, token
  %_31, %_tk31 = atomic_cas_tko release device %pd, %d, %d : tile<8xptr<f64>>, tile<8xf64> -> tile<8xf64>, token
  %_32, %_tk32 = atomic_cas_tko weak device %pf, %f, %f : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token // E0314 `weak`: attribute `ordering` is weak, expected relaxed, acquire, release or acq_rel
  %_33, %_tk33 = atomic_cas_tko relaxed device %ph, %h, %h : tile<8xptr<f16>>, tile<8xf16> -> tile<8xf16>, token // E0315 `%h`: operand `val` is `tile<8xf16>`, expected a tile of i32, i64, f32 or f64
  %_34, %_tk34 = atomic_cas_tko relaxed device %ps, %s, %s : tile<8xptr<i8>>, tile<8xi8> -> tile<8xi8>, token // E0315 `%s`: expected a tile of i32, i64, f32 or f64
  %_35, %_tk35 = atomic_cas_tko relaxed device %pf, %i, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xi32>, token // E0305 `%pf`: expected pointers to i32
  %_37, %_tk37 = atomic_cas_tko relaxed device %pf, %g, %g : tile<8xptr<f32>>, tile<16xf32> -> tile<16xf32>, token // E0305 `%g`: expected the same shape
  %_38, %_tk38 = atomic_cas_tko relaxed device %pf, %f, %f, %c16 : tile<8xptr<f32>>, tile<8xf32>, tile<16xi1> -> tile<8xf32>, token // E0305 `%c16`: operand `mask` is
  %_39, %_tk39 = atomic_cas_tko relaxed device %pf, %f, %f, %i : tile<8xptr<f32>>, tile<8xf32>, tile<8xi32> -> tile<8xf32>, token // E0315 `%i`: operand #3 (`mask`) must be a tile of i1
  %_40, %_tk40 = atomic_cas_tko relaxed device %mc, %one, %one : tile<ptr<f32, <multicast>>>, tile<f32> -> tile<f32>, token // E0315 `%mc`: only multimem ops
  %_41, %_tk41 = atomic_rmw_tko relaxed device %pf, and, %f : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token // E0315 `%f`: operand `arg` is `tile<8xf32>`, but and takes
  %_42, %_tk42 = atomic_rmw_tko relaxed device %ph, and, %h : tile<8xptr<f16>>, tile<8xf16> -> tile<8xf16>, token // E0315 `%h`: operand `arg` is `tile<8xf16>`, but and takes
  %_43, %_tk43 = atomic_rmw_tko relaxed device %pb, and, %bb : tile<8xptr<bf16>>, tile<8xbf16> -> tile<8xbf16>, token // E0315 `%bb`: operand `arg` is `tile<8xbf16>`, but and takes
  %_44, %_tk44 = atomic_rmw_tko relaxed device %pd, and, %d : tile<8xptr<f64>>, tile<8xf64> -> tile<8xf64>, token // E0315 `%d`: operand `arg` is `tile<8xf64>`, but and takes
  %_45, %_tk45 = atomic_rmw_tko relaxed device %pi, and, %i : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token
  %_46, %_tk46 = atomic_rmw_tko relaxed device %pl, and, %l : tile<8xptr<i64>>, tile<8xi64> -> tile<8xi64>, token
  %_47, %_tk47 = atomic_rmw_tko relaxed device %ps, and, %s : tile<8xptr<i8>>, tile<8xi8> -> tile<8xi8>, token // E0315 `%s`: operand `arg` is `tile<8xi8>`, but and takes
  %_48, %_tk48 = atomic_rmw_tko relaxed device %pf, or, %f : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token // E0315 `%f`: operand `arg` is `tile<8xf32>`, but or takes
  %_49, %_tk49 = atomic_rmw_tko relaxed device %ph, or, %h : tile<8xptr<f16>>, tile<8xf16> -> tile<8xf16>, token // E0315 `%h`: operand `arg` is `tile<8xf16>`, but or takes
  %_50, %_tk50 = atomic_rmw_tko relaxed device %pb, or, %bb : tile<8xptr<bf16>>, tile<8xbf16> -> tile<8xbf16>, token // E0315 `%bb`: operand `arg` is `tile<8xbf16>`, but or takes
  %_51, %_tk51 = atomic_rmw_tko relaxed device %pd, or, %d : tile<8xptr<f64>>, tile<8xf64> -> tile<8xf64>, token // E0315 `%d`: operand `arg` is `tile<8xf64>`, but or takes
  %_52, %_tk52 = atomic_rmw_tko relaxed device %pi, or, %i : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token
  %_53, %_tk53 = atomic_rmw_tko relaxed device %pl, or, %l : tile<8xptr<i64>>, tile<8xi64> -> tile<8xi64>, token
  %_54, %_tk54 = atomic_rmw_tko relaxed device %ps, or, %s : tile<8xptr<i8>>, tile<8xi8> -> tile<8xi8>, token // E0315 `%s`: operand `arg` is `tile<8xi8>`, but or takes
  %_55, %_tk55 = atomic_rmw_tko relaxed device %pf, xor, %f : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token // E0315 `%f`: operand `arg` is `tile<8xf32>`, but xor takes
  %_56, %_tk56 = atomic_rmw_tko relaxed device %ph, xor, %h : tile<8xptr<f16>>, tile<8xf16> -> tile<8xf16>, token // E0315 `%h`: operand `arg` is `tile<8xf16>`, but xor takes
  %_57, %_tk57 = atomic_rmw_tko relaxed device %pb, xor, %bb : tile<8xptr<bf16>>, tile<8xbf16> -> tile<8xbf16>, token // E0315 `%bb`: operand `arg` is `tile<8xbf16>`, but xor takes
  %_58, %_tk58 = atomic_rmw_tko relaxed device %pd, xor, %d : tile<8xptr<f64>>, tile<8xf64> -> tile<8xf64>, token // E0315 `%d`: operand `arg` is `tile<8xf64>`, but xor takes
  %_59, %_tk59 = atomic_rmw_tko relaxed device %pi, xor, %i : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token
  %_60, %_tk60 = atomic_rmw_tko relaxed device %pl, xor, %l : tile<8xptr<i64>>, tile<8xi64> -> tile<8xi64>, token
  %_61, %_tk61 = atomic_rmw_tko relaxed device %ps, xor, %s : tile<8xptr<i8>>, tile<8xi8> -> tile<8xi8>, token // E0315 `%s`: operand `arg` is `tile<8xi8>`, but xor takes
  %_62, %_tk62 = atomic_rmw_tko relaxed device %pf, add, %f : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token // E0315 `%f`: operand `arg` is `tile<8xf32>`, but add takes
  %_63, %_tk63 = atomic_rmw_tko relaxed device %ph, add, %h : tile<8xptr<f16>>, tile<8xf16> -> tile<8xf16>, token // E0315 `%h`: operand `arg` is `tile<8xf16>`, but add takes
  %_64, %_tk64 = atomic_rmw_tko relaxed device %pb, add, %bb : tile<8xptr<bf16>>, tile<8xbf16> -> tile<8xbf16>, token // E0315 `%bb`: operand `arg` is `tile<8xbf16>`, but add takes
  %_65, %_tk65 = atomic_rmw_tko relaxed device %pd, add, %d : tile<8xptr<f64>>, tile<8xf64> -> tile<8xf64>, token // E0315 `%d`: operand `arg` is `tile<8xf64>`, but add takes
  %_66, %_tk66 = atomic_rmw_tko relaxed device %pi, add, %i : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token
  %_67, %_tk67 = atomic_rmw_tko relaxed device %pl, add, %l : tile<8xptr<i64>>, tile<8xi64> -> tile<8xi64>, token
  %_68, %_tk68 = atomic_rmw_tko relaxed device %ps, add, %s : tile<8xptr<i8>>, tile<8xi8> -> tile<8xi8>, token // E0315 `%s`: operand `arg` is `tile<8xi8>`, but add takes
  %_69, %_tk69 = atomic_rmw_tko relaxed device %pf, max, %f : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token // E0315 `%f`: operand `arg` is `tile<8xf32>`, but max takes
  %_70, %_tk70 = atomic_rmw_tko relaxed device %ph, max, %h : tile<8xptr<f16>>, tile<8xf16> -> tile<8xf16>, token // E0315 `%h`: operand `arg` is `tile<8xf16>`, but max takes
  %_71, %_tk71 = atomic_rmw_tko relaxed device %pb, max, %bb : tile<8xptr<bf16>>, tile<8xbf16> -> tile<8xbf16>, token // E0315 `%bb`: operand `arg` is `tile<8xbf16>`, but max takes
  %_72, %_tk72 = atomic_rmw_tko relaxed device %pd, max, %d : tile<8xptr<f64>>, tile<8xf64> -> tile<8xf64>, token // E0315 `%d`: operand `arg` is `tile<8xf64>`, but max takes
  %_73, %_tk73 = atomic_rmw_tko relaxed device %pi, max, %i : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token
  %_74, %_tk74 = atomic_rmw_tko relaxed device %pl, max, %l : tile<8xptr<i64>>, tile<8xi64> -> tile<8xi64>, token
  %_75, %_tk75 = atomic_rmw_tko relaxed device %ps, max, %s : tile<8xptr<i8>>, tile<8xi8> -> tile<8xi8>, token // E0315 `%s`: operand `arg` is `tile<8xi8>`, but max takes
  %_76, %_tk76 = atomic_rmw_tko relaxed device %pf, min, %f : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token // E0315 `%f`: operand `arg` is `tile<8xf32>`, but min takes
  %_77, %_tk77 = atomic_rmw_tko relaxed device %ph, min, %h : tile<8xptr<f16>>, tile<8xf16> -> tile<8xf16>, token // E0315 `%h`: operand `arg` is `tile<8xf16>`, but min takes
  %_78, %_tk78 = atomic_rmw_tko relaxed device %pb, min, %bb : tile<8xptr<bf16>>, tile<8xbf16> -> tile<8xbf16>, token // E0315 `%bb`: operand `arg` is `tile<8xbf16>`, but min takes
  %_79, %_tk79 = atomic_rmw_tko relaxed device %pd, min, %d : tile<8xptr<f64>>, tile<8xf64> -> tile<8xf64>, token // E0315 `%d`: operand `arg` is `tile<8xf64>`, but min takes
  %_80, %_tk80 = atomic_rmw_tko relaxed device %pi, min, %i : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token
  %_81, %_tk81 = atomic_rmw_tko relaxed device %pl, min, %l : tile<8xptr<i64>>, tile<8xi64> -> tile<8xi64>, token
  %_82, %_tk82 = atomic_rmw_tko relaxed device %ps, min, %s : tile<8xptr<i8>>, tile<8xi8> -> tile<8xi8>, token // E0315 `%s`: operand `arg` is `tile<8xi8>`, but min takes
  %_83, %_tk83 = atomic_rmw_tko relaxed device %pf, umax, %f : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token // E0315 `%f`: operand `arg` is `tile<8xf32>`, but umax takes
  %_84, %_tk84 = atomic_rmw_tko relaxed device %ph, umax, %h : tile<8xptr<f16>>, tile<8xf16> -> tile<8xf16>, token // E0315 `%h`: operand `arg` is `tile<8xf16>`, but umax takes
  %_85, %_tk85 = atomic_rmw_tko relaxed device %pb, umax, %bb : tile<8xptr<bf16>>, tile<8xbf16> -> tile<8xbf16>, token // E0315 `%bb`: operand `arg` is `tile<8xbf16>`, but umax takes
  %_86, %_tk86 = atomic_rmw_tko relaxed device %pd, umax, %d : tile<8xptr<f64>>, tile<8xf64> -> tile<8xf64>, token // E0315 `%d`: operand `arg` is `tile<8xf64>`, but umax takes
  %_87, %_tk87 = atomic_rmw_tko relaxed device %pi, umax, %i : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token
  %_88, %_tk88 = atomic_rmw_tko relaxed device %pl, umax, %l : tile<8xptr<i64>>, tile<8xi64> -> tile<8xi64>, token
  %_89, %_tk89 = atomic_rmw_tko relaxed device %ps, umax, %s : tile<8xptr<i8>>, tile<8xi8> -> tile<8xi8>, token // E0315 `%s`: operand `arg` is `tile<8xi8>`, but umax takes
  %_90, %_tk90 = atomic_rmw_tko relaxed device %pf, umin, %f : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token // E0315 `%f`: operand `arg` is `tile<8xf32>`, but umin takes
  %_91, %_tk91 = atomic_rmw_tko relaxed device %ph, umin, %h : tile<8xptr<f16>>, tile<8xf16> -> tile<8xf16>, token // E0315 `%h`: operand `arg` is `tile<8xf16>`, but umin takes
  %_92, %_tk92 = atomic_rmw_tko relaxed device %pb, umin, %bb : tile<8xptr<bf16>>, tile<8xbf16> -> tile<8xbf16>, token // E0315 `%bb`: operand `arg` is `tile<8xbf16>`, but umin takes
  %_93, %_tk93 = atomic_rmw_tko relaxed device %pd, umin, %d : tile<8xptr<f64>>, tile<8xf64> -> tile<8xf64>, token // E0315 `%d`: operand `arg` is `tile<8xf64>`, but umin takes
  %_94, %_tk94 = atomic_rmw_tko relaxed device %pi, umin, %i : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token
  %_95, %_tk95 = atomic_rmw_tko relaxed device %pl, umin, %l : tile<8xptr<i64>>, tile<8xi64> -> tile<8xi64>, token
  %_96, %_tk96 = atomic_rmw_tko relaxed device %ps, umin, %s : tile<8xptr<i8>>, tile<8xi8> -> tile<8xi8>, token // E0315 `%s`: operand `arg` is `tile<8xi8>`, but umin takes
  %_97, %_tk97 = atomic_rmw_tko relaxed device %pf, addf, %f : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token
  %_98, %_tk98 = atomic_rmw_tko relaxed device %ph, addf, %h : tile<8xptr<f16>>, tile<8xf16> -> tile<8xf16>, token
  %_99, %_tk99 = atomic_rmw_tko relaxed device %pb, addf, %bb : tile<8xptr<bf16>>, tile<8xbf16> -> tile<8xbf16>, token
  %_100, %_tk100 = atomic_rmw_tko relaxed device %pd, addf, %d : tile<8xptr<f64>>, tile<8xf64> -> tile<8xf64>, token
  %_101, %_tk101 = atomic_rmw_tko relaxed device %pi, addf, %i : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token // E0315 `%i`: operand `arg` is `tile<8xi32>`, but addf takes
  %_102, %_tk102 = atomic_rmw_tko relaxed device %pl, addf, %l : tile<8xptr<i64>>, tile<8xi64> -> tile<8xi64>, token // E0315 `%l`: operand `arg` is `tile<8xi64>`, but addf takes
  %_103, %_tk103 = atomic_rmw_tko relaxed device %ps, addf, %s : tile<8xptr<i8>>, tile<8xi8> -> tile<8xi8>, token // E0315 `%s`: operand `arg` is `tile<8xi8>`, but addf takes
  %_104, %_tk104 = atomic_rmw_tko relaxed device %pf, xchg, %f : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token
  %_105, %_tk105 = atomic_rmw_tko relaxed device %ph, xchg, %h : tile<8xptr<f16>>, tile<8xf16> -> tile<8xf16>, token // E0315 `%h`: operand `arg` is `tile<8xf16>`, but xchg takes
  %_106, %_tk106 = atomic_rmw_tko relaxed device %pb, xchg, %bb : tile<8xptr<bf16>>, tile<8xbf16> -> tile<8xbf16>, token // E0315 `%bb`: operand `arg` is `tile<8xbf16>`, but xchg takes
  %_107, %_tk107 = atomic_rmw_tko relaxed device %pd, xchg, %d : tile<8xptr<f64>>, tile<8xf64> -> tile<8xf64>, token
  %_108, %_tk108 = atomic_rmw_tko relaxed device %pi, xchg, %i : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token
  %_109, %_tk109 = atomic_rmw_tko relaxed device %pl, xchg, %l : tile<8xptr<i64>>, tile<8xi64> -> tile<8xi64>, token
  %_110, %_tk110 = atomic_rmw_tko relaxed device %ps, xchg, %s : tile<8xptr<i8>>, tile<8xi8> -> tile<8xi8>, token // E0315 `%s`: operand `arg` is `tile<8xi8>`, but xchg takes
  %_111, %_tk111 = atomic_rmw_tko acq_rel sys %pf, addf, %f, %c token=%t : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> tile<8xf32>, token
  %_112, %_tk112 = atomic_rmw_tko weak device %pf, addf, %f : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token // E0314 `weak`: attribute `ordering` is weak, expected relaxed, acquire, release or acq_rel
  %_113, %_tk113 = atomic_rmw_tko relaxed device %pf, addf, %g : tile<8xptr<f32>>, tile<16xf32> -> tile<16xf32>, token // E0305 `%g`: expected the same shape
  %_114, %_tk114 = atomic_rmw_tko relaxed device %pf, addf, %h : tile<8xptr<f32>>, tile<8xf16> -> tile<8xf16>, token // E0305 `%pf`: expected pointers to f16
  %_115, %_tk115 = atomic_rmw_tko relaxed device %pf, addf, %f, %c16 : tile<8xptr<f32>>, tile<8xf32>, tile<16xi1> -> tile<8xf32>, token // E0305 `%c16`: operand `mask` is
  %_116, %_tk116 = atomic_rmw_tko relaxed device %f, addf, %f : tile<8xf32>, tile<8xf32> -> tile<8xf32>, token // E0315 `%f`: operand #0 (`pointers`) must be a tile of pointers
  %_117, %_tk117 = atomic_rmw_tko relaxed device %mc, addf, %one : tile<ptr<f32, <multicast>>>, tile<f32> -> tile<f32>, token // E0315 `%mc`: only multimem ops
  %_118 = offset %pf, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
  %_119 = offset %pf, %c : tile<8xptr<f32>>, tile<8xi1> -> tile<8xptr<f32>>
  %_120 = offset %mc, %off : tile<ptr<f32, <multicast>>>, tile<i64> -> tile<ptr<f32, <multicast>>>
  %_121 = offset %pf, %i16 : tile<8xptr<f32>>, tile<16xi32> -> tile<8xptr<f32>> // E0305 `%i16`: operand `offset` is `tile<16xi32>`, but operand `ptr` is `tile<8xptr<f32>>`: expected the same shape
  %_122 = offset %pf, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f16>> // E0305 `tile<8xptr<f16>>`: the result is `tile<8xptr<f16>>`, but operand `ptr` is `tile<8xptr<f32>>`
  %_123 = offset %pf, %f : tile<8xptr<f32>>, tile<8xf32> -> tile<8xptr<f32>> // E0315 `%f`: operand #1 (`offset`) must be a tile of i1, i8, i16, i32 or i64
  %_124 = offset %pf, %n4 : tile<8xptr<f32>>, tile<8xi4> -> tile<8xptr<f32>> // E0315 `%n4`: operand #1 (`offset`) must be
  %_125 = offset %l, %i : tile<8xi64>, tile<8xi32> -> tile<8xi64> // E0315 `%l`: operand #0 (`ptr`) must be a tile of pointers
  %_126 = get_global @table : tile<ptr<f32>>
  %_127 = get_global @nowhere : tile<ptr<f32>> // E0311 `@nowhere`: names `@nowhere`, which is no global
  %_128 = get_global @memory : tile<ptr<f32>> // E0311 `@memory`: names `@memory`, which is no global
  %_129 = get_global @table : tile<ptr<i32>> // E0305 `tile<ptr<i32>>`: 'cuda_tile.get_global' op the result is a `ptr<i32>`, but `@table` is `tile<2xf32>`: expected the pointee f32
  %_130 = get_global @table : tile<2xptr<f32>> // E0315 `tile<2xptr<f32>>`: result #0 (`result`) must be a scalar pointer
  %_131 = alloca num_elem = 64, alignment = 16 : tile<ptr<f64>>
  %_132 = alloca num_elem = 0, alignment = 1 : tile<ptr<i1>>
  %_133 = alloca num_elem = 0, alignment = 1 : tile<ptr<f4E2M1FN>>
  %_134 = alloca num_elem = 8, alignment = 4 : tile<ptr<tf32>>
  %_135 = alloca num_elem = -1, alignment = 16 : tile<ptr<f64>> // E0314 `-1`: attribute `num_elem` is -1, expected 0 or more
  %_136 = alloca num_elem = 64, alignment = 4 : tile<ptr<f64>> // E0314 `4`: attribute `alignment` is 4, expected a power of two of at least 8 for f64
  %_137 = alloca num_elem = 64, alignment = 2 : tile<ptr<tf32>> // E0314 `2`: attribute `alignment` is 2, expected a power of two of at least
  %_138 = alloca num_elem = 64, alignment = 24 : tile<ptr<f64>> // E0314 `24`: attribute `alignment` is 24
  %_139 = alloca num_elem = 64, alignment = 0 : tile<ptr<i8>> // E0314 `0`: attribute `alignment` is 0
  %_140 = alloca num_elem = 64, alignment = -8 : tile<ptr<i8>> // E0314 `-8`: attribute `alignment` is -8
  %_141 = alloca num_elem = 64, alignment = 8 : tile<2xptr<i8>> // E0315 `tile<2xptr<i8>>`: result #0 (`result`) must be a scalar pointer
  %_142 = join_tokens %t, %t2 : token
  %_143 = join_tokens %t : token // E0303 `join_tokens`: joins 1 token, expected at least 2
  %_145 = memory_fence_alias_tko %t
  %_147 = gdc_launch_dependents_tko token = %t -> token
  %_148b = gdc_wait_tko token = %t -> token
  %_149 = gdc_wait_tko -> token
}
// -----
entry @more_memory(%p: tile<ptr<f32>>) {
  %q = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %a = broadcast %q : tile<1xptr<f32>> -> tile<8xptr<f32>>
  %f = constant <f32: 1.0> : tile<8xf32>
  %i = constant <i32: 1> : tile<8xi32>
  %x, %t0 = atomic_rmw_tko relaxed device %a, addf, %f, %i : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> tile<8xf32>, token // E0305 `%i`: `%i` (operand `mask`) has the type `tile<8xi32>`, not `tile<8xi1>`
  %y, %t1 = "cuda_tile.atomic_rmw_tko"(%a, %f, %i) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 4 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tile<8xptr<f32>>, tile<8xf32>, tile<8xi32>) -> (tile<8xf32>, token) // E0315 `%i`: operand #2 (`mask`) must be a tile of i1, but got `tile<8xi32>`
  %t2 = "cuda_tile.store_ptr_tko"(%a, %f, %i) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tile<8xptr<f32>>, tile<8xf32>, tile<8xi32>) -> token // E0315 `%i`: operand #2 (`mask`) must be a tile of i1, but got `tile<8xi32>`
  %t3 = "cuda_tile.join_tokens"(%f, %f) : (tile<8xf32>, tile<8xf32>) -> token // E0315 `%f`: operand #0 (`tokens`) must be a token, but got `tile<8xf32>` // E0315 `%f`: operand #1 (`tokens`) must be a token, but got `tile<8xf32>`
  return
}
