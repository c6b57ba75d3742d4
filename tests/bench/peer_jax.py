"""JAX: jit.  It has no events: five calls in a row, the last one waited for."""
import os
import statistics
import time

os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
import jax
import jax.numpy as jnp
import numpy

from measure import N, SMALL, gigabytes, row, section

x = jnp.asarray(numpy.random.default_rng(1).random(N, dtype=numpy.float32) * 20 - 10)
y = x + 1
if jax.default_backend() != "gpu":
    raise SystemExit("JAX sees no GPU")
add = jax.jit(lambda x, y: x + y)
trig = jax.jit(lambda x: jnp.cos(x) ** 2 + jnp.sin(x) ** 2)
selu = jax.jit(lambda x: 1.05 * jnp.where(x > 0, x, 1.67 * jnp.exp(x) - 1.67))


def wall_us(function, *arguments, repeats=20, together=5):
    for _ in range(100):  # until the device's clocks are up
        function(*arguments).block_until_ready()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(together):
            result = function(*arguments)
        result.block_until_ready()
        times.append((time.perf_counter() - start) / together * 1e6)
    return statistics.median(times)


@section
def large():
    row("add_1e8", "jax", gigabytes(12 * N, wall_us(add, x, y)), "GB/s")
    row("trig_1e8", "jax", gigabytes(8 * N, wall_us(trig, x)), "GB/s")
    row("selu_1e8", "jax", gigabytes(8 * N, wall_us(selu, x)), "GB/s")


@section
def functions():
    for name in ("sin", "exp", "log", "tanh", "sqrt"):
        row(f"{name}f_1e8", "jax", gigabytes(8 * N, wall_us(jax.jit(getattr(jnp, name)), x, repeats=10)), "GB/s")
    row("erff_1e8", "jax", gigabytes(8 * N, wall_us(jax.jit(jax.lax.erf), x, repeats=10)), "GB/s")


@section
def gufuncs():
    matrix, vectors = x[:15000].reshape(150, 100), x[:1000].reshape(10, 100)
    apply = jax.jit(jax.vmap(lambda matrix, vector: matrix @ vector, in_axes=(None, 0)))
    row("matrix_by_vectors", "jax", wall_us(apply, matrix, vectors, repeats=100, together=1), "us")


@section
def calls():
    a, b = x[:SMALL], y[:SMALL]
    add(a, b).block_until_ready()
    start = time.perf_counter()
    for _ in range(1000):
        result = add(a, b)
    took = (time.perf_counter() - start) / 1000 * 1e6
    result.block_until_ready()
    row("call_1000", "jax", took, "us")
