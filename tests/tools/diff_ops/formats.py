"""The number types of the language, from their definition: codes as unsigned integers, values as f64 or exact numbers."""

import gmpy2
import ml_dtypes
import numpy as np

INTS = {"i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
# signed, bits of exponent, bits of fraction, what the largest exponent means
FLOATS = {
    "f16": (True, 5, 10, "ieee"),
    "bf16": (True, 8, 7, "ieee"),
    "tf32": (True, 8, 10, "ieee"),
    "f32": (True, 8, 23, "ieee"),
    "f64": (True, 11, 52, "ieee"),
    "f8E4M3FN": (True, 4, 3, "one nan"),
    "f8E5M2": (True, 5, 2, "ieee"),
    "f8E8M0FNU": (False, 8, 0, "powers"),
    "f4E2M1FN": (True, 2, 1, "numbers"),
    "fnv8E5M3FNU": (False, 5, 3, "one nan"),
}
TYPES = [*INTS, *FLOATS]
NUMPY = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
}
DIRECTIONS = {
    "nearest_even": gmpy2.RoundToNearest,
    "zero": gmpy2.RoundToZero,
    "negative_inf": gmpy2.RoundDown,
    "positive_inf": gmpy2.RoundUp,
}
U = np.uint64


def width(ty):
    """The bits of a number."""
    if ty in INTS:
        return INTS[ty]
    signed, exponent, fraction, _ = FLOATS[ty]
    return signed + exponent + fraction


def mask(ty):
    """All bits of a number set."""
    return (1 << width(ty)) - 1


def bias(ty):
    """What an exponent field is above its exponent."""
    return (1 << (FLOATS[ty][1] - 1)) - 1


def nan_code(ty):
    """The NaN that ops produce; None where there is none."""
    signed, exponent, fraction, specials = FLOATS[ty]
    if specials == "numbers":
        return None
    return 0x7FF8 << 48 if ty == "f64" else (1 << (exponent + fraction)) - 1


def largest(ty):
    """The largest finite number."""
    _, exponent, fraction, specials = FLOATS[ty]
    codes = (1 << (exponent + fraction)) - 1
    code = {"ieee": ((1 << exponent) - 1 << fraction) - 1, "numbers": codes}.get(specials, codes - 1)
    return float(decode(ty, np.array([code], dtype=U))[0])


def signed(value, bits):
    """An integer's bits read as two's complement."""
    return value - (1 << bits) if value >> (bits - 1) else value


def decode(ty, codes):
    """Values of codes of a float type as f64, which holds all of them."""
    codes = codes.astype(U)
    if ty == "f64":
        return codes.view(np.float64).copy()
    is_signed, exponent, fraction, specials = FLOATS[ty]
    field = (codes >> U(fraction)) & U((1 << exponent) - 1)
    low = (codes & U((1 << fraction) - 1)).astype(np.float64)
    whole = 2.0**fraction
    power = field.astype(np.int64) - bias(ty) - fraction
    values = np.where(field > 0, np.ldexp(low + whole, power), np.ldexp(low, 1 - bias(ty) - fraction))
    if specials == "powers":
        values = np.ldexp(1.0, power)
    if specials == "ieee":
        top = field == (1 << exponent) - 1
        values = np.where(top, np.where(low == 0, np.inf, np.nan), values)
    elif specials != "numbers":
        values = np.where(codes & U((1 << (exponent + fraction)) - 1) == nan_code(ty), np.nan, values)
    if is_signed:
        negative = (codes >> U(exponent + fraction)) & U(1) == 1
        values = np.where(negative, -values, values)
    return values


def encode(ty, values):
    """Codes of values that the type holds; a NaN is the one that ops produce."""
    values = np.asarray(values, dtype=np.float64)
    if ty == "f64":
        codes = values.copy().view(U)
        codes[np.isnan(values)] = nan_code(ty)
        return codes
    is_signed, exponent, fraction, specials = FLOATS[ty]
    magnitude = np.abs(np.where(np.isfinite(values), values, 1.0))
    _, power = np.frexp(magnitude)
    power = np.maximum(power - 1, 1 - bias(ty))
    if specials == "powers":
        codes = (power + bias(ty)).astype(U)
        codes = np.where(magnitude == 2.0**-127, U(0), codes)
    else:
        quanta = np.ldexp(magnitude, fraction - power).astype(np.int64)
        normal = quanta >= 1 << fraction
        codes = np.where(normal, (power + bias(ty) << fraction) + quanta - (1 << fraction), quanta).astype(U)
    if specials == "ieee":
        codes[np.isinf(values)] = U((1 << exponent) - 1 << fraction)
    if nan_code(ty) is not None:
        codes[np.isnan(values)] = U(nan_code(ty))
    if is_signed:
        codes |= (np.signbit(values) & ~np.isnan(values)).astype(U) << U(exponent + fraction)
    return codes


