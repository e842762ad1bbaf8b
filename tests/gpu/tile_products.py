"""Checks and times the product of tests/data/product.mlir with larger tiles, beside cuBLAS and beside the code without routes.

    python3 tests/gpu/tile_products.py TILEWRIGHT [--check] [SIZE ...]

TILEWRIGHT is the release binary, or a folder with the PTX of each program, which `--emit FOLDER` writes on a machine without
a GPU. Results are exact; times are medians of alternating bursts of 5 ms in one process. Exit code 1 if a result differs.
"""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# Rows, columns and depth of a tile.
TILES = [(128, 128, 64), (128, 256, 64), (64, 256, 64), (256, 128, 64), (128, 128, 128), (64, 64, 64)]
WITHOUT = ["--hint", "allow_tma=false"]


def name_of(tile, routed):
    return "x".join(map(str, tile)) + ("" if routed else "_plain")


def program(tile):
    extents = {"64x64": tile[:2], "64x32": (tile[0], tile[2]), "32x64": (tile[2], tile[1])}
    with open(os.path.join(ROOT, "tests/data/product.mlir")) as file:
        text = file.read()

    def replaced(found):
        return found[1] + "x".join(map(str, extents[found[2]])) + found[3]

    return re.sub(r"(tile<|tile=\()(64x64|64x32|32x64)(x|\))", replaced, text)


def emit(binary, folder):
    os.makedirs(folder, exist_ok=True)
    for tile in TILES:
        for routed in (True, False):
            name = name_of(tile, routed)
            source = os.path.join(folder, name + ".mlir")
            with open(source, "w") as file:
                file.write(program(tile))
            command = [binary, "compile", source, "--target", "sm_90a", "--emit", "ptx", "-o", f"{folder}/{name}.ptx"]
            subprocess.run(command + ([] if routed else WITHOUT), check=True)


def main():
    tool = sys.argv[1]
    if "--emit" in sys.argv:
        emit(tool, sys.argv[sys.argv.index("--emit") + 1])
        return 0
    import tempfile

    import torch
    from cuda_driver import Kernel
    from hopper import check, launcher
    from measure import medians

    torch.zeros(1, device="cuda")
    sizes = [int(word) for word in sys.argv[2:] if word.isdigit()] or [4096, 8192]
    with tempfile.TemporaryDirectory() as temporary:
        folder = tool
        if not os.path.isdir(tool):
            folder = temporary
            emit(tool, folder)
        kernels, wrong = {}, 0
        for tile in TILES:
            for routed in (True, False):
                name = name_of(tile, routed)
                with open(os.path.join(folder, name + ".ptx"), "rb") as file:
                    kernels[name] = Kernel(file.read(), "product")
                wrong += check(name, kernels[name], tile[:2], torch.float32, 0)
    if wrong or "--check" in sys.argv:
        return 1 if wrong else 0
    for size in sizes:
        a, b = (torch.randn(size, size, device="cuda").half() for _ in range(2))
        out = torch.empty(size, size, device="cuda").half()
        launches = {"cuBLAS": lambda: torch.mm(a, b, out=out)}
        for tile in TILES:
            for routed in (True, False):
                name = name_of(tile, routed)
                c = torch.empty(size, size, device="cuda")
                launches[name] = launcher(kernels[name], tile[:2], 0, a, b, c)
        found = medians(launches)
        for name, microseconds in found.items():
            speed = 2 * size**3 / microseconds / 1e6
            print(f"{size:5} {name:24} {microseconds:9.1f} us {speed:7.1f} TFLOP/s  {found['cuBLAS'] / microseconds:.3f} of cuBLAS")
    return 0


if __name__ == "__main__":
    sys.exit(main())
