"""calls.py LIBRARY PROGRAM DEVICES SEED COUNT: calls of ufuncs with random operands, compared byte by byte.

PROGRAM is calls.c as a shared object.  Types, shapes, strides, overlaps, masks, casting rules, dtype and order are
random.  A model in NumPy says what comes of a call: whether it is refused, every byte of the arrays that the outputs lie
in, and of outputs that are made their type, shape and order in memory; where NumPy has the ufunc (add), it has to agree
with the model."""
import ctypes
import functools
import operator
import sys
import warnings

import numpy as np

from host import (CASTINGS, CODES, ORDERS, CallOptions, Operands, Refused, alike, check, convert, cut, library, pointer,
                  random_operand, relevant, run, same, shifted, strides_of, whole)


# ---- the model ----

HAS_WEAK_NUMBERS = int(np.__version__.split(".")[0]) > 1
ALL = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
LOOPS = {
    "add": [(t, t, t) for t in ALL],
    "less": [(t, t, "?") for t in ("i2", "u4", "i8", "f4", "f8")],
    "both": [(t, "i2", t, "i4") for t in ("f4", "f8", "c8")],
    "wave": [("f4", "f4")],
    "blend": [("u1", "u1", "u1", "u1")],
    "weigh": [("i2",) * 50 + ("f4",) * 11 + ("?", "i2", "f8")],
}
INPUTS = {"add": 2, "less": 2, "both": 2, "wave": 1, "blend": 3, "weigh": 62}
COMPUTE = {
    "add": lambda x, y: (x + y,),
    "less": lambda x, y: (x < y,),
    "both": lambda x, y: (x * y.astype(x.dtype), y.astype("i4") + 1),
    "blend": lambda x, y, z: ((x & y) ^ z,),
    "weigh": lambda *x: (np.where(x[61], -total(x[:50]), total(x[:50])), total((x[60],) + x[50:60]).astype("f8")),
}


def total(arrays):
    return functools.reduce(operator.add, arrays)


class Number:
    """A number without a type of its own."""

    def __init__(self, value):
        self.value = value
        self.rank = {int: 1, float: 2, complex: 3}[type(value)]
        usual = {int: "i8" if value < 2**63 else "u8", float: "f8", complex: "c16"} if self.rank == 1 else \
            {float: "f8", complex: "c16"}
        self.array = np.array(value, usual[type(value)])
        self.dtype, self.shape = self.array.dtype, ()


def rank_of(dtype):
    return {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}[np.dtype(dtype).kind]


def is_weak(number, inputs):
    return any(not isinstance(x, Number) and rank_of(x.dtype) >= min(number.rank, 2) for x in inputs)


def fits(inputs, types, rule, dtype):
    """2: exactly, 1: converted, 0: not."""
    worst = 2
    for x, t in zip(inputs, types):
        if isinstance(x, Number) and rank_of(t) >= x.rank and (dtype or is_weak(x, inputs)):
            fit = 2
        else:
            fit = 2 if x.dtype == t else int(np.can_cast(x.dtype, t, rule))
        worst = min(worst, fit)
    return worst


def first_loop(name, inputs, rule, dtype):
    loops = [types for types in LOOPS[name] if dtype is None or all(t == dtype for t in types[len(inputs):])]
    fit = [fits(inputs, types, rule, dtype) for types in loops]
    for wanted in (2, 1):
        if wanted in fit:
            return loops[fit.index(wanted)]
    return None


def resolve(name, inputs, casting, dtype):
    casting = casting or ("safe" if dtype is None else "same_kind")
    strict = casting if casting in ("no", "equiv") else "safe"
    loop = first_loop(name, inputs, strict, dtype)
    if loop is None and casting in ("same_kind", "unsafe"):
        loop = first_loop(name, inputs, casting, dtype)
    return loop


def holds(number, dtype):
    dtype = np.dtype(dtype)
    return number.rank > 1 or dtype.kind not in "iu" or np.iinfo(dtype).min <= number.value <= np.iinfo(dtype).max


