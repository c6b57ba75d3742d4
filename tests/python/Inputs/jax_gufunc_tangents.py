"""gpucc.jax() of a gufunc with a tangent; GPUCC_TEST_DEVICE is the device."""
import os

import jax
import jax.numpy as jnp
import numpy as np

import gpucc

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", {"cpu": "cpu"}.get(os.environ.get("GPUCC_TEST_DEVICE", "cpu"), "cuda"))
with open(os.path.join(os.path.dirname(__file__), "inner.c"), encoding="utf-8") as file:
    inner = gpucc.jax(gpucc.compile(file.read()).inner)


def same(transformed, *given):
    mine, theirs = (transformed(f)(*given) for f in (inner, lambda x, y: (jnp.sin(x) * y * y).sum(-1)))
    for a, b in zip(jax.tree.leaves(mine), jax.tree.leaves(theirs), strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype, (a, b)
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


x, dx, y, dy = (jax.random.normal(jax.random.key(k), shape, "float64") for k, shape in enumerate([(3, 4), (3, 4), 4, 4]))

# y is broadcast along the loop dimension.
for jit in jax.jit, lambda f: f:
    same(lambda f: jit(lambda *given: jax.jvp(f, given[:2], given[2:])), x, y, dx, dy)
    same(lambda f: jit(jax.grad(lambda x, y: f(x, y).sum(), (0, 1))), x, y)
    same(lambda f: jit(jax.jacfwd(f, (0, 1))), x, y)
    same(lambda f: jit(jax.hessian(lambda x: f(x, y).sum())), x[0])
    same(lambda f: jit(jax.hessian(lambda y: f(x, y).sum())), y)
    whole = jnp.arange(4)  # which is not derived by
    same(lambda f: jit(lambda y, dy: jax.jvp(lambda y: f(whole, y), (y,), (dy,))), y, dy)
    same(lambda f: jit(jax.grad(lambda y: f(whole, y))), y)
    same(lambda f: jit(lambda x, move: jax.linearize(lambda x: f(x, y), x)[1](move)), x, dx)

    # Maps.
    push = lambda f: lambda x, dx: jax.jvp(lambda x: f(x, y), (x,), (dx,))
    same(lambda f: jit(jax.vmap(push(f))), x, dx)
    same(lambda f: jit(jax.vmap(push(f), (1, 1), 0)), jnp.stack([x, x + 1], 1), jnp.stack([dx, x], 1))
    same(lambda f: jit(jax.vmap(lambda y: jax.jvp(lambda y: f(x, y), (y,), (dy,)))), x)
    same(lambda f: jit(jax.vmap(jax.grad(f, (0, 1)), (0, None))), x, y)
print("all right")
