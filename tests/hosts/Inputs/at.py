"""at.py LIBRARY PROGRAM DEVICES SEED COUNT: ufuncs in place on cells that random indices name, compared byte by byte.

PROGRAM is at.c as a shared object.  Each case is computed on all devices, and one index after another by a model in
NumPy; where NumPy has the function and the types, its own ufunc.at has to give the same."""
import ctypes
import sys

import numpy as np

from host import CODES, Refused, check, library, pointer, random_values, random_view, run, same

# The array's type, the operand's, and the loop's.
MIXED = [("f2", "f4", "f4"), ("i1", "i8", "i8"), ("f4", "f2", "f4"), ("c8", "c16", "c16"), ("f4", "c8", "c8")]
NUMPY = {"add": np.add, "subtract": np.subtract, "least": np.minimum, "most": np.maximum, "either": np.bitwise_or,
         "both": np.bitwise_and, "flip": np.bitwise_xor, "any": np.logical_or, "all": np.logical_and}


def clipped(x, y):
    return np.clip(np.int64(x) + np.int64(y), -2**31, 2**31 - 1).astype("i4")


MODEL = {**NUMPY, "mix": lambda x, y: x * x.dtype.type(3) - y, "clipped": clipped, "keep_first": lambda x, y: x,
         "half": lambda x: x / x.dtype.type(2), "less": np.less}
T, R, S, B = ["i1", "i4", "i8", "f2", "f4", "c8", "c16"], ["u2", "i4", "u8", "f8"], ["i2", "i8"], ["u1", "i4", "u8"]
CELLS = {"add": T, "subtract": R, "least": R, "most": S, "either": B, "both": B, "flip": B, "any": ["?"], "all": ["?"],
         "mix": R, "clipped": ["i4"], "keep_first": ["c8"], "half": ["f4"], "less": ["f4"]}


def at(device, name, base, view, indices, operand):
    """The array, and why the call was refused or None."""
    made = list(device.array(base, view)) + list(device.array(*indices))
    made += list(device.array(*operand)) if operand else []
    refused = None
    try:
        check(library.gpucc_ufunc_at(device.ufunc(name), made[1], made[3], made[5] if operand else None, None))
    except Refused as error:
        refused = str(error)
    try:
        return device.read(made[0]), refused
    finally:
        for array in made:
            library.gpucc_array_release(array)


def model(name, x, indices, operand, loop):
    """In place."""
    b = None if operand is None else np.broadcast_to(operand, indices.shape + x.shape[1:])
    for place in np.ndindex(*indices.shape):
        i = int(indices[place])
        arguments = [x[i].astype(loop)] + ([] if b is None else [b[place].astype(loop)])
        x[i] = np.asarray(MODEL[name](*arguments)).astype(x.dtype)


def random_operand(random, dtype, shape):
    """What broadcasts to the shape."""
    shape = [1 if random.integers(4) == 0 else n for n in shape][int(random.choice([0, 0, random.integers(0, 9)])):]
    return random_view(random, lambda n: random_values(random, dtype, n), shape)


def random_case(random, devices):
    name = str(random.choice(list(MODEL) + ["add", "add"]))
    dtype = str(random.choice(CELLS[name]))
    loop = other = dtype
    if name == "add" and random.integers(3) == 0:
        dtype, other, loop = MIXED[int(random.integers(len(MIXED)))]
    ndim = int(random.choice([1, 1, 1, 2, 2, 3, 5]))
    shape = [int(random.integers(1, 300 if ndim == 1 else 9)) for _ in range(ndim)]
    base, x = random_view(random, lambda n: random_values(random, dtype, n), shape)
    places = [int(random.integers(0, 12)) for _ in range(int(random.choice([0, 1, 1, 1, 2, 3])))]
    if ndim < 3 and random.integers(20) == 0:
        places = [int(random.integers(2, 5)) for _ in range(6)]
    if len(places) == 1 and random.integers(3) == 0:
        places = [int(random.integers(0, int(random.choice([4000, 4000, 20000])) if ndim == 1 else 200))]
    lowest = 0 if random.integers(2) else -shape[0]
    few = int(random.choice([shape[0], 1, min(shape[0], 3)]))
    index_type = str(random.choice(["i8", "i4", "i2"] + (["u1", "u2", "u4", "u8"] if lowest == 0 else [])))
    few = min(few, 200) if index_type == "u1" else few
    index_base, index_view = random_view(random, lambda n: random.integers(lowest, lowest + few, n).astype(index_type),
                                         places)
    wrong = index_view.size > 0 and random.integers(10) == 0
    wrong = wrong and shape[0] <= np.iinfo(index_type).max
    if wrong:
        index_view[tuple(int(random.integers(n)) for n in places)] = shape[0]
    operand = None if name == "half" else random_operand(random, other, places + shape[1:])
    what = f"{name} {dtype} {x.shape} {x.strides} {index_view!r} {other} {operand and operand[1].shape}"
    wanted = base.copy()
    view = np.ndarray(x.shape, x.dtype, wanted, x.ctypes.data - base.ctypes.data, x.strides)
    if not wrong:
        with np.errstate(all="ignore"):
            model(name, view, index_view, operand and operand[1], loop)
    message = f"{name}: index {shape[0]} is out of bounds of an axis of {shape[0]} elements" if wrong else None
    for device in devices:
        result, refused = at(device, name, base, x, (index_base, index_view), operand)
        if refused != message:
            sys.exit(f"{what} on {device.name}: {refused}")
        if not same(result, wanted):
            sys.exit(f"{what} on {device.name}:\n{result!r}\nis not\n{wanted!r}")
    if name in NUMPY and dtype == loop == other and dtype[0] in "iu?f" and dtype != "f2" and not wrong:
        theirs = x.copy()
        NUMPY[name].at(theirs, index_view.astype(int), operand[1])
        if not same(theirs, view.copy()):
            sys.exit(f"{what}: NumPy has not what the model has")


def check_large(random, devices):
    """More indices than the stand-in, which has 1 GiB of memory, sorts at a time."""
    for dtype in ("f4", "i4"):
        cells, count = 1000, 300000
        x, operand = random_values(random, dtype, cells), random_values(random, dtype, count)
        indices = random.integers(-cells, cells, count).astype("i4")
        wanted = x.copy()
        np.add.at(wanted, indices, operand)
        for device in devices:
            result, refused = at(device, "add", x, x, (indices, indices), (operand, operand))
            if refused or not same(result, wanted):
                sys.exit(f"{count} indices, {dtype}, on {device.name}")


cases = 0


def one_case(random, devices):
    global cases
    if cases == 0:
        check_large(random, devices)
    cases += 1
    random_case(random, devices)


import warnings
warnings.simplefilter("ignore")
run(one_case)
