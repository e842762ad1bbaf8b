"""Computes the tables of `passes/src/llvm/expand_math/tables.rs` and prints that file.

    python3 -m pip install mpmath
    python3 tests/tools/fit_polynomials.py > passes/src/llvm/expand_math/tables.rs

Each polynomial P(z) is the minimax approximation (Remez' exchange algorithm) of a function g(z) under a weight w(z),
so that |P - g| * w is the relative error of the function that is built from it. Coefficients are rounded to the type
one after the other, from the constant term up, and those after it are fitted again each time.
"""

from mpmath import (
    mp, mpf, matrix, lu_solve, cos, pi, sin, exp, log, sqrt, sinh, tanh, atan, factorial, floor, ldexp,
)

mp.prec = 240
POINTS = 400


def rounded(x, bits):
    """`x` rounded to nearest with this many bits."""
    if x == 0:
        return mpf(0)
    e = int(floor(log(abs(x), 2)))
    return ldexp(mp.nint(ldexp(x, bits - 1 - e)), e + 1 - bits)


def remez(g, w, lo, hi, n, skip):
    """Coefficients of z^skip * (a polynomial of n terms) that approximates g; g and w are tables on the grid."""
    grid = [lo + (hi - lo) * (1 - cos(pi * (i + mpf(1) / 2) / POINTS)) / 2 for i in range(POINTS)]
    gs, ws = [g(z) for z in grid], [w(z) for z in grid]
    at = [int(round(float((1 - cos(pi * i / n)) / 2 * (POINTS - 1)))) for i in range(n + 1)]
    best = None
    for _ in range(30):
        rows = matrix(n + 1, n + 1)
        right = matrix(n + 1, 1)
        for r, i in enumerate(at):
            z = grid[i]
            for k in range(n):
                rows[r, k] = z ** (k + skip)
            rows[r, n] = (-1) ** r / ws[i]
            right[r] = gs[i]
        solved = lu_solve(rows, right)
        c = [solved[k] for k in range(n)]
        errors = []
        for z, value, weight in zip(grid, gs, ws):
            p = mpf(0)
            for a in reversed(c):
                p = p * z + a
            errors.append((p * z ** skip - value) * weight)
        best = c, max(abs(e) for e in errors)
        # One extremum in each run of equal sign.
        extrema, start = [], 0
        for i in range(1, POINTS + 1):
            if i == POINTS or (errors[i] > 0) != (errors[start] > 0):
                extrema.append(max(range(start, i), key=lambda j: abs(errors[j])))
                start = i
        while len(extrema) > n + 1:
            extrema.pop(0 if abs(errors[extrema[0]]) < abs(errors[extrema[-1]]) else -1)
        if len(extrema) < n + 1 or extrema == at:
            break
        at = extrema
    return best


def fit(g, w, lo, hi, n, bits):
    """The rounded coefficients, and the logarithm of the error."""
    lo, hi = mpf(lo), mpf(hi)
    done = []
    # Refitting matters for the first terms, whose rounding is worst.
    for k in range(min(n, 4)):
        known = list(done)
        rest = lambda z: g(z) - sum(a * z ** i for i, a in enumerate(known))
        c, _ = remez(rest, w, lo, hi, n - k, k)
        done.append(rounded(c[0], bits))
        tail = c[1:]
    done += [rounded(a, bits) for a in tail]
    worst = mpf(0)
    for i in range(2000):
        z = lo + (hi - lo) * i / 1999
        worst = max(worst, abs(sum(a * z ** k for k, a in enumerate(done)) - g(z)) * w(z))
    return done, float(log(worst, 2))


def series(z, terms):
    """A power series, for arguments so small that the closed form would cancel."""
    return sum(a * z ** i for i, a in enumerate(terms))


def near_zero(closed, terms):
    return lambda z: series(z, terms) if abs(z) < mpf(2) ** -20 else closed(z)


LN2 = log(mpf(2))
HALF = LN2 / 2 * (1 + mpf(2) ** -10)
S = (sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1)
Z = S * S * (1 + mpf(2) ** -10)
Q = pi / 4 * (1 + mpf(2) ** -10)


