"""Instructions that kernels of CuTe DSL name themselves, on the GPU: results are compared with what they mean, bit by bit.

    python3 tests/gpu/cute_instructions.py TILEWRIGHT [NAME ...] [--on cpu]

Shuffles, votes, barriers, atomics, inline PTX, pointers of `llvm`, vectors and roundings. Each kernel is one warp; `%t` is the number
of its thread, `%x` its element of the input, and `%r` what it stores. Inputs are scattered bits, outputs are poisoned, and words that a
kernel must not touch are compared, too.
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np

# Quotients by 0 are compared, too.
np.seterr(divide="ignore")

V = '!cute.memref<i32, gmem, align<16>, "(1024):(1)">'


def module(body, threads=32, blocks=1, cluster=None):
    return f"""module attributes {{gpu.container_module}} {{
  gpu.module @kernels {{
    cuda.kernel @k(%in: {V}, %out: {V}) attributes {{nvvm.reqntid = array<i32: {threads}, 1, 1>}} {{
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %all = arith.constant -1 : i32
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %c3 = arith.constant 3 : i32
      %c31 = arith.constant 31 : i32
      %c32 = arith.constant 32 : i32
      %at = cute.make_coord(%t) : (i32) -> !cute.coord<"?">
      %x = cute.memref.load(%in, %at) : ({V}, !cute.coord<"?">) -> i32
      %is = cute.get_iter(%in) : {V}
      %ip = builtin.unrealized_conversion_cast %is : !cute.ptr<i32, gmem, align<16>> to !llvm.ptr<1>
      %os = cute.get_iter(%out) : {V}
      %op = builtin.unrealized_conversion_cast %os : !cute.ptr<i32, gmem, align<16>> to !llvm.ptr<1>
{body}
      cute.memref.store(%out, %at, %r) : ({V}, !cute.coord<"?">, i32) -> ()
      return
    }}
  }}
  func.func @main(%in: {V}, %out: {V}, %stream: !cuda.stream) -> i32 {{
    %ok = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %threads = arith.constant {threads} : i32
    %blocks = arith.constant {blocks} : i32
    %bytes = cute.kernel_smem_size @kernels::@k : i64
    %cfg = cuda.launch_cfg.create<max_attrs = 17 : i32> (blockDim = (%threads, %one, %one), dynamicSmemBytes = %bytes, gridDim = (%blocks, %one, %one), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 17>
    %launched = cuda.launch_ex @kernels::@k<%cfg> (%in, %out) : !cuda.launch_cfg<max_attrs = 17>, ({V}, {V}) -> !cuda.result
    %result = cuda.cast %launched : !cuda.result -> i32
    cuda.return_if_error %result : i32
    return %ok : i32
  }}
}}
"""


# What outputs are poisoned with: -9 as an integer.
UNTOUCHED = np.uint32(0xFFFFFFF7)
# The input: scattered bits, the same in every run.
I = ((np.arange(1024, dtype=np.uint64) * 2654435761) & 0xFFFFFFFF).astype(np.uint32)
I = ((I << np.uint32(7)) | (I >> np.uint32(25))) ^ np.uint32(0x55)
# The numbers of the threads, and their elements of the input.
L = np.arange(32)
X = I[:32]
U = np.uint32
CASES = []


def S(a):
    """Words as integers with a sign."""
    return np.asarray(a, np.uint32).astype(np.int64) - ((np.asarray(a, np.uint64) >> 31).astype(np.int64) << 32)


def case(name, body, want, input=None, rest=None, **options):
    """`want` is what the threads store, `rest` the words beyond them by the position of the first."""
    CASES.append((name, body, want, input, rest or {}, options))


def u(a):
    """Integers as words."""
    return np.asarray(np.asarray(a, dtype=np.int64) & 0xFFFFFFFF, dtype=np.uint32)


# ---- named instructions
case(
    "shuffle_up", "%r = nvvm.shfl.sync up %all, %x, %c2, %c0 : i32 -> i32", np.where(L < 2, X, X[np.maximum(L - 2, 0)])
)
case(
    "shuffle_down",
    "%r = nvvm.shfl.sync down %all, %x, %c3, %c31 : i32 -> i32",
    np.where(L + 3 < 32, X[np.minimum(L + 3, 31)], X),
)
case(
    "shuffle_down_of_8",
    "%clamp = arith.constant 6151 : i32\n%r = nvvm.shfl.sync down %all, %x, %c3, %clamp : i32 -> i32",
    np.where(L % 8 + 3 < 8, X[np.minimum(L + 3, 31)], X),
)
case("shuffle_across", "%r = nvvm.shfl.sync bfly %all, %x, %c3, %c31 : i32 -> i32", X[L ^ 3])
case(
    "shuffle_valid",
    """%both = nvvm.shfl.sync up %all, %x, %c2, %c0 {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
%moved = llvm.extractvalue %both[0] : !llvm.struct<(i32, i1)>
%valid = llvm.extractvalue %both[1] : !llvm.struct<(i32, i1)>
%r = arith.select %valid, %moved, %c3 : i32""",
    np.where(L < 2, 3, X[np.maximum(L - 2, 0)]),
)
odd = int(sum(1 << i for i in range(32) if X[i] & 1))
for kind, want in [("ballot", odd), ("any", int(odd != 0)), ("all", int(odd == 0xFFFFFFFF))]:
    ext = "%r = arith.addi %v, %c0 : i32" if kind == "ballot" else "%r = arith.extui %v : i1 to i32"
    case(
        "vote_" + kind,
        f"%low = arith.andi %x, %c1 : i32\n%p = arith.cmpi ne, %low, %c0 : i32\n%v = nvvm.vote.sync {kind} %all, %p -> {'i32' if kind == 'ballot' else 'i1'}\n{ext}",
        [want] * 32,
    )
for kind, want in [
    ("add", int(X.astype(np.uint64).sum())),
    ("xor", int(np.bitwise_xor.reduce(X))),
    ("and", int(np.bitwise_and.reduce(X))),
    ("or", int(np.bitwise_or.reduce(X))),
    ("umax", int(X.max())),
    ("umin", int(X.min())),
    ("max", int(S(X).max())),
    ("min", int(S(X).min())),
]:
    case("redux_" + kind, f"%r = nvvm.redux.sync {kind} %x, %all : i32 -> i32", [want] * 32)
case(
    "match_any",
    "%two = arith.andi %x, %c3 : i32\n%r = nvvm.match.sync any %all, %two : i32 -> i32",
    [int(sum(1 << o for o in range(32) if X[o] & 3 == X[l] & 3)) for l in L],
)
bits = X.copy()
bits[3] = 0
bits[4] = 0xFFFFFFFF
bits[5] = 1
clz = lambda v: 32 - int(v).bit_length()
ctz = lambda v: 32 if v == 0 else (int(v) & -int(v)).bit_length() - 1
case(
    "count_bits",
    """%a = math.ctpop %x : i32
%b = math.ctlz %x : i32
%c = math.cttz %x : i32
%k = arith.constant 64 : i32
%ab = arith.muli %a, %k : i32
%abb = arith.addi %ab, %b : i32
%abc = arith.muli %abb, %k : i32
%r = arith.addi %abc, %c : i32""",
    [(bin(int(v)).count("1") * 64 + clz(v)) * 64 + ctz(v) for v in bits],
    input=bits,
)
case(
    "barriers",
    """%n = arith.andi %x, %c0 : i32
%number = arith.addi %n, %c2 : i32
nvvm.barrier id = %number number_of_threads = %c32
nvvm.barrier id = %c3 number_of_threads = %c32
nvvm.barrier.cta.sync %number, %c32 : i32, i32
nvvm.barrier.cta.sync %c1 {aligned = true} : i32
nvvm.bar.warp.sync %all : i32
%r = arith.addi %x, %c0 : i32""",
    X,
)
for kind, want in [("and", 0), ("or", 1), ("popc", 20)]:
    case(
        "barrier_" + kind,
        f"""%c20 = arith.constant 20 : i32
%p = arith.cmpi slt, %t, %c20 : i32
%r = nvvm.barrier.cta.red %p, %c1, %c32 {{kind = #nvvm.barrier_redux_kind<{kind}>}} : i1, i32, i32 -> i32""",
        [want] * 32,
    )
O = 0xFFFFFFF7
for op, f in [
    ("add", lambda x: O + x),
    ("sub", lambda x: O - x),
    ("and", lambda x: O & x),
    ("or", lambda x: O | x),
    ("xor", lambda x: O ^ x),
    ("exch", lambda x: x),
    ("min", lambda x: min(-9, int(S(U(x))))),
    ("max", lambda x: max(-9, int(S(U(x))))),
    ("umin", lambda x: min(O, x)),
    ("umax", lambda x: max(O, x)),
    ("inc", lambda x: 0 if O >= x else O + 1),
]:
    case(
        "atomic_" + op,
        f"""%i = arith.addi %t, %c32 : i32
%p = llvm.getelementptr %op[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
%r = nvvm.atomicrmw {op} %p, %x : !llvm.ptr<1>, i32""",
        [O] * 32,
        rest={32: [f(int(x)) for x in X]},
    )
case(
    "atomic_red_of_one_address",
    """%p = llvm.getelementptr %op[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
nvvm.red %p, %c3 {memOrder = #nvvm.mem_order<relaxed>, memScope = #nvvm.mem_scope<gpu>, op = #nvvm.red_op<add>, type = #nvvm.red_type<s32>} : !llvm.ptr<1>, i32
%r = arith.addi %x, %c0 : i32""",
    X,
    rest={32: [O + 96]},
)
case(
    "atomic_cas",
    """%old = arith.constant -9 : i32
%i = arith.addi %t, %c32 : i32
%p = llvm.getelementptr %op[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
%low = arith.andi %t, %c1 : i32
%expected = arith.addi %old, %low : i32
%r = nvvm.atomicrmw cas %p, %expected, %x : !llvm.ptr<1>, i32, i32""",
    [O] * 32,
    rest={32: np.where(L % 2 == 0, X, U(O))},
)
case(
    "atomic_fadd",
    """%f = arith.sitofp %t : i32 to f32
%i = arith.addi %t, %c32 : i32
%p = llvm.getelementptr %op[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
llvm.store %f, %p : f32, !llvm.ptr<1>
%old = nvvm.atomicrmw fadd %p, %f : !llvm.ptr<1>, f32
%r = arith.fptosi %old : f32 to i32""",
    L,
    rest={32: (2.0 * L).astype(np.float32).view(np.uint32)},
)
# ---- pointers of llvm
case(
    "pointers",
    """%four = arith.constant 4 : i32
%i = arith.muli %t, %four : i32
%p = llvm.getelementptr %ip[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
%v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
%w = arith.addi %v, %v : vector<4xi32>
%o = llvm.getelementptr %op[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
%wide = arith.extsi %t : i32 to i64
%q = llvm.getelementptr %o[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<4xi32>
llvm.store %w, %q {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
%b = llvm.getelementptr %ip[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
%byte = llvm.load %b : !llvm.ptr<1> -> i8
%r = arith.extui %byte : i8 to i32""",
    I.view(np.uint8)[:32].astype(np.uint32),
    rest={32: I[:128].astype(np.int64) * 2},
)
case(
    "ordered_accesses",
    """%p = llvm.getelementptr %ip[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
%a = llvm.load volatile %p : !llvm.ptr<1> -> i32
%b = llvm.load %p atomic syncscope("device") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
%c = nvvm.load.ext %p {cacheModifier = #nvvm.load_cache_modifier_ext<cg>} : !llvm.ptr<1> -> i32
%d = nvvm.load.ext %p {order = #nvvm.mem_order<relaxed>, scope = #nvvm.mem_scope<gpu>} : !llvm.ptr<1> -> f32
%e = arith.bitcast %d : f32 to i32
%q = llvm.getelementptr %op[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
%far = llvm.getelementptr %q[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
llvm.store %a, %far atomic syncscope("block") release {alignment = 4 : i64} : i32, !llvm.ptr<1>
llvm.fence syncscope("device") acq_rel
llvm.fence seq_cst
%near = llvm.getelementptr %far[-32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
nvvm.store.ext %b, %near {cacheModifier = #nvvm.store_cache_modifier<cg>} : i32, !llvm.ptr<1>
%number = llvm.ptrtoint %far : !llvm.ptr<1> to i64
%again = llvm.inttoptr %number : i64 to !llvm.ptr<1>
%back = llvm.load %again : !llvm.ptr<1> -> i32
%ce = arith.addi %c, %e : i32
%r = arith.addi %ce, %back : i32""",
    X.astype(np.int64) * 3,
    rest={32: X, 64: X},
)
case(
    "masked_accesses",
    """%mask = arith.constant dense<[true, false, true, true]> : vector<4xi1>
%other = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
%v = llvm.intr.masked.load %ip, %mask, %other {alignment = 16 : i32} : (!llvm.ptr<1>, vector<4xi1>, vector<4xi32>) -> vector<4xi32>
%few = arith.constant dense<[false, true, false, true]> : vector<4xi1>
%p = llvm.getelementptr %op[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
%first = arith.cmpi eq, %t, %c0 : i32
scf.if %first {
llvm.intr.masked.store %v, %p, %few {alignment = 16 : i32} : vector<4xi32>, vector<4xi1> into !llvm.ptr<1>
}
%r = vector.extract %v[2] : i32 from vector<4xi32>""",
    [I[2]] * 32,
    rest={33: [2], 35: [I[3]]},
)
V8 = "%v = llvm.load %ip {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xi32>\n%c7 = arith.constant 7 : i32\n%low = arith.andi %t, %c7 : i32\n%i = arith.index_cast %low : i32 to index\n"
case("vector_extract", V8 + "%r = vector.extract %v[%i] : i32 from vector<8xi32>", I[L % 8])
case(
    "vector_insert",
    V8
    + "%w = vector.insert %t, %v [%i] : i32 into vector<8xi32>\n%r = vector.reduction <add>, %w : vector<8xi32> into i32",
    int(I[:8].astype(np.int64).sum()) - I[L % 8].astype(np.int64) + L,
)
D = I.copy()
D[40] = 641
D[0] = 0xFFFFFFFF
D[1] = 641
D[2] = 640
case(
    "divisor",
    """%zero = cute.make_coord() : () -> !cute.coord<"40">
%n = cute.memref.load(%in, %zero) : (!cute.memref<i32, gmem, align<16>, "(1024):(1)">, !cute.coord<"40">) -> i32
%d = cute.fast_divmod.create_divisor(%n) : i32 -> !cute.fast_divmod_divisor<32>
%q, %m = cute.fast_divmod.compute(%x, %d) : i32, !cute.fast_divmod_divisor<32> -> i32
%p = llvm.getelementptr %op[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
%o = llvm.getelementptr %p[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
llvm.store %m, %o : i32, !llvm.ptr<1>
%r = arith.addi %q, %c0 : i32""",
    D[:32] // 641,
    input=D,
    rest={32: D[:32] % 641},
)
# ---- inline PTX
asm = (
    lambda text, cons, ops, types, out="i32", se="": f'%r = llvm.inline_asm {se}asm_dialect = att "{text}", "{cons}" {ops} : ({types}) -> {out}'
)
case("asm_add", asm("add.s32 $0, $1, $2;", "=r,r,r", "%x, %t", "i32, i32"), X.astype(np.int64) + L)
case(
    "asm_vote",
    "%p = arith.cmpi slt, %t, %c3 : i32\n"
    + asm(
        "{\\0A .reg .pred p;\\0A setp.ne.b32 p, $1, 0;\\0A vote.sync.ballot.b32 $0, p, $2;\\0A}",
        "=r,r,i",
        "%p, %all",
        "i1, i32",
        se="has_side_effects ",
    ),
    [7] * 32,
)
case(
    "asm_two_results",
    """%two = llvm.inline_asm asm_dialect = att "{ .reg .pred q; setp.lt.u32 q, $2, $3; selp.b32 $0, 1, 0, q; mul.lo.u32 $1, $2, 3; }", "=r,=r,r,r" %x, %t : (i32, i32) -> !llvm.struct<(i1, i32)>
%less = llvm.extractvalue %two[0] : !llvm.struct<(i1, i32)>
%triple = llvm.extractvalue %two[1] : !llvm.struct<(i1, i32)>
%r = arith.select %less, %t, %triple : i32""",
    np.where(X < L, L, X.astype(np.int64) * 3),
)
case(
    "asm_guards",
    asm(
        "{ .reg .pred q; setp.gt.u32 q, $2, 15; @q add.u32 $0, $0, 5; @!q mov.u32 $0, 9; }",
        "=r,0,r",
        "%x, %t",
        "i32, i32",
    ),
    np.where(L > 15, X.astype(np.int64) + 5, 9),
)
case(
    "asm_memory",
    "%p = llvm.getelementptr %ip[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32\n%q = llvm.getelementptr %op[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32\n"
    + asm(
        "{ .reg .b32 a, b; .reg .u32 l<2>; ld.global.b32 a, [$1+4]; mov.u32 l1, %laneid; add.u32 b, a, l1; st.global.b32 [$2+256], b; mov.b32 $0, b; }",
        "=r,l,l,~{memory}",
        "%p, %q",
        "!llvm.ptr<1>, !llvm.ptr<1>",
        se="has_side_effects ",
    ),
    I[1:33].astype(np.int64) + L,
    rest={64: I[1:33].astype(np.int64) + L},
)
case(
    "asm_floats",
    "%f = arith.sitofp %t : i32 to f32\n"
    + asm("{ .reg .b32 a; mov.b32 a, $1; add.f32 $0, a, 0f3F800000; }", "=f,f", "%f", "f32", "f32").replace("%r", "%g")
    + "\n%r = arith.fptosi %g : f32 to i32",
    L + 1,
)
case(
    "asm_halves",
    "%f = arith.sitofp %t : i32 to f32\n"
    + asm("cvt.rn.f16x2.f32 $0, $1, $2;", "=r,f,f", "%f, %f", "f32, f32", "vector<2xf16>").replace("%r", "%v")
    + "\n%h = vector.extract %v[1] : f16 from vector<2xf16>\n%w = arith.extf %h : f16 to f32\n%r = arith.fptosi %w : f32 to i32",
    L,
)
# ---- shared memory
SH = """%s = cute.memref.alloca() {smem.partition_id = 1 : i32} : !cute.memref<i32, smem, align<16>, "(64):(1)">
%ss = cute.get_iter(%s) : !cute.memref<i32, smem, align<16>, "(64):(1)">
%sp = builtin.unrealized_conversion_cast %ss : !cute.ptr<i32, smem, align<16>> to !llvm.ptr<3>
%mine = llvm.getelementptr %sp[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
%back = arith.subi %c31, %t : i32
%other = llvm.getelementptr %sp[%back] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
"""
case(
    "shared_reverse",
    SH
    + "llvm.store %x, %mine {alignment = 4 : i64} : i32, !llvm.ptr<3>\nnvvm.barrier.cta.sync %c0 : i32\n%r = llvm.load %other {alignment = 4 : i64} : !llvm.ptr<3> -> i32",
    X[31 - L],
)
case(
    "shared_red",
    SH + """llvm.store %c0, %mine : i32, !llvm.ptr<3>
nvvm.barrier
nvvm.red %sp, %t {memOrder = #nvvm.mem_order<relaxed>, memScope = #nvvm.mem_scope<cta>, op = #nvvm.red_op<add>, type = #nvvm.red_type<s32>} : !llvm.ptr<3>, i32
nvvm.barrier
%r = llvm.load %sp : !llvm.ptr<3> -> i32""",
    [496] * 32,
)
case(
    "shared_cp_async",
    SH + """%from = llvm.getelementptr %ip[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
nvvm.cp.async.shared.global %mine, %from, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
nvvm.cp.async.commit.group
nvvm.cp.async.wait.group 0
nvvm.barrier
%r = llvm.load %other : !llvm.ptr<3> -> i32""",
    X[31 - L],
)
case(
    "shared_ldmatrix",
    SH + """llvm.store %x, %mine : i32, !llvm.ptr<3>
nvvm.barrier
%c4 = arith.constant 4 : i32
%c7 = arith.constant 7 : i32
%row = arith.andi %t, %c7 : i32
%four = arith.muli %row, %c4 : i32
%rows = llvm.getelementptr %sp[%four] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
%r = nvvm.ldmatrix %rows {layout = #nvvm.mma_layout<row>, num = 1 : i32} : (!llvm.ptr<3>) -> i32""",
    X,
)
case(
    "shared_mbarrier",
    SH + """%wide = cute.recast_iter(%ss) : !cute.ptr<i32, smem, align<16>> to !cute.ptr<i64, smem, align<16>>
%bp = builtin.unrealized_conversion_cast %wide : !cute.ptr<i64, smem, align<16>> to !llvm.ptr<3>
%first = arith.cmpi eq, %t, %c0 : i32
scf.if %first {
  nvvm.mbarrier.init %bp, %c32 : !llvm.ptr<3>, i32
}
nvvm.barrier
%far = llvm.getelementptr %mine[16] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
llvm.store %x, %far : i32, !llvm.ptr<3>
%state = nvvm.mbarrier.arrive %bp : !llvm.ptr<3> -> i64
scf.while : () -> () {
  %done = nvvm.mbarrier.try_wait.parity.timelimit %bp, %c0, %c32 : !llvm.ptr<3>, i32, i32 -> i1
  %true = arith.constant true
  %again = arith.xori %done, %true : i1
  scf.condition(%again)
} do {
  scf.yield
}
%there = llvm.getelementptr %other[16] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
%r = llvm.load %there : !llvm.ptr<3> -> i32""",
    X[31 - L],
)
for name, want in [
    ("ntid.x", [32] * 32),
    ("ntid.y", [1] * 32),
    ("laneid", L),
    ("lanemask.eq", 1 << L),
    ("lanemask.lt", (1 << L) - 1),
]:
    case("sreg_" + name.replace(".", "_"), f"%r = nvvm.read.ptx.sreg.{name} : i32", want)
# ---- since "Take intrinsics, float instructions and inline PTX with roles": bits, floats, roles, caches
FLT = ((np.arange(1024) % 67 - 31) / 7.0).astype(np.float32)
F, G = FLT[:32], FLT[32:64]
FX = """%f = arith.bitcast %x : i32 to f32
%there = arith.addi %t, %c32 : i32
%next = cute.make_coord(%there) : (i32) -> !cute.coord<"?">
%y = cute.memref.load(%in, %next) : (!cute.memref<i32, gmem, align<16>, "(1024):(1)">, !cute.coord<"?">) -> i32
%g = arith.bitcast %y : i32 to f32
"""
FR = "\n%r = arith.bitcast %h : f32 to i32"
bitsof = lambda a: np.asarray(a, np.float32).view(np.uint32)


def fcase(name, op, want):
    case("float_" + name, FX + op + FR, bitsof(want), input=FLT.view(np.uint32))


fcase("min", "%h = nvvm.fmin %f, %g", np.minimum(F, G))
fcase("max_nan", "%h = nvvm.fmax nan %f, %g", np.maximum(F, G))
fcase("abs", "%h = nvvm.fabs %f {ftz = true} : f32 -> f32", np.abs(F))
fcase("sub", "%h = nvvm.subf %f, %g {rnd = #nvvm.fp_rnd_mode<rn>} : f32", F - G)
fcase(
    "add_sat",
    "%h = nvvm.addf %f, %g {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<sat>} : f32",
    np.clip(F + G, 0, 1),
)
fcase(
    "fma",
    "%h = nvvm.fma %f, %g, %f {ftz = true, rnd = #nvvm.fp_rnd_mode<rn>} : f32",
    (F.astype(np.float64) * G + F).astype(np.float32),
)
fcase("div_rn", '%h = llvm.call_intrinsic "llvm.nvvm.div.rn.f"(%g, %f) : (f32, f32) -> f32', G / F)
fcase(
    "sqrt_rn",
    '%a = nvvm.fabs %f : f32 -> f32\n%h = llvm.call_intrinsic "llvm.nvvm.sqrt.rn.f"(%a) : (f32) -> f32',
    np.sqrt(np.abs(F)),
)


def down(e):
    n = e.astype(np.float32)
    return np.where(n.astype(np.float64) > e, np.nextafter(n, np.float32(-np.inf)), n).astype(np.float32)


fcase(
    "mul_rm",
    '%h = llvm.call_intrinsic "llvm.nvvm.mul.rm.f"(%f, %g) : (f32, f32) -> f32',
    down(F.astype(np.float64) * G),
)
fcase("trunc", "%h = math.trunc %f : f32", np.trunc(F))
fcase("roundeven", "%h = math.roundeven %f : f32", np.round(F))
fcase("round", "%h = math.round %f : f32", np.copysign(np.floor(np.abs(F) + np.float32(0.5)), F))
case(
    "bits_of_halves",
    """%h = llvm.bitcast %x : i32 to vector<2xf16>
%f = vector.extract %h[1] : f16 from vector<2xf16>
%n = llvm.bitcast %f : f16 to i16
%r = arith.extui %n : i16 to i32""",
    X >> 16,
)
case(
    "bits_of_bytes",
    """%v = llvm.bitcast %x : i32 to vector<4xi8>
%a = vector.extract %v[0] : i8 from vector<4xi8>
%w = vector.insert %a, %v [3] : i8 into vector<4xi8>
%r = llvm.bitcast %w : vector<4xi8> to i32""",
    (X & 0xFFFFFF) | ((X & 0xFF) << 24),
)
case(
    "roles", '%r = nvvm.inline_ptx "sub.s32 {$w0}, {$r1}, {$r0};" ro(%t, %x : i32, i32) -> i32', X.astype(np.int64) - L
)
case(
    "roles_two",
    """%two:2 = nvvm.inline_ptx "setp.lt.u32 {$w0}, {$r0}, {$r1}; mov.b32 {$w1}, {$r2};" ro(%t, %c3, %x : i32, i32, i32) -> i1, i32
%r = arith.select %two#0, %two#1, %t : i32""",
    np.where(L < 3, X, L),
)
case(
    "roles_guarded",
    """%p = arith.cmpi slt, %t, %c3 : i32
%i = arith.addi %t, %c32 : i32
%q = llvm.getelementptr %op[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
nvvm.inline_ptx "st.global.b32 [{$r0}], {$r1};" ro(%q, %x : !llvm.ptr<1>, i32), predicate = %p
%r = arith.addi %x, %c0 : i32""",
    X,
    rest={32: X[:3]},
)
case(
    "caches",
    """%p = llvm.getelementptr %ip[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
nvvm.prefetch level = L1, %p : !llvm.ptr<1>
nvvm.prefetch level = L2, evict_priority = evict_normal, %p : !llvm.ptr<1>
%a = nvvm.load.ext %p {evict = #nvvm.evict_kind<evict_first>, prefetch = #nvvm.l2_prefetch<size_128b>} : !llvm.ptr<1> -> i32
%b = nvvm.load.ext %p : !llvm.ptr<1> -> i8
%w = arith.extui %b : i8 to i32
%q = llvm.getelementptr %op[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
%far = llvm.getelementptr %q[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
nvvm.store.ext %a, %far {evict = #nvvm.evict_kind<evict_no_allocate>} : i32, !llvm.ptr<1>
nvvm.store.ext %b, %far : i8, !llvm.ptr<1>
%r = arith.addi %a, %w : i32""",
    X.astype(np.int64) + (X & 0xFF),
    rest={32: X},
)
H = np.stack([L, np.ones(32)], axis=1).astype(np.float16)
case(
    "atomic_two_halves",
    """%f = arith.sitofp %t : i32 to f16
%one = arith.constant 1.0 : f16
%v = vector.from_elements %f, %one : vector<2xf16>
%i = arith.addi %t, %c32 : i32
%p = llvm.getelementptr %op[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
%before = llvm.bitcast %v : vector<2xf16> to i32
llvm.store %before, %p : i32, !llvm.ptr<1>
%old = nvvm.atomicrmw fadd %p, %v : !llvm.ptr<1>, vector<2xf16>
%o = vector.extract %old[0] : f16 from vector<2xf16>
%r = arith.fptosi %o : f16 to i32""",
    L,
    rest={32: (H + H).view(np.uint32).ravel()},
)
for name, want in [("warpsize", [32] * 32), ("dynamic.smem.size", None)]:
    if want is not None:
        case("sreg_" + name.replace(".", "_"), f"%r = nvvm.read.ptx.sreg.{name} : i32", want)
case(
    "cluster_barrier",
    """nvvm.cluster.arrive.relaxed {aligned}
nvvm.cluster.wait {aligned}
nvvm.cluster.arrive
nvvm.cluster.wait
%n = nvvm.read.ptx.sreg.cluster.nctarank : i32
%r = arith.addi %x, %n : i32""",
    X.astype(np.int64) + 1,
)
lz = lambda v: 32 - int(v).bit_length()
case(
    "asm_bytes_and_24_bits",
    """%h = llvm.inline_asm asm_dialect = att "bfind.shiftamt.u32 $0, $1;", "=r,r" %x : (i32) -> i32
%m = llvm.inline_asm asm_dialect = att "mad24.lo.u32 $0, $1, $2, $3;", "=r,r,r,r" %x, %t, %h : (i32, i32, i32) -> i32
%r = llvm.inline_asm asm_dialect = att "dp4a.u32.u32 $0, $1, $2, $3;", "=r,r,r,r" %x, %c1, %m : (i32, i32, i32) -> i32""",
    [((int(X[l]) & 0xFFFFFF) * l + lz(X[l]) + (int(X[l]) & 0xFF)) & 0xFFFFFFFF for l in range(32)],
)


def sx(v, b):
    v = int(v) & ((1 << b) - 1)
    return v - (1 << b) if v >> (b - 1) else v


case(
    "asm_signed_bytes_and_24_bits",
    """%h = llvm.inline_asm asm_dialect = att "bfind.s32 $0, $1;", "=r,r" %x : (i32) -> i32
%m = llvm.inline_asm asm_dialect = att "mad24.hi.s32 $0, $1, $2, $3;", "=r,r,r,r" %x, %x, %h : (i32, i32, i32) -> i32
%r = llvm.inline_asm asm_dialect = att "dp4a.s32.u32 $0, $1, $2, $3;", "=r,r,r,r" %x, %x, %m : (i32, i32, i32) -> i32""",
    [
        sum(sx(int(X[l]) >> (8 * i), 8) * ((int(X[l]) >> (8 * i)) & 0xFF) for i in range(4))
        + ((sx(X[l], 24) ** 2) >> 16)
        + ((lambda s: (s if s >= 0 else ~s).bit_length() - 1)(sx(X[l], 32)))
        for l in range(32)
    ],
)
case(
    "bits_of_vectors",
    """%f = arith.bitcast %x : i32 to f32
%v = vector.from_elements %f, %f, %f, %f : vector<4xf32>
%same = vector.from_elements %x, %x, %x, %x : vector<4xi32>
%w = vector.insert %t, %same [1] : i32 into vector<4xi32>
%d = vector.bitcast %w : vector<4xi32> to vector<2xi64>
%e = vector.bitcast %d : vector<2xi64> to vector<4xi32>
%a = vector.extract %e[1] : i32 from vector<4xi32>
%h = vector.bitcast %v : vector<4xf32> to vector<8xf16>
%b = vector.bitcast %h : vector<8xf16> to vector<16xi8>
%j = vector.bitcast %b : vector<16xi8> to vector<4xi32>
%k = vector.extract %j[3] : i32 from vector<4xi32>
%r = arith.addi %a, %k : i32""",
    X.astype(np.int64) + L,
)
case(
    "multi_reduction",
    """%v = llvm.load %ip {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xi32>
%s = vector.shape_cast %v : vector<8xi32> to vector<2x2x2xi32>
%begin = arith.constant dense<[5, 7]> : vector<2xi32>
%sums = vector.multi_reduction <add>, %s, %begin [0, 2] : vector<2x2x2xi32> to vector<2xi32>
%r = vector.extract %sums[1] : i32 from vector<2xi32>""",
    [7 + sum(int(I[k]) for k in (2, 3, 6, 7))] * 32,
)


def run(program, on, folder, name, body, want, given, rest, options):
    """What the program says if the result is wrong; an empty text if it is right."""
    words = np.full(1024, UNTOUCHED, np.uint32)
    for first, more in rest.items():
        more = u(more).ravel()
        words[first : first + len(more)] = more
    lanes = u(want).ravel()
    words[: len(lanes)] = lanes
    source = I if given is None else u(given).ravel()
    inputs = np.zeros(1024, np.uint32)
    inputs[: len(source)] = source
    arrays = {"in": inputs, "out": np.full(1024, UNTOUCHED, np.uint32), "want": words}
    for file, array in arrays.items():
        np.save(folder / f"{file}.npy", array.view(np.int32))
    module_file = folder / f"{name}.mlir"
    module_file.write_text(module(body, **options))
    files = [f"--arg={folder}/in.npy", f"--arg={folder}/out.npy", f"--expect=1={folder}/want.npy"]
    done = subprocess.run(
        [program, "run", module_file, f"--on={on}", *files], capture_output=True, text=True, timeout=120
    )
    return "" if done.returncode == 0 else (done.stderr + done.stdout).strip()


def main():
    words = sys.argv[2:]
    on = words[words.index("--on") + 1] if "--on" in words else "gpu"
    names = [word for word in words if word not in ("--on", on)]
    chosen = [case for case in CASES if not names or case[0] in names]
    wrong = 0
    for name, body, want, given, rest, options in chosen:
        with tempfile.TemporaryDirectory() as folder:
            said = run(sys.argv[1], on, pathlib.Path(folder), name, body, want, given, rest, options)
        wrong += said != ""
        print(f"{name:40} {'WRONG ' + said[:300] if said else 'right'}", flush=True)
    print(f"{len(chosen)} kernels, {wrong} wrong")
    sys.exit(wrong > 0 or not chosen)


if __name__ == "__main__":
    main()
