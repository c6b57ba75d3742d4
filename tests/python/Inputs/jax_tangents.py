"""gpucc.jax() of functions with a tangent: forward mode, and what forward and reverse mode compose; GPUCC_TEST_DEVICE is the
device."""
import os

import jax
import jax.numpy as jnp
import numpy as np

import gpucc
from check import raises

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", {"cpu": "cpu"}.get(os.environ.get("GPUCC_TEST_DEVICE", "cpu"), "cuda"))
program = gpucc.compile("""
#include <gpucc.h>
#include <tgmath.h>
typevar(T, float32, float64);
vectorize() T wave(T x, T y, int32 k) { return sin(x) * y * y * k; }
tangent(wave_jvp, wave);
adjoint(wave_vjp, wave);
tangent(wave_jvp_jvp, wave_jvp);
adjoint(wave_jvp_vjp, wave_jvp);
adjoint(wave_vjp_vjp, wave_vjp);
tangent(wave_vjp_jvp, wave_vjp);
vectorize() T forward(T x) { return x * x * x; }
tangent(forward_jvp, forward);
vectorize() void polar(T x, T y, T *r, T *a) { *r = x * x + y * y; *a = x * y; }
tangent(polar_jvp, polar);
adjoint(polar_vjp, polar);
vectorize() void split(T x, T y, int32 *k, T *r) { *r = x * y; *k = (int32)x; }
tangent(split_jvp, split);
adjoint(split_vjp, split);
vectorize() T reverse(T x) { return x * x; }
adjoint(reverse_vjp, reverse);
""")
ours, polar = gpucc.jax(program.wave), gpucc.jax(program.polar)


def wave(x, y, k):
    return jnp.sin(x) * y * y * k


def their_polar(x, y):
    return x * x + y * y, x * y


def total(function):
    return lambda *given: sum(x.sum() for x in jax.tree.leaves(function(*given)))


def same(mine, theirs):
    for a, b in zip(jax.tree.leaves(mine), jax.tree.leaves(theirs), strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype, (a, b)
        if a.dtype != jax.dtypes.float0:
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-12)


x, y, dx, dy = (jax.random.normal(key, (4, 3), "float64") for key in jax.random.split(jax.random.key(1), 4))
row, k = y[0], jnp.arange(1, 4, dtype="int32")

