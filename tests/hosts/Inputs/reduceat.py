"""reduceat.py LIBRARY PROGRAM DEVICES SEED COUNT: reductions of slices of random arrays, compared byte by byte.

PROGRAM is reduce.c as a shared object.  Each case is computed on all devices and by a model in NumPy, whose slices are
reduced in the fixed tree or from the left; where the order cannot show, NumPy's own reduceat has to give the same."""
import ctypes

import numpy as np

from cases import fail, run, log_case
from host import (CODES, DTYPES, Refused, alike, check, check_order, convert, described, library, placed, pointer,
                  random_values, random_view, same, whole)
from operators import EXACT, FOLDS, MODEL, ORDERED, TYPES, fold, model_of, random_elements, random_shape, tree


class ReduceatOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("stream", pointer), ("axis", whole), ("dtype", ctypes.POINTER(whole))]


def reduceat(device, name, base, view, indices, axis, out=None, dtype=None):
    """out: None, or (base, view), where base may be the input's; then the result is the whole base."""
    options, ufunc, result = ReduceatOptions(ctypes.sizeof(ReduceatOptions)), device.ufunc(name), pointer()
    options.axis = axis
    if dtype is not None:
        options.dtype = ctypes.pointer(whole(CODES[np.dtype(dtype)]))
    made = list(device.array(base, view)) + list(device.array(*indices))
    if out is not None:
        made.append(made[0] if out[0] is base else device.array(*out)[0])
        result = device.view(made[-1], *out)
    try:
        check(library.gpucc_ufunc_reduceat(ufunc, made[1], made[3], ctypes.byref(result), ctypes.byref(options)))
        if out is None:
            along = axis % view.ndim
            others = [-1 if d == along else d for d in range(view.ndim)]
            check_order(result, [(view, others), (indices[1], [along])], list(range(view.ndim)))
        return device.read(result if out is None else made[-1])
    finally:
        device.check_inputs(*([] if out is None else [made[-1]]))
        for array in {a.value for a in made + [result] if a.value}:
            library.gpucc_array_release(array)


def model(name, x, indices, axis):
    rows = np.moveaxis(x, axis, -1)
    out, op = np.empty(rows.shape[:-1] + (len(indices),), x.dtype), model_of(name, x.dtype)
    for k, begin in enumerate(int(i) for i in indices):
        end = int(indices[k + 1]) if k + 1 < len(indices) else rows.shape[-1]
        part = rows[..., begin : max(end, begin + 1)]
        out[..., k] = fold(op, part, None) if name in FOLDS else tree(op, part)
    return np.ascontiguousarray(np.moveaxis(out, -1, axis))


def random_indices(random, length):
    """In an array with strides."""
    part = random.part()
    count = part.choice([1, 2, 0, part.number(9), part.number(300)]) if length else 0
    kind, values = part.choice(["any", "rising", "near", "even"]), part.values()
    if kind == "near":  # short slices, some of them backwards
        indices = np.clip(np.arange(count) * 3 + values.integers(-3, 4, count), 0, max(length - 1, 0))
    elif kind == "even":  # slices as long as one another, but for a few
        indices = np.arange(0, length, 1 + part.number(39))[:count]
        indices[values.integers(0, max(len(indices), 1), min(len(indices), part.number(3)))] //= 2
    else:
        indices = values.integers(0, max(length, 1), count)
    if kind == "rising":
        indices = np.sort(indices)
    fitting = [t for t in ("i8", "i1", "u1", "i2", "u2", "i4", "u4", "u8") if length - 1 <= np.iinfo(t).max]
    dtype = part.choice(fitting)
    base, view = random_view(part, lambda p, n: p.values().integers(0, 99, n).astype(dtype), [len(indices)])
    view[...] = indices
    return base, view


def make_wrong(random, indices, length):
    """One index beyond the end, now and then."""
    if not random.one_in(8) or not len(indices):
        return False
    indices[random.number(len(indices))] = length if length <= np.iinfo(indices.dtype).max else -1
    return not all(0 <= int(i) < length for i in indices)


def random_case(random, devices):
    name = random.choice(list(MODEL))
    dtype = np.dtype(random.choice(TYPES.get(name, ORDERED)))
    shape = random_shape(random)
    if name in FOLDS and len(shape) == 1:
        shape = [min(shape[0], 20000)]
    base, x = random_view(random, lambda part, n: random_elements(part, name, dtype, n), shape)
    axis = random.integers(-len(shape), len(shape)) if shape else 0
    length = shape[axis] if shape else 1
    index_base, indices = random_indices(random, length)
    wrong = make_wrong(random.part(), indices, length)
    what, results = f"{name}({described(x)}) axis={axis} at {indices.dtype} {indices.tolist()}", []
    log_case(what)
    for device in devices:
        try:
            results.append(reduceat(device, name, base, x, (index_base, indices), axis))
        except Refused as error:
            if x.ndim and not wrong:
                fail(f"{what} on {device.name}", "is refused", str(error))
    if wrong or not x.ndim:
        if results:
            fail(what, "is not refused")
        return
    with np.errstate(all="ignore"):
        expected = model(name, x, indices, axis)
    for device, result in zip(devices, results):
        if not same(result, expected):
            fail(f"{what} on {device.name}", "another result", result, "is not", expected)
    if name in EXACT and dtype.kind in "biu":
        theirs = EXACT[name].reduceat(x, indices.astype(int), axis, dtype=dtype)
        if not same(theirs, expected):
            fail(what, "NumPy has not what the model has", theirs, "is not", expected)
    random_output(random.part(), devices, name, base, x, (index_base, indices), axis, expected, what)
    convert_input(random.part(), devices, name, dtype, x, (index_base, indices), axis, what)


def convert_input(random, devices, name, dtype, x, indices, axis, what):
    """Elements of another type, which become the loop's."""
    given = np.dtype(random.choice(DTYPES))
    if given == dtype or random.number(2):
        return
    base, given_x = random_view(random, lambda part, n: random_values(part, given, n), x.shape)
    with np.errstate(all="ignore"):
        expected = model(name, convert(given_x, dtype), indices[1], axis)
    for device in devices:
        result = reduceat(device, name, base, given_x, indices, axis, dtype=dtype)
        if not alike(result, expected):
            fail(f"{what} of {described(given_x)} on {device.name}", "another result of what is converted", result,
                 "is not", expected)


def random_output(random, devices, name, base, x, indices, axis, expected, what):
    """Into an array with strides, of any type, whose gaps stay as they were; or into the input's memory."""
    kind, dtype = random.choice(["apart", "within", "within", "converted"]), None
    if kind == "within" and expected.size <= base.size:
        at = random.number(base.size - expected.size + 1)
        target, view = base, base[at : at + expected.size].reshape(expected.shape)
    else:
        to = np.dtype(random.choice(DTYPES)) if kind == "converted" else x.dtype
        dtype = x.dtype if kind == "converted" else None
        target, view = random_view(random, lambda part, n: random_values(part, to, n), list(expected.shape))
    wanted, place = placed(target, view)
    place[...] = convert(expected, view.dtype)
    for device in devices:
        result = reduceat(device, name, base, x, indices, axis, out=(target, view), dtype=dtype)
        if not (alike if dtype else same)(result, wanted):
            fail(f"{what} into {described(view)} on {device.name}", "another result in an output", result, "is not",
                 wanted)


run(random_case)
