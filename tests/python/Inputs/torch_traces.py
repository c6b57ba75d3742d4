"""Calls, methods and kernels with tensors that PyTorch traces or that have no elements; GPUCC_TEST_DEVICE is the device."""
import os
import sys
import warnings

import numpy as np
import torch
from torch._subclasses import FakeTensorMode
from torch.func import functionalize, grad, jvp, vmap
from torch.fx.experimental.proxy_tensor import make_fx

import gpucc

DEVICE = os.environ.get("GPUCC_TEST_DEVICE", "cpu")
program = gpucc.compile("""
#include <gpucc.h>
typevar(T, float32, float64);
vectorize() identity(0) reorderable T add(T x, T y) { return x + y; }
fuse(total, reduce(add, add(x, y)));
guvectorize((n)->(n)) void twice(size_t n, const T x[n], T y[n]) { for (size_t i = 0; i < n; i++) y[i] = 2 * x[i]; }
vectorize() void two(T x, T *a, T *b) { *a = x; *b = 2 * x; }
kernel void next(size_t n, float x[n])
{
    const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += 1;
}
""")
add = program.add
out = torch.zeros(4, device=DEVICE)
CALLS = {
    "call": lambda x: add(x, x),
    "number": lambda x: add(x, 1.0),
    "out": lambda x: add(x, x, out=out),
    "two": lambda x: program.two(x)[1],
    "gufunc": program.twice,
    "reduce": add.reduce,
    "accumulate": add.accumulate,
    "reduceat": lambda x: add.reduceat(x, [0, 2]),
    "outer": lambda x: add.outer(x, x),
    "at": lambda x: add.at(x, [0, 1], 1.0),
    "fused": lambda x: program.total(x, x),
    "kernel": lambda x: program.next[1, 32](4, x),
    "array": lambda x: gpucc.asarray(x).to_numpy(),
}


def x():
    return torch.arange(4.0, device=DEVICE)


def fake(f):
    with FakeTensorMode():
        given = torch.ones(4, device=DEVICE)
    f(given)


def symbols(mode, early):
    return lambda f: make_fx(lambda x: (f(x), x)[1], tracing_mode=mode, pre_dispatch=early)(x())


TRACES = {f"make_fx {mode} {early}": symbols(mode, early) for mode in ("real", "fake", "symbolic") for early in (False, True)}
TRACES |= {
    "fake": fake,
    "functionalize": lambda f: functionalize(lambda x: (f(x), x)[1])(x()),
    "functional": lambda f: f(torch._to_functional_tensor(x())),
    "masked": lambda f: f(torch.masked.masked_tensor(x(), x() > 1)),
    "zero": lambda f: f(torch._efficientzerotensor(4, device=DEVICE)),
    "sparse": lambda f: f(x().to_sparse()),
    "jit": lambda f: torch.jit.trace(lambda x: (f(x), x)[1], (x(),), check_trace=False),
}
WITHOUT = {"vmap": lambda f: vmap(lambda x: (f(x), x)[1])(x().repeat(2, 1))}
BY_STEPS = {"call", "number", "two", "gufunc"}  # which vmap() maps
warnings.simplefilter("ignore")
for call, f in CALLS.items():
    wanted = f(x())
    for trace, run in (TRACES | WITHOUT).items():
        if trace == "vmap" and call in BY_STEPS:
            continue
        try:
            run(f)
        except (TypeError, RuntimeError, NotImplementedError):
            pass
        else:
            raise AssertionError(f"{call} in {trace}")
    again = f(x())  # nothing is left of the trace
    if wanted is not None:
        np.testing.assert_array_equal(*[y.cpu() if isinstance(y, torch.Tensor) else y for y in (wanted, again)])
with torch.device(DEVICE):  # a mode that traces nothing
    for f in CALLS.values():
        f(x())
# Operators have rules for them all, unless something derives.
operator, curved = gpucc.torch(add), gpucc.compile("""
#include <gpucc.h>
vectorize() float square(float x) { return x * x; }
adjoint(square_vjp, square);
adjoint(square_vjp_vjp, square_vjp);
tangent(square_jvp, square);
""").square
for f in (functionalize(operator), functionalize(vmap(operator)), vmap(functionalize(operator))):
    np.testing.assert_array_equal(f(x(), x()).cpu(), 2 * np.arange(4.0))
for function in (curved, gpucc.torch(curved)):
    with FakeTensorMode():
        for derive in (vmap, grad, lambda f: vmap(grad(grad(f))), lambda f: lambda x: jvp(f, (x,), (x,))[1]):
            given = torch.ones(() if derive is grad else 4, device=DEVICE)
            made = derive(function)(given)
            assert type(made).__name__ == "FakeTensor" and made.shape == given.shape, (function, made)
    for f, advice in ((functionalize(function), "gpucc.torch"), (functionalize(grad(function)), "without functionalize")):
        try:
            f(torch.ones((), device=DEVICE))
        except TypeError as error:
            assert advice in str(error)
        else:
            assert function is not curved and advice == "gpucc.torch"
# Ctrl-C where a call finds out whether PyTorch traces.
proxies = sys.modules["torch.fx.experimental.proxy_tensor"]
asks = proxies.get_proxy_mode


def interrupted():
    proxies.get_proxy_mode = asks
    raise KeyboardInterrupt


with torch.device(DEVICE):
    for f in CALLS.values():
        if f(x()) is None:
            continue
        proxies.get_proxy_mode = interrupted
        try:
            f(x())
        except KeyboardInterrupt:
            continue
        assert proxies.get_proxy_mode is interrupted, "Ctrl-C was dropped"  # or nobody asked
        proxies.get_proxy_mode = asks
print("all right")
