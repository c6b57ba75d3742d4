"""reduce.py LIBRARY PROGRAM DEVICES SEED COUNT: reductions of random arrays, compared byte by byte.

PROGRAM is reduce.c as a shared object; DEVICES are like cpu:1,cpu:4,cuda, the CPU with so many threads or a GPU.  Each
case is computed on all of them and by a model in NumPy: the fixed tree, or a fold from the left; where the order cannot
show, NumPy's own reduce has to give the same."""
import ctypes
import sys

import numpy as np

from host import CODES, Refused, alike, check, convert, library, pointer, random_values, random_view, run, same, whole
from operators import EXACT, FOLDS, MODEL, ORDERED, TYPES, fold, random_elements, random_shape, tree

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
        return device.read(result if out is None else made[-1])
    finally:
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
    op = MODEL[name]
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
        [t for t in loops if np.can_cast(given, t, "safe") and np.can_cast(out, t, "safe")]
    return both[0] if both else given


# ---- random cases ----

def random_axes(random, ndim, several):
    if random.integers(4) == 0:
        return None
    if several and random.integers(4) == 0:
        return "all"
    if ndim == 0:
        return random.choice([0, -1], int(random.integers(2))).tolist()
    count = int(random.integers(0, ndim + 1)) if several else 1
    return [int(d) - (ndim if random.integers(2) else 0) for d in random.permutation(ndim)[:count]]


def random_mask(random, x):
    """Some dimensions of one element, some not there, and mostly true, mostly false or half and half."""
    shape = [1 if random.integers(5) == 0 else n for n in x.shape][int(random.integers(3) == 0) * random.integers(9):]
    share = random.choice([0, 0.03, 0.5, 0.97, 1])
    return random_view(random, lambda n: random.random(n) < share, shape)


