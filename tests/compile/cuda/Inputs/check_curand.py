"""check_curand.py DRAWS REFERENCE: compares what was drawn as curand_draws.h says, an .npy file or a text, with what the
toolkit's header gave.  Integers and uniform numbers have the same bits; normal ones may come of other functions, within
four units in the last place of 1, or of what is greater."""
import ast
import struct
import sys

COUNT = 68
EXACT = {*range(14), *range(34, 42), *range(50, 56), *range(64, 68)}
FLOATS = {14, 15, 16, 20, 21, 22, 26, 27, 28, 29, *range(42, 50)}


def read(path):
    if not path.endswith(".npy"):
        with open(path, encoding="ascii") as file:
            return [float(word) for word in file.read().split()]
    with open(path, "rb") as file:
        file.seek(8)
        header = ast.literal_eval(file.read(struct.unpack("<H", file.read(2))[0]).decode())
        assert header["descr"] == "<f8"
        return [x[0] for x in struct.iter_unpack("<d", file.read())]


draws, expected = read(sys.argv[1]), read(sys.argv[2])
assert len(draws) == len(expected) == 18 * COUNT
wrong = 0
for i, (x, y) in enumerate(zip(draws, expected)):
    unit = 0 if i % COUNT in EXACT else 2**-23 if i % COUNT in FLOATS else 2**-52
    if not abs(x - y) <= 4 * unit * max(1, abs(y)):
        wrong += 1
        print(f"generator {i // COUNT // 6}, place {i // COUNT % 6}, draw {i % COUNT}: {x!r} is not {y!r}")
print(wrong, "of", len(draws), "differ")
