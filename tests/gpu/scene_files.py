"""Writes arrays and numbers of gpucc run's command line as the files of a scene (tests/random/scene.h)."""
import ast
import math
import pathlib
import random
import struct

# An element type's letter in Python's struct, its code in scenes, and NumPy's.
TYPES = {"int8": ("b", "i8", "i1"), "uint8": ("B", "u8", "u1"), "int16": ("h", "i16", "i2"),
         "uint16": ("H", "u16", "u2"), "int32": ("i", "i32", "i4"), "uint32": ("I", "u32", "u4"),
         "int64": ("q", "i64", "i8"), "uint64": ("Q", "u64", "u8"), "float16": ("e", "f16", "f2"),
         "float32": ("f", "f32", "f4"), "float64": ("d", "f64", "f8"), "bfloat16": ("H", "bf16", "V2"),
         "float8_e4m3fn": ("B", "e4m3", "V1"), "float8_e5m2": ("B", "e5m2", "f1")}


class Array:
    """The contents of a .npy file: element type, shape and bytes."""

    def __init__(self, dtype, shape, data, is_empty=False):
        self.dtype, self.shape, self.data, self.is_empty = dtype, shape, data, is_empty

    @staticmethod
    def asked_for(text):
        """zeros:SHAPE:TYPE and its kind, as gpucc run has them; the numbers need not be the very same."""
        kind, first, *rest = text.split(":")
        shape, counted = [int(extent) for extent in first.split("x")], math.prod(int(n) for n in first.split("x"))
        if kind == "linspace":
            low, high, shape = float(first), float(rest[0]), [int(rest[1])]
            step = (high - low) / max(1, shape[0] - 1)
            dtype, values = rest[2], [low + step * i for i in range(shape[0])]
        else:
            dtype = rest[0]
            values = {"zeros": lambda: [0] * counted, "ones": lambda: [1] * counted, "arange": lambda: range(counted),
                      "empty": lambda: [0] * counted, "full": lambda: [float(rest[1])] * counted,
                      "random": lambda: Array.random(text, counted, dtype)}[kind]()
        letter = TYPES[dtype][0]
        if dtype == "bfloat16":
            values = [struct.unpack("<I", struct.pack("<f", value))[0] >> 16 for value in values]
        elif dtype.startswith("float8") and any(values):
            raise ValueError(f"{text}: only zeros have a known form")
        elif letter not in "efd":
            values = [int(value) for value in values]
        return Array(dtype, shape, struct.pack(f"<{len(values)}{letter}", *values), kind == "empty")

    @staticmethod
    def random(seed, count, dtype):
        """Numbers in [0,1), or any integers."""
        letter, rng = TYPES[dtype][0], random.Random(seed)
        if letter in "efd" or dtype == "bfloat16":
            return [rng.random() for _ in range(count)]
        bits = 8 * struct.calcsize(letter)
        return [rng.getrandbits(bits) - (1 << bits - 1 if letter.islower() else 0) for _ in range(count)]

    @staticmethod
    def read(path):
        data = pathlib.Path(path).read_bytes()
        length, = struct.unpack("<H", data[8:10])
        header = ast.literal_eval(data[10:10 + length].decode("latin-1"))
        dtype = next(name for name, (_, _, code) in TYPES.items() if code == header["descr"][1:])
        return Array(dtype, list(header["shape"]), data[10 + length:])

    def write(self, path):
        shape = "".join(f"{extent}, " for extent in self.shape)
        header = f"{{'descr': '{'|' if TYPES[self.dtype][2][1:] == '1' or self.dtype == 'bfloat16' else '<'}" \
                 f"{TYPES[self.dtype][2]}', 'fortran_order': False, 'shape': ({shape}), }}"
        header += " " * (-(len(header) + 11) % 64) + "\n"
        pathlib.Path(path).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + self.data)

    def line(self):
        count = len(self.data) // struct.calcsize(TYPES[self.dtype][0])
        return f"{'empty' if self.is_empty else 'array'} {TYPES[self.dtype][1]} {count}\n"

    def initial(self):
        """Returns the bytes that the scene stores of it."""
        return b"" if self.is_empty else self.data


def number(text, dtype):
    letter = TYPES[dtype][0]
    value = float(text) if letter in "efd" else int(text, 0)
    return struct.pack("<" + letter, value)


def extents(options, name):
    given = [int(extent) for extent in options.get(name, "1").split("x")]
    return given + [1] * (3 - len(given))


def scene(kernel, options, lines):
    """The text of one launch, whose operands have these lines."""
    launch = [*extents(options, "grid"), *extents(options, "block"), options.get("shared", "0"), len(lines)]
    return f"kernel {kernel} {' '.join(map(str, launch))}\n" + "".join(lines)
