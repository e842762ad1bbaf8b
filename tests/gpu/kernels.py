"""Kernels in cuTile Python as its users write them: products, convolutions, attention, reductions, scans, gathers, stencils.

    python3 tests/gpu/launches.py OURS=TILEIRAS THEIRS=TILEIRAS --tests tests/gpu/kernels.py

Each test makes random tensors, launches a kernel and compares what it writes with PyTorch in higher precision; `launches.py`
runs the tests with several compilers, compares what their code writes and times each launch. With `pytest` alone the file
checks whichever compiler `cuda-tile` finds. Sizes are chosen so that a launch takes about 10 to 500 microseconds on an H200;
many are no multiples of the tiles.
"""

import math

import cuda.tile as ct
import pytest
import torch

torch.backends.cudnn.allow_tf32 = False

INT = ct.Constant[int]
BOOL = ct.Constant[bool]
ZERO = ct.PaddingMode.ZERO
LOWEST = ct.PaddingMode.NEG_INF
NEVER = -1e30
LOG2E = math.log2(math.e)
F16, BF16, F32, F64 = torch.float16, torch.bfloat16, torch.float32, torch.float64
FP8, I8, I32 = torch.float8_e4m3fn, torch.int8, torch.int32
BLOCKS = 132


def launch(kernel, grid, *arguments):
    ct.launch(torch.cuda.current_stream(), grid, kernel, arguments)


def randn(*shape, dtype=F32, scale=1.0):
    return (torch.randn(shape, device="cuda") * scale).to(dtype)


def randint(low, high, shape, dtype=I32):
    return torch.randint(low, high, shape, device="cuda", dtype=dtype)


def empty(*shape, dtype=F32):
    return torch.empty(shape, device="cuda", dtype=dtype)


def zeros(*shape, dtype=F32):
    return torch.zeros(shape, device="cuda", dtype=dtype)


def cdiv(a, b):
    return -(-a // b)


def close(found, expected, tolerance):
    """Fails if the largest difference is more than this part of the largest number."""
    far = (found.double() - expected.double()).abs().max().item()
    assert far <= tolerance * expected.double().abs().max().item(), far


def ranks(rows, columns):
    """Rows of different numbers, so far from each other that no rounding changes their order."""
    return torch.rand(rows, columns, device="cuda").argsort(1).float() / columns * 8.0


def equal(found, expected):
    assert torch.equal(found.to(expected.dtype), expected)


def position(block, rows, columns, group):
    """Row and column of a tile, where `group` rows of tiles are done together."""
    span = group * columns
    first = block // span * group
    height = min(rows - first, group)
    return first + block % span % height, block % span // height


# Products of matrices


@ct.kernel
def gemm(a, b, c, tm: INT, tn: INT, tk: INT):
    i, j = position(ct.bid(0), ct.cdiv(c.shape[0], tm), ct.cdiv(c.shape[1], tn), 8)
    acc = ct.zeros((tm, tn), dtype=ct.float32)
    for k in range(ct.num_tiles(a, 1, (tm, tk))):
        x = ct.load(a, (i, k), (tm, tk), padding_mode=ZERO)
        y = ct.load(b, (k, j), (tk, tn), padding_mode=ZERO)
        acc = ct.mma(x, y, acc)
    ct.store(c, (i, j), acc.astype(c.dtype))


@pytest.mark.parametrize("m, n, k, dtype, tiles", [
    (4096, 4096, 4096, F16, (128, 256, 64)),
    (2048, 3072, 1536, BF16, (128, 128, 64)),
    (4000, 1000, 4000, F16, (128, 128, 32)),
    (1001, 999, 2003, BF16, (64, 64, 64)),
])
def test_gemm(m, n, k, dtype, tiles):
    a, b, c = randn(m, k, dtype=dtype), randn(k, n, dtype=dtype), empty(m, n, dtype=dtype)
    launch(gemm, (cdiv(m, tiles[0]) * cdiv(n, tiles[1]),), a, b, c, *tiles)
    close(c, a.float() @ b.float(), 1e-2)


@ct.kernel
def gemm_transposed_b(a, b, c, tm: INT, tn: INT, tk: INT):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((tm, tn), dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], tk)):
        x = ct.load(a, (i, k), (tm, tk), padding_mode=ZERO)
        y = ct.load(b, (k, j), (tk, tn), order=(1, 0), padding_mode=ZERO)
        acc = ct.mma(x, y, acc)
    ct.store(c, (i, j), acc.astype(c.dtype))


@pytest.mark.parametrize("m, n, k, tiles", [(4096, 2048, 4096, (128, 256, 64)), (1536, 1000, 1000, (64, 128, 64))])
def test_gemm_transposed_b(m, n, k, tiles):
    a, b, c = randn(m, k, dtype=BF16), randn(n, k, dtype=BF16), empty(m, n, dtype=BF16)
    launch(gemm_transposed_b, (cdiv(m, tiles[0]), cdiv(n, tiles[1])), a, b, c, *tiles)
    close(c, a.float() @ b.float().T, 1e-2)


@ct.kernel(occupancy=2)
def gemm_transposed_a(a, b, c, tm: INT, tn: INT, tk: INT):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((tm, tn), dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[0], tk)):
        x = ct.load(a, (k, i), (tk, tm), padding_mode=ZERO)
        y = ct.load(b, (k, j), (tk, tn), padding_mode=ZERO)
        acc = ct.mma(ct.transpose(x), y, acc)
    ct.store(c, (i, j), acc.astype(c.dtype))


@pytest.mark.parametrize("m, n, k, tiles", [(2048, 4096, 2048, (128, 128, 64)), (520, 1032, 8000, (64, 64, 64))])
def test_gemm_transposed_a(m, n, k, tiles):
    a, b, c = randn(k, m, dtype=F16), randn(k, n, dtype=F16), empty(m, n)
    launch(gemm_transposed_a, (cdiv(m, tiles[0]), cdiv(n, tiles[1])), a, b, c, *tiles)
    close(c, a.float().T @ b.float(), 1e-3)


@ct.kernel
def gemm_fp8(a, b, c, scale: float, tm: INT, tn: INT, tk: INT):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((tm, tn), dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], tk)):
        x = ct.load(a, (i, k), (tm, tk), padding_mode=ZERO)
        y = ct.load(b, (j, k), (tn, tk), padding_mode=ZERO)
        acc = ct.mma(x, ct.transpose(y), acc)
    ct.store(c, (i, j), (acc * scale).astype(c.dtype))


@pytest.mark.parametrize("m, n, k, tiles", [(4096, 4096, 4096, (128, 128, 128)), (1024, 2048, 8192, (64, 128, 128))])
def test_gemm_fp8(m, n, k, tiles):
    a, b, c = randn(m, k, dtype=FP8), randn(n, k, dtype=FP8), empty(m, n, dtype=BF16)
    launch(gemm_fp8, (cdiv(m, tiles[0]), cdiv(n, tiles[1])), a, b, c, 0.25, *tiles)
    close(c, a.float() @ b.float().T * 0.25, 2e-2)


@ct.kernel
def gemm_int8(a, b, c, tm: INT, tn: INT, tk: INT):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((tm, tn), dtype=ct.int32)
    for k in range(ct.cdiv(a.shape[1], tk)):
        x = ct.load(a, (i, k), (tm, tk), padding_mode=ZERO)
        y = ct.load(b, (k, j), (tk, tn), order=(1, 0), padding_mode=ZERO)
        acc = ct.mma(x, y, acc)
    ct.store(c, (i, j), acc)


@pytest.mark.parametrize("m, n, k, tiles", [(4096, 2048, 2048, (128, 128, 128)), (1000, 1000, 4000, (64, 64, 64))])
def test_gemm_int8(m, n, k, tiles):
    a, b, c = randint(-128, 128, (m, k), I8), randint(-128, 128, (n, k), I8), empty(m, n, dtype=I32)
    launch(gemm_int8, (cdiv(m, tiles[0]), cdiv(n, tiles[1])), a, b, c, *tiles)
    equal(c, (a.double() @ b.double().T).to(I32))


@ct.kernel
def gemm_tf32(a, b, c, tm: INT, tn: INT, tk: INT):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((tm, tn), dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], tk)):
        x = ct.load(a, (i, k), (tm, tk), padding_mode=ZERO).astype(ct.tfloat32)
        y = ct.load(b, (k, j), (tk, tn), padding_mode=ZERO).astype(ct.tfloat32)
        acc = ct.mma(x, y, acc)
    ct.store(c, (i, j), acc)


@pytest.mark.parametrize("m, n, k, tiles", [(2048, 2048, 2048, (128, 128, 32)), (1500, 700, 3000, (64, 64, 32))])
def test_gemm_tf32(m, n, k, tiles):
    a, b, c = randn(m, k), randn(k, n), empty(m, n)
    launch(gemm_tf32, (cdiv(m, tiles[0]), cdiv(n, tiles[1])), a, b, c, *tiles)
    close(c, a.double() @ b.double(), 2e-3)


@ct.kernel
def gemm_f64(a, b, c, tm: INT, tn: INT, tk: INT):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((tm, tn), dtype=ct.float64)
    for k in range(ct.cdiv(a.shape[1], tk)):
        x = ct.load(a, (i, k), (tm, tk), padding_mode=ZERO)
        y = ct.load(b, (k, j), (tk, tn), padding_mode=ZERO)
        acc = ct.mma(x, y, acc)
    ct.store(c, (i, j), acc)


@pytest.mark.parametrize("m, n, k, tiles", [(1024, 1024, 1024, (64, 64, 16))])
def test_gemm_f64(m, n, k, tiles):
    a, b, c = randn(m, k, dtype=F64), randn(k, n, dtype=F64), empty(m, n, dtype=F64)
    launch(gemm_f64, (cdiv(m, tiles[0]), cdiv(n, tiles[1])), a, b, c, *tiles)
    close(c, a @ b, 1e-12)


@ct.kernel
def gemm_int8_weights(x, w, scale, y, tm: INT, tn: INT, tk: INT):
    """Weights of 8 bits with a scale per column."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((tm, tn), dtype=ct.float32)
    for k in range(ct.cdiv(x.shape[1], tk)):
        left = ct.load(x, (i, k), (tm, tk), padding_mode=ZERO)
        right = ct.load(w, (k, j), (tk, tn), padding_mode=ZERO).astype(x.dtype)
        acc = ct.mma(left, right, acc)
    acc = acc * ct.load(scale, (j,), (tn,), padding_mode=ZERO)[None, :]
    ct.store(y, (i, j), acc.astype(y.dtype))


@pytest.mark.parametrize("m, n, k, tiles", [(16, 8192, 8192, (16, 64, 128)), (128, 8192, 4096, (128, 64, 64))])
def test_gemm_int8_weights(m, n, k, tiles):
    x, w, scale = randn(m, k, dtype=F16), randint(-128, 128, (k, n), I8), randn(n).abs() / 128
    y = empty(m, n, dtype=F16)
    launch(gemm_int8_weights, (cdiv(m, tiles[0]), cdiv(n, tiles[1])), x, w, scale, y, *tiles)
    close(y, x.float() @ w.float() * scale, 1e-2)


@ct.kernel
def gemm_int4_weights(x, w, scale, y, tm: INT, tn: INT, half: INT):
    """Two weights of 4 bits in each byte, `half` rows apart, with a scale per column and 2 * `half` rows."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((tm, tn), dtype=ct.float32)
    for group in range(ct.cdiv(w.shape[0], half)):
        both = ct.load(w, (group, j), (half, tn)).astype(ct.int32)
        factor = ct.load(scale, (group, j), (1, tn))
        low = ((both & 15) - 8).astype(ct.float32) * factor
        high = (((both >> 4) & 15) - 8).astype(ct.float32) * factor
        acc = ct.mma(ct.load(x, (i, 2 * group), (tm, half)), low.astype(x.dtype), acc)
        acc = ct.mma(ct.load(x, (i, 2 * group + 1), (tm, half)), high.astype(x.dtype), acc)
    ct.store(y, (i, j), acc.astype(y.dtype))


