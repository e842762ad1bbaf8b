"""Asks CUTLASS's library for Python (nvidia-cutlass-dsl 4.8.1) whether it takes modules, and what it makes of them.

    python accepted.py FOLDER...
    python accepted.py --against CORPUS FOLDER...

reads and verifies every module of the folders and lowers it to LLVM's values by the library's own passes. With a corpus, it
compiles each NAME.clean.mlir to PTX too, and compares it with NAME.ptx, which the library made of the module before our passes:
all accesses of memory, matrix instructions, barriers and float instructions have to be there as often. (What computes addresses
may differ.)

Modules are files `*.mlir`, as the test `kernels_of_ampere_are_expanded` writes them to the folder that
TILEWRIGHT_CUTE_EXPANDED names, and the cases in `golden/cute.*`.
"""

import collections
import pathlib
import re
import sys
import tempfile

from cutlass._mlir import ir
from cutlass._mlir.dialects import cute, cute_nvgpu  # noqa: F401 (they register themselves)
from cutlass._mlir.passmanager import PassManager

LOWER = (
    "cute-desugar,infer-kernel-smem-usage,cute-expand-ops{enable-assertions=false},"
    "cute-fold-static,canonicalize,cse,convert-cute-types-in-scf-ops,convert-cute-to-core"
)
COMPILE = (
    "cute-to-nvvm{{check-inline-asm=false cubin-format=bin cubin-chip=sm_80 opt-level=3 "
    "enable-cuda-dialect=true cuda-dialect-external-module=true dump-ptx-path={}}}"
)
# Integers, moves and what says that a value is the same in a warp.
ADDRESSES = re.compile(
    r"(add|sub|mul|mad|neg|min|max|div|rem)\.(lo\.|wide\.|hi\.)?[su]\d|(and|or|xor|not|shl|shr|selp|setp|mov|cvta|bfe|bfi|prmt)\b"
    r"|cvt\.[su]\d+\.[su]\d+|ld\.param|shfl\.sync\.idx|bra\b"
)


def read(path):
    text = path.read_text()
    return text.split("---\n", 2)[2] if path.suffix == ".snap" else text


def run(path, passes):
    with ir.Context() as context:
        context.enable_multithreading(False)
        module = ir.Module.parse(read(path))
        module.operation.verify()
        PassManager.parse(f"builtin.module({passes})").run(module.operation)


def instructions(text):
    found = collections.Counter()
    for line in text.splitlines():
        match = re.match(r"\s*(?:@!?%\w+\s+)?([a-z][\w.:]*\.[\w.:]+)(?:\s|;|$)", line)
        if match and not ADDRESSES.match(match[1]):
            found[match[1]] += 1
    return found


def problem(path, corpus):
    try:
        run(path, LOWER)
        if corpus is None or not path.name.endswith(".clean.mlir"):
            return None
        with tempfile.TemporaryDirectory() as folder:
            run(path, COMPILE.format(f"{folder}/"))
            texts = [file.read_text() for file in pathlib.Path(folder).iterdir()]
    except Exception as error:  # the library has many
        return str(error)
    wanted = instructions((corpus / path.name.replace(".clean.mlir", ".ptx")).read_text())
    found = sum((instructions(text) for text in texts), collections.Counter())
    differing = {name: (found[name], wanted[name]) for name in found | wanted if found[name] != wanted[name]}
    return f"instructions differ, ours and theirs: {differing}" if differing or not wanted else None


def main(arguments):
    corpus = None
    if arguments[:1] == ["--against"]:
        corpus, arguments = pathlib.Path(arguments[1]), arguments[2:]
    endings = (".mlir", ".in.cute", ".out.cute.snap")
    files = [path for folder in arguments for path in sorted(pathlib.Path(folder).iterdir()) if path.name.endswith(endings)]
    problems = 0
    for path in files:
        found = problem(path, corpus)
        if found is not None:
            problems += 1
            print(f"{path.name}: {found[:600]}")
    print(f"{len(files) - problems} of {len(files)} accepted")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
