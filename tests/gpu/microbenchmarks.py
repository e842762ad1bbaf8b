"""Measures what instructions cost on a Hopper GPU, and prints it beside what `irs::machine` says (docs/machine.md).

    python3 tests/gpu/microbenchmarks.py
    python3 tests/gpu/microbenchmarks.py --assemble PTXAS

The second command runs nothing: it assembles every kernel. A kernel does the same thing `n` times and reads the clock
before and after; the cost is the difference between two values of `n`, so that nothing but the thing itself counts. The
least of several launches is taken. The numbers are in cycles, or in bytes or multiply-adds in a cycle. Needs PyTorch.
"""

import ctypes as C
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
LAUNCHES = 7
# Bytes of the array that kernels read: more than the second cache has.
ARRAY = 512 << 20
# From one element to the next of the chain through that array.
APART = 66560


@dataclass(frozen=True)
class Bench:
    """What is measured: `body` is repeated `count` times and twice as often, then comes `finish`; each repetition is so many
    things as `unit` says. The result is the cost of one, without that of `less`, or `amount` divided by it. `row` and
    `column` are where docs/machine.md has it."""

    name: str
    body: str
    setup: str = ""
    threads: int = 32
    count: int = 64
    unit: float = 1
    amount: float = 0
    less: str = ""
    row: str = ""
    column: int = 2
    shared: int = 1024
    cluster: int = 1
    finish: str = ""
    after: str = ""


def kernel(bench, times):
    """The PTX of a kernel that does it so often. `%r0` is the thread, `%r1` the address of shared memory, which is zero,
    `%rd1` the array; `#` in the body is the number of the repetition."""
    body = "\n".join(bench.body.replace("#", str(at)) for at in range(times))
    shared = max(bench.shared, 4 * bench.threads) + 16
    cluster = f".explicitcluster\n.reqnctapercluster {bench.cluster}, 1, 1\n" if bench.cluster > 1 else ""
    meet = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" if bench.cluster > 1 else "bar.sync 0;"
    return f""".version 8.3
.target sm_90a
.address_size 64
.global .align 128 .b8 maps[256];
.visible .entry k(.param .u64 out, .param .u64 array)
.reqntid {bench.threads}, 1, 1
{cluster}{{
.reg .b16 %h<64>;
.reg .b32 %r<128>;
.reg .f32 %f<256>;
.reg .b64 %rd<64>;
.reg .pred %p<16>;
.shared .align 1024 .b8 room[{shared}];
ld.param.u64 %rd0, [out];
ld.param.u64 %rd1, [array];
mov.u32 %r0, %tid.x;
mov.u32 %r1, room;
shl.b32 %r2, %r0, 2;
add.u32 %r3, %r1, %r2;
mov.u32 %r4, 0;
clear: st.shared.u32 [%r3], %r4;
add.u32 %r3, %r3, {4 * bench.threads};
add.u32 %r5, %r1, {shared};
setp.lt.u32 %p0, %r3, %r5;
@%p0 bra clear;
ld.global.u32 %r6, [%rd1+4];
mov.u32 %r120, 0;
fence.proxy.async.shared::cta;
bar.sync 0;
{bench.setup}
{meet}
mov.u64 %rd60, %clock64;
{body}
{bench.finish}
{bench.after}
st.volatile.shared.u32 [%r1+{shared - 16}], %r120;
mov.u64 %rd61, %clock64;
{meet}
sub.u64 %rd61, %rd61, %rd60;
mov.u32 %r121, %ctaid.x;
mul.lo.u32 %r122, %r121, {bench.threads};
add.u32 %r122, %r122, %r0;
mul.wide.u32 %rd62, %r122, 16;
add.u64 %rd62, %rd0, %rd62;
st.global.u64 [%rd62], %rd61;
st.global.u32 [%rd62+8], %r120;
ret;
}}
"""


def use(registers):
    """The results are stored before the clock is read, so that nothing is left out, or moved beyond it."""
    return "\n".join(f"xor.b32 %r120, %r120, {register};" for register in registers)


