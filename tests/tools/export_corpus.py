#!/usr/bin/env python3
"""Writes bytecode of the kernels that cuTile Python's own tests and samples launch, at every version.

    python3 -m venv VENV
    VENV/bin/pip install cuda-tile==1.7.0 numpy ml_dtypes pytest
    git clone https://github.com/NVIDIA/cutile-python CHECKOUT
    python3 tests/tools/export_corpus.py VENV CHECKOUT OUT [--per-test N] [--only WORD] [--version 13.5]

Neither a GPU nor a driver nor PyTorch is needed: the tests run with a `torch` that computes nothing (`stub_torch.py`)
and a driver that does nothing, and a launch writes files instead. OUT gets
  OUT/VERSION/FILE.TEST.N.tileirbc         the kernel of the N-th launch of a test, with debug information
  OUT/VERSION/FILE.TEST.N.plain.tileirbc   the same without
  OUT/VERSION/FILE.all.tileirbc            up to 24 kernels of a file of tests in one module
Kernels whose bytes are known are not written again. What a version cannot express is counted and left out.

Internal parts of the package are replaced; this holds for cuda-tile 1.6.0 and 1.7.0.
"""

import argparse
import collections
import ctypes
import hashlib
import os
import re
import sys
import types
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODULE_KERNELS = 24


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("venv", type=Path, help="virtual environment with the packages named at the top of this file")
    parser.add_argument("checkout", type=Path, help="a checkout of NVIDIA/cutile-python")
    parser.add_argument("out", type=Path, help="the folder to write to")
    parser.add_argument("--per-test", type=int, default=3, help="how many launches of one test function to keep")
    parser.add_argument("--only", help="the tests to run, as pytest's -k")
    parser.add_argument("--version", help="the only version to write, such as 13.5 [all of them]")
    options = parser.parse_args()
    if Path(sys.prefix).resolve() != options.venv.resolve():
        python = options.venv.absolute() / "bin" / "python"
        os.execv(python, [str(python), *sys.argv])
    out = options.out.absolute()
    sys.path.insert(0, str(HERE))
    os.chdir(options.checkout)
    stub_driver()
    import stub_torch
    stub_torch.install()
    exporter = Exporter(out, options.per_test)
    patch(exporter, stub_torch)
    if options.version:
        exporter.versions = [version for version in exporter.versions if version.as_string() == options.version]

    import pytest
    sys.path[:0] = ["test", "samples", "."]
    arguments = ["-q", "-c", os.devnull, "--rootdir", ".", "-p", "no:cacheprovider", "--tb=no", "--no-header", "-W", "ignore",
                 "--continue-on-collection-errors", "-o", "python_files=test_*.py"]
    only = ["-k", options.only] if options.only else []
    pytest.main([*arguments, *only, "test"], plugins=[exporter])
    exporter.test = None
    for sample in sorted(Path("samples").glob("*.py")):
        exporter.sample(sample)
    exporter.modules()
    for version, counts in sorted(exporter.counts.items()):
        print(version, dict(counts))


