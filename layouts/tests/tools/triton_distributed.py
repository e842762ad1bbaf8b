#!/usr/bin/env python3
"""Records how Triton places tiles, as data for layouts/tests/triton_distributed.rs.

Needs Triton 3.9 or later (`pip install triton`); no GPU. Writes one case a line to standard output:
what is placed, the tile's shape, and the basis vectors that Triton's own conversion gives, with `|`
between fields. Usage: triton_distributed.py [cases of each kind] [seed]
"""
import random
import sys

from triton._C.libtriton import gluon_ir, ir
import triton.experimental.gluon.language as gl

each = int(sys.argv[1]) if len(sys.argv) > 1 else 60
random.seed(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
context = ir.context()
ir.load_dialects(context)
builder = gluon_ir.GluonOpBuilder(context)


def numbers(values):
    return ",".join(map(str, values))


def powers(rank, most):
    return [1 << random.randint(0, most) for _ in range(rank)]


def split(total, rank):
    """`total` bits over `rank` axes, as powers of two."""
    bits = [0] * rank
    for _ in range(total):
        bits[random.randrange(rank)] += 1
    return [1 << b for b in bits]


def shuffled(rank):
    order = list(range(rank))
    random.shuffle(order)
    return order


def cluster(rank):
    """A cluster as (CTAs, splits, order) and as Triton's basis vectors."""
    if random.random() < 0.5:
        return ([1] * rank, [1] * rank, list(range(rank))[::-1]), []
    ctas = split(random.randint(1, 3), rank)
    splits = [1 << random.randint(0, c.bit_length() - 1) for c in ctas]
    order = shuffled(rank)
    bases = []
    for axis in order:
        for bit in range(ctas[axis].bit_length() - 1):
            step = 1 << bit
            bases.append([step if a == axis and step < splits[axis] else 0 for a in range(rank)])
    return (ctas, splits, order), bases


def emit(kind, fields, layout, shape):
    found = builder.to_linear_layout(layout._to_ir(builder), shape)
    bases = [found.reg_bases, found.lane_bases, found.warp_bases, found.block_bases]
    text = [";".join(numbers(v) for v in vectors) for vectors in bases]
    print("|".join([kind, *map(numbers, fields), numbers(shape), *text]))


def blocked(rank):
    per_thread, warps = powers(rank, 2), split(random.randint(0, 3), rank)
    threads, order = split(5, rank), shuffled(rank)
    described, bases = cluster(rank)
    layout = gl.BlockedLayout(per_thread, threads, warps, order, cga_layout=bases)
    return [per_thread, threads, warps, order, *described], layout


def mma(rank):
    warps = split(random.randint(0, 3), rank)
    described, bases = cluster(rank)
    instruction = [1] * (rank - 2) + [16, 8]
    layout = gl.NVMMADistributedLayout([2, 0], warps, instruction, cga_layout=bases)
    return [warps, *described], layout


def shapes(rank, least):
    """A shape of at least `least` along the last two axes, and of 8 along the others."""
    return [
        8 if axis < rank - 2 else least << random.randint(0, 3)
        for axis in range(rank)
    ]


print("# Recorded from Triton by tests/tools/triton_distributed.py; see there for the format.")
for _ in range(each):
    rank = random.randint(1, 3)
    fields, layout = blocked(rank)
    emit("blocked", fields, layout, [8 << random.randint(0, 3) for _ in range(rank)])
for _ in range(each):
    rank = random.randint(2, 3)
    fields, layout = blocked(rank)
    axis = random.randrange(rank)
    shape = [8 << random.randint(0, 3) for _ in range(rank - 1)]
    emit("slice", [*fields, [axis]], gl.SliceLayout(axis, layout), shape)
for _ in range(each):
    rank = random.randint(2, 3)
    fields, layout = mma(rank)
    emit("accumulator", fields, layout, shapes(rank, 16))
for _ in range(each):
    rank = random.randint(2, 3)
    fields, layout = mma(rank)
    axis = random.randrange(rank)
    shape = shapes(rank, 16)
    del shape[axis]
    emit("accumulator-slice", [*fields, [axis]], gl.SliceLayout(axis, layout), shape)
for _ in range(2 * each):
    rank = random.randint(2, 3)
    fields, layout = mma(rank)
    operand, packed = random.randint(0, 1), random.choice([1, 2, 4])
    dot = gl.DotOperandLayout(operand, layout, packed)
    emit("operand", [*fields, [operand], [packed]], dot, shapes(rank, 32))
