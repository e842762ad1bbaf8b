"""Runs passes of CUTLASS's library for Python (nvidia-cutlass-dsl 4.8.1) on modules.

    python library.py FOLDER

Of every NAME.mlir in the folder it writes what the module is after each stage, NAME.STAGE. Where the library ends with an error, or
ends the process, it writes why to NAME.error instead of that stage.
"""

import os
import pathlib
import signal
import sys

from cutlass._mlir import ir
from cutlass._mlir.dialects import cute, cute_nvgpu  # noqa: F401 (they register themselves)
from cutlass._mlir.passmanager import PassManager

STAGES = [
    ("desugar", "cute-desugar"),
    ("expand", "cute-expand-ops{enable-assertions=false}"),
    ("fold", "cute-fold-static"),
    (
        "core",
        "canonicalize,cse,convert-cute-types-in-scf-ops,convert-cute-to-core,reconcile-unrealized-casts,"
        "strength-reduction,canonicalize,cse",
    ),
]
# The most seconds for a module.
PATIENCE = 60


def run(path):
    stage = "read"
    try:
        with ir.Context() as context, ir.Location.unknown():
            context.enable_multithreading(False)
            module = ir.Module.parse(path.read_text())
            module.operation.verify()
            for stage, passes in STAGES:
                PassManager.parse(f"builtin.module({passes})").run(module.operation)
                path.with_suffix("." + stage).write_text(str(module))
    except ir.MLIRError as error:
        causes = "; ".join(found.message for found in error.error_diagnostics)
        path.with_suffix(".error").write_text(f"{stage}: {causes or error}")


def main(folder):
    for path in sorted(pathlib.Path(folder).glob("*.mlir")):
        child = os.fork()
        if child == 0:
            signal.alarm(PATIENCE)
            run(path)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status != 0:
            path.with_suffix(".error").write_text(f"process: ended with {status}")


main(*sys.argv[1:])
