"""Calls and methods of functions.c with every option, of which tests compare what makes them: the CPU, one device, several."""
import numpy as np

import gpucc


def on_cpu(x):
    return gpucc.asarray(x, device="cpu", copy=True)


def numbers(*shape, dtype="f4"):
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(dtype)


def operands(rows=100, columns=90, matrices=60):
    return numbers(rows, columns), numbers(rows, columns)[::-1].copy(), numbers(matrices, 8, 9)


def calls(program, f, x, y, m, v):
    """Yields what each call returns, also with the options `v`; `f` imports the operands into a library."""
    add, mask = program.add, f(np.arange(x.shape[-1]) % 3 == 0)
    a, b, row = f(x), f(y), f(y[0])
    yield add(a, b, **v)
    yield add(a, row, **v)
    yield add(a[::-1, 1:], b[:, :0:-1], **v)
    yield add(a.T, f(y.T), **v)
    yield add(a, 2.5, **v)
    yield add(a, b, dtype="f8", **v)
    yield add(f(x.astype("i2")), b, casting="same_kind", **v)
    yield add(a, b, where=mask, out=f(np.full_like(x, 7)), **v)
    yield add(a, b, out=f(np.empty_like(x)), **v)
    yield from program.split(a, **v)
    yield add.outer(f(x[:9, :7]), row, **v)
    for axis in (0, 1, -1, (0, 1), None):
        yield add.reduce(a, axis=axis, **v)
        yield add.reduce(a, axis, keepdims=True, initial=3, **v)
    yield add.reduce(a, dtype="f8", **v)
    yield add.reduce(a, 1, where=mask, **v)
    yield add.reduce(a, out=f(np.empty_like(x[0])), **v)
    yield program.subtract.reduce(a, 1, **v)
    yield program.largest.reduce(f(x[::2]), axis=None, **v)
    yield add.accumulate(a, 0, **v)
    yield add.accumulate(a, 1, **v)
    yield add.reduceat(a, [0, 20, 5], **v)
    add.at(a, [3, 0, 3], row, **v)
    yield a
    yield program.dot(a, b, axis=1, **v)
    yield program.dot(f(x), b, axis=None, keepdims=True, **v)
    yield program.matmul(f(m), f(m.swapaxes(1, 2)), **v)
    yield program.inner(f(m), f(m[0]), **v)
    yield program.cross(f(m[..., :3]), f(m[..., 1:4]), axis=-1, **v)
    yield program.convolve(f(x), row, **v)
