"""short_calls.py PROGRAM cpu|cuda: calls by the short way, the extension's or Python's, are those by the long one: results,
errors, references, memory; in threads, after a fork, and of arrays that go while work is enqueued."""
import gc
import os
import resource
import sys
import threading
import weakref

import numpy as np

import gpucc
from check import raises, same

program, device = gpucc.load(sys.argv[1], name="functions"), sys.argv[2]
add, negate, split = program.add, program.negate, program.split


def ours(values):
    return gpucc.asarray(np.asarray(values), device=device, copy=True)


def outcome(call, *operands, **options):
    try:
        return call(*operands, **options)
    except Exception as error:
        return type(error), str(error)


def test_same_as_the_general_path():
    x, y = np.arange(6.0).reshape(2, 3), np.arange(3.0)
    takes = lambda z: [((x, y), {}), ((x, y, z), {}), ((x, y), {"out": z}), ((x, y), {"out": (z,)}), ((x, y, None), {}),
                       ((x, y), {"out": None}), ((x,), {}), ((), {}), ((x, y, z, z), {}), ((x, y, z), {"out": z}),
                       ((x, y), {"nonsense": 1}), ((x, y), {"out": z, "where": True}), ((x, y), {"out": "text"}),
                       ((x, x.T), {}), ((x, 2.0), {}), ((True, y), {}), ((x, y), {"out": z[:1]}), ((x, "text"), {}),
                       ((x, np.float32(2)), {}), ((x, None), {})]
    for place in (np.asarray, ours):
        found = np.zeros((2, 3))
        there = lambda v: place(v) if isinstance(v, np.ndarray) else tuple(map(there, v)) if isinstance(v, tuple) else v
        for k, _ in enumerate(takes(found)):
            results = []
            for call in (add, add._anywhere):
                z = place(np.zeros((2, 3)))
                operands, options = takes(z)[k]
                made = outcome(call, *map(there, operands), **{name: there(v) for name, v in options.items()})
                results.append((made, z))
            (short, z), (long, w) = results
            if isinstance(long, tuple):
                assert short == long, f"{short} is not {long}"
            else:
                assert type(short) is type(long) and (short is z) == (long is w)
                same(short, np.asarray(long) if isinstance(long, np.ndarray) else long.to_numpy())
    whole, part = split(ours([1.5, -2.25]))
    same(whole, np.array([1.0, -2]))
    same(part, np.array([0.5, -0.25]))
    same(negate(ours([1.0])), np.array([-1.0]))
    same(program.matmul(ours(x), ours(x.T)), x @ x.T)
    assert (add.nin, add.nout, split.nin, split.nout) == (2, 1, 1, 2)
    assert callable(add) and isinstance(add, gpucc.Ufunc) and add.__call__(1.0, 2.0) == 3


class Sub(np.ndarray):
    """A subclass whose results have its type, too."""


def test_numpys():
    x = np.arange(3.0)
    assert type(add(x.view(Sub), x)) is Sub
    assert type(add(np.ma.masked_array(x, [0, 1, 0]), x)) is np.ma.MaskedArray
    assert add(1.0, 2) == 3.0 and isinstance(add(1.0, 2), np.float64)
    same(add(x, [1, 2, 3]), x + [1, 2, 3])
    same(add(x.astype(">f8"), x), x + x)
    with raises(TypeError):
        add(x, object())


def test_references():
    a, b, c, x = ours(np.ones(5)), ours(np.ones(5)), ours(np.ones(5)), np.ones(5)
    bad = ours(np.ones(4))

    def scene():
        add(a, b), add(a, b, out=c), add(a, b, c), add(x, x), add(x, x, out=x.copy()), negate(a)
        outcome(add, a, bad), outcome(add, a, b, out=bad), outcome(add, a), outcome(add, a, x, b, c, x)
        c._context, c._base, c._capsules, c._handle, add._host, add.nin
    counted = (a, b, c, x, bad, add, None, add._host, a._context, program, gpucc.Array)
    for _ in range(3):
        scene()
    gc.collect()
    before = [sys.getrefcount(each) for each in counted]
    for _ in range(400):
        scene()
    gc.collect()
    after = [sys.getrefcount(each) for each in counted]
    assert all(abs(m - n) < 200 for m, n in zip(before, after)), (before, after)  # None's varies by itself


def test_memory():
    a, b = ours(np.ones(1000)), ours(np.ones(1000))

    def use():
        for _ in range(2000):
            add(a, b)
        gpucc.synchronize()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    use()
    before = use()
    assert use() - before < 4000, "KiB that 2000 results of 8 KiB leave"


def test_arrays_that_go():
    values = np.arange(1000.0)
    a, b = ours(values), ours(values)
    kept, seen = add(a, b), weakref.ref(a)
    del a, b  # while the work may not have begun
    assert seen() is None
    kept = negate(negate(kept))
    gc.collect()
    same(kept, values * 2)

    class Owner(np.ndarray):
        pass
    owner = np.arange(3.0).view(Owner)
    array = gpucc.asarray(owner, device="cpu")
    owner.cycle = array  # which keeps the owner
    there = weakref.ref(array)
    del owner, array
    gc.collect()
    assert there() is None


def test_threads():
    wrong = []

    def work(k):
        values = np.full(257, float(k))
        a, out = ours(values), ours(values)
        for n in range(200):
            add(a, a, out=out)
            add(values, values)
            made = add(out, a)
            if n % 50 == 0 and not (made.to_numpy() == 3 * k).all():
                wrong.append(k)
            if n % 50 == 1:
                wrong.extend([k] if "broadcast" not in str(outcome(add, a, ours(np.ones(2)))) else [])
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong, wrong


def test_fork():
    a = ours(np.arange(4.0))
    same(add(a, a), np.arange(4.0) * 2)
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            mine = gpucc.asarray(np.arange(4.0), device="cpu")
            same(add(mine, mine), np.arange(4.0) * 2)
            same(add(np.arange(4.0), 1), np.arange(4.0) + 1)
            said = outcome(add, a, a)
            assert device == "cpu" or issubclass(said[0], gpucc.Error), said
        except BaseException as error:
            print(repr(error), flush=True)
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    same(add(a, a), np.arange(4.0) * 2)


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
print("all right")
