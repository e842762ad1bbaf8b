#!/usr/bin/env python3
"""Runs cuTile Python's own tests without a GPU: what they launch runs in `tilewright run`.

    python3 -m venv VENV
    VENV/bin/pip install cuda-tile torch numpy ml_dtypes pytest
    git clone https://github.com/NVIDIA/cutile-python CHECKOUT
    python3 tests/tools/run_cutile_tests.py VENV CHECKOUT TILEWRIGHT [--on reference|cpu] [FILE...] [-k WORD]

The package is best of the checkout's version. The tests run with PyTorch on the CPU, where they compute what they expect;
tensors for "cuda" lie in the same memory. A launch writes the kernel's bytecode and the memory behind its arguments to
files, runs TILEWRIGHT, and copies the memory back; so do launches in scripts that tests start. What is compiled and not
launched goes through `tilewright check`. Tests that need more of a GPU than launches are skipped; so are launches with
lists of arrays, whose addresses are data, and with huge arrays. Ends with a table of why tests failed.
"""

import argparse
import collections
import ctypes
import dataclasses
import os
import re
import resource
import runpy
import signal
import subprocess
import sys
import tempfile
import types
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
# of DLPack
CUDA = 2
# of an array, and of this process
MOST_BYTES, MOST_MEMORY = 1 << 28, 6 << 30


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("venv", type=Path, help="virtual environment with the packages named at the top of this file")
    parser.add_argument("checkout", type=Path, help="a checkout of NVIDIA/cutile-python")
    parser.add_argument("tilewright", type=Path, help="the program, best built for release")
    parser.add_argument("files", nargs="*", help="files of tests, such as test_mma.py [all]")
    parser.add_argument("--on", choices=["reference", "cpu"], default="reference", help="where kernels run")
    parser.add_argument("-k", dest="only", help="the tests to run, as pytest's -k")
    parser.add_argument("--every", type=int, default=1, help="run every N-th of a test function's cases")
    parser.add_argument("--first", type=int, default=0, help="which of N cases to begin with, for several runs at once")
    parser.add_argument("--limit", type=int, default=60, help="how long a test may take, in seconds")
    parser.add_argument("--list", type=Path, help="write each test that failed, and why, to this file")
    parser.add_argument("--script", nargs=argparse.REMAINDER, help="run a Python script with its arguments instead")
    options = parser.parse_args()
    if Path(sys.prefix).resolve() != options.venv.resolve():
        python = options.venv.absolute() / "bin" / "python"
        os.execv(python, [str(python), *sys.argv])
    tilewright = options.tilewright.absolute()
    listing = options.list and options.list.absolute()
    sys.path.insert(0, str(HERE))
    checkout = options.checkout.absolute()
    os.chdir(checkout)
    from export_corpus import stub_driver
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    stub_driver()
    cpu_for_cuda()
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(tilewright, options, Path(folder))
        patch(runner)
        if options.script:
            script, *sys.argv[1:] = options.script
            sys.argv[0] = script
            sys.path[:0] = [str(checkout / "test"), str(checkout)]
            runpy.run_path(script, run_name="__main__")
            return
        scripts_too([options.venv.absolute(), checkout, tilewright, f"--on={options.on}"])
        import pytest
        # libraries with launches and memory of their own
        sys.modules.update(jax=None, cupy=None)
        sys.path[:0] = ["test", "samples", "."]
        arguments = ["-q", "-c", os.devnull, "--rootdir", ".", "-p", "no:cacheprovider", "-p", "no:benchmark", "--tb=no", "--no-header",
                     "-W", "ignore", "--continue-on-collection-errors", "-o", "python_files=test_*.py", "-o", "console_output_style=classic"]
        only = ["-k", options.only] if options.only else []
        pytest.main([*arguments, *only, *[f"test/{name}" for name in options.files or [""]]], plugins=[runner])
    runner.table(listing)


def cpu_for_cuda():
    """Lets tensors for "cuda" be tensors of the CPU."""
    import torch
    from torch.overrides import TorchFunctionMode

    def is_cuda(value):
        return (isinstance(value, str) and value.startswith("cuda")
                or isinstance(value, torch.device) and value.type == "cuda")

    class Mode(TorchFunctionMode):
        def __torch_function__(self, function, kinds, args=(), options=None):
            if getattr(function, "__name__", "") == "cuda" and args:
                return args[0]
            args = ["cpu" if is_cuda(value) else value for value in args]
            options = {name: "cpu" if is_cuda(value) else value for name, value in (options or {}).items()}
            # products with a type of their own exist on GPUs alone
            if function in (torch.mm, torch.bmm, torch.matmul) and "out_dtype" in options:
                dtype = options.pop("out_dtype")
                return function(*[value.to(dtype) for value in args], **options)
            return function(*args, **options)

    Mode().__enter__()
    stream = types.SimpleNamespace(cuda_stream=0, synchronize=lambda: None, device="cuda")
    for name, value in {
        "is_available": lambda: True, "device_count": lambda: 1, "current_device": lambda: 0,
        "get_device_capability": lambda *_: (10, 0), "synchronize": lambda *_: None,
        "current_stream": lambda *_: stream, "default_stream": lambda *_: stream,
        "get_device_name": lambda *_: "none", "empty_cache": lambda: None,
        "get_device_properties": lambda *_: types.SimpleNamespace(
            multi_processor_count=4, total_memory=1 << 34, major=10, minor=0, name="none"),
    }.items():
        setattr(torch.cuda, name, value)