def model(name, inputs, outs, where, casting, dtype, order):
    """Null where it is refused; else the outputs that are made, as (array, in the right order of memory)."""
    loop = resolve(name, inputs, casting, dtype)
    if loop is None:
        return None
    if any(isinstance(x, Number) and not holds(x, t) for x, t in zip(inputs, loop)):
        return None
    arrays = [x.array if isinstance(x, Number) else x for x in inputs]
    types = loop[len(inputs):]
    mask = [] if where is None else [where]
    try:
        shape = np.broadcast_shapes(*[x.shape for x in arrays + mask], *[o.shape for o in outs if o is not None])
    except ValueError:
        return None
    if any(o is not None and (o.shape != shape or not np.can_cast(t, o.dtype, casting or "same_kind"))
           for o, t in zip(outs, types)):
        return None
    values = [np.broadcast_to(convert(x, t), shape) for x, t in zip(arrays, loop)]
    with np.errstate(all="ignore"):
        results = [np.asarray(r) for r in COMPUTE[name](*values)]
    where = np.broadcast_to(True if where is None else where.copy(), shape)
    made = ordered(arrays + mask, outs, types, shape, order)
    for out, new, result in zip(outs, made, results):
        to = new if out is None else out
        to[where] = convert(result, to.dtype)[where]
    return made


def ordered(arrays, outs, types, shape, order):
    """Zeros for those outputs that are made, ordered in memory as NumPy's iterator orders them."""
    if order == "A":
        given = arrays + [o for o in outs if o is not None]
        order = "F" if all(x.flags.f_contiguous for x in given) else "C"
    elif order == "K" and shape:
        operands = arrays + [o for o in outs if o is not None] + [None]
        flags = [["readonly"]] * (len(operands) - 1) + [["writeonly", "allocate"]]
        it = np.nditer(operands, ["zerosize_ok", "multi_index"], flags, order="K", op_dtypes=None if 0 else
                       [x.dtype for x in operands[:-1]] + [np.dtype("u1")], itershape=shape)
        steps = np.array(it.operands[-1].strides)
        order = [int(d) for d in np.argsort(-steps, kind="stable")] if 0 not in shape else "C"
    made = []
    for out, t in zip(outs, types):
        if out is not None:
            made.append(None)
        elif isinstance(order, str):
            made.append(np.zeros(shape, t, "C" if order == "K" else order))
        else:
            made.append(np.zeros([shape[d] for d in order], t).transpose(np.argsort(order)))
    return made


# ---- a call ----

def call(device, name, inputs, outs, where, casting, dtype, order):
    """Operands as (base, view), numbers, or null: the made outputs with their strides, and the bases of the others."""
    operands, options = Operands(device), CallOptions(ctypes.sizeof(CallOptions))
    made = []
    try:
        given = (pointer * len(inputs))(*[operands.number(x) if isinstance(x, Number) else operands.add(*x)
                                          for x in inputs])
        results = (pointer * len(outs))(*[None if o is None else operands.add(*o) for o in outs])
        options.where = None if where is None else operands.add(*where)
        options.casting, options.order = CASTINGS.index(casting), ORDERS.index(order)
        if dtype is not None:
            options.dtype = ctypes.pointer(whole(CODES[np.dtype(dtype)]))
        check(library.gpucc_ufunc_call(device.ufunc(name), given, results, ctypes.byref(options)))
        made = [pointer(r) if o is None else None for r, o in zip(results, outs)]
        read = [None if m is None else (device.read(m), strides_of(m)) for m in made]
        return read, [None if o is None else device.read_flat(operands.bases[id(o[0])]) for o in outs]
    finally:
        for array in filter(None, made):
            library.gpucc_array_release(array)
        operands.release()


# ---- random cases ----

WHOLE = [0, 1, -1, 3, 100, 127, 128, 255, 256, 70000, -40000, 2**40, -2**63, 2**63, 2**64 - 1]


