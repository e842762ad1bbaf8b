#loop_unroll = #llvm.loop_unroll<full = true>
#loop_annotation = #llvm.loop_annotation<unroll = #loop_unroll>
"builtin.module"() ({
  "gpu.module"() <{sym_name = "kernels"}> ({
    "cuda.kernel"() <{arg_attrs = [{cute_nvgpu.grid_constant}, {}], function_type = (i32, f32) -> (), sym_name = "k"}> ({
    ^bb0(%n: i32, %f: f32):
      %zero = "arith.constant"() <{value = 0 : i32}> : () -> i32
      %one = "arith.constant"() <{value = 1 : i32}> : () -> i32
      "scf.for"(%zero, %n, %one) ({
      ^bb0(%i: i32):
        "scf.yield"() : () -> ()
      }) {loop_annotation = #loop_annotation} : (i32, i32, i32) -> ()
      %sums:2 = "scf.for"(%zero, %n, %one, %f, %zero) ({
      ^bb0(%i: i32, %sum: f32, %count: i32):
        %next = "arith.addf"(%sum, %f) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        %small = "arith.cmpi"(%i, %count) <{predicate = 2 : i64}> : (i32, i32) -> i1
        "scf.if"(%small) ({
          "nvvm.barrier"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> ()
          "scf.yield"() : () -> ()
        }, {
        }) : (i1) -> ()
        "scf.if"(%small) ({
          "scf.yield"() : () -> ()
        }, {
          "nvvm.barrier"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> ()
          "scf.yield"() : () -> ()
        }) : (i1) -> ()
        %chosen:2 = "scf.if"(%small) ({
          "scf.yield"(%next, %i) : (f32, i32) -> ()
        }, {
          "scf.yield"(%sum, %count) : (f32, i32) -> ()
        }) : (i1) -> (f32, i32)
        "scf.yield"(%chosen#0, %chosen#1) : (f32, i32) -> ()
      }) : (i32, i32, i32, f32, i32) -> (f32, i32)
      %last = "scf.while"(%sums#1) ({
      ^bb0(%at: i32):
        %more = "arith.cmpi"(%at, %n) <{predicate = 2 : i64}> : (i32, i32) -> i1
        "scf.condition"(%more, %at) : (i1, i32) -> ()
      }, {
      ^bb0(%at: i32):
        %next = "arith.addi"(%at, %one) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
        "scf.yield"(%next) : (i32) -> ()
      }) : (i32) -> i32
      "scf.while"() ({
        %never = "arith.constant"() <{value = false}> : () -> i1
        "scf.condition"(%never) : (i1) -> ()
      }, {
        "scf.yield"() : () -> ()
      }) : () -> ()
      %holds = "arith.cmpi"(%last, %n) <{predicate = 3 : i64}> : (i32, i32) -> i1
      "cf.assert"(%holds) <{msg = "a \"bound\"\0A"}> : (i1) -> ()
      %asm = "llvm.inline_asm"(%n) <{asm_dialect = 0 : i64, asm_string = "mov.b32 $0, $1;", constraints = "=r,r", tail_call_kind = #llvm.tailcallkind<none>}> : (i32) -> i32
      "llvm.inline_asm"() <{asm_dialect = 0 : i64, asm_string = "griddepcontrol.wait;", constraints = "~{memory}", has_side_effects, tail_call_kind = #llvm.tailcallkind<none>}> : () -> ()
      %null = "arith.constant"() <{value = 0 : i64}> : () -> i64
      %base = "llvm.inttoptr"(%null) : (i64) -> !llvm.ptr<1>
      %address = "llvm.ptrtoint"(%base) : (!llvm.ptr<1>) -> i64
      %next_one = "llvm.getelementptr"(%base) <{elem_type = f32, noWrapFlags = 0 : i32, rawConstantIndices = array<i32: -1>}> : (!llvm.ptr<1>) -> !llvm.ptr<1>
      %some_one = "llvm.getelementptr"(%base, %n) <{elem_type = i8, noWrapFlags = 3 : i32, rawConstantIndices = array<i32: -2147483648>}> : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>
      %other_one = "llvm.getelementptr"(%base, %n) <{elem_type = i8, noWrapFlags = 7 : i32, rawConstantIndices = array<i32: -2147483648, 2>}> : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>
      %there = "llvm.load"(%base) <{alignment = 4 : i64, ordering = 0 : i64}> : (!llvm.ptr<1>) -> i32
      %again = "llvm.load"(%base) <{ordering = 0 : i64, volatile_}> : (!llvm.ptr<1>) -> vector<4xf32>
      %constant = "llvm.load"(%base) <{invariant, ordering = 0 : i64}> : (!llvm.ptr<1>) -> f32
      %acquired = "llvm.load"(%base) <{alignment = 4 : i64, ordering = 4 : i64, syncscope = "device"}> : (!llvm.ptr<1>) -> i32
      "llvm.store"(%n, %base) <{ordering = 0 : i64}> : (i32, !llvm.ptr<1>) -> ()
      "llvm.store"(%n, %base) <{alignment = 4 : i64, ordering = 5 : i64}> : (i32, !llvm.ptr<1>) -> ()
      %mask = "arith.constant"() <{value = dense<[true, false, true, false]> : vector<4xi1>}> : () -> vector<4xi1>
      %some = "llvm.intr.masked.load"(%base, %mask) <{alignment = 16 : i32}> : (!llvm.ptr<1>, vector<4xi1>) -> vector<4xf32>
      %others = "llvm.intr.masked.load"(%base, %mask, %some) <{alignment = 16 : i32}> : (!llvm.ptr<1>, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
      "llvm.intr.masked.store"(%others, %base, %mask) <{alignment = 16 : i32}> : (vector<4xf32>, !llvm.ptr<1>, vector<4xi1>) -> ()
      "llvm.fence"() <{ordering = 6 : i64}> : () -> ()
      "llvm.fence"() <{ordering = 7 : i64, syncscope = "block"}> : () -> ()
      %two = "llvm.inline_asm"(%n) <{asm_dialect = 0 : i64, asm_string = "mov.b32 $0, $2; mov.b32 $1, $2;", constraints = "=r,=r,r", tail_call_kind = #llvm.tailcallkind<none>}> : (i32) -> !llvm.struct<(i32, i32)>
      %second = "llvm.extractvalue"(%two) <{position = array<i64: 1>}> : (!llvm.struct<(i32, i32)>) -> i32
      %swizzled = "cute.apply_swizzle"(%base) <{swizzle = #cute.swizzle<"S<3,4,3>">}> : (!llvm.ptr<1>) -> !llvm.ptr<1>
      %bits = "llvm.bitcast"(%others) : (vector<4xf32>) -> vector<2xi64>
      %approximate = "llvm.call_intrinsic"(%constant) <{fastmathFlags = #llvm.fastmath<none>, intrin = "llvm.nvvm.sin.approx.f", op_bundle_sizes = array<i32>, operandSegmentSizes = array<i32: 1, 0>}> : (f32) -> f32
      %fast = "llvm.call_intrinsic"(%constant, %constant) <{fastmathFlags = #llvm.fastmath<nnan, contract>, intrin = "llvm.nvvm.div.full", op_bundle_sizes = array<i32>, operandSegmentSizes = array<i32: 2, 0>}> : (f32, f32) -> f32
      %nothing = "ub.poison"() <{value = #ub.poison}> : () -> vector<8xf32>
      %undef = "llvm.mlir.undef"() : () -> i32
      %poison = "llvm.mlir.poison"() : () -> vector<2xf32>
      "cuda.return"() : () -> ()
    }) {cu_attrs = {max_dynamic_shared_size_bytes = #cuda.dev_max_shared_memory_optin, non_portable_cluster_size_allowed = 1 : i32}, cute.kernel, gpu.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, smem.config_smem_size = 16400 : i64} : () -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32, f32, !cuda.stream) -> i32, sym_name = "launch"}> ({
  ^bb0(%n: i32, %f: f32, %stream: !cuda.stream):
    %one = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %zero = "arith.constant"() <{value = 0 : i64}> : () -> i64
    %other = "cuda.cast"(%zero) : (i64) -> !cuda.stream
    %bytes = "cute.kernel_smem_size"() <{kernel_name = @kernels::@k}> : () -> i64
    %config = "cuda.launch_cfg.create"(%one, %one, %one, %bytes, %n, %one, %one, %stream) <{maxNumAttrs = 17 : i32}> : (i32, i32, i32, i64, i32, i32, i32, !cuda.stream) -> !cuda.launch_cfg<max_attrs = 17>
    "cuda.launch_cfg.cluster_dim"(%config, %one, %one, %one) : (!cuda.launch_cfg<max_attrs = 17>, i32, i32, i32) -> ()
    "cuda.launch_cfg.cooperative"(%config, %one) : (!cuda.launch_cfg<max_attrs = 17>, i32) -> ()
    "cuda.launch_cfg.programmatic_stream_serialization_allowed"(%config, %one) : (!cuda.launch_cfg<max_attrs = 17>, i32) -> ()
    %result = "cuda.launch_ex"(%config, %n, %f) <{assume_kernel_attr = #cuda.assume_kernel_attr<true>, callee = @kernels::@k}> : (!cuda.launch_cfg<max_attrs = 17>, i32, f32) -> !cuda.result
    %code = "cuda.cast"(%result) : (!cuda.result) -> i32
    "cuda.return_if_error"(%code) : (i32) -> ()
    %pointer = "builtin.unrealized_conversion_cast"(%zero) : (i64) -> !llvm.ptr<3>
    "func.return"(%code) : (i32) -> ()
  }) {llvm.emit_c_interface} : () -> ()
}) {gpu.container_module} : () -> ()
