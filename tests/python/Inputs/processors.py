"""processors.py: a source is compiled for what this machine runs; prints its targets, and results that are the same for all."""
import gpucc
import numpy

SOURCE = """
#include <gpucc.h>
#include <math.h>
vectorize(float32(float32)) float fused(float x) { return fmaf(x, x, 1) / 3; }
"""
program = gpucc.compile(SOURCE)
x = numpy.linspace(-4, 4, 999, dtype="f4")
print(*program.manifest["native_targets"])
print(program.fused(x).tobytes().hex(), program.fused.numpy(x).tobytes().hex())
other = gpucc.compile(SOURCE, options=["--target=x86-64-v3,x86-64-v4"])
try:
    print(other.fused(x).tobytes().hex(), other.fused.numpy is not None)
except gpucc.Error as error:
    print(error)
