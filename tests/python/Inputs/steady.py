"""steady.py: thousands of calls of each kind, and of wrong ones, leave no memory behind."""
import gc
import resource

import numpy as np

import gpucc

program = gpucc.compile("""
#include <gpucc.h>
vectorize(float32(float32, float32)) identity(0) reorderable
float add(float x, float y) { return x + y; }
vectorize(float32(float32, float32)) float mul(float x, float y) { return x * y; }
fuse(dot, reduce(add, mul(x, y)));
guvectorize((n),(n)->())
void inner(size_t n, const float x[n], const float y[n], float *sum)
{
    *sum = 0;
    for (size_t i = 0; i < n; i++)
        *sum += x[i] * y[i];
}
kernel void scale(size_t n, float by, float x[n])
{
    const size_t i = grid(1);
    if (i < n)
        x[i] *= by;
}
""", name="steady")
add, dot, scale = program.add, program.dot, program.scale
COUNT = 4000  # an array of 4 KB that each call leaves is 16 MB
x, y, out = (np.ones(1000, "f4") for _ in range(3))
square = np.ones((32, 32), "f4")
indices, launch = np.arange(0, 1000, 100), scale[8, 128]
ours, other = gpucc.asarray(x, device="cpu"), gpucc.asarray(y, device="cpu")


def refused(call):
    try:
        call()
    except Exception:
        return
    raise AssertionError("not refused")


CALLS = [
    lambda: add(x, y), lambda: add(x, y, out=out), lambda: add.reduce(x), lambda: add.reduce(square, axis=1),
    lambda: add.accumulate(x), lambda: add.reduceat(x, indices), lambda: add.at(x, indices, y[:10]),
    lambda: add.outer(x[:8], x[:8]), lambda: program.inner(square, square), lambda: dot(x, y), lambda: dot(square, square),
    lambda: dot(square, square, axis=None), lambda: launch(1000, 1.0, x), lambda: scale[8, 128](1000, 1.0, x),
    lambda: scale(1000, 1.0, x, threads=1000), lambda: scale(n=1000, by=1.0, x=x, threads=1000), lambda: add(ours, other),
    lambda: add.reduce(ours), lambda: add.accumulate(ours), lambda: dot(ours, other), lambda: launch(1000, 1.0, ours),
    lambda: refused(lambda: launch(1000, 1.0, x[:3])), lambda: refused(lambda: launch(2**70, 1.0, x)),
    lambda: refused(lambda: launch(1000, "x", x)), lambda: refused(lambda: add.reduce(x, 5)),
    lambda: refused(lambda: add.reduce(ours, 7)), lambda: refused(lambda: dot(x, square))]


def used():
    """KB in memory now."""
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() // 1024


for k, call in enumerate(CALLS):
    for _ in range(200):
        call()
    before = used()
    for _ in range(COUNT):
        call()
    assert used() - before < 1024, f"call {k}: {used() - before} KB more after {COUNT}"
print("all right")
