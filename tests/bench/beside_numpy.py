"""beside_numpy.py LIBRARY PROGRAM [CASE...]: calls on the CPU beside NumPy's, in turn in one process, on one thread.

PROGRAM is programs/beside_numpy.c as a shared object.  Both work on the same memory, and write into the same arrays; the
results are compared first.  For each case the shortest time of either in microseconds, NumPy's by ours (above 1: ours is
shorter), and the median of that ratio over the turns; in the end the geometric means, and how many cases are below 1."""
import ctypes
import math
import statistics
import sys
import time
import timeit

import numpy as np

pointer, whole = ctypes.c_void_p, ctypes.c_int
library = ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
library.gpucc_last_error.restype = ctypes.c_char_p
image = ctypes.addressof(ctypes.c_char.in_dll(ctypes.CDLL(sys.argv[2]), "gpucc_program_beside_numpy"))
CODES = {np.dtype(t): i for i, t in enumerate(["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", None, "f4", "f8"])
         if t}
N, TURNS, DEVICE = 1_000_000, 41, 1
kept = []


class ContextOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("device", ctypes.c_char_p), ("cuda_context", pointer),
                ("cuda_stream", pointer), ("cpu_threads", whole)]


class CallOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("stream", pointer), ("where", pointer)]


class ReduceOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("stream", pointer), ("axes", ctypes.POINTER(whole)), ("axis_count", whole)]


class AccumulateOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("stream", pointer), ("axis", whole)]


def check(status):
    if status:
        sys.exit(library.gpucc_last_error().decode())


context, program = pointer(), pointer()
beside_numba = "--numba" in sys.argv  # on all cores
check(library.gpucc_context_create(ctypes.byref(ContextOptions(ctypes.sizeof(ContextOptions), b"cpu",
                                                               cpu_threads=0 if beside_numba else 1)),
                                   ctypes.byref(context)))
check(library.gpucc_program_load(context, pointer(image), ctypes.byref(program)))


def ours(array):
    """The runtime's array over the memory of NumPy's."""
    made = pointer()
    numbers = [(ctypes.c_int64 * max(array.ndim, 1))(*values) for values in (array.shape, array.strides)]
    check(library.gpucc_array_wrap(context, CODES[array.dtype], array.ndim, *numbers, pointer(array.ctypes.data), DEVICE,
                                   ctypes.byref(made)))
    kept.append(array)
    return made


def find(name):
    ufunc = pointer()
    check(library.gpucc_program_ufunc(program, name.encode(), ctypes.byref(ufunc)))
    return ufunc


# ---- what is called: a pair of functions, NumPy's and ours, and where both leave the result ----

def call(ufunc, x, y, out, where=None):
    given, made = (pointer * 2)(ours(x), ours(y)), (pointer * 1)(ours(out))
    name, function = find(ufunc.__name__), library.gpucc_ufunc_call
    options = CallOptions(ctypes.sizeof(CallOptions), where=None if where is None else ours(where))
    mask = True if where is None else where
    return (lambda: ufunc(x, y, out, where=mask)), (lambda: function(name, given, made, ctypes.byref(options))), out


def reduce(ufunc, x, axis=0, name=None):
    out = np.zeros([n for d, n in enumerate(x.shape) if d != axis % x.ndim], x.dtype)
    given, made, name = ours(x), pointer(ours(out).value), find(name or ufunc.__name__)
    options = ReduceOptions(ctypes.sizeof(ReduceOptions), axes=(whole * 1)(axis), axis_count=1)
    function = library.gpucc_ufunc_reduce
    return (lambda: ufunc.reduce(x, axis, x.dtype, out)), \
        (lambda: function(name, given, ctypes.byref(made), ctypes.byref(options))), out


def accumulate(ufunc, x, axis=0):
    out = np.zeros(x.shape, x.dtype)
    given, made, name = ours(x), pointer(ours(out).value), find(ufunc.__name__)
    options = AccumulateOptions(ctypes.sizeof(AccumulateOptions), axis=axis)
    function = library.gpucc_ufunc_accumulate
    return (lambda: ufunc.accumulate(x, axis, x.dtype, out)), \
        (lambda: function(name, given, ctypes.byref(made), ctypes.byref(options))), out


def reduceat(ufunc, x, places):
    out = np.zeros(places.shape, x.dtype)
    given, at, made, name = ours(x), ours(places), pointer(ours(out).value), find(ufunc.__name__)
    function = library.gpucc_ufunc_reduceat
    return (lambda: ufunc.reduceat(x, places, out=out)), (lambda: function(name, given, at, ctypes.byref(made), None)), out