def use_floats(count):
    return "\n".join(f"mov.b32 %r119, %f{at};\nxor.b32 %r120, %r120, %r119;" for at in range(count))


# Values that ptxas does not know and that differ, so that it merges no two chains: the array is zero here.
FLOATS = "add.u32 %r119, %r6, %r0;\ncvt.rn.f32.u32 %f100, %r119;\n" + "\n".join(
    f"add.f32 %f{at}, %f100, 0f{0x3F800000 + (at << 16):08X};" for at in range(64)
)


def chase(lines, stride, vector=""):
    """Each lane reads its own address, `stride` bytes from that of the lane before; a load of several words reads two or
    four."""
    words = {"": "%r10", ".v2": "{%r10, %r11}", ".v4": "{%r10, %r11, %r12, %r13}"}[vector]
    setup = f"mad.lo.u32 %r10, %r0, {stride}, %r1;\nst.shared.u32 [%r10], %r10;"
    return Bench(lines, f"ld.shared{vector}.u32 {words}, [%r10];", setup, after=use(["%r10"]), shared=32 * 128 + 1024)


def loads(vector, bytes_each):
    """All warps load from shared memory: bytes in a cycle."""
    words = {"": "%r{0}", ".v4": "{{%r{0}, %r{1}, %r{2}, %r{3}}}"}[vector]
    count = 4 if vector else 1
    body = "".join(
        f"ld.volatile.shared{vector}.u32 {words.format(*(20 + 4 * at + word for word in range(4)))}, [%r10+{at * 2048}];\n"
        + use([f"%r{20 + 4 * at + word}" for word in range(count)][:1])
        + "\n"
        for at in range(4)
    )
    setup = f"and.b32 %r10, %r0, 31;\nmad.lo.u32 %r10, %r10, {bytes_each}, %r1;"
    return Bench(
        f"ld.shared of {8 * bytes_each} bits, all warps: bytes a cycle", body, setup, 1024, 32, 4, bytes_each * 1024,
        after="", shared=16384,
    )


def mma(chains):
    return "".join(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        f"{{%f{4 * at}, %f{4 * at + 1}, %f{4 * at + 2}, %f{4 * at + 3}}}, {{%r6, %r6, %r6, %r6}}, {{%r6, %r6}}, "
        f"{{%f{4 * at}, %f{4 * at + 1}, %f{4 * at + 2}, %f{4 * at + 3}}};\n"
        for at in range(chains)
    )


