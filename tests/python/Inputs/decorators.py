"""decorators.py: functions whose docstring is C, and what is wrong with others."""
import numpy as np

import gpucc
from check import raises


@gpucc.vectorize("int32(int32, int32)", "float64(float64, float64)", identity=0, reorderable=True, options=["-DBY=2"])
def weighted(x, y):
    """
    if (y == 0)
        return x;
    return x + BY * y;
    """


@gpucc.guvectorize("(n)->(n),()", "size_t n, const double x[n], double y[n], double *top", includes=["float.h"])
def running(x):
    """
    *top = -DBL_MAX;
    for (size_t i = 0; i < n; i++)
        y[i] = *top = fmax(*top, x[i]);
    """


@gpucc.kernel("size_t n, const float x[n], float y[n]")
def square(n, x, y):
    "for (size_t i = grid(1); i < n; i += gridsize(1)) y[i] = x[i] * x[i];"


assert weighted.identity == 0 and weighted.reorderable and weighted.types == ["ii->i", "dd->d"], weighted.types
assert weighted(np.int32(1), np.int32(3)) == 7 and weighted(1.5, 0.5) == 2.5
y, top = running(np.array([1.0, 3, 2]))
assert y.tolist() == [1, 3, 3] and top == 3
x, y = np.arange(5, dtype="f4"), np.zeros(5, "f4")
square[1, 2](5, x, y)
assert y.tolist() == [0, 1, 4, 9, 16]

with raises(TypeError, "f() needs a docstring"):
    @gpucc.kernel("int n")
    def f(n):
        pass
with raises(TypeError, "needs a signature"):
    @gpucc.vectorize()
    def f(x):
        "return x;"
with raises(TypeError, "'float64(float64, float64)' is no signature of a function of 1 parameters"):
    @gpucc.vectorize("float64(float64, float64)")
    def f(x):
        "return x;"
with raises(TypeError, "must be the same everywhere"):
    @gpucc.vectorize("float64(int32)", "float32(int16)")
    def f(x):
        "return x;"
with raises(gpucc.CompileError, "f.c:", "undeclared"):
    @gpucc.vectorize("float64(float64)")
    def f(x):
        "return z;"
print("all right")
