"""products.py LIBRARY PROGRAM DEVICES SEED COUNT: products of random matrices with what is fused to them.

PROGRAM is products.c as a shared object.  Results are compared with NumPy's in float64 or wider, with the bound of sums of
k rounded products, and what outputs do not cover must keep its bytes.  All devices must return the same bits, except
for bfloat16, which the matrix units add in another order."""
import ctypes

import numpy as np

from bfloat16 import BFLOAT16, narrow, widen
from cases import fail, run, log_case
from host import CallOptions, Operands, check, cut, described, library, pointer, random_operand, same, where_outputs_go

# The core dimensions of the inputs; those with a star broadcast.
CORES = {"linear": ["mk", "kn", "mn*"], "scaled": ["mn*", "mk", "mk*", "kn"], "counted": ["mk", "kn", "mn*"],
         "layer": ["mk", "kn", "mn*"]}
TYPES = {"linear": ["f4", "f8"], "scaled": [BFLOAT16], "counted": ["i1"], "layer": [BFLOAT16]}
EPSILON = {"f4": 2.0**-24, "f8": 2.0**-53}
EXTENTS = [1, 2, 3, 5, 8, 16, 17, 31, 33]
EDGES = [63, 64, 65, 127, 128, 129, 130]  # of tiles


def small_values(random, dtype, n):
    values = random.values()
    if dtype.kind == "i":
        return values.integers(-128, 128, n).astype(dtype)
    numbers = values.standard_normal(n) * 2.0 ** values.integers(-3, 4, n)
    return narrow(numbers) if dtype == BFLOAT16 else numbers.astype(dtype)


def random_extents(random):
    extents = {d: 0 if p.one_in(30) else p.choice(EXTENTS) for d, p in zip("mkn", random.part().parts(3))}
    if random.one_in(6):
        extents[random.choice("mkn")] = random.choice(EDGES)
    return extents


def model(name, inputs):
    """In a wider type, and a bound of the difference from the result."""
    x = [widen(x).astype("i8" if x.dtype.kind == "i" else np.longdouble) for x in inputs]
    if name == "counted":
        return (np.matmul(x[0], x[1]) - x[2]).astype("i4"), 0
    if name == "scaled":  # each step rounds to 8 bits
        size = np.abs(x[0]) + np.matmul(np.abs(x[1] * x[2]), np.abs(x[3] / 2))
        return x[0] + np.matmul(x[1] * x[2], x[3] / 2), size * 2.0**-6
    size = np.matmul(np.abs(x[0]), np.abs(x[1])) + np.abs(x[2])
    if name == "layer":
        return np.matmul(x[0], x[1]) + x[2], size * 2.0**-7
    least = np.finfo(inputs[0].dtype).smallest_subnormal
    return np.matmul(x[0], x[1]) + x[2], (size * EPSILON[inputs[0].dtype.str[1:]] + least) * (x[0].shape[-1] + 2)


def call(device, name, inputs, out):
    """The result, or the memory in which the output lies that is given as (base, view)."""
    operands, how = Operands(device), CallOptions(ctypes.sizeof(CallOptions))
    made = None
    try:
        given = (pointer * len(inputs))(*[operands.add(*x) for x in inputs])
        results = (pointer * 1)(None if out is None else operands.add(*out))
        check(library.gpucc_ufunc_call(device.ufunc(name), given, results, ctypes.byref(how)))
        made = pointer(results[0]) if out is None else None
        return device.read(made) if out is None else device.read_flat(operands.bases[id(out[0])])
    finally:
        if made:
            library.gpucc_array_release(made)
        operands.release([out])


def random_input(random, core, dtype, extents, missing, outer):
    dimensions = [extents[d] for d in core if d in extents and d not in missing]
    if core.endswith("*"):
        return random_operand(random, dtype, cut(random.part(), [*outer, *dimensions]), small_values)
    lacks = any(d in missing for d in core)  # then it has no loop dimensions
    return random_operand(random, dtype, [*([] if lacks else cut(random.part(), outer)), *dimensions], small_values)


