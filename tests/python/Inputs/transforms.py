"""torch.func over calls of functions with derivatives: grad, vjp, jvp, vmap and what they compose; GPUCC_TEST_DEVICE is the
device."""
import os

import numpy as np
import torch
from torch.autograd import forward_ad
from torch.func import grad, hessian, jacrev, jvp, linearize, vjp, vmap
from torch.fx.experimental.proxy_tensor import make_fx

import gpucc
from check import raises

DEVICE = os.environ.get("GPUCC_TEST_DEVICE", "cpu")
program = gpucc.compile("""
#include <gpucc.h>
#include <tgmath.h>
typevar(T, float32, float64);
vectorize() T wave(T x, T y, int32 k) { return sin(x) * y * y * k; }
tangent(wave_jvp, wave);
adjoint(wave_vjp, wave);
adjoint(wave_vjp_vjp, wave_vjp);
tangent(wave_vjp_jvp, wave_vjp);
vectorize() T plain(T x, T y) { return x * y; }
vectorize() void split(T x, T y, int32 *k, T *r) { *r = x * y; *k = (int32)x; }
tangent(split_jvp, split);
adjoint(split_vjp, split);
guvectorize((m,n),(n)->(m)) void matvec(size_t m, size_t n, const T a[m][n], const T x[n], T y[m])
{
    for (size_t i = 0; i < m; i++) {
        T sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += a[i][j] * x[j];
        y[i] = sum;
    }
}
adjoint(matvec_vjp, matvec);
""")


def wave(x, y, k=3):
    return torch.sin(x) * y * y * k


def ours(x, y, k=3):
    return program.wave(x, y, k)


def total(function):
    return lambda *given: function(*given).sum()


def same(mine, theirs):
    for a, b in zip(*(x if isinstance(x, tuple) else (x,) for x in (mine, theirs)), strict=True):
        assert isinstance(a, torch.Tensor) and a.shape == b.shape and a.dtype == b.dtype, (a, b)
        np.testing.assert_allclose(a.detach().cpu().numpy(), b.detach().cpu().numpy(), rtol=1e-5, atol=1e-12)


torch.manual_seed(1)
x, y, dx, dy = (torch.randn(4, 3, dtype=torch.float64, device=DEVICE) for _ in range(4))
row = y[0]

# Reverse and forward mode, once and composed.
for a in (y, row, y[:, :1]):
    same(grad(total(ours), argnums=(0, 1))(x, a), grad(total(wave), argnums=(0, 1))(x, a))
same(vjp(ours, x, y)[1](dx), vjp(wave, x, y)[1](dx))
same(jvp(ours, (x, y), (dx, dy)), jvp(wave, (x, y), (dx, dy)))
same(jvp(lambda x: ours(x, 2.0), (x,), (dx,)), jvp(lambda x: wave(x, 2.0), (x,), (dx,)))
same(grad(lambda x: (grad(total(ours))(x, y) * dx).sum())(x), grad(lambda x: (grad(total(wave))(x, y) * dx).sum())(x))
same(jvp(grad(total(ours)), (x, y), (dx, dy)), jvp(grad(total(wave)), (x, y), (dx, dy)))
same(hessian(total(ours))(row, row), hessian(total(wave))(row, row))

# Maps: along any axis, over operands of different ranks, over gradients, and nested.
for dims, given in (((0, 0), (x, y)), ((1, 0), (x, row)), ((None, 0), (row, y)), ((0, None), (x, row)),
                    ((0, 0), (x, y[:, 0])), ((0, 0), (x[:, :, None] + y[:, None, :], y))):
    same(vmap(ours, dims)(*given), vmap(wave, dims)(*given))
same(vmap(program.plain, (0, None))(x, 2.0), 2 * x)
same(vmap(grad(total(ours)), (0, 0))(x, y), vmap(grad(total(wave)), (0, 0))(x, y))
same(vmap(grad(total(ours)), (0, None))(x, row), vmap(grad(total(wave)), (0, None))(x, row))
same(vmap(vmap(ours, (0, None)), (None, 0))(row, row), vmap(vmap(wave, (0, None)), (None, 0))(row, row))
same(jacrev(ours)(row, row), jacrev(wave)(row, row))

matrices, vectors = (torch.randn(*shape, dtype=torch.float64, device=DEVICE) for shape in ((5, 4, 3), (5, 3)))
product = lambda a, x: (a @ x[..., None])[..., 0]
same(vmap(program.matvec)(matrices, vectors), vmap(product)(matrices, vectors))
same(vmap(program.matvec, (None, 0))(matrices, vectors[:, None].expand(5, 5, 3)),
     vmap(product, (None, 0))(matrices, vectors[:, None].expand(5, 5, 3)))
same(vmap(grad(total(program.matvec), argnums=(0, 1)))(matrices, vectors),
     vmap(grad(total(product), argnums=(0, 1)))(matrices, vectors))
same(grad(total(program.matvec), argnums=(0, 1))(matrices[0], vectors),
     grad(total(product), argnums=(0, 1))(matrices[0], vectors))

# Forward mode without torch.func: a tangent is never dropped.
expected = jvp(wave, (x, y), (dx, torch.zeros_like(y)))[1]
with forward_ad.dual_level():
    same(forward_ad.unpack_dual(ours(forward_ad.make_dual(x, dx), y)).tangent, expected)

# An output of integers has no derivative, and the other outputs have theirs.
split = lambda x, y: program.split(x, y)
their_split = lambda x, y: (x.int(), x * y)
same(jvp(split, (x, y), (dx, dy))[0], their_split(x, y))
for mine, theirs in zip(jvp(split, (x, y), (dx, dy))[1], (torch.zeros_like(x, dtype=torch.int32), dx * y + x * dy)):
    same(mine, theirs)
for f, g in ((lambda x: split(x, y)[1], lambda x: x * y), (lambda x: split(x, y)[0] * x, lambda x: x.int() * x)):
    same(jvp(f, (x,), (dx,)), jvp(g, (x,), (dx,)))
    same(grad(total(f))(x), grad(total(g))(x))
    same(vmap(lambda x, dx: jvp(lambda x: split(x, row)[1], (x,), (dx,)))(x, dx), (x * row, dx * row))
with forward_ad.dual_level():
    made = [forward_ad.unpack_dual(a).tangent for a in split(forward_ad.make_dual(x, dx), y)]
    assert made[0] is None
    same(made[1], dx * y)

# A trace records operators, and would keep a method's results as constants.
for trace in (lambda: linearize(lambda x: ours(x, y), x), lambda: make_fx(grad(total(ours)))(x, y)):
    with raises(TypeError, "gpucc.torch(program.wave)"):
        trace()
for mode in "real", "fake", "symbolic":
    with raises(TypeError, "gpucc.torch(program.plain)"):
        make_fx(lambda x: program.plain(x, 2.0), tracing_mode=mode)(x)
same(torch.as_tensor(program.plain(x, 2.0)), 2 * x)  # the trace is over

# No derivative is made up.
with raises(TypeError, "'plain' has no adjoint", "adjoint(plain_vjp, plain);"):
    grad(total(program.plain))(x, y)
with raises(TypeError, "tangent(plain_jvp, plain);"):
    jvp(program.plain, (x, y), (dx, dy))
with raises(TypeError, "tangent(matvec_jvp, matvec);"):
    jvp(program.matvec, (matrices, vectors), (matrices, vectors))
with raises(TypeError, "inputs alone"):
    grad(lambda x: ours(x, y, 3).sum() + program.wave(x, y, 3, dtype="float32").sum())(x)
print("all right")
