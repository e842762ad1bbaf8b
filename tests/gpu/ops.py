"""Repeats on the GPU what the reference evaluator has done, and compares.

    python tests/tools/diff_ops PROGRAM --cubins TILEIRAS FILE    (without a GPU; writes FILE)
    python3 tests/gpu/ops.py FILE [--most 3]

Every op of `cuda_tile`, in the combinations of types and attributes that the compiler of the cubins takes: random inputs,
outputs poisoned. Prints, for each op, the launches, the results, how many differ from the evaluator's in their bits, and
how many of those by more than a unit in the last place (NaN is like NaN); then examples.
"""

import argparse
import collections
import ctypes as C
import io
import json
import os
import queue
import subprocess
import sys
import threading
import zipfile

import numpy as np
import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools", "diff_ops")]
from cuda_driver import Kernel  # noqa: E402
from formats import FLOATS  # noqa: E402
from kernels import GRID_MAX, distance, from_array, same, to_array  # noqa: E402

POISON = 0xA5


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--most", type=int, default=3, help="how many examples to show of an op")
    parser.add_argument("--limit", type=int, default=30, help="how long a launch may take, in seconds")
    parser.add_argument("--worker-from", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker_from is not None:
        return work(options.file, options.worker_from)
    table = collections.defaultdict(collections.Counter)
    examples = collections.defaultdict(list)
    with zipfile.ZipFile(options.file) as zipped:
        index = json.loads(zipped.read("index.json"))
    for launch, outcome in outcomes(options.file, len(index), options.limit):
        op, label = index[launch]["op"], index[launch]["label"]
        table[op].update({"launches": 1, **outcome["counts"]})
        examples[op] += [f"{label}: {line}" for line in outcome["examples"]]
    print(f"{'op':32}{'launches':>9}{'failed':>7}{'results':>10}{'differ':>9}{'far':>8}")
    for op, row in table.items():
        print(f"{op:32}{row['launches']:>9}{row['failed']:>7}{row['results']:>10}{row['differ']:>9}{row['far']:>8}")
    for op, lines in examples.items():
        for line in lines[:options.most]:
            print(f"{op} {line}")


def outcomes(file, count, limit):
    """What a launch gives, launch by launch. A worker that ends or hangs is replaced."""
    start = 0
    while start < count:
        command = [sys.executable, __file__, file, "--worker-from", str(start)]
        worker = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        lines = queue.Queue()
        threading.Thread(target=read_lines, args=(worker.stdout, lines), daemon=True).start()
        for launch in range(start, count):
            try:
                # a new worker has PyTorch to load
                line = lines.get(timeout=limit + 60 * (launch == start))
            except queue.Empty:
                line = failure(f"no end within {limit} s")
            outcome = json.loads(line)
            yield launch, outcome
            start = launch + 1
            if "failed" in outcome["counts"]:
                break
        worker.kill()
        worker.wait()


def read_lines(stream, lines):
    for line in stream:
        lines.put(line)
    lines.put(failure("the worker ended"))


def failure(why):
    return json.dumps({"counts": {"failed": 1}, "examples": [why]})


def work(file, start):
    """Prints what each launch gives, a line each."""
    torch.zeros(1, device="cuda")
    with zipfile.ZipFile(file) as zipped:
        index = json.loads(zipped.read("index.json"))
        for number in range(start, len(index)):
            counts, examples = collections.Counter(), []
            try:
                for at, ty, got, want in repeat(zipped, number, index[number]):
                    equal = same(ty, got, want)
                    far = ~equal if ty not in FLOATS else ~equal & (distance(ty, got, want) > 1)
                    counts.update(results=len(got), differ=int((~equal).sum()), far=int(far.sum()))
                    for place in np.flatnonzero(~equal)[:1]:
                        examples.append(f"array {at}, element {place}: GPU {int(got[place]):#x}, evaluator "
                                        f"{int(want[place]):#x} ({int((~equal).sum())} of {len(got)} differ)")
            except RuntimeError as error:
                # an error of a launch is one of the context, which a new worker does not have
                print(failure(str(error)[:200]), flush=True)
                return
            print(json.dumps({"counts": counts, "examples": examples}), flush=True)


def repeat(zipped, number, launch):
    """Launches a kernel; gives for each array that it writes what it holds and what the evaluator had."""
    kernel = Kernel(zipped.read(f"{number}.cubin"), "k")
    load = lambda name: np.load(io.BytesIO(zipped.read(f"{number}.{name}.npy")))
    buffers = []
    for at, array in enumerate(launch["arrays"]):
        raw = np.frombuffer(to_array(array["type"], load(f"{at}.before")).tobytes(), np.uint8)
        # A whole grid of tiles is declared; what no tile block writes is not looked at.
        buffer = torch.full((len(raw) * max(1, GRID_MAX // launch["grid"]) + 256,), POISON, dtype=torch.uint8, device="cuda")
        buffer[: len(raw)] = torch.from_numpy(raw.copy()).cuda()
        buffers.append((buffer, len(raw)))
    kernel.prepare((launch["grid"],), [C.c_uint64(buffer.data_ptr()) for buffer, _ in buffers])(None)
    torch.cuda.synchronize()
    outcomes = []
    for at, (array, (buffer, size)) in enumerate(zip(launch["arrays"], buffers)):
        if array["out"]:
            want = load(f"{at}.after")
            got = from_array(array["type"], buffer[:size].cpu().numpy(), array["count"])
            outcomes.append((at, array["type"], got[: len(want)], want))
    return outcomes


if __name__ == "__main__":
    main()