def is_nan(ty, codes):
    """Which codes are NaN."""
    return np.isnan(decode(ty, codes)) if ty in FLOATS else np.zeros(len(codes), dtype=bool)


def rounded(ty, values, mode, saturate):
    """Finite f64 values, exact, as numbers of a type; what overflows is saturated or follows IEEE 754."""
    _, _, fraction, specials = FLOATS[ty]
    if ty == "f64":
        return values.copy()
    result = values.copy()
    finite = np.isfinite(values)
    magnitude = np.abs(np.where(finite, values, 0.0))
    _, power = np.frexp(magnitude)
    quantum = np.maximum(power - 1, 1 - bias(ty)) - fraction
    quanta = np.ldexp(magnitude, -quantum)
    down = np.floor(quanta)
    rest = quanta - down
    negative = np.signbit(values)
    up = {
        "nearest_even": (rest > 0.5) | ((rest == 0.5) & (down % 2 == 1)),
        "nearest_away": rest >= 0.5,
        "zero": np.zeros(len(values), dtype=bool),
        "negative_inf": (rest > 0) & negative,
        "positive_inf": (rest > 0) & ~negative,
    }[mode]
    number = np.ldexp(down + up, quantum)
    most = largest(ty)
    to_infinity = {"zero": False, "negative_inf": negative, "positive_inf": ~negative}.get(mode, True)
    beyond = most if saturate else np.where(to_infinity, np.inf, most)
    number = np.where(number > most, beyond, number)
    number = np.where(np.isinf(values), most if saturate else np.inf, number)
    result = np.where(np.isnan(values), np.nan, np.copysign(number, values))
    return result


def context(ty, mode):
    """MPFR as a format: its precision, exponents, subnormal numbers and direction."""
    _, _, fraction, _ = FLOATS[ty]
    least = 2 - bias(ty) - fraction
    return gmpy2.context(precision=fraction + 1, emin=least, emax=bias(ty) + 1, subnormalize=True, round=DIRECTIONS[mode])


def by_mpfr(function, ty, mode, columns):
    """A function of MPFR on columns of values, rounded once."""
    gmpy2.set_context(context(ty, mode))
    number = gmpy2.mpfr
    rows = zip(*(column.tolist() for column in columns))
    return np.array([float(function(*map(number, row))) for row in rows], dtype=np.float64)


def random_codes(rng, ty, count):
    """Codes: any; for floats near 1, of few bits, near the smallest; for integers of few bits, and the extremes."""
    bits = width(ty)
    anything = rng.integers(0, 1 << 63, count, dtype=U) * U(2) + rng.integers(0, 2, count, dtype=U)
    anything &= U(mask(ty))
    kind = rng.integers(0, 6, count)
    if ty in INTS:
        few = anything >> rng.integers(0, bits, count).astype(U)
        top = U(1 << (bits - 1))
        extremes = np.array([0, 1, mask(ty), int(top), int(top) - 1, 2], dtype=U)[rng.integers(0, 6, count)] & U(mask(ty))
        return np.choose(kind, [anything, anything, few, few, few, extremes])
    if bits <= 8:
        return anything
    _, exponent, fraction, _ = FLOATS[ty]
    sign = anything & U(1 << (bits - 1))
    leading = U(1 << fraction)
    one = U(bias(ty) << fraction)
    near_one = (one - leading * U(6) + anything % (leading * U(12))) | sign
    few_bits = anything & ~((leading - U(1)) >> U(3))
    tiny = anything % (leading * U(4)) | sign
    top = U((1 << exponent) - 1 << fraction)
    extremes = np.array([0, 1, int(leading), int(top), int(top) - 1, int(top) + 1, int(one)], dtype=U)
    extremes = extremes[rng.integers(0, 7, count)] | sign
    return np.choose(kind, [anything, near_one, near_one, few_bits, tiny, extremes])


def check():
    """Compares the definitions with numpy and ml_dtypes: every code of 16 bits or less."""
    for ty, dtype in NUMPY.items():
        if width(ty) > 16:
            continue
        codes = np.arange(1 << width(ty), dtype=U)
        with np.errstate(invalid="ignore"):
            theirs = codes.astype(np.uint16 if width(ty) == 16 else np.uint8).view(dtype).astype(np.float64)
        ours = decode(ty, codes)
        same = (ours == theirs) & (np.signbit(ours) == np.signbit(theirs)) | np.isnan(ours) & np.isnan(theirs)
        assert same.all(), ty
        back = encode(ty, ours)
        assert ((back == codes) | np.isnan(ours)).all(), ty


check()
