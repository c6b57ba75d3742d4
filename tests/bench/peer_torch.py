"""PyTorch's own functions, and Triton kernels on its tensors."""
import torch
import triton
import triton.language as tl

import measure
from measure import N, SIDE, SMALL, gigabytes, row, section
from torch_clock import device_us

torch.manual_seed(1)
x = torch.rand(N, device="cuda") * 20 - 10
y, out = torch.rand(N, device="cuda"), torch.empty(N, device="cuda")


@section
def large():
    row("add_1e8", "torch", gigabytes(12 * N, device_us(lambda: torch.add(x, y, out=out))), "GB/s")
    small = (x * 100).to(torch.int16)
    row("cast_add_1e8", "torch", gigabytes(10 * N, device_us(lambda: torch.add(small, y, out=out))), "GB/s")
    half, into = x.half(), torch.empty(N, device="cuda", dtype=torch.float16)
    row("cast_half_1e8", "torch", gigabytes(10 * N, device_us(lambda: torch.add(half, y, out=out))), "GB/s")
    row("cast_into_half_1e8", "torch", gigabytes(10 * N, device_us(lambda: torch.add(x, y, out=into))), "GB/s")
    del small, half, into
    a, b, o = x.view(SIDE, SIDE), y.view(SIDE, SIDE), out.view(SIDE, SIDE)
    for name, (shape, axis) in measure.SUMS.items():
        summed = x.view(shape)
        row(name, "torch", gigabytes(4 * N, device_us(lambda: torch.sum(summed, axis))), "GB/s")
    row("cumsum_1e8", "torch", gigabytes(8 * N, device_us(lambda: torch.cumsum(x, 0, out=out))), "GB/s")
    whole, sums = (x * 100).to(torch.int32), out.view(torch.int32)
    row("cumsum_int32", "torch",
        gigabytes(8 * N, device_us(lambda: torch.cumsum(whole, 0, dtype=torch.int32, out=sums))), "GB/s")
    row("cumsum_axis_0", "torch", gigabytes(8 * N, device_us(lambda: torch.cumsum(a, 0, out=o))), "GB/s")
    row("cumsum_axis_1", "torch", gigabytes(8 * N, device_us(lambda: torch.cumsum(a, 1, out=o))), "GB/s")
    row("row_1e8", "torch", gigabytes(8 * N, device_us(lambda: torch.add(a, b[:1], out=o))), "GB/s")
    row("column_1e8", "torch", gigabytes(8 * N, device_us(lambda: torch.add(a, b[:, :1], out=o))), "GB/s")
    row("transposed_1e8", "torch", gigabytes(12 * N, device_us(lambda: torch.add(a.T, b, out=o))), "GB/s")


@section
def matrices():
    a, b = (torch.rand(8192, 8192, device="cuda").sub_(0.5).bfloat16() for _ in range(2))
    o = torch.empty_like(a)
    row("gemm_bf16", "torch", 2 * 8192**3 / device_us(lambda: torch.mm(a, b, out=o)) / 1e6, "TFLOP/s")


@section
def gufuncs():
    rows = x.view(10**5, 1000)
    row("softmax_rows", "torch", gigabytes(8 * N, device_us(lambda: torch.softmax(rows, 1))), "GB/s")
    a, b = (torch.rand(10**7, 4, 4, device="cuda") for _ in range(2))
    row("products_4x4", "torch", gigabytes(3 * 64 * 10**7, device_us(lambda: torch.bmm(a, b))), "GB/s")


@section
def calls():
    a, b, o = x[:SMALL], y[:SMALL], out[:SMALL]
    row("call_1000", "torch", measure.host_us(lambda: torch.add(a, b, out=o), torch.cuda.synchronize), "us")


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@triton.jit
def trig_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    value = tl.load(x + i, mask=inside)
    c, s = tl.cos(value), tl.sin(value)
    tl.store(out + i, c * c + s * s, mask=inside)


@triton.jit
def selu_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    value = tl.load(x + i, mask=inside)
    tl.store(out + i, 1.05 * tl.where(value > 0, value, 1.67 * tl.exp(value) - 1.67), mask=inside)


def best(kernel, size, *arguments):
    """The best of three block sizes, as a user who tunes it gets."""
    times = []
    for block in (512, 1024, 2048):
        times.append(device_us(lambda: kernel[(triton.cdiv(N, block),)](*arguments, N, BLOCK=block)))
    return gigabytes(size, min(times))


@section
def triton_large():
    row("add_1e8", "triton", best(add_kernel, 12 * N, x, y, out), "GB/s")
    row("trig_1e8", "triton", best(trig_kernel, 8 * N, x, out), "GB/s")
    row("selu_1e8", "triton", best(selu_kernel, 8 * N, x, out), "GB/s")


@section
def triton_launch():
    a, b, o = x[:SMALL], y[:SMALL], out[:SMALL]
    row("launch", "triton", measure.host_us(lambda: add_kernel[(1,)](a, b, o, SMALL, BLOCK=1024), torch.cuda.synchronize), "us")
