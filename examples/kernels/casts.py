"""Conversions through every arithmetic type: chains of floats, signed and unsigned integers and bools, both ways."""

import cuda.tile as ct


@ct.kernel
def float_chain(x, out):
    i = ct.bid(0)
    v = ct.load(x, (i,), (128,))
    single = ct.astype(v, ct.float32)
    half = ct.astype(single, ct.float16)
    brain = ct.astype(ct.astype(half, ct.float32), ct.bfloat16)
    whole = ct.astype(ct.astype(brain, ct.float32), ct.int32)
    wide = ct.astype(ct.astype(whole, ct.int64), ct.float64)
    total = wide + ct.astype(brain, ct.float64) + ct.astype(half, ct.float64)
    ct.store(out, (i,), total + ct.astype(single, ct.float64))


@ct.kernel
def integer_chain(x, out):
    i = ct.bid(0)
    v = ct.load(x, (i,), (128,))
    short = ct.astype(ct.astype(v, ct.int32), ct.int16)
    byte = ct.astype(short, ct.int8)
    unsigned_byte = ct.astype(ct.astype(byte, ct.uint8), ct.uint16)
    unsigned_word = ct.astype(unsigned_byte, ct.uint32) + ct.astype(v, ct.uint32)
    long = ct.astype(unsigned_word, ct.uint64) + ct.astype(short, ct.uint64)
    ct.store(out, (i,), ct.astype(long, ct.int64) + ct.astype(byte, ct.int64))


@ct.kernel
def mixed_chain(x, out):
    i = ct.bid(0)
    v = ct.load(x, (i,), (128,))
    odd = ct.astype(v & 1, ct.bool_)
    from_bool = ct.astype(odd, ct.float32) + ct.astype(ct.astype(odd, ct.int32), ct.float32)
    from_byte = ct.astype(ct.astype(ct.astype(v, ct.int8), ct.float16), ct.float32)
    from_unsigned_byte = ct.astype(ct.astype(ct.astype(v, ct.uint8), ct.bfloat16), ct.float32)
    from_word = ct.astype(ct.astype(v, ct.uint32), ct.float32)
    from_long = ct.astype(ct.astype(v, ct.uint64), ct.float32)
    back = ct.astype(ct.astype(from_byte + 200.0, ct.uint32), ct.float32)
    nonzero = ct.astype(ct.astype(ct.astype(odd, ct.float32), ct.bool_), ct.float32)
    bits = ct.bitcast(ct.bitcast(from_word, ct.int32) ^ 1, ct.float32)
    total = from_bool + from_byte + from_unsigned_byte + back + nonzero
    ct.store(out, (i,), total + from_word * 2.0 - from_long + bits)
