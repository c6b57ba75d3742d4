"""many_threads.py PROGRAM numpy|DEVICE…: functions of functions.c, called by 8 threads at once, beside calls in turn.

Every thread calls the same functions, on NumPy's arrays or on the package's of these devices, so that what a function knows
of its last call changes all the time.  Their results are NumPy's."""
import sys
import threading

import numpy as np

import gpucc
from gpucc._library import native

program = gpucc.load(sys.argv[1], name="functions")
DEVICES = [None if name == "numpy" else name for name in sys.argv[2:]]
THREADS, ROUNDS, N = 8, 8, 1000
start = threading.Barrier(THREADS)
failures = []


def arrays(seed):
    x, y = np.random.default_rng(seed).integers(-99, 99, (2, N)).astype("f4")
    return x, y, [(x, y) if device is None else tuple(gpucc.asarray(a, device=device, copy=True) for a in (x, y))
                  for device in DEVICES]


def compare(made, expected):
    assert np.array_equal(np.asarray(made.to_numpy() if isinstance(made, gpucc.Array) else made), expected), expected


def call_all(x, y, a, b):
    compare(program.mul(a, b), x * y)
    compare(program.subtract(a, 3.0), x - np.float32(3))
    whole, part = program.split(a)
    compare(whole, x)
    compare(part, 0 * x)
    compare(program.mul.reduce(program.subtract(a, a)), np.float32(0))
    compare(program.inner(a, b), np.inner(x.astype("f8"), y).astype("f4"))
    compare(program.mul.outer(a[:9], b[:9]), np.outer(x[:9], y[:9]))
    out = program.mul(a, 1.0)
    program.scale_f32[4, 256](N, np.float32(2), out)
    program.scale_f32(N, np.float32(2), out, threads=N)
    compare(out, 4 * x)


def work(seed):
    try:
        x, y, everywhere = arrays(seed)
        start.wait()
        for i in range(ROUNDS):
            a, b = everywhere[(i + seed) % len(everywhere)]
            call_all(x, y, a, b)
            gpucc.load(sys.argv[1], name="functions").mul(x, y)
            try:
                program.inner(a, b[1:])
                raise AssertionError("operands of different lengths")
            except (ValueError, gpucc.BadShape) as error:
                assert str(N - 1) in str(error), error
    except BaseException as error: # a thread's end alone would be no failure
        failures.append(repr(error))


threads = [threading.Thread(target=work, args=(seed,)) for seed in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not failures, failures
locked = getattr(sys, "_is_gil_enabled", lambda: True)()
print("all right,", "with" if native else "without", "the extension,", "a global lock" if locked else "no global lock")
