"""gufunc_behaviours.py PROGRAM DEVICE: what NumPy's test_ufunc.py and Numba's test_gufunc.py look at in gufuncs, as cases
of our own.

Each case is a function of the gufuncs and of `array`, called with NumPy's, made of the native loops, and with ours on a
device's arrays: both give the same types, shapes and bytes, or both refuse, with an error of the same class."""
import sys

import numpy as np

import gpucc
from check import compare_cases

program, device = gpucc.load(sys.argv[1], name="gufunc_behaviours"), sys.argv[2]


class Theirs:
    @staticmethod
    def array(values, dtype=None):
        return np.array(values, dtype)


class Ours:
    @staticmethod
    def array(values, dtype=None):
        return gpucc.asarray(np.array(values, dtype), device=device, copy=True)


for name in "inner weighted product matmul sums cross corners distances".split():
    setattr(Theirs, name, getattr(program, name).numpy)
    setattr(Ours, name, getattr(program, name))


def numbers(*shape, dtype="f8"):
    return np.arange(np.prod(shape, dtype=int)).astype(dtype).reshape(shape)


def called(name, *operands, **options):
    return lambda n: getattr(n, name)(*[n.array(x) for x in operands], **options)


def into(name, shape, *operands, dtype="f8", **options):
    """Returns a case whose output is also its result."""
    def case(n):
        out = n.array(np.zeros(shape, dtype))
        assert getattr(n, name)(*[n.array(x) for x in operands], out=out, **options) is out
        return out
    return case


def within(name, change, *operands, **options):
    """Returns a case whose output overlaps its inputs."""
    def case(n):
        x = n.array(numbers(3, 3))
        getattr(n, name)(*change(x), **options)
        return x
    return case


def every(what, name, operands, *choices):
    return {f"{what} {choice}": called(name, *operands, **choice) for choice in choices}


cube, slab, z = numbers(3, 3, 3), numbers(3, 1, 3) + 10, numbers(2, 2)
A, B = numbers(2, 3, 2), numbers(2, 2, 2, 1) + 1
OF_NUMPY = (np.int8(-1), np.array(-1, "i4"))

