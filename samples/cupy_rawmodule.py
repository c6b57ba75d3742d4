"""gpucc's PTX in CuPy: a ufunc loop and a kernel, loaded with RawModule.

    gpucc trig.c -o trig.ptx
    gpucc add_kernel.c -o add_kernel.ptx
    python3 cupy_rawmodule.py

A ufunc loop takes its inputs, its output and the number of elements, whatever the grid; a kernel takes what its C
prototype says, with size_t as uint64.
"""
import sys

try:
    import cupy
except ImportError:
    print("skipped: CuPy is not installed")
    sys.exit()
try:
    cupy.cuda.runtime.getDeviceCount()
except cupy.cuda.runtime.CUDARuntimeError as error:
    print(f"skipped: {error}")
    sys.exit()

trig = cupy.RawModule(path="trig.ptx").get_function("trig_f32_f32")
x = cupy.linspace(-100, 100, 10_000_000, dtype=cupy.float32)
ones = cupy.empty_like(x)
trig((1024,), (256,), (x, ones, cupy.uint64(x.size)))
assert abs(ones - 1).max() < 1e-6
print("trig: mean", float(ones.mean()))

add = cupy.RawModule(path="add_kernel.ptx").get_function("add_kernel")
a = cupy.arange(4096, dtype=cupy.int32)
sums = cupy.empty_like(a)
add((16,), (256,), (cupy.uint64(a.size), a, a, sums))
assert (sums == 2 * a).all()
print("add_kernel: right")
