"""Multiplies matrices of f16, tile by tile, and sums in f32."""

import cuda.tile as ct


@ct.kernel
def product(a, b, out):
    i = ct.bid(0)
    j = ct.bid(1)
    total = ct.full((64, 64), 0.0, ct.float32)
    for k in range(ct.cdiv(a.shape[1], 64)):
        left = ct.load(a, (i, k), (64, 64), padding_mode=ct.PaddingMode.ZERO)
        right = ct.load(b, (k, j), (64, 64), padding_mode=ct.PaddingMode.ZERO)
        total = ct.mma(left, right, total)
    ct.store(out, (i, j), total)
