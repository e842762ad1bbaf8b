"""Conversions between number types and pointers."""

import itertools

import gmpy2
import numpy as np

import elementwise
from elementwise import OVERFLOWS, ROUNDINGS, SIGNS, in_range, label, product, replacing, rounding, undefined_rows, whole
from formats import FLOATS, INTS, NUMPY, TYPES, U, context, decode, encode, is_nan, largest, mask, nan_code, rounded, signed, width
from kernels import Combo, tile


def conversion(op, source, target, attributes, choice, function, **more):
    """A combo of an op that changes the type of each element."""
    body = [f"%r = {op} %a{attributes} : {tile([elementwise.ELEMENTS], source)} -> {tile([elementwise.ELEMENTS], target)}"]
    name = label(f"{source} {target}", choice)
    return Combo(op, name, body, [((elementwise.ELEMENTS,), source)], [("r", (elementwise.ELEMENTS,), target)], lambda a: ([function(a)], None), **more)


def to_powers(values, mode):
    """To `f8E8M0FNU`, which has neither sign nor zero: the exponent, or the next one where there is a fraction."""
    with np.errstate(all="ignore"):
        fraction, exponent = np.frexp(np.where(np.isfinite(values), np.abs(values), 1))
    power = np.clip(exponent + 126 + ((fraction > 0.5) & (mode == "positive_inf")), 0, 254)
    power = np.where(np.isinf(values), 254, np.where(values == 0, 0, power))
    return np.where(np.isnan(values), 255, power).astype(U)


def to_float(source, target, mode, a):
    """`ftof`: rounded once; numbers beyond formats of 8 bits and less become the largest one."""
    values = decode(source, a)
    if target == "f8E8M0FNU":
        return to_powers(values, mode)
    small = width(target) <= 8
    if not FLOATS[target][0]:
        values = np.abs(values)
    codes = encode(target, np.where(np.isnan(values) & (target == "f4E2M1FN"), 6.0, rounded(target, values, mode, small)))
    if mode == "nearest_even" and target in NUMPY and source != "f64":
        # ml_dtypes and numpy must agree where they have the conversion; they do not saturate.
        dtype = NUMPY[target]
        with np.errstate(all="ignore"):
            theirs = values.astype(np.float32).astype(dtype).astype(np.float64)
        inside = np.abs(values) <= largest(target)
        assert (theirs[inside] == decode(target, codes)[inside]).all(), (source, target)
    return codes


def floats():
    """ftof, ftoi, itof."""
    for source, target in itertools.product(TYPES, TYPES):
        for mode in ["", *ROUNDINGS]:
            function = lambda a, s=source, t=target, m=mode: to_float(s, t, m or "nearest_even", a)
            yield conversion("ftof", source, target, rounding(mode), {"rounding": mode}, function)
        for choice in product(sign=SIGNS, rounding=["", *ROUNDINGS], saturating=[False, True]):
            attributes = f" {choice['sign']}{rounding(choice['rounding'])}" + " saturating" * choice["saturating"]

            def function(a, source=source, target=target, sign=choice["sign"]):
                bits = width(target)
                if target == "i1":
                    return (decode(source, a) != 0).astype(U)
                low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if sign == "signed" else (0, (1 << bits) - 1)
                clamp = lambda x: 0 if x != x else low if x <= low else high if x >= high else int(x)
                return np.array([clamp(x) & mask(target) for x in decode(source, a).tolist()], dtype=U)

            yield conversion("ftoi", source, target, attributes, choice, function)
        for choice in product(sign=SIGNS, rounding=["", *ROUNDINGS]):
            def function(a, source=source, target=target, sign=choice["sign"]):
                return from_integer(source, target, sign, a)

            yield conversion("itof", source, target, f" {choice['sign']}{rounding(choice['rounding'])}", choice, function)


def from_integer(source, target, sign, a):
    """`itof`: the nearest number; beyond the largest infinity, NaN where there is none, and the largest where neither is."""
    numbers = [signed(x, width(source)) if sign == "signed" else x for x in a.tolist()]
    if not FLOATS[target][0]:
        numbers = [abs(x) for x in numbers]
    if target in ("f16", "bf16", "tf32", "f32", "f64"):
        gmpy2.set_context(context(target, "nearest_even"))
        return encode(target, np.array([float(gmpy2.mpfr(gmpy2.mpz(x))) for x in numbers]))
    # Rounding to odd in f64 first keeps what the second rounding needs.
    gmpy2.set_context(gmpy2.context(precision=53, round=gmpy2.RoundToZero))
    cut = [gmpy2.mpfr(gmpy2.mpz(x)) for x in numbers]
    odd = []
    for x, near in zip(numbers, cut):
        value = float(near)
        if gmpy2.mpz(near) != x and int(np.float64(value).view(U)) % 2 == 0:
            value = float(np.nextafter(value, np.copysign(np.inf, value)))
        odd.append(value)
    values = rounded(target, np.array(odd), "nearest_even", False)
    beyond = np.isinf(values)
    if FLOATS[target][3] != "ieee":
        nan = nan_code(target)
        values = np.where(beyond, np.copysign(largest(target), values) if nan is None else np.nan, values)
    return encode(target, values)


