#!/usr/bin/env python3
"""Compile time from bytecode to PTX, beside another compiler of the same files.

    compile_time.py TILEWRIGHT TILEIRAS [FILE ...] [--runs 5] [--cpu] [--version 13.5]

Without files the examples are compiled. Process start is included; for each file one program is run RUNS times, then the other,
and the least time of each counts, since other work on the machine only adds to it. The table shows milliseconds and their ratio;
with --cpu, those of processor time, for a machine that is busy with other work.
TILEIRAS goes on to machine code, since it cannot stop at PTX: `ptxas` is the time of the ptxas beside it, or of the one that
TILEWRIGHT_PTXAS names, on our PTX. CUDA_HOME must not be set.
"""

import argparse
import glob
import os
import resource
import statistics
import subprocess
import tempfile
import time


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def timed(command, clock):
    begin = clock()
    run = subprocess.run(command, capture_output=True)
    elapsed = clock() - begin
    if run.returncode:
        raise RuntimeError(f"{' '.join(command)}: {run.stderr.decode(errors='replace')}")
    return elapsed * 1e3


def least(command, runs, clock):
    return min(timed(command, clock) for _ in range(runs))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tilewright")
    parser.add_argument("tileiras")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--cpu", action="store_true", help="measure processor time")
    parser.add_argument("--version", default="13.5", help="the bytecode version of the examples")
    options = parser.parse_intermixed_args()
    os.environ.pop("CUDA_HOME", None)
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    examples = os.path.join(root, f"examples/bytecode/*.{options.version}.tileirbc")
    beside = os.path.join(os.path.dirname(options.tileiras), "ptxas")
    ptxas = os.environ.get("TILEWRIGHT_PTXAS", beside)
    clock = processor_time if options.cpu else time.perf_counter
    rows = []
    print(f"{'file':28} {'tilewright':>10} {'tileiras':>10} {'ratio':>7} {'ptxas':>10}")
    with tempfile.TemporaryDirectory() as folder:
        out, ptx = os.path.join(folder, "out"), os.path.join(folder, "k.ptx")
        for path in options.files or sorted(glob.glob(examples)):
            name = os.path.basename(path).removesuffix(f".{options.version}.tileirbc").removesuffix(".tileirbc")
            try:
                ours = least([options.tilewright, "compile", path, "--target", "sm_90a", "-o", ptx], options.runs, clock)
                theirs = least([options.tileiras, "--gpu-name=sm_90", "-o", out, path], options.runs, clock)
                rest = least([ptxas, "-arch=sm_90a", "-O3", "-o", out, ptx], 1, clock)
            except RuntimeError as error:
                print(f"{name:28} {str(error).splitlines()[0]}")
                continue
            rows.append((ours, theirs, rest))
            print(f"{name:28} {ours:10.2f} {theirs:10.2f} {theirs / ours:7.1f} {rest:10.2f}")
    to_ptx = sorted(theirs / ours for ours, theirs, _ in rows)
    to_cubin = [theirs / (ours + rest) for ours, theirs, rest in rows]
    print(f"{len(rows)} files; tileiras over tilewright to PTX: median {statistics.median(to_ptx):.1f}, least {to_ptx[0]:.1f}, "
          f"greatest {to_ptx[-1]:.1f}; to a cubin with this ptxas: median {statistics.median(to_cubin):.1f}, "
          f"all together {sum(theirs for _, theirs, _ in rows) / sum(ours + rest for ours, _, rest in rows):.1f}")


if __name__ == "__main__":
    main()
