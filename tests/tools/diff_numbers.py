"""Compares the arithmetic of `evaluator/src/number` with MPFR, numpy, ml_dtypes and Python's integers.

    pip install numpy ml_dtypes gmpy2
    cargo build -p tilewright-evaluator --example compute
    python tests/tools/diff_numbers.py TARGET/debug/examples/compute [--cases 100000] [--only WORD] [--record FILE]

Prints, for each operation and type, how many random cases were compared and how many differ, and ends with 1 if any
differs that should not. With `--record` it writes a few cases of each as lines
`operation from to mode operands... result`, which `evaluator/tests/float/recorded.rs` replays without Python.

MPFR (through gmpy2) rounds every function correctly to any precision with any exponent range, in all directions but
ties away from zero; that one is left to the tests in Rust.
"""

import argparse
import math
import subprocess
import sys

import gmpy2
import ml_dtypes
import numpy as np

# bits of exponent, bits of fraction
IEEE = {"f16": (5, 10), "bf16": (8, 7), "tf32": (8, 10), "f32": (8, 23), "f64": (11, 52)}
SMALL = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
}
NUMPY = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64, **SMALL}
INTEGERS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
MODES = {
    "nearest_even": gmpy2.RoundToNearest,
    "zero": gmpy2.RoundToZero,
    "negative_inf": gmpy2.RoundDown,
    "positive_inf": gmpy2.RoundUp,
}


def bits_of(name):
    """The bits of a float type."""
    return 1 + sum(IEEE[name]) if name in IEEE else 4 if name == "f4E2M1FN" else 8


def decode(name, codes):
    """The values of codes, exactly, as f64."""
    with np.errstate(invalid="ignore"):
        return _decode(name, codes)


def _decode(name, codes):
    if name == "f64":
        return codes.view(np.float64)
    if name in ("bf16", "tf32"):
        return (codes << np.uint64(32 - bits_of(name))).astype(np.uint32).view(np.float32).astype(np.float64)
    word = {4: np.uint8, 8: np.uint8, 16: np.uint16, 32: np.uint32}[bits_of(name)]
    return codes.astype(word).view(NUMPY[name]).astype(np.float64)


def encode(name, values):
    """The codes of values that the type holds, with one NaN for all."""
    with np.errstate(all="ignore"):
        if name == "f64":
            codes = values.view(np.uint64).copy()
        elif name in ("bf16", "tf32"):
            codes = values.astype(np.float32).view(np.uint32).astype(np.uint64) >> np.uint64(32 - bits_of(name))
        else:
            word = {16: np.uint16, 32: np.uint32}[bits_of(name)]
            codes = values.astype(NUMPY[name]).view(word).astype(np.uint64)
    exponent, fraction = IEEE[name]
    nan = 0x7FF8 << 48 if name == "f64" else (1 << (exponent + fraction)) - 1
    codes[np.isnan(values)] = nan
    return codes


def random_codes(rng, name, count):
    """Codes: any; near 1 and small integers; few bits; near to the smallest numbers."""
    exponent, fraction = IEEE.get(name, (4, 3))
    width = bits_of(name)
    anything = rng.integers(0, 1 << 63, count, dtype=np.uint64) * np.uint64(2) + rng.integers(0, 2, count, dtype=np.uint64)
    anything &= np.uint64((1 << width) - 1)
    if width <= 8:
        return anything
    sign = anything & np.uint64(1 << (width - 1))
    leading = np.uint64(1 << fraction)
    one = np.uint64(((1 << (exponent - 1)) - 1) << fraction)
    near_one = (one - leading * np.uint64(6) + anything % (leading * np.uint64(12))) | sign
    few_bits = anything & ~((leading - np.uint64(1)) >> np.uint64(3))
    tiny = anything % (leading * np.uint64(4)) | sign
    return np.choose(rng.integers(0, 6, count), [anything, near_one, near_one, near_one, few_bits, tiny])


def context(name, mode):
    """MPFR as a format: its precision, exponents, subnormal numbers and rounding."""
    exponent, fraction = IEEE[name]
    bias = (1 << (exponent - 1)) - 1
    return gmpy2.context(
        precision=fraction + 1, emin=2 - bias - fraction, emax=bias + 1, subnormalize=True, round=MODES[mode]
    )


