"""reduce.py LIBRARY PROGRAM DEVICES SEED COUNT: reductions of random arrays, compared byte by byte.

PROGRAM is reduce.c as a shared object; DEVICES are like cpu:1,cpu:4,cuda, the CPU with so many threads or a GPU.  Each
case is computed on all of them and by a model in NumPy: the fixed tree, or a fold from the left; where the order cannot
show, NumPy's own reduce has to give the same."""
import ctypes
import sys

import numpy as np

from bfloat16 import BFLOAT16, can_cast
from cases import fail, run, log_case
from host import (CODES, DTYPES, Refused, alike, check, check_order, convert, described, library, placed, pointer,
                  random_values, random_view, same, whole)
from operators import EXACT, FOLDS, MODEL, ORDERED, TYPES, fold, model_of, random_elements, random_shape, tree

ALL_AXES = -1


class ReduceOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("stream", pointer), ("axes", ctypes.POINTER(whole)), ("axis_count", whole),
                ("keepdims", whole), ("initial", pointer), ("dtype", ctypes.POINTER(whole)), ("where", pointer)]


def reduce(device, name, base, view, axes, keepdims=False, initial=None, dtype=None, out=None, where=None):
    """`out` and `where`: None, or (base, view); with `out` the result is the whole base."""
    options, ufunc, result = ReduceOptions(ctypes.sizeof(ReduceOptions)), device.ufunc(name), pointer()
    if axes == "all":
        options.axis_count = ALL_AXES
    elif axes is not None:
        options.axes, options.axis_count = (whole * max(len(axes), 1))(*axes), len(axes)
    options.keepdims = keepdims
    first = pointer()
    if initial is not None:
        check(library.gpucc_array_scalar(device.context, CODES[initial.dtype],
                                         np.asarray(initial).ctypes.data_as(pointer), ctypes.byref(first)))
        options.initial = first
    if dtype is not None:
        options.dtype = ctypes.pointer(whole(CODES[np.dtype(dtype)]))
    made = list(device.array(base, view))
    if where is not None:
        made += device.array(*where)
        options.where = made[3]
    if out is not None:
        if out[0] is base:
            result = device.view(made[0], base, out[1])
            made.append(made[0])
        else:
            whole_out, result = device.array(*out)
            made.append(whole_out)
    try:
        check(library.gpucc_ufunc_reduce(ufunc, made[1], ctypes.byref(result), ctypes.byref(options)))
        if out is None:
            reduced, all_axes = axes_of(axes, view.ndim), list(range(view.ndim))
            masks = [] if where is None else [(where[1], all_axes[view.ndim - where[1].ndim:])]
            check_order(result, [(view, all_axes)] + masks, [d for d in all_axes if d not in reduced], keepdims)
        return device.read(result if out is None else made[-1])
    finally:
        device.check_inputs(*([] if out is None else [made[-1]]))
        for array in {a.value for a in made + [result, first] if a.value}:
            library.gpucc_array_release(array)


# ---- the model ----

def axes_of(axes, ndim):
    axes = range(ndim) if axes == "all" else (0,) if axes is None else axes
    return sorted(a % ndim for a in axes) if ndim else []


def model(name, x, axes, keepdims, initial, identity, where=None):
    axes = axes_of(axes, x.ndim)
    kept = [d for d in range(x.ndim) if d not in axes]
    length = int(np.prod([x.shape[d] for d in axes], dtype=int))
    rows = x.transpose(kept + axes).reshape([x.shape[d] for d in kept] + [length])
    op = model_of(name, x.dtype)
    if where is not None:
        rows_of = np.broadcast_to(where, x.shape).transpose(kept + axes).reshape(rows.shape)
        result = masked(op, rows, rows_of, name in FOLDS, initial, identity)
    elif rows.shape[-1] == 0:
        result = np.full(rows.shape[:-1], identity if initial is None else initial, x.dtype)
    elif name in FOLDS:
        result = fold(op, rows, initial)
    else:
        result = tree(op, rows)
        result = result if initial is None else op(np.broadcast_to(initial, result.shape), result)
    return np.asarray(result).reshape([1 if d in axes else x.shape[d] for d in range(x.ndim)]) if keepdims else result


def masked(op, rows, where, folds, initial, identity):
    """One output after another: of a pair of which one is masked out the other is left."""
    result = np.empty(rows.shape[:-1], rows.dtype)
    for index in np.ndindex(*result.shape):
        row = [x if is_there else None for x, is_there in zip(rows[index], where[index])]
        if folds:
            row = [x for x in [initial] + row if x is not None]
            made = row[0] if row else None
            for x in row[1:]:
                made = op(made, x)
        else:
            while len(row) > 1:
                row.append(None) if len(row) % 2 else None
                row = [b if a is None else a if b is None else op(a, b) for a, b in zip(row[::2], row[1::2])]
            made = row[0] if row else None
            made = made if initial is None or made is None else op(initial, made)
        result[index] = made if made is not None else identity if initial is None else initial
    return result


