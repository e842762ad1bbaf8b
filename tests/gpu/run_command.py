"""Runs `tilewright run` on the GPU for every kernel of the examples: the results against the reference evaluator, then times.

    python3 tests/gpu/run_command.py TILEWRIGHT

TILEWRIGHT is the release binary, which chooses inputs and grids itself. Prints what differs, then a table with the median time
of a launch and the bandwidth that it says.
"""

import glob
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SPEED = re.compile(r"median of (\d+) launches: ([\d.]+) ms, ([\d.]+) GB/s")


def kernels(binary, path):
    text = subprocess.run([binary, "disasm", path], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^\s*entry @(\w+)", text, re.MULTILINE)


def main():
    binary = sys.argv[1]
    rows, wrong = [], 0
    for path in sorted(glob.glob(os.path.join(ROOT, "examples", "bytecode", "*.13.5.tileirbc"))):
        for kernel in kernels(binary, path):
            command = [binary, "run", path, "--kernel", kernel]
            run = subprocess.run(command, capture_output=True, text=True, timeout=60)
            speed = SPEED.search(run.stdout)
            on_gpu = "on the GPU" in run.stdout
            if run.returncode or not on_gpu or not speed:
                wrong += 1
                print(f"{kernel}: exit {run.returncode}\n{run.stdout}{run.stderr}")
                continue
            compared = "as the reference" in run.stdout
            rows.append((kernel, f"{speed[2]} ms", f"{speed[3]} GB/s", "equal" if compared else "within the tolerance"))
    for row in rows:
        print("{:<28} {:>12} {:>14}  {}".format(*row))
    print(f"{len(rows)} kernels ran, {wrong} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
