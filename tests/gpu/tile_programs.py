"""Runs random tile programs on the GPU and compares what they leave in memory with what the reference evaluator says.

    TILEWRIGHT_PROGRAMS=500 cargo test -p tilewright-tests --test tile_programs -- --ignored write_programs
    python3 tests/gpu/tile_programs.py FOLDER [--ptxas PATH] [--workers N]

The first command writes 500 programs to FOLDER, target/tmp/tile_programs/gpu: PTX texts with 100 kernels each, and for
each array a seed of what it holds first, and a hash of what it must hold at the end. ptxas assembles the texts here, or
the driver does where there is none. A program that faults or does not end costs the programs after it nothing: another
process goes on. Prints a table by what the programs contain, and the first programs that differ. Exit code 1 if any does.
"""

import argparse
import base64
import collections
import concurrent.futures
import ctypes as C
import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
import zlib

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# Name, bits, and the widths of exponent and mantissa of a float.
TYPES = {"i8": (8, None), "i16": (16, None), "i32": (32, None), "i64": (64, None), "f16": (16, (5, 10)),
         "bf16": (16, (8, 7)), "f32": (32, (8, 23)), "f64": (64, (11, 52)), "f8E4M3FN": (8, (4, 3)),
         "f8E5M2": (8, (5, 2))}
UNSIGNED = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
GUARD = 256
GUARD_BYTE = 0xA5
ROOM = 64 << 20


def random(seed, at):
    """The number at a position of a sequence of random numbers, by splitmix64."""
    u = np.uint64
    word = seed + (at + u(1)) * u(0x9E3779B97F4A7C15)
    word = (word ^ (word >> u(30))) * u(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> u(27))) * u(0x94D049BB133111EB)
    return word ^ (word >> u(31))


def contents(ty, fill, seed, count):
    """The elements of an array before the launch, as unsigned integers."""
    u = np.uint64
    bits, form = TYPES[ty]
    mask = u((1 << bits) - 1)
    word = random(u(seed), np.arange(count, dtype=np.uint64))
    kind, *numbers = fill.split(":")
    if kind == "zero":
        found = np.zeros(count, np.uint64)
    elif kind == "exact":
        grid, size = (int(number) for number in numbers)
        number = (word % u(2 * (1 << size) + 1)).astype(np.int64) - (1 << size)
        found = number.view(np.uint64) if form is None else exact(bits, form, number, grid)
    elif kind == "near" and form:
        exponent, mantissa = form
        biased = u((1 << (exponent - 1)) - 5) + (word >> u(52) & u(7))
        sign = (word >> u(51) & u(1)) << u(bits - 1)
        usual = sign | biased << u(mantissa) | word & u((1 << mantissa) - 1)
        found = np.where(word >> u(60) == 0, word, usual)
    else:
        found = word
    return (found & mask).astype(UNSIGNED[bits])


def exact(bits, form, number, grid):
    """The bits of `number * 2^grid`, which are zero or normal numbers."""
    u = np.uint64
    exponent, mantissa = form
    size = np.abs(number).astype(np.uint64)
    power = np.frexp(size.astype(np.float64))[1].astype(np.int64) - 1
    biased = (power + grid + (1 << (exponent - 1)) - 1).astype(np.uint64)
    fraction = ((size << u(mantissa)) >> np.maximum(power, 0).astype(np.uint64)) & u((1 << mantissa) - 1)
    sign = (number < 0).astype(np.uint64) << u(bits - 1)
    return np.where(number == 0, u(0), sign | biased << u(mantissa) | fraction)


def hash_of(ty, found, skip):
    """A sum over all elements except for the unspecified ones; every NaN is the same."""
    u = np.uint64
    bits, form = TYPES[ty]
    word = found.astype(np.uint64)
    if form:
        infinity = ((1 << form[0]) - 1) << form[1]
        size = word & u((1 << (bits - 1)) - 1)
        nan = size == u(0x7F) if ty == "f8E4M3FN" else size > u(infinity)
        word = np.where(nan, u((1 << bits) - 1), word)
    sums = random(word, np.arange(len(word), dtype=np.uint64))
    for run in skip.split(",") if skip != "-" else []:
        first, last = run.split("-")
        sums[int(first):int(last)] = 0
    return int(np.sum(sums, dtype=np.uint64))


