#!/usr/bin/env python3
"""Writes the example bytecode and the test data that belongs to it from the kernels in `examples/kernels`.

    python3 -m venv VENV
    VENV/bin/pip install cuda-tile==1.7.0 nvidia-cuda-tileiras==13.5.37 nvidia-cuda-nvcc==13.5.37 \\
        nvidia-nvvm==13.5.37 numpy ml_dtypes
    python3 tests/tools/export_examples.py VENV [--only NAME ...] [--time]

No GPU is needed. For each kernel file NAME and each bytecode version V it writes
  examples/bytecode/NAME.V.tileirbc        one module with all entries of the file
  tests/data/disasm/NAME.V.mlir            what `tileirdisasm` prints for it, the expectation of the printer's tests
  tests/data/disasm/NAME.V.debug.mlir      the same with `--print-debug-info` (versions 13.1 and 13.5)
  tests/data/numeric/KERNEL/               inputs, results and `case.json` of one launch of each entry
and checks that `tileiras` assembles each bytecode file for sm_90; `--time` adds the median seconds of five runs.

`case.json` holds the entry's symbol, its bytecode files, the grid and the arguments in the kernel's order. Each argument
has the position `flat` of its first entry parameter: an array is a pointer, then each extent, then each stride, all i32
(`bare` ones are the pointer alone), a scalar is itself. `want` names the expected content after the launch; it must be
met exactly, NaN for NaN. bf16 data are uint16 bit patterns.

The bytecode writer and the front end are entered below their public interface, because that exports one kernel a file
and not version 13.5; this holds for the cuda-tile version above.
"""

import argparse
import inspect
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "examples" / "kernels"
BYTECODE = ROOT / "examples" / "bytecode"
DISASM = ROOT / "tests" / "data" / "disasm"
NUMERIC = ROOT / "tests" / "data" / "numeric"
DEBUG_VERSIONS = ("13.1", "13.5")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("venv", type=Path, help="virtual environment with the packages named at the top of this file")
    parser.add_argument("--only", nargs="*", help="kernel files to export (default: all)")
    parser.add_argument("--time", action="store_true", help="print the median time tileiras takes on each file")
    options = parser.parse_args()
    python = options.venv.absolute() / "bin" / "python"
    if Path(sys.prefix).resolve() != options.venv.resolve():
        os.execv(python, [str(python), *sys.argv])

    tools = next(options.venv.absolute().glob("lib/python3*/site-packages/nvidia/cu13/bin"))
    # source names in the debug section are those given to `compile`: relative to this folder, so bare file names
    os.chdir(SOURCES)
    from example_cases import CASES
    for name in options.only or CASES:
        export(name, CASES[name], tools, options.time)


def export(name, make_cases, tools, timed):
    """Writes all files of the kernel file `name`."""
    import numpy as np
    from cuda.tile._bytecode.version import BytecodeVersion

    seed = [ord(c) for c in name]
    cases = make_cases(np.random.default_rng(seed))
    source = f"{name}.py"
    module = types.ModuleType(name)
    exec(compile(Path(source).read_text(), source, "exec"), module.__dict__)
    files = []
    for version in BytecodeVersion:
        data = module.build(version) if hasattr(module, "build") else kernels_module(module, name, cases, version)
        file = BYTECODE / f"{name}.{version.as_string()}.tileirbc"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        files.append(file)
        # a method such as `tile.astype` is Python code of the package and would bring its path along
        if b"site-packages" in data or str(ROOT).encode() in data:
            raise SystemExit(f"{file.name} holds a path of this machine")
        disassemble(file, tools, [], DISASM / f"{file.stem}.mlir")
        if version.as_string() in DEBUG_VERSIONS:
            disassemble(file, tools, ["--print-debug-info"], DISASM / f"{file.stem}.debug.mlir")
        assemble(file, tools, timed)
    for case in cases:
        write_case(name, case, files)


def kernels_module(module, name, cases, version):
    """The bytes of a module that holds the entries of all cases."""
    from cuda.tile import _bytecode as bc, compilation

    from cuda.tile._cext import CallingConvention
    from cuda.tile._compile import HirMode, _IrKeeper, generate_bytecode_for_kernel, get_function_hir

    # before 13.3 the hints of an entry need the name of a target
    target = "sm_90" if version < bc.BytecodeVersion.V_13_3 else None
    buffer = bytearray()
    with bc.write_bytecode(num_functions=len(cases), buf=buffer, version=version) as writer:
        for case in cases:
            function = max((n for n in vars(module) if case.kernel.startswith(n)), key=len)
            kernel = getattr(module, function)
            signature = compilation.KernelSignature([constraint(a, case.multiple) for a in case.arguments.values()],
                                                    CallingConvention.cutile_python_v1(), case.kernel)
            annotated = kernel._annotated_function
            keeper = _IrKeeper(ann_func=annotated,
                               func_hir=get_function_hir(annotated.pyfunc, mode=HirMode.ENTRY_POINT),
                               signatures=[signature], bytecode_version=version, sm_arch=target,
                               log_cutile_ir=False, keep_all=False)
            body = keeper.get_final_ir(0)
            extra = {}
            if "dataflow_result" in inspect.signature(generate_bytecode_for_kernel).parameters:
                extra["dataflow_result"] = keeper.get_dataflow_result(0)
            generate_bytecode_for_kernel(func_body=body, symbol=case.kernel, sm_arch=target, writer=writer,
                                         compiler_options=kernel._compiler_options, anonymize_debug_attr=False,
                                         **extra)
    return bytes(buffer)


