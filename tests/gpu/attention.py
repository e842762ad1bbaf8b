"""Runs the attention that is scheduled by hand for Hopper (examples/scheduled), checks and times it.

    python3 tests/gpu/attention.py TILEWRIGHT [--check] [SEQUENCE ...]

TILEWRIGHT is as for `hopper.py`. The reference is computed in f32; the times alternate with those of PyTorch's fused
attention (cuDNN and FlashAttention), in bursts of 5 ms. Exit code 1 if a result is farther off than f16 explains.
"""

import ctypes as C
import math
import os
import sys

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cuda_driver import Kernel  # noqa: E402
from hopper import ptx  # noqa: E402
from measure import medians  # noqa: E402

NAME, SYMBOL, HEAD, TILE = "attention_warpgroups", "attention", 128, 128


def inputs(heads, sequence):
    torch.manual_seed(heads + sequence)
    return [torch.randn(1, heads, sequence, HEAD, device="cuda").half() for _ in range(3)]


def launcher(kernel, q, k, v, out):
    rows, sequence = q.shape[1] * q.shape[2], q.shape[2]
    scale = C.c_float(math.log2(math.e) / math.sqrt(HEAD))
    arguments = [C.c_uint64(x.data_ptr()) for x in (q, k, v, out)] + [C.c_int32(rows), C.c_int32(sequence), scale]
    return kernel.prepare((rows // TILE,), arguments)


def main():
    torch.zeros(1, device="cuda")
    kernel, wrong = Kernel(ptx(sys.argv[1], NAME), SYMBOL), 0
    print(f"{NAME}: {kernel.registers} registers")
    for heads, sequence in [(1, 128), (3, 256), (2, 384), (4, 1024), (16, 4224)]:
        q, k, v = inputs(heads, sequence)
        out = torch.full_like(q, float("nan"))
        launch = launcher(kernel, q, k, v, out)
        for _ in range(3):
            launch()
        torch.cuda.synchronize()
        weights = torch.softmax(q.float() @ k.float().transpose(-1, -2) / math.sqrt(HEAD), -1)
        error = float((out.float() - weights @ v.float()).abs().max())
        wrong += not error < 2e-3
        print(f"heads {heads:2} sequence {sequence:5}  largest error {error:.2e}", flush=True)
        del weights
    if wrong or "--check" in sys.argv:
        return 1 if wrong else 0
    for sequence in [int(word) for word in sys.argv[2:] if word.isdigit()] or [4224, 8448]:
        q, k, v = inputs(16, sequence)
        out = torch.empty_like(q)

        def fused(backend):
            def launch():
                with sdpa_kernel(backend):
                    torch.nn.functional.scaled_dot_product_attention(q, k, v)
            return launch

        launches = {"cuDNN": fused(SDPBackend.CUDNN_ATTENTION), "FlashAttention": fused(SDPBackend.FLASH_ATTENTION),
                    NAME: launcher(kernel, q, k, v, out)}
        found = medians(launches)
        for name, microseconds in found.items():
            speed = 4 * 16 * sequence**2 * HEAD / microseconds / 1e6
            print(f"{sequence:5} {name:22} {microseconds:9.1f} us {speed:7.1f} TFLOP/s  {found['cuDNN'] / microseconds:.3f} of cuDNN")
    return 0


if __name__ == "__main__":
    sys.exit(main())
