"""Integer bit tricks: population count, shifts of both kinds, division and remainder with their signs, min and max."""

import cuda.tile as ct


@ct.kernel
def popcount(x, out):
    i = ct.bid(0)
    v = ct.load(x, (i,), (256,))
    v = v - ((v >> 1) & 0x55555555)
    v = (v & 0x33333333) + ((v >> 2) & 0x33333333)
    v = (v + (v >> 4)) & 0x0F0F0F0F
    ct.store(out, (i,), (v * 0x01010101) >> 24)


@ct.kernel
def signed_bits(x, y, out):
    i = ct.bid(0)
    a = ct.load(x, (i,), (256,))
    b = ct.load(y, (i,), (256,))
    amount = b & 31
    divisor = b | 1
    mixed = (a ^ (a << amount)) + (a >> amount)
    mixed = mixed ^ (a // divisor) ^ ct.cdiv(a, divisor)
    mixed = mixed - a % divisor * 3
    mixed = mixed ^ ct.minimum(a, b) ^ ~ct.maximum(a, b)
    ct.store(out, (i,), mixed + abs(a >> 1) - (-b))


@ct.kernel
def unsigned_bits(x, y, out):
    i = ct.bid(0)
    a = ct.load(x, (i,), (256,))
    b = ct.load(y, (i,), (256,))
    divisor = b | 1
    mixed = (a % divisor) ^ ct.cdiv(a, divisor)
    mixed = mixed + (a >> (b & 63)) + (a << (b & 63))
    ct.store(out, (i,), mixed ^ ct.minimum(a, b) ^ (ct.maximum(a, b) * 5))
