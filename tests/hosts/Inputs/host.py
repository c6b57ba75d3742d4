"""libgpucc.so in Python: devices, arrays that are views of random ones, and what is common to the tests of this folder.
The command line begins with LIBRARY PROGRAM DEVICES: PROGRAM is a program as a shared object, and DEVICES are
like cpu:1,cpu:4,cuda, the CPU with so many threads or a GPU; +cuda:all is all of them, and arrays stay on the host;
=cuda:0+1 these two, between which arrays are split."""
import ctypes
import itertools
import os
import sys
import warnings

import numpy as np

from bfloat16 import BFLOAT16, narrow, widen

DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", BFLOAT16, "f4", "f8", "c8", "c16"]
CODES = {np.dtype(t): i for i, t in enumerate(DTYPES)}
OK = 0
pointer, whole = ctypes.c_void_p, ctypes.c_int


class ContextOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("device", ctypes.c_char_p), ("cuda_context", pointer),
                ("cuda_stream", pointer), ("cpu_threads", whole), ("log", pointer), ("log_data", pointer)]


library = ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)  # for what PROGRAM calls
library.gpucc_last_error.restype = library.gpucc_dtype_name.restype = ctypes.c_char_p
ANY = next(code for code in itertools.count() if library.gpucc_dtype_name(code) == b"?")  # in a signature
library.gpucc_array_shape.restype = ctypes.POINTER(ctypes.c_int64)
for name in ("ndim", "shape", "dtype", "release"):
    getattr(library, "gpucc_array_" + name).argtypes = [pointer]
library.gpucc_array_release.restype = None
library.gpucc_array_strides.restype = ctypes.POINTER(ctypes.c_int64)
library.gpucc_array_strides.argtypes = [pointer]
library.gpucc_array_read.argtypes = [pointer, pointer, ctypes.c_size_t]
library.gpucc_array_view.argtypes = [pointer, whole, pointer, pointer, ctypes.c_int64, pointer]
name = os.path.splitext(os.path.basename(sys.argv[2]))[0]
image = ctypes.addressof(ctypes.c_char.in_dll(ctypes.CDLL(sys.argv[2]), "gpucc_program_" + name))


class Refused(Exception):
    pass


def check(status):
    if status != OK:
        raise Refused(library.gpucc_last_error().decode())


def numbers(values):
    return (ctypes.c_int64 * max(len(values), 1))(*values)


class Device:
    def __init__(self, name):
        kind, _, threads = name.partition(":") if name.startswith("cpu") else (name.lstrip("+=").replace("+", ","), "", "")
        self.on_host, self.splits = name.startswith("+"), name.startswith("=")
        options = ContextOptions(ctypes.sizeof(ContextOptions), kind.encode(), None, None, int(threads or 1))
        self.name, self.context, self.program, self.kept, self.given = name, pointer(), pointer(), {}, []
        check(library.gpucc_context_create(ctypes.byref(options), ctypes.byref(self.context)))
        check(library.gpucc_program_load(self.context, pointer(image), ctypes.byref(self.program)))

    def array(self, base, view):
        """Returns the array that is to a copy of `base` as `view` is to `base`."""
        copy, flat = pointer(), np.ascontiguousarray(base).reshape(-1)
        made = self.array_over(copy, flat, base, view)
        self.given.append((made[0], flat))
        return made

    def array_over(self, copy, flat, base, view):
        if self.on_host:
            flat = flat.copy()
            self.kept[ctypes.addressof(copy)] = copy, flat
            check(library.gpucc_array_wrap(self.context, CODES[base.dtype], 1, numbers([flat.size]), None,
                                           flat.ctypes.data_as(pointer), 0, ctypes.byref(copy)))
            return copy, self.view(copy, base, view)
        if self.splits:
            check(library.gpucc_array_create_split(self.context, CODES[base.dtype], 1, numbers([flat.size]),
                                                   ctypes.byref(copy)))
            check(library.gpucc_array_write(copy, flat.ctypes.data_as(pointer), ctypes.c_size_t(flat.nbytes)))
            return copy, self.view(copy, base, view)
        check(library.gpucc_array_from_host(self.context, CODES[base.dtype], 1, numbers([flat.size]), None,
                                            flat.ctypes.data_as(pointer), ctypes.byref(copy)))
        return copy, self.view(copy, base, view)

    def read(self, array):
        out = np.empty(shape_of(array), DTYPES[library.gpucc_array_dtype(array)])
        check(library.gpucc_array_read(array, out.ctypes.data_as(pointer), out.nbytes))
        return out

    def check_inputs(self, *written):
        """No array that was given since the last time has other elements now, gaps included, but for those written."""
        given, self.given = self.given, []
        for array, flat in given:
            if array.value not in [w.value for w in written]:
                now = self.read(array)
                assert same(now, flat), ("an input has been written to", now, flat)

    def read_flat(self, array):
        return self.read(array).reshape(-1)

    def ufunc(self, name):
        ufunc = pointer()
        check(library.gpucc_program_ufunc(self.program, name.encode(), ctypes.byref(ufunc)))
        return ufunc

    def view(self, base, array, view):
        """Returns the array that is to the device's copy as `view` is to `array`."""
        made, offset = pointer(), view.ctypes.data - array.ctypes.data if view.size else 0
        check(library.gpucc_array_view(base, view.ndim, numbers(view.shape), numbers(view.strides), offset,
                                       ctypes.byref(made)))
        return made


