"""kernel_arguments.py: what kernels on the CPU take as arrays and addresses, by position and by name, and what they refuse.
PyTorch, JAX, pandas and xarray are tried where they are installed."""
import array
import ctypes
import importlib.util

import numpy as np

import gpucc
from check import raises, same

program = gpucc.compile("""
#include <gpucc.h>
#include <gpucc/vector.h>
kernel void scale(size_t n, float by, float x[n])
{
    size_t i = grid(1);
    if (i < n)
        x[i] *= by;
}
kernel void copy(size_t n, const float x[n], float *out)
{
    size_t i = grid(1);
    if (i < n)
        out[i] = x[i];
}
kernel void difference(size_t n, const float x[n], const float y[n], float *out)
{
    size_t i = grid(1);
    if (i < n)
        out[i] = x[i] - y[i];
}
kernel void digits(size_t n, const float4 v[n], float *out)
{
    size_t i = grid(1);
    if (i < n)
        out[i] = v[i].x + 10 * v[i].y + 100 * v[i].z + 1000 * v[i].w;
}
kernel void turn(size_t n, int3 *v)
{
    size_t i = grid(1);
    if (i < n)
        v[i] = (int3){v[i].y, v[i].z, v[i].x};
}
kernel void answer(int *out) { *out = 42; }
vectorize(float64(float64, float64)) identity(0) reorderable
double add(double x, double y) { return x + y; }
vectorize((float64, float64)(float64))
void split(double x, double *low, double *high) { *low = x - 1; *high = x + 1; }
""", name="arguments")
START = np.arange(4, dtype="f4")
TWICE = 2 * START


def scaled(x):
    program.scale(4, 2, x, threads=4)
    return np.asarray(x)


def test_names():
    x = START.copy()
    program.scale(n=4, by=2, x=x, threads=4)
    program.scale[1, 4](4, x=x, by=2)
    same(x, 4 * START)
    for call, *parts in ((lambda: program.scale(4, 2, x, n=4, threads=4), "multiple values", "'n'"),
                         (lambda: program.scale(4, 2, y=x, threads=4), "unexpected", "'y'"),
                         (lambda: program.scale(4, x=x, threads=4), "misses", "'by'"),
                         (lambda: program.scale[1, 4](4, 2, x, x=x), "multiple values", "'x'")):
        with raises(TypeError, "scale(size_t n, float by, float x[n])", *parts):
            call()
    same(x, 4 * START)


def test_addresses():
    x = START.copy()
    program.scale(4, 2, x.ctypes.data, threads=4, device="cpu")
    program.scale(4, 2, np.uint64(x.ctypes.data), threads=4, device="cpu")
    program.scale(4, 2, ctypes.c_void_p(x.ctypes.data), threads=4, device="cpu")
    same(x, 8 * START)
    program.copy(4, x.ctypes.data, x, threads=4)  # x is on the CPU
    answer = ctypes.c_int()
    program.answer(ctypes.addressof(answer), threads=1, device="cpu")
    assert answer.value == 42
    for wrong in (-1, 2**64):
        with raises(OverflowError, "float x[n]", "out of range"):
            program.scale(4, 2, wrong, threads=4, device="cpu")
    with raises(gpucc.BadType, "expected an array or an address", "4"):  # a count in the wrong position
        program.scale(4, 2, 4, threads=4, device="cpu")
    with raises(gpucc.BadType, "expected an array", "bool"):
        program.scale(4, 2, True, threads=4, device="cpu")


def test_buffers():
    same(scaled(array.array("f", START)), TWICE)
    same(scaled((ctypes.c_float * 4)(*START)), TWICE)
    same(scaled(memoryview(bytearray(START.tobytes())).cast("f")), TWICE)
    with raises(gpucc.InvalidArgument, "read-only"):
        scaled(memoryview(START.tobytes()).cast("f"))
    with raises(gpucc.BadType, "list"):  # which has no memory of floats
        scaled([1.0, 2, 3, 4])
    with raises(gpucc.BadType, "float32", "uint8"):
        scaled(bytearray(16))
    with raises(gpucc.BadType, "mask", "filled"):
        program.scale(4, np.ma.array(1.0, mask=True), START.copy(), threads=4)


