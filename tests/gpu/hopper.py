"""Runs the products that are scheduled by hand for Hopper (examples/scheduled), checks and times them.

    python3 tests/gpu/hopper.py TILEWRIGHT [--check] [SIZE ...]

TILEWRIGHT is the release binary, or a folder with the PTX of each program. Operands of the checks are whole numbers, so
that every sum is exact in f32: the results are equal to PyTorch's bit for bit. Times are medians of bursts of 5 ms on
random data, alternating with cuBLAS in one process. Exit code 1 if a result differs.
"""

import ctypes as C
import os
import statistics
import subprocess
import sys
import tempfile

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cuda_driver import Kernel  # noqa: E402

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# Rows, columns, depth: whole tiles, ends inside a tile and inside a stage, less depth than the ring has stages.
EXTENTS = [(256, 512, 512), (128, 256, 64), (100, 72, 200), (8, 8, 8), (1000, 1000, 1000), (384, 768, 4096)]
BURST = 5e-3
ROUNDS = 20
SYMBOL = "product"

# Each program with its tile, the element type of its result, and whether its blocks are persistent.
PROGRAMS = {
    "product_warpgroups": ((128, 256), torch.float32, False),
    "product_persistent": ((128, 256), torch.float16, True),
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


def launcher(kernel, tile, blocks, a, b, c):
    rows, depth = a.shape
    columns = b.shape[1]
    tiles = (-(-rows // tile[0]), -(-columns // tile[1]))
    grid = tiles if not blocks else (min(blocks, tiles[0] * tiles[1]), 1)
    pointers = [C.c_uint64(x.data_ptr()) for x in (a, b, c)]
    return kernel.prepare(grid, pointers + [C.c_int32(n) for n in (rows, columns, depth)])


def burst(launch, seconds):
    """Microseconds for each launch, of as many as take about this time."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(max(1, round(BURST / seconds))):
        launch()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e3 / max(1, round(BURST / seconds))


def once(launch):
    for _ in range(3):
        launch()
    torch.cuda.synchronize()
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(5):
        launch()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 5e3


def medians(launches):
    seconds = {name: once(launch) for name, launch in launches.items()}
    times = {name: [] for name in launches}
    for _ in range(ROUNDS):
        for name, launch in launches.items():
            times[name].append(burst(launch, seconds[name]))
    return {name: statistics.median(found) for name, found in times.items()}


def check(name, kernel, tile, dtype, blocks):
    wrong = 0
    for rows, columns, depth in EXTENTS:
        torch.manual_seed(rows + columns + depth)
        a = torch.randint(-4, 5, (rows, depth), device="cuda").half()
        b = torch.randint(-4, 5, (depth, columns), device="cuda").half()
        c = torch.full((rows, columns), float("nan"), device="cuda", dtype=dtype)
        launch = launcher(kernel, tile, blocks, a, b, c)
        for _ in range(3):
            launch()
        torch.cuda.synchronize()
        differing = int((c != (a.double() @ b.double()).to(dtype)).sum())
        wrong += differing != 0
        print(f"{name:24} {rows:5} {columns:5} {depth:5}  {'equal' if not differing else f'{differing} differ'}", flush=True)
    return wrong


def main():
    torch.zeros(1, device="cuda")
    tool = sys.argv[1]
    sizes = [int(word) for word in sys.argv[2:] if word.isdigit()] or [4096, 8192]
    blocks = torch.cuda.get_device_properties(0).multi_processor_count
    kernels, wrong = {}, 0
    for name, (tile, dtype, persistent) in PROGRAMS.items():
        kernels[name] = Kernel(ptx(tool, name), SYMBOL)
        print(f"{name:24} {kernels[name].registers} registers")
        wrong += check(name, kernels[name], tile, dtype, persistent and blocks)
    if wrong or "--check" in sys.argv:
        return 1 if wrong else 0
    for size in sizes:
        a, b = (torch.randn(size, size, device="cuda").half() for _ in range(2))
        out = torch.empty(size, size, device="cuda").half()
        launches = {"cuBLAS": lambda: torch.mm(a, b, out=out)}
        for name, (tile, dtype, persistent) in PROGRAMS.items():
            c = torch.empty(size, size, device="cuda", dtype=dtype)
            launches[name] = launcher(kernels[name], tile, persistent and blocks, a, b, c)
        found = medians(launches)
        for name, microseconds in found.items():
            speed = 2 * size**3 / microseconds / 1e6
            print(f"{size:5} {name:24} {microseconds:9.1f} us {speed:7.1f} TFLOP/s  {found['cuBLAS'] / microseconds:.3f} of cuBLAS")
    return 0


if __name__ == "__main__":
    sys.exit(main())
