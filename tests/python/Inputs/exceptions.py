"""numpy.errstate reports what C's code raises, and nothing that only vectors compute."""
import itertools
import warnings

import gpucc
import numpy as np

program = gpucc.compile("""
#include <gpucc.h>
#include <tgmath.h>
typevar(T, float32, float64);
vectorize() T inverse(T x) { return x > 0 ? 1 / x : 0; }
vectorize() T root(T x) { return x > 0 ? sqrt(x) : 0; }
vectorize() T least(T x, T y) { return x < y ? x : y; }
vectorize() T square(T x) { return x < 1000 ? x * x : x; }
vectorize() T loga(T x) { return x > 0 ? log(x) : 0; }
vectorize() T power(T x) { return exp(x); }
vectorize() T sine(T x) { return sin(x); }
vectorize() T ratio(T x, T y) { return y == 4 ? 0 : x / y; }
vectorize() T nested(T x) { return x > 0 ? x < 1 ? 1 / (x - 0.5f) : 1 / (x - 2) : -1; }
vectorize() int whole(T x) { return x > -1000 && x < 1000 ? (int)x : -1; }
vectorize() T quotient(T x, T y) { return x / y; }
static T half_of(T x) { if (x == 0) return 0; return 1 / x; }
vectorize() void both(T x, T *a, T *b) { *a = half_of(x); *b = x != 0 ? x / x : 1; }
vectorize() identity(0) reorderable T larger(T x, T y) { return x > y ? x : y; }
vectorize() identity(0) reorderable T add(T x, T y) { return x + y; }
vectorize() identity(0) reorderable T add_some(T x, T y) { return y == 0 ? x : x + y; }
""", options=["-O3", "-Wno-double-promotion"])
NAN, INF = np.nan, np.inf
count = 0


def warned(call, *operands, **options):
    """The warnings of a call, "divide invalid overflow", in this order."""
    global count
    count += 1
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call(*operands, **options)
    said = " ".join(str(each.message) for each in found)
    return " ".join(word for word in ("divide", "invalid", "overflow") if word in said)


def expect(want, call, *columns, small=1.0):
    """Calls with few elements and many, contiguous and strided, and in place."""
    for dtype in "fd":
        for n in (1, 3, 9, 700, 5000, 200_000):
            fill = [np.full(n, small, dtype) for _ in columns]
            for array, column in zip(fill, columns):
                array[-len(column):] = np.array(column, dtype)[-n:]
            known = want if n >= len(columns[0]) else None  # fewer elements may raise less
            apart = [np.repeat(array, 3)[::3] for array in fill]
            found = warned(call, *fill), warned(call, *apart), warned(call, *[array[::-1] for array in fill])
            assert len(set(found)) == 1 and known in (None, found[0]), (call, dtype, n, found, want)
            if call.nout == 1 and call is not program.whole:
                results = call(*fill)
                for place in (fill[0], apart[0]):
                    assert warned(call, *([place] + fill[1:]), out=place) == found[0], (call, dtype, n, "in place", want)
                    assert np.array_equal(place, results, equal_nan=True)


with np.errstate(all="warn", under="ignore"):
    expect("", program.inverse, [0, -1, 1, NAN])
    expect("", program.root, [-1, -INF, NAN, 4])
    expect("", program.least, [NAN, 1, INF], [1, NAN, 2])
    expect("", program.square, [3e38, 1, NAN])
    expect("", program.loga, [-1, 0, NAN, INF])
    expect("", program.power, [-INF, INF, NAN])
    expect("", program.sine, [0, 1e30, NAN])
    expect("", program.nested, [0, -3, NAN, INF, 3])
    expect("", program.whole, [1e30, -1e30, NAN])
    expect("", program.both, [0, 2])
    expect("invalid", program.sine, [INF])
    expect("divide", program.quotient, [1, 1], [0, 2])
    expect("invalid", program.quotient, [0], [0])
    expect("divide", program.nested, [0, 2])
    expect("divide", program.nested, [0.5, NAN])
    expect("divide", program.ratio, [1, 1], [4, 0])
    expect("divide invalid", program.ratio, [1, 0, 1], [4, 0, 0])
    for dtype, large in (("f", 1e38), ("d", 1e308)):
        assert warned(program.quotient, np.array([large] * 9, dtype), np.array([0.001] * 9, dtype)) == "overflow"
        assert warned(program.larger.reduce, np.array([1, 2, 5] * 9, dtype)) == ""
        assert warned(program.larger.accumulate, np.array([1, 2, 5] * 9, dtype)) == ""
    try:
        with np.errstate(divide="raise"):
            program.nested(np.array([1.0, 2, -1] * 5))
    except FloatingPointError as error:
        assert "divide by zero" in str(error)
    else:
        raise AssertionError("nothing was raised")
# Reductions and accumulations, in which the output stands still or follows the input, are not taken for calls in place.
for dtype in "fd":
    for rows, columns in ((1, 2), (3, 2), (3, 1000), (40, 70_000)):
        x = np.random.default_rng(rows).uniform(0.5, 2, (rows, columns)).astype(dtype)
        for axis in (0, 1):
            assert np.array_equal(program.larger.reduce(x, axis=axis), x.max(axis)), (dtype, rows, columns, axis)
            assert np.array_equal(program.least.reduce(x, axis=axis), x.min(axis)), (dtype, rows, columns, axis)
            assert np.array_equal(program.least.accumulate(x, axis=axis), np.minimum.accumulate(x, axis=axis))
            assert np.array_equal(program.quotient.reduce(x[:, :5], axis=axis), np.divide.reduce(x[:, :5], axis=axis))
        one = x[0].copy()
        program.larger(one[0:1].repeat(1), one, out=one)
        assert np.array_equal(one, np.maximum(x[0, 0], x[0]))
        count += 1
# A reduction that overflows has the tree's bits, and its warnings are those of the tree's steps alone.  NumPy 1 begins with
# the first element, not with the identity.
for f in (program.add, program.add_some) if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else ():
    for dtype, n, step in itertools.product("fd", (70, 256, 257, 3000, 300_001), (1, 2, -1)):
        m = np.finfo(dtype).max
        x = np.random.default_rng(n).uniform(-1, 1, (n, abs(step))).astype(dtype)[:, 0][:: 1 if step > 0 else -1]
        for at, values, want in ((0, (), ""), (8, (m, m), "overflow"), (7, (-m, m, m, -m), "overflow"),
                                 (8, (m, m, -m, -m), "invalid overflow"), (9, (m, -m, -m, m), "overflow"),
                                 (1, (np.inf, -np.inf), "invalid")):
            x[at : at + len(values)] = values
            with np.errstate(all="warn", under="ignore"):
                found = warned(f.reduce, x)
            with np.errstate(all="ignore"):
                mine, theirs = f.reduce(x), f.reduce(x, device="cpu")
            assert mine.tobytes() == np.asarray(theirs).tobytes(), (f, dtype, n, step, values, mine, theirs)
            assert found == want, (f, dtype, n, step, values, found)
            x[at : at + len(values)] = 1
print(count, "calls")
