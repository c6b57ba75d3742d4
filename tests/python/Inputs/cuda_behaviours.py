"""cuda_behaviours.py PROGRAM DEVICE: what numba-cuda's test_vectorize*.py and test_gufunc*.py look at, as cases of our own.

Each case is a function of the functions and of `array`, called with NumPy's and with ours on a device's arrays: both give
the same types, shapes and bytes, or both refuse.  What NumPy has not it makes of the program's native loops."""
import ctypes
import sys
from collections import namedtuple

import numpy as np

import gpucc
from check import compare_cases, raises

program, device = gpucc.load(sys.argv[1], name="cuda_behaviours"), sys.argv[2]
BY_LOOPS = "add subtract scaled ratio copied copied2 inner total twice axpy times plus both".split()
TYPES = ("f8", "f4", "i4", "u4")
Point = namedtuple("Point", "x y z")


class Theirs:
    matmul = np.matmul

    @staticmethod
    def sum(x):
        return np.add.reduce(x, dtype=x.dtype)

    @staticmethod
    def square_and_one(x):
        return x * x + 1.0

    @staticmethod
    def array(values, dtype=None):
        return np.array(values, dtype)


class Ours:
    matmul, square_and_one, sum = program.matmul, program.square_and_one, program.add.reduce

    @staticmethod
    def array(values, dtype=None):
        return gpucc.asarray(np.array(values, dtype), device=device, copy=True)


for name in BY_LOOPS:
    setattr(Theirs, name, getattr(program, name).numpy)
    setattr(Ours, name, getattr(program, name))


def numbers(*shape, dtype="f4"):
    return np.arange(np.prod(shape, dtype=int)).astype(dtype).reshape(shape)


def into(n, function, out, *arguments):
    """Returns an output that is passed by its keyword."""
    out = n.array(out)
    function(*arguments, out=out)
    return out


def behind(function, outs, *arguments):
    """Returns outputs that follow the inputs."""
    function(*arguments, *outs)
    return outs


def in_place(n, x):
    x = n.array(x)
    n.add(x, x, out=x)
    return x


def transposed(n, dimensions, dtype, order):
    x = numbers(*[4] * dimensions, dtype=dtype)
    return n.add(n.array(x), n.array(np.array(x.T, order=order)))


def check_no_copies():
    """Arrays on the device stay there."""
    fake, x = ctypes.CDLL(None), Ours.array(numbers(1, 3, 64, 64))
    fake.fake_cuda_call_count.argtypes, fake.fake_cuda_call_count.restype = [ctypes.c_char_p], ctypes.c_long
    copies = [b"cuMemcpyHtoDAsync", b"cuMemcpyDtoHAsync", b"cuMemcpyHtoD", b"cuMemcpyDtoH"]

    def count():
        return sum(fake.fake_cuda_call_count(name) for name in copies)

    before = count()
    program.add(x, 1.0)
    program.copied2(x)
    assert count() == before, "something was copied"
    x.to_numpy()
    assert count() > before, "copies are not counted"


def check_no_temporaries():
    """Accumulations of another type convert into the output."""
    fake = ctypes.CDLL(None)
    fake.fake_cuda_call_count.argtypes, fake.fake_cuda_call_count.restype = [ctypes.c_char_p], ctypes.c_long
    x, out = Ours.array(numbers(4, 300, dtype="i2")), Ours.array(numbers(4, 300, dtype="i4"))
    program.add.accumulate(x, 1, out=out)  # which loads what it takes
    before = fake.fake_cuda_call_count(b"cuMemAllocAsync")
    program.add.accumulate(x, 1, out=out)
    assert fake.fake_cuda_call_count(b"cuMemAllocAsync") == before, "memory was allocated"
    assert (out.to_numpy() == np.add.accumulate(numbers(4, 300, dtype="i4"), 1)).all()


def check_large_pieces():
    """A gufunc converts operands of many calls at a time, and of fewer where the device has no room."""
    fake, x = ctypes.CDLL(None), Ours.array(numbers(2000, 500) % 7)
    fake.fake_cuda_call_count.argtypes, fake.fake_cuda_call_count.restype = [ctypes.c_char_p], ctypes.c_long
    fake.fake_cuda_memory_used.restype = ctypes.c_size_t
    ones, expected = Ours.array(np.ones(500)), (numbers(2000, 500) % 7).sum(axis=1, dtype="f8")

    def launches():
        before = fake.fake_cuda_call_count(b"cuLaunchKernel")
        sums = program.inner(x, ones)
        count = fake.fake_cuda_call_count(b"cuLaunchKernel") - before
        assert (sums.to_numpy() == expected).all()
        return count

    assert launches() == 2, "the calls run in small pieces"
    rest = gpucc.empty(2**30 - fake.fake_cuda_memory_used() - 3 * 2**20, "u1", device=device)
    assert launches() == 8, "the pieces do not fit into the device's memory"
    del rest


