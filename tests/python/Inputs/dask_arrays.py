"""dask_arrays.py PROGRAM: functions.c on Dask's arrays, in threads of this process, beside the same on whole arrays."""
import os
import pickle
import sys

import dask
import dask.array as da
import numpy as np
from dask.base import tokenize

import gpucc
from check import raises, same

program = gpucc.load(sys.argv[1], name="functions")
random = np.random.default_rng(int(os.environ.get("GPUCC_RANDOM", "1")))
compared = 0


def numbers(*shape):
    """Returns numbers of all magnitudes and both signs, whose sums depend on the order."""
    return (random.standard_normal(shape) * 10.0 ** random.integers(-4, 5, shape)).astype("f4")


def cut(x, empty=False):
    """In chunks of random sizes, also 0."""
    places = [random.integers(0, n + 1, random.integers(0, 9)) for n in x.shape]
    places = [np.sort(p) if empty else np.unique(p[(p > 0) & (p < n)]) for p, n in zip(places, x.shape)]
    return da.from_array(x, chunks=tuple(tuple(int(n) for n in np.diff([0, *p, n]))
                                         for p, n in zip(places, x.shape)))


def equal(lazy, whole):
    """Compares metadata and values."""
    global compared
    whole = whole.to_numpy() if isinstance(whole, gpucc.Array) else np.asarray(whole)
    assert isinstance(lazy, da.Array) and lazy.dtype == whole.dtype and lazy.shape == whole.shape, f"{lazy!r}, {whole!r}"
    same(lazy.compute(scheduler="threads", num_workers=2), whole)
    compared += 1


def test_calls():
    x, y = numbers(50, 7), numbers(7)
    a, b = cut(x), cut(y)
    equal(program.add(a, b), program.add(x, y))
    equal(program.add(x, b), program.add(x, y))
    equal(program.add(a, [1] * 7), program.add(x, [1] * 7))
    for number in (1, 2.5):  # without a type of its own
        assert program.add(a, number).dtype == np.dtype("f4")
        equal(program.add(number, a), program.add(number, x))
    equal(program.add(a, b, dtype="f8"), program.add(x, y, dtype="f8"))
    equal(program.add(a, b.astype("f8"), dtype="f4", casting="same_kind"),
          program.add(x, y.astype("f8"), dtype="f4", casting="same_kind"))
    out = da.zeros(x.shape, dtype="f4", chunks=a.chunks)
    assert program.add(a, b, where=a > 0, out=out) is out
    equal(out, program.add(x, y, where=x > 0, out=np.zeros_like(x)))
    for lazy, whole in zip(program.split(a), program.split(x)):
        equal(lazy, whole)
    equal(program.add.outer(a, b), program.add.outer(x, y))
    equal(program.subtract.outer(b, 1), program.subtract.outer(y, np.float32(1)))
    equal(program.add.numpy(a, b), program.add(x, y))  # NumPy's own protocol, by which Dask gets it
    with raises(TypeError):
        program.add(a, b.astype("c16"))
    with raises(TypeError, "takes 2 inputs, but 1 is given"):
        gpucc.Ufunc.__call__(program.add, a)
    with raises(ValueError):
        program.add(a, numbers(5))


def test_gufuncs():
    x, y = numbers(6, 5, 4), numbers(4, 3)
    a, b = da.from_array(x, chunks=(2, 5, 4)), da.from_array(y, chunks=-1)
    equal(program.matmul(a, b), program.matmul(x, y))
    equal(program.inner(a, b[:, 0]), program.inner(x, y[:, 0]))
    equal(program.inner(a, a, axis=1), program.inner(x, x, axis=1))
    equal(program.inner(a, a, keepdims=True), program.inner(x, x, keepdims=True))
    equal(program.cross(b.T[..., :3], b.T[0, :3]), program.cross(y.T[..., :3], y.T[0, :3]))
    equal(program.inner(a.rechunk((1, 2, 4)), a), program.inner(x, x))
    equal(program.inner(a.rechunk(2), a, allow_rechunk=True), program.inner(x, x))
    with raises(ValueError, "multiple chunks"):
        program.inner(a.rechunk(2), a)
    with raises(TypeError, "out="):
        program.inner(a, a, out=a[..., 0])
    with raises(TypeError, "map_blocks"):
        program.convolve(a, a)
    for call in (program.inner, program.add.outer):
        with raises(TypeError, "device= is not supported for Dask arrays", "map_blocks"):
            call(a, a, device="cpu")