@pytest.mark.parametrize("m, n, k, tiles", [(16, 8192, 8192, (16, 64, 64)), (64, 4096, 4096, (64, 64, 64))])
def test_gemm_int4_weights(m, n, k, tiles):
    half = tiles[2]
    x, whole, scale = randn(m, k, dtype=BF16), randint(0, 16, (k, n)), randn(k // (2 * half), n).abs() / 8
    parts = whole.view(k // (2 * half), 2, half, n)
    w = (parts[:, 0] + 16 * parts[:, 1]).view(k // 2, n).to(torch.uint8)
    y = empty(m, n, dtype=BF16)
    launch(gemm_int4_weights, (cdiv(m, tiles[0]), cdiv(n, tiles[1])), x, w, scale, y, *tiles)
    real = (whole - 8).float() * scale.repeat_interleave(2 * half, 0)
    close(y, x.float() @ real, 2e-2)


@ct.kernel
def gemm_batched(a, b, c, tm: INT, tn: INT, tk: INT):
    i, j, batch = ct.bid(0), ct.bid(1), ct.bid(2)
    acc = ct.zeros((1, tm, tn), dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[2], tk)):
        x = ct.load(a, (batch, i, k), (1, tm, tk), padding_mode=ZERO)
        y = ct.load(b, (batch, k, j), (1, tk, tn), padding_mode=ZERO)
        acc = ct.mma(x, y, acc)
    ct.store(c, (batch, i, j), acc.astype(c.dtype))


@pytest.mark.parametrize("batch, m, n, k, tiles", [
    (32, 512, 512, 512, (128, 128, 64)),
    (200, 100, 120, 72, (64, 64, 32)),
])
def test_gemm_batched(batch, m, n, k, tiles):
    a, b, c = randn(batch, m, k, dtype=F16), randn(batch, k, n, dtype=F16), empty(batch, m, n, dtype=F16)
    launch(gemm_batched, (cdiv(m, tiles[0]), cdiv(n, tiles[1]), batch), a, b, c, *tiles)
    close(c, a.float() @ b.float(), 5e-3)


@ct.kernel
def gemm_grouped(a, b, c, tm: INT, tn: INT, tk: INT):
    """Products of several sizes, whose tiles the blocks share."""
    tile, first = ct.bid(0), 0
    for g in range(len(a)):
        columns = ct.num_tiles(b[g], 1, (tk, tn))
        end = first + ct.num_tiles(a[g], 0, (tm, tk)) * columns
        while tile < end:
            i, j = (tile - first) // columns, (tile - first) % columns
            acc = ct.zeros((tm, tn), dtype=ct.float32)
            for k in range(ct.num_tiles(a[g], 1, (tm, tk))):
                x = ct.load(a[g], (i, k), (tm, tk), padding_mode=ZERO)
                y = ct.load(b[g], (k, j), (tk, tn), padding_mode=ZERO)
                acc = ct.mma(x, y, acc)
            ct.store(c[g], (i, j), acc.astype(ct.float16))
            tile += ct.num_blocks(0)
        first = end


@pytest.mark.parametrize("sizes, tiles", [
    ([(512, 1024, 2048), (1000, 2000, 1000), (256, 4096, 512), (2048, 768, 768)], (128, 128, 64)),
])
def test_gemm_grouped(sizes, tiles):
    a = [randn(m, k, dtype=F16) for m, n, k in sizes]
    b = [randn(k, n, dtype=F16) for m, n, k in sizes]
    c = [empty(m, n, dtype=F16) for m, n, k in sizes]
    launch(gemm_grouped, (BLOCKS,), a, b, c, *tiles)
    for x, y, z in zip(a, b, c):
        close(z, x.float() @ y.float(), 5e-3)


@ct.kernel
def gemm_experts(x, w, rows, experts, y, tm: INT, tn: INT, tk: INT):
    """Each tile of rows, listed by number, is multiplied with the matrix of its expert."""
    i, j = ct.bid(0), ct.bid(1)
    row = ct.load(rows, (i,), (tm,))
    expert = ct.load(experts, (i,), ()).item()
    acc = ct.zeros((tm, tn), dtype=ct.float32)
    for k in range(ct.cdiv(x.shape[1], tk)):
        column = k * tk + ct.arange(tk, dtype=ct.int32)
        left = ct.gather(x, (row[:, None], column[None, :]))
        right = ct.load(w, (expert, k, j), (1, tk, tn), padding_mode=ZERO).reshape((tk, tn))
        acc = ct.mma(left, right, acc)
    column = j * tn + ct.arange(tn, dtype=ct.int32)
    ct.scatter(y, (row[:, None], column[None, :]), acc.astype(y.dtype))


@pytest.mark.parametrize("tokens, experts, n, k, tiles", [
    (2048, 8, 2048, 1024, (64, 128, 64)),
    (512, 16, 1024, 2048, (32, 64, 64)),
])
def test_gemm_experts(tokens, experts, n, k, tiles):
    x, w = randn(tokens, k, dtype=BF16), randn(experts, k, n, dtype=BF16)
    y = empty(tokens, n, dtype=BF16)
    rows = torch.randperm(tokens, device="cuda").to(I32)
    which = (torch.arange(tokens // tiles[0], device="cuda") * experts // (tokens // tiles[0])).to(I32)
    launch(gemm_experts, (tokens // tiles[0], cdiv(n, tiles[1])), x, w, rows, which, y, *tiles)
    parts = x[rows.long()].float().view(experts, tokens // experts, k) @ w.float()
    close(y[rows.long()], parts.view(tokens, n), 1e-2)


@ct.kernel
def gemm_split_k(a, b, c, tm: INT, tn: INT, tk: INT, steps: INT):
    i, j, part = ct.bid(0), ct.bid(1), ct.bid(2)
    acc = ct.zeros((tm, tn), dtype=ct.float32)
    for step in range(steps):
        x = ct.load(a, (i, part * steps + step), (tm, tk), padding_mode=ZERO)
        y = ct.load(b, (part * steps + step, j), (tk, tn), padding_mode=ZERO)
        acc = ct.mma(x, y, acc)
    row = i * tm + ct.arange(tm, dtype=ct.int32)
    column = j * tn + ct.arange(tn, dtype=ct.int32)
    ct.atomic_add(c, (row[:, None], column[None, :]), acc, memory_order=ct.MemoryOrder.RELAXED)


@pytest.mark.parametrize("m, n, k, tiles, parts", [
    (256, 512, 32768, (128, 128, 64), 16),
    (128, 300, 32768, (64, 64, 64), 16),
])
def test_gemm_split_k(m, n, k, tiles, parts):
    a, b, c = randn(m, k, dtype=F16), randn(k, n, dtype=F16), zeros(m, n)
    launch(gemm_split_k, (cdiv(m, tiles[0]), cdiv(n, tiles[1]), parts), a, b, c, *tiles, k // tiles[2] // parts)
    close(c, a.float() @ b.float(), 2e-3)


@ct.kernel
def gemm_stream_k(a, b, c, tm: INT, tn: INT, tk: INT):
    """Each block does as many steps as any other, of one tile or of several."""
    columns, steps = ct.cdiv(c.shape[1], tn), ct.cdiv(a.shape[1], tk)
    total = ct.cdiv(c.shape[0], tm) * columns * steps
    share = ct.cdiv(total, ct.num_blocks(0))
    step = ct.bid(0) * share
    end = min(step + share, total)
    while step < end:
        tile = step // steps
        stop = min(end, (tile + 1) * steps)
        i, j = tile // columns, tile % columns
        acc = ct.zeros((tm, tn), dtype=ct.float32)
        for k in range(step - tile * steps, stop - tile * steps):
            x = ct.load(a, (i, k), (tm, tk), padding_mode=ZERO)
            y = ct.load(b, (k, j), (tk, tn), padding_mode=ZERO)
            acc = ct.mma(x, y, acc)
        row = i * tm + ct.arange(tm, dtype=ct.int32)
        column = j * tn + ct.arange(tn, dtype=ct.int32)
        ct.atomic_add(c, (row[:, None], column[None, :]), acc)
        step = stop


@pytest.mark.parametrize("m, n, k, tiles", [(1536, 1792, 4096, (128, 128, 64))])
def test_gemm_stream_k(m, n, k, tiles):
    a, b, c = randn(m, k, dtype=BF16), randn(k, n, dtype=BF16), zeros(m, n)
    launch(gemm_stream_k, (BLOCKS,), a, b, c, *tiles)
    close(c, a.float() @ b.float(), 2e-3)


def gelu(x):
    return 0.5 * x * (1.0 + ct.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def silu(x):
    return x / (1.0 + ct.exp(-x))


@ct.kernel
def gemm_bias_gelu(a, b, bias, c, tm: INT, tn: INT, tk: INT):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((tm, tn), dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], tk)):
        x = ct.load(a, (i, k), (tm, tk), padding_mode=ZERO)
        acc = ct.mma(x, ct.load(b, (k, j), (tk, tn), padding_mode=ZERO), acc)
    acc += ct.load(bias, (j,), (tn,), padding_mode=ZERO).astype(ct.float32)[None, :]
    ct.store(c, (i, j), gelu(acc).astype(c.dtype))


@pytest.mark.parametrize("m, n, k, tiles", [(4096, 3072, 768, (128, 128, 64)), (1000, 4096, 1024, (64, 256, 64))])
def test_gemm_bias_gelu(m, n, k, tiles):
    a, b, bias = randn(m, k, dtype=F16), randn(k, n, dtype=F16, scale=0.05), randn(n, dtype=F16)
    c = empty(m, n, dtype=F16)
    launch(gemm_bias_gelu, (cdiv(m, tiles[0]), cdiv(n, tiles[1])), a, b, bias, c, *tiles)
    close(c, torch.nn.functional.gelu(a.float() @ b.float() + bias.float(), approximate="tanh"), 5e-3)


@ct.kernel
def gemm_bias_silu_residual(a, b, bias, residual, c, tm: INT, tn: INT, tk: INT):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((tm, tn), dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], tk)):
        x = ct.load(a, (i, k), (tm, tk), padding_mode=ZERO)
        acc = ct.mma(x, ct.load(b, (k, j), (tk, tn), padding_mode=ZERO), acc)
    acc = silu(acc + ct.load(bias, (0, j), (1, tn), padding_mode=ZERO))
    acc += ct.load(residual, (i, j), (tm, tn), padding_mode=ZERO).astype(ct.float32)
    ct.store(c, (i, j), acc.astype(c.dtype))


@pytest.mark.parametrize("m, n, k, tiles", [(4096, 4096, 1024, (128, 128, 64)), (2050, 1032, 520, (128, 64, 32))])
def test_gemm_bias_silu_residual(m, n, k, tiles):
    a, b, bias = randn(m, k, dtype=BF16), randn(k, n, dtype=BF16, scale=0.05), randn(1, n)
    residual, c = randn(m, n, dtype=BF16), empty(m, n, dtype=BF16)
    launch(gemm_bias_silu_residual, (cdiv(m, tiles[0]), cdiv(n, tiles[1])), a, b, bias, residual, c, *tiles)
    close(c, torch.nn.functional.silu(a.float() @ b.float() + bias) + residual.float(), 1e-2)


@ct.kernel
def gemm_gated(a, gate, up, c, tm: INT, tn: INT, tk: INT):
    i, j = ct.bid(0), ct.bid(1)
    left = ct.zeros((tm, tn), dtype=ct.float32)
    right = ct.zeros((tm, tn), dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], tk)):
        x = ct.load(a, (i, k), (tm, tk), padding_mode=ZERO)
        left = ct.mma(x, ct.load(gate, (k, j), (tk, tn), padding_mode=ZERO), left)
        right = ct.mma(x, ct.load(up, (k, j), (tk, tn), padding_mode=ZERO), right)
    ct.store(c, (i, j), (silu(left) * right).astype(c.dtype))


@pytest.mark.parametrize("m, n, k, tiles", [(2048, 4096, 2048, (128, 128, 64)), (512, 5632, 1024, (64, 64, 64))])
def test_gemm_gated(m, n, k, tiles):
    a, gate, up = randn(m, k, dtype=BF16), randn(k, n, dtype=BF16, scale=0.05), randn(k, n, dtype=BF16, scale=0.05)
    c = empty(m, n, dtype=BF16)
    launch(gemm_gated, (cdiv(m, tiles[0]), cdiv(n, tiles[1])), a, gate, up, c, *tiles)
    x = a.float()
    close(c, torch.nn.functional.silu(x @ gate.float()) * (x @ up.float()), 1e-2)


@ct.kernel
def gemm_normalised(x, weight, b, c, tm: INT, tn: INT, tk: INT):
    """The rows of the left factor are divided by their root mean square, which the loop sums on its way."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((tm, tn), dtype=ct.float32)
    squares = ct.zeros((tm, 1), dtype=ct.float32)
    for k in range(ct.cdiv(x.shape[1], tk)):
        left = ct.load(x, (i, k), (tm, tk), padding_mode=ZERO).astype(ct.float32)
        squares += ct.sum(left * left, axis=1, keepdims=True)
        left = left * ct.load(weight, (0, k), (1, tk), padding_mode=ZERO)
        acc = ct.mma(left.astype(b.dtype), ct.load(b, (k, j), (tk, tn), padding_mode=ZERO), acc)
    acc = acc * ct.rsqrt(squares / x.shape[1] + 1e-5)
    ct.store(c, (i, j), acc.astype(c.dtype))


@pytest.mark.parametrize("m, n, k, tiles", [(2048, 2048, 2048, (128, 128, 64)), (1024, 3000, 1000, (64, 128, 64))])
def test_gemm_normalised(m, n, k, tiles):
    x, weight, b, c = randn(m, k, dtype=BF16), randn(1, k), randn(k, n, dtype=BF16), empty(m, n, dtype=BF16)
    launch(gemm_normalised, (cdiv(m, tiles[0]), cdiv(n, tiles[1])), x, weight, b, c, *tiles)
    left = x.float() * torch.rsqrt(x.float().square().mean(1, keepdim=True) + 1e-5) * weight
    close(c, left @ b.float(), 1e-2)


@ct.kernel
def gemm_low_rank(x, w, down, up, y, tm: INT, tn: INT, tk: INT, rank: INT):
    """x @ w + (x @ down) @ up."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((tm, tn), dtype=ct.float32)
    low = ct.zeros((tm, rank), dtype=ct.float32)
    for k in range(ct.cdiv(x.shape[1], tk)):
        left = ct.load(x, (i, k), (tm, tk), padding_mode=ZERO)
        acc = ct.mma(left, ct.load(w, (k, j), (tk, tn), padding_mode=ZERO), acc)
        low = ct.mma(left, ct.load(down, (k, 0), (tk, rank), padding_mode=ZERO), low)
    acc = ct.mma(low.astype(x.dtype), ct.load(up, (0, j), (rank, tn), padding_mode=ZERO), acc)
    ct.store(y, (i, j), acc.astype(y.dtype))


@pytest.mark.parametrize("m, n, k, rank, tiles", [
    (2048, 4096, 2048, 16, (128, 128, 64)),
    (1024, 2048, 2048, 64, (64, 128, 64)),
])
def test_gemm_low_rank(m, n, k, rank, tiles):
    x, w, y = randn(m, k, dtype=F16), randn(k, n, dtype=F16, scale=0.05), empty(m, n, dtype=F16)
    down, up = randn(k, rank, dtype=F16, scale=0.05), randn(rank, n, dtype=F16)
    launch(gemm_low_rank, (cdiv(m, tiles[0]), cdiv(n, tiles[1])), x, w, down, up, y, *tiles, rank)
    close(y, x.float() @ w.float() + (x.float() @ down.float()) @ up.float(), 5e-3)


@ct.kernel(occupancy=4)
def gemm_few_rows(x, w, y, tm: INT, tn: INT, tk: INT):
    j = ct.bid(0)
    acc = ct.zeros((tm, tn), dtype=ct.float32)
    for k in range(ct.cdiv(x.shape[1], tk)):
        left = ct.load(x, (0, k), (tm, tk), padding_mode=ZERO)
        right = ct.load(w, (j, k), (tn, tk), padding_mode=ZERO)
        acc = ct.mma(left, ct.transpose(right), acc)
    ct.store(y, (0, j), acc.astype(y.dtype))


@pytest.mark.parametrize("m, n, k, tiles", [
    (1, 8192, 4096, (16, 32, 256)),
    (8, 4096, 8192, (16, 16, 256)),
    (16, 16384, 2048, (16, 64, 128)),
])
def test_gemm_few_rows(m, n, k, tiles):
    x, w, y = randn(m, k, dtype=F16), randn(n, k, dtype=F16), empty(m, n, dtype=F16)
    launch(gemm_few_rows, (cdiv(n, tiles[1]),), x, w, y, *tiles)
    close(y, x.float() @ w.float().T, 5e-3)


@ct.kernel
def matrix_vector(a, x, y, tm: INT, tk: INT):
    i = ct.bid(0)
    acc = ct.zeros((tm, tk), dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], tk)):
        row = ct.load(a, (i, k), (tm, tk), padding_mode=ZERO).astype(ct.float32)
        acc += row * ct.load(x, (k,), (tk,), padding_mode=ZERO).astype(ct.float32)[None, :]
    ct.store(y, (i,), ct.sum(acc, axis=1).astype(y.dtype))


@pytest.mark.parametrize("m, n, dtype, tiles", [
    (8192, 8192, F16, (8, 512)),
    (400000, 100, F32, (64, 128)),
    (3000, 5001, BF16, (4, 1024)),
])
def test_matrix_vector(m, n, dtype, tiles):
    a, x, y = randn(m, n, dtype=dtype), randn(n, dtype=dtype), empty(m)
    launch(matrix_vector, (cdiv(m, tiles[0]),), a, x, y, *tiles)
    close(y, a.double() @ x.double(), 1e-4)


@ct.kernel
def matrix_vector_f64(a, x, y, tm: INT, tk: INT):
    """Goes down the columns: the matrix is stored transposed."""
    i = ct.bid(0)
    acc = ct.zeros((tm,), dtype=ct.float64)
    for k in range(ct.cdiv(a.shape[0], tk)):
        part = ct.load(a, (k, i), (tk, tm), padding_mode=ZERO) * ct.load(x, (k,), (tk,), padding_mode=ZERO)[:, None]
        acc += ct.sum(part, axis=0)
    ct.store(y, (i,), acc)


@pytest.mark.parametrize("m, n, tiles", [(8192, 2048, (64, 16)), (5003, 3001, (32, 32))])
def test_matrix_vector_f64(m, n, tiles):
    a, x, y = randn(n, m, dtype=F64), randn(n, dtype=F64), empty(m, dtype=F64)
    launch(matrix_vector_f64, (cdiv(m, tiles[0]),), a, x, y, *tiles)
    close(y, a.T @ x, 1e-12)


@ct.kernel
def gemm_narrow(a, b, c, tm: INT, n: INT, k: INT):
    """A long matrix with few columns; the right factor is one tile that stays."""
    right = ct.load(b, (0, 0), (k, n))
    for i in range(ct.bid(0), ct.cdiv(a.shape[0], tm), ct.num_blocks(0)):
        acc = ct.mma(ct.load(a, (i, 0), (tm, k), padding_mode=ZERO), right, ct.zeros((tm, n), dtype=ct.float32))
        ct.store(c, (i, 0), acc.astype(c.dtype))


@pytest.mark.parametrize("m, n, k, tm", [(500000, 32, 64, 128), (200003, 64, 128, 64)])
def test_gemm_narrow(m, n, k, tm):
    a, b, c = randn(m, k, dtype=F16), randn(k, n, dtype=F16), empty(m, n, dtype=F16)
    launch(gemm_narrow, (4 * BLOCKS,), a, b, c, tm, n, k)
    close(c, a.float() @ b.float(), 5e-3)


@ct.kernel(num_ctas=1, occupancy=1)
def gemm_persistent(a, b, c, tm: INT, tn: INT, tk: INT):
    rows, columns = ct.cdiv(c.shape[0], tm), ct.cdiv(c.shape[1], tn)
    for tile in range(ct.bid(0), rows * columns, ct.num_blocks(0)):
        i, j = position(tile, rows, columns, 4)
        acc = ct.zeros((tm, tn), dtype=ct.float32)
        for k in range(ct.cdiv(a.shape[1], tk)):
            x = ct.load(a, (i, k), (tm, tk), padding_mode=ZERO, latency=4)
            y = ct.load(b, (k, j), (tk, tn), padding_mode=ZERO, latency=4)
            acc = ct.mma(x, y, acc)
        ct.store(c, (i, j), acc.astype(c.dtype))


@pytest.mark.parametrize("m, n, k, tiles", [(4096, 4096, 2048, (128, 256, 64)), (3000, 5000, 1024, (128, 128, 64))])
def test_gemm_persistent(m, n, k, tiles):
    a, b, c = randn(m, k, dtype=BF16), randn(k, n, dtype=BF16), empty(m, n, dtype=BF16)
    launch(gemm_persistent, (BLOCKS,), a, b, c, *tiles)
    close(c, a.float() @ b.float(), 1e-2)


@ct.kernel(num_ctas=2)
def gemm_two_ctas(a, b, c, tm: INT, tn: INT, tk: INT):
    i, j = position(ct.bid(0), ct.cdiv(c.shape[0], tm), ct.cdiv(c.shape[1], tn), 8)
    acc = ct.zeros((tm, tn), dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], tk)):
        x = ct.load(a, (i, k), (tm, tk), padding_mode=ZERO)
        acc = ct.mma(x, ct.load(b, (k, j), (tk, tn), padding_mode=ZERO), acc)
    ct.store(c, (i, j), acc.astype(c.dtype))