def random_number(random):
    kind = random.integers(4)
    if kind < 2:
        return Number(WHOLE[int(random.integers(len(WHOLE)))])
    real = float(random.choice([0.0, 0.5, -1.25, 1e5, 3e38]))
    return Number(complex(real, 2.0) if kind == 3 else real)


def random_shape(random):
    ndim = int(random.choice([0, 1, 1, 2, 2, 3, 4]))
    shape = [int(random.choice([1, 2, 3, random.integers(0, 9), random.integers(1, 30)])) for _ in range(ndim)]
    if ndim == 1 and random.integers(3) == 0:
        shape = [int(random.integers(1, 5000))]
    if ndim == 2 and random.integers(4) == 0:
        shape = [int(random.integers(1, 300)), int(random.integers(1, 300))]
    return shape


def random_type(random, name, k):
    if random.integers(2 * INPUTS[name] if INPUTS[name] > 3 else 2) == 0:
        return np.dtype(str(random.choice(ALL)))
    types = LOOPS[name][int(random.integers(len(LOOPS[name])))]
    return np.dtype(types[k])


def random_outputs(random, name, inputs, shape):
    outs = []
    for k in range(INPUTS[name], len(LOOPS[name][0])):
        kind = int(random.integers(5))
        dtype = random_type(random, name, k)
        place = inputs[0] if not isinstance(inputs[0], Number) else None
        out = None
        if kind == 1 and place and place[1].shape == tuple(shape):
            out = place # in place
        elif kind == 2 and place:
            view = shifted(random, place[0], place[1], shape, place[0].dtype)
            out = view is not None and (place[0], view) or None
        elif kind > 2:
            out = random_operand(random, dtype, shape)
        if out is not None and any(o is not None and np.shares_memory(o[1], out[1]) for o in outs):
            out = None
        outs.append(out)
    return outs


def check_numpy(name, inputs, outs, where, casting, dtype, order, expected):
    """NumPy's own add, unless a number or an array of no dimensions lets values decide, as they did before NumPy 2."""
    if name != "add" or not HAS_WEAK_NUMBERS and any(isinstance(x, Number) or x.ndim == 0 for x in inputs):
        return
    if any(isinstance(x, Number) for x in inputs) and casting in ("no", "equiv"):
        return # NumPy takes numbers by the one and not by the other
    if all(isinstance(x, Number) for x in inputs) and any(x.value == abs(x.value) >= 2**63 for x in inputs):
        return # a uint64 to us, and to NumPy an int64 that is too large
    inputs = [x.value if isinstance(x, Number) else x for x in inputs]
    options = {"where": True if where is None else where, "order": order, "dtype": dtype}
    options |= {"casting": casting} if casting else {}
    outs = [None if o is None else o.copy() for o in outs]
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            result = np.add(*inputs, *outs, **options)
    except (TypeError, ValueError, OverflowError):
        result = None
    if result is None and expected is not None and casting in ("same_kind", "unsafe"):
        return # inputs that are converted by that rule without a dtype
    if (result is None) != (expected is None):
        sys.exit(f"NumPy says {result!r}, the model {expected!r}")
    if result is not None and where is None and casting != "unsafe" and not alike(result, expected):
        sys.exit(f"NumPy says {result!r}, the model {expected!r}")
    if result is not None and outs[0] is None and result.size and relevant(result.strides, result.shape) != \
            relevant(expected.strides, expected.shape):
        sys.exit(f"NumPy has strides {result.strides}, the model {expected.strides}")