class Exporter:
    """A plugin of pytest that knows which test runs, and what takes the place of a launch."""

    def __init__(self, out, per_test):
        self.out, self.per_test, self.test = out, per_test, None
        self.launches, self.seen = collections.Counter(), set()
        self.counts = collections.defaultdict(collections.Counter)
        self.files = collections.defaultdict(list)

    def pytest_addhooks(self, pluginmanager):
        """The tests' configuration has hooks of pytest-benchmark, which is not needed."""
        module = types.ModuleType("benchmark_hooks")
        module.pytest_benchmark_update_json = lambda config, benchmarks, output_json: None
        module.pytest_benchmark_update_machine_info = lambda config, machine_info: None
        pluginmanager.add_hookspecs(module)

    def pytest_runtest_setup(self, item):
        self.test = (Path(str(item.fspath)).stem, item.originalname)

    def sample(self, path):
        """Runs a sample as a program."""
        self.test = ("samples", path.stem)
        sys.argv = [str(path)]
        code = compile(path.read_text(), str(path.absolute()), "exec")
        try:
            exec(code, {"__name__": "__main__", "__file__": str(path.absolute())})
        except (Exception, SystemExit) as error:
            print(f"{path}: {type(error).__name__}: {str(error)[:80]}")

    def launch(self, stream, grid, kernel, arguments, /, **_):
        from cuda.tile.compilation import CallingConvention, KernelSignature

        signature = KernelSignature.from_kernel_args(kernel, arguments, CallingConvention.cutile_python_v1())
        self.export(kernel._annotated_function, [signature], kernel._compiler_options)

    def export(self, function, signatures, options):
        """Writes the files of one kernel; a mistake in the kernel goes to the test, which may expect it."""
        test = self.test or ("none", "none")
        if self.launches[test] >= self.per_test:
            return
        problems = []
        for version in self.versions:
            for plain in (False, True):
                try:
                    data = self.compiled(function, signatures, options, version, plain)
                except Exception as error:
                    problems.append(error)
                    self.counts[version.as_string()]["refused"] += 1
                    break
                number = self.launches[test]
                name = re.sub(r"\W+", "_", f"{test[1]}") + f".{number}{'.plain' if plain else ''}"
                self.write(version, f"{test[0]}.{name}", data)
        if len(problems) == len(self.versions):
            raise problems[-1]
        self.launches[test] += 1
        self.files[test[0]].append((function, signatures, options))

    def write(self, version, name, data):
        digest = hashlib.sha256(data).digest()
        if digest in self.seen:
            return
        self.seen.add(digest)
        folder = self.out / version.as_string()
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.tileirbc").write_bytes(data)
        self.counts[version.as_string()]["written"] += 1

    def compiled(self, function, signatures, options, version, plain=False):
        """The bytes of a module with one kernel."""
        return self.bytecode(self.keeper(function, signatures, version), options, plain)

    def keeper(self, function, signatures, version):
        from cuda.tile import _compile

        # before 13.3 the hints of an entry need the name of a target
        target = "sm_100" if version.as_string() < "13.3" else None
        hir = _compile.get_function_hir(function.pyfunc, mode=_compile.HirMode.ENTRY_POINT)
        return _compile._IrKeeper(ann_func=function, func_hir=hir, signatures=list(signatures),
                                  bytecode_version=version, sm_arch=target, log_cutile_ir=False, keep_all=False)

    def bytecode(self, keeper, options, plain):
        from cuda.tile import _compile

        result = _compile._get_bytecode(keeper, options, anonymize_debug_info=plain)
        return bytes(getattr(result, "bytecode", result))

    def modules(self):
        """Writes one module for each file of tests."""
        from cuda.tile import _bytecode as bc
        from cuda.tile._ir2bytecode import generate_bytecode_for_kernel

        for name, kernels in self.files.items():
            for version in self.versions:
                bodies = []
                for function, signatures, options in kernels:
                    symbol = f"kernel{len(bodies)}_{function.pyfunc.__name__}"
                    signature = signatures[0].with_symbol(symbol)
                    try:
                        keeper = self.keeper(function, [signature], version)
                        body = (keeper.get_final_ir(0), keeper.get_dataflow_result(0), symbol, options, keeper.sm_arch)
                        with bc.write_bytecode(num_functions=1, buf=bytearray(), version=version) as writer:
                            generate_bytecode_for_kernel(*body, writer, anonymize_debug_attr=False)
                    except Exception:
                        continue
                    bodies.append(body)
                    if len(bodies) == MODULE_KERNELS:
                        break
                data = bytearray()
                with bc.write_bytecode(num_functions=len(bodies), buf=data, version=version) as writer:
                    for body in bodies:
                        generate_bytecode_for_kernel(*body, writer, anonymize_debug_attr=False)
                if bodies:
                    self.write(version, f"{name}.all", bytes(data))


def patch(exporter, torch):
    """Puts the exporter in the place of launches, and answers for the GPU that is not there."""
    import cuda.tile
    import cuda.tile.tune
    from cuda.tile import _cext, _compile
    from cuda.tile._bytecode.version import BytecodeVersion

    exporter.versions = list(BytecodeVersion)
    for name, dtype in torch.ALL.items():
        native = getattr(_cext, {"bool": "bool_", "float4_e2m1fn_x2": "float4_e2m1fn"}.get(name, name), None)
        if native is not None:
            _cext.foreign_dtype_object_register(dtype, native)

    compile_tile = _compile.compile_tile

    def compiled(function, signatures, *arguments, **options):
        annotated = _compile.get_annotated_function(function) if isinstance(function, types.FunctionType) else function
        asked = options.get("compiler_options") or _compile.CompilerOptions()
        try:
            exporter.export(annotated, [s if s.symbol else s.with_mangled_symbol(annotated.pyfunc.__name__)
                                        for s in signatures], asked)
        except Exception:
            pass
        return compile_tile(function, signatures, *arguments, **options | {"return_cubin": False})

    places = {"launch": exporter.launch, "get_compute_capability": lambda *_: (10, 0), "compile_tile": compiled,
              "get_sm_arch": lambda *_: "sm_100",
              "_get_max_supported_bytecode_version": lambda *_, **__: list(BytecodeVersion)[-2],
              "_find_compiler_bin": lambda: types.SimpleNamespace(path="none")}
    for name, module in list(sys.modules.items()):
        if name.startswith("cuda.tile"):
            for key, value in places.items():
                if key in vars(module):
                    setattr(module, key, value)


CALLBACKS = []


def stub_driver():
    """A CUDA driver of which every function succeeds and does nothing."""
    answers = {"cuDriverGetVersion": 13050, "cuDeviceGetCount": 1}
    function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int))
    number, pointer = ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_void_p)

    def make(name):
        def call(out):
            if name in answers:
                out[0] = answers[name]
            return 0
        return function(call)

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, pointer, ctypes.c_int, ctypes.c_uint64, number)
    def find(name, out, _version, _flags, status):
        CALLBACKS.append(make(name.decode()))
        out[0] = ctypes.cast(CALLBACKS[-1], ctypes.c_void_p).value
        if status:
            status[0] = 0
        return 0

    place = ctypes.c_void_p(ctypes.cast(find, ctypes.c_void_p).value)
    CALLBACKS.extend([find, place])
    loader = types.ModuleType("cuda.tile._load_libcuda")
    loader.cuGetProcAddress_v2_ptrptr = ctypes.addressof(place)
    sys.modules["cuda.tile._load_libcuda"] = loader


if __name__ == "__main__":
    main()
