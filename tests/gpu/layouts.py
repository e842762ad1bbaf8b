"""Checks what the layout crate says about the hardware against the hardware: tensor-core fragments, matrix moves,
matrix descriptors, TMA swizzles and the cycles of shared memory.

    python3 tests/gpu/layouts.py TILEWRIGHT

TILEWRIGHT is the release binary, which is asked for every layout by name. Operands are small random integers, exact in
every type, so results are compared bit for bit. Needs PyTorch and a Hopper GPU.
"""

import ctypes as C
import json
import os
import re
import subprocess
import sys

import numpy as np
import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cuda_driver import Kernel  # noqa: E402

HEADER = ".version 8.7\n.target sm_90a\n.address_size 64\n"


# ---- Elements as bits ------------------------------------------------------------------------------------------------

FLOATS = {"f16": torch.float16, "bf16": torch.bfloat16, "tf32": torch.float32, "f32": torch.float32,
          "f64": torch.float64, "e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2}
WIDTH = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "s4": 4,
         "u4": 4, "b1": 1, "s32": 32}
RANGE = {"s4": (-8, 7), "u4": (0, 15), "b1": (0, 1), "u8": (0, 255), "s8": (-128, 127)}
STORAGE = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}


def random_matrix(rng, dtype, shape):
    low, high = RANGE.get(dtype, (-4, 4))
    return rng.integers(low, high + 1, shape)


def to_bits(values, dtype):
    """Integers as the bits of `dtype`, one element to an entry."""
    if dtype in FLOATS:
        tensor = torch.from_numpy(np.asarray(values, dtype=np.float64)).to(FLOATS[dtype])
        size = WIDTH[dtype]
        return tensor.view({8: torch.uint8, 16: torch.int16, 32: torch.int32, 64: torch.int64}[size]).numpy().view(STORAGE[size])
    return (np.asarray(values).astype(np.int64) & ((1 << WIDTH[dtype]) - 1)).astype(np.uint64)


def from_bits(bits, dtype):
    """The integers that bits of a result stand for."""
    if dtype in FLOATS:
        signed = {8: np.uint8, 16: np.int16, 32: np.int32, 64: np.int64}[WIDTH[dtype]]
        tensor = torch.from_numpy(bits.astype(STORAGE[WIDTH[dtype]]).view(signed))
        return tensor.view(FLOATS[dtype]).to(torch.float64).numpy()
    return bits.astype(np.uint32).view(np.int32).astype(np.float64)


def pack(bits, width):
    """Elements of `width` bits, the first lowest, as bytes."""
    bits = np.asarray(bits, dtype=np.uint64)
    if width >= 8:
        return bits.astype(STORAGE[width]).tobytes()
    each = 8 // width
    rows = bits.reshape(-1, each)
    return sum(rows[:, i] << np.uint64(i * width) for i in range(each)).astype(np.uint8).tobytes()


def unpack(data, width):
    if width >= 8:
        return np.frombuffer(data, dtype=STORAGE[width]).astype(np.uint64)
    data = np.frombuffer(data, dtype=np.uint8).astype(np.uint64)
    each = 8 // width
    return np.stack([data >> np.uint64(i * width) & np.uint64((1 << width) - 1) for i in range(each)], -1).reshape(-1)


def upload(data):
    return torch.from_numpy(np.frombuffer(bytearray(data), dtype=np.uint8)).cuda()


def download(tensor):
    return tensor.cpu().numpy().tobytes()


def launch(kernel, *args):
    values = [C.c_uint64(a.data_ptr()) if isinstance(a, torch.Tensor) else a for a in args]
    kernel.prepare((1,), values)()
    torch.cuda.synchronize()


def poisoned(size):
    return torch.full((size,), 0xA5, dtype=torch.uint8, device="cuda")


# ---- Layouts, from the program under test -----------------------------------------------------------------------------

