"""Attention of one head: the values of all keys, weighted by the softmax to base 2 of the products of queries and keys."""

import cuda.tile as ct
import numpy as np


@ct.kernel
def attention(queries, keys, values, out):
    i = ct.bid(0)
    query = ct.load(queries, (i, 0), (64, 64))
    most = ct.full((64, 1), -np.inf, ct.float32)
    weight = ct.full((64, 1), 0.0, ct.float32)
    total = ct.full((64, 64), 0.0, ct.float32)
    for j in range(ct.cdiv(keys.shape[0], 64)):
        key = ct.load(keys, (0, j), (64, 64), order=(1, 0))
        scores = ct.mma(query, key, ct.full((64, 64), 0.0, ct.float32))
        next_most = ct.maximum(most, ct.max(scores, axis=1, keepdims=True))
        shares = ct.exp2(scores - next_most)
        decay = ct.exp2(most - next_most)
        weight = weight * decay + ct.sum(shares, axis=1, keepdims=True)
        value = ct.load(values, (j, 0), (64, 64))
        total = ct.mma(ct.astype(shares, ct.float16), value, total * decay)
        most = next_most
    ct.store(out, (i, 0), total / weight)
