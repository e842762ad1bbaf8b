"""Adds two f32 vectors; one block of the grid per tile of 1024 elements, the last tile is cut off by the bounds."""

import cuda.tile as ct


@ct.kernel
def vector_add(a, b, out):
    i = ct.bid(0)
    ta = ct.load(a, (i,), (1024,))
    tb = ct.load(b, (i,), (1024,))
    ct.store(out, (i,), ta + tb)