for jit in (lambda f: f, jax.jit):
    # Forward mode: both operands, one, a broadcast one, numbers, and several results.
    for b, db in ((y, dy), (row, dy[0]), (y[:, :1], dy[:, :1])):
        mine, theirs = (lambda x, b, f=f: f(x, b, k) for f in (ours, wave))
        same(jit(lambda *given: jax.jvp(mine, *given))((x, b), (dx, db)), jax.jvp(theirs, (x, b), (dx, db)))
        same(jit(jax.grad(total(mine), (0, 1)))(x, b), jax.grad(total(theirs), (0, 1))(x, b))
        same(jit(jax.grad(total(mine), 1))(x, b), jax.grad(total(theirs), 1)(x, b))
    same(jit(lambda x: jax.jvp(lambda x: ours(x, 2.0, 3), (x,), (dx,)))(x), jax.jvp(lambda x: wave(x, 2.0, 3), (x,), (dx,)))
    narrow = x.astype("float32")
    same(jit(lambda x: jax.jvp(lambda x: ours(x, 2.0, 3), (x,), (x,)))(narrow),
         jax.jvp(lambda x: wave(x, 2.0, 3), (narrow,), (narrow,)))
    same(jit(jax.grad(total(lambda x: ours(x, 2.0, 3))))(narrow), jax.grad(total(lambda x: wave(x, 2.0, 3)))(narrow))
    same(jit(lambda: jax.jvp(polar, (x, y), (dx, dy)))(), jax.jvp(their_polar, (x, y), (dx, dy)))
    same(jit(jax.grad(total(polar), (0, 1)))(x, row), jax.grad(total(their_polar), (0, 1))(x, row))
    same(jit(jax.grad(lambda x: polar(x, y)[1].sum()))(x), y)  # one result's cotangent is zero
    same(jit(jax.jacfwd(lambda x: ours(x, row, 2)))(row), jax.jacfwd(lambda x: wave(x, row, 2))(row))
    same(jit(jax.jacrev(lambda x: ours(x, row, 2)))(row), jax.jacrev(lambda x: wave(x, row, 2))(row))
    same(jit(lambda: jax.linearize(lambda x: ours(x, y, k), x)[1](dx))(), jax.jvp(lambda x: wave(x, y, k), (x,), (dx,))[1])

    # Integers and booleans for a parameter of floating point have no tangents.
    for a in (jnp.arange(3), x > 0, np.arange(12, dtype="int8").reshape(4, 3)):
        mine, theirs = (lambda y, a=a, f=f: f(a, y, k) for f in (ours, wave))
        same(jit(jax.grad(total(mine)))(y), jax.grad(total(theirs))(y))
        same(jit(lambda y: jax.jvp(mine, (y,), (dy,)))(y), jax.jvp(theirs, (y,), (dy,)))
        same(jit(jax.hessian(total(lambda y: mine(y) * y)))(row), jax.hessian(total(lambda y: theirs(y) * y))(row))
        same(jit(jax.vmap(jax.grad(total(mine))))(y[:, None]), jax.vmap(jax.grad(total(theirs)))(y[:, None]))
    grads = [jax.vmap(jax.grad(lambda y, a, f=f: f(a, y, 3)))(row, k) for f in (ours, wave)]
    same(*grads)
    same(*[jax.vjp(lambda a, y, f=f: f(a, y, 3), k, row)[1](row) for f in (ours, wave)])

    # Second derivatives, in each order.
    f, g = (lambda x, y, f=f: f(x, y, 2) for f in (ours, wave))
    for inner in (jax.jacfwd, jax.jacrev):
        for outer in (jax.jacfwd, jax.jacrev):
            same(jit(outer(inner(f)))(row, row), outer(inner(g))(row, row))
            same(jit(outer(inner(f, 1), (0, 1)))(row, row[:1]), outer(inner(g, 1), (0, 1))(row, row[:1]))
    same(jit(jax.hessian(total(f)))(row, row), jax.hessian(total(g))(row, row))

    # Maps.
    push = lambda f: lambda x, y, dx: jax.jvp(lambda x: f(x, y, 3), (x,), (dx,))
    for axes, given in (((0, 0, 0), (x, y, dx)), ((1, 0, 1), (x, row, dx)), ((0, None, 0), (x, row, dx)),
                        ((None, 0, None), (row, x, row)), ((0, None, None), (x, y[:, None], x[0]))):
        same(jit(jax.vmap(push(ours), axes))(*given), jax.vmap(push(wave), axes)(*given))
    for axes, given in (((0, 0), (x, y)), ((1, 0), (x, row)), ((None, 0), (row, y))):
        mine, theirs = (jax.vmap(lambda x, y, f=f: f(x, y, 3), axes) for f in (ours, wave))
        same(jit(jax.grad(total(mine), (0, 1)))(*given), jax.grad(total(theirs), (0, 1))(*given))
        grads = [jax.vmap(jax.grad(total(lambda x, y, f=f: f(x, y, 3)), (0, 1)), axes) for f in (ours, wave)]
        same(jit(grads[0])(*given), grads[1](*given))

    # An output of integers has no cotangent.
    split = gpucc.jax(program.split)
    same(jit(jax.grad(lambda x: split(x, row)[1].sum()))(x), jnp.broadcast_to(row, x.shape))
    same(jit(jax.vmap(jax.grad(lambda x: split(x, row)[1].sum())))(x), jnp.broadcast_to(row, x.shape))
    same(jit(jax.grad(lambda x: (split(x, x)[0] * x).sum()))(x), x.astype("int32").astype(x.dtype))

cube = gpucc.jax(program.forward)
same(jax.jvp(cube, (x,), (dx,)), jax.jvp(lambda x: x ** 3, (x,), (dx,)))
with raises(TypeError, "a tangent: write", "tangent(forward_jvp_jvp, forward_jvp);"):
    jax.jacfwd(jax.jacfwd(gpucc.jax(program.forward)))(jnp.float32(2))
with raises(TypeError, "adjoint of 'forward'", "adjoint(forward_vjp, forward);"):
    jax.grad(total(cube))(x)
with raises(TypeError, "forward-mode"):
    jax.jvp(gpucc.jax(program.reverse), (x,), (dx,))
print("all right")
