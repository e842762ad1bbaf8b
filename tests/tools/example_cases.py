"""The exported kernels: their signatures, one set of numbers for each, and what the numbers must become.

Expected results come from numpy and from fractions (`exact_floats`), never from a compiler. Every output array starts
with filler values, so that elements which must stay untouched are checked too.
"""

from dataclasses import dataclass, field

import exact_floats as ef
import ml_dtypes
import numpy as np


@dataclass
class Case:
    """One launch: `arguments` are arrays or (dtype, value) scalars in order, `expected` maps argument to result.

    The extents and strides of the arrays are multiples of `multiple`, which the compiler may assume."""

    kernel: str
    grid: tuple
    arguments: dict
    expected: dict = field(default_factory=dict)
    multiple: int = 1


def vector_add(rng):
    a, b = rng.standard_normal((2, 2500), dtype=np.float32)
    return [Case("vector_add", (3, 1, 1), {"a": a, "b": b, "out": filler(rng, a)}, {"out": a + b})]


def vector_add_2d(rng):
    a, b = rng.standard_normal((2, 45, 83), dtype=np.float32)
    return [Case("vector_add_2d", (2, 2, 1), {"a": a, "b": b, "out": filler(rng, a)}, {"out": a + b})]


def gather_scatter(rng):
    values = rng.standard_normal(700, dtype=np.float32)
    index = rng.integers(-30, 760, 611, dtype=np.int32)
    target = rng.permutation(650)[:611].astype(np.int32) - 20
    out = filler(rng, np.zeros(620, np.float32))
    want = out.copy()
    for source, destination in zip(index, target):
        value = values[source] if 0 <= source < values.size else np.float32(-1)
        if value > -0.5 and 0 <= destination < want.size:
            want[destination] = value + np.float32(1)
    arguments = {"values": values, "index": index, "target": target, "out": out}
    return [Case("gather_scatter", (3, 1, 1), arguments, {"out": want})]


def saxpy(rng):
    x, y = rng.standard_normal((2, 1111), dtype=np.float32)
    alpha = np.float32(2.7182817)
    want = ef.fma(np.full_like(x, alpha), x, y, "f32")
    return [Case("saxpy", (3, 1, 1), {"alpha": ("f32", float(alpha)), "x": x, "y": y, "out": filler(rng, x)},
                 {"out": want})]


def masked_copy(rng):
    a = rng.standard_normal((21, 45), dtype=np.float32)
    cases = []
    for name, pad in (("zero", 0.0), ("neg_zero", -0.0), ("nan", np.nan), ("pos_inf", np.inf), ("neg_inf", -np.inf)):
        want = np.full((30, 61), pad, np.float32)
        want[:21, :45] = a
        cases.append(Case(f"masked_copy_{name}", (2, 2, 1), {"a": a, "out": filler(rng, want)}, {"out": want}))
    return cases


def polynomial(rng):
    x = rng.standard_normal(333, dtype=np.float32)
    coefficients = rng.standard_normal(6, dtype=np.float32)
    want = np.zeros_like(x)
    for c in coefficients:
        want = ef.fma(want, x, np.full_like(x, c), "f32")
    arguments = {"x": x, "coefficients": coefficients, "degree": ("i32", 5), "out": filler(rng, x)}
    return [Case("polynomial", (2, 1, 1), arguments, {"out": want})]


def loop_control(rng):
    start = rng.integers(1, 90, 37, dtype=np.int32)
    start[:4] = [1, 27, 97, 2]
    limit = 40
    steps, peak = np.zeros_like(start), np.zeros_like(start)
    for i, n in enumerate(start.tolist()):
        count, top = 0, n
        while n > 1:
            if count >= limit:
                count = -1
                break
            count += 1
            if n % 2 == 0:
                n //= 2
                continue
            n = 3 * n + 1
            top = max(top, n)
        odd = 0
        for k in range(1, limit, 2):
            if k > top:
                break
            odd += 2 if k > 8 else 5 if k == 3 else 1
        steps[i], peak[i] = count, top + odd
    walk = Case("loop_control", (37, 1, 1),
                {"start": start, "limit": ("i32", limit), "steps": filler(rng, steps), "peak": filler(rng, peak)},
                {"steps": steps, "peak": peak})
    a = rng.integers(-1000, 1000, 1000, dtype=np.int32)
    padded = np.concatenate([a, np.zeros(64, np.int32)])
    total = np.zeros(64, np.int32)
    for k in range(1, 15, 2):
        tile = padded[64 * k:64 * k + 64]
        total = total - tile if k % 3 == 0 else total + tile * np.int32(k)
    out = filler(rng, np.zeros(50, np.int32))
    stepped = Case("stepped_sum", (1, 1, 1),
                   {"a": a, "first": ("i32", 1), "last": ("i32", 15), "step": ("i32", 2), "out": out},
                   {"out": total[:50]})
    return [walk, stepped]