def programs(folder):
    """The programs by text."""
    found = collections.defaultdict(list)
    with open(os.path.join(folder, "programs.txt")) as file:
        for line in file:
            kind, *words = line.split()
            if kind == "program":
                program = {"name": words[0], "arguments": [], "launches": [], "families": words[2:]}
                found[int(words[1])].append(program)
            elif kind == "array":
                program["arguments"].append({"type": words[0], **dict(word.split("=") for word in words[1:])})
            elif kind == "number":
                program["arguments"].append({"type": words[0], "value": int(words[1])})
            elif kind == "launch":
                program["launches"].append((words[0], [int(word) for word in words[1:]]))
    return found


class Place:
    """A part of the GPU's memory, in which the arrays of one program after the other lie."""

    def __init__(self):
        from cuda_driver import _cuda, check
        self.cuda, self.check = _cuda, check
        check(_cuda.cuInit(0), "cuInit")
        device, context, self.base = C.c_int(), C.c_void_p(), C.c_uint64()
        check(_cuda.cuDeviceGet(C.byref(device), 0), "device")
        check(_cuda.cuDevicePrimaryCtxRetain(C.byref(context), device), "context")
        check(_cuda.cuCtxSetCurrent(context), "context")
        check(_cuda.cuMemAlloc_v2(C.byref(self.base), C.c_size_t(ROOM)), "memory")

    def load(self, image):
        module = C.c_void_p()
        log = C.create_string_buffer(1 << 16)
        keys = (C.c_int * 2)(5, 6)  # CU_JIT_ERROR_LOG_BUFFER and its size
        values = (C.c_void_p * 2)(C.cast(log, C.c_void_p), C.c_void_p(len(log)))
        data = image if image.startswith(b"\x7fELF") else image + b"\0"
        status = self.cuda.cuModuleLoadDataEx(C.byref(module), data, 2, keys, values)
        self.check(status, f"loading: {log.value.decode(errors='replace')[:300]}")
        return module

    def run(self, module, program):
        """Launches a program; returns what is wrong, or None."""
        image, places, args = bytearray(b""), [], []
        for argument in program["arguments"]:
            if "value" in argument:
                kind = {"i32": C.c_int32, "i64": C.c_int64}[argument["type"]]
                args.append(kind(argument["value"]))
                continue
            image += bytes([GUARD_BYTE]) * (GUARD + -len(image) % 256)
            data = contents(argument["type"], argument["fill"], int(argument["seed"]), int(argument["count"]))
            places.append((argument, len(image), data.dtype))
            args.append(C.c_uint64(self.base.value + len(image) + int(argument["from"]) * data.itemsize))
            image += data.tobytes()
        image += bytes([GUARD_BYTE]) * (GUARD + -len(image) % 256)
        if len(image) > ROOM:
            return "its arrays are too large"
        self.check(self.cuda.cuMemcpyHtoD_v2(self.base, bytes(image), C.c_size_t(len(image))), "to the GPU")
        pointers = (C.c_void_p * len(args))(*[C.cast(C.pointer(arg), C.c_void_p) for arg in args])
        for entry, grid in program["launches"]:
            function = C.c_void_p()
            self.check(self.cuda.cuModuleGetFunction(C.byref(function), module, entry.encode()), entry)
            self.check(self.cuda.cuLaunchKernel(function, *grid, 1, 1, 1, 0, None, pointers, None), entry)
        self.check(self.cuda.cuCtxSynchronize(), "the launch")
        got = C.create_string_buffer(len(image))
        self.check(self.cuda.cuMemcpyDtoH_v2(got, self.base, C.c_size_t(len(image))), "from the GPU")
        got = got.raw
        end = 0
        for at, (argument, first, kind) in enumerate(places):
            if got[end:first] != image[end:first]:
                return f"memory before array {at} has changed"
            end = first + int(argument["count"]) * kind.itemsize
            found = np.frombuffer(got[first:end], kind)
            if hash_of(argument["type"], found, argument["skip"]) != int(argument["hash"]):
                packed = base64.b85encode(zlib.compress(got[first:end], 9)).decode()
                return f"array {at} differs: {packed}"
        return "memory after the last array has changed" if got[end:] != image[end:] else None


