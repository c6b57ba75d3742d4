"""adjoints.py PROGRAM: adjoints of gufuncs on a GPU, beside PyTorch's backward steps.  PROGRAM is
tests/bench/adjoints.c as a shared object.  It compares the GPU's bits with the CPU's, and prints median microseconds
between two events."""
import sys

import numpy
import torch

import gpucc
from torch_clock import show

PROGRAM = gpucc.load(sys.argv[1])
SHAPES = (100_000, 100), (100_000, 1000), (1000, 1000)


def compare_bits():
    generator = numpy.random.default_rng(7)
    for dtype in ("float32", "float64"):
        for shape in ((33, 1000), (1000, 33), (3, 4099)):
            rows, bars = (generator.standard_normal(shape).astype(dtype) for _ in range(2))
            gain, shift = (generator.standard_normal(shape[1]).astype(dtype) for _ in range(2))
            for name, operands in (("softmax_vjp", (rows, bars)), ("layernorm_vjp", (rows, gain, shift, bars)),
                                   ("greatest_vjp", (rows, bars[:, 0].copy()))):
                results = [getattr(PROGRAM, name)(*operands, device=device) for device in ("cpu", "cuda")]
                pairs = zip(*[r if isinstance(r, tuple) else (r,) for r in results])
                if not all(numpy.array_equal(a, b, equal_nan=True) for a, b in pairs):
                    sys.exit(f"{name} of {dtype} {shape} has other bits on the GPU")
    print("the same bits as on the CPU")


def measure(shape, dtype):
    rows, bars = (torch.randn(*shape, device="cuda", dtype=dtype) for _ in range(2))
    gain, shift = (torch.randn(shape[1], device="cuda", dtype=dtype) for _ in range(2))
    out, gains, shifts = (torch.empty_like(rows) for _ in range(3))
    what = f"{shape[0]} x {shape[1]} {str(dtype)[6:]}"
    show(f"softmax {what}", lambda: PROGRAM.softmax(rows, out=out))
    show(f"softmax_vjp {what}", lambda: PROGRAM.softmax_vjp(rows, bars, out=out))
    made = torch.softmax(rows, 1)
    show(f"torch's backward {what}", lambda: torch._softmax_backward_data(bars, made, 1, dtype))
    show(f"layernorm_vjp {what}", lambda: PROGRAM.layernorm_vjp(rows, gain, shift, bars, out=(out, gains, shifts)))
    leaf = rows.clone().requires_grad_(True)
    normed = torch.nn.functional.layer_norm(leaf, shape[1:], gain, shift)
    show(f"torch's backward of layernorm by x {what}", lambda: torch.autograd.grad(normed, leaf, bars, retain_graph=True))


compare_bits()
for dtype in (torch.float64, torch.float32):
    for shape in SHAPES:
        measure(shape, dtype)
