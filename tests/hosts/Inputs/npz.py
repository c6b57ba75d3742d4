"""npz.py make|check FOLDER: arrays that NumPy saves in .npz files of both kinds, and what `gpucc run` made of them."""
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
    every = dict(arrays())
    np.savez(folder + "/stored.npz", **every)
    np.savez_compressed(folder + "/deflated.npz", **every)
    for name, array in every.items():
        print(name, {"b": "boolean", "c": "complex128"}.get(array.dtype.kind, array.dtype.name))


def check(folder):
    for name, array in arrays():
        for kind in ("stored", "deflated"):
            with np.load(f"{folder}/{name}-{kind}.npz") as made:
                assert made.files == ["out"], made.files
                assert made["out"].dtype == array.dtype.newbyteorder("<") and made["out"].flags.c_contiguous
                np.testing.assert_array_equal(made["out"], array)
    print("equal")


{"make": make, "check": check}[sys.argv[1]](sys.argv[2])
