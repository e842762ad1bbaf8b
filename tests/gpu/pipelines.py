"""Runs the products that are pipelined by hand (examples/scheduled) on the GPU and checks them.

    python3 tests/gpu/pipelines.py TILEWRIGHT

TILEWRIGHT is the release binary, which finds the GPU itself. The operands are whole numbers, so that every sum is exact
in f32: the results must be equal to numpy's bit for bit. Exit code 1 if any is not.
"""

import os
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# Rows, columns, depth: whole tiles, ends inside a tile and inside a stage, less depth than the ring has stages.
EXTENTS = [(128, 128, 96), (100, 72, 200), (64, 64, 16), (8, 8, 8), (512, 512, 1024)]


def main():
    binary = os.path.abspath(sys.argv[1])
    wrong = 0
    print(f"{'program':24} {'rows':>5} {'columns':>7} {'depth':>5}  result")
    for name in ["product_two_agents", "product_one_agent"]:
        for rows, columns, depth in EXTENTS:
            random = np.random.default_rng(rows * columns + depth)
            a = random.integers(-8, 9, (rows, depth)).astype(np.float16)
            b = random.integers(-8, 9, (depth, columns)).astype(np.float16)
            with tempfile.TemporaryDirectory() as folder:
                paths = [os.path.join(folder, f"{key}.npy") for key in "abc"]
                np.save(paths[0], a)
                np.save(paths[1], b)
                np.save(paths[2], np.full((rows, columns), np.nan, np.float32))
                out = os.path.join(folder, "out.npy")
                arguments = [*paths, str(rows), str(columns), str(depth)]
                command = [binary, "run", os.path.join(ROOT, f"examples/scheduled/{name}.scheduled"), "--on", "gpu"]
                command += ["--grid", f"{-(-rows // 64)},{-(-columns // 64)}", "--out", f"2={out}"]
                for argument in arguments:
                    command += ["--arg", argument]
                run = subprocess.run(command, capture_output=True, text=True)
                if run.returncode:
                    said = "failed: " + run.stderr.strip()[:400]
                else:
                    differing = int((np.load(out) != a.astype(np.float32) @ b.astype(np.float32)).sum())
                    said = "equal" if differing == 0 else f"{differing} elements differ"
            wrong += said != "equal"
            print(f"{name:24} {rows:5} {columns:7} {depth:5}  {said}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
