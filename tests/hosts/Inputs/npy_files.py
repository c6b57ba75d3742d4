"""npy_files.py make|check FOLDER: saves arrays with NumPy, and compares what `gpucc run` made of them."""
import sys

import numpy as np

ORDERS = {"C": np.ascontiguousarray, "F": np.asfortranarray}
TYPES = ["<f4", ">f4", "<f8", ">i2", "|u1", "<c16", "|b1"]


def arrays():
    random = np.random.default_rng(1)
    for t, dtype in enumerate(TYPES):
        for order, turn in ORDERS.items():
            values = random.integers(0, 2 if dtype == "|b1" else 100, (3, 4 + t))
            yield f"a{t}{order}", turn(values.astype(dtype))


def make(folder):
    for name, array in arrays():
        np.save(f"{folder}/{name}.npy", array)
        print(name, {"b": "boolean", "c": "complex128"}.get(array.dtype.kind, array.dtype.name))


def check(folder):
    for name, array in arrays():
        made = np.load(f"{folder}/{name}-out.npy")
        assert made.dtype == array.dtype.newbyteorder("<") and made.flags.c_contiguous
        np.testing.assert_array_equal(made, array)
    print("equal")


{"make": make, "check": check}[sys.argv[1]](sys.argv[2])