# ---- calls ----

CASTINGS = [None, "no", "equiv", "safe", "same_kind", "unsafe"]
ORDERS = ["K", "C", "F", "A"]


class CallOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("stream", pointer), ("where", pointer), ("casting", whole),
                ("dtype", ctypes.POINTER(whole)), ("order", whole), ("axes", ctypes.POINTER(whole)),
                ("axis_count", whole), ("axis", ctypes.POINTER(whole)), ("keepdims", whole),
                ("signature", ctypes.POINTER(whole))]


class Operands:
    """Views and the arrays that they lie in, on a device."""

    def __init__(self, device):
        self.device, self.bases, self.made = device, {}, []

    def add(self, base, view):
        if id(base) not in self.bases:
            self.bases[id(base)], made = self.device.array(base, view)
        else:
            made = self.device.view(self.bases[id(base)], base, view)
        self.made.append(made)
        return made

    def number(self, number):
        made = pointer()
        check(library.gpucc_array_number(self.device.context, CODES[number.dtype],
                                         number.array.ctypes.data_as(pointer), ctypes.byref(made)))
        self.made.append(made)
        return made

    def release(self, outs):
        self.device.check_inputs(*[self.bases[id(o[0])] for o in outs if o and id(o[0]) in self.bases])
        for array in self.made + list(self.bases.values()):
            library.gpucc_array_release(array)
        self.device.kept.clear()


def signature_of(types):
    """As an option: null stands for any type."""
    return None if types is None else (whole * len(types))(*[ANY if t is None else CODES[np.dtype(t)] for t in types])


def check_order(result, of, kept, keepdims=False):
    """Whether the result lies in memory as NumPy's iterator makes it of views, (view, which of the elements' dimensions
    each of its own is, or -1), along the dimensions that are kept."""
    ndim = 1 + max([d for _, dims in of for d in dims], default=-1)
    axes = [[kept.index(d) if d in kept else -1 for d in range(ndim)]]
    axes += [[dims.index(d) if d in dims else -1 for d in range(ndim)] for _, dims in of]
    if ndim == 0 or not all(view.size for view, _ in of):
        return
    views = [view for view, _ in of]
    it = np.nditer([None, *views], ["reduce_ok"], [["readwrite", "allocate"]] + [["readonly"]] * len(views),
                   ["i1"] + [view.dtype for view in views], op_axes=axes)
    size = np.dtype(DTYPES[library.gpucc_array_dtype(result)]).itemsize
    steps = [s for d, s in enumerate(strides_of(result)) if not keepdims or d in kept]
    extents = [n for d, n in enumerate(shape_of(result)) if not keepdims or d in kept]
    wanted = relevant([size * s for s in it.operands[0].strides], extents)
    assert relevant(steps, extents) == wanted, ("another order in memory", strides_of(result), "not", wanted)


def shape_of(array):
    return tuple(library.gpucc_array_shape(array)[: library.gpucc_array_ndim(array)])


def strides_of(array):
    return tuple(library.gpucc_array_strides(array)[: library.gpucc_array_ndim(array)])


# ---- conversions ----

def convert(x, to):
    """As C and gpucc do it, where NumPy leaves it to the machine or rounds twice."""
    x, to = np.asarray(x), np.dtype(to)
    if to == BFLOAT16:
        return narrow(x)
    x = widen(x)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if x.dtype.kind in "fc" and to.kind in "iu":
            real = x.real.astype("f8")
            limits = np.iinfo(to)
            inside = np.where((real > limits.min) & (real < float(limits.max)), real, 0).astype(to)
            return np.where(real >= float(limits.max), to.type(limits.max),
                            np.where(real <= float(limits.min), to.type(limits.min), inside))
        if x.dtype.kind in "iu" and to == "f2":
            return x.astype("f8").astype(to)
        return x.astype(to)


# ---- random arrays, by Draws ----

