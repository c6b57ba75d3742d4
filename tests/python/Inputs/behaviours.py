"""behaviours.py PROGRAM DEVICE: what NumPy's test_ufunc.py and test_mem_overlap.py, Numba's test_dufunc.py and
test_gufunc.py look at, as cases of our own.

Each case is a function of the ufuncs and of `array`, called with NumPy's and with ours on a device's arrays: both give
the same type, shape and bytes, or both refuse, with an error of the same class."""
import sys

import numpy as np

import gpucc
from check import compare_cases

program, device = gpucc.load(sys.argv[1], name="functions"), sys.argv[2]


class Theirs:
    add, mul, subtract, negate, divide, largest = \
        np.add, np.multiply, np.subtract, np.negative, np.divide, np.maximum

    @staticmethod
    def array(values, dtype=None):
        return np.array(values, dtype)


class Ours:
    add, mul, subtract, negate, divide, largest = \
        program.add, program.mul, program.subtract, program.negate, program.divide, program.largest

    @staticmethod
    def array(values, dtype=None):
        return gpucc.asarray(np.array(values, dtype), device=device, copy=True)


def numbers(*shape, dtype="f8"):
    return np.arange(np.prod(shape, dtype=int), dtype=dtype).reshape(shape)


def changed(array, function, *arguments, **options):
    function(*arguments, **options)
    return array


class Temperature(float):
    """No plain number of Python's."""


def at(n, values, *arguments, name="add"):
    x = n.array(values)
    getattr(n, name).at(x, *arguments)
    return x


def into(n, method, out, *arguments, **options):
    out = n.array(out)
    method(*arguments, out=out, **options)
    return out


