"""A NaN at each place of a row that begins at each place of a vector: the bits of the tree."""
import gpucc
import numpy

program = gpucc.compile("""#include <gpucc.h>
typevar(T, float32, float64);
vectorize() reorderable T larger(T x, T y) { return x > y ? x : y; }
vectorize() reorderable T smaller(T x, T y) { return x < y ? x : y; }
""")
combine = {"larger": lambda x, y: numpy.where(x > y, x, y), "smaller": lambda x, y: numpy.where(x < y, x, y)}


def tree(name, x):
    while len(x) > 1:
        pairs = combine[name](x[: len(x) // 2 * 2 : 2], x[1::2])
        x = numpy.append(pairs, x[-1:]) if len(x) % 2 else pairs
    return x[0]


generator = numpy.random.default_rng(7)
for dtype in "float32", "float64":
    memory = numpy.empty(200, dtype)
    lanes = 64 // memory.itemsize
    for n in 63, 64, 65, 97, 128:
        values = generator.uniform(-1, 1, n).astype(dtype)
        for begin in range(lanes):
            row = memory[begin : begin + n]
            for place in [*range(lanes + 2), n - 1]:
                row[:] = values
                row[place] = numpy.nan
                for name in combine:
                    found = numpy.asarray(getattr(program, name).reduce(row, device="cpu"))
                    expected = tree(name, row)
                    assert numpy.array_equal(found, expected, equal_nan=True), (dtype, n, begin, place, name, found, expected)
print("all right")
