"""Ops that work on each element alone, and what they give."""

import itertools

import numpy as np

from formats import (
    DIRECTIONS, FLOATS, INTS, NUMPY, TYPES, U, by_mpfr, context, decode, encode, is_nan, mask, nan_code, signed, width,
)
import gmpy2

from kernels import Combo, tile

ROUNDINGS = ["nearest_even", "zero", "negative_inf", "positive_inf", "approx", "full", "nearest_int_to_zero", "nearest_away"]
PREDICATES = ["equal", "not_equal", "less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal"]
OVERFLOWS = ["none", "no_signed_wrap", "no_unsigned_wrap", "no_wrap"]
SIGNS = ["signed", "unsigned"]
ELEMENTS = 256


def rounding(mode):
    """The attribute as text; "" leaves it out."""
    return f" rounding<{mode}>" if mode else ""


def flag(word, given):
    """An attribute that is there or not."""
    return f" {word}" if given else ""


def product(**choices):
    """Every combination of choices, as dictionaries."""
    return [dict(zip(choices, row)) for row in itertools.product(*choices.values())]


def label(ty, choice):
    """What a combination is called."""
    words = [f"{k}={v}" if isinstance(v, bool) else str(v) for k, v in choice.items() if v not in ("", False)]
    return " ".join([ty, *words])


def subnormal_flushed(codes):
    """Codes of f32 without subnormal numbers."""
    return np.where(codes & U(0x7F800000) == 0, codes & U(0x80000000), codes)


def flushing(function, given):
    """A function of f32 with flushed operands and result."""
    if not given:
        return function
    return lambda *columns: subnormal_flushed(function(*map(subnormal_flushed, columns)))


MPFR = {
    "addf": lambda x, y: x + y, "subf": lambda x, y: x - y, "mulf": lambda x, y: x * y, "divf": lambda x, y: x / y,
    "fma": gmpy2.fma, "sqrt": gmpy2.sqrt,
}
HOST = {"addf": np.add, "subf": np.subtract, "mulf": np.multiply, "divf": np.divide, "sqrt": np.sqrt}
FUNCTIONS = {
    "exp": (1, gmpy2.exp), "exp2": (1, gmpy2.exp2), "log": (1, gmpy2.log), "log2": (1, gmpy2.log2),
    "sin": (1, gmpy2.sin), "cos": (1, gmpy2.cos), "tan": (1, gmpy2.tan), "sinh": (1, gmpy2.sinh),
    "cosh": (1, gmpy2.cosh), "tanh": (1, gmpy2.tanh), "atan2": (2, gmpy2.atan2), "fpowf": (2, lambda x, y: x**y),
}


def by_host(op, ty, columns):
    """numpy or ml_dtypes in the type itself, to nearest."""
    word = {16: np.uint16, 32: np.uint32, 64: np.uint64}[width(ty)]
    with np.errstate(all="ignore"):
        result = HOST[op](*(c.astype(word).view(NUMPY[ty]) for c in columns)).astype(NUMPY[ty])
    codes = np.ascontiguousarray(result).view(word).astype(U)
    codes[is_nan(ty, codes)] = nan_code(ty)
    return codes


def arithmetic(op, ty, mode):
    """A rounded op on codes: numpy's to nearest where it has it, MPFR's otherwise."""
    if mode in ("", "nearest_even", "approx", "full") and op in HOST:
        return lambda *columns: by_host(op, ty, columns)
    direction = mode or "nearest_even"
    return lambda *columns: encode(ty, by_mpfr(MPFR[op], ty, direction, [decode(ty, c) for c in columns]))


def quotient_approx(function):
    """`divf` with `approx`: for divisors beyond 2^126 a zero, or NaN if the dividend is infinite."""

    def special(a, b):
        result = function(a, b)
        x, y = decode("f32", a), decode("f32", b)
        huge = (np.abs(y) > 2.0**126) & np.isfinite(y)
        result = np.where(huge & np.isfinite(x), (a ^ b) & U(0x80000000), result)
        return np.where(huge & np.isinf(x), U(nan_code("f32")), result)

    return special


def extremum(op, ty, propagate):
    """maxf, minf."""

    def function(a, b):
        x, y = decode(ty, a), decode(ty, b)
        less = (x < y) | (x == y) & np.signbit(x) & ~np.signbit(y)
        result = np.where(less == (op == "maxf"), b, a)
        result = np.where((x == y) & (a == b), a, result)
        nan = U(nan_code(ty))
        either, both = np.isnan(x) | np.isnan(y), np.isnan(x) & np.isnan(y)
        if propagate:
            return np.where(either, nan, result)
        return np.where(both, nan, np.where(np.isnan(x), b, np.where(np.isnan(y), a, result)))

    return function


