"""Records launches with cubins of the same kernels, for `tests/gpu/ops.py` to repeat on a GPU."""

import collections
import io
import json
import os
import subprocess
import zipfile

import numpy as np

from kernels import Evaluator, kernel_file

# seconds that a cubin may take
LIMIT = 60


class Recorder(Evaluator):
    """The program under test; what it gives goes to a file, beside what a compiler with tileiras' command line makes.

    The file is a zip: `index.json` lists the launches; of each there are the cubin, and the arrays before and after.
    """

    def __init__(self, program, folder, compiler, out, arch, per_op):
        super().__init__(program, folder)
        self.compiler, self.arch, self.per_op = compiler, arch, per_op
        self.zip = zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED)
        self.index, self.refused = [], collections.defaultdict(list)

    def chosen(self, combos):
        """At most `per_op` of an op's combinations, spread evenly."""
        step = max(1, -(-len(combos) // self.per_op))
        return combos[::step]

    def accepted(self, combos):
        return self.chosen(super().accepted(combos))

    def run(self, combo, columns, grid):
        result = super().run(combo, columns, grid)
        # one GPU has no replicas
        if result[0] is not None and not combo.printed and combo.replicas is None:
            self.record(combo, columns, grid, result[0])
        return result

    def record(self, combo, columns, grid, found):
        cubin = self.cubin(combo)
        if cubin is None:
            return
        number, results, arrays = len(self.index), iter(found), []
        for at, (ty, before, is_out) in enumerate(self.arrays(combo, columns, grid)):
            arrays.append({"type": ty, "count": len(before), "out": is_out})
            self.store(f"{number}.{at}.before", before)
            if is_out:
                self.store(f"{number}.{at}.after", next(results))
        self.zip.writestr(f"{number}.cubin", cubin)
        self.index.append({"op": combo.op, "label": combo.label, "grid": grid, "arrays": arrays, "slack": combo.slack})

    def store(self, name, codes):
        buffer = io.BytesIO()
        np.save(buffer, np.asarray(codes, dtype=np.uint64))
        self.zip.writestr(f"{name}.npy", buffer.getvalue())

    def cubin(self, combo):
        """What the compiler makes of the kernel; None, if it refuses."""
        text, bytecode, cubin = (os.path.join(self.folder, f"record.{end}") for end in ("cuda_tile", "tileirbc", "cubin"))
        kernel_file(text, combo)
        subprocess.run([self.program, "compile", text, "--emit", "bytecode", "-o", bytecode], check=True, env=self.environment)
        command = [self.compiler, bytecode, "-o", cubin, "--gpu-name", self.arch]
        environment = {name: value for name, value in self.environment.items() if name != "CUDA_HOME"}
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, env=environment)
        except subprocess.TimeoutExpired:
            self.refused[combo.op].append(f"{combo.label}: longer than {LIMIT} s")
            return None
        if done.returncode:
            self.refused[combo.op].append(f"{combo.label}: {done.stderr.strip()[:160]}")
            return None
        with open(cubin, "rb") as file:
            return file.read()

    def close(self):
        self.zip.writestr("index.json", json.dumps(self.index))
        self.zip.close()
        print(f"\n{len(self.index)} launches recorded; the compiler refuses {sum(map(len, self.refused.values()))}:")
        for op, why in sorted(self.refused.items()):
            print(f"{op:32}{len(why):>5}  {why[0]}")