def wgmma(n, in_registers=False):
    """One product of 64 by `n` by 16 after the other, of f16, swizzled by 128 bytes."""
    results = ", ".join(f"%f{at}" for at in range(n // 2))
    left = "{%r6, %r6, %r6, %r6}" if in_registers else "%rd10"
    orders = "1, 1, 0" if in_registers else "1, 1, 0, 0"
    zeros = "\n".join(f"mov.f32 %f{at}, 0f00000000;" for at in range(n // 2))
    setup = (
        f"{zeros}\ncvt.u64.u32 %rd10, %r1;\nshr.u64 %rd10, %rd10, 4;\nand.b64 %rd10, %rd10, 16383;\n"
        # 1024 bytes from eight rows to the next; swizzle of 128 bytes.
        "or.b64 %rd10, %rd10, 0x4000004000010000;\nadd.u64 %rd11, %rd10, 512;\nsetp.eq.u32 %p1, %r1, %r1;\n"
        "fence.proxy.async;\nbar.sync 0;\nwgmma.fence.sync.aligned;"
    )
    body = (
        f"wgmma.mma_async.sync.aligned.m64n{n}k16.f32.f16.f16 {{{results}}}, {left}, %rd11, %p1, {orders};"
    )
    where = "A in registers" if in_registers else "both in shared memory"
    return Bench(
        f"wgmma m64n{n}k16, {where}: interval", body, setup, 128, 32, shared=49152,
        finish="wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;", after=use_floats(min(n // 2, 8)),
        row="`wgmma` with few columns, both operands in shared memory" if n == 8 and not in_registers else "",
    )


OPEN = "setp.eq.u32 %p9, %r0, 0;\n@%p9 mbarrier.init.shared.b64 [%r1], 1;\n@%p9 mbarrier.init.shared.b64 [%r1+8], 1;\n" \
       "fence.mbarrier_init.release.cluster;\nmov.u32 %r12, 0;\n"


def wait(label, address, how="test"):
    """All lanes ask again and again; with `try_wait` they sleep in between."""
    return f"{label}: mbarrier.{how}_wait.parity.shared.b64 %p8, [{address}], %r12;\n@!%p8 bra {label};\n"


def round_trip(remote, how="test"):
    """Two threads pass the turn to each other, of two warps or of two blocks of a cluster."""
    if remote:
        setup = OPEN + (
            "mov.u32 %r13, %cluster_ctarank;\nxor.b32 %r14, %r13, 1;\nmapa.shared::cluster.u32 %r15, %r1, %r14;\n"
            "setp.eq.u32 %p7, %r0, 0;\nsetp.eq.u32 %p6, %r13, 0;"
        )
        arrive = "mbarrier.arrive.shared::cluster.b64 _, [%r15];\n"
        own, threads, cluster = "%r1", 32, 2
        at_first, at_second = arrive, arrive
    else:
        setup = OPEN + "and.b32 %r13, %r0, 31;\nsetp.eq.u32 %p7, %r13, 0;\nsetp.lt.u32 %p6, %r0, 32;\nadd.u32 %r14, %r1, 8;"
        at_first = "mbarrier.arrive.shared.b64 %rd20, [%r1];\n"
        at_second = "mbarrier.arrive.shared.b64 %rd20, [%r14];\n"
        own, threads, cluster = None, 64, 1
    other, mine = (own, own) if remote else ("%r1", "%r14")
    body = (
        f"@%p6 bra.uni first#;\n{wait('a#', other, how)}@%p7 {at_second}bra.uni done#;\n"
        f"first#:\n@%p7 {at_first}{wait('b#', mine, how)}done#:\nxor.b32 %r12, %r12, 1;"
    )
    name = "of another block of the cluster" if remote else "of the block"
    row = "the same between blocks of a cluster" if remote else "from an arrival at an mbarrier to who waits"
    row = row if how == "test" else ""
    return Bench(f"arrival at an mbarrier {name}, to `{how}_wait`", body, setup, threads, 32, 2, row=row, cluster=cluster)


def replaced(rows):
    """The fields of a map of f16, rows of 64 elements, boxes of `rows` of them; in shared memory at 1024 from `%r1`."""
    field = "tensormap.replace.tile.{}.shared::cta.b1024.{} [%r20], {};\n".format
    return (
        field("global_address", "b64", "%rd1") + field("rank", "b32", "1") + field("box_dim", "b32", "0, 64")
        + field("box_dim", "b32", f"1, {rows}") + field("global_dim", "b32", "0, %r22") + field("global_dim", "b32", "1, %r23")
        + field("global_stride", "b64", "0, %rd22") + field("element_stride", "b32", "0, 1")
        + field("element_stride", "b32", "1, 1") + field("elemtype", "b32", "6") + field("interleave_layout", "b32", "0")
        + field("swizzle_mode", "b32", "3") + field("fill_mode", "b32", "0")
    )


MAP = (
    "add.u32 %r20, %r1, 1024;\nmov.u32 %r22, 64;\nmov.u32 %r23, 4096;\nmov.u64 %rd22, 128;\nmov.u64 %rd23, maps;\n"
    "cvta.global.u64 %rd24, %rd23;\nsetp.eq.u32 %p5, %r0, 0;\nadd.u32 %r24, %r1, 2048;\nmov.u32 %r25, 0;\n"
)
PUBLISH = (
    "bar.warp.sync -1;\n"
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd23], [%r20], 128;\n"
)
ACQUIRE = "fence.proxy.tensormap::generic.acquire.gpu [%rd24], 128;\n"


def made(rows):
    return f"@!%p5 bra made#;\n{replaced(rows)}made#:\n{PUBLISH}{ACQUIRE}"


def copy(rows, in_flight=1, how="test"):
    """Copies of boxes to shared memory, so many at once, and the wait for them."""
    size = 128 * rows
    copies = "".join(
        "@%p5 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
        f"[%r24+{at * size}], [%rd24, {{%r25, %r25}}], [%r1];\n"
        for at in range(in_flight)
    )
    return (
        f"@%p5 mbarrier.arrive.expect_tx.shared.b64 %rd21, [%r1], {size * in_flight};\n{copies}"
        f"{wait('w#', '%r1', how)}xor.b32 %r12, %r12, 1;"
    )


def tensor_copy(rows, in_flight=1, how="test"):
    setup = OPEN + MAP + made(rows).replace("#", "s") + "bar.sync 0;\n" + copy(rows).replace("#", "t")
    size = 128 * rows
    shared = 2048 + size * in_flight
    if in_flight > 1:
        name = f"tensor copies of {size >> 10} KiB, {in_flight} at once: bytes a cycle"
        return Bench(name, copy(rows, in_flight), setup, 32, 16, 1, size * in_flight, shared=shared)
    row = {8: "tensor copy of 1 KiB", 256: "tensor copy of 32 KiB"}.get(rows, "") if how == "test" else ""
    return Bench(f"tensor copy of {size / 1024:g} KiB, to `{how}_wait`", copy(rows, 1, how), setup, 32, 16, row=row, shared=shared)


def cp_async(bytes_each):
    body = f"cp.async.c{'g' if bytes_each == 16 else 'a'}.shared.global [%r10], [%rd10], {bytes_each};\n" \
           "cp.async.commit_group;\ncp.async.wait_group 0;"
    setup = f"mad.lo.u32 %r10, %r0, {bytes_each}, %r1;\nmul.wide.u32 %rd10, %r0, {bytes_each};\nadd.u64 %rd10, %rd1, %rd10;"
    return Bench(f"cp.async of {bytes_each} bytes a thread, and the wait", body, setup, count=32)


def pointers(cache, setup, name, row, count):
    """A chain of loads through the array, whose elements hold the distance to the next."""
    body = f"ld.global.{cache}.u32 %r10, [%rd10];\nmul.wide.u32 %rd11, %r10, {APART};\nadd.u64 %rd10, %rd10, %rd11;"
    return Bench(name, body, setup, count=count, less="multiply and add of addresses", row=row, after=use(["%r10"]))


FMA = "fma.rn.f32 %f{0}, %f{0}, %f63, %f62;\n".format
EX2 = "ex2.approx.ftz.f32 %f{0}, %f{0};\n".format
SHUFFLE = "shfl.sync.bfly.b32 %r{0}, %r{0}, 1, 31, -1;\n".format
MATRICES = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%r{0}, %r{1}, %r{2}, %r{3}}}, [%r10+{4}];\n".format
NEAR = "mov.u64 %rd10, %rd1;"


def benches():
    """All of them; the first ones are taken away from others."""
    yield Bench("add", "add.u32 %r10, %r10, %r6;\nxor.b32 %r10, %r10, %r0;", "mov.u32 %r10, %r0;", unit=2, after=use(["%r10"]))
    yield Bench(
        "multiply and add of addresses", f"mul.wide.u32 %rd11, %r10, {APART};\nadd.u64 %rd10, %rd10, %rd11;\n"
        "cvt.u32.u64 %r10, %rd10;", "mov.u32 %r10, %r6;\nmov.u64 %rd10, %rd1;", after=use(["%r10"]),
    )
    yield Bench("fma.f32: latency", FMA(0), FLOATS, row="`fma.f32`", after=use_floats(1))
    yield Bench("fma.f32: interval", "".join(map(FMA, range(16))), FLOATS, unit=16, row="`fma.f32`", column=1, after=use_floats(16))
    yield Bench("ex2: latency", EX2(0), FLOATS, row="`ex2`", after=use_floats(1))
    yield Bench("ex2: interval", "".join(map(EX2, range(16))), FLOATS, unit=16, row="`ex2`", column=1, after=use_floats(16))
    spread = "\n".join(f"add.u32 %r{at}, %r0, {at};" for at in range(10, 26))
    yield Bench("shfl: latency", SHUFFLE(10), spread, row="`shfl`", after=use(["%r10"]))
    yield Bench(
        "shfl: interval", "".join(map(SHUFFLE, range(10, 26))), spread, unit=16, row="`shfl`", column=1,
        after=use(f"%r{at}" for at in range(10, 26)),
    )
    for vector, stride in (("", 4), (".v2", 8), (".v4", 16)):
        found = chase(f"ld.shared of {8 * stride} bits: latency", stride, vector)
        yield Bench(**{**vars(found), "row": f"`ld.shared` of {8 * stride} bits"})
    for stride in (2, 4, 8, 16, 32):
        yield chase(f"ld.shared of 32 bits, {stride} lanes in a bank: latency", 4 * stride)
    address = "shl.b32 %r10, %r0, 4;\nadd.u32 %r10, %r10, %r1;"
    yield Bench(
        "ldmatrix.x4: latency", MATRICES(20, 21, 22, 23, 0) + "add.u32 %r10, %r10, %r20;", address, less="add",
        row="`ldmatrix.x4`", after=use(["%r10"]),
    )
    # Each from another address, so that ptxas merges none.
    several = "add.u32 %r10, %r10, 16;\n" + "".join(
        MATRICES(*(20 + 4 * at + word for word in range(4)), 512 * at) + use([f"%r{20 + 4 * at}"]) + "\n" for at in range(8)
    )
    yield Bench("ldmatrix.x4: interval", several, address, unit=8, count=16, row="`ldmatrix.x4`", column=1, shared=16384)
    yield Bench("mma.sync.m16n8k16: latency", mma(1), FLOATS, row="`mma.sync.m16n8k16`", after=use_floats(4))
    for n in (8, 64, 128, 256):
        yield wgmma(n)
    yield wgmma(64, in_registers=True)
    yield wgmma(128, in_registers=True)
    yield pointers("ca", NEAR + "\nst.global.u32 [%rd10], %r6;\nld.global.ca.u32 %r10, [%rd10];", "load from the first cache", "load from the first cache", 32)
    yield pointers("cg", NEAR, "load from the second cache", "load from the second cache", 32)
    far = "mov.u64 %rd10, %rd1;\nadd.u64 %rd10, %rd10, 1024;"
    yield pointers("cg", far, "load from memory", "load from memory", 1024)
    for threads in (32, 128, 256):
        yield Bench(f"bar.sync of {threads} threads", "bar.sync 0;", threads=threads, row="`bar.sync`" if threads == 128 else "")
    yield round_trip(False)
    yield round_trip(True)
    yield round_trip(False, "try")
    yield round_trip(True, "try")
    yield Bench(
        "barrier.cluster, relaxed", "barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;", threads=128, cluster=2,
        count=32,
    )
    yield Bench(
        "barrier.cluster", "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;", threads=128, cluster=2, count=32,
        row="`barrier.cluster`",
    )
    yield Bench("fence.proxy.async", "fence.proxy.async.shared::cta;")
    yield Bench(
        "fence.proxy.async after a store", "st.shared.u32 [%r1], %r6;\nfence.proxy.async.shared::cta;",
        row="`fence.proxy.async` after a store",
    )
    yield Bench("fence.acq_rel.gpu", "fence.acq_rel.gpu;", row="`fence.acq_rel.gpu`", count=32)
    yield Bench("fence.acq_rel.cta", "fence.acq_rel.cta;", count=32)
    yield cp_async(4)
    yield cp_async(16)
    for rows in (1, 8, 32, 64, 128, 256):
        yield tensor_copy(rows)
    for rows in (8, 256):
        yield tensor_copy(rows, how="try")
    yield Bench("making a tensor map in the kernel", made(64), OPEN + MAP, count=8, row="making a tensor map in the kernel", shared=4096)
    yield Bench("  of that, the fields", f"@!%p5 bra made#;\n{replaced(64)}made#:\nbar.warp.sync -1;", OPEN + MAP, count=8, shared=4096)
    yield Bench("  of that, the fence", ACQUIRE, OPEN + MAP + made(64).replace("#", "s"), count=8, shared=4096)
    yield Bench(
        "a tensor map and the first copy of 8 KiB with it", made(64) + copy(64).replace("w#", "x#"), OPEN + MAP, count=8, shared=16384,
    )
    all_floats = use_floats(16)
    yield Bench("fma.f32, all warps: multiply-adds a cycle", "".join(map(FMA, range(8))), FLOATS, 1024, 32, 8, 1024, after=all_floats)
    yield Bench("ex2, all warps: results a cycle", "".join(map(EX2, range(8))), FLOATS, 1024, 16, 8, 1024, after=all_floats)
    yield Bench(
        "mma.sync.m16n8k16, 16 warps: multiply-adds a cycle", mma(4), FLOATS, 512, 32, 4, 16 * 16 * 8 * 16, after=all_floats,
    )
    yield loads("", 4)
    yield loads(".v4", 16)
    yield Bench("ldmatrix.x4, all warps: bytes a cycle", several, address.replace("%r0", "%r7").replace("shl", "and.b32 %r7, %r0, 31;\nshl", 1), 512, 16, 8, 16 * 512, shared=16384)
    yield tensor_copy(128, 8)
    yield tensor_copy(256, 6)


def written(row, column):
    """What docs/machine.md has in a row of the costs."""
    with open(os.path.join(ROOT, "docs", "machine.md")) as file:
        for line in file:
            cells = [cell.strip() for cell in line.split("|")[1:-1]]
            if cells and cells[0] == row:
                return float(cells[column])
    raise KeyError(row)


def measure(bench, memory, out):
    from cuda_driver import Kernel, unload

    import torch

    found = []
    for times in (bench.count, 2 * bench.count):
        program = Kernel(kernel(bench, times).encode(), "k")
        launch = program.prepare((bench.cluster,), [C.c_uint64(out.data_ptr()), C.c_uint64(memory.data_ptr())])
        out.zero_()
        cycles = []
        for _ in range(LAUNCHES):
            if bench.row == "load from memory":
                # Whatever the caches hold is replaced.
                memory[ARRAY // 8 :].add_(0)
            launch()
            torch.cuda.synchronize()
            cycles.append(int(out[: bench.cluster * bench.threads, 0].max()))
        found.append(min(cycles))
        unload(program)
    return (found[1] - found[0]) / bench.count / bench.unit


def arrays():
    """The array: zeros, and from byte 1024 on a chain whose links are one `APART` long."""
    import torch

    memory = torch.zeros(ARRAY // 4, dtype=torch.int32, device="cuda")
    memory[256 : ARRAY // 8 : APART // 4] = 1
    return memory, torch.zeros((8192, 2), dtype=torch.int64, device="cuda")


def assemble(ptxas):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k.ptx")
        for bench in benches():
            with open(path, "w") as file:
                file.write(kernel(bench, bench.count))
            said = subprocess.run([ptxas, "-arch=sm_90a", path, "-o", path + ".cubin"], capture_output=True, text=True)
            if said.returncode or re.search("serializ", said.stderr):
                print(f"{bench.name}: {said.stderr}")
                return 1
    return 0


def main():
    if "--assemble" in sys.argv:
        return assemble(sys.argv[-1])
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import torch

    memory, out = arrays()
    print(torch.cuda.get_device_name())
    print(f"{'what':60} {'measured':>9} {'machine':>9}")
    costs = {}
    for bench in benches():
        try:
            cost = measure(bench, memory, out) - costs.get(bench.less, 0)
        except RuntimeError as problem:
            print(f"{bench.name:60} {problem}", flush=True)
            return 1
        costs[bench.name] = cost
        shown = bench.amount / cost if bench.amount else cost
        have = written(bench.row, bench.column) if bench.row else None
        line = f"{bench.name:60} {shown:9.1f} {'' if have is None else f'{have:9.0f}'}"
        if have is not None and abs(shown - have) > 0.2 * have:
            line += "  more than a fifth off"
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
