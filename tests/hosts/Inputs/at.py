"""at.py LIBRARY PROGRAM DEVICES SEED COUNT: ufuncs in place on cells that random indices name, compared byte by byte.

PROGRAM is reduce.c as a shared object.  Each case is computed on all devices, and one index after another by a model in
NumPy; where NumPy has the function and the types, its own ufunc.at has to give the same."""
import ctypes
import sys

import numpy as np

from host import CODES, Refused, check, library, pointer, random_values, random_view, run, same
from operators import MODEL, TYPES

# The array's type, the operand's, and the loop's.
MIXED = [("f2", "f4", "f4"), ("i1", "i8", "i8"), ("f4", "f2", "f4"), ("c8", "c16", "c16"), ("f4", "c8", "c8")]
NUMPY = {"add": np.add, "subtract": np.subtract, "least": np.minimum, "either": np.bitwise_or}
CELLS = {**TYPES, "half": ["f4"], "less": ["f4"]}


def at(device, name, base, view, indices, operand):
    made = list(device.array(base, view)) + list(device.array(*indices))
    made += list(device.array(*operand)) if operand else []
    try:
        check(library.gpucc_ufunc_at(device.ufunc(name), made[1], made[3], made[5] if operand else None, None))
        return device.read(made[0])
    finally:
        for array in made:
            library.gpucc_array_release(array)


def model(name, x, indices, operand, loop):
    """In place."""
    functions = {**MODEL, "half": lambda v: v / v.dtype.type(2), "less": np.less}
    b = None if operand is None else np.broadcast_to(operand, indices.shape + x.shape[1:])
    for place in np.ndindex(*indices.shape):
        i = int(indices[place])
        arguments = [x[i].astype(loop)] + ([] if b is None else [b[place].astype(loop)])
        x[i] = np.asarray(functions[name](*arguments)).astype(x.dtype)


def random_operand(random, dtype, shape):
    """What broadcasts to the shape."""
    shape = [1 if random.integers(4) == 0 else n for n in shape][int(random.choice([0, 0, random.integers(0, 9)])):]
    return random_view(random, lambda n: random_values(random, dtype, n), shape)


def random_case(random, devices):
    name = str(random.choice(list(MODEL) + ["half", "less", "add", "add"]))
    dtype = str(random.choice(CELLS.get(name, ["u2", "f8"])))
    loop = other = dtype
    if name == "add" and random.integers(3) == 0:
        dtype, other, loop = MIXED[int(random.integers(len(MIXED)))]
    ndim = int(random.choice([1, 1, 1, 2, 2, 3, 5]))
    shape = [int(random.integers(1, 300 if ndim == 1 else 9)) for _ in range(ndim)]
    base, x = random_view(random, lambda n: random_values(random, dtype, n), shape)
    places = [int(random.integers(0, 12)) for _ in range(int(random.choice([0, 1, 1, 1, 2, 3])))]
    if len(places) == 1 and random.integers(3) == 0:
        places = [int(random.integers(0, 4000 if ndim == 1 else 200))]
    lowest = 0 if random.integers(2) else -shape[0]
    few = int(random.choice([shape[0], 1, min(shape[0], 3)]))
    index_type = str(random.choice(["i8", "i4", "i2"] + (["u2", "u8"] if lowest == 0 else [])))
    index_base, index_view = random_view(random, lambda n: random.integers(lowest, lowest + few, n).astype(index_type),
                                         places)
    wrong = index_view.size > 0 and random.integers(10) == 0
    if wrong:
        index_view[tuple(int(random.integers(n)) for n in places)] = shape[0]
    operand = None if name == "half" else random_operand(random, other, places + shape[1:])
    what = f"{name} {dtype} {x.shape} {x.strides} {index_view!r} {other} {operand and operand[1].shape}"
    wanted = base.copy()
    view = np.ndarray(x.shape, x.dtype, wanted, x.ctypes.data - base.ctypes.data, x.strides)
    if not wrong:
        with np.errstate(all="ignore"):
            model(name, view, index_view, operand and operand[1], loop)
    for device in devices:
        try:
            result = at(device, name, base, x, (index_base, index_view), operand)
        except Refused as error:
            if not wrong:
                sys.exit(f"{what}: {error}")
            continue
        if wrong:
            sys.exit(f"{what}: not refused")
        if not same(result, wanted):
            sys.exit(f"{what} on {device.name}:\n{result!r}\nis not\n{wanted!r}")
    if name in NUMPY and dtype == loop == other and dtype in ("i1", "i8", "u1", "i4", "f4", "u2") and not wrong:
        theirs = x.copy()
        NUMPY[name].at(theirs, index_view.astype(int), operand[1])
        if not same(theirs, view.copy()):
            sys.exit(f"{what}: NumPy has not what the model has")


import warnings
warnings.simplefilter("ignore")
run(random_case)
