"""Checks and times matrix products and attention of cuTile Python's samples and benchmarks beside cuBLAS and cuDNN.

    python3 tests/gpu/cutile_samples.py CHECKOUT NAME=TILEIRAS [NAME=TILEIRAS ...] [--check] [--only products|attention]
        [--clusters N] [--sizes N,...]

CHECKOUT is one of NVIDIA/cutile-python; each TILEIRAS is a compiler to compare, such as this one linked as `tileiras`. All
run in one process: a first launch compiles each kernel by each of them. `--clusters` has clusters of N blocks compute the
tiles of products, `--sizes` multiplies square matrices of these sizes. Times are medians of alternating bursts of 5 ms.
Exit code 1 if a result is farther off than its type explains.
"""

import importlib.util
import math
import os
import sys

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from measure import compilers, medians, select  # noqa: E402

# Rows, columns, depth of a tile.
TILES = [(128, 256, 64), (256, 128, 64), (128, 128, 64), (128, 128, 32), (64, 256, 64), (64, 128, 64), (64, 64, 64), (256, 256, 64)]
# Rows of queries, rows of keys of a tile.
ATTENTION = [(128, 128), (128, 64), (64, 128), (64, 64)]


def kernels(checkout, path):
    """A module with kernels, loaded anew."""
    source = os.path.join(checkout, path)
    sys.path[:0] = [folder for folder in (os.path.dirname(source), os.path.dirname(os.path.dirname(source))) if folder not in sys.path]
    spec = importlib.util.spec_from_file_location(f"kernels_{len(sys.modules)}", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def report(what, found, work):
    first = next(iter(found))
    for name, microseconds in found.items():
        speed = work / microseconds / 1e6
        print(f"{what:34} {name:10} {microseconds:9.1f} us {speed:7.1f} TFLOP/s  {found[first] / microseconds:.3f} of {first}", flush=True)


def timed(what, peer, launches, work, fills):
    """Launches by each compiler: checks the results, then the times. Returns the number of wrong results."""
    wrong, times = 0, dict(peer)
    for name, (path, launch) in launches.items():
        select(path)
        try:
            launch()
            torch.cuda.synchronize()
        except Exception as error:
            wrong += 1
            print(f"{what} {name}: {type(error).__name__}: {str(error)[:300]}", flush=True)
            continue
        error = fills(name)
        if not error < 4e-3:
            wrong += 1
            print(f"{what} {name}: error {error:.1e}", flush=True)
        times[name] = launch
    if "--check" not in sys.argv:
        report(what, medians(times), work)
    return wrong


def products(ct, checkout, found, size, path, kernel, tiles, persistent=False):
    a, b = (torch.randn(size, size, device="cuda").half() for _ in range(2))
    out = torch.empty(size, size, device="cuda").half()
    wanted, wrong = a.float() @ b.float(), 0
    scale = float(wanted.abs().max())
    blocks = torch.cuda.get_device_properties(0).multi_processor_count
    blocks_of_cluster = int(sys.argv[sys.argv.index("--clusters") + 1]) if "--clusters" in sys.argv else 1
    for tile in tiles:
        count = math.ceil(size / tile[0]) * math.ceil(size / tile[1])
        grid = (min(count, blocks // blocks_of_cluster) if persistent else count, 1, 1)
        launches, results = {}, {}
        for name, compiler in found.items():
            results[name] = torch.full_like(out, float("nan"))
            function = getattr(kernels(checkout, path), kernel)
            if blocks_of_cluster > 1:
                function = function.replace_hints(num_ctas=blocks_of_cluster)

            def launch(function=function, c=results[name]):
                ct.launch(torch.cuda.current_stream(), grid, function, (a, b, c, *tile))

            launches[name] = (compiler, launch)
        peer = {"cuBLAS": lambda: torch.mm(a, b, out=out)}
        what = f"{kernel} {size} {'x'.join(map(str, tile))}"
        wrong += timed(what, peer, launches, 2 * size**3, lambda name: float((results[name].float() - wanted).abs().max()) / scale)
    return wrong


def attention(ct, checkout, found, tensors, causal, what):
    q, k, v = tensors
    heads, sequence, head = q.shape[1], q.shape[2], q.shape[3]
    group = heads // k.shape[1]

    def fused():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=group > 1)

    with sdpa_kernel(SDPBackend.MATH):
        wanted = torch.nn.functional.scaled_dot_product_attention(
            q[:, :group].float(), k[:, :1].float().expand(-1, group, -1, -1), v[:, :1].float().expand(-1, group, -1, -1), is_causal=causal)
    wrong = 0
    for rows, columns in ATTENTION:
        grid = (math.ceil(sequence / rows), heads * q.shape[0], 1)
        launches, results = {}, {}
        for name, compiler in found.items():
            results[name] = torch.full(q.shape, float("nan"), device="cuda", dtype=q.dtype)
            arguments = (q, k, v, results[name], 1 / math.sqrt(head), 0, head, heads, rows, columns, group, causal, sequence % columns == 0)
            function = kernels(checkout, "samples/AttentionFMHA.py").fmha_kernel

            def launch(function=function, arguments=arguments):
                ct.launch(torch.cuda.current_stream(), grid, function, arguments)

            launches[name] = (compiler, launch)
        work = 4 * q.shape[0] * heads * sequence**2 * head // (2 if causal else 1)
        title = f"attention {what} {sequence} d {head} {rows}x{columns}{' causal' if causal else ''}"
        wrong += timed(title, {"cuDNN": fused}, launches, work, lambda name: float((results[name][:, :group].float() - wanted).abs().max()))
    return wrong


def main():
    checkout, found = sys.argv[1], compilers(sys.argv[2:])
    import cuda.tile as ct

    torch.manual_seed(1)
    only, wrong = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else "", 0
    if "--sizes" in sys.argv:
        for size in sys.argv[sys.argv.index("--sizes") + 1].split(","):
            for kernel in ("matmul_kernel", "persistent_matmul_kernel"):
                wrong += products(ct, checkout, found, int(size), "samples/MatMul.py", kernel, TILES, kernel.startswith("persistent"))
        return 1 if wrong else 0
    if only != "attention":
        for size in (4096, 1024):
            wrong += products(ct, checkout, found, size, "samples/MatMul.py", "matmul_kernel", TILES)
        wrong += products(ct, checkout, found, 1000, "samples/MatMul.py", "matmul_kernel", TILES[:3])
        wrong += products(ct, checkout, found, 4096, "samples/MatMul.py", "persistent_matmul_kernel", TILES[:3], persistent=True)
    if only != "products":
        for head, causal in ((128, False), (128, True), (64, False)):
            tensors = [torch.randn(1, 16, 4224, head, device="cuda").half() for _ in range(3)]
            wrong += attention(ct, checkout, found, tensors, causal, "dense")
        # Heads between the rows, and heads of keys that several heads of queries share.
        packed = torch.randn(2, 1000, 3, 8, 64, device="cuda").half()
        wrong += attention(ct, checkout, found, [packed[:, :, at].transpose(1, 2) for at in range(3)], False, "packed")
        shared = [torch.randn(1, count, 1024, 128, device="cuda").bfloat16().half() for count in (16, 4, 4)]
        wrong += attention(ct, checkout, found, shared, True, "grouped")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
