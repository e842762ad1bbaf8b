"""Encodings of shared memory, of `wgmma` and of tensor memory, here and in Triton: whether they are the same layouts.

    python tests/tools/diff_triton_encodings.py [--cases 10000] [--seed 0] [--record]

needs a Python with Triton 3.9 or later, but no GPU. The cases go through `layouts/tests/triton_encodings.rs`, one a line: the
kind, its parameters, and Triton's linear layout. With `--record` they become `layouts/tests/data/triton_encodings.txt`, which
the tests replay without Python; it holds `--cases 400`.
"""

import collections
import random
import sys

import layout_diff
import triton.experimental.gluon.language as gl
from triton._C.libtriton import gluon_ir, ir
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.compiler import CUDABackend
from triton.experimental.gluon.language._layouts import (
    DotOperandLayout,
    NVMMADistributedLayout,
    NVMMASharedLayout,
    SwizzledSharedLayout,
)
from triton.experimental.gluon.language.nvidia.blackwell import TensorMemoryLayout, TensorMemoryScalesLayout

RECORDS = layout_diff.DATA / "triton_encodings.txt"


def power(low, high):
    """A power of two from 2^low to 2^high."""
    return 1 << random.randint(low, high)


def text(dims, shape):
    parts = [f"{dim} = {bases}" for dim, bases in dims if bases]
    return f"linear<{', '.join(parts + [f'shape = {list(shape)}'])}>"


def numbers(values):
    return ",".join(map(str, values))


def blocks_of(shape, most):
    """Bases of a cluster and its text; an axis is cut to no less than 8."""
    parts, bases, left = [1] * len(shape), [], list(shape)
    for _ in range(random.randint(0, most)):
        axis = random.randrange(len(shape))
        if left[axis] < 16:
            continue
        bases.append([parts[axis] if each == axis else 0 for each in range(len(shape))])
        parts[axis] *= 2
        left[axis] //= 2
    return bases, left, text([("block", bases)], parts)


def swizzled(builder):
    rank = random.randint(1, 4)
    shape = [power(0, 6) for _ in range(rank)]
    order = random.sample(range(rank), rank)
    vec, per_phase, max_phase = power(0, 4), power(0, 3), power(0, 3)
    bases, left, blocks = blocks_of(shape, 2)
    if max(left) == 1:
        return swizzled(builder)
    layout = SwizzledSharedLayout(vec, per_phase, max_phase, order, bases)
    found = builder.to_linear_layout(layout._to_ir(builder), shape)
    parameters = f"{vec} {per_phase} {max_phase} {numbers(order)} {numbers(shape)} | {blocks}"
    return parameters, text([("offset", found.offset_bases), ("block", found.block_bases)], shape)