def exactly(function, name, mode, columns):
    """A function of MPFR on columns of f64, rounded to a format."""
    gmpy2.set_context(context(name, mode))
    number = gmpy2.mpfr
    return np.array([float(function(*map(number, row))) for row in zip(*(c.tolist() for c in columns))])


ARITHMETIC = {
    "add": (2, lambda x, y: x + y),
    "sub": (2, lambda x, y: x - y),
    "mul": (2, lambda x, y: x * y),
    "div": (2, lambda x, y: x / y),
    "fma": (3, gmpy2.fma),
    "sqrt": (1, gmpy2.sqrt),
}
FUNCTIONS = {
    "rem": (2, gmpy2.fmod),
    "rsqrt": (1, gmpy2.rec_sqrt),
    "ceil": (1, gmpy2.rint_ceil),
    "floor": (1, gmpy2.rint_floor),
    "exp": (1, gmpy2.exp),
    "exp2": (1, gmpy2.exp2),
    "log": (1, gmpy2.log),
    "log2": (1, gmpy2.log2),
    "sin": (1, gmpy2.sin),
    "cos": (1, gmpy2.cos),
    "tan": (1, gmpy2.tan),
    "sinh": (1, gmpy2.sinh),
    "cosh": (1, gmpy2.cosh),
    "tanh": (1, gmpy2.tanh),
    "atan2": (2, gmpy2.atan2),
    "pow": (2, lambda x, y: x**y),
}
# Functions that may be one unit in the last place off in f64; in narrower formats any may, where the f64 is a tie.
SLACK = {"atan2", "pow", "powi"}


def signed(value, width):
    """An integer's bits read as two's complement."""
    return value - (1 << width) if value >> (width - 1) else value


