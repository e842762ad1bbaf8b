"""Moves `values[index[k]]` to `out[target[k]]` and adds one; indices outside the arrays read -1 and write nothing."""

import cuda.tile as ct


@ct.kernel
def gather_scatter(values, index, target, out):
    k = ct.bid(0) * 256 + ct.arange(256, dtype=ct.int32)
    source = ct.gather(index, k, padding_value=-1)
    value = ct.gather(values, source, padding_value=-1.0)
    destination = ct.gather(target, k, padding_value=-1)
    ct.scatter(out, destination, value + 1.0, mask=value > -0.5)
