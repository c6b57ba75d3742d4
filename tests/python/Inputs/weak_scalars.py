"""Calls with Python scalars choose the same loop for NumPy's arrays as on a device."""
import itertools

import numpy as np

import gpucc

ORDERS = ("float32, float64, int16, int64", "int64, int16", "complex128, float64, int32, boolean",
          "int16, int64, float32, float64")
SOURCE = """
#include <gpucc.h>
#include <complex.h>
typevar(T, %s);
vectorize() T mul(T x, T y) { return x * y; }
vectorize() T next(T x) { return x + 1; }
vectorize() T pick(boolean first, T x, T y) { return first ? x : y; }
"""
OPERANDS = [2, True, 2.5, 1j] + [np.arange(3).astype(t) for t in ("i1", "i2", "i4", "i8", "f4", "f8", "c16", "?")]
OTHERS = [2**40, -2**63 - 1, 2**63, 2**70, np.float32(1), np.int8(3), np.bool_(True), np.array(2, "i4"), None]
count = 0


def result(function, operands, **options):
    try:
        return np.asarray(function(*operands, **options))
    except (TypeError, gpucc.Error):
        return None


def told(call, *operands):
    """A result with its types, or an error's words."""
    try:
        made = call(*operands)
    except Exception as error:
        return type(error), str(error)
    return type(made), made.dtype, np.asarray(made).tolist()


for order in ORDERS:
    program = gpucc.compile(SOURCE % order)
    calls = [(program.mul, pair) for pair in itertools.product(OPERANDS, repeat=2)] + [(program.next, (x,)) for x in OPERANDS]
    calls += [(program.pick, (True, x, y)) for x, y in itertools.product(OPERANDS, repeat=2)]
    for function, operands in calls:
        ours, theirs = result(function, operands, device="cpu"), result(function, operands)
        count += 1
        if ours is None or theirs is None:
            continue
        types = [getattr(x, "dtype", x) for x in operands]
        assert ours.dtype == theirs.dtype and np.array_equal(ours, theirs), (order, types, ours, theirs)
    for operands in itertools.product(OPERANDS + OTHERS, repeat=2):
        for _ in range(2):  # the second one knows the types
            ours, theirs = told(program.mul, *operands), told(program.mul._anywhere, *operands)
            assert ours == theirs, (order, operands, ours, theirs)
print(count, "calls")