@pytest.mark.parametrize("m, n, k, tiles", [(4096, 4096, 2048, (256, 256, 64))])
def test_gemm_two_ctas(m, n, k, tiles):
    a, b, c = randn(m, k, dtype=F16), randn(k, n, dtype=F16), empty(m, n, dtype=F16)
    launch(gemm_two_ctas, (cdiv(m, tiles[0]) * cdiv(n, tiles[1]),), a, b, c, *tiles)
    close(c, a.float() @ b.float(), 5e-3)


@ct.kernel
def gemm_fp8_blocks(a, a_scale, b, b_scale, c, tm: INT, tn: INT):
    """A scale for each 128 numbers of a row of the left factor, and for each 128 x 128 of the right one."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((tm, tn), dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], 128)):
        x = ct.load(a, (i, k), (tm, 128), padding_mode=ZERO)
        y = ct.load(b, (k, j), (128, tn), order=(1, 0), padding_mode=ZERO)
        part = ct.mma(x, y, ct.zeros((tm, tn), dtype=ct.float32))
        factor = ct.load(a_scale, (i, k), (tm, 1), padding_mode=ZERO) * ct.load(b_scale, (j * tn // 128, k), (1, 1))
        acc += part * factor
    ct.store(c, (i, j), acc.astype(c.dtype))


@pytest.mark.parametrize("m, n, k, tiles", [(4096, 2048, 4096, (128, 128)), (512, 4096, 2048, (64, 64))])
def test_gemm_fp8_blocks(m, n, k, tiles):
    a, b, c = randn(m, k, dtype=FP8), randn(n, k, dtype=FP8), empty(m, n, dtype=BF16)
    a_scale, b_scale = randn(m, k // 128).abs() + 0.1, randn(n // 128, k // 128).abs() + 0.1
    launch(gemm_fp8_blocks, (cdiv(m, tiles[0]), cdiv(n, tiles[1])), a, a_scale, b, b_scale, c, *tiles)
    left = a.float() * a_scale.repeat_interleave(128, 1)
    right = b.float() * b_scale.repeat_interleave(128, 0).repeat_interleave(128, 1)
    close(c, left @ right.T, 2e-2)


@ct.kernel
def gemm_complex(a, b, c, tm: INT, tn: INT, tk: INT):
    """Real parts first, imaginary parts second."""
    i, j = ct.bid(0), ct.bid(1)
    real = ct.zeros((tm, tn), dtype=ct.float32)
    minus = ct.zeros((tm, tn), dtype=ct.float32)
    imaginary = ct.zeros((tm, tn), dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[2], tk)):
        ar = ct.load(a, (0, i, k), (1, tm, tk), padding_mode=ZERO).reshape((tm, tk))
        ai = ct.load(a, (1, i, k), (1, tm, tk), padding_mode=ZERO).reshape((tm, tk))
        br = ct.load(b, (0, k, j), (1, tk, tn), padding_mode=ZERO).reshape((tk, tn))
        bi = ct.load(b, (1, k, j), (1, tk, tn), padding_mode=ZERO).reshape((tk, tn))
        real = ct.mma(ar, br, real)
        minus = ct.mma(ai, bi, minus)
        imaginary = ct.mma(ai, br, ct.mma(ar, bi, imaginary))
    ct.store(c, (0, i, j), (real - minus).reshape((1, tm, tn)))
    ct.store(c, (1, i, j), imaginary.reshape((1, tm, tn)))


@pytest.mark.parametrize("m, n, k, tiles", [(2048, 2048, 1024, (64, 64, 64)), (1000, 1000, 1000, (64, 128, 32))])
def test_gemm_complex(m, n, k, tiles):
    a, b, c = randn(2, m, k, dtype=F16), randn(2, k, n, dtype=F16), empty(2, m, n)
    launch(gemm_complex, (cdiv(m, tiles[0]), cdiv(n, tiles[1])), a, b, c, *tiles)
    x, y = a.float(), b.float()
    close(c, torch.stack([x[0] @ y[0] - x[1] @ y[1], x[0] @ y[1] + x[1] @ y[0]]), 2e-3)


@ct.kernel
def gemm_symmetric(a, c, t: INT, tk: INT):
    """a @ a^T: only the lower tiles are computed, and stored a second time transposed."""
    i, j = ct.bid(0), ct.bid(1)
    if j <= i:
        acc = ct.zeros((t, t), dtype=ct.float32)
        for k in range(ct.cdiv(a.shape[1], tk)):
            x = ct.load(a, (i, k), (t, tk), padding_mode=ZERO)
            y = ct.load(a, (j, k), (t, tk), padding_mode=ZERO)
            acc = ct.mma(x, ct.transpose(y), acc)
        ct.store(c, (i, j), acc)
        if j < i:
            ct.store(c, (j, i), ct.transpose(acc))


@pytest.mark.parametrize("m, k, tiles", [(4096, 1024, (128, 64)), (1500, 3000, (64, 64))])
def test_gemm_symmetric(m, k, tiles):
    a, c = randn(m, k, dtype=BF16), empty(m, m)
    launch(gemm_symmetric, (cdiv(m, tiles[0]), cdiv(m, tiles[0])), a, c, *tiles)
    close(c, a.float() @ a.float().T, 2e-3)


@ct.kernel
def gemm_block_sparse(a, b, starts, blocks, c, tm: INT, tn: INT, tk: INT):
    """The tiles of `a` that are not zero lie one after the other; `blocks` has their columns."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((tm, tn), dtype=ct.float32)
    for at in range(ct.gather(starts, i).item(), ct.gather(starts, i + 1).item()):
        k = ct.gather(blocks, at).item()
        x = ct.load(a, (at, 0, 0), (1, tm, tk)).reshape((tm, tk))
        acc = ct.mma(x, ct.load(b, (k, j), (tk, tn), padding_mode=ZERO), acc)
    ct.store(c, (i, j), acc.astype(c.dtype))


@pytest.mark.parametrize("m, n, k, tiles, kept", [
    (4096, 4096, 4096, (128, 128, 64), 12),
    (2048, 1000, 8192, (64, 64, 64), 20),
])
def test_gemm_block_sparse(m, n, k, tiles, kept):
    rows, columns = m // tiles[0], k // tiles[2]
    chosen = torch.rand(rows, columns, device="cuda").topk(kept, 1).indices.sort(1).values
    a, b, c = randn(rows * kept, tiles[0], tiles[2], dtype=F16), randn(k, n, dtype=F16), empty(m, n, dtype=F16)
    starts = torch.arange(rows + 1, device="cuda", dtype=I32) * kept
    launch(gemm_block_sparse, (rows, cdiv(n, tiles[1])), a, b, starts, chosen.flatten().to(I32), c, *tiles)
    dense = zeros(rows, columns, tiles[0], tiles[2])
    dense[torch.arange(rows, device="cuda")[:, None], chosen] = a.float().view(rows, kept, tiles[0], tiles[2])
    close(c, dense.transpose(1, 2).reshape(m, k) @ b.float(), 5e-3)


@ct.kernel
def low_rank_chain(x, down, up, y, tm: INT, tn: INT, tk: INT, rank: INT):
    """(x @ down) @ up, for all columns of a tile of rows."""
    i = ct.bid(0)
    low = ct.zeros((tm, rank), dtype=ct.float32)
    for k in range(ct.cdiv(x.shape[1], tk)):
        left = ct.load(x, (i, k), (tm, tk), padding_mode=ZERO)
        low = ct.mma(left, ct.load(down, (k, 0), (tk, rank), padding_mode=ZERO), low)
    narrow = low.astype(x.dtype)
    for j in range(ct.cdiv(y.shape[1], tn)):
        wide = ct.mma(narrow, ct.load(up, (0, j), (rank, tn), padding_mode=ZERO), ct.zeros((tm, tn), dtype=ct.float32))
        ct.store(y, (i, j), wide.astype(y.dtype))


@pytest.mark.parametrize("m, n, k, rank, tiles", [
    (8192, 2048, 2048, 64, (64, 128, 64)),
    (4000, 1000, 3000, 32, (32, 64, 128)),
])
def test_low_rank_chain(m, n, k, rank, tiles):
    x, down, up = randn(m, k, dtype=BF16), randn(k, rank, dtype=BF16, scale=0.05), randn(rank, n, dtype=BF16)
    y = empty(m, n, dtype=BF16)
    launch(low_rank_chain, (cdiv(m, tiles[0]),), x, down, up, y, *tiles, rank)
    close(y, (x.float() @ down.float()) @ up.float(), 1e-2)