def compare(predicate, x, y):
    """numpy's comparison."""
    names = dict(zip(PREDICATES, [np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal]))
    with np.errstate(invalid="ignore"):
        return names[predicate](x, y)


def elementwise(op, text, types, result, choice, function, **more):
    """A combo of an op on tiles of these types; `types` has one more than `inputs` if the result is another."""
    inputs = [((ELEMENTS,), ty) for ty in types]
    names = dict(zip("abc", (f"%{n}" for n in "abc")))
    body = [f"%r = {op} " + text.format(**names)]
    return Combo(op, label(" ".join(dict.fromkeys([*types, result])), choice), body, inputs, [("r", (ELEMENTS,), result)],
                 lambda *columns: ([function(*columns)], None), **more)


def floats():
    """Ops on floats."""
    for op, ty in itertools.product(["addf", "subf", "mulf", "divf", "sqrt", "fma"], TYPES):
        arity = {"sqrt": 1, "fma": 3}.get(op, 2)
        for choice in product(rounding=["", *ROUNDINGS], ftz=[False, True]):
            function = None
            if ty in FLOATS:
                function = arithmetic(op, ty, choice["rounding"])
                if op == "divf" and choice["rounding"] == "approx":
                    function = quotient_approx(function)
                function = flushing(function, choice["ftz"])
            operands = ", ".join(f"{{{n}}}" for n in "abc"[:arity])
            text = operands + rounding(choice["rounding"]) + flag("flush_to_zero", choice["ftz"]) + f" : {tile([ELEMENTS], ty)}"
            yield elementwise(op, text, [ty] * arity, ty, choice, function)
    for op, ty in itertools.product(["maxf", "minf"], TYPES):
        for choice in product(ftz=[False, True], propagate_nan=[False, True]):
            function = flushing(extremum(op, ty, choice["propagate_nan"]), choice["ftz"])
            text = "{a}, {b}" + flag("flush_to_zero", choice["ftz"]) + flag("propagate_nan", choice["propagate_nan"])
            yield elementwise(op, f"{text} : {tile([ELEMENTS], ty)}", [ty, ty], ty, choice, function)
    for op, ty in itertools.product(["absf", "negf", "ceil", "floor", "remf"], TYPES):
        sign = U(mask(ty) ^ mask(ty) >> 1)
        function = {
            "absf": lambda a, sign=sign: a & ~sign,
            "negf": lambda a, sign=sign: a ^ sign,
            "ceil": lambda a, ty=ty: encode(ty, np.ceil(decode(ty, a))),
            "floor": lambda a, ty=ty: encode(ty, np.floor(decode(ty, a))),
            "remf": lambda a, b, ty=ty: remainder(ty, a, b),
        }[op]
        operands = ["{a}", "{b}"][: 1 + (op == "remf")]
        yield elementwise(op, f"{', '.join(operands)} : {tile([ELEMENTS], ty)}", [ty] * len(operands), ty, {}, function)
    for ty in TYPES:
        for choice in product(ftz=[False, True]):
            text = "{a}" + flag("flush_to_zero", choice["ftz"]) + f" : {tile([ELEMENTS], ty)}"
            yield elementwise("rsqrt", text, [ty], ty, choice, flushing(lambda a, ty=ty: root(ty, a), choice["ftz"]))
    for ty in TYPES:
        for choice in product(predicate=PREDICATES, ordering=["ordered", "unordered"]):
            def function(a, b, ty=ty, choice=choice):
                x, y = decode(ty, a), decode(ty, b)
                nan = np.isnan(x) | np.isnan(y)
                return np.where(nan, choice["ordering"] == "unordered", compare(choice["predicate"], x, y)).astype(U)

            text = f"{choice['predicate']} {choice['ordering']} {{a}}, {{b}} : {tile([ELEMENTS], ty)} -> {tile([ELEMENTS], 'i1')}"
            yield elementwise("cmpf", text, [ty, ty], "i1", choice, function)


def remainder(ty, a, b):
    """C's fmod, exactly, by MPFR."""
    return encode(ty, by_mpfr(gmpy2.fmod, ty, "nearest_even", [decode(ty, a), decode(ty, b)]))


