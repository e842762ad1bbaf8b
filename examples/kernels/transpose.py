"""Transposes a matrix in tiles of 32 x 16, and rotates the axes of a 3-D tensor with a permutation of the tile."""

import cuda.tile as ct


@ct.kernel
def transpose(a, out):
    i = ct.bid(0)
    j = ct.bid(1)
    ct.store(out, (j, i), ct.transpose(ct.load(a, (i, j), (32, 16))))


@ct.kernel
def rotate_axes(a, out):
    i = ct.bid(0)
    ct.store(out, (0, 0, i), ct.permute(ct.load(a, (i, 0, 0), (4, 8, 16)), (1, 2, 0)))
