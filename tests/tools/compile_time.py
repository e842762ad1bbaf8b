#!/usr/bin/env python3
"""Compile time from bytecode to PTX for each example, beside another compiler of the same files.

    compile_time.py TILEWRIGHT TILEIRAS [--runs 20] [--version 13.5]

Process start is included; for each file one program is run RUNS times, then the other. The table shows medians in
milliseconds and their ratio.
TILEIRAS goes on to machine code, since it cannot stop at PTX. CUDA_HOME must not be set.
"""

import argparse
import glob
import os
import statistics
import subprocess
import tempfile
import time


def timed(command):
    begin = time.perf_counter()
    run = subprocess.run(command, capture_output=True)
    elapsed = time.perf_counter() - begin
    if run.returncode:
        raise SystemExit(f"{' '.join(command)}: {run.stderr.decode(errors='replace')}")
    return elapsed * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tilewright")
    parser.add_argument("tileiras")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--version", default="13.5")
    options = parser.parse_args()
    os.environ.pop("CUDA_HOME", None)
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    ratios = []
    print(f"{'example':20} {'tilewright':>10} {'tileiras':>10} {'ratio':>7}")
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        for path in sorted(glob.glob(os.path.join(root, f"examples/bytecode/*.{options.version}.tileirbc"))):
            ours = [options.tilewright, "compile", path, "--target", "sm_90a", "--emit", "ptx", "-o", out]
            theirs = [options.tileiras, "--gpu-name=sm_90", "-o", out, path]
            # The first run of each warms the caches and does not count.
            a, b = (statistics.median([timed(command) for _ in range(options.runs + 1)][1:]) for command in (ours, theirs))
            ratios.append(b / a)
            print(f"{os.path.basename(path).split('.')[0]:20} {a:10.2f} {b:10.2f} {b / a:7.1f}")
    print(f"least ratio {min(ratios):.1f}")


if __name__ == "__main__":
    main()
