"""at.py LIBRARY PROGRAM DEVICES SEED COUNT: ufuncs in place on cells that random indices name, compared byte by byte.

PROGRAM is at.c as a shared object.  Each case is computed on all devices, and one index after another by a model in
NumPy; where NumPy has the function and the types, its own ufunc.at has to give the same."""
import warnings

import numpy as np

from bfloat16 import BFLOAT16, narrow, widen
from cases import fail, run, log_case
from host import Refused, check, convert, described, library, placed, random_operand, random_values, random_view, same

# The array's type, the operand's, and the loop's.
MIXED = [("f2", "f4", "f4"), (BFLOAT16, "f4", "f4"), ("i1", "i8", "i8"), ("f4", "f2", "f4"), ("c8", "c16", "c16"),
         ("f4", "c8", "c8")]
NUMPY = {"add": np.add, "subtract": np.subtract, "least": np.minimum, "most": np.maximum, "either": np.bitwise_or,
         "both": np.bitwise_and, "flip": np.bitwise_xor, "any": np.logical_or, "all": np.logical_and}


def clipped(x, y):
    return np.clip(np.int64(x) + np.int64(y), -2**31, 2**31 - 1).astype("i4")


MODEL = {**NUMPY, "mix": lambda x, y: x * x.dtype.type(3) - y, "clipped": clipped, "store_first": lambda x, y: x,
         "half": lambda x: x / x.dtype.type(2), "less": np.less}
T, R = ["i1", "i4", "i8", "f2", BFLOAT16, "f4", "c8", "c16"], ["u2", "i4", "u8", "f8"]
S, B = ["i2", "i8"], ["u1", "i4", "u8"]
CELLS = {"add": T, "subtract": R, "least": R, "most": S, "either": B, "both": B, "flip": B, "any": ["?"], "all": ["?"],
         "mix": R, "clipped": ["i4"], "store_first": ["c8"], "half": ["f4"], "less": ["f4"]}


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
        device.check_inputs(made[0])
        for array in made:
            library.gpucc_array_release(array)


def model(name, x, indices, operand, loop):
    """In place."""
    b = None if operand is None else convert(np.broadcast_to(operand, indices.shape + x.shape[1:]), loop)
    for place in np.ndindex(*indices.shape):
        i = int(indices[place])
        arguments = [convert(x[i], loop)] + ([] if b is None else [b[place]])
        result = np.asarray(MODEL[name](*[widen(a) for a in arguments]))
        x[i] = convert(narrow(result) if loop == BFLOAT16 else result, x.dtype)


def random_places(random, ndim):
    """The shape of the indices."""
    part = random.part()
    places = [d.number(12) for d in part.parts(part.choice([0, 1, 1, 1, 2, 3]))]
    if ndim < 3 and part.one_in(20):
        places = [2 + d.number(3) for d in part.parts(6)]
    if len(places) == 1 and part.one_in(4):
        places = [part.number(part.choice([300, 300, 300, 300, 4000]) if ndim == 1 else 200)]
    if len(places) == 1 and ndim == 1 and part.one_in(200):
        places = [part.number(20000)]
    return places


def random_indices(random, places, length):
    part = random.part()
    lowest = -length if part.number(2) else 0
    few = part.choice([1, length, min(length, 3)])
    dtype = part.choice(["i8", "i4", "i2"] + (["u1", "u2", "u4", "u8"] if lowest == 0 else []))
    few = min(few, 200) if dtype == "u1" else few
    return random_view(part, lambda p, n: p.values().integers(lowest, lowest + few, n).astype(dtype), places)


def make_wrong(random, indices, length):
    """One index beyond the end, now and then."""
    if not indices.size or not random.one_in(10) or length > np.iinfo(indices.dtype).max:
        return False
    indices[tuple(random.number(n) for n in indices.shape)] = length
    return True


def random_case(random, devices):
    name = random.choice(list(MODEL) + ["add", "add"])
    dtype = random.choice(CELLS[name])
    loop = other = dtype
    if name == "add" and random.one_in(3):
        dtype, other, loop = random.choice(MIXED)
    ndim = random.choice([1, 1, 1, 2, 2, 3, 5])
    shape = [1 + d.number(299 if ndim == 1 else 8) for d in random.parts(ndim)]
    base, x = random_view(random, lambda part, n: random_values(part, dtype, n), shape)
    places = random_places(random, ndim)
    index_base, indices = random_indices(random, places, shape[0])
    wrong = make_wrong(random.part(), indices, shape[0])
    operand = None if name == "half" else random_at_operand(random, other, places + shape[1:])
    by = "" if operand is None else f", {described(operand[1])}"
    what = f"{name}.at({described(x)}, {indices.dtype} {indices.tolist()}{by})"
    log_case(what)
    wanted, view = placed(base, x)
    if not wrong:
        with np.errstate(all="ignore"):
            model(name, view, indices, operand and operand[1], loop)
    message = f"{name}: index {shape[0]} is out of bounds for axis with size {shape[0]}" if wrong else None
    for device in devices:
        result, refused = at(device, name, base, x, (index_base, indices), operand)
        if refused != message:
            fail(f"{what} on {device.name}", "is not refused as it should be", str(refused))
        if not same(result, wanted):
            fail(f"{what} on {device.name}", "another result", result, "is not", wanted)
    check_numpy(what, name, x, indices, operand, view, dtype == loop == other and not wrong)


def random_at_operand(random, dtype, shape):
    """Returns an operand that broadcasts to the shape."""
    part = random.part()
    shape = [1 if d.one_in(4) else n for d, n in zip(part.parts(len(shape)), shape)]
    return random_operand(part, dtype, shape[part.choice([0, 0, part.number(9)]):])


def check_numpy(what, name, x, indices, operand, expected, is_plain):
    if name not in NUMPY or not is_plain or x.dtype.kind not in "iubf" or x.dtype == "f2":
        return
    theirs = x.copy()
    # NumPy 2.4 reads beyond an operand that broadcasts to indices of several dimensions
    by = np.broadcast_to(operand[1], indices.shape + x.shape[1:]).copy()
    NUMPY[name].at(theirs, indices.astype(int), by)
    if not same(theirs, expected.copy()):
        fail(what, "NumPy has not what the model has", theirs, "is not", expected)


def check_large(devices):
    """More indices than the stand-in, which has 1 GiB of memory, sorts at a time."""
    random = np.random.default_rng(1)
    for dtype in ("f4", "i4"):
        cells, count = 1000, 300000
        x, operand = (random.integers(-99, 99, n).astype(dtype) / np.array(7, dtype) for n in (cells, count))
        x, operand = x.astype(dtype), operand.astype(dtype)
        indices = random.integers(-cells, cells, count).astype("i4")
        wanted = x.copy()
        np.add.at(wanted, indices, operand)
        for device in devices:
            result, refused = at(device, "add", x, x, (indices, indices), (operand, operand))
            if refused or not same(result, wanted):
                fail(f"{count} indices, {dtype}, on {device.name}", "another result")


warnings.simplefilter("ignore")
run(random_case, check_large)
