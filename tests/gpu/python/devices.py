"""devices.py: calls from Python on all GPUs of a machine that has several, on NumPy's arrays and on arrays that are split
between them, to the bits of the CPU; and what the latter take of the host's time.

Runs in the folder that `cmake --build build --target gpu-suite-python` makes."""
import os
import time

import numpy as np

import gpucc
from check import same
from every_call import calls, on_cpu, operands

SHAPES = 6000, 750, 6000  # a page (2 MiB) for each device of eight, and more than what one device takes alone
HERE = os.path.dirname(os.path.abspath(__file__))
program = gpucc.load(os.environ.get("GPUCC_FUNCTIONS") or os.path.join(HERE, "functions.so"))
compared = 0


def compare(found, expected):
    global compared
    for ours, theirs in zip(found, expected, strict=True):
        same(ours, theirs)
        compared += 1


def time_of(call):
    """Returns the microseconds of one call among many, without the enqueued work."""
    best = np.inf
    for _ in range(20):
        start = time.perf_counter()
        for _ in range(50):
            call()
        best = min(best, time.perf_counter() - start)
        gpucc.synchronize()
    return best / 50 * 1e6


def main():
    count = gpucc.device_count()
    if count < 2:
        print("skipped: one GPU")
        return
    expected = [x.to_numpy() for x in calls(program, on_cpu, *operands(*SHAPES), {})]
    for device in ("cuda:0,1", "cuda:1,0", "cuda:all"):
        for limit in None, 4 << 20:
            options = {"device": gpucc.Devices(device, limit)}
            compare(calls(program, np.array, *operands(*SHAPES), options), expected)
        compare(calls(program, lambda x: gpucc.asarray(x, device=device), *operands(*SHAPES), {}), expected)
    print(compared, "comparisons on", count, "GPUs")
    for device in "cuda:0", "cuda:all":
        x = gpucc.asarray(operands(*SHAPES)[0], device=device)
        out = gpucc.empty(x.shape, "f4", device)
        taken = time_of(lambda: program.add(x, x, out=out))
        print(f"add of {x.nbytes >> 20} MiB into out on {x.device}: {taken:.2f} us of the host's time")


main()
