"""gufuncs.py LIBRARY PROGRAM DEVICES SEED COUNT: calls of gufuncs with random operands, compared byte by byte.

PROGRAM is gufuncs.c as a shared object.  NumPy itself calls the native loops in it, by
PyUFunc_FromFuncAndDataAndSignature, and says what comes of a call: whether it is refused, every byte of the arrays in
which outputs lie, and of those that are made their type, shape and order in memory.  For what NumPy has not a model
does."""
import ctypes
import functools
import sys
import warnings

import numpy as np

from bfloat16 import BFLOAT16, narrow, widen
from cases import fail, run, log_case
from host import (CASTINGS, CODES, ORDERS, CallOptions, Operands, Refused, alike, check, cut, described, library,
                  pointer, random_operand, relevant, same, shifted, signature_of, strides_of, where_outputs_go, whole)

try:
    from numpy._core import _multiarray_umath
except ImportError:
    from numpy.core import _multiarray_umath

ELEMENTS = {"?": "b1", "u1": "u8", "i2": "i16", "i4": "i32", "i8": "i64", "f4": "f32", "f8": "f64", "c8": "c64",
            "c16": "c128"}
T, F, B = ["i4", "i8", "f4", "f8"], ["f4", "c16"], ["?", "u1", "i2", "c8"]


class Gufunc:
    def __init__(self, layout, loops):
        self.layout, self.loops = layout, loops
        sides = [[[d for d in o.strip("()").split(",") if d] for o in side.split("),(")] for side in layout.split("->")]
        self.cores, self.inputs = sides[0] + sides[1], len(sides[0])


GUFUNCS = {
    "matmul": Gufunc("(m?,n),(n,p?)->(m?,p?)", [(t, t, t) for t in T]),
    "inner": Gufunc("(n),(n)->()", [(t, t, t) for t in T]),
    "largest": Gufunc("(n)->(),()", [(t, t, "i2") for t in T]),
    "cross": Gufunc("(3),(3)->(3)", [(t, t, t) for t in F]),
    "products": Gufunc("(m),(n)->(m,n)", [(t, t, t) for t in F]),
    "every_second": Gufunc("(),(n),()->(n)", [(t, t, "i4", t) for t in B]),
    "turned": Gufunc("(m,n,3)->(3,n,m)", [(t, t) for t in B]),
    "sum": Gufunc("(),()->()", [("i2", "i2", "i2")]),
    "convolve": Gufunc("(m),(n)->(p)", [(t, t, t) for t in T]),
    "added": Gufunc("(n|1),(n|1)->(n|1)", [(t, t, t) for t in T + [BFLOAT16]]),
    "below_largest": Gufunc("(n),()->(n)", [(t, t, t) for t in T]),
    "spread": Gufunc("(n)->(k)", [(t, t) for t in T]),
    "total": Gufunc(",".join(["(n)"] * 63) + "->(n)", [("f4",) * 64]),
}
OURS = ("convolve", "added", "below_largest", "total") # not NumPy's

# ---- NumPy's ----

kept = []  # NumPy keeps the addresses


def symbol(name, gufunc, types):
    codes = [ELEMENTS[t] for t in types]
    return "_".join([name, "".join(codes[: gufunc.inputs]), "".join(codes[gufunc.inputs:])])


def numpy_gufunc(program, name):
    gufunc = GUFUNCS[name]
    capsule = ctypes.pythonapi.PyCapsule_GetPointer
    capsule.restype, capsule.argtypes = pointer, [ctypes.py_object, ctypes.c_char_p]
    api = ctypes.cast(capsule(_multiarray_umath._UFUNC_API, None), ctypes.POINTER(pointer))
    text = ctypes.c_char_p
    make = ctypes.PYFUNCTYPE(ctypes.py_object, pointer, pointer, text, whole, whole, whole, whole, text, text, whole,
                             text)(api[31])
    count = len(gufunc.loops)
    functions = (pointer * count)(*(ctypes.cast(getattr(program, symbol(name, gufunc, types) + "_loop"), pointer).value
                                    for types in gufunc.loops))
    nothing = (pointer * count)()
    types = (ctypes.c_char * 64)(*(np.dtype(t).num for types in gufunc.loops for t in types))
    kept.extend((functions, nothing, types, name.encode(), gufunc.layout.encode()))
    return make(ctypes.addressof(functions), ctypes.addressof(nothing), ctypes.cast(types, text), count, gufunc.inputs,
                len(gufunc.cores) - gufunc.inputs, -1, kept[-2], b"", 0, kept[-1])