CASES = {
    # ---- where core dimensions are ----
    **every("inner", "inner", (cube, slab), {},
            *[{"axes": axes} for axes in (
                [(-1,), (-1,), ()], [-1, -1, ()], [(-1,), -1, ()], [-1, -1], list(OF_NUMPY), [0, 0], [0, 2], -1, [-1],
                [-1.0, -1.0], [(-1.0,), -1], [None, 1], [-1, -1, -1], [-1, -1, (-1,)], [-1, (-2, -1), ()], [0, 1],
                ((-1,), (-1,), ()), [[-1], [-1], []], [3, 0], [0, -4], [True, 0])],
            *[{"axis": axis} for axis in (-1, 0, np.int8(0), [0], 1.0, 3, -4, True)], {"axis": 0, "axes": [0, 0]}),
    **every("product", "product", (A, B),
            *[{"axes": axes} for axes in (
                [(-2, -1)] * 3, [(1, 2), (2, 3), (2, 3)], [(0, -1), (1, 2), (-2, -1)], 1, ((-2, -1),) * 3, [], [(-2, -1)],
                [(-2, -1)] * 2, [None] * 3, [[-2, -1]] * 3, [(-2, -1), (-2, -1), [-2, -1]], [(-2, -1), (-2, -1), None],
                [-1, -1, -1], [(-2, -1), (-2, -1), -1], [(-2, -1), (-2, -1), (-2, -2)], [(-2, -1)] * 4)],
            {"axis": 1}, {"keepdims": True}, {"keepdims": False}, {"axes": [0, 1], "parrot": True}),
    "axes of an output": into("product", (2, 2, 3, 1), A, B, axes=[(1, 2), (2, 3), (2, 3)]),
    "axes of an output, far apart": into("product", (1, 2, 2, 3), A, B, axes=[(-2, -1), (-2, -1), (3, 0)]),
    "axes of an output that has too few": into("product", 2, z, z, axes=[0, 1]),
    "axes where an operand has too few": called("product", z[1], z, axes=[0, 1]),
    "axes of vectors and matrices": called("matmul", numbers(3, 5), numbers(3), axes=[(1, 0), 0, 0]),
    "axes of two vectors": called("matmul", numbers(3), numbers(3), axes=[0, 0, ()]),
    "axes of matrices": called("matmul", numbers(3, 2, 5), numbers(3, 4, 5), axes=[(1, 0), (0, 1), (0, 1)]),
    "axes of sums": called("sums", numbers(2, 3), axes=[0, 1]),
    "axes without the output's": called("sums", numbers(2, 3), axes=[0]),
    "an axis of sums": into("sums", (2, 3), numbers(2, 3), axis=0),
    "an axis, and a wrong output": into("sums", (1, 2, 3), numbers(2, 3), axis=0),
    "two axes apart": called("corners", numbers(3, 4, 3), axes=[(0, 2), (), ()]),
    "two axes that are one": called("corners", numbers(3, 4, 3), axes=[(0, 0)]),
    "two axes, and the outputs' kept": called("corners", numbers(3, 3, 4), axes=[(0, 1), (2, 1), (0, 1)], keepdims=True),
    "two axes, and the outputs' left out": called("corners", numbers(3, 3, 4), axes=[(0, 1)], keepdims=True),
    # ---- dimensions that stay ----
    **every("kept", "inner", (cube, slab), *[{"keepdims": k} for k in (True, False, "true", 1)],
            {"keepdims": True, "axis": 0}, {"keepdims": False, "axis": 0},
            *[{"keepdims": True, "axes": axes} for axes in ([(-1,)] * 3, [0, 0, 0], [0, 2], [0, 2, 2], [0, 2, 0], [0, 2, 1])],
            {"keepdims": False, "axes": [0, 2]}),
    "kept in an output": into("inner", (3, 3, 1), cube, slab, keepdims=True),
    "kept, and an output without": into("inner", (3, 3), cube, slab, keepdims=True),
    "kept, of two outputs": called("corners", numbers(4, 3, 3), keepdims=True),
    "kept, of three inputs": called("weighted", *[numbers(2, 3)] * 3, axis=0, keepdims=True),
    "kept, of a function that has them": called("sums", numbers(2, 3), keepdims=True),
    # ---- shapes ----
    "a core that does not fit": called("inner", numbers(4, 2), numbers(4, 1)),
    "a number for a core": called("inner", numbers(4, 2), 7.0),
    "outer dimensions that do not fit": called("inner", numbers(2, 1, 1), numbers(3, 1, 1)),
    "outer dimensions": called("inner", numbers(2, 1, 2), numbers(2, 2)),
    "an output of fewer dimensions": into("inner", (), numbers(3, 2), np.ones(2)),
    "an output of more": into("inner", (5, 4), numbers(1, 3), numbers(1, 3)),
    "an output that repeats too much": into("matmul", (5, 2, 4), numbers(2, 3), numbers(3, 4)),
    "an output that does not": into("matmul", (), numbers(1, 3), numbers(3)),
    "too few dimensions": called("product", z, z[0]),
    "no elements to add": called("product", np.ones((10, 0)), np.ones((0, 10))),
    "no results": called("product", np.ones((0, 10)), np.ones((10, 0))),
    "nothing of three": called("weighted", *[np.zeros(0)] * 3),
    "no square": called("corners", numbers(4, 3, 2)),
    "fixed": called("cross", np.eye(3), np.eye(3)),
    "fixed, too many": called("cross", numbers(4), numbers(4)),
    "fixed, into an output": into("cross", (3, 3), numbers(3), np.eye(3)),
    "fixed, too large an output": into("cross", 4, numbers(3), numbers(3)),
    "fixed, an output too small outside": into("cross", (1, 3), numbers(3, 3), numbers(3)),
    **{f"matmul {a} by {b}": called("matmul", numbers(*a), numbers(*b)) for a, b in (
        ((3,), (3,)), ((3,), (3, 2)), ((2, 3), (3,)), ((2, 3), (3, 2)), ((5, 2, 3), (3,)), ((3,), (5, 3, 2)), ((), (3,)),
        ((3,), ()), ((0,), (0,)), ((2, 0), (0, 2)), ((4,), (3,)), ((2, 3), (2, 3)), ((1, 2, 3), (7, 3, 4)))},
    "a size that only an output says": into("distances", 6, numbers(4, 3)),
    "the same, repeated": into("distances", (2, 6), numbers(4, 3)),
    "the same without an output": called("distances", numbers(4, 3)),
    # ---- types ----
    "two types": called("inner", numbers(2, 3, dtype="i8"), numbers(2, 3) + 0.1),
    "a smaller type": called("inner", numbers(2, 3, dtype="i2"), numbers(2, 3, dtype="i2")),
    "a smaller output": into("inner", (2, 3), numbers(2, 3, 2, dtype="i8"), numbers(2, 1, 2, dtype="i8"), dtype="i2"),
    "an output of another kind": into("inner", (2, 3), A, numbers(2, 1, 2), dtype="i4"),
    "a smaller output with strides": lambda n: (lambda out: (
        n.inner(n.array(numbers(2, 3, 2, dtype="i8")), n.array(numbers(2, 1, 2, dtype="i8")), out[..., 0]), out)[1])(
            n.array(np.zeros((2, 3, 4), "i2"))),
    **every("types", "inner", (cube, slab),
            *[{"signature": s} for s in ("dd->d", b"dd->d", "ll->l", "d", "dd>d", "%%->", 1.0, (None, None, "f8"),
                                         (None, "f8"), (None,), (None,) * 3, ("i8", "f8", "f8"))],
            {"signature": "ll->l", "casting": "unsafe"}, {"sig": "dd->d"}, {"dtype": "f8"}, {"dtype": "i8"},
            {"dtype": "i8", "casting": "unsafe"}, {"dtype": "f4"}, {"dtype": "none"}, {"casting": "wrong"}, {"order": "F"},
            {"order": "f"}, {"order": "Q"}, {"where": np.array([True])}),
    # ---- outputs ----
    "over an input": within("sums", lambda x: (x, x)),
    "over an input, reversed": within("sums", lambda x: (x[::-1], x)),
    "over both inputs": within("matmul", lambda x: (x, x, x)),
    "over both inputs, transposed": within("matmul", lambda x: (x, x, x.T)),
    "over a part": within("sums", lambda x: (x[0], x[:, 1])),
    "one of two outputs": lambda n: n.corners(n.array(numbers(4, 3, 3)), out=(n.array(np.zeros(4)), None)),
    # ---- methods, which they have not ----
    "reduced": lambda n: n.inner.reduce(n.array(numbers(3))),
    "accumulated": lambda n: n.inner.accumulate(n.array(numbers(3))),
    "reduced in slices": lambda n: n.inner.reduceat(n.array(numbers(3)), [0]),
    "outer": lambda n: n.inner.outer(n.array(numbers(3)), n.array(numbers(3))),
    "at": lambda n: n.inner.at(n.array(numbers(3)), [0], n.array(numbers(3))),
}

# To NumPy 1 these are errors of other classes, or none.
if int(np.__version__.split(".")[0]) < 2:
    for what in ("inner {'axes': [-1, -1, -1]}", "product {'axes': [-1, -1, -1]}", "product {'axes': [(-2, -1), (-2, -1), -1]}",
                 "types {'signature': 'd'}"):
        del CASES[what]

if __name__ == "__main__":
    compare_cases(CASES, Theirs, Ours)