def root(ty, a):
    """One over the root; of -0 it is negative infinity."""
    codes = encode(ty, by_mpfr(gmpy2.rec_sqrt, ty, "nearest_even", [decode(ty, a)]))
    zero = decode(ty, a) == 0
    infinity = encode(ty, np.copysign(np.inf, decode(ty, a)))
    return np.where(zero, infinity, codes)


def functions():
    """Exponentials and the like: at most one code from the correctly rounded result."""
    for (op, (arity, exact)), ty in itertools.product(FUNCTIONS.items(), TYPES):
        choices = {"exp": product(rounding=["", *ROUNDINGS]), "tanh": product(rounding=["", *ROUNDINGS]),
                   "exp2": product(ftz=[False, True])}.get(op, [{}])
        for choice in choices:
            def function(*columns, ty=ty, exact=exact):
                return encode(ty, by_mpfr(exact, ty, "nearest_even", [decode(ty, c) for c in columns]))

            text = ", ".join(f"{{{n}}}" for n in "ab"[:arity]) + rounding(choice.get("rounding"))
            text += flag("flush_to_zero", choice.get("ftz")) + f" : {tile([ELEMENTS], ty)}"
            yield elementwise(op, text, [ty] * arity, ty, choice, flushing(function, choice.get("ftz")), slack=1)
    for ty, power in itertools.product(TYPES, TYPES):
        def function(a, n, ty=ty, power=power):
            gmpy2.set_context(context(ty, "nearest_even"))
            pairs = zip(decode(ty, a).tolist(), n.tolist())
            values = [float(gmpy2.mpfr(x) ** gmpy2.mpz(signed(n, width(power)))) for x, n in pairs]
            return encode(ty, np.array(values))

        text = f"{{a}}, {{b}} : {tile([ELEMENTS], ty)}, {tile([ELEMENTS], power)}"
        yield elementwise("fpowi", text, [ty, power], ty, {}, function, slack=1)


def whole(ty, function, *columns, mode="unsigned"):
    """A function of Python's integers, its low bits."""
    bits, read = width(ty), (lambda x: signed(x, width(ty))) if mode == "signed" else int
    rows = zip(*(column.tolist() for column in columns))
    return np.array([function(*map(read, row)) & (1 << bits) - 1 for row in rows], dtype=U)


