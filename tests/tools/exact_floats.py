"""Float arithmetic rounded once, computed with fractions: what an IEEE unit must give, for any element type and mode."""

import math
from fractions import Fraction

import ml_dtypes
import numpy as np

# significant bits, least exponent of a normal number
FORMATS = {"f16": (11, -14), "bf16": (8, -126), "f32": (24, -126), "f64": (53, -1022)}
NUMPY = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}


def round_fraction(value, format_name, mode="nearest"):
    """`value` as the nearest number of the format (`nearest`, ties to even), or cut to `zero`, `down` or `up`."""
    precision, least = FORMATS[format_name]
    if value == 0:
        return 0.0
    magnitude = abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** exponent > magnitude:
        exponent -= 1
    unit = Fraction(2) ** (max(exponent, least) - precision + 1)
    scaled = value / unit
    whole = {"nearest": round, "zero": math.trunc, "down": math.floor, "up": math.ceil}[mode](scaled)
    return float(whole * unit)


def _each(function, format_name, mode, *arrays):
    rows = zip(*(np.asarray(a, dtype=np.float64).ravel().tolist() for a in arrays))
    out = [round_fraction(function(*(Fraction(x) for x in row)), format_name, mode) for row in rows]
    return np.array(out).astype(NUMPY[format_name]).reshape(np.shape(arrays[0]))


def add(a, b, format_name, mode="nearest"):
    """a + b, rounded once."""
    return _each(lambda x, y: x + y, format_name, mode, a, b)


def sub(a, b, format_name, mode="nearest"):
    """a - b, rounded once."""
    return _each(lambda x, y: x - y, format_name, mode, a, b)


def mul(a, b, format_name, mode="nearest"):
    """a * b, rounded once."""
    return _each(lambda x, y: x * y, format_name, mode, a, b)


def div(a, b, format_name, mode="nearest"):
    """a / b, rounded once; no divisor is zero."""
    return _each(lambda x, y: x / y, format_name, mode, a, b)


def fma(a, b, c, format_name, mode="nearest"):
    """a * b + c, rounded once."""
    return _each(lambda x, y, z: x * y + z, format_name, mode, a, b, c)
