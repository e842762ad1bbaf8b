"""Measures the errors of the elementary functions on the GPU, in units in the last place.

    python3 tests/gpu/math_functions.py TILEWRIGHT [--stride N] [--pairs N] [--only NAME ...]

TILEWRIGHT is the binary. Each function is compiled for each type and runs on every operand of the 16-bit types, on every
N-th bit pattern of f32 (1, all of them, takes a few minutes a function), and on random operands of f64 and of functions of
two operands. The reference is PyTorch's function in f64; for f64 itself the worst operands and some others are computed
again by mpmath, if it is installed, with 200 bits. An infinite error is a wrong special case. The column `unlike` counts
the results of f32 that differ in any bit from PyTorch's function of f32. Needs PyTorch.
"""

import argparse
import ctypes as C
import os
import subprocess
import sys
import tempfile

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cuda_driver import Kernel  # noqa: E402

TILE = 1024
CHUNK = 1 << 24
TYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64}
INTS = {"f16": torch.int16, "bf16": torch.int16, "f32": torch.int32, "f64": torch.int64}
# The stored bits of the significand, and the least exponent.
SHAPE = {"f16": (10, -14), "bf16": (7, -126), "f32": (23, -126), "f64": (52, -1022)}


def flushed_exp2(x):
    power = torch.exp2(x)
    return torch.where(power < 2.0**-126, torch.zeros_like(power), power)


UNARY = {
    "exp": torch.exp, "exp2": torch.exp2, "log": torch.log, "log2": torch.log2, "sin": torch.sin, "cos": torch.cos,
    "tan": torch.tan, "sinh": torch.sinh, "cosh": torch.cosh, "tanh": torch.tanh, "rsqrt": torch.rsqrt,
    "sqrt": torch.sqrt,
}
BINARY = {"atan2": torch.atan2, "fpowf": torch.pow, "divf": torch.div}
MODIFIED = {"exp rounding<approx>": torch.exp, "tanh rounding<approx>": torch.tanh, "exp2 flush_to_zero": flushed_exp2}


def program(op, operands, ty):
    """A kernel that applies an op to tiles of arrays."""
    word, _, modifiers = op.partition(" ")
    lines = [
        f"%i = iota : tile<{TILE}xi32>",
        "%bx, %by, %bz = get_tile_block_id : tile<i32>",
        f"%n = constant <i32: {TILE}> : tile<i32>",
        "%f = muli %bx, %n : tile<i32>",
        "%f1 = reshape %f : tile<i32> -> tile<1xi32>",
        f"%f2 = broadcast %f1 : tile<1xi32> -> tile<{TILE}xi32>",
        f"%at = addi %f2, %i : tile<{TILE}xi32>",
    ]
    for k in range(operands + 1):
        one, many = f"tile<1xptr<{ty}>>", f"tile<{TILE}xptr<{ty}>>"
        lines += [
            f"%q{k} = reshape %p{k} : tile<ptr<{ty}>> -> {one}",
            f"%r{k} = broadcast %q{k} : {one} -> {many}",
            f"%s{k} = offset %r{k}, %at : {many}, tile<{TILE}xi32> -> {many}",
        ]
        if k < operands:
            lines.append(f"%v{k}, %t{k} = load_ptr_tko weak %s{k} : {many} -> tile<{TILE}x{ty}>, token")
    values = ", ".join(f"%v{k}" for k in range(operands))
    lines += [
        f"%w = {word} {values} {modifiers} : tile<{TILE}x{ty}>",
        f"%done = store_ptr_tko weak %s{operands}, %w : tile<{TILE}xptr<{ty}>>, tile<{TILE}x{ty}> -> token",
        "return",
    ]
    params = ", ".join(f"%p{k}: tile<ptr<{ty}>>" for k in range(operands + 1))
    body = "\n  ".join(lines)
    return f"cuda_tile.module @m {{\n entry @k({params}) {{\n  {body}\n }}\n}}\n"


def compiled(binary, op, operands, ty, target):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k.cuda_tile")
        with open(path, "w") as file:
            file.write(program(op, operands, ty))
        run = subprocess.run([binary, "compile", path, "--target", target, "--emit", "ptx"], capture_output=True)
    if run.returncode:
        raise RuntimeError(run.stderr.decode(errors="replace"))
    return Kernel(run.stdout, "k")