def random_values(random, dtype, n):
    dtype, values = np.dtype(dtype), random.values()
    if dtype.kind == "b":
        return values.integers(0, 2, n) > 0
    if dtype.kind in "iu":
        return values.integers(0, 256, (n, dtype.itemsize), np.uint8).view(dtype).reshape(n)
    with np.errstate(over="ignore"):
        parts = [values.standard_normal(n) * 10.0 ** values.integers(-2, 3, n) for _ in range(1 + (dtype.kind == "c"))]
        return narrow(parts[0]) if dtype == BFLOAT16 else \
            (parts[0] + 1j * parts[1] if dtype.kind == "c" else parts[0]).astype(dtype)


def random_view(random, base_values, shape, before=3):
    """A view of this shape with random strides, and the array in which it lies: base_values(Draws, length).  Where it
    is not reversed, it begins `before` elements behind that one's first: 16 of them are what loops for elements that lie
    together need."""
    part = random.part()
    dimensions = part.parts(len(shape))
    steps = [d.choice([1, 1, 1, 2, 3]) for d in dimensions]
    room = [max(n * s, 1) for n, s in zip(shape, steps)]
    order = part.permutation(len(shape)) if part.number(2) else list(range(len(shape)))
    length = 1
    for n in room:
        length *= n
    base = base_values(part, before + length + 2)
    view = base[before:-2].reshape([room[d] for d in order]).transpose([order.index(d) for d in range(len(shape))])
    view = view[(*(slice(0, n * s, s) for n, s in zip(shape, steps)), ...)]
    return base, view[(*(slice(None, None, -1 if d.one_in(4) else 1) for d in dimensions), ...)]


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def cut(random, shape):
    """A shape that broadcasts to this one."""
    part = random.part()
    shape = [1 if d.one_in(5) else n for d, n in zip(part.parts(len(shape)), shape)]
    return shape[part.number(len(shape) + 1):] if part.one_in(4) else shape


def random_operand(random, dtype, shape, values=random_values):
    return random_view(random, lambda part, n: values(part, dtype, n), shape)


def shifted(random, base, view, shape, dtype):
    """Another view of the same memory, if there is room for it."""
    if base.dtype != dtype or 0 in shape:
        return None
    part = random.part()
    strides = np.empty(shape, np.dtype(("V", dtype.itemsize))).strides
    if view.shape == tuple(shape) and part.number(2):
        strides = view.strides
    reach = [(n - 1) * s for n, s in zip(shape, strides) if n]
    low, high = -sum(r for r in reach if r < 0), base.nbytes - sum(r for r in reach if r > 0) - dtype.itemsize
    if high < low:
        return None
    at = part.integers(low, high + 1) // dtype.itemsize * dtype.itemsize
    if strides == view.strides and part.number(2):  # not far away
        here = view.ctypes.data - base.ctypes.data
        at = here + part.integers(-9, 10) * dtype.itemsize
        at = at if low <= at <= high else low
    return np.ndarray(shape, dtype, base, max(at, low), strides)


def placed(base, view):
    """A copy of base, and in it what `view` is to base."""
    copied = base.copy()
    offset = view.ctypes.data - base.ctypes.data if view.size else 0
    return copied, np.ndarray(view.shape, base.dtype, copied, offset, view.strides)


def where_outputs_go(outs):
    """A copy of each memory in which outputs lie, and the outputs in it."""
    copies = {id(o[0]): o[0].copy() for o in outs if o is not None}
    bases = [None if o is None else copies[id(o[0])] for o in outs]
    views = [None if o is None else np.ndarray(o[1].shape, b.dtype, b, o[1].ctypes.data - o[0].ctypes.data
                                               if o[1].size else 0, o[1].strides) for o, b in zip(outs, bases)]
    return bases, views


def relevant(strides, shape):
    return [s for s, n in zip(strides, shape) if n > 1]


def described(x):
    name = "bfloat16" if x.dtype == BFLOAT16 else x.dtype
    plain = x.strides == np.empty(x.shape, x.dtype).strides or x.size < 2
    return f"{name}{x.shape}" + ("" if plain else f" by {x.strides} bytes")


def alike(a, b):
    """The same bytes, but for those of NaNs, whose signs NumPy leaves to the machine."""
    return same(a, b) or same(plain(a), plain(b))


def plain(x):
    x = np.array(x, order="C")
    if x.dtype.kind in "fc":
        parts = x.reshape(-1).view(x.real.dtype)
        parts[np.isnan(parts)] = np.nan
    if x.dtype == BFLOAT16:
        x["bfloat16"][np.isnan(widen(x))] = 0x7fc0
    return x