def random_case(random, devices):
    name = str(random.choice([n for n in LOOPS if n != "weigh" or random.integers(3) == 0]))
    shape = random_shape(random)
    inputs = []
    for k in range(INPUTS[name]):
        if random.integers(8 * INPUTS[name]) < 2:
            inputs.append(random_number(random))
        else:
            inputs.append(random_operand(random, random_type(random, name, k), cut(random, shape)))
    outs = random_outputs(random, name, inputs, shape)
    where = random_operand(random, "?", cut(random, shape)) if random.integers(3) == 0 else None
    if where is not None and random.integers(3) == 0: # an output lies where the mask does
        k = int(random.integers(len(outs)))
        place = where if where[1].shape == tuple(shape) and random.integers(2) else None
        if place is None:
            view = shifted(random, where[0], where[1], shape, np.dtype("?"))
            place = view is not None and (where[0], view) or None
        if place and not any(o is not None and o[0] is where[0] for o in outs):
            outs[k] = place
    casting = CASTINGS[int(random.choice([0, 0, 0, 1, 2, 3, 4, 5, 5]))]
    dtype = str(random.choice(ALL)) if random.integers(6) == 0 else None
    order = str(random.choice([o for o in ORDERS if o != "K" or INPUTS[name] < 30])) # as many as NumPy's iterator takes
    if random.integers(30) == 0: # what does not broadcast
        inputs[0] = random_operand(random, "f4", shape + [7])
    given = [x if isinstance(x, Number) else x[1] for x in inputs]
    what = (f"{name}({', '.join(str(x.value) if isinstance(x, Number) else f'{x.dtype}{x.shape}{x.strides}' for x in given)}"
            f") out={[None if o is None else (str(o[1].dtype), o[1].shape, o[1].strides) for o in outs]}"
            f" where={None if where is None else where[1].shape} {casting=} {dtype=} {order=}")
    copies = {id(o[0]): o[0].copy() for o in outs if o is not None}
    bases = [None if o is None else copies[id(o[0])] for o in outs]
    views = [None if o is None else np.ndarray(o[1].shape, b.dtype, b, o[1].ctypes.data - o[0].ctypes.data
                                               if o[1].size else 0, o[1].strides) for o, b in zip(outs, bases)]
    mask = None if where is None else where[1]
    expected = wave(given, views, mask, casting, dtype, order) if name == "wave" else \
        model(name, given, views, mask, casting, dtype, order)
    if len(outs) == 1 and expected != "any":
        originals = [None if o is None else o[1] for o in outs]
        check_numpy(name, given, originals, mask, casting, dtype, order,
                    None if expected is None else expected[0] if outs[0] is None else views[0])
    first = None
    for device in devices:
        try:
            made, contents = call(device, name, inputs, outs, where, casting, dtype, order)
        except Refused as error:
            if expected not in (None, "any"):
                sys.exit(f"{what} on {device.name}: {error}")
            continue
        if expected is None:
            sys.exit(f"{what} on {device.name}: not refused")
        if expected == "any": # the same on all devices
            first = first or (made, contents)
            pairs = zip(made + contents, first[0] + first[1])
            if not all(a is b is None or (same(a[0], b[0]) and a[1] == b[1] if isinstance(a, tuple) else same(a, b))
                       for a, b in pairs):
                sys.exit(f"{what} on {device.name}: another result than on {devices[0].name}")
            continue
        for got, wanted in zip(made, expected):
            if wanted is not None and not (alike(got[0], np.ascontiguousarray(wanted).reshape(wanted.shape)) and
                                           (wanted.size == 0 or relevant(got[1], wanted.shape) ==
                                            relevant(wanted.strides, wanted.shape))):
                sys.exit(f"{what} on {device.name}:\n{got}\nis not\n{wanted!r} {wanted.strides}")
        for got, wanted in zip(contents, bases):
            if wanted is not None and not alike(got, wanted):
                sys.exit(f"{what} on {device.name}, where the output lies:\n{got!r}\nis not\n{wanted!r}")


def wave(given, views, where, casting, dtype, order):
    """What can be told without computing it: whether it is refused."""
    loop = resolve("wave", given, casting, dtype)
    if loop is None:
        return None
    COMPUTE["wave"] = lambda x: (np.zeros_like(x),)
    copies = [None if v is None else v.copy() for v in views]
    return None if model("wave", given, copies, where, casting, dtype, order) is None else "any"


run(random_case)