def divide(a, b, mode):
    """The quotient of integers, rounded to one."""
    if mode == "negative_inf":
        return a // b
    if mode == "positive_inf":
        return -(-a // b)
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def in_range(value, bits, kind):
    """Whether a type holds an integer."""
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if kind == "signed" else (0, (1 << bits) - 1)
    return low <= value <= high


def keeps(function, ty, promise, row):
    """Whether an overflow flag is kept to by operands."""
    kinds = {"none": [], "no_signed_wrap": ["signed"], "no_unsigned_wrap": ["unsigned"], "no_wrap": SIGNS}[promise]
    bits = width(ty)
    for kind in kinds:
        values = [signed(x, bits) if kind == "signed" else x for x in row[: 1 if function is shift else None]]
        if function is shift:
            values.append(row[1])
        if not in_range(function(*values), bits, kind):
            return False
    return True


def shift(a, by):
    """`shli` without an end."""
    return a << by


def replacing(is_fine, safe):
    """Replaces the rows for which an op is undefined."""

    def draw(columns):
        rows = list(zip(*(c.tolist() for c in columns)))
        rows = [row if is_fine(*row) else safe for row in rows]
        return [np.array(column, dtype=U) for column in zip(*rows)]

    return draw


def undefined_rows(ty, is_fine, candidates, code):
    """Of some operands those that must be reported."""
    bits = mask(ty)
    rows = [tuple(x & bits for x in row) for row in candidates]
    return [(row, code) for row in dict.fromkeys(rows) if not is_fine(*row)][:2]


def integers():
    """Ops on integers."""
    for ty in TYPES:
        bits = width(ty)
        extremes = [0, 1, -1, 1 << (bits - 1), (1 << bits - 1) - 1, 2, bits - 1]
        pairs = list(itertools.product(extremes, extremes))
        shape = tile([ELEMENTS], ty)
        wrapping = {"addi": lambda a, b: a + b, "subi": lambda a, b: a - b, "muli": lambda a, b: a * b, "shli": shift}
        for (op, function), overflow in itertools.product(wrapping.items(), ["", *OVERFLOWS]):
            def fine(a, b, function=function, overflow=overflow, op=op, bits=bits, ty=ty):
                return (op != "shli" or b < bits) and keeps(function, ty, overflow or "none", (a, b))

            def promised(a, b, function=function, overflow=overflow, op=op, bits=bits, ty=ty):
                return op == "shli" and b >= bits or keeps(function, ty, overflow or "none", (a, b))

            text = "{a}, {b}" + (f" overflow<{overflow}>" if overflow else "") + f" : {shape}"
            yield elementwise(op, text, [ty, ty], ty, {"overflow": overflow},
                              lambda a, b, f=function, ty=ty: whole(ty, f, a, b), draw=replacing(fine, (0, 0)),
                              faults=undefined_rows(ty, promised, pairs, "E0823"))
        for overflow in ["", *OVERFLOWS]:
            def fine(a, overflow=overflow, bits=bits):
                return "no_" not in overflow or a != 1 << bits - 1

            text = "{a}" + (f" overflow<{overflow}>" if overflow else "") + f" : {shape}"
            yield elementwise("negi", text, [ty], ty, {"overflow": overflow}, lambda a, ty=ty: whole(ty, lambda a: -a, a),
                              draw=replacing(fine, (0,)),
                              faults=undefined_rows(ty, fine, [(1 << bits - 1,)], "E0823"))
        plain = {"andi": lambda a, b: a & b, "ori": lambda a, b: a | b, "xori": lambda a, b: a ^ b,
                 "mulhii": lambda a, b, bits=bits: (a * b) >> bits}
        for op, function in plain.items():
            yield elementwise(op, f"{{a}}, {{b}} : {shape}", [ty, ty], ty, {}, lambda a, b, f=function, ty=ty: whole(ty, f, a, b))
        yield elementwise("absi", f"{{a}} : {shape}", [ty], ty, {}, lambda a, ty=ty: whole(ty, abs, a, mode="signed"))
        for sign in SIGNS:
            for op, function in {"maxi": max, "mini": min}.items():
                yield elementwise(op, f"{{a}}, {{b}} {sign} : {shape}", [ty, ty], ty, {"sign": sign},
                                  lambda a, b, f=function, ty=ty, s=sign: whole(ty, f, a, b, mode=s))
            by = lambda a, b: b.astype(U)
            def right(a, b, ty=ty, sign=sign, bits=bits):
                rows = zip(a.tolist(), b.tolist())
                return np.array([(signed(x, bits) if sign == "signed" else x) >> n & (1 << bits) - 1 for x, n in rows], dtype=U)

            yield elementwise("shri", f"{{a}}, {{b}} {sign} : {shape}", [ty, ty], ty, {"sign": sign}, right,
                              draw=replacing(lambda a, b, bits=bits: b < bits, (0, 0)))

            def divisible(a, b, sign=sign, bits=bits):
                least = 1 << bits - 1
                return b != 0 and not (sign == "signed" and a == least and b == (1 << bits) - 1)

            for mode in ["", *ROUNDINGS]:
                yield elementwise("divi", f"{{a}}, {{b}} {sign}{rounding(mode)} : {shape}", [ty, ty], ty,
                                  {"sign": sign, "rounding": mode},
                                  lambda a, b, ty=ty, s=sign, m=mode: whole(ty, lambda x, y: divide(x, y, m), a, b, mode=s),
                                  draw=replacing(divisible, (0, mask(ty) >> (bits > 1))),
                                  faults=undefined_rows(ty, divisible, pairs, "E0824"))
            def cut(a, b, ty=ty, sign=sign):
                return whole(ty, lambda x, y: x - y * divide(x, y, "zero"), a, b, mode=sign)

            yield elementwise("remi", f"{{a}}, {{b}} {sign} : {shape}", [ty, ty], ty, {"sign": sign}, cut,
                              draw=replacing(lambda a, b: b != 0, (0, mask(ty))),
                              faults=undefined_rows(ty, lambda a, b: b != 0, pairs, "E0824"))
            for predicate in PREDICATES:
                def function(a, b, ty=ty, sign=sign, predicate=predicate):
                    read = [[signed(x, width(ty)) if sign == "signed" else x for x in c.tolist()] for c in (a, b)]
                    columns = [np.array(c, dtype=object) for c in read]
                    return compare(predicate, *columns).astype(U)

                yield elementwise("cmpi", f"{predicate} {{a}}, {{b}}, {sign} : {shape} -> {tile([ELEMENTS], 'i1')}", [ty, ty], "i1",
                                  {"predicate": predicate, "sign": sign}, function)
        yield elementwise("select", f"{{a}}, {{b}}, {{c}} : {tile([ELEMENTS], 'i1')}, {shape}", ["i1", ty, ty], ty, {},
                          lambda c, a, b: np.where(c != 0, a, b))
