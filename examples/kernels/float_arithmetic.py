"""One chain of float operations, exported for f64, f32, f16 and bf16 elements; rounding is to nearest even."""

import cuda.tile as ct


@ct.kernel
def float_arithmetic(x, y, out):
    i = ct.bid(0)
    a = ct.load(x, (i,), (128,))
    b = ct.load(y, (i,), (128,))
    quotient = (a - b) / b
    fused = a * b + quotient
    low = ct.minimum(fused, -a)
    high = ct.maximum(abs(quotient), ct.sqrt(abs(b)))
    ct.store(out, (i,), ct.floor(low) + ct.ceil(high) + low * high)


@ct.kernel
def directed_rounding(x, y, out):
    i = ct.bid(0)
    a = ct.load(x, (i,), (128,))
    b = ct.load(y, (i,), (128,))
    down = ct.add(a, b, rounding_mode=ct.RoundingMode.RM)
    up = ct.mul(a, b, rounding_mode=ct.RoundingMode.RP)
    cut = ct.sub(a, b, rounding_mode=ct.RoundingMode.RZ)
    ratio = ct.truediv(up, b, rounding_mode=ct.RoundingMode.RZ)
    ct.store(out, (i,), ct.add(ct.add(down, cut, flush_to_zero=True), ratio, rounding_mode=ct.RoundingMode.RP))