def test_vectors():
    out, digits = np.zeros(4, "f4"), np.arange(16, dtype="f4").reshape(4, 4) % 10
    program.digits(4, digits, out, threads=4)
    same(out, (digits @ np.array([1, 10, 100, 1000], "f4")).astype("f4"))
    program.digits(4, digits.reshape(2, 2, 4), out, threads=4)
    cells = np.arange(6, dtype="i4").reshape(2, 3)
    program.turn(2, cells, threads=2)
    same(cells, np.array([[1, 2, 0], [4, 5, 3]], "i4"))
    for wrong, *parts in ((digits.astype("f8"), "16 bytes", "8"), (digits.astype("i4"), "16 bytes", "4"),
                          (digits.ravel(), "16 bytes", "4"), (digits[:, :3].copy(), "16 bytes")):
        with raises(gpucc.BadType, *parts):
            program.digits(4, wrong, out, threads=4)
    with raises(gpucc.BadShape, "C order"):
        program.digits(4, digits.T, out, threads=4)
    with raises(gpucc.BadShape, "takes 4 elements", "has 2"):
        program.digits(4, digits[:2], out, threads=4)
    with raises(gpucc.BadShape, "takes 4 elements", "has 3"):
        program.digits(4, np.zeros(3, [(name, "f4") for name in "xyzw"]), out, threads=4)
    with raises(gpucc.InvalidArgument, "aligned"):
        program.digits(3, np.zeros(20, "f4")[1:13].reshape(3, 4), out, threads=3)


def test_torch():
    import torch
    x = torch.arange(4.0)
    same(scaled(x), TWICE)
    with raises(TypeError, "gradient", "detach"):
        scaled(torch.ones(4, requires_grad=True))
    with raises(gpucc.BadShape, "C order"):
        scaled(torch.ones(4, 2)[:, 0])
    y, out = torch.arange(4.0, dtype=torch.float64), torch.zeros(4, dtype=torch.float64)
    for where in ({}, {"device": "cpu"}):
        assert program.add(y, 1.0, out=out, **where) is out
        same(out.numpy(), np.arange(4.0) + 1)
        assert program.add(np.arange(4.0), 2.0, out=(out,), **where) is out
        same(out.numpy(), np.arange(4.0) + 2)
        low, high = torch.zeros_like(out), torch.zeros_like(out)
        made = program.split(y, out=(low, high), **where)
        assert made[0] is low and made[1] is high
        same(high.numpy(), np.arange(4.0) + 1)
        total = torch.zeros((), dtype=torch.float64)
        assert program.add.reduce(np.arange(4.0), out=total, **where) is total
        assert total == 6
        assert program.add.accumulate(np.arange(4.0), out=out, **where) is out
        same(out.numpy(), np.array([0.0, 1, 3, 6]))
        program.add.at(out, [0, 0], 1.0, **where)
        assert out[0] == 2


def test_jax():
    import jax.numpy as jnp
    x, out = jnp.arange(4, dtype="f4"), np.zeros(4, "f4")
    program.copy(4, x, out, threads=4)
    same(out, START)
    with raises(gpucc.InvalidArgument, "read-only"):  # it is immutable
        scaled(x)
    same(np.asarray(x), START)
    with raises(ValueError, "read-only"):
        program.add(1.0, 2.0, out=jnp.zeros(4))


def test_pandas():
    import pandas as pd
    x, out = pd.Series(START, index=list("abcd")), np.zeros(4, "f4")
    program.copy(4, x, out, threads=4)
    same(out, START)
    with raises(TypeError, "different labels", "to_numpy"):
        program.difference(4, x, pd.Series(out, index=list("dcba")), out, threads=4)
    program.difference(4, x, x + 1, out, threads=4)
    same(out, -np.ones(4, "f4"))
    with raises(gpucc.InvalidArgument, "memory that the kernel may write"):
        scaled(pd.Series([0, 1, 2, None], dtype="Float32"))
    values = pd.Series(START.copy(), copy=False)
    if np.asarray(values).flags.writeable:
        same(scaled(values), TWICE)
    else:
        with raises(gpucc.InvalidArgument, "read-only"):  # pandas 3 copies on write
            scaled(values)


def test_xarray():
    import xarray as xr
    x = xr.DataArray(START.copy(), [("t", [0, 1, 2, 3])])
    same(scaled(x), TWICE)
    with raises(TypeError, "different labels"):
        program.copy(4, x, xr.DataArray(START.copy(), [("t", [3, 2, 1, 0])]), threads=4)
    program.copy(4, x, xr.DataArray(START.copy(), [("s", [3, 2, 1, 0])]), threads=4)


for name, test in list(globals().items()):
    optional = name[5:] in ("torch", "jax", "pandas", "xarray")
    if name.startswith("test_") and (not optional or importlib.util.find_spec(name[5:])):
        test()
print("all right")
