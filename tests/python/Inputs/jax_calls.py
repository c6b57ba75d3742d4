"""gpucc.jax(): functions in JAX's traces, with derivatives; GPUCC_TEST_DEVICE is the device."""
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
adjoint(wave_vjp, wave);
adjoint(wave_vjp_vjp, wave_vjp);
vectorize() T square(T x) { return x * x; }
adjoint(square_vjp, square);
vectorize() void split(T x, T y, T *r, boolean *k) { *r = x * y; *k = x > y; }
adjoint(split_vjp, split);
vectorize() boolean above(T x) { return x > 0; }
adjoint(above_vjp, above);
vectorize() T plain(T x) { return 2 * x; }
vectorize(bfloat16(bfloat16, bfloat16)) bfloat16 half(bfloat16 x, bfloat16 y) { return x * y; }
vectorize(boolean(T, complex64)) boolean larger(T x, complex64 z) { return x > crealf(z); }
guvectorize((m,n),(n)->(m),()) void matvec(size_t m, size_t n, const T a[m][n], const T x[n], T y[m], T *s)
{
    T all = 0;
    for (size_t i = 0; i < m; i++) {
        T sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += a[i][j] * x[j];
        y[i] = sum;
    }
    for (size_t j = 0; j < n; j++)
        all += x[j];
    *s = all;
}
adjoint(matvec_vjp, matvec);
guvectorize((n)->(p)) void halves(size_t n, const T x[n], T y[n / 2])
{
    for (size_t i = 0; i < n / 2; i++)
        y[i] = x[2 * i];
}
""")
ours, square = gpucc.jax(program.wave), gpucc.jax(program.square)


def wave(x, y, k):
    return jnp.sin(x) * y * y * k


def same(mine, theirs):
    for a, b in zip(jax.tree.leaves(mine), jax.tree.leaves(theirs), strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype, (a, b)
        if a.dtype != jax.dtypes.float0:
            assert isinstance(a, jax.Array)
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-12)


def total(function):
    return lambda *given: function(*given).sum()


x, y, dx = (jax.random.normal(key, (4, 3), "float64") for key in jax.random.split(jax.random.key(1), 3))
row, k = y[0], jnp.arange(1, 4, dtype="int32")

# Values, compiled and not, of several types, and of numbers.
for given in ((x, y, k), (x, row, k[:1]), (x, 2.0, 3), (x.astype("float32"), 2.0, 3), (x[:, :0], y[:, :0], 3)):
    same(ours(*given), wave(*given))
    same(jax.jit(lambda *arrays: ours(*arrays, *given[len(arrays):]))(given[0]), wave(*given))
same(jax.jit(lambda x: ours(2 * x, x.T.reshape(4, 3), 3) + 1)(x), wave(2 * x, x.T.reshape(4, 3), 3) + 1)
same(gpucc.jax(program.half)(jnp.ones(3, "bfloat16"), jnp.full(3, 2, "bfloat16")), jnp.full(3, 2, "bfloat16"))
same(gpucc.jax(program.larger)(row, 1 + 2j), row > 1)
assert ours(np.ones(2), np.float64(2), 3).shape == (2,) and ours.__name__ == "wave"

same(jax.jit(ours)(x.astype("float32"), 2.0, 3), wave(x.astype("float32"), 2.0, 3))  # weak types

# Derivatives, of broadcast operands too, and once more.
for given in ((x, y, k), (x, row, k), (x, y[:, :1], k[:1]), (x, row[0], 3)):
    n = (0, 1)
    same(jax.grad(total(ours), n)(*given), jax.grad(total(wave), n)(*given))
    same(jax.jit(jax.grad(total(ours), n))(*given), jax.grad(total(wave), n)(*given))
same(jax.vjp(ours, x, y, k)[1](dx), jax.vjp(wave, x, y, k)[1](dx))
narrow = x.astype("float32")
same(jax.grad(total(lambda x: ours(x, 2.0, 3)))(narrow), jax.grad(total(lambda x: wave(x, 2.0, 3)))(narrow))
slope = lambda f: lambda x: (jax.grad(total(f))(x, y, k) * dx).sum()
same(jax.jit(jax.grad(slope(ours)))(x), jax.grad(slope(wave))(x))

# Outputs of booleans have no cotangents.
split = gpucc.jax(program.split)
same(jax.jit(jax.grad(lambda x, y: split(x, y)[0].sum(), (0, 1)))(x, row), jax.grad(lambda x, y: (x * y).sum(), (0, 1))(x, row))
same(jax.vmap(jax.grad(lambda x, y: split(x, y)[0].sum()))(x, y), y)
same(jax.grad(lambda x: split(x, k)[0].sum())(x), jnp.broadcast_to(k, x.shape).astype(x.dtype))
same(jax.grad(lambda x: jnp.where(gpucc.jax(program.above)(x), x, 0).sum())(x), (x > 0).astype(x.dtype))

# Maps, over derivatives too, and operands of different ranks.
for axes, given in (((0, 0, None), (x, y, k)), ((1, 0, None), (x, k, y[:, 0])), ((None, 0, None), (row, y, k)),
                    ((0, 0, None), (x, y[:, 0], k))):
    given = (given[0], given[1].astype("float64"), given[2].astype("int32"))
    same(jax.vmap(ours, axes)(*given), jax.vmap(wave, axes)(*given))
    same(jax.vmap(jax.grad(total(ours), (0, 1)), axes)(*given), jax.vmap(jax.grad(total(wave), (0, 1)), axes)(*given))
same(jax.vmap(jax.vmap(ours, (0, None, None)), (None, 0, None))(row, row, 3),
     jax.vmap(jax.vmap(wave, (0, None, None)), (None, 0, None))(row, row, 3))

matrices, vectors = jnp.arange(60.0).reshape(5, 4, 3), jnp.arange(15.0).reshape(5, 3)
def product(a, x):
    rows = (a @ x[..., None])[..., 0]
    return rows, jnp.broadcast_to(x.sum(-1), rows.shape[:-1])


loss = lambda f: lambda a, x: sum((part ** 2).sum() for part in f(a, x))
matvec = gpucc.jax(program.matvec)
same(matvec(matrices, vectors), product(matrices, vectors))
for a, b in ((matrices, vectors), (matrices[0], vectors), (matrices, vectors[0])):
    same(jax.jit(jax.grad(loss(matvec), (0, 1)))(a, b), jax.grad(loss(product), (0, 1))(a, b))
same(jax.vmap(jax.grad(loss(matvec), (0, 1)))(matrices, vectors), jax.vmap(jax.grad(loss(product), (0, 1)))(matrices, vectors))

# Many calls at once, and a loop on the device.
same(jax.lax.fori_loop(0, 5, lambda i, x: square(x), jnp.full(3, 1.5)), jnp.full(3, 1.5) ** 32)
for _ in range(300):
    last = square(x)
same(last, x * x)

with raises(TypeError, "adjoint of 'plain'", "adjoint(plain_vjp, plain);"):
    jax.grad(total(gpucc.jax(program.plain)))(x)
with raises(TypeError, "adjoint of 'square_vjp'"):
    jax.grad(lambda x: jax.grad(total(square))(x).sum())(x)
with raises(TypeError, "takes 3 inputs"):
    ours(x)
with raises(TypeError, "do not follow from its layout"):
    gpucc.jax(program.halves)(row)
with raises(TypeError, "takes a ufunc or a gufunc"):
    gpucc.jax(jnp.sin)
with raises(TypeError, "gpucc.jax(program.square)"):
    jax.jit(program.square)(x)
with raises(Exception, "broadcast"):
    ours(x, jnp.ones(5), k)
jax.config.update("jax_enable_x64", False)
with raises(TypeError, "returns float64", "jax_enable_x64"):
    gpucc.jax(program.square)(jnp.ones(3, "int32"))
# JAX declares functions of ctypes.pythonapi in its own way, which others do not see.
assert np.from_dlpack(gpucc.asarray(np.ones(3, "f4"), device="cpu", copy=True)).sum() == 3
print("all right")
