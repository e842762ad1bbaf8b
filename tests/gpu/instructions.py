"""Runs random PTX programs on the GPU and compares what they write and print with what the simulator says.

    cargo test -p tilewright-simulator --test programs -- --ignored
    python3 tests/gpu/instructions.py FOLDER

The first command writes 10,000 programs to FOLDER (target/tmp/programs, or TILEWRIGHT_PROGRAMS). Integers must agree bit
for bit, products of floats exactly on operands whose sums are exact, and within a bound for each element elsewhere; the
table says how much of the bound was used at most. Each thread must print the same lines in the same order; threads
print in any order. Exit code 1 if anything differs. Needs PyTorch and a Hopper GPU.
"""

import collections
import concurrent.futures
import ctypes as C
import os
import sys
import tempfile
import time

import numpy as np
import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cuda_driver import _cuda, check  # noqa: E402

CU_LIMIT_PRINTF_FIFO_SIZE = 1
FLOATS = {16: np.float16, 32: np.float32, 64: np.float64}
Program = collections.namedtuple("Program", "name text family bytes how width first first_bound")


def programs(folder):
    """The list of programs, with where the bytes and bounds of each begin."""
    first, first_bound, found = 0, 0, []
    with open(os.path.join(folder, "programs.txt")) as file:
        for line in file:
            name, text, family, size, how, width = line.split()
            found.append(Program(name, int(text), family, int(size), how, int(width), first, first_bound))
            first += int(size)
            if how == "within":
                first_bound += int(size) * 8 // int(width)
    return found


def load(context, path):
    """A module of a PTX text, compiled by the driver."""
    check(_cuda.cuCtxSetCurrent(context), "context")
    with open(path, "rb") as file:
        image = file.read() + b"\0"
    log = C.create_string_buffer(1 << 16)
    keys = (C.c_int * 2)(5, 6)  # CU_JIT_ERROR_LOG_BUFFER and its size
    values = (C.c_void_p * 2)(C.cast(log, C.c_void_p), C.c_void_p(len(log)))
    module = C.c_void_p()
    status = _cuda.cuModuleLoadDataEx(C.byref(module), image, 2, keys, values)
    check(status, f"loading {path}: {log.value.decode(errors='replace')}")
    return module


def launch(module, program, inputs, outputs):
    function = C.c_void_p()
    check(_cuda.cuModuleGetFunction(C.byref(function), module, program.name.encode()), program.name)
    args = [C.c_uint64(inputs.data_ptr()), C.c_uint64(outputs.data_ptr() + program.first)]
    pointers = (C.c_void_p * len(args))(*[C.cast(C.pointer(a), C.c_void_p) for a in args])
    check(_cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, pointers, None), program.name)


def printed_by(run):
    """What the GPU prints while `run` waits for it: the driver writes to the standard output of the process."""
    libc = C.CDLL(None)
    sys.stdout.flush()
    with tempfile.TemporaryFile() as file:
        kept = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            run()
        finally:
            libc.fflush(None)
            os.dup2(kept, 1)
            os.close(kept)
        file.seek(0)
        return file.read()


def lines_of_programs(text):
    """For each program the lines of each of its threads. A line begins with both: `p12 t3: ...`."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for line in text.decode(errors="replace").splitlines():
        program, _, rest = line.partition(" ")
        thread, _, rest = rest.partition(":")
        found[program][thread].append(rest)
    return found


def compare_lines(got, want):
    """The first difference between the lines of a program's threads."""
    for thread in sorted(got.keys() | want.keys()):
        if got.get(thread) != want.get(thread):
            return f"thread {thread} prints {got.get(thread)}, in the simulator {want.get(thread)}"
    return None


def compare(program, got, want, bounds):
    """How many elements differ, the first of them, and the largest part of a bound that was used."""
    if program.how == "bits":
        wrong = np.nonzero(got != want)[0]
        return len(wrong), wrong[:1], 0.0
    kind = FLOATS[program.width]
    got, want = got.view(kind).astype(np.float64), want.view(kind).astype(np.float64)
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    if program.how == "equal":
        wrong = np.nonzero(~same)[0]
        return len(wrong), wrong[:1], 0.0
    bound = bounds[program.first_bound:program.first_bound + len(got)].astype(np.float64)
    with np.errstate(invalid="ignore"):
        difference = np.where(same, 0.0, np.abs(got - want))
    # A difference that is no number is beyond every bound.
    wrong = np.nonzero(~(difference <= bound))[0]
    used = np.max(np.divide(difference, bound, out=np.zeros_like(bound), where=bound > 0), initial=0.0)
    return len(wrong), wrong[:1], float(used)


def main(folder):
    listed = programs(folder)
    if not listed:
        print("no programs")
        return 1
    read = lambda name, kind: np.fromfile(os.path.join(folder, name), dtype=kind)  # noqa: E731
    expected, bounds = read("expected.bin", np.uint8), read("bounds.bin", np.float32)
    inputs = torch.from_numpy(read("inputs.bin", np.uint8)).cuda()
    outputs = torch.zeros(len(expected), dtype=torch.uint8, device="cuda")
    torch.cuda.synchronize()
    context = C.c_void_p()
    check(_cuda.cuCtxGetCurrent(C.byref(context)), "context")
    # What does not fit is lost.
    check(_cuda.cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, C.c_size_t(256 << 20)), "room for what is printed")

    begin = time.time()
    texts = sorted({program.text for program in listed})
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        paths = [os.path.join(folder, f"{text}.ptx") for text in texts]
        modules = dict(zip(texts, pool.map(lambda path: load(context, path), paths)))
    compiled = time.time() - begin

    def run():
        for program in listed:
            launch(modules[program.text], program, inputs, outputs)
        check(_cuda.cuCtxSynchronize(), "running the programs")

    got_lines = lines_of_programs(printed_by(run))
    with open(os.path.join(folder, "printed.txt"), "rb") as file:
        want_lines = lines_of_programs(file.read())
    got_all = outputs.cpu().numpy()

    table = collections.OrderedDict()
    for program in sorted(listed, key=lambda program: program.family):
        last = program.first + program.bytes
        wrong, where, used = compare(program, got_all[program.first:last], expected[program.first:last], bounds)
        row = table.setdefault(program.family, [0, 0, 0.0, ""])
        other_lines = compare_lines(got_lines.get(program.name, {}), want_lines.get(program.name, {}))
        row[0] += 1
        row[1] += wrong > 0 or other_lines is not None
        row[2] = max(row[2], used)
        if wrong and not row[3]:
            at, size = int(where[0]), program.width // 8
            bytes_of = lambda array: array[program.first + at * size:program.first + (at + 1) * size].tobytes()  # noqa: E731
            row[3] = (f"{program.name} in {program.text}.ptx: {wrong} differ, the first is element {at}: "
                      f"GPU {bytes_of(got_all).hex()}, simulator {bytes_of(expected).hex()}")
        elif other_lines and not row[3]:
            row[3] = f"{program.name} in {program.text}.ptx: {other_lines}"
    print(f"{'family':56} {'programs':>8} {'differ':>7} {'of bound':>9}")
    for family, (count, wrong, used, first) in table.items():
        print(f"{family:56} {count:8} {wrong:7} {f'{used:.3f}' if used else '':>9}" + (f"\n    {first}" if first else ""))
    wrong = sum(row[1] for row in table.values())
    lines = sum(len(lines) for threads in want_lines.values() for lines in threads.values())
    print(f"{len(listed)} programs, {lines} printed lines, {wrong} differ; compiled in {compiled:.1f} s, {time.time() - begin:.1f} s in all")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
