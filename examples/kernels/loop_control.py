"""Loops left early: a Collatz walk with `while`, `break`, `continue` and nested conditionals, one number a block."""

import cuda.tile as ct


@ct.kernel
def loop_control(start, limit, steps, peak):
    i = ct.bid(0)
    n = ct.gather(start, i)
    count = 0
    top = n
    while True:
        if n <= 1:
            break
        if count >= limit:
            count = -1
            break
        count = count + 1
        if n % 2 == 0:
            n = n // 2
            continue
        n = 3 * n + 1
        if n > top:
            top = n
    odd = 0
    for k in range(limit):
        if k % 2 == 0:
            continue
        if k > top:
            break
        if k > 8:
            odd = odd + 2
        else:
            if k == 3:
                odd = odd + 5
            else:
                odd = odd + 1
    ct.scatter(steps, i, count)
    ct.scatter(peak, i, top + odd)


@ct.kernel
def stepped_sum(a, first, last, step, out):
    i = ct.bid(0)
    total = ct.zeros((64,), ct.int32)
    for k in range(first, last, step):
        tile = ct.load(a, (k,), (64,))
        if k % 3 == 0:
            total = total - tile
        else:
            total = total + tile * k
    ct.store(out, (i,), total)
