"""Runs random products that are written in `scheduled` on the GPU, and compares their results with those of plain loops.

    TILEWRIGHT_SCHEDULED=FOLDER TILEWRIGHT_PROGRAMS=N cargo test -p tilewright-tests --test random_programs scheduled
    python3 tests/gpu/random_scheduled.py FOLDER

The first command writes N programs to FOLDER: the PTX, the operands, the result, and the launch. All run in one process;
every sum is exact, so the results are equal byte for byte. Exit code 1 if one differs. Needs PyTorch and a Hopper GPU.
"""

import ctypes as C
import os
import sys

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cuda_driver import Kernel, unload  # noqa: E402

# What the results hold before each launch: what is wrong only now and then should be found.
FILLS = (0, 0xA5, 0)


def read(folder, name, end):
    with open(os.path.join(folder, f"{name}.{end}"), "rb") as file:
        return file.read()


def on_gpu(data):
    return torch.frombuffer(bytearray(data), dtype=torch.uint8).cuda()


def run(folder, name):
    """The number of bytes of the results that differ."""
    results, columns, rows, *numbers = (int(word) for word in read(folder, name, "launch").split())
    operands = [on_gpu(read(folder, name, end)) for end in ("a", "b")]
    want = on_gpu(read(folder, name, "want"))
    kernel = Kernel(read(folder, name, "ptx"), "k")
    differ = 0
    for fill in FILLS:
        found = [torch.full_like(want, fill) for _ in range(results)]
        pointers = [C.c_uint64(array.data_ptr()) for array in operands + found]
        kernel.prepare((columns, rows), pointers + [C.c_int32(number) for number in numbers])()
        torch.cuda.synchronize()
        # Rows may be longer than those of the result: what lies between is not written, and 0 in the reference.
        differ += sum(int(((array != want) & ((array != fill) | (want != 0))).sum()) for array in found)
    unload(kernel)
    return differ


def main():
    torch.zeros(1, device="cuda")
    folder = sys.argv[1]
    names = sorted((file[:-4] for file in os.listdir(folder) if file.endswith(".ptx")), key=int)
    wrong = 0
    for name in names:
        differ = run(folder, name)
        if differ:
            wrong += 1
            print(f"program {name}: {differ} bytes differ", flush=True)
    print(f"{len(names)} programs, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
