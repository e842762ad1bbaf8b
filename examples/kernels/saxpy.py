"""out = alpha * x + y with a scalar argument; the product and the sum become one fused multiply-add."""

import cuda.tile as ct


@ct.kernel
def saxpy(alpha, x, y, out):
    i = ct.bid(0)
    tx = ct.load(x, (i,), (512,))
    ty = ct.load(y, (i,), (512,))
    ct.store(out, (i,), alpha * tx + ty)
