"""calls.py LIBRARY PROGRAM DEVICES SEED COUNT: calls of ufuncs with random operands, compared byte by byte.

PROGRAM is calls.c as a shared object.  Types, shapes, strides, overlaps, masks, casting rules, dtype, signature and
order are random.  A model in NumPy says what comes of a call: whether it is refused, every byte of the arrays that the
outputs lie in, and of outputs that are made their type, shape and order in memory; where NumPy has the ufunc (add), it
has to agree with the model."""
import ctypes
import functools
import operator
import sys
import warnings

import numpy as np

from bfloat16 import BFLOAT16, can_cast, widen
from cases import fail, run, log_case
from host import (CASTINGS, CODES, DTYPES, ORDERS, CallOptions, Operands, Refused, alike, check, convert, cut,
                  described, library, pointer, random_operand, relevant, same, shifted, signature_of, strides_of,
                  where_outputs_go, whole)


# ---- the model ----

HAS_WEAK_NUMBERS = int(np.__version__.split(".")[0]) > 1
LOOPS = {
    "add": [(t, t, t) for t in DTYPES],
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


class CallRequest:
    """The options of a call."""

    def __init__(self, casting, dtype, signature, order):
        self.casting, self.dtype, self.signature, self.order = casting, dtype, signature, order
        self.is_asked = dtype is not None or signature is not None

    def __str__(self):
        said = {"casting": self.casting, "dtype": self.dtype, "signature": self.signature and [
            t and np.dtype(t).name for t in self.signature], "order": None if self.order == "K" else self.order}
        return "".join(f" {name}={value}" for name, value in said.items() if value is not None)

    def requests_type(self, k):
        return self.dtype is not None or (self.signature is not None and self.signature[k] is not None)

    def admits(self, types, outputs):
        return (self.dtype is None or all(t == self.dtype for t in types[-outputs:])) and \
            all(t in (None, of) for t, of in zip(self.signature or (), types))


def rank_of(dtype):
    return {"b": 0, "i": 1, "u": 1, "f": 2, "V": 2, "c": 3}[np.dtype(dtype).kind]


def is_weak(number, inputs):
    return any(not isinstance(x, Number) and rank_of(x.dtype) >= min(number.rank, 2) for x in inputs)


def fits(inputs, types, rule, request):
    """2: exactly, 1: converted, 0: not."""
    worst = 2
    for k, (x, t) in enumerate(zip(inputs, types)):
        if isinstance(x, Number) and rank_of(t) >= x.rank and (request.requests_type(k) or is_weak(x, inputs)):
            fit = 2
        else:
            fit = 2 if x.dtype == t else int(can_cast(x.dtype, t, rule))
        worst = min(worst, fit)
    return worst


def first_loop(name, inputs, rule, request):
    loops = [types for types in LOOPS[name] if request.admits(types, len(types) - len(inputs))]
    fit = [fits(inputs, types, rule, request) for types in loops]
    for wanted in (2, 1):
        if wanted in fit:
            return loops[fit.index(wanted)]
    return None


def resolve(name, inputs, request):
    casting = request.casting or ("same_kind" if request.is_asked else "safe")
    strict = casting if casting in ("no", "equiv") else "safe"
    loop = first_loop(name, inputs, strict, request)
    if loop is None and casting in ("same_kind", "unsafe"):
        loop = first_loop(name, inputs, casting, request)
    return loop


def holds(number, dtype):
    dtype = np.dtype(dtype)
    return number.rank > 1 or dtype.kind not in "iu" or np.iinfo(dtype).min <= number.value <= np.iinfo(dtype).max


def compute(name, values, types):
    """bfloat16 is computed in float32, and rounded."""
    with np.errstate(all="ignore"):
        results = [np.asarray(r) for r in COMPUTE[name](*[widen(x) for x in values])]
        return [convert(r, t) if t == BFLOAT16 else r for r, t in zip(results, types)]


def model(name, inputs, outs, where, request):
    """Null where it is refused; else the outputs that are made, as (array, in the right order of memory)."""
    loop = resolve(name, inputs, request)
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
    if any(o is not None and (o.shape != shape or not can_cast(t, o.dtype, request.casting or "same_kind"))
           for o, t in zip(outs, types)):
        return None
    values = [np.broadcast_to(convert(x, t), shape) for x, t in zip(arrays, loop)]
    results = compute(name, values, types)
    where = np.broadcast_to(True if where is None else where.copy(), shape)
    made = ordered(arrays + mask, outs, types, shape, request.order)
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
        it = np.nditer(operands, ["zerosize_ok", "multi_index"], flags, order="K", op_dtypes=
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

def call(device, name, inputs, outs, where, request):
    """Operands as (base, view), numbers, or null: the made outputs with their strides, and the bases of the others."""
    operands, options = Operands(device), CallOptions(ctypes.sizeof(CallOptions))
    made = []
    try:
        given = (pointer * len(inputs))(*[operands.number(x) if isinstance(x, Number) else operands.add(*x)
                                          for x in inputs])
        results = (pointer * len(outs))(*[None if o is None else operands.add(*o) for o in outs])
        options.where = None if where is None else operands.add(*where)
        options.casting, options.order = CASTINGS.index(request.casting), ORDERS.index(request.order)
        options.signature = signature_of(request.signature)
        if request.dtype is not None:
            options.dtype = ctypes.pointer(whole(CODES[np.dtype(request.dtype)]))
        check(library.gpucc_ufunc_call(device.ufunc(name), given, results, ctypes.byref(options)))
        made = [pointer(r) if o is None else None for r, o in zip(results, outs)]
        read = [None if m is None else (device.read(m), strides_of(m)) for m in made]
        return read, [None if o is None else device.read_flat(operands.bases[id(o[0])]) for o in outs]
    finally:
        for array in filter(None, made):
            library.gpucc_array_release(array)
        operands.release(outs)


# ---- random cases ----

WHOLE = [0, 1, -1, 3, 100, 127, 128, 255, 256, 70000, -40000, 2**40, -2**63, 2**63, 2**64 - 1]


def random_number(random):
    kind, number = random.number(4), WHOLE[random.number(len(WHOLE))]
    if kind < 2:
        return Number(number)
    real = random.choice([0.0, 0.5, -1.25, 1e5, 3e38])
    return Number(complex(real, 2.0) if kind == 3 else real)


def random_shape(random):
    part = random.part()
    ndim = part.choice([0, 1, 1, 2, 2, 3, 4])
    shape = [d.choice([1, 2, 3, d.number(9), 1 + d.number(29)]) for d in part.parts(ndim)]
    if ndim == 1 and part.one_in(3):
        shape = [part.integers(1, 5000)]
    if ndim == 2 and part.one_in(4):
        shape = [part.integers(1, 300), part.integers(1, 300)]
    return shape


def random_type(random, name, k):
    types = LOOPS[name][random.number(len(LOOPS[name]))]
    other = random.choice(DTYPES)
    return np.dtype(other if random.one_in(2 * INPUTS[name] if INPUTS[name] > 3 else 2) else types[k])


def random_input(random, name, k, shape):
    part = random.part()
    if part.one_in(4 * INPUTS[name]):
        return random_number(part)
    return random_operand(part, random_type(part, name, k), cut(part, shape))


def random_output(random, name, k, place, outs, shape):
    """Made, in place, where `place` is, or elsewhere."""
    kind, out = random.number(5), None
    if kind == 3 and place and place[1].shape == tuple(shape):
        out = place
    elif kind == 4 and place:
        view = shifted(random, place[0], place[1], shape, place[0].dtype)
        out = view is not None and (place[0], view) or None
    elif kind in (1, 2):
        out = random_operand(random, random_type(random, name, k), shape)
    if out is not None and any(o is not None and np.shares_memory(o[1], out[1]) for o in outs):
        return None
    return out


def random_outputs(random, name, inputs, shape):
    outs = []
    for k in range(INPUTS[name], len(LOOPS[name][0])):
        place = inputs[0] if not isinstance(inputs[0], Number) else None
        outs.append(random_output(random.part(), name, k, place, outs, shape))
    return outs


def random_where(random, outs, shape):
    """A mask, and now and then an output where it lies."""
    part = random.part()
    if not part.one_in(3):
        return None
    where = random_operand(part, "?", cut(part, shape))
    if part.one_in(3):
        k = part.number(len(outs))
        place = where if where[1].shape == tuple(shape) and part.number(2) else None
        if place is None:
            view = shifted(part, where[0], where[1], shape, np.dtype("?"))
            place = view is not None and (where[0], view) or None
        if place and not any(o is not None and o[0] is where[0] for o in outs):
            outs[k] = place
    return where


def random_request(random, name):
    """Mostly of types that a loop has."""
    part = random.part()
    casting = CASTINGS[part.choice([0, 0, 0, 1, 2, 3, 4, 5, 5])]
    dtype = part.choice(DTYPES) if part.one_in(6) else None
    signature = None
    if part.one_in(6):
        types = part.choice(LOOPS[name])
        signature = [part.choice(DTYPES) if part.one_in(8 * len(types)) else t for t in types]
        if not part.number(2):
            signature = [t if part.number(2) else None for t in signature]
    # NumPy's iterator, which says what K is, takes no more than 32 operands
    orders = [o for o in ORDERS if o != "K" or INPUTS[name] < 30]
    return CallRequest(casting, dtype, signature, part.choice(orders))


def check_numpy(what, name, inputs, outs, where, request, expected):
    """NumPy's own add, unless a number or an array of no dimensions lets values decide, as they did before NumPy 2."""
    if name != "add" or not HAS_WEAK_NUMBERS and any(isinstance(x, Number) or x.ndim == 0 for x in inputs):
        return
    signature = request.signature
    if signature and (None in signature or request.dtype is not None):
        return  # NumPy takes one of both, and of a part of a signature guesses the rest
    if BFLOAT16 in [x.dtype for x in inputs + outs if x is not None] + [request.dtype] + list(signature or []):
        return
    if any(isinstance(x, Number) for x in inputs) and request.casting in ("no", "equiv"):
        return  # NumPy takes numbers by the one and not by the other
    if signature and any(isinstance(x, Number) and x.rank > rank_of(t) for x, t in zip(inputs, signature)):
        return  # NumPy makes 1 of 1.5 there, by any rule
    if any(isinstance(x, Number) and x.rank == 1 and x.value >= 2**63 and not is_weak(x, inputs) for x in inputs):
        return  # a uint64 to us, and to NumPy an int64 that is too large
    inputs = [x.value if isinstance(x, Number) else x for x in inputs]
    options = {"where": True if where is None else where, "order": request.order, "dtype": request.dtype}
    options |= {"casting": request.casting} if request.casting else {}
    if signature:
        options = {**options, "signature": tuple(np.dtype(t) for t in signature)}
        del options["dtype"]
    outs = [None if o is None else o.copy() for o in outs]
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            result = np.add(*inputs, *outs, **options)
    except (TypeError, ValueError, OverflowError):
        result = None
    if result is None and expected is not None and request.casting in ("same_kind", "unsafe"):
        return  # inputs that are converted by that rule without a dtype
    if (result is None) != (expected is None):
        fail(what, "NumPy and the model disagree", f"NumPy: {result!r}", f"the model: {expected!r}")
    if result is not None and where is None and request.casting != "unsafe" and not alike(result, expected):
        fail(what, "NumPy has other numbers than the model", f"NumPy: {result!r}", f"the model: {expected!r}")
    if result is not None and outs[0] is None and result.size and relevant(result.strides, result.shape) != \
            relevant(expected.strides, expected.shape):
        fail(what, "NumPy has other strides than the model", result.strides, expected.strides)


def random_case(random, devices):
    name = random.choice([n for n in LOOPS if n != "weigh" or random.one_in(3)])
    shape = random_shape(random)
    inputs = [random_input(random, name, k, shape) for k in range(INPUTS[name])]
    outs = random_outputs(random, name, inputs, shape)
    where = random_where(random, outs, shape)
    request = random_request(random, name)
    if random.one_in(30):  # what does not broadcast
        inputs[0] = random_operand(random, "f4", shape + [7])
    given = [x if isinstance(x, Number) else x[1] for x in inputs]
    what = (f"{name}({', '.join(str(x.value) if isinstance(x, Number) else described(x) for x in given)})"
            + "".join(f" into {described(o[1])}" for o in outs if o is not None)
            + ("" if where is None else f" where={described(where[1])}") + str(request))
    log_case(what)
    bases, views = where_outputs_go(outs)
    mask = None if where is None else where[1]
    expected = wave(given, views, mask, request) if name == "wave" else model(name, given, views, mask, request)
    if len(outs) == 1 and expected != "any":
        originals = [None if o is None else o[1] for o in outs]
        check_numpy(what, name, given, originals, mask, request,
                    None if expected is None else expected[0] if outs[0] is None else views[0])
    compare(what, devices, lambda device: call(device, name, inputs, outs, where, request), expected, bases)


def compare(what, devices, call_on, expected, bases):
    first = None
    for device in devices:
        on = f"{what} on {device.name}"
        try:
            made, contents = call_on(device)
        except Refused as error:
            if expected not in (None, "any"):
                fail(on, "is refused", str(error))
            continue
        if expected is None:
            fail(on, "is not refused")
        if expected == "any":  # the same on all devices
            first = first or (made, contents)
            pairs = zip(made + contents, first[0] + first[1])
            if not all(a is b is None or (same(a[0], b[0]) and a[1] == b[1] if isinstance(a, tuple) else same(a, b))
                       for a, b in pairs):
                fail(on, f"another result than on {devices[0].name}")
            continue
        for got, wanted in zip(made, expected):
            if wanted is not None and not alike(got[0], np.ascontiguousarray(wanted).reshape(wanted.shape)):
                fail(on, "another result", got[0], "is not", wanted)
            if wanted is not None and wanted.size and \
                    relevant(got[1], wanted.shape) != relevant(wanted.strides, wanted.shape):
                fail(on, "another order in memory", f"strides {got[1]}, not {wanted.strides}")
        for got, wanted in zip(contents, bases):
            if wanted is not None and not alike(got, wanted):
                fail(on, "another result where the output lies", got, "is not", wanted)


def wave(given, views, where, request):
    """Returns whether the call is refused, without computing it."""
    loop = resolve("wave", given, request)
    if loop is None:
        return None
    COMPUTE["wave"] = lambda x: (np.zeros_like(x),)
    copies = [None if v is None else v.copy() for v in views]
    return None if model("wave", given, copies, where, request) is None else "any"


run(random_case)
