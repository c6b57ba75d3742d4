"""loops.py LIBRARY MODE: native loops as NumPy's own, by PyUFunc_FromFuncAndData.

`numpy` compares reductions, accumulations, in-place calls and views with NumPy's ufuncs.  `raw` calls loops on operands
that overlap in every way, and compares with one element after the other."""
import ctypes
import sys

import numpy as np

try:
    from numpy._core import _multiarray_umath
except ImportError:
    from numpy.core import _multiarray_umath

CODES = {"b": "i8", "h": "i16", "i": "i32", "l": "i64", "f": "f32", "d": "f64", "F": "c64", "D": "c128"}
library = ctypes.CDLL(sys.argv[1])
kept = []  # NumPy keeps the addresses


def symbol(name, types):
    inputs, outputs = types.split("->")
    return "_".join([name, "".join(CODES[t] for t in inputs), "".join(CODES[t] for t in outputs)])


def loop(name, types):
    return ctypes.cast(getattr(library, symbol(name, types) + "_loop"), ctypes.c_void_p).value


def ufunc(name, signatures, identity=-1):
    """A NumPy ufunc of the loops."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    api = ctypes.cast(pointer(_multiarray_umath._UFUNC_API, None), ctypes.POINTER(ctypes.c_void_p))
    text, number = ctypes.c_char_p, ctypes.c_int
    make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, number, number, number,
                             number, text, text, number)(api[1])
    functions = (ctypes.c_void_p * len(signatures))(*(loop(name, s) for s in signatures))
    nothing = (ctypes.c_void_p * len(signatures))()
    types = (ctypes.c_char * 32)(*(np.dtype(t).num for s in signatures for t in s.replace("->", "")))
    inputs, outputs = map(len, signatures[0].split("->"))
    kept.extend((functions, nothing, types, name.encode()))
    return make(ctypes.addressof(functions), ctypes.addressof(nothing), ctypes.cast(types, ctypes.c_char_p),
                len(signatures), inputs, outputs, identity, kept[-1], b"", 0)


def expect(what, ours, theirs):
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if ours.dtype != theirs.dtype or ours.tobytes() != theirs.tobytes():
        sys.exit(f"{what}: {ours!r} is not {theirs!r}")
    expect.count += 1


expect.count = 0


def numbers(t, n, seed=0):
    """Whose sums and differences are exact in every type, whatever the order."""
    values = np.random.default_rng(seed).integers(-3, 4, n)
    return (values + 1j * values[::-1] if t in "FD" else values).astype(t)


# ---- as NumPy calls them ----

SIZES = (0, 1, 2, 3, 31, 512, 513, 1500)


def compare_folds(name, t, ours, theirs):
    def both(method, what, *arguments, **options):
        expect(f"{name}.{method} {t} {what}", *(getattr(f, method)(*arguments, dtype=t, **options) for f in (ours, theirs)))

    for n in SIZES:
        x = numbers(t, n)
        for view in (x, x[::-1], x[::3]):
            if len(view):
                both("reduce", n, view)
            both("accumulate", n, view)
    matrix = numbers(t, 7 * 600).reshape(7, 600)
    for axis in (0, 1):
        for m in (matrix, matrix.T, matrix[::-2, 1::5]):
            both("reduce", m.shape, m, axis)
            both("accumulate", m.shape, m, axis)
            inside, outside = m.copy(), m.copy()
            ours.accumulate(inside, axis, dtype=t, out=inside)
            theirs.accumulate(outside, axis, dtype=t, out=outside)
            expect(f"{name}.accumulate {t} in place", inside, outside)
    both("reduceat", "", matrix[0], [0, 5, 5, 300])


def compare_at(name, t, ours, theirs):
    where, by = np.random.default_rng(1).integers(0, 40, 700), numbers(t, 700, 2)
    inside, outside = numbers(t, 40), numbers(t, 40)
    ours.at(inside, where, by)
    theirs.at(outside, where, by)
    expect(f"{name}.at {t}", inside, outside)


def compare_places(name, t, ours, theirs):
    """In place, and between views of one array."""
    for n in SIZES[1:]:
        for out, a, b in (("x[:]", "x[:]", "y[:]"), ("x[:]", "y[:]", "x[:]"), ("x[:]", "x[:]", "x[:]"),
                          ("x[::2]", "x[::2]", "y[::2]"), ("x[::-1]", "x[::-1]", "y[:]"), ("x[1:]", "x[:-1]", "y[1:]"),
                          ("x[:-1]", "x[1:]", "x[:-1]"), ("x[::-1]", "x[:]", "y[:]"), ("x[3:]", "x[:-3]", "x[3:]"),
                          ("x[::2][:n // 2]", "x[1::2][:n // 2]", "y[::2][:n // 2]"), ("x[:]", "x[:1]", "y[:]")):
            results = []
            for f in (ours, theirs):
                scene = {"x": numbers(t, n), "y": numbers(t, n, 5), "n": n}
                f(eval(a, scene), eval(b, scene), out=eval(out, scene))
                results.append(scene["x"])
            expect(f"{name} {t} {n} {out}", *results)


def compare_with_numpy():
    for name, theirs in (("add", np.add), ("subtract", np.subtract), ("multiply", np.multiply)):
        ours = ufunc(name, [f"{t}{t}->{t}" for t in CODES])
        for t in CODES:
            compare_at(name, t, ours, theirs)
            compare_places(name, t, ours, theirs)
            if name != "multiply" or t in "bhil":
                compare_folds(name, t, ours, theirs)
    add = ufunc("add", ["ll->l"], 0)
    expect("the sum of three", add.reduce(np.array([1, 2, 3])), np.int64(6))
    expect("the sum of none", add.reduce(np.array([], "l")), np.int64(0))


# ---- as anybody may ----

def one_by_one(run, data, offsets, steps, n):
    """Calls `run`, the loop, with one element after the other, as a loop promises to act."""
    for i in range(n):
        run(data, [o + i * s for o, s in zip(offsets, steps)], [0] * len(steps), 1)


def runner(name, types):
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(loop(name, types))
    count = len(types) - 2

    def run(data, offsets, steps, n):
        base = data.ctypes.data
        function((ctypes.c_void_p * count)(*(base + o for o in offsets)), (ctypes.c_ssize_t * 1)(n),
                 (ctypes.c_ssize_t * count)(*steps), None)
    return run


def place(random, size, n, total):
    """An offset and a step with which n elements stay within `total` bytes."""
    step = int(random.choice((0, size, size, size, -size, 2 * size, -3 * size, 16, 16, -16, 1, 3)))
    reach = abs(step) * max(n - 1, 0)
    offset = int(random.integers(0, total - reach - size))
    if random.random() < 0.8:
        offset -= offset % size
    return offset + (reach if step < 0 else 0), step


def compare_raw(name, types, cases):
    random = np.random.default_rng(len(name) * 1000 + sum(map(ord, types)))
    run = runner(name, types)
    sizes = [np.dtype(t).itemsize for t in types.replace("->", "")]
    for case in range(cases):
        n = int(random.choice((0, 1, 2, 3, 17, 200, 513, 1100)))
        total = 2 * 48 * n + 200 if case % 2 else 48 * n + 100
        dtype = types[0]
        data = numbers(dtype, total // sizes[0] + 1, case)
        if name in ("sine", "power"):
            data[::29] *= 1e9  # of which the fast path is not right
        data = data.view("b")
        places = [place(random, size, n, total) for size in sizes]
        if random.random() < 0.7:  # two at one place, or some elements apart
            a, b = random.choice(len(sizes), 2, replace=False)
            away = int(random.choice((0, 0, 0, 1, -1, 2, 7))) * sizes[a]
            step = places[a][1]
            if 0 <= places[a][0] + away + min(step * n, 0) and places[a][0] + away + max(step * n, 0) + 16 <= total:
                places[b] = (places[a][0] + away, step)
        offsets, steps = zip(*places)
        expected = data.copy()
        run(data, offsets, steps, n)
        one_by_one(run, expected, offsets, steps, n)
        expect(f"{name} {types}: {n} elements at {offsets}, steps {steps}", data, expected)


def main():
    np.seterr(all="ignore")
    if sys.argv[2] == "numpy":
        compare_with_numpy()
    else:
        for name in ("add", "subtract"):
            for t in CODES:
                compare_raw(name, f"{t}{t}->{t}", 40)
        for t in "fd":
            compare_raw("power", f"{t}{t}->{t}", 40)
            compare_raw("sine", f"{t}->{t}", 40)
            compare_raw("modf_", f"{t}->{t}{t}", 60)
        compare_raw("shift", "fh->d", 60)
        compare_raw("digits", "i->i", 40)
    print(expect.count, "comparisons")


main()
