"""Ampere kernels of CuTe DSL: checks ours against PyTorch, and times them beside the library's own code.

    python3 tests/gpu/cute_ampere.py FOLDER

FOLDER holds NAME.ours.cubin and NAME.library.cubin for each kernel of `KERNELS`, both made by one ptxas: ours from the PTX of
`tilewright compile NAME.clean.mlir`, the library's from the PTX that it printed for the same kernel. A missing file leaves out the
kernel. Outputs are poisoned and stand between guards; factors are random; references are computed in higher precision. Times are
medians of alternating bursts of 5 ms.
"""
import ctypes
import math
import pathlib
import statistics
import struct
import sys

import torch

cuda = ctypes.CDLL("libcuda.so.1")
GUARD = 4096
BURST = 5e-3
ROUNDS = 20


def check(code):
    if code != 0:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(code, ctypes.byref(text))
        raise RuntimeError(f"{code}: {text.value}")


class Kernel:
    """The only kernel of a cubin."""

    def __init__(self, path, shared):
        self.module = ctypes.c_void_p()
        check(cuda.cuModuleLoadData(ctypes.byref(self.module), path.read_bytes()))
        count = ctypes.c_uint()
        check(cuda.cuModuleGetFunctionCount(ctypes.byref(count), self.module))
        functions = (ctypes.c_void_p * count.value)()
        check(cuda.cuModuleEnumerateFunctions(functions, count, self.module))
        self.function = ctypes.c_void_p(functions[0])
        self.shared = shared
        check(cuda.cuFuncSetAttribute(self.function, 8, shared))

    def launch(self, grid, block, packed):
        buffers = [ctypes.create_string_buffer(one, len(one)) for one in packed]
        pointers = (ctypes.c_void_p * len(packed))(*[ctypes.addressof(one) for one in buffers])
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        check(cuda.cuLaunchKernel(self.function, *grid, block, 1, 1, self.shared, stream, pointers, None))


def view(tensor, extents, strides):
    """A tensor as a struct: the address, extents of 32 bits, strides of 64 bits."""
    packed = struct.pack(f"<Q{len(extents)}i", tensor.data_ptr(), *extents)
    packed += b"\0" * (-len(packed) % 8)
    return packed + struct.pack(f"<{len(strides)}q", *strides)


def random(shape, dtype, scale=1.0):
    return (torch.randn(shape, device="cuda", dtype=torch.float32) * scale).to(dtype)


class Output:
    """A poisoned array between guards."""

    def __init__(self, shape, dtype):
        self.whole = torch.full((math.prod(shape) + 2 * GUARD,), math.nan, device="cuda", dtype=dtype)
        self.tensor = self.whole[GUARD:-GUARD].view(shape)

    def guards_stand(self):
        return bool(self.whole[:GUARD].isnan().all() and self.whole[-GUARD:].isnan().all())

    def poison(self):
        self.whole.fill_(math.nan)


