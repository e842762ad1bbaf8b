"""Every comparison of floats (with NaN among them) and of signed and unsigned integers, gathered with selects."""

import cuda.tile as ct


@ct.kernel
def compare_floats(x, y, out):
    i = ct.bid(0)
    a = ct.load(x, (i,), (128,))
    b = ct.load(y, (i,), (128,))
    code = ct.where(a < b, 1, 0)
    code = code + ct.where(a <= b, 2, 0)
    code = code + ct.where(a > b, 4, 0)
    code = code + ct.where(a >= b, 8, 0)
    code = code + ct.where(a == b, 16, 0)
    code = code + ct.where(a != b, 32, 0)
    code = code + ct.where(ct.isnan(a), 64, 0)
    ct.store(out, (i,), code)


@ct.kernel
def compare_integers(x, y, u, v, out):
    i = ct.bid(0)
    a = ct.load(x, (i,), (128,))
    b = ct.load(y, (i,), (128,))
    c = ct.load(u, (i,), (128,))
    d = ct.load(v, (i,), (128,))
    code = ct.where(a < b, 1, 0) + ct.where(a <= b, 2, 0) + ct.where(a > b, 4, 0)
    code = code + ct.where(a >= b, 8, 0) + ct.where(a == b, 16, 0) + ct.where(a != b, 32, 0)
    code = code + ct.where(c < d, 64, 0) + ct.where(c <= d, 128, 0) + ct.where(c > d, 256, 0)
    code = code + ct.where(c >= d, 512, 0)
    both = (a < b) & (c < d)
    either = (a < b) | (c < d)
    one = (a < b) ^ (c < d)
    code = code + ct.where(both, 1024, 0) + ct.where(either, 2048, 0) + ct.where(one, 4096, 0)
    ct.store(out, (i,), code)