def random_case(random, devices):
    name = random.choice(list(CORES))
    dtype, extents = np.dtype(random.choice(TYPES[name])), random_extents(random.part())
    missing = [d for d in ("n" if name == "scaled" else "mn") if random.one_in(8)]
    part = random.part()
    outer = [d.choice([2, 1, 3]) for d in part.parts(part.choice([0, 0, 1, 2]))] if max(extents.values()) < 60 else []
    types = [np.dtype("i4") if name == "counted" and core == "mn*" else dtype for core in CORES[name]]
    inputs = [random_input(p, core, t, extents, missing, outer)
              for core, t, p in zip(CORES[name], types, random.part().parts(len(types)))]
    wanted, bound = model(name, [x for _, x in inputs])
    out = random_operand(random.part(), types[0] if name != "counted" else np.dtype("i4"), wanted.shape, small_values)
    compare(devices, name, inputs, out, wanted, bound)


def compare(devices, name, inputs, out, wanted, bound):
    what = f"{name}({', '.join(described(x) for _, x in inputs)}) into {described(out[1])}"
    log_case(what)
    first = None
    for device in devices:
        on = f"{what} on {device.name}"
        got = call(device, name, inputs, None)
        if got.dtype != out[1].dtype or got.shape != wanted.shape:
            fail(on, "another type or shape", described(got))
        if not (np.abs(widen(got) - wanted) <= bound).all():
            fail(on, "another result", got, "is not", wanted)
        first = got if first is None else first
        if got.dtype != BFLOAT16 and not same(got, first):
            fail(on, "other bits than on " + devices[0].name, got, "is not", first)
        (base,), (view,) = where_outputs_go([out])
        view[...] = got
        if not same(call(device, name, inputs, out), base):
            fail(on, "another result where the output lies")


def wide_output(m, n):
    out = narrow(np.full(m * n, 7.0))
    return out, out.reshape(m, n)


def at_edges(devices):
    """Checks more rows than one tile or one thread's share, with a bias for each row, and sums that are -0."""
    random = np.random.default_rng(1)
    # Tiles by warpgroups of each width, of more than one stage, with aligned rows and others.
    for m, k, n in (130, 72, 1000), (130, 9, 1500), (3, 8, 2046), (300, 520, 64), (520, 70, 1000), (300, 520, 600):
        values = [narrow(random.standard_normal(shape)) for shape in ((m, k), (k, n), (1, n))]
        compare(devices, "layer", [(x, x) for x in values], wide_output(m, n), *model("layer", values))
    # Transposed matrices as they lie.
    for turned in 1, 2, 3:
        for m, k, n in (136, 72, 200), (264, 80, 328):
            values = [narrow(random.standard_normal(shape)) for shape in ((m, k), (k, n), (1, n))]
            inputs = [(x, x) for x in values]
            for i in range(2):
                if turned >> i & 1:
                    base = np.ascontiguousarray(values[i].T)
                    inputs[i] = base, base.T
            compare(devices, "layer", inputs, wide_output(m, n), *model("layer", values))
    for dtype, m, k, n, tiny in ("f4", 129, 17, 131, 0), ("f8", 130, 35, 66, 0), ("f4", 9, 17, 9, 1e-30):
        values = [random.standard_normal(shape).astype(dtype) for shape in ((m, k), (k, n), (m, 1))]
        if tiny:
            values = [np.full_like(x, number) for x, number in zip(values, (-tiny, tiny, -0.0))]
        inputs = [(x, x) for x in values]
        out = np.full(m * n, 7, dtype)
        compare(devices, "linear", inputs, (out, out.reshape(m, n)), *model("linear", [x for x, _ in inputs]))


if __name__ == "__main__":
    run(random_case, at_edges)
