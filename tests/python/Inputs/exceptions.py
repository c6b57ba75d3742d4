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
# Gufuncs: operands of all layouts, one call and many, in place, outputs that are read, pointers that walk.
cores = gpucc.compile("""
#include <gpucc.h>
#include <tgmath.h>
typevar(T, float32, float64);
guvectorize((n)->()) void best(size_t n, const T x[n], T *y)
{ T b = -1; for (size_t i = 0; i < n; i++) if (!isnan(x[i]) && x[i] > b) b = x[i]; *y = b; }
guvectorize((n)->(n)) void inverses(size_t n, const T x[n], T y[n])
{ for (size_t i = 0; i < n; i++) y[i] = x[i] > 0 ? 1 / x[i] : 0; }
guvectorize((n)->(n)) void wholes(size_t n, const T x[n], int y[n])
{ for (size_t i = 0; i < n; i++) y[i] = x[i] > 0 && x[i] < 100 ? (int)x[i] : 0; }
guvectorize((n)->(n)) void clamps(size_t n, const T x[n], T y[n])
{ for (size_t i = 0; i < n; i++) y[i] = x[i] > 3 ? x[i] : 3; }
guvectorize((n),()->(n)) void quotients(size_t n, const T x[n], T by, T y[n])
{ if (by != 7) for (size_t i = 0; i < n; i++) y[i] = x[i] / by; }
guvectorize((n)->(n)) void walk(size_t n, const T x[n], T y[n])
{ const T *from = x; T *to = y; for (; from < x + n; from++) { T *at = to++; for (int k = 0; k < 3; k++) { *at++ = *from > 0 ?
  sqrt(*from) : 0; at--; } } }
guvectorize((m,k),(k,n)->(m,n)) void product(size_t m, size_t k, size_t n, const T a[m][k], const T b[k][n], T c[m][n])
{ for (size_t i = 0; i < m; i++) for (size_t j = 0; j < n; j++) { T s = 0; for (size_t l = 0; l < k; l++) if (b[l][j] != 0)
  s += a[i][l] / b[l][j]; c[i][j] = s; } }
guvectorize((n)->(),(n)) void norm(size_t n, const T x[n], T *s, T y[n])
{ T t[4] = {0}; for (size_t i = 0; i < n; i++) t[i % 4] += x[i] > 0 ? sqrt(x[i]) : 0; *s = t[0] + t[1] + t[2] + t[3];
  for (size_t i = 0; i < n; i++) y[i] = *s > 0 ? x[i] / *s : 0; }
guvectorize((n)->(n)) void scale(size_t n, const T x[n], T y[n])
{ for (size_t i = 0; i < n; i++) y[i] = x[i] > 0 ? y[i] * x[i] : 0; }
guvectorize((n)->(n)) void squares(size_t n, const T x[n], T y[n])
{ T *inputs = (T *)x; for (size_t i = 0; i < n; i++) { y[i] = x[i] > 0 ? x[i] * x[i] : 0; inputs[i] = x[i] + 1; } }
guvectorize((n)->()) void walks(size_t n, const int x[n], T *y)
{ T at[64] = {0}, *p = at; for (size_t i = 0; i < 15; i++) switch (x[i % n]) { case 0: p += 1; break; case 1: p += 2; break;
  case 2: p += 3; break; default: p += 4; } *p = 1; *y = at[n % 64] > 0 ? 1 / at[n % 64] : 2; }
""", options=["-O3", "-Wno-cast-qual"])


def expect_cores(want, call, column, *more):
    for dtype in "fd":
        for n, calls in ((len(column), 1), (40, 1), (40, 7), (5000, 3), (16, 9000), (70_000, 2)):
            x = np.ones((calls, n), dtype)
            x[-1, -len(column):] = column
            for operand in x, np.repeat(x, 2, 1)[:, ::2], np.asfortranarray(x), x[:, ::-1], x[::-1]:
                found = warned(call, operand, *more)
                assert found == want, (call, dtype, n, calls, operand.strides, found, want)
            assert warned(call, x[-1], *more) == want


with np.errstate(all="warn", under="ignore"):
    hard = [0, -1, NAN, 1e30, 2]
    for name in "best", "inverses", "wholes", "clamps", "walk", "norm":
        expect_cores("", cores[name], hard)
    expect_cores("", cores.quotients, hard, 4)
    expect_cores("", cores.quotients, hard, 7)
    expect_cores("divide invalid", cores.quotients, hard, 0)
    expect_cores("divide", cores.quotients, hard[1:], 0)
    expect_cores("invalid", cores.norm, [INF])
    for dtype, large in (("f", 3e38), ("d", 1e308)):
        a, b = np.full((300, 40), 1, dtype), np.tile(np.array([[0, 1, NAN, 2]], dtype), (40, 9))
        assert warned(cores.product, a, b) == ""
        b[3, 5] = 1e-40 if dtype == "f" else 1e-310
        assert warned(cores.product, a * np.array(large, dtype), b) == "overflow"
        a[7] = INF
        b[5, 5] = -1
        assert warned(cores.product, a, b) == "invalid overflow"
        x = np.array([4, 0, -1, NAN] * 10, dtype)
        y = x.copy()
        cores.clamps(y, out=y)
        assert np.array_equal(y, cores.clamps(x))
    assert warned(cores.inverses, np.full((3, 20), 1e-310)) == "overflow"
    # A second run would find the results of the first.
    assert warned(cores.scale, np.full(8, 1e30, "f"), out=np.full(8, 1e30, "f")) == "overflow"
    x = np.array([1, 2, 3e38], "f")
    assert warned(cores.squares, x) == "overflow"
    assert np.array_equal(x, np.array([2, 3, 3e38], "f"))
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
