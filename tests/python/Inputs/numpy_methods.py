"""numpy_methods.py [COUNT [SEED]]: random methods on NumPy's arrays, beside numpy.add's and numpy.maximum's.

All elements are small integers, so that sums are the same in any order.  Both calls give the same result with the same type,
or raise the same exception."""
import sys
import warnings

import numpy as np
from numpy.lib.stride_tricks import as_strided

import gpucc

SOURCE = """
#include <gpucc.h>
#include <math.h>
typevar(T, int64, float32, float64);
vectorize() identity(0) reorderable T add(T x, T y) { return x + y; }
vectorize() reorderable T maximum(T x, T y) { return x > y ? x : y; }
"""
DTYPES = ["i8", "f4", "f8"]  # numpy.add's reductions make int64 of int32


class Sub(np.ndarray):
    """A subclass without behaviour of its own."""


def array(r, shape, dtype):
    """An array of that shape: in C's or Fortran's order, strided, reversed, of the other byte order, or unaligned."""
    size = int(np.prod(shape))
    plain = r.integers(-9, 9, size).astype(dtype).reshape(shape)
    kind = r.integers(12)
    if kind == 0:
        plain = np.asfortranarray(plain)
    elif kind == 1 and plain.ndim:
        plain = np.repeat(plain, 2, axis=-1)[..., ::2]
    elif kind == 2 and plain.ndim:
        plain = plain[::-1]
    elif kind == 3:
        plain = plain.astype(plain.dtype.newbyteorder())
    elif kind == 4:
        room = np.zeros(plain.nbytes + 1, "u1")[1:].view(plain.dtype)[:size].reshape(shape)
        room[...] = plain
        plain = room
    elif kind == 5 and plain.ndim and size:
        plain = as_strided(plain[..., :1], plain.shape, (*plain.strides[:-1], 0))
    elif kind == 6:
        plain = plain.view(Sub)
    elif kind == 7:
        plain = np.ma.masked_array(plain, r.random(shape) < 0.3)
    elif kind == 8:
        plain = plain.astype(object)
    elif kind == 9:
        plain.flags.writeable = False
    return plain


def draw(r):
    """A method, its arguments and its keywords; arrays are made twice, as calls write into them."""
    ndim = int(r.integers(0, 4))
    shape = tuple(int(n) for n in r.choice([0, 1, 2, 3, 7, 64, 65, 130], ndim, p=[.08, .12, .2, .2, .1, .1, .1, .1]))
    x = array(r, shape, r.choice(DTYPES))
    method = str(r.choice(["reduce", "accumulate", "reduceat", "at", "outer", "__call__"]))
    named = {}
    axis = int(r.integers(-ndim - 1, ndim + 1)) if r.random() < 0.7 else 0
    if method in ("reduce", "accumulate", "reduceat"):
        if r.random() < 0.6:
            named["axis"] = axis
        if r.random() < 0.25:
            named["dtype"] = str(r.choice(DTYPES))
    if method == "reduce":
        if r.random() < 0.2:
            named["axis"] = None
        elif r.random() < 0.2:
            named["axis"] = tuple(int(a) for a in r.permutation(ndim)[:r.integers(0, ndim + 1)])
        if r.random() < 0.2:
            named["keepdims"] = True
        if r.random() < 0.2:
            named["initial"] = int(r.integers(-5, 5)) if r.random() < 0.8 else None
        if r.random() < 0.2:
            named["where"] = r.random(shape) < 0.6
    if method == "at":
        length = shape[0] if shape else 1
        indices = r.integers(-max(length, 1), max(length, 1), int(r.integers(0, 20)))
        other = array(r, (len(indices), *shape[1:]), r.choice(DTYPES)) if r.random() < 0.7 else 3
        return method, (x, indices, other), named
    if method == "reduceat":
        length = shape[named.get("axis", 0)] if ndim and -ndim <= named.get("axis", 0) < ndim else 1
        return method, (x, r.integers(0, max(length, 1), int(r.integers(1, 6)))), named
    if method in ("outer", "__call__"):
        other = array(r, shape if method == "__call__" else shape[:1], r.choice(DTYPES))
        if r.random() < 0.2:
            named["dtype"] = str(r.choice(DTYPES))
        if r.random() < 0.2:
            named["casting"] = str(r.choice(["no", "safe", "same_kind", "unsafe"]))
        return method, (x, other), named
    return method, (x,), named


def copy(x):
    """The same array, with the same strides, in memory of its own."""
    if not isinstance(x, np.ndarray) or x.dtype == object or isinstance(x, np.ma.MaskedArray):
        return x.copy() if isinstance(x, np.ndarray) else x
    made = x.copy("K")
    made.flags.writeable = x.flags.writeable
    return made


def run(function, method, given, named, out):
    if method == "at" or isinstance(out, str):  # others leave their inputs as they are
        given = [copy(given[0]), *given[1:]]
    if isinstance(out, str):
        named = {**named, "out": given[0]}
    elif isinstance(out, np.ndarray):
        named = {**named, "out": copy(out)}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = getattr(function, method)(*given, **named)
    except Exception as error:
        return type(error), given, None
    return (given[0] if method == "at" else result), given, named.get("out")


def same(a, b):
    if isinstance(a, type) or isinstance(b, type):
        return a is b
    if a is None or b is None:
        return a is b
    return (type(a) is type(b) and getattr(a, "dtype", None) == getattr(b, "dtype", None) and np.shape(a) == np.shape(b)
            and np.array_equal(np.ma.getmaskarray(a), np.ma.getmaskarray(b)) and np.array_equal(a, b))


def main(count, seed):
    program = gpucc.compile(SOURCE)
    wrong = raised = 0
    for case in range(count):
        r = np.random.default_rng([seed, case])
        name = str(r.choice(["add", "maximum"]))
        method, given, named = draw(r)
        out, theirs = None, getattr(np, name)
        expected, *_ = run(theirs, method, given, named, None)
        if method != "at" and r.random() < 0.3:
            if r.random() < 0.3:
                out = "input"
            elif isinstance(expected, np.ndarray):
                out = array(r, expected.shape, r.choice(DTYPES))
                if out.dtype == object:  # by which NumPy 2.4's own reductions crash
                    out = None
        a = run(getattr(program, name), method, given, named, out)
        b = run(theirs, method, given, named, out)
        raised += isinstance(b[0], type)
        if any(getattr(x, "dtype", None) == object for x in [*given, out]):
            if a[0] is TypeError or not isinstance(a[0], type):
                continue  # NumPy's have loops for objects
        if a[0] is TypeError and any(isinstance(x, np.ma.MaskedArray) for x in [*given, out]):
            continue  # NumPy's own methods drop masks
        if not (same(a[0], b[0]) and same(a[2], b[2])):
            wrong += 1
            if wrong < 9:
                kinds = [(getattr(x, "dtype", x), np.shape(x), type(x).__name__) for x in given]
                print(f"case {case}: {name}.{method} of {kinds}, {named}, out {getattr(out, 'dtype', out)}")
                print(f"  {a[0]!r:.300}\n  {b[0]!r:.300}")
    print(f"{raised} raised, {wrong} wrong" if wrong else "all right")


main(int(sys.argv[1]) if len(sys.argv) > 1 else 4000, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
