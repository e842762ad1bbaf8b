"""Runs the products that are scheduled by hand for Hopper (examples/scheduled), checks and times them.

    python3 tests/gpu/hopper.py TILEWRIGHT [--check] [SIZE ...]

TILEWRIGHT is the release binary, or a folder with the PTX of each program. Operands of the checks are whole numbers, so
that every sum is exact in f32: the results are equal to PyTorch's bit for bit. Times are medians of bursts of 5 ms on
random data, alternating with cuBLAS in one process, for f8 without its fast accumulation. Exit code 1 if a result differs.
"""

import ctypes as C
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cuda_driver import Kernel  # noqa: E402
from measure import medians  # noqa: E402

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# Rows, columns, depth: whole tiles, ends inside a tile and inside a stage, less depth than the ring has stages.
EXTENTS = [(256, 512, 512), (128, 256, 64), (100, 72, 200), (8, 8, 8), (1000, 1000, 1000), (384, 768, 4096)]
SYMBOL = "product"


@dataclass(frozen=True)
class Program:
    """The tile of a block, the element types of the operands and of the result, whether blocks are persistent, and the
    blocks of a cluster, one above the other. The columns of a right operand of f8 follow each other."""

    tile: tuple
    operands: torch.dtype = torch.float16
    result: torch.dtype = torch.float16
    persistent: bool = False
    cluster: int = 1

    def matrices(self, rows, columns, depth, make):
        """Operands whose elements `make` gives for their extents."""
        a = make(rows, depth).to(self.operands)
        if self.operands == torch.float8_e4m3fn:
            return a, make(columns, depth).to(self.operands).t()
        return a, make(depth, columns).to(self.operands)

    @property
    def peer(self):
        return "cuBLAS f8" if self.operands == torch.float8_e4m3fn else "cuBLAS"


PROGRAMS = {
    "product_warpgroups": Program((128, 256), result=torch.float32),
    "product_persistent": Program((128, 256), persistent=True),
    "product_pingpong": Program((128, 128), persistent=True),
    "product_multicast": Program((128, 256), result=torch.float32, cluster=2),
    "product_fp8": Program((128, 128), operands=torch.float8_e4m3fn),
}


def ptx(tool, name):
    if os.path.isdir(tool):
        with open(os.path.join(tool, name + ".ptx"), "rb") as file:
            return file.read()
    source = os.path.join(ROOT, f"examples/scheduled/{name}.scheduled")
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.ptx")
        subprocess.run([tool, "compile", source, "--emit", "ptx", "-o", out], check=True)
        with open(out, "rb") as file:
            return file.read()


def launcher(kernel, program, blocks, a, b, c):
    rows, depth = a.shape
    columns = b.shape[1]
    tiles = (-(-rows // program.tile[0]), -(-columns // program.tile[1]))
    # A launch counts clusters.
    grid = (min(blocks, tiles[0] * tiles[1]), 1) if program.persistent else (-(-tiles[0] // program.cluster), tiles[1])
    pointers = [C.c_uint64(x.data_ptr()) for x in (a, b, c)]
    return kernel.prepare(grid, pointers + [C.c_int32(n) for n in (rows, columns, depth)])


def check(name, kernel, program, blocks):
    wrong = 0
    for rows, columns, depth in EXTENTS:
        # Rows of whole 16 bytes.
        units = 16 // program.operands.itemsize
        depth = -(-depth // units) * units
        torch.manual_seed(rows + columns + depth)
        a, b = program.matrices(rows, columns, depth, lambda *shape: torch.randint(-4, 5, shape, device="cuda").float())
        c = torch.full((rows, columns), float("nan"), device="cuda", dtype=program.result)
        launch = launcher(kernel, program, blocks, a, b, c)
        for _ in range(3):
            launch()
        torch.cuda.synchronize()
        differing = int((c != (a.double() @ b.double()).to(program.result)).sum())
        wrong += differing != 0
        print(f"{name:24} {rows:5} {columns:5} {depth:5}  {'equal' if not differing else f'{differing} differ'}", flush=True)
    return wrong


def cublas(program, a, b):
    """A function that multiplies by cuBLAS, with a result of f16."""
    if program.operands == torch.float8_e4m3fn:
        scale = torch.ones((), device="cuda")
        return lambda: torch._scaled_mm(
            a, b, scale_a=scale, scale_b=scale, out_dtype=torch.float16, use_fast_accum=False
        )
    out = torch.empty(a.shape[0], b.shape[1], device="cuda", dtype=torch.float16)
    return lambda: torch.mm(a, b, out=out)


def main():
    torch.zeros(1, device="cuda")
    tool = sys.argv[1]
    sizes = [int(word) for word in sys.argv[2:] if word.isdigit()] or [4096, 8192]
    blocks = torch.cuda.get_device_properties(0).multi_processor_count
    kernels, wrong = {}, 0
    for name, program in PROGRAMS.items():
        kernels[name] = Kernel(ptx(tool, name), SYMBOL)
        print(f"{name:24} {kernels[name].registers} registers")
        wrong += check(name, kernels[name], program, blocks)
    if wrong or "--check" in sys.argv:
        return 1 if wrong else 0
    for size in sizes:
        launches, peers = {}, {}
        for name, program in PROGRAMS.items():
            a, b = program.matrices(size, size, size, lambda *shape: torch.randn(shape, device="cuda"))
            c = torch.empty(size, size, device="cuda", dtype=program.result)
            peers[program.peer] = program.peer
            launches.setdefault(program.peer, cublas(program, a, b))
            launches[name], peers[name] = launcher(kernels[name], program, blocks, a, b, c), program.peer
        found = medians(launches)
        for name, microseconds in found.items():
            speed = 2 * size**3 / microseconds / 1e6
            peer = peers[name]
            print(f"{size:5} {name:24} {microseconds:9.1f} us {speed:7.1f} TFLOP/s  {found[peer] / microseconds:.3f} of {peer}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