@ct.kernel
def distances(x, y, out, tm: INT, tn: INT, tk: INT):
    """Squares of the distances between all rows of `x` and all of `y`."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((tm, tn), dtype=ct.float32)
    xx = ct.zeros((tm, 1), dtype=ct.float32)
    yy = ct.zeros((1, tn), dtype=ct.float32)
    for k in range(ct.cdiv(x.shape[1], tk)):
        a = ct.load(x, (i, k), (tm, tk), padding_mode=ZERO)
        b = ct.load(y, (k, j), (tk, tn), order="F", padding_mode=ZERO)
        xx += ct.sum(a * a, axis=1, keepdims=True)
        yy += ct.sum(b * b, axis=0, keepdims=True)
        acc = ct.mma(a.astype(ct.tfloat32), b.astype(ct.tfloat32), acc)
    ct.store(out, (i, j), ct.maximum(xx + yy - 2.0 * acc, 0.0))


@pytest.mark.parametrize("m, n, k, tiles", [(4096, 4096, 256, (64, 128, 32)), (3001, 2003, 100, (64, 64, 32))])
def test_distances(m, n, k, tiles):
    x, y, out = randn(m, k), randn(n, k), empty(m, n)
    launch(distances, (cdiv(m, tiles[0]), cdiv(n, tiles[1])), x, y, out, *tiles)
    a, b = x.double(), y.double()
    close(out, a.square().sum(1)[:, None] + b.square().sum(1)[None] - 2 * a @ b.T, 2e-3)


@ct.kernel
def nearest(x, centres, lengths, out, tm: INT, tn: INT, d: INT):
    """For each row of `x` the number of the nearest centre, whose squared lengths are given."""
    i = ct.bid(0)
    points = ct.load(x, (i, 0), (tm, d), padding_mode=ZERO)
    best = ct.full((tm,), 1e30, dtype=ct.float32)
    which = ct.zeros((tm,), dtype=ct.int32)
    for j in range(ct.cdiv(centres.shape[0], tn)):
        centre = ct.load(centres, (j, 0), (tn, d), padding_mode=ZERO)
        dot = ct.mma(points, ct.transpose(centre), ct.zeros((tm, tn), dtype=ct.float32))
        far = ct.load(lengths, (0, j), (1, tn), padding_mode=ct.PaddingMode.POS_INF) - 2.0 * dot
        here = ct.min(far, axis=1)
        closer = here < best
        which = ct.where(closer, j * tn + ct.argmin(far, axis=1).astype(ct.int32), which)
        best = ct.where(closer, here, best)
    ct.store(out, (i,), which)


@pytest.mark.parametrize("m, n, d, tiles", [(65536, 1024, 64, (128, 128)), (20000, 2000, 128, (64, 64))])
def test_nearest(m, n, d, tiles):
    centres, out = randn(n, d, dtype=F16), empty(m, dtype=I32)
    x = centres[randint(0, n, (m,)).long()] + randn(m, d, dtype=F16, scale=0.25)
    lengths = centres.float().square().sum(1)[None]
    launch(nearest, (cdiv(m, tiles[0]),), x, centres, lengths, out, *tiles, d)
    far = lengths - 2 * x.float() @ centres.float().T
    close(far.gather(1, out.long()[:, None])[:, 0], far.min(1).values, 1e-4)


# Convolutions


@ct.kernel
def conv1d_depthwise(x, w, y, t: INT, tc: INT, width: INT):
    """A causal filter for each channel, then silu."""
    batch, i, j = ct.bid(2), ct.bid(0), ct.bid(1)
    at = i * t + ct.arange(t, dtype=ct.int32)
    channel = j * tc + ct.arange(tc, dtype=ct.int32)
    acc = ct.zeros((t, tc), dtype=ct.float32)
    for tap in range(width):
        part = ct.gather(x, (batch, at[:, None] - (width - 1 - tap), channel[None, :])).astype(ct.float32)
        acc += part * ct.gather(w, (tap, channel)).astype(ct.float32)[None, :]
    ct.scatter(y, (batch, at[:, None], channel[None, :]), silu(acc).astype(y.dtype))


@pytest.mark.parametrize("batch, length, channels, tiles", [(4, 4096, 2048, (32, 128)), (3, 2001, 1000, (16, 256))])
def test_conv1d_depthwise(batch, length, channels, tiles):
    x, w = randn(batch, length, channels, dtype=BF16), randn(4, channels, dtype=BF16)
    y = empty(batch, length, channels, dtype=BF16)
    launch(conv1d_depthwise, (cdiv(length, tiles[0]), cdiv(channels, tiles[1]), batch), x, w, y, *tiles, 4)
    wide = torch.nn.functional.pad(x.float(), (0, 0, 3, 0))
    total = sum(wide[:, tap:tap + length] * w[tap].float() for tap in range(4))
    close(y, torch.nn.functional.silu(total), 1e-2)


@ct.kernel
def conv1d(x, w, y, t: INT, tn: INT, tc: INT):
    """Taps by channels by filters; the products of the taps are added."""
    batch, i, j = ct.bid(2), ct.bid(0), ct.bid(1)
    at = i * t + ct.arange(t, dtype=ct.int32)
    acc = ct.zeros((t, tn), dtype=ct.float32)
    for tap in range(w.shape[0]):
        for c in range(ct.cdiv(x.shape[2], tc)):
            channel = c * tc + ct.arange(tc, dtype=ct.int32)
            left = ct.gather(x, (batch, at[:, None] + tap - w.shape[0] // 2, channel[None, :]))
            right = ct.load(w, (tap, c, j), (1, tc, tn), padding_mode=ZERO).reshape((tc, tn))
            acc = ct.mma(left, right, acc)
    ct.store(y, (batch, i, j), acc.astype(y.dtype).reshape((1, t, tn)))


@pytest.mark.parametrize("batch, length, c, n, taps, tiles", [
    (8, 2048, 256, 256, 5, (128, 128, 64)),
    (4, 1500, 80, 384, 3, (64, 128, 16)),
])
def test_conv1d(batch, length, c, n, taps, tiles):
    x, w, y = randn(batch, length, c, dtype=F16), randn(taps, c, n, dtype=F16), empty(batch, length, n, dtype=F16)
    launch(conv1d, (cdiv(length, tiles[0]), cdiv(n, tiles[1]), batch), x, w, y, *tiles)
    expected = torch.nn.functional.conv1d(x.float().transpose(1, 2), w.float().permute(2, 1, 0), padding=taps // 2)
    close(y, expected.transpose(1, 2), 5e-3)


@ct.kernel
def conv2d(x, w, y, tm: INT, tn: INT, tc: INT):
    """3 x 3, images by rows by columns by channels, as a product of gathered pixels."""
    i, j = ct.bid(0), ct.bid(1)
    height, width = x.shape[1], x.shape[2]
    pixel = i * tm + ct.arange(tm, dtype=ct.int32)
    image, row, column = pixel // (height * width), pixel // width % height, pixel % width
    acc = ct.zeros((tm, tn), dtype=ct.float32)
    for tap in range(9):
        for c in range(ct.cdiv(x.shape[3], tc)):
            channel = c * tc + ct.arange(tc, dtype=ct.int32)
            where = (image[:, None], row[:, None] + tap // 3 - 1, column[:, None] + tap % 3 - 1, channel[None, :])
            left = ct.gather(x, where)
            right = ct.load(w, (tap, c, j), (1, tc, tn), padding_mode=ZERO).reshape((tc, tn))
            acc = ct.mma(left, right, acc)
    ct.store(y, (i, j), acc.astype(y.dtype))


@pytest.mark.parametrize("n, size, c, filters, tiles", [
    (8, 56, 128, 128, (128, 128, 64)),
    (4, 61, 64, 192, (64, 64, 64)),
])
def test_conv2d(n, size, c, filters, tiles):
    x, w, y = randn(n, size, size, c, dtype=F16), randn(9, c, filters, dtype=F16), empty(n * size * size, filters, dtype=F16)
    launch(conv2d, (cdiv(n * size * size, tiles[0]), cdiv(filters, tiles[1])), x, w, y, *tiles)
    taps = w.float().view(3, 3, c, filters).permute(3, 2, 0, 1)
    expected = torch.nn.functional.conv2d(x.float().permute(0, 3, 1, 2), taps, padding=1)
    close(y, expected.permute(0, 2, 3, 1).reshape(-1, filters), 5e-3)


@ct.kernel
def conv2d_offsets(x, offsets, w, y, size: INT, side: INT, out: INT, channels: INT, tm: INT, tn: INT, tk: INT):
    """Images by channels by rows by columns; a table says how far each factor lies from a pixel."""
    i, j = ct.bid(0), ct.bid(1)
    pixel = i * tm + ct.arange(tm, dtype=ct.int32)
    base = pixel // (out * out) * (channels * size * size) + pixel // out % out * size + pixel % out
    acc = ct.zeros((tm, tn), dtype=ct.float32)
    for k in range(ct.cdiv(w.shape[0], tk)):
        offset = ct.gather(offsets, k * tk + ct.arange(tk, dtype=ct.int32))
        left = ct.gather(x, base[:, None] + offset[None, :])
        acc = ct.mma(left, ct.load(w, (k, j), (tk, tn), padding_mode=ZERO), acc)
    ct.store(y, (i, j), acc.astype(y.dtype))


@pytest.mark.parametrize("n, size, c, side, filters, tiles", [
    (16, 64, 16, 5, 64, (128, 64, 32)),
    (32, 34, 3, 7, 32, (64, 32, 16)),
])
def test_conv2d_offsets(n, size, c, side, filters, tiles):
    out = size - side + 1
    x, w, y = randn(n, c, size, size, dtype=BF16), randn(c * side * side, filters, dtype=BF16), empty(n * out * out, filters)
    steps = torch.arange(side, device="cuda")
    offsets = torch.arange(c, device="cuda")[:, None, None] * size * size + steps[None, :, None] * size + steps
    grid = cdiv(n * out * out, tiles[0]), cdiv(filters, tiles[1])
    launch(conv2d_offsets, grid, x.view(-1), offsets.flatten().to(I32), w, y, size, side, out, c, *tiles)
    expected = torch.nn.functional.conv2d(x.float(), w.float().T.reshape(filters, c, side, side))
    close(y, expected.permute(0, 2, 3, 1).reshape(-1, filters), 2e-3)


# Attention


def attended(q, k, v, scale, keep=None, bias=None):
    """Attention in f32; keys and values may have fewer heads."""
    group = q.shape[1] // k.shape[1]
    k, v = k.float().repeat_interleave(group, 1), v.float().repeat_interleave(group, 1)
    scores = q.float() @ k.transpose(-1, -2) * scale
    if bias is not None:
        scores = scores + bias
    if keep is not None:
        scores = scores.masked_fill(~keep, float("-inf"))
    return torch.softmax(scores, -1) @ v


def online(scores, v, best, total, acc):
    """Takes a block of keys into a softmax; scores are in powers of two."""
    new = ct.maximum(best, ct.max(scores, axis=1, keepdims=True))
    weights = ct.exp2(scores - new)
    fade = ct.exp2(best - new)
    total = total * fade + ct.sum(weights, axis=1, keepdims=True)
    return new, total, ct.mma(weights.astype(v.dtype), v, acc * fade)


def rows_of(x, batch, head, i, t, d):
    return ct.load(x, (batch, head, i, 0), (1, 1, t, d), padding_mode=ZERO).reshape((t, d))


@ct.kernel
def attention(q, k, v, out, scale: float, group: INT, causal: BOOL, tm: INT, tn: INT, d: INT):
    i, batch, head = ct.bid(0), ct.bid(2), ct.bid(1)
    query = rows_of(q, batch, head, i, tm, d)
    row = i * tm + ct.arange(tm, dtype=ct.int32)[:, None]
    best = ct.full((tm, 1), NEVER, dtype=ct.float32)
    total = ct.zeros((tm, 1), dtype=ct.float32)
    acc = ct.zeros((tm, d), dtype=ct.float32)
    keys = k.shape[2]
    end = min(keys, (i + 1) * tm) if causal else keys
    for j in range(ct.cdiv(end, tn)):
        key = rows_of(k, batch, head // group, j, tn, d)
        scores = ct.mma(query, ct.transpose(key), ct.zeros((tm, tn), dtype=ct.float32)) * (scale * LOG2E)
        column = j * tn + ct.arange(tn, dtype=ct.int32)[None, :]
        if causal:
            scores = ct.where(column <= row, scores, NEVER)
        else:
            scores = ct.where(column < keys, scores, NEVER)
        best, total, acc = online(scores, rows_of(v, batch, head // group, j, tn, d), best, total, acc)
    ct.store(out, (batch, head, i, 0), (acc / total).astype(out.dtype).reshape((1, 1, tm, d)))


@pytest.mark.parametrize("batch, heads, group, length, d, causal, dtype, tiles", [
    (1, 16, 1, 2048, 128, True, F16, (128, 128)),
    (2, 16, 4, 1024, 64, False, BF16, (128, 64)),
    (1, 32, 8, 1000, 128, True, BF16, (64, 64)),
    (1, 8, 1, 1537, 64, False, F16, (64, 128)),
])
def test_attention(batch, heads, group, length, d, causal, dtype, tiles):
    q, out = randn(batch, heads, length, d, dtype=dtype), empty(batch, heads, length, d, dtype=dtype)
    k, v = (randn(batch, heads // group, length, d, dtype=dtype) for _ in range(2))
    scale = d**-0.5
    launch(attention, (cdiv(length, tiles[0]), heads, batch), q, k, v, out, scale, group, causal, *tiles, d)
    keep = torch.ones(length, length, device="cuda", dtype=torch.bool).tril() if causal else None
    close(out, attended(q, k, v, scale, keep), 1e-2)


@ct.kernel(occupancy=2)
def attention_window(q, k, v, out, scale: float, window: INT, tm: INT, tn: INT, d: INT):
    """Each position sees itself and the `window` - 1 before it."""
    i, head, batch = ct.bid(0), ct.bid(1), ct.bid(2)
    query = rows_of(q, batch, head, i, tm, d)
    row = i * tm + ct.arange(tm, dtype=ct.int32)[:, None]
    best = ct.full((tm, 1), NEVER, dtype=ct.float32)
    total = ct.zeros((tm, 1), dtype=ct.float32)
    acc = ct.zeros((tm, d), dtype=ct.float32)
    first = max(i * tm - window + 1, 0) // tn
    for j in range(first, ct.cdiv(min(k.shape[2], (i + 1) * tm), tn)):
        key = ct.load(k, (batch, head, 0, j), (1, 1, d, tn), order=(0, 1, 3, 2), padding_mode=ZERO).reshape((d, tn))
        scores = ct.mma(query, key, ct.zeros((tm, tn), dtype=ct.float32)) * (scale * LOG2E)
        column = j * tn + ct.arange(tn, dtype=ct.int32)[None, :]
        scores = ct.where((column <= row) & (column > row - window), scores, NEVER)
        best, total, acc = online(scores, rows_of(v, batch, head, j, tn, d), best, total, acc)
    ct.store(out, (batch, head, i, 0), (acc / total).astype(out.dtype).reshape((1, 1, tm, d)))


@pytest.mark.parametrize("heads, length, d, window, tiles", [
    (8, 3072, 128, 512, (128, 64)),
    (16, 2000, 64, 300, (64, 64)),
])
def test_attention_window(heads, length, d, window, tiles):
    q, k, v = (randn(1, heads, length, d, dtype=BF16) for _ in range(3))
    out = empty(1, heads, length, d, dtype=BF16)
    launch(attention_window, (cdiv(length, tiles[0]), heads, 1), q, k, v, out, d**-0.5, window, *tiles, d)
    keep = torch.ones(length, length, device="cuda", dtype=torch.bool).tril().triu(1 - window)
    close(out, attended(q, k, v, d**-0.5, keep), 1e-2)


@ct.kernel
def attention_neighbours(q, k, v, out, scale: float, radius: INT, t: INT, d: INT):
    """Pixels of an image see the pixels around them; squares of t x t pixels, heads by rows by columns."""
    column, row, head = ct.bid(0), ct.bid(1), ct.bid(2)
    query = ct.load(q, (head, row, column, 0), (1, t, t, d), padding_mode=ZERO).reshape((t * t, d))
    inside = ct.arange(t * t, dtype=ct.int32)
    y, x = (row * t + inside // t)[:, None], (column * t + inside % t)[:, None]
    best = ct.full((t * t, 1), NEVER, dtype=ct.float32)
    total = ct.zeros((t * t, 1), dtype=ct.float32)
    acc = ct.zeros((t * t, d), dtype=ct.float32)
    height, width = q.shape[1], q.shape[2]
    for i in range(max(row * t - radius, 0) // t, min(ct.cdiv((row + 1) * t + radius, t), ct.cdiv(height, t))):
        for j in range(max(column * t - radius, 0) // t, min(ct.cdiv((column + 1) * t + radius, t), ct.cdiv(width, t))):
            key = ct.load(k, (head, i, j, 0), (1, t, t, d), padding_mode=ZERO).reshape((t * t, d))
            value = ct.load(v, (head, i, j, 0), (1, t, t, d), padding_mode=ZERO).reshape((t * t, d))
            scores = ct.mma(query, ct.transpose(key), ct.zeros((t * t, t * t), dtype=ct.float32)) * (scale * LOG2E)
            ky, kx = (i * t + inside // t)[None, :], (j * t + inside % t)[None, :]
            near = (ct.abs(ky - y) <= radius) & (ct.abs(kx - x) <= radius) & (ky < height) & (kx < width)
            best, total, acc = online(ct.where(near, scores, NEVER), value, best, total, acc)
    ct.store(out, (head, row, column, 0), (acc / total).astype(out.dtype).reshape((1, t, t, d)))


@pytest.mark.parametrize("heads, height, width, radius, d", [(16, 48, 48, 6, 64), (24, 40, 44, 3, 32)])
def test_attention_neighbours(heads, height, width, radius, d):
    q, k, v = (randn(heads, height, width, d, dtype=F16) for _ in range(3))
    out = empty(heads, height, width, d, dtype=F16)
    launch(attention_neighbours, (cdiv(width, 8), cdiv(height, 8), heads), q, k, v, out, d**-0.5, radius, 8, d)
    at = torch.arange(height * width, device="cuda")
    y, x = at // width, at % width
    keep = ((y[:, None] - y).abs() <= radius) & ((x[:, None] - x).abs() <= radius)
    flat = [each.reshape(1, heads, height * width, d) for each in (q, k, v)]
    close(out.view(1, heads, height * width, d), attended(*flat, d**-0.5, keep), 1e-2)


@ct.kernel
def attention_split(q, k, v, partial, logs, scale: float, share: INT, tn: INT, group: INT, d: INT):
    """One new position: each block takes a share of the keys of one head and all the heads that use it."""
    part, head, batch = ct.bid(0), ct.bid(1), ct.bid(2)
    query = ct.load(q, (batch, head, 0, 0), (1, 1, group, d)).reshape((group, d))
    best = ct.full((group, 1), NEVER, dtype=ct.float32)
    total = ct.zeros((group, 1), dtype=ct.float32)
    acc = ct.zeros((group, d), dtype=ct.float32)
    for j in range(part * share, min((part + 1) * share, ct.cdiv(k.shape[2], tn))):
        key = rows_of(k, batch, head, j, tn, d)
        scores = ct.mma(query, ct.transpose(key), ct.zeros((group, tn), dtype=ct.float32)) * (scale * LOG2E)
        column = j * tn + ct.arange(tn, dtype=ct.int32)[None, :]
        scores = ct.where(column < k.shape[2], scores, NEVER)
        best, total, acc = online(scores, rows_of(v, batch, head, j, tn, d), best, total, acc)
    ct.store(partial, (batch, head, part, 0, 0), (acc / total).reshape((1, 1, 1, group, d)))
    ct.store(logs, (batch, head, part, 0), (best + ct.log2(total)).reshape((1, 1, 1, group)))


@ct.kernel
def attention_combine(partial, logs, out, parts: INT, group: INT, d: INT):
    head, batch = ct.bid(0), ct.bid(1)
    log = ct.load(logs, (batch, head, 0, 0), (1, 1, parts, group)).reshape((parts, group))
    weights = ct.exp2(log - ct.max(log, axis=0, keepdims=True))
    weights = weights / ct.sum(weights, axis=0, keepdims=True)
    each = ct.load(partial, (batch, head, 0, 0, 0), (1, 1, parts, group, d)).reshape((parts, group, d))
    whole = ct.sum(each * weights[:, :, None], axis=0)
    ct.store(out, (batch, head, 0, 0), whole.astype(out.dtype).reshape((1, 1, group, d)))


@pytest.mark.parametrize("batch, heads, length, d, parts, tn", [(8, 4, 8192, 128, 16, 64), (4, 8, 5000, 64, 8, 128)])
def test_attention_split(batch, heads, length, d, parts, tn):
    group = 16
    q, out = randn(batch, heads, group, d, dtype=F16), empty(batch, heads, group, d, dtype=F16)
    k, v = (randn(batch, heads, length, d, dtype=F16) for _ in range(2))
    partial, logs = empty(batch, heads, parts, group, d), empty(batch, heads, parts, group)
    share = cdiv(cdiv(length, tn), parts)
    launch(attention_split, (parts, heads, batch), q, k, v, partial, logs, d**-0.5, share, tn, group, d)
    launch(attention_combine, (heads, batch), partial, logs, out, parts, group, d)
    close(out, attended(q, k, v, d**-0.5), 1e-2)


@ct.kernel
def attention_paged(q, k, v, table, lengths, out, scale: float, page: INT, group: INT, d: INT):
    """Keys and values lie in pages, which a table lists for each sequence."""
    head, batch = ct.bid(0), ct.bid(1)
    query = ct.load(q, (batch, head, 0, 0), (1, 1, group, d)).reshape((group, d))
    best = ct.full((group, 1), NEVER, dtype=ct.float32)
    total = ct.zeros((group, 1), dtype=ct.float32)
    acc = ct.zeros((group, d), dtype=ct.float32)
    length = ct.load(lengths, (batch,), ()).item()
    for j in range(ct.cdiv(length, page)):
        at = ct.load(table, (batch, j), (1, 1)).item()
        key = ct.load(k, (at, 0, head, 0), (1, page, 1, d)).reshape((page, d))
        value = ct.load(v, (at, 0, head, 0), (1, page, 1, d)).reshape((page, d))
        scores = ct.mma(query, ct.transpose(key), ct.zeros((group, page), dtype=ct.float32)) * (scale * LOG2E)
        column = j * page + ct.arange(page, dtype=ct.int32)[None, :]
        best, total, acc = online(ct.where(column < length, scores, NEVER), value, best, total, acc)
    ct.store(out, (batch, head, 0, 0), (acc / total).astype(out.dtype).reshape((1, 1, group, d)))


@pytest.mark.parametrize("batch, heads, most, d, page", [(32, 8, 2048, 128, 64), (64, 4, 1000, 64, 16)])
def test_attention_paged(batch, heads, most, d, page):
    group, pages = 16, cdiv(most, page)
    q, out = randn(batch, heads, group, d, dtype=BF16), empty(batch, heads, group, d, dtype=BF16)
    k, v = (randn(batch * pages, page, heads, d, dtype=BF16) for _ in range(2))
    table = torch.randperm(batch * pages, device="cuda").view(batch, pages).to(I32)
    lengths = randint(most // 2, most + 1, (batch,))
    launch(attention_paged, (heads, batch), q, k, v, table, lengths, out, d**-0.5, page, group, d)
    keys, values = (x[table.long()].reshape(batch, pages * page, heads, d).transpose(1, 2).float() for x in (k, v))
    keep = torch.arange(pages * page, device="cuda") < lengths[:, None]
    scores = (q.float() @ keys.transpose(-1, -2) * d**-0.5).masked_fill(~keep[:, None, None], float("-inf"))
    close(out, torch.softmax(scores, -1) @ values, 1e-2)


@ct.kernel
def attention_slopes(q, k, v, slopes, out, scale: float, tm: INT, tn: INT, d: INT):
    """A penalty that grows with the distance, at the slope of each head."""
    i, head, batch = ct.bid(0), ct.bid(1), ct.bid(2)
    query = rows_of(q, batch, head, i, tm, d)
    row = i * tm + ct.arange(tm, dtype=ct.int32)[:, None]
    slope = ct.load(slopes, (head,), ()).item() * LOG2E
    best = ct.full((tm, 1), NEVER, dtype=ct.float32)
    total = ct.zeros((tm, 1), dtype=ct.float32)
    acc = ct.zeros((tm, d), dtype=ct.float32)
    for j in range(ct.cdiv(min(k.shape[2], (i + 1) * tm), tn)):
        key = rows_of(k, batch, head, j, tn, d)
        scores = ct.mma(query, ct.transpose(key), ct.zeros((tm, tn), dtype=ct.float32)) * (scale * LOG2E)
        column = j * tn + ct.arange(tn, dtype=ct.int32)[None, :]
        scores = ct.where(column <= row, scores - slope * (row - column).astype(ct.float32), NEVER)
        best, total, acc = online(scores, rows_of(v, batch, head, j, tn, d), best, total, acc)
    ct.store(out, (batch, head, i, 0), (acc / total).astype(out.dtype).reshape((1, 1, tm, d)))


@pytest.mark.parametrize("heads, length, d, tiles", [(16, 2048, 64, (128, 64)), (12, 1100, 128, (64, 64))])
def test_attention_slopes(heads, length, d, tiles):
    q, k, v = (randn(1, heads, length, d, dtype=F16) for _ in range(3))
    slopes, out = 0.5 ** torch.arange(1, heads + 1, device="cuda").float(), empty(1, heads, length, d, dtype=F16)
    launch(attention_slopes, (cdiv(length, tiles[0]), heads, 1), q, k, v, slopes, out, d**-0.5, *tiles, d)
    at = torch.arange(length, device="cuda")
    bias = -slopes[:, None, None] * (at[:, None] - at).float()
    close(out, attended(q, k, v, d**-0.5, at[:, None] >= at, bias), 1e-2)


@ct.kernel
def attention_backward_keys(q, k, v, dout, logs, delta, dk, dv, scale: float, tm: INT, tn: INT, d: INT):
    """Gradients of a tile of keys and values of causal attention, from the queries that see it."""
    j, head = ct.bid(0), ct.bid(1)
    key = ct.load(k, (head, j, 0), (1, tn, d), padding_mode=ZERO).reshape((tn, d))
    value = ct.load(v, (head, j, 0), (1, tn, d), padding_mode=ZERO).reshape((tn, d))
    column = j * tn + ct.arange(tn, dtype=ct.int32)[:, None]
    keys = ct.zeros((tn, d), dtype=ct.float32)
    values = ct.zeros((tn, d), dtype=ct.float32)
    for i in range(j * tn // tm, ct.cdiv(q.shape[1], tm)):
        query = ct.load(q, (head, i, 0), (1, tm, d), padding_mode=ZERO).reshape((tm, d))
        gradient = ct.load(dout, (head, i, 0), (1, tm, d), padding_mode=ZERO).reshape((tm, d))
        row = i * tm + ct.arange(tm, dtype=ct.int32)[None, :]
        scores = ct.mma(key, ct.transpose(query), ct.zeros((tn, tm), dtype=ct.float32)) * (scale * LOG2E)
        weights = ct.exp2(scores - ct.load(logs, (head, i), (1, tm), padding_mode=ZERO))
        weights = ct.where((column <= row) & (row < q.shape[1]), weights, 0.0)
        values = ct.mma(weights.astype(q.dtype), gradient, values)
        dw = ct.mma(value, ct.transpose(gradient), ct.zeros((tn, tm), dtype=ct.float32))
        ds = weights * (dw - ct.load(delta, (head, i), (1, tm), padding_mode=ZERO))
        keys = ct.mma(ds.astype(q.dtype), query, keys)
    ct.store(dk, (head, j, 0), (keys * scale).astype(dk.dtype).reshape((1, tn, d)))
    ct.store(dv, (head, j, 0), values.astype(dv.dtype).reshape((1, tn, d)))


@ct.kernel
def attention_backward_queries(q, k, v, dout, logs, delta, dq, scale: float, tm: INT, tn: INT, d: INT):
    i, head = ct.bid(0), ct.bid(1)
    query = ct.load(q, (head, i, 0), (1, tm, d), padding_mode=ZERO).reshape((tm, d))
    gradient = ct.load(dout, (head, i, 0), (1, tm, d), padding_mode=ZERO).reshape((tm, d))
    log = ct.load(logs, (head, i), (1, tm), padding_mode=ZERO).reshape((tm, 1))
    less = ct.load(delta, (head, i), (1, tm), padding_mode=ZERO).reshape((tm, 1))
    row = i * tm + ct.arange(tm, dtype=ct.int32)[:, None]
    acc = ct.zeros((tm, d), dtype=ct.float32)
    for j in range(ct.cdiv(min((i + 1) * tm, k.shape[1]), tn)):
        key = ct.load(k, (head, j, 0), (1, tn, d), padding_mode=ZERO).reshape((tn, d))
        value = ct.load(v, (head, j, 0), (1, tn, d), padding_mode=ZERO).reshape((tn, d))
        scores = ct.mma(query, ct.transpose(key), ct.zeros((tm, tn), dtype=ct.float32)) * (scale * LOG2E)
        column = j * tn + ct.arange(tn, dtype=ct.int32)[None, :]
        weights = ct.where(column <= row, ct.exp2(scores - log), 0.0)
        dw = ct.mma(gradient, ct.transpose(value), ct.zeros((tm, tn), dtype=ct.float32))
        acc = ct.mma((weights * (dw - less)).astype(q.dtype), key, acc)
    ct.store(dq, (head, i, 0), (acc * scale).astype(dq.dtype).reshape((1, tm, d)))


@pytest.mark.parametrize("heads, length, d, tiles", [(16, 2048, 64, (64, 128)), (24, 1000, 128, (64, 64))])
def test_attention_backward(heads, length, d, tiles):
    q, k, v, dout = (randn(heads, length, d, dtype=BF16) for _ in range(4))
    dq, dk, dv = (empty(heads, length, d, dtype=BF16) for _ in range(3))
    keep = torch.ones(length, length, device="cuda", dtype=torch.bool).tril()
    scores = (q.float() @ k.float().transpose(1, 2) * d**-0.5).masked_fill(~keep, float("-inf"))
    logs = torch.logsumexp(scores, -1)
    weights = torch.exp(scores - logs[..., None])
    delta = ((weights @ v.float()) * dout.float()).sum(-1)
    common = (q, k, v, dout, logs * LOG2E, delta)
    launch(attention_backward_keys, (cdiv(length, tiles[1]), heads), *common, dk, dv, d**-0.5, *tiles, d)
    launch(attention_backward_queries, (cdiv(length, tiles[0]), heads), *common, dq, d**-0.5, *tiles, d)
    close(dv, weights.transpose(1, 2) @ dout.float(), 1e-2)
    ds = weights * (dout.float() @ v.float().transpose(1, 2) - delta[..., None]) * d**-0.5
    close(dq, ds @ k.float(), 1e-2)
    close(dk, ds.transpose(1, 2) @ q.float(), 1e-2)


@ct.kernel
def linear_attention(q, k, v, out, t: INT, d: INT):
    """Causal attention without softmax, which carries one matrix from chunk to chunk."""
    head = ct.bid(0)
    state = ct.zeros((d, d), dtype=ct.float32)
    at = ct.arange(t, dtype=ct.int32)
    for i in range(ct.cdiv(q.shape[1], t)):
        query = ct.load(q, (head, i, 0), (1, t, d), padding_mode=ZERO).reshape((t, d))
        key = ct.load(k, (head, i, 0), (1, t, d), padding_mode=ZERO).reshape((t, d))
        value = ct.load(v, (head, i, 0), (1, t, d), padding_mode=ZERO).reshape((t, d))
        scores = ct.mma(query, ct.transpose(key), ct.zeros((t, t), dtype=ct.float32))
        scores = ct.where(at[:, None] >= at[None, :], scores, 0.0)
        acc = ct.mma(query, state.astype(q.dtype), ct.zeros((t, d), dtype=ct.float32))
        acc = ct.mma(scores.astype(q.dtype), value, acc)
        state = ct.mma(ct.transpose(key), value, state)
        ct.store(out, (head, i, 0), acc.astype(out.dtype).reshape((1, t, d)))


@pytest.mark.parametrize("heads, length, d, t", [(128, 1024, 64, 64), (64, 700, 128, 64)])
def test_linear_attention(heads, length, d, t):
    q, k, v = (randn(heads, length, d, dtype=BF16, scale=0.3) for _ in range(3))
    out = empty(heads, length, d, dtype=BF16)
    launch(linear_attention, (heads,), q, k, v, out, t, d)
    close(out, (q.float() @ k.float().transpose(1, 2)).tril() @ v.float(), 2e-2)


@ct.kernel
def state_space(x, decay, b, c, y, t: INT, p: INT, n: INT):
    """h = exp(decay) h + b x^T and y = h^T c, a chunk of `t` steps at a time."""
    head = ct.bid(0)
    state = ct.zeros((n, p), dtype=ct.float32)
    at = ct.arange(t, dtype=ct.int32)
    for i in range(ct.cdiv(x.shape[1], t)):
        step = ct.load(decay, (head, i), (1, t), padding_mode=ZERO).reshape((t,))
        since = ct.cumsum(step, axis=0)
        whole = ct.sum(step)
        left = ct.load(c, (head, i, 0), (1, t, n), padding_mode=ZERO).reshape((t, n))
        right = ct.load(b, (head, i, 0), (1, t, n), padding_mode=ZERO).reshape((t, n))
        inputs = ct.load(x, (head, i, 0), (1, t, p), padding_mode=ZERO).reshape((t, p))
        scores = ct.mma(left, ct.transpose(right), ct.zeros((t, t), dtype=ct.float32))
        fade = ct.where(at[:, None] >= at[None, :], since[:, None] - since[None, :], NEVER)
        scores = scores * ct.exp(fade)
        acc = ct.mma(left, state.astype(x.dtype), ct.zeros((t, p), dtype=ct.float32)) * ct.exp(since)[:, None]
        acc = ct.mma(scores.astype(x.dtype), inputs, acc)
        faded = (right.astype(ct.float32) * ct.exp(whole - since)[:, None]).astype(x.dtype)
        state = ct.mma(ct.transpose(faded), inputs, state * ct.exp(whole))
        ct.store(y, (head, i, 0), acc.astype(y.dtype).reshape((1, t, p)))


@pytest.mark.parametrize("heads, length, p, n, t", [(128, 768, 64, 128, 64), (256, 500, 64, 64, 32)])
def test_state_space(heads, length, p, n, t):
    x, decay, y = randn(heads, length, p, dtype=BF16), -randn(heads, length).abs() * 0.1, empty(heads, length, p, dtype=BF16)
    b, c = (randn(heads, length, n, dtype=BF16, scale=0.3) for _ in range(2))
    launch(state_space, (heads,), x, decay, b, c, y, t, p, n)
    since = decay.cumsum(1)
    keep = torch.ones(length, length, device="cuda", dtype=torch.bool).tril()
    fade = (since[:, :, None] - since[:, None, :]).masked_fill(~keep, float("-inf")).exp()
    close(y, (c.float() @ b.float().transpose(1, 2) * fade) @ x.float(), 2e-2)


# Rows: softmax, losses, normalisation


@ct.kernel
def softmax_gathered(x, y, tn: INT):
    """A row in one tile, gathered; blocks go on to further rows."""
    column = ct.arange(tn, dtype=ct.int32)
    for row in range(ct.bid(0), x.shape[0], ct.num_blocks(0)):
        values = ct.gather(x, (row, column), padding_value=-math.inf).astype(ct.float32)
        powers = ct.exp(values - ct.max(values))
        ct.scatter(y, (row, column), (powers / ct.sum(powers)).astype(y.dtype))


@pytest.mark.parametrize("rows, columns, dtype, tn", [
    (16384, 1000, F16, 1024),
    (4096, 4096, F32, 4096),
    (20000, 333, BF16, 512),
])
def test_softmax_gathered(rows, columns, dtype, tn):
    x, y = randn(rows, columns, dtype=dtype), empty(rows, columns, dtype=dtype)
    launch(softmax_gathered, (8 * BLOCKS,), x, y, tn)
    close(y, torch.softmax(x.float(), 1), 1e-2 if dtype == BF16 else 2e-3)


@ct.kernel
def softmax_online(x, y, tm: INT, tn: INT):
    """Long rows: largest number and sum in one pass, the quotients in a second one."""
    i = ct.bid(0)
    best = ct.full((tm, 1), NEVER, dtype=ct.float32)
    total = ct.zeros((tm, 1), dtype=ct.float32)
    for j in range(ct.cdiv(x.shape[1], tn)):
        part = ct.load(x, (i, j), (tm, tn), padding_mode=LOWEST).astype(ct.float32) * LOG2E
        new = ct.maximum(best, ct.max(part, axis=1, keepdims=True))
        total = total * ct.exp2(best - new) + ct.sum(ct.exp2(part - new), axis=1, keepdims=True)
        best = new
    for j in range(ct.cdiv(x.shape[1], tn)):
        part = ct.load(x, (i, j), (tm, tn), padding_mode=LOWEST).astype(ct.float32) * LOG2E
        ct.store(y, (i, j), (ct.exp2(part - best) / total).astype(y.dtype))


@pytest.mark.parametrize("rows, columns, tiles", [(512, 50257, (1, 4096)), (4096, 4096, (4, 1024))])
def test_softmax_online(rows, columns, tiles):
    x, y = randn(rows, columns, dtype=F16), empty(rows, columns, dtype=F16)
    launch(softmax_online, (cdiv(rows, tiles[0]),), x, y, *tiles)
    close(y, torch.softmax(x.float(), 1), 2e-3)


@ct.kernel
def cross_entropy(logits, targets, loss, gradient, tn: INT):
    row = ct.bid(0)
    target = ct.gather(targets, row)
    best, total = ct.full((1, 1), NEVER, dtype=ct.float32), ct.zeros((1, 1), dtype=ct.float32)
    for j in range(ct.cdiv(logits.shape[1], tn)):
        part = ct.load(logits, (row, j), (1, tn), padding_mode=LOWEST).astype(ct.float32)
        new = ct.maximum(best, ct.max(part, axis=1, keepdims=True))
        total = total * ct.exp(best - new) + ct.sum(ct.exp(part - new), axis=1, keepdims=True)
        best = new
    log = best + ct.log(total)
    ct.store(loss, (row, 0), log - ct.gather(logits, (row, target)).astype(ct.float32))
    for j in range(ct.cdiv(logits.shape[1], tn)):
        part = ct.load(logits, (row, j), (1, tn), padding_mode=LOWEST).astype(ct.float32)
        hit = (j * tn + ct.arange(tn, dtype=ct.int32) == target)[None, :]
        ct.store(gradient, (row, j), (ct.exp(part - log) - ct.where(hit, 1.0, 0.0)).astype(gradient.dtype))


@pytest.mark.parametrize("rows, columns, dtype, tn", [(1024, 32000, BF16, 4096), (1000, 30522, F32, 2048)])
def test_cross_entropy(rows, columns, dtype, tn):
    logits, targets = randn(rows, columns, dtype=dtype), randint(0, columns, (rows,))
    loss, gradient = empty(rows, 1), empty(rows, columns, dtype=dtype)
    launch(cross_entropy, (rows,), logits, targets, loss, gradient, tn)
    logs = torch.log_softmax(logits.float(), 1)
    at = targets.long()[:, None]
    close(loss, -logs.gather(1, at), 1e-4)
    close(gradient, logs.exp().scatter_add(1, at, -torch.ones_like(at, dtype=F32)), 1e-2)


@ct.kernel
def log_softmax(x, y, tm: INT, tn: INT):
    values = ct.load(x, (ct.bid(0), 0), (tm, tn), padding_mode=LOWEST).astype(ct.float32)
    values = values - ct.max(values, axis=1, keepdims=True)
    values = values - ct.log(ct.sum(ct.exp(values), axis=1, keepdims=True))
    ct.store(y, (ct.bid(0), 0), values.astype(y.dtype))


@pytest.mark.parametrize("rows, columns, tiles", [(100000, 128, (32, 128)), (30000, 500, (4, 512))])
def test_log_softmax(rows, columns, tiles):
    x, y = randn(rows, columns), empty(rows, columns)
    launch(log_softmax, (cdiv(rows, tiles[0]),), x, y, *tiles)
    close(y, torch.log_softmax(x.double(), 1), 1e-5)


@ct.kernel
def divergences(p, q, kl, tv, tn: INT):
    """Of the softmax of two rows: the Kullback-Leibler divergence and half the sum of differences."""
    row, column = ct.bid(0), ct.arange(tn, dtype=ct.int32)
    x = ct.gather(p, (row, column), padding_value=NEVER)
    y = ct.gather(q, (row, column), padding_value=NEVER)
    x = x - ct.max(x)
    y = y - ct.max(y)
    a, b = ct.exp(x), ct.exp(y)
    left, right = ct.sum(a), ct.sum(b)
    logs = (x - ct.log(left)) - (y - ct.log(right))
    a, b = a / left, b / right
    ct.scatter(kl, row, ct.sum(ct.where(column < p.shape[1], a * logs, 0.0)))
    ct.scatter(tv, row, 0.5 * ct.sum(ct.abs(a - b)))


@pytest.mark.parametrize("rows, columns, tn", [(8192, 1271, 2048), (16384, 640, 1024)])
def test_divergences(rows, columns, tn):
    p, q, kl, tv = randn(rows, columns), randn(rows, columns), empty(rows), empty(rows)
    launch(divergences, (rows,), p, q, kl, tv, tn)
    a, b = torch.log_softmax(p.double(), 1), torch.log_softmax(q.double(), 1)
    close(kl, (a.exp() * (a - b)).sum(1), 1e-4)
    close(tv, (a.exp() - b.exp()).abs().sum(1) / 2, 1e-4)


@ct.kernel
def layer_norm(x, weight, bias, y, mean, deviation, tn: INT):
    row = ct.bid(0)
    n = x.shape[1]
    total = ct.zeros((1, tn), dtype=ct.float32)
    for j in range(ct.cdiv(n, tn)):
        total += ct.load(x, (row, j), (1, tn), padding_mode=ZERO).astype(ct.float32)
    middle = ct.sum(total) / n
    total = ct.zeros((1, tn), dtype=ct.float32)
    for j in range(ct.cdiv(n, tn)):
        far = ct.load(x, (row, j), (1, tn), padding_mode=ZERO).astype(ct.float32) - middle
        far = ct.where((j * tn + ct.arange(tn, dtype=ct.int32) < n)[None, :], far, 0.0)
        total += far * far
    inverse = ct.rsqrt(ct.sum(total) / n + 1e-5)
    ct.scatter(mean, row, middle)
    ct.scatter(deviation, row, inverse)
    for j in range(ct.cdiv(n, tn)):
        far = ct.load(x, (row, j), (1, tn), padding_mode=ZERO).astype(ct.float32) - middle
        scale = ct.load(weight, (j,), (tn,), padding_mode=ZERO).astype(ct.float32)[None, :]
        shift = ct.load(bias, (j,), (tn,), padding_mode=ZERO).astype(ct.float32)[None, :]
        ct.store(y, (row, j), (far * inverse * scale + shift).astype(y.dtype))


@pytest.mark.parametrize("rows, columns, dtype, tn", [(8192, 4096, F16, 1024), (10000, 1100, BF16, 512)])
def test_layer_norm(rows, columns, dtype, tn):
    x, weight, bias = randn(rows, columns, dtype=dtype), randn(columns, dtype=dtype), randn(columns, dtype=dtype)
    y, mean, deviation = empty(rows, columns, dtype=dtype), empty(rows), empty(rows)
    launch(layer_norm, (rows,), x, weight, bias, y, mean, deviation, tn)
    close(y, torch.nn.functional.layer_norm(x.float(), (columns,), weight.float(), bias.float()), 1e-2)
    close(mean, x.float().mean(1), 1e-4)
    close(deviation, (x.float().var(1, unbiased=False) + 1e-5).rsqrt(), 1e-4)


@ct.kernel
def rms_norm(x, weight, y, tm: INT, tn: INT):
    scale = ct.load(weight, (0, 0), (1, tn), padding_mode=ZERO).astype(ct.float32)
    for i in range(ct.bid(0), ct.cdiv(x.shape[0], tm), ct.num_blocks(0)):
        values = ct.load(x, (i, 0), (tm, tn), padding_mode=ZERO).astype(ct.float32)
        squares = ct.sum(values * values, axis=1, keepdims=True)
        ct.store(y, (i, 0), (values * ct.rsqrt(squares / x.shape[1] + 1e-6) * scale).astype(y.dtype))


@pytest.mark.parametrize("rows, columns, dtype, tiles", [(16384, 2048, BF16, (2, 2048)), (60000, 500, F16, (8, 512))])
def test_rms_norm(rows, columns, dtype, tiles):
    x, weight, y = randn(rows, columns, dtype=dtype), randn(1, columns, dtype=dtype), empty(rows, columns, dtype=dtype)
    launch(rms_norm, (4 * BLOCKS,), x, weight, y, *tiles)
    close(y, x.float() * (x.float().square().mean(1, keepdim=True) + 1e-6).rsqrt() * weight.float(), 1e-2)


@ct.kernel
def rms_norm_backward(x, weight, dy, dx, dweight, tm: INT, tn: INT):
    """Each block sums the gradient of the weight over its rows."""
    scale = ct.load(weight, (0, 0), (1, tn), padding_mode=ZERO).astype(ct.float32)
    total = ct.zeros((1, tn), dtype=ct.float32)
    for i in range(ct.bid(0), ct.cdiv(x.shape[0], tm), ct.num_blocks(0)):
        values = ct.load(x, (i, 0), (tm, tn), padding_mode=ZERO).astype(ct.float32)
        gradient = ct.load(dy, (i, 0), (tm, tn), padding_mode=ZERO).astype(ct.float32)
        inverse = ct.rsqrt(ct.sum(values * values, axis=1, keepdims=True) / x.shape[1] + 1e-6)
        values = values * inverse
        total += ct.sum(gradient * values, axis=0, keepdims=True)
        gradient = gradient * scale
        along = ct.sum(gradient * values, axis=1, keepdims=True) / x.shape[1]
        ct.store(dx, (i, 0), ((gradient - values * along) * inverse).astype(dx.dtype))
    ct.store(dweight, (ct.bid(0), 0), total)


@pytest.mark.parametrize("rows, columns, tiles", [(16384, 2048, (2, 2048)), (30000, 700, (4, 1024))])
def test_rms_norm_backward(rows, columns, tiles):
    x, dy, weight = randn(rows, columns, dtype=BF16), randn(rows, columns, dtype=BF16), randn(1, columns, dtype=BF16)
    dx, dweight = empty(rows, columns, dtype=BF16), empty(2 * BLOCKS, columns)
    launch(rms_norm_backward, (2 * BLOCKS,), x, weight, dy, dx, dweight, *tiles)
    inverse = (x.float().square().mean(1, keepdim=True) + 1e-6).rsqrt()
    unit, gradient = x.float() * inverse, dy.float() * weight.float()
    close(dx, (gradient - unit * (gradient * unit).mean(1, keepdim=True)) * inverse, 1e-2)
    close(dweight.sum(0), (dy.float() * unit).sum(0), 1e-4)


@ct.kernel
def group_norm(x, weight, bias, y, groups: INT, channels: INT, t: INT):
    """Groups by channels of a group by pixels."""
    at = ct.bid(0)
    n = x.shape[2]
    total = ct.zeros((1, channels, t), dtype=ct.float32)
    squares = ct.zeros((1, channels, t), dtype=ct.float32)
    for j in range(ct.cdiv(n, t)):
        part = ct.load(x, (at, 0, j), (1, channels, t), padding_mode=ZERO).astype(ct.float32)
        total += part
        squares += part * part
    mean = ct.sum(total) / (n * channels)
    inverse = ct.rsqrt(ct.sum(squares) / (n * channels) - mean * mean + 1e-5)
    scale = ct.load(weight, (at % groups, 0), (1, channels)).reshape((1, channels, 1)) * inverse
    shift = ct.load(bias, (at % groups, 0), (1, channels)).reshape((1, channels, 1)) - mean * scale
    for j in range(ct.cdiv(n, t)):
        part = ct.load(x, (at, 0, j), (1, channels, t), padding_mode=ZERO).astype(ct.float32)
        ct.store(y, (at, 0, j), (part * scale + shift).astype(y.dtype))


@pytest.mark.parametrize("images, groups, channels, pixels, t", [(16, 32, 8, 4096, 512), (32, 32, 16, 729, 128)])
def test_group_norm(images, groups, channels, pixels, t):
    x, y = (randn(images * groups, channels, pixels, dtype=F16) for _ in range(2))
    weight, bias = randn(groups, channels), randn(groups, channels)
    launch(group_norm, (images * groups,), x, weight, bias, y, groups, channels, t)
    whole = x.float().view(images, groups * channels, pixels)
    close(y.view_as(whole), torch.nn.functional.group_norm(whole, groups, weight.flatten(), bias.flatten()), 5e-3)


@ct.kernel
def batch_statistics(x, sums, rows: INT, tm: INT, tn: INT):
    """Adds the sums of columns and of their squares over tiles of rows."""
    i, j = ct.bid(0), ct.bid(1)
    total = ct.zeros((tm, tn), dtype=ct.float32)
    squares = ct.zeros((tm, tn), dtype=ct.float32)
    for step in range(rows):
        part = ct.load(x, (i * rows + step, j), (tm, tn), padding_mode=ZERO).astype(ct.float32)
        total += part
        squares += part * part
    column = j * tn + ct.arange(tn, dtype=ct.int32)
    ct.atomic_add(sums, (0, column), ct.sum(total, axis=0))
    ct.atomic_add(sums, (1, column), ct.sum(squares, axis=0))


@pytest.mark.parametrize("rows, columns, tiles", [(65536, 512, (16, 64)), (32768, 1000, (8, 128))])
def test_batch_statistics(rows, columns, tiles):
    x, sums = randn(rows, columns, dtype=F16), zeros(2, columns)
    launch(batch_statistics, (rows // tiles[0] // 16, cdiv(columns, tiles[1])), x, sums, 16, *tiles)
    close(sums[0], x.double().sum(0), 1e-3)
    close(sums[1], x.double().square().sum(0), 1e-4)


# Reductions and scans


@ct.kernel
def row_extremes(x, out, tm: INT, tn: INT):
    """Least, largest and mean number of each row."""
    i = ct.bid(0)
    least = ct.full((tm, tn), math.inf, dtype=x.dtype)
    largest = ct.full((tm, tn), -math.inf, dtype=x.dtype)
    total = ct.zeros((tm, tn), dtype=ct.float32)
    for j in range(x.shape[1] // tn):
        part = ct.load(x, (i, j), (tm, tn))
        least = ct.minimum(least, part)
        largest = ct.maximum(largest, part)
        total += part.astype(ct.float32)
    ct.store(out, (0, i), ct.min(least, axis=1)[None, :].astype(ct.float32))
    ct.store(out, (1, i), ct.max(largest, axis=1)[None, :].astype(ct.float32))
    ct.store(out, (2, i), ct.sum(total, axis=1)[None, :] / x.shape[1])


@pytest.mark.parametrize("rows, columns, dtype, tiles", [(8192, 8192, F16, (8, 256)), (4096, 4096, F32, (4, 512))])
def test_row_extremes(rows, columns, dtype, tiles):
    x, out = randn(rows, columns, dtype=dtype), empty(3, rows)
    launch(row_extremes, (rows // tiles[0],), x, out, *tiles)
    wide = x.float()
    equal(out[:2], torch.stack([wide.min(1).values, wide.max(1).values]))
    close(out[2], wide.mean(1), 1e-4)


@ct.kernel
def column_sums(x, out, tm: INT, tn: INT):
    j = ct.bid(0)
    acc = ct.zeros((tn,), dtype=ct.float32)
    for i in range(ct.cdiv(x.shape[0], tm)):
        acc += ct.sum(ct.load(x, (i, j), (tm, tn), padding_mode=ZERO), axis=0)
    ct.store(out, (j,), acc)


@pytest.mark.parametrize("rows, columns, tiles", [(4096, 16384, (32, 64)), (1000, 30001, (16, 128))])
def test_column_sums(rows, columns, tiles):
    x, out = randn(rows, columns), empty(columns)
    launch(column_sums, (cdiv(columns, tiles[1]),), x, out, *tiles)
    close(out, x.double().sum(0), 1e-5)


@ct.kernel
def row_argmax(x, out, tm: INT, tn: INT):
    i = ct.bid(0)
    best = ct.full((tm,), -math.inf, dtype=ct.float32)
    which = ct.zeros((tm,), dtype=ct.int32)
    for j in range(ct.cdiv(x.shape[1], tn)):
        part = ct.load(x, (i, j), (tm, tn), padding_mode=LOWEST)
        here = ct.max(part, axis=1)
        which = ct.where(here > best, j * tn + ct.argmax(part, axis=1).astype(ct.int32), which)
        best = ct.maximum(best, here)
    ct.store(out, (i,), which)


@pytest.mark.parametrize("rows, columns, tiles", [(16384, 1000, (4, 1024)), (2000, 32001, (1, 4096))])
def test_row_argmax(rows, columns, tiles):
    x, out = randn(rows, columns), empty(rows, dtype=I32)
    launch(row_argmax, (cdiv(rows, tiles[0]),), x, out, *tiles)
    equal(x.gather(1, out.long()[:, None])[:, 0], x.max(1).values)


@ct.kernel
def row_cumsum(x, y, tm: INT, tn: INT):
    i = ct.bid(0)
    before = ct.zeros((tm, 1), dtype=ct.float32)
    for j in range(ct.cdiv(x.shape[1], tn)):
        part = ct.load(x, (i, j), (tm, tn), padding_mode=ZERO).astype(ct.float32)
        ct.store(y, (i, j), ct.cumsum(part, axis=1) + before)
        before += ct.sum(part, axis=1, keepdims=True)


@pytest.mark.parametrize("rows, columns, tiles", [(8192, 2048, (4, 256)), (5000, 3001, (8, 128))])
def test_row_cumsum(rows, columns, tiles):
    x, y = randn(rows, columns, dtype=F16), empty(rows, columns)
    launch(row_cumsum, (cdiv(rows, tiles[0]),), x, y, *tiles)
    close(y, x.double().cumsum(1), 1e-5)


def later(flag, value, next_flag, next_value):
    return flag | next_flag, ct.where(next_flag != 0, next_value, value + next_value)


@ct.kernel
def segmented_cumsum(x, starts, y, tm: INT, tn: INT):
    """Sums along rows that begin anew wherever `starts` is 1."""
    i = ct.bid(0)
    flags = ct.load(starts, (i, 0), (tm, tn), padding_mode=ZERO)
    values = ct.load(x, (i, 0), (tm, tn), padding_mode=ZERO)
    flags, sums = ct.scan((flags, values), 1, later, (0, 0.0))
    ct.store(y, (i, 0), sums)


@pytest.mark.parametrize("rows, columns, tiles", [(16384, 512, (4, 512)), (20000, 200, (8, 256))])
def test_segmented_cumsum(rows, columns, tiles):
    x, starts, y = randn(rows, columns), (torch.rand(rows, columns, device="cuda") < 0.05).to(I32), empty(rows, columns)
    launch(segmented_cumsum, (cdiv(rows, tiles[0]),), x, starts, y, *tiles)
    sums = x.double().cumsum(1)
    at = torch.arange(columns, device="cuda").expand(rows, columns)
    first = torch.where(starts > 0, at, 0).cummax(1).values
    close(y, sums - (sums - x).gather(1, first), 1e-5)


@ct.kernel
def block_sums(x, sums, t: INT):
    ct.store(sums, (ct.bid(0),), ct.sum(ct.load(x, (ct.bid(0),), (t,), padding_mode=ZERO)).reshape((1,)))


@ct.kernel
def block_offsets(sums, offsets, t: INT):
    part = ct.load(sums, (0,), (t,), padding_mode=ZERO)
    ct.store(offsets, (0,), ct.cumsum(part) - part)


@ct.kernel
def prefix_sums(x, offsets, y, t: INT):
    i = ct.bid(0)
    ct.store(y, (i,), ct.cumsum(ct.load(x, (i,), (t,), padding_mode=ZERO)) + ct.load(offsets, (i,), (1,)))


@pytest.mark.parametrize("n, t", [(1 << 24, 8192), (7654321, 4096)])
def test_prefix_sums(n, t):
    x, y = randint(-100, 100, (n,)), empty(n, dtype=I32)
    blocks = cdiv(n, t)
    sums, offsets = empty(blocks, dtype=I32), empty(blocks, dtype=I32)
    launch(block_sums, (blocks,), x, sums, t)
    launch(block_offsets, (1,), sums, offsets, 2048)
    launch(prefix_sums, (blocks,), x, offsets, y, t)
    equal(y, x.long().cumsum(0).to(I32))


@ct.kernel
def ragged_sums(values, starts, out, tn: INT):
    """Row r has the values from starts[r] to starts[r + 1]."""
    for row in range(ct.bid(0), out.shape[0], ct.num_blocks(0)):
        first, end = ct.gather(starts, row).item(), ct.gather(starts, row + 1).item()
        acc = ct.zeros((tn,), dtype=ct.float32)
        for at in range(first, end, tn):
            index = at + ct.arange(tn, dtype=ct.int32)
            acc += ct.gather(values, index, mask=index < end)
        ct.scatter(out, row, ct.sum(acc))


@pytest.mark.parametrize("rows, longest, tn", [(20000, 1000, 256), (100000, 150, 64)])
def test_ragged_sums(rows, longest, tn):
    lengths = torch.randint(0, longest, (rows,), device="cuda")
    starts = torch.cat([lengths.new_zeros(1), lengths.cumsum(0)])
    values, out = randn(rows * longest // 2 + longest * 1000), empty(rows)
    launch(ragged_sums, (16 * BLOCKS,), values, starts.to(I32), out, tn)
    sums = torch.cat([torch.zeros(1, device="cuda", dtype=F64), values.double().cumsum(0)])
    close(out, sums[starts[1:]] - sums[starts[:-1]], 1e-5)


@ct.kernel
def histogram(x, counts, t: INT):
    for i in range(ct.bid(0), ct.cdiv(x.shape[0], t), ct.num_blocks(0)):
        index = i * t + ct.arange(t, dtype=ct.int32)
        values = ct.gather(x, index, padding_value=-1)
        ct.atomic_add(counts, values, 1, memory_order=ct.MemoryOrder.RELAXED)


@pytest.mark.parametrize("n, bins, t", [(1 << 22, 1024, 1024), (1000003, 40000, 512)])
def test_histogram(n, bins, t):
    x, counts = randint(0, bins, (n,)), zeros(bins, dtype=I32)
    launch(histogram, (4 * BLOCKS,), x, counts, t)
    equal(counts, torch.bincount(x, minlength=bins).to(I32))


@ct.kernel
def largest(x, values, indices, tm: INT, tn: INT, count: INT):
    """The `count` largest numbers of each row, one after the other."""
    i = ct.bid(0)
    left = ct.load(x, (i, 0), (tm, tn), padding_mode=LOWEST)
    column = ct.arange(tn, dtype=ct.int32)[None, :]
    for at in range(count):
        which = ct.argmax(left, axis=1, keepdims=True).astype(ct.int32)
        ct.store(values, (i, at), ct.max(left, axis=1, keepdims=True))
        ct.store(indices, (i, at), which)
        left = ct.where(column == which, -math.inf, left)


@pytest.mark.parametrize("rows, columns, count, tiles", [(20000, 256, 8, (8, 256)), (4096, 2000, 16, (1, 2048))])
def test_largest(rows, columns, count, tiles):
    x, values, indices = ranks(rows, columns), empty(rows, count), empty(rows, count, dtype=I32)
    launch(largest, (cdiv(rows, tiles[0]),), x, values, indices, *tiles, count)
    equal(values, x.topk(count, 1).values)
    equal(x.gather(1, indices.long()), values)


@ct.kernel
def route(logits, weights, experts, tm: INT, tn: INT, count: INT):
    """The probabilities of the `count` best experts of each token, made to sum to 1."""
    i = ct.bid(0)
    scores = ct.load(logits, (i, 0), (tm, tn), padding_mode=LOWEST).astype(ct.float32)
    powers = ct.exp(scores - ct.max(scores, axis=1, keepdims=True))
    column = ct.arange(tn, dtype=ct.int32)[None, :]
    chosen = ct.zeros((tm, count), dtype=ct.float32)
    numbers = ct.zeros((tm, count), dtype=ct.int32)
    place = ct.arange(count, dtype=ct.int32)[None, :]
    for at in range(count):
        which = ct.argmax(powers, axis=1, keepdims=True).astype(ct.int32)
        chosen = ct.where(place == at, ct.max(powers, axis=1, keepdims=True), chosen)
        numbers = ct.where(place == at, which, numbers)
        powers = ct.where(column == which, -1.0, powers)
    ct.store(weights, (i, 0), chosen / ct.sum(chosen, axis=1, keepdims=True))
    ct.store(experts, (i, 0), numbers)


@pytest.mark.parametrize("tokens, experts, count, tiles", [(65536, 64, 4, (32, 64)), (50000, 160, 8, (16, 256))])
def test_route(tokens, experts, count, tiles):
    logits, weights, numbers = ranks(tokens, experts), empty(tokens, count), empty(tokens, count, dtype=I32)
    launch(route, (cdiv(tokens, tiles[0]),), logits, weights, numbers, *tiles, count)
    best = torch.softmax(logits, 1).topk(count, 1)
    close(weights, best.values / best.values.sum(1, keepdim=True), 1e-5)
    equal(logits.gather(1, numbers.long()), logits.gather(1, best.indices))


@ct.kernel
def sort_rows(x, y, tm: INT, n: INT):
    """Sorts short rows by exchanges between halves of ever different blocks."""
    values = ct.load(x, (ct.bid(0), 0), (tm, n), padding_mode=ZERO)
    for size, step in ct.static_iter([(2 << s, 1 << t) for s in range(n.bit_length() - 1) for t in range(s, -1, -1)]):
        pairs = ct.reshape(values, (tm, n // (2 * step), 2, step))
        a = ct.extract(pairs, (0, 0, 0, 0), (tm, n // (2 * step), 1, step))
        b = ct.extract(pairs, (0, 0, 1, 0), (tm, n // (2 * step), 1, step))
        block = ct.arange(n // (2 * step), dtype=ct.int32).reshape((1, n // (2 * step), 1, 1))
        rising = block * (2 * step) // size % 2 == 0
        low, high = ct.minimum(a, b), ct.maximum(a, b)
        pairs = ct.cat((ct.where(rising, low, high), ct.where(rising, high, low)), 2)
        values = ct.reshape(pairs, (tm, n))
    ct.store(y, (ct.bid(0), 0), values)


@pytest.mark.parametrize("rows, n, tm", [(100000, 32, 32), (50000, 64, 16)])
def test_sort_rows(rows, n, tm):
    x, y = randn(rows, n), empty(rows, n)
    launch(sort_rows, (cdiv(rows, tm),), x, y, tm, n)
    equal(y, x.sort(1).values)


@ct.kernel
def walsh(x, y, tm: INT, n: INT):
    """The Walsh-Hadamard transform of each row: butterflies at all distances."""
    values = ct.load(x, (ct.bid(0), 0), (tm, n), padding_mode=ZERO).astype(ct.float32)
    for step in ct.static_iter([1 << t for t in range(n.bit_length() - 1)]):
        pairs = ct.reshape(values, (tm, n // (2 * step), 2, step))
        a = ct.extract(pairs, (0, 0, 0, 0), (tm, n // (2 * step), 1, step))
        b = ct.extract(pairs, (0, 0, 1, 0), (tm, n // (2 * step), 1, step))
        values = ct.reshape(ct.cat((a + b, a - b), 2), (tm, n))
    ct.store(y, (ct.bid(0), 0), (values * n**-0.5).astype(y.dtype))


@pytest.mark.parametrize("rows, n, dtype, tm", [(32768, 256, F32, 4), (50001, 128, F16, 8)])
def test_walsh(rows, n, dtype, tm):
    x, y = randn(rows, n, dtype=dtype), empty(rows, n, dtype=dtype)
    launch(walsh, (cdiv(rows, tm),), x, y, tm, n)
    matrix = torch.ones(1, 1, device="cuda")
    while len(matrix) < n:
        matrix = torch.cat([torch.cat([matrix, matrix], 1), torch.cat([matrix, -matrix], 1)])
    close(y, x.double() @ matrix.double() * n**-0.5, 2e-3 if dtype == F16 else 1e-5)


# Copies, gathers and scatters


@ct.kernel
def transposed(x, y, tm: INT, tn: INT):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(y, (j, i), ct.transpose(ct.load(x, (i, j), (tm, tn), padding_mode=ZERO)))


@pytest.mark.parametrize("m, n, dtype, tiles", [
    (8192, 4096, F16, (64, 64)),
    (3001, 5003, F32, (32, 64)),
    (8000, 8000, I8, (64, 128)),
])
def test_transposed(m, n, dtype, tiles):
    x = randint(-100, 100, (m, n), I8) if dtype == I8 else randn(m, n, dtype=dtype)
    y = empty(n, m, dtype=dtype)
    launch(transposed, (cdiv(m, tiles[0]), cdiv(n, tiles[1])), x, y, *tiles)
    equal(y, x.T)


@ct.kernel
def permuted(x, y, ta: INT, tb: INT, tc: INT):
    a, b, c = ct.bid(2), ct.bid(1), ct.bid(0)
    tile = ct.load(x, (a, b, c), (ta, tb, tc), padding_mode=ZERO)
    ct.store(y, (c, a, b), ct.permute(tile, (2, 0, 1)))


@pytest.mark.parametrize("a, b, c, dtype, tiles", [
    (64, 512, 768, BF16, (1, 64, 64)),
    (100, 300, 500, F32, (2, 16, 32)),
])
def test_permuted(a, b, c, dtype, tiles):
    x, y = randn(a, b, c, dtype=dtype), empty(c, a, b, dtype=dtype)
    launch(permuted, (cdiv(c, tiles[2]), cdiv(b, tiles[1]), cdiv(a, tiles[0])), x, y, *tiles)
    equal(y, x.permute(2, 0, 1))


@ct.kernel
def embedding(table, tokens, y, t: INT, tn: INT):
    i, j = ct.bid(0), ct.bid(1)
    row = ct.load(tokens, (i,), (t,), padding_mode=ZERO)
    column = j * tn + ct.arange(tn, dtype=ct.int32)
    ct.store(y, (i, j), ct.gather(table, (row[:, None], column[None, :])))


@pytest.mark.parametrize("tokens, words, d, dtype, tiles", [
    (16384, 50000, 1024, F16, (8, 512)),
    (30001, 30000, 300, F32, (16, 128)),
])
def test_embedding(tokens, words, d, dtype, tiles):
    table, index, y = randn(words, d, dtype=dtype), randint(0, words, (tokens,)), empty(tokens, d, dtype=dtype)
    launch(embedding, (cdiv(tokens, tiles[0]), cdiv(d, tiles[1])), table, index, y, *tiles)
    equal(y, table[index.long()])


@ct.kernel
def scatter_add(x, index, y, t: INT, tn: INT):
    i, j = ct.bid(0), ct.bid(1)
    row = ct.load(index, (i,), (t,))
    column = j * tn + ct.arange(tn, dtype=ct.int32)
    ct.atomic_add(y, (row[:, None], column[None, :]), ct.load(x, (i, j), (t, tn)), memory_order=ct.MemoryOrder.RELAXED)


@pytest.mark.parametrize("n, rows, d, tiles", [(32768, 4096, 256, (16, 128)), (16000, 10000, 512, (8, 256))])
def test_scatter_add(n, rows, d, tiles):
    x, index, y = randn(n, d), randint(0, rows, (n,)), zeros(rows, d)
    launch(scatter_add, (n // tiles[0], d // tiles[1]), x, index, y, *tiles)
    close(y, torch.zeros(rows, d, device="cuda", dtype=F64).index_add(0, index.long(), x.double()), 1e-5)


@ct.kernel
def joined(a, b, y, tm: INT, tn: INT):
    """Two matrices side by side; the first has whole tiles."""
    i, j = ct.bid(0), ct.bid(1)
    edge = a.shape[1] // tn
    if j < edge:
        ct.store(y, (i, j), ct.load(a, (i, j), (tm, tn), padding_mode=ZERO))
    else:
        ct.store(y, (i, j), ct.load(b, (i, j - edge), (tm, tn), padding_mode=ZERO))


@pytest.mark.parametrize("rows, left, right, tiles", [(8192, 1024, 3072, (16, 256)), (5001, 640, 777, (32, 128))])
def test_joined(rows, left, right, tiles):
    a, b, y = randn(rows, left, dtype=BF16), randn(rows, right, dtype=BF16), empty(rows, left + right, dtype=BF16)
    launch(joined, (cdiv(rows, tiles[0]), cdiv(left + right, tiles[1])), a, b, y, *tiles)
    equal(y, torch.cat([a, b], 1))


@ct.kernel
def interpolated(table, at, y, t: INT):
    """A table of one dimension at places between its numbers."""
    index = ct.bid(0) * t + ct.arange(t, dtype=ct.int32)
    place = ct.gather(at, index)
    below = ct.floor(place)
    left = below.astype(ct.int32)
    a, b = ct.gather(table, left), ct.gather(table, left + 1)
    ct.scatter(y, index, a + (place - below) * (b - a))


@pytest.mark.parametrize("n, size, t", [(1 << 23, 100000, 1024), (3000001, 1000, 512)])
def test_interpolated(n, size, t):
    table, at, y = randn(size), torch.rand(n, device="cuda") * (size - 2), empty(n)
    launch(interpolated, (cdiv(n, t),), table, at, y, t)
    left, wide = at.floor().long(), table.double()
    close(y, wide[left] + (at - at.floor()).double() * (wide[left + 1] - wide[left]), 1e-5)


@ct.kernel
def sampled(image, places, y, t: INT):
    """An image at any places (row, column), between its four nearest pixels; 0 outside."""
    index = ct.bid(0) * t + ct.arange(t, dtype=ct.int32)
    r, c = ct.gather(places, (0, index)), ct.gather(places, (1, index))
    top, left = ct.floor(r), ct.floor(c)
    i, j = top.astype(ct.int32), left.astype(ct.int32)
    r, c = r - top, c - left
    above = ct.gather(image, (i, j)) * (1.0 - c) + ct.gather(image, (i, j + 1)) * c
    below = ct.gather(image, (i + 1, j)) * (1.0 - c) + ct.gather(image, (i + 1, j + 1)) * c
    ct.scatter(y, index, above * (1.0 - r) + below * r)


@pytest.mark.parametrize("height, width, n, t", [(2048, 2048, 1 << 22, 512), (333, 777, 3000000, 1024)])
def test_sampled(height, width, n, t):
    image, y = randn(height, width), empty(n)
    places = torch.rand(2, n, device="cuda") * torch.tensor([[height + 1.0], [width + 1.0]], device="cuda") - 1
    launch(sampled, (cdiv(n, t),), image, places, y, t)
    wide = torch.nn.functional.pad(image.double(), (2, 2, 2, 2))
    corner, part = places.floor().long() + 2, (places - places.floor()).double()
    expected = sum(wide[corner[0] + a, corner[1] + b] * (part[0] if a else 1 - part[0]) * (part[1] if b else 1 - part[1])
                   for a in (0, 1) for b in (0, 1))
    close(y, expected, 1e-5)


# Numbers one by one


@ct.kernel
def rope(x, cosines, sines, y, t: INT, half: INT):
    """Turns pairs of numbers that lie `half` apart; batch by positions by heads by 2 * `half`."""
    i, head, batch = ct.bid(0), ct.bid(1), ct.bid(2)
    a = ct.load(x, (batch, i, head, 0), (1, t, 1, half), padding_mode=ZERO).reshape((t, half)).astype(ct.float32)
    b = ct.load(x, (batch, i, head, 1), (1, t, 1, half), padding_mode=ZERO).reshape((t, half)).astype(ct.float32)
    cos, sin = ct.load(cosines, (i, 0), (t, half), padding_mode=ZERO), ct.load(sines, (i, 0), (t, half), padding_mode=ZERO)
    ct.store(y, (batch, i, head, 0), (a * cos - b * sin).astype(y.dtype).reshape((1, t, 1, half)))
    ct.store(y, (batch, i, head, 1), (b * cos + a * sin).astype(y.dtype).reshape((1, t, 1, half)))


@pytest.mark.parametrize("batch, length, heads, half, t", [(2, 4096, 32, 64, 32), (4, 1001, 24, 32, 64)])
def test_rope(batch, length, heads, half, t):
    x, y = (randn(batch, length, heads, 2 * half, dtype=BF16) for _ in range(2))
    angles = torch.arange(length, device="cuda")[:, None] * 10000.0 ** (-torch.arange(half, device="cuda") / half)
    cosines, sines = angles.cos(), angles.sin()
    launch(rope, (cdiv(length, t), heads, batch), x, cosines, sines, y, t, half)
    a, b = x.float().chunk(2, -1)
    cos, sin = cosines[:, None], sines[:, None]
    close(y, torch.cat([a * cos - b * sin, b * cos + a * sin], -1), 1e-2)


@ct.kernel
def swiglu(x, y, tm: INT, tn: INT):
    i, j = ct.bid(0), ct.bid(1)
    gate = ct.load(x, (i, j), (tm, tn)).astype(ct.float32)
    up = ct.load(x, (i, j + y.shape[1] // tn), (tm, tn)).astype(ct.float32)
    ct.store(y, (i, j), (silu(gate) * up).astype(y.dtype))


@pytest.mark.parametrize("rows, columns, dtype, tiles", [(8192, 4096, BF16, (4, 512)), (3000, 5632, F16, (8, 256))])
def test_swiglu(rows, columns, dtype, tiles):
    x, y = randn(rows, 2 * columns, dtype=dtype), empty(rows, columns, dtype=dtype)
    launch(swiglu, (rows // tiles[0], columns // tiles[1]), x, y, *tiles)
    gate, up = x.float().chunk(2, 1)
    close(y, torch.nn.functional.silu(gate) * up, 1e-2)


@ct.kernel
def geglu_backward(dy, gate, up, dgate, dup, t: INT):
    index = ct.bid(0) * t + ct.arange(t, dtype=ct.int32)
    gradient = ct.gather(dy, index).astype(ct.float32)
    x, factor = ct.gather(gate, index).astype(ct.float32), ct.gather(up, index).astype(ct.float32)
    turn = ct.tanh(0.7978845608 * (x + 0.044715 * x * x * x))
    slope = 0.5 * (1.0 + turn) + 0.5 * x * (1.0 - turn * turn) * 0.7978845608 * (1.0 + 0.134145 * x * x)
    ct.scatter(dup, index, (gradient * 0.5 * x * (1.0 + turn)).astype(dup.dtype))
    ct.scatter(dgate, index, (gradient * factor * slope).astype(dgate.dtype))


@pytest.mark.parametrize("n, dtype, t", [(1 << 24, BF16, 1024), (5000003, F16, 2048)])
def test_geglu_backward(n, dtype, t):
    dy, gate, up = (randn(n, dtype=dtype) for _ in range(3))
    dgate, dup = empty(n, dtype=dtype), empty(n, dtype=dtype)
    launch(geglu_backward, (cdiv(n, t),), dy, gate, up, dgate, dup, t)
    x, factor = gate.float().requires_grad_(), up.float().requires_grad_()
    (torch.nn.functional.gelu(x, approximate="tanh") * factor).backward(dy.float())
    close(dgate, x.grad, 1e-2)
    close(dup, factor.grad, 1e-2)


@ct.kernel
def dropout(x, y, seed: int, threshold: INT, t: INT):
    """Keeps a number if 24 bits of a hash of its index reach a threshold."""
    index = ct.bid(0) * t + ct.arange(t, dtype=ct.int32)
    bits = ct.bitcast(index ^ seed, ct.uint32)
    bits = (bits ^ (bits >> 16)) * 0x7FEB352D
    bits = (bits ^ (bits >> 15)) * 0x2C1B3C6D
    bits = bits ^ (bits >> 16)
    kept = (bits >> 8).astype(ct.int32) >= threshold
    value = ct.gather(x, index).astype(ct.float32) * (16777216.0 / (16777216 - threshold))
    ct.scatter(y, index, ct.where(kept, value, 0.0).astype(y.dtype))


@pytest.mark.parametrize("n, chance, dtype, t", [(1 << 24, 0.1, F16, 2048), (9999999, 0.5, F32, 1024)])
def test_dropout(n, chance, dtype, t):
    x, y = randn(n, dtype=dtype), empty(n, dtype=dtype)
    threshold = int(chance * 16777216)
    launch(dropout, (cdiv(n, t),), x, y, 12345, threshold, t)
    bits = torch.arange(n, device="cuda") ^ 12345
    for shift, factor in ((16, 0x7FEB352D), (15, 0x2C1B3C6D)):
        bits = (bits ^ (bits >> shift)) * factor & 0xFFFFFFFF
    kept = (bits ^ (bits >> 16)) >> 8 >= threshold
    close(y, torch.where(kept, x.float() * (16777216 / (16777216 - threshold)), 0.0), 1e-3)


@ct.kernel
def quantise_rows(x, q, scale, tn: INT):
    """To 8 bits, so that the largest number of a row becomes 127."""
    row = ct.bid(0)
    largest = ct.zeros((1, tn), dtype=ct.float32)
    for j in range(ct.cdiv(x.shape[1], tn)):
        largest = ct.maximum(largest, ct.abs(ct.load(x, (row, j), (1, tn), padding_mode=ZERO).astype(ct.float32)))
    step = ct.max(largest) / 127.0
    ct.scatter(scale, row, step)
    for j in range(ct.cdiv(x.shape[1], tn)):
        part = ct.load(x, (row, j), (1, tn), padding_mode=ZERO).astype(ct.float32)
        ct.store(q, (row, j), ct.floor(part / step + 0.5).astype(ct.int8))


@pytest.mark.parametrize("rows, columns, dtype, tn", [(8192, 4096, F16, 1024), (9000, 1500, BF16, 512)])
def test_quantise_rows(rows, columns, dtype, tn):
    x, q, scale = randn(rows, columns, dtype=dtype), empty(rows, columns, dtype=I8), empty(rows)
    launch(quantise_rows, (rows,), x, q, scale, tn)
    step = x.float().abs().amax(1) / 127
    close(scale, step, 1e-5)
    assert ((q.float() * step[:, None] - x.float()).abs() <= 0.502 * step[:, None]).all()


@ct.kernel
def quantise_blocks(x, q, scale, tm: INT):
    """To fp8, with a scale for each 128 numbers."""
    i, j = ct.bid(0), ct.bid(1)
    part = ct.load(x, (i, j), (tm, 128), padding_mode=ZERO).astype(ct.float32)
    step = ct.maximum(ct.max(ct.abs(part), axis=1, keepdims=True), 1e-8) / 448.0
    ct.store(q, (i, j), (part / step).astype(q.dtype))
    ct.store(scale, (i, j), step)


@pytest.mark.parametrize("rows, columns, tm", [(8192, 4096, 16), (5001, 7168, 32)])
def test_quantise_blocks(rows, columns, tm):
    x, q, scale = randn(rows, columns, dtype=BF16), empty(rows, columns, dtype=FP8), empty(rows, columns // 128)
    launch(quantise_blocks, (cdiv(rows, tm), columns // 128), x, q, scale, tm)
    wide = x.float().view(rows, -1, 128)
    close(scale, wide.abs().amax(2) / 448, 1e-5)
    close(q.float() * scale.repeat_interleave(128, 1), x, 0.04)


@ct.kernel
def dequantise(q, scale, zero, y, tm: INT, tn: INT):
    """A scale and a zero for each `tn` numbers."""
    i, j = ct.bid(0), ct.bid(1)
    part = ct.load(q, (i, j), (tm, tn)).astype(ct.float32) - ct.load(zero, (i, j), (tm, 1)).astype(ct.float32)
    ct.store(y, (i, j), (part * ct.load(scale, (i, j), (tm, 1))).astype(y.dtype))


@pytest.mark.parametrize("rows, columns, tiles", [(8192, 8192, (16, 128)), (4000, 6400, (32, 64))])
def test_dequantise(rows, columns, tiles):
    groups = columns // tiles[1]
    q, zero = randint(0, 256, (rows, columns), torch.uint8), randint(0, 256, (rows, groups), torch.uint8)
    scale, y = randn(rows, groups), empty(rows, columns, dtype=F16)
    launch(dequantise, (rows // tiles[0], groups), q, scale, zero, y, *tiles)
    wide = (q.float().view(rows, groups, -1) - zero.float()[..., None]) * scale[..., None]
    close(y, wide.view(rows, columns), 1e-3)


@ct.kernel
def masked_fill(x, mask, y, value: float, tm: INT, tn: INT):
    i, j = ct.bid(0), ct.bid(1)
    kept = ct.load(mask, (i, j), (tm, tn), padding_mode=ZERO) == 0
    ct.store(y, (i, j), ct.where(kept, ct.load(x, (i, j), (tm, tn), padding_mode=ZERO), value))


@pytest.mark.parametrize("m, n, tiles", [(8192, 4096, (8, 256)), (4001, 4099, (16, 128))])
def test_masked_fill(m, n, tiles):
    x, mask, y = randn(m, n), randint(0, 2, (m, n), torch.uint8), empty(m, n)
    launch(masked_fill, (cdiv(m, tiles[0]), cdiv(n, tiles[1])), x, mask, y, -7.5, *tiles)
    equal(y, torch.where(mask == 0, x, -7.5))


@ct.kernel
def adam(weight, gradient, first, second, rate: float, lost1: float, lost2: float, t: INT):
    """One step in place; `lost1` and `lost2` are 1 - beta ** step."""
    i = ct.bid(0)
    g = ct.load(gradient, (i,), (t,), padding_mode=ZERO).astype(ct.float32)
    m = 0.9 * ct.load(first, (i,), (t,), padding_mode=ZERO) + 0.1 * g
    v = 0.999 * ct.load(second, (i,), (t,), padding_mode=ZERO) + 0.001 * g * g
    w = ct.load(weight, (i,), (t,), padding_mode=ZERO)
    ct.store(first, (i,), m)
    ct.store(second, (i,), v)
    ct.store(weight, (i,), w - rate * (m / lost1 / (ct.sqrt(v / lost2) + 1e-8) + 0.01 * w))


@pytest.mark.parametrize("n, t", [(1 << 23, 1024), (5000001, 2048)])
def test_adam(n, t):
    weight, gradient, first, second = randn(n), randn(n, dtype=BF16), randn(n), randn(n).abs()
    w, g, m, v = (each.double() for each in (weight, gradient, first, second))
    launch(adam, (cdiv(n, t),), weight, gradient, first, second, 0.5, 1 - 0.9**3, 1 - 0.999**3, t)
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    close(first, m, 1e-5)
    close(second, v, 1e-5)
    close(weight, w - 0.5 * (m / (1 - 0.9**3) / ((v / (1 - 0.999**3)).sqrt() + 1e-8) + 0.01 * w), 1e-4)


@ct.kernel
def sum_of_list(parts, y, t: INT):
    i = ct.bid(0)
    acc = ct.zeros((t,), dtype=ct.float32)
    for part in range(len(parts)):
        acc += ct.load(parts[part], (i,), (t,), padding_mode=ZERO).astype(ct.float32)
    ct.store(y, (i,), acc.astype(y.dtype))


@pytest.mark.parametrize("count, n, dtype, t", [(6, 1 << 23, BF16, 2048), (3, 10000001, F32, 1024)])
def test_sum_of_list(count, n, dtype, t):
    parts, y = [randn(n, dtype=dtype) for _ in range(count)], empty(n, dtype=dtype)
    launch(sum_of_list, (cdiv(n, t),), parts, y, t)
    close(y, sum(part.float() for part in parts), 1e-2 if dtype == BF16 else 1e-6)


# Images and grids


@ct.kernel
def max_pool(x, y, th: INT, tw: INT):
    """2 x 2 pixels become one."""
    image, i, j = ct.bid(2), ct.bid(1), ct.bid(0)
    tile = ct.load(x, (image, i, j), (1, 2 * th, 2 * tw), padding_mode=LOWEST).reshape((th, 2, tw, 2))
    tile = ct.max(ct.max(tile, axis=3), axis=1)
    ct.store(y, (image, i, j), tile.reshape((1, th, tw)))


@pytest.mark.parametrize("images, height, width, dtype, tiles", [
    (512, 224, 224, F16, (8, 64)),
    (200, 250, 322, F32, (16, 32)),
])
def test_max_pool(images, height, width, dtype, tiles):
    x, y = randn(images, height, width, dtype=dtype), empty(images, height // 2, width // 2, dtype=dtype)
    launch(max_pool, (cdiv(width // 2, tiles[1]), cdiv(height // 2, tiles[0]), images), x, y, *tiles)
    equal(y, torch.nn.functional.max_pool2d(x.float()[:, None], 2)[:, 0].to(dtype))


@ct.kernel
def upsample(x, y, th: INT, tw: INT):
    """Each pixel becomes 2 x 2."""
    image, i, j = ct.bid(2), ct.bid(1), ct.bid(0)
    tile = ct.load(x, (image, i, j), (1, th, tw), padding_mode=ZERO).reshape((th, 1, tw, 1))
    ct.store(y, (image, i, j), ct.broadcast_to(tile, (th, 2, tw, 2)).reshape((1, 2 * th, 2 * tw)))


@pytest.mark.parametrize("images, height, width, dtype, tiles", [
    (256, 128, 128, F16, (8, 64)),
    (64, 200, 150, F32, (8, 32)),
])
def test_upsample(images, height, width, dtype, tiles):
    x, y = randn(images, height, width, dtype=dtype), empty(images, 2 * height, 2 * width, dtype=dtype)
    launch(upsample, (cdiv(width, tiles[1]), cdiv(height, tiles[0]), images), x, y, *tiles)
    equal(y, x.repeat_interleave(2, 1).repeat_interleave(2, 2))


@ct.kernel
def stencil2d(x, y, th: INT, tw: INT):
    """Each number and its four neighbours, 0 outside."""
    i = ct.bid(1) * th + ct.arange(th, dtype=ct.int32)[:, None]
    j = ct.bid(0) * tw + ct.arange(tw, dtype=ct.int32)[None, :]
    around = ct.gather(x, (i - 1, j)) + ct.gather(x, (i + 1, j)) + ct.gather(x, (i, j - 1)) + ct.gather(x, (i, j + 1))
    ct.scatter(y, (i, j), around - 4.0 * ct.gather(x, (i, j)))


@pytest.mark.parametrize("height, width, dtype, tiles", [(4096, 4096, F32, (8, 128)), (3001, 3777, F64, (16, 64))])
def test_stencil2d(height, width, dtype, tiles):
    x, y = randn(height, width, dtype=dtype), empty(height, width, dtype=dtype)
    launch(stencil2d, (cdiv(width, tiles[1]), cdiv(height, tiles[0])), x, y, *tiles)
    wide = torch.nn.functional.pad(x.double(), (1, 1, 1, 1))
    around = wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:]
    close(y, around - 4 * x.double(), 1e-6)


@ct.kernel
def stencil3d(x, y, middle: float, side: float, ta: INT, tb: INT, tc: INT):
    """The input has a border of width 1; its neighbours are tiles of slices that begin elsewhere."""
    a, b, c = ct.bid(2), ct.bid(1), ct.bid(0)
    shape = (ta, tb, tc)
    na, nb, nc = y.shape
    inner = x.slice(0, 1, na + 1).slice(1, 1, nb + 1).slice(2, 1, nc + 1)
    plane = x.slice(1, 1, nb + 1).slice(2, 1, nc + 1)
    row = x.slice(0, 1, na + 1).slice(2, 1, nc + 1)
    column = x.slice(0, 1, na + 1).slice(1, 1, nb + 1)
    around = ct.load(plane.slice(0, 0, na), (a, b, c), shape, padding_mode=ZERO)
    around += ct.load(plane.slice(0, 2, na + 2), (a, b, c), shape, padding_mode=ZERO)
    around += ct.load(row.slice(1, 0, nb), (a, b, c), shape, padding_mode=ZERO)
    around += ct.load(row.slice(1, 2, nb + 2), (a, b, c), shape, padding_mode=ZERO)
    around += ct.load(column.slice(2, 0, nc), (a, b, c), shape, padding_mode=ZERO)
    around += ct.load(column.slice(2, 2, nc + 2), (a, b, c), shape, padding_mode=ZERO)
    ct.store(y, (a, b, c), middle * ct.load(inner, (a, b, c), shape, padding_mode=ZERO) + side * around)


@pytest.mark.parametrize("a, b, c, tiles", [(256, 256, 256, (2, 8, 64)), (150, 201, 333, (4, 4, 64))])
def test_stencil3d(a, b, c, tiles):
    x, y = randn(a + 2, b + 2, c + 2), empty(a, b, c)
    launch(stencil3d, (cdiv(c, tiles[2]), cdiv(b, tiles[1]), cdiv(a, tiles[0])), x, y, 0.4, 0.1, *tiles)
    w = x.double()
    around = w[:-2, 1:-1, 1:-1] + w[2:, 1:-1, 1:-1] + w[1:-1, :-2, 1:-1] + w[1:-1, 2:, 1:-1]
    around += w[1:-1, 1:-1, :-2] + w[1:-1, 1:-1, 2:]
    close(y, 0.4 * w[1:-1, 1:-1, 1:-1] + 0.1 * around, 1e-5)


@ct.kernel
def box_filter(x, y, radius: INT, th: INT, tw: INT):
    """The mean over a square around each pixel, from rows of the array that overlap."""
    i, j = ct.bid(1), ct.bid(0)
    acc = ct.zeros((th, tw), dtype=ct.float32)
    tiles = x.tiled_view((th, tw), padding_mode=ZERO, traversal_steps=(1, 1))
    for a in range(2 * radius + 1):
        for b in range(2 * radius + 1):
            acc += tiles.load((i * th + a, j * tw + b)).astype(ct.float32)
    ct.store(y, (i, j), acc / ((2 * radius + 1) * (2 * radius + 1)))


@pytest.mark.parametrize("height, width, dtype, radius, tiles", [
    (2048, 2048, F16, 2, (16, 64)),
    (1500, 1111, F32, 1, (8, 128)),
])
def test_box_filter(height, width, dtype, radius, tiles):
    x, y = randn(height + 2 * radius, width + 2 * radius, dtype=dtype), empty(height, width)
    launch(box_filter, (cdiv(width, tiles[1]), cdiv(height, tiles[0])), x, y, radius, *tiles)
    close(y, torch.nn.functional.avg_pool2d(x.double()[None], 2 * radius + 1, 1)[0], 1e-5)