def applied(kernel, inputs):
    out = torch.full_like(inputs[0], float("nan"))
    args = [C.c_uint64(tensor.data_ptr()) for tensor in [*inputs, out]]
    kernel.prepare((inputs[0].numel() // TILE, 1, 1), args)(C.c_void_p(torch.cuda.current_stream().cuda_stream))
    return out


def unit(exact, ty):
    """A unit in the last place of each number of f64."""
    stored, least = SHAPE[ty]
    _, exponent = torch.frexp(exact)
    exponent = (exponent - 1).clamp(min=least)
    return torch.ldexp(torch.ones_like(exact), exponent - stored)


def errors(got, exact, ty):
    """The error of each result, in units in the last place of the exact one."""
    want = exact.to(TYPES[ty])
    wide = got.double()
    error = ((wide - exact) / unit(exact, ty)).abs()
    infinite = torch.full_like(error, float("inf"))
    # An infinity where the exact result rounds to a number, or the other way round.
    error = torch.where(torch.isinf(got) | torch.isinf(want) | torch.isinf(exact), infinite, error)
    same = (got == want) & (torch.signbit(got) == torch.signbit(want)) & (torch.isinf(got) | (got == 0))
    error = torch.where(same | (torch.isnan(got) & torch.isnan(want)), torch.zeros_like(error), error)
    error = torch.where(torch.isnan(got) != torch.isnan(want), infinite, error)
    return torch.where((got == 0) & (want == 0) & ~same, infinite, error)


def patterns(ty, stride):
    """Every bit pattern of a type, or every N-th, in chunks."""
    bits = 16 if ty in ("f16", "bf16") else 32
    step = 1 if bits == 16 else stride
    for start in range(0, 1 << bits, CHUNK * step):
        codes = torch.arange(start, min(start + CHUNK * step, 1 << bits), step, device="cuda")
        codes = torch.where(codes >= 1 << (bits - 1), codes - (1 << bits), codes)
        codes = codes.to(INTS[ty])
        yield torch.nn.functional.pad(codes, (0, -codes.numel() % TILE)).view(TYPES[ty])


def random_operands(ty, count, generator):
    """Half of them any bit patterns, half of moderate size."""
    size = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}[ty]
    half = count // 2
    if size == 64:
        codes = torch.randint(-(1 << 63), (1 << 63) - 1, (half,), device="cuda", generator=generator)
    else:
        codes = torch.randint(-(1 << (size - 1)), 1 << (size - 1), (half,), device="cuda", generator=generator)
    any_size = codes.to(INTS[ty]).view(TYPES[ty])
    spread = torch.empty(half, device="cuda", dtype=torch.float64).uniform_(-12, 12, generator=generator)
    sign = torch.randint(0, 2, (half,), device="cuda", generator=generator) * 2 - 1
    moderate = (torch.exp2(spread) * sign).to(TYPES[ty])
    return torch.cat([any_size, moderate])


class Worst:
    def __init__(self):
        self.error, self.operands, self.result, self.count, self.unlike = -1.0, (), None, 0, 0

    def add(self, inputs, got, error, other):
        self.count += got.numel()
        if other is not None:
            same = (got.view(torch.int32) == other.view(torch.int32)) | (torch.isnan(got) & torch.isnan(other))
            self.unlike += int((~same).sum())
        at = int(error.argmax())
        if float(error[at]) > self.error:
            self.error = float(error[at])
            self.operands = tuple(float(x[at]) for x in inputs)
            self.result = float(got[at])


def precise(op, operands):
    """The result as mpmath computes it."""
    from mpmath import mp, mpf

    mp.prec = 1400 if op in ("sin", "cos", "tan") else 300
    x = [mpf(value) for value in operands]
    functions = {
        "exp": mp.exp, "exp2": lambda a: mpf(2) ** a, "log": mp.log, "log2": lambda a: mp.log(a, 2), "sin": mp.sin,
        "cos": mp.cos, "tan": mp.tan, "sinh": mp.sinh, "cosh": mp.cosh, "tanh": mp.tanh, "atan2": mp.atan2,
        "fpowf": mp.power, "rsqrt": lambda a: 1 / mp.sqrt(a), "sqrt": mp.sqrt, "divf": lambda a, b: a / b,
    }
    return functions[op](*x)


def again(op, inputs, got, error, few=200):
    """The worst error of f64 results among the worst by PyTorch, and some others, against mpmath."""
    from mpmath import mpf, frexp

    places = torch.topk(torch.where(torch.isinf(error), torch.zeros_like(error), error), few).indices.tolist()
    places += list(range(0, got.numel(), max(1, got.numel() // few)))
    worst = 0.0
    for at in places:
        result, operands = float(got[at]), [float(x[at]) for x in inputs]
        if not all(abs(v) < float("inf") for v in [result, *operands]) or any(v == 0 for v in operands):
            continue
        exact = precise(op, operands)
        if not hasattr(exact, "_mpf_") or exact == 0:
            continue
        exponent = max(frexp(exact)[1] - 1, -1022)
        worst = max(worst, float(abs(mpf(result) - exact) / mpf(2) ** (exponent - 52)))
    return worst


def measure(binary, op, function, operands, ty, options):
    kernel = compiled(binary, op, operands, ty, options.target)
    worst, note = Worst(), ""
    generator = torch.Generator(device="cuda").manual_seed(1)
    if operands == 1 and ty != "f64":
        batches = ([x] for x in patterns(ty, options.stride))
    else:
        batches = (
            [random_operands(ty, CHUNK, generator) for _ in range(operands)] for _ in range(max(1, options.pairs // CHUNK))
        )
    for inputs in batches:
        got = applied(kernel, inputs)
        exact = function(*(x.double() for x in inputs))
        error = errors(got, exact, ty)
        worst.add(inputs, got, error, function(*inputs) if ty == "f32" else None)
        if ty == "f64" and not note:
            try:
                note = f"  mpmath {again(op.split()[0], inputs, got, error):.3f}"
            except ImportError:
                note = "  (no mpmath)"
    operands = ", ".join(f"{x:.9g}" for x in worst.operands)
    print(f"{op:22} {ty:5} {worst.count:>12} {worst.error:>9.4f} {worst.unlike:>10}  at {operands} = {worst.result:.9g}{note}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--stride", type=int, default=256, help="every N-th bit pattern of f32")
    parser.add_argument("--pairs", type=int, default=1 << 26, help="random operands of f64 and of two operands")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--only", nargs="*", help="functions")
    options = parser.parse_args()
    # The driver's interface needs PyTorch's context.
    torch.zeros(1, device="cuda")
    print(f"{'function':22} {'type':5} {'operands':>12} {'worst':>9} {'unlike':>10}")
    failed = 0
    for table, operands in ((UNARY, 1), (BINARY, 2), (MODIFIED, 1)):
        for op, function in table.items():
            if options.only and op.split()[0] not in options.only:
                continue
            for ty in ["f32"] if table is MODIFIED else TYPES:
                try:
                    measure(options.binary, op, function, operands, ty, options)
                except RuntimeError as error:
                    failed += 1
                    print(f"{op:22} {ty:5} FAILED {str(error).strip().splitlines()[0]}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
