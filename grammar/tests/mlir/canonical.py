"""Compares texts of modules pair by pair: both are read and verified by CUTLASS's library, and printed by it in MLIR's generic
form, which has no aliases and names values by numbers. Arguments: the paths of the pairs. One line for each pair that differs.
"""

import sys

from cutlass._mlir import ir
from cutlass._mlir.dialects import cute, cute_nvgpu  # noqa: F401 - they register their dialects


def canonical(path):
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(open(path).read())
        module.operation.verify()
        return module.operation.get_asm(print_generic_op_form=True, use_local_scope=True)


def difference(first, second):
    try:
        texts = [canonical(path).splitlines() for path in (first, second)]
    except ir.MLIRError as error:
        return "; ".join(f"{found.location}: {found.message}" for found in error.error_diagnostics)
    for number, (own, other) in enumerate(zip(*texts), 1):
        if own != other:
            return f"line {number} of the generic form: {own.strip()} | {other.strip()}"
    lengths = [len(text) for text in texts]
    return None if lengths[0] == lengths[1] else f"{lengths} lines"


paths = sys.argv[1:]
for first, second in zip(paths[::2], paths[1::2]):
    found = difference(first, second)
    if found is not None:
        print(f"{second}: {found}")