program = ctypes.CDLL(sys.argv[2])
THEIRS = {name: numpy_gufunc(program, name) for name in GUFUNCS if name not in OURS}


def numpy_call(name, inputs, outs, options):
    """Null where it is refused."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            made = THEIRS[name](*inputs, out=tuple(outs), **options)
    except (TypeError, ValueError): # axes that are out of range are a ValueError too
        return None
    return [None if out is not None else np.asarray(m) for m, out in
            zip(made if isinstance(made, tuple) else (made,), outs)]


def model(name, inputs, outs, options):
    """Computes with exact types and no option but axes.  Returns None if the call is refused."""
    if name == "total":
        return total(inputs, outs)
    axes = options.get("axes", [(-1,), (-1,) if GUFUNCS[name].cores[1] else (), (-1,)])
    (a,), (c,) = axes[0], axes[2]
    try:
        x, y = np.moveaxis(inputs[0], a, -1), np.moveaxis(inputs[1], axes[1], [-1] * len(axes[1]))
        result = {"added": added, "convolve": convolve, "below_largest": below_largest}[name](x, y)
        if outs[0] is None:
            return [np.moveaxis(result, -1, c)]
        view = np.moveaxis(outs[0], c, -1)
        if view.shape[-1] != result.shape[-1]:
            return None
        view[...] = result
        return [None]
    except ValueError: # np.AxisError is one too
        return None


def total(inputs, outs):
    shape = np.broadcast_shapes(*[x.shape[:-1] for x in inputs]) + inputs[0].shape[-1:]
    if len({x.shape[-1] for x in inputs}) > 1 or outs[0] is not None and outs[0].shape[-1] != shape[-1]:
        return None
    result = functools.reduce(np.add, inputs)
    if outs[0] is None:
        return [result]
    outs[0][...] = result
    return [None]


def added(x, y):
    result = widen(x) + widen(y)
    return narrow(result) if x.dtype == BFLOAT16 else result


def below_largest(x, y):
    most = x.max(-1, keepdims=True) if x.shape[-1] else x
    return (most - x) * y[..., None]


def convolve(x, y):
    m, n = x.shape[-1], y.shape[-1]
    if m + n < 1:
        raise ValueError
    result = np.zeros(np.broadcast_shapes(x.shape[:-1], y.shape[:-1]) + (m + n - 1,), x.dtype)
    for k in range(n):
        result[..., k: k + m] += x * y[..., k: k + 1]
    return result


# ---- ours ----

def call(device, name, inputs, outs, options):
    """Operands as (base, view) or null: the outputs that are made with their strides, and the bases of the others."""
    operands, how = Operands(device), CallOptions(ctypes.sizeof(CallOptions))
    made = []
    try:
        given = (pointer * len(inputs))(*[operands.add(*x) for x in inputs])
        results = (pointer * len(outs))(*[None if o is None else operands.add(*o) for o in outs])
        how.casting, how.order = CASTINGS.index(options.get("casting")), ORDERS.index(options.get("order", "K"))
        if "dtype" in options:
            how.dtype = ctypes.pointer(whole(CODES[np.dtype(options["dtype"])]))
        how.signature = signature_of(options.get("signature"))
        if "axes" in options:
            flat = [a for axes in options["axes"] for a in axes]
            how.axes, how.axis_count = (whole * (len(flat) + 1))(*flat), len(flat)
        if "axis" in options:
            how.axis = ctypes.pointer(whole(options["axis"]))
        how.keepdims = int(options.get("keepdims", False))
        check(library.gpucc_ufunc_call(device.ufunc(name), given, results, ctypes.byref(how)))
        made = [pointer(r) if o is None else None for r, o in zip(results, outs)]
        read = [None if m is None else (device.read(m), strides_of(m)) for m in made]
        return read, [None if o is None else device.read_flat(operands.bases[id(o[0])]) for o in outs]
    finally:
        for array in filter(None, made):
            library.gpucc_array_release(array)
        operands.release(outs)


# ---- random cases ----

def small_values(random, dtype, n):
    """Which every type has that keeps their sign, as have the results."""
    dtype, drawn = np.dtype(dtype), random.values()
    values = drawn.integers(0 if dtype.kind in "bu" else -3, 2 if dtype.kind == "b" else 4, n)
    if dtype == BFLOAT16:
        return narrow(values)
    return (values + 1j * drawn.integers(-3, 4, n) if dtype.kind == "c" else values).astype(dtype)


def random_array(random, dtype, shape):
    return random_operand(random, dtype, shape, small_values)


def random_extents(random, gufunc):
    names = sorted({d for core in gufunc.cores for d in core})
    extents = {d: int(d) if d.isdigit() else part.choice([1, 2, 0, 3, 4, 1 + part.number(39)])
               for d, part in zip(names, random.part().parts(len(names)))}
    if "p" in extents and "p?" not in extents:
        extents["p"] = max(extents["m"] + extents["n"] - 1, 0)
    return extents


def random_outer(random):
    part = random.part()
    ndim = part.choice([0, 1, 1, 2, 3])
    shape = [d.choice([1, 2, 3, d.number(8)]) for d in part.parts(ndim)]
    return [1 + part.number(599)] if ndim == 1 and part.one_in(4) else shape


def random_type(random, gufunc, k, exact):
    loop, other = random.choice(gufunc.loops), random.choice(list(ELEMENTS))
    return np.dtype(other if not exact and random.one_in(4) else loop[k])


def random_signature(random, gufunc):
    """Returns a loop's types, mostly; all of them, as NumPy completes a part by guessing."""
    types = random.choice(gufunc.loops)
    return [random.choice(list(ELEMENTS)) if random.one_in(8 * len(types)) else t for t in types]


