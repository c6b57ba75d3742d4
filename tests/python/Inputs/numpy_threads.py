"""numpy_threads.py PROGRAM: NumPy's ufuncs of functions.c on arrays so large that several threads share them, beside the
same on pieces that one thread does."""
import os
import sys
import threading
import time
import warnings

import numpy as np

import gpucc
from check import same

program = gpucc.load(sys.argv[1], name="functions")
random = np.random.default_rng(int(os.environ.get("GPUCC_RANDOM", "1")))
N, PIECE = 300_000, 10_000
add, subtract = program.add.numpy, program.subtract.numpy


def by_pieces(ufunc, *operands):
    parts = [ufunc(*[x[at:at + PIECE] if np.ndim(x) else x for x in operands]) for at in range(0, N, PIECE)]
    return np.concatenate(parts)


def numbers(*shape):
    return random.standard_normal(shape or N).astype("f4")


def worker_threads(wanted=0):
    """How many there are; a thread has its name once it runs, for which this waits a while where more are wanted."""
    for _ in range(1000):
        tasks = os.listdir("/proc/self/task")
        count = sum(open(f"/proc/self/task/{task}/comm").read().startswith("gpucc-") for task in tasks)
        if count >= wanted:
            break
        time.sleep(0.01)
    return count


def test_workers():
    x = numbers()
    add(x[:PIECE], x[:PIECE])
    assert worker_threads() == 0
    same(add(x, x), by_pieces(add, x, x))
    assert worker_threads(3) == 3, worker_threads()


def test_layouts():
    for _ in range(30):
        steps = random.choice([-3, -2, -1, 1, 2, 5], 3)
        x, y, out = [numbers(N * abs(s))[::s] for s in steps]
        assert subtract(x, y, out=out) is out
        same(out, by_pieces(subtract, x.copy(), y.copy()))
        same(subtract(x, np.float32(2)), by_pieces(subtract, x.copy(), np.float32(2)))
    whole, part = program.split.numpy(x)
    same(whole, np.trunc(x))
    same(part, by_pieces(subtract, x.copy(), whole))


def test_shared_memory():
    """Operands that overlap, in all ways in which NumPy hands them on: the results are those of copies."""
    for shift in (0, 1, 3, -1):
        memory = numbers(N + 8)
        x, out = memory[4:4 + N], memory[4 + shift:4 + shift + N]
        want = subtract(x.copy(), 1.5)
        subtract(x, np.float32(1.5), out=out)
        same(out, want.astype("f4"))
    x = numbers()
    want = subtract(x.copy(), x[::-1].copy())
    same(subtract(x, x[::-1], out=x), want)


def test_methods():
    x = numbers()
    left = np.float32(0)
    for at in range(0, N, PIECE):
        left = subtract.reduce(np.concatenate([[left], x[at:at + PIECE]]).astype("f4"))
    same(np.asarray(subtract.reduce(np.concatenate([[np.float32(0)], x]))), np.asarray(left))
    same(add.accumulate(x), np.cumsum(x))
    places = np.array([0, 100_000, 100_001, 250_000])
    whole = np.trunc(10 * x)  # whose sums are exact in any order
    same(add.reduceat(whole, places), np.array([add.reduce(p) for p in np.split(whole, places[1:])]))
    cells = np.zeros(5, "f4")
    add.at(cells, np.zeros(N, int), np.float32(1))
    assert cells.tolist() == [N, 0, 0, 0, 0]
    out, mask = np.zeros(N, "f4"), random.random(N) < 0.9
    mask[1000:200_000] = True
    same(add(x, x, out=out, where=mask), np.where(mask, by_pieces(add, x, x), np.float32(0)))
    same(add(x, np.arange(N)), by_pieces(add, x, np.arange(N)))  # NumPy converts
    outer = subtract.outer(x[:300], x[:2000])
    same(outer, np.stack([subtract(a, x[:2000]) for a in x[:300]]))


def test_flags():
    """numpy.errstate sees the floating-point flags of every worker thread."""
    for place in (0, N // 3, N // 2, N - 1):
        x = np.ones(N)
        x[place] = 0
        with np.errstate(divide="raise"):
            try:
                program.divide.numpy(1.0, x)
            except FloatingPointError as error:
                assert "divide by zero" in str(error)
            else:
                raise AssertionError(f"nothing was flagged at {place}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        program.divide.numpy(1.0, np.ones(N))


def test_gufuncs():
    a, b = numbers(3000, 5, 7), numbers(3000, 7, 4)
    few = [program.matmul.numpy(a[i:i + 50], b[i:i + 50]) for i in range(0, 3000, 50)]
    same(program.matmul.numpy(a, b), np.concatenate(few))
    x = numbers(40, 20_000)
    same(program.inner.numpy(x, x[0]), np.array([program.inner.numpy(row, x[0]) for row in x]))


def test_threads():
    """Several of Python's at once, and a child after all this."""
    x = numbers()
    want, wrong = by_pieces(subtract, x, np.float32(1)), []

    def work():
        for _ in range(20):
            if subtract(x, np.float32(1)).tobytes() != want.tobytes():
                wrong.append(1)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    child = os.fork()
    if child == 0:
        work()
        os._exit(3 if not wrong and worker_threads(3) == 3 else 4)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
    print("all right")
