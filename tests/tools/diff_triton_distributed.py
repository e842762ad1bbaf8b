"""Distributed encodings, here and in Triton: the same tiles to both, and whether they are placed alike.

    python tests/tools/diff_triton_distributed.py [--cases 10000] [--seed 0] [--record]

needs a Python with Triton 3.9 or later, but no GPU. The cases go through `layouts/tests/triton_distributed.rs`, one a line:
what is placed, the tile's shape, and the basis vectors that Triton's own conversion gives, with `|` between fields. With
`--record` they become `layouts/tests/data/triton_distributed.txt`, which the tests replay without Python; it holds
`--cases 60`.
"""

import collections
import random
import sys

import layout_diff
import triton.experimental.gluon.language as gl
from triton._C.libtriton import gluon_ir, ir

RECORDS = layout_diff.DATA / "triton_distributed.txt"
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


def case(kind, fields, layout, shape):
    found = builder.to_linear_layout(layout._to_ir(builder), shape)
    bases = [found.reg_bases, found.lane_bases, found.warp_bases, found.block_bases]
    text = [";".join(numbers(v) for v in vectors) for vectors in bases]
    return "|".join([kind, *map(numbers, fields), numbers(shape), *text])


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


def blocked_case():
    rank = random.randint(1, 3)
    fields, layout = blocked(rank)
    return case("blocked", fields, layout, [8 << random.randint(0, 3) for _ in range(rank)])


def slice_case():
    rank = random.randint(2, 3)
    fields, layout = blocked(rank)
    axis = random.randrange(rank)
    shape = [8 << random.randint(0, 3) for _ in range(rank - 1)]
    return case("slice", [*fields, [axis]], gl.SliceLayout(axis, layout), shape)


def accumulator_case():
    rank = random.randint(2, 3)
    fields, layout = mma(rank)
    return case("accumulator", fields, layout, shapes(rank, 16))


def accumulator_slice_case():
    rank = random.randint(2, 3)
    fields, layout = mma(rank)
    axis = random.randrange(rank)
    shape = shapes(rank, 16)
    del shape[axis]
    return case("accumulator-slice", [*fields, [axis]], gl.SliceLayout(axis, layout), shape)


def operand_case():
    rank = random.randint(2, 3)
    fields, layout = mma(rank)
    operand, packed = random.randint(0, 1), random.choice([1, 2, 4])
    dot = gl.DotOperandLayout(operand, layout, packed)
    return case("operand", [*fields, [operand], [packed]], dot, shapes(rank, 32))


KINDS = [blocked_case, slice_case, accumulator_case, accumulator_slice_case, operand_case, operand_case]


def main():
    arguments = layout_diff.arguments(__doc__, "cases of each kind", RECORDS)
    random.seed(arguments.seed)
    cases = [kind() for kind in KINDS for _ in range(arguments.cases)]
    if not layout_diff.compare("triton_distributed", "TRITON_DISTRIBUTED", cases):
        return 1
    for kind, count in sorted(collections.Counter(case.split("|")[0] for case in set(cases)).items()):
        print(f"{kind:20} {count:7} distinct cases agree")
    if arguments.record:
        header = ["Recorded from Triton by tests/tools/diff_triton_distributed.py; see there for the format."]
        layout_diff.record(RECORDS, header, cases)
    return 0


if __name__ == "__main__":
    sys.exit(main())