def odd(f, terms):
    """(f(x) - x) / x^3 as a function of z = x^2."""
    return near_zero(lambda z: (f(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3, terms)


G = {
    "EXP": (
        "`(e^r - 1 - r) / r^2` for |r| up to ln(2) / 2.",
        near_zero(lambda r: (exp(r) - 1 - r) / r ** 2, [1 / factorial(k + 2) for k in range(8)]),
        lambda r: r ** 2 / exp(r) + mpf(2) ** -40, -HALF, HALF, (5, 11),
    ),
    "EXP2": (
        "`(2^r - 1) / r` for |r| up to 1 / 2.",
        near_zero(lambda r: (2 ** r - 1) / r, [LN2 ** (k + 1) / factorial(k + 1) for k in range(8)]),
        lambda r: abs(r) / 2 ** r + mpf(2) ** -40, mpf(-1) / 2, mpf(1) / 2, (None, 12),
    ),
    "LOG": (
        "`(log((1 + s) / (1 - s)) / s - 2) / z`, z = s^2, for the significands from sqrt(1/2) to sqrt(2).",
        near_zero(
            lambda z: (log((1 + sqrt(z)) / (1 - sqrt(z))) / sqrt(z) - 2) / z,
            [mpf(2) / (2 * k + 3) for k in range(12)],
        ),
        lambda z: z / 2 + mpf(2) ** -40, 0, Z, (None, 7),
    ),
    "LOG_TAIL": (
        "`(log((1 + s) / (1 - s)) / s - 2 - 2 z / 3) / z^2`, z = s^2, on the same interval.",
        near_zero(
            lambda z: (log((1 + sqrt(z)) / (1 - sqrt(z))) / sqrt(z) - 2 - 2 * z / 3) / z ** 2,
            [mpf(2) / (2 * k + 5) for k in range(12)],
        ),
        lambda z: z ** 2 / 2 + mpf(2) ** -40, 0, Z, (4, 9),
    ),
    "SIN": (
        "`(sin(r) - r) / r^3`, z = r^2, for r up to pi / 4.",
        odd(sin, [(-1) ** (k + 1) / factorial(2 * k + 3) for k in range(12)]),
        lambda z: z + mpf(2) ** -40, 0, Q * Q, (None, 6),
    ),
    "COS": (
        "`(cos(r) - 1 + z / 2) / z^2`, z = r^2, for r up to pi / 4.",
        near_zero(
            lambda z: (cos(sqrt(z)) - 1 + z / 2) / z ** 2,
            [(-1) ** k / factorial(2 * k + 4) for k in range(12)],
        ),
        lambda z: z ** 2 + mpf(2) ** -40, 0, Q * Q, (None, 6),
    ),
    "SINH": (
        "`(sinh(x) - x) / x^3`, z = x^2, for x up to 1.",
        odd(sinh, [1 / factorial(2 * k + 3) for k in range(12)]),
        lambda z: z + mpf(2) ** -40, 0, 1, (None, 8),
    ),
    "TANH": (
        "`(tanh(x) - x) / x^3`, z = x^2, for x up to 0.55.",
        odd(tanh, [mpf(-1) / 3, mpf(2) / 15, mpf(-17) / 315, mpf(62) / 2835]),
        lambda z: z + mpf(2) ** -40, 0, mpf("0.3026"), (None, 11),
    ),
    "ATAN": (
        "`(atan(q) - q) / q^3`, z = q^2, for q up to 1.",
        odd(atan, [(-1) ** (k + 1) / mpf(2 * k + 3) for k in range(12)]),
        lambda z: z + mpf(2) ** -40, 0, 1, (10, 22),
    ),
}

HEADER = '''\
//! Polynomials and constants of the expansions.
//!
//! `tests/tools/fit_polynomials.py` computes and prints this file. A polynomial, lowest power first, is the minimax
//! approximation of the function that its comment names, by Remez' exchange algorithm in 240-bit arithmetic, with its
//! coefficients rounded to the type; the error is the greatest relative one of the function that is built from it,
//! before rounding errors. A constant is a sum of numbers of the type.

#![allow(clippy::approx_constant, reason = "parts of constants, as numbers of two types")]

/// Numbers for each type that functions are computed in.
pub(super) struct Table {
    pub(super) f32: &'static [f64],
    pub(super) f64: &'static [f64],
}
'''

# The words of a constant, and the number of bits of each, in f32 and in f64.
CONSTANTS = {
    "LN2": ("The natural logarithm of 2.", LN2, ((24, 24), (53, 53))),
    "LN2_SHORT": (
        "The natural logarithm of 2; the product of the first part and an exponent is exact.",
        LN2, ((16, 24), (42, 53)),
    ),
    "LOG2_E": ("The logarithm of e to base 2.", 1 / LN2, ((24, 24), (53, 53))),
    "TWO_THIRDS": ("2 / 3.", mpf(2) / 3, ((24, 24), (53, 53))),
    "HALF_PI": ("Half of pi.", pi / 2, ((24, 24, 24), (53, 53, 53))),
    "TWO_OVER_PI": ("2 / pi.", 2 / pi, ((24,), (53,))),
}


def parts(x, widths):
    for bits in widths:
        part = rounded(x, bits)
        x -= part
        yield repr(float(part))


def table(name, doc, columns):
    print("".join(f"\n/// {line}" for line in doc))
    print(f"pub(super) const {name}: Table = Table {{")
    for ty, column in zip(("f32", "f64"), columns):
        print(f"    {ty}: &[{', '.join(column)}],")
    print("};")


def doubles(name, doc, column):
    """A table of f64 alone: f32 has the polynomials of `single.rs`."""
    print("".join(f"\n/// {line}" for line in doc))
    print(f"pub(super) const {name}: &[f64] = &[{', '.join(column)}];")


def main():
    print(HEADER, end="")
    for name, (doc, x, widths) in CONSTANTS.items():
        table(name, [doc], [list(parts(x, each)) for each in widths])
    print("\n/// The first bits of 2 / pi after the point, 64 in each word.")
    mp.prec = 1300
    words = ", ".join(hex(int(floor(ldexp(2 / pi, 64 * (i + 1)))) % 2**64) for i in range(18))
    mp.prec = 240
    print(f"pub(super) const TWO_OVER_PI_BITS: [u64; 18] = [{words}];")
    for name, (doc, g, w, lo, hi, counts) in G.items():
        columns, errors = [], []
        for count, bits in zip(counts, (24, 53)):
            if count is None:
                continue
            c, error = fit(g, w, lo, hi, count, bits)
            columns.append([repr(float(a)) for a in c])
            errors.append(error)
        if len(columns) == 1:
            doubles(name, [doc, f"Error: 2^{errors[0]:.1f}."], columns[0])
        else:
            table(name, [doc, f"Error: 2^{errors[0]:.1f} in `f32`, 2^{errors[1]:.1f} in `f64`."], columns)


main()