def divide(a, b, mode):
    """The quotient of integers, rounded to one."""
    if mode == "negative_inf":
        return a // b
    if mode == "positive_inf":
        return -(-a // b)
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def integer_operations(width):
    """Operations on bits: name, mode, function of bits, and which right operands they are for."""
    s = lambda x: signed(x, width)
    anything, divisor, amount = (lambda a, b: b), (lambda a, b: b or 1), (lambda a, b: b % width)
    signed_divisor = lambda a, b: 1 if b == 0 or (s(b) == -1 and s(a) == -(1 << (width - 1))) else b
    yield "add", "zero", lambda a, b: a + b, anything
    yield "sub", "zero", lambda a, b: a - b, anything
    yield "mul", "zero", lambda a, b: a * b, anything
    yield "mul_high", "zero", lambda a, b: (a * b) >> width, anything
    for mode in ("zero", "negative_inf", "positive_inf"):
        # The quotient of the least 1-bit integer and 1, which is -1 there, overflows.
        if width > 1:
            yield "div_signed", mode, lambda a, b, mode=mode: divide(s(a), s(b), mode), signed_divisor
    for mode in ("zero", "positive_inf"):
        yield "div_unsigned", mode, lambda a, b, mode=mode: divide(a, b, mode), divisor
    yield "rem_signed", "zero", lambda a, b: int(math.copysign(1, s(a))) * (abs(s(a)) % abs(s(b))), divisor
    yield "rem_unsigned", "zero", lambda a, b: a % b, divisor
    yield "max_signed", "zero", lambda a, b: max(s(a), s(b)), anything
    yield "min_unsigned", "zero", min, anything
    yield "less_signed", "zero", lambda a, b: s(a) < s(b), anything
    yield "less_unsigned", "zero", lambda a, b: a < b, anything
    yield "shl", "zero", lambda a, b: a << b, amount
    yield "shr_signed", "zero", lambda a, b: s(a) >> b, amount
    yield "shr_unsigned", "zero", lambda a, b: a >> b, amount


class Comparison:
    """Runs cases, counts and records."""

    def __init__(self, options):
        self.options = options
        self.rng = np.random.default_rng(7)
        self.failed = False
        self.recorded = []
        self.cases = 0

    def wants(self, operation, name):
        """Whether `--only` lets it through."""
        return self.options.only in f"{operation} {name}"

    def compare(self, operation, source, target, mode, columns, expected, keep, slack=0, record=4):
        """Compares results with those expected, where `keep` is set; `slack` codes of difference are fine."""
        words = np.ascontiguousarray(np.stack(columns, axis=1).astype("<u8"))
        command = [self.options.program, operation, source, target, mode, str(len(columns))]
        output = subprocess.run(command, input=words.tobytes(), stdout=subprocess.PIPE, check=True).stdout
        found = np.frombuffer(output, dtype="<u8")
        expected = expected.astype(np.uint64)
        distance = np.where(found > expected, found - expected, expected - found)
        distance[~keep] = 0
        wrong, off = int((distance > slack).sum()), int((distance > 0).sum())
        compared = int(keep.sum())
        self.cases += compared
        note = f", {off} off by at most {slack}" if slack and off else ""
        print(f"{operation:16} {source:10} {target:10} {mode:13} {compared:8} cases, {wrong} differ{note}", flush=True)
        for i in np.flatnonzero(distance > slack)[:3]:
            operands = " ".join(f"{int(x):#x}" for x in words[i])
            print(f"    {operands}: found {int(found[i]):#x}, expected {int(expected[i]):#x}")
        self.failed |= wrong > 0
        for i in np.flatnonzero(keep & (distance == 0))[:record]:
            operands = " ".join(f"{int(x):x}" for x in words[i])
            self.recorded.append(f"{operation} {source} {target} {mode} {operands} {int(expected[i]):x}")

    def floats(self, name):
        """Arithmetic in every direction, and functions, against MPFR."""
        cases = self.options.cases
        everything = np.ones(cases, dtype=bool)
        for operation, (arity, function) in ARITHMETIC.items():
            for mode in MODES:
                if self.wants(operation, name):
                    codes = [random_codes(self.rng, name, cases) for _ in range(arity)]
                    values = exactly(function, name, mode, [decode(name, c) for c in codes])
                    self.compare(operation, name, name, mode, codes, encode(name, values), everything)
        for operation, (arity, function) in FUNCTIONS.items():
            if self.wants(operation, name):
                codes = [random_codes(self.rng, name, cases) for _ in range(arity)]
                columns = [decode(name, c) for c in codes]
                values = exactly(function, name, "nearest_even", columns)
                # MPFR says that one over the root of -0 is positive.
                keep = columns[0] != 0 if operation == "rsqrt" else everything
                exact = operation in ("rem", "rsqrt", "ceil", "floor") or name == "f64" and operation not in SLACK
                self.compare(operation, name, name, "nearest_even", codes, encode(name, values), keep, int(not exact), 20)
        if self.wants("powi", name):
            codes = random_codes(self.rng, name, cases)
            powers = self.rng.integers(-40, 40, cases)
            gmpy2.set_context(context(name, "nearest_even"))
            pairs = zip(decode(name, codes).tolist(), powers.tolist())
            values = np.array([float(gmpy2.mpfr(x) ** gmpy2.mpfr(n)) for x, n in pairs])
            exponents = (powers & 0xFFFFFFFF).astype(np.uint64)
            self.compare("powi", name, name, "nearest_even", [codes, exponents], encode(name, values), everything, 1, 20)
        for operation, function in (("equal", np.equal), ("less_or_equal", np.less_equal)):
            if self.wants(operation, name):
                codes = [random_codes(self.rng, name, cases) for _ in range(2)]
                expected = function(*(decode(name, c) for c in codes))
                self.compare(operation, name, name, "nearest_even", codes, expected, everything, record=1)

    def conversions(self, source):
        """From a float type: to wider ones against MPFR, to narrow ones against ml_dtypes, to integers against Python."""
        cases = self.options.cases
        everything = np.ones(cases, dtype=bool)
        codes = random_codes(self.rng, source, cases)
        values = decode(source, codes)
        for target in IEEE:
            for mode in MODES:
                if self.wants("ftof", source + target) and target != source:
                    expected = encode(target, exactly(lambda x: +x, target, mode, [values]))
                    self.compare("ftof", source, target, mode, [codes], expected, everything, record=1)
        for target, dtype in SMALL.items():
            # ml_dtypes rounds an f64 to f32 first.
            if self.wants("ftof", source + target) and target not in (source, "f8E8M0FNU") and source != "f64":
                with np.errstate(all="ignore"):
                    expected = values.astype(np.float32).astype(dtype).view(np.uint8).astype(np.uint64)
                # There is no NaN of f4, and the sign of others is not kept.
                nan = np.isnan(expected.astype(np.uint8).view(dtype).astype(np.float32))
                expected[nan] = 0x7F
                keep = ~np.isnan(values) if target == "f4E2M1FN" else everything
                self.compare("ftof", source, target, "nearest_even", [codes], expected, keep, record=5)
        for target, width in INTEGERS.items():
            for kind in ("signed", "unsigned"):
                if self.wants("ftoi_" + kind, source + target):
                    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if kind == "signed" else (0, (1 << width) - 1)
                    clamp = lambda x: 0 if x != x else low if x <= low else high if x >= high else int(x)
                    expected = np.array([clamp(x) & ((1 << width) - 1) for x in values.tolist()], dtype=np.uint64)
                    self.compare("ftoi_" + kind, source, target, "zero", [codes], expected, everything, record=1)

    def powers(self, source):
        """To powers of two: the exponent, or the next one."""
        codes = random_codes(self.rng, source, self.options.cases)
        values = np.abs(decode(source, codes))
        with np.errstate(all="ignore"):
            fraction, exponent = np.frexp(np.where(np.isfinite(values), values, 1))
        for mode in ("zero", "positive_inf"):
            if self.wants("ftof", source + "f8E8M0FNU"):
                power = exponent + 126 + ((fraction > 0.5) & (mode == "positive_inf"))
                power = np.where(power > 254, 254 if mode == "zero" else 255, np.maximum(power, 0))
                expected = np.where(values == 0, 0, np.where(np.isfinite(values), power, 255))
                everything = np.ones(len(codes), dtype=bool)
                self.compare("ftof", source, "f8E8M0FNU", mode, [codes], expected, everything, record=5)

    def integers(self, name, width):
        """Integer operations against Python's integers, and their conversions against MPFR."""
        cases = self.options.cases
        everything = np.ones(cases, dtype=bool)
        mask = (1 << width) - 1
        rng = self.rng

        def column():
            bits = rng.integers(0, 1 << 63, cases, dtype=np.uint64) * np.uint64(2) + rng.integers(0, 2, cases, dtype=np.uint64)
            few = bits >> rng.integers(0, width, cases).astype(np.uint64)
            return [int(x) & mask for x in np.where(rng.integers(0, 2, cases), bits & np.uint64(mask), few & np.uint64(mask))]

        for operation, mode, function, allowed in integer_operations(width):
            if self.wants(operation, name):
                a, b = column(), column()
                b = [allowed(x, y) for x, y in zip(a, b)]
                expected = np.array([int(function(x, y)) & mask for x, y in zip(a, b)], dtype=np.uint64)
                pair = [np.array(a, dtype=np.uint64), np.array(b, dtype=np.uint64)]
                self.compare(operation, name, name, mode, pair, expected, everything, record=1)
        for target in IEEE:
            for kind in ("signed", "unsigned"):
                if self.wants("itof_" + kind, name + target):
                    a = column()
                    gmpy2.set_context(context(target, "nearest_even"))
                    numbers = [signed(x, width) if kind == "signed" else x for x in a]
                    values = np.array([float(gmpy2.mpfr(gmpy2.mpz(x))) for x in numbers])
                    expected = encode(target, values)
                    self.compare("itof_" + kind, name, target, "nearest_even", [np.array(a, dtype=np.uint64)], expected, everything, record=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--only", default="")
    parser.add_argument("--record")
    options = parser.parse_args()
    comparison = Comparison(options)
    for name in IEEE:
        comparison.floats(name)
    for name in (*IEEE, *SMALL):
        comparison.conversions(name)
        if name != "f8E8M0FNU":
            comparison.powers(name)
    for name, width in INTEGERS.items():
        comparison.integers(name, width)
    print(f"{comparison.cases} cases in all")
    if options.record:
        with open(options.record, "w", encoding="utf-8") as file:
            file.write("\n".join(comparison.recorded) + "\n")
    sys.exit(comparison.failed)


if __name__ == "__main__":
    main()
