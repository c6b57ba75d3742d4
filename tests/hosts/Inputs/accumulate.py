"""accumulate.py LIBRARY PROGRAM DEVICES SEED COUNT: accumulations of random arrays, compared byte by byte.

PROGRAM is reduce.c as a shared object.  Each case is computed on all devices and by a model in NumPy, the fixed tree or
a fold from the left; where the order cannot show, NumPy's own accumulate has to give the same."""
import ctypes
import sys

import numpy as np

from cases import fail, run, log_case
from host import (CODES, DTYPES, Refused, alike, check, check_order, convert, described, library, placed, pointer,
                  random_values, random_view, same, whole)
from operators import (EXACT, FOLDS, MODEL, ORDERED, TYPES, fold, fold_scan, model_of, random_elements, random_shape,
                       scan, tree)


class AccumulateOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("stream", pointer), ("axis", whole), ("dtype", ctypes.POINTER(whole))]


def accumulate(device, name, base, view, axis, dtype=None, out=None):
    """out: None, or (base, view), where base may be the input's; then the result is the whole base."""
    options, ufunc, result = AccumulateOptions(ctypes.sizeof(AccumulateOptions)), device.ufunc(name), pointer()
    options.axis = axis
    if dtype is not None:
        options.dtype = ctypes.pointer(whole(CODES[np.dtype(dtype)]))
    made = list(device.array(base, view))
    if out is not None:
        made.append(made[0] if out[0] is base else device.array(*out)[0])
        result = device.view(made[-1], *out)
    try:
        check(library.gpucc_ufunc_accumulate(ufunc, made[1], ctypes.byref(result), ctypes.byref(options)))
        if out is None:
            check_order(result, [(view, list(range(view.ndim)))], list(range(view.ndim)))
        return device.read(result if out is None else made[-1])
    finally:
        device.check_inputs(*([] if out is None else [made[-1]]))
        for array in {a.value for a in made + [result] if a.value}:
            library.gpucc_array_release(array)


def model(name, x, axis):
    rows = np.moveaxis(x, axis, -1)
    result = (fold_scan if name in FOLDS else scan)(model_of(name, x.dtype), rows)
    return np.ascontiguousarray(np.moveaxis(result, -1, axis))


def aligned_runs(count):
    """Returns begin and end of the runs whose lengths are the bits of count, the longest first."""
    ends = [count >> bit << bit for bit in reversed(range(count.bit_length())) if count >> bit & 1]
    return zip([0, *ends], ends)


def check_beginning(random, name, x, axis, expected, what):
    """One of the results is what the totals of the aligned runs up to it, reductions all, are folded to."""
    if x.size == 0:
        return
    r, op = random.number(x.shape[axis]), model_of(name, x.dtype)
    rows = np.moveaxis(x, axis, -1)[..., : r + 1]
    if name not in FOLDS:
        rows = np.stack([tree(op, rows[..., begin:end]) for begin, end in aligned_runs(r + 1)], -1)
    if not same(np.asarray(fold(op, rows, None)), np.asarray(np.take(expected, r, axis))):
        fail(f"{what}, result {r} of the model", "is not what its runs make")


def random_case(random, devices):
    name = random.choice(list(MODEL) + ["wave", "slow_fold"])
    dtype = np.dtype(random.choice(TYPES.get(name, ORDERED)))
    shape = random_shape(random)
    if random.one_in(12):  # so long that one pass does it on a GPU
        shape = [*shape[:1 if shape and shape[0] < 8 else 0], 4000 + random.number(20000)]
    if name in FOLDS and len(shape) == 1:
        shape = [min(shape[0], 20000)]
    base, x = random_view(random, lambda part, n: random_elements(part, name, dtype, n), shape,
                          random.choice([3, 3, 16]))
    axis = random.integers(-len(shape), len(shape)) if shape else 0
    what, results = f"{name}({described(x)}) axis={axis}", []
    log_case(what)
    for device in devices:
        try:
            results.append(accumulate(device, name, base, x, axis))
        except Refused as error:
            if x.ndim:
                fail(f"{what} on {device.name}", "is refused", str(error))
    if not x.ndim:
        if results:
            fail(what, "is not refused")
        return
    with np.errstate(all="ignore"):
        expected = model(name, x, axis) if name in MODEL else results[0]
        if name in MODEL:
            check_beginning(random.part(), name, x, axis, expected, what)
    for device, result in zip(devices, results):
        if not same(result, expected):
            fail(f"{what} on {device.name}", "another result", result, "is not", expected)
    if name in EXACT and dtype.kind in "biu" and not same(EXACT[name].accumulate(x, axis, dtype=dtype), expected):
        fail(what, "NumPy has not what the model has")
    random_output(random.part(), devices, name, base, x, axis, expected, what)


def random_output(random, devices, name, base, x, axis, expected, what):
    """Into an array with strides, of any type, whose gaps stay as they were; over the input; or beside it in its
    memory."""
    kind, dtype = random.choice(["apart", "in place", "within", "converted"]), None
    if kind == "in place":
        target, view = base, x
    elif kind == "within":
        at = random.number(base.size - x.size + 1)
        target, view = base, base[at : at + x.size].reshape(x.shape)
    else:
        to = np.dtype(random.choice(DTYPES)) if kind == "converted" else x.dtype
        dtype = x.dtype if kind == "converted" else None
        target, view = random_view(random, lambda part, n: random_values(part, to, n), list(x.shape),
                                   random.choice([3, 3, 16]))
    wanted, place = placed(target, view)
    place[...] = convert(expected, view.dtype)
    for device in devices:
        result = accumulate(device, name, base, x, axis, dtype=dtype, out=(target, view))
        if not (alike if dtype else same)(result, wanted):
            fail(f"{what} {kind} {described(view)} on {device.name}", "another result in an output", result, "is not",
                 wanted)


def types(devices):
    """dtype, and an output's type, as NumPy has them: exact numbers, whose order does not show."""
    loops = {"i1", "i8", "f2", "f4", "c8", "c16"}
    for given in ["i1", "i2", "i8", "f4", "f8", "u1"]:
        x = np.array([[3, 1, 4], [1, 5, 9]], given)
        for to in ["i1", "i8", "f4", "f8", "c16", "u1", "i4"]:
            out = np.zeros((2, 3), to)
            both = np.result_type(given, to)
            if to in loops:
                with np.errstate(all="ignore"):
                    wanted = np.add.accumulate(x, 1, dtype=to)
                for device in devices:
                    result = accumulate(device, "add", x, x, 1, dtype=to)
                    assert same(result, wanted), (given, to, device.name, result, wanted)
            if both in [np.dtype(t) for t in loops]:
                np.add.accumulate(x, 1, out=out)
                for device in devices:
                    target = np.zeros((2, 3), to)
                    result = accumulate(device, "add", x, x, 1, out=(target, target))
                    assert same(result.reshape(out.shape), out), (given, to, device.name, result, out)


run(random_case, types)