def test_reductions():
    for shape in ((1,), (1000,), (40, 25), (5, 12, 7)):
        x, y = numbers(*shape), numbers(*shape)
        on_cpu, mask = gpucc.asarray(x, device="cpu"), random.random(shape) < 0.3
        for axis in (*range(len(shape)), None, tuple(range(len(shape)))[-2:]):
            for _ in range(2):
                a, b = cut(x, empty=True), cut(y, empty=True)
                equal(program.add.reduce(a, axis=axis), program.add.reduce(on_cpu, axis=axis))
                equal(program.dot(a, b, axis=axis), program.dot(x, y, axis=axis))
            with dask.config.set(split_every=2):
                equal(program.add.reduce(a, axis=axis, keepdims=True), program.add.reduce(on_cpu, axis=axis, keepdims=True))
            equal(program.add.reduce(a, axis=axis, initial=3.7, dtype="f8"),
                  program.add.reduce(on_cpu, axis=axis, initial=3.7, dtype="f8"))
            for options in ({}, {"initial": -2.5}):
                equal(program.add.reduce(a, axis=axis, where=cut(mask), **options),
                      program.add.reduce(on_cpu, axis=axis, where=mask, **options))
            equal(program.dot(a, 2, axis=axis, where=mask), program.dot(x, 2, axis=axis, where=mask))
            equal(program.largest.reduce(a, axis=axis), program.largest.reduce(on_cpu, axis=axis))


def test_corners_of_reductions():
    x = numbers(30, 8)
    a, on_cpu = cut(x), gpucc.asarray(x, device="cpu")
    weights = numbers(8)
    equal(program.dot(a, da.from_array(weights, chunks=3), axis=1), program.dot(x, weights, axis=1))
    equal(program.dot(a, da.from_array(x[:, :1], chunks=7), axis=0), program.dot(x, x[:, :1], axis=0))
    zeros = -np.zeros(9, "f4")  # of which a sum with the identity would be +0
    equal(program.add.reduce(cut(zeros), where=zeros == 0), program.add.reduce(gpucc.asarray(zeros, device="cpu")))
    equal(program.add.reduce(da.zeros((0, 3), chunks=((0, 0), (1, 2)), dtype="f4")), np.zeros(3, "f4"))
    out = da.zeros((8,), dtype="f4")
    assert program.add.reduce(a, out=out) is out
    equal(out, program.add.reduce(on_cpu))
    equal(program.add.reduce(a, axis=()), program.add.reduce(on_cpu, axis=()))
    whole = a.rechunk({0: -1})  # from the left where an axis is in one chunk
    equal(program.subtract.reduce(whole), program.subtract.reduce(x))
    with raises(TypeError, "not reorderable", "rechunk()"):
        program.subtract.reduce(da.from_array(x, chunks=4))
    lazy = da.from_array(x, chunks=(7, 3))
    some, kept = lazy[lazy[:, 0] > 0], x[x[:, 0] > 0]  # chunks of unknown sizes
    same(program.add.reduce(some, axis=1).compute(), program.add.reduce(gpucc.asarray(kept, device="cpu"), axis=1).to_numpy())
    with raises(ValueError, "unknown sizes", "compute_chunk_sizes()"):
        program.add.reduce(some)
    equal(program.add.reduce(some.compute_chunk_sizes()), program.add.reduce(gpucc.asarray(kept, device="cpu")))
    with raises(gpucc.BadAxis, "axis=2"):
        program.add.reduce(a, axis=2)
    for options in ({}, {"dtype": "f8"}):
        equal(program.add.accumulate(a, axis=1, **options), program.add.accumulate(on_cpu, axis=1, **options))
    equal(program.add.reduceat(a, [0, 5, 3]), program.add.reduceat(on_cpu, [0, 5, 3]))
    with raises(TypeError, "in place"):
        program.add.at(a, [0], 1)


def test_graphs():
    """They are made without computing anything, are told apart by their functions, and travel."""
    def unwanted(*_):
        raise AssertionError("computed")
    lazy = da.map_blocks(unwanted, da.ones((8, 8), chunks=4, dtype="f4"), dtype="f4", meta=np.empty((0, 0), "f4"))
    for made in (program.add(lazy, lazy), program.split(lazy)[1], program.add.reduce(lazy, axis=None),
                 program.dot(lazy, lazy), program.add.accumulate(lazy), program.inner(lazy, lazy, allow_rechunk=True)):
        assert made.dtype == np.dtype("f4")
    a = da.ones((8, 8), chunks=4, dtype="f4")
    assert program.add(a, 1).name == program.add(a, 1).name != program.mul(a, 1).name
    assert program.add.reduce(a).name == program.add.reduce(a).name != program.largest.reduce(a).name
    assert tokenize(program.add) == tokenize(pickle.loads(pickle.dumps(program.add)))
    equal(pickle.loads(pickle.dumps(program.add.reduce(a))), np.full(8, 8, "f4"))


def test_kernels():
    """On chunks, in functions of the caller's."""
    def scaled(block):
        block = block.copy()
        program.scale_f32(block.size, 10.0, block, threads=block.size)
        return block
    x = numbers(100)
    equal(cut(x).map_blocks(scaled, dtype="f4"), x * np.float32(10))
    for call in (lambda: program.scale_f32(9, 10.0, da.zeros(9, dtype="f4"), threads=9), lambda: gpucc.asarray(da.zeros(9))):
        with raises(TypeError, "map_blocks()"):
            call()


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
    print(compared, "comparisons")
