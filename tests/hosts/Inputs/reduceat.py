"""reduceat.py LIBRARY PROGRAM DEVICES SEED COUNT: reductions of slices of random arrays, compared byte by byte.

PROGRAM is reduce.c as a shared object.  Each case is computed on all devices and by a model in NumPy, whose slices are
reduced in the fixed tree or from the left; where the order cannot show, NumPy's own reduceat has to give the same."""
import ctypes
import sys

import numpy as np

from host import CODES, Refused, check, library, pointer, random_values, random_view, run, same, whole
from operators import EXACT, FOLDS, MODEL, ORDERED, TYPES, fold, random_shape, tree


class ReduceatOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("stream", pointer), ("axis", whole), ("dtype", ctypes.POINTER(whole))]


def reduceat(device, name, base, view, indices, axis, out=None):
    """out: None, or (base, view), where base may be the input's; then the result is the whole base."""
    options, ufunc, result = ReduceatOptions(ctypes.sizeof(ReduceatOptions)), device.ufunc(name), pointer()
    options.axis = axis
    made = list(device.array(base, view)) + list(device.array(*indices))
    if out is not None:
        made.append(made[0] if out[0] is base else device.array(*out)[0])
        result = device.view(made[-1], *out)
    try:
        check(library.gpucc_ufunc_reduceat(ufunc, made[1], made[3], ctypes.byref(result), ctypes.byref(options)))
        return device.read(result if out is None else made[-1])
    finally:
        for array in {a.value for a in made + [result] if a.value}:
            library.gpucc_array_release(array)


def model(name, x, indices, axis):
    rows = np.moveaxis(x, axis, -1)
    out = np.empty(rows.shape[:-1] + (len(indices),), x.dtype)
    for k, begin in enumerate(int(i) for i in indices):
        end = int(indices[k + 1]) if k + 1 < len(indices) else rows.shape[-1]
        part = rows[..., begin : max(end, begin + 1)]
        out[..., k] = fold(MODEL[name], part, None) if name in FOLDS else tree(MODEL[name], part)
    return np.ascontiguousarray(np.moveaxis(out, -1, axis))


def random_indices(random, length):
    count = int(random.choice([0, 1, 2, random.integers(0, 9), random.integers(0, 300)])) if length else 0
    kind = random.choice(["any", "rising", "near", "even"])
    if kind == "near":  # short slices, some of them backwards
        indices = np.arange(count) * 3 + random.integers(-3, 4, count)
        indices = np.clip(indices, 0, max(length - 1, 0))
    elif kind == "even":  # slices as long as one another, but for a few
        indices = np.arange(0, length, int(random.integers(1, 40)))[:count]
        count = len(indices)
        indices[random.integers(0, max(count, 1), min(count, int(random.integers(0, 3))))] //= 2
    else:
        indices = random.integers(0, max(length, 1), count)
    if kind == "rising":
        indices = np.sort(indices)
    fitting = [t for t in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8") if length - 1 <= np.iinfo(t).max]
    dtype = str(random.choice(fitting))
    return random_view(random, lambda n: random.integers(0, 99, n).astype(dtype), [count]), indices.astype(dtype)


def random_case(random, devices):
    name = str(random.choice(list(MODEL)))
    dtype = np.dtype(str(random.choice(TYPES.get(name, ORDERED))))
    shape = random_shape(random)
    if name in FOLDS and len(shape) == 1:
        shape = [min(shape[0], 20000)]
    base, x = random_view(random, lambda n: random_values(random, dtype, n), shape)
    axis = int(random.integers(-len(shape), len(shape))) if shape else 0
    length = shape[axis] if shape else 1
    (index_base, index_view), indices = random_indices(random, length)
    index_view[...] = indices
    wrong = int(random.integers(8)) == 0 and len(indices) > 0
    if wrong:
        index_view[int(random.integers(len(indices)))] = length if length <= np.iinfo(indices.dtype).max else -1
        wrong = not all(0 <= int(i) < length for i in index_view)
    indices = index_view.copy()
    what = f"{name} {dtype} {x.shape} {x.strides} axis={axis} {indices!r}"
    results = []
    for device in devices:
        try:
            results.append(reduceat(device, name, base, x, (index_base, index_view), axis))
        except Refused as error:
            if x.ndim and not wrong:
                sys.exit(f"{what}: {error}")
    if wrong or not x.ndim:
        if results:
            sys.exit(f"{what}: not refused")
        return
    with np.errstate(all="ignore"):
        expected = model(name, x, indices, axis)
    for device, result in zip(devices, results):
        if not same(result, expected):
            sys.exit(f"{what} on {device.name}:\n{result!r}\nis not\n{expected!r}")
    if name in EXACT and dtype.kind in "biu":
        theirs = EXACT[name].reduceat(x, indices.astype(int), axis, dtype=dtype)
        if not same(theirs, expected):
            sys.exit(f"{what}: NumPy has not what the model has")
    random_output(random, devices, name, base, x, (index_base, index_view), axis, expected, what)


def random_output(random, devices, name, base, x, indices, axis, expected, what):
    """Into an array with strides, whose gaps stay as they were; or into the input's memory."""
    if random.integers(2) and expected.size <= base.size:
        at = int(random.integers(0, base.size - expected.size + 1))
        target, view = base, base[at : at + expected.size].reshape(expected.shape)
    else:
        target, view = random_view(random, lambda n: random_values(random, x.dtype, n), list(expected.shape))
    wanted = target.copy()
    place = np.ndarray(view.shape, wanted.dtype, wanted, view.ctypes.data - target.ctypes.data if view.size else 0,
                       view.strides)
    place[...] = expected
    for device in devices:
        result = reduceat(device, name, base, x, indices, axis, out=(target, view))
        if not same(result, wanted):
            sys.exit(f"{what} {view.strides} on {device.name}:\n{result!r}\nis not\n{wanted!r}")


run(random_case)