def loop_type(name, given, out):
    """NumPy's: the type of the output that is given counts as an operand's, if there is such a loop."""
    loops = [np.dtype(t) for t in TYPES.get(name, ORDERED)]
    both = [t for t in loops if given == out == t] or \
        [t for t in loops if can_cast(given, t, "safe") and can_cast(out, t, "safe")]
    return both[0] if both else given


# ---- random cases ----

def random_axes(random, ndim, several):
    part = random.part()
    kind = part.number(4)
    if kind == 0:
        return None
    if several and kind == 1:
        return "all"
    if ndim == 0:
        return [[], [0], [-1]][part.number(3)]
    count = part.number(ndim + 1) if several else 1
    return [d - (ndim if part.number(2) else 0) for d in part.permutation(ndim)[:count]]


def random_mask(random, x):
    """Some dimensions of one element, some not there, and mostly true, mostly false or half and half."""
    part = random.part()
    shape = [1 if d.one_in(5) else n for d, n in zip(part.parts(x.ndim), x.shape)]
    shape = shape[part.number(9) if part.one_in(3) else 0:]
    share = part.choice([0, 0.03, 0.5, 0.97, 1])
    return random_view(part, lambda p, n: p.values().random(n) < share, shape)


def random_rows(random, values):
    """Rows enough for a small GPU, and where they begin, often, and how long they are, a multiple of 16 bytes."""
    part = random.part()
    length = part.choice([2 + part.number(38), 40 + part.number(660)])
    if part.number(2):
        length = (length + 7) // 8 * 8
    rows = part.integers(1, 5) * max(64, 9000 // length)
    first = part.number(2)
    base = values(part, first + rows * length)
    return base, base[first:].reshape(rows, length)


class Case:
    """A reduction: of what, and how."""

    def __init__(self, random):
        self.name = random.choice(list(MODEL) + ["wave", "slow_fold"])
        self.dtype = np.dtype(random.choice(TYPES.get(self.name, ORDERED)))
        self.base, self.x = self.random_array(random)
        x = self.x
        self.axes = random_axes(random, x.ndim, self.name not in FOLDS)
        self.keepdims = bool(random.number(2))
        self.initial = random_elements(random.part(), self.name, self.dtype, 1)[0] if random.one_in(3) else None
        self.where = random_mask(random, x) if x.size < 20000 and random.one_in(3) else None
        self.identity = {"add": 0, "either": 0, "any": 0, "mix": 1, "subtract": 0}.get(self.name)

    def random_array(self, random):
        def values(part, n):
            return random_elements(part, self.name, self.dtype, n)

        shape = random_shape(random)
        if random.one_in(1500):  # of so many rows some go one after another
            shape = [random.integers(17000, 20000), random.integers(17, 33)]
        return random_rows(random, values) if random.one_in(60) else random_view(random, values, shape)

    def __str__(self):
        said = "".join(f" {name}={value}" for name, value in (
            ("axes", self.axes), ("initial", self.initial),
            ("where", self.where and f"{described(self.where[1])}, {int(self.where[1].sum())} true"))
            if value is not None)
        return f"{self.name}({described(self.x)}){said}" + " keepdims" * self.keepdims

    def needs_first(self):
        """Whether outputs, if there are any, have no elements for sure, or may have none."""
        return 0 in [self.x.shape[d] for d in axes_of(self.axes, self.x.ndim)] or self.where is not None

    def is_refused(self):
        return self.needs_first() and self.identity is None and self.initial is None

    def reduce(self, device, **how):
        return reduce(device, self.name, self.base, self.x, self.axes, self.keepdims, self.initial, where=self.where,
                      **how)

    def model(self, dtype):
        """By the loop of this type."""
        initial = self.initial if self.initial is None else convert(self.initial, dtype)
        with np.errstate(all="ignore"):
            return np.asarray(model(self.name, convert(self.x, dtype), self.axes, self.keepdims, initial, self.identity,
                                    self.where and self.where[1]))


def random_case(random, devices):
    case, results = Case(random), []
    log_case(case)
    for device in devices:
        try:
            results.append(case.reduce(device))
        except Refused as error:
            if not case.is_refused():
                fail(f"{case} on {device.name}", "is refused", str(error))
    if case.is_refused():
        if results:
            fail(case, "is not refused")
        return
    expected = case.model(case.dtype) if case.name in MODEL else np.asarray(results[0])
    for device, result in zip(devices, results):
        if not same(result, expected):
            fail(f"{case} on {device.name}", "another result", result, "is not", expected)
    check_numpy(case, expected)
    random_output(random.part(), devices, case, expected)
    to = np.dtype(random.choice(TYPES.get(case.name, ORDERED)))
    if to != case.dtype and case.name in MODEL and (case.initial is None or can_cast(case.dtype, to, "same_kind")):
        expected = case.model(to)  # what is asked for is made of whatever is given, as by NumPy's reductions
        for device in devices:
            result = case.reduce(device, dtype=to)
            if not alike(result, expected):
                fail(f"{case} dtype={to} on {device.name}", "another result of that type", result, "is not", expected)
    if case.name in MODEL:
        converted_output(random.part(), devices, case)


def check_numpy(case, expected):
    name, x = case.name, case.x
    if name not in EXACT or case.dtype.kind not in "biu" or not x.ndim or case.needs_first() and case.identity is None:
        return
    start = {} if case.initial is None else {"initial": case.initial}
    if case.where is not None:
        start = {"initial": case.identity, **start, "where": case.where[1]}
    axis = None if case.axes == "all" else 0 if case.axes is None else tuple(case.axes)
    if not np.prod([x.shape[d] for d in axes_of(case.axes, x.ndim)], dtype=int):
        return
    theirs = EXACT[name].reduce(x, axis, dtype=case.dtype, keepdims=case.keepdims, **start)
    if not same(np.asarray(theirs), expected):
        fail(case, "NumPy has another result than the model", theirs, "is not", expected)


def random_output(random, devices, case, expected):
    """Into an array with strides, whose gaps stay as they were; or over the input itself."""
    inside = random.one_in(3) and expected.size <= case.x.size and case.dtype == expected.dtype
    wide = {"i": "i8", "u": "u8", "f": "f4", "c": "c16", "b": "i4", "V": "f4"}[expected.dtype.kind]
    to = np.dtype(random.choice([expected.dtype, wide]))
    if inside:
        to, target = case.dtype, case.base
        at = random.number(target.size - expected.size + 1)
        view = target[at : at + expected.size].reshape(expected.shape)
    else:
        target, view = random_view(random, lambda part, n: random_values(part, to, n), list(expected.shape))
    wanted, place = placed(target, view)
    loop = loop_type(case.name, case.dtype, to)
    with np.errstate(all="ignore"):
        place[...] = convert(case.model(loop) if loop != case.dtype else expected, to)
    for device in devices:
        result = case.reduce(device, out=(target, view))
        if not alike(result, wanted):
            fail(f"{case} into {described(view)}{' within' * inside} on {device.name}", "another result in an output",
                 result, "is not", wanted)


def converted_output(random, devices, case):
    """Into an array of any type, by a loop that is asked for."""
    to = np.dtype(random.choice(DTYPES))
    expected = case.model(case.dtype)
    target, view = random_view(random, lambda part, n: random_values(part, to, n), list(expected.shape))
    wanted, place = placed(target, view)
    place[...] = convert(expected, to)
    for device in devices:
        result = case.reduce(device, dtype=case.dtype, out=(target, view))
        if not alike(result, wanted):
            fail(f"{case} into {described(view)} on {device.name}", "another result in an output of another type",
                 result, "is not", wanted)


def types(devices):
    """dtype, and an output's type, as NumPy has them: exact numbers, whose order does not show."""
    loops = [np.dtype(t) for t in TYPES["add"] if t != BFLOAT16]
    for given in ["i1", "i2", "i8", "f4", "f8", "u1"]:
        x = np.array([[113, 101, 104], [101, 105, 109]]).astype(given)
        for to in loops:
            with np.errstate(all="ignore"):
                wanted = np.add.reduce(x, 1, dtype=to)
            for device in devices:
                result = reduce(device, "add", x, x, [1], dtype=to)
                assert same(result, wanted), (given, to, device.name, result, wanted)
        for to in ["i1", "i8", "f4", "f8", "c16", "u1", "i4"]:
            if np.result_type(given, to) not in loops or np.result_type(given, to) != to:
                continue # NumPy has another loop, or another way to convert what does not fit
            out = np.zeros(2, to)
            np.add.reduce(x, 1, out=out)
            for device in devices:
                target = np.zeros(2, to)
                result = reduce(device, "add", x, x, [1], out=(target, target))
                assert same(result, out), (given, to, device.name, result, out)


if __name__ == "__main__":
    run(random_case, types)