def random_options(random, name, gufunc, behind):
    """And where each operand has its core dimensions."""
    options, part = {}, random.part()
    kind, is_numpys = part.choice([5, 4, 3, 2, 1, 0]), name not in OURS
    if kind == 0 and name in ("inner", "largest"):
        options["keepdims"] = True
        behind = behind[: gufunc.inputs] + [behind[0]] * (len(behind) - gufunc.inputs)
    if kind == 1 and is_numpys and len({d for core in gufunc.cores for d in core}) == 1:
        options["axis"] = part.choice([-1, -1, 0, 0, 1, -2, 2])
    elif kind < 3 and name not in ("sum", "total"):  # no gufunc to NumPy
        options["axes"] = True
    if part.one_in(3) and is_numpys:
        options["order"] = part.choice(ORDERS)
    if part.one_in(5) and is_numpys:
        options["casting"] = part.choice(CASTINGS[1:5])
    if part.one_in(8) and is_numpys and name != "largest":
        options["dtype"] = part.choice(list(ELEMENTS))
    elif part.one_in(8) and is_numpys:
        options["signature"] = random_signature(part, gufunc)
    return options, behind


def random_axes(random, ndim, behind):
    part = random.part()
    return tuple(a - ndim if part.number(2) else a for a in part.permutation(ndim)[:behind])


def place_axes(shape, behind, axes):
    """A shape whose last dimensions stand elsewhere."""
    outer, result = list(shape[: len(shape) - behind]), [None] * len(shape)
    for a, n in zip(axes, shape[len(shape) - behind:]):
        result[a] = n
    return [outer.pop(0) if n is None else n for n in result]