def work(folder, text, start):
    """Runs the programs of a text from a position on; prints a line for each."""
    listed = programs(folder)[text]
    place = Place()
    cubin = os.path.join(folder, f"{text}.cubin")
    path = cubin if os.path.exists(cubin) else os.path.join(folder, f"{text}.ptx")
    with open(path, "rb") as file:
        module = place.load(file.read())
    print(json.dumps("ready"), flush=True)
    for program in listed[start:]:
        try:
            print(json.dumps(place.run(module, program)), flush=True)
        except RuntimeError as error:
            # The context is lost with it.
            print(json.dumps(str(error)), flush=True)
            return


def lines_of(stream, lines):
    for line in stream:
        lines.put(line)
    lines.put(None)


def outcomes(folder, text, count, limit):
    """What is wrong with each program of a text."""
    found = []
    while len(found) < count:
        command = [sys.executable, os.path.abspath(__file__), folder, "--text", str(text), "--from", str(len(found))]
        worker = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        lines = queue.Queue()
        threading.Thread(target=lines_of, args=(worker.stdout, lines), daemon=True).start()
        ready, before = False, len(found)
        while len(found) < count:
            try:
                # Another process has to start and to load the text first.
                line = lines.get(timeout=limit if ready else limit + 60)
            except queue.Empty:
                found.append(f"no end within {limit} s")
                break
            if line is None:
                break
            if not ready:
                ready = True
            else:
                found.append(json.loads(line))
        worker.kill()
        said = worker.communicate()[1]
        if len(found) == before:
            found += [f"the text does not load: {said.strip().splitlines()[-1:]}"] * (count - before)
    return found


def assemble(ptxas, folder, text):
    path = os.path.join(folder, f"{text}.ptx")
    with open(path) as file:
        target = next(line.split()[1] for line in file if line.startswith(".target"))
    command = [ptxas, f"-arch={target}", path, "-o", os.path.join(folder, f"{text}.cubin")]
    done = subprocess.run(command, capture_output=True, text=True)
    return f"{text}.ptx: {done.stderr.strip()[:300]}" if done.returncode else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--ptxas", default=shutil.which("ptxas"))
    parser.add_argument("--workers", type=int, default=8, help="processes that launch programs")
    parser.add_argument("--limit", type=int, default=10, help="how long a program may take, in seconds")
    parser.add_argument("--most", type=int, default=5, help="how many programs that differ are shown in full")
    parser.add_argument("--text", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--from", type=int, dest="start", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.text is not None:
        work(options.folder, options.text, options.start)
        return 0
    begin = time.time()
    listed = programs(options.folder)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        refused = []
        if options.ptxas:
            refused = list(filter(None, pool.map(lambda text: assemble(options.ptxas, options.folder, text), listed)))
    assembled = time.time() - begin
    with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
        run = lambda text: outcomes(options.folder, text, len(listed[text]), options.limit)  # noqa: E731
        found = list(pool.map(run, listed))
    table, wrong = collections.defaultdict(lambda: [0, 0]), []
    for text, results in zip(listed, found):
        for program, why in zip(listed[text], results):
            for family in program["families"]:
                table[family][0] += 1
                table[family][1] += why is not None
            if why is not None:
                wrong.append((program["name"], why))
    print(f"{'programs with':32}{'count':>8}{'differ':>8}")
    for family, (count, differ) in sorted(table.items()):
        print(f"{family:32}{count:8}{differ:8}")
    for line in refused:
        print(line)
    for at, (name, why) in enumerate(wrong):
        print(f"program {name}: {why if at < options.most else why[:60]}")
    count = sum(len(results) for results in found)
    print(f"{count} programs, {len(wrong)} differ; assembled in {assembled:.1f} s, {time.time() - begin:.1f} s in all")
    return 1 if wrong or refused else 0


if __name__ == "__main__":
    sys.exit(main())
