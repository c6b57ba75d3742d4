"""gpucc.torch(): operators that torch.compile traces as a whole; GPUCC_TEST_DEVICE is the device, GPUCC_TEST_BACKEND the
compiler's backend."""
import os

import numpy as np
import torch

import gpucc
from check import raises

DEVICE, BACKEND = os.environ.get("GPUCC_TEST_DEVICE", "cpu"), os.environ.get("GPUCC_TEST_BACKEND", "aot_eager")
program = gpucc.compile("""
#include <gpucc.h>
#include <tgmath.h>
typevar(T, float32, float64);
vectorize() T wave(T x, T y) { return sin(x) * y * y; }
adjoint(wave_vjp, wave);
adjoint(wave_vjp_vjp, wave_vjp);
vectorize() T scaled(T x, int32 k) { return x * x * k; }
adjoint(scaled_vjp, scaled);
vectorize() T plain(T x) { return 2 * x; }
guvectorize((n)->(n),()) reorderable void softmax(size_t n, const T x[n], T y[n], T *s)
{
    T most = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, x[i]);
    for (size_t i = 0; i < n; i++)
        sum += exp(x[i] - most);
    for (size_t i = 0; i < n; i++)
        y[i] = exp(x[i] - most) / sum;
    *s = log(sum) + most;
}
adjoint(softmax_vjp, softmax);
guvectorize((n)->(p)) void halves(size_t n, const T x[n], T y[n / 2])
{
    for (size_t i = 0; i < n / 2; i++)
        y[i] = x[2 * i];
}
""")
wave, scaled, softmax = map(gpucc.torch, (program.wave, program.scaled, program.softmax))
assert gpucc.torch(program.wave) is wave and wave.__name__ == "wave"


def same(mine, theirs, rtol=1e-5):
    assert isinstance(mine, torch.Tensor) and mine.shape == theirs.shape and mine.dtype == theirs.dtype, (mine, theirs)
    np.testing.assert_allclose(mine.detach().cpu().numpy(), theirs.detach().cpu().numpy(), rtol=rtol, atol=1e-12)


def whole(function, **options):
    return torch.compile(function, backend=BACKEND, fullgraph=True, **options)


def tensor(*shape, dtype=torch.float64):
    return torch.randn(*shape, dtype=dtype, device=DEVICE, requires_grad=True)


def derived(function, *given):
    return torch.autograd.grad((function(*given) ** 2).sum(), given)


torch.manual_seed(1)
x, y, row = tensor(4, 3), tensor(4, 3), tensor(3)
theirs = lambda x, y: torch.sin(x) * y * y

# Outside of a trace, PyTorch's own checks of operators, and a number among the operands.
for a, b in ((x, y), (x, row)):
    same(wave(a, b), theirs(a, b))
    for mine, wanted in zip(derived(wave, a, b), derived(theirs, a, b), strict=True):
        same(mine, wanted)
same(scaled(x, 3), 3 * x * x)
same(scaled(row, torch.tensor(3, dtype=torch.int32, device=DEVICE)), 3 * row * row)
same(wave(x, 2.0), 4 * torch.sin(x))
operator = next(getattr(torch.ops.gpucc, n) for n in dir(torch.ops.gpucc) if n.startswith("wave_") and "vjp" not in n)
torch.library.opcheck(operator.default, (x, y))
torch.library.opcheck(operator.default, (x, row))
torch.library.opcheck(operator.default, (x, None, None, 2.0))
assert torch.autograd.gradcheck(wave, (x, y)) and torch.autograd.gradgradcheck(wave, (x, y))
assert torch.autograd.gradcheck(lambda x: softmax(x)[0], (x,))
same(torch.func.vmap(wave, (0, None))(x, row), theirs(x, row))
same(torch.func.vmap(torch.func.grad(lambda x, y: wave(x, y).sum()), (0, None))(x, row),
     torch.func.vmap(torch.func.grad(lambda x, y: theirs(x, y).sum()), (0, None))(x, row))

# A graph without breaks, forwards and backwards, also of shapes that are symbols.
for dynamic in (False, True):
    compiled = whole(lambda x, y: wave(2 * x, y) + 1, dynamic=dynamic)
    for a, b in ((x, y), (x, row), (tensor(5, 7), tensor(5, 1)), (tensor(6, 2), tensor(2))):
        same(compiled(a, b), theirs(2 * a, b) + 1)
        for mine, wanted in zip(derived(compiled, a, b), derived(lambda x, y: theirs(2 * x, y) + 1, a, b), strict=True):
            same(mine, wanted)
    rows = whole(lambda x: softmax(x)[0] * 2, dynamic=dynamic)
    for a in (x, tensor(7, 5, dtype=torch.float32)):
        same(rows(a), torch.softmax(a, -1) * 2)
        same(derived(rows, a)[0], derived(lambda x: torch.softmax(x, -1) * 2, a)[0], 1e-4)
    same(whole(lambda x: scaled(x, 3), dynamic=dynamic)(x), 3 * x * x)
same(whole(lambda x: wave(x.T, 2.0))(x), 4 * torch.sin(x.T))


class Layer(torch.nn.Module):
    def forward(self, x):
        return wave(x, x)


exported = torch.export.export(Layer(), (x.detach(),))
same(exported.module()(x.detach()), theirs(x, x))

# Traces of make_fx() hold the operator too.
for mode in "real", "fake", "symbolic":
    traced = torch.fx.experimental.proxy_tensor.make_fx(lambda x: wave(x, 2.0), tracing_mode=mode)(row.detach())
    same(traced(2 * row.detach()), 4 * torch.sin(2 * row))

# The function itself breaks the graph, and its values are right.
same(torch.as_tensor(torch.compile(lambda x: program.wave(x, x) * 2, backend=BACKEND)(x)), 2 * theirs(x, x))

with raises(TypeError, "'plain' has no adjoint", "adjoint(plain_vjp, plain);"):
    gpucc.torch(program.plain)(x)
same(gpucc.torch(program.plain)(x.detach()), 2 * x)
with raises(TypeError, "takes 2 inputs"):
    wave(x)
with raises(RuntimeError, "do not follow from its layout"):
    whole(gpucc.torch(program.halves))(row.detach())
with raises(TypeError, "takes a ufunc or a gufunc"):
    gpucc.torch(torch.sin)
print("all right")
