"""Runs `tilewright run` on the GPU for every kernel of the examples: the results against the reference evaluator, then times.
Then launches in clusters and with dynamic shared memory, on a GPU that has clusters: the results against the simulator's.

    python3 tests/gpu/run_command.py TILEWRIGHT

TILEWRIGHT is the release binary, which chooses inputs and grids itself. Prints what differs, then a table with the median time
of a launch and the bandwidth that it says, and a line for each of the other launches.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SPEED = re.compile(r"median of (\d+) launches: ([\d.]+) ms, ([\d.]+) GB/s")

RANKS = ["tests/data/launch/ranks.ptx", "--grid", "32", "--arg", "zeros:i32[32]"]
# Operands, whose sums of products are exact in f32, the result, and the extents.
PRODUCT = ["--arg", "randint:f16[200,8]", "--arg", "randint:f16[8,272]", "--arg", "zeros:f32[200,272]"]
PRODUCT += ["--arg", "200", "--arg", "272", "--arg", "8"]
# The arguments of launches, and the number of the argument that is the result.
LAUNCHES = {
    "clusters of 2, that a program says": (
        ["examples/scheduled/product_multicast.scheduled", "--grid", "1,2"] + PRODUCT,
        2,
    ),
    "clusters of 2, 100000 bytes": (RANKS + ["--cluster", "2", "--dynamic-shared", "100000"], 0),
    "clusters of 8, 100000 bytes": (RANKS + ["--cluster", "8", "--dynamic-shared", "100000"], 0),
    "clusters of 16, 100000 bytes": (RANKS + ["--cluster", "16", "--dynamic-shared", "100000"], 0),
    "clusters of 1, 232448 bytes": (RANKS + ["--cluster", "1", "--dynamic-shared", "232448"], 0),
}


def launches(binary):
    """The number of launches whose results are not those of the simulator."""
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (arguments, result) in LAUNCHES.items():
            found = []
            for device in ("gpu", "cpu"):
                out = os.path.join(folder, device + ".npy")
                command = [binary, "run", *arguments, "--on", device, "--out", f"{result}={out}"]
                run = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT)
                if run.returncode:
                    print(f"{name}, on the {device}: exit {run.returncode}\n{run.stdout}{run.stderr}")
                    found.append(None)
                    continue
                with open(out, "rb") as file:
                    found.append(file.read())
            equal = found[0] is not None and found[0] == found[1]
            wrong += not equal
            print(f"{name:<36} {'equal' if equal else 'differs'}")
    return wrong


def kernels(binary, path):
    text = subprocess.run([binary, "disasm", path], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^\s*entry @(\w+)", text, re.MULTILINE)


def main():
    binary = os.path.abspath(sys.argv[1])
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
    wrong += launches(binary)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
