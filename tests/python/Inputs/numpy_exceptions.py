"""Reductions and accumulations of NumPy's arrays raise what C's code raises, and their bits are as documented."""
import numpy as np

import gpucc

program = gpucc.compile("""
#include <gpucc.h>
#include <tgmath.h>
typevar(T, float32, float64);
vectorize() reorderable T harmonic(T x, T y) { return x * y / (x + y); }
vectorize() reorderable identity(0) T add(T x, T y) { return x + y; }
vectorize() reorderable T greatest(T x, T y) { return x > y ? x : sqrt(y - x) * 0 + y; }
vectorize() reorderable T logaddexp(T x, T y) { return fmax(x, y) + log1p(exp(fmin(x, y) - fmax(x, y))); }
""")
random = np.random.default_rng(1)
expected = {"harmonic": lambda x: 1 / np.sum(1 / x), "add": np.sum, "greatest": np.max,
            "logaddexp": lambda x: np.log(np.sum(np.exp(x)))}
with np.errstate(all="raise", under="ignore"):
    for dtype in "f4", "f8":
        for n in [*range(1, 200), 1000, 5000, 300000]:
            x = random.random(n).astype(dtype) + 1
            for name, theirs in expected.items():
                want, function = theirs(x.astype("f8")), program[name]
                for operand in x, np.repeat(x, 2)[::2], np.repeat(x, 3)[::-3][::-1]:
                    got = function.reduce(operand)
                    assert abs(got - want) <= 1e-4 * abs(want), (name, n, got, want)
    for function, x in ((program.add, np.full(100, 3e38, "f4")), (program.add, np.array([np.inf, -np.inf] * 50)),
                        (program.harmonic, np.zeros(99)), (program.add, np.array([np.inf, -np.inf]))):
        try:
            function.reduce(x)
        except FloatingPointError:
            continue
        raise AssertionError(f"{function} of {x} raises nothing")

rows = random.standard_normal((100, 1000)).astype("f4")
ours = gpucc.asarray(rows, device="cpu")
assert np.array_equal(program.add.reduce(rows, 1), np.asarray(program.add.reduce(ours, 1)))
long = random.standard_normal(3_000_000).astype("f4")
total = np.asarray(program.add.reduce(gpucc.asarray(long, device="cpu")))
assert program.add.reduce(long) == total if np.__version__ >= "2" else abs(program.add.reduce(long) - total) < 0.01

x = rows.ravel()
for operand in x, x[::-2], rows.T.ravel(), np.asfortranarray(rows):
    assert np.array_equal(program.add.accumulate(operand), np.add.accumulate(operand))
holed = x.copy()
holed[5] = np.array([0xFFC12345], "u4").view("f4")[0]
canonical = np.array([np.nan], "f4").view("u4")[0]
assert set(program.add.accumulate(holed)[5:].view("u4")) == {canonical}
assert program.add.reduce(holed).view("u4") == program.add.reduce(holed[:9]).view("u4") == canonical
again = x.copy()
program.add.accumulate(again, out=again)
assert np.array_equal(again, np.add.accumulate(x))
print("all right")
