"""Checks every numeric case on the GPU, then times the vector add against a device-to-device copy.

    python3 tests/gpu/spine.py TILEWRIGHT [FOLDER_OF_OTHER_CUBINS]

TILEWRIGHT is the release binary. The folder, if given, holds NAME.VERSION.cubin made by another compiler from the same
bytecode: its results are checked against the same expectations, and its vector add is timed beside ours. Needs PyTorch.
"""

import ctypes as C
import glob
import json
import os
import statistics
import subprocess
import sys

import numpy as np
import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cuda_driver import Kernel, flatten_array  # noqa: E402

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BITS = {"f16": np.uint16, "bf16": np.uint16, "f32": np.uint32, "f64": np.uint64}
NAN = {"f16": (0x7C00, 0x3FF), "bf16": (0x7F80, 0x7F), "f32": (0x7F800000, 0x7FFFFF), "f64": (0x7FF << 52, (1 << 52) - 1)}
SCALAR = {"i1": C.c_bool, "i8": C.c_int8, "i16": C.c_int16, "i32": C.c_int32, "i64": C.c_int64, "f32": C.c_float, "f64": C.c_double}


def compile_ptx(binary, bytecode):
    run = subprocess.run([binary, "compile", bytecode, "--target", "sm_90a", "--emit", "ptx"], capture_output=True)
    if run.returncode:
        raise RuntimeError(run.stderr.decode(errors="replace"))
    return run.stdout


def mismatches(dtype, got, want):
    """Bit by bit, any NaN for any NaN."""
    if dtype not in BITS:
        return int((got != want).sum())
    exponent, mantissa = NAN[dtype]
    got, want = got.view(BITS[dtype]), want.view(BITS[dtype])
    is_nan = lambda x: ((x & exponent) == exponent) & ((x & mantissa) != 0)  # noqa: E731
    return int(((got != want) & ~(is_nan(got) & is_nan(want))).sum())


def run_case(kernel, case, folder):
    device, args, outputs = [], [], []
    for argument in case["arguments"]:
        if argument["kind"] == "scalar":
            args.append(SCALAR[argument["dtype"]](argument["value"]))
            continue
        host = np.load(os.path.join(folder, argument["file"]))
        tensor = torch.from_numpy(np.ascontiguousarray(host).view(np.uint8).reshape(-1)).cuda()
        device.append(tensor)
        args.append(C.c_uint64(tensor.data_ptr()))
        if argument["kind"] == "array":
            strides = [1] * host.ndim
            for i in range(host.ndim - 2, -1, -1):
                strides[i] = strides[i + 1] * host.shape[i + 1]
            args += [C.c_int32(n) for n in list(host.shape) + strides]
        if "want" in argument:
            outputs.append((argument, tensor, np.load(os.path.join(folder, argument["want"]))))
    kernel.prepare(case["grid"], args)()
    torch.cuda.synchronize()
    wrong = 0
    for argument, tensor, want in outputs:
        got = tensor.cpu().numpy().view(want.dtype).reshape(want.shape)
        wrong += mismatches(argument["dtype"], got, want)
    return wrong


def check_cases(binary, others):
    images, failures, total = {}, 0, 0
    for path in sorted(glob.glob(os.path.join(ROOT, "tests/data/numeric/*/case.json"))):
        with open(path) as file:
            case = json.load(file)
        folder = os.path.dirname(path)
        for bytecode in case["bytecode"]:
            stem = os.path.basename(bytecode).removesuffix(".tileirbc")
            makers = [("tilewright", None)]
            if others and os.path.exists(os.path.join(others, stem + ".cubin")):
                makers.append(("other", os.path.join(others, stem + ".cubin")))
            for maker, cubin in makers:
                key = (maker, stem)
                try:
                    if key not in images:
                        if cubin:
                            with open(cubin, "rb") as file:
                                images[key] = file.read()
                        else:
                            images[key] = compile_ptx(binary, os.path.join(ROOT, bytecode))
                    wrong = run_case(Kernel(images[key], case["kernel"]), case, folder)
                    problem = f"{wrong} elements differ" if wrong else None
                except RuntimeError as error:
                    problem = str(error).strip().splitlines()[0]
                total += 1
                if problem:
                    failures += 1
                    print(f"FAILED {maker} {stem} {case['kernel']}: {problem}")
    print(f"numeric cases: {total - failures} passed, {failures} failed")
    return failures


def time_vector_add(binary, others, elements=1 << 28, tile=1024, rounds=20):
    generator = torch.Generator(device="cuda").manual_seed(1)
    a, b = (torch.randn(elements, device="cuda", generator=generator) for _ in range(2))
    bytecode = os.path.join(ROOT, "examples/bytecode/vector_add.13.5.tileirbc")
    contestants = {"tilewright": compile_ptx(binary, bytecode)}
    cubin = others and os.path.join(others, "vector_add.13.5.cubin")
    if cubin and os.path.exists(cubin):
        with open(cubin, "rb") as file:
            contestants["other"] = file.read()
    launches, copies = {}, {}
    want = a + b
    for name, image in contestants.items():
        out = torch.full_like(a, float("nan"))
        kernel = Kernel(image, "vector_add")
        launch = kernel.prepare((elements // tile,), flatten_array(a) + flatten_array(b) + flatten_array(out))
        launch(C.c_void_p(torch.cuda.current_stream().cuda_stream))
        torch.cuda.synchronize()
        right = bool((out == want).all())
        print(f"vector add of {elements} f32, {name}: {'right' if right else 'WRONG'}, "
              f"{kernel.registers} registers, {kernel.threads} threads")
        launches[name] = (lambda launch=launch: launch(C.c_void_p(torch.cuda.current_stream().cuda_stream)), 12 * elements)
        copies[name] = out
    target = torch.empty_like(a)
    launches["copy"] = (lambda: target.copy_(a), 8 * elements)
    times = {name: [] for name in launches}
    for _ in range(rounds + 3):
        for name, (launch, _) in launches.items():
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            for _ in range(5):
                launch()
            end.record()
            torch.cuda.synchronize()
            times[name].append(begin.elapsed_time(end) / 5)
    rate = {name: launches[name][1] / (statistics.median(t[3:]) * 1e-3) / 1e9 for name, t in times.items()}
    print(f"{'':12} {'median ms':>10} {'GB/s':>8} {'of copy':>8}")
    for name in launches:
        print(f"{name:12} {statistics.median(times[name][3:]):10.4f} {rate[name]:8.0f} {rate[name] / rate['copy']:8.3f}")
    return 0


def main():
    binary, others = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    torch.cuda.init()
    torch.zeros(1, device="cuda")
    failures = check_cases(binary, others)
    failures += time_vector_add(binary, others)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