def random_shapes(random, name, cores, behind):
    """Returns the shapes of all operands, with their core dimensions last."""
    outer, shapes, inputs = random_outer(random), [], GUFUNCS[name].inputs
    for k, (core, part) in enumerate(zip(cores, random.parts(len(cores)))):
        core = core or [1] * behind[k]
        if name == "added" and k < 2 and part.one_in(3):
            core = [1]
        if core and part.one_in(40 * (1 + len(cores) // 20)):
            core[-1] += 1  # does not fit
        shapes.append((cut(part, outer) if k < inputs else outer) + core)
    return shapes


def random_places(random, shapes, behind, options):
    """The shapes with their core dimensions where the options say; null where they cannot be there."""
    if options.get("axes"):
        options["axes"] = [random_axes(random, len(shape), b) for shape, b in zip(shapes, behind)]
        if random.one_in(20):
            k = random.number(len(shapes))
            options["axes"][k] = tuple(a + 1 for a in options["axes"][k])
            return shapes
        return [place_axes(shape, b, axes) for shape, b, axes in zip(shapes, behind, options["axes"])]
    if "axis" not in options:
        return shapes
    axis = options["axis"]
    if not all(b == 0 or -len(s) <= axis < len(s) for s, b in zip(shapes, behind)):
        return None
    return [place_axes(shape, b, (axis,)) if b else shape for shape, b in zip(shapes, behind)]


def random_output(random, name, dtype, exact, inputs, outs, shape):
    """Made, where an input lies, or elsewhere."""
    kind, out = random.choice([1, 2, 0, 3, 4]), None
    if kind == 0:
        base, view = random.choice(inputs)
        place = shifted(random, base, view, shape, base.dtype) if not exact or base.dtype == dtype else None
        out = None if place is None else (base, place)
    if kind > 2 or (out is None and name in ("every_second", "spread")):
        out = random_array(random, dtype, shape)
    if out is not None and any(o is not None and np.shares_memory(o[1], out[1]) for o in outs):
        return None
    return out


def random_case(random, devices):
    name = random.choice([n for n in GUFUNCS if n != "total" or random.one_in(3)])
    gufunc = GUFUNCS[name]
    extents = random_extents(random, gufunc)
    missing = [d for d in extents if d.endswith("?") and random.number(2)]
    cores = [[extents[d] for d in core if d not in missing] for core in gufunc.cores]
    options, behind = random_options(random, name, gufunc, [len(core) for core in cores])
    exact, loop = name in OURS + ("every_second",), random.choice(gufunc.loops)
    shapes = random_places(random.part(), random_shapes(random.part(), name, cores, behind), behind, options)
    if shapes is None:
        return
    # NumPy preserves what a function does not write if the output has the loop's type.  For arrays without dimensions
    # values decided before NumPy 2.
    exact = exact or any(not shapes[k] for k in range(gufunc.inputs))
    inputs, outs = [], []
    for k, (shape, part) in enumerate(zip(shapes, random.part().parts(len(cores)))):
        is_input = k < gufunc.inputs
        dtype = np.dtype(loop[k]) if exact else random_type(part, gufunc, k, not is_input)
        if is_input:
            inputs.append(random_array(part, dtype, shape))
        else:
            outs.append(random_output(part, name, dtype, exact, inputs, outs, shape))
    compare(devices, name, inputs, outs, options)


def described_options(options):
    options = {name: value and [t if t is None else str(np.dtype(t)) for t in value] if name == "signature" else value
               for name, value in options.items()}
    return "".join(f" {name}={value}" for name, value in options.items())


def compare(devices, name, inputs, outs, options):
    what = (f"{name}({', '.join(described(x) for _, x in inputs)})"
            + "".join(f" into {described(o[1])}" for o in outs if o is not None) + described_options(options))
    log_case(what)
    bases, views = where_outputs_go(outs)
    given = [x for _, x in inputs]
    theirs = {**options, "signature": tuple(map(np.dtype, options["signature"]))} if "signature" in options else options
    expected = (model if name in OURS else numpy_call)(name, given, views, theirs)
    for device in devices:
        on = f"{what} on {device.name}"
        try:
            made, contents = call(device, name, inputs, outs, options)
        except Refused as error:
            if expected is not None:
                fail(on, "is refused", str(error))
            continue
        if expected is None and options.get("casting") == "same_kind":
            continue  # inputs too become by that rule what a loop takes
        if expected is None:
            fail(on, "is not refused")
        for got, wanted in zip(made, expected):
            if wanted is None:
                continue
            if not alike(got[0], wanted):
                fail(on, "another result", got, "is not", wanted)
            if name not in OURS and wanted.size and relevant(got[1], wanted.shape) != relevant(wanted.strides,
                                                                                               wanted.shape):
                fail(on, "another order in memory", f"strides {got[1]}, not {wanted.strides}")
        for got, wanted in zip(contents, bases):
            if wanted is not None and not same(got, wanted):
                fail(on, "another result where the output lies", got, "is not", wanted)


def in_place(devices):
    """Checks an output that is exactly an input, which NumPy does not copy."""
    for name, extents in (("matmul", (4, 4)), ("cross", (3,)), ("sum", ())):
        for t in (types[0] for types in GUFUNCS[name].loops):
            for x in (np.arange(7 * 16.0), np.arange(2.0 * 7 * 16)[::-2]):
                x = x[: 7 * int(np.prod(extents, dtype=int))].reshape((7, *extents)).astype(t)
                wanted = THEIRS[name](x.copy(), x[::-1].copy())
                for out, a, b in ((x, x, x[::-1].copy()), (x[::-1], x.copy(), x[::-1])):
                    kept = x.copy()
                    made = THEIRS[name](a, b, out=out)
                    assert same(made, wanted), (name, t, made, wanted)
                    x[...] = kept


if __name__ == "__main__":
    run(random_case, in_place)