def constraint(argument, multiple):
    """What the compiler may assume of an argument: arrays are contiguous, aligned to 16 bytes and do not alias; their
    extents and strides are multiples of a number."""
    import cuda.tile as ct
    from cuda.tile.compilation import ArrayConstraint, ScalarConstraint

    names = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
    names.update({f"i{n}": f"int{n}" for n in (8, 16, 32, 64)})
    names.update({f"u{n}": f"uint{n}" for n in (8, 16, 32, 64)})
    if isinstance(argument, tuple):
        return ScalarConstraint(getattr(ct, names[argument[0]]))
    rank = argument.ndim
    return ArrayConstraint(getattr(ct, names[element(argument)]), rank, index_dtype=ct.int32,
                           stride_lower_bound_incl=0, alias_groups=(), may_alias_internally=False,
                           stride_constant=[None] * (rank - 1) + [1], base_addr_divisible_by=16,
                           stride_divisible_by=[multiple] * (rank - 1) + [1], shape_divisible_by=multiple)


def element(array):
    """The short name of an array's element type."""
    if array.dtype.name == "bfloat16":
        return "bf16"
    return array.dtype.kind + str(8 * array.dtype.itemsize)


def disassemble(file, tools, flags, target):
    """Stores what tileirdisasm prints."""
    target.parent.mkdir(parents=True, exist_ok=True)
    text = subprocess.run([tools / "tileirdisasm", *flags, file], check=True, capture_output=True).stdout
    target.write_bytes(text)


def assemble(file, tools, timed):
    """Checks that tileiras accepts the file; with `timed`, prints the median of five runs."""
    environment = {k: v for k, v in os.environ.items() if k != "CUDA_HOME"}
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(5 if timed else 1):
            begin = time.perf_counter()
            done = subprocess.run([tools / "tileiras", "--gpu-name=sm_90", "-o", f"{folder}/out.cubin", file],
                                  capture_output=True, text=True, env=environment)
            seconds.append(time.perf_counter() - begin)
            if done.returncode != 0:
                raise SystemExit(f"tileiras rejects {file.name}: {done.stderr}")
    if timed:
        print(f"{file.name} {statistics.median(seconds):.3f} s")


def write_case(name, case, files):
    """Stores the arrays and the description of one launch."""
    import numpy as np
    from example_cases import BARE_POINTERS

    folder = NUMERIC / case.kernel
    folder.mkdir(parents=True, exist_ok=True)
    arguments, flat = [], 0
    for position, (key, value) in enumerate(case.arguments.items()):
        if isinstance(value, tuple):
            arguments.append({"argument": position, "flat": flat, "name": key, "kind": "scalar", "dtype": value[0],
                              "value": value[1]})
            flat += 1
            continue
        bare = key in BARE_POINTERS.get(name, ())
        entry = {"argument": position, "flat": flat, "name": key, "kind": "bare" if bare else "array",
                 "dtype": element(value), "shape": list(value.shape), "file": f"{key}.npy"}
        np.save(folder / f"{key}.npy", stored(value))
        if key in case.expected:
            want = case.expected[key]
            assert want.dtype == value.dtype and want.shape == value.shape, (case.kernel, key, want.dtype)
            entry["want"] = f"want_{key}.npy"
            np.save(folder / f"want_{key}.npy", stored(want))
        arguments.append(entry)
        flat += 1 if bare else 1 + 2 * value.ndim
    text = {"kernel": case.kernel, "bytecode": [str(f.relative_to(ROOT)) for f in files], "grid": list(case.grid),
            "rtol": 0, "atol": 0, "arguments": arguments}
    (folder / "case.json").write_text(json.dumps(text, indent=1) + "\n")


def stored(array):
    """The array as it goes into a .npy file."""
    import numpy as np
    array = np.ascontiguousarray(array)
    return array.view(np.uint16) if array.dtype.name == "bfloat16" else array


if __name__ == "__main__":
    main()
