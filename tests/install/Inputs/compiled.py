"""Compiles and runs a ufunc by the wheel's compiler."""
import numpy

import gpucc

program = gpucc.compile("""#include <gpucc.h>
vectorize() float square(float x) { return x * x; }""")
x = numpy.linspace(-3, 3, 1001, dtype=numpy.float32)
assert (numpy.asarray(program.square(x)) == x * x).all()