def at(ufunc, cells, places, y):
    given, indices, operand, name = ours(cells), ours(places), ours(y), find(ufunc.__name__)
    function = library.gpucc_ufunc_at
    return (lambda: ufunc.at(cells, places, y)), (lambda: function(name, given, indices, operand, None)), cells


# ---- cases ----

random = np.random.default_rng(1)


def numbers(*shape, dtype="f4"):
    if np.dtype(dtype).kind == "f":
        return random.standard_normal(shape).astype(dtype)
    return random.integers(-100, 100, shape).astype(dtype)


def misaligned(n):
    made = np.empty(4 * n + 4, "u1")[1:4 * n + 1].view("f4")
    made[:] = numbers(n)
    return made


def cases():
    side = math.isqrt(N)
    add, x, y, out = np.add, numbers(N), numbers(N), numbers(N)
    square, other, result = [v[:side * side].reshape(side, side) for v in (x, y, out)]
    wide = numbers(2 * N)
    yield "add", lambda: call(add, x, y, out)
    for t in ("f8", "i4", "i8"):
        yield f"add {t}", lambda: call(add, *[numbers(N, dtype=t) for _ in range(3)])
    yield "in place", lambda: call(add, x, np.zeros(N, "f4"), x)
    yield "shift", lambda: call(add, wide[:N], y, wide[1:N + 1])
    yield "misaligned", lambda: call(add, misaligned(N), y, out)
    yield "all misaligned", lambda: call(add, misaligned(N), misaligned(N), misaligned(N))
    yield "masked", lambda: call(add, x, y, out, random.integers(0, 2, N) > 0)
    yield "int16 + float32", lambda: call(add, numbers(N, dtype="i2"), y, out)
    yield "int32 + float64", lambda: call(add, numbers(N, dtype="i4"), numbers(N, dtype="f8"), numbers(N, dtype="f8"))
    yield "float16 + float32", lambda: call(add, numbers(N, dtype="f2"), y, out)
    yield "float32 + float64", lambda: call(add, x, numbers(N, dtype="f8"), numbers(N, dtype="f8"))
    for n in (2, 3, 8, 10, 32):
        base = numbers(N // n, n + 1)
        yield f"rows of {n}", lambda: call(add, base[:, :n], numbers(N // n, n), numbers(N // n, n))
    yield "reversed", lambda: call(add, x[::-1], y, out)
    yield "all reversed", lambda: call(add, x[::-1], y[::-1], out)
    yield "second", lambda: call(add, wide[::2], y, out)
    yield "second f8", lambda: call(add, numbers(2 * N, dtype="f8")[::2], numbers(N, dtype="f8"), numbers(N, dtype="f8"))
    yield "second out", lambda: call(add, x, y, wide[::2])
    yield "second, all", lambda: call(add, x[::2], y[::2], out[::2])
    yield "third", lambda: call(add, numbers(3 * N)[::3], y, out)
    yield "column + matrix", lambda: call(add, square[:, :1], other, result)
    yield "row + matrix", lambda: call(add, square[:1], other, result)
    yield "transposed", lambda: call(add, square.T, other, result)
    yield "transposed out", lambda: call(add, square, other, result.T)
    matrix = numbers(N, 4)
    yield "column into column", lambda: call(add, matrix[:, 0], y, matrix[:, 2])
    yield "outer", lambda: call(add, x[:side, None], y[:side], result)
    for t in ("f4", "f8", "i4", "i8"):
        v = numbers(N, dtype=t)
        yield f"sum {t}", lambda: reduce(add, v)
    yield "sum second", lambda: reduce(add, wide[::2])
    yield "sum reversed", lambda: reduce(add, x[::-1])
    yield "sum axis 0", lambda: reduce(add, square)
    yield "sum axis 1", lambda: reduce(add, square, 1)
    yield "sum rows of 100", lambda: reduce(add, x.reshape(-1, 100), 1)
    yield "sum rows of 10", lambda: reduce(add, x.reshape(-1, 10), 1)
    yield "sum tall", lambda: reduce(add, x.reshape(-1, 10))
    yield "sum transposed", lambda: reduce(add, square.T)
    yield "sum middle", lambda: reduce(add, x.reshape(100, 100, 100), 1)
    yield "min", lambda: reduce(np.minimum, x)
    yield "min f8", lambda: reduce(np.minimum, numbers(N, dtype="f8"))
    yield "min i4", lambda: reduce(np.minimum, numbers(N, dtype="i4"))
    yield "min axis 0", lambda: reduce(np.minimum, square)
    yield "min axis 1", lambda: reduce(np.minimum, square, 1)
    yield "fmin", lambda: reduce(np.fmin, x, name="fewest")
    for t in ("f4", "i4", "i8"):
        yield f"cumsum {t}", lambda: accumulate(add, numbers(N, dtype=t))
    yield "cumsum axis 0", lambda: accumulate(add, square)
    yield "cumsum axis 1", lambda: accumulate(add, square, 1)
    yield "cumsum rows of 100", lambda: accumulate(add, x.reshape(-1, 100), 1)
    yield "cumsum rows of 10", lambda: accumulate(add, x.reshape(-1, 10), 1)
    yield "cummin", lambda: accumulate(np.minimum, x)
    yield "reduceat", lambda: reduceat(add, x, np.sort(random.integers(0, N, N // 100)))
    for t in ("f4", "f8", "i4", "i8"):
        yield f"at {t}", lambda: at(add, numbers(N, dtype=t), random.integers(0, N, N), np.ones(N, t))
    few = np.zeros(1000, "f4")
    yield "at few cells", lambda: at(add, few, random.integers(0, 1000, N), np.ones(N, "f4"))


def of_rows(name, spellings, out, *inputs):
    """A gufunc beside NumPy's spellings, of which the fastest counts."""
    given, made = (pointer * len(inputs))(*map(ours, inputs)), (pointer * 1)(ours(out))
    ufunc, function = find(name), library.gpucc_ufunc_call
    if beside_numba:
        spellings = [kernels[name]]
    best = min(spellings, key=lambda spelling: min(timeit.repeat(lambda: spelling(*inputs, out), number=1, repeat=5)))
    return (lambda: best(*inputs, out)), (lambda: function(ufunc, given, made, None)), out


def softmax(x, out):
    np.subtract(x, x.max(-1, keepdims=True), out)
    np.exp(out, out)
    np.divide(out, out.sum(-1, keepdims=True), out)


def layernorm(x, scale, shift, out):
    np.subtract(x, x.mean(-1, keepdims=True), out)
    out *= 1 / np.sqrt(np.einsum("ij,ij->i", out, out) / x.shape[-1] + 1e-5)[:, None]
    out *= scale
    out += shift


def spread(x, out):
    apart = x - x.mean(-1, keepdims=True)
    np.einsum("ij,ij->i", apart, apart, out=out)
    out /= x.shape[-1]


def numba_ufuncs():
    """The same loops by Numba, with the same name for each."""
    import numba as nb

    def made(layout, *types):
        return nb.guvectorize([types], layout, target="parallel", nopython=True)

    v, m, s, w = nb.float32[:], nb.float32[:, :], nb.float32[:], nb.int64[:]

    @made("(n),(n)->()", v, v, s)
    def inner(x, y, result):
        total = np.float32(0)
        for i in range(x.shape[0]):
            total += x[i] * y[i]
        result[0] = total

    @made("(m,n),(n)->(m)", m, v, v)
    def matrix_by_vector(matrix, vector, result):
        for i in range(matrix.shape[0]):
            total = np.float32(0)
            for k in range(vector.shape[0]):
                total += matrix[i, k] * vector[k]
            result[i] = total

    @made("(n)->()", v, s)
    def variance(x, result):
        mean = total = np.float32(0)
        for i in range(x.shape[0]):
            mean += x[i]
        mean /= np.float32(x.shape[0])
        for i in range(x.shape[0]):
            total += (x[i] - mean) * (x[i] - mean)
        result[0] = total / np.float32(x.shape[0])

    @made("(n)->(n)", v, v)
    def softmax(x, y):
        most, total = np.float32(-np.inf), np.float32(0)
        for i in range(x.shape[0]):
            most = max(most, x[i])
        for i in range(x.shape[0]):
            total += np.exp(x[i] - most)
        for i in range(x.shape[0]):
            y[i] = np.exp(x[i] - most) / total

    @made("(n),(n),(n)->(n)", v, v, v, v)
    def layernorm(x, scale, shift, y):
        mean = total = np.float32(0)
        for i in range(x.shape[0]):
            mean += x[i]
        mean /= np.float32(x.shape[0])
        for i in range(x.shape[0]):
            total += (x[i] - mean) * (x[i] - mean)
        factor = np.float32(1) / np.sqrt(total / np.float32(x.shape[0]) + np.float32(1e-5))
        for i in range(x.shape[0]):
            y[i] = (x[i] - mean) * factor * scale[i] + shift[i]

    @made("(n)->()", v, w)
    def argmax(x, result):
        best, at = np.float32(-np.inf), 0
        for i in range(x.shape[0]):
            if x[i] > best:
                best, at = x[i], i
        result[0] = at

    @made("(n)->()", v, s)
    def span(x, result):
        least, most = np.float32(np.inf), np.float32(-np.inf)
        for i in range(x.shape[0]):
            if x[i] < least:
                least = x[i]
            if x[i] > most:
                most = x[i]
        result[0] = most - least

    @made("(n)->(n)", v, v)
    def sines(x, y):
        for i in range(x.shape[0]):
            y[i] = np.sin(x[i])

    @made("(n)->(n)", v, v)
    def exponentials(x, y):
        for i in range(x.shape[0]):
            y[i] = np.exp(x[i])

    return {name: value for name, value in locals().items() if isinstance(value, object) and hasattr(value, "signature")}


def gufunc_cases():
    for rows, n in ((10000, 1000), (100000, 100), (1000, 10000), (100, 1000)):
        x, y, out, scalar = numbers(rows, n), numbers(rows, n), numbers(rows, n), numbers(rows)
        size = f"{rows} x {n}"
        yield f"inner {size}", lambda: of_rows("inner", [
            lambda x, y, out: np.einsum("ij,ij->i", x, y, out=out), lambda x, y, out: np.vecdot(x, y, out),
            lambda x, y, out: np.matmul(x[:, None], y[:, :, None], out[:, None, None])], scalar, x, y)
        yield f"variance {size}", lambda: of_rows("variance", [lambda x, out: x.var(-1, out=out), spread], scalar, x)
        yield f"softmax {size}", lambda: of_rows("softmax", [softmax], out, x)
        yield f"layernorm {size}", lambda: of_rows("layernorm", [layernorm], out, x, numbers(n), numbers(n))
        yield f"argmax {size}", lambda: of_rows("argmax", [lambda x, out: x.argmax(-1, out=out)], np.zeros(rows, "i8"), x)
        yield f"span {size}", lambda: of_rows("span", [
            lambda x, out: np.subtract(x.max(-1), x.min(-1), out), lambda x, out: np.copyto(out, np.ptp(x, -1))],
            scalar, x)
        yield f"sines {size}", lambda: of_rows("sines", [np.sin], out, x)
        yield f"exponentials {size}", lambda: of_rows("exponentials", [np.exp], out, x)
    for count, m, n in ((2000, 150, 100), (20, 150, 100), (20, 30, 150), (20, 32, 512), (20, 30, 1000), (1, 4096, 4096)):
        yield f"matrix {count} x {m} x {n}", lambda: of_rows("matrix_by_vector", [
            lambda a, x, out: np.einsum("kij,kj->ki", a, x, out=out),
            lambda a, x, out: np.matvec(a, x, out)], numbers(count, m), numbers(count, m, n), numbers(count, n))


def agree(result, wanted):
    """Sums of floating-point numbers have another order in NumPy."""
    if result.dtype.kind != "f":
        return np.array_equal(result, wanted)
    return np.allclose(result, wanted, rtol=1e-3, atol=np.abs(wanted).max() * 1e-3)


def measure(name, make):
    theirs, mine, out = make()
    before, wanted = out.copy(), None
    theirs()
    wanted = out.copy()
    out[...] = before
    check(mine())
    if not agree(out, wanted):
        sys.exit(f"{name}: the results differ")
    times = ([], [])
    for _ in range(TURNS):
        for side, function in enumerate((theirs, mine)):
            start = time.perf_counter()
            function()
            times[side].append((time.perf_counter() - start) * 1e6)
    ratio = min(times[0]) / min(times[1])
    middle = statistics.median([a / b for a, b in zip(*times)])
    print(f"{name:26s} {min(times[0]):8.1f} {min(times[1]):8.1f} {ratio:6.2f} {middle:6.2f}", flush=True)
    return ratio, middle


print(f"{'NumPy ' + np.__version__:26s} {'Numba' if beside_numba else 'NumPy':>8s} {'gpucc':>8s} {'ratio':>6s} median")
chosen, every = sys.argv[3:], cases
kernels = numba_ufuncs() if beside_numba else {}
if chosen[:1] in (["--gufuncs"], ["--numba"]):
    chosen, every = chosen[1:], gufunc_cases
found = [measure(name, make) for name, make in every() if not chosen or name.split()[0] in chosen or name in chosen]
print(f"{len(found)} cases, geometric mean {statistics.geometric_mean([r for r, _ in found]):.2f} by the shortest times, "
      f"{statistics.geometric_mean([m for _, m in found]):.2f} by medians; {sum(r < 1 for r, _ in found)} below 1")