CASES = {
    # ---- calls: types, numbers, outputs, masks ----
    "numbers have no type": lambda n: n.add(n.array([1, 2], "f4"), 0.5),
    "numbers beside integers": lambda n: n.add(n.array([1, 2], "i4"), 2),
    "a real number beside integers": lambda n: n.add(n.array([1, 2], "i4"), 0.5),
    "a number too large": lambda n: n.add(n.array([1, 2], "i4"), 2**40),
    "numbers of a class of one's own have one": lambda n: n.add(n.array([1, 2], "f4"), Temperature(0.5)),
    "a whole number of more than 64 bits": lambda n: n.add(n.array([1, 2], "f4"), 2**70),
    "the same beside integers": lambda n: n.add(n.array([1, 2], "i4"), 2**70),
    "the same as initial": lambda n: n.add.reduce(n.array([1, 2], "f4"), initial=-2**70),
    "the same, at": lambda n: at(n, numbers(4, dtype="f4"), [1, 1], 2**70),
    "a number too small": lambda n: n.add(n.array([1, 2], "i4"), -2**31 - 1),
    "a typed number has one": lambda n: n.add(n.array([1, 2], "f4"), np.float64(0.5)),
    "mixed types": lambda n: n.add(n.array([1, 2], "i4"), n.array([1, 2], "f8")),
    "dtype": lambda n: n.add(n.array([1.5, 2]), n.array([1.5, 2]), dtype="f4", casting="same_kind"),
    "dtype by the safe rule": lambda n: n.add(n.array([1.5, 2]), n.array([1.5, 2]), dtype="f4", casting="safe"),
    "dtype by no rule": lambda n: n.add(n.array([1, 2], "i4"), n.array([1, 2], "i4"), dtype="f8", casting="no"),
    "casting that is none": lambda n: n.add(n.array([1.0]), 1, casting="wrong"),
    "an order that is none": lambda n: n.add(n.array([1.0]), 1, order="Q"),
    "an option that is none": lambda n: n.add(n.array([1.0]), 1, wrong=1),
    **{f"an option of gufuncs: {name}": lambda n, name=name, value=value: n.add(n.array([1.0]), 1, **{name: value})
       for name, value in (("axis", 0), ("axes", [0]), ("keepdims", False))},
    "an option of gufuncs, outer": lambda n: n.add.outer(n.array([1.0]), 1, axis=0),
    "an order in small letters": lambda n: n.add(n.array([1.0]), 1, order="f"),
    "an order that is no text": lambda n: n.add(n.array([1.0]), 1, order=1),
    "casting that is no text": lambda n: n.add(n.array([1.0]), 1, casting=1),
    **{f"the signature {s}": lambda n, s=s: n.add(n.array([1.0]), n.array([2.0]), signature=s)
       for s in ("dd->d", b"dd->d", "ff->f", "d", ("f8",), (None,), (None,) * 3, (np.float64, float, None), 5.0)},
    "a narrower output": lambda n: into(n, n.add, np.zeros(2, "f4"), n.array([1.5, 2]), 1.0),
    "an output of another kind": lambda n: into(n, n.add, np.zeros(2, "i4"), n.array([1.5, 2]), 1.0),
    "the same, unsafe": lambda n: into(n, n.add, np.zeros(2, "i4"), n.array([1.5, 2]), 1.0, casting="unsafe"),
    "an output to which inputs broadcast": lambda n: into(n, n.add, np.zeros((3, 2)), n.array([1.5, 2]), 1.0),
    "an output that would broadcast": lambda n: into(n, n.add, np.zeros(2), n.array(numbers(3, 2)), 1.0),
    "an output of too few dimensions": lambda n: into(n, n.add, np.zeros(()), n.array(numbers(3)), 1.0),
    "shapes that do not fit": lambda n: n.add(n.array(numbers(3)), n.array(numbers(4))),
    "no elements": lambda n: n.add(n.array(numbers(0, 3)), n.array(numbers(3))),
    "no elements and one": lambda n: n.add(n.array(numbers(0)), n.array(numbers(1))),
    "no elements and two": lambda n: n.add(n.array(numbers(0)), n.array(numbers(2))),
    "too few operands": lambda n: n.add(n.array([1.0])),
    "too many operands": lambda n: n.add(1, 2, n.array([0.0]), 4),
    "two outputs for one": lambda n: n.add(n.array([1.0]), 1, out=(n.array([0.0]), n.array([0.0]))),
    "outputs in an empty tuple": lambda n: n.add(n.array([1.0]), 1, out=()),
    "an output that is none": lambda n: n.add(n.array([1.0]), 1, out="x"),
    "an output said twice": lambda n: n.add(n.array([1.0]), 1, n.array([0.0]), out=n.array([0.0])),
    "a mask": lambda n: into(n, n.add, -np.ones(4), n.array(numbers(4)), 1, where=n.array([True, False, True, False])),
    "a mask that broadcasts": lambda n: into(n, n.add, -np.ones((2, 3)), n.array(numbers(2, 3)), 1,
                                             where=n.array([[True], [False]])),
    "a mask makes the shape": lambda n: into(n, n.add, -np.ones((2, 3)), n.array(numbers(3)), 1,
                                             where=n.array([[True], [False]])),
    "a mask that does not fit": lambda n:
        into(n, n.add, -np.ones(4), n.array(numbers(4)), 1, where=n.array([True] * 3)),
    "a mask that is no mask": lambda n: into(n, n.add, np.zeros(3), n.array(numbers(3)), 1, where=n.array([1, 0, 1])),
    "a mask of false": lambda n: into(n, n.add, -np.ones(3), n.array(numbers(3)), 1, where=False),
    "minus zero": lambda n: n.add(n.array([-0.0]), n.array([-0.0])),
    "outer": lambda n: n.subtract.outer(n.array(numbers(3)), n.array(numbers(2, 2))),
    "outer of numbers": lambda n: n.mul.outer(n.array(numbers(3)), 2.0),
    "bytes the other way round": lambda n: n.add(n.array(numbers(4), ">f8"), n.array(numbers(4, dtype="i4"), ">i4")),
    # ---- overlap ----
    "in place": lambda n: (lambda x: changed(x, n.add, x, x, out=x))(n.array(numbers(50))),
    "shifted": lambda n: (lambda x: changed(x, n.add, x[:-1], 1, out=x[1:]))(n.array(numbers(50))),
    "shifted back": lambda n: (lambda x: changed(x, n.add, x[1:], 1, out=x[:-1]))(n.array(numbers(50))),
    "reversed in place": lambda n: (lambda x: changed(x, n.add, x, x[::-1], out=x))(n.array(numbers(51))),
    "every second into the first": lambda n:
        (lambda x: changed(x, n.add, x[::2], x[1::2], out=x[:25]))(n.array(numbers(50))),
    "transposed in place": lambda n: (lambda x: changed(x, n.add, x, x.T, out=x))(n.array(numbers(7, 7))),
    "masked in place": lambda n:
        (lambda x: changed(x, n.add, x, 1, out=x, where=n.array([True, False] * 5)))(n.array(numbers(10))),
    "reduced into itself": lambda n: (lambda x: changed(x, n.add.reduce, x, 0, out=x[1]))(n.array(numbers(3, 4))),
    "accumulated in place": lambda n: (lambda x: changed(x, n.add.accumulate, x, out=x))(n.array(numbers(50))),
    "accumulated backwards": lambda n: (lambda x: changed(x, n.add.accumulate, x[::-1], out=x))(n.array(numbers(50))),
    # ---- reduce ----
    "sum": lambda n: n.add.reduce(n.array(numbers(5))),
    "sum of one axis of three": lambda n: n.add.reduce(n.array(numbers(2, 3, 4)), axis=1),
    "sum of the last axis": lambda n: n.add.reduce(n.array(numbers(2, 3, 4)), axis=-1),
    "sum of two axes": lambda n: n.add.reduce(n.array(numbers(2, 3, 4)), axis=(0, 2)),
    "sum of all axes": lambda n: n.add.reduce(n.array(numbers(2, 3, 4)), axis=None),
    "sum of no axes": lambda n: n.add.reduce(n.array(numbers(2, 3)), axis=()),
    "kept dimensions": lambda n: n.add.reduce(n.array(numbers(2, 3, 4)), axis=(0, 2), keepdims=True),
    "all kept": lambda n: n.add.reduce(n.array(numbers(2, 3)), axis=None, keepdims=True),
    "an axis out of range": lambda n: n.add.reduce(n.array(numbers(2, 3)), axis=2),
    "an axis below the range": lambda n: n.add.reduce(n.array(numbers(2, 3)), axis=-3),
    "an axis twice": lambda n: n.add.reduce(n.array(numbers(2, 3)), axis=(0, -2)),
    "several axes, not reorderable": lambda n: n.subtract.reduce(n.array(numbers(2, 3)), axis=(0, 1)),
    "a fold": lambda n: n.subtract.reduce(n.array(numbers(5))),
    "initial": lambda n: n.add.reduce(n.array(numbers(5)), initial=10),
    "initial too large": lambda n: n.add.reduce(n.array(numbers(5, dtype="i4")), dtype="i4", initial=2**40),
    **{f"initial {initial!r} of {dtype}": lambda n, dtype=dtype, initial=initial:
       n.add.reduce(n.array([1, 0, 2], dtype), dtype=dtype, initial=initial)
       for dtype in ("i4", "f4", "f8")
       for initial in (True, 7, -3, 2.5, np.float64(2.5), np.float32(-1.5), np.int8(-3), np.array(3), np.ones(1), 2**40)},
    "initial that is complex": lambda n: n.add.reduce(n.array([1.0, 2]), initial=2j),
    "initial of no elements": lambda n: n.largest.reduce(n.array(numbers(0)), initial=3.0),
    "no elements": lambda n: n.add.reduce(n.array(numbers(0))),
    "no elements of some outputs": lambda n: n.add.reduce(n.array(numbers(0, 3))),
    "no outputs": lambda n: n.add.reduce(n.array(numbers(0, 3)), axis=1),
    "no elements, no identity": lambda n: n.subtract.reduce(n.array(numbers(0, 3)), axis=0),
    "where": lambda n: n.add.reduce(n.array(numbers(2, 3)), axis=1, where=n.array([True, False, True])),
    "where and initial": lambda n: n.largest.reduce(n.array(numbers(2, 3)), axis=1, initial=-1.0,
                                                    where=n.array([[True, False, True], [False] * 3])),
    "where that does not fit": lambda n: n.add.reduce(n.array(numbers(2, 3)), axis=1, where=n.array([True, False])),
    "a type": lambda n: n.add.reduce(n.array([1.5, 2.5]), dtype="f4"),
    "a type of another kind": lambda n: n.add.reduce(n.array([1.5, 2.5, 4.0]), dtype="i4"),
    "an output's type": lambda n: into(n, n.add.reduce, np.zeros((), "f8"), n.array([2**24, 1, 1], "f4")),
    "an output of another kind": lambda n: into(n, n.add.reduce, np.zeros((), "i4"), n.array([1.5, 2.6])),
    "an output of the wrong shape": lambda n: into(n, n.add.reduce, np.zeros(4), n.array(numbers(3, 5))),
    "an output of too many dimensions": lambda n: into(n, n.add.reduce, np.zeros((1, 5)), n.array(numbers(3, 5))),
    "an output with strides": lambda n:
        (lambda x: changed(x, n.add.reduce, n.array(numbers(3, 5)), out=x[::2]))(n.array(numbers(10))),
    "one input only": lambda n: n.negate.reduce(n.array(numbers(3))),
    "a number": lambda n: n.add.reduce(n.array(3.0), axis=None),
    **{f"an output of shape {shape}{' and kept dimensions' * kept}": lambda n, shape=shape, kept=kept:
       into(n, n.add.reduce, np.zeros(shape), n.array(numbers(4, 3)), axis=0, keepdims=kept)
       for shape in ((), (1,), (3,), (1, 1), (1, 3), (4, 3)) for kept in (False, True)},
    "an output that would repeat": lambda n: into(n, n.add.reduce, np.zeros((3, 1)), n.array(numbers(1, 9)), axis=-1,
                                                  keepdims=True),
    **{f"folds of {shape} along {axis}": lambda n, shape=shape, axis=axis:
       n.subtract.reduce(n.array(numbers(*shape)), axis=axis)
       for shape in ((30, 0), (0, 30), (0, 0), (5, 0, 3), (0, 0, 3)) for axis in range(len(shape))},
    **{f"axis {axis!r}": lambda n, axis=axis: n.add.reduce(n.array(numbers(3, 3)), axis=axis)
       for axis in (1.0, "no", True, np.int8(1), np.array(1), (0, 1.5))},
    "kept dimensions that are no truth": lambda n: n.add.reduce(n.array(numbers(3, 3)), keepdims="no"),
    "an axis of a number": lambda n: n.add.reduce(n.array(3.0), axis=-1),
    "an axis of a number, in a tuple": lambda n: n.add.reduce(n.array(3.0), axis=(0,)),
    "two axes of a number": lambda n: n.add.reduce(n.array(3.0), axis=(0, 0)),
    "an axis that a number has not": lambda n: n.add.reduce(n.array(3.0), axis=1),
    "all axes of a fold of one": lambda n: n.subtract.reduce(n.array(numbers(5)), axis=None),
    "no axes, and initial": lambda n: n.add.reduce(n.array(numbers(2, 3)), axis=(), initial=10.0),
    "no axes, and where": lambda n: n.add.reduce(n.array(numbers(2, 3)), axis=(), where=n.array([True, False, True])),
    "an option that reductions have not": lambda n: n.add.reduce(n.array(numbers(3)), casting="unsafe"),
    "options by their places": lambda n: n.add.reduce(n.array(numbers(4, 3)), 0, "f4", None, True, 5, True),
    "an option too many": lambda n: n.add.reduce(n.array(numbers(4, 3)), 0, None, None, True, 5, True, 1),
    # ---- as in the examples of NumPy's pages ----
    **{f"{name}.reduce of a cube along {axis}": lambda n, name=name, axis=axis:
       getattr(n, name).reduce(n.array(numbers(2, 2, 2)), axis) for name in ("add", "mul") for axis in (0, 1, 2)},
    "a product in a wider type": lambda n: n.mul.reduce(n.array(numbers(3, 3, dtype="i4")), dtype="f8"),
    "a product in a wider type, and an output in another": lambda n:
        into(n, n.mul.reduce, np.zeros(3, "i4"), n.array(numbers(3, 3, dtype="i4")), dtype="f8"),
    "one element and initial": lambda n: n.add.reduce(n.array([10.0]), initial=5),
    "two axes of three and initial": lambda n: n.add.reduce(n.array(np.ones((2, 2, 2))), axis=(0, 2), initial=10),
    "what is a number": lambda n: n.add.reduce(n.array([10, np.nan, 10]), where=n.array([True, False, True])),
    "a maximum of some and initial": lambda n:
        n.largest.reduce(n.array([[1.0, 2], [3, 4]]), initial=-10.0, where=n.array([True, False])),
    **{f"{name}.accumulate of a unit matrix along {axis}": lambda n, name=name, axis=axis:
       getattr(n, name).accumulate(n.array(np.eye(2)), axis) for name in ("add", "mul") for axis in (0, 1)},
    "running sums in slices": lambda n: n.add.reduceat(n.array(numbers(8)), [0, 4, 1, 5, 2, 6, 3, 7])[::2],
    "slices of rows": lambda n: n.add.reduceat(n.array(numbers(4, 4)), [0, 3, 1, 2, 0]),
    "products of slices of columns": lambda n: n.mul.reduceat(n.array(numbers(4, 4)), [0, 3], 1),
    "outer sums with a number": lambda n: n.add.outer(n.array([1, 2], "f4"), 3),
    "outer sums with a real number": lambda n: n.add.outer(n.array([1, 2], "i4"), 0.5),
    "outer products": lambda n: n.mul.outer(n.array([[1.0, 2, 3], [4, 5, 6]]), n.array([[1.0, 2, 3, 4]])),
    "at, two cells and two values": lambda n: at(n, [1.0, 2, 3, 4], [0, 1], n.array([1.0, 2])),
    # ---- accumulate, reduceat ----
    **{f"{method} along {axis!r}": lambda n, method=method, axis=axis, more=more:
       getattr(n.add, method)(n.array(numbers(3, 3)), *more, axis=axis)
       for method, more in (("accumulate", ()), ("reduceat", ([0, 2],)))
       for axis in (None, (1,), (0, 1), (), [0], 1.0, True, np.int8(1))},
    "accumulated in another type": lambda n: n.add.accumulate(n.array([1.5, 2.5, 3.9]), dtype="i4"),
    "slices in another type": lambda n: n.add.reduceat(n.array([1.5, 2.5, 3.9]), [0, 2], dtype="i4"),
    "slices into the indices": lambda n: (lambda x: changed(x, n.add.reduceat, x, x[::-1], out=x))(
        n.array(numbers(100, dtype="i4"))),
    "accumulate": lambda n: n.add.accumulate(n.array(numbers(2, 3)), axis=1),
    "accumulate an axis out of range": lambda n: n.add.accumulate(n.array(numbers(2, 3)), axis=2),
    "accumulate a number": lambda n: n.add.accumulate(n.array(3.0)),
    "accumulate nothing": lambda n: n.add.accumulate(n.array(numbers(0, 3))),
    "accumulate into a wrong shape": lambda n: into(n, n.add.accumulate, np.zeros(4), n.array(numbers(5))),
    "reduceat": lambda n: n.add.reduceat(n.array(numbers(8)), [0, 4, 1, 5, 2, 6, 3, 7]),
    "reduceat an axis": lambda n: n.add.reduceat(n.array(numbers(4, 6)), [0, 3], axis=1),
    "reduceat beyond": lambda n: n.add.reduceat(n.array(numbers(8)), [0, 8]),
    "reduceat below": lambda n: n.add.reduceat(n.array(numbers(8)), [-1]),
    "reduceat of no indices": lambda n: n.add.reduceat(n.array(numbers(8)), np.zeros(0, "i8")),
    "reduceat into a wrong shape": lambda n: into(n, n.add.reduceat, np.zeros(3), n.array(numbers(8)), [0, 4]),
    "a fold's slices": lambda n: n.subtract.reduceat(n.array(numbers(8)), [0, 5, 2]),
    # ---- at ----
    "at": lambda n: at(n, numbers(10), [2, 5, 2], 1),
    "at, values": lambda n: at(n, numbers(10), [2, 5, 2], n.array([100.0, 200, 300])),
    "at, one input": lambda n: at(n, numbers(10), [2, 5, 3], name="negate"),
    "at without its operand": lambda n: at(n, numbers(10), [2, 5, 3]),
    "at with one too many": lambda n: at(n, numbers(10), [2, 5, 3], n.array([1.0, 2, 3]), name="negate"),
    "at, values that do not fit": lambda n: at(n, numbers(10), [2, 5, 3], n.array([1.0, 2])),
    "at, all": lambda n: at(n, numbers(5), slice(None), n.array(np.ones(5))),
    "at, every second backwards": lambda n: at(n, numbers(6), slice(None, None, -2), n.array(numbers(3))),
    "at, from the end": lambda n: at(n, numbers(10), [-1, 1, -1, 2], n.array([1.0, 5, 2, 10]), name="subtract"),
    "at, beyond": lambda n: at(n, numbers(10), [10], 1),
    "at, below": lambda n: at(n, numbers(10), [-11], 1),
    "at, many": lambda n: at(n, np.zeros(1), np.zeros(8195, "i2"), n.array(numbers(8195))),
    "at, small indices": lambda n: at(n, np.zeros(10), np.zeros(100000, "u1"), 1.0),
    "at, pairs": lambda n: at(n, np.zeros(1000), np.repeat(np.arange(1000), 2), n.array(1.0)),
    "at, rows": lambda n: at(n, numbers(3, 3), [1, 2, 1], n.array([100.0, 200, 300])),
    "at, one row": lambda n: at(n, numbers(3, 3), 1, n.array([100.0, 200, 300])),
    "at, indices of two dimensions": lambda n: at(n, numbers(4, 2), [[0, 1], [1, 3]], 1.0),
    "at, a mask": lambda n: at(n, numbers(10), np.arange(10) % 2 == 0, 1.0),
    "at, no room": lambda n: at(n, numbers(4, 0), [0, 1], 3.0),
    "at, no indices": lambda n: at(n, numbers(4), np.zeros(0, "i8"), 3.0),
    "at, indices that are none": lambda n: at(n, numbers(4), [0.5], 3.0),
    "at, another type": lambda n: at(n, numbers(4, dtype="f4"), [1, 1], 0.5),
    "at, of what does not become the cells'": lambda n: at(n, numbers(4, dtype="i4"), [1, 1], 0.5),
    "at a number": lambda n: at(n, 3.0, 0, 1.0),
    "at a number, its only element": lambda n: at(n, 3.0, (), 1.0),
    "at a number, no indices": lambda n: at(n, 3.0, [], 1.0),
    **{f"at, of a cube {index}": lambda n, index=index, by=by: at(n, numbers(3, 3, 3), index, n.array(by))
       for index, by in (((slice(None), [1, 2, 1]), numbers(3, 3)), ((slice(None), slice(None), [1, 2, 1]), numbers(3)),
                         (([1, 2, 1], slice(None)), numbers(3, 3)), ((slice(None), [1, 2, 1], slice(None)), numbers(3)),
                         ((0, [1, 2, 1]), numbers(3, 3)), (([1, 2, 1], 0, slice(None)), numbers(3)),
                         (([0, 1, 0], [2, 2, 2]), numbers(3)), ((..., -1), numbers(3)), (..., 1.0), (None, 1.0),
                         ((1, 2, 0), 1.0), ((3, 0), 1.0), ((0,) * 4, 1.0), (([0, 1], [0, 1, 2]), 1.0),
                         ((slice(None),) * 3, numbers(3)))},
    "at, a mask of two dimensions": lambda n: at(n, numbers(2, 3), numbers(2, 3) % 2 == 0, n.array(numbers(3))),
    "at, indices that are the cells": lambda n: (lambda x: changed(x, n.add.at, x, x, 1))(n.array(numbers(9, dtype="i4"))),
    "at, cells that are the operand's": lambda n:
        (lambda x: changed(x, n.add.at, x, np.arange(0, 10, 2), x[3:8]))(n.array(numbers(10))),
}
if device == "cpu":
    CASES["a mask of numbers in a list"] = lambda n: into(n, n.add, -np.ones((2, 2)), n.array(numbers(2, 2)), 1,
                                                          where=[[0, 1], [1, 0]])
    CASES["a reduction's mask of numbers in a list"] = lambda n: n.add.reduce(n.array(numbers(2, 3)), axis=1, where=[1, 0, 1])
# To NumPy a TypeError, where gpucc has no such axis.
CASES.pop("accumulate a number")
# NumPy 1 may end with a fault in the first two, and lets values decide in the others.
if int(np.__version__.split(".")[0]) < 2:
    for what in ("at without its operand", "at with one too many", "a number too large", "a number too small",
                 "initial too large", f"initial {2**40!r} of i4", "a whole number of more than 64 bits",
                 "the same beside integers", "the same as initial", "the same, at",
                 "a real number beside integers", "a typed number has one", "numbers of a class of one's own have one",
                 "the signature d", "the signature ('f8',)"):
        del CASES[what]


compare_cases(CASES, Theirs, Ours)
