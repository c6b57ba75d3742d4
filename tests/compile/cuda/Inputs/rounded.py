"""rounded.py make|check STEM: numbers for rounding.c, and whether what it made of them is rounded as it says, by exact
rational numbers.  Exit status 1 where one is not."""
import math
import pathlib
import random
import struct
import sys
from fractions import Fraction

COUNT = 1500
MODES = ["rd", "ru", "rz"]
CODES = {"<f4": "f", "<f8": "d", "<i8": "q"}
SPECIAL = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan]


def write(path, dtype, values):
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({len(values)},), }}".ljust(117) + "\n"
    pathlib.Path(path).write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() +
                                   struct.pack(f"<{len(values)}{CODES[dtype]}", *values))


def read(path, code):
    data = pathlib.Path(path).read_bytes()
    return [value for value, in struct.iter_unpack("<" + code, data[10 + struct.unpack("<H", data[8:10])[0]:])]


def bits(value, code):
    return struct.unpack("<I" if code == "f" else "<Q", struct.pack("<" + code, value))[0]


def number(word, code):
    return struct.unpack("<" + code, struct.pack("<I" if code == "f" else "<Q", word))[0]


def make(stem):
    source = random.Random(14)
    for name, dtype, code, width, fraction, bias in ("", "<f4", "f", 32, 23, 127), ("d", "<f8", "d", 64, 52, 1023):
        least, most = [1, 2, 1 << fraction], [number((2 * bias + 1 << fraction) - 1, code)]
        extremes = SPECIAL + [number(word, code) for word in least] + most + [-value for value in most]
        for letter in "xyz" if code == "f" else "xy":
            values = []
            for _ in range(COUNT):
                near = (source.getrandbits(1) << width - 1 | bias - 8 + source.getrandbits(4) << fraction |
                        source.getrandbits(fraction))
                kind = source.randrange(4)
                values.append(source.choice(extremes) if kind == 0 else
                              number(source.getrandbits(width), code) if kind == 1 else number(near, code))
            write(f"{stem}.{name}{letter}.npy", dtype, values)
    write(f"{stem}.i.npy", "<i8", [source.getrandbits(64) - 2**63 >> source.randrange(64) for _ in range(COUNT)])


def following(value, code):
    """The next number above."""
    word = bits(value, code)
    sign = 1 << (31 if code == "f" else 63)
    return number(1 if word in (0, sign) else word - 1 if word & sign else word + 1, code)


def is_rounded(got, exact, mode, code):
    """Whether no number of the type lies between this and the exact one, which lies on the side that the mode asks for.
    `exact` is a comparison: of a number with what is rounded, below 0, 0 or above."""
    down = mode == "rd" or (mode == "rz" and exact(Fraction(0)) < 0)
    if got == (math.inf if down else -math.inf):
        return False
    if not down:
        value, compare = -got, lambda x: -exact(-x)
    else:
        value, compare = got, exact
    above = following(value, code) if value != -math.inf else -number((255 << 23 if code == "f" else 2047 << 52) - 1, code)
    return ((value == -math.inf or compare(Fraction(value)) <= 0) and
            (above == math.inf or compare(Fraction(above)) > 0))


def order(exact):
    return lambda x: (x > exact) - (x < exact)


def operands(name, x, y, z):
    return {"rcp": [1.0, x], "sqrt": [x], "maf": [x, y, z], "double": [x]}.get(name, [x, y])


def operation(name, x, y, z):
    """Returns the exact value as a comparison, or None if there is nothing to round."""
    arguments = operands(name, x, y, z)
    if not all(map(math.isfinite, arguments)):
        return None
    if name == "sqrt":
        return None if x <= 0 else lambda v: 1 if v > 0 and v * v > Fraction(x) else 0 if v * v == Fraction(x) and v > 0 else -1
    if name in ("div", "rcp") and arguments[1] == 0:
        return None
    a, b, *c = map(Fraction, arguments)
    exact = {"add": lambda: a + b, "sub": lambda: a - b, "mul": lambda: a * b, "maf": lambda: a * b + c[0]}.get(
        name, lambda: a / b)()
    return order(exact) if exact else None


def check_all(stem, code, prefix, names):
    arrays = [read(f"{stem}.{prefix if code == 'd' else ''}{letter}.npy", code)
              for letter in ("xyz" if code == "f" else "xy")]
    integers = read(f"{stem}.i.npy", "q")
    out = read(f"{stem}.{'singles' if code == 'f' else 'doubles'}.npy", code)
    wrong = checked = 0
    for line, (mode, name) in enumerate((mode, name) for mode in MODES for name in names):
        for k in range(COUNT):
            x, y, z, i = arrays[0][k], arrays[1][k], arrays[-1][k], integers[k]
            got = out[line * COUNT + k]
            values = {"int": (i + 2**31) % 2**32 - 2**31, "uint": i % 2**32, "ll": i, "ull": i % 2**64,
                      "double": x * 1.0000001}
            if name in values:
                exact = order(Fraction(values[name])) if math.isfinite(values[name]) and values[name] else None
            else:
                exact = operation(name, x, y, z)
            if "int" not in name and "ll" not in name and any(map(math.isnan, operands(name, x, y, z))):
                wrong += not math.isnan(got)
                if not math.isnan(got):
                    print(f"{name} {mode} of {x!r} {y!r} {z!r}: {got!r}")
            if exact is None:
                continue
            checked += 1
            if math.isnan(got) or not is_rounded(got, exact, mode, code):
                wrong += 1
                print(f"{name} {mode} of {x!r} {y!r} {z!r} {i}: {got!r}")
    print(f"{checked} checked, {wrong} wrong")
    return wrong or checked < COUNT * len(names)


def main(action, stem):
    if action == "make":
        make(stem)
        return 0
    return int(bool(check_all(stem, "f", "", ["add", "sub", "mul", "div", "rcp", "sqrt", "maf", "int", "uint", "ll", "ull",
                                              "double"])) |
               bool(check_all(stem, "d", "d", ["add", "sub", "mul", "div", "rcp", "sqrt", "ll", "ull"])))


sys.exit(main(*sys.argv[1:]))
