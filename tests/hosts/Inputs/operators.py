"""The ufuncs of reduce.c in NumPy, the orders in which they combine elements, and random shapes."""
import numpy as np

from bfloat16 import BFLOAT16, narrow, widen
from host import random_values

EXACT = {"add": np.add, "least": np.minimum, "most": np.maximum, "either": np.bitwise_or, "any": np.logical_or}
MODEL = {**EXACT, "least": lambda x, y: np.where(y < x, y, x), "most": lambda x, y: np.where(y > x, y, x),
         "lowest": lambda x, y: np.where((x < y) | (x != x), x, y),
         "highest": lambda x, y: np.where((x > y) | (y != y) | (x == y) & np.signbit(y), x, y),
         "mix": lambda x, y: x * x.dtype.type(3) - y, "subtract": np.subtract, "store_first": lambda x, y: x}
FOLDS = ("subtract", "slow_fold")
TYPES = {"add": ["i1", "i8", "f2", BFLOAT16, "f4", "c8", "c16"], "either": ["u1", "i4"],
         "any": ["?"], "store_first": ["c8"], "lowest": ["f4"], "highest": ["f4"], "wave": ["f4"], "slow_fold": ["f4"]}
ORDERED = ["u2", "f8"]


def model_of(name, dtype):
    """On arrays of this type: bfloat16 is computed in float32, and rounded."""
    op = MODEL[name]
    return (lambda x, y: narrow(op(widen(x), widen(y)))) if dtype == BFLOAT16 else op


def tree(op, x):
    """Along the last axis."""
    while x.shape[-1] > 1:
        n = x.shape[-1]
        pairs = op(x[..., 0 : n - 1 : 2], x[..., 1:n:2])
        x = np.concatenate([pairs, x[..., n - 1 :]], -1) if n % 2 else pairs
    return x[..., 0]


def fold(op, x, initial):
    result = x[..., 0] if initial is None else np.broadcast_to(initial, x.shape[:-1])
    for k in range(initial is None, x.shape[-1]):
        result = op(result, x[..., k])
    return result


def scan(op, x):
    """Along the last axis: the totals of the aligned runs that each beginning is made of, combined from the left."""
    x, count = x.copy(), np.arange(1, x.shape[-1] + 1)
    lowest = count & -count
    for half in (1 << k for k in range(x.shape[-1].bit_length())):
        last = count[count % (2 * half) == 0] - 1
        x[..., last] = op(x[..., last - half], x[..., last])
    for half in (1 << k for k in reversed(range(x.shape[-1].bit_length()))):
        last = count[(lowest == half) & (count > half)] - 1
        x[..., last] = op(x[..., last - half], x[..., last])
    return x


def fold_scan(op, x):
    x = x.copy()
    for k in range(1, x.shape[-1]):
        x[..., k] = op(x[..., k - 1], x[..., k])
    return x


def random_elements(random, name, dtype, n):
    """Returns elements whose minimum is now and then a zero, or a NaN."""
    values = random_values(random, dtype, n)
    if name not in ("least", "most", "lowest", "highest") or values.dtype.kind != "f" or not random.number(2):
        return values
    sign = random.choice([0, 0, 1, -1])
    special = random.choice([[0.0], [-0.0], [0.0, -0.0], [np.nan], [0.0, -0.0, np.nan]])
    values = abs(values) * values.dtype.type(sign) if sign else values
    count, drawn = random.choice([1, 3, max(n // 50, 1)]), random.values()
    if n:
        values[drawn.integers(0, n, count)] = drawn.choice(special, count)
    return values


def random_shape(random):
    """Mostly small, as each case costs what its elements do."""
    part = random.part()
    ndim = part.choice([0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 6])
    is_large = part.one_in(10)
    most = ([1, 70000, 400, 40, 14, 5, 5] if is_large else [1, 1500, 60, 14, 7, 5, 4])[ndim]
    shape = [d.choice([1, 2, 3, d.number(9), 1 + d.number(most)]) for d in part.parts(ndim)]
    if ndim == 1 and part.one_in(60):
        shape = [part.integers(1, 400000)]
    if ndim == 2 and part.one_in(10):
        short, long = 1 + part.number(8), 1 + part.number(30000 if is_large else 3000)
        shape = [short, long] if part.number(2) else [long, short]
    return shape
