"""Asks CUTLASS's library for Python (nvidia-cutlass-dsl 4.8.1) whether it takes modules: reads and verifies every file of the
folders named, and lowers it to LLVM's values by the library's own passes.

    python accepted.py FOLDER...

The test `kernels_of_ampere_are_expanded` writes modules to the folder that TILEWRIGHT_CUTE_EXPANDED names.
"""

import pathlib
import sys

from cutlass._mlir import ir
from cutlass._mlir.dialects import cute, cute_nvgpu  # noqa: F401 (they register themselves)
from cutlass._mlir.passmanager import PassManager

PASSES = (
    "cute-desugar,infer-kernel-smem-usage,cute-expand-ops{enable-assertions=false},"
    "cute-fold-static,canonicalize,cse,convert-cute-types-in-scf-ops,convert-cute-to-core"
)


def refusal(path):
    with ir.Context() as context:
        context.enable_multithreading(False)
        try:
            module = ir.Module.parse(path.read_text())
            module.operation.verify()
            PassManager.parse(f"builtin.module({PASSES})").run(module.operation)
        except Exception as error:  # the library has many
            return str(error)
    return None


def main():
    files = [path for folder in sys.argv[1:] for path in sorted(pathlib.Path(folder).glob("*.mlir"))]
    refused = 0
    for path in files:
        error = refusal(path)
        if error is not None:
            refused += 1
            print(f"{path.name}: {error[:600]}")
    print(f"{len(files) - refused} of {len(files)} accepted")
    return 1 if refused or not files else 0


if __name__ == "__main__":
    sys.exit(main())
