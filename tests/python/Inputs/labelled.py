"""labelled.py: functions on operands that handle ufuncs themselves (labels, units), and on masked arrays: each call is the
user's C, and nothing is dropped without an error.  pandas, xarray and pint are tried where they are installed."""
import importlib.util

import numpy as np

import gpucc
from check import raises, same

program = gpucc.compile("""
#include <gpucc.h>
vectorize(float64(float64, float64)) identity(-100) reorderable
double add(double x, double y) { return x + y + 100; }
vectorize(float64(float64, float64))
double divide(double x, double y) { return x / y + 100; }
vectorize(float64(float64, float64))
double power(double x, double y) { return x * y; }
vectorize(float64(float64, float64))
double equal(double x, double y) { return x - y; }
vectorize(float64(float64))
double absolute(double x) { return x + 7; }
vectorize(float32(bfloat16, bfloat16))
float difference(bfloat16 x, bfloat16 y) { return (float)x - (float)y; }
vectorize((float64, float64)(float64))
void split(double x, double *low, double *high) { *low = x - 1; *high = x + 1; }
vectorize(float64(float64, float64)) identity(0) reorderable
double plus(double x, double y) { return x + y; }
vectorize(float64(float64, float64))
double times(double x, double y) { return x * y; }
fuse(dot, reduce(plus, times(x, y)));
guvectorize((n|1),(n|1)->())
void inner(size_t n, const double x[n], const double y[n], double *sum)
{
    *sum = 0;
    for (size_t i = 0; i < n; i++)
        *sum += x[i] * y[i];
}
kernel void scale(size_t n, double by, double x[n])
{
    size_t i = grid(1);
    if (i < n)
        x[i] *= by;
}
""", name="labelled")
EVERYWHERE = ({}, {"device": "cpu"})


class Labelled:
    """An array with labels, which calls ufuncs on what its operands have in common."""

    def __init__(self, values, labels):
        self.values, self.labels = np.asarray(values), list(labels)

    def __array__(self, *_, **__):
        return self.values

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        if not all(isinstance(x, (Labelled, np.ndarray, float, int)) for x in (*inputs, *(out or ()))):
            return NotImplemented
        common = sorted(set.intersection(*[set(x.labels) for x in inputs if isinstance(x, Labelled)]))
        aligned = [np.array([x.values[x.labels.index(label)] for label in common]) if isinstance(x, Labelled) else x
                   for x in inputs]
        made = getattr(ufunc, method)(*aligned, **options)
        assert ufunc.__name__.startswith("gpucc.") and ufunc.nin + ufunc.nout == ufunc.nargs
        if out is not None:
            out[0].values[...] = made
            return out[0]
        made = [x if np.ndim(x) == 0 else Labelled(x, common) for x in (made if isinstance(made, tuple) else (made,))]
        return made[0] if len(made) == 1 else tuple(made)


class Closed:
    """An object that refuses ufuncs."""
    __array_ufunc__ = None


x, y = Labelled([1.0, 2, 3], "abc"), Labelled([30.0, 20, 10], "cba")


def test_labels():
    for where in EVERYWHERE:
        made = program.add(x, y, **where)
        assert made.labels == ["a", "b", "c"]
        same(made.values, np.array([111.0, 122, 133]))
        same(program.add(1.0, y, **where).values, np.array([111.0, 121, 131]))
        low, high = program.split(y, **where)
        same(low.values, np.array([9.0, 19, 29]))
        same(high.values, np.array([11.0, 21, 31]))
        assert program.add.reduce(x, **where) == 206
        same(program.add.accumulate(x, **where).values, np.array([1.0, 103, 206]))
        out = Labelled(np.zeros(3), "abc")
        assert program.add(x, y, out=out, **where) is out
        same(out.values, np.array([111.0, 122, 133]))
    ours = gpucc.asarray(np.ones(3), device="cpu")
    with raises(TypeError, "Labelled", "__array_ufunc__", "gpucc.Array"):
        program.add(ours, x)
    same(program.difference(Labelled(np.array([5, 6], "u1"), "ab"), Labelled(np.array([1, 2], "u1"), "ba")).values,
         np.array([3, 5], "f4"))
    assert program.inner(x, y) == 10 + 40 + 90
    assert program.inner(x, y, device="cpu") == 10 + 40 + 90


def test_refused():
    for where in EVERYWHERE:
        with raises(TypeError, "Closed", "ufunc"):
            program.add(Closed(), 1.0, **where)
        with raises(TypeError, "Labelled", "numpy.asarray(x)"):
            program.dot(x, y, **where)
    with raises(gpucc.BadType, "Labelled"):
        program.scale(3, 2.0, x, threads=3)


