"""Adds two f32 matrices with row strides of their own, in tiles of 32 x 64; both edges of the matrix are cut off."""

import cuda.tile as ct


@ct.kernel
def vector_add_2d(a, b, out):
    i = ct.bid(0)
    j = ct.bid(1)
    ta = ct.load(a, (i, j), (32, 64))
    tb = ct.load(b, (i, j), (32, 64))
    ct.store(out, (i, j), ta + tb)
