"""Modules of CuTe DSL by `tilewright run`: host functions launch on the GPU, and results are checked against PyTorch.

    python3 tests/gpu/cute_run.py TILEWRIGHT FOLDER

FOLDER holds NAME.mlir (as traced), NAME.clean.mlir and NAME.generic.mlir for each kernel of `CASES`; a missing file leaves out that
form. Inputs are random, outputs are poisoned with NaN, references are computed in double precision.
"""
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import torch

FORMS = ["", ".clean", ".generic"]


def random(shape, dtype=torch.float32):
    return torch.randn(shape, device="cuda", dtype=torch.float32).to(dtype)


def stored(tensor):
    """As `tilewright run` reads it: bf16 as its bits."""
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).cpu().numpy().view(np.uint16)
    return tensor.cpu().numpy()


def loaded(array, dtype):
    if dtype == torch.bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16).double()
    return torch.from_numpy(array).double()


def elementwise(shape, op):
    a, b = random(shape), random(shape)
    return [(a, ""), (b, "")], shape, "", torch.float32, op(a.double(), b.double()), 1e-6, []


def sgemm(m, n, k):
    a, b = random((k, m)), random((k, n))
    return [(a, "(1,0)"), (b, "(1,0)")], (m, n), "", torch.float32, a.double().t() @ b.double(), 2e-5 * math.sqrt(k), []


def tensorop(m, n, k, batch, m_major):
    half = torch.float16
    if m_major:
        a, b, order = random((batch, k, m), half), random((batch, k, n), half), "(2,1,0)"
        want = a.double().transpose(1, 2) @ b.double()
    else:
        a, b, order = random((batch, m, k), half), random((batch, n, k), half), "(1,2,0)"
        want = a.double() @ b.double().transpose(1, 2)
    return [(a, order), (b, order)], (batch, m, n), "(1,2,0)", half, want, 3e-3 * math.sqrt(k), []


def attention(batch, length, heads, width, dtype, causal):
    q, k, v = (random((batch, length, heads, width), dtype) for _ in range(3))
    of = lambda one: one.double().transpose(1, 2)
    scores = of(q) @ of(k).transpose(2, 3) * 0.125
    if causal:
        scores = scores.masked_fill(torch.ones(length, length, device="cuda").triu(1).bool(), -math.inf)
    want = (scores.softmax(-1) @ of(v)).transpose(1, 2)
    tolerance = 2e-3 if dtype == torch.float16 else 1.6e-2
    return [(q, ""), (k, ""), (v, "")], tuple(q.shape), "", dtype, want, tolerance, ["0.125"]


CASES = {
    "ampere_elementwise_add_static": [lambda: elementwise((1024, 512), torch.add)],
    "ampere_elementwise_add": [lambda s=s: elementwise(s, torch.add) for s in [(1024, 512), (1000, 500), (4097, 132)]],
    "ampere_elementwise_apply": [lambda: elementwise((1024, 512), torch.mul)],
    "ampere_sgemm": [lambda s=s: sgemm(*s) for s in [(512, 512, 512), (1000, 516, 260), (128, 4, 8)]],
    "ampere_tensorop_gemm": [lambda s=s: tensorop(*s, False) for s in [(1024, 1024, 1024, 1), (1000, 520, 264, 3)]],
    "ampere_tensorop_gemm_mn": [lambda s=s: tensorop(*s, True) for s in [(1024, 1024, 1024, 1), (1000, 520, 264, 3)]],
    "ampere_flash_attention_v2": [lambda s=s: attention(*s, 128, torch.float16, False) for s in [(2, 1024, 4), (1, 1000, 3)]],
    "ampere_flash_attention_v2_causal": [lambda s=s: attention(*s, 64, torch.bfloat16, True) for s in [(2, 1024, 4), (1, 1000, 3)]],
}


def launched(program, file, inputs, shape, order, dtype, more, folder):
    """The result of a launch, or what the program said."""
    command = [program, "run", file, "--on", "gpu"]
    transposed = lambda path, order: f"{path}.transpose{order}" if order else str(path)
    for number, (tensor, own) in enumerate(inputs):
        path = folder / f"{number}.npy"
        np.save(path, stored(tensor))
        command += ["--arg", transposed(path, own)]
    out = folder / "out.npy"
    np.save(out, stored(torch.full(shape, math.nan, dtype=dtype)))
    command += ["--arg", transposed(out, order), *(word for scalar in more for word in ("--arg", scalar))]
    result = folder / "result.npy"
    done = subprocess.run([*command, "--out", f"{len(inputs)}={result}"], capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        return None, (done.stderr + done.stdout).strip()[:300]
    return loaded(np.load(result), dtype), ""


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    wrong = runs = 0
    print(f"{'module':44} {'result':>20} {'error':>9}")
    for name, cases in CASES.items():
        for form in FORMS:
            file = folder / f"{name}{form}.mlir"
            if not file.exists():
                continue
            for case in cases:
                torch.manual_seed(1)
                inputs, shape, order, dtype, want, tolerance, more = case()
                with tempfile.TemporaryDirectory() as scratch:
                    got, said = launched(program, str(file), inputs, shape, order, dtype, more, pathlib.Path(scratch))
                error = math.inf if got is None else (got - want.cpu()).abs().max().item()
                good = error <= tolerance
                runs, wrong = runs + 1, wrong + (not good)
                mark = "" if good else f"  WRONG (allowed {tolerance:.1e}) {said}"
                print(f"{name + form:44} {str(shape):>20} {error:9.2e}{mark}", flush=True)
    print(f"{runs} launches, {wrong} wrong")
    sys.exit(wrong > 0 or runs == 0)


if __name__ == "__main__":
    main()
