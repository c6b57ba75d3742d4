"""fuse() with operands that broadcast, whose layouts are not NumPy's."""
import numpy as np

import gpucc

program = gpucc.compile("""
#include <gpucc.h>
identity(0) reorderable vectorize() float32 add(float32 x, float32 y) { return x + y; }
vectorize() float32 mul(float32 x, float32 y) { return x * y; }
fuse(linear, add(matmul(x, W), bias));
fuse(scaled, mul(mul(x, reduce(add, x)), weight));
""")
x, W = np.arange(12, dtype="f").reshape(3, 4), np.arange(20, dtype="f").reshape(4, 5)
bias, weight = np.arange(5, dtype="f"), np.arange(4, dtype="f")
assert np.array_equal(program.linear(x, W, bias), x @ W + bias)
assert np.array_equal(program.linear(x, W, 1), x @ W + 1)
assert np.array_equal(program.scaled(x, weight), x * x.sum(1, keepdims=True) * weight)
assert np.array_equal(program.scaled(x[0], 2), x[0] * x[0].sum() * 2)
assert np.array_equal(program.scaled(np.ones((2, 3, 4), "f"), weight), np.ones((2, 3, 4), "f") * 4 * weight)
try:
    program.scaled(x, bias)
except ValueError as error:
    assert "weight_n" in str(error) or "5" in str(error), error
else:
    raise AssertionError("five weights for four elements")
print("all right")