def random_rows(random, values):
    """Rows enough for a small GPU, and where they begin, often, and how long they are, a multiple of 16 bytes."""
    length = int(random.choice([random.integers(2, 40), random.integers(40, 700)]))
    if random.integers(2):
        length = (length + 7) // 8 * 8
    rows = int(random.integers(1, 5)) * max(64, 9000 // length)
    first = int(random.integers(2))
    base = values(first + rows * length)
    return base, base[first:].reshape(rows, length)


def random_case(random, devices):
    name = str(random.choice(list(MODEL) + ["wave", "slow_fold"]))
    dtype = np.dtype(str(random.choice(TYPES.get(name, ORDERED))))
    shape = random_shape(random)
    if random.integers(150) == 0:  # of so many rows some go one after another
        shape = [int(random.integers(17000, 20000)), int(random.integers(17, 33))]
    values = lambda n: random_elements(random, name, dtype, n)
    base, x = random_rows(random, values) if random.integers(30) == 0 else random_view(random, values, shape)
    axes = random_axes(random, x.ndim, name not in FOLDS)
    keepdims, initial = bool(random.integers(2)), None
    if random.integers(3) == 0:
        initial = random_elements(random, name, dtype, 1)[0]
    where = random_mask(random, x) if x.size < 20000 and random.integers(3) == 0 else None
    what = (f"{name} {dtype} {x.shape} {x.strides} axes={axes} keepdims={keepdims} initial={initial!r} "
            f"where={None if where is None else (where[1].shape, where[1].strides, int(where[1].sum()))}")
    identity = {"add": 0, "either": 0, "any": 0, "mix": 1, "subtract": 0}.get(name)
    axis = None if axes == "all" else 0 if axes is None else tuple(axes)
    length = int(np.prod([x.shape[d] for d in axes_of(axes, x.ndim)], dtype=int))
    empty = length == 0 and x.size == 0 and np.zeros(x.shape).sum(axis if x.ndim else None).size > 0
    empty |= where is not None
    try:
        results = [reduce(d, name, base, x, axes, keepdims, initial, where=where) for d in devices]
    except Refused as error:
        if not (empty and identity is None and initial is None):
            sys.exit(f"{what}: {error}")
        return
    if empty and identity is None and initial is None:
        sys.exit(f"{what}: not refused")
    with np.errstate(all="ignore"):
        expected = model(name, x, axes, keepdims, initial, identity, where and where[1]) if name in MODEL else results[0]
    for device, result in zip(devices, results):
        if not same(result, np.asarray(expected)):
            sys.exit(f"{what} on {device.name}:\n{result!r}\nis not\n{expected!r}")
    if name in EXACT and dtype.kind in "biu" and x.ndim and not (empty and identity is None):
        start = {} if initial is None else {"initial": initial}
        if where is not None:
            start = {"initial": identity, **start, "where": where[1]}
        theirs = EXACT[name].reduce(x, axis, dtype=dtype, keepdims=keepdims, **start) if length else expected
        if not same(np.asarray(theirs), np.asarray(expected)):
            sys.exit(f"{what}: NumPy has {theirs!r}, the model {expected!r}")
    random_output(random, devices, name, base, x, axes, keepdims, initial, np.asarray(expected), what, where, identity)
    to = np.dtype(str(random.choice(TYPES.get(name, ORDERED))))
    if to != dtype and name in MODEL and (initial is None or np.can_cast(initial.dtype, to, "same_kind")):
        random_dtype(devices, name, base, x, axes, keepdims, initial, what, where, identity, to)


def random_dtype(devices, name, base, x, axes, keepdims, initial, what, where, identity, to):
    """The loop that is asked for takes what it is given, as of NumPy's reductions, by any rule."""
    with np.errstate(all="ignore"):
        expected = np.asarray(model(name, convert(x, to), axes, keepdims, initial if initial is None else
                                    convert(initial, to), identity, where and where[1]))
    for device in devices:
        result = reduce(device, name, base, x, axes, keepdims, initial, dtype=to, where=where)
        if not alike(result, expected):
            sys.exit(f"{what} dtype={to} on {device.name}:\n{result!r}\nis not\n{expected!r}")


def random_output(random, devices, name, base, x, axes, keepdims, initial, expected, what, where, identity):
    """Into an array with strides, whose gaps stay as they were; or over the input itself."""
    inside = random.integers(3) == 0 and expected.size <= x.size and base.dtype == expected.dtype
    to = base.dtype if inside else np.dtype(str(random.choice([expected.dtype.str[1:], {"i": "i8", "u": "u8", "f": "f4",
                                            "c": "c16", "b": "i4"}[expected.dtype.kind]])))
    if inside:
        room = base.size - expected.size
        at = int(random.integers(0, room + 1))
        target = base
        view = base[at : at + expected.size].reshape(expected.shape)
    else:
        target, view = random_view(random, lambda n: random_values(random, to, n), list(expected.shape))
    wanted = target.copy()
    place = np.ndarray(view.shape, wanted.dtype, wanted, view.ctypes.data - target.ctypes.data if view.size else 0,
                       view.strides)
    loop = loop_type(name, x.dtype, to)
    with np.errstate(all="ignore"):
        if loop != x.dtype:
            expected = np.asarray(model(name, x.astype(loop), axes, keepdims, initial if initial is None else
                                        initial.astype(loop), identity, where and where[1]))
        place[...] = convert(expected, to)
    for device in devices:
        result = reduce(device, name, base, x, axes, keepdims, initial, out=(target, view), where=where)
        if not alike(result, wanted):
            sys.exit(f"{what} into {to} {view.shape} {view.strides}{' within' * inside} on {device.name}:\n{result!r}\n"
                     f"is not\n{wanted!r}")


def types(devices):
    """dtype, and an output's type, as NumPy has them: exact numbers, whose order does not show."""
    loops = [np.dtype(t) for t in TYPES["add"]]
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
    if sys.argv[4] == "1":
        from host import Device
        types([Device(name) for name in sys.argv[3].split(",")])
    run(random_case)