def scripts_too(arguments):
    """Lets scripts that tests start in a process of their own run as the tests do."""
    class Popen(subprocess.Popen):
        def __init__(self, args, *others, **options):
            if isinstance(args, list) and args[0] == sys.executable:
                at = next((at for at, item in enumerate(args) if at and not item.startswith("-")), 0)
                if at and args[at].endswith(".py"):
                    args = [*args[:at], str(HERE / Path(__file__).name), *map(str, arguments), "--script", *args[at:]]
            super().__init__(args, *others, **options)

    subprocess.Popen = Popen


def as_cuda(value):
    """An argument of a launch, in which tensors say that they are in a GPU's memory."""
    import torch

    if isinstance(value, torch.Tensor):
        return OnDevice(value.detach())
    if type(value) in (tuple, list):
        return type(value)(as_cuda(item) for item in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: as_cuda(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return dataclasses.replace(value, **fields)
    return value


class OnDevice:
    """What the package asks of an array."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, **_):
        capsule = self.tensor.__dlpack__()
        find = ctypes.pythonapi.PyCapsule_GetPointer
        find.restype, find.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        # DLManagedTensor: the data's address, then the type of the device
        ctypes.c_int32.from_address(find(capsule, b"dltensor") + 8).value = CUDA
        return capsule

    def __dlpack_device__(self):
        return (CUDA, 0)


class Launch:
    """The arguments of `tilewright run`, and the memory that they mean."""

    def __init__(self, folder):
        self.folder, self.arguments, self.storages = folder, [], {}
        self.count = 0

    def add(self, constraint, value):
        """The parameters that one argument of the kernel becomes (see `flatten_block_parameters` of the package)."""
        kind = type(constraint).__name__
        if kind == "ConstantConstraint":
            return
        if kind == "ScalarConstraint":
            self.push(repr(int(value) if isinstance(value, bool) else value))
        elif kind == "ArrayConstraint":
            self.array(value)
        elif kind == "TupleConstraint":
            for item, inner in zip(constraint.items, value, strict=True):
                self.add(item, inner)
        elif kind == "DataclassConstraint":
            for field, inner in zip(dataclasses.fields(value), constraint.fields, strict=True):
                self.add(inner, getattr(value, field.name))
        else:
            import pytest
            pytest.skip(f"an argument of the kind {kind}")

    def push(self, text):
        self.arguments.append(f"--arg={text}")
        self.count += 1

    def array(self, tensor):
        import numpy as np

        storage = tensor.untyped_storage()
        if storage.nbytes() > MOST_BYTES:
            import pytest
            pytest.skip(f"an array of {storage.nbytes()} bytes")
        file = self.folder / f"{storage.data_ptr():x}.npy"
        # an empty storage has no address of its own
        if storage.nbytes() == 0:
            file = self.folder / f"empty{self.count}.npy"
        if file not in self.storages:
            self.storages[file] = (storage, self.count)
            data = np.frombuffer(bytes(storage) if storage.nbytes() else b"", np.uint8)
            np.save(file, data.view(numpy_type(tensor.dtype)))
        offset = tensor.storage_offset() * tensor.element_size()
        self.push(f"{file}+{offset}" if offset else str(file))
        for number in (*tensor.shape, *tensor.stride()):
            self.push(str(number))

    def read_back(self):
        import numpy as np

        for file, (storage, _) in self.storages.items():
            data = np.load(file).tobytes()
            if data:
                ctypes.memmove(storage.data_ptr(), data, len(data))


def numpy_type(dtype):
    """How `tilewright run` reads the elements of a tensor: types that numpy lacks as their bits."""
    name = str(dtype).removeprefix("torch.")
    bits = {"bfloat16": "uint16", "bool": "bool"}
    plain = re.fullmatch(r"u?int(8|16|32|64)|float(16|32|64)", name)
    return bits.get(name) or (name if plain else "uint8")


class Runner:
    """A plugin of pytest that takes the place of a launch."""

    def __init__(self, tilewright, options, folder):
        self.tilewright, self.device, self.folder = tilewright, options.on, folder
        self.limit, self.every, self.first = options.limit, options.every, options.first
        self.bytecode, self.launches = {}, 0
        self.outcomes, self.reasons = collections.Counter(), []

    def pytest_addhooks(self, pluginmanager):
        """The tests' configuration has hooks of pytest-benchmark, which is not needed."""
        module = types.ModuleType("benchmark_hooks")
        module.pytest_benchmark_update_json = lambda config, benchmarks, output_json: None
        module.pytest_benchmark_update_machine_info = lambda config, machine_info: None
        pluginmanager.add_hookspecs(module)

    def pytest_collection_modifyitems(self, config, items):
        numbers = collections.Counter()
        kept = []
        for item in items:
            function = (str(item.fspath), item.originalname)
            # functions with few cases begin at different ones
            place = numbers[function] + zlib.crc32(item.originalname.encode())
            if place % self.every == self.first:
                kept.append(item)
            numbers[function] += 1
        items[:] = kept

    def pytest_runtest_setup(self, item):
        signal.signal(signal.SIGALRM, self.too_slow)
        signal.alarm(self.limit)

    def pytest_runtest_teardown(self, item):
        signal.alarm(0)

    def too_slow(self, *_):
        raise TimeoutError(f"longer than {self.limit} s")

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed" and report.when == "setup":
            self.outcomes[report.outcome] += 1
            if report.outcome == "failed":
                lines = str(report.longrepr.reprcrash.message if hasattr(report.longrepr, "reprcrash")
                            else report.longrepr).splitlines()
                self.reasons.append((report.nodeid, " | ".join(lines[:6])))

    def launch(self, stream, grid, kernel, arguments, /, **_):
        from cuda.tile import _compile
        from cuda.tile.compilation import CallingConvention, KernelSignature

        signature = KernelSignature.from_kernel_args(kernel, tuple(arguments), CallingConvention.cutile_python_v2())
        key = (kernel, signature.symbol)
        if key not in self.bytecode:
            function = kernel._annotated_function
            hir = _compile.get_function_hir(function.pyfunc, mode=_compile.HirMode.ENTRY_POINT)
            keeper = _compile._IrKeeper(ann_func=function, func_hir=hir, signatures=[signature],
                                        bytecode_version=self.version, sm_arch=None, log_cutile_ir=False, keep_all=False)
            result = _compile._get_bytecode(keeper, kernel._compiler_options, anonymize_debug_info=False)
            file = self.folder / f"{len(self.bytecode)}.tileirbc"
            file.write_bytes(bytes(getattr(result, "bytecode", result)))
            self.bytecode[key] = file
        launch = Launch(self.folder)
        for constraint, value in zip(signature.parameters, arguments, strict=True):
            launch.add(constraint, value)
        grid = (grid,) if isinstance(grid, int) else tuple(grid) or (1,)
        if any(size == 0 for size in grid):
            raise ValueError("a grid without blocks")
        command = [str(self.tilewright), "run", str(self.bytecode[key]), f"--on={self.device}",
                   "--error-format=short", "--grid", ",".join(str(size) for size in grid), *launch.arguments]
        # of an argument by its number, not of a parameter
        for file, (_, number) in launch.storages.items():
            command += ["--out", f"{number}={file}"]
        self.launches += 1
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"exit {done.returncode}: {done.stderr.strip()[-1500:]}")
        os.write(1, done.stdout.encode())
        launch.read_back()
        for file in launch.storages:
            file.unlink()

    def compile(self, arguments, *_, **__):
        """What a test compiles and does not launch is verified; there is no machine code."""
        source, _, target = arguments
        command = [str(self.tilewright), "check", "--error-format=short", source]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"exit {done.returncode}: {done.stderr.strip()[-1500:]}")
        Path(target).write_bytes(b"")

    def table(self, listing):
        print(f"{self.launches} launches of {len(self.bytecode)} kernels; tests: {dict(self.outcomes)}")
        groups = collections.Counter()
        for name, reason in self.reasons:
            file = name.split("::")[0].removeprefix("test/")
            groups[(file, re.sub(r"[\d.x]+|'[^']*'|`[^`]*`|/\S+", "_", reason)[:150])] += 1
        for (file, reason), count in groups.most_common(60):
            print(f"{count:5} {file:28} {reason}")
        if listing:
            listing.write_text("".join(f"{name}\t{reason}\n" for name, reason in self.reasons))


def patch(runner):
    """Puts the runner in the place of launches, and answers for the GPU that is not there."""
    import cuda.tile
    import cuda.tile._compile
    import cuda.tile.compilation
    import cuda.tile.tune
    from cuda.tile._bytecode.version import BytecodeVersion

    runner.version = list(BytecodeVersion)[-1]
    signature = cuda.tile.compilation.KernelSignature
    derive = signature.from_kernel_args
    signature.from_kernel_args = staticmethod(
        lambda kernel, arguments, *others, **options: derive(kernel, as_cuda(tuple(arguments)), *others, **options))
    places = {"launch": runner.launch, "get_compute_capability": lambda *_: (10, 0), "get_sm_arch": lambda *_: "sm_100",
              "_get_max_supported_bytecode_version": lambda *_, **__: runner.version,
              "_find_compiler_bin": lambda: types.SimpleNamespace(path="none", run=runner.compile)}
    for name, module in list(sys.modules.items()):
        if name.startswith("cuda.tile"):
            for key, value in places.items():
                if key in vars(module):
                    setattr(module, key, value)


if __name__ == "__main__":
    main()
