"""Three entries for one bytecode file: scale, shift and square a vector of f32 in place."""

import cuda.tile as ct


@ct.kernel
def scale(a, factor):
    i = ct.bid(0)
    ct.store(a, (i,), ct.load(a, (i,), (256,)) * factor)


@ct.kernel
def shift(a, amount):
    i = ct.bid(0)
    ct.store(a, (i,), ct.load(a, (i,), (256,)) + amount)


@ct.kernel
def square(a):
    i = ct.bid(0)
    t = ct.load(a, (i,), (256,))
    ct.store(a, (i,), t * t)
