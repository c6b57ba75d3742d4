"""fused.py LIBRARY PROGRAM DEVICES SEED COUNT: fused functions on random arrays, compared byte by byte with the same in
steps by the ufuncs that they are made of.

PROGRAM is fused.c as a shared object.  Each case is computed on all devices."""
import ctypes

import numpy as np

from bfloat16 import BFLOAT16
from cases import fail, run, log_case
from host import CODES, Refused, check, described, library, pointer, random_values, random_view, same
from reduce import ReduceOptions, ALL_AXES, axes_of, random_axes, random_mask, whole
from operators import random_shape

TYPES = {"scalar": ["f2", BFLOAT16, "c16"], "lowest": ["f4", "f8"], "count": ["f4", "f8"], "many": ["i4"]}
INPUTS = {"axpy": 3, "three": 3, "lowest": 1, "many": 43}
BY = {"dot": "add", "three": "add", "lowest": "least", "folded": "sub", "scalar": "plus", "count": "sum",
      "many": "sum"}
# Types that one of several inputs may have: it is converted to the type of the others.
NARROWER = {"i4": ["b1", "i1", "u1", "i2", "u2"], "f4": ["i1", "i2", "u2", "f2"], "f8": ["u1", "i2", "i4", "u4", "f2", "f4"],
            "f2": ["b1", "i1", "u1"], "c16": ["i4", "f4", "f8", "c8"]}
IDENTITIES = ("add", "plus", "sum")


class Work:
    """Arrays of one device, and calls that fill them."""

    def __init__(self, device):
        self.device, self.made = device, []

    def own(self, array):
        self.made.append(array)
        return array

    def operands(self, pairs):
        return [[self.own(a) for a in self.device.array(*pair)][1] for pair in pairs]

    def scalar(self, value):
        made = pointer()
        check(library.gpucc_array_scalar(self.device.context, CODES[value.dtype],
                                         np.asarray(value).ctypes.data_as(pointer), ctypes.byref(made)))
        return self.own(made)

    def call(self, name, *inputs):
        ufunc, out = self.device.ufunc(name), (pointer * 1)()
        check(library.gpucc_ufunc_call(ufunc, (pointer * len(inputs))(*inputs), out, None))
        return self.own(pointer(out[0]))

    def reduce(self, name, inputs, how, out=None):
        result = pointer() if out is None else out
        if name in BY.values():
            check(library.gpucc_ufunc_reduce(self.device.ufunc(name), inputs[0], ctypes.byref(result), ctypes.byref(how)))
        else:
            check(library.gpucc_reduction_call(self.device.ufunc(name), (pointer * len(inputs))(*inputs),
                                               ctypes.byref(result), ctypes.byref(how)))
        return result if out is not None else self.own(result)

    def options(self, axes, keepdims, initial, where):
        how = ReduceOptions(ctypes.sizeof(ReduceOptions))
        if axes == "all":
            how.axis_count = ALL_AXES
        elif axes is not None:
            how.axes, how.axis_count = (whole * max(len(axes), 1))(*axes), len(axes)
        how.keepdims = keepdims
        how.initial = None if initial is None else self.scalar(initial)
        how.where = None if where is None else self.operands([where])[0]
        return how

    def release(self):
        self.device.check_inputs()
        for array in self.made:
            library.gpucc_array_release(array)


def in_steps(work, name, x):
    """Computes the fused function's expression by separate calls."""
    if name == "axpy":
        return work.call("add", work.call("mul", x[0], x[1]), x[2])
    if name == "three":
        three = work.scalar(np.asarray(3, work.dtype))
        return work.call("mul", x[0], work.call("add", x[1], work.call("mul", x[2], three)))
    function = {"dot": "mul", "lowest": "wave", "folded": "mul", "scalar": "times", "count": "below",
                "many": "sums"}[name]
    return work.call(function, *x)


def random_inputs(random, dtype, count, shape):
    """Broadcast against one another to the shape, which one of them has; some are scalars, and one of several may be of
    a narrower type."""
    inputs = []
    types = [dtype] * count
    narrower = NARROWER.get(dtype.str[1:])
    if narrower and count > 1 and random.one_in(2):
        types[random.number(count)] = np.dtype(random.choice(narrower))
    for i, part in enumerate(random.parts(count)):
        of = [1 if d.one_in(4) else n for d, n in zip(part.parts(len(shape)), shape)]
        of = of[part.number(3) // 2 * part.number(5):]
        inputs.append(random_view(part, lambda p, n: random_values(p, types[i], n), shape if i == 0 else of))
    return [inputs[i] for i in random.permutation(count)]


def both(device, name, inputs, dtype, how):
    """Fused, and in steps; None for what is refused."""
    results = []
    for fused in (True, False):
        work = Work(device)
        work.dtype = dtype
        try:
            x = work.operands(inputs)
            if name == "axpy":
                made = work.call(name, *x) if fused else in_steps(work, name, x)
            else:
                options = work.options(*how)
                made = work.reduce(name, x, options) if fused else work.reduce(BY[name], [in_steps(work, name, x)], options)
            results.append(device.read(made))
        except Refused:
            results.append(None)
        finally:
            work.release()
    return results


def random_case(random, devices):
    name = random.choice([n for n in ["axpy", *BY] if n != "many" or random.one_in(4)])
    dtype = np.dtype(random.choice(TYPES.get(name, ["i4", "f4", "f8"])))
    shape = random_shape(random)
    inputs = random_inputs(random.part(), dtype, INPUTS.get(name, 2), shape)
    full = np.broadcast_shapes(*(view.shape for base, view in inputs))
    axes = random_axes(random, len(full), name != "folded")
    element = np.dtype("i4") if name == "count" else dtype
    initial = random_values(random.part(), element, 1)[0] if random.one_in(3) else None
    where = random_mask(random, np.broadcast_to(inputs[0][1], full)) if random.one_in(3) else None
    how = (axes, bool(random.number(2)), initial, where)
    what = f"{name}({', '.join(described(v) for b, v in inputs)})" + "".join(f" {option}={value}" for option, value in (
        ("axes", axes), ("keepdims", how[1] or None), ("initial", initial), ("where", where and described(where[1])))
        if value is not None)
    log_case(what)
    compare(what, devices, name, inputs, dtype, how, 0 in full)


def compare(what, devices, name, inputs, dtype, how, is_empty):
    first = None
    for device in devices:
        fused, steps = both(device, name, inputs, dtype, how)
        if (fused is None) != (steps is None) or (fused is not None and not same(fused, steps)):
            fail(f"{what} on {device.name}", "is not what its steps make", fused, "is not", steps)
        first = fused if device is devices[0] else first
        if (fused is None) != (first is None) or (fused is not None and not same(fused, first)):
            fail(f"{what} on {device.name}", f"another result than on {devices[0].name}", fused, "is not", first)
    axes, keepdims, initial, where = how
    may_be_refused = name != "axpy" and BY[name] not in IDENTITIES and initial is None
    if first is None and not (may_be_refused and (where is not None or is_empty)):
        fail(what, "is refused")


run(random_case)