def ceil_div(a, b):
    return -(-a // b)


def elementwise(shape, static):
    rows, columns = shape
    a, b = random(shape, torch.float32), random(shape, torch.float32)
    out = Output(shape, torch.float32)
    tiles = ceil_div(rows, 16), ceil_div(columns, 128)
    if static:
        packed = [struct.pack("<Q", one.data_ptr()) for one in (a, b, out.tensor)]
    else:
        one = lambda tensor: view(tensor, tiles, (columns, 16 * columns))
        packed = [one(a), one(b), one(out.tensor), struct.pack("<2i", *tiles), struct.pack("<i", rows), struct.pack("<i", columns)]
    bytes_moved = 3 * rows * columns * 4
    return (tiles[0] * tiles[1], 1, 1), 128, packed, out, lambda: a.double() + b.double(), 1e-6, bytes_moved


def sgemm(shape):
    m, n, k = shape
    a, b = random((k, m), torch.float32), random((k, n), torch.float32)
    out = Output((m, n), torch.float32)
    packed = [view(a, (m, k), (m,)), view(b, (n, k), (n,)), view(out.tensor, (m, n), (n,))]
    grid = (ceil_div(m, 128), ceil_div(n, 128), 1)
    return grid, 256, packed, out, lambda: a.double().t() @ b.double(), 2e-5 * math.sqrt(k), 2 * m * n * k


def tensorop(shape, m_major):
    m, n, k, batch = shape
    if m_major:
        a, b = random((batch, k, m), torch.float16), random((batch, k, n), torch.float16)
        packed_a, packed_b = view(a, (m, k, batch), (m, m * k)), view(b, (n, k, batch), (n, n * k))
        product = lambda: a.double().transpose(1, 2) @ b.double()
    else:
        a, b = random((batch, m, k), torch.float16), random((batch, n, k), torch.float16)
        packed_a, packed_b = view(a, (m, k, batch), (k, m * k)), view(b, (n, k, batch), (k, n * k))
        product = lambda: a.double() @ b.double().transpose(1, 2)
    out = Output((batch, m, n), torch.float16)
    tiles = ceil_div(m, 128), ceil_div(n, 128)
    raster = 8 if tiles[1] > 5 else 4 if tiles[1] > 2 else 2 if tiles[1] > 1 else 1
    packed = [packed_a, packed_b, view(out.tensor, (m, n, batch), (n, m * n)), struct.pack("<i", raster)]
    grid = (tiles[0] * raster, ceil_div(tiles[1], raster), batch)
    return grid, 128, packed, out, product, 3e-3 * math.sqrt(k), 2 * m * n * k * batch


def attention(shape, dtype, causal):
    batch, length, heads, depth = shape
    q, k, v = (random(shape, dtype) for _ in range(3))
    out = Output(shape, dtype)
    strides = (length * heads * depth, heads * depth, depth)
    packed = [view(one, shape, strides) for one in (q, k, v, out.tensor)]
    packed.append(struct.pack("<f", 0.125 * 1.44269502))
    grid = (ceil_div(length, 128), batch, heads)

    def reference():
        scores = torch.einsum("blhd,bshd->bhls", q.double(), k.double()) * 0.125
        if causal:
            mask = torch.ones(length, length, device="cuda", dtype=torch.bool).tril()
            scores = scores.masked_fill(~mask, -math.inf)
        return torch.einsum("bhls,bshd->blhd", scores.softmax(-1), v.double())

    work = 4 * batch * heads * length * length * depth // (2 if causal else 1)
    return grid, 128, packed, out, reference, 2e-2 if dtype == torch.bfloat16 else 3e-3, work


KERNELS = {
    "ampere_elementwise_add_static": (0, [lambda: elementwise((1024, 512), True)]),
    "ampere_elementwise_add": (0, [lambda s=s: elementwise(s, False) for s in [(1024, 512), (8192, 8192), (1000, 500), (4097, 132), (16384, 4096)]]),
    "ampere_sgemm": (24576, [lambda s=s: sgemm(s) for s in [(512, 512, 512), (2048, 2048, 2048), (4096, 4096, 1024), (1000, 516, 260), (128, 4, 8)]]),
    "ampere_tensorop_gemm": (65536, [lambda s=s: tensorop(s, False) for s in [(1024, 1024, 1024, 1), (4096, 4096, 4096, 1), (1000, 520, 264, 3), (8192, 8192, 512, 1), (256, 128, 32, 16)]]),
    "ampere_tensorop_gemm_mn": (65536, [lambda s=s: tensorop(s, True) for s in [(1024, 1024, 1024, 1), (4096, 4096, 4096, 1), (1000, 520, 264, 3), (8192, 8192, 512, 1)]]),
    "ampere_flash_attention_v2": (65536, [lambda s=s: attention(s, torch.float16, False) for s in [(2, 1024, 8, 128), (4, 4096, 8, 128), (1, 1000, 3, 128), (2, 65, 2, 128)]]),
    "ampere_flash_attention_v2_causal": (49152, [lambda s=s: attention(s, torch.bfloat16, True) for s in [(2, 1024, 8, 64), (4, 4096, 8, 64), (1, 1000, 3, 64), (2, 65, 2, 64)]]),
}


def timed(kernel, grid, block, packed, launches):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(launches):
        kernel.launch(grid, block, packed)
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / launches


def main():
    torch.zeros(1, device="cuda")  # Makes the context.
    folder = pathlib.Path(sys.argv[1])
    ratios, wrong = [], 0
    print(f"{'kernel':34} {'grid':>16} {'ours us':>9} {'library':>9} {'speed':>6} {'error':>9}")
    for name, (shared, cases) in KERNELS.items():
        files = [folder / f"{name}.{who}.cubin" for who in ("ours", "library")]
        if not all(one.exists() for one in files):
            print(f"{name}: left out")
            continue
        kernels = [Kernel(one, shared) for one in files]
        for case in cases:
            torch.manual_seed(1)
            grid, block, packed, out, reference, tolerance, _ = case()
            expected = reference()
            errors = []
            for kernel in kernels:
                out.poison()
                kernel.launch(grid, block, packed)
                torch.cuda.synchronize()
                error = (out.tensor.double() - expected).abs().max().item()
                errors.append(error if out.guards_stand() else math.inf)
            good = errors[0] <= tolerance
            wrong += not good
            once = [timed(kernel, grid, block, packed, 3) for kernel in kernels]
            launches = [max(1, int(BURST * 1e3 / max(one, 1e-4))) for one in once]
            times = [[], []]
            for _ in range(ROUNDS):
                for at in (0, 1):
                    times[at].append(timed(kernels[at], grid, block, packed, launches[at]))
            ours, library = (statistics.median(one) * 1e3 for one in times)
            ratios.append(library / ours)
            mark = "" if good else f"  WRONG (library: {errors[1]:.2e}, allowed {tolerance:.1e})"
            print(f"{name:34} {str(grid):>16} {ours:9.2f} {library:9.2f} {library / ours:6.3f} {errors[0]:9.2e}{mark}", flush=True)
            del expected, out
            torch.cuda.empty_cache()
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"speed / library's: geometric mean {mean:.3f}, least {min(ratios):.3f}; {len(ratios)} cases, {wrong} wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
