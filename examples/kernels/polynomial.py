"""Horner's scheme with `degree + 1` coefficients read in a `for` loop whose trip count is a kernel argument."""

import cuda.tile as ct


def horner_step(acc, x, coefficient):
    return acc * x + coefficient


@ct.kernel
def polynomial(x, coefficients, degree, out):
    i = ct.bid(0)
    tx = ct.load(x, (i,), (256,))
    acc = ct.zeros((256,), ct.float32)
    for k in range(degree + 1):
        acc = horner_step(acc, tx, ct.gather(coefficients, k))
    ct.store(out, (i,), acc)
