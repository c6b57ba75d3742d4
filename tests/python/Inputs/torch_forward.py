"""Forward mode of gpucc.torch(): as operators, and in graphs of torch.compile; GPUCC_TEST_DEVICE is the device."""
import os

import numpy as np
import torch
from torch.autograd import forward_ad
from torch.func import grad, jacfwd, jvp, linearize, vmap
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
adjoint(wave_jvp_vjp, wave_jvp);
tangent(wave_vjp_jvp, wave_vjp);
vectorize() void polar(T x, T y, T *r, T *a) { *r = x * x + y * y; *a = x * y; }
tangent(polar_jvp, polar);
vectorize() void split(T x, T y, int32 *k, T *r) { *r = x * y; *k = (int32)x; }
tangent(split_jvp, split);
vectorize() T plain(T x) { return x * x; }
adjoint(plain_vjp, plain);
""")
ours, polar, plain, split = (gpucc.torch(program[name]) for name in ("wave", "polar", "plain", "split"))


def wave(x, y, k):
    return torch.sin(x) * y * y * k


def their_polar(x, y):
    return x * x + y * y, x * y


def their_split(x, y):
    return x.int(), x * y


def same(mine, theirs):
    for a, b in zip(torch.utils._pytree.tree_leaves(mine), torch.utils._pytree.tree_leaves(theirs), strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype, (a, b)
        np.testing.assert_allclose(a.detach().cpu().numpy(), b.detach().cpu().numpy(), rtol=1e-5, atol=1e-12)


torch.manual_seed(1)
x, y, dx, dy = (torch.randn(4, 3, dtype=torch.float64, device=DEVICE) for _ in range(4))
row, k = y[0], torch.arange(3, dtype=torch.int32, device=DEVICE)


def dual(function):
    def call(x, dx, y):
        with forward_ad.dual_level():
            made = forward_ad.unpack_dual(function(forward_ad.make_dual(x, dx), y, 3))
            return made.primal, made.tangent
    return call


# Each as it is, and in graphs of two kinds.
cases = [
    (lambda f: lambda x, dx, y, dy: jvp(lambda x, y: f(x, y, 3), (x, y), (dx, dy)), wave, ours, (x, dx, y, dy)),
    (lambda f: lambda x, dx: jvp(lambda x: f(x, row, k), (x,), (dx,)), wave, ours, (x, dx)),
    (lambda f: lambda x, dx: jvp(lambda x: f(x, 2.0, 3), (x,), (dx,)), wave, ours, (x, dx)),
    (lambda f: lambda x, dx, y: jvp(lambda x: f(x, y), (x,), (dx,)), their_polar, polar, (x, dx, row)),
    (lambda f: lambda x, dx: jvp(lambda x: f(x, y)[1], (x,), (dx,)), their_split, split, (x, dx)),
    (lambda f: lambda x, dx: jvp(lambda x: f(x, y)[0] * x, (x,), (dx,)), their_split, split, (x, dx)),
    (lambda f: jacfwd(lambda x: f(x, x, 2)), wave, ours, (row,)),
    (lambda f: vmap(lambda x, dx: jvp(lambda x: f(x, row, k), (x,), (dx,))), wave, ours, (x, dx)),
    (dual, wave, ours, (x, dx, y))]
for make, theirs, mine, given in cases:
    expected = make(theirs)(*given)
    same(make(mine)(*given), expected)
    for backend in "eager", "aot_eager":
        torch._dynamo.reset()
        same(torch.compile(make(mine), backend=backend)(*given), expected)

# Forward over reverse, reverse over forward, and reverse alone; PyTorch has no grad() of custom operators in graphs.
over = lambda f: lambda x, dx: jvp(grad(lambda x: f(x, y, 3).sum()), (x,), (dx,))
same(over(ours)(x, dx), over(wave)(x, dx))
total = lambda f: lambda x, dx: jvp(lambda x: f(x, y, 3), (x,), (dx,))[1].sum()
same(grad(total(ours))(x, dx), grad(total(wave))(x, dx))
z = x.clone().requires_grad_()
same(torch.autograd.grad(torch.compile(lambda z: ours(z, y, 3), backend="aot_eager")(z).sum(), z)[0],
     grad(lambda x: wave(x, y, 3).sum())(x))

# Traces of make_fx() and of linearize() hold operators, whose tangents are those of every later call.
for make, theirs, mine in ((lambda f: lambda x: f(x, y, 3), wave, ours), (lambda f: lambda x: f(x, y), their_polar, polar),
                           (lambda f: lambda x: f(x, y)[1], their_split, split)):
    value, push = linearize(make(mine), x)
    same(value, make(theirs)(x))
    for move in dx, dy:
        same(push(move), jvp(make(theirs), (x,), (move,))[1])
pushed = lambda f: lambda x: jvp(lambda x: f(x, y, 3), (x,), (dx,))
traced = make_fx(pushed(ours))(x)
for a in x, y:
    same(traced(a), pushed(wave)(a))

# A tangent is never dropped.
for function in (lambda x, dx: jvp(plain, (x,), (dx,)), torch.compile(lambda x, dx: jvp(plain, (x,), (dx,)), backend="eager")):
    with raises(Exception, "tangent(plain_jvp, plain);"):
        function(x, dx)
print("all right")