def test_masks():
    masked, plain = np.ma.array([1.0, 2, 3], mask=[0, 1, 0]), np.array([1.0, 2, 3])
    for where in EVERYWHERE:
        made = program.add(masked, plain, **where)
        assert isinstance(made, np.ma.MaskedArray)
        same(made.mask, np.array([False, True, False]))
        same(made.compressed(), np.array([102.0, 106]))
        made = program.add(masked, np.ma.array([[1.0], [2]], mask=[[0], [1]]), **where)
        same(made.mask, np.array([[False, True, False], [True, True, True]]))
        low, high = program.split(masked, **where)
        same(low.mask, masked.mask)
        same(high.compressed(), np.array([2.0, 4]))
        assert program.add(np.ma.array(1.0, mask=True), 1.0, **where) is np.ma.masked
    for call in (lambda: program.add.reduce(masked, device="cpu"), lambda: program.add.accumulate(masked, device="cpu"),
                 lambda: program.add.outer(masked, plain, device="cpu"), lambda: program.inner(masked, plain),
                 lambda: program.dot(masked, plain), lambda: program.add(plain, plain, out=masked, device="cpu"),
                 lambda: program.add(masked, plain, out=plain.copy(), device="cpu"),
                 lambda: program.add(plain, plain, where=np.ma.array([True, True, False]), device="cpu"),
                 lambda: gpucc.asarray(masked, device="cpu"), lambda: gpucc.asarray(masked, "f4", device="cpu"),
                 lambda: gpucc.empty(3, device="cpu").write(masked), lambda: program.add.at(masked, [0], 1.0, device="cpu"),
                 lambda: program.scale(3, 2.0, masked, threads=3), lambda: program.add.reduce(masked),
                 lambda: program.add.accumulate(masked), lambda: program.add.reduceat(masked, [0, 1]),
                 lambda: program.add.at(masked, [0], 1.0), lambda: program.add.at(plain, masked, 1.0),
                 lambda: program.add(plain, plain, out=plain.copy(), where=masked > 0),
                 lambda: program.add.reduce(plain, where=masked > 0),
                 lambda: program.add.reduce(plain, initial=np.ma.masked, device="cpu"),
                 lambda: program.add.at(plain.copy(), np.ma.array([0, 1], mask=[0, 1]), 1.0, device="cpu")):
        with raises(TypeError, "mask", "filled"):
            call()
    same(masked.data, plain)


def test_pandas():
    import pandas as pd
    a, b = pd.Series([1.0, 2, 3], index=list("abc")), pd.Series([30.0, 20, 10], index=list("cba"))
    frame = pd.DataFrame({"p": [1.0, 2], "q": [3.0, 4]})
    for where in EVERYWHERE:
        made = program.add(a, b, **where)
        assert list(made.index) == ["a", "b", "c"]
        same(made.to_numpy(), np.array([111.0, 122, 133]))
        same(program.add(pd.Series([1.0]), 1.0, **where).to_numpy(), np.array([102.0]))
        same(program.divide(a, 1.0, **where).to_numpy(), np.array([101.0, 102, 103]))
        same(program.power(a, 3.0, **where).to_numpy(), np.array([3.0, 6, 9]))
        same(program.equal(a, 1.0, **where).to_numpy(), np.array([0.0, 1, 2]))
        same(program.absolute(a, **where).to_numpy(), np.array([8.0, 9, 10]))
        assert program.add.reduce(a, **where) == 206
        same(program.add.accumulate(a, **where).to_numpy(), np.array([1.0, 103, 206]))
        assert type(program.add(frame, 1.0, **where)) is pd.DataFrame
        same(program.add(frame, 1.0, **where).to_numpy(), frame.to_numpy() + 101)
        same(np.asarray(program.add.reduce(frame, **where)), np.array([103.0, 107]))
    same(frame.agg(program.add.reduce).to_numpy(), np.array([103.0, 107]))
    same(frame.apply(program.add.reduce).to_numpy(), np.array([103.0, 107]))
    keys = pd.Series(["u", "v", "u"], index=list("abc"))
    same(a.groupby(keys).agg(program.add.reduce).to_numpy(), np.array([104.0, 2]))


def test_xarray():
    import xarray as xr
    a, b = xr.DataArray([1.0, 2, 3], [("t", [0, 1, 2])]), xr.DataArray([30.0, 20], [("t", [2, 1])])
    for where in EVERYWHERE:
        made = program.add(a, b, **where)
        assert set(np.asarray(made["t"])) == {1, 2}
        assert made.sel(t=2) == 133 and made.sel(t=1) == 122


def test_pint():
    import pint
    metres = pint.UnitRegistry().Quantity(np.array([1.0, 2]), "m")
    for where in EVERYWHERE:
        with raises(TypeError, "__array_ufunc__"):  # whose result would have which unit?
            program.add(metres, metres, **where)
    same(program.add(metres.magnitude, 1.0), np.array([102.0, 103]))


for name, test in list(globals().items()):
    if name.startswith("test_") and (name[5:] not in ("pandas", "xarray", "pint") or importlib.util.find_spec(name[5:])):
        test()
print("all right")