def int_bits(rng):
    x = rng.integers(0, 2**32, 301, dtype=np.uint32)
    ones = np.array([bin(v).count("1") for v in x.tolist()], np.uint32)
    cases = [Case("popcount", (2, 1, 1), {"x": x, "out": filler(rng, ones)}, {"out": ones})]

    x, y = rng.integers(-2**31, 2**31, (2, 301), dtype=np.int32)
    x[:6], y[:6] = [7, -7, 7, -7, 0, 2**31 - 1], [2, 2, -3, -3, 4, 1]
    a, b = x.astype(object), y.astype(object)
    amount, divisor = b & 31, b | 1
    mixed = signed(a ^ signed(a << amount, 32), 32) + (a >> amount)
    mixed = signed(mixed, 32) ^ (a // divisor) ^ -((-a) // divisor)
    mixed = signed(mixed - a % divisor * 3, 32)
    mixed = mixed ^ np.minimum(a, b) ^ ~np.maximum(a, b)
    want = signed(mixed + abs(a >> 1) + b, 32).astype(np.int32)
    cases.append(Case("signed_bits", (2, 1, 1), {"x": x, "y": y, "out": filler(rng, want)}, {"out": want}))

    x, y = rng.integers(0, 2**64, (2, 301), dtype=np.uint64)
    y[::3] >>= np.uint64(40)
    a, b = x.astype(object), y.astype(object)
    divisor = b | 1
    mixed = (a % divisor) ^ -((-a) // divisor)
    mixed = mixed + (a >> (b & 63)) + (a << (b & 63))
    want = ((mixed % 2**64) ^ np.minimum(a, b) ^ (np.maximum(a, b) * 5 % 2**64)).astype(np.uint64)
    cases.append(Case("unsigned_bits", (2, 1, 1), {"x": x, "y": y, "out": filler(rng, want)}, {"out": want}))
    return cases


def casts(rng):
    x = rng.uniform(-3000, 3000, 201)
    single = x.astype(np.float32)
    half = single.astype(np.float16)
    brain = half.astype(np.float32).astype(ml_dtypes.bfloat16)
    wide = brain.astype(np.float32).astype(np.int32).astype(np.float64)
    want = wide + brain.astype(np.float64) + half.astype(np.float64) + single.astype(np.float64)
    cases = [Case("float_chain", (2, 1, 1), {"x": x, "out": filler(rng, want)}, {"out": want})]

    x = rng.integers(-2**63, 2**63, 201, dtype=np.int64)
    short = x.astype(np.int32).astype(np.int16)
    byte = short.astype(np.int8)
    word = byte.astype(np.uint8).astype(np.uint16).astype(np.uint32) + x.astype(np.uint32)
    want = (word.astype(np.uint64) + short.astype(np.uint64)).astype(np.int64) + byte.astype(np.int64)
    cases.append(Case("integer_chain", (2, 1, 1), {"x": x, "out": filler(rng, want)}, {"out": want}))

    x = rng.integers(-100, 2**20, 201, dtype=np.int32)
    x[5:10] = [0, 256, 1, -1, 511]
    odd = (x & 1).astype(np.float32)
    from_byte = x.astype(np.int8).astype(np.float32)
    from_unsigned_byte = x.astype(np.uint8).astype(ml_dtypes.bfloat16).astype(np.float32)
    from_word = x.astype(np.uint32).astype(np.float32)
    from_long = x.astype(np.int64).astype(np.uint64).astype(np.float32)
    back = (from_byte + np.float32(200)).astype(np.uint32).astype(np.float32)
    bits = (from_word.view(np.int32) ^ 1).view(np.float32)
    total = odd + odd + from_byte + from_unsigned_byte + back + odd
    want = (ef.fma(from_word, np.full_like(from_word, 2), total, "f32") - from_long) + bits
    cases.append(Case("mixed_chain", (2, 1, 1), {"x": x, "out": filler(rng, want)}, {"out": want}))
    return cases


def select_compare(rng):
    a, b = rng.integers(-3, 4, (2, 197)).astype(np.float32)
    a[::7], b[::5], a[3:5], b[3:5] = np.nan, np.nan, [0.0, -0.0], [-0.0, 0.0]
    code = (a < b) * 1 + (a <= b) * 2 + (a > b) * 4 + (a >= b) * 8 + (a == b) * 16 + (a != b) * 32 + np.isnan(a) * 64
    code = code.astype(np.int32)
    cases = [Case("compare_floats", (2, 1, 1), {"x": a, "y": b, "out": filler(rng, code)}, {"out": code})]
    x, y = rng.integers(-4, 4, (2, 197), dtype=np.int32)
    u, v = rng.integers(-4, 4, (2, 197)).astype(np.int64).view(np.uint64)
    p, q = x < y, u < v
    code = p * 1 + (x <= y) * 2 + (x > y) * 4 + (x >= y) * 8 + (x == y) * 16 + (x != y) * 32
    code = code + q * 64 + (u <= v) * 128 + (u > v) * 256 + (u >= v) * 512
    code = (code + (p & q) * 1024 + (p | q) * 2048 + (p ^ q) * 4096).astype(np.int32)
    arguments = {"x": x, "y": y, "u": u, "v": v, "out": filler(rng, code)}
    cases.append(Case("compare_integers", (2, 1, 1), arguments, {"out": code}))
    return cases


def transpose(rng):
    a = rng.standard_normal((45, 37), dtype=np.float32)
    cases = [Case("transpose", (2, 3, 1), {"a": a, "out": filler(rng, a.T.copy())}, {"out": a.T.copy()})]
    a = rng.integers(-128, 128, (7, 5, 13)).astype(np.int8)
    want = np.ascontiguousarray(a.transpose(1, 2, 0))
    cases.append(Case("rotate_axes", (2, 1, 1), {"a": a, "out": filler(rng, want)}, {"out": want}))
    return cases


def reshape_broadcast(rng):
    rows = rng.integers(-99, 99, 27, dtype=np.int32)
    columns = rng.integers(-99, 99, 45, dtype=np.int32)
    ramp = np.tile(np.arange(512, dtype=np.int32).reshape(16, 32), (2, 2))[:27, :45]
    want = rows[:, None] * 3 + columns + ramp + (2000 + 200 + 1) + (20 + 2) + 27 - 45
    want = want.astype(np.int32)
    arguments = {"rows": rows, "columns": columns, "out": filler(rng, want)}
    return [Case("reshape_broadcast", (2, 2, 1), arguments, {"out": want})]


def three_kernels(rng):
    a = rng.standard_normal(601, dtype=np.float32)
    factor, amount = np.float32(-1.75), np.float32(0.1)
    return [Case("scale", (3, 1, 1), {"a": a, "factor": ("f32", float(factor))}, {"a": a * factor}),
            Case("shift", (3, 1, 1), {"a": a, "amount": ("f32", float(amount))}, {"a": a + amount}),
            Case("square", (3, 1, 1), {"a": a}, {"a": a * a})]


def float_arithmetic(rng):
    cases = []
    for name in ("f64", "f32", "f16", "bf16"):
        dtype = ef.NUMPY[name]
        a, b = rng.standard_normal((2, 197)).astype(dtype)
        quotient = ef.div(ef.sub(a, b, name), b, name)
        fused = ef.fma(a, b, quotient, name)
        low = np.minimum(fused, -a)
        root = np.sqrt(abs(b).astype(np.float64)).astype(dtype)
        high = np.maximum(abs(quotient), root)
        sums = ef.add(np.floor(low), np.ceil(high), name)
        want = ef.fma(low, high, sums, name)
        cases.append(Case(f"float_arithmetic_{name}", (2, 1, 1), {"x": a, "y": b, "out": filler(rng, want)},
                          {"out": want}))
    a, b = rng.standard_normal((2, 197), dtype=np.float32)
    up = ef.mul(a, b, "f32", "up")
    ratio = ef.div(up, b, "f32", "zero")
    sums = ef.add(ef.add(a, b, "f32", "down"), ef.sub(a, b, "f32", "zero"), "f32")
    want = ef.add(sums, ratio, "f32", "up")
    cases.append(Case("directed_rounding", (2, 1, 1), {"x": a, "y": b, "out": filler(rng, want)}, {"out": want}))
    return cases


def tail_pointers(rng):
    a = rng.integers(-2**31, 2**31, 300, dtype=np.int32)
    out = filler(rng, a)
    want = out.copy()
    want[:217] = a[:217] * np.int32(2)
    return [Case("tail_pointers", (3, 1, 1), {"a": a, "n": ("i32", 217), "out": out}, {"out": want})]


def raw_pointers(rng):
    a = rng.integers(-2**31, 2**31, 256, dtype=np.int32)
    n = 53
    out = filler(rng, a[:64])
    k = np.arange(64)
    plain = a[:64].astype(np.int64)
    bits = a[:64].view(np.uint32).astype(np.uint64)
    # `mulhii` takes its operands as unsigned
    high = ((bits * bits) >> np.uint64(32)).astype(np.int64)
    total = (high ^ plain) + abs(plain) + np.trunc(2 * np.fmod(k, 7.5)).astype(np.int64)
    total = total + plain % 2**32 // (k + 3)
    total = total + k * k - 100 + (n * 4 + -(-n // 16) + 1)
    want = out.copy()
    want[:n] = total.astype(np.int32)[:n]
    return [Case("raw_pointers", (1, 1, 1), {"a": a, "n": ("i32", n), "out": out}, {"out": want})]


def signed(values, bits):
    """Python integers wrapped to two's complement."""
    half = 2 ** (bits - 1)
    return (values + half) % (2 * half) - half


def filler(rng, like):
    """Random bytes' worth of values shaped as `like`, for outputs before the launch."""
    return rng.integers(1, 100, np.shape(like)).astype(like.dtype)


# file name -> cases; the file name is also that of the kernel's source
def reductions(rng):
    a = rng.integers(-1000, 1000, (45, 61), dtype=np.int32)
    rows = np.zeros((48, 64), np.int32)
    rows[:45, :61] = a
    names = ("sums", "largest", "place")
    results = (rows.sum(1, dtype=np.int32), rows.max(1), rows.argmax(1).astype(np.int32))
    outputs = {name: filler(rng, np.zeros(45, np.int32)) for name in names}
    cases = [Case("row_statistics", (3, 1, 1), {"a": a, **outputs},
                  {name: result[:45] for name, result in zip(names, results)})]
    a = rng.integers(-50, 50, 5000).astype(np.float32)
    padded = np.zeros(6144, np.float32)
    padded[:5000] = a
    cases.append(Case("total", (3, 1, 1), {"a": a, "out": filler(rng, np.zeros(3, np.float32))},
                      {"out": padded.reshape(3, 2048).sum(1)}))
    a = rng.integers(-120, 120, (128, 8)).astype(np.float16)
    cases.append(Case("column_range", (1, 1, 1), {"a": a, "out": filler(rng, np.zeros(8, np.float16))},
                      {"out": a.max(0) - a.min(0)}))
    a = rng.integers(-1 << 40, 1 << 40, (64, 32), dtype=np.int64)
    cases.append(Case("running_sums", (1, 1, 1),
                      {"a": a, "forward": filler(rng, a), "backward": filler(rng, a)},
                      {"forward": a.cumsum(0), "backward": a[:, ::-1].cumsum(1)[:, ::-1].copy()}))
    factors, summands = rng.integers(-1 << 31, 1 << 31, (2, 1024), dtype=np.int64)
    # The first function is applied last.
    of_one, whole = np.zeros(1024, np.int32), (1, 0)
    for at, (factor, summand) in enumerate(zip(factors.tolist(), summands.tolist())):
        whole = (whole[0] * factor % (1 << 32), (whole[0] * summand + whole[1]) % (1 << 32))
        of_one[at] = (sum(whole) + (1 << 31)) % (1 << 32) - (1 << 31)
    arguments = {"factors": factors.astype(np.int32), "summands": summands.astype(np.int32),
                 "of_one": filler(rng, of_one), "whole": filler(rng, of_one[:1])}
    cases.append(Case("linear_functions", (1, 1, 1), arguments, {"of_one": of_one, "whole": of_one[-1:]}))
    return cases


def product(rng):
    a = rng.integers(-4, 5, (96, 144)).astype(np.float16)
    b = rng.integers(-4, 5, (144, 80)).astype(np.float16)
    want = a.astype(np.float32) @ b.astype(np.float32)
    return [Case("product", (2, 2, 1), {"a": a, "b": b, "out": filler(rng, want)}, {"out": want}, multiple=16)]


def attention(rng):
    # Scores are small integers, so that their powers of two and all sums are exact.
    queries = np.zeros((128, 64), np.float16)
    keys = np.zeros((192, 64), np.float16)
    queries[:, :2], keys[:, :2] = rng.integers(-1, 2, (128, 2)), rng.integers(-2, 3, (192, 2))
    values = rng.integers(-4, 5, (192, 64)).astype(np.float16)
    scores = queries.astype(np.float32) @ keys.astype(np.float32).T
    shares = np.exp2(scores - scores.max(1, keepdims=True)).astype(np.float32)
    want = shares @ values.astype(np.float32) / shares.sum(1, keepdims=True)
    arguments = {"queries": queries, "keys": keys, "values": values, "out": filler(rng, want)}
    return [Case("attention", (2, 1, 1), arguments, {"out": want}, multiple=16)]


CASES = {f.__name__: f for f in (
    vector_add, vector_add_2d, gather_scatter, saxpy, masked_copy, polynomial, loop_control, int_bits, casts,
    select_compare, transpose, reshape_broadcast, three_kernels, float_arithmetic, tail_pointers, raw_pointers, reductions,
    product, attention)}
# arguments given as a bare pointer instead of pointer, extents and strides
BARE_POINTERS = {"raw_pointers": ("a", "out")}