CASES = {
    # ---- ufuncs ----
    "two numbers": lambda n: n.add(1.5, 2.25),
    "a number and an array": lambda n: n.add(1.0, n.array(numbers(10, dtype="f8"))),
    "an array of no dimensions": lambda n: n.add(n.array(1.5), n.array(numbers(3, dtype="f8"))),
    "an output": lambda n: into(n, n.add, np.zeros(10, "f4"), n.array(numbers(10)), n.array(numbers(10))),
    "an array of the host's": lambda n: n.add(numbers(10, dtype="i4"), n.array(numbers(10, dtype="i4"))),
    "in place, of two dimensions": lambda n: in_place(n, numbers(2, 5, dtype="i4")),
    "a tuple": lambda n: n.add((1.0, 2.0, 3.0), n.array([4.0, 5.0, 6.0])),
    "a named tuple": lambda n: n.add(Point(1.0, 2.0, 3.0), n.array([4.0, 5.0, 6.0])),
    "two tuples": lambda n: n.add((1.0, 2.0, 3.0), (4.0, 5.0, 6.0)),
    "a tuple of arrays": lambda n: n.add((numbers(10, dtype="i4"), numbers(10, dtype="i4") + 1),
                                         n.array(numbers(2, 10, dtype="i4"))),
    "a tuple of named tuples": lambda n: n.add((Point(1.0, 2.0, 3.0), Point(1.5, 2.5, 3.5)),
                                               n.array(numbers(2, 3, dtype="f8"))),
    "a name": lambda n: np.array(n.add.__name__.rpartition(".")[2]),
    "complex numbers": lambda n: n.square_and_one(n.array(numbers(5, dtype="c16"))),
    "two types": lambda n: n.scaled(n.array(numbers(100, dtype="f8")), np.uint32(3)),
    "two types, one of them converted": lambda n: n.scaled(n.array(numbers(100)), n.array(numbers(100, dtype="u2"))),
    "a function inside": lambda n: n.ratio(*[n.array(numbers(100) + k) for k in (1, 2, 3)]),
    "both broadcast": lambda n: n.subtract(n.array(numbers(100, 3, 1, dtype="f8")),
                                           n.array(numbers(100, 3, 1, dtype="f8").transpose(2, 1, 0))),
    **{f"{count} {dtype}": lambda n, count=count, dtype=dtype: n.add(n.array(numbers(count, dtype=dtype)),
                                                                     n.array(numbers(count, dtype=dtype)))
       for count in (1, 1025, 100001) for dtype in TYPES},
    **{f"{d} dimensions of {dtype} and the transposed ones in order {order}":
       lambda n, d=d, dtype=dtype, order=order: transposed(n, d, dtype, order)
       for d in range(1, 8) for dtype in TYPES for order in "CF"},
    **{f"the sum of {count}": lambda n, count=count: n.sum(n.array(numbers(count, dtype="i4")))
       for count in (8, 100, 2**10 + 1)},
    # ---- gufuncs ----
    "two products": lambda n: n.matmul(n.array(numbers(2, 2, 4)), n.array(numbers(2, 4, 5))),
    "products of the host's": lambda n: n.matmul(numbers(2, 2, 4), n.array(numbers(2, 4, 5))),
    "an odd count of products": lambda n: n.matmul(n.array(numbers(1001, 2, 4) % 7), n.array(numbers(1001, 4, 5) % 5)),
    "two outer dimensions": lambda n: n.matmul(n.array(numbers(4, 25, 2, 4) % 7), n.array(numbers(4, 25, 4, 5) % 5)),
    "one matrix for all": lambda n: n.matmul(n.array(numbers(10, 3, 3, dtype="f8")), n.array(numbers(3, 3, dtype="f8"))),
    "a matrix repeated": lambda n: n.matmul(n.array(numbers(10, 3, 3, dtype="f8")),
                                            n.array(np.tile(numbers(3, 3, dtype="f8"), (10, 1, 1)))),
    "one and many outer dimensions": lambda n: n.matmul(n.array(numbers(100, 4, 5) % 7), n.array(numbers(1, 5, 7) % 5)),
    "products into an output": lambda n: into(n, n.matmul, np.zeros((9, 2, 5), "f4"), n.array(numbers(9, 2, 4)),
                                              n.array(numbers(9, 4, 5))),
    **{f"a copy of {count}": lambda n, count=count: into(n, n.copied, np.zeros(count, "f4"), n.array(numbers(count) + 1))
       for count in (10, 11)},
    "a copy of two dimensions": lambda n: into(n, n.copied2, np.zeros((5, 6), "f4"), n.array(numbers(5, 6) + 1)),
    "an output behind the inputs": lambda n: behind(n.copied, [n.array(np.zeros(10, "f4"))], n.array(numbers(10))),
    "an output said twice": lambda n:
        (lambda x: n.copied(x, x, out=x))(n.array(numbers(10))),
    "too few operands": lambda n: n.axpy(n.array(numbers(5)), n.array(numbers(5))),
    "too many operands": lambda n: n.copied(*[n.array(numbers(5))] * 4),
    "too many, of two outputs": lambda n: n.both(*[n.array(numbers(5, dtype="i4"))] * 5),
    "no operands": lambda n: n.both(),
    "tuples of tuples": lambda n: n.inner(((1.0, 2.0, 3.0), (4.0, 5.0, 6.0)), n.array([(1.5, 2.5, 3.5), (4.5, 5.5, 6.5)])),
    "a tuple of named tuples, inner": lambda n: n.inner((Point(1.0, 2.0, 3.0), Point(4.0, 5.0, 6.0)),
                                                        n.array(numbers(2, 3, dtype="f8"))),
    "a tuple of arrays, inner": lambda n: n.inner(tuple(numbers(2, 3, dtype="f8")), n.array(numbers(2, 3, dtype="f8"))),
    "outputs of two types": lambda n: n.both(n.array(numbers(10, dtype="i4") + 1)),
    "outputs of two types behind the inputs": lambda n:
        behind(n.both, [n.array(np.zeros(10, "i4")), n.array(np.zeros(10, "f8"))], n.array(numbers(10, dtype="i4"))),
    "the first of two outputs": lambda n: n.both(n.array(numbers(10, dtype="i4")), out=(n.array(np.zeros(10, "i4")), None)),
    "sums of rows": lambda n: n.total(n.array(numbers(100, 3, dtype="i4"))),
    "sums of rows into an output": lambda n: into(n, n.total, np.zeros(100, "i4"), n.array(numbers(100, 3, dtype="i4"))),
    "by value, a number": lambda n: n.twice(n.array(10, "i4")),
    "by value, an array": lambda n: n.twice(n.array(numbers(10, dtype="i4"))),
    "a number by value": lambda n: n.axpy(np.float32(2), n.array(numbers(5, 2)), n.array(numbers(5, 2))),
    "a number by value, one row": lambda n: n.axpy(np.float32(2), n.array(numbers(10)), n.array(numbers(10))),
    "a number by value for each row": lambda n: n.axpy(n.array(numbers(5)), n.array(numbers(5, 2)), n.array(numbers(5, 2))),
    "a number without a type": lambda n: n.times(2, n.array(numbers(10, dtype="i4"))),
    "an array of a wider type by value": lambda n: n.times(n.array(numbers(3, dtype="i8")),
                                                           n.array(numbers(3, 10, dtype="i4"))),
    "an element by address": lambda n: n.plus(n.array([1, 2, 3, 4], "i4"), n.array(2, "i4")),
    "one element by address for one row": lambda n:
        into(n, n.plus, np.zeros((1, 4), "i4"), n.array([1, 2, 3, 4], "i4"), n.array([2], "i4")),
    "an element by address for each row": lambda n: n.plus(n.array([[1, 2, 3, 4]] * 2, "i4"), n.array([2, 10], "i4")),
    "one element by address and a smaller output": lambda n:
        into(n, n.plus, np.zeros(4, "i4"), n.array([1, 2, 3, 4], "i4"), n.array([2], "i4")),
}
# A GPU's arrays and the host's in one call: numba-cuda copies, where gpucc says what to do.
MIXED = ["an array of the host's", "products of the host's", "a tuple", "a named tuple", "a tuple of arrays",
         "a tuple of named tuples", "tuples of tuples", "a tuple of named tuples, inner", "a tuple of arrays, inner"]
if device != "cpu":
    for what in MIXED:
        with raises(TypeError, "is on the host, gpucc.Array on cuda:0; move the first with gpucc.asarray"):
            CASES.pop(what)(Ours)
    check_no_copies()
    check_no_temporaries()
    check_large_pieces()
compare_cases(CASES, Theirs, Ours)