def widths():
    """exti, trunci, bitcast, pack, unpack."""
    for source, target in itertools.product(TYPES, TYPES):
        for sign in SIGNS:
            def widened(a, source=source, target=target, sign=sign):
                bits = width(source)
                return np.array([(signed(x, bits) if sign == "signed" else x) & mask(target) for x in a.tolist()], dtype=U)

            yield conversion("exti", source, target, f" {sign}", {"sign": sign}, widened)
        for overflow in ["", *OVERFLOWS]:
            kinds = {"no_signed_wrap": ["signed"], "no_unsigned_wrap": ["unsigned"], "no_wrap": SIGNS}.get(overflow, [])

            def fits(a, source=source, target=target, kinds=kinds):
                return all(in_range(signed(a, width(source)) if kind == "signed" else a, width(target), kind) for kind in kinds)

            attributes = f" overflow<{overflow}>" if overflow else ""
            candidates = [(1 << width(target),), (mask(target),), (1 << width(target) - 1,)]
            yield conversion("trunci", source, target, attributes, {"overflow": overflow}, lambda a, t=target: a & U(mask(t)),
                             draw=replacing(fits, (0,)), faults=undefined_rows(source, fits, candidates, "E0823"))
        yield conversion("bitcast", source, target, "", {}, lambda a: a)
        yield from packing(source, target)


def memory_bits(ty):
    """The bits of a number among packed ones."""
    return 32 if ty == "tf32" else width(ty)


def packing(source, target):
    """`pack` to `target`, `unpack` from `source`."""

    def join(a, source=source):
        shift = 13 if source == "tf32" else 0
        bits = "".join(format(x << shift, f"0{memory_bits(source)}b")[::-1] for x in a.tolist())
        return np.array([int(bits[i : i + 8][::-1], 2) for i in range(0, len(bits), 8)], dtype=U)

    def split(a, target=target):
        size, shift = memory_bits(target), 13 if target == "tf32" else 0
        bits = "".join(format(x, "08b")[::-1] for x in a.tolist())
        return np.array([int(bits[i : i + size][::-1], 2) >> shift for i in range(0, len(bits), size)], dtype=U)

    for op, function in (("pack", join), ("unpack", split)):
        count = elementwise.ELEMENTS * memory_bits(source) // memory_bits(target)
        body = [f"%r = {op} %a : {tile([elementwise.ELEMENTS], source)} -> {tile([count], target)}"]
        yield Combo(op, f"{source} {target}", body, [((elementwise.ELEMENTS,), source)], [("r", (count,), target)],
                    lambda a, f=function: ([f(a)], None))


def pointers():
    """int_to_ptr, ptr_to_int, ptr_to_ptr, offset."""
    ints, shape = tile([elementwise.ELEMENTS], "i64"), (elementwise.ELEMENTS,)
    for ty in TYPES:
        ptrs = tile([elementwise.ELEMENTS], f"ptr<{ty}>")
        there = f"%p = int_to_ptr %a : {ints} -> {ptrs}"
        back = f"%r = ptr_to_int %p : {ptrs} -> {ints}"
        for op in ("int_to_ptr", "ptr_to_int"):
            yield Combo(op, f"ptr<{ty}>", [there, back], [(shape, "i64")], [("r", shape, "i64")], lambda a: ([a], None))
        for other in TYPES:
            others = tile([elementwise.ELEMENTS], f"ptr<{other}>")
            body = [there, f"%q = ptr_to_ptr %p : {ptrs} -> {others}", f"%r = ptr_to_int %q : {others} -> {ints}"]
            yield Combo("ptr_to_ptr", f"ptr<{ty}> ptr<{other}>", body, [(shape, "i64")], [("r", shape, "i64")], lambda a: ([a], None))
        size = max(1, memory_bits(ty) // 8)
        for step in TYPES:
            body = [there, f"%q = offset %p, %b : {ptrs}, {tile([elementwise.ELEMENTS], step)} -> {ptrs}", f"%r = ptr_to_int %q : {ptrs} -> {ints}"]

            def fits(a, b, size=size, step=step):
                by = signed(b, width(step)) * size
                return in_range(by, 64, "signed") and in_range(a + by, 64, "unsigned")

            def moved(a, b, size=size, step=step):
                rows = zip(a.tolist(), b.tolist())
                return [np.array([(x + signed(n, width(step)) * size) & mask("i64") for x, n in rows], dtype=U)], None

            candidates = [(0, mask(step)), (mask("i64"), 1), (1 << 40, mask(step) >> 1)]
            faults = [(row, "E0811") for row in candidates if not fits(*row)][:2]
            yield Combo("offset", f"ptr<{ty}> {step}", body, [(shape, "i64"), (shape, step)], [("r", shape, "i64")], moved,
                        draw=replacing(fits, (0, 0)), faults=faults)


ALL = [floats, widths, pointers]