def nvmma(builder):
    span = random.choice([0, 32, 64, 128])
    padded = span == 128 and random.random() < 0.2
    bits = 8 if padded else random.choice([8, 16, 32, 64])
    rank = random.randint(2, 4)
    transposed = rank == 2 and random.random() < 0.5
    least = max(span * 8 // bits // (2 if padded else 1), 16 * 8 // bits)
    shape = [power(0, 2) for _ in range(rank - 2)]
    # Otherwise Triton puts the rest of an axis past 256, the most of a box, after the first 256 of all.
    matrix = [power(3, 9 if rank == 2 and not transposed else 8), least * power(0, 2)]
    shape += matrix[::-1] if transposed else matrix
    bases, left, blocks = blocks_of(shape, 2)
    contiguous = left[0] if transposed else left[-1]
    # Without a swizzle, a box of a bulk tensor copy is at most 256 elements.
    if contiguous < least or span == 0 and max(left) > 256:
        return nvmma(builder)
    layout = NVMMASharedLayout(span, bits, rank, transposed, padded, bases)
    found = builder.to_linear_layout(layout._to_ir(builder), shape)
    parameters = f"{span} {bits} {int(transposed)} {int(padded)} {numbers(shape)} | {blocks}"
    return parameters, text([("offset", found.offset_bases), ("block", found.block_bases)], shape)


def registers(found, shape):
    bases = [("register", found.reg_bases), ("lane", found.lane_bases), ("warp", found.warp_bases)]
    return text(bases, shape)


def wgmma(builder):
    n, groups = power(3, 8), [power(0, 2), power(0, 1)]
    shape = [64 * groups[0] * power(0, 2), n * groups[1] * power(0, 2)]
    layout = NVMMADistributedLayout([3, 0], [4 * groups[0], groups[1]], [16, n, 16])
    found = builder.to_linear_layout(layout._to_ir(builder), shape)
    return f"{n} {numbers(groups)} {numbers(shape)}", registers(found, shape)


def wgmma_a(builder):
    bits, groups = random.choice([8, 16, 32]), [power(0, 2), power(0, 1)]
    k = 256 // bits
    shape = [64 * groups[0] * power(0, 2), k * power(0, 3)]
    parent = NVMMADistributedLayout([3, 0], [4 * groups[0], groups[1]], [16, 64, k])
    layout = DotOperandLayout(0, parent, 32 // bits)
    found = builder.to_linear_layout(layout._to_ir(builder), shape)
    return f"{bits} {numbers(groups)} {numbers(shape)}", registers(found, shape)


def tile_of_tensor_memory():
    m, n = random.choice([64, 128]), power(3, 8)
    pair = n >= 16 and random.random() < 0.3
    down, across = power(0, 1), power(0, 2)
    if m == 64 and not pair and down == 1 and across > 1:
        across = 1
    rows, block_n = m * down, n
    if pair:
        rows *= 2
    if rows // (2 if pair else 1) * n * across > 128 * 512:
        return tile_of_tensor_memory()
    cluster = [[1, 0]] if pair else []
    return m, n, pair, [rows, n * across], TensorMemoryLayout((m, block_n), 1, cluster, pair)


def tmem(builder):
    m, n, pair, shape, layout = tile_of_tensor_memory()
    found = builder.to_linear_layout(layout._to_ir(builder), shape)
    parameters = f"{m} {n} {int(pair)} {numbers(shape)}"
    return parameters, text([("tmem_lane", found.rows), ("tmem_column", found.cols)], shape)


def tmem_access(builder):
    m, n, pair, shape, layout = tile_of_tensor_memory()
    variant, groups = random.choice(["32x32b", "16x64b", "16x128b", "16x256b"]), power(0, 1)
    if pair or m == 64 and variant == "32x32b":
        return tmem_access(builder)
    found = gluon_ir.compute_tmem_reg_layout(gl.float32, shape, shape, layout, 4 * groups, variant)
    # Warpgroups without work of their own are refused by the crate.
    if found is None or [0, 0] in found.warp_bases:
        return tmem_access(builder)
    return f"{m} {n} {variant} {groups} {numbers(shape)}", registers(found, shape)


def scales(builder):
    shape = [power(6, 8), power(2, 5)]
    found = builder.to_linear_layout(TensorMemoryScalesLayout()._to_ir(builder), shape)
    return numbers(shape), text([("tmem_lane", found.rows), ("tmem_column", found.cols)], shape)


KINDS = [swizzled, nvmma, wgmma, wgmma_a, tmem, tmem_access, scales]
WEIGHTS = [4, 4, 1, 1, 2, 2, 1]


def main():
    arguments = layout_diff.arguments(__doc__, "cases of all kinds together", RECORDS)
    random.seed(arguments.seed)
    context = ir.context()
    ir.load_dialects(context)
    CUDABackend(GPUTarget("cuda", 100, 32)).load_dialects(context)
    builder = gluon_ir.GluonOpBuilder(context)
    cases = []
    for kind in random.choices(KINDS, WEIGHTS, k=arguments.cases):
        parameters, found = kind(builder)
        cases.append(f"{kind.__name__} {parameters} | {found}")
    cases = list(dict.fromkeys(cases))
    if not layout_diff.compare("triton_encodings", "TRITON_ENCODINGS", cases):
        return 1
    for kind, count in sorted(collections.Counter(case.split()[0] for case in cases).items()):
        print(f"{kind:20} {count:7} distinct cases agree")
    if arguments.record:
        header = ["Recorded from Triton by tests/tools/diff_triton_encodings.py; see there for the format."]
        layout_diff.record(RECORDS, header, cases)
    return 0


if __name__ == "__main__":
    sys.exit(main())