class Linear:
    """A linear layout from its text: basis vectors by dimension, and the sizes of the out-dimensions."""

    def __init__(self, text):
        bases, _, outs = text.removeprefix("linear<").removesuffix(">").rpartition("shape = " if "shape = " in text else "outs = ")
        self.bases = {name: np.array(json.loads(vectors), dtype=np.int64) for name, vectors in re.findall(r"(\w+) = (\[.*?\](?=, \w|, $))", bases)}
        self.sizes = [int(size) for size in re.findall(r"(?<![a-z])\d+", outs)]

    def size(self, dim):
        return 1 << len(self.bases.get(dim, ()))

    def apply(self, dim, values):
        """The coordinates of positions along one dimension, the others at 0."""
        values = np.asarray(values)
        out = np.zeros(values.shape + (len(self.sizes),), dtype=np.int64)
        for bit, vector in enumerate(self.bases.get(dim, ())):
            out ^= np.where((values >> bit & 1)[..., None] == 1, vector, 0)
        return out

    def flat(self, coordinates):
        index = np.zeros(coordinates.shape[:-1], dtype=np.int64)
        for axis, size in enumerate(self.sizes):
            index = index * size + coordinates[..., axis]
        return index


class Layouts:
    def __init__(self, binary):
        self.binary, self.known = binary, {}

    def ask(self, *arguments):
        run = subprocess.run([self.binary, "layout", *arguments], capture_output=True, text=True)
        return run.stdout if run.returncode == 0 else None

    def linear(self, layout):
        if layout not in self.known:
            said = self.ask("notation", layout)
            if said is None:
                raise RuntimeError(f"no layout {layout}")
            self.known[layout] = Linear(said.splitlines()[0].removeprefix("linear").strip())
        return self.known[layout]

    def coordinates(self, name):
        """[thread][register] -> coordinates."""
        layout = self.linear(name)
        place = lambda dim: layout.apply(dim, np.arange(layout.size(dim)))  # noqa: E731
        lanes = (place("warp")[:, None] ^ place("lane")[None, :]).reshape(-1, len(layout.sizes))
        return lanes[:, None] ^ place("register")[None, :]

    def fragment(self, name):
        """[thread][register] -> row-major index."""
        return self.linear(name).flat(self.coordinates(name))

    def matrix_move(self, name, count, transposed):
        return self.fragment(f"{name}.x{count}{'.trans' if transposed else ''}.b16")

    def wgmma_a(self, width):
        return self.fragment(f"wgmma.m64k{256 // width}.b{width}.a")

    def wgmma_c(self, n):
        """The first registers of the layout of the next power of two."""
        power = 1 << (n - 1).bit_length()
        at = self.coordinates(f"wgmma.m64n{power}.c")[:, : n // 2]
        return at[..., 0] * n + at[..., 1]

    def offsets(self, memory):
        """Row-major index of an element -> offset."""
        layout = self.linear(memory)
        if "offset" in layout.bases:
            index = layout.flat(layout.apply("offset", np.arange(layout.size("offset"))))
            offsets = np.empty_like(index)
            offsets[index] = np.arange(len(index))
            return offsets
        rows, columns = (layout.apply(dim, np.arange(layout.size(dim)))[:, 0] for dim in ("dim0", "dim1"))
        return (rows[:, None] ^ columns[None, :]).reshape(-1)

    def tma_box(self, swizzle, width, rows, columns):
        plain = f"({rows},{columns}):({columns},1)"
        return self.offsets(plain if swizzle == "none" else f"nvmma.{swizzle}.b{width} {rows}x{columns}")

    def wgmma_operand(self, shape, width, swizzle, major, start, k):
        """Offsets of a tile, and the descriptors of the instructions along K; None where there are none."""
        memory = f"nvmma.{swizzle}.b{width}{'.col' if major == 'M' else ''} {shape[0]}x{shape[1]}"
        said = self.ask("descriptor", memory, "--start", str(start))
        if said is None:
            return None
        words = [int(line.split()[-1], 16) for line in said.splitlines()[2:]]
        return {"offsets": self.offsets(memory), "descriptors": words, "major": said[0]}

    def bank_cycles(self, columns, width, store):
        """Cycles of one access of a warp whose lane bits add these columns, in elements of `width` bytes."""
        lanes = "linear<lane = [[1], [2], [4], [8], [16]], shape = [32]>"
        bits = max(columns).bit_length()
        memory = f"linear<dim0 = [{', '.join(f'[{c}]' for c in columns)}], outs = {{offset: {1 << bits}}}>"
        said = self.ask("conflicts", lanes, memory, "--width", str(8 * width), "--as", "json", *(["--store"] if store else []))
        return int(re.search(r"(\d+) cycles?", " ".join(json.loads(said)["pictures"][0]["notes"])).group(1))


# ---- mma.sync --------------------------------------------------------------------------------------------------------

# Shape, types of A and B, of C and D, and what follows the types.
MMA = (
    [("m8n8k4", "f64", "f64", ""), ("m16n8k4", "f64", "f64", ""), ("m16n8k8", "f64", "f64", ""), ("m16n8k16", "f64", "f64", "")]
    + [("m16n8k4", "tf32", "f32", ""), ("m16n8k8", "tf32", "f32", "")]
    + [("m16n8k8", "bf16", "f32", ""), ("m16n8k16", "bf16", "f32", "")]
    + [(shape, "f16", to, "") for shape in ("m16n8k8", "m16n8k16") for to in ("f16", "f32")]
    + [(shape, t, "f32", "") for shape in ("m16n8k32",) for t in ("e4m3", "e5m2")]
    + [(shape, t, "s32", "") for shape in ("m8n8k16", "m16n8k16", "m16n8k32") for t in ("s8", "u8")]
    + [(shape, t, "s32", "") for shape in ("m8n8k32", "m16n8k32", "m16n8k64") for t in ("s4", "u4")]
    + [(shape, "b1", "s32", ".and.popc") for shape in ("m8n8k128", "m16n8k128", "m16n8k256")]
)


def registers(name, kind, count):
    return "{" + ", ".join(f"%{name}{i}" for i in range(count)) + "}", f".reg .{kind} %{name}<{count}>;"


def mma_ptx(shape, ab, cd, suffix, words):
    """`words`: registers of A, B, C in their units of 32 bits, or of 64 for f64."""
    wide = ab == "f64"
    ab_kind, size = ("f64", 8) if wide else ("b32", 4)
    cd_kind = {"f64": "f64", "f32": "f32", "f16": "b32", "s32": "s32"}[cd]
    cd_size = 8 if wide else 4
    lists, declarations, loads, stores = {}, [], [], []
    for name, count, kind in (("a", words[0], ab_kind), ("b", words[1], ab_kind), ("c", words[2], cd_kind), ("d", words[2], cd_kind)):
        lists[name], declaration = registers(name, kind, count)
        declarations.append(declaration)
        bytes_each = size if name in "ab" else cd_size
        loads.append(f"ld.param.u64 %p, [{name}]; mad.wide.u32 %p, %lane, {count * bytes_each}, %p;")
        for i in range(count):
            if name == "d":
                stores.append(f"st.global.{kind} [%p+{i * bytes_each}], %{name}{i};")
            else:
                loads.append(f"ld.global.{kind} %{name}{i}, [%p+{i * bytes_each}];")
    types = f"{cd}.{ab}.{ab}.{cd}"
    return (HEADER + ".visible .entry mma(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)\n.reqntid 32\n{\n"
            + ".reg .b32 %lane; .reg .b64 %p;\n" + "\n".join(declarations) + "\nmov.u32 %lane, %laneid;\n" + "\n".join(loads)
            + f"\nmma.sync.aligned.{shape}.row.col.{types}{suffix} {lists['d']}, {lists['a']}, {lists['b']}, {lists['c']};\n"
            + "\n".join(stores) + "\nret;\n}\n").encode()


def fragment_bytes(matrix_bits, holders, width):
    """The registers of all lanes: `holders[lane][element]` is the element's index in the flattened matrix."""
    return pack(matrix_bits.reshape(-1)[np.asarray(holders)].reshape(-1), width)


def check_mma(layouts, rng):
    wrong = 0
    for shape, ab, cd, suffix in MMA:
        m, n, k = (int(x) for x in shape[1:].replace("n", " ").replace("k", " ").split())
        name = f"mma.{shape}.b{WIDTH[ab]}"
        parts = {part: layouts.fragment(f"{name}.{part}") for part in "abc"}
        a, b, c = random_matrix(rng, ab, (m, k)), random_matrix(rng, ab, (k, n)), random_matrix(rng, "s8" if cd == "s32" else cd, (m, n))
        want = a.astype(np.int64) @ b.astype(np.int64) + c
        unit = 64 if ab == "f64" else 32
        words = [len(parts[p][0]) * WIDTH[t] // unit for p, t in (("a", ab), ("b", ab), ("c", cd))]
        kernel = Kernel(mma_ptx(shape, ab, cd, suffix, words), "mma")
        inputs = [upload(fragment_bytes(to_bits(x, t), parts[p], WIDTH[t])) for x, t, p in ((a, ab, "a"), (b, ab, "b"), (c, cd, "c"))]
        out = poisoned(inputs[2].numel())
        launch(kernel, *inputs, out)
        got = from_bits(unpack(download(out), WIDTH[cd]), cd)
        holders = np.asarray(parts["c"]).reshape(-1)
        wrong += report(f"mma.sync {shape} {ab} -> {cd}", bool((got == want.reshape(-1)[holders]).all()))
    return wrong


def report(what, ok, more=""):
    print(f"{'ok   ' if ok else 'WRONG'} {what}{more}", flush=True)
    return not ok


# ---- ldmatrix and stmatrix -------------------------------------------------------------------------------------------

def move_ptx(instruction, count, store):
    regs, declaration = registers("r", "b32", count)
    into = "\n".join(f"ld.global.b32 %r{i}, [%p+{4 * i}];" for i in range(count))
    out = "\n".join(f"st.global.b32 [%p+{4 * i}], %r{i};" for i in range(count))
    move = f"{instruction} [%a], {regs};" if store else f"{instruction} {regs}, [%a];"
    return (HEADER + f""".visible .entry move(.param .u64 image, .param .u64 rows, .param .u64 values)
.reqntid 32
{{
.reg .b32 %lane, %a, %s, %w, %i; .reg .b64 %p, %g, %q; .reg .pred %more;
{declaration}
.shared .align 128 .b8 buffer[4096];
mov.u32 %lane, %laneid; mov.u32 %s, buffer;
ld.param.u64 %g, [image];
mov.u32 %i, %lane;
in: mad.wide.u32 %q, %i, 4, %g; ld.global.b32 %w, [%q]; mad.lo.u32 %a, %i, 4, %s; st.shared.b32 [%a], %w;
add.u32 %i, %i, 32; setp.lt.u32 %more, %i, 1024; @%more bra in;
bar.sync 0;
ld.param.u64 %p, [rows]; mad.wide.u32 %p, %lane, 4, %p; ld.global.u32 %a, [%p]; add.u32 %a, %a, %s;
ld.param.u64 %p, [values]; mad.wide.u32 %p, %lane, {4 * count}, %p;
{into if store else ""}
{move}
{"" if store else out}
bar.sync 0;
mov.u32 %i, %lane;
back: mad.lo.u32 %a, %i, 4, %s; ld.shared.b32 %w, [%a]; mad.wide.u32 %q, %i, 4, %g; st.global.b32 [%q], %w;
add.u32 %i, %i, 32; setp.lt.u32 %more, %i, 1024; @%more bra back;
ret;
}}
""").encode()


def check_moves(layouts, rng):
    """Rows of each 8 by 8 matrix lie at random places; lane 8 * matrix + row gives a row's address."""
    wrong = 0
    for store in (False, True):
        for count in (1, 2, 4):
            for transposed in (False, True):
                name = f"{'st' if store else 'ld'}matrix"
                instruction = f"{name}.sync.aligned.m8n8.x{count}{'.trans' if transposed else ''}.shared.b16"
                holders = np.asarray(layouts.matrix_move(name, count, transposed))  # [lane][element] -> row * 8 + column
                image = rng.integers(0, 1 << 16, 2048).astype(np.uint16)
                slots = rng.permutation(256)[: 8 * count]  # of 16 bytes each
                rows = np.zeros(32, dtype=np.uint32)
                rows[: 8 * count] = slots * 16
                element = (slots[:, None] * 8 + np.arange(8)).reshape(-1)  # matrix row, column -> index in the image
                values = rng.integers(0, 1 << 16, (32, 2 * count)).astype(np.uint16)
                kernel = Kernel(move_ptx(instruction, count, store), "move")
                device = [upload(image.tobytes()), upload(rows.tobytes()), upload(values.tobytes()) if store else poisoned(values.nbytes)]
                launch(kernel, *device)
                if store:
                    want = image.copy()
                    want[element[holders.reshape(-1)]] = values.reshape(-1)
                    got = np.frombuffer(download(device[0]), dtype=np.uint16)
                else:
                    want = image[element[holders.reshape(-1)]]
                    got = np.frombuffer(download(device[2]), dtype=np.uint16)
                wrong += report(instruction, bool((got == want).all()))
    return wrong


# ---- wgmma -----------------------------------------------------------------------------------------------------------

def wgmma_ptx(n, k, ab, cd, a_in_registers, transposes, steps, image_bytes):
    """`steps`: descriptors of A and B for each step along K, added to the address of the image."""
    cd_kind, per = ("b32", 2) if cd == "f16" else ({"f32": "f32", "s32": "s32"}[cd], 1)
    count = n // 2 // per
    d, declare_d = registers("d", cd_kind, count)
    a, declare_a = registers("a", "b32", 4)
    zero = "\n".join(f"mov.{cd_kind} %d{i}, {'0f00000000' if cd_kind == 'f32' else '0'};" for i in range(count))
    store = "\n".join(f"st.global.{cd_kind} [%p+{4 * i}], %d{i};" for i in range(count))
    kinds = f"{cd}.{ab}.{ab}"
    # Operands have to be in place before the fence, so every step fences by itself.
    lines = []
    for index, (desc_a, desc_b) in enumerate(steps):
        if a_in_registers:
            lines += [f"ld.global.b32 %a{i}, [%q+{index * 128 * 16 + 4 * i}];" for i in range(4)]
        else:
            lines.append(f"add.u64 %da, %base, {desc_a};")
        lines.append(f"add.u64 %db, %base, {desc_b};")
        scale = "" if ab in ("s8", "u8", "b1") else ", 1, 1"
        suffix = ".and.popc" if ab == "b1" else ""
        trans = "".join(f", {int(t)}" for t in transposes[int(a_in_registers):]) if ab in ("f16", "bf16") else ""
        lines += ["wgmma.fence.sync.aligned;",
                  f"wgmma.mma_async.sync.aligned.m64n{n}k{k}.{kinds}{suffix} {d}, {a if a_in_registers else '%da'}, %db, %on{scale}{trans};",
                  "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"]
    return (HEADER + f""".visible .entry gmma(.param .u64 image, .param .u64 fragments, .param .u64 out)
.reqntid 128
{{
.reg .b32 %t, %s, %i, %w, %a; .reg .b64 %p, %q, %g, %base, %da, %db; .reg .pred %more, %on;
{declare_d}
{declare_a}
.shared .align 1024 .b8 buffer[{image_bytes}];
mov.u32 %t, %tid.x; mov.u32 %s, buffer;
ld.param.u64 %g, [image]; mov.u32 %i, %t;
in: mad.wide.u32 %q, %i, 4, %g; ld.global.b32 %w, [%q]; mad.lo.u32 %a, %i, 4, %s; st.shared.b32 [%a], %w;
add.u32 %i, %i, 128; setp.lt.u32 %more, %i, {image_bytes // 4}; @%more bra in;
fence.proxy.async.shared::cta; bar.sync 0;
shr.u32 %s, %s, 4; cvt.u64.u32 %base, %s;
ld.param.u64 %q, [fragments]; mad.wide.u32 %q, %t, 16, %q;
setp.eq.u32 %on, 0, 0;
{zero}
{chr(10).join(lines)}
ld.param.u64 %p, [out]; mad.wide.u32 %p, %t, {4 * count}, %p;
{store}
ret;
}}
""").encode()


# ---- TMA -------------------------------------------------------------------------------------------------------------

TMA_PTX = (HEADER + """.visible .entry tma(.param .u64 map, .param .u64 out, .param .u32 bytes)
.reqntid 128
{
.reg .b32 %t, %s, %m, %i, %w, %a, %n, %z; .reg .b64 %p, %q, %map, %state; .reg .pred %more, %first, %done;
.shared .align 1024 .b8 buffer[65536];
.shared .align 8 .b64 barrier;
mov.u32 %t, %tid.x; mov.u32 %s, buffer; mov.u32 %m, barrier; mov.u32 %z, 0;
ld.param.u64 %map, [map]; ld.param.u32 %n, [bytes];
setp.eq.u32 %first, %t, 0;
@%first mbarrier.init.shared.b64 [%m], 1;
fence.proxy.async.shared::cta; bar.sync 0;
@!%first bra wait;
mbarrier.arrive.expect_tx.shared.b64 %state, [%m], %n;
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%s], [%map, {%z, %z}], [%m];
wait: mbarrier.try_wait.parity.shared.b64 %done, [%m], 0; @!%done bra wait;
ld.param.u64 %p, [out]; shr.u32 %n, %n, 2; mov.u32 %i, %t;
back: mad.lo.u32 %a, %i, 4, %s; ld.shared.b32 %w, [%a]; mad.wide.u32 %q, %i, 4, %p; st.global.b32 [%q], %w;
add.u32 %i, %i, 128; setp.lt.u32 %more, %i, %n; @%more bra back;
ret;
}
""").encode()

TMA_TYPE = {8: 0, 16: 1, 32: 2, 64: 4}  # CU_TENSOR_MAP_DATA_TYPE_UINT8, 16, 32, 64
TMA_SWIZZLE = {"none": 0, "32B": 1, "64B": 2, "128B": 3}


def tensor_map(tensor, rows, columns, width, box, swizzle):
    cuda = C.CDLL("libcuda.so.1")
    out = torch.zeros(128 + 64, dtype=torch.uint8)
    address = (out.data_ptr() + 63) // 64 * 64
    status = cuda.cuTensorMapEncodeTiled(
        C.c_void_p(address), TMA_TYPE[width], 2, C.c_void_p(tensor.data_ptr()), (C.c_uint64 * 2)(columns, rows),
        (C.c_uint64 * 1)(columns * width // 8), (C.c_uint32 * 2)(box[1], box[0]), (C.c_uint32 * 2)(1, 1), 0,
        TMA_SWIZZLE[swizzle], 0, 0)
    if status:
        raise RuntimeError(f"cuTensorMapEncodeTiled: {status}")
    return upload(C.string_at(address, 128) + bytes(64))


def check_tma(layouts, rng):
    """A box lands where the layout of its swizzle says."""
    wrong, kernel = 0, Kernel(TMA_PTX, "tma")
    for swizzle, span in (("none", 256), ("32B", 32), ("64B", 64), ("128B", 128)):
        for width in (8, 16, 32, 64):
            rows, columns = 64, span * 8 // width
            if columns > 256:
                continue
            tensor = rng.integers(0, 256, rows * span).astype(np.uint8)
            device = upload(tensor.tobytes())
            descriptor = tensor_map(device, rows, columns, width, (rows, columns), swizzle)
            out = poisoned(tensor.nbytes)
            launch(kernel, descriptor, out, C.c_uint32(tensor.nbytes))
            offsets = np.asarray(layouts.tma_box(swizzle, width, rows, columns))  # element, row major -> offset
            got = np.frombuffer(download(out), dtype=STORAGE[width])
            wrong += report(f"cp.async.bulk.tensor {rows}x{columns} b{width} swizzle {swizzle}",
                            bool((got[offsets] == tensor.view(STORAGE[width])).all()))
    return wrong


# ---- Banks -----------------------------------------------------------------------------------------------------------

WARPS, UNROLL, LOOPS = 16, 16, 256


def bank_ptx(width, store):
    kind, vector = {1: ("u8", 1), 2: ("u16", 1), 4: ("b32", 1), 8: ("b32", 2), 16: ("b32", 4)}[width]
    held = "b32" if width >= 4 else "u16"
    names = [[f"%v{u * vector + i}" for i in range(vector)] for u in range(UNROLL)]
    lists = ["{" + ", ".join(n) + "}" if vector > 1 else n[0] for n in names]
    shape = f".v{vector}" if vector > 1 else ""
    access = [f"st.volatile.shared{shape}.{kind} [%a], {l};" if store else f"ld.volatile.shared{shape}.{kind} {l}, [%a];" for l in lists]
    flat = [n for group in names for n in group]
    fold = [f"xor.b32 %sum, %sum, {n};" if width >= 4 else f"cvt.u32.u16 %w, {n}; xor.b32 %sum, %sum, %w;" for n in flat]
    newline = "\n"
    return (HEADER + f""".visible .entry banks(.param .u64 addresses, .param .u64 cycles, .param .u64 sink)
.reqntid {32 * WARPS}
{{
.reg .b64 %p, %q, %before, %after; .reg .b32 %a, %s, %sum, %w, %lane, %i, %t; .reg .{held} %v<{len(flat)}>; .reg .pred %more;
.shared .align 1024 .b8 buffer[32768];
mov.u32 %t, %tid.x; mov.u32 %lane, %laneid; mov.u32 %s, buffer;
ld.param.u64 %p, [addresses]; mad.wide.u32 %p, %lane, 4, %p; ld.global.u32 %a, [%p]; add.u32 %a, %a, %s;
mov.u32 %sum, 0; mov.u32 %i, 0;
{newline.join(f"mov.{held} {n}, {i};" for i, n in enumerate(flat))}
bar.sync 0;
mov.u64 %before, %clock64;
again:
{newline.join(access)}
add.u32 %i, %i, 1; setp.lt.u32 %more, %i, {LOOPS}; @%more bra again;
bar.sync 0;
mov.u64 %after, %clock64; sub.u64 %after, %after, %before;
{newline.join(fold)}
ld.param.u64 %p, [cycles]; mad.wide.u32 %p, %t, 8, %p; st.global.u64 [%p], %after;
ld.param.u64 %p, [sink]; mad.wide.u32 %p, %t, 4, %p; st.global.u32 [%p], %sum;
ret;
}}
""").encode()


def check_banks(layouts, rng, cases):
    """Random linear maps from lanes to addresses: cycles of a warp's access, measured and counted."""
    wrong = 0
    cycles = torch.zeros(32 * WARPS, dtype=torch.int64, device="cuda")
    sink = torch.zeros(32 * WARPS, dtype=torch.int32, device="cuda")
    for width in (1, 2, 4, 8, 16):
        for store in (False, True):
            kernel, off = Kernel(bank_ptx(width, store), "banks"), 0
            for _ in range(cases):
                columns = []
                for _ in range(5):
                    dice = rng.random()
                    fresh = int(rng.integers(0, 32768 // width))
                    columns.append(0 if dice < 0.3 else columns[-1] if dice < 0.4 and columns else fresh)
                addresses = np.zeros(32, dtype=np.uint32)
                for bit, column in enumerate(columns):
                    addresses[np.arange(32) >> bit & 1 == 1] ^= column * width
                want = layouts.bank_cycles(columns, width, store)
                device = upload(addresses.tobytes())
                for _ in range(2):
                    launch(kernel, device, cycles, sink)
                got = cycles.max().item() / (WARPS * UNROLL * LOOPS)
                off += abs(got - want) > 0.02 * want + 0.06
            wrong += report(f"{'st' if store else 'ld'}.shared of {width} bytes: {cases - off} of {cases} counts are the cycles measured", off == 0)
    return wrong


def check_wgmma(layouts, rng):
    """One operand tile of 64 by N by a whole swizzle span (or two chunks) along K, stepping through it."""
    wrong = 0
    plan = [("f16", "f32"), ("f16", "f16"), ("bf16", "f32"), ("tf32", "f32"), ("e4m3", "f32"), ("e5m2", "f16"), ("s8", "s32"), ("u8", "s32")]
    for ab, cd in plan:
        width = WIDTH[ab]
        k = 256 // width
        for swizzle, span in (("none", 32), ("32B", 32), ("64B", 64), ("128B", 128)):
            for majors in ("KK", "MK", "KM", "MM"):
                if width != 16 and majors != "KK":
                    continue
                for n in (8, 16, 64, 128, 256):
                    for in_registers in (False, True):
                        if in_registers and majors[0] == "M":
                            continue
                        total = span * 8 // width if majors == "KK" else 64
                        a = random_matrix(rng, ab, (64, total))
                        b = random_matrix(rng, ab, (n, total))
                        steps, image = [], bytearray()
                        words = {}
                        for name, matrix, major in (("a", a, majors[0]), ("b", b, majors[1])):
                            operand = layouts.wgmma_operand(matrix.shape, width, swizzle, major, len(image), k)
                            if operand is None:
                                break
                            bits = np.zeros(matrix.size, dtype=np.uint64)
                            bits[np.asarray(operand["offsets"])] = to_bits(matrix, ab).astype(np.uint64).reshape(-1)
                            image += pack(bits, width)
                            image += bytes(-len(image) % 1024)
                            words[name] = operand["descriptors"]
                        if len(words) < 2:
                            continue
                        steps = list(zip(words["a"], words["b"]))
                        transposes = (majors[0] == "M", majors[1] == "M")
                        kernel = Kernel(wgmma_ptx(n, k, ab, cd, in_registers, transposes, steps, len(image)), "gmma")
                        fragments = poisoned(16)
                        if in_registers:
                            holders = np.asarray(layouts.wgmma_a(width))  # [thread][element] -> row * k + column
                            pieces = [fragment_bytes(to_bits(a[:, i * k:(i + 1) * k].copy(), ab), holders, width) for i in range(total // k)]
                            fragments = upload(b"".join(pieces))
                        out = poisoned(128 * (n // 2) * WIDTH[cd] // 8)
                        launch(kernel, upload(bytes(image)), fragments, out)
                        got = from_bits(unpack(download(out), WIDTH[cd]), cd)
                        want = (a.astype(np.int64) @ b.astype(np.int64).T).astype(np.float64).reshape(-1)
                        where = np.asarray(layouts.wgmma_c(n)).reshape(-1)
                        ok = bool((got == want[where]).all())
                        wrong += report(f"wgmma m64n{n}k{k} {ab} -> {cd}, swizzle {swizzle}, A {majors[0]}-major{' in registers' if in_registers else ''}, B {majors[1]}-major", ok)
    return wrong


def main():
    torch.empty(1, device="cuda")  # makes the context that kernels are loaded into
    layouts = Layouts(sys.argv[1])
    rng = np.random.default_rng(3)
    wrong = check_mma(layouts, rng) + check_moves(layouts, rng) + check_wgmma(layouts, rng) + check_tma(layouts, rng)
    wrong += check_banks(layouts, rng, 40)
    print(f"{wrong} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
