"""graphs.py PROGRAM DEVICE: recorded calls of functions.c, launched and updated."""
import gc
import sys
import threading

import numpy as np

import gpucc
from check import raises, same

program, device = gpucc.load(sys.argv[1], name="functions"), sys.argv[2]
on_gpu = device == "cuda"
scale = program.scale_f64


def array(values, dtype="f8"):
    return gpucc.asarray(np.asarray(values, dtype), device=device, copy=True)


def test_calls_of_every_kind():
    a, b = np.arange(12.0).reshape(3, 4), np.arange(4.0)
    x, y = array(a), array(b)

    def calls():
        return [program.add(x, y), program.add(x, 0.5), program.add(x.T, 1, dtype="f8"), program.split(x)[0],
                program.add.reduce(x, axis=1), program.add.accumulate(y), program.add.outer(y, y),
                program.matmul(x, x.T), program.dot(y, y), program.add(x, y, where=array([1, 0, 1, 0], bool))]

    wanted = [made.to_numpy() for made in calls()]
    with gpucc.graph(device) as g:
        made = calls()
    assert len(g) == len(wanted), repr(g)
    g.launch()
    for ours, theirs in zip(made, wanted):
        same(ours, theirs)
    x.write(a + 1)
    g.launch()
    same(made[0], a + 1 + b)


def test_in_place_and_kernels():
    a = np.arange(5.0)
    x = array(a)
    with gpucc.graph(device) as g:
        program.add(x, 1, out=x)
        scale[1, 32](5, 2.0, x)
        scale(5, 1.0, x=x, threads=5)
    same(x, a)  # recorded alone
    g.launch()
    same(x, (a + 1) * 2)
    g.update(1, "by", 10.0)
    g.update(2, 2, array(np.zeros(5)))
    g.update(0, 1, 0)
    g.launch()
    same(x, (a + 1) * 20)


def test_updates():
    x, y, other, out = array([1, 2, 3]), array([10, 10, 10]), array([5, 6, 7]), array([0, 0, 0])
    with gpucc.graph(device) as g:
        z = program.add(x, y)
        total = program.add.reduce(z)
    g.update(0, 0, other)
    g.launch()
    assert z.to_numpy().tolist() == [15, 16, 17] and total.item() == 48
    g.update(-2, 2, out)
    g.launch()
    assert out.to_numpy().tolist() == [15, 16, 17] and total.item() == 48
    with raises(gpucc.BadShape, "recorded with shape (3,), got (4,)"):
        g.update(0, 0, array([1, 2, 3, 4]))
    with raises(gpucc.BadType, "float64"):
        g.update(0, 0, array([1, 2, 3], "f4"))
    with raises(IndexError, "call 2"):
        g.update(2, 0, x)
    with raises(TypeError, "numbers"):
        g.update(0, "x", x)


def test_arrays_live_as_long_as_the_graph():
    with gpucc.graph(device) as g:
        z = program.add(program.add(array(np.ones(1000)), array(np.ones(1000))), 1)
    gc.collect()
    noise = [array(np.full(1000, 9.0)) for _ in range(8)]
    g.launch()
    same(z, np.full(1000, 3.0))
    del g, noise
    same(z, np.full(1000, 3.0))


def test_refusals():
    x = array([1, 2, 3])
    g = gpucc.graph(device)
    with raises(gpucc.InvalidArgument, "not recorded"):
        g.launch()
    with raises(ZeroDivisionError):
        with g:
            program.add(x, x)
            1 / 0
    with g:
        with raises(gpucc.BadShape, "broadcast"):
            program.add(x, array([1, 2]))
        z = program.add(x, x)
        with raises(gpucc.InvalidArgument, "already"):
            gpucc.graph(device).__enter__()
    g.launch()
    same(z, np.array([2.0, 4, 6]))
    with raises(gpucc.InvalidArgument, "recorded already"):
        g.__enter__()


def test_threads():
    """Other threads' calls run."""
    x, done = array([1, 2, 3]), []
    with gpucc.graph(device) as g:
        thread = threading.Thread(target=lambda: done.append(program.add(x, x).to_numpy()))
        thread.start()
        thread.join()
        host = []
        thread = threading.Thread(target=lambda: host.append(program.add(np.ones(2), 1)))
        thread.start()
        thread.join()
        program.add(x, x)
    same(done[0], np.array([2.0, 4, 6]))
    same(host[0], np.full(2, 2.0))
    assert len(g) == 1


def test_hosts():
    a, b = np.arange(3.0), np.ones(3)
    if on_gpu:
        with gpucc.graph(device):
            with raises(gpucc.Unsupported, "copies between the host and a GPU"):
                program.add(a, b)
            with raises(TypeError, "the graph is recorded on cuda:0"):
                program.add(gpucc.asarray(a, device="cpu"), 1)
            with raises(gpucc.Unsupported, "a graph cannot record"):
                program.add.at(array([1, 2]), [0], 1)
        return
    out, hits = np.zeros(3), np.zeros(3)
    with gpucc.graph(device) as g:
        z = program.add(a, b)
        program.add(z, [1, 1, 1], out)
        total = program.add.reduce(out)
        program.add.at(hits, [0, 0, 2], 1)
        parts = program.add.reduceat(a, [0, 1])
    assert total.shape == () and out.tolist() == [0, 0, 0]
    for k in range(2):
        a += 10
        g.launch()
        same(z, a + b)
        same(out, a + b + 1)
        assert total == out.sum() and hits.tolist() == [2 * k + 2, 0, k + 1] and parts[0] == a[0], (total, hits, parts)
    g.update(0, 1, np.full(3, 0.5))
    g.launch()
    same(z, a + 0.5)


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
gpucc.synchronize()
print("all right")
