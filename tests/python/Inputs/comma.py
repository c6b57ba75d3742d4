"""comma.py: a program whose identity has a point, where the host writes a comma."""
import locale

import numpy as np

import gpucc

locale.setlocale(locale.LC_NUMERIC, "comma")
assert locale.localeconv()["decimal_point"] == ","
program = gpucc.compile("""#include <gpucc.h>
vectorize(float64(float64, float64)) identity(0.5) reorderable
double beside(double x, double y) { return x + y - 0.5; }
""")
x = gpucc.asarray(np.arange(4.0), device="cpu")
assert program.beside.reduce(x).item() == 4.5 and program.beside.reduce(x[:0]).item() == 0.5
print("all right")
