"""Reductions and scans along either axis of a tile, to a single number, of two tiles at once, and in reverse."""

import cuda.tile as ct


def compose(a, b, c, d):
    """The linear function `x -> a * x + b` after `x -> c * x + d`."""
    return a * c, a * d + b


@ct.kernel
def row_statistics(a, sums, largest, place):
    i = ct.bid(0)
    t = ct.load(a, (i, 0), (16, 64), padding_mode=ct.PaddingMode.ZERO)
    ct.store(sums, (i,), ct.sum(t, 1))
    ct.store(largest, (i,), ct.max(t, 1))
    ct.store(place, (i,), ct.argmax(t, 1))


@ct.kernel
def total(a, out):
    i = ct.bid(0)
    t = ct.load(a, (i,), (2048,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, (i,), ct.reshape(ct.sum(t), (1,)))


@ct.kernel
def column_range(a, out):
    t = ct.load(a, (0, 0), (128, 8), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, (0,), ct.max(t, 0) - ct.min(t, 0))


@ct.kernel
def running_sums(a, forward, backward):
    t = ct.load(a, (0, 0), (64, 32), padding_mode=ct.PaddingMode.ZERO)
    ct.store(forward, (0, 0), ct.cumsum(t, 0))
    ct.store(backward, (0, 0), ct.cumsum(t, 1, reverse=True))


@ct.kernel
def linear_functions(factors, summands, of_one, whole):
    f = ct.load(factors, (0,), (1024,), padding_mode=ct.PaddingMode.ZERO)
    s = ct.load(summands, (0,), (1024,), padding_mode=ct.PaddingMode.ZERO)
    m, n = ct.scan((f, s), 0, compose, (1, 0))
    ct.store(of_one, (0,), m + n)
    m, n = ct.reduce((f, s), 0, compose, (1, 0))
    ct.store(whole, (0,), ct.reshape(m + n, (1,)))
